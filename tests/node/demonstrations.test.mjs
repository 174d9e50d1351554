// Demonstrations of the bundle's own graph, in JavaScript: the model that plans is shown as many as were
// asked for. POCKETGRAPH_SITE is the folder that holds pkg/, POCKETGRAPH_PROGRAM the program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";

const FILMS = [
  ["Heat", "Michael Mann", "1995"],
  ["Thief", "Michael Mann", "1981"],
  ["Alien", "Ridley Scott", "1979"],
  ["Legend", "Ridley Scott", "1985"],
];
const BORN = [
  ["Michael Mann", "Chicago"],
  ["Ridley Scott", "South Shields"],
];
const QUESTION = "Who directed Alien?";
/** An example in a prompt: a question, and the lines of its plan. */
const EXAMPLE = /^Question: (.+)\nAns1=/gm;

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-demonstrations-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
mkdirSync(join(scratch, "docs"));
writeFileSync(join(scratch, "docs/films.md"), "# Films\n\nHeat and Alien are films.\n");
const triples = [
  ...FILMS.flatMap(([film, by, year]) => [
    [film, "directed by", by],
    [film, "released in", year],
  ]),
  ...BORN.map(([who, where]) => [who, "born in", where]),
];
writeFileSync(join(scratch, "films.tsv"), triples.map((triple) => `${triple.join("\t")}\n`).join(""));
execFileSync(
  process.env.POCKETGRAPH_PROGRAM,
  [
    "build",
    join(scratch, "docs"),
    "-o",
    join(scratch, "kg"),
    "--kg",
    join(scratch, "films.tsv"),
    "--no-runtime",
    "--no-cache",
    "-q",
  ],
  { stdio: "pipe" },
);

/** An OpenAI-compatible server that writes `says`, and what it was asked. */
async function serving(says, use) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    asked.push(JSON.parse(body).messages);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const choices = (delta, finish_reason) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    response.end(`${choices({ content: says }, null)}${choices({}, "stop")}data: [DONE]\n\n`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return {
      said: await use({ baseUrl: `http://127.0.0.1:${server.address().port}/v1`, model: "m" }),
      asked,
    };
  } finally {
    server.close();
  }
}

const PLAN = "Ans1=SearchKG(t=* | h=Alien, r=directed by)";
/** The ways to a plan: for each the plan's text and who made it. */
const WAYS = {
  plan: (graph, options) => graph.plan(QUESTION, options),
  ask: async (graph, options) => {
    let planned;
    for await (const event of graph.ask(QUESTION, { ...options, protocol: "plan" }))
      if (event.type === "plan") planned = event;
    return planned;
  },
};

for (const [call, planned] of Object.entries(WAYS)) {
  test(`${call}: a model that plans is shown as many examples of the graph as were asked for`, async () => {
    const { PocketGraph } = await import(
      pathToFileURL(join(process.env.POCKETGRAPH_SITE, "pkg/pocketgraph.js"))
    );
    const graph = await PocketGraph.open(join(scratch, "kg"));
    try {
      const shown = [];
      for (const options of [{}, { demonstrations: 0 }, { demonstrations: 2 }, { demonstrations: 4 }]) {
        const { said, asked } = await serving(PLAN, (llm) =>
          planned(graph, { llm, planner: "llm", ...options }),
        );
        const examples = [...asked[0].at(-1).content.matchAll(EXAMPLE)].map(([, question]) => question);
        for (const example of examples)
          assert.doesNotMatch(example, /Alien/, "no example names what was asked");
        assert.equal(said.by, "llm");
        assert.ok(said.text.trim().endsWith(PLAN), said.text);
        shown.push(examples.length);
      }
      assert.deepEqual(shown, [0, 0, 2, 4]);
    } finally {
      await graph.close();
    }
  });
}
