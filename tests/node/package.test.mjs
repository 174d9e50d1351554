// The package in Node: bundles from a folder and from a host, with nothing left behind. POCKETGRAPH_SITE is
// the folder that holds pkg/ and bundle/.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { serveLlm, serveSite } from "../browser/server.mjs";

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

const fails = (promise, code) =>
  assert.rejects(promise, (error) => error instanceof PocketGraphError && error.code === code);

async function firstHitIsRight(graph) {
  const { hits } = await graph.search(QUESTION);
  const first = JSON.stringify(hits[0]);
  assert.match(first, /keyword graph/i);
  assert.match(first, /knowledge graph/i);
}

test("a bundle is opened by a path, by a file URL and by an http URL", async () => {
  const places = [
    join(folder, "bundle"),
    relative(process.cwd(), join(folder, "bundle")),
    pathToFileURL(join(folder, "bundle/")),
    join(folder, "bundle/manifest.json"),
    `${site.url}bundle/`,
    `${site.url}bundle`,
  ];
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
  for (const { target, quote, span } of answer.citations) {
    assert.equal(target.type, "chunk");
    const passage = await graph.passage(target.chunk);
    assert.equal(passage.text.slice(span.start, span.end), quote);
  }
  await graph.close();
});

test("a bundle in a folder changes no global, and its reader reads below the folder and nowhere else", async () => {
  const before = new Map(
    Reflect.ownKeys(globalThis).map((name) => [
      name,
      Object.getOwnPropertyDescriptor(globalThis, name)?.value,
    ]),
  );
  const copy = await mkdtemp(join(tmpdir(), "pocketgraph-root-"));
  temporary.push(copy);
  await cp(join(folder, "bundle"), join(copy, "bundle"), { recursive: true });
  await writeFile(join(copy, "secret.txt"), "secret");
  const graph = await PocketGraph.open(join(copy, "bundle"));
  await firstHitIsRight(graph);
  const changed = Reflect.ownKeys(globalThis).filter(
    (name) => !Object.is(before.get(name), Object.getOwnPropertyDescriptor(globalThis, name)?.value),
  );
  assert.deepEqual(changed, []);
  const { fetchBelow } = await import(pathToFileURL(join(folder, "pkg/node-files.js")));
  const root = pathToFileURL(join(copy, "bundle/")).href;
  const read = fetchBelow(root);
  const request = (name, init) => new Request(new URL(name, root), init);
  assert.equal((await read(request("manifest.json"))).status, 200);
  const part = await read(request("manifest.json", { headers: { range: "bytes=1-4" } }));
  assert.deepEqual([part.status, (await part.arrayBuffer()).byteLength], [206, 4]);
  assert.equal((await read(request("no-such-file"))).status, 404);
  for (const outside of ["../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt"])
    await assert.rejects(read(request(outside)), TypeError);
  assert.equal((await read(new Request(`${site.url}bundle/manifest.json`))).status, 200);
  await graph.close();
});

test("the component is imported on a server, and in a test's DOM the package is still Node's", () => {
  const run = (script) =>
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  const at = (name) => JSON.stringify(pathToFileURL(join(folder, "pkg", name)).href);
  const onServer = run(
    `const { PocketGraphAskElement } = await import(${at("ask-element.js")}); console.log(typeof ` +
      `PocketGraphAskElement);`,
  );
  assert.equal(onServer.trim(), "function");
  const inDom = run(`
    globalThis.window = globalThis;
    globalThis.document = { baseURI: "http://localhost/" };
    globalThis.location = { href: "http://localhost/" };
    const { PocketGraph } = await import(${at("pocketgraph.js")});
    const graph = await PocketGraph.open(${JSON.stringify(join(folder, "bundle"))});
    console.log((await graph.search("keyword graph")).hits.length > 0);
    await graph.close();
  `);
  assert.equal(inDom.trim(), "true");
});

test("an option that there is not is refused, and the nearest is named", async () => {
  const graph = await PocketGraph.open(join(folder, "bundle"));
  const refused = async (promise, hint) =>
    assert.rejects(promise, (error) => error.code === "bad-argument" && error.message.includes(hint));
  await refused(graph.search("x", { retrievr: "auto" }), "`retriever`");
  await refused(graph.ask("x", { nativetools: true }).next(), "`nativeTools`");
  await refused(graph.ask("x", { llm: { baseURL: "http://localhost/v1", model: "m" } }).next(), "`baseUrl`");
  await refused(graph.ask("x", { polarity: "maybe" }).next(), "on-no, on-yes");
  await refused(graph.ask("x", { grounded: "no" }).next(), "true or false");
  await refused(PocketGraph.open(join(folder, "bundle"), { memorylimit: 1 }), "`memoryLimit`");
  await graph.close();
});

