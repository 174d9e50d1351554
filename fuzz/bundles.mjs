// Asks changed bundles in Node, through the package: node fuzz/bundles.mjs PACKAGE FOLDER, where the folder
// is one that `pocketgraph-fuzz --write-bundles` wrote. A bundle may be refused with an error that has a
// code; a trap, an error without one, a score that is no number and a call without an end are findings.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , pkg, folder] = process.argv;
const { PocketGraph } = await import(pathToFileURL(join(pkg, "pocketgraph.js")).href);

const QUESTIONS = [
  "what is a keyword graph?",
  "Who directed The Silent Orchard and where was the director born?",
  "pocktgraf serch",
  "how many films did Mara Kestrel direct",
  "Wo wurde der Hafen gebaut?",
  "港口是什么时候建的?",
];
const RETRIEVERS = [
  "auto",
  "hybrid",
  "lexical",
  "dense",
  "autokg",
  "linear",
  "hippo",
  "hypergraph",
  "graphrag",
  "raptor",
];
const MOST_MS = 30_000;
const MOST_BYTES = 1e9;

const findings = [];
let bundle;
process.on("unhandledRejection", (error) => report(`nobody handled: ${error?.stack ?? error}`));

function report(what) {
  findings.push(`bundle ${bundle}: ${what}`);
  console.error(`FINDING ${findings.at(-1)}`);
}

/** Resolves to what a call gives; to undefined where it is refused as it may be. */
async function attempt(name, call) {
  let timer;
  const late = new Promise(
    (resolve, reject) => (timer = setTimeout(() => reject(new Error("has no end")), MOST_MS)),
  );
  try {
    return await Promise.race([call(), late]);
  } catch (error) {
    if (!error?.code || error.code === "internal") report(`${name}: ${error?.stack ?? error}`);
  } finally {
    clearTimeout(timer);
  }
}

async function ask(graph, number) {
  const question = (step) => QUESTIONS[(number + step) % QUESTIONS.length];
  for (let step = 0; step < 4; step++) {
    const retriever = RETRIEVERS[(number + 3 * step) % RETRIEVERS.length];
    const filter = step === 2 ? { language: "de", folder: "en" } : undefined;
    const result = await attempt(retriever, () =>
      graph.search(question(step), {
        retriever,
        k: 8,
        typing: step % 2 === 0,
        readerLanguage: ["de", "zh"][step],
        filter,
      }),
    );
    if (!result) continue;
    if (result.hits.some((hit) => !Number.isFinite(hit.score)))
      report(`${retriever}: a score that is no number`);
    for (const hit of result.hits.slice(0, 2)) await attempt("passage", () => graph.passage(hit.chunk));
    if (step === 0) await attempt("subgraph", () => graph.subgraph(result));
  }
  await attempt("facets", () => graph.facets());
  const options =
    number % 2
      ? { protocol: "plan" }
      : { history: [{ question: "Who directed Winter Harbour?", answer: "x" }] };
  await attempt("ask", async () => {
    for await (const event of graph.ask(question(0), options)) if (event.type === "done") break;
  });
}

let opened = 0;
const bundles = readdirSync(folder);
for (bundle of bundles) {
  const graph = await attempt("open", () => PocketGraph.open(join(folder, bundle)));
  if (!graph) continue;
  opened += 1;
  await ask(graph, Number(bundle));
  await attempt("close", () => graph.close());
}
const held = process.memoryUsage().rss;
if (held > MOST_BYTES) report(`${held} bytes are held in the end`);
console.log(
  `${bundles.length} bundles asked in Node, ${opened} opened, ${findings.length} findings, ` +
    `${Math.round(held / 1e6)} MB`,
);
process.exit(findings.length > 0 ? 1 : 0);
