// The same hits in the browser's engine as in the program's: what a site owner measures with `pocketgraph
// eval` is what readers get. Every retriever ranks the handbook natively and in WebAssembly. POCKETGRAPH_SITE
// is the folder that holds pkg/, POCKETGRAPH_PROGRAM the program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { FOR_ALL, WAYS } from "./ways.mjs";

const DOCS = fileURLToPath(new URL("../../docs", import.meta.url));
const QUESTIONS = [
  "How does hybrid search join words and vectors?",
  "What does LinearRAG read in a bundle, and what does HippoRAG?",
  "wher is the kee of a langage model kept",
];

const run = (args) =>
  execFileSync(process.env.POCKETGRAPH_PROGRAM, args, {
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 26,
  });
const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-same-"));
const bundle = join(scratch, "bundle");
let graph;

before(async () => {
  run(["build", DOCS, "-o", bundle, ...FOR_ALL]);
  const { PocketGraph } = await import(
    pathToFileURL(join(process.env.POCKETGRAPH_SITE, "pkg/pocketgraph.js"))
  );
  graph = await PocketGraph.open(bundle);
  await graph.prepare();
});
after(async () => {
  await graph?.close();
  rmSync(scratch, { recursive: true, force: true });
});

for (const retriever of WAYS) {
  test(`${retriever} ranks the same chunks in the same order with the same scores`, async () => {
    for (const question of QUESTIONS) {
      const native = JSON.parse(
        run(["search", bundle, question, "--retriever", retriever, "-k", "50", "--json"]),
      );
      const here = await graph.search(question, { retriever, k: 50 });
      const ranking = ({ hits }) => hits.map(({ chunk, score }) => ({ chunk, score: Math.fround(score) }));
      assert.ok(here.hits.length > 0, question);
      assert.deepEqual(ranking(here), ranking(native), question);
    }
  });
}
