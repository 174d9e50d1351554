// What <pocketgraph-ask> shows under its box: what it is doing, the answer, the results by page, and before there is a question what could be asked.
// It knows nothing of engines; the element tells it what there is.

import { FOR_READERS } from "./ask-strings.js";
import { failureOf, stringForFailure } from "./explain.js";
import { answerBlocks, byPage, citationAt, drawn, excerptWindow, h, highlighted, patch, quotedAnswer, safeUrl } from "./render.js";

/** A thumb that points up. */
const THUMB = "M1.5 7h2.7v7H1.5zM4.2 7.2 7.4 1.4c1.2 0 1.8.8 1.6 2l-.5 2.4h4.3c1 0 1.7.9 1.5 1.8l-1.1 5.1c-.2.8-.8 1.3-1.6 1.3H4.2z";

/** A pause in what changes before it is said to screen readers. */
const ANNOUNCE_MS = 900;
let instances = 0;

/** Draws into `root`. `on` has what the reader may do: open, cite, passage, stop, again, retry, feedback, pick, forget, star. */
export class AskView {
  #strings;
  #on;
  #listbox;
  #id = `pocketgraph-${++instances}`;
  #announcing = 0;
  #frame = 0;
  #written = null;
  #quoted = null;
  #below = [];
  #told = null;
  #way = null;
  #links = new Set();

