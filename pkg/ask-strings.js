// Every word that <pocketgraph-ask> says of its own accord. English is here; the other languages are loaded
// where a page is in one of them.

/**
 * English, but for what is said with answers (ask-answer-words.js). What depends on a number is an object by
 * plural category (Intl.PluralRules), with `{n}` for the number.
 */
export const ENGLISH = {
  placeholder: "Ask the documents",
  search: "Search",
  ask: "Ask",
  askThis: "Ask “{text}”",
  clear: "Clear",
  close: "Close",
  back: "Back",
  results: "Results",
  resultCount: { one: "{n} result", other: "{n} results" },
  noResults: "Nothing was found for this.",
  noResultsHint: "Try other words, or fewer of them.",
  untitled: "Untitled",
  alsoIn: "Also in",
  opening: "Opening…",
  answer: "Answer",
  retry: "Try again",
  recent: "Recent questions",
  starred: "Starred questions",
  star: "Star “{text}”",
  unstar: "Unstar “{text}”",
  forget: "Remove “{text}”",
  suggested: "You could ask",
  filters: "Filters",
  language: "Language",
  folder: "Section",
  version: "Version",
  all: "all",
  noVersion: "No version",
  from: "from",
  to: "to",
  sort: "Sort by",
  relevance: "relevance",
  thisPage: "Ask about this page",
  hintOpen: "open",
  hintMove: "move",
  hintClose: "close",
  partly: "Some of the documents could not be loaded, so results may be missing.",
  errorNetwork: "The documents could not be reached. Check the connection, then try again.",
  errorHost:
    "A file of the search is missing or damaged on this site. Trying again may help; if it does not, the " +
    "site's owner should publish it anew.",
  errorVersion:
    "This search was published for another version of the page. Reload the page; if that does not help, " +
    "tell the site's owner.",
  errorBrowser: "This browser is too old for the search. A newer version of it has what is needed.",
  errorReplaced: "The documents were replaced a moment ago. Try again to search the new ones.",
  errorEngine: "The search stopped unexpectedly. Try again; it starts anew.",
  errorSettings: "This search is not set up rightly on this page. Please tell the site's owner.",
  errorModel: "The language model could not be asked. Try again in a moment.",
};

/** Languages that `ask-languages.js` has. */
export const LANGUAGES = ["de", "fr", "es", "pt", "zh", "ja", "ko", "ar", "ru"];

/** The strings of `language` (a BCP 47 tag), with the page's own `overrides` above them. */
export class Strings {
  #table = ENGLISH;
  /** English words that came with modules loaded later. */
  #learnt = {};
  #overrides = {};
  #rules = new Map();
  #language = "en";
  #reader = "";

  /** The language that is spoken: one that there is, or English. */
  get language() {
    return this.#language;
  }

  /** The language of the page, as `de`, whether or not it is spoken; empty where the page does not say. */
  get reader() {
    return this.#reader;
  }

  /** The page's own words, by the names of this table. */
  set overrides(given) {
    this.#overrides = given ?? {};
  }

  /** More English words, by name. */
  learn(words) {
    Object.assign(this.#learnt, words);
  }

  /** Speaks `language` from now on. Resolves to whether that changed anything. */
  async localize(language) {
    const wanted = (language ?? "").toLowerCase().split("-")[0];
    this.#reader = wanted;
    const spoken = LANGUAGES.includes(wanted) ? wanted : "en";
    if (spoken === this.#language) return false;
    const table =
      spoken === "en" ? ENGLISH : (await import("./ask-languages.js").catch(() => null))?.[spoken];
    if (!table) return false;
    this.#table = { ...ENGLISH, ...table };
    this.#language = spoken;
    return true;
  }

  /** The text called `name`. `{n}`, `{of}` and `{text}` in it are filled in; `n` also chooses the plural. */
  say(name, values = {}) {
    let text = this.#overrides[name] ?? this.#table[name] ?? this.#learnt[name] ?? "";
    if (typeof text === "object") text = text[this.#plural(values.n)] ?? text.other;
    return text.replace(/\{(n|of|text)\}/g, (whole, what) => String(values[what] ?? whole));
  }

  /**
   * The name of a language in the language that is spoken, or in itself (`own`), as a list of languages has
   * them.
   */
  languageName(tag, { own = false } = {}) {
    const speaker = own ? tag : this.#language;
    try {
      const name = new Intl.DisplayNames([speaker], { type: "language" }).of(tag) ?? tag;
      return name[0].toLocaleUpperCase(speaker) + name.slice(1);
    } catch {
      return tag;
    }
  }

  #plural(number) {
    if (!this.#rules.has(this.#language))
      this.#rules.set(this.#language, new Intl.PluralRules(this.#language));
    return this.#rules.get(this.#language).select(number ?? 0);
  }
}
