// Use without a network: registers the service worker that keeps page, package and bundles, and speaks with
// it. Loaded only by pages that ask for it. What the service worker keeps, and when it removes what, is said
// at the top of offline-worker.js.

import { abortable, throwIfAborted } from "./abort.js";
import { PocketGraphError, unpackError } from "./error.js";
import { whenIdle } from "./idle.js";
import { HAS_RELAXED } from "./relaxed.js";

/**
 * The package's own files, as far as a page may come to need them without a network. A test holds this list
 * against the package.
 */
export const PACKAGE_FILES = [
  "ask-page.js",
  "ask-panel.js",
  "prove.js",
  "ask-suggestions.js",
  "agent-tools.js",
  "answer-graph.js",
  "ask-answer.js",
  "ask-dialog.js",
  "ask-element.js",
  "ask-filters.js",
  "ask-languages.js",
  "ask-parts.js",
  "ask-spot.js",
  "ask-way.js",
  "browser-model.js",
  "facets.js",
  "follow-up.js",
  "local-engine.js",
  "many-graphs.js",
  "notices.js",
  "offline.js",
  "pocketgraph.js",
  "prefetch.js",
  "render.js",
  "replaced.js",
  "responses-model.js",
  "turns.js",
  "unreached.js",
  "worker.js",
  "pocketgraph_full.js",
  "pocketgraph_full_bg.wasm",
  "pocketgraph_wasm.js",
  "pocketgraph_wasm_bg.wasm",
  ...(HAS_RELAXED ? ["pocketgraph_relaxed.wasm"] : []),
];

/** The scripts among them, in one file. A bundler leaves it out, and then each is fetched by itself. */
const PACKED_FILES = "package-files.json";

/** Number of files in one message: an abort or a lost connection loses at most these. */
const FILES_AT_ONCE = 8;
const ANSWER_MS = 300_000;

/**
 * Copy of a site for use without a network. Events: `updated` (a bundle on the host was replaced),
 * `storage-full`, `problem`.
 */
export class OfflineCopy extends EventTarget {
  #registration;
  #files;
  #keep;
  #removed = false;
  #background = null;
  #onMessage = ({ data }) => this.#heard(data?.pocketgraphOffline);

