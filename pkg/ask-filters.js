// Which documents <pocketgraph-ask> searches, as its reader chooses: a select each for language, folder and
// version, where there is more than one of them.

import { choices } from "./facets.js";
import { h } from "./render.js";

/** Kinds of filters, with the names of the strings for the kind and for documents without a value. */
const KINDS = { language: ["language", ""], version: ["version", "noVersion"], folder: ["folder", ""] };

const NAMES = Object.keys(KINDS);

/** The selects, in `node`. `onChange(filter)` hears what the reader chose. */
export class AskFilters {
  node = h("div", { part: "filters", role: "group" });
  #strings;
  #onChange;
  #choices = {};
  #chosen = {};

  constructor(strings, onChange) {
    this.#strings = strings;
    this.#onChange = onChange;
  }

  /** Offers what `facets` has a choice of, with `chosen` chosen. */
  offer(facets, chosen) {
    this.#choices = choices(facets);
    this.choose(chosen);
  }

  /** Shows `chosen` as what is chosen. */
  choose(chosen) {
    // What the reader just chose is shown: to draw it anew would take the focus away.
    if (this.node.childElementCount > 0 && NAMES.every((kind) => this.#chosen[kind] === chosen?.[kind])) return;
    this.#chosen = { ...chosen };
    this.relabel();
  }

  /** Says everything in the language that is spoken now. */
  relabel() {
    this.node.setAttribute("aria-label", this.#strings.say("filters"));
    const kinds = NAMES.filter((kind) => this.#choices[kind]?.length > 0);
    this.node.hidden = kinds.length === 0;
    this.node.replaceChildren(...kinds.map((kind) => this.#select(kind)));
  }

  #select(kind) {
    const [name, none] = KINDS[kind];
    const all = h("option", { value: "all" }, `${this.#strings.say(name)}: ${this.#strings.say("all")}`);
    const chosen = this.#chosen[kind];
    // What the page chose may be none of those that are listed.
    const listed = this.#choices[kind].includes(chosen) || chosen === undefined ? this.#choices[kind] : [chosen, ...this.#choices[kind]];
    const options = listed.map((value) => h("option", { value: `=${value}` }, this.#name(kind, value, none)));
    const select = h("select", { part: "filter", "aria-label": this.#strings.say(name), "data-kind": kind, "data-chosen": chosen !== undefined }, all, options);
    select.value = chosen === undefined ? "all" : `=${chosen}`;
    select.addEventListener("change", () => {
      const { [kind]: before, ...others } = this.#chosen;
      this.#chosen = select.value === "all" ? others : { ...others, [kind]: select.value.slice(1) };
      select.dataset.chosen = String(kind in this.#chosen);
      this.#onChange({ ...this.#chosen });
    });
    return select;
  }

  #name(kind, value, none) {
    if (value === "") return this.#strings.say(none);
    if (kind === "language") return this.#strings.languageName(value);
    return kind === "folder" ? folderName(value) : value;
  }
}

/** `docs/getting-started` as `Getting started`. */
function folderName(folder) {
  const last = folder.slice(folder.lastIndexOf("/") + 1);
  let name = last;
  try {
    name = decodeURIComponent(last);
  } catch {
    // It is no address as addresses are written, and shown as it is.
  }
  name = name.replace(/[-_]+/g, " ").trim() || last;
  return name[0].toLocaleUpperCase() + name.slice(1);
}
