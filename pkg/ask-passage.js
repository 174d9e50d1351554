// A passage in full: the words that are cited from it marked, what stands around it, the way to its page.
// Loaded when one is first opened.

import { leaveFor, pointTo } from "./quoted-link.js";
import { h, highlighted, safeUrl } from "./render.js";

/** A modal `<dialog>`: the browser keeps the focus inside and closes it on Esc. */
export class PassageDialog {
  #strings;
  #loading = new AbortController();
  #back = () => null;
  #title = h("h2", { part: "passage-title", id: "pocketgraph-passage", tabindex: "-1", dir: "auto" });
  #path = h("p", { part: "passage-path", dir: "auto" });
  #text = h("div", { part: "passage-text", tabindex: "0", role: "region", dir: "auto" });
  #link = h("a", { part: "passage-link" });
  #close;

  constructor(strings) {
    this.#strings = strings;
    this.#close = h("button", { type: "button", part: "close", onclick: () => this.node.close() }, "×");
    const head = h("header", { part: "passage-head" }, h("div", {}, this.#title, this.#path), this.#close);
    this.node = h(
      "dialog",
      { part: "passage", "aria-labelledby": "pocketgraph-passage" },
      head,
      this.#text,
      h("footer", { part: "passage-foot" }, this.#link),
    );
    this.node.addEventListener("click", (event) => event.target === this.node && this.node.close());
    this.node.addEventListener("close", () => {
      // The event comes a while after the closing: another passage may have been opened in between.
      if (this.node.open) return;
      this.#loading.abort();
      this.#back()?.focus();
    });
  }

  /**
   * Shows the passage that `load(signal)` resolves to, with the words of `citation` marked; what else a
   * citation has, such as its title, stands there meanwhile. `back()` is what has the focus afterwards;
   * `explain(error)` says why there is no passage.
   */
  async open(load, citation, back, explain) {
    const say = (name) => this.#strings.say(name);
    this.#loading.abort();
    const { signal } = (this.#loading = new AbortController());
    this.#back = back;
    this.#close.setAttribute("aria-label", say("close"));
    this.#text.setAttribute("aria-label", say("passage"));
    this.#link.textContent = say("openPage");
    this.#head(citation, say("opening"));
    this.#text.replaceChildren(h("p", {}, say("opening")));
    if (!this.node.open) this.node.showModal();
    this.#title.focus();
    try {
      const passage = await load(signal);
      if (signal.aborted) return;
      this.#head(passage, say("untitled"));
      this.#show(passage, citation);
    } catch (error) {
      if (signal.aborted) return;
      const again = h(
        "button",
        { type: "button", part: "retry", onclick: () => this.open(load, citation, back, explain) },
        say("retry"),
      );
      this.#text.replaceChildren(h("p", { role: "alert" }, explain(error)), again);
    }
  }

  #head({ title, headingPath, url }, untitled) {
    this.#title.textContent = title || untitled;
    this.#path.textContent = (headingPath ?? []).join(" › ");
    const href = url && safeUrl(url);
    this.#link.hidden = !href;
    this.#link.onclick = null;
    if (href) this.#link.href = href;
  }

  #show(passage, citation) {
    const around = (text) => text && h("p", { part: "passage-around" }, text);
    const spans = spansIn(passage.text, citation);
    const look = { part: "passage-body", lang: passage.language || undefined };
    const body = h("p", look, highlighted(passage.text, spans));
    const href = passage.url && safeUrl(passage.url);
    if (href) {
      this.#link.href = pointTo(href, passage.text, spans[0]);
      this.#link.onclick = (event) => leaveFor(href, passage.text, spans[0], event);
    }
    this.#text.replaceChildren(...[around(passage.before), body, around(passage.after)].filter(Boolean));
    (this.#text.querySelector("mark") ?? body).scrollIntoView({ block: "center" });
  }
}

function spansIn(text, { span, quote }) {
  if (span && span.start >= 0 && span.end <= text.length && span.start < span.end) return [span];
  const start = quote ? text.indexOf(quote) : -1;
  return start < 0 ? [] : [{ start, end: start + quote.length }];
}
