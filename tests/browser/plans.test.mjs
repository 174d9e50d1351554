// Questions over a knowledge graph, in the page and through the package: plans by rules without a language
// model, plans of one's own, the way to the answer.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { ask, assertClean, harness, openWay, part, use, useLlm, written } from "./harness.mjs";

const PAGES = {
  "ferry.md":
    "# Night Ferry\n\nNight Ferry is a film about a crossing that never ends. It was shot in Bergen in the " +
    "autumn of 1997.\n",
  "harbour.md": "# The Silent Harbour\n\nThe Silent Harbour tells of a town without ships.\n",
};
const TRIPLES = [
  ["Night Ferry", "directed by", "Ada Lind"],
  ["The Silent Harbour", "directed by", "Ada Lind"],
  ["Glass Orchard", "directed by", "Tomas Vey"],
  ["Night Ferry", "starred", "Ben Okoro"],
  ["Glass Orchard", "starred", "Ben Okoro"],
  ["The Silent Harbour", "starred", "Mira <img src=x onerror=alert(1)> Sol"],
];
const TWO_HOPS = "who starred in films directed by Ada Lind?";

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-plans-"));

const t = harness(({ site }) => {
  mkdirSync(join(scratch, "docs"));
  for (const [name, text] of Object.entries(PAGES)) writeFileSync(join(scratch, "docs", name), text);
  writeFileSync(join(scratch, "films.tsv"), TRIPLES.map((triple) => `${triple.join("\t")}\n`).join(""));
  const build = [
    "build",
    join(scratch, "docs"),
    "-o",
    join(scratch, "bundle"),
    "--kg",
    join(scratch, "films.tsv"),
    "--no-runtime",
    "--no-cache",
    "--kg-from-documents",
    "off",
    "--retrievers",
    "auto,linear,raptor",
  ];
  execFileSync(process.env.POCKETGRAPH_PROGRAM, build, { stdio: "pipe" });
  site.mounts.set("/films/", join(scratch, "bundle"));
});
after(() => rmSync(scratch, { recursive: true, force: true }));
beforeEach(() => {
  Object.assign(t.llm, { behaviour: "stream", text: "Ben Okoro [1].", gone: 0, script: [] });
  t.llm.requests.length = 0;
});

for (const worker of [true, false]) {
  const where = worker ? "in a worker" : "on the page's thread";

  test(
    `${where}: without a language model, a question of two hops is planned, carried out and answered ` +
      `with its statements`,
    async () => {
      const page = await t.bare();
      const seen = await use(
        page,
        async ({ PocketGraph }, { worker, question }) => {
          const graph = await PocketGraph.open("/films/", { worker });
          const events = [];
          for await (const event of graph.ask(question)) events.push(event);
          await graph.close();
          return { events };
        },
        { worker, question: TWO_HOPS },
      );
      assert.ok(!seen.code, seen.message);
      assert.deepEqual(
        seen.events.map(({ type }) => type),
        ["hits", "plan", "step", "step", "references", "done"],
      );
      const { answer, carried, protocol } = seen.events.at(-1);
      assert.equal(protocol, "plan");
      assert.equal(answer.by, "graph");
      assert.match(answer.text, /^Ben Okoro \[\d\].*, Mira <img src=x onerror=alert\(1\)> Sol \[\d\]/);
      for (const { at, number, quote, title } of answer.citations) {
        assert.equal(answer.text.slice(at.start, at.end), `[${number}]`);
        assert.ok(
          TRIPLES.some((triple) => triple.join(" | ") === quote),
          quote,
        );
        assert.match(title, /^films\.tsv, line \d$/);
      }
      assert.equal(carried.plan.statements.length, 2);
      assert.equal(carried.trace.steps.length, 2);
      assert.ok(carried.graph.nodes.some(({ label, start }) => label === "Ada Lind" && start));
      assert.deepEqual(
        carried.graph.nodes
          .filter((node) => node.answer)
          .map(({ label }) => label)
          .sort(),
        ["Ben Okoro", TRIPLES[5][2]],
      );
      await page.context().close();
    },
  );

  test(
    `${where}: a plan can be made, looked at, changed and carried out, and one that is wrong is refused ` +
      `with its place`,
    async () => {
      const page = await t.bare();
      const seen = await use(
        page,
        async ({ PocketGraph }, { worker }) => {
          const graph = await PocketGraph.open("/films/", { worker });
          const answerOf = async (events) => {
            for await (const event of events) if (event.type === "done") return event.answer.text;
          };
          const planned = await graph.plan("which films did Ada Lind direct?", { planner: "rules" });
          const { by } = await graph.plan(
            "Which films starred Ben Okoro but were not directed by Ada Lind?",
            {
              planner: "trained",
            },
          );
          const own = await answerOf(graph.execute(planned.plan));
          planned.plan.statements[0].head = { entity: "Tomas Vey" };
          const changed = await answerOf(graph.execute(planned.plan));
          const written = await answerOf(
            graph.execute(
              "Ans1=SearchKG(t=person | h=Night Ferry, r=starred)\nAns2=SearchKG(t=film | h=Ans1, r=starred)",
            ),
          );
          const wrong = await graph
            .execute("Ans1=Foo(")
            .next()
            .catch(({ code, message }) => ({ code, message }));
          const nothing = await graph.plan("what is the weather?");
          const quoted = [];
          for await (const event of graph.ask("where was Night Ferry shot?", { protocol: "quote" }))
            quoted.push(event);
          await graph.close();
          return {
            planned,
            by,
            own,
            changed,
            written,
            wrong,
            nothing,
            quoted: quoted.at(-1).answer,
            types: quoted.map(({ type }) => type),
          };
        },
        { worker },
      );
      assert.ok(!seen.code, seen.message);
      assert.deepEqual([seen.planned.by, seen.by], ["rules", "trained"]);
      assert.ok(seen.planned.confidence > 0.5 && seen.planned.confidence <= 1);
      assert.match(seen.own, /^Night Ferry \[1\], The Silent Harbour \[2\]$/);
      assert.match(seen.changed, /^Glass Orchard \[1\]$/);
      assert.match(seen.written, /Glass Orchard/);
      assert.equal(seen.wrong.code, "bad-argument");
      assert.match(seen.wrong.message, /line 1, column 6: unknown function Foo/);
      assert.equal(seen.nothing.plan, null);
      assert.ok(seen.nothing.whyNot.length > 10);
      assert.equal(seen.quoted.by, "extraction");
      assert.deepEqual(seen.types, ["hits", "references", "done"]);
      await page.context().close();
    },
  );
}

