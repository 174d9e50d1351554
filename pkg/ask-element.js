// <pocketgraph-ask src="/kg/">: search and answers over a bundle, in place or, with mode="dialog", in a
// dialog behind a button and ⌘K; with mode="panel" that is a panel at the side of the page.
//
// Hits come as one types, the cited answer on Enter. What attributes, properties, events, parts and custom
// properties there are stands in docs/embedding-in-a-page.md. Importing this module where there is no
// document, as servers do, defines nothing and fails nothing.

import { AskMemory } from "./ask-memory.js";
import { Strings } from "./ask-strings.js";
import { followPage } from "./ask-theme.js";
import { askStyle } from "./ask-element-style.js";
import { AskView } from "./ask-view.js";
import { stringFor } from "./explain.js";
import { PocketGraph, PocketGraphError } from "./pocketgraph.js";
import { SPOT_KEY } from "./text-fragment.js";
import { isComposed } from "./dom.js";
import { drawn, h } from "./render.js";
import { borrowGraph } from "./shared-graphs.js";
import { preloadWorker } from "./worker-engine.js";

const TYPING_PAUSE_MS = 120;
/** A question that ends as one is answered by itself after this, as far as that costs nothing. */
const ANSWER_PAUSE_MS = 750;
const FINISHED = /\S\s+\S+\s+\S*[?？؟]$/;

/** Attributes that are properties of the same meaning. */
const REFLECTED = {
  src: "src",
  k: "k",
  retriever: "retriever",
  placeholder: "placeholder",
  label: "label",
  mode: "mode",
  model: "model",
  worker: "worker",
  offline: "offline",
  offlineWorker: "offline-worker",
  recent: "recent",
  shortcut: "shortcut",
  theme: "theme",
  linkHosts: "link-hosts",
  debug: "debug",
  share: "share",
  gaps: "gaps",
  filters: "filters",
  fields: "fields",
};
const OWN = ["llm", "strings", "suggestions", "askOptions", "filter"];
/**
 * In a bundle of so many documents the list of all is worth a request of its own only to pages that want
 * filters (`filters="on"`), or have a panel, which can ask about its page.
 */
const LISTED_BELOW = 512;

/** A looking glass. */
const LENS = "M11 11l4.2 4.2M12.5 7a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0z";

/** Names the method by which a class of elements that show parts of this one elsewhere hears of new parts. */
export const ARRANGE = Symbol("arrange");

/** Not there on a server. */
const Base = globalThis.HTMLElement ?? class {};

/** The component's class, for those who register it under another name. */
export class PocketGraphAskElement extends Base {
  static observedAttributes = [
    "src",
    "placeholder",
    "label",
    "mode",
    "lang",
    "theme",
    "suggestions",
    "link-hosts",
    "filter",
    "filters",
    "fields",
    "model",
  ];

  #llm = null;
  #askOptions = null;
  #suggestions = null;
  #strings = new Strings();
  #chosen = null;
  #filters = null;
  #borrowed = null;
  #graph = null;
  #work = null;
  #typing = 0;
  #pausing = 0;
  #preparing = null;
  #shown = null;
  /** True once a search has loaded all that it ranks by. */
  #ranksByMeaning = false;
  #refined = null;
  #asked = "";
  /** May a language model be asked what was asked last, and may it be stored? Not before a reader asked. */
  #how = { write: false, remember: false };
  /** The questions that were asked and their answers; null before the first. */
  #conversation = null;
  #memory = null;
  #view = null;
  #field = null;
  #dialog = null;
  #unfollow = null;
  #withdraw = null;
  #retry = () => {};
  #onAddress = () => this.#askFromAddress();

  constructor() {
    super();
    this.attachShadow({ mode: "open", delegatesFocus: true });
    const style = askStyle();
    if (style) this.shadowRoot.adoptedStyleSheets = [style];
    // What was set before this class was there is no property of it yet.
    for (const name of [...OWN, ...Object.keys(REFLECTED)]) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
  }

  /**
   * An OpenAI-compatible endpoint `{ baseUrl, model, apiKey? }`, or a function
   * `(messages, { signal }) => AsyncIterable<string>`; without one, answers are quoted from the documents.
   */
  get llm() {
    return this.#llm;
  }
  set llm(given) {
    this.#llm = given ?? null;
  }

  /** Further options of `PocketGraph.ask`, such as `protocol` and `language`. */
  get askOptions() {
    return this.#askOptions;
  }
  set askOptions(given) {
    this.#askOptions = given ?? null;
  }

  /** The component's words, by the names in ask-strings.js, in place of those it has. */
  set strings(given) {
    this.#strings.overrides = given;
    this.#relabel();
  }

