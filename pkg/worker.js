// The engine in a module worker. Messages in: {id, method, args} starts a call (`open` first), {id, abort:
// true} aborts it. A call whose language model is a function of the page has {writes: true}; {wrote, …} is
// what that function wrote. Messages out: {ready: true, lock} once, where `lock` names the Web Lock that this
// worker holds as long as it lives; for a call any number of {id, event} and {id, write, …}, which asks the
// page's function, then {id, value} or {id, error}; {fatal} if the engine itself has died.

import { LocalEngine } from "./local-engine.js";
import { packError, PocketGraphError } from "./error.js";
import { RemoteModel } from "./model-function.js";
import * as searchCode from "./pocketgraph_wasm.js";
import { loadModule, provideCode } from "./wasm-modules.js";

// Whoever starts a worker opens a bundle next, and of that this takes longest. A failure is told to the call
// that wants it.
provideCode("search", searchCode);
loadModule("search").catch(() => {});

let engine;
const running = new Map();

self.addEventListener("message", ({ data }) => {
  if (data.abort) running.get(data.id)?.controller.abort();
  else if ("wrote" in data) running.get(data.id)?.model?.hear(data);
  else run(data);
});

async function run({ id, method, args, wantsEvents, writes }) {
  const controller = new AbortController();
  const model = writes ? new RemoteModel((message) => self.postMessage({ id, ...message })) : null;
  running.set(id, { controller, model });
  const onEvent = wantsEvents ? (event) => self.postMessage({ id, event }) : undefined;
  try {
    const value = await call(method, args, onEvent, controller.signal, model?.write);
    self.postMessage({ id, value });
  } catch (thrown) {
    self.postMessage({ id, error: packError(thrown) });
  } finally {
    running.delete(id);
  }
}

async function call(method, args, onEvent, signal, write) {
  if (method === "open") {
    engine = await LocalEngine.open(args[0], args[1], onEvent, signal);
    return engine.call("info");
  }
  if (!engine) throw new PocketGraphError("closed", "No bundle is open in this worker.");
  return engine.call(method, args, onEvent, signal, write);
}

// What nobody caught may have left the engine half-way through something: the owner must not go on waiting.
function die(event) {
  const thrown = event.reason ?? event.error;
  self.postMessage({ fatal: `The engine's worker stopped: ${thrown?.message ?? event.message ?? thrown}` });
}
self.addEventListener("error", die);
self.addEventListener("unhandledrejection", die);

// The lock tells the page when this worker has ended. Where there are no locks, outside a secure context, an
// end in silence goes unnoticed.
const lock = self.navigator?.locks && `pocketgraph ${crypto.randomUUID()}`;
const ready = () => (self.postMessage({ ready: true, lock }), new Promise(() => {}));
if (lock) navigator.locks.request(lock, ready).catch(() => self.postMessage({ ready: true }));
else ready();
