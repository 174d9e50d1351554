// What relaxed SIMD brings, in a Chromium. Of a scan of vectors, where it is not used: median milliseconds of
// the kernels of relaxed_simd/scan.rs, and whether relaxed sums are those of plain code. Of questions to the
// demo, with the package's module for it and without, in turns: median milliseconds.
//
//   CHROMIUM_PATH=… node benches/relaxed_simd.mjs [SITE]
//
// playwright-core is that of tests/browser.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, newPage } from "../tests/browser/browser.mjs";
import { serveSite } from "../tests/browser/server.mjs";

const folder = mkdtempSync(join(tmpdir(), "relaxed-simd-"));
const out = join(folder, "scan.wasm");
const source = fileURLToPath(new URL("relaxed_simd/scan.rs", import.meta.url));
const features = "-Ctarget-feature=+simd128,+relaxed-simd";
execFileSync("rustc", [
  "--edition=2024",
  "--target=wasm32-unknown-unknown",
  features,
  "-Copt-level=3",
  "-Cpanic=abort",
  source,
  "-o",
  out,
]);
const bytes = [...readFileSync(out)];
rmSync(folder, { recursive: true });

const browser = await launch();
const page = await browser.newPage();
const rows = await page.evaluate(async (bytes) => {
  const { instance } = await WebAssembly.instantiate(new Uint8Array(bytes));
  const { memory, __heap_base: heap, ...kernels } = instance.exports;
  const [dim, most] = [384, 100_000];
  const query = (heap.value + 15) & ~15;
  const sums = query + dim;
  const data = (sums + 4 * most + 15) & ~15;
  memory.grow(Math.ceil((data + most * dim - memory.buffer.byteLength) / 65536) + 1);
  let state = 1;
  const noise = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24;
  const all = new Int8Array(memory.buffer);
  for (let i = 0; i < most * dim; i++) all[data + i] = Math.max(-127, noise() - 128);
  const asked = (bits) => {
    for (let i = 0; i < dim; i++) all[query + i] = noise() >> bits;
  };
  asked(1);
  const sumsOf = (kernel, n) => (kernel(data, n, query, sums), [...new Int32Array(memory.buffer, sums, n)]);
  const agree = (kernel) => String(sumsOf(kernel, 1000)) === String(sumsOf(kernels.extend, 1000));
  let same = agree(kernels.relaxed);
  // Up to seven: sixteen bits hold the sums.
  asked(5);
  same &&= agree(kernels.sums16);
  const table = [];
  for (const n of [4_000, 10_000, 50_000, 100_000]) {
    const row = { n, same };
    for (const name of ["read", "extend", "relaxed", "sums16", "signs"]) {
      const times = [];
      const rounds = Math.ceil(200_000 / n);
      for (let i = 0; i < 60; i++) {
        const begun = performance.now();
        for (let j = 0; j < rounds; j++) kernels[name](data, n, query, sums);
        times.push((performance.now() - begun) / rounds);
      }
      row[name] = times.sort((a, b) => a - b)[30];
    }
    table.push(row);
  }
  return table;
}, bytes);
console.log(
  `Chromium ${browser.version()}; relaxed sums are ${rows[0].same ? "" : "not "}those of plain code, for ` +
    `queries as small as they need\n`,
);
console.log(
  "| vectors | only reading, ms | extend and multiply (the engine's), ms | relaxed dot, ms | relaxed, sums " +
    "of 16 bits, ms | signs alone, ms |\n|---|---|---|---|---|---|",
);
for (const { n, same: _, ...ms } of rows)
  console.log(`| ${[n, ...Object.values(ms).map((t) => t.toFixed(3))].join(" | ")} |`);

if (process.argv[2]) {
  const site = await serveSite(process.argv[2]);
  const questions = [
    "how do I change the layers that embed questions",
    "what does the engine do when a file of the bundle is missing on the host, and who is told about it?",
  ];
  const turns = { with: [], without: [] };
  for (let turn = 0; turn < 5; turn++) {
    for (const [name, medians] of Object.entries(turns)) {
      site.faults.clear();
      if (name === "without") site.faults.set("pocketgraph_relaxed.wasm", { kind: "status", status: 404 });
      const page = await newPage(browser);
      await page.goto(`${site.url}icon.svg`);
      medians.push(
        await page.evaluate(async (questions) => {
          const { PocketGraph } = await import("/pkg/pocketgraph.js");
          const graph = await PocketGraph.open("/bundle/", { worker: false });
          await graph.prepare();
          const found = [];
          for (const question of questions) {
            const times = [];
            for (let i = 0; i < 120; i++) {
              const begun = performance.now();
              await graph.search(question, { retriever: "dense" });
              times.push(performance.now() - begun);
            }
            // The first run while the browser still optimises.
            found.push(times.slice(40).sort((a, b) => a - b)[40]);
          }
          await graph.close();
          return found;
        }, questions),
      );
      await page.context().close();
    }
  }
  const median = (name, i) =>
    turns[name]
      .map((found) => found[i])
      .sort((a, b) => a - b)[2]
      .toFixed(1);
  console.log(
    "\n| a question by `dense`, everything at hand | with relaxed SIMD, ms | without, ms |\n|---|---|---|",
  );
  ["of 9 words", "of 22 words"].forEach((what, i) =>
    console.log(`| ${what} | ${median("with", i)} | ${median("without", i)} |`),
  );
  await site.close();
}
await browser.close();
