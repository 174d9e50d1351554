// How near in meaning made-up words and questions are to the passages nearest to them: what NEAR_ENOUGH of
// crates/search/src/retrieve/arrange.rs is set by.
//
//   node tuning/nonsense.mjs SITE QUESTIONS
//
// SITE holds pkg/ and bundle/; QUESTIONS is a table whose third column has questions that the bundle answers
// (tests/dialogues/handbook.tsv).

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [site, questions] = process.argv.slice(2);
const { PocketGraph } = await import(pathToFileURL(join(resolve(site), "pkg/pocketgraph.js")));
const graph = await PocketGraph.open(join(site, "bundle"));
await graph.prepare();

// The same words in every run.
let state = 7;
const random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
const word = () =>
  Array.from(
    { length: 4 + Math.floor(random() * 6) },
    () => "bcdfghjklmnpqrstvwxz"[Math.floor(random() * 20)],
  ).join("");
const madeUp = Array.from({ length: 200 }, () =>
  Array.from({ length: 1 + Math.floor(random() * 4) }, word).join(" "),
);
const meant = readFileSync(questions, "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split("\t")[2]);

const nearest = async (question) => {
  const { hits } = await graph.search(question, { retriever: "dense" });
  const { hits: said } = await graph.search(question, { retriever: "lexical" });
  return { dense: Math.max(0, ...hits.map(({ dense }) => dense ?? 0)), words: said.length > 0 };
};
for (const [name, all] of [
  ["made up", madeUp],
  ["meant", meant],
]) {
  const found = [];
  for (const question of all) found.push(await nearest(question));
  const cosines = found.map(({ dense }) => dense).sort((a, b) => a - b);
  const at = (share) => cosines[Math.min(cosines.length - 1, Math.floor(share * cosines.length))].toFixed(2);
  const below = [0.3, 0.35, 0.4, 0.45].map(
    (limit) => `${limit}: ${(cosines.filter((cosine) => cosine < limit).length / cosines.length).toFixed(3)}`,
  );
  console.log(
    `${name}: ${found.filter(({ words }) => words).length} of ${all.length} share a word; cosines ` +
      `${[0, 0.05, 0.5, 0.95, 1].map(at).join(" ")}; below ${below.join(", ")}`,
  );
}
await graph.close();