test(
  "a retriever that the bundle was prepared for searches in the full module; one that it was not says " +
    "how to prepare it",
  async () => {
    const page = await t.bare();
    const seen = await use(page, async ({ PocketGraph }) => {
      const graph = await PocketGraph.open("/films/");
      const found = {};
      for (const retriever of ["linear", "raptor", "auto"])
        found[retriever] = (await graph.search("Night Ferry", { retriever })).hits.map(({ title }) => title);
      const lacking = await graph
        .search("Night Ferry", { retriever: "hippo" })
        .catch(({ code, message }) => ({ code, message }));
      return { found, lacking };
    });
    assert.ok(!seen.code, seen.message);
    for (const [retriever, titles] of Object.entries(seen.found))
      assert.equal(titles[0], "Night Ferry", retriever);
    assert.equal(seen.lacking.code, "missing-section");
    assert.match(seen.lacking.message, /--retrievers auto,hippo/);
    await page.context().close();
  },
);

test("a plan is stopped by its signal, and the bundle works on", async () => {
  const page = await t.bare();
  const seen = await use(
    page,
    async ({ PocketGraph }, question) => {
      const graph = await PocketGraph.open("/films/");
      const leaving = new AbortController();
      let code = "done";
      try {
        for await (const event of graph.ask(question, { signal: leaving.signal }))
          if (event.type === "hits") leaving.abort();
      } catch (error) {
        code = error.code;
      }
      let text;
      for await (const event of graph.ask(question)) if (event.type === "done") text = event.answer.text;
      return { stopped: code, text };
    },
    TWO_HOPS,
  );
  assert.equal(seen.stopped, "aborted");
  assert.match(seen.text, /Ben Okoro/);
  await page.context().close();
});

test("arguments of plans and protocols that make no sense are refused by name", async () => {
  const page = await t.bare();
  const codes = await use(page, async ({ PocketGraph }) => {
    const codeOf = (promise) =>
      promise.then(
        () => "done",
        (error) => error.code,
      );
    const graph = await PocketGraph.open("/films/");
    const llm = { baseUrl: "http://127.0.0.1:9/v1", model: "m" };
    return [
      await codeOf(graph.ask("x", { protocol: "magic" }).next()),
      await codeOf(graph.ask("x", { protocol: "react" }).next()),
      await codeOf(graph.ask("x", { protocol: "quote", llm }).next()),
      await codeOf(graph.ask("x", { planner: "oracle" }).next()),
      await codeOf(graph.ask("x", { webSearch: "ftp://example.org" }).next()),
      await codeOf(graph.plan("")),
      await codeOf(graph.execute("").next()),
      await codeOf(graph.execute(undefined).next()),
      await codeOf(graph.execute({ statements: [] }).next()),
      await codeOf(graph.execute("Ans1=Intersect(Ans1, Ans2)").next()),
      await codeOf(graph.execute(`Ans1=${"Intersect(".repeat(10_000)}`).next()),
      await codeOf(graph.execute("x".repeat(10_000_000)).next()),
    ];
  });
  assert.deepEqual(codes, Array(12).fill("bad-argument"));
  await page.context().close();
});

