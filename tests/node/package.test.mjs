// The package in Node: bundles from a folder and from a host, with nothing left behind. POCKETGRAPH_SITE is the folder that holds pkg/ and
// bundle/.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { serveSite } from "../browser/server.mjs";

const QUESTION = "what is the difference between a keyword graph and a knowledge graph?";

let folder;
let site;
let PocketGraph;
let PocketGraphError;
const temporary = [];

before(async () => {
  folder = process.env.POCKETGRAPH_SITE;
  assert.ok(folder, "Set POCKETGRAPH_SITE to the built page; `./build.sh test` does.");
  site = await serveSite(folder);
  ({ PocketGraph, PocketGraphError } = await import(pathToFileURL(join(folder, "pkg/pocketgraph.js"))));
});

after(async () => {
  await site?.close();
  for (const one of temporary) await rm(one, { recursive: true, force: true });
});

const fails = (promise, code) => assert.rejects(promise, (error) => error instanceof PocketGraphError && error.code === code);

async function firstHitIsRight(graph) {
  const { hits } = await graph.search(QUESTION);
  const first = JSON.stringify(hits[0]);
  assert.match(first, /keyword graph/i);
  assert.match(first, /knowledge graph/i);
}

test("a bundle is opened by a path, by a file URL and by an http URL", async () => {
  const places = [join(folder, "bundle"), relative(process.cwd(), join(folder, "bundle")), pathToFileURL(join(folder, "bundle/")), join(folder, "bundle/manifest.json"), `${site.url}bundle/`, `${site.url}bundle`];
  for (const place of places) {
    const graph = await PocketGraph.open(place);
    assert.ok(graph.info().chunks > 0, String(place));
    await firstHitIsRight(graph);
    await graph.close();
  }
});

test("an answer is quoted, and its citations point into their passages", async () => {
  const graph = await PocketGraph.open(join(folder, "bundle"));
  let answer;
  for await (const event of graph.ask(QUESTION)) if (event.type === "done") answer = event.answer;
  assert.equal(answer.by, "extraction");
  assert.ok(answer.citations.length > 0);
  for (const { chunk, quote, span } of answer.citations) {
    const passage = await graph.passage(chunk);
    assert.equal(passage.text.slice(span.start, span.end), quote);
  }
  await graph.close();
});

test("while a folder is open, fetch reads below it and nowhere else; afterwards fetch is as it was", async () => {
  const original = globalThis.fetch;
  const copy = await mkdtemp(join(tmpdir(), "pocketgraph-root-"));
  temporary.push(copy);
  await cp(join(folder, "bundle"), join(copy, "bundle"), { recursive: true });
  await writeFile(join(copy, "secret.txt"), "secret");
  const graph = await PocketGraph.open(join(copy, "bundle"));
  const second = await PocketGraph.open(join(folder, "bundle"));
  const root = pathToFileURL(join(copy, "bundle/"));
  const manifest = await fetch(new URL("manifest.json", root));
  assert.equal(manifest.status, 200);
  const part = await fetch(new URL("manifest.json", root), { headers: { range: "bytes=1-4" } });
  assert.deepEqual([part.status, (await part.arrayBuffer()).byteLength], [206, 4]);
  assert.equal((await fetch(new URL("no-such-file", root))).status, 404);
  for (const outside of ["../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt"]) await assert.rejects(fetch(new URL(outside, root)), TypeError);
  assert.equal((await fetch(`${site.url}bundle/manifest.json`)).status, 200);
  await graph.close();
  await assert.rejects(fetch(new URL("manifest.json", root)), TypeError);
  await firstHitIsRight(second);
  await second.close();
  assert.equal(globalThis.fetch, original);
});

test("what is not a bundle is refused with a code", async () => {
  await fails(PocketGraph.open(join(folder, "nowhere")), "http");
  await fails(PocketGraph.open(`${site.url}nowhere/`), "http");
  await fails(PocketGraph.open("http://127.0.0.1:9/"), "network");
  await fails(PocketGraph.open(42), "bad-argument");
  await fails(PocketGraph.open(join(folder, "bundle"), { worker: true }), "internal");
});

