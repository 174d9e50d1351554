// <pocketgraph-ask mode="panel">: the dialog as a panel at the side of the page, which stays usable beside
// it. On the next page of the tab the panel is as it was left. Loaded only by elements that have the mode.

import { AskDialog } from "./ask-dialog.js";
import { isComposed } from "./dom.js";
import { adoptSheet, sharedSheet } from "./style-sheet.js";

/** Narrower pages are covered by the panel. */
const NARROW = "(max-width: 40em)";
const HAS_POPOVERS = typeof HTMLElement.prototype.showPopover === "function";
/** Maximum number of characters that are kept of a panel. */
const MOST_KEPT = 500_000;

const panelStyle = sharedSheet(`
[part="dialog"] {
  position: fixed; inset-block: 0; inset-inline: auto 0; z-index: 1000; width: min(26rem, 100vw); height: 100dvh;
  max-height: none; margin: 0; border-radius: 0; border-block: 0; border-inline-end: 0;
}
[part="dialog"]:popover-open { display: flex; flex-direction: column; }
[part="dialog"]:popover-open::backdrop { background: none; }
@media ${NARROW} { [part="dialog"] { width: 100vw; } }
`);

/** The panel of one element. */
export class AskPanel extends AskDialog {
  #host;
  #key;
  #state;
  #restore;
  #keeping = null;

  /**
   * `state()` returns what is shown, as JSON can have it, or null; `restore(state)` shows it. `bundle` is the
   * bundle's address.
   */
  constructor(host, { bundle, state, restore, ...parts }) {
    super(host, parts);
    this.#host = host;
    this.#key = `pocketgraph-panel ${bundle}`;
    this.#state = state;
    this.#restore = restore;
    adoptSheet(host.shadowRoot, panelStyle());
    // In the top layer nothing of the page covers the panel.
    if (HAS_POPOVERS) this.node.popover = "manual";
    this.node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || isComposed(event) || event.defaultPrevented || this.#coversPage()) return;
      // Browsers empty the box by this key.
      event.preventDefault();
      this.close();
    });
  }

  attach() {
    super.attach();
    if (this.#keeping) return;
    this.#keeping = new AbortController();
    addEventListener("pagehide", () => this.#keep(), { signal: this.#keeping.signal });
  }

  detach() {
    if (this.#keeping) this.#keep();
    this.#keeping?.abort();
    this.#keeping = null;
    super.detach();
  }

  get isOpen() {
    return this.node.open || (HAS_POPOVERS && this.node.matches(":popover-open"));
  }

  show() {
    if (matchMedia(NARROW).matches) this.node.showModal();
    else this.#showBeside();
  }

  close() {
    if (!this.isOpen || this.node.open) return super.close();
    const isFocused = this.node.matches(":focus-within");
    this.node.hidePopover();
    if (isFocused) this.#host.shadowRoot.querySelector("[part=trigger]").focus();
    this.node.dispatchEvent(new Event("close"));
  }

  leave() {
    // Beside the page the panel hides nothing of what the reader turns to.
    if (this.#coversPage()) this.close();
  }

  /** Shows what the tab's page before this one left. The focus stays with the page. */
  resume() {
    const { open, shown } = this.#kept();
    if (open === true && !this.isOpen && !matchMedia(NARROW).matches) {
      // What is inert takes no focus.
      this.node.inert = true;
      this.#showBeside();
      this.node.inert = false;
      this.#host.dispatchEvent(new CustomEvent("pocketgraph-show", { bubbles: true, composed: true }));
    }
    if (shown) this.#restore(shown);
  }

  #coversPage() {
    return this.node.matches(":modal");
  }

  #showBeside() {
    if (HAS_POPOVERS) this.node.showPopover();
    else this.node.setAttribute("open", "");
  }

  #kept() {
    try {
      const text = sessionStorage.getItem(this.#key) ?? "";
      return (text.length <= MOST_KEPT && JSON.parse(text)) || {};
    } catch {
      return {};
    }
  }

  #keep() {
    try {
      sessionStorage.setItem(this.#key, JSON.stringify({ open: this.isOpen, shown: this.#state() }));
    } catch {
      // Full, or switched off.
    }
  }
}