  constructor(registration, { files = [], keep = "visited" } = {}) {
    super();
    this.#registration = registration;
    this.#files = files;
    this.#keep = keep;
    navigator.serviceWorker.addEventListener("message", this.#onMessage);
  }

  /** Returns the number of kept files and bytes, and the storage that the browser grants. */
  async status() {
    const [status, room] = await Promise.all([this.#ask("status"), storageRoom()]);
    return { ...status, ...room, controlled: Boolean(navigator.serviceWorker.controller) };
  }

  /**
   * Fetches all of every bundle that is needed, the package and the page's files, as far as they are not kept
   * yet. Resolves to the status; `complete` of a bundle is false where it was built without a list of its
   * files. Rejects with `storage-full` where the browser grants too little.
   */
  async fetchAll({ signal, onProgress } = {}) {
    throwIfAborted(signal);
    if (signal !== this.#background?.signal) this.#background?.abort();
    const files = this.#pageFiles();
    const archive = new URL(PACKED_FILES, import.meta.url).href;
    if (new URL(archive).origin === location.origin)
      await abortable(this.#ask("unpack", { archive, files }), signal);
    const { wanted } = await abortable(this.#ask("lacking", { files }), signal);
    const total = wanted.reduce((sum, { bytes }) => sum + bytes, 0);
    await this.#enoughRoom(total);
    let loaded = 0;
    onProgress?.({ phase: "offline", loaded, total });
    while (wanted.length > 0) {
      throwIfAborted(signal);
      const some = wanted.splice(0, FILES_AT_ONCE);
      await abortable(
        this.#ask("fetch", { urls: some.map(({ url }) => url) }).catch((error) =>
          this.#explained(error, total),
        ),
        signal,
      );
      loaded += some.reduce((sum, { bytes }) => sum + bytes, 0);
      onProgress?.({ phase: "offline", loaded, total });
    }
    await this.#ask("tidy");
    return this.status();
  }

  /** Removes everything that is kept, and the service worker. */
  async remove() {
    this.#background?.abort();
    await this.#ask("remove");
    this.#removed = true;
    navigator.serviceWorker.removeEventListener("message", this.#onMessage);
    await this.#registration.unregister();
  }

  /** Tells the service worker what to keep from now on. For `keepOffline`. */
  async begin(bundles, fetched) {
    const files = [...new Set([...pageAddresses(), ...fetched])];
    await this.#ask("keep", { bundles, keep: this.#keep, files });
    if (this.#keep === "all") this.#fetchInBackground();
  }

  /** Goes on with what an earlier visit asked for. For `existingOffline`. */
  async resume() {
    this.#keep = (await this.#ask("status")).keep;
    if (this.#keep === "all") this.#fetchInBackground();
  }

  #fetchInBackground() {
    if (navigator.connection?.saveData || this.#removed) return;
    this.#background?.abort();
    const controller = (this.#background = new AbortController());
    whenIdle(() => {
      const { signal } = controller;
      if (signal.aborted) return;
      this.fetchAll({ signal }).catch((error) => {
        if (error.code !== "aborted")
          this.dispatchEvent(new CustomEvent("problem", { detail: PocketGraphError.from(error) }));
      });
    });
  }

  #heard(message) {
    if (!message) return;
    this.dispatchEvent(new CustomEvent(message.type, { detail: message }));
    if (message.type === "updated" && this.#keep === "all") this.#fetchInBackground();
  }

  #pageFiles() {
    // Bundlers look for `new URL(…, import.meta.url)` and would take these for assets to copy.
    const here = import.meta.url;
    const ours = PACKAGE_FILES.map((name) => new URL(name, here).href);
    const given = this.#files.map((file) => new URL(file, document.baseURI).href);
    return [...new Set([...ours, ...given])].filter((file) => new URL(file).origin === location.origin);
  }

  async #enoughRoom(total) {
    const { usage, quota } = await storageRoom();
    if (quota !== null && total > quota - usage) throw storageFull(total, quota - usage);
  }

  async #explained(error, total) {
    if (error.code !== "storage-full") throw error;
    const { usage, quota } = await storageRoom();
    throw storageFull(total, quota === null ? null : Math.max(0, quota - usage));
  }

  #ask(command, given = {}) {
    if (this.#removed)
      return Promise.reject(new PocketGraphError("closed", "The offline copy has been removed."));
    const worker = this.#registration.active;
    if (!worker) return Promise.reject(unavailable("The service worker is gone."));
    const { port1, port2 } = new MessageChannel();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(unavailable("The service worker did not answer.")), ANSWER_MS);
      port1.onmessage = ({ data }) => {
        clearTimeout(timer);
        port1.close();
        if (data.error) reject(unpackError(data.error));
        else resolve(data.value);
      };
      worker.postMessage({ pocketgraphOffline: command, ...given }, [port2]);
    });
  }
}

/**
 * Keeps bundles, the package and the page from now on. `folderUrl` makes of what a caller names a bundle by
 * its absolute URL; `fetched` are files that were fetched before the service worker could see it;
 * `trustedScript` makes addresses of scripts by the page's one policy.
 */
export async function keepOffline(
  { bundle, keep = "visited", worker, scope, files = [], signal },
  { folderUrl, fetched, trustedScript },
) {
  throwIfAborted(signal);
  const named = (Array.isArray(bundle) ? bundle : [bundle]).filter((place) => place !== undefined);
  if (named.length === 0) throw badArgument("`bundle` names what is kept: the URL of a bundle, or several.");
  if (!["visited", "all"].includes(keep)) throw badArgument('`keep` is "visited" or "all".');
  const { scriptUrl, scopeUrl } = placesOf(worker, scope);
  const bundles = await Promise.all(named.map((place) => folderUrl(String(place))));
  const elsewhere = bundles.find((url) => new URL(url).origin !== location.origin);
  if (elsewhere)
    throw badArgument(`Only bundles of the page's own origin can be kept, and ${elsewhere} is not one.`);
  let registration;
  try {
    registration = await navigator.serviceWorker.register(trustedScript(scriptUrl), {
      scope: scopeUrl,
      updateViaCache: "none",
    });
    await abortable(activation(registration), signal);
  } catch (cause) {
    if (cause instanceof PocketGraphError) throw cause;
    throw unavailable(`The service worker ${scriptUrl} could not be started: ${cause.message}`, cause);
  }
  const copy = new OfflineCopy(registration, { files, keep });
  if (location.href.startsWith(registration.scope)) await abortable(control(), signal);
  await abortable(copy.begin(bundles, fetched), signal);
  return copy;
}

/** Returns the copy that an earlier visit asked for, or null. */
export async function existingOffline({ worker, scope, files } = {}) {
  if (!navigator.serviceWorker) return null;
  const { scriptUrl, scopeUrl } = placesOf(worker, scope);
  const registration = await navigator.serviceWorker.getRegistration(scopeUrl);
  if (registration?.active?.scriptURL !== scriptUrl) return null;
  const copy = new OfflineCopy(registration, { files });
  await copy.resume();
  return copy;
}

function placesOf(worker = "./offline-worker.js", scope) {
  if (!globalThis.navigator?.serviceWorker)
    throw unavailable("This browser, or an insecure origin, has no service workers.");
  const scriptUrl = new URL(worker, document.baseURI).href;
  return {
    scriptUrl,
    scopeUrl: scope === undefined ? new URL("./", scriptUrl).href : new URL(scope, document.baseURI).href,
  };
}

/** Resolves when the registration has an active worker. */
function activation(registration) {
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  return new Promise((resolve, reject) => {
    const look = () => {
      if (worker.state === "activated") resolve();
      else if (worker.state === "redundant")
        reject(unavailable("The service worker could not be installed."));
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

/**
 * Resolves when this page's requests go through the service worker; a forced reload (Shift) keeps it out,
 * which is not waited for.
 */
function control() {
  const { serviceWorker } = navigator;
  if (serviceWorker.controller) return Promise.resolve();
  return new Promise((resolve) => {
    serviceWorker.addEventListener("controllerchange", resolve, { once: true });
    setTimeout(resolve, 2000);
  });
}

/** The document, and what it has fetched. */
function pageAddresses() {
  const plain = (href) => {
    const url = new URL(href);
    url.hash = "";
    return url;
  };
  const page = plain(location.href);
  page.search = "";
  return [page.href, ...performance.getEntriesByType("resource").map(({ name }) => plain(name).href)];
}

async function storageRoom() {
  const { usage = 0, quota = null } = (await navigator.storage?.estimate?.().catch(() => null)) ?? {};
  return { usage, quota };
}

function storageFull(needed, granted) {
  const mega = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  const room = granted === null ? "" : ` ${mega(needed)} are wanted and ${mega(granted)} are left.`;
  return new PocketGraphError(
    "storage-full",
    `The browser's storage for this site is full.${room} What is kept so far stays; the network is used ` +
      `for the rest.`,
  );
}

function badArgument(message) {
  return new PocketGraphError("bad-argument", message);
}

function unavailable(message, cause) {
  return new PocketGraphError("offline-unavailable", message, { cause });
}
