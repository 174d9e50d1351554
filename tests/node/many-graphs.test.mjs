// Several bundles searched as one. POCKETGRAPH_SITE is the folder that holds pkg/.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-many-"));
const TEXTS = {
  sea: {
    "tides.md": "# Tides\n\nThe tide rises twice a day because the moon pulls the water.\n",
    "ferry.md": "# The ferry\n\nThe ferry leaves the harbour at noon.\n",
  },
  land: {
    "hedges.md": "# Hedges\n\nA hedge is cut in autumn with shears.\n",
    "roses.md": "# Roses\n\nRoses need sun and a sandy soil.\n",
  },
};
let PocketGraph;
let PocketGraphError;
let places;

before(async () => {
  ({ PocketGraph, PocketGraphError } = await import(
    pathToFileURL(join(process.env.POCKETGRAPH_SITE, "pkg/pocketgraph.js"))
  ));
  places = Object.entries(TEXTS).map(([name, files]) => {
    mkdirSync(join(scratch, name));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(scratch, name, file), text);
    execFileSync(
      process.env.POCKETGRAPH_PROGRAM,
      ["build", join(scratch, name), "-o", join(scratch, `${name}-kg`), "--no-runtime", "--no-cache", "-q"],
      { stdio: "pipe" },
    );
    return join(scratch, `${name}-kg`);
  });
});
after(() => rmSync(scratch, { recursive: true, force: true }));

const answerOf = async (events) => {
  for await (const event of events) if (event.type === "done") return event.answer;
};

for (const model of [false, true]) {
  test(
    `hits of all bundles are one list, and what is found is opened by its number, ` +
      `${model ? "by meaning" : "by words"}`,
    async () => {
      const many = await PocketGraph.open(places);
      if (model) await many.prepare();
      assert.equal(many.modelReady(), model);
      assert.equal(many.info().documents, 4);
      for (const [question, bundle, text] of [
        ["when does the tide rise?", 0, /moon/],
        ["what soil do roses need?", 1, /sandy/],
        ["when is a hedge cut?", 1, /shears/],
      ]) {
        const { hits } = await many.search(question, { k: 3 });
        assert.ok(hits.length <= 3);
        assert.equal(hits[0].bundle, bundle, question);
        assert.match(hits[0].text, text);
        assert.ok(hits.every(({ score }, at) => at === 0 || score <= hits[at - 1].score));
        assert.equal(new Set(hits.map(({ chunk }) => chunk)).size, hits.length);
        for (const hit of hits) assert.equal((await many.passage(hit.chunk)).text, hit.text);
        const answer = await answerOf(many.ask(question));
        assert.match(answer.text, text);
        assert.equal(answer.citations[0].target.bundle, bundle);
        assert.equal(
          (await many.passage(answer.citations[0].target.chunk)).text.includes(
            answer.citations[0].quote.slice(0, 10),
          ),
          true,
        );
      }
      await many.close();
    },
  );
}

test("the order in which bundles are named changes nothing but their places", async () => {
  const [one, other] = [await PocketGraph.open(places), await PocketGraph.open([...places].reverse())];
  for (const question of ["harbour at noon", "sandy soil", "shears in autumn"]) {
    const texts = async (graph) => (await graph.search(question)).hits.map(({ text }) => text);
    assert.deepEqual((await texts(one)).slice(0, 1), (await texts(other)).slice(0, 1), question);
  }
  await Promise.all([one.close(), other.close()]);
});

test("one bundle in an array is that bundle, and one that is not there fails the whole", async () => {
  const one = await PocketGraph.open([places[0]]);
  assert.ok(one instanceof PocketGraph);
  await one.close();
  await assert.rejects(
    PocketGraph.open([places[0], join(scratch, "nowhere")]),
    (error) => error instanceof PocketGraphError,
  );
  await assert.rejects(PocketGraph.open([]), (error) => error.code === "bad-argument");
  const many = await PocketGraph.open(places);
  await assert.rejects(many.plan("who?"), (error) => error.code === "bad-argument");
  await many.close();
});
