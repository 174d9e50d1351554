// A Chromium whose WebAssembly has no SIMD, as on a processor that lacks the instructions: the third module serves it, and finds the same.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, newPage } from "./browser.mjs";
import { QUESTION, assertClean, askAndRead, harness, opened, use } from "./harness.mjs";

const t = harness();
const OTHERS = ["how does hybrid search work?", "where is the API key kept?", "how are passages cut, and what is a chunk?"];
const WASM = { scalar: "/pkg/pocketgraph_scalar_bg.wasm", search: "/pkg/pocketgraph_wasm_bg.wasm", full: "/pkg/pocketgraph_full_bg.wasm", relaxed: "/pkg/pocketgraph_relaxed.wasm" };

let plain;
before(async () => {
  // V8 gives WebAssembly no SIMD where it may not use these instructions.
  plain = await launch({ jsFlags: "--no-enable-sse4-1" });
});
after(() => plain?.close());

/** A page of the site's origin without SIMD; null where it cannot be switched off, as on processors that are no x86. */
async function pageWithout(context) {
  t.site.faults.clear();
  const page = await newPage(plain);
  await page.goto(`${t.site.url}icon.svg`);
  const has = await page.evaluate(async () => (await import("/pkg/wasm-modules.js")).HAS_SIMD);
  if (!has) return page;
  context.skip("this processor's SIMD cannot be switched off");
  return null;
}

/** What searches and answers come to: before the model, with it, by the graph, by a retriever of the full module. */
async function everything({ PocketGraph }, { worker, questions }) {
  const graph = await PocketGraph.open("/bundle/", { worker });
  const seen = [];
  const search = async (options) => {
    for (const question of questions) seen.push(await graph.search(question, options));
  };
  await search({});
  await graph.prepare();
  for (const retriever of ["auto", "dense", "autokg"]) await search({ retriever });
  for (const question of questions) {
    for await (const event of graph.ask(question)) if (event.type === "done") seen.push({ answer: event.answer, text: event.carried?.text });
  }
  await graph.close();
  return { seen };
}

for (const worker of [true, false]) {
  const where = worker ? "in a worker" : "on the page's thread";

  test(`${where}: without SIMD the hits, their scores and the answers are the same, bit for bit`, async (context) => {
    const page = await pageWithout(context);
    if (!page) return;
    const before = t.site.requests.length;
    const without = await use(page, everything, { worker, questions: [QUESTION, ...OTHERS] });
    assert.ok(!without.code, without.message);
    const fetched = t.site.requests.slice(before).filter((path) => path.endsWith(".wasm"));
    assert.deepEqual(fetched, [WASM.scalar]);
    await page.context().close();

    const usual = await t.bare();
    const from = t.site.requests.length;
    const withSimd = await use(usual, everything, { worker, questions: [QUESTION, ...OTHERS] });
    assert.deepEqual(t.site.requests.slice(from).filter((path) => path.endsWith(".wasm")), [WASM.search, WASM.relaxed, WASM.full]);
    assert.ok(withSimd.seen.length === 20 && withSimd.seen[4].stage === "model" && withSimd.seen[4].hits[0].dense > 0, "the model took part");
    assert.deepEqual(without.seen, withSimd.seen);
    await usual.context().close();
  });
}

test("the page works without SIMD, and what it keeps for use without a network is the module that it uses", async (context) => {
  const bare = await pageWithout(context);
  if (!bare) return;
  const kept = await bare.evaluate(async () => (await import("/pkg/offline.js")).PACKAGE_FILES.filter((name) => name.endsWith(".wasm")));
  assert.deepEqual(kept, ["pocketgraph_scalar_bg.wasm"]);
  await bare.context().close();
  const page = await newPage(plain);
  await page.goto(t.site.url);
  await opened(page);
  await askAndRead(page);
  await assertClean(page);
  await page.context().close();
});
