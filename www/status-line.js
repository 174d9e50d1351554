// The line under the question: how the question is understood so far (words, feedback, model), what was fetched, and the same in words
// for assistive technology.

import { h } from "./pkg/render.js";

const STAGES = [
  { id: "lexical", label: "Words", hint: "The words of the question were looked up (BM25)." },
  { id: "feedback", label: "Feedback", hint: "The vectors of the best passages stood in for the question's." },
  { id: "table", label: "Word table", hint: "The question's vector was put together from those of its words." },
  { id: "model", label: "Full model", hint: "The question itself was embedded by the full model." },
];

/** A pause in what changes before it is said. */
const ANNOUNCE_MS = 900;

/** Writes the status. Each method is one thing that happened. */
export class StatusLine {
  #nodes;
  #items = new Map();
  #meter = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Loading the query model" });
  #action = h("button", { type: "button", class: "link", hidden: true });
  #onAction = () => {};
  #parts = new Map();
  #modelBytes = 0;
  #saying = 0;

  constructor(nodes) {
    this.#nodes = nodes;
    for (const { id, label, hint } of STAGES) this.#items.set(id, h("li", { "data-stage": id, title: hint }, h("span", {}, label)));
    this.#items.get("model").append(this.#meter, this.#action);
    this.#action.addEventListener("click", () => this.#onAction());
    nodes.stages.append(...this.#items.values());
  }

  opening(progress) {
    this.#fetched(progress ? `Opening the documents: ${progress.phase}…` : "Opening the documents…");
  }

  opened(stats, sections) {
    const section = (name) => sections.find((s) => s.name === name);
    this.#items.get("table").hidden = !section("table");
    this.#modelBytes = section("layers")?.bytes ?? 0;
    this.#showStats(stats);
    this.say("Ready.");
  }

  idle() {
    this.#mark(null);
  }

  searching() {
    this.#nodes.stages.setAttribute("aria-busy", "true");
  }

  found(result, stats) {
    this.#nodes.stages.removeAttribute("aria-busy");
    this.#mark(result.stage);
    this.#showStats(stats);
    const count = result.hits.length;
    this.saySoon(count === 0 ? "No passage was found." : `${count} ${count === 1 ? "passage" : "passages"} found.`);
  }

  failed() {
    this.#nodes.stages.removeAttribute("aria-busy");
    this.#fetched("");
  }

  modelLoading(progress) {
    // The model comes in several files, each with a progress of its own.
    this.#parts.set(progress.phase, progress);
    const sum = (what) => [...this.#parts.values()].reduce((all, part) => all + part[what], 0);
    // What has not been asked for yet is told of by nobody: the layers come last, and are most of it.
    const [loaded, total] = [sum("loaded"), Math.max(sum("total"), this.#modelBytes)];
    this.#act(null);
    this.#meter.hidden = false;
    if (total > 0) this.#meter.value = loaded / total;
    else this.#meter.removeAttribute("value");
    this.#items.get("model").dataset.state = "loading";
    this.#fetched(total > 0 ? `Model: ${bytes(loaded)} of ${bytes(total)}` : `Model: ${bytes(loaded)}`);
  }

  modelReady(stats) {
    this.#meter.hidden = true;
    delete this.#items.get("model").dataset.state;
    this.#showStats(stats);
    this.say("The query model has been loaded; hits are refined.");
  }

  modelFailed(why, again) {
    this.#meter.hidden = true;
    delete this.#items.get("model").dataset.state;
    this.#act("retry", again);
    this.#fetched(`The query model could not be loaded. ${why}`);
    this.say("The query model could not be loaded; search goes on without it.");
  }

  offerModel(load) {
    this.#act(`load (${bytes(this.#modelBytes)})`, load);
  }

  /** Says `text` to assistive technology alone, once nothing has changed for a while. */
  saySoon(text) {
    clearTimeout(this.#saying);
    this.#saying = setTimeout(() => this.say(text), ANNOUNCE_MS);
  }

  /** Says `text` to assistive technology alone, at once. */
  say(text) {
    clearTimeout(this.#saying);
    this.#nodes.live.textContent = text;
  }

  #act(label, action = () => {}) {
    this.#action.hidden = !label;
    this.#action.textContent = label ?? "";
    this.#onAction = action;
  }

  #mark(stage) {
    const reached = STAGES.findIndex(({ id }) => id === stage);
    STAGES.forEach(({ id }, at) => {
      const item = this.#items.get(id);
      item.classList.toggle("reached", at <= reached);
      if (at === reached) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
  }

  #showStats(stats) {
    this.#fetched(`${bytes(stats.bytes)} fetched in ${stats.requests} ${stats.requests === 1 ? "file" : "files"}`);
  }

  #fetched(text) {
    this.#nodes.fetched.textContent = text;
  }
}

/** A size for people. */
export function bytes(count) {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}
