// The settings: how to search, and an LLM endpoint for written answers. Everything here lives in this object
// and nowhere else: no storage, no address, no cookie. Reloading the page forgets it, the key first of all.
// What is kept for use without a network, if the reader asks for that, is the affair of offline-panel.js.

import { h } from "./pkg/render.js";

// Labels are short enough for a telephone, whose select boxes cut what is longer.
const RETRIEVERS = [
  ["auto", "Auto: best for most"],
  ["hybrid", "Hybrid: words and meaning"],
  ["autokg", "AutoKG: by keyword graph"],
  ["dense", "Dense: meaning alone"],
  ["lexical", "Lexical: words alone"],
];

const PLANNERS = [
  ["auto", "auto: rules first"],
  ["rules", "rules alone"],
  ["trained", "trained, else rules"],
  ["llm", "the model, else rules"],
];

const PROTOCOLS = [
  ["", "from the passages found"],
  ["plan", "by a plan over the graph"],
  ["search-r1", "Search-R1: think, search"],
  ["react", "ReAct: think, act"],
  ["self-ask", "Self-Ask: asks itself"],
  ["search-o1", "Search-o1: in mid-thought"],
  ["lpkg", "LPKG: a plan of its own"],
  ["graphrag-global", "GraphRAG: over reports"],
  ["graph-rft", "Graph-RFT: follows a plan"],
  ["tool-calling", "tool calling"],
];

const MOST_SECONDS = 3600;
const MOST_TOKENS = 100_000;

/** The settings dialog and what it holds. */
export class SettingsPanel {
  #dialog;
  #opener;
  #onChange;
  #offline;
  #search = { retriever: "auto", k: 10 };
  #llm = null;
  #language = "";
  #protocol = "";
  #planner = "auto";
  /** Seconds and tokens that an answer may take; null where the engine's own numbers hold. */
  #seconds = null;
  #tokens = null;
  #fields = {};
  #problem = h("p", { class: "form-problem", role: "alert" });