  /** Questions that are offered before there is one. The attribute has them with `|` between. */
  get suggestions() {
    return (
      this.#suggestions ??
      (this.getAttribute("suggestions") ?? "")
        .split("|")
        .map((one) => one.trim())
        .filter(Boolean)
    );
  }
  set suggestions(given) {
    this.#suggestions = Array.isArray(given) ? given.map(String) : null;
    this.#showIdle();
  }

  /**
   * The documents that are searched: `{ language, folder, version }`, each a text or absent. The attribute
   * has them as `language=de version=2.0`. The reader may choose others.
   */
  get filter() {
    return this.#chosen ?? parsedFilter(this.getAttribute("filter"));
  }
  set filter(given) {
    this.#chosen = given ? { ...given } : null;
    this.#filters?.then(
      (filters) => filters.choose(this.filter),
      () => {},
    );
    this.#askAnew();
  }

  /** The open bundle, or null before the first use. */
  get graph() {
    return this.#graph;
  }

  connectedCallback() {
    this.#localize();
    this.#build();
    this.#unfollow ??= followPage(this, (scheme) => this.#scheme(scheme));
    if (this.getAttribute("worker") !== "off") preloadWorker();
    this.#markSpot();
    this.#askFromAddress();
    globalThis.addEventListener?.("hashchange", this.#onAddress);
    this.#offerTools();
  }

  disconnectedCallback() {
    // Moving an element disconnects it for a moment; only one that stays away gives up what it does and gives
    // its memory back.
    setTimeout(() => {
      if (this.isConnected) return;
      globalThis.removeEventListener?.("hashchange", this.#onAddress);
      this.#unfollow?.();
      this.#unfollow = null;
      this.#withdraw?.then((withdraw) => withdraw());
      this.#withdraw = null;
      this.#dialog?.detach();
      this.#forget();
    }, 1000);
  }

  attributeChangedCallback(name, before, now) {
    if (before === now || !this.#view) return;
    if (name === "src") {
      this.#forget();
      this.#showIdle();
    } else if (name === "mode") this.#build({ anew: true });
    else if (name === "lang") this.#localize();
    else if (name === "filter") this.filter = null;
    else if (name === "filters") this.#offerFilters();
    else if (name === "fields") {
      this.#dropFilters();
      this.#offerFilters();
    } else if (name === "theme") this.#scheme(null);
    else if (name === "suggestions") this.#showIdle();
    else if (name === "model") this.#prepare();
    else if (name === "link-hosts") this.#view.allowLinks(this.#hosts());
    else this.#label();
  }

  /** Opens the dialog or panel (with `mode`), or goes to the box. */
  async open() {
    this.#build();
    if (!this.#isFolded()) this.#field.input.focus();
    else if (this.#dialog) this.#dialog.open();
    else await (this.#opening ??= this.#openLater().finally(() => (this.#opening = null)));
  }
  /** The dialog's opening while its file is on the way: a second press waits for the same one. */
  #opening = null;

  /** Opens the dialog once its file has come. What is typed until then goes into the box. */
  async #openLater() {
    const { input } = this.#field;
    const opened = new AbortController();
    const keep = (event) => {
      if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.value += event.key;
    };
    this.#trigger.focus();
    this.#trigger.addEventListener("keydown", keep, { signal: opened.signal });
    try {
      (await this.#loadDialog()).open();
    } finally {
      opened.abort();
    }
    if (!input.value) return;
    input.setSelectionRange(input.value.length, input.value.length);
    this.#typed();
  }

  /** Closes the dialog. */
  close() {
    this.#dialog?.close();
  }

  /**
   * Searches for `question`, then answers it; an empty one empties the box. Resolves to the answer, or to
   * null if it was superseded, stopped or failed (said by an event).
   */
  async ask(question) {
    this.#build();
    if (!question.trim()) {
      this.#clearBox();
      return null;
    }
    if (this.#isFolded()) await this.open();
    return this.#ask(question);
  }

  /**
   * Opens the bundle before its first use. Resolves to it, or to null if that failed, which is shown and said
   * by an event.
   */
  async load() {
    this.#build();
    return this.#warm();
  }

  /** Opens the passage numbered `chunk`, with what `span` or `quote` says marked in it. */
  async openPassage(chunk, { span, quote } = {}) {
    this.#build();
    const opener = document.activeElement;
    if (this.#graph ?? (await this.#warm()))
      await this.#showPassage(chunk, { span, quote }, () =>
        opener?.isConnected ? opener : this.#field.input,
      );
  }

  // ---- asking ----

  /**
   * Answers a question. Without `write`, no language model is asked; without `remember`, the question is not
   * stored.
   */
  async #ask(question, { literally = false, write = true, remember = true } = {}) {
    clearTimeout(this.#pausing);
    this.#field.input.value = question;
    this.#changed();
    this.#asked = question.trim();
    this.#how = { write, remember };
    this.#conversation?.leave();
    this.#retry = () => this.#ask(question, { literally, write, remember });
    return this.#run(question, async (graph, signal) => {
      const answering = await this.#view.loadAnswering();
      if (signal.aborted) return null;
      this.#view.calm();
      this.#conversation ??= answering.converse(this.#partner());
      return this.#conversation.answer(question, {
        graph,
        signal,
        literally,
        remember,
        llm: write ? this.#llm : null,
      });
    });
  }

  /** Returns the functions of the element that a conversation needs. */
  #partner() {
    return {
      answering: () => this.#view.answering,
      say: (name) => this.#say(name),
      emit: (type, detail) => this.#emit(type, detail),
      searchOptions: () => this.#searchOptions(),
      askOptions: () => this.#askOptions,
      hasModel: () => Boolean(this.#llm),
      ask: (question, how) => this.#ask(question, how),
      remember: (question) => this.#remember().add(question),
      showResult: (result) => this.#showResult(result),
      stage: () => this.#shown?.result.stage,
      begin: () => (this.#work = new AbortController()).signal,
    };
  }

  /** Asks or searches for the shown question again, in the documents that are searched now. */
  #askAnew() {
    const question = this.#field?.input.value.trim();
    if (!question || !this.#shown) return;
    if (question === this.#asked) this.#ask(question, this.#how);
    else this.#search(question);
  }

  #typed() {
    clearTimeout(this.#typing);
    clearTimeout(this.#pausing);
    this.#changed();
    const question = this.#field.input.value.trim();
    // What it finds is of what stood in the box.
    this.#work?.abort();
    this.#conversation?.leave();
    if (!question) {
      this.#shown = null;
      this.#asked = "";
      this.#showIdle();
      this.#emit("pocketgraph-clear");
      return;
    }
    this.#typing = setTimeout(() => this.#search(question), TYPING_PAUSE_MS);
  }

  #search(question) {
    this.#retry = () => this.#search(question);
    return this.#run(question, async (graph, signal) => {
      // A graph alone has no passages: what it knows is there to be asked.
      if (graph.info().chunks > 0) await this.#searchPassages(graph, question, signal);
      else this.#view.forget();
      if (signal.aborted) return;
      // After the hits, which would else have to wait for the larger engine that answers.
      clearTimeout(this.#pausing);
      if (FINISHED.test(question))
        this.#pausing = setTimeout(
          () => this.#ask(this.#field.input.value, { write: false }),
          ANSWER_PAUSE_MS,
        );
    });
  }

  async #searchPassages(graph, question, signal) {
    const options = { ...this.#searchOptions(), typing: true, signal };
    // What ranks by meaning takes longer to come, where there is any: the first hits do not wait for it, nor
    // does it wait for the model.
    const meaning =
      [undefined, "auto", "hybrid"].includes(options.retriever) &&
      graph.info().sections.some(({ name }) => name === "sketches");
    if (meaning && !this.#ranksByMeaning) {
      const byWords = await graph.search(question, { ...options, retriever: "lexical" });
      if (signal.aborted) return;
      if (byWords.hits.length > 0) this.#showHits(byWords, { typing: true });
    }
    const result = await graph.search(question, options);
    if (signal.aborted) return;
    // Nothing found where parts are missing is no finding.
    if (result.hits.length === 0 && result.missing.length > 0)
      throw new PocketGraphError("http", result.missing.join("; "));
    this.#ranksByMeaning = true;
    this.#showResult(result, { typing: true });
  }

  #stop() {
    this.#work?.abort();
    this.#view.answering?.showStopped();
  }

  // One piece of work at a time: a newer one aborts the older, and nothing that was aborted may draw.
  async #run(question, work) {
    clearTimeout(this.#typing);
    this.#work?.abort();
    if (!question.trim()) return null;
    const controller = (this.#work = new AbortController());
    const { signal } = controller;
    try {
      const graph = await this.#open();
      if (signal.aborted) return null;
      return (await this.#again(graph, work, signal)) ?? null;
    } catch (thrown) {
      const error = PocketGraphError.from(thrown);
      if (signal.aborted || error.code === "aborted") return null;
      this.#failed(error);
      return null;
    }
  }

  #failed(error) {
    const missing = error.code === "bad-argument" ? error.message : "";
    if (missing) console.error(`<pocketgraph-ask>: ${missing}`);
    this.#view.answering?.clear();
    this.#view.fail(
      this.#say(stringFor(error)),
      this.hasAttribute("debug") ? `${error.code}: ${error.message}` : "",
    );
    this.#emit("pocketgraph-error", error);
    if (error.code === "closed") this.#forget({ broken: true });
  }

  // Where the documents were replaced on their host, everything shown is asked for anew, of the new ones.
  async #again(graph, work, signal) {
    try {
      return await work(graph, signal);
    } catch (error) {
      if (error.code !== "replaced" || signal.aborted) throw error;
      this.#preparing = null;
      this.#conversation = null;
      await graph.reopen();
      return work(graph, signal);
    }
  }

  // An agent in the browser searches by the same bundle; the browser has to know agents.
  #offerTools() {
    if (!globalThis.document?.modelContext) return;
    this.#withdraw ??= import("./agent-tools.js").then(
      ({ offerTools }) => offerTools(() => this.#open()),
      () => () => {},
    );
  }

  // ---- the bundle ----

  async #open() {
    if (this.#graph) return this.#graph;
    const src = this.getAttribute("src");
    if (!src) throw new PocketGraphError("bad-argument", "It needs `src`, the folder of a bundle.");
    if (!this.#borrowed) {
      this.#view.showStatus(this.#say("opening"));
      this.#borrowed = borrowGraph(src, { worker: this.getAttribute("worker") === "off" ? false : "auto" });
    }
    const borrowed = this.#borrowed;
    try {
      const graph = await borrowed.opening;
      if (borrowed !== this.#borrowed) throw new PocketGraphError("aborted", "Another bundle is wanted.");
      if (!this.#graph) {
        this.#graph = graph;
        this.#view.showStatus();
        this.#keepOffline(src);
        this.#emit("pocketgraph-open", graph);
        this.#checkRestored(graph);
      }
      return graph;
    } catch (error) {
      if (borrowed === this.#borrowed) this.#borrowed = null;
      borrowed.release();
      throw error;
    }
  }

  /** Opens the bundle before anything is asked, and says so if that fails. */
  #warm() {
    return (this.#warming ??= this.#opened().finally(() => (this.#warming = null)));
  }
  #warming = null;

  async #opened() {
    if (!this.#graph && !this.#borrowed) {
      this.#retry = () => {
        this.#view.calm();
        this.#warm();
      };
    }
    try {
      return await this.#open();
    } catch (thrown) {
      const error = PocketGraphError.from(thrown);
      // Whoever asks meanwhile says it.
      if (error.code !== "aborted" && !this.#field.input.value.trim()) this.#failed(error);
      return null;
    }
  }

  // Keeping never delays a search, and failing to keep fails no search.
  #keepOffline(src) {
    const keep = this.getAttribute("offline");
    if (keep === null) return;
    const worker = this.getAttribute("offline-worker") ?? undefined;
    PocketGraph.offline({ bundle: src.trim().split(/\s+/), keep: keep || "visited", worker }).then(
      (copy) => {
        this.#emit("pocketgraph-offline", copy);
        copy.addEventListener("problem", ({ detail }) => this.#emit("pocketgraph-error", detail));
      },
      (error) => this.#emit("pocketgraph-error", error),
    );
  }

  #dropFilters() {
    this.#filters?.then(
      (filters) => filters.node.remove(),
      () => {},
    );
    this.#filters = null;
  }

  #forget(how) {
    this.#work?.abort();
    this.#borrowed?.release(how);
    this.#dropFilters();
    this.#pageSwitch?.node.remove();
    this.#page = this.#pageSwitch = null;
    clearTimeout(this.#pausing);
    this.#borrowed =
      this.#warming =
      this.#graph =
      this.#preparing =
      this.#refined =
      this.#shown =
      this.#conversation =
      this.#memory =
        null;
    this.#continuations = null;
    this.#ranksByMeaning = false;
  }

  // The query model is large beside everything else, so it comes after the first hits; what is then shown is
  // ranked again.
  #prepare() {
    const graph = this.#graph;
    if (!graph) return;
    const refine = () => this.#refine(graph).catch(() => {});
    if (graph.modelReady()) {
      refine();
      return;
    }
    const wish = this.getAttribute("model");
    if (
      wish === "off" ||
      (navigator.connection?.saveData && wish !== "on") ||
      graph.info().hasModel === false
    )
      return;
    // Without it searching goes on, by words and feedback; what failed is tried again at the next question.
    this.#preparing ??= graph.prepare({ onStage: refine }).catch(() => {
      this.#preparing = null;
    });
  }

  // Once a question and stage at most: a retriever that needs no model never says that the model spoke. An
  // unfinished word stays one.
  async #refine(graph) {
    if (!this.#shown) return;
    const { result, typing, asked } = this.#shown;
    const filter = JSON.stringify(this.#searched());
    const isShown = () => this.#shown?.asked === asked && this.#field.input.value.trim() === asked;
    const current = () => graph === this.#graph && isShown() && JSON.stringify(this.#searched()) === filter;
    const wanted = `${graph.modelReady() ? "model" : "table"} ${typing} ${filter} ${result.question}`;
    if (!current() || result.stage === "model" || this.#refined === wanted) return;
    this.#refined = wanted;
    const refined = await graph.search(result.question, { ...this.#searchOptions(), typing });
    // The finished question may have been asked meanwhile, or other documents chosen.
    if (!current() || this.#shown.typing !== typing) return;
    this.#showResult(refined, { typing });
    this.#conversation?.quoteAnew(graph);
  }

  // Out of what is here already, and after the hits; at once if others were shown before, so that no key
  // meets a list without them.
  async #suggest(result) {
    if (!this.#continuations) {
      const { Suggestions } = await import("./ask-suggestions.js");
      this.#continuations ??= new Suggestions();
      if (this.#shown?.result !== result) return;
    }
    const { recent, starred } = this.#remember().read();
    const questions = [...starred, ...recent, ...this.suggestions];
    this.#view.showSuggestions(this.#continuations.suggest(result.question, questions, result.hits));
    this.#dialog?.suggestionsShown();
  }
  #continuations = null;

  /**
   * Tells the site which passage is nearest to what it does not answer, by number: no word of the question
   * leaves.
   */
  #reportGap(reason) {
    const nearest = this.#shown?.result.hits[0];
    if (!nearest) return;
    const address = new URL(this.getAttribute("gaps"), document.baseURI);
    address.searchParams.set("topic", String(nearest.chunk));
    if (reason) address.searchParams.set("reason", reason);
    const apart = { mode: "no-cors", credentials: "omit", referrerPolicy: "no-referrer" };
    fetch(address, { ...apart, cache: "no-store", keepalive: true }).catch(() => {});
  }

  #searchOptions() {
    const k = Number.parseInt(this.getAttribute("k") ?? "", 10);
    const retriever = this.getAttribute("retriever") ?? undefined;
    return {
      k: k > 0 ? k : undefined,
      readerLanguage: this.#strings.reader || undefined,
      retriever,
      filter: this.#searched(),
    };
  }

  #showHits(result, { typing = false } = {}) {
    if (typing) this.#view.answering?.clear();
    const debug = this.hasAttribute("debug");
    this.#view.showHits(result, { ask: typing, reached: debug });
    // A follow-up is searched for as it was understood, which is not what stands in the box.
    this.#shown = { result, typing, asked: this.#field.input.value.trim() };
    if (debug) this.#showStage(result).catch(() => {});
    this.#dialog?.resultsChanged({ typing });
    if (typing && this.#dialog) this.#suggest(result).catch(() => {});
    this.#emit("pocketgraph-result", result);
  }

  #showResult(result, how) {
    this.#showHits(result, how);
    // What comes next is loaded now, so that Enter does not wait for it; what fails is loaded when it is
    // needed.
    this.#view.loadAnswering().catch(() => {});
    this.#offerFilters();
    this.#offerPage();
    this.#prepare();
  }

  /** For those who set a search up: what ranked the hits, and what was fetched until then. */
  async #showStage(result) {
    const { requests, bytes } = await this.#graph.stats();
    const fetched = `${(bytes / 1e6).toFixed(2)} MB in ${requests} ${requests === 1 ? "file" : "files"}`;
    const partly =
      result.missing?.length > 0 ? ` · ${this.#say("partly")} (${result.missing.join("; ")})` : "";
    if (this.#shown?.result === result)
      this.#view.showStatus(
        `${this.#say("resultCount", { n: result.hits.length })} · ${result.retriever} · ${result.stage} · ` +
          `${fetched}${partly}`,
      );
  }

  // After the first hits, which have loaded what lists the documents, and never in their way.
  async #offerFilters() {
    const graph = this.#graph;
    const wanted = this.getAttribute("filters");
    if (wanted === "off") this.#dropFilters();
    const isWanted = wanted !== null || this.hasAttribute("fields");
    if (!graph || wanted === "off" || (!isWanted && graph.info().documents >= LISTED_BELOW)) return;
    this.#filters ??= this.#newFilters(graph);
    const kept = this.#filters;
    try {
      const { node } = await kept;
      if (kept !== this.#filters || node.isConnected) return;
      this.#view.body.prepend(node);
      this[ARRANGE]?.(this.#view);
    } catch {
      // Without filters all documents are searched; the next question tries again.
      if (kept === this.#filters) this.#filters = null;
    }
  }

  async #newFilters(graph) {
    // By fields only the owner's page chooses: of most, a site's readers know nothing.
    const names = (this.getAttribute("fields") ?? "").split(/\s+/).filter(Boolean);
    const listed = Promise.all([graph.facets(), names.length > 0 ? graph.fields() : []]);
    const [{ AskFilters }, [facets, fields]] = await Promise.all([import("./ask-filters.js"), listed]);
    const filters = new AskFilters(this.#strings, (chosen) => {
      this.filter = chosen;
      this.#emit("pocketgraph-filter", chosen);
    });
    const named = names.map((name) => fields.find((field) => field.name === name)).filter(Boolean);
    filters.offer(facets, named, this.filter);
    return filters;
  }

  // Which page that is shows only in the list of all documents, as filters do.
  async #offerPage() {
    const graph = this.#graph;
    const isWanted = this.getAttribute("mode") === "panel" || this.getAttribute("filters") === "on";
    if (!graph || !this.#isFolded() || (!isWanted && graph.info().documents >= LISTED_BELOW)) return;
    const askAnew = () => this.#askAnew();
    this.#page ??= import("./ask-page.js").then(
      ({ PageSwitch }) => new PageSwitch(this.shadowRoot, this.#strings, askAnew),
    );
    try {
      const page = await this.#page;
      await page.follow(graph);
      if (graph === this.#graph && page.node.parentNode !== this.#view.body)
        this.#view.body.prepend(page.node);
      this.#pageSwitch = page;
    } catch {
      // Without the switch all documents are searched; the next question tries again.
      this.#page = null;
    }
  }
  #page = null;
  #pageSwitch = null;

  /** Returns the filter of the next search. */
  #searched() {
    return this.#pageSwitch?.filter ?? this.filter;
  }

  // ---- what survives a page ----

  /**
   * Returns what is shown, for the next page of the site; null if nothing is, or nothing may be remembered.
   */
  #state() {
    const question = this.#field.input.value.trim();
    if (!question || !this.#shown || this.getAttribute("recent") === "off") return null;
    const { result, typing } = this.#shown;
    // What only a link asked is not stored.
    if (!typing && !this.#how.remember) return null;
    const sections = this.#graph ? sectionsOf(this.#graph) : this.#restored;
    return { question, asked: this.#asked, result, typing, reported: this.#conversation?.state(), sections };
  }

  /** Shows what `state` returned on an earlier page. Whatever else it is given leaves the box empty. */
  async #restore({ question, asked, result, typing, reported, sections }) {
    const { input } = this.#field;
    if (input.value || this.#shown || typeof question !== "string") return;
    input.value = question;
    try {
      const answering = await this.#view.loadAnswering();
      if (input.value !== question || this.#shown) return;
      this.#view.showHits(result, { ask: typing });
      this.#shown = { result, typing, asked: question };
      this.#asked = asked;
      this.#how = { write: false, remember: true };
      this.#conversation = answering.converse(this.#partner());
      if (reported) this.#conversation.restore(reported);
      this.#restored = sections;
      this.#changed();
      this.#dialog?.resultsChanged({ typing });
    } catch {
      this.#shown = this.#conversation = null;
      this.#view.forget();
      this.#clearBox();
    }
  }
  #restored = "";

  /**
   * Passages that were restored are those of another bundle, if the host has a newer one now: it is asked
   * anew.
   */
  #checkRestored(graph) {
    const before = this.#restored;
    this.#restored = "";
    if (!before || before === sectionsOf(graph) || !this.#shown) return;
    this.#conversation = null;
    // What is asked already is asked of the newer bundle.
    if (this.#work) return;
    const question = this.#field.input.value;
    if (question.trim() === this.#asked) this.#ask(question, { write: false, remember: false });
    else this.#search(question);
  }

  // ---- what it looks like ----

  /** Returns true if a button opens the search. */
  #isFolded() {
    return !this[ARRANGE] && ["dialog", "panel"].includes(this.getAttribute("mode"));
  }

  #build({ anew = false } = {}) {
    if (this.#view && !anew) return;
    this.#dialog?.detach();
    this.#dialog = null;
    const inDialog = this.#isFolded();
    const on = {
      open: (hit, event) => this.#emit("pocketgraph-open-hit", hit, event),
      cite: (citation, event) => this.#cite(citation, event),
      passage: (chunk) => this.openPassage(chunk),
      stop: () => this.#stop(),
      again: () => this.#ask(this.#asked),
      retry: () => this.#retry(),
      pick: (question) => this.#ask(question),
      feedback: (answer, helpful, reason) => {
        const opinion = { question: this.#asked, answer, helpful };
        this.#emit("pocketgraph-feedback", reason ? { ...opinion, reason } : opinion);
      },
      reportGap: this.hasAttribute("gaps") ? (reason) => this.#reportGap(reason) : null,
      forget: (question) => (this.#remember().forget(question), this.#showIdle()),
      star: (question, starred) => (this.#remember().star(question, starred), this.#showIdle()),
      toBox: () => this.#field.input.focus(),
      hasModel: () => Boolean(this.#llm),
      shareUrl: this.getAttribute("share") === "off" ? null : () => this.#address(),
    };
    this.#view = new AskView(this.#strings, on, { listbox: inDialog, root: this.shadowRoot });
    this.#view.allowLinks(this.#hosts());
    this.#field = this.#newField();
    this.#root = h("div", { class: "root", part: "root" });
    this.shadowRoot.replaceChildren(this.#root);
    if (inDialog) {
      this.#trigger = h("button", {
        type: "button",
        part: "trigger",
        "aria-haspopup": "dialog",
        onclick: () => this.open(),
      });
      this.#root.append(this.#trigger);
      this.#loadDialog();
    } else this.#root.append(this.#field.form, ...this.#view.nodes);
    this.#relabel();
    this.#showIdle();
    this.#scheme(null);
  }
  #root = null;
  #trigger = null;

  #newField() {
    const input = h("input", {
      part: "input",
      type: "search",
      autocomplete: "off",
      autocapitalize: "off",
      enterkeyhint: "search",
      spellcheck: "false",
      dir: "auto",
      maxlength: 2000,
    });
    const ask = () => input.value.trim() && this.#ask(input.value);
    const button = h("button", { part: "button", type: "button" });
    const clear = h(
      "button",
      { part: "clear", type: "button", hidden: true, onclick: () => this.#clear() },
      "×",
    );
    // No form: a frame that is sandboxed may not send any.
    const form = h(
      "div",
      { part: "form", role: "search" },
      h("div", { part: "field" }, input, clear),
      h("slot", { name: "button", onclick: ask }, button),
    );
    form.addEventListener("keydown", (event) => {
      // While an input method composes, its keys are its own.
      if (event.key === "Enter" && event.target === input && !isComposed(event) && !event.defaultPrevented)
        ask();
    });
    input.addEventListener("input", () => this.#typed());
    input.addEventListener("focus", () => this.#warm());
    input.addEventListener("keydown", (event) => {
      // While an input method composes, its keys are its own.
      if (isComposed(event) || this.#dialog || event.key !== "ArrowDown") return;
      const [first] = this.#view.focusable();
      first?.focus();
      if (first) event.preventDefault();
    });
    return { form, input, button, clear };
  }

  #clear() {
    this.#clearBox();
    this.#field.input.focus();
  }

  #clearBox() {
    this.#field.input.value = "";
    this.#typed();
  }

  #changed() {
    this.#field.clear.hidden = this.#field.input.value === "";
  }

  #loadDialog() {
    const view = this.#view;
    const isPanel = this.getAttribute("mode") === "panel";
    const loading = isPanel ? import("./ask-panel.js") : import("./ask-dialog.js");
    return loading.then(({ AskPanel, AskDialog }) => {
      if (view !== this.#view) return this.#loadDialog();
      if (!this.#dialog) {
        const stop = () => this.#work?.abort();
        const parts = { root: this.#root, field: this.#field, view, strings: this.#strings, stop };
        const kept = {
          bundle: this.#bundle(),
          state: () => this.#state(),
          restore: (state) => this.#restore(state),
        };
        this.#dialog = isPanel ? new AskPanel(this, { ...parts, ...kept }) : new AskDialog(this, parts);
        this.#dialog.relabel();
        if (this.#shown) this.#dialog.resultsChanged(this.#shown);
        this.#dialog.resume?.();
      }
      this.#dialog.attach();
      return this.#dialog;
    });
  }

  /** Shows suggestions while the box is empty. */
  #showIdle() {
    if (!this.#view || this.#field.input.value.trim()) return;
    const { recent, starred } = this.#remember().read();
    this.#view.showIdle([
      { title: this.#say("starred"), questions: starred, starred: true, own: true },
      { title: this.#say("recent"), questions: recent, own: true },
      { title: this.#say("suggested"), questions: this.suggestions },
    ]);
    this.#dialog?.resultsChanged({ typing: false });
  }

  #remember() {
    this.#memory ??= new AskMemory(this.#bundle(), () => this.getAttribute("recent") !== "off");
    return this.#memory;
  }

  #bundle() {
    return new URL(this.getAttribute("src") ?? "", document.baseURI).href;
  }

  #cite(citation, event) {
    const { target } = citation;
    // A new tab, a download: what a link does by itself is left to it. Only passages of the bundle are shown
    // here.
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      event.button > 0 ||
      target?.type !== "chunk" ||
      !this.#graph
    )
      return;
    event.preventDefault();
    const opener = event.currentTarget;
    // The answer may have been chosen anew meanwhile: what has the same number stands in its place.
    const back = () =>
      opener.isConnected ? opener : (this.#view.answering.citation(opener.textContent) ?? this.#field.input);
    this.#showPassage(target.chunk, citation, back);
  }

  async #showPassage(chunk, citation, back) {
    const answering = await this.#view.loadAnswering().catch(() => null);
    if (!answering) this.#view.showStatus(this.#say("errorNetwork"));
    const graph = this.#graph;
    if (!answering || !graph) return;
    const { passage } = answering;
    this.#root.append(passage.node);
    await passage.open(
      (signal) => graph.passage(chunk, { signal }),
      citation,
      back,
      (error) => this.#say(stringFor(PocketGraphError.from(error))),
    );
  }

  #hosts() {
    return (this.getAttribute("link-hosts") ?? "").split(/[\s,]+/).filter(Boolean);
  }

  #scheme(scheme) {
    const wanted = { light: "light", dark: "dark" }[this.getAttribute("theme")];
    if (scheme) this.#found = scheme;
    if (this.#root) this.#root.dataset.scheme = wanted ?? this.#found ?? "";
  }
  #found = null;

  // ---- words ----

  #say(name, values) {
    return this.#strings.say(name, values);
  }

  async #localize() {
    const language = this.closest("[lang]")?.getAttribute("lang") ?? document.documentElement.lang;
    if (await this.#strings.localize(language)) {
      this.#relabel();
      this.#showIdle();
    }
  }

  #relabel() {
    if (!this.#view) return;
    this.#view.relabel();
    this.#root.lang = this.#strings.language;
    this.#root.dir = this.#strings.language === "ar" ? "rtl" : "";
    this.#field.button.textContent = this.#say("ask");
    this.#field.clear.setAttribute("aria-label", this.#say("clear"));
    this.#dialog?.relabel();
    this.#filters?.then(
      (filters) => filters.relabel(),
      () => {},
    );
    this.#pageSwitch?.relabel();
    this.#label();
    this[ARRANGE]?.(this.#view);
  }

  #label() {
    const placeholder = this.getAttribute("placeholder") ?? this.#say("placeholder");
    this.#field.input.placeholder = placeholder;
    this.#field.input.setAttribute("aria-label", this.getAttribute("label") ?? placeholder);
    if (!this.#trigger) return;
    const keys =
      this.getAttribute("shortcut") === "off"
        ? null
        : h("kbd", { part: "keys", "aria-hidden": "true" }, isApple() ? "⌘K" : "Ctrl K");
    this.#trigger.replaceChildren(
      ...[
        drawn("lens", LENS),
        h("span", { part: "trigger-text" }, this.getAttribute("label") ?? this.#say("search")),
        keys,
      ].filter(Boolean),
    );
    this.#trigger.setAttribute("aria-keyshortcuts", isApple() ? "Meta+K" : "Control+K");
  }

  // ---- links to a question ----

  #address() {
    const url = new URL(location.href);
    url.hash = new URLSearchParams({ ask: this.#asked }).toString();
    return url.href;
  }

  // Whoever made the link wrote the question: it costs nothing and stores nothing until the reader asks it.
  async #askFromAddress() {
    if (this.getAttribute("share") === "off") return;
    const question = new URLSearchParams(location.hash.slice(1)).get("ask")?.slice(0, 2000);
    if (!question?.trim() || question === this.#asked) return;
    this.#build();
    if (this.#isFolded()) await this.open();
    await this.#ask(question, { write: false, remember: false });
  }

  // The page was opened at words that the address or a click names.
  #markSpot() {
    try {
      if (!location.hash.includes(":~:") && !sessionStorage.getItem(SPOT_KEY)) return;
    } catch {
      return;
    }
    import("./ask-spot.js").then(
      ({ showSpot }) => showSpot(),
      () => {},
    );
  }

  #emit(type, detail, cause) {
    const event = new CustomEvent(type, {
      detail,
      bubbles: true,
      composed: true,
      cancelable: Boolean(cause),
    });
    if (!this.dispatchEvent(event)) cause?.preventDefault();
  }
}

for (const [property, attribute] of Object.entries(REFLECTED)) {
  if (property in Base.prototype) continue;
  Object.defineProperty(PocketGraphAskElement.prototype, property, {
    configurable: true,
    enumerable: true,
    get() {
      return this.getAttribute(attribute);
    },
    set(value) {
      if (value === null || value === undefined || value === false) this.removeAttribute(attribute);
      else this.setAttribute(attribute, value === true ? "" : String(value));
    },
  });
}

/** `language=de version=2.0` as an object. */
function parsedFilter(text) {
  const parts = (text ?? "").split(/\s+/).filter(Boolean);
  const isNamed = (part) => /^(?:language|folder|version|sort)=/.test(part);
  const named = parts.filter(isNamed).map((part) => [part.split("=")[0], part.slice(part.indexOf("=") + 1)]);
  const fields = parts.filter((part) => !isNamed(part));
  return { ...Object.fromEntries(named), ...(fields.length > 0 && { fields }) };
}

/** Returns the names of a bundle's files, which contain hashes of their content. */
function sectionsOf(graph) {
  return graph
    .info()
    .sections.map(({ file }) => file)
    .join(" ");
}

function isApple() {
  return /Mac|iPhone|iPad/.test(navigator.userAgentData?.platform ?? navigator.platform ?? "");
}

if (globalThis.customElements && !customElements.get("pocketgraph-ask"))
  customElements.define("pocketgraph-ask", PocketGraphAskElement);
