// How much MiniLM's cosine may count in languages that it did not learn: what SPELT and FLUENT of
// companion/languages/src/weight.rs are set by.
//
//   node tuning/fusion.mjs PROGRAM SETS LANGUAGE...
//
// SETS holds LANGUAGE.corpus.jsonl and LANGUAGE.questions.jsonl, as `eval retrieval` reads them. The bundle
// of each language is built once, and measured at each share of the cosine, which stands in its manifest. For
// each language the best share is told, and the one that the others' line (no weight at the letters a piece
// of those without any use of it, the usual one at English's) gives it.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [program, sets, ...languages] = process.argv.slice(2);
const SHARES = [0, 10, 20, 30, 40, 50, 60, 70];
const folder = mkdtempSync(join(tmpdir(), "fusion-"));

const measured = (language, bundle) => {
  const files = ["corpus", "questions"]
    .map((name) => [`--${name}`, join(sets, `${language}.${name}.jsonl`)])
    .flat();
  const args = [
    "eval",
    "retrieval",
    ...files,
    "--bundle",
    bundle,
    "--retrievers",
    "lexical,hybrid,auto",
    "--json",
  ];
  const rows = JSON.parse(
    execFileSync(program, args, { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }),
  ).rows;
  return Object.fromEntries(rows.map((row) => [row.retriever, row.mean.recall_1]));
};
const withShare = (bundle, share) => {
  const path = join(bundle, "manifest.json");
  const body = JSON.parse(readFileSync(path, "utf8")).pocketgraph;
  body.embedder.weight = share;
  const sha256 = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  writeFileSync(path, JSON.stringify({ pocketgraph: body, sha256 }));
};

console.log("language\tshare\tlexical\thybrid\tauto");
for (const language of languages) {
  const bundle = join(folder, language);
  measured(language, bundle);
  for (const share of SHARES) {
    withShare(bundle, share);
    const { lexical, hybrid, auto } = measured(language, bundle);
    console.log([language, share, lexical, hybrid, auto].join("\t"));
  }
}
