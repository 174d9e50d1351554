// Fetching ahead: what later stages need, while nothing else is going on. Loaded only where that was asked
// for.

import { linkedController } from "./abort.js";
import { whenIdle } from "./idle.js";

const AGAIN_MS = 100;

/**
 * Waits until the page is idle and `isQuiet()`, then runs `prepare` and `warm`, either of which may be null,
 * unless the reader saves data. Returns the controller that ends it; `signal` does as well.
 */
export function prefetch({ isQuiet, prepare, warm }, { signal: given, onProgress }) {
  const { controller, signal, release } = linkedController(given);
  const quiet = () => new Promise((resolve) => whenIdle(() => resolve(isQuiet())));
  const work = async () => {
    if (globalThis.navigator?.connection?.saveData) return;
    // A search that runs goes first: what is fetched ahead must not take the line from what somebody waits
    // for.
    while (!(await quiet())) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    await prepare?.({ signal, onProgress });
    if (!signal.aborted) await warm?.(signal);
  };
  // What cannot be fetched ahead is fetched when it is needed, and failing then is said.
  work()
    .catch(() => {})
    .finally(release);
  return controller;
}
