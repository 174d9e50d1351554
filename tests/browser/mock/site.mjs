// Puts together a site around the mock engine: www/, the hand-written package files with the mock where the wasm would be, and a
// bundle that the mock can read. `node mock/site.mjs DIR` to look at it by hand.

import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CHUNKS, GRAPH } from "./corpus.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Writes the site into `folder`. */
export async function buildMockSite(folder) {
  await mkdir(join(folder, "pkg"), { recursive: true });
  await mkdir(join(folder, "bundle"), { recursive: true });
  await cp(join(ROOT, "www"), folder, { recursive: true });
  await cp(join(ROOT, "js"), join(folder, "pkg"), { recursive: true });
  for (const file of ["pocketgraph_wasm.js", "mock_llm.js"]) await cp(join(ROOT, "tests/browser/mock", file), join(folder, "pkg", file));
  await writeFile(join(folder, "pkg/pocketgraph_wasm_bg.wasm"), Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  const files = {
    "graph.json": Buffer.from(JSON.stringify(GRAPH)),
    "chunks.json": Buffer.from(JSON.stringify(CHUNKS)),
    "postings.bin": Buffer.alloc(20_000, 1),
    "model.bin": Buffer.alloc(3_000_000, 2),
  };
  const bytes = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, content.length]));
  await writeFile(join(folder, "bundle/manifest.json"), JSON.stringify({ format: 1, bytes }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, "bundle", name), content);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildMockSite(process.argv[2]);
