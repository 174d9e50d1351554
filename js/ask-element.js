// <pocketgraph-ask src="/kg/">: a search box over a bundle, with hits as one types and a cited answer on Enter.
//
// Attributes: src (the bundle's folder), placeholder, label, k, retriever, worker ("off" keeps the engine on the page's thread),
// model ("off" never fetches the query model of some 5.4 MB; else it is fetched after the first hits, unless the reader saves data),
// offline ("visited" or "all": what is kept for use without a network), offline-worker (the site's own service worker file).
// Properties: llm (an endpoint, held in memory only), graph (the open PocketGraph, or null). Method: ask(question).
// Events: pocketgraph-result, pocketgraph-answer, pocketgraph-error, pocketgraph-offline, each with its subject as `detail`.
// Theming: the parts named below, and the custom properties --pocketgraph-text, -soft, -surface, -raised, -line, -accent, -mark,
// -warn, -radius, -font.

import { askStyle } from "./ask-element-style.js";
import { PocketGraph, PocketGraphError } from "./pocketgraph.js";
import { answerBlocks, citationAt, excerptWindow, h, highlighted, readersWarnings, safeUrl, unwrittenAnswer } from "./render.js";

const TYPING_PAUSE_MS = 120;

/** The component's class, for those who register it under another name. */
export class PocketGraphAskElement extends HTMLElement {
  static observedAttributes = ["src", "placeholder", "label"];

  /** An OpenAI-compatible endpoint `{ baseUrl, model, apiKey? }`; without one, answers are quoted from the documents. */
  llm = null;

  #graph = null;
  #opening = null;
  #work = null;
  #typing = 0;
  #preparing = null;
  #shown = null;
  #refined = null;
  #view = {};

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    root.adoptedStyleSheets = [askStyle()];
    const view = this.#view;
    view.input = h("input", { part: "input", type: "search", autocomplete: "off", enterkeyhint: "search", spellcheck: "false" });
    view.button = h("button", { part: "button", type: "submit" }, "Ask");
    view.status = h("p", { part: "status", role: "status" });
    view.answer = h("section", { part: "answer", "aria-label": "Answer", "aria-live": "polite" });
    view.hits = h("ol", { part: "hits", "aria-label": "Passages" });
    view.form = h("form", { part: "form", role: "search", novalidate: true }, view.input, view.button);
    root.append(view.form, view.status, view.answer, view.hits);

