// The answer above the hits: quoted from the passages, or written by an LLM as it streams; its citations, their check, its sources.

import { answerBlocks, citationAt, h, quotedAnswer, readersWarnings, safeUrl } from "./pkg/render.js";
import { WayView } from "./way-view.js";

const FLAGS = {
  unsupported: "The passage cited here does not clearly support the sentence.",
  dangling: "This number cites no passage.",
};

/** Draws one answer. The quoted one is kept while a written one arrives, and comes back if that fails. */
export class AnswerView {
  #node;
  #on;
  #quoted = null;
  #shown = null;
  #writing = null;
  #frame = 0;
  #title = h("h2", { id: "answer-title" }, "Answer");
  #by = h("p", { class: "answer-by" });
  #stop;
  #trouble = h("div", { class: "answer-trouble", role: "alert", hidden: true });
  #body = h("div", { class: "answer-body" });
  #way;
  #foot = h("div", { class: "answer-foot" });

  constructor(node, { onCite, onStop, onRetry }) {
    this.#node = node;
    this.#on = { onCite, onRetry };
    this.#way = new WayView({ onPassage: (chunk) => onCite({ chunk }) });
    this.#stop = h("button", { type: "button", class: "stop", hidden: true, onclick: onStop }, "Stop");
    node.append(h("div", { class: "section-head" }, this.#title, this.#by, this.#stop), this.#trouble, this.#body, this.#foot, this.#way.node);
  }

  /** An answer is being made; `llm` is the endpoint if it will be a written one. */
  begin(llm) {
    this.#node.hidden = false;
    this.#quoted = null;
    this.#writing = llm ? { model: llm.model, text: "", references: [] } : null;
    this.#trouble.hidden = true;
    this.#way.clear();
    if (!this.#shown) this.#by.textContent = "Reading…";
    this.#busy(true);
  }

  /** The passages that the LLM was given, by the numbers it cites them with. */
  references(references) {
    if (this.#writing) this.#writing.references = references;
    this.#by.textContent = `${this.#writing?.model ?? "The model"} is reading…`;
  }

  /** By a protocol, the model is asked again: what it writes from here on is another reply. */
  turn() {
    if (!this.#writing) return;
    this.#writing.text = "";
    this.#by.textContent = `${this.#writing.model} is thinking…`;
  }

  /** What is done on the way to the answer: a call of the model, a plan, a step of it. */
  did(event) {
    if (event.type === "plan") this.#way.plan(event);
    else if (event.type === "step") this.#way.step(event);
    else this.#way.say(event.query ? `${event.tool}: ${event.query}` : event.tool);
  }

  /** More text of a written answer. Drawn once a frame however fast it comes. */
  token(text) {
    if (!this.#writing) return;
    this.#writing.text += text;
    this.#frame ||= requestAnimationFrame(() => this.#drawWriting());
  }

  done(answer, llm, carried) {
    if (llm) this.#writing = null;
    if (answer.by !== "llm") this.#quoted = answer;
    this.#way.carried(carried);
    const more = Boolean(this.#writing);
    this.#show(answer, llm);
    this.#busy(more);
    if (more) this.#by.textContent = `Quoted; ${this.#writing.model} is asked…`;
  }

  /** The reader stopped it, or asked something else. What had been written stays, marked as unfinished. */
  stopped() {
    if (this.#writing?.text) {
      this.#drawWriting();
      this.#by.textContent = "Stopped before the end; its citations have not been checked.";
      // What stands there now is no quoted answer any more: the query model's arrival must not replace it.
      this.#shown = { by: "stopped" };
    } else if (this.#quoted) this.#show(this.#quoted);
    else if (!this.#shown) this.clear();
    this.#writing = null;
    this.#busy(false);
  }

  /** The LLM failed: says why, and the quoted answer stands (`instead`, if the engine made one anew). */
  failed(why, instead = this.#quoted) {
    this.#writing = null;
    this.#quoted = instead;
    if (instead) this.#show({ ...instead, warnings: [] });
    const retry = h("button", { type: "button", onclick: () => this.#on.onRetry() }, "Ask it again");
    this.#trouble.replaceChildren(h("p", {}, h("strong", {}, "The model gave no answer. "), why, " Below is what the documents say themselves."), retry);
    this.#trouble.hidden = false;
    this.#busy(false);
  }

  clear() {
    this.#node.hidden = true;
    this.#quoted = this.#shown = this.#writing = null;
    this.#body.replaceChildren();
    this.#foot.replaceChildren();
    this.#way.clear();
    this.#trouble.hidden = true;
    this.#busy(false);
  }

  hasQuoted() {
    return this.#quoted !== null;
  }

  /** Whether what stands there was quoted, nothing is being written, and no failure is being told. */
  isQuoted() {
    return (this.#shown?.by === "extraction" || this.#shown?.by === "graph") && !this.#writing && this.#trouble.hidden;
  }

  #busy(on) {
    this.#stop.hidden = !on;
    this.#node.classList.toggle("busy", on);
    this.#node.setAttribute("aria-busy", String(on));
    if (!on && this.#frame) {
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
    }
  }

  #drawWriting() {
    this.#frame = 0;
    const { text, references, model } = this.#writing ?? {};
    if (!text) return;
    this.#by.textContent = `${model} is writing…`;
    this.#node.dataset.by = "llm";
    const byNumber = new Map(references.map((reference) => [reference.number, reference]));
    this.#body.replaceChildren(answerBlocks(text, (number) => this.#marker(number, byNumber.get(number))));
    this.#foot.replaceChildren();
  }

  #show(answer, llm) {
    this.#shown = answer;
    this.#node.dataset.by = answer.by;
    this.#node.classList.toggle("unanswered", !answer.answered);
    this.#by.textContent = provenance(answer, llm);
    const marker = (number, start, end) => this.#marker(number, citationAt(answer.citations, number, start, end));
    this.#body.replaceChildren(answer.by === "llm" ? answerBlocks(answer.text, marker) : quotedAnswer(answer, marker));
    if (answer.quotation) this.#body.append(this.#quotation(answer.quotation));
    this.#foot.replaceChildren(...this.#sources(answer), ...notes(answer));
  }

  /** What is answered without a language model, beneath one's text that says something else. */
  #quotation(quotation) {
    const marker = (number, start, end) => this.#marker(number, citationAt(quotation.citations, number, start, end));
    const whose = quotation.by === "graph" ? "In the knowledge graph:" : "In the words of the documents:";
    return h("div", { class: "quotation" }, h("p", { class: "quotation-title" }, whose), quotedAnswer(quotation, marker));
  }

  #marker(number, citation) {
    const status = citation ? citation.status : this.#writing ? "pending" : "dangling";
    const where = citation?.title ? [citation.title, ...citation.headingPath].join(" › ") : "";
    if (!citation || status === "dangling") {
      const flagged = status === "dangling";
      return h("span", { class: `cite ${status}`, title: flagged && FLAGS.dangling, role: "img", "aria-label": flagged ? `Citation ${number}: cites no passage` : `Citation ${number}` }, `${number}${flagged ? "!" : ""}`);
    }
    if (citation.target?.type !== "chunk") {
      const label = [citation.quote, citation.title].filter(Boolean).join(" · ");
      return h("span", { class: `cite ${status ?? ""}`, title: label, role: "img", "aria-label": `Citation ${number}: ${label}` }, String(number));
    }
    const flag = FLAGS[status];
    const label = `Citation ${number}: ${where}${flag ? `. ${flag}` : ""}`;
    const title = flag ?? citation.quote ?? where;
    return h("button", { type: "button", class: `cite ${status ?? ""}`, title, "aria-label": label, onclick: () => this.#on.onCite(citation) }, `${number}${flag ? "?" : ""}`);
  }

  /** A passage opens; a page of the web is linked to; a statement, or what a tool said, is told in full, for there is nothing to open. */
  #source(citation) {
    if (citation.target?.type === "chunk") return h("button", { type: "button", class: "link", onclick: () => this.#on.onCite(citation) }, citation.title || "Untitled");
    const url = citation.target?.type === "web" && safeUrl(citation.url);
    const title = url ? h("a", { href: url, rel: "noopener noreferrer" }, citation.title || citation.url) : h("span", { class: "source-path" }, citation.title);
    return h("span", {}, h("span", { class: "statement" }, citation.quote), " ", title);
  }

  #sources(answer) {
    const first = new Map();
    for (const citation of [...answer.citations, ...(answer.quotation?.citations ?? [])]) {
      if (citation.status !== "dangling" && !first.has(citation.number)) first.set(citation.number, citation);
    }
    if (first.size === 0) return [];
    const items = [...first.values()].sort((a, b) => a.number - b.number).map((citation) =>
      h(
        "li",
        {},
        h("span", { class: "source-number" }, String(citation.number)),
        h(
          "div",
          {},
          this.#source(citation),
          citation.headingPath.length > 0 && h("span", { class: "source-path" }, citation.headingPath.join(" › ")),
        ),
      ),
    );
    return [h("h3", { class: "visually-hidden" }, "Sources"), h("ol", { class: "sources" }, items)];
  }
}

function provenance(answer, llm) {
  if (answer.by === "llm") {
    const borne = answer.citations.some(({ status }) => status === "verified");
    return `Written by ${llm?.model ?? "a language model"}${borne ? " from the passages below; citations checked" : "; no citation of it could be confirmed"}`;
  }
  if (answer.by === "graph") return "Found in the knowledge graph";
  if (answer.outcome === "closest") return "The closest passage";
  return answer.answered ? "Quoted from the documents" : "Not in the documents";
}

function notes(answer) {
  const count = (status) => answer.citations.filter((citation) => citation.status === status).length;
  const lines = [];
  // What the engine says of dangling numbers and of a cut answer is said here, beside the marks that show it.
  if (count("dangling") > 0) lines.push(["flag", `${plural(count("dangling"), "citation")} marked ! refer${count("dangling") === 1 ? "s" : ""} to no passage.`]);
  if (count("unsupported") > 0) lines.push(["flag", `${plural(count("unsupported"), "citation")} marked ? could not be confirmed in the passage.`]);
  for (const { code, message } of readersWarnings(answer)) if (code !== "dangling") lines.push([code.startsWith("cut-") ? "flag" : "", message]);
  return lines.map(([kind, text]) => h("p", { class: `answer-note ${kind}` }, text));
}

function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
