// The engine in this very thread: loads the wasm once and calls it. The worker holds one of these too.

import init, { WasmEngine } from "./pocketgraph_wasm.js";
import { abortable, linkedController } from "./abort.js";
import { PocketGraphError } from "./error.js";

// One wasm instance serves every bundle opened in a thread. A failed load is forgotten, so that opening again tries again.
let wasmReady;

function loadWasm(wasmBytes) {
  wasmReady ??= startWasm(wasmBytes).catch((error) => {
    wasmReady = undefined;
    throw error;
  });
  return wasmReady;
}

async function startWasm(wasmBytes) {
  const source = wasmBytes ?? (await fetchWasm(new URL("./pocketgraph_wasm_bg.wasm", import.meta.url)));
  try {
    await init({ module_or_path: source });
  } catch (cause) {
    throw new PocketGraphError("internal", `The engine's WebAssembly could not be started: ${cause?.message ?? cause}`, { cause });
  }
}

async function fetchWasm(url) {
  let response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw new PocketGraphError("network", `The engine (${url.pathname}) could not be fetched.`, { cause, url: url.href });
  }
  if (!response.ok) {
    const message = `The engine (${url.pathname}) could not be fetched: HTTP ${response.status}.`;
    throw new PocketGraphError("http", message, { status: response.status, url: url.href });
  }
  return response;
}

/** What may be called, by name. One table serves the direct calls and the worker's messages. */
const METHODS = {
  info: (engine) => engine.info(),
  stats: (engine) => engine.stats(),
  prepare: (engine, [], onEvent, signal) => engine.prepare(onEvent, signal),
  search: (engine, [question, options], _, signal) => engine.search(question, options, signal),
  ask: (engine, [question, options], onEvent, signal) => engine.ask(question, options, onEvent, signal),
  neighbors: (engine, [keyword, limit]) => engine.neighbors(keyword, limit),
  subgraph: (engine, [result]) => engine.subgraph(result),
  passage: (engine, [chunk]) => engine.passage(chunk),
};

/** An open bundle in this thread. */
export class LocalEngine {
  #engine;
  #lifetime = new AbortController();
  #pending = new Set();
  #broken = null;
  #unwatch;

  constructor(engine) {
    this.#engine = engine;
    this.#unwatch = watchForPanic((error) => this.#fail(error));
  }

  /** Opens the bundle at `baseUrl` (absolute, ending in a slash). `wasmBytes` stands in for fetching where there is no HTTP. */
  static async open(baseUrl, { memoryLimit, wasmBytes } = {}, onProgress, signal) {
    try {
      await abortable(loadWasm(wasmBytes), signal);
      const opening = WasmEngine.open(baseUrl, { memoryLimit }, onProgress, signal);
      // An open that finishes after the caller has gone would leak its memory.
      if (signal) opening.then((late) => signal.aborted && late.free(), () => {});
      return new LocalEngine(await abortable(opening, signal));
    } catch (thrown) {
      throw PocketGraphError.from(thrown);
    }
  }

  /** Calls the method `name` of the engine. */
  async call(name, args = [], onEvent, signal) {
    if (this.#broken) throw this.#broken;
    const { signal: either, release } = linkedController(signal, this.#lifetime.signal);
    const events = onEvent && ((event) => either.aborted || onEvent(event));
    let work;
    try {
      work = Promise.resolve(METHODS[name](this.#engine, args, events, either));
    } catch (thrown) {
      work = Promise.reject(thrown);
    }
    this.#pending.add(work);
    work.catch(() => {}).finally(() => this.#pending.delete(work));
    try {
      return await abortable(work, either);
    } catch (thrown) {
      if (thrown instanceof WebAssembly.RuntimeError) this.#fail(trapError(thrown));
      throw this.#broken ?? PocketGraphError.from(thrown);
    } finally {
      release();
    }
  }

  /** Aborts what runs, waits for it to let go of the engine's memory, and frees it. */
  async close() {
    if (this.#broken) return;
    this.#broken = new PocketGraphError("closed", "This bundle has been closed.");
    this.#unwatch();
    this.#lifetime.abort();
    await Promise.allSettled([...this.#pending]);
    this.#engine.free();
  }

  #fail(error) {
    this.#broken ??= error;
    this.#unwatch();
    this.#lifetime.abort();
  }
}

function trapError(cause) {
  return new PocketGraphError("internal", `The engine stopped: ${cause.message}`, { cause });
}

/** A Rust panic inside a future leaves its promise pending for ever and surfaces only as an unhandled WebAssembly trap. Nothing in
 *  that instance can be trusted afterwards, so every call must be told. */
function watchForPanic(onPanic) {
  if (typeof globalThis.addEventListener !== "function") return () => {};
  const onTrap = (event) => {
    const thrown = event.reason ?? event.error;
    if (!(thrown instanceof WebAssembly.RuntimeError)) return;
    onPanic(trapError(thrown));
  };
  globalThis.addEventListener("error", onTrap);
  globalThis.addEventListener("unhandledrejection", onTrap);
  return () => {
    globalThis.removeEventListener("error", onTrap);
    globalThis.removeEventListener("unhandledrejection", onTrap);
  };
}
