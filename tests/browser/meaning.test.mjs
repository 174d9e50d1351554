// Planning by meaning in the page: once the model that embeds questions is there, a question that names no
// relation is planned by the nearest one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { harness, serveFilms, use } from "./harness.mjs";

const UNNAMED = "Who is the filmmaker responsible for Heat?";

const t = harness(serveFilms("# Films\n\nA page about films.\n"));

for (const worker of [true, false]) {
  const where = worker ? "in a worker" : "on the page's thread";

  test(`${where}: the relation nearest in meaning is asked for once the model is there, and not before`, async () => {
    const page = await t.bare();
    const seen = await use(
      page,
      async ({ PocketGraph }, { worker, question }) => {
        const graph = await PocketGraph.open("/films/", { worker });
        const before = await graph.plan(question);
        await graph.prepare();
        // The full engine and the graph are there; what follows is what telling by meaning costs.
        const { bytes } = await graph.stats();
        const after = await graph.plan(question);
        const fetched = (await graph.stats()).bytes - bytes;
        const cost = await graph.plan("What did Heat cost?");
        let done;
        for await (const event of graph.ask(question)) if (event.type === "done") done = event;
        await graph.close();
        return {
          before: before.by,
          after: after.by,
          text: after.text,
          cost: cost.by,
          carried: done.carried.by,
          fetched,
          answer: done.answer.text,
        };
      },
      { worker, question: UNNAMED },
    );
    assert.ok(!seen.code, seen.message);
    assert.notEqual(seen.before, "meaning");
    assert.equal(seen.after, "meaning");
    assert.match(seen.text, /<directed_by>/);
    // Two pages of phrases with their vectors, and the question's own words: not the words of all phrases,
    // which are a megabyte.
    assert.ok(seen.fetched < 400_000, `${seen.fetched} bytes`);
    assert.notEqual(seen.cost, "meaning");
    assert.equal(seen.carried, "meaning");
    assert.match(seen.answer, /^Michael Mann \[\d\]/);
    await page.context().close();
  });
}
