// The button by which a reader of <pocketgraph-ask mode="dialog"> or "panel" asks about the page that carries
// it. Loaded after the first hits.

import { h } from "./render.js";
import { adoptSheet, sharedSheet } from "./style-sheet.js";

const pageStyle = sharedSheet(`
[part="page-only"] {
  margin-block-start: 0.6rem; min-height: 1.9rem; padding: 0.1rem 0.7rem; border-radius: 1rem;
  background: var(--_surface); font-size: 0.85rem; font-weight: 500;
}
[part="page-only"][aria-pressed="true"] {
  border-color: var(--_accent); color: var(--_accent); font-weight: 600;
}
[part="results"]:has([part="page-only"][aria-pressed="true"]) > [part="filters"] { display: none; }
`);

/** A switch, in `node`, for the questions of one element. */
export class PageSwitch {
  #strings;
  #address = "";
  #filter = null;
  node;

  /** `onSwitch()` hears that `filter` is another one. */
  constructor(root, strings, onSwitch) {
    this.#strings = strings;
    adoptSheet(root, pageStyle());
    const onclick = () => {
      this.#set(!this.isOn);
      onSwitch();
    };
    this.node = h("button", { type: "button", part: "page-only", hidden: true, onclick });
    this.#set(false);
    this.relabel();
  }

  /** Returns true while only the page is asked. */
  get isOn() {
    return this.node.getAttribute("aria-pressed") === "true";
  }

  /** The filter that leaves only the page, while the switch is on; otherwise null. */
  get filter() {
    return this.isOn ? this.#filter : null;
  }

  /** Looks for the page in a bundle; the switch is shown if the page is there. */
  async follow(graph) {
    const address = location.href.split("#")[0];
    if (address === this.#address) return;
    this.#address = address;
    this.#set(false);
    this.#filter = await graph.pageFilter(address);
    this.node.hidden = !this.#filter;
  }

  /** Says everything in the language that is spoken now. */
  relabel() {
    this.node.textContent = this.#strings.say("thisPage");
  }

  #set(on) {
    this.node.setAttribute("aria-pressed", String(on));
  }
}
