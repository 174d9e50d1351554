// PocketGraph beside what a user would pick instead: same machine, same run, same chunks, same vectors, in
// Chromium. Prints Markdown.
//
//   npm ci --ignore-scripts && CHROMIUM_PATH=... node peers.mjs DATA SITE NAME [ENGINE]...
//
// DATA holds NAME.jsonl ({text, title, url} a line), NAME.f32 (their vectors, 384 floats a row),
// questions.jsonl ({query, url} a line) and questions.f32. SITE holds pkg/ and bundle/, the latter built with
// `pocketgraph build --chunks NAME.jsonl --vectors NAME.safetensors --embedder minilm`. make-data.py makes
// both kinds of file from one.

import { mkdirSync, readFileSync, rmSync, statSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ENGINES, OURS, load } from "./engines.mjs";
import { inFreshPage, startHost } from "./host.mjs";

const LIMIT = Number(process.env.LIMIT_SECONDS ?? 400) * 1000;
const [data, site, name, ...only] = process.argv.slice(2);
if (!name) {
  console.error("usage: node peers.mjs DATA SITE NAME [ENGINE]...");
  process.exit(2);
}

const index = join(data, `index-${name}`);
rmSync(index, { recursive: true, force: true });
mkdirSync(index, { recursive: true });
const host = await startHost({
  "/nm/": join(import.meta.dirname, "node_modules"),
  "/data/": data,
  "/site/": site,
  "/index/": index,
});

const floats = (file) => {
  const bytes = readFileSync(join(data, `${file}.f32`));
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
};
const [corpus, asked] = [floats(name), floats("questions")];
const rows = readFileSync(join(data, `${name}.jsonl`), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const questions = readFileSync(join(data, "questions.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))
  .slice(0, 100);

/** The cosine of the tenth nearest chunk to each question, and of all chunks: exactly. */
const exact = questions.map((_, q) => {
  const cosines = new Float32Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) {
    let sum = 0;
    for (let j = 0; j < 384; j += 1) sum += corpus[i * 384 + j] * asked[q * 384 + j];
    cosines[i] = sum;
  }
  return { cosines, tenth: Float32Array.from(cosines).sort().at(-10) };
});
const withText = new Map();
rows.forEach((r, i) => withText.set(r.text.trim(), [...(withText.get(r.text.trim()) ?? []), i]));

/** Share of the ten nearest that are among `ids`; ties count. */
const recall = (ids, q) => ids.filter((i) => exact[q].cosines[i] >= exact[q].tenth - 1e-6).length / 10;

const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * q)];
const sizeOf = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, f) => sum + sizeOf(join(path, f)), 0)
    : statSync(path).size;

/** Runs in the page: opens, asks the first question, then all, twice; times the second round. */
async function ask({ open, library, load, file, name, questions, arguments_ }) {
  const parse = (source) =>
    source ? new Function(`return (${source.replace(/^async (\w+)\(/, "async function $1(")})`)() : undefined;
  const { matrix } = await parse(load)();
  const vectors = await matrix("questions");
  const context = { file, library: parse(library), vectorsOf: () => matrix(name), ...arguments_ };
  const begun = performance.now();
  const search = await parse(open)(context);
  await search(vectors[0], questions[0]);
  const cold = performance.now() - begun;
  await fetch("/nm/mark");
  const found = [];
  for (let i = 0; i < questions.length; i += 1) found.push(await search(vectors[i], questions[i]));
  const times = [];
  for (let i = 0; i < questions.length; i += 1) {
    const before = performance.now();
    await search(vectors[i], questions[i]);
    times.push(performance.now() - before);
  }
  return {
    cold,
    build: globalThis.buildMs,
    found: found.map((f) =>
      f.map((h) => (typeof h === "object" ? { text: h.text, url: h.url, dense: h.dense } : h)),
    ),
    times,
  };
}

/** Runs in the page: builds the index and hands it to the host. */
async function build({ build, library, load, file, name, text }) {
  const parse = (source) =>
    source ? new Function(`return (${source.replace(/^async (\w+)\(/, "async function $1(")})`)() : undefined;
  const { matrix, lines } = await parse(load)();
  const context = {
    file,
    library: parse(library),
    vectors: text ? [] : await matrix(name),
    rows: text ? await lines(name) : [],
  };
  return parse(build)(context);
}

async function pagefindIndex() {
  const pagefind = await import("pagefind");
  const started = performance.now();
  const { index: made } = await pagefind.createIndex();
  for (const r of rows)
    await made.addCustomRecord({
      url: `/${r.url}`,
      content: r.text,
      language: "en",
      meta: { title: r.title, url: r.url },
    });
  const written = await made.writeFiles({ outputPath: join(index, "pagefind") });
  if (written.errors?.length) throw new Error(written.errors.join("; "));
  const ms = performance.now() - started;
  await pagefind.close();
  return ms;
}

