// The engine in a worker, seen from the page: the same `call` and `close` as LocalEngine, by messages.

import { abortError, PocketGraphError, unpackError } from "./error.js";
import { writeFor } from "./model-function.js";
import { trustedScript } from "./trusted-types.js";

/**
 * As it came out of the package, this code is in a file beside its worker's; a bundler gives it another name
 * or place.
 */
const AS_PACKAGED = /^(?!file:)(?!.*\/\.vite\/).*\/(ask-element|pocketgraph)\.js(\?.*)?$/;

let preloaded = false;

/**
 * Has the browser fetch the worker's script, some 10 kB, so that whoever starts one does not wait for that.
 */
export function preloadWorker() {
  const here = import.meta.url;
  // By another name a bundler has it, which would take this for one more file to write.
  if (preloaded || !AS_PACKAGED.test(here)) return;
  preloaded = true;
  const link = document.createElement("link");
  Object.assign(link, {
    rel: "modulepreload",
    fetchPriority: "low",
    href: new URL("./worker.js", here).href,
  });
  document.head.append(link);
}

/** An engine that lives in a module worker of its own. */
export class WorkerEngine {
  #worker;
  #calls = new Map();
  #nextId = 1;
  #dead = null;

  constructor(worker, lock) {
    this.#worker = worker;
    // A worker that the browser ends, or that ends itself, says nothing. The lock that it holds while it
    // lives comes to us then.
    if (lock)
      navigator.locks
        .request(lock, () => this.#die("internal", "The engine's worker was ended."))
        .catch(() => {});
    worker.addEventListener("message", ({ data }) => this.#receive(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault?.();
      this.#die("internal", `The engine's worker stopped: ${event.message ?? "it could not be loaded"}`);
    });
    worker.addEventListener("messageerror", () =>
      this.#die("internal", "A message from the engine's worker could not be read."),
    );
  }

  /**
   * Starts a worker, or resolves to null where none can be had: no Worker here, a policy against it, another
   * origin.
   */
  static async start() {
    if (typeof Worker === "undefined") return null;
    let worker;
    try {
      worker = startModule();
    } catch {
      return null;
    }
    const started = await new Promise((resolve) => {
      worker.addEventListener("message", ({ data }) => resolve(data), { once: true });
      worker.addEventListener("error", (event) => (event.preventDefault?.(), resolve(null)), { once: true });
    });
    if (started) return new WorkerEngine(worker, started.lock);
    worker.terminate();
    return null;
  }

  /** True once the worker has stopped. */
  get dead() {
    return this.#dead !== null;
  }

  /** Opens the bundle in the worker; resolves to its info. */
  open(baseUrl, options, onProgress, signal) {
    return this.call("open", [baseUrl, options], onProgress, signal);
  }

  /**
   * Calls the method `name` of the engine. `write`, where the language model is a function, is that
   * function.
   */
  call(name, args = [], onEvent, signal, write) {
    if (this.#dead) return Promise.reject(this.#dead);
    if (signal?.aborted) return Promise.reject(abortError(signal));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        // The caller is let go now; the worker's own reply, when it comes, finds nobody waiting.
        this.#finish(id)?.reject(abortError(signal));
        this.#worker.postMessage({ id, abort: true });
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      const cleanUp = () => {
        signal?.removeEventListener("abort", onAbort);
        this.#calls.get(id)?.writing?.forEach((stop) => stop());
      };
      this.#calls.set(id, { resolve, reject, onEvent, write, writing: new Map(), cleanUp });
      try {
        this.#worker.postMessage({
          id,
          method: name,
          args,
          wantsEvents: Boolean(onEvent),
          writes: Boolean(write),
        });
      } catch (cause) {
        this.#finish(id);
        reject(
          new PocketGraphError("bad-argument", `An argument cannot be sent to the worker: ${cause.message}`, {
            cause,
          }),
        );
      }
    });
  }

  /** Ends the worker, and with it everything it held. */
  async close() {
    this.#die("closed", "This bundle has been closed.");
  }

  #receive(message) {
    if (message.fatal) {
      this.#die("internal", message.fatal);
      return;
    }
    if ("write" in message) {
      this.#writes(message);
      return;
    }
    if ("event" in message) {
      this.#deliver(message);
      return;
    }
    const call = this.#finish(message.id);
    if (message.error) call?.reject(unpackError(message.error));
    else call?.resolve(message.value);
  }

  /** The worker asks a call's model, or wants to hear no more of it. */
  #writes(message) {
    const { id, write: number, stop } = message;
    const call = this.#calls.get(id);
    if (!call?.write) return;
    if (stop) call.writing.get(number)?.();
    else
      call.writing.set(
        number,
        writeFor(message, call.write, (reply) => this.#worker.postMessage({ id, ...reply })),
      );
  }

  #deliver({ id, event }) {
    const call = this.#calls.get(id);
    try {
      call?.onEvent?.(event);
    } catch (thrown) {
      // The caller's own callback failed: its call ends with that, the engine goes on.
      this.#finish(id)?.reject(thrown);
      this.#worker.postMessage({ id, abort: true });
    }
  }

  #finish(id) {
    const call = this.#calls.get(id);
    call?.cleanUp();
    this.#calls.delete(id);
    return call;
  }

  #die(code, message) {
    if (this.#dead) return;
    this.#dead = new PocketGraphError(
      code,
      code === "closed" ? message : `${message} The next call starts another.`,
    );
    this.#worker.terminate();
    for (const id of [...this.#calls.keys()]) this.#finish(id).reject(this.#dead);
  }
}

function startModule() {
  const options = { type: "module", name: "pocketgraph" };
  const here = import.meta.url;
  if (AS_PACKAGED.test(here)) return new Worker(trustedScript(new URL("./worker.js", here).href), options);
  // Bundlers look for exactly this form.
  return new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "pocketgraph" });
}
