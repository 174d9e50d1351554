// The engine in this very thread. The worker holds one of these too.

import { abortable, linkedController } from "./abort.js";
import { BundleFiles } from "./bundle-files.js";
import { PocketGraphError, replacedError } from "./error.js";
import { withModel } from "./model-function.js";
import { GRAPH_RETRIEVERS } from "./retrievers.js";
import { loadModule } from "./wasm-modules.js";

/** The calls, by name. One table serves the direct calls and the worker's messages. */
const METHODS = {
  info: (engine) => engine.info(),
  search: (engine, [question, options], _, signal) => engine.search(question, options, signal),
  quote: (engine, [question, options], onEvent, signal) => engine.quote(question, options, onEvent, signal),
  passage: (engine, [chunk]) => engine.passage(chunk),
  facets: (engine) => engine.facets(),
  fields: (engine) => engine.fields(),
};

/** Calls that only the full module can answer. */
const FULL_METHODS = {
  ask: (engine, [question, options], onEvent, signal) => engine.ask(question, options, onEvent, signal),
  plan: (engine, [question, options], _, signal) => engine.plan(question, options, signal),
  neighbors: (engine, [keyword, limit]) => engine.neighbors(keyword, limit),
  subgraph: (engine, [result]) => engine.subgraph(result),
  readPage: (engine, [chunk]) => engine.readPage(chunk),
  execute: (engine, [plan, options], onEvent, signal) => engine.execute(plan, options, onEvent, signal),
};

/** Calls that begin with hits. */
const ASKS = ["search", "quote", "ask"];

/** An open bundle in this thread. */
export class LocalEngine {
  #engine;
  #enableRelaxedSimd;
  #open;
  #load;
  #upgrading = null;
  // What an engine had fetched that has been replaced.
  #fetchedBefore = { requests: 0, bytes: 0 };
  #tableReady = false;
  #lifetime = new AbortController();
  #pending = new Set();
  #broken = null;
  #unwatch;
  #node;
  #files;

  constructor({ engine, enableRelaxedSimd }, open, load, node, files) {
    this.#files = files;
    this.#engine = engine;
    this.#enableRelaxedSimd = enableRelaxedSimd;
    this.#open = open;
    this.#load = load;
    this.#node = node;
    this.#unwatch = watchForTraps(node, (error) => this.#fail(error));
  }

  /**
   * Opens the bundle at `baseUrl` (absolute, ending in a slash). In Node `node` is the module node-files.js.
   * `fetch(request)` takes the place of the page's own; with `eager` the first question's files are fetched
   * while the engine starts. On a page's own thread `pause()` is asked in the middle of long work whether to
   * wait for something first.
   */
  static async open(baseUrl, { memoryLimit, node, fetch, pause, eager } = {}, onProgress, callersSignal) {
    const files = node || fetch ? null : new BundleFiles(baseUrl, { eager });
    const load = (module, signal) => abortable(loadModule(module, node), signal);
    const open = async (module, progress, signal) => {
      const { WasmEngine, enableRelaxedSimd } = await load(module, signal);
      const opening = WasmEngine.open(
        baseUrl,
        { memoryLimit, pause, fetch: fetch ?? files?.fetcher() },
        progress,
        signal,
      );
      // An open that finishes after the caller has gone would leak its memory.
      if (signal)
        opening.then(
          (late) => signal.aborted && late.free(),
          () => {},
        );
      return { engine: await abortable(opening, signal), enableRelaxedSimd };
    };
    const { controller, release } = linkedController(callersSignal);
    let trapped;
    const unwatch = watchForTraps(node, (error) => {
      trapped = error;
      controller.abort();
    });
    try {
      return new LocalEngine(await open("search", onProgress, controller.signal), open, load, node, files);
    } catch (thrown) {
      throw trapped ?? PocketGraphError.from(thrown);
    } finally {
      unwatch();
      release();
    }
  }

