// What <pocketgraph-ask> shows under its box: what it is doing, the results by page, and before there is a
// question what could be asked. The answer has a module of its own (ask-answer.js), which the first hits do
// not wait for. It knows nothing of engines; the element tells it what there is.

import { PocketGraphError } from "./error.js";
import { byPage, excerptWindow, h, highlighted, safeUrl } from "./render.js";

/** A pause in what changes before it is said to screen readers. */
const ANNOUNCE_MS = 900;
let instances = 0;

/**
 * Draws into `root`. `on` has what the reader may do: open, cite, passage, stop, again, retry, feedback,
 * pick, forget, star.
 */
export class AskView {
  #strings;
  #on;
  #listbox;
  #id = `pocketgraph-${++instances}`;
  #announcing = 0;
  #links = new Set();
  /** Links of the hits that are shown, with what draws their address. */
  #pointing = [];
  /** The view of the answer, once its module is loaded. */
  answering = null;
  /** Arranges the nodes of a hit, in a list of links. */
  dress = (nodes) => nodes;

  /**
   * With `listbox` the results are options of a combobox, else a list of links. `root` is the element's
   * shadow root.
   */
  constructor(strings, on, { listbox = false, root }) {
    this.roots = [root];
    this.#strings = strings;
    this.#on = on;
    this.#listbox = listbox;
    this.status = h("p", { part: "status", hidden: true });
    this.live = h("p", { class: "unseen", role: "status" });
    this.trouble = h("div", { part: "error", role: "alert", hidden: true });
    this.understood = h("p", { part: "understood", hidden: true });
    this.answer = h("section", { part: "answer", hidden: true });
    this.hits = h(
      "div",
      listbox
        ? { part: "hits", role: "listbox", id: `${this.#id}-hits` }
        : { part: "hits", role: "group", id: `${this.#id}-hits` },
    );
    this.body = h(
      "div",
      { part: "results" },
      this.status,
      this.trouble,
      this.understood,
      this.answer,
      this.hits,
    );
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
    this.#links.clear();
    for (const host of hosts) this.#links.add(host);
  }

