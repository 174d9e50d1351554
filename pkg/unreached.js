// Why an endpoint of another host could not be reached. A browser tells a page only that a request failed;
// what follows can still be found out.

const PATIENCE = 5_000;

/**
 * Why a request to `baseUrl` fails before any reply: "policy", where this page's Content-Security-Policy does
 * not name it; "insecure", an `http:` address asked by a page of `https:`; "permission", where the reader or
 * the browser allows the page no addresses of this machine or its network; "origin", where something answers
 * but lets no page of this origin read it (CORS); "closed", where nothing answers. One request is sent,
 * without a body or credentials, whose reply cannot be read.
 */
export async function whyUnreached(baseUrl) {
  const url = new URL(baseUrl, globalThis.location?.href);
  const refused = refusedByPolicy(url.origin);
  try {
    await fetch(url, {
      mode: "no-cors",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE),
    });
    return "origin";
  } catch {
    if (await refused.happened()) return "policy";
    if (
      globalThis.location?.protocol === "https:" &&
      url.protocol === "http:" &&
      !isOfThisMachine(url.hostname)
    )
      return "insecure";
    return (await isDenied()) ? "permission" : "closed";
  } finally {
    refused.forget();
  }
}

/**
 * Hears whether the page's policy refuses this origin. The event comes after the request has failed, in a
 * turn of its own.
 */
function refusedByPolicy(origin) {
  let yes = false;
  const hear = ({ blockedURI, effectiveDirective }) =>
    (yes ||= effectiveDirective === "connect-src" && blockedURI.startsWith(origin));
  const forget = () => globalThis.document?.removeEventListener("securitypolicyviolation", hear);
  globalThis.document?.addEventListener("securitypolicyviolation", hear);
  return { forget, happened: () => new Promise((resolve) => setTimeout(() => resolve(yes), 50)) };
}

function isOfThisMachine(host) {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\./.test(host);
}

/** Returns true if the browser needs a permission to reach this machine and its network, and has none. */
async function isDenied() {
  for (const name of ["local-network-access", "loopback-network", "local-network"]) {
    const state = await globalThis.navigator?.permissions?.query({ name }).then(
      ({ state }) => state,
      () => null,
    );
    if (state === "denied") return true;
  }
  return false;
}
