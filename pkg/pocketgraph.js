// PocketGraph: question answering over a bundle of static files. This is the package's front door; the engine
// behind it is WebAssembly, in a worker of its own where there can be one.

import { abortable, linkedController, throwIfAborted } from "./abort.js";
import { PocketGraphError, replacedError } from "./error.js";
import { EventQueue } from "./event-queue.js";
import {
  askOptions,
  badArgument,
  checkOpenOptions,
  defined,
  pageUrl,
  positive,
  PROTOCOLS,
  searchOptions,
  text,
  writerOf,
} from "./options.js";
import { trustedScript } from "./trusted-types.js";
import { WorkerEngine } from "./worker-engine.js";

export { PocketGraphError };

// A test's DOM, such as jsdom, makes no browser of Node; Electron's pages are browsers that have Node.
const IN_NODE = typeof process === "object" && Boolean(process.versions?.node) && process.type !== "renderer";

/** Codes of errors that are of files. */
const OUT_OF_REACH = ["network", "http", "hash-mismatch", "truncated", "corrupt", "missing-section"];

// Open bundles on this page: an offline copy that begins after them keeps what they have fetched.
const openGraphs = new Set();

/** An open bundle. */
class PocketGraph {
  #place;
  #options;
  #baseUrl = "";
  #engine = null;
  #restarting = null;
  #running = 0;
  #prefetching = null;
  #info = null;
  #fetch;
  #preparing = null;
  #modelReady = false;

  constructor(place, options) {
    this.#place = place;
    this.#options = options;
  }

  /**
   * Opens the bundle in the folder `place`: a URL, relative to the page; in Node also a path, relative to the
   * working directory. Only its manifest is fetched; what a search needs comes with the search. Several
   * folders, in an array, are searched as one.
   */
  static async open(place, options = {}) {
    if (Array.isArray(place)) return openMany(place, options);
    if (typeof place !== "string" && !(place instanceof URL))
      throw badArgument("A bundle is named by its URL.");
    checkOpenOptions(options);
    const { signal, onProgress, prefetch, ...kept } = options;
    const graph = new PocketGraph(String(place), kept);
    await graph.#start(onProgress, signal);
    openGraphs.add(graph);
    if (prefetch) graph.#prefetch(prefetch === true ? {} : prefetch).catch(() => {});
    return graph;
  }

