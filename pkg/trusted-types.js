// Trusted Types: where a page demands them, the addresses of the package's worker and of the site's service
// worker are made by a policy of the name "pocketgraph", and by no other: `Content-Security-Policy:
// require-trusted-types-for 'script'; trusted-types pocketgraph`.

let policy;
const allowed = new Set();

/**
 * `url` as what `new Worker` and `serviceWorker.register` take under Trusted Types; unchanged where there are
 * none, or the page allows no such policy.
 */
export function trustedScript(url) {
  if (!globalThis.trustedTypes) return url;
  try {
    policy ??= globalThis.trustedTypes.createPolicy("pocketgraph", {
      createScriptURL(given) {
        if (allowed.has(given)) return given;
        throw new TypeError("Not a script of PocketGraph's.");
      },
    });
  } catch {
    return url;
  }
  allowed.add(url);
  return policy.createScriptURL(url);
}
