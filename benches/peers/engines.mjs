// What is measured: each engine's build in a page, its index as a file, and a cold start from that file.
// Every function here is sent to the page, so each imports what it needs itself. `window.peer` afterwards
// holds search(vector, text) -> ids, best first.

/** Vectors of the corpus (one row each) and of the questions, with the texts. */
export async function load() {
  const matrix = async (name) => {
    const bytes = await (await fetch(`/data/${name}.f32`)).arrayBuffer();
    return Array.from({ length: bytes.byteLength / 1536 }, (_, i) => new Float32Array(bytes, i * 1536, 384));
  };
  const lines = async (name) =>
    (await (await fetch(`/data/${name}.jsonl`)).text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { matrix, lines };
}

export const ENGINES = {
  "Orama (vectors)": {
    package: "@orama/orama",
    file: "orama-vector.json",
    async build({ vectors, file }) {
      const { create, insertMultiple, save } = await import("/nm/@orama/orama/dist/browser/index.js");
      const started = performance.now();
      const db = create({ schema: { embedding: "vector[384]" } });
      await insertMultiple(
        db,
        vectors.map((v, i) => ({ id: String(i), embedding: Array.from(v) })),
        1000,
      );
      const ms = performance.now() - started;
      await fetch(`/index/${file}`, { method: "PUT", body: JSON.stringify(save(db)) });
      return ms;
    },
    async open({ file }) {
      const { create, load, search } = await import("/nm/@orama/orama/dist/browser/index.js");
      const db = create({ schema: { embedding: "vector[384]" } });
      load(db, await (await fetch(`/index/${file}`)).json());
      return async (vector) => {
        const found = await search(db, {
          mode: "vector",
          vector: { value: Array.from(vector), property: "embedding" },
          similarity: 0,
          limit: 10,
        });
        return found.hits.map((h) => Number(h.id));
      };
    },
  },
  "voy-search": {
    package: "voy-search",
    file: "voy.json",
    async library() {
      const bg = await import("/nm/voy-search/voy_search_bg.js");
      const { instance } = await WebAssembly.instantiateStreaming(
        fetch("/nm/voy-search/voy_search_bg.wasm"),
        { "./voy_search_bg.js": bg },
      );
      bg.__wbg_set_wasm(instance.exports);
      return bg.Voy;
    },
    async build({ vectors, file, library }) {
      const Voy = await library();
      const started = performance.now();
      const voy = new Voy({
        embeddings: vectors.map((v, i) => ({ id: String(i), title: "", url: "", embeddings: Array.from(v) })),
      });
      const ms = performance.now() - started;
      await fetch(`/index/${file}`, { method: "PUT", body: voy.serialize() });
      return ms;
    },
    async open({ file, library }) {
      const Voy = await library();
      const voy = Voy.deserialize(await (await fetch(`/index/${file}`)).text());
      return async (vector) => voy.search(vector, 10).neighbors.map((n) => Number(n.id));
    },
  },
  "sqlite-vec (wasm)": {
    package: "sqlite-vec-wasm-demo",
    file: "sqlite-vec.db",
    async build({ vectors, file }) {
      const { default: init } = await import("/nm/sqlite-vec-wasm-demo/sqlite3.mjs");
      const sqlite3 = await init();
      const started = performance.now();
      const db = new sqlite3.oo1.DB(":memory:");
      db.exec("create virtual table v using vec0(embedding float[384])");
      const insert = db.prepare("insert into v(rowid, embedding) values (?, ?)");
      db.exec("begin");
      vectors.forEach((v, i) => {
        insert.bind(1, BigInt(i)).bind(2, new Uint8Array(v.slice().buffer)).stepReset();
      });
      db.exec("commit");
      insert.finalize();
      const ms = performance.now() - started;
      await fetch(`/index/${file}`, { method: "PUT", body: sqlite3.capi.sqlite3_js_db_export(db) });
      return ms;
    },
    async open({ file }) {
      const { default: init } = await import("/nm/sqlite-vec-wasm-demo/sqlite3.mjs");
      const sqlite3 = await init();
      const bytes = await (await fetch(`/index/${file}`)).arrayBuffer();
      const p = sqlite3.wasm.allocFromTypedArray(new Uint8Array(bytes));
      const db = new sqlite3.oo1.DB();
      const flags = sqlite3.capi.SQLITE_DESERIALIZE_FREEONCLOSE;
      db.checkRc(
        sqlite3.capi.sqlite3_deserialize(db.pointer, "main", p, bytes.byteLength, bytes.byteLength, flags),
      );
      const select = db.prepare("select rowid from v where embedding match ? and k = 10 order by distance");
      return async (vector) => {
        const ids = [];
        select.bind(1, new Uint8Array(vector.slice().buffer));
        while (select.step()) ids.push(Number(select.get(0)));
        select.reset();
        return ids;
      };
    },
  },
  "hnswlib-wasm": {
    package: "hnswlib-wasm",
    // Its index goes to IndexedDB, not to a file that a host could serve: a reader builds it again from the
    // vectors.
    file: null,
    async open({ vectorsOf }) {
      const { loadHnswlib } = await import("/nm/hnswlib-wasm/dist/hnswlib.js");
      const lib = await loadHnswlib();
      const vectors = await vectorsOf();
      const started = performance.now();
      const index = new lib.HierarchicalNSW("cosine", 384, "");
      index.initIndex(vectors.length, 16, 200, 100);
      for (let i = 0; i < vectors.length; i += 1000)
        index.addItems(
          vectors.slice(i, i + 1000).map((v) => Array.from(v)),
          true,
        );
      globalThis.buildMs = performance.now() - started;
      index.setEfSearch(64);
      return async (vector) => index.searchKnn(vector, 10, undefined).neighbors;
    },
  },
  "MiniSearch (words)": {
    package: "minisearch",
    file: "minisearch.json",
    text: true,
    async build({ rows, file }) {
      const { default: MiniSearch } = await import("/nm/minisearch/dist/es/index.js");
      const started = performance.now();
      const index = new MiniSearch({ fields: ["title", "text"], storeFields: ["title", "url"] });
      index.addAll(rows.map((r, id) => ({ id, title: r.title, text: r.text, url: r.url })));
      const ms = performance.now() - started;
      await fetch(`/index/${file}`, { method: "PUT", body: JSON.stringify(index) });
      return ms;
    },
    async open({ file }) {
      const { default: MiniSearch } = await import("/nm/minisearch/dist/es/index.js");
      const index = MiniSearch.loadJSON(await (await fetch(`/index/${file}`)).text(), {
        fields: ["title", "text"],
        storeFields: ["title", "url"],
      });
      return async (_, text) =>
        index
          .search(text)
          .slice(0, 10)
          .map((h) => h.url);
    },
  },
  "Orama (words)": {
    package: "@orama/orama",
    file: "orama-text.json",
    text: true,
    async build({ rows, file }) {
      const { create, insertMultiple, save } = await import("/nm/@orama/orama/dist/browser/index.js");
      const started = performance.now();
      const db = create({ schema: { title: "string", text: "string" } });
      await insertMultiple(
        db,
        rows.map((r, i) => ({ id: String(i), title: r.title, text: r.text, url: r.url })),
        1000,
      );
      const ms = performance.now() - started;
      await fetch(`/index/${file}`, { method: "PUT", body: JSON.stringify(save(db)) });
      return ms;
    },
    async open({ file }) {
      const { create, load, search } = await import("/nm/@orama/orama/dist/browser/index.js");
      const db = create({ schema: { title: "string", text: "string" } });
      load(db, await (await fetch(`/index/${file}`)).json());
      return async (_, text) => (await search(db, { term: text, limit: 10 })).hits.map((h) => h.document.url);
    },
  },
  Pagefind: {
    package: "pagefind",
    folder: "pagefind",
    text: true,
    async open() {
      const pagefind = await import("/index/pagefind/pagefind.js");
      await pagefind.init();
      return async (_, text) => {
        const found = await pagefind.search(text);
        const first = await Promise.all(found.results.slice(0, 10).map((r) => r.data()));
        return first.map((d) => d.meta.url);
      };
    },
  },
};

/** PocketGraph from a bundle made of the same chunks and vectors; `retriever` as in the handbook. */
export const OURS = {
  async open({ retriever, prepare }) {
    const { PocketGraph } = await import("/site/pkg/pocketgraph.js");
    const kg = await PocketGraph.open("/site/bundle/", { worker: false });
    if (prepare) await kg.prepare();
    return async (_, text) => (await kg.search(text, { k: 10, retriever })).hits;
  },
};