  /** Keeps page, package and bundles for use without a network, from now on and over visits. */
  static async offline(options = {}) {
    const { keepOffline } = await import("./offline.js");
    const fetched = await Promise.all([...openGraphs].map((graph) => graph.#call("fetched").catch(() => [])));
    return keepOffline(options, { folderUrl, fetched: fetched.flat(), trustedScript });
  }

  async #start(onProgress, signal) {
    throwIfAborted(signal);
    const { memoryLimit, worker = "auto", eager } = this.#options;
    const baseUrl = (this.#baseUrl = await folderUrl(this.#place));
    const remote = worker === false ? null : await startWorker(signal);
    if (worker === true && !remote)
      throw new PocketGraphError("internal", "No module worker can be started here.");
    if (remote) {
      try {
        this.#info = await remote.open(baseUrl, { memoryLimit, eager }, onProgress, signal);
      } catch (thrown) {
        await remote.close();
        throw PocketGraphError.from(thrown);
      }
      this.#engine = remote;
      return;
    }
    const { LocalEngine } = await import("./local-engine.js");
    const options = { memoryLimit, eager };
    if (IN_NODE) {
      const files = await import("./node-files.js");
      options.node = files;
      if (baseUrl.startsWith("file:")) options.fetch = this.#fetch = files.fetchBelow(baseUrl);
    } else {
      options.pause = (await import("./turns.js")).pause;
    }
    try {
      this.#engine = await LocalEngine.open(baseUrl, options, onProgress, signal);
      this.#info = await this.#engine.call("info");
    } catch (thrown) {
      throw PocketGraphError.from(thrown);
    }
  }

  /** Returns the bundle's counts, embedder and sections. */
  info() {
    return this.#info;
  }

  /** Returns true once the full model embeds questions. */
  modelReady() {
    return this.#modelReady;
  }

  /**
   * Loads the query model, and before it, in a bundle that has one, the token table that stands in for it.
   * Searching works before; afterwards `auto`, `dense` and `hybrid` use it. `onStage` hears "table" and
   * "model" when the next search is ranked by them. Calls made while one runs share it, and it is given up
   * when all of them have been aborted.
   */
  async prepare({ signal, onProgress, onStage } = {}) {
    throwIfAborted(signal);
    if (this.#modelReady) return;
    const shared = (this.#preparing ??= this.#startPreparing());
    const listener = { onProgress, onStage };
    shared.waiting += 1;
    shared.listeners.add(listener);
    // Who joins late hears of the table as well.
    if (shared.tableReady) onStage?.("table");
    try {
      await abortable(shared.done, signal);
    } finally {
      shared.waiting -= 1;
      shared.listeners.delete(listener);
      if (shared.waiting === 0) {
        shared.controller.abort();
        if (this.#preparing === shared) this.#preparing = null;
      }
    }
  }

  #startPreparing() {
    const shared = {
      controller: new AbortController(),
      listeners: new Set(),
      waiting: 0,
      tableReady: false,
      done: null,
    };
    const { signal } = shared.controller;
    const onProgress = (progress) => shared.listeners.forEach((listener) => listener.onProgress?.(progress));
    const report = (stage) => shared.listeners.forEach((listener) => listener.onStage?.(stage));
    const load = (tableOnly) => this.#call("prepare", [tableOnly], { onEvent: onProgress, signal });
    const work = async () => {
      if (this.#info?.sections.some(({ name }) => name === "table")) {
        // Without the table the wait for the model is longer, and that is all.
        shared.tableReady = await load(true).then(
          () => true,
          () => false,
        );
        if (shared.tableReady) report("table");
        // Who wanted no more than the table leaves now, before anything of the model is asked for.
        await new Promise((resolve) => setTimeout(resolve));
      }
      await load(false);
      this.#modelReady = true;
      report("model");
    };
    shared.done = work();
    shared.done.catch(() => {});
    return shared;
  }

  async #prefetch(options) {
    const { prefetch } = await import("./prefetch.js");
    const warm = this.#hasGraph() ? (signal) => this.#call("warm", [], { signal }) : null;
    const prepare = this.#info?.hasModel ? (more) => this.prepare(more) : null;
    this.#prefetching = prefetch({ isQuiet: () => this.#running === 0, prepare, warm }, options);
  }

  /**
   * The passages that answer to `question`, best first, each with every way it was reached. An empty question
   * has none.
   */
  async search(question, options = {}) {
    const { signal } = options;
    const engineOptions = searchOptions(options);
    if (typeof question === "string" && question.trim() === "") return nothingFound(question, engineOptions);
    const result = await this.#call("search", [text("question", question), engineOptions], {
      signal,
      write: writerOf(options),
    });
    if (result.missing.length > 0) await this.#refuseIfReplaced(signal);
    return result;
  }

  /**
   * An answer, as events, of which the last is `done`; docs/javascript-api.md has them all. Leaving the loop,
   * or aborting `signal`, stops the work.
   */
  async *ask(question, options = {}) {
    const { signal, llm } = options;
    text("question", question);
    const protocol = this.#protocol(options);
    const engineOptions = askOptions(options);
    throwIfAborted(signal);
    const understood = await understand(question, options.history);
    if (understood !== question) yield { type: "understood", question: understood, asked: question };
    question = understood;
    try {
      yield* this.#events(
        protocol || llm ? "ask" : "quote",
        [question, { ...engineOptions, ...defined({ protocol }) }],
        signal,
        writerOf(options),
      );
    } catch (error) {
      // Nobody asked for a plan: where what plans cannot be had, the documents answer.
      if (protocol !== "plan" || options.protocol || !OUT_OF_REACH.includes(error.code)) throw error;
      yield* this.#quoted(question, engineOptions, error.message, signal);
    }
  }

