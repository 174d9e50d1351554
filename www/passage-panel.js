// The passage in full, in a drawer: the cited words marked, the text around it dimmed, the way to the document.

import { PocketGraphError } from "./pkg/pocketgraph.js";
import { h, highlighted, safeUrl } from "./pkg/render.js";
import { explain } from "./messages.js";

/** A modal `<dialog>`: the browser keeps the focus inside, closes it on Esc and gives the focus back. */
export class PassagePanel {
  #dialog;
  #load;
  #loading = new AbortController();
  #opener = null;
  #title = h("h2", { id: "passage-title", tabindex: "-1" });
  #path = h("p", { class: "passage-path" });
  #text = h("div", { class: "passage-text", tabindex: "0", role: "region", "aria-label": "The passage" });
  #source = h("a", { class: "button primary", target: "_blank", rel: "noopener" }, "Read in the document");

  constructor(dialog, { load, fallbackFocus }) {
    this.#dialog = dialog;
    this.#load = load;
    const close = h("button", { type: "button", class: "close", "aria-label": "Close the passage", onclick: () => dialog.close() }, "×");
    dialog.append(h("div", { class: "drawer-inner" }, h("header", {}, h("div", {}, this.#title, this.#path), close), this.#text, h("footer", {}, this.#source)));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => {
      this.#loading.abort();
      // What opened the passage is gone if its list was drawn anew meanwhile, as when a model arrives: then what stands in its place has the focus.
      // Until the page is drawn, the focus may still be in the closed dialog.
      const isLost = () => document.activeElement === document.body || dialog.contains(document.activeElement);
      if (isLost()) inPlaceOf(this.#opener)?.focus();
      if (isLost()) fallbackFocus.focus();
    });
  }

  /** Shows the passage numbered `chunk`. `quote` is looked for where the spans do not fit the text. */
  async open(chunk, { spans = [], quote } = {}) {
    this.#loading.abort();
    const { signal } = (this.#loading = new AbortController());
    this.#title.textContent = "Loading…";
    this.#path.textContent = "";
    this.#text.replaceChildren();
    this.#text.setAttribute("aria-busy", "true");
    this.#source.hidden = true;
    if (!this.#dialog.open) {
      this.#opener = { name: nameOf(document.activeElement), list: document.activeElement.closest("[id]") };
      this.#dialog.showModal();
    }
    try {
      const passage = await this.#load(chunk, signal);
      if (!signal.aborted) this.#show(passage, spansIn(passage.text, spans, quote), Boolean(quote));
    } catch (error) {
      if (signal.aborted || (error instanceof PocketGraphError && error.code === "aborted")) return;
      this.#title.textContent = "This passage could not be loaded";
      const again = h("button", { type: "button", onclick: () => this.open(chunk, { spans, quote }) }, "Try again");
      this.#text.replaceChildren(h("p", { role: "alert" }, explain(error)), again);
    } finally {
      if (!signal.aborted) this.#text.removeAttribute("aria-busy");
    }
  }

  #show(passage, spans, isQuote) {
    this.#title.textContent = passage.title || "Untitled";
    this.#path.textContent = passage.headingPath.join(" › ");
    const href = safeUrl(passage.url);
    this.#source.hidden = !href;
    if (href) this.#source.href = href;
    const around = (text, name) => text && h("p", { class: `around ${name}` }, text);
    this.#text.replaceChildren(
      ...[
        around(passage.before, "before"),
        h("p", { class: `passage-body${isQuote ? " quoted" : ""}` }, highlighted(passage.text, spans)),
        around(passage.after, "after"),
      ].filter(Boolean),
    );
    this.#title.focus();
    const target = this.#text.querySelector("mark") ?? this.#text.querySelector(".passage-body");
    // Only the drawer's own text scrolls; the page behind it stays.
    this.#text.scrollTop += target.getBoundingClientRect().top - this.#text.getBoundingClientRect().top - this.#text.clientHeight / 3;
  }
}

function nameOf(node) {
  return node.getAttribute("aria-label") ?? node.textContent;
}

/** What has the same name in the same list, or else the first that could be chosen there. */
function inPlaceOf({ name, list }) {
  const all = [...(list?.querySelectorAll("button, [role=button]") ?? [])].filter((node) => node.checkVisibility());
  return all.find((node) => nameOf(node) === name) ?? all[0];
}

function spansIn(text, spans, quote) {
  if (!quote) return spans;
  const fits = spans.some(({ start, end }) => start >= 0 && end <= text.length && start < end);
  if (fits) return spans;
  const start = text.indexOf(quote);
  return start < 0 ? [] : [{ start, end: start + quote.length }];
}
