// The service worker that keeps a page, the package and its bundles for use without a network. A site starts
// it from a file of its own, because a service worker sees only what lies in its own folder and below
// (`importScripts("./pkg/offline-worker.js")` is all that file needs); pkg/offline.js registers it and speaks
// with it.
//
// What it touches, and how:
// - sections and pages of the bundles it was told of (names are content hashes): from the cache first, kept
//   once their hash agrees with the name;
// - their manifests: from the network first; each manifest is a generation, and the files of generations that
//   no open page uses are removed;
// - documents, scripts, styles, images, fonts and WebAssembly in its scope: from the network first, kept as
//   they pass,
//   documents apart by their queries from when one has had another document.
// Everything else passes it by: other origins, anything but GET, ranges, requests with credentials of their
// own, and responses that are one reader's (`private`, `no-store`, `Vary: Cookie`).

(() => {
  "use strict";

  const scope = self.registration.scope;
  const cacheName = (part) => `pocketgraph-1 ${scope} ${part}`;
  const PARTS = { page: cacheName("page"), bundle: cacheName("bundle"), state: cacheName("state") };
  const STATE_KEY = new URL("pocketgraph-offline-state", scope).href;

  /** Milliseconds that the network may take to begin its answer if there is a kept copy. */
  const PATIENCE_MS = 4000;
  const SHORT_PATIENCE_MS = 300;
  const DOUBT_MS = 30_000;
  /** Maximum number of kept files of the page; those that were fetched longest ago are dropped first. */
  const PAGE_FILES = 400;
  /** Maximum number of those that are documents of the same address with another query. */
  const PAGE_QUERIES = 40;
  /** Maximum length of a file that is kept, in bytes: it is in memory before it is. */
  const LONGEST_FILE = 128 << 20;
  const LONGEST_MANIFEST = 1 << 20;
  /** Header of a kept document: the address of the only query that it has been seen for. */
  const ONLY_FOR = "pocketgraph-only-for";
  /** Maximum number of remembered manifests of one bundle. */
  const GENERATIONS = 4;

  const SECTION = /[-/]([0-9a-f]{20})\.pgs$/;
  const PAGE_KINDS = new Set([
    "document",
    "iframe",
    "script",
    "style",
    "image",
    "font",
    "worker",
    "sharedworker",
  ]);

  // ---- what is known between one start of this worker and the next ----------------------------------------

  let state = null;
  let writing = Promise.resolve();

  // `full` is the length of the file for which there was no room, 0 while there is.
  const nothing = () => ({ keep: "visited", bundles: [], generations: {}, clients: {}, full: 0 });

  function known() {
    state ??= match(PARTS.state, STATE_KEY)
      .then(async (kept) => (kept ? { ...nothing(), ...(await kept.json()) } : nothing()))
      .catch(nothing);
    return state;
  }

  /**
   * Returns the response kept under `address`. A cache that cannot be read counts as empty, because the
   * network is still there.
   */
  async function match(part, address) {
    try {
      return await (await caches.open(part)).match(address);
    } catch {
      return undefined;
    }
  }

  async function keptAddresses(part) {
    return (await (await caches.open(part)).keys()).map(({ url }) => url);
  }

  /**
   * Changes what is known, one change at a time. A full storage must not stop the page, so a state that
   * cannot be written lives in memory.
   */
  function change(alter) {
    const turn = writing.then(async () => {
      const current = await known();
      const result = await alter(current);
      const written = new Response(JSON.stringify(current));
      await caches
        .open(PARTS.state)
        .then((cache) => cache.put(STATE_KEY, written))
        .catch(() => {});
      return result;
    });
    writing = turn.catch(() => {});
    return turn;
  }

  async function notifyPages(message) {
    for (const client of await self.clients.matchAll({ type: "window" }))
      client.postMessage({ pocketgraphOffline: message });
  }

  // ---- which requests are ours ----------------------------------------------------------------------------

  /** Returns the kind of a request, or null if this worker does not serve it. */
  function kindOf(request) {
    const url = new URL(request.url);
    if (request.method !== "GET" || url.origin !== self.location.origin) return null;
    if (request.headers.has("range") || request.headers.has("authorization")) return null;
    if (SECTION.test(url.pathname)) return "section";
    // A web app's manifest has the same name, and a destination of its own.
    if (request.destination === "" && url.pathname.endsWith("/manifest.json")) return "manifest";
    if (!url.href.startsWith(scope)) return null;
    if (request.mode === "navigate" || PAGE_KINDS.has(request.destination)) return "page";
    return request.destination === "" && url.pathname.endsWith(".wasm") ? "page" : null;
  }

  const folderOf = (href) => href.slice(0, href.lastIndexOf("/") + 1);
  const bundleOf = (href, { bundles }) => bundles.find((bundle) => href.startsWith(bundle));

  /**
   * The address a file is kept under: without what follows `#`, and for documents without what follows `?`,
   * which may be what somebody typed.
   */
  function addressOf(request) {
    const url = new URL(request.url);
    url.hash = "";
    if (request.mode === "navigate" || SECTION.test(url.pathname)) url.search = "";
    return url.href;
  }

  self.addEventListener("fetch", (event) => {
    const kind = kindOf(event.request);
    if (kind === "section") event.respondWith(section(event));
    else if (kind === "manifest") event.respondWith(manifest(event));
    else if (kind === "page") event.respondWith(page(event));
  });

  // ---- keeping --------------------------------------------------------------------------------------------

  /** Returns true if a response is for one reader only, or must not be stored. */
  const isPersonal = ({ headers }) =>
    /no-store|private/i.test(headers.get("cache-control") ?? "") ||
    /cookie|authorization|\*/i.test(headers.get("vary") ?? "");

  const mayKeep = (response) =>
    response.status === 200 && response.type === "basic" && !response.redirected && !isPersonal(response);

  /**
   * A response made of bytes at hand, with the headers of the one they came in: the page's policy is among
   * them.
   */
  function responseOf(bytes, headers) {
    const own = new Headers(headers);
    own.delete("content-encoding");
    own.set("content-length", String(bytes.byteLength));
    return new Response(bytes, { headers: own });
  }

  /** Reads a response to its end; null if it is longer than `limit`, of which no more is read. */
  async function bytesOf(response, limit = LONGEST_FILE) {
    const parts = [];
    let left = limit;
    const reader = response.body?.getReader();
    for (let read = await reader?.read(); read && !read.done; read = await reader.read()) {
      left -= read.value.byteLength;
      if (left < 0) {
        reader.cancel().catch(() => {});
        return null;
      }
      parts.push(read.value);
    }
    return new Blob(parts).arrayBuffer();
  }

  /** Puts a file away. False where the storage is full, even after what nobody uses has been removed. */
  async function put(part, address, bytes, headers) {
    const cache = await caches.open(part);
    for (let tried = 0; ; tried++) {
      try {
        await cache.put(address, responseOf(bytes, headers));
        const { full } = await known();
        if (full > 0 && bytes.byteLength >= full) await change((now) => (now.full = 0));
        return true;
      } catch (thrown) {
        if (thrown?.name !== "QuotaExceededError") throw thrown;
        if (tried === 0 && (await tidyAll()) > 0) continue;
        const isNews = await change((now) => {
          const before = now.full;
          now.full = Math.max(1, before > 0 ? Math.min(before, bytes.byteLength) : bytes.byteLength);
          return before === 0;
        });
        if (isNews) await notifyPages({ type: "storage-full", url: address });
        return false;
      }
    }
  }

  async function hexOfHash(bytes) {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  /**
   * Keeps a section or page if its bytes are those that its name promises: what a bad line or host made of it
   * must not stay.
   */
  async function keepSection(address, bytes, headers) {
    const promised = SECTION.exec(new URL(address).pathname)?.[1];
    if (!promised || !bytes || !(await hexOfHash(bytes)).startsWith(promised)) return false;
    return put(PARTS.bundle, address, bytes, headers);
  }

  // ---- sections -------------------------------------------------------------------------------------------

  async function section(event) {
    const { request } = event;
    const address = addressOf(request);
    const bundle = bundleOf(address, await known());
    if (!bundle) return fetch(request);
    const isPage = address.slice(bundle.length).includes("/");
    const kept = await match(PARTS.bundle, address);
    if (kept) {
      if (isPage) event.waitUntil(noteRead(event.clientId, bundle).catch(() => {}));
      return kept;
    }
    const response = await fetch(request);
    if (mayKeep(response)) {
      const copy = response.clone();
      const keeping = bytesOf(copy).then((bytes) => keepSection(address, bytes, copy.headers));
      event.waitUntil(
        keeping.then((done) => done && isPage && noteRead(event.clientId, bundle)).catch(() => {}),
      );
    }
    return response;
  }

  // ---- manifests and generations --------------------------------------------------------------------------

  const manifestAddress = (bundle, generation) => `${bundle}manifest.json?pocketgraph=${generation}`;
  const listAddress = (bundle, generation) => `${bundle}files.txt?pocketgraph=${generation}`;

  async function manifest(event) {
    const { request } = event;
    const bundle = folderOf(addressOf(request));
    if (!(await known()).bundles.includes(bundle)) return fetch(request);
    const usable = await usableGeneration(bundle).catch(() => undefined);
    const fetched = fetchManifest(bundle, request);
    const outcome = await first(fetched, usable);
    event.waitUntil(
      fetched.then(
        () => {},
        () => {},
      ),
    );
    const response = outcome.value;
    if (response?.generation) {
      event.waitUntil(
        opened(event.clientId, bundle, response.generation)
          .then(() => tidy(bundle))
          .catch(() => {}),
      );
      return response.answer;
    }
    // A host that says that the bundle is gone is believed; one that fails or is silent is not.
    if (!usable || (response && response.answer.status < 500 && response.answer.status !== 429)) {
      if (response) return response.answer;
      throw outcome.error ?? new TypeError("The network did not answer.");
    }
    event.waitUntil(opened(event.clientId, bundle, usable));
    return match(PARTS.bundle, manifestAddress(bundle, usable));
  }

  /**
   * The manifest as the host has it, as { answer, generation }; without `generation` if it is none. A new one
   * is a new generation.
   */
  async function fetchManifest(bundle, request) {
    const answer = await fetch(request);
    if (answer.status !== 200) return { answer };
    const bytes = await bytesOf(answer, LONGEST_MANIFEST);
    if (!bytes) throw new TypeError("The manifest is too long.");
    const whole = () =>
      new Response(bytes, { status: answer.status, headers: withoutEncoding(answer.headers) });
    const sections = sectionsOf(bytes);
    if (!sections) return { answer: whole() };
    const generation = await hexOfHash(bytes);
    const headers = { "content-type": "application/json" };
    for (const policy of ["content-security-policy"])
      if (answer.headers.has(policy)) headers[policy] = answer.headers.get(policy);
    const isNew = await change(({ generations }) => {
      const before = generations[bundle] ?? [];
      if (before[0]?.hash === generation) return false;
      generations[bundle] = [
        { hash: generation, sections },
        ...before.filter(({ hash }) => hash !== generation),
      ].slice(0, GENERATIONS);
      return before.length > 0;
    });
    await put(PARTS.bundle, manifestAddress(bundle, generation), bytes, headers).catch(() => {});
    if (isNew) await notifyPages({ type: "updated", bundle });
    return { answer: whole(), generation };
  }

  function withoutEncoding(headers) {
    const own = new Headers(headers);
    own.delete("content-encoding");
    own.delete("content-length");
    return own;
  }

  /** The sections that a manifest names, as { name: file }; null if the bytes are no manifest. */
  function sectionsOf(bytes) {
    try {
      const { pocketgraph } = JSON.parse(new TextDecoder().decode(bytes));
      const packs = (pocketgraph.packs ?? []).map(({ file }, at) => ({ name: `pack ${at}`, file }));
      return Object.fromEntries(
        [...pocketgraph.sections, ...packs].map(({ name, file }) => [String(name), String(file)]),
      );
    } catch {
      return null;
    }
  }

  /**
   * Which generation can be opened without the network: the newest that is here whole or, unless all is
   * wanted, from which a page was read once: by then the sections that every opening needs had come.
   */
  async function usableGeneration(bundle) {
    const { generations, keep } = await known();
    const kept = new Set(await keptAddresses(PARTS.bundle));
    const there = (generations[bundle] ?? []).filter(({ hash }) => kept.has(manifestAddress(bundle, hash)));
    const read = there.find(({ wasRead }) => wasRead)?.hash;
    if (read && (keep !== "all" || there.length === 1)) return read;
    for (const { hash } of there) {
      const files = await neededFiles(bundle, hash, false);
      if (files && [...files.keys()].every((name) => kept.has(bundle + name))) return hash;
    }
    return read;
  }

  /** Notes that a page of the generation that this client has open is here. */
  async function noteRead(client, bundle) {
    const { clients, generations } = await known();
    const hash = clients[client]?.[bundle];
    const one = (generations[bundle] ?? []).find((generation) => generation.hash === hash);
    if (!one || one.wasRead) return;
    await change(() => {
      one.wasRead = true;
    });
    await tidy(bundle);
  }

  /** Notes which generation a page or its worker has opened, so that its files stay while it lives. */
  function opened(client, bundle, generation) {
    if (!client) return Promise.resolve();
    return change(({ clients }) => {
      clients[client] = { ...clients[client], [bundle]: generation };
    });
  }

  /** The files of a generation with their lengths, or null where its bundle brings no list of them. */
  async function filesOf(bundle, generation, mayFetch) {
    const address = listAddress(bundle, generation);
    const kept = await match(PARTS.bundle, address);
    if (kept) return readList(await kept.text(), generation);
    if (!mayFetch) return null;
    const response = await fetch(`${bundle}files.txt`, { cache: "no-cache" }).catch(() => null);
    if (response?.status !== 200) return null;
    const bytes = await bytesOf(response);
    const files = bytes && readList(new TextDecoder().decode(bytes), generation);
    if (files) await put(PARTS.bundle, address, bytes, {});
    return files;
  }

  /**
   * The files of a generation that are wanted where everything is: where its model is kept, the word table
   * that stands in until that has come is of no use.
   */
  async function neededFiles(bundle, generation, mayFetch) {
    const files = await filesOf(bundle, generation, mayFetch);
    const names = files ? [...files.keys()] : [];
    if (!names.some((name) => name.startsWith("layers-"))) return files;
    return new Map([...files].filter(([name]) => !name.startsWith("table/")));
  }

  /** Reads `files.txt`; null unless it belongs to this generation. */
  function readList(text, generation) {
    const [head, ...lines] = text.split("\n");
    if (head !== `pocketgraph-files 1 ${generation}`) return null;
    const files = new Map();
    for (const line of lines) {
      const [, bytes, name] = /^(\d+) ([\w./-]+\.pgs)$/.exec(line) ?? [];
      if (name && !name.includes("..")) files.set(name, Number(bytes));
    }
    return files;
  }

  // ---- removing what nobody uses --------------------------------------------------------------------------

  async function tidyAll() {
    let removed = 0;
    for (const bundle of (await known()).bundles) removed += await tidy(bundle);
    return removed;
  }

  const tidying = new Map();

  /**
   * Removes the files of generations that are neither the newest nor open anywhere. Resolves to how many
   * files went.
   */
  function tidy(bundle) {
    const turn = (tidying.get(bundle) ?? Promise.resolve()).then(() => tidyNow(bundle));
    tidying.set(
      bundle,
      turn.catch(() => {}),
    );
    return turn;
  }

  async function tidyNow(bundle) {
    const { generations, clients } = await known();
    const all = generations[bundle] ?? [];
    if (all.length === 0) return 0;
    const gone = [];
    const inUse = new Set([all[0].hash, await usableGeneration(bundle)]);
    for (const [id, open] of Object.entries(clients)) {
      if (!(await self.clients.get(id))) gone.push(id);
      else if (open[bundle]) inUse.add(open[bundle]);
    }
    const stays = all.filter(({ hash }) => inUse.has(hash));
    const drops = all.filter(({ hash }) => !inUse.has(hash));
    if (gone.length > 0 || drops.length > 0) {
      await change((now) => {
        for (const id of gone) delete now.clients[id];
        now.generations[bundle] = (now.generations[bundle] ?? []).filter(
          ({ hash }) => !drops.some((drop) => drop.hash === hash),
        );
      });
    }
    if (drops.length === 0) return 0;
    const wanted = await wantedFiles(bundle, stays, drops);
    const cache = await caches.open(PARTS.bundle);
    let removed = 0;
    for (const url of await keptAddresses(PARTS.bundle)) {
      if (!url.startsWith(bundle) || wanted(url.slice(bundle.length))) continue;
      removed += Number(await cache.delete(url));
    }
    return removed;
  }

  /** Returns true if a kept file, by its name below the bundle, belongs to a generation that stays. */
  async function wantedFiles(bundle, stays, drops) {
    const names = new Set();
    let listed = true;
    for (const [at, { hash, sections }] of stays.entries()) {
      for (const file of Object.values(sections)) names.add(file);
      for (const address of [manifestAddress(bundle, hash), listAddress(bundle, hash)])
        names.add(address.slice(bundle.length));
      const files = await filesOf(bundle, hash, at === 0);
      if (files) for (const name of files.keys()) names.add(name);
      else listed = false;
    }
    if (listed) return (name) => names.has(name);
    // Without a list, a page is known by its section: where that is the same in all that goes and stays, its
    // pages are too.
    const same = (section) =>
      drops.every((drop) => stays.every((stay) => stay.sections[section] === drop.sections[section]));
    return (name) => names.has(name) || (name.includes("/") && same(name.split("/")[0]));
  }

  // ---- the page and the package ---------------------------------------------------------------------------

  // Pages whose document came from the cache, because the network was slow or gone: their scripts come from
  // there as well, so that no page is half old and half new.
  const fromKept = new Set();

  async function page(event) {
    const { request } = event;
    if ((await known()).bundles.length === 0) return fetch(request);
    const address = addressOf(request);
    const own = request.mode === "navigate" ? await withQuery(address, new URL(request.url).search) : address;
    const kept = await (request.mode === "navigate"
      ? keptDocument(address, own)
      : match(PARTS.page, address));
    if (kept && fromKept.has(event.clientId)) return kept;
    const fetched = fetch(request);
    const { value: response, error } = await first(fetched, kept);
    if (response && (!kept || response.status < 500)) {
      event.waitUntil(keepPage(address, response.clone(), own).catch(() => {}));
      return response;
    }
    event.waitUntil(fetched.then((late) => keepPage(address, late, own)).catch(() => {}));
    if (!kept) throw error;
    if (event.resultingClientId) fromKept.add(event.resultingClientId);
    return kept;
  }

  /** The address of a document with its query, which may be what somebody typed and is stored as its hash. */
  async function withQuery(address, query) {
    return query ? `${address}?pocketgraph=${await hexOfHash(new TextEncoder().encode(query))}` : address;
  }

  /**
   * The document kept for a query, or that of the address: it is every query's until one has had another
   * document.
   */
  async function keptDocument(address, own) {
    const kept = await match(PARTS.page, own);
    if (kept && own !== address) return kept;
    const shared = kept ?? (await match(PARTS.page, address)) ?? (await sameDocument(address));
    const onlyFor = shared?.headers.get(ONLY_FOR) ?? address;
    const isOfQuery = (other) => other.startsWith(`${address}?pocketgraph=`);
    return onlyFor !== own && (await keptAddresses(PARTS.page)).some(isOfQuery) ? undefined : shared;
  }

  /** A folder and its index.html are one document. */
  function sameDocument(address) {
    return match(
      PARTS.page,
      address.endsWith("/") ? `${address}index.html` : address.replace(/\/index\.html$/, "/"),
    );
  }

  async function keepPage(address, response, own = address) {
    const cache = await caches.open(PARTS.page);
    if (mayKeep(response)) {
      const headers = new Headers(response.headers);
      const before = await match(PARTS.page, address);
      const tag = headers.get("etag");
      // The very same file need not be written again.
      if (before && tag && tag === before.headers.get("etag")) {
        await response.body?.cancel();
        return true;
      }
      const bytes = await bytesOf(response);
      if (!bytes) return false;
      const onlyFor = before?.headers.get(ONLY_FOR) ?? address;
      const theirs = before && onlyFor !== own ? await before.arrayBuffer() : bytes;
      // A query that has another document keeps it apart, and so does the one before it.
      const apart = theirs !== bytes && (await hexOfHash(bytes)) !== (await hexOfHash(theirs));
      if (apart && onlyFor !== address) {
        await put(PARTS.page, onlyFor, theirs, before.headers);
        await cache.delete(address);
      }
      if (onlyFor === own || !before) headers.set(ONLY_FOR, own);
      const kept = await put(PARTS.page, apart ? own : address, bytes, headers);
      if (kept && (apart || !before)) await trimPage();
      return kept;
    }
    if ([401, 403, 404, 410].includes(response.status) || isPersonal(response)) {
      await cache.delete(own);
      if ((await match(PARTS.page, address))?.headers.get(ONLY_FOR) === own) await cache.delete(address);
    }
    return false;
  }

  async function trimPage() {
    const cache = await caches.open(PARTS.page);
    const addresses = await keptAddresses(PARTS.page);
    const ofQueries = addresses.filter((address) => address.includes("?pocketgraph="));
    const dropped = [...ofQueries.slice(0, -PAGE_QUERIES), ...addresses.slice(0, -PAGE_FILES)];
    for (const address of dropped) await cache.delete(address);
  }

  // A network that failed or was slow just now is waited for only shortly: a page is made of a chain of
  // files.
  let doubtfulUntil = 0;

  /**
   * `promise` as { value } or { error }; an empty object where it takes too long and there is something
   * `kept` to give instead.
   */
  async function first(promise, kept) {
    const settled = promise.then(
      (value) => ({ value }),
      (error) => ({ error }),
    );
    if (!kept) return settled;
    const patience = Date.now() < doubtfulUntil ? SHORT_PATIENCE_MS : PATIENCE_MS;
    const outcome = await Promise.race([
      settled,
      new Promise((resolve) => setTimeout(resolve, patience, {})),
    ]);
    doubtfulUntil = outcome.value ? 0 : Date.now() + DOUBT_MS;
    return outcome;
  }

  // ---- what the package asks for --------------------------------------------------------------------------

  const COMMANDS = {
    /**
     * From now on: which bundles, how much of them, and which files of the page were fetched before this
     * worker saw its requests.
     */
    async keep({ bundles, keep, files }) {
      const dropped = await change((now) => {
        const before = now.bundles;
        Object.assign(now, { bundles, keep });
        return before.filter((bundle) => !bundles.includes(bundle));
      });
      for (const bundle of dropped) await forget(bundle);
      const wanted = files.filter(
        (file) =>
          kindOfFile(file) && (SECTION.test(file) ? bundles.some((bundle) => file.startsWith(bundle)) : true),
      );
      await fetchAll([...(await missingManifests(bundles)), ...(await missing(wanted))], false);
      const isPageOf = (bundle) => (file) =>
        file.startsWith(bundle) && SECTION.test(file) && file.slice(bundle.length).includes("/");
      await change(({ generations }) => {
        for (const bundle of bundles)
          if (generations[bundle]?.[0] && wanted.some(isPageOf(bundle)))
            generations[bundle][0].wasRead = true;
      });
      return null;
    },

    /**
     * Returns the files that "all" still lacks, { wanted: [{ url, bytes }], bytes, unlisted }, after fetching
     * the newest manifests.
     */
    async lacking({ files }) {
      const { bundles } = await known();
      const wanted = (await missing(files)).map((url) => ({ url, bytes: 0 }));
      const unlisted = [];
      for (const bundle of bundles) {
        await fetchManifest(bundle, new Request(`${bundle}manifest.json`, { cache: "no-cache" })).catch(
          () => {},
        );
        const [newest] = (await known()).generations[bundle] ?? [];
        if (!newest) throw problem("network", `The manifest of ${bundle} could not be fetched.`);
        const list = await neededFiles(bundle, newest.hash, true);
        if (!list) unlisted.push(bundle);
        const named = list ?? new Map(Object.values(newest.sections).map((file) => [file, 0]));
        const there = new Set(await missing([...named.keys()].map((name) => bundle + name)));
        for (const [name, bytes] of named)
          if (there.has(bundle + name)) wanted.push({ url: bundle + name, bytes });
      }
      return { wanted, unlisted };
    },

    /**
     * Keeps those of `files` that are not there yet and that `archive` has: texts by their names in its own
     * folder. A host without one is none to wait for.
     */
    async unpack({ archive, files }) {
      const folder = folderOf(archive);
      const wanted = (await missing(files)).filter((file) => file.startsWith(folder) && file.endsWith(".js"));
      if (wanted.length < 2 || !archive.startsWith(scope)) return null;
      const response = await fetch(archive, { cache: "no-cache", priority: "low" }).catch(() => null);
      if (!response || !mayKeep(response)) return null;
      const bytes = await bytesOf(response);
      const texts = await new Response(bytes).json().catch(() => ({}));
      const headers = new Headers(response.headers);
      headers.set("content-type", "text/javascript");
      // It is the archive's.
      headers.delete("etag");
      for (const file of wanted) {
        const text = texts[file.slice(folder.length)];
        if (
          typeof text === "string" &&
          !(await put(PARTS.page, file, new TextEncoder().encode(text), headers))
        )
          break;
      }
      await trimPage();
      return null;
    },

    /** Fetches and keeps these files. */
    async fetch({ urls }) {
      await fetchAll(urls, true);
      return null;
    },

    /** Removes what no open page uses; all that was wanted is there by now. */
    async tidy() {
      await change((now) => (now.full = 0));
      return { removed: await tidyAll() };
    },

    async status() {
      const { bundles, generations, keep, full } = await known();
      const inPage = await sizes(PARTS.page, () => true);
      const copies = [];
      for (const url of bundles) {
        const [newest] = generations[url] ?? [];
        const held = await sizes(PARTS.bundle, (address) => address.startsWith(url) && SECTION.test(address));
        const list = newest && (await neededFiles(url, newest.hash, false));
        const lacks = list ? await missing([...list.keys()].map((name) => url + name)) : [];
        const total = list && [...list.values()].reduce((sum, bytes) => sum + bytes, 0);
        copies.push({
          url,
          generation: newest?.hash ?? null,
          ...held,
          totalBytes: total ?? null,
          complete: Boolean(list) && lacks.length === 0,
        });
      }
      return {
        keep,
        page: inPage,
        bundles: copies,
        bytes: inPage.bytes + copies.reduce((sum, { bytes }) => sum + bytes, 0),
        full: full > 0,
      };
    },

    /** Forgets everything. Pages that are open stay with this worker, which then keeps nothing. */
    async remove() {
      await change((now) => Object.assign(now, nothing()));
      await writing;
      for (const part of Object.values(PARTS)) await caches.delete(part);
      return null;
    },
  };

  function kindOfFile(file) {
    const { origin, pathname, href } = new URL(file);
    return (
      origin === self.location.origin &&
      (SECTION.test(pathname) ||
        (href.startsWith(scope) &&
          /(\/|\.(html|js|mjs|css|wasm|svg|png|jpg|webp|ico|woff2))$/.test(pathname)))
    );
  }

  /** Those of `addresses` that are not kept. */
  async function missing(addresses) {
    const kept = new Set();
    for (const part of [PARTS.bundle, PARTS.page]) for (const url of await keptAddresses(part)) kept.add(url);
    return [...new Set(addresses)].filter((address) => !kept.has(address));
  }

  async function missingManifests(bundles) {
    const { generations } = await known();
    return bundles.filter((bundle) => !generations[bundle]).map((bundle) => `${bundle}manifest.json`);
  }

  /** Fetches files and keeps them; with `strictly`, the first that fails ends it. */
  async function fetchAll(addresses, strictly) {
    const left = [...addresses];
    const next = async () => {
      for (let address = left.shift(); address; address = left.shift()) {
        try {
          await fetchOne(address);
        } catch (thrown) {
          if (strictly) throw thrown;
        }
      }
    };
    await Promise.all([next(), next(), next(), next()]);
  }

  async function fetchOne(address) {
    const name = new URL(address).pathname;
    if (name.endsWith("/manifest.json"))
      return void (await fetchManifest(folderOf(address), new Request(address, { cache: "no-cache" })));
    const response = await fetch(address, { priority: "low" }).catch((cause) => {
      throw problem("network", `${name} could not be fetched: ${cause.message}`);
    });
    if (response.status !== 200)
      throw problem("http", `${name} could not be fetched: HTTP ${response.status}.`, {
        status: response.status,
        url: address,
      });
    if (!mayKeep(response))
      throw problem("http", `The host forbids to keep ${name} (Cache-Control: no-store).`, { url: address });
    const isSection = SECTION.test(name);
    const kept = isSection
      ? await keepSection(address, await bytesOf(response), response.headers)
      : await keepPage(address, response);
    if (kept) return;
    if ((await known()).full > 0)
      throw problem("storage-full", "The browser's storage for this site is full.");
    throw problem("hash-mismatch", `${name} is not the file that its name promises.`, { url: address });
  }

  async function sizes(part, wanted) {
    const cache = await caches.open(part);
    let [files, bytes] = [0, 0];
    for (const request of await cache.keys()) {
      if (!wanted(request.url)) continue;
      const kept = await cache.match(request);
      files += 1;
      bytes += Number(kept?.headers.get("content-length") ?? 0);
    }
    return { files, bytes };
  }

  async function forget(bundle) {
    const cache = await caches.open(PARTS.bundle);
    for (const url of await keptAddresses(PARTS.bundle)) if (url.startsWith(bundle)) await cache.delete(url);
    await change((now) => delete now.generations[bundle]);
  }

  const problem = (code, message, more = {}) => Object.assign(new Error(message), { code, ...more });

  self.addEventListener("message", (event) => {
    const { pocketgraphOffline: command, ...given } = event.data ?? {};
    const [port] = event.ports;
    if (!port || !Object.hasOwn(COMMANDS, command)) return;
    const done = COMMANDS[command](given).then(
      (value) => port.postMessage({ value }),
      ({ code = "internal", message, status, url }) =>
        port.postMessage({ error: { code, message, status, url } }),
    );
    event.waitUntil(done);
  });

  // ---- taking over ----------------------------------------------------------------------------------------

  // What is kept does not depend on this worker's version, so a new one need not wait for the old one's pages
  // to close.
  self.addEventListener("install", (event) => event.waitUntil(self.skipWaiting()));
  self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
})();
