// <pocketgraph-ask mode="dialog">: the dialog, its keys, and what opens it. Loaded only by elements that have
// the mode.
//
// The box is a combobox whose results are a listbox (WAI-ARIA Authoring Practices 1.2): the focus stays in
// the box, the arrows choose, Enter opens what is chosen, or asks.

import { isComposed } from "./dom.js";
import { h } from "./render.js";
import { adoptSheet, sharedSheet } from "./style-sheet.js";

const dialogStyle = sharedSheet(`
[role="option"] {
  display: block; padding: 0.5rem 0.7rem; border-radius: calc(var(--_radius) * 0.7); cursor: pointer;
}
.unseen ~ [role="option"] ~ [role="option"] {
  margin-inline-start: 0.9rem; border-inline-start: 1px solid var(--_line);
  border-start-start-radius: 0; border-end-start-radius: 0;
}
[role="option"][aria-selected="true"] {
  background: var(--_raised); box-shadow: inset 3px 0 0 var(--_accent);
}
:dir(rtl)[role="option"][aria-selected="true"] { box-shadow: inset -3px 0 0 var(--_accent); }
[part="ask-option"] { font-weight: 600; }
[part="ask-option"]::before { content: "✦ "; color: var(--_accent); }
[part="dialog"] {
  width: min(46rem, calc(100vw - 2rem)); max-width: none; max-height: min(80dvh, 48rem);
  margin-block: 8dvh auto; margin-inline: auto; border-radius: calc(var(--_radius) * 1.4);
  box-shadow: 0 24px 60px -12px rgb(0 0 0 / 45%); overflow: hidden;
}
[part="dialog"][open] { display: flex; flex-direction: column; }
[part="dialog"] [part="form"] { padding: 0.7rem; border-block-end: 1px solid var(--_line); flex: none; }
[part="dialog"] [part="results"] {
  flex: 1; min-height: 0; overflow-y: auto; padding: 0.2rem 0.9rem 0.9rem; overscroll-behavior: contain;
}
[part="hints"] {
  display: flex; gap: 1.2rem; padding: 0.5rem 0.9rem; border-block-start: 1px solid var(--_line);
  color: var(--_soft); font-size: 0.78rem; flex: none;
}
[part="hints"] kbd + kbd { margin-inline-start: 0.2rem; }
@media (hover: none), (max-width: 40em) { [part="hints"] { display: none; } }
@media (max-width: 40em) {
  [part="dialog"] { width: 100vw; height: 100dvh; max-height: none; margin: 0; border: 0; border-radius: 0; }
  [part="dialog"] [part="button"] { display: none; }
}
@media (forced-colors: active) {
  [role="option"][aria-selected="true"] { outline: 2px solid Highlight; outline-offset: -2px; }
}
`);

/** The dialog of one element. */
export class AskDialog {
  #host;
  #field;
  #view;
  #strings;
  #stop;
  /** The dialog's own element. */
  node;
  #hints = h("div", { part: "hints", "aria-hidden": "true" });
  #closer;
  #active = null;
  /** Text of the suggestion that the reader chose in an earlier list, and has left for nothing else. */
  #suggestion = null;
  #listening = null;