    view.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask(view.input.value);
    });
    view.input.addEventListener("input", () => this.#typed());
    view.input.addEventListener("focus", () => this.#open().catch(() => {}), { once: true });
    this.#label();
  }

  /** The open bundle, or null before the first use. */
  get graph() {
    return this.#graph;
  }

  attributeChangedCallback(name, before, now) {
    if (name !== "src") this.#label();
    else if (before !== null && before !== now) this.#forget();
  }

  disconnectedCallback() {
    this.#work?.abort();
    // Moving an element disconnects it for a moment; only one that stays away gives its memory back.
    setTimeout(() => this.isConnected || this.#forget(), 1000);
  }

  /** Searches for `question`, then answers it. Resolves to the answer, or to null if it was superseded or failed (said by an event). */
  async ask(question) {
    this.#view.input.value = question;
    return this.#run(question, async (graph, signal) => {
      let result = null;
      const options = { ...this.#searchOptions(), llm: this.llm ?? undefined, signal };
      let written = "";
      for await (const event of graph.ask(question, options)) {
        if (event.type === "hits") this.#showResult((result = event.result));
        else if (event.type === "token") this.#showAnswerText((written += event.text), []);
        else if (event.type === "done") {
          this.#showAnswer(event.answer);
          this.#say(result ? countOf(result) : "");
          this.#emit("pocketgraph-answer", event.answer);
          return event.answer;
        }
      }
      return null;
    });
  }

  #typed() {
    clearTimeout(this.#typing);
    const question = this.#view.input.value.trim();
    if (!question) {
      this.#work?.abort();
      this.#view.hits.replaceChildren();
      this.#view.answer.replaceChildren();
      this.#say("");
      return;
    }
    this.#typing = setTimeout(() => {
      this.#run(question, async (graph, signal) => {
        const result = await graph.search(question, { ...this.#searchOptions(), typing: true, signal });
        this.#view.answer.replaceChildren();
        this.#showResult(result);
        this.#say(countOf(result));
      });
    }, TYPING_PAUSE_MS);
  }

  // One piece of work at a time: a newer one aborts the older, and nothing that was aborted may draw.
  async #run(question, work) {
    clearTimeout(this.#typing);
    this.#work?.abort();
    if (!question.trim()) return null;
    const controller = (this.#work = new AbortController());
    try {
      const graph = await this.#open();
      if (controller.signal.aborted) return null;
      return (await this.#again(graph, work, controller.signal)) ?? null;
    } catch (thrown) {
      const error = PocketGraphError.from(thrown);
      if (controller.signal.aborted || error.code === "aborted") return null;
      this.#say(error.message, "error");
      this.#emit("pocketgraph-error", error);
      if (error.code === "closed") this.#forget();
      return null;
    }
  }

  // Where the documents were replaced on their host, everything shown is asked for anew, of the new ones.
  async #again(graph, work, signal) {
    try {
      return await work(graph, signal);
    } catch (error) {
      if (error.code !== "replaced" || signal.aborted) throw error;
      this.#preparing = null;
      await graph.reopen();
      return work(graph, signal);
    }
  }

  #open() {
    this.#opening ??= this.#openNow().catch((error) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  async #openNow() {
    const src = this.getAttribute("src");
    if (!src) throw new PocketGraphError("bad-argument", "<pocketgraph-ask> needs `src`, the folder of a bundle.");
    this.#say("Opening…");
    const worker = this.getAttribute("worker") === "off" ? false : "auto";
    const graph = await PocketGraph.open(src, { worker });
    this.#graph = graph;
    this.#say("");
    this.#keepOffline(src);
    return graph;
  }

  // Keeping never delays a search, and failing to keep fails no search.
  #keepOffline(src) {
    const keep = this.getAttribute("offline");
    if (keep === null) return;
    const worker = this.getAttribute("offline-worker") ?? undefined;
    PocketGraph.offline({ bundle: src, keep: keep || "visited", worker }).then(
      (copy) => {
        this.#emit("pocketgraph-offline", copy);
        copy.addEventListener("problem", ({ detail }) => this.#emit("pocketgraph-error", detail));
      },
      (error) => this.#emit("pocketgraph-error", error),
    );
  }

  #forget() {
    this.#work?.abort();
    this.#graph?.close();
    this.#graph = null;
    this.#opening = null;
    this.#preparing = null;
    this.#refined = null;
  }

  // The query model is large beside everything else, so it comes after the first hits; what is then shown is ranked again.
  #prepare() {
    const graph = this.#graph;
    if (!graph) return;
    if (graph.modelReady()) {
      this.#refine(graph).catch(() => {});
      return;
    }
    const unwanted = this.getAttribute("model") === "off" || navigator.connection?.saveData || graph.info().hasModel === false;
    // Without it searching goes on, by words and feedback.
    const refine = () => this.#refine(graph).catch(() => {});
    if (!unwanted) this.#preparing ??= graph.prepare({ onStage: refine }).catch(() => {});
  }

  // Once a question and stage at most: a retriever that needs no model never says that the model spoke.
  async #refine(graph) {
    const { question, stage } = this.#shown ?? {};
    const current = () => graph === this.#graph && this.#view.input.value.trim() === question?.trim();
    const wanted = `${graph.modelReady() ? "model" : "table"} ${question}`;
    if (!current() || stage === "model" || this.#refined === wanted) return;
    this.#refined = wanted;
    const refined = await graph.search(question, this.#searchOptions());
    if (current()) this.#showResult(refined);
  }

  #searchOptions() {
    const k = Number.parseInt(this.getAttribute("k") ?? "", 10);
    return { k: k > 0 ? k : undefined, retriever: this.getAttribute("retriever") ?? undefined };
  }

  #showResult(result) {
    this.#view.hits.replaceChildren(...result.hits.map((hit) => hitItem(hit)));
    this.#shown = result;
    this.#emit("pocketgraph-result", result);
    this.#prepare();
  }

  #showAnswer(answer) {
    if (answer.by === "llm") this.#showAnswerText(answer.text, answer.citations);
    else this.#view.answer.replaceChildren(unwrittenAnswer(answer, markerOf(answer.citations)));
    for (const warning of readersWarnings(answer)) this.#view.answer.append(h("p", { part: "answer-note" }, warning));
    if (answer.answered) this.#view.answer.append(h("p", { part: "answer-note" }, WRITTEN_BY[answer.by]));
  }

  #showAnswerText(text, citations) {
    this.#view.answer.replaceChildren(answerBlocks(text, markerOf(citations)));
  }

  #say(message, kind = "") {
    this.#view.status.textContent = message;
    this.#view.status.dataset.kind = kind;
  }

  #label() {
    const placeholder = this.getAttribute("placeholder") ?? "Ask the documents";
    this.#view.input.placeholder = placeholder;
    this.#view.input.setAttribute("aria-label", this.getAttribute("label") ?? placeholder);
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

const WRITTEN_BY = {
  llm: "Written by a language model from the passages below.",
  graph: "Found in the knowledge graph.",
  extraction: "Quoted from the passages below.",
};

function hitItem(hit) {
  const href = safeUrl(hit.url);
  const title = hit.title || "Untitled";
  const spans = hit.highlights ?? [];
  return h(
    "li",
    { part: "hit" },
    h("a", { part: "hit-title", href }, title),
    hit.headingPath.length > 0 && h("p", { part: "hit-path" }, hit.headingPath.join(" › ")),
    h("p", { part: "hit-text" }, highlighted(hit.text, spans, excerptWindow(hit.text, spans))),
  );
}

function markerOf(citations) {
  return (number, start, end) => citationLink(number, citationAt(citations, number, start, end));
}

function citationLink(number, citation) {
  const doubtful = citation && citation.status !== "verified";
  const part = doubtful ? "citation unverified" : "citation";
  const title = citation?.status === "dangling" ? "This number cites nothing" : citation?.quote;
  const label = `[${number}${doubtful ? "?" : ""}]`;
  const href = citation?.url && safeUrl(citation.url);
  return href ? h("a", { part, href, title }, label) : h("span", { part, title }, label);
}

function countOf(result) {
  const missing = result.missing?.length > 0 ? " Some parts could not be loaded." : "";
  if (result.hits.length === 0) return `No passage answers to this.${missing}`;
  return `${result.hits.length} ${result.hits.length === 1 ? "passage" : "passages"}.${missing}`;
}

if (!customElements.get("pocketgraph-ask")) customElements.define("pocketgraph-ask", PocketGraphAskElement);
