// Measures the gap of `auto` to the better of `hybrid` and `lexical`, the greater one of recall@5 and
// nDCG@10, in the output of `pocketgraph eval site --json`. With `questions`, converts a set's questions for
// `eval site`.
import { readFileSync } from "node:fs";

const input = readFileSync(0, "utf8");

if (process.argv[2] === "questions") {
  const asked = input
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const named = asked.map((a) => ({ question: a.question ?? a.query, page: a.pages ?? a.gold_page }));
  console.log(
    named
      .filter((a) => a.page?.length > 0)
      .map((a) => JSON.stringify(a))
      .join("\n"),
  );
} else {
  const means = Object.fromEntries(JSON.parse(input).rows.map((row) => [row.retriever, row.mean]));
  const behind = ["recall_5", "ndcg_10"].map(
    (name) => Math.max(means.hybrid[name], means.lexical[name]) - means.auto[name],
  );
  console.log(Math.max(0, ...behind).toFixed(3));
}
