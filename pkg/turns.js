// Turns for the page, while the engine works on the page's own thread. Loaded only there: a worker has its
// thread to itself.

/**
 * Milliseconds that the engine works before others have a turn. Its longest steps take as long again until
 * their code is optimised; a frame is 16 ms.
 */
const TURN_MS = 4;

let since = -TURN_MS;
let channel;
/** Waiting callers, in order. */
const waiting = [];

/**
 * A task of its own, after which others that waited have had theirs. A timer would wait 4 ms and more, and
 * what follows `scheduler.yield()` comes before the drawing of frames.
 */
function nextTask() {
  if (!channel) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => waiting.shift()();
  }
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel.port2.postMessage(null);
  });
}

/**
 * Returns undefined if the engine may go on, or a promise to wait for. All open bundles of the page share
 * the time.
 */
export function pause() {
  if (performance.now() - since < TURN_MS) return undefined;
  return nextTask().then(() => {
    since = performance.now();
  });
}
