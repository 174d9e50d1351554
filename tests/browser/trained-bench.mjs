// How long the trained planner takes for a question in Chromium: node trained-bench.mjs SITE BUNDLE QUESTIONS
// [COUNT]
//
// SITE is a folder with pkg/ (target/demo), BUNDLE a bundle with a knowledge graph and the trained planner,
// QUESTIONS a file of JSON Lines with a
// `question` each, COUNT how many of them are asked, spread evenly over the file. The full engine, the graph
// and the rules are there before; then the first question loads the planner's section, which is told apart,
// and every further one is planned once, in the worker, from the call to the plan.

import { readFileSync } from "node:fs";
import { launch, newPage } from "./browser.mjs";
import { serveSite } from "./server.mjs";

const [site, bundle, file, count = "300"] = process.argv.slice(2);
if (!file) {
  console.error("Usage: node trained-bench.mjs SITE BUNDLE QUESTIONS [COUNT]");
  process.exit(2);
}

const all = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => line.trim())
  .map((line) => JSON.parse(line).question);
const every = Math.max(1, Math.floor(all.length / Number(count)));
const questions = all.filter((_, at) => at % every === 0).slice(0, Number(count));

const served = await serveSite(site);
served.mounts.set("/graph/", bundle);
const browser = await launch();
const page = await newPage(browser);
page.setDefaultTimeout(600_000);
await page.goto(`${served.url}icon.svg`);
const seen = await page.evaluate(async (questions) => {
  const { PocketGraph } = await import("/pkg/pocketgraph.js");
  const graph = await PocketGraph.open("/graph/", { memoryLimit: 1_000_000_000 });
  const timed = async (question, planner) => {
    const start = performance.now();
    const { by } = await graph.plan(question, { planner });
    return { by, time: performance.now() - start };
  };
  for (const question of questions.slice(0, 20)) await timed(question, "rules");
  const before = await graph.stats();
  const first = await timed(questions[0], "trained");
  const { bytes, requests } = await graph.stats();
  const times = { rules: [], trained: [], auto: [] };
  for (const planner of Object.keys(times))
    for (const question of questions) times[planner].push(await timed(question, planner));
  return { first, times, bytes: bytes - before.bytes, requests: requests - before.requests };
}, questions);
await browser.close();
await served.close();

const quantile = (times, q) =>
  times
    .map(({ time }) => time)
    .sort((a, b) => a - b)
    [Math.floor(q * (times.length - 1))].toFixed(1);
console.log(`Chromium ${browser.version()}, ${questions.length} questions of ${file}`);
console.log(
  `first, with the planner to load (${seen.bytes} bytes in ${seen.requests} files): ` +
    `${seen.first.time.toFixed(0)} ms`,
);
for (const [planner, times] of Object.entries(seen.times)) {
  const by = (who) => times.filter((one) => one.by === who).length;
  console.log(
    `--planner ${planner}: ${quantile(times, 0.5)} ms p50, ${quantile(times, 0.95)} ms p95; ${by("rules")} ` +
      `planned by rules, ${by("trained")} by the trained planner, ${by(null)} by nobody`,
  );
}