const FILMS = "?bundle=/films/";
const TEXT = part("answer-text");
const byGraph = (page) => page.locator(part("answer-note"), { hasText: "knowledge graph" }).waitFor();

test("the page shows the plan, its steps and what the answer rests on; a name is never markup", async () => {
  const page = await t.open({ path: FILMS });
  await ask(page, TWO_HOPS);
  await byGraph(page);
  await openWay(page);
  assert.match(await page.locator(TEXT).innerText(), /Ben Okoro/);
  // The answer may be chosen again when the query model arrives, which may be now: steps, picture and
  // statements are waited for together.
  await page.waitForFunction(
    () => {
      const told = (selector) =>
        [...window.part("root").querySelectorAll(selector)].map((element) => element.textContent.trim());
      const labels = told("[part=way-picture] .node text");
      return (
        told("[part=way-steps]").some((text) =>
          /SearchKG[\s\S]*Night Ferry, The Silent Harbour/.test(text),
        ) &&
        labels.includes("Ada Lind") &&
        labels.includes("Ben Okoro") &&
        told("[part=way-picture] .node.answer").length === 2 &&
        told("[part=statement]")[0] === "Night Ferry | directed by | Ada Lind"
      );
    },
    null,
    { timeout: 20_000 },
  );
  assert.equal(await page.locator("img").count(), 0);
  await assertClean(page);
  await page.context().close();
});

test(
  "on a narrow screen the picture is a tree whose boxes do not lie on each other, and nothing " +
    "scrolls sideways",
  async () => {
    const page = await t.open({ path: FILMS, viewport: { width: 360, height: 800 } });
    await ask(page, TWO_HOPS);
    await openWay(page);
    await page
      .locator(`${part("way-picture")} .node`)
      .first()
      .waitFor();
    const boxes = await page
      .locator(`${part("way-picture")} .node rect`)
      .evaluateAll((all) =>
        all.map((rect) => rect.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom })),
      );
    assert.ok(boxes.length > 3);
    boxes.sort((a, b) => a.top - b.top);
    boxes.slice(1).forEach((box, at) => assert.ok(box.top >= boxes[at].bottom, "boxes overlap"));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await assertClean(page);
    await page.context().close();
  },
);

test("where rules make no plan, the documents are quoted as ever", async () => {
  const page = await t.open({ path: FILMS });
  await ask(page, "what tells of a town without ships?");
  await page.locator(part("answer-note"), { hasText: "Quoted" }).waitFor();
  assert.match(await page.locator(TEXT).innerText(), /a town without ships/);
  // Readers are not told of plans.
  assert.equal(await page.locator(part("answer-note"), { hasText: /plan|knowledge graph/ }).count(), 0);
  await assertClean(page);
  await page.context().close();
});

test("the model plans where it is told to, and is told what the graph's words are", async () => {
  const page = await t.open({ path: FILMS });
  await useLlm(page, t.llm, { protocol: "plan", planner: "llm" });
  t.llm.script = ["<plan>\nAns1=SearchKG(t=* | h=Glass Orchard, r=directed by)\n</plan>", "Tomas Vey [1]."];
  await ask(page, "who made the film about fragile trees?");
  await written(page, 20_000);
  assert.match(await page.locator(TEXT).innerText(), /Tomas Vey/);
  assert.match(JSON.stringify(t.llm.requests[0].body.messages), /directed by/);
  await openWay(page);
  assert.match(await page.locator(part("way-steps")).innerText(), /Glass Orchard/);
  await assertClean(page);
  await page.context().close();
});

test("with a language model, a plan is carried out here and the model words the answer", async () => {
  const page = await t.open({ path: FILMS });
  await useLlm(page, t.llm, { protocol: "plan" });
  t.llm.text = "Ben Okoro [2].";
  await ask(page, TWO_HOPS);
  await written(page, 20_000);
  assert.match(await page.locator(TEXT).innerText(), /Ben Okoro/);
  assert.match(
    JSON.stringify(t.llm.requests.at(-1).body.messages),
    /Ada Lind/,
    "the statements are sent to the model",
  );
  await openWay(page);
  await page
    .locator(`${part("way-picture")} .node`)
    .nth(3)
    .waitFor();
  await assertClean(page);
  await page.context().close();
});
