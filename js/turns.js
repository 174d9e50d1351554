// Turns for the page, while the engine works on the page's own thread. Loaded only there: a worker has its thread to itself.

/** How long the engine works before others have a turn. Its longest pieces take about 10 ms (a layer over a long sentence), and a frame is 16 ms. */
const TURN_MS = 4;

let since = -TURN_MS;
let channel;

/** A task of its own, after which others that waited have had theirs. */
function nextTask() {
  if (globalThis.scheduler?.yield) return scheduler.yield();
  // A timer would wait 4 ms and more.
  channel ??= new MessageChannel();
  return new Promise((resolve) => {
    channel.port1.addEventListener("message", resolve, { once: true });
    channel.port1.start();
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