  /** With `listbox` the results are options of a combobox, else a list of links. */
  constructor(strings, on, { listbox = false } = {}) {
    this.#strings = strings;
    this.#on = on;
    this.#listbox = listbox;
    this.status = h("p", { part: "status", hidden: true });
    this.live = h("p", { class: "unseen", role: "status" });
    this.trouble = h("div", { part: "error", role: "alert", hidden: true });
    this.understood = h("p", { part: "understood", hidden: true });
    this.answer = h("section", { part: "answer", hidden: true });
    this.hits = h("div", listbox ? { part: "hits", role: "listbox", id: `${this.#id}-hits` } : { part: "hits", role: "group", id: `${this.#id}-hits` });
    this.body = h("div", { part: "results" }, this.status, this.trouble, this.understood, this.answer, this.hits);
    this.nodes = [this.body, this.live];
    this.hits.addEventListener("keydown", (event) => this.#moveFocus(event));
    this.relabel();
  }

  /** Says everything that stays in the language that is spoken now. */
  relabel() {
    this.answer.setAttribute("aria-label", this.#say("answer"));
    this.hits.setAttribute("aria-label", this.#say("results"));
  }

  #say(name, values) {
    return this.#strings.say(name, values);
  }

  /** Hosts that links in a written answer may lead to, beside the page's own. */
  allowLinks(hosts) {
    this.#links = new Set(hosts);
  }

  // ---- what it is doing ----

  /** A line of what goes on, or none. */
  showStatus(text = "") {
    this.status.textContent = text;
    this.status.hidden = !text;
  }

  /** Says `text` to screen readers once nothing has changed for a while. */
  announce(text, pause = ANNOUNCE_MS) {
    clearTimeout(this.#announcing);
    this.#announcing = setTimeout(() => {
      this.live.textContent = text;
    }, pause);
  }

  /** Something went wrong: what, what to do, and a button that tries again. `detail` is for those who set the page up. */
  fail(text, detail) {
    this.showStatus();
    this.busy(null);
    const retry = h("button", { type: "button", part: "retry", onclick: () => this.#on.retry() }, this.#say("retry"));
    this.trouble.replaceChildren(h("p", {}, text), detail ? h("p", { part: "error-detail", dir: "ltr" }, detail) : "", retry);
    this.trouble.hidden = false;
  }

  /** Nothing is wrong (any more). */
  calm() {
    this.trouble.hidden = true;
  }

  // ---- before there is a question ----

  /** What could be asked: lists `{ title, questions, starred, own }`; `own` ones can be removed and starred. */
  showIdle(lists) {
    this.calm();
    this.showStatus();
    this.clearAnswer();
    const shown = lists.filter(({ questions }) => questions.length > 0);
    this.hits.replaceChildren(...shown.map((list, at) => this.#group(`${this.#id}-i${at}`, list.title, list.questions.map((question) => this.#question(question, list)))));
  }

  #question(question, { own, starred }) {
    const pick = { part: "question", dir: "auto", onclick: () => this.#on.pick(question) };
    if (this.#listbox) return h("div", { ...pick, role: "option", id: this.#option() }, question);
    const more = own && [
      h("button", { type: "button", part: "star", "aria-pressed": String(Boolean(starred)), "aria-label": this.#say(starred ? "unstar" : "star", { text: question }), onclick: () => this.#on.star(question, !starred) }, starred ? "★" : "☆"),
      h("button", { type: "button", part: "forget", "aria-label": this.#say("forget", { text: question }), onclick: () => this.#on.forget(question) }, "×"),
    ];
    return h("li", { part: "suggestion" }, h("button", { type: "button", ...pick }, question), more);
  }

  // ---- results ----

  /**
   * The hits, by page, in the order of each page's best. `ask` puts a line above them that asks the question (in a listbox); `reached` tells how each was
   * reached, in the engine's words, to those who set the search up.
   */
  showHits(result, { ask = false, reached = false } = {}) {
    this.calm();
    const pages = byPage(result.hits);
    const nodes = pages.map((page, at) => this.#page(page, at, reached));
    const missing = result.missing?.length > 0;
    if (result.hits.length === 0 && !missing) nodes.push(this.#listbox ? h("div", { part: "empty", role: "presentation" }, this.#say("noResults")) : h("div", { part: "empty" }, h("p", {}, h("strong", {}, this.#say("noResults"))), h("p", {}, this.#say("noResultsHint"))));
    const asks = ask && this.#listbox && h("div", { role: "option", part: "ask-option", id: this.#option(), onclick: () => this.#on.pick(result.question) }, this.#say("askThis", { text: result.question }));
    const focused = this.hits.getRootNode().activeElement?.closest?.("[data-chunk]")?.dataset.chunk;
    this.hits.replaceChildren(...[asks, ...nodes].filter(Boolean));
    if (focused !== undefined) this.hits.querySelector(`[data-chunk="${CSS.escape(focused)}"] [part="hit-title"]`)?.focus();
    const count = result.hits.length > 0 ? this.#say("resultCount", { n: result.hits.length }) : this.#say("noResults");
    const announcement = [missing && result.hits.length === 0 ? "" : count, missing ? this.#say("partly") : ""].filter(Boolean).join(" ");
    this.showStatus(missing ? announcement : result.hits.length > 0 ? count : "");
    this.announce(announcement);
    for (const { url } of result.hits) {
      const href = safeUrl(url);
      if (href) this.#links.add(new URL(href).host);
    }
  }

  /** Nothing of an earlier question stands there any more. */
  forget() {
    this.clearAnswer();
    this.hits.replaceChildren();
    this.showStatus();
  }

  #page({ title, hits }, at, reached) {
    const name = title || this.#say("untitled");
    const taken = new Set();
    const items = hits.map((hit, index) => {
      const own = headingsOf(hit).at(-1) ?? name;
      // Two passages of one section are told apart by how they begin.
      const title = taken.has(own) ? `${own}: ${beginning(hit.text)}` : own;
      taken.add(own);
      return this.#hit(hit, title, index, reached);
    });
    // Where the page's own beginning is its best hit, its title stands there already.
    const titled = (headingsOf(hits[0]).at(-1) ?? name) === name;
    return this.#group(`${this.#id}-p${at}`, name, items, { lang: hits[0].language || undefined, titled });
  }

  #group(id, title, items, { lang, titled } = {}) {
    const label = h(this.#listbox ? "div" : "h3", { part: "page-title", class: titled ? "unseen" : undefined, id, dir: "auto", lang, role: this.#listbox ? "presentation" : undefined }, title);
    if (this.#listbox) return h("div", { part: "page", role: "group", "aria-labelledby": id }, label, items);
    return h("div", { part: "page" }, label, h("ol", { part: "sections", "aria-labelledby": id }, items));
  }

  #hit(hit, title, index, reached) {
    const href = safeUrl(hit.url);
    const spans = hit.highlights ?? [];
    const headings = headingsOf(hit);
    const path = headings.length > 1 ? headings.slice(0, -1).join(" › ") : "";
    const excerpt = h("p", { part: "hit-text", dir: "auto" }, highlighted(hit.text, spans, excerptWindow(hit.text, spans, index === 0 ? 240 : 180)));
    const reachedBy = reached ? hit.reached.filter(({ by }) => by !== "query").map(wayTo) : [];
    const ways = reachedBy.length > 0 && h("p", { part: "hit-reached", dir: "auto" }, reachedBy.join(" · "));
    const inside = (head) => [head, path && h("p", { part: "hit-path", dir: "auto" }, path), excerpt, this.#languages(hit), ways];
    const onclick = (event) => this.#on.open(hit, event);
    const common = { "data-chunk": hit.chunk, lang: hit.language || undefined };
    if (this.#listbox) {
      const head = h("span", { part: "hit-title", dir: "auto" }, title);
      return h(href ? "a" : "div", { ...common, part: "hit", role: "option", tabindex: "-1", id: this.#option(), href, onclick }, inside(head));
    }
    return h("li", { ...common, part: "hit" }, inside(h(href ? "a" : "span", { part: "hit-title", dir: "auto", href, onclick }, title)));
  }

  /** The name of the language of a passage, where that is not the page's. */
  #languageMark(tag) {
    return tag && tag !== (this.#strings.reader || this.#strings.language) ? this.#strings.languageName(tag) : "";
  }

  /** In which other language a page was found, and in which ones more it is there, each a button that opens it; in a listbox, whose options hold no buttons, their names. */
  #languages({ language, translations = [] }) {
    const mark = this.#languageMark(language);
    if (!mark && translations.length === 0) return null;
    const others = translations.map(({ language: tag, chunk }) => {
      const name = this.#strings.languageName(tag, { own: true });
      return this.#listbox ? h("span", { lang: tag }, name) : h("button", { type: "button", part: "hit-translation", lang: tag, onclick: () => this.#on.passage(chunk) }, name);
    });
    return h("p", { part: "hit-languages", role: "group", "aria-label": this.#say("language") }, [mark && h("span", {}, mark), ...others].filter(Boolean));
  }

  #options = 0;
  #option() {
    return `${this.#id}-o${this.#options++}`;
  }

  // In a list of links the arrows go from one to the next, as they do in menus of results elsewhere.
  #moveFocus(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || this.#listbox) return;
    const all = this.focusable();
    const next = all.indexOf(event.target) + step;
    event.preventDefault();
    if (next < 0) this.#on.toBox?.();
    else all[next]?.focus();
  }

  /** What the arrows go through. */
  focusable() {
    return [...this.hits.querySelectorAll("a[part=hit-title], button[part=question]")];
  }

  // ---- the answer ----

  /** The question was understood as another one; `undo` asks it as it was written. */
  showUnderstood(text, undo) {
    this.understood.replaceChildren(this.#say("understood", { text }), " ", h("button", { type: "button", part: "as-written", onclick: undo }, this.#say("asWritten")));
    this.understood.hidden = false;
  }

  /** An answer is on its way (`text` says how far), with a button that stops it; or none is (`null`). */
  busy(text) {
    this.answer.setAttribute("aria-busy", String(text !== null));
    if (text === null) {
      this.#progress?.remove();
      this.#progress = null;
      return;
    }
    this.answer.hidden = false;
    if (!this.#progress) {
      const stop = h("button", { type: "button", part: "stop", onclick: () => this.#on.stop() }, this.#say("stop"));
      this.#progress = h("div", { part: "progress" }, h("span", { class: "spinner", "aria-hidden": "true" }), h("span", {}, text), stop);
    } else this.#progress.children[1].textContent = text;
    this.answer.prepend(this.#progress);
  }
  #progress = null;
  #prose = null;

  #proseNode() {
    if (!this.#prose?.isConnected) {
      this.#prose = h("div", { part: "answer-text", dir: "auto" });
      this.answer.replaceChildren(...[this.#progress, this.#prose, this.#told && this.#way?.node].filter(Boolean));
    }
    this.answer.hidden = false;
    return this.#prose;
  }

  /** What stands below the answer's text, in place of what stood there. */
  #put(nodes) {
    for (const old of this.#below) old.remove();
    this.#below = nodes.filter(Boolean);
    this.#prose.after(...this.#below);
  }

  /** What was done on the way to the answer, as `{ events, carried }`; called again when there is more in it. */
  async showWay(told) {
    this.#told = told;
    const { AskWay } = await import("./ask-way.js");
    if (told !== this.#told) return;
    this.#way ??= new AskWay(this.#strings, (chunk) => this.#on.passage(chunk));
    this.#way.show(told);
    if (!this.#way.node.isConnected) this.answer.append(this.#way.node);
  }

  /** What the documents say by themselves, while a language model is asked. */
  showQuoted(answer) {
    this.#quoted = answer;
    patch(this.#proseNode(), this.#proseOf(answer));
    this.#put(this.#notes(answer));
  }

  /** Whether the text that stands there is just being chosen anew. */
  choosing(on) {
    this.#prose?.setAttribute("aria-busy", String(on));
  }

  /** More of an answer that is being written. Drawn once a frame, however fast it comes. */
  showWriting(text) {
    this.#written = text;
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.#written === null) return;
      patch(this.#proseNode(), this.#proseOf({ by: "llm", text: this.#written, citations: [] }));
      this.#put([]);
    });
  }

  /** The answer. */
  showAnswer(answer) {
    this.#endWriting();
    this.busy(null);
    patch(this.#proseNode(), this.#proseOf(answer));
    const quotation = answer.quotation && this.#quotation(answer.quotation);
    this.#put([quotation, this.#statements(answer), ...this.#notes(answer), this.#actions(answer)]);
    this.announce([this.#prose, quotation].map((node) => node?.textContent ?? "").join(" ").trim().slice(0, 600), 100);
  }

  #notes(answer) {
    const failure = failureOf(answer);
    const any = (status) => answer.citations.some((citation) => citation.status === status);
    const notes = [failure && this.#say(stringForFailure(failure)), any("unsupported") && this.#say("unsupported"), any("dangling") && this.#say("dangling")];
    for (const notice of answer.warnings ?? []) if (FOR_READERS.includes(notice.code)) notes.push(this.#say(notice.code, notice));
    if (answer.answered) notes.push(this.#say({ llm: "byModel", graph: "byGraph" }[answer.by] ?? "byQuote"));
    return notes.filter(Boolean).map((note) => h("p", { part: "answer-note", dir: "auto" }, note));
  }

  /** What cannot be opened is told in full: statements of a knowledge graph, and what tools said. */
  #statements({ citations, quotation }) {
    const told = new Map([...citations, ...(quotation?.citations ?? [])].filter(({ target, quote }) => quote && target && !opens(target)).map((citation) => [citation.number, citation]));
    if (told.size === 0) return null;
    const items = [...told.values()].sort((a, b) => a.number - b.number).map(({ number, quote, title }) => h("li", { value: number, dir: "auto" }, h("span", { part: "statement" }, quote), title && ` · ${title}`));
    return h("ol", { part: "sources", "aria-label": this.#say("sources") }, items);
  }

  /** What was being written stays, marked as unfinished; before anything was, what the documents say. */
  showStopped() {
    const any = this.#written;
    const quoted = this.#quoted;
    this.#endWriting();
    this.busy(null);
    if (any) {
      patch(this.#proseNode(), this.#proseOf({ by: "llm", text: any, citations: [] }));
      this.#put([h("p", { part: "answer-note" }, this.#say("stopped")), h("div", { part: "actions" }, this.#againButton())]);
    } else if (quoted) this.showAnswer(quoted);
    else this.clearAnswer();
  }

  clearAnswer() {
    this.#endWriting();
    this.busy(null);
    this.#told = null;
    this.#below = [];
    this.answer.hidden = true;
    this.answer.replaceChildren();
    this.understood.hidden = true;
  }

  #endWriting() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#written = null;
    this.#quoted = null;
  }

  /** The answer's text as nodes. The one place where it becomes any: a new form of answers is rendered here, by render.js. */
  #proseOf(answer) {
    const marker = (number, start, end) => this.#citation(number, citationAt(answer.citations, number, start, end), answer);
    const code = (node, text, language) => this.#code(node, text, language);
    if (answer.by !== "llm") return quotedAnswer(answer, marker, { code, languageMark: (tag) => this.#languageMark(tag), words: { closest: this.#say("closest"), readOn: this.#say("readOn"), quotation: this.#say("quotation") } });
    return answerBlocks(answer.text, marker, { link: (url) => this.#mayFollow(url), code });
  }

  /** What is answered without a language model, beneath one's text that says something else. */
  #quotation(quotation) {
    const whose = this.#say(quotation.by === "graph" ? "graphSays" : "documentsSay");
    return h("div", { part: "quotation", dir: "auto" }, h("p", { part: "quotation-title" }, whose), this.#proseOf(quotation));
  }

  #mayFollow(url) {
    const { host } = new URL(url);
    return host === location.host || this.#links.has(host);
  }

  #code(node, text, language) {
    const copy = h("button", { type: "button", part: "copy-code", onclick: (event) => this.#copy(event.currentTarget, text) }, this.#say("copy"));
    return h("div", { part: "code", role: "group", "aria-label": language || this.#say("code") }, h("div", { part: "code-head" }, h("span", {}, language ?? ""), copy), node);
  }

  #citation(number, citation, answer) {
    const flag = { unsupported: "?", dangling: "!" }[citation?.status] ?? "";
    const part = flag ? "citation unverified" : "citation";
    const where = citation ? [citation.title, ...(citation.headingPath ?? [])].filter(Boolean).join(" › ") : "";
    const label = `${number}${flag}`;
    const name = this.#say("citation", { n: number, text: where || citation?.quote || "" });
    if (!opens(citation?.target)) return h("span", { part, title: flag === "!" ? this.#say("dangling") : citation?.quote }, label);
    const href = citation.url && safeUrl(citation.url);
    return h(href ? "a" : "button", { part, href, type: href ? undefined : "button", title: citation.quote, "aria-label": name, onclick: (event) => this.#on.cite(citation, event, answer) }, label);
  }

  /** The citation in the answer that looks like `label`, or else its first. */
  citation(label) {
    const all = [...this.answer.querySelectorAll("a[part~=citation], button[part~=citation]")];
    return all.find((one) => one.textContent === label) ?? all[0];
  }

  #actions(answer) {
    const asText = this.#asText(answer);
    const feedback = (helpful, name) =>
      h("button", { type: "button", part: "feedback", "aria-pressed": "false", "aria-label": this.#say(name), title: this.#say(name), onclick: (event) => this.#feedback(event.currentTarget, answer, helpful) }, drawn("thumb", THUMB, helpful ? "" : "rotate(180 8 8)"));
    return h(
      "div",
      { part: "actions" },
      h("button", { type: "button", part: "copy", onclick: (event) => this.#copy(event.currentTarget, asText) }, this.#say("copy")),
      this.#on.shareUrl && h("button", { type: "button", part: "share", onclick: (event) => this.#copy(event.currentTarget, this.#on.shareUrl()) }, this.#say("share")),
      (answer.by === "llm" || failureOf(answer)) && this.#againButton(),
      feedback(true, "helpful"),
      feedback(false, "unhelpful"),
    );
  }

  /** The answer as it is copied. What is said of the closest passage is the engine's, in English: the page's own words take its place. */
  #asText(answer) {
    if (answer.quotation) return [answer.text, this.#asText(answer.quotation)].join("\n\n");
    if (answer.by === "llm" || answer.outcome !== "closest" || !answer.text.includes("\n")) return answer.text;
    return [this.#say("closest"), ...answer.text.split("\n").slice(1)].join("\n");
  }

  #againButton() {
    return h("button", { type: "button", part: "again", onclick: () => this.#on.again() }, this.#say("again"));
  }

  #feedback(button, answer, helpful) {
    for (const one of button.parentElement.querySelectorAll("[part=feedback]")) one.setAttribute("aria-pressed", String(one === button));
    this.announce(this.#say("thanks"), 100);
    this.#on.feedback(answer, helpful);
  }

  async #copy(button, text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without a secure context, or against the browser's wish, there is no clipboard.
      return;
    }
    const before = button.textContent;
    button.textContent = this.#say("copied");
    this.announce(this.#say("copied"), 100);
    setTimeout(() => {
      button.textContent = before;
    }, 1500);
  }
}

/** Whether what is cited can be opened: neither a statement nor what a tool said can. */
function opens(target) {
  return ["chunk", "web"].includes(target?.type);
}

/** One way by which a passage was reached. */
function wayTo({ by, from, via, name, keyword, entity, title }) {
  return `${by} ${[from ?? via, name ?? keyword ?? entity ?? title].filter(Boolean).join(" → ")}`.trim();
}

/** The headings above a hit that say something. */
function headingsOf(hit) {
  return hit.headingPath.filter((heading) => heading.trim() !== "");
}

/** The first words of a text, on one line. */
function beginning(text) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 50 ? `${line.slice(0, 50).replace(/ \S*$/, "")}…` : line;
}
