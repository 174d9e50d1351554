// What the page's address says. The question lives in the fragment, which browsers do not send to the host;
// the component asks what stands there as `ask`.

const fragment = () => new URLSearchParams(location.hash.slice(1));
const withQuestion = (question) =>
  `${location.pathname}${location.search}${question ? `#${new URLSearchParams({ ask: question })}` : ""}`;

/** The folder of another bundle on this host, which `?bundle=` names; null without one. */
export function bundleInAddress() {
  const wanted = new URLSearchParams(location.search).get("bundle");
  if (!wanted) return null;
  const base = document.baseURI;
  // What is no address becomes the name of a file here, which is not found.
  const url = new URL(URL.canParse(wanted, base) ? wanted : encodeURIComponent(wanted), base);
  return url.origin === location.origin ? url.href : null;
}

/** `?worker=off` keeps the engine on the page's own thread. */
export function wantsNoWorker() {
  return new URLSearchParams(location.search).get("worker") === "off";
}

/** The question in the address. */
function questionInAddress() {
  return fragment().get("ask") ?? "";
}

/** In links of earlier versions of this page the question was called `q`. */
export function renewAddress() {
  const question = fragment().get("q");
  if (question) history.replaceState(null, "", withQuestion(question));
}

/**
 * Puts the question into the address, so that it can be shared and survives a reload. One that was asked
 * (`asked`), and not only typed, stays in the history: Back brings it back.
 */
export function rememberQuestion(question, { asked = false } = {}) {
  const same = question === questionInAddress();
  if (same && (!asked || history.state?.asked)) return;
  const change = !same && history.state?.asked ? "pushState" : "replaceState";
  history[change]({ asked }, "", withQuestion(question));
}
