// What the page's address says. The question lives in the fragment, which browsers do not send to the host.

/** The bundle's folder: `?bundle=` if it is on this host, else the one beside the page. */
export function bundleUrl() {
  const wanted = new URLSearchParams(location.search).get("bundle");
  const standard = new URL("./bundle/", document.baseURI);
  if (!wanted) return standard.href;
  const url = new URL(wanted, document.baseURI);
  return url.origin === location.origin ? url.href : standard.href;
}

/** `?worker=off` keeps the engine on the page's own thread. */
export function wantsWorker() {
  return new URLSearchParams(location.search).get("worker") === "off" ? false : "auto";
}

/** The question that a shared link carries. */
export function questionInAddress() {
  return new URLSearchParams(location.hash.slice(1)).get("q") ?? "";
}

/**
 * Puts the question into the address, so that it can be shared and survives a reload. One that was asked (`asked`), and not only typed, stays in the
 * history: Back brings it back.
 */
export function rememberQuestion(question, { asked = false } = {}) {
  const hash = question ? `#${new URLSearchParams({ q: question })}` : "";
  const same = question === questionInAddress();
  if (same && (!asked || history.state?.asked)) return;
  const change = !same && history.state?.asked ? "pushState" : "replaceState";
  history[change]({ asked }, "", `${location.pathname}${location.search}${hash}`);
}

/** Calls `onQuestion(question)` when the reader goes back or forth, or changes the address by hand. */
export function followAddress(onQuestion) {
  window.addEventListener("popstate", () => onQuestion(questionInAddress()));
}
