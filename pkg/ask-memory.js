// Questions that a reader asked, kept in this browser and nowhere else: the last ones, and those that were
// starred.

const MOST = 5;
const MOST_STARRED = 20;
/** Characters of a question; whatever else runs on this origin may have written longer ones. */
const LONGEST = 2000;

/** Remembers the questions to the bundle at `bundle`, if the browser stores anything. */
export class AskMemory {
  #key;
  #on;

  /** `on()` says whether anything may be remembered. */
  constructor(bundle, on) {
    this.#key = `pocketgraph-questions ${bundle}`;
    this.#on = on;
  }

  /** The lists `recent` and `starred`, newest first. */
  read() {
    if (!this.#on()) return { recent: [], starred: [] };
    try {
      const { recent = [], starred = [] } = JSON.parse(localStorage.getItem(this.#key) ?? "{}");
      const isText = (one) => typeof one === "string" && one.length <= LONGEST;
      const texts = (list) => (Array.isArray(list) ? list.filter(isText) : []);
      return { recent: texts(recent).slice(0, MOST), starred: texts(starred).slice(0, MOST_STARRED) };
    } catch {
      return { recent: [], starred: [] };
    }
  }

  /** `question` was asked. */
  add(question) {
    const { recent, starred } = this.read();
    if (!starred.includes(question))
      this.#write([question, ...recent.filter((one) => one !== question)], starred);
  }

  /** Stars a question, or puts it back among the recent ones. */
  star(question, on) {
    const { recent, starred } = this.read();
    const others = (list) => list.filter((one) => one !== question);
    if (on) this.#write(others(recent), [question, ...others(starred)]);
    else this.#write([question, ...others(recent)], others(starred));
  }

  /** Removes a question from both. */
  forget(question) {
    const { recent, starred } = this.read();
    this.#write(
      recent.filter((one) => one !== question),
      starred.filter((one) => one !== question),
    );
  }

  #write(recent, starred) {
    if (!this.#on()) return;
    try {
      localStorage.setItem(
        this.#key,
        JSON.stringify({ recent: recent.slice(0, MOST), starred: starred.slice(0, MOST_STARRED) }),
      );
    } catch {
      // Full, or switched off.
    }
  }
}
