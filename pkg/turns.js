// Turns for the page, while the engine works on the page's own thread. Loaded only there: a worker has its thread to itself.

/** How long the engine works before others have a turn. Its longest pieces take as long again, before their code is optimised; a frame is 16 ms. */
const TURN_MS = 4;

let since = -TURN_MS;
let channel;
/** Who waits for a turn, each for its own. */
const waiting = [];

/**
 * A task of its own, after which others that waited have had theirs. A timer would wait 4 ms and more, and what follows `scheduler.yield()` comes before
 * the drawing of frames.
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

/** What the engine asks in the middle of long work: nothing, or a promise after which to go on. One measure for all that is open on this page. */
export function pause() {
  if (performance.now() - since < TURN_MS) return undefined;
  return nextTask().then(() => {
    since = performance.now();
  });
}
