// Which documents <pocketgraph-ask> searches, as its reader chooses: a select each for language, folder and
// version, where there is more than one of them, and controls for the own fields that the page names.

import { choices, isOrdered } from "./facets.js";
import { h } from "./render.js";

/** Kinds of filters, with the names of the strings for the kind and for documents without a value. */
const KINDS = { language: ["language", ""], version: ["version", "noVersion"], folder: ["folder", ""] };

const NAMES = Object.keys(KINDS);

/** Values of words that are listed; of more, those of the most documents. */
const MOST_VALUES = 50;

/** The controls, in `node`. `onChange(filter)` hears what the reader chose. */
export class AskFilters {
  node = h("div", { part: "filters", role: "group" });
  #strings;
  #onChange;
  #choices = {};
  #fields = [];
  #chosen = {};

  constructor(strings, onChange) {
    this.#strings = strings;
    this.#onChange = onChange;
  }

  /** Offers what `facets` has a choice of, and the own `fields`, with `chosen` chosen. */
  offer(facets, fields, chosen) {
    this.#choices = choices(facets);
    this.#fields = fields;
    this.choose(chosen);
  }

  /** Shows `chosen` as what is chosen. */
  choose(chosen) {
    // What the reader just chose is shown: to draw it anew would take the focus away.
    if (this.node.childElementCount > 0 && JSON.stringify(this.#chosen) === JSON.stringify(chosen ?? {}))
      return;
    this.#chosen = { ...chosen };
    this.relabel();
  }

  /** Says everything in the language that is spoken now. */
  relabel() {
    this.node.setAttribute("aria-label", this.#strings.say("filters"));
    const kinds = NAMES.filter((kind) => this.#choices[kind]?.length > 0);
    const ordered = this.#fields.filter(({ kind }) => isOrdered(kind));
    this.node.hidden = kinds.length + this.#fields.length === 0;
    this.node.replaceChildren(
      ...kinds.map((kind) => this.#places(kind)),
      ...this.#fields.map((field) => (isOrdered(field.kind) ? this.#range(field) : this.#values(field))),
      ...(ordered.length > 0 ? [this.#sorting(ordered)] : []),
    );
  }

  #change(name, value) {
    const { [name]: before, ...others } = this.#chosen;
    this.#chosen = value === undefined ? others : { ...others, [name]: value };
    this.#onChange({ ...this.#chosen });
  }

  /** A select whose first option is for no choice; each other one has a value and a label. */
  #select(kind, label, none, options) {
    const chosen = this.#chosen[kind];
    const attributes = {
      part: "filter",
      "aria-label": label,
      "data-kind": kind,
      "data-chosen": String(chosen !== undefined),
    };
    const first = h("option", { value: "all" }, `${label}: ${none}`);
    const select = h(
      "select",
      attributes,
      first,
      options.map(([value, text]) => h("option", { value: `=${value}` }, text)),
    );
    select.value = chosen === undefined ? "all" : `=${chosen}`;
    select.addEventListener("change", () => {
      const value = select.value === "all" ? undefined : select.value.slice(1);
      select.dataset.chosen = String(value !== undefined);
      this.#change(kind, value);
    });
    return select;
  }

  /** The conditions on a field that are chosen, without its name. */
  #conditions(name) {
    const own = this.#fieldConditions().filter((condition) => condition.startsWith(`${name}=`));
    return own.map((condition) => condition.slice(name.length + 1));
  }

  #fieldConditions() {
    return [this.#chosen.fields ?? []].flat();
  }

  #changeField(name, values) {
    const others = this.#fieldConditions().filter((condition) => !condition.startsWith(`${name}=`));
    const conditions = [...others, ...values.map((value) => `${name}=${value}`)];
    this.#change("fields", conditions.length > 0 ? conditions : undefined);
  }

  /** A box to check for each value of a field of words. */
  #values({ name, values }) {
    const chosen = this.#conditions(name);
    const boxes = values.slice(0, MOST_VALUES).map(({ value, documents }) => {
      const input = h("input", { type: "checkbox", value });
      input.checked = chosen.includes(value);
      return h("label", {}, input, ` ${value} (${documents})`);
    });
    const node = this.#folded(name, chosen.length > 0, boxes);
    node.addEventListener("change", () => {
      const checked = [...node.querySelectorAll("input")]
        .filter((input) => input.checked)
        .map(({ value }) => value);
      node.dataset.chosen = String(checked.length > 0);
      this.#changeField(name, checked);
    });
    return node;
  }

  /** The ends of a range of numbers or dates. */
  #range({ name, kind, values }) {
    const ends = this.#conditions(name)[0]?.split("..") ?? [];
    const [least, most] = [values[0].value, values.at(-1).value];
    const inputs = ["from", "to"].map((end, at) => {
      const input = h("input", { type: kind, min: least, max: most, step: "any" });
      input.value = ends[at] ?? "";
      return [input, h("label", {}, `${this.#strings.say(end)} `, input)];
    });
    const node = this.#folded(
      name,
      ends.length > 0,
      inputs.map(([, label]) => label),
    );
    node.addEventListener("change", () => {
      const [from, to] = inputs.map(([input]) => input.value);
      node.dataset.chosen = String(Boolean(from || to));
      this.#changeField(name, from || to ? [`${from}..${to}`] : []);
    });
    return node;
  }

  #folded(name, isChosen, content) {
    const group = h("div", { role: "group", "aria-label": titled(name) }, content);
    const attributes = { part: "own-field", "data-field": name, "data-chosen": String(isChosen) };
    return h("details", attributes, h("summary", {}, titled(name)), group);
  }

  /** By relevance, or by a field in either direction. */
  #sorting(fields) {
    const both = ({ name }) => [
      [`-${name}`, `${titled(name)} ↓`],
      [name, `${titled(name)} ↑`],
    ];
    return this.#select(
      "sort",
      this.#strings.say("sort"),
      this.#strings.say("relevance"),
      fields.flatMap(both),
    );
  }

  /** The languages, versions or folders that there are. */
  #places(kind) {
    const [name, none] = KINDS[kind];
    const chosen = this.#chosen[kind];
    // What the page chose may be none of those that are listed.
    const listed =
      this.#choices[kind].includes(chosen) || chosen === undefined
        ? this.#choices[kind]
        : [chosen, ...this.#choices[kind]];
    const options = listed.map((value) => [value, this.#name(kind, value, none)]);
    return this.#select(kind, this.#strings.say(name), this.#strings.say("all"), options);
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
  return titled(name) || last;
}

/** `release_date` as `Release date`. */
function titled(name) {
  const words = name.replace(/[-_]+/g, " ").trim();
  return words && words[0].toLocaleUpperCase() + words.slice(1);
}