  constructor(host, { root, field, view, strings, stop }) {
    this.#host = host;
    this.#field = field;
    this.#view = view;
    this.#strings = strings;
    this.#stop = stop;
    adoptSheet(host.shadowRoot, dialogStyle());
    this.#closer = h("button", { type: "button", part: "close", onclick: () => this.close() });
    field.form.append(this.#closer);
    this.node = h("dialog", { part: "dialog" }, field.form, ...view.nodes, this.#hints);
    this.node.addEventListener("click", (event) => event.target === this.node && this.leave());
    this.node.addEventListener("close", () =>
      host.dispatchEvent(new CustomEvent("pocketgraph-close", { bubbles: true, composed: true })),
    );
    root.append(this.node);
    const { input } = field;
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-controls", view.hits.id);
    input.setAttribute("aria-haspopup", "listbox");
    input.setAttribute("aria-expanded", "false");
    input.addEventListener("keydown", (event) => this.#key(event));
    // What was chosen belongs to what was written before.
    input.addEventListener("input", () => this.#turnTo(null));
    view.hits.addEventListener("pointermove", (event) =>
      this.#turnTo(event.target.closest("[role=option]"), { scroll: false }),
    );
  }

  /** Says everything in the language that is spoken now. */
  relabel() {
    const say = (name) => this.#strings.say(name);
    this.node.setAttribute("aria-label", this.#host.getAttribute("label") ?? say("search"));
    this.#closer.textContent = "Esc";
    // A name has what is seen in it.
    this.#closer.setAttribute("aria-label", `${say("close")}: Esc`);
    const hint = (keys, name) => h("span", {}, ...keys.map((key) => h("kbd", {}, key)), ` ${say(name)}`);
    this.#hints.replaceChildren(
      hint(["↵"], "hintOpen"),
      hint(["↑", "↓"], "hintMove"),
      hint(["esc"], "hintClose"),
    );
  }

  /** Hears the keys and the elements of the page that open it. */
  attach() {
    if (this.#listening) return;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    document.addEventListener("keydown", (event) => this.#shortcut(event), { signal });
    document.addEventListener("click", (event) => this.#opener(event), { signal });
  }

  /** Hears them no more. */
  detach() {
    this.#listening?.abort();
    this.#listening = null;
    this.close();
  }

  /** Returns true while the dialog is shown. */
  get isOpen() {
    return this.node.open;
  }

  /** Shows the dialog, above a page that waits for it. */
  show() {
    this.node.showModal();
  }

  open() {
    if (!this.isOpen) {
      this.show();
      this.#host.dispatchEvent(new CustomEvent("pocketgraph-show", { bubbles: true, composed: true }));
    }
    this.#field.input.focus();
    this.#field.input.select();
  }

  close() {
    if (this.isOpen) this.node.close();
  }

  /** The reader turns to the page. */
  leave() {
    this.close();
  }

  /**
   * The list is another one: what the reader chose in it stays chosen; else, while one types, its first line
   * is, which asks.
   */
  resultsChanged({ typing }) {
    const options = this.#options();
    this.#field.input.setAttribute("aria-expanded", String(options.length > 0));
    const chunk = this.#active?.dataset.chunk;
    // The list may change again before the suggestions are back.
    if (isSuggestion(this.#active)) this.#suggestion = this.#active.textContent;
    const kept = chunk && options.find((option) => option.dataset.chunk === chunk);
    this.#choose(kept || (typing && options[0]?.getAttribute("part") === "ask-option" ? options[0] : null));
  }

  /** Suggestions came into the list: the one that the reader chose before stays chosen. */
  suggestionsShown() {
    const same = (option) => isSuggestion(option) && option.textContent === this.#suggestion;
    const kept = this.#options().find(same);
    if (kept) this.#choose(kept);
  }

  #options() {
    return [...this.#view.hits.querySelectorAll("[role=option]")];
  }

  /** The reader chooses. */
  #turnTo(option, how) {
    this.#suggestion = null;
    this.#choose(option, how);
  }

  #choose(option, { scroll = true } = {}) {
    if (option === this.#active && option?.isConnected) return;
    this.#active?.setAttribute("aria-selected", "false");
    this.#active = option ?? null;
    const { input } = this.#field;
    if (!option) {
      input.removeAttribute("aria-activedescendant");
      return;
    }
    option.setAttribute("aria-selected", "true");
    input.setAttribute("aria-activedescendant", option.id);
    if (scroll) option.scrollIntoView({ block: "nearest" });
  }

  #key(event) {
    // While an input method composes, its keys are its own.
    if (isComposed(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      const options = this.#options();
      if (options.length === 0) return;
      event.preventDefault();
      const at = options.indexOf(this.#active);
      const next =
        at < 0 ? (step > 0 ? 0 : options.length - 1) : (at + step + options.length) % options.length;
      this.#turnTo(options[next]);
    } else if (event.key === "Enter" && this.#active?.isConnected) {
      event.preventDefault();
      // A link by its own way, so that a page's router sees it; with a key held down the browser decides
      // where.
      this.#active.dispatchEvent(
        new MouseEvent("click", {
          bubbles: true,
          cancelable: true,
          composed: true,
          ctrlKey: event.ctrlKey,
          metaKey: event.metaKey,
          shiftKey: event.shiftKey,
        }),
      );
      if (this.#active?.matches("a[href]") && !event.ctrlKey && !event.metaKey && !event.shiftKey)
        this.leave();
    } else if (
      event.key === "Escape" &&
      this.#field.input.value &&
      this.#view.answer.getAttribute("aria-busy") === "true"
    ) {
      event.preventDefault();
      this.#stop();
      this.#view.answering?.showStopped();
    }
  }

  #shortcut(event) {
    // While an input method composes, its keys are its own. A key that is held down is pressed once.
    if (
      event.defaultPrevented ||
      isComposed(event) ||
      event.repeat ||
      this.#host.getAttribute("shortcut") === "off"
    )
      return;
    const [target] = event.composedPath();
    if (event.altKey || (target !== this.#field.input && isEditor(target))) return;
    const command = (event.metaKey || event.ctrlKey) && !event.shiftKey && isK(event);
    const slash = isSlash(event) && !event.metaKey && !event.ctrlKey && !target.matches?.(FIELDS);
    if (!command && !slash) return;
    event.preventDefault();
    if (command && this.isOpen) this.close();
    else this.open();
  }

  /**
   * `data-pocketgraph-open` on any element of the page opens the dialog; its value, where it has one, is
   * asked.
   */
  #opener(event) {
    const opener = event.target.closest?.("[data-pocketgraph-open]");
    if (!opener || event.defaultPrevented) return;
    event.preventDefault();
    const question = opener.getAttribute("data-pocketgraph-open").trim();
    if (question) this.#host.ask(question);
    else this.open();
  }
}

/** Elements in which a slash is text, or that look for an option that begins with it. */
const FIELDS =
  "textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=reset], " +
  "[type=range], [type=color], [type=file])";

function isSuggestion(option) {
  return option?.getAttribute("part") === "question";
}

/** Returns true if the key is K, by its place on keyboards that write other letters than Latin ones. */
function isK({ key, code }) {
  return key.toLowerCase() === "k" || (code === "KeyK" && !/^[a-z]$/i.test(key));
}

/** Recognises the slash: by its place where the keyboard writes a letter of another script there. */
function isSlash({ key, code }) {
  return key === "/" || (code === "Slash" && /^[^\p{ASCII}]$/u.test(key));
}

/**
 * Elements that can have the focus. Another element with the focus has a closed shadow root, and perhaps an
 * editor inside it.
 */
const FOCUSABLE =
  "a, area, button, input, textarea, select, summary, iframe, audio, video, body, html, [tabindex]";

/** Returns true if `node` may be inside an editor, which has commands of its own for keys. */
function isEditor(node) {
  if (!node?.matches) return false;
  if (node.isContentEditable || node.closest("[role=textbox], [role=searchbox], [role=combobox]"))
    return true;
  const isCustom = node.localName.includes("-");
  return (
    !node.shadowRoot && node === node.ownerDocument.activeElement && (isCustom || !node.matches(FOCUSABLE))
  );
}