  constructor(dialog, opener, onChange, offline) {
    this.#dialog = dialog;
    this.#offline = offline;
    this.#opener = opener;
    this.#onChange = onChange;
    opener.addEventListener("click", () => this.#open());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.append(this.#form());
    this.#label();
  }

  get retriever() {
    return this.#search.retriever;
  }

  get k() {
    return this.#search.k;
  }

  /** The LLM endpoint, or null: answers are then quoted. */
  get llm() {
    return this.#llm && { ...this.#llm };
  }

  /** Options for a written answer. */
  get options() {
    return {
      ...(this.#language && { language: this.#language }),
      ...(this.#protocol && { protocol: this.#protocol }),
      // The only protocol that reads it: elsewhere it would be refused.
      ...(this.#protocol === "plan" && { planner: this.#planner }),
      ...(this.#seconds && { timeLimitMs: this.#seconds * 1000 }),
      ...(this.#tokens && { maxOutputTokens: this.#tokens }),
    };
  }

  #form() {
    const f = this.#fields;
    const off = { autocomplete: "off", autocapitalize: "off", spellcheck: "false" };
    f.retriever = h(
      "select",
      { id: "retriever" },
      RETRIEVERS.map(([value, label]) => h("option", { value }, label)),
    );
    f.k = h("input", {
      id: "k",
      type: "number",
      min: 1,
      max: 50,
      step: 1,
      required: true,
      inputmode: "numeric",
    });
    f.baseUrl = h("input", { id: "llm-url", type: "url", placeholder: "https://api.example.org/v1", ...off });
    f.model = h("input", { id: "llm-model", type: "text", placeholder: "name of a model", ...off });
    f.apiKey = h("input", {
      id: "llm-key",
      type: "password",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
    });
    f.language = h("input", { id: "llm-language", type: "text", placeholder: "the question's own", ...off });
    f.planner = h(
      "select",
      { id: "llm-planner" },
      PLANNERS.map(([value, label]) => h("option", { value }, label)),
    );
    f.protocol = h(
      "select",
      { id: "llm-protocol" },
      PROTOCOLS.map(([value, label]) => h("option", { value }, label)),
    );
    f.seconds = h("input", {
      id: "llm-seconds",
      type: "number",
      min: 1,
      max: MOST_SECONDS,
      step: 1,
      inputmode: "numeric",
      placeholder: "300",
    });
    f.tokens = h("input", {
      id: "llm-tokens",
      type: "number",
      min: 1,
      max: MOST_TOKENS,
      step: 1,
      inputmode: "numeric",
      placeholder: "1024, or the protocol's own",
    });
    const form = h(
      "form",
      { novalidate: true },
      h(
        "header",
        {},
        h("h2", { id: "settings-title" }, "Settings"),
        h(
          "button",
          {
            type: "button",
            class: "close",
            "aria-label": "Close the settings",
            onclick: () => this.#dialog.close(),
          },
          "×",
        ),
      ),
      h("fieldset", {}, h("legend", {}, "Search"), field("Ranking", f.retriever), field("Passages", f.k)),
      h(
        "fieldset",
        {},
        h("legend", {}, "Written answers"),
        h(
          "p",
          { class: "form-note" },
          "Without an endpoint, answers come from the knowledge graph or are quoted from the documents. " +
            "With one, it is sent your question and the passages found, and its citations are checked.",
        ),
        field("Base URL", f.baseUrl),
        field("Model", f.model),
        field("Key", f.apiKey, "Kept in this page's memory only. Reloading forgets it."),
        field("Answer in", f.language),
        field("It answers", f.protocol),
        field("Plans are made by", f.planner),
        field(
          "Seconds",
          f.seconds,
          "The most that an answer may take. Raise it for a model on a slow machine.",
        ),
        field("Tokens", f.tokens, "The most of one reply. Raise it for a model that thinks first."),
      ),
      this.#offline.node,
      this.#problem,
      h(
        "footer",
        {},
        h("button", { type: "button", onclick: () => this.#forget() }, "Forget the endpoint"),
        h("button", { type: "submit", class: "primary" }, "Use these"),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#apply();
    });
    return form;
  }

  #open() {
    const f = this.#fields;
    f.retriever.value = this.#search.retriever;
    f.k.value = this.#search.k;
    f.baseUrl.value = this.#llm?.baseUrl ?? "";
    f.model.value = this.#llm?.model ?? "";
    f.apiKey.value = this.#llm?.apiKey ?? "";
    f.language.value = this.#language;
    f.protocol.value = this.#protocol;
    f.planner.value = this.#planner;
    f.seconds.value = this.#seconds ?? "";
    f.tokens.value = this.#tokens ?? "";
    this.#complain(null);
    this.#offline.refresh();
    this.#dialog.showModal();
  }

  #apply() {
    const f = this.#fields;
    const k = Number(f.k.value);
    if (!Number.isInteger(k) || k < 1 || k > 50)
      return this.#complain(f.k, "Between 1 and 50 passages, please.");
    const baseUrl = f.baseUrl.value.trim();
    const model = f.model.value.trim();
    if (baseUrl && !isEndpoint(baseUrl))
      return this.#complain(
        f.baseUrl,
        "The base URL starts with https:// (or http:// on this machine), such as https://api.example.org/v1.",
      );
    if (baseUrl && !model)
      return this.#complain(f.model, "Which model should answer? The endpoint wants its name.");
    if (model && !baseUrl) return this.#complain(f.baseUrl, "A model needs the base URL of its endpoint.");
    const seconds = wholeNumber(f.seconds, MOST_SECONDS);
    if (Number.isNaN(seconds))
      return this.#complain(f.seconds, `Between 1 and ${MOST_SECONDS} seconds, please, or none.`);
    const tokens = wholeNumber(f.tokens, MOST_TOKENS);
    if (Number.isNaN(tokens))
      return this.#complain(f.tokens, `Between 1 and ${MOST_TOKENS} tokens, please, or none.`);
    this.#search = { retriever: f.retriever.value, k };
    this.#llm = baseUrl ? { baseUrl, model, ...(f.apiKey.value && { apiKey: f.apiKey.value }) } : null;
    this.#language = f.language.value.trim();
    this.#protocol = f.protocol.value;
    this.#planner = f.planner.value;
    this.#seconds = seconds;
    this.#tokens = tokens;
    this.#finish();
  }

  #forget() {
    this.#llm = null;
    for (const name of ["baseUrl", "model", "apiKey"]) this.#fields[name].value = "";
    this.#finish();
  }

  #finish() {
    this.#fields.apiKey.value = "";
    this.#label();
    this.#dialog.close();
    this.#onChange();
  }

  #complain(field, message = "") {
    for (const other of Object.values(this.#fields)) other.removeAttribute("aria-invalid");
    this.#problem.textContent = message;
    field?.setAttribute("aria-invalid", "true");
    field?.focus();
  }

  #label() {
    this.#opener.replaceChildren(
      h("span", {}, "Settings"),
      h("span", { class: "mode" }, this.#llm ? this.#llm.model : "quoted answers"),
    );
  }
}

/** A field's whole number from 1 on, null where it is empty, and NaN where it holds something else. */
function wholeNumber(input, most) {
  if (!input.value && !input.validity.badInput) return null;
  const number = Number(input.value);
  return Number.isInteger(number) && number >= 1 && number <= most ? number : NaN;
}

let hints = 0;

function field(label, control, hint) {
  const id = hint && `hint-${++hints}`;
  if (id) control.setAttribute("aria-describedby", id);
  return h(
    "div",
    { class: "form-field" },
    h("label", { for: control.id }, label),
    control,
    hint && h("p", { class: "form-hint", id }, hint),
  );
}

function isEndpoint(text) {
  try {
    const { protocol, hostname } = new URL(text, document.baseURI);
    return (
      protocol === "https:" ||
      (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]", location.hostname].includes(hostname))
    );
  } catch {
    return false;
  }
}