  /** Loads what shows answers. */
  async loadAnswering() {
    const { AnswerView } = await import("./ask-answer.js").catch((cause) => {
      throw new PocketGraphError("network", `The answer view could not be loaded: ${cause.message}`, {
        cause,
      });
    });
    if (!this.answering) {
      this.answering = new AnswerView(this, this.#strings, this.#on, this.#links);
      for (const point of this.#pointing) point();
    }
    return this.answering;
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

  /**
   * Something went wrong: what, what to do, and a button that tries again. `detail` is for those who set the
   * page up.
   */
  fail(text, detail) {
    this.showStatus();
    this.answering?.busy(null);
    const retry = h(
      "button",
      { type: "button", part: "retry", onclick: () => this.#on.retry() },
      this.#say("retry"),
    );
    this.trouble.replaceChildren(
      h("p", {}, text),
      detail ? h("p", { part: "error-detail", dir: "ltr" }, detail) : "",
      retry,
    );
    this.trouble.hidden = false;
  }

  /** Nothing is wrong (any more). */
  calm() {
    this.trouble.hidden = true;
  }

  // ---- before there is a question ----

  /**
   * Shows suggested questions: lists `{ title, questions, starred, own }`; `own` ones can be removed and
   * starred.
   */
  showIdle(lists) {
    this.calm();
    this.showStatus();
    this.answering?.clear();
    const shown = lists.filter(({ questions }) => questions.length > 0);
    this.hits.replaceChildren(
      ...shown.map((list, at) =>
        this.#group(
          `${this.#id}-i${at}`,
          list.title,
          list.questions.map((question) => this.#question(question, list)),
        ),
      ),
    );
  }

  #question(question, { own, starred }) {
    const pick = { part: "question", dir: "auto", onclick: () => this.#on.pick(question) };
    if (this.#listbox) return h("div", { ...pick, role: "option", id: this.#option() }, question);
    const more = own && [
      h(
        "button",
        {
          type: "button",
          part: "star",
          "aria-pressed": String(Boolean(starred)),
          "aria-label": this.#say(starred ? "unstar" : "star", { text: question }),
          onclick: () => this.#on.star(question, !starred),
        },
        starred ? "★" : "☆",
      ),
      h(
        "button",
        {
          type: "button",
          part: "forget",
          "aria-label": this.#say("forget", { text: question }),
          onclick: () => this.#on.forget(question),
        },
        "×",
      ),
    ];
    return h("li", { part: "suggestion" }, h("button", { type: "button", ...pick }, question), more);
  }

  // ---- results ----

  /**
   * The hits, by page, in the order of each page's best. `ask` puts a line above them that asks the question
   * (in a listbox); `reached` tells how each was reached, in the engine's words, to those who set the search
   * up.
   */
  showHits(result, { ask = false, reached = false } = {}) {
    this.calm();
    this.#pointing = [];
    const pages = byPage(result.hits);
    const nodes = pages.map((page, at) => this.#page(page, at, reached));
    const missing = result.missing?.length > 0;
    if (result.hits.length === 0 && !missing)
      nodes.push(
        this.#listbox
          ? h("div", { part: "empty", role: "presentation" }, this.#say("noResults"))
          : h(
              "div",
              { part: "empty" },
              h(
                "slot",
                { name: "empty" },
                h("p", {}, h("strong", {}, this.#say("noResults"))),
                h("p", {}, this.#say("noResultsHint")),
              ),
            ),
      );
    const asks =
      ask &&
      this.#listbox &&
      h(
        "div",
        {
          role: "option",
          part: "ask-option",
          id: this.#option(),
          onclick: () => this.#on.pick(result.question),
        },
        this.#say("askThis", { text: result.question }),
      );
    const focused = this.hits.getRootNode().activeElement?.closest?.("[data-chunk]")?.dataset.chunk;
    this.hits.replaceChildren(...[asks, ...nodes].filter(Boolean));
    if (focused !== undefined)
      this.hits.querySelector(`[data-chunk="${CSS.escape(focused)}"] [part="hit-title"]`)?.focus();
    const count =
      result.hits.length > 0 ? this.#say("resultCount", { n: result.hits.length }) : this.#say("noResults");
    const announcement = [
      missing && result.hits.length === 0 ? "" : count,
      missing ? this.#say("partly") : "",
    ]
      .filter(Boolean)
      .join(" ");
    this.showStatus(missing ? announcement : result.hits.length > 0 ? count : "");
    this.announce(announcement);
    for (const { url } of result.hits) {
      const href = safeUrl(url);
      if (href) this.#links.add(new URL(href).host);
    }
  }

  /** Puts `questions` between the line that asks and the hits, in a listbox. */
  showSuggestions(questions) {
    const options = questions.map((question) => this.#question(question, {}));
    const above = this.hits.querySelector("[part=ask-option]");
    if (options.length > 0)
      above?.after(this.#group(`${this.#id}-suggested`, this.#say("suggested"), options));
  }

  /** Nothing of an earlier question stands there any more. */
  forget() {
    this.answering?.clear();
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
    const label = h(
      this.#listbox ? "div" : "h3",
      {
        part: "page-title",
        class: titled ? "unseen" : undefined,
        id,
        dir: "auto",
        lang,
        role: this.#listbox ? "presentation" : undefined,
      },
      title,
    );
    if (this.#listbox) return h("div", { part: "page", role: "group", "aria-labelledby": id }, label, items);
    return h("div", { part: "page" }, label, h("ol", { part: "sections", "aria-labelledby": id }, items));
  }

  #hit(hit, title, index, reached) {
    const spans = hit.highlights ?? [];
    const headings = headingsOf(hit);
    const path = headings.length > 1 ? headings.slice(0, -1).join(" › ") : "";
    const shown = excerptWindow(hit.text, spans, index === 0 ? 240 : 180);
    const excerpt = h("p", { part: "hit-text", dir: "auto" }, highlighted(hit.text, spans, shown));
    const reachedBy = reached ? hit.reached.filter(({ by }) => by !== "query").map(wayTo) : [];
    const ways = reachedBy.length > 0 && h("p", { part: "hit-reached", dir: "auto" }, reachedBy.join(" · "));
    const href = safeUrl(hit.url);
    const pointed = (link) => {
      const point = () => link.setAttribute("href", this.answering.pointTo(href, hit.text, shown));
      if (href) this.#pointing.push(point);
      if (href && this.answering) point();
      return link;
    };
    const inside = (head) => [
      head,
      path && h("p", { part: "hit-path", dir: "auto" }, path),
      excerpt,
      this.#languages(hit),
      this.#elsewhere(hit),
      ways,
    ];
    const onclick = (event) => {
      this.#on.open(hit, event);
      if (href) this.answering?.leave(href, hit.text, shown, event);
    };
    const common = { "data-chunk": hit.chunk, lang: hit.language || undefined };
    if (this.#listbox) {
      const head = h("span", { part: "hit-title", dir: "auto" }, title);
      const option = {
        ...common,
        part: "hit",
        role: "option",
        tabindex: "-1",
        id: this.#option(),
        href,
        onclick,
      };
      return pointed(h(href ? "a" : "div", option, inside(head)));
    }
    const head = h(href ? "a" : "span", { part: "hit-title", dir: "auto", href, onclick }, title);
    return h("li", { ...common, part: "hit" }, this.dress(inside(pointed(head))));
  }

  /** The name of the language of a passage, where that is not the page's. */
  languageMark(tag) {
    return tag && tag !== (this.#strings.reader || this.#strings.language)
      ? this.#strings.languageName(tag)
      : "";
  }

  /**
   * In which other language a page was found, and in which ones more it is there, each a button that opens
   * it; in a listbox, whose options hold no buttons, their names.
   */
  #languages({ language, translations = [] }) {
    const mark = this.languageMark(language);
    if (!mark && translations.length === 0) return null;
    const others = translations.map(({ language: tag, chunk }) => {
      const name = this.#strings.languageName(tag, { own: true });
      return this.#listbox
        ? h("span", { lang: tag }, name)
        : h(
            "button",
            { type: "button", part: "hit-translation", lang: tag, onclick: () => this.#on.passage(chunk) },
            name,
          );
    });
    return h(
      "p",
      { part: "hit-languages", role: "group", "aria-label": this.#say("language") },
      [mark && h("span", {}, mark), ...others].filter(Boolean),
    );
  }

  /** Other pages with the same text: links, or in a listbox, whose options hold none, their titles. */
  #elsewhere({ elsewhere = [] }) {
    if (elsewhere.length === 0) return null;
    const pages = elsewhere.map(({ title, url }) => {
      const href = this.#listbox ? null : safeUrl(url);
      return h(href ? "a" : "span", { dir: "auto", href }, title || this.#say("untitled"));
    });
    return h("p", { part: "hit-elsewhere" }, h("span", {}, this.#say("alsoIn")), pages);
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

  /** Returns the elements through which the arrow keys move. */
  focusable() {
    return [...this.hits.querySelectorAll("a[part=hit-title], button[part=question]")];
  }
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