test("signals and close are honoured", async () => {
  await fails(PocketGraph.open(join(folder, "bundle"), { signal: AbortSignal.abort() }), "aborted");
  const graph = await PocketGraph.open(join(folder, "bundle"));
  await fails(graph.search(QUESTION, { signal: AbortSignal.abort() }), "aborted");
  const searching = graph.search(QUESTION);
  const closing = graph.close();
  await searching.then(() => {}, (error) => assert.match(error.code, /closed|aborted/));
  await closing;
  await fails(graph.search(QUESTION), "closed");
  await graph.reopen();
  await firstHitIsRight(graph);
  await graph.close();
});

test("what is kept for use without a network names every file of the package that a page may come to need", async () => {
  const { PACKAGE_FILES } = await import(pathToFileURL(join(folder, "pkg/offline.js")));
  const { HAS_RELAXED } = await import(pathToFileURL(join(folder, "pkg/relaxed.js")));
  const files = (await readdir(join(folder, "pkg"))).filter((name) => /\.(js|wasm)$/.test(name));
  // Node's own part, and the service worker, which browsers keep by themselves; what only browsers without SIMD use, and what only those with relaxed SIMD do.
  const others = ["node-files.js", "offline-worker.js", "pocketgraph_scalar.js", "pocketgraph_scalar_bg.wasm", ...(HAS_RELAXED ? [] : ["pocketgraph_relaxed.wasm"])];
  const wanted = files.filter((name) => !others.includes(name));
  assert.deepEqual([...PACKAGE_FILES].sort(), wanted.sort());
});

test("without SIMD the third module finds the same, and with relaxed SIMD the usual ones do", async (context) => {
  const script = `
    const { HAS_SIMD } = await import(${JSON.stringify(pathToFileURL(join(folder, "pkg/wasm-modules.js")).href)});
    const { HAS_RELAXED } = await import(${JSON.stringify(pathToFileURL(join(folder, "pkg/relaxed.js")).href)});
    const { PocketGraph } = await import(${JSON.stringify(pathToFileURL(join(folder, "pkg/pocketgraph.js")).href)});
    const graph = await PocketGraph.open(${JSON.stringify(join(folder, "bundle"))});
    await graph.prepare();
    const found = await graph.search(${JSON.stringify(QUESTION)});
    await graph.close();
    console.log(JSON.stringify({ HAS_SIMD, HAS_RELAXED, found }));
  `;
  // V8 gives WebAssembly no SIMD where it may not use these instructions.
  const run = (...flags) => JSON.parse(execFileSync(process.execPath, [...flags, "--input-type=module", "-e", script], { encoding: "utf8" }));
  const withSimd = run();
  assert.ok(withSimd.HAS_SIMD && withSimd.found.stage === "model" && withSimd.found.hits.length > 0);
  // In Node 20 behind this flag.
  const relaxed = withSimd.HAS_RELAXED ? withSimd : run("--experimental-wasm-relaxed-simd");
  assert.ok(relaxed.HAS_RELAXED);
  assert.deepEqual(relaxed.found, withSimd.found);
  const without = run("--no-enable-sse4-1");
  if (without.HAS_SIMD) return context.skip("this processor's SIMD cannot be switched off");
  assert.deepEqual(without.found, withSimd.found);
});

test("Node, which has no service workers, refuses to keep anything", async () => {
  await fails(PocketGraph.offline({ bundle: join(folder, "bundle") }), "offline-unavailable");
});

test("a bundle whose files are replaced under an open engine is told as such", async () => {
  const copy = await mkdtemp(join(tmpdir(), "pocketgraph-replaced-"));
  temporary.push(copy);
  await cp(join(folder, "bundle"), copy, { recursive: true });
  const graph = await PocketGraph.open(copy);
  await firstHitIsRight(graph);
  const manifest = JSON.parse(await readFile(join(copy, "manifest.json"), "utf8"));
  Object.assign(manifest.pocketgraph.sections[0], { file: "documents-00000000000000000000.pgs", bytes: 1 });
  await writeFile(join(copy, "manifest.json"), JSON.stringify(manifest));
  await rm(join(copy, "chunks"), { recursive: true });
  await fails(graph.search("which error codes come from a language model?"), "replaced");
  await graph.close();
});
