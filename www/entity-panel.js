// The knowledge graph beside the map: what an answer rests on, as a picture and as a list, and a browser of
// entities with what is stated of each. Every statement leads to the passage that it was read in. Loaded when
// the map is opened, over a bundle that has a knowledge graph.

import { drawGraph } from "./pkg/answer-graph.js";
import { PocketGraphError } from "./pkg/pocketgraph.js";
import { h } from "./pkg/render.js";
import { entitiesIn, entitiesNamed, entitiesOf, statementsIn, statementsOf } from "./statements.js";

/** Statements of one relation that are shown at first. */
const SHOWN = 8;

/** Draws into `node`. `graph()` is the open bundle; `onPassage(chunk, quote)` opens a passage. */
export class EntityPanel {
  #graph;
  #onPassage;
  #answer = h("div", { class: "answer-graph" });
  #picture = h("div", { class: "answer-picture" });
  #named = h("div", { class: "named" });
  #found = h("div", { class: "found", role: "status" });
  #entity = h("div", { class: "entity" });
  #input = h("input", {
    type: "search",
    id: "entity-name",
    autocomplete: "off",
    spellcheck: "false",
    dir: "auto",
  });
  #shown = null;
  #width = 0;
  #showing = new AbortController();
  #loading = new AbortController();
  /** The entities that led to the one that is shown. */
  #trail = [];

  constructor(node, { graph, onPassage }) {
    this.#graph = graph;
    this.#onPassage = onPassage;
    const find = (event) => (event.preventDefault(), this.#find(this.#input.value.trim()));
    const form = h(
      "form",
      { class: "finder", role: "search", onsubmit: find },
      h("label", { for: "entity-name" }, "Find an entity"),
      this.#input,
      h("button", { type: "submit" }, "Find"),
    );
    node.replaceChildren(
      h("h3", {}, "Knowledge graph"),
      this.#answer,
      this.#named,
      form,
      this.#found,
      this.#entity,
    );
    new ResizeObserver(([{ contentRect }]) => {
      const width = Math.round(contentRect.width);
      if (width > 0 && Math.abs(width - this.#width) > 8) this.#draw();
    }).observe(this.#picture);
  }

  /** Shows what an answer rests on (`picture`, or null), and else what the question names. */
  async show(question, picture) {
    if (this.#shown?.question === question && this.#shown.picture === picture) return;
    this.#showing.abort();
    const { signal } = (this.#showing = new AbortController());
    this.#shown = { question, picture };
    const statements = picture ? statementsIn(picture) : [];
    this.#answer.replaceChildren(
      ...(statements.length > 0
        ? [
            h("h4", {}, "What the answer rests on"),
            this.#picture,
            h(
              "ul",
              { class: "statements" },
              statements.map((one) => this.#statement(one)),
            ),
          ]
        : []),
    );
    this.#named.replaceChildren();
    this.#draw();
    if (statements.length > 0) return;
    const named = await entitiesIn(this.#graph(), question, signal).catch(() => []);
    if (!signal.aborted && named.length > 0)
      this.#named.replaceChildren(h("h4", {}, "Named in the question"), this.#list(named));
  }

  /** Shows nothing of an earlier question any more. */
  clear() {
    this.#showing.abort();
    this.#loading.abort();
    this.#shown = null;
    this.#trail = [];
    for (const node of [this.#answer, this.#named, this.#found, this.#entity]) node.replaceChildren();
  }

  #draw() {
    const width = Math.round(this.#picture.clientWidth);
    if (!this.#shown?.picture || width === 0) return;
    this.#width = width;
    const on = { onPassage: (chunk) => this.#onPassage(chunk), onEntity: (entity) => this.#open(entity, []) };
    const names = { passage: "Passage", entity: "Entity", about: "The statements that the answer rests on" };
    this.#picture.replaceChildren(...drawGraph(this.#shown.picture, width, names, on));
  }

  /** Runs `work(signal)`, in the stead of what was asked for before; says in `node` what goes wrong. */
  async #load(node, work) {
    this.#loading.abort();
    const { signal } = (this.#loading = new AbortController());
    try {
      await work(signal);
    } catch (error) {
      if (signal.aborted || (error instanceof PocketGraphError && error.code === "aborted")) return;
      node.replaceChildren(h("p", { role: "alert" }, error.message));
    }
  }

  #find(name) {
    if (!name) return this.#found.replaceChildren();
    return this.#load(this.#found, async (signal) => {
      const entities = await entitiesNamed(this.#graph(), name, signal);
      if (signal.aborted) return;
      this.#found.replaceChildren(
        entities.length > 0
          ? this.#list(entities)
          : h("p", {}, `The graph knows nothing by the name “${name}”.`),
      );
    });
  }

  /** Shows an entity; `trail` are those that led there. */
  #open(entity, trail) {
    return this.#load(this.#entity, async (signal) => {
      const stated = await statementsOf(this.#graph(), entity, signal);
      if (signal.aborted) return;
      this.#trail = trail;
      const types = stated.types.map((type) =>
        h(
          "button",
          {
            type: "button",
            class: "link type",
            "aria-label": `All of the type ${type}`,
            onclick: () => this.#openType(type, [...trail, entity]),
          },
          type,
        ),
      );
      const none = stated.isHidden
        ? "Its statements cannot be told from those of others with its name."
        : "Nothing is stated of it.";
      const more = stated.left > 0 && h("p", { class: "more" }, `and ${stated.left} more statements`);
      const body =
        stated.statements.length > 0
          ? [...this.#groups(entity, stated.statements), more]
          : [h("p", {}, none)];
      this.#put(
        entity.label,
        [types.length > 0 && h("p", { class: "types" }, "Type:", types), ...body],
        trail,
      );
    });
  }

  #openType(type, trail) {
    return this.#load(this.#entity, async (signal) => {
      const { entities, size } = await entitiesOf(this.#graph(), type, signal);
      if (signal.aborted) return;
      this.#trail = trail;
      const more = size > entities.length && h("p", { class: "more" }, `and ${size - entities.length} more`);
      this.#put(`${type} (${size})`, [this.#list(entities, trail), more], trail);
    });
  }

  #put(title, nodes, trail) {
    const last = trail.at(-1);
    const back =
      last &&
      h(
        "button",
        { type: "button", class: "link back", onclick: () => this.#open(last, trail.slice(0, -1)) },
        `Back to ${last.label}`,
      );
    const close = h(
      "button",
      { type: "button", class: "close", "aria-label": `Close ${title}`, onclick: () => this.#close() },
      "×",
    );
    const heading = h("h4", { tabindex: "-1", dir: "auto" }, title);
    this.#entity.replaceChildren(
      ...[back, h("div", { class: "keyword-head" }, heading, close), ...nodes].filter(Boolean),
    );
    heading.scrollIntoView({ block: "nearest" });
    heading.focus({ preventScroll: true });
  }

  #close() {
    this.#entity.replaceChildren();
    this.#input.focus();
  }

  /** The statements of an entity by relation and direction. */
  #groups(entity, statements) {
    const groups = new Map();
    for (const statement of statements) {
      const title =
        statement.from.node === entity.node ? statement.label : `… ${statement.label} ${entity.label}`;
      groups.set(title, [...(groups.get(title) ?? []), statement]);
    }
    return [...groups].flatMap(([title, some]) => {
      const items = some.map((statement) => this.#statement(statement, entity));
      const list = h("ul", { class: "statements" }, items.slice(0, SHOWN));
      const rest = items.slice(SHOWN);
      const more =
        rest.length > 0 &&
        h(
          "button",
          {
            type: "button",
            class: "link more",
            onclick: () => {
              list.append(...rest);
              more.remove();
              rest[0].querySelector("button")?.focus();
            },
          },
          `Show ${rest.length} more`,
        );
      return [h("h5", { dir: "auto" }, title), list, more].filter(Boolean);
    });
  }

  /** One statement, whole or from the view of one of its ends, with the way to its passage. */
  #statement({ from, to, label, chunk }, seenFrom = null) {
    const other = seenFrom && (from.node === seenFrom.node ? to : from);
    const trail = seenFrom ? [...this.#trail, seenFrom] : [];
    const ends = other
      ? [this.#end(other, trail)]
      : [
          this.#end(from, trail),
          " ",
          h("span", { class: "relation", dir: "auto" }, label),
          " ",
          this.#end(to, trail),
        ];
    const expressed = `Passage that says: ${from.label} ${label} ${to.label}`;
    const read =
      Number.isInteger(chunk) &&
      h(
        "button",
        {
          type: "button",
          class: "link passage",
          "aria-label": expressed,
          onclick: () => this.#onPassage(chunk, to.label),
        },
        "Passage",
      );
    return h("li", {}, h("span", { class: "ends" }, ends), " ", read);
  }

  #end(end, trail) {
    if (end.node === null) return h("span", { class: "value", dir: "auto" }, end.label);
    return h(
      "button",
      { type: "button", class: "link", dir: "auto", onclick: () => this.#open(end, trail) },
      end.label,
    );
  }

  #list(entities, trail = []) {
    return h(
      "ul",
      { class: "entities" },
      entities.map((entity) =>
        h(
          "li",
          {},
          this.#end(entity, trail),
          entity.types.length > 0 && h("span", { class: "source-path" }, ` ${entity.types.join(", ")}`),
        ),
      ),
    );
  }
}
