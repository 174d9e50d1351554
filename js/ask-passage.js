// A cited passage in full: the cited words marked, what stands around it, the way to its page. Loaded when a citation is first opened.

import { h, highlighted, safeUrl } from "./render.js";

/** A modal `<dialog>`: the browser keeps the focus inside and closes it on Esc. */
export class PassageDialog {
  #strings;
  #loading = new AbortController();
  #opener = null;
  #title = h("h2", { part: "passage-title", id: "pocketgraph-passage", tabindex: "-1", dir: "auto" });
  #path = h("p", { part: "passage-path", dir: "auto" });
  #text = h("div", { part: "passage-text", tabindex: "0", role: "region", dir: "auto" });
  #link = h("a", { part: "passage-link" });
  #close;

  constructor(strings) {
    this.#strings = strings;
    this.#close = h("button", { type: "button", part: "close", onclick: () => this.node.close() }, "×");
    const head = h("header", { part: "passage-head" }, h("div", {}, this.#title, this.#path), this.#close);
    this.node = h("dialog", { part: "passage", "aria-labelledby": "pocketgraph-passage" }, head, this.#text, h("footer", { part: "passage-foot" }, this.#link));
    this.node.addEventListener("click", (event) => event.target === this.node && this.node.close());
    this.node.addEventListener("close", () => {
      this.#loading.abort();
      this.#opener?.focus?.();
    });
  }

  /** Shows what `load(signal)` resolves to, with the words of `citation` marked. `explain(error)` says why it cannot. */
  async open(load, citation, opener, explain) {
    const say = (name) => this.#strings.say(name);
    this.#loading.abort();
    const { signal } = (this.#loading = new AbortController());
    this.#opener = opener;
    this.#close.setAttribute("aria-label", say("close"));
    this.#text.setAttribute("aria-label", say("passage"));
    this.#link.textContent = say("openPage");
    this.#title.textContent = citation.title || say("untitled");
    this.#path.textContent = (citation.headingPath ?? []).join(" › ");
    this.#text.replaceChildren(h("p", {}, say("opening")));
    const href = citation.url && safeUrl(citation.url);
    this.#link.hidden = !href;
    if (href) this.#link.href = href;
    if (!this.node.open) this.node.showModal();
    this.#title.focus();
    try {
      const passage = await load(signal);
      if (!signal.aborted) this.#show(passage, citation);
    } catch (error) {
      if (signal.aborted) return;
      const again = h("button", { type: "button", part: "retry", onclick: () => this.open(load, citation, opener, explain) }, say("retry"));
      this.#text.replaceChildren(h("p", { role: "alert" }, explain(error)), again);
    }
  }

  #show(passage, citation) {
    const around = (text) => text && h("p", { part: "passage-around" }, text);
    const body = h("p", { part: "passage-body", lang: passage.lang }, highlighted(passage.text, spansIn(passage.text, citation)));
    this.#text.replaceChildren(...[around(passage.before), body, around(passage.after)].filter(Boolean));
    (this.#text.querySelector("mark") ?? body).scrollIntoView({ block: "center" });
  }
}

function spansIn(text, { span, quote }) {
  if (span && span.start >= 0 && span.end <= text.length && span.start < span.end) return [span];
  const start = quote ? text.indexOf(quote) : -1;
  return start < 0 ? [] : [{ start, end: start + quote.length }];
}
