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

/** Puts the question into the address, so that it can be shared and survives a reload. */
export function rememberQuestion(question) {
  const hash = question ? `#${new URLSearchParams({ q: question })}` : "";
  history.replaceState(null, "", `${location.pathname}${location.search}${hash}`);
}
