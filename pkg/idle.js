// When the page has nothing else to do.

const AT_THE_LATEST_MS = 5000;

/** Calls `work` when the page is idle; soon, where the browser does not say when that is. */
export function whenIdle(work) {
  if (typeof requestIdleCallback === "function") requestIdleCallback(work, { timeout: AT_THE_LATEST_MS });
  else setTimeout(work, 50);
}
