// Times the kernels of relaxed_simd/scan.rs in a Chromium: median milliseconds of a scan, and whether relaxed sums are those of plain code.
//
//   CHROMIUM_PATH=… node benches/relaxed_simd.mjs
//
// playwright-core is that of tests/browser.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "../tests/browser/browser.mjs";

const folder = mkdtempSync(join(tmpdir(), "relaxed-simd-"));
const out = join(folder, "scan.wasm");
const source = fileURLToPath(new URL("relaxed_simd/scan.rs", import.meta.url));
const features = "-Ctarget-feature=+simd128,+relaxed-simd";
execFileSync("rustc", ["--edition=2024", "--target=wasm32-unknown-unknown", features, "-Copt-level=3", "-Cpanic=abort", source, "-o", out]);
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
  const noise = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24);
  const all = new Int8Array(memory.buffer);
  for (let i = 0; i < most * dim; i++) all[data + i] = Math.max(-127, noise() - 128);
  const asked = (bits) => { for (let i = 0; i < dim; i++) all[query + i] = noise() >> bits; };
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
console.log(`Chromium ${browser.version()}; relaxed sums are ${rows[0].same ? "" : "not "}those of plain code, for queries as small as they need\n`);
console.log("| vectors | only reading, ms | extend and multiply (the engine's), ms | relaxed dot, ms | relaxed, sums of 16 bits, ms | signs alone, ms |\n|---|---|---|---|---|---|");
for (const { n, same: _, ...ms } of rows) console.log(`| ${[n, ...Object.values(ms).map((t) => t.toFixed(3))].join(" | ")} |`);
await browser.close();
