// <pocketgraph-box>, <pocketgraph-results>, <pocketgraph-answer> and <pocketgraph-filters>: the parts of
// <pocketgraph-ask>, each where the page wants it. The box is a <pocketgraph-ask> that lends the others what
// it would show beneath itself; what has no element of its own stays there. What slots there are stands in
// docs/embedding-in-a-page.md.

import { followPage } from "./ask-theme.js";
import { h } from "./dom.js";
import { adoptSheet, sharedSheet } from "./style-sheet.js";

/** The elements beside the box: what each shows of a view, by `part`, and the slots above that. */
const KINDS = {
  results: { shows: [], slots: ["heading"] },
  answer: { shows: ["understood", "answer"], slots: ["heading", "empty"] },
  filters: { shows: ["filters"], slots: ["heading"] },
};

/** The parts of a view's body, in this order. */
const ORDER = ["filters", "status", "error", "understood", "answer", "hits"];

// A heading stands above something only.
const partsStyle = sharedSheet(`
.root[data-kind="results"]:not(:has([part="hit"], [part="empty"], [part="error"]:not([hidden]))) > [name="heading"],
.root[data-kind="answer"]:not(:has(> [part="answer"]:not([hidden]))) > [name="heading"],
.root[data-kind="answer"]:has(> [part="answer"]:not([hidden])) > [name="empty"],
.root[data-kind="filters"]:not(:has(> [part="filters"]:not([hidden]))) > [name="heading"],
[part="results"][data-answered] [part="empty"] { display: none; }
.root[data-kind] > [part="results"] > [part="status"],
.root[data-kind] > :is([part="answer"], [part="filters"]) { margin-block-start: 0; }
.root[data-kind="filters"] select { flex: 1 1 8rem; min-width: 0; }
`);

/** Boxes of the page, with their views, and the elements that show parts of these. */
const boxes = new Map();
const parts = new Set();

/** Gives each element the box that its `for` names, or else the page's first. */
function arrange() {
  const follows = (one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
  const inOrder = [...boxes.keys()].sort((one, other) => (follows(one, other) ? -1 : 1));
  for (const part of parts) {
    const id = part.getAttribute("for");
    part.join(id === null ? inOrder[0] : inOrder.find((box) => box.id === id));
  }
}

/** Puts a node back where <pocketgraph-ask> has it. */
function putBack(node, { body }) {
  const later = ORDER.slice(ORDER.indexOf(node.getAttribute("part")) + 1);
  body.insertBefore(node, [...body.children].find((one) => later.includes(one.getAttribute("part"))) ?? null);
}

/** Returns the class of the elements that show one kind of parts. */
function elementOf(kind) {
  const { shows, slots } = KINDS[kind];
  return class extends HTMLElement {
    static observedAttributes = ["for"];
    #root = h(
      "div",
      { class: "root", part: "root", "data-kind": kind },
      slots.map((name) => h("slot", { name })),
    );
    #view = null;
    #theme = null;
    /** The scheme that is found behind the element. */
    #behind = null;
    #unfollow = null;

    constructor() {
      super();
      this.attachShadow({ mode: "open" }).append(this.#root);
    }

    connectedCallback() {
      this.#unfollow = followPage(this, (scheme) => this.#show((this.#behind = scheme)));
      parts.add(this);
      arrange();
    }

    disconnectedCallback() {
      this.#unfollow();
      parts.delete(this);
      this.join(undefined);
      arrange();
    }

    attributeChangedCallback() {
      if (this.isConnected) arrange();
    }

    /** Shows the part of this box from now on, or of none. */
    join(box) {
      const view = boxes.get(box) ?? null;
      if (view !== this.#view) this.#leave();
      this.#view = view;
      if (!view) return;
      const own = view.live.parentNode;
      this.#theme = box.getAttribute("theme");
      this.#show(this.#behind);
      [this.#root.lang, this.#root.dir] = [own.lang, own.dir];
      for (const sheet of [...box.shadowRoot.adoptedStyleSheets, partsStyle()])
        adoptSheet(this.shadowRoot, sheet);
      if (!view.roots.includes(this.shadowRoot)) view.roots.push(this.shadowRoot);
      this.#root.append(
        ...[...view.body.children].filter((node) => shows.includes(node.getAttribute("part"))),
      );
      if (kind === "filters") box.filters ??= "on";
      if (kind !== "results" || view.body.parentNode !== own) return;
      this.#root.append(view.body);
      view.dress = (nodes) => dressed(nodes, this.querySelector(":scope > template[slot=item]"));
    }

    #leave() {
      const view = this.#view;
      if (!view) return;
      view.roots.splice(view.roots.indexOf(this.shadowRoot), 1);
      for (const node of this.#root.querySelectorAll(":scope > :not(slot)")) {
        if (node !== view.body) putBack(node, view);
        else {
          view.live.before(node);
          view.dress = (nodes) => nodes;
        }
      }
    }

    #show(scheme) {
      this.#root.dataset.scheme = ["light", "dark"].includes(this.#theme) ? this.#theme : (scheme ?? "");
    }
  };
}

/**
 * The nodes of a hit as a page's template arranges them: each takes the place of the <slot> of its name.
 * Nothing of a document becomes markup.
 */
function dressed(nodes, template) {
  if (!template) return nodes;
  const copy = document.importNode(template.content, true);
  for (const slot of copy.querySelectorAll("slot")) {
    const node = nodes.find((one) => one && one.getAttribute("part") === `hit-${slot.name}`);
    slot.replaceWith(...(node ? [node] : slot.childNodes));
  }
  return [copy];
}

function define({ PocketGraphAskElement, ARRANGE }) {
  class PocketGraphBoxElement extends PocketGraphAskElement {
    #view = null;
    #answered = new MutationObserver(() =>
      this.#view.body.toggleAttribute("data-answered", !this.#view.answer.hidden),
    );

    connectedCallback() {
      super.connectedCallback();
      this[ARRANGE](this.#view);
    }

    disconnectedCallback() {
      super.disconnectedCallback();
      boxes.delete(this);
      arrange();
    }

    attributeChangedCallback(name, before, now) {
      super.attributeChangedCallback(name, before, now);
      if (name === "theme" && this.isConnected) arrange();
    }

    /** Gives what `view` shows to the elements that there are for it. */
    [ARRANGE](view) {
      if (view !== this.#view) {
        this.#view = view;
        this.#answered.disconnect();
        this.#answered.observe(view.answer, { attributeFilter: ["hidden"] });
      }
      if (!this.isConnected) return;
      boxes.set(this, view);
      arrange();
    }
  }
  if (customElements.get("pocketgraph-box")) return;
  customElements.define("pocketgraph-box", PocketGraphBoxElement);
  for (const kind of Object.keys(KINDS)) customElements.define(`pocketgraph-${kind}`, elementOf(kind));
}

// Loaded, not joined: a page that has both files has one component. A server has no elements.
if (globalThis.customElements) import("./ask-element.js").then(define);