test("the options of protocols reach the model", async () => {
  const llm = await serveLlm();
  llm.text = "[complete_task] \\boxed{nothing}";
  const graph = await PocketGraph.open(join(folder, "bundle"));
  const sent = async (options) => {
    llm.requests.length = 0;
    for await (const event of graph.ask(QUESTION, {
      llm: { baseUrl: llm.url, model: "m" },
      turns: 1,
      ...options,
    }))
      void event;
    return llm.requests.map(({ body }) => body);
  };
  const [warm] = await sent({ protocol: "single-shot", temperature: 0.25 });
  assert.equal(warm.temperature, 0.25);
  assert.ok((await sent({ protocol: "tool-calling", nativeTools: true }))[0].tools?.length > 0);
  assert.match(
    JSON.stringify((await sent({ protocol: "tool-calling", today: "2031-05-06" }))[0]),
    /2031-05-06/,
  );
  llm.text = '[{"name": "weather", "arguments": {"place": "Hallwil"}}]';
  const weather = {
    name: "weather",
    description: "The weather.",
    run: async ({ place }) => ({ place, sky: "cloudless" }),
  };
  assert.match(
    JSON.stringify((await sent({ protocol: "tool-calling", tools: [weather], turns: 1 })).at(-1)),
    /cloudless/,
  );
  await assert.rejects(
    sent({ protocol: "tool-calling", tools: [{ ...weather, run: "x" }] }),
    (e) => e.code === "bad-argument",
  );
  llm.text = "[complete_task] \\boxed{nothing}";
  const grounded = JSON.stringify((await sent({ protocol: "single-shot" }))[0]);
  const bare = JSON.stringify((await sent({ protocol: "single-shot", grounded: false }))[0]);
  assert.ok(bare.length < grounded.length);
  const prompts = { "react.task": "In my words: {{question}}" };
  assert.match(JSON.stringify((await sent({ protocol: "react", prompts }))[0]), /In my words: /);
  await assert.rejects(
    sent({ protocol: "react", prompts: { "react.task": "{{answer}}" } }),
    (e) => e.code === "bad-argument" && /react\.task.*answer/.test(e.message),
  );
  await graph.close();
  await llm.close();
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
  await searching.then(
    () => {},
    (error) => assert.match(error.code, /closed|aborted/),
  );
  await closing;
  await fails(graph.search(QUESTION), "closed");
  await graph.reopen();
  await firstHitIsRight(graph);
  await graph.close();
});

test("what is kept for use without a network names every file of the package that a page may come to need", async () => {
  const { PACKAGE_FILES } = await import(pathToFileURL(join(folder, "pkg/offline.js")));
  const { HAS_RELAXED } = await import(new URL("../../pkg/relaxed.js", import.meta.url));
  const files = (await readdir(join(folder, "pkg"))).filter((name) => /\.(js|wasm)$/.test(name));
  // Node's own part, types alone, and the service worker, which browsers keep by themselves; what only
  // browsers with relaxed SIMD use.
  const others = [
    "jsx-react.js",
    "node-files.js",
    "offline-worker.js",
    ...(HAS_RELAXED ? [] : ["pocketgraph_relaxed.wasm"]),
  ];
  const wanted = files.filter((name) => !others.includes(name));
  assert.deepEqual([...PACKAGE_FILES].sort(), wanted.sort());
});

test("with relaxed SIMD the hits are the same, and without SIMD a bundle is refused", async (context) => {
  const script = `
    const { HAS_RELAXED } = await import(${JSON.stringify(new URL("../../pkg/relaxed.js", import.meta.url).href)});
    const { PocketGraph } = await import(${JSON.stringify(pathToFileURL(join(folder, "pkg/pocketgraph.js")).href)});
    try {
      const graph = await PocketGraph.open(${JSON.stringify(join(folder, "bundle"))});
      await graph.prepare();
      const found = await graph.search(${JSON.stringify(QUESTION)});
      await graph.close();
      console.log(JSON.stringify({ HAS_RELAXED, found }));
    } catch ({ code, message }) {
      console.log(JSON.stringify({ code, message }));
    }
  `;
  // V8 gives WebAssembly no SIMD where it may not use these instructions.
  const run = (...flags) =>
    JSON.parse(
      execFileSync(process.execPath, [...flags, "--input-type=module", "-e", script], { encoding: "utf8" }),
    );
  const withSimd = run();
  assert.ok(withSimd.found.stage === "model" && withSimd.found.hits.length > 0);
  // In Node 20 behind this flag.
  const relaxed = withSimd.HAS_RELAXED ? withSimd : run("--experimental-wasm-relaxed-simd");
  assert.ok(relaxed.HAS_RELAXED);
  assert.deepEqual(relaxed.found, withSimd.found);
  const without = run("--no-enable-sse4-1");
  if (without.found) return context.skip("this processor's SIMD cannot be switched off");
  assert.equal(without.code, "unsupported-browser", without.message);
});

test("Node, which has no service workers, refuses to keep anything", async () => {
  await fails(PocketGraph.offline({ bundle: join(folder, "bundle") }), "offline-unavailable");
});

test("a bundle whose files are replaced under an open engine is told as such", async () => {
  const copy = await mkdtemp(join(tmpdir(), "pocketgraph-replaced-"));
  temporary.push(copy);
  await cp(join(folder, "bundle"), copy, { recursive: true });
  const graph = await PocketGraph.open(copy);
  // One hit, so that files of passages are left which a later search needs.
  await graph.search(QUESTION, { k: 1 });
  const manifest = JSON.parse(await readFile(join(copy, "manifest.json"), "utf8"));
  Object.assign(manifest.pocketgraph.sections[0], {
    file: "documents-00000000000000000000.pgs",
    bytes: 1,
    inline: undefined,
  });
  await writeFile(join(copy, "manifest.json"), JSON.stringify(manifest));
  await rm(join(copy, "chunks"), { recursive: true });
  await fails(graph.search("which error codes come from a language model?"), "replaced");
  await graph.close();
});

test("no file of the package names a folder of the machine that built it", async () => {
  const folders = [process.env.CARGO_HOME ?? join(homedir(), ".cargo"), process.cwd()];
  const files = await readdir(join(folder, "pkg"));
  assert.ok(files.includes("pocketgraph_full_bg.wasm"));
  for (const file of files) {
    const bytes = await readFile(join(folder, "pkg", file));
    for (const named of folders) assert.ok(!bytes.includes(`${named}/`), `${file} names ${named}`);
  }
});
