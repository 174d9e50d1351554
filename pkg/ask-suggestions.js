// Continuations of what a reader types in the dialog of <pocketgraph-ask>: questions of this page and
// browser, and the titles and headings of earlier hits. Loaded after the first hits; fetches nothing itself.

/** Maximum number of suggestions. */
const MOST = 3;
/** Maximum number of titles and headings that are kept. */
const MOST_KEPT = 400;
/** Shorter beginnings fit too much. */
const SHORTEST = 2;

/** Suggestions from one bundle. */
export class Suggestions {
  /** Titles and headings of the hits of earlier questions. */
  #headings = new Set();
  #written = "";
  #shown = [];

  /**
   * Returns the texts, `questions` first, that have every word of `written`, the last perhaps unfinished.
   * Those that `hits` show anyway, and what is written already, are left out.
   */
  suggest(written, questions, hits) {
    // Hits that are ranked anew bring no new suggestions: these would move the list under the reader.
    if (written !== this.#written) this.#learn();
    [this.#written, this.#shown] = [written, headingsOf(hits)];
    const words = foldWords(written);
    if (words.join("").length < SHORTEST) return [];
    const taken = new Set([...this.#shown, written].map((text) => foldWords(text).join(" ")));
    const suggestions = [];
    for (const text of [...questions, ...this.#headings]) {
      const own = foldWords(text);
      if (taken.has(own.join(" ")) || !continues(own, words)) continue;
      taken.add(own.join(" "));
      if (suggestions.push(text) === MOST) break;
    }
    return suggestions;
  }

  /** Keeps the titles and headings of the hits that were shown. */
  #learn() {
    for (const text of this.#shown) {
      if (this.#headings.size < MOST_KEPT) this.#headings.add(text);
    }
  }
}

function headingsOf(hits) {
  return hits.flatMap(({ title, headingPath }) => [title, ...headingPath]).filter((text) => text?.trim());
}

/** Returns the words of a text, without marks of letters and in small ones. */
function foldWords(text) {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function continues(own, words) {
  const last = words.length - 1;
  return words.every((word, at) => own.some((one) => (at === last ? one.startsWith(word) : one === word)));
}
