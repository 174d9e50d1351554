// A bundle's files as the engines of one thread fetch them. Its first question's files are asked for before the engine knows their names, and the full
// engine, which takes the place of the one that searches, is given what that one has fetched.

/** Files named by their content. */
const IMMUTABLE = /-?[0-9a-f]{20}\.pgs$/;
/** How much is kept for the second engine, in bytes. */
const KEPT_BYTES = 16_000_000;

/** The files of the bundle at `base`, an absolute URL ending in a slash. */
export class BundleFiles {
  #base;
  #kept = new Map();
  #keptBytes = 0;
  #keeps;
  #manifest = null;
  #first;
  #given = new Set();
  /** What an engine was given that another had fetched. */
  saved = { requests: 0, bytes: 0 };

  /** With `keeps`, another engine will want the same files. `eager` asks for the first question's files as soon as they are known. */
  constructor(base, { keeps, eager }) {
    this.#base = base;
    this.#keeps = keeps;
    const manifest = (this.#manifest = fetch(this.#manifestUrl, { cache: "no-cache" }));
    // Whoever wants it hears of a failure.
    this.#first = manifest.then((response) => response.clone().json()).then(({ pocketgraph }) => pocketgraph.first ?? []).catch(() => []);
    if (eager) this.ahead();
  }

  get #manifestUrl() {
    return `${this.#base}manifest.json`;
  }

  /** In place of `fetch`. */
  fetch = (request) => {
    const { url } = request;
    if (url === this.#manifestUrl) {
      // Only the engine that it was asked for may have it: who opens later wants to know what the host has then.
      const ahead = this.#manifest;
      this.#manifest = null;
      // The clone for the list of files must be made before the body is read.
      return ahead ? this.#first.then(() => ahead) : fetch(request);
    }
    const kept = this.#kept.get(url);
    const again = this.#given.has(url);
    this.#given.add(url);
    if (kept) return kept.then((bytes) => (bytes ? this.#give(bytes, again) : fetch(request)));
    const reply = fetch(request);
    if (this.#keeps && IMMUTABLE.test(url)) this.#keep(url, reply);
    return reply;
  };

  /** Asks for what a first question needs. Failing then is nobody's business: it is asked for again. */
  async ahead() {
    for (const file of await this.#first) {
      const url = this.#base + file;
      if (typeof file === "string" && IMMUTABLE.test(file) && !file.includes("..") && !this.#kept.has(url)) this.#keep(url, fetch(url));
    }
    this.#first = Promise.resolve([]);
  }

  /** Nobody else will want what was fetched. */
  release() {
    this.#keeps = false;
    this.#kept.clear();
  }

  #give(bytes, again) {
    if (again) {
      this.saved.requests += 1;
      this.saved.bytes += bytes.size;
    }
    return new Response(bytes);
  }

  #keep(url, reply) {
    const bytes = reply
      .then((response) => (response.ok ? response.clone().blob() : null))
      .catch(() => null)
      .then((blob) => {
        if (blob) this.#keptBytes += blob.size;
        if (!blob || this.#keptBytes > KEPT_BYTES) this.#kept.delete(url);
        return blob;
      });
    this.#kept.set(url, bytes);
  }
}