  /**
   * Calls the method `name` of the engine. `write`, where the language model is a function, is that
   * function.
   */
  async call(name, args = [], onEvent, signal, write) {
    if (this.#broken) throw this.#broken;
    if (write) args = withModel(args, write);
    const { signal: either, release } = linkedController(signal, this.#lifetime.signal);
    const events = onEvent && ((event) => either.aborted || onEvent(event));
    let work;
    try {
      work = Promise.resolve(this.#work(name, args, events, either));
    } catch (thrown) {
      work = Promise.reject(thrown);
    }
    this.#pending.add(work);
    work.catch(() => {}).finally(() => this.#pending.delete(work));
    try {
      return await abortable(work, either);
    } catch (thrown) {
      if (thrown instanceof WebAssembly.RuntimeError) {
        this.#fail(trapError(thrown));
        this.#node?.reportTrap(thrown);
      }
      throw this.#broken ?? PocketGraphError.from(thrown);
    } finally {
      release();
    }
  }

  #work(name, args, onEvent, signal) {
    if (name === "prepare") return this.#prepare(Boolean(args[0]), onEvent, signal);
    if (name === "stats") return this.#stats();
    if (name === "warm") return this.#load("full", signal).then(() => {});
    if (name === "fetched") return performance.getEntriesByType("resource").map((entry) => entry.name);
    if (ASKS.includes(name))
      this.#files?.ahead("first", ...(args[1]?.retriever === "lexical" ? [] : ["next"]));
    const run = METHODS[name] ?? FULL_METHODS[name];
    if (name in METHODS && !needsFull(args)) return run(this.#engine, args, onEvent, signal);
    return this.#upgraded().then(() => run(this.#engine, args, onEvent, signal));
  }

  /**
   * Loads the query model, or the token table. An engine that took the place of the one being prepared needs
   * it as well.
   */
  async #prepare(tableOnly, onEvent, signal) {
    let prepared;
    do {
      if (!tableOnly) await this.#enabledRelaxedSimd(signal);
      // Read after the wait, and used at once: an engine whose place was taken meanwhile has been freed.
      prepared = this.#engine;
      await prepared.prepare(tableOnly, onEvent, signal);
    } while (prepared !== this.#engine);
    this.#tableReady ||= tableOnly;
  }

  /** Resolves when the module of the engine that is there then has what makes it quick. */
  async #enabledRelaxedSimd(signal) {
    let enableRelaxedSimd;
    do {
      enableRelaxedSimd = this.#enableRelaxedSimd;
      await abortable(enableRelaxedSimd(), signal);
    } while (enableRelaxedSimd !== this.#enableRelaxedSimd);
  }

  #stats() {
    const { requests, bytes, memoryBytes } = this.#engine.stats();
    const saved = this.#files?.saved ?? { requests: 0, bytes: 0 };
    const before = this.#fetchedBefore;
    return {
      requests: requests + before.requests - saved.requests,
      bytes: bytes + before.bytes - saved.bytes,
      memoryBytes,
    };
  }

  /**
   * Resolves when the full module's engine has taken the place of the one that searches. Callers that go away
   * do not stop it for others.
   */
  #upgraded() {
    this.#upgrading ??= this.#upgrade().catch((error) => {
      this.#upgrading = null;
      throw error;
    });
    return this.#upgrading;
  }

  async #upgrade() {
    const { engine: full, enableRelaxedSimd } = await this.#open("full", undefined, this.#lifetime.signal);
    // Models are wanted a good while later, if at all.
    void enableRelaxedSimd();
    // Sections' files are named by their content: another bundle has others, and numbers its passages anew.
    if (JSON.stringify(full.info().sections) !== JSON.stringify(this.#engine.info().sections)) {
      full.free();
      throw replacedError();
    }
    const { signal } = this.#lifetime;
    // Without the table the full engine ranks as before it came, and that is all.
    if (this.#tableReady && !this.#engine.modelReady())
      await full.prepare(true, undefined, signal).catch(() => {});
    while (this.#engine.modelReady() && !full.modelReady()) {
      await abortable(enableRelaxedSimd(), signal);
      await full.prepare(false, undefined, signal);
    }
    const old = this.#engine;
    const { requests, bytes } = old.stats();
    this.#fetchedBefore = { requests, bytes };
    this.#engine = full;
    this.#enableRelaxedSimd = enableRelaxedSimd;
    // What still runs on the old engine holds it by itself.
    old.free();
    this.#files?.release();
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

/**
 * Returns true if a call's options name a retriever of the full module: one of its own, or any with parameters
 * after a colon.
 */
function needsFull([, options]) {
  const retriever = options?.retriever;
  return typeof retriever === "string" && (retriever.includes(":") || GRAPH_RETRIEVERS.includes(retriever));
}

function trapError(cause) {
  return new PocketGraphError("internal", `The engine stopped: ${cause.message}`, { cause });
}

/**
 * A Rust panic inside a future leaves its promise pending for ever and surfaces only as a WebAssembly trap that
 * nobody catches. Nothing in that instance can be trusted afterwards, so every call must be told.
 */
function watchForTraps(node, onTrap) {
  if (node) return node.watchForTraps((thrown) => onTrap(trapError(thrown)));
  if (typeof globalThis.addEventListener !== "function") return () => {};
  const onError = (event) => {
    const thrown = event.reason ?? event.error;
    if (thrown instanceof WebAssembly.RuntimeError) onTrap(trapError(thrown));
  };
  globalThis.addEventListener("error", onError);
  globalThis.addEventListener("unhandledrejection", onError);
  return () => {
    globalThis.removeEventListener("error", onError);
    globalThis.removeEventListener("unhandledrejection", onError);
  };
}
