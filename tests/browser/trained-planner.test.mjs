// The trained planner in the page: a question is planned by it where it is asked for, and where its weights
// cannot be had the rules take over.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, assertClean, harness, openWay, part, serveFilms, use } from "./harness.mjs";

const JOINED = "Which films were directed by Michael Mann and also starred Al Pacino?";

const t = harness(serveFilms("# People\n\n## Mira Voss\n\nMira Voss was born in Hallwil in 1871.\n"));

/**
 * Asks through the package; resolves to what the last event carries, and the files that were asked for
 * meanwhile.
 */
async function answerOf(worker, question, options = {}) {
  const page = await t.bare();
  const before = t.site.requests.length;
  if (options.fault) t.site.faults.set("/films/planner", options.fault);
  const seen = await use(
    page,
    async ({ PocketGraph }, { worker, question, planner }) => {
      const graph = await PocketGraph.open("/films/", { worker });
      let done;
      for await (const event of graph.ask(question, { planner })) if (event.type === "done") done = event;
      await graph.close();
      return done;
    },
    { worker, question, planner: options.planner },
  );
  assert.ok(!seen.code, seen.message);
  await page.context().close();
  return { ...seen, files: t.site.requests.slice(before) };
}

for (const worker of [true, false]) {
  const where = worker ? "in a worker" : "on the page's thread";

  test(`${where}: a question that joins several things is planned by the trained planner that is asked for`, async () => {
    const { answer, carried, files } = await answerOf(worker, JOINED, { planner: "trained" });
    assert.equal(carried.by, "trained");
    assert.ok(carried.confidence >= 0.5 && carried.confidence <= 1, String(carried.confidence));
    assert.match(carried.text, /Intersect\(/);
    assert.match(answer.text, /^Heat \[\d\]/);
    assert.deepEqual(answer.warnings, []);
    assert.equal(files.filter((path) => path.startsWith("/films/planner-")).length, 1);
  });

  test(`${where}: a chain that the rules are sure of asks nobody else, and the weights stay on the host`, async () => {
    const { carried, files } = await answerOf(worker, "who directed Heat?");
    assert.equal(carried.by, "rules");
    assert.deepEqual(
      files.filter((path) => path.startsWith("/films/planner-")),
      [],
    );
  });

  for (const kind of ["truncate", "corrupt", "status"]) {
    test(
      `${where}: weights that the host spoils (${kind}) leave the question to the rules, and the ` +
        `answer says so`,
      async () => {
        const spoiled = await answerOf(worker, JOINED, { planner: "trained", fault: { kind, status: 404 } });
        assert.notEqual(spoiled.carried?.by, "trained");
        assert.ok(
          spoiled.answer.warnings.some(
            ({ code, text }) => code === "planner-failed" && text.includes("planner-"),
          ),
          JSON.stringify(spoiled.answer.warnings),
        );
        const alone = await answerOf(worker, JOINED, { planner: "rules" });
        assert.deepEqual(
          [spoiled.carried?.by, spoiled.carried?.text, spoiled.answer.text],
          [alone.carried?.by, alone.carried?.text, alone.answer.text],
        );
      },
    );
  }
}

test("the page shows a plan that joins several things and its steps", async () => {
  const page = await t.open({ path: "?bundle=/films/" });
  await ask(page, JOINED);
  await page.locator(part("answer-note"), { hasText: "knowledge graph" }).waitFor();
  assert.match(await page.locator(part("answer-text")).innerText(), /Heat/);
  await openWay(page);
  await page.locator(part("way-steps"), { hasText: /A plan by rules[\s\S]*Intersect/ }).waitFor();
  await assertClean(page);
  await page.context().close();
});
