// Every retriever in the package, on corpora that leave it nothing to work with and on questions of any
// shape. POCKETGRAPH_SITE is the folder that holds pkg/, POCKETGRAPH_PROGRAM the program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { FOR_ALL, WAYS } from "./ways.mjs";

const same = (passage) => Array(12).fill(passage);
const CORPORA = {
  "one passage": [["Mara Kestrel", "Mara Kestrel was born in Tromsund."]],
  "identical passages": same(["", "the same words stand in every passage"]),
  "identical passages about names": same(["Mara Kestrel", "Mara Kestrel met Tomas Brenn."]),
  "one long word": [["one", "word".repeat(20_000)]],
  "no entities": [
    ["", "it rains."],
    ["", "it snows."],
    ["", "it is cold."],
  ],
  "no capitals": [
    ["東京", "東京は日本の首都です。渋谷は東京にあります。"],
    ["渋谷", "渋谷は東京の街です。"],
  ],
};
const QUESTIONS = ["?", "zzqx", "Where was Mara Kestrel born?", "東京 😀", "Mara Kestrel ".repeat(8000)];

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-retrievers-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

for (const [name, passages] of Object.entries(CORPORA)) {
  test(`${name}: every retriever takes every question, and all scores are numbers`, async () => {
    const chunks = join(scratch, "chunks.jsonl");
    const bundle = join(scratch, name.replaceAll(" ", "-"));
    writeFileSync(chunks, passages.map(([title, text]) => `${JSON.stringify({ title, text })}\n`).join(""));
    execFileSync(process.env.POCKETGRAPH_PROGRAM, ["build", "--chunks", chunks, "-o", bundle, ...FOR_ALL], {
      stdio: "pipe",
    });
    const { PocketGraph } = await import(
      pathToFileURL(join(process.env.POCKETGRAPH_SITE, "pkg/pocketgraph.js"))
    );
    const graph = await PocketGraph.open(bundle);
    try {
      for (const prepared of [false, true]) {
        if (prepared) await graph.prepare();
        for (const retriever of WAYS) {
          for (const question of QUESTIONS) {
            const of = `${retriever}, ${JSON.stringify(question.slice(0, 20))}`;
            const { hits, missing } = await graph.search(question, { k: 5, retriever });
            // What keywords alone bring comes on top of k.
            const nearest = hits.filter(
              ({ reached }) =>
                !reached.length || reached.some(({ by }) => by !== "keyword" && by !== "adjacent-keyword"),
            );
            assert.ok(nearest.length <= 5 && hits.every(({ score }) => Number.isFinite(score)), of);
            assert.equal(
              new Set(hits.map(({ chunk }) => chunk)).size,
              hits.length,
              `${of}: a chunk comes once`,
            );
            assert.deepEqual(missing, [], of);
          }
          for (const nothing of ["", " "])
            assert.deepEqual(
              (await graph.search(nothing, { retriever })).hits,
              [],
              `${retriever}: nothing asked`,
            );
        }
      }
    } finally {
      await graph.close();
    }
  });
}
