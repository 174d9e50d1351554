// Relaxed SIMD: the loop against plain loops, and the package with it and without it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { newPage } from "./browser.mjs";
import { FAILED_LOAD, QUESTION, assertClean, askAndRead, harness, opened, use } from "./harness.mjs";

const t = harness(({ site }) =>
  site.mounts.set("/sources/", fileURLToPath(new URL("../../pkg", import.meta.url))),
);
const RELAXED = "/pkg/pocketgraph_relaxed.wasm";
const OTHERS = [
  "how does hybrid search work?",
  "where is the API key kept?",
  "what is a chunk, and how long may one be before it is cut in two?",
];

test("the loop's sums are those of plain loops, for any rows, weights and steps, the largest included", async () => {
  const page = await t.bare();
  assert.ok(
    await page.evaluate(async () => (await import("/sources/relaxed.js")).HAS_RELAXED),
    "this Chromium has relaxed SIMD",
  );
  const compared = await page.evaluate(async (url) => {
    const memory = new WebAssembly.Memory({ initial: 16 });
    const { instance } = await WebAssembly.instantiateStreaming(fetch(url), { env: { memory } });
    const { arrange_panels: arrange, multiply } = instance.exports;
    const [PANEL, RUN, PACKED, ARRANGED] = [16, 64, 8 + 512, 16 + 512];
    let state = 7;
    const next = (below) => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8) % below;
    let compared = 0;
    for (const kind of ["any", "largest", "smallest"]) {
      for (const [rows, runs, panels] of [
        [1, 1, 1],
        [2, 6, 3],
        [3, 2, 1],
        [4, 1, 2],
        [5, 3, 1],
        [13, 6, 2],
        [16, 24, 1],
      ]) {
        const inputs = runs * RUN;
        const bytes = Array.from({ length: panels * runs * PACKED }, (_, i) =>
          kind === "any" ? next(256) : i % PACKED < 8 ? 255 : kind === "largest" ? 255 : 0,
        );
        const x = Array.from({ length: rows * inputs }, (_, i) =>
          kind === "any" ? next(255) - 127 : i % 3 ? 127 : -127,
        );
        // One after the other, each at a multiple of sixteen, and nothing else may be written to.
        let at = 64;
        const place = (length) => [at, (at = (at + length + 79) & ~15)][0];
        const all = new Uint8Array(memory.buffer).fill(0xa5);
        const [packed, rowsAt, weights, narrow, corrections, sums] = [
          bytes.length,
          2 * x.length,
          panels * runs * ARRANGED,
          x.length,
          4 * rows * runs,
          64 * panels * rows,
        ].map(place);
        all.set(bytes, packed);
        new Int16Array(memory.buffer).set(x, rowsAt / 2);
        arrange(packed, panels * runs, weights);
        multiply(rowsAt, rows, runs, weights, panels, narrow, corrections, sums);
        const half = (byte, i) => (byte >> ((i % 2) * 4)) & 15;
        for (let p = 0; p < panels; p++) {
          for (let r = 0; r < rows; r++) {
            for (let o = 0; o < PANEL; o++) {
              let sum = 0;
              for (let i = 0; i < inputs; i++) {
                const run = (p * runs + Math.floor(i / RUN)) * PACKED;
                const step = half(bytes[run + (o >> 1)], o) + 1;
                sum +=
                  x[r * inputs + i] * (half(bytes[run + 8 + ((i % RUN) >> 1) * PANEL + o], i) - 8) * step;
              }
              const got = new Int32Array(memory.buffer, sums, panels * rows * PANEL)[
                (p * rows + r) * PANEL + o
              ];
              if (got !== sum)
                return (
                  `${kind}, ${[rows, runs, panels]}: row ${r}, output ${p * PANEL + o}: ${got} ` +
                  `instead of ${sum}`
                );
              compared++;
            }
          }
        }
        const ends = [
          [packed, bytes.length],
          [rowsAt, 2 * x.length],
          [weights, panels * runs * ARRANGED],
          [narrow, x.length],
          [corrections, 4 * rows * runs],
          [sums, 64 * panels * rows],
        ];
        for (const [begin, length] of ends)
          for (let i = 0; i < 16; i++)
            if (all[begin + length + i] !== 0xa5 || all[i] !== 0xa5) return `wrote beyond ${begin + length}`;
      }
    }
    return compared;
  }, RELAXED);
  assert.equal(compared, 3 * 16 * (1 + 6 + 3 + 8 + 5 + 26 + 16));
});

