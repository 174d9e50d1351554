// How long plans of three steps take in Chromium: node plan-bench.mjs SITE BUNDLE TRIPLES [COUNT]
//
// SITE is a folder with pkg/ (target/demo), BUNDLE a bundle that carries the graph of TRIPLES, a table of
// head, relation and tail by their names in the graph. Random walks along the triples become plans; each is
// carried out once, after a first one that loads the graph.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { launch, newPage } from "./browser.mjs";
import { serveSite } from "./server.mjs";

const [site, bundle, triples, count = "200"] = process.argv.slice(2);
if (!triples) {
  console.error("Usage: node plan-bench.mjs SITE BUNDLE TRIPLES [COUNT]");
  process.exit(2);
}

/** A small generator of numbers, so that every run walks the same ways. */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function walks(file, wanted) {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const rows = text
    .split("\n")
    .map((line) => line.trim().split("\t"))
    .filter(({ length }) => length >= 3);
  const from = new Map();
  for (const row of rows) {
    if (!from.has(row[0])) from.set(row[0], []);
    from.get(row[0]).push(row);
  }
  const next = random(7);
  const found = [];
  for (let tries = 0; found.length < wanted && tries < 100 * wanted; tries++) {
    const walk = [rows[next(rows.length)]];
    while (walk.length < 3 && from.has(walk.at(-1)[2])) {
      const on = from.get(walk.at(-1)[2]);
      walk.push(on[next(on.length)]);
    }
    if (walk.length === 3) found.push(walk);
  }
  return found;
}

function plan(walk) {
  const head = (step) => (step === 0 ? { entity: walk[0][0] } : { reference: `Ans${step}` });
  const statements = walk.map(([, relation], step) => ({
    name: `Ans${step + 1}`,
    op: "search_kg",
    head: head(step),
    relation: { exact: { name: relation, inverse: false } },
  }));
  return { statements, answer: "Ans3" };
}

const served = await serveSite(site);
served.mounts.set("/graph/", bundle);
const browser = await launch();
const page = await newPage(browser);
page.setDefaultTimeout(600_000);
await page.goto(`${served.url}icon.svg`);
const plans = walks(triples, Number(count)).map(plan);
const seen = await page.evaluate(async (plans) => {
  const { PocketGraph } = await import("/pkg/pocketgraph.js");
  const graph = await PocketGraph.open("/graph/", { memoryLimit: 1_000_000_000 });
  const run = async (plan) => {
    const start = performance.now();
    let done;
    for await (const event of graph.execute(plan)) if (event.type === "done") done = event;
    return {
      whole: performance.now() - start,
      inside: done.carried.trace.milliseconds,
      size: done.carried.trace.steps.at(-1).size,
    };
  };
  const first = await run(plans[0]);
  const times = [];
  for (const plan of plans) times.push(await run(plan));
  return { first, times };
}, plans);
const quantile = (key, q) =>
  seen.times
    .map((time) => time[key])
    .sort((a, b) => a - b)
    [Math.floor(q * (seen.times.length - 1))].toFixed(1);
if (!seen.times.some(({ size }) => size > 0))
  throw new Error(`no plan finds anything: is ${triples} the graph of ${bundle}?`);
console.log(
  `${plans.length} plans of three steps; ${seen.times.filter(({ size }) => size > 0).length} find something`,
);
console.log(`first, with the graph to load: ${seen.first.whole.toFixed(0)} ms`);
console.log(
  `from call to answer: ${quantile("whole", 0.5)} ms p50, ${quantile("whole", 0.95)} ms p95; carrying out ` +
    `alone: ${quantile("inside", 0.5)} ms p50, ${quantile("inside", 0.95)} ms p95`,
);
await browser.close();
await served.close();
