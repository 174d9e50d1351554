// AbortSignal helpers: what the engine is given, and how a caller is let go at once even where the engine is
// slow to notice.

import { abortError } from "./error.js";

/** Throws at once if the signal has already fired. */
export function throwIfAborted(signal) {
  if (signal?.aborted) throw abortError(signal);
}

/**
 * A controller that aborts when any of `signals` does. Call `release` when the work is over, so that a
 * long-lived signal does not gather listeners.
 */
export function linkedController(...signals) {
  const controller = new AbortController();
  const undo = [];
  for (const signal of signals) {
    if (!signal) continue;
    if (signal.aborted) {
      controller.abort(signal.reason);
      break;
    }
    const onAbort = () => controller.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    undo.push(() => signal.removeEventListener("abort", onAbort));
  }
  return { controller, signal: controller.signal, release: () => undo.forEach((step) => step()) };
}

/**
 * `promise`, or a rejection as soon as `signal` fires. What the promise does afterwards is nobody's concern.
 */
export function abortable(promise, signal) {
  if (!signal) return promise;
  promise.catch(() => {});
  if (signal.aborted) return Promise.reject(abortError(signal));
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortError(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