/** Hits by the model, before and after the full module has taken over, and an answer. */
async function everything({ PocketGraph }, { worker, questions }) {
  const graph = await PocketGraph.open("/bundle/", { worker });
  await graph.prepare();
  const seen = [];
  for (const question of questions) seen.push(await graph.search(question, { retriever: "dense" }));
  for await (const event of graph.ask(questions[0])) if (event.type === "done") seen.push(event.answer);
  for (const question of questions) seen.push(await graph.search(question));
  await graph.close();
  return { seen };
}

/** A page whose relaxed module is `fault`. */
async function pageWith(fault) {
  const page = await t.bare();
  if (fault) t.site.faults.set("pocketgraph_relaxed.wasm", fault);
  return page;
}

for (const worker of [true, false]) {
  const where = worker ? "in a worker" : "on the page's thread";

  test(`${where}: hits, their scores and answers are the same bits with relaxed SIMD and without`, async () => {
    const questions = [QUESTION, ...OTHERS];
    const found = [];
    for (const fault of [null, { kind: "status", status: 404 }, { kind: "truncate" }, { kind: "hang" }]) {
      const page = await pageWith(fault);
      const before = t.site.requests.length;
      const { seen, message } = await use(page, everything, { worker, questions });
      assert.ok(seen, message);
      assert.ok(
        seen.length === 9 && seen[0].stage === "model" && seen[0].hits[0].dense > 0,
        "the model took part",
      );
      assert.ok(t.site.requests.slice(before).includes(RELAXED));
      found.push(seen);
      await page.context().close();
    }
    for (const other of found.slice(1)) assert.deepEqual(other, found[0]);
  });
}

test("what is loaded is what multiplies", async () => {
  // A module of the same functions, of which the second stops: a search by the model stops with it, and one
  // before the model does not.
  const page = await pageWith(null);
  const stopped = await page.evaluate(async () => {
    const fetched = window.fetch;
    const [I, END] = [127, 11];
    const type = (count) => [96, count, ...Array(count).fill(I), 0];
    const name = (text) => [text.length, ...[...text].map((c) => c.charCodeAt(0))];
    const section = (id, body) => [id, body.length, ...body];
    const memory = section(2, [1, ...name("env"), ...name("memory"), 2, 0, 0]);
    const exports = section(7, [2, ...name("arrange_panels"), 0, 0, ...name("multiply"), 0, 1]);
    const code = section(10, [2, 2, 0, END, 3, 0, 0, END]);
    const module = Uint8Array.of(
      0,
      97,
      115,
      109,
      1,
      0,
      0,
      0,
      ...section(1, [2, ...type(3), ...type(8)]),
      ...memory,
      ...section(3, [2, 0, 1]),
      ...exports,
      ...code,
    );
    window.fetch = (resource, options) =>
      String(resource).endsWith("pocketgraph_relaxed.wasm")
        ? Promise.resolve(new Response(module))
        : fetched(resource, options);
    const { PocketGraph } = await import("/pkg/pocketgraph.js");
    const graph = await PocketGraph.open("/bundle/", { worker: false });
    const words = await graph.search("chunk");
    await graph.prepare();
    const code_ = await graph.search("chunk", { retriever: "dense" }).then(
      () => "found",
      (error) => error.code,
    );
    return [words.hits.length > 0, code_];
  });
  assert.deepEqual(stopped, [true, "internal"]);
  await page.context().close();
});

test("the page says nothing where the module cannot be had", async () => {
  t.site.faults.clear();
  const page = await newPage(t.browser);
  t.site.faults.set("pocketgraph_relaxed.wasm", { kind: "status", status: 404 });
  await page.goto(t.site.url);
  await opened(page);
  await askAndRead(page);
  for (let i = 0; i < 100 && !t.site.requests.includes(RELAXED); i++) await page.waitForTimeout(100);
  assert.ok(t.site.requests.includes(RELAXED));
  await assertClean(page, FAILED_LOAD);
  await page.context().close();
});
