// The bar that says what went wrong, with one thing to do about it.

import { h } from "./pkg/render.js";

/** Shows one notice at a time in `node`, which is an alert for assistive technology. */
export class Notice {
  #node;

  constructor(node) {
    this.#node = node;
  }

  /** `remedy` is `{ label, action }`. */
  show(title, detail, remedy) {
    const button = remedy && h("button", { type: "button", onclick: () => remedy.action() }, remedy.label);
    this.#node.replaceChildren(h("div", {}, h("strong", {}, title), " ", h("span", {}, detail)), button ?? "");
    this.#node.hidden = false;
  }

  /** Takes the notice away. */
  clear() {
    this.#node.hidden = true;
    this.#node.replaceChildren();
  }
}
