// A bundle's files as the engines of one thread fetch them. Its first question's files are asked for before
// the engine knows their names, and the full engine, which takes the place of the one that searches, is given
// what that one has fetched.

import { abortable } from "./abort.js";

/** Files named by their content. */
const IMMUTABLE = /-?[0-9a-f]{20}\.pgs$/;
/** A manifest is no longer, in bytes: an engine refuses one that is. */
const LONGEST_MANIFEST = 1 << 20;
/**
 * Maximum number of files that are fetched before an engine asks for them; others of the manifest wait until
 * they are needed.
 */
const MOST_AHEAD = 32;
/** Maximum number of bytes that are kept for the second engine. */
const KEPT_BYTES = 16_000_000;
/** Milliseconds that storing received bytes may take. */
const HANG_UP_MS = 300;
/** Milliseconds for which the files of the first engine are kept for the engine that replaced it. */
const INHERITED_MS = 60_000;

/** The files of the bundle at `base`, an absolute URL ending in a slash. */
export class BundleFiles {
  #base;
  #kept = new Map();
  #keptBytes = 0;
  /** True while another engine may want the same files. */
  #keeps = true;
  #manifest = null;
  #names;
  /** Lists that have been asked for. */
  #ahead = new Set();
  #askedAhead = 0;
  #given = new Set();
  /** Files that one engine has asked for while another waited for them, or had them. */
  #shared = new Set();
  /** Requests and bytes saved because another engine had fetched the files. */
  saved = { requests: 0, bytes: 0 };

  /** `eager` asks for the first question's files as soon as they are known. */
  constructor(base, { eager }) {
    this.#base = base;
    const manifest = (this.#manifest = fetch(this.#manifestUrl, { cache: "no-cache" }));
    // Whoever wants it hears of a failure.
    this.#names = manifest
      .then((response) => beginning(response.clone(), LONGEST_MANIFEST))
      .then((text) => JSON.parse(text).pocketgraph ?? {})
      .catch(() => ({}));
    if (eager) this.ahead("first", "passages");
  }

  get #manifestUrl() {
    return `${this.#base}manifest.json`;
  }

  /** Returns the function that one engine uses instead of `fetch`. */
  fetcher() {
    const asked = new Set();
    return (request) => this.#fetch(request, asked);
  }

  #fetch(request, asked) {
    const { url } = request;
    if (url === this.#manifestUrl) {
      // Only the engine that it was asked for may have it: who opens later wants to know what the host has
      // then.
      const ahead = this.#manifest;
      this.#manifest = null;
      // The clone for the list of files must be made before the body is read.
      return ahead ? this.#names.then(() => ahead) : fetch(request);
    }
    // What an engine asks for twice was no good to it, or was dropped to make room: that is fetched anew.
    const kept = asked.has(url) ? undefined : this.#kept.get(url);
    asked.add(url);
    const again = this.#given.has(url);
    this.#given.add(url);
    if (kept) this.#shared.add(url);
    // An engine gives up what does not arrive, also where it was asked for before.
    if (kept)
      return abortable(kept, request.signal).then((bytes) =>
        bytes ? this.#give(bytes, again) : fetch(request),
      );
    if (!this.#keeps || !IMMUTABLE.test(url)) return fetch(request);
    const own = new AbortController();
    const reply = fetch(request, { signal: own.signal });
    const bytes = this.#keep(url, reply);
    // An engine hangs up when it has read what it wanted, and when nobody wants it: in the first case the
    // bytes are here in a moment.
    const hangUp = () => setTimeout(() => this.#shared.has(url) || own.abort(), HANG_UP_MS);
    request.signal.addEventListener("abort", hangUp, { once: true });
    bytes.then(() => request.signal.removeEventListener("abort", hangUp));
    return reply;
  }

  /**
   * Asks for what any question needs: `first`, what hits by words do, `next`, what ranks them by meaning
   * before a model has come, and `passages`, all of a small corpus. Failing then is nobody's business: it is
   * asked for again.
   */
  async ahead(...lists) {
    const wanted = lists.filter((list) => !this.#ahead.has(list));
    for (const list of wanted) this.#ahead.add(list);
    const names = await this.#names;
    for (const file of wanted.flatMap((list) => names[list] ?? [])) {
      const url = this.#base + file;
      if (typeof file !== "string" || !IMMUTABLE.test(file) || file.includes("..") || this.#kept.has(url))
        continue;
      if (this.#askedAhead === MOST_AHEAD) return;
      this.#askedAhead += 1;
      this.#keep(url, fetch(url));
    }
  }

  /**
   * The other engine has taken over: what it asks for in the next while it inherits, and nothing more is
   * kept.
   */
  release() {
    this.#keeps = false;
    setTimeout(() => this.#kept.clear(), INHERITED_MS);
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
        if ((!blob || this.#keptBytes > KEPT_BYTES) && this.#kept.get(url) === bytes) this.#kept.delete(url);
        return blob;
      });
    this.#kept.set(url, bytes);
    return bytes;
  }
}

/**
 * The text of a response; of one that is longer than `most` bytes what had come by then, and the rest is not
 * fetched.
 */
async function beginning(response, most) {
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = "";
  for (let length = 0; length <= most;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    text += decoder.decode(value, { stream: true });
  }
  // The engine has the other half of the stream: the host is hung up on when both have let go, which is not
  // waited for here.
  reader.cancel().catch(() => {});
  return text;
}
