// Conversations over the handbook, resolved without a model: the question that a follow-up stands for must
// find the page as well as the whole question does. The dialogues are ours; each names the pages that would
// do.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const folder = process.env.POCKETGRAPH_SITE;
const AT = 3;
/** How much less often than by the whole question the page may be found. */
const LESS = 0.05;

const dialogues = readFileSync(new URL("handbook.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [before, last, whole, pages] = line.split("\t");
    return { before: before.split(" > "), last, whole, pages: pages.split(" ") };
  });

test(`${dialogues.length} follow-ups find their page as their whole questions do`, async () => {
  const { PocketGraph } = await import(pathToFileURL(join(folder, "pkg/pocketgraph.js")));
  const { resolveFollowUp } = await import(pathToFileURL(join(folder, "pkg/follow-up.js")));
  const graph = await PocketGraph.open(join(folder, "bundle"));
  await graph.prepare();
  const found = async (question, pages) => {
    const { hits } = await graph.search(question, { k: 10 });
    const best = [
      ...new Set(hits.map(({ url }) => url.replace(/.*\/|\.\w+(#.*)?$/g, "").replace(/#.*/, ""))),
    ].slice(0, AT);
    return best.some((page) => pages.includes(page));
  };
  const counts = { whole: 0, resolved: 0, alone: 0 };
  const lost = [];
  for (const { before, last, whole, pages } of dialogues) {
    const history = [];
    for (const turn of before) history.push({ question: resolveFollowUp(turn, history), answer: "" });
    const resolved = resolveFollowUp(last, history);
    const [byWhole, byResolved, byItself] = await Promise.all(
      [whole, resolved, last].map((question) => found(question, pages)),
    );
    counts.whole += byWhole;
    counts.resolved += byResolved;
    counts.alone += byItself;
    if (byWhole && !byResolved) lost.push(`${before.join(" > ")} > ${last} = ${resolved}`);
  }
  await graph.close();
  const share = (name) => (counts[name] / dialogues.length).toFixed(3);
  console.log(
    `of ${dialogues.length} dialogues the page is among the best ${AT} for ${share("whole")} by whole ` +
      `questions, ${share("resolved")} resolved, ${share("alone")} as asked`,
  );
  assert.ok(counts.resolved >= counts.whole - LESS * dialogues.length, lost.join("\n"));
});
