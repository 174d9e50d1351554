// A keyword's surroundings: the keywords that share passages with it, by how many, and its best passages.

import { PocketGraphError } from "./pkg/pocketgraph.js";
import { h } from "./pkg/render.js";

const PASSAGES_SHOWN = 8;

/** Shows one keyword at a time; its neighbours lead on. */
export class KeywordPanel {
  #node;
  #load;
  #onPassage;
  #loading = new AbortController();

  constructor(node, { load, onPassage }) {
    this.#node = node;
    this.#load = load;
    this.#onPassage = onPassage;
  }

  /** Shows the keyword called `label`. */
  async open(label, { moveFocus = false } = {}) {
    this.#loading.abort();
    const { signal } = (this.#loading = new AbortController());
    try {
      const found = await this.#load(label, signal);
      if (signal.aborted) return;
      this.#show(found);
      (this.#node.querySelector(".neighbours li:last-child") ?? this.#node).scrollIntoView({
        block: "nearest",
      });
      if (moveFocus) this.#node.querySelector("h3").focus();
    } catch (error) {
      if (signal.aborted || (error instanceof PocketGraphError && error.code === "aborted")) return;
      this.#node.replaceChildren(h("p", { role: "alert" }, error.message));
    }
  }

  close() {
    this.#loading.abort();
    this.#node.replaceChildren();
  }

  #show({ keyword, neighbors, chunks }) {
    const heaviest = Math.max(1, ...neighbors.map(({ weight }) => weight));
    this.#node.replaceChildren(
      h(
        "div",
        { class: "keyword-head" },
        h("h3", { tabindex: "-1" }, keyword),
        h(
          "button",
          { type: "button", class: "close", "aria-label": `Close ${keyword}`, onclick: () => this.close() },
          "×",
        ),
      ),
      h("h4", {}, neighbors.length > 0 ? "Shares passages with" : "Shares passages with no other keyword"),
      h(
        "ul",
        { class: "neighbours" },
        neighbors.map((neighbor) => this.#neighbour(neighbor, heaviest)),
      ),
      h("h4", {}, "Its passages"),
      h(
        "ol",
        { class: "keyword-passages" },
        chunks.slice(0, PASSAGES_SHOWN).map((hit) => this.#passage(hit)),
      ),
    );
  }

  #neighbour({ label, weight }, heaviest) {
    const bar = h("progress", { class: "weight", max: heaviest, value: weight, "aria-hidden": "true" });
    const shared = `${weight} ${weight === 1 ? "passage" : "passages"} shared`;
    return h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "link", onclick: () => this.open(label, { moveFocus: true }) },
        label,
      ),
      bar,
      h(
        "span",
        { class: "weight-number", title: shared },
        String(weight),
        h("span", { class: "visually-hidden" }, " passages shared"),
      ),
    );
  }

  #passage(hit) {
    const path = hit.headingPath.join(" › ");
    return h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "link", onclick: () => this.#onPassage(hit.chunk) },
        hit.title || "Untitled",
      ),
      path && h("span", { class: "source-path" }, path),
    );
  }
}
