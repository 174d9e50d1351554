// The list of passages: title, where it stands, the stretch that fits the question, and every way it was reached.

import { excerptWindow, h, highlighted, safeUrl } from "./pkg/render.js";

/** Draws a result's hits. */
export class HitsView {
  #list;
  #note;
  #onOpen;

  constructor({ list, note }, { onOpen }) {
    this.#list = list;
    this.#note = note;
    this.#onOpen = onOpen;
    list.addEventListener("keydown", (event) => this.#moveFocus(event));
  }

  /** Replaces the list; focus stays on the passage that had it, if that is still there. */
  show(result) {
    const focused = document.activeElement?.closest?.("#hits li")?.dataset.chunk;
    this.#list.replaceChildren(...result.hits.map((hit, at) => this.#item(hit, at + 1)));
    this.#note.textContent = result.hits.length === 0 ? "" : describe(result);
    if (result.hits.length === 0) this.#list.append(empty());
    if (focused !== undefined) this.#list.querySelector(`li[data-chunk="${CSS.escape(focused)}"] .hit-title`)?.focus();
  }

  clear() {
    this.#list.replaceChildren();
    this.#note.textContent = "";
  }

  /** Moves the focus from the question to the first hit; false if there is none. */
  focusFirst() {
    const first = this.#list.querySelector(".hit-title");
    first?.focus();
    return Boolean(first);
  }

  #item(hit, rank) {
    const spans = hit.highlights ?? [];
    const href = safeUrl(hit.url);
    return h(
      "li",
      { class: "hit", "data-chunk": hit.chunk },
      h("span", { class: "rank", "aria-hidden": "true" }, String(rank)),
      h(
        "div",
        { class: "hit-body" },
        h("h3", {}, h("button", { type: "button", class: "hit-title", dir: "auto", onclick: () => this.#onOpen(hit) }, hit.title || "Untitled")),
        h(
          "p",
          { class: "hit-path" },
          hit.headingPath.length > 0 && h("span", {}, hit.headingPath.join(" › ")),
          href && h("a", { href, "aria-label": `Open the page: ${[hit.title, ...hit.headingPath].join(" › ")}` }, "Open the page"),
        ),
        h("p", { class: "hit-text", dir: "auto" }, highlighted(hit.text, spans, excerptWindow(hit.text, spans, 300))),
        h("ul", { class: "ways", "aria-label": "Reached by" }, badges(hit.reached)),
      ),
    );
  }

  #moveFocus(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.classList.contains("hit-title")) return;
    const titles = [...this.#list.querySelectorAll(".hit-title")];
    const next = titles.indexOf(event.target) + step;
    event.preventDefault();
    if (next < 0) document.getElementById("question").focus();
    else titles[next]?.focus();
  }
}

const WAYS_SHOWN = 4;

function badges(reached) {
  const shown = reached.slice(0, WAYS_SHOWN).map(badge);
  const more = reached.length - shown.length;
  return more > 0 ? [...shown, h("li", { class: "way more" }, `and ${more} more`)] : shown;
}

function badge(way) {
  if (way.by === "name") return h("li", { class: "way name-way", title: "The question names this document" }, way.name);
  if (way.by === "link") {
    const title = `Mentioned in “${way.from}”`;
    return h("li", { class: "way link-way", title }, h("span", { class: "via" }, way.from), h("span", { "aria-label": "mentions" }, " → "), way.name);
  }
  if (way.by === "keyword") return h("li", { class: "way keyword-way" }, way.keyword);
  if (way.by === "adjacent-keyword") {
    const title = `Next to the keyword “${way.via}” in the keyword graph`;
    return h("li", { class: "way adjacent-way", title }, h("span", { class: "via" }, way.via), h("span", { "aria-label": "leads to" }, " → "), way.keyword);
  }
  if (way.by === "entity") return h("li", { class: "way name-way", title: "The question leads to this name, which the passage mentions" }, way.entity);
  if (way.by === "summary") return h("li", { class: "way link-way", title: "A summary near the question rests on this passage" }, way.title);
  return h("li", { class: "way query-way" }, "your question");
}

function describe({ hits, retriever, stage }) {
  const how = { lexical: "by words", dense: "by meaning", autokg: "through the keyword graph", auto: stage === "lexical" ? "by words" : "by words, meaning and names", hybrid: stage === "lexical" ? "by words" : "by words and meaning" }[retriever];
  return `${hits.length} found ${how ?? ""}`.trim();
}

function empty() {
  return h("li", { class: "empty" }, h("p", {}, h("strong", {}, "No passage answers to this.")), h("p", {}, "Try other words, or fewer of them."));
}