  async *#quoted(question, engineOptions, why, signal) {
    const { NOTICES } = await import("./notices.js");
    const [code, text] = ["unplanned", why.replace(/\.$/, "")];
    const message = NOTICES[code].replace("{text}", text);
    for await (const event of this.#events("quote", [question, engineOptions], signal)) {
      if (event.type === "done") event.answer.warnings.unshift({ code, text, n: null, of: null, message });
      yield event;
    }
  }

  #protocol({ protocol, llm, filter }) {
    // A plan goes through the whole graph: who wants some of the documents alone is answered from these.
    if (protocol === undefined || protocol === null)
      return llm || filtered(filter) || !this.#hasGraph() ? undefined : "plan";
    if (!PROTOCOLS.includes(protocol)) throw badArgument(`\`protocol\` is one of ${PROTOCOLS.join(", ")}.`);
    if (protocol === "quote") {
      if (llm)
        throw badArgument("`quote` asks no language model: leave out `llm`, or choose another protocol.");
      return undefined;
    }
    if (protocol !== "plan" && !llm)
      throw badArgument(`The protocol ${protocol} is a dialogue with a language model: it needs \`llm\`.`);
    return protocol;
  }

  #hasGraph() {
    return Boolean(this.#info?.sections.some(({ name }) => name === "kg"));
  }

  /**
   * Turns a question into a plan, and carries nothing out: `plan` is null, and `whyNot` says why, where the
   * planner is not sure.
   */
  async plan(question, options = {}) {
    return this.#call("plan", [text("question", question), askOptions(options, "plan")], {
      signal: options.signal,
      write: writerOf(options),
    });
  }

  /**
   * Carries out a plan: one that `plan` made, or text in any of the three forms. The events are those of
   * `ask`.
   */
  async *execute(plan, options = {}) {
    const { signal } = options;
    const written = typeof plan === "string" ? text("plan", plan) : JSON.stringify(plan);
    if (!written) throw badArgument("A plan is an object or a text.");
    throwIfAborted(signal);
    yield* this.#events("execute", [written, askOptions(options, "execute")], signal, writerOf(options));
  }

  /** The events of one call, and its result as the last of them. */
  async *#events(method, args, signal, write) {
    const queue = new EventQueue();
    const { controller, release } = linkedController(signal);
    let done = null;
    let lacking = false;
    const onEvent = (event) => {
      lacking ||= event.result?.missing?.length > 0;
      if (event.type === "done") done ??= event;
      else queue.push(event);
    };
    const finished = async () => {
      const answer = await this.#call(method, args, { onEvent, signal: controller.signal, write });
      // An answer made from half of a bundle that is gone is none.
      if (lacking) await this.#refuseIfReplaced(controller.signal);
      queue.push(done ?? { type: "done", answer });
      queue.close();
    };
    finished().catch((error) => queue.fail(error));
    try {
      yield* queue;
    } finally {
      controller.abort();
      release();
    }
  }

  /** The keywords next to `keyword` in the keyword graph, heaviest edge first, and its best passages. */
  async neighbors(keyword, { limit = 12, signal } = {}) {
    positive("limit", limit);
    return this.#call("neighbors", [text("keyword", keyword), limit], { signal });
  }

  /**
   * The part of the graph that a search result touched: the question, its keywords, theirs, and the
   * passages.
   */
  async subgraph(result, { signal } = {}) {
    if (!Array.isArray(result?.hits)) throw badArgument("`subgraph` takes what `search` returned.");
    return this.#call("subgraph", [result], { signal });
  }

  /**
   * Lists the values that `filter` may have in this bundle: `{ of: "language" | "folder" | "version", value,
   * documents }`, by kind and value.
   */
  async facets({ signal } = {}) {
    const { facetsOf } = await import("./facets.js");
    return facetsOf(await this.#call("facets", [], { signal }));
  }

  /**
   * Lists the documents' own fields, by which `filter` chooses, boosts and sorts: `{ name, kind, values }`,
   * where each value comes with its number of documents.
   */
  async fields({ signal } = {}) {
    const { fieldsOf } = await import("./facets.js");
    return fieldsOf(await this.#call("fields", [], { signal }));
  }

  /** The `filter` that leaves only the page at an address; null if the bundle has no such page. */
  async pageFilter(address, { signal } = {}) {
    const { pageFilter } = await import("./facets.js");
    return pageFilter(await this.#call("facets", [], { signal }), new URL(address, pageUrl()));
  }

  /** The passage numbered `chunk`, with the text just before and after it. */
  async passage(chunk, { signal } = {}) {
    if (!Number.isInteger(chunk) || chunk < 0) throw badArgument("A passage is named by its number.");
    return this.#call("passage", [chunk], { signal });
  }

  /**
   * Returns a copy of an answer that `prove` can check later and elsewhere: each citation of a passage
   * carries the hashes of bundle and page and the bytes of its quotation there.
   */
  async certify(answer, { signal } = {}) {
    const { certify } = await import("./prove.js");
    return certify(answer, this.#published(signal));
  }

  /**
   * Compares an answer of `certify`, or what the program's `ask --json` printed, with the bundle: `{ proved,
   * unchecked, faults }`.
   */
  async prove(answer, { signal } = {}) {
    const { prove } = await import("./prove.js");
    return prove(answer, this.#published(signal));
  }

  /** Returns what a proof needs of the bundle. */
  #published(signal) {
    return {
      info: this.#info,
      manifest: async () => {
        const request = new Request(`${this.#baseUrl}manifest.json`, { cache: "no-cache", signal });
        return (await (await (this.#fetch ?? fetch)(request)).json()).pocketgraph;
      },
      readPage: (chunk) => this.#call("readPage", [chunk], { signal }),
      passage: (chunk) => this.passage(chunk, { signal }),
    };
  }

  /** Returns how much has been fetched and is held. */
  async stats() {
    return this.#call("stats");
  }

  /**
   * Opens the bundle anew: after `close`, or where it was replaced on its host. What was loaded is gone; the
   * browser's cache helps.
   */
  async reopen({ signal, onProgress } = {}) {
    await this.close();
    await this.#start(onProgress, signal);
    openGraphs.add(this);
  }

  /** Aborts what runs and frees everything. */
  async close() {
    openGraphs.delete(this);
    this.#prefetching?.abort();
    if (this.#restarting) {
      this.#restarting.controller.abort();
      await this.#restarting.done.catch(() => {});
    }
    const engine = this.#engine;
    this.#engine = null;
    this.#preparing = null;
    this.#modelReady = false;
    await engine?.close();
  }

  /** `await using graph = await PocketGraph.open(…)`: closes it at the block's end. */
  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    return this.close();
  }

  async #call(name, args = [], { onEvent, signal, write } = {}) {
    throwIfAborted(signal);
    if (!this.#engine) throw closedError();
    this.#running += 1;
    try {
      if (this.#engine.dead) await abortable(this.#restarted(), signal);
      if (!this.#engine) throw closedError();
      return await abortable(this.#engine.call(name, args, onEvent, signal, write), signal);
    } catch (thrown) {
      const error = PocketGraphError.from(thrown);
      if (GONE.has(error.code)) await this.#refuseIfReplaced(signal);
      throw error;
    } finally {
      this.#running -= 1;
    }
  }

  /**
   * A worker that died is replaced by the first call after it; calls that come meanwhile share the new one.
   */
  #restarted() {
    if (!this.#restarting) {
      const controller = new AbortController();
      const done = this.#restart(controller.signal).finally(() => {
        this.#restarting = null;
      });
      this.#restarting = { controller, done };
    }
    return this.#restarting.done;
  }

  async #restart(signal) {
    const died = this.#engine;
    const before = this.#info;
    this.#modelReady = false;
    this.#preparing = null;
    await this.#start(undefined, signal).catch((error) => {
      throw signal.aborted ? closedError() : error;
    });
    if (JSON.stringify(before.sections) === JSON.stringify(this.#info.sections)) return;
    await this.#engine.close();
    [this.#engine, this.#info] = [died, before];
    throw replacedError();
  }

  async #refuseIfReplaced(signal) {
    // Where the network is gone, this cannot be loaded either, and nothing is known.
    const module = await import("./replaced.js").catch(() => null);
    if (module) await abortable(module.refuseIfReplaced(this.#baseUrl, this.#info, this.#fetch), signal);
  }
}

// The component's file holds this class as well: a page that loads both has the one that came first.
const KEY = Symbol.for(`PocketGraph ${import.meta.url.replace(/[^/]*$/, "")}`);
const PageGraph = IN_NODE ? PocketGraph : (globalThis[KEY] ??= PocketGraph);

export { PageGraph as PocketGraph };

async function openMany(places, options) {
  if (places.length === 0) throw badArgument("No bundle is named.");
  const opening = await Promise.allSettled(places.map((place) => PocketGraph.open(place, options)));
  const failed = opening.find(({ status }) => status === "rejected");
  if (failed) {
    await Promise.all(opening.map(({ value }) => value?.close()));
    throw failed.reason;
  }
  const graphs = opening.map(({ value }) => value);
  if (graphs.length === 1) return graphs[0];
  const { ManyGraphs } = await import("./many-graphs.js");
  return new ManyGraphs(graphs);
}

// Codes that a file of a bundle that is no longer there may end in.
const GONE = new Set(["http", "io", "hash-mismatch", "truncated", "corrupt"]);

function closedError() {
  return new PocketGraphError("closed", "This bundle has been closed.");
}

async function startWorker(signal) {
  if (IN_NODE) return null;
  const starting = WorkerEngine.start();
  // A worker that starts after the caller has gone is nobody's.
  if (signal) starting.then((late) => signal.aborted && late?.close());
  return abortable(starting, signal);
}

/** The bundle's folder as an absolute URL ending in a slash. */
async function folderUrl(place) {
  let url;
  try {
    url = IN_NODE ? (await import("./node-files.js")).toUrl(place) : new URL(place, pageUrl());
  } catch (cause) {
    throw badArgument(`Not a URL: ${place}`, cause);
  }
  url.search = "";
  url.hash = "";
  url.pathname = url.pathname.replace(/\/manifest\.json$/, "/");
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url.href;
}

/**
 * A follow-up made whole by the conversation before it; any other question as it is, and each where the rules
 * cannot be fetched any more.
 */
async function understand(question, history) {
  if (history === undefined || history === null || history.length === 0) return question;
  if (!Array.isArray(history))
    throw badArgument("`history` is an array of { question, answer }, oldest first.");
  const rules = await import("./follow-up.js").catch(() => null);
  const whole = rules?.resolveFollowUp(question, history) ?? question;
  return whole === question.trim() ? question : whole;
}

/** Returns true if a filter leaves any document out. */
function filtered(filter) {
  return Object.values(filter ?? {}).some((value) => value !== undefined && value !== null);
}

function nothingFound(question, { retriever = "auto" }) {
  return { question, retriever, stage: "lexical", hits: [], keywords: [], missing: [] };
}