const table = [];
async function measure(title, version, engine, options = {}) {
  const row = { title: `${title} ${version}` };
  table.push(row);
  try {
    const texts = questions.map((q) => q.query);
    const shared = {
      load: load.toString(),
      file: engine.file,
      library: engine.library?.toString(),
      questions: texts,
      name,
    };
    if (engine.folder) row.build = await pagefindIndex();
    else if (engine.build && engine.file) {
      row.build = await inFreshPage(
        host,
        build,
        { ...shared, build: engine.build.toString(), text: engine.text },
        LIMIT,
      );
    }
    if (engine.file) row.index = statSync(join(index, engine.file)).size;
    if (engine.folder) row.index = sizeOf(join(index, engine.folder));
    if (options.index) row.index = options.index;
    // The vectors of the questions are the measurement's own; they are fetched first and taken off.
    const own = statSync(join(data, "questions.f32")).size;
    let atFirst;
    host.onMark = () => (atFirst ??= { bytes: host.bytes - own, requests: host.requests - 1 });
    const result = await inFreshPage(
      host,
      ask,
      { ...shared, open: engine.open.toString(), arguments_: options.arguments ?? {} },
      LIMIT,
    );
    row.bytes = atFirst?.bytes;
    row.requests = atFirst?.requests;
    row.cold = result.cold;
    row.build ??= result.build;
    row.p50 = quantile(result.times, 0.5);
    row.p95 = quantile(result.times, 0.95);
    const ids = result.found.map((found) => found.flatMap((h) => (typeof h === "number" ? [h] : [])));
    if (!engine.text && !options.ours)
      row.recall = ids.reduce((sum, list, q) => sum + recall(list, q), 0) / questions.length;
    if (options.ours && options.dense) {
      // Our chunks have numbers of their own: their text says which row of the vectors they are.
      const rowsOf = result.found.map((hits) => hits.map((h) => withText.get(h.text.trim())?.[0] ?? -1));
      row.recall =
        rowsOf.reduce(
          (sum, list, q) =>
            sum + list.filter((i) => exact[q].cosines[i] >= exact[q].tenth - 0.005).length / 10,
          0,
        ) / questions.length;
    }
    const url = (h) => (typeof h === "number" ? rows[h]?.url : typeof h === "string" ? h : h.url);
    const page = (u) =>
      String(u ?? "")
        .replace(/^\//, "")
        .split("#")[0];
    row.gold =
      result.found.filter((found, q) => found.some((h) => page(url(h)) === page(questions[q].url))).length /
      questions.length;
  } catch (error) {
    row.error = String(error.message ?? error).split("\n")[0];
  }
  console.error(JSON.stringify(row));
}

const versionOf = (p) =>
  JSON.parse(readFileSync(join(import.meta.dirname, "node_modules", p, "package.json"), "utf8")).version;
const wanted = (title) =>
  only.length === 0 || only.some((o) => title.toLowerCase().includes(o.toLowerCase()));
const manifest = JSON.parse(readFileSync(join(site, "bundle/manifest.json"), "utf8")).pocketgraph;
const bundleBytes = (...names) =>
  manifest.sections
    .filter((s) => names.includes(s.name))
    .reduce((sum, s) => sum + s.bytes + (s.pageBytes ?? 0), 0);
for (const [title, retriever, prepare, index_] of [
  ["PocketGraph, lexical", "lexical", false, bundleBytes("documents", "chunks", "lexical")],
  [
    "PocketGraph, hybrid from feedback",
    "hybrid",
    false,
    bundleBytes("documents", "chunks", "lexical", "sketches"),
  ],
  ["PocketGraph, dense, question embedded", "dense", true, bundleBytes("vectors")],
  [
    "PocketGraph, hybrid, question embedded",
    "hybrid",
    true,
    bundleBytes("documents", "chunks", "lexical", "vectors"),
  ],
]) {
  if (!wanted(title)) continue;
  await measure(title, "", OURS, {
    ours: true,
    dense: retriever === "dense",
    index: index_,
    arguments: { retriever, prepare },
  });
}
for (const [title, engine] of Object.entries(ENGINES)) {
  if (wanted(title)) await measure(title, versionOf(engine.package), engine);
}
await host.close();

const ms = (x) =>
  x === undefined
    ? ""
    : x < 10
      ? `${x.toFixed(2)} ms`
      : x < 10_000
        ? `${x.toFixed(0)} ms`
        : `${(x / 1000).toFixed(0)} s`;
const size = (x) =>
  x === undefined ? "" : x < 1e6 ? `${(x / 1e3).toFixed(0)} kB` : `${(x / 1e6).toFixed(1)} MB`;
const share = (x) => (x === undefined ? "" : x.toFixed(3));
console.log(`\n### ${name}: ${rows.length} chunks, ${questions.length} questions\n`);
console.log(
  "| engine | build | index | bytes to the first result | requests | cold start | query p50 | p95 | " +
    "recall@10 | page found in 10 |",
);
console.log("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
for (const r of table) {
  if (r.error) console.log(`| ${r.title} | did not run: ${r.error} | ${size(r.index)} | | | | | | | |`);
  else {
    const cells = [
      ms(r.build),
      size(r.index),
      size(r.bytes),
      r.requests ?? "",
      ms(r.cold),
      ms(r.p50),
      ms(r.p95),
      share(r.recall),
      share(r.gold),
    ];
    console.log(`| ${r.title} | ${cells.join(" | ")} |`);
  }
}
