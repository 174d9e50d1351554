// The package itself, used by a plain module script: aborts, errors, events, workers, and the component.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { assertClean, FAILED_LOAD, fileOf, harness, QUESTION, use } from "./harness.mjs";

const t = harness();
beforeEach(() => {
  Object.assign(t.llm, { behaviour: "stream", text: "A keyword graph joins keywords [1].", gone: 0 });
  t.llm.requests.length = 0;
});

for (const worker of [true, false]) {
  const where = worker ? "in a worker" : "on the page's thread";

  test(`${where}: open, info, search, neighbours, subgraph, passage, stats, close`, async () => {
    const page = await t.bare();
    const seen = await use(
      page,
      async ({ PocketGraph }, { worker, question }) => {
        const phases = [];
        const graph = await PocketGraph.open("/bundle/", {
          worker,
          onProgress: (progress) => phases.push(progress),
        });
        const info = graph.info();
        const result = await graph.search(question, { k: 5, retriever: "autokg" });
        const keyword = result.keywords.find(({ kind }) => kind === "direct");
        const neighbors = keyword && (await graph.neighbors(keyword.label, { limit: 3 }));
        const subgraph = await graph.subgraph(result);
        const passage = await graph.passage(result.hits[0].chunk);
        const stats = await graph.stats();
        await graph.close();
        const closed = await graph.search(question).catch((error) => error.code);
        return { phases, info, result, keyword, neighbors, subgraph, passage, stats, closed };
      },
      { worker, question: QUESTION },
    );
    assert.ok(!seen.code, seen.message);
    assert.ok(
      seen.phases.length > 0 &&
        seen.phases.every(
          ({ phase, loaded, total }) => typeof phase === "string" && loaded >= 0 && total >= 0,
        ),
    );
    assert.ok(seen.info.chunks > 0 && seen.info.documents > 0 && seen.info.sections.length > 0);
    const nearest = seen.result.hits.filter(
      ({ reached }) => reached.length === 0 || reached.some(({ by }) => !/keyword/i.test(by)),
    );
    assert.ok(nearest.length > 0 && nearest.length <= 5, "what keywords alone lead to comes on top");
    const [hit] = seen.result.hits;
    for (const { start, end } of hit.highlights)
      assert.ok(start >= 0 && start < end && end <= hit.text.length);
    assert.ok(seen.result.hits.every(({ reached }) => reached.length > 0));
    assert.ok(seen.keyword, "keywords near the question");
    assert.equal(seen.neighbors.keyword, seen.keyword.label);
    assert.ok(seen.neighbors.neighbors.length <= 3);
    const ids = new Set(seen.subgraph.nodes.map(({ id }) => id));
    assert.ok(seen.subgraph.edges.every(({ from, to }) => ids.has(from) && ids.has(to)));
    assert.equal(seen.subgraph.nodes.filter(({ kind }) => kind === "question").length, 1);
    assert.equal(seen.passage.text, hit.text);
    assert.ok(seen.stats.requests > 0 && seen.stats.bytes > 0);
    assert.equal(seen.closed, "closed");
    await assertClean(page);
    await page.context().close();
  });

  test(`${where}: events come in order, and citations point into the text`, async () => {
    const page = await t.bare();
    const seen = await use(
      page,
      async ({ PocketGraph }, { worker, question, llm }) => {
        const graph = await PocketGraph.open("/bundle/", { worker });
        const events = [];
        for await (const event of graph.ask(question)) events.push(event);
        const written = [];
        for await (const event of graph.ask(question, { llm })) written.push(event);
        const { hits } = events.find(({ type }) => type === "hits").result;
        const passages = {};
        for (const { chunk } of hits) passages[chunk] = (await graph.passage(chunk)).text;
        await graph.close();
        return { events, written, passages };
      },
      { worker, question: QUESTION, llm: { baseUrl: t.llm.url, model: "m" } },
    );
    assert.ok(!seen.code, seen.message);
    const types = seen.events.map(({ type }) => type);
    assert.equal(types[0], "hits");
    assert.equal(types.at(-1), "done");
    assert.equal(types.filter((type) => type === "done").length, 1);
    const { answer } = seen.events.at(-1);
    assert.ok(answer.answered && answer.by === "extraction" && answer.citations.length > 0);
    for (const { quote, span, at, number, target, status } of answer.citations) {
      assert.equal(status, "verified");
      assert.match(answer.text.slice(at.start, at.end), new RegExp(`\\b${number}\\b`));
      assert.equal(seen.passages[target.chunk].slice(span.start, span.end), quote);
    }
    const order = seen.written.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1]);
    assert.deepEqual(order, ["hits", "references", "token", "done"]);
    const tokens = seen.written
      .filter(({ type }) => type === "token")
      .map(({ text }) => text)
      .join("");
    assert.equal(tokens, t.llm.text);
    assert.equal(seen.written.at(-1).answer.by, "llm");
    await page.context().close();
  });

  test(`${where}: every call honours its signal, before and during`, async () => {
    const page = await t.bare();
    t.site.faults.set("/bundle/", { kind: "delay", ms: 150 });
    const seen = await use(
      page,
      async ({ PocketGraph }, { worker, question }) => {
        const codeOf = (promise) =>
          promise.then(
            () => "done",
            (error) => error.code,
          );
        const gone = AbortSignal.abort();
        const soon = () => AbortSignal.timeout(20);
        const codes = [
          await codeOf(PocketGraph.open("/bundle/", { worker, signal: gone })),
          await codeOf(PocketGraph.open("/bundle/", { worker, signal: soon() })),
        ];
        const graph = await PocketGraph.open("/bundle/", { worker });
        codes.push(await codeOf(graph.search(question, { signal: gone })));
        codes.push(await codeOf(graph.search(question, { signal: soon() })));
        codes.push(await codeOf(graph.passage(0, { signal: gone })));
        codes.push(await codeOf(graph.neighbors("x", { signal: gone })));
        codes.push(await codeOf(graph.prepare({ signal: gone })));
        codes.push(await codeOf(graph.prepare({ signal: soon() })));
        codes.push(await codeOf(graph.ask(question, { signal: gone }).next()));
        codes.push(
          await codeOf(
            (async () => {
              for await (const event of graph.ask(question, { signal: soon() })) void event;
            })(),
          ),
        );
        const after = await graph.search(question);
        await graph.close();
        return { codes, hits: after.hits.length };
      },
      { worker, question: QUESTION },
    );
    assert.ok(!seen.code, seen.message);
    // The last two run after an aborted search may have loaded what they need, so the final one may finish;
    // nothing else may.
    const [last, ...others] = seen.codes.reverse();
    assert.deepEqual([...new Set(others)], ["aborted"], seen.codes.join());
    assert.ok(["aborted", "done"].includes(last));
    assert.ok(seen.hits > 0, "the bundle works on after aborts");
    await page.context().close();
  });

  test(`${where}: leaving the loop aborts the answer`, async () => {
    const page = await t.bare();
    t.llm.behaviour = "slow";
    const seen = await use(
      page,
      async ({ PocketGraph }, { worker, question, llm }) => {
        const graph = await PocketGraph.open("/bundle/", { worker });
        let tokens = 0;
        for await (const event of graph.ask(question, { llm }))
          if (event.type === "token" && ++tokens === 3) break;
        const result = await graph.search(question);
        return { tokens, hits: result.hits.length };
      },
      { worker, question: QUESTION, llm: { baseUrl: t.llm.url, model: "m" } },
    );
    assert.ok(!seen.code, seen.message);
    assert.equal(seen.tokens, 3);
    assert.ok(seen.hits > 0);
    await page.waitForTimeout(300);
    assert.equal(t.llm.gone, 1, "the endpoint saw the client leave");
    await page.context().close();
  });

  test(
    `${where}: the full module takes over where a language model is wanted, keeps what was prepared, ` +
      `and comes once`,
    async () => {
      const page = await t.bare();
      t.site.requests.length = 0;
      const seen = await use(
        page,
        async ({ PocketGraph }, { worker, question, llm }) => {
          const graph = await PocketGraph.open("/bundle/", { worker });
          for await (const event of graph.ask(question)) void event;
          const before = await graph.stats();
          const preparing = graph.prepare();
          const written = async () => {
            let answer;
            for await (const event of graph.ask(question, { llm }))
              if (event.type === "done") answer = event.answer;
            return answer.by;
          };
          const by = await Promise.all([written(), written()]);
          await preparing;
          const { stage, hits } = await graph.search(question);
          const after = await graph.stats();
          await graph.close();
          return { by, stage, hits: hits.length, before, after };
        },
        { worker, question: QUESTION, llm: { baseUrl: t.llm.url, model: "m" } },
      );
      assert.ok(!seen.code, seen.message);
      assert.deepEqual(seen.by, ["llm", "llm"]);
      assert.deepEqual([seen.stage, seen.hits > 0], ["model", true]);
      assert.ok(seen.after.bytes > seen.before.bytes && seen.after.requests > seen.before.requests);
      assert.equal(t.site.requests.filter((path) => path.includes("pocketgraph_full_bg.wasm")).length, 1);
      await assertClean(page);
      await page.context().close();
    },
  );

  test(`${where}: a full module that cannot be had is an error of that call alone, and is tried again`, async () => {
    const page = await t.bare();
    t.site.faults.set("pocketgraph_full_bg.wasm", { kind: "status", status: 404 });
    const open = async ({ PocketGraph }, { worker, question, llm }) => {
      window.graph = await PocketGraph.open("/bundle/", { worker });
      const code = await window.graph
        .ask(question, { llm })
        .next()
        .catch((error) => error.code);
      return { failed: code, hits: (await window.graph.search(question)).hits.length };
    };
    const argument = { worker, question: QUESTION, llm: { baseUrl: t.llm.url, model: "m" } };
    assert.deepEqual(
      Object.entries(await use(page, open, argument)).map(([, v]) => (Number.isInteger(v) ? v > 0 : v)),
      ["http", true],
    );
    t.site.faults.clear();
    const again = await use(
      page,
      async (_, { question, llm }) => {
        let answer;
        for await (const event of window.graph.ask(question, { llm }))
          if (event.type === "done") answer = event.answer;
        return { by: answer.by };
      },
      argument,
    );
    assert.equal(again.by, "llm", again.message);
    await assertClean(page, FAILED_LOAD);
    await page.context().close();
  });

  test(`${where}: where what plans cannot be had, the documents answer, and the answer says so`, async () => {
    for (const [faulty, kind] of [
      ["pocketgraph_full_bg.wasm", { kind: "status", status: 404 }],
      [fileOf(t.folder, "kg"), { kind: "status", status: 503 }],
    ]) {
      const page = await t.bare();
      t.site.faults.set(faulty, kind);
      const seen = await use(
        page,
        async ({ PocketGraph }, { worker, question }) => {
          const graph = await PocketGraph.open("/bundle/", { worker });
          const answered = async (options) => {
            let answer;
            for await (const event of graph.ask(question, options))
              if (event.type === "done") answer = event.answer;
            return answer;
          };
          const answer = await answered({});
          // Who asked for a plan is told that there is none to be had.
          const refused = await answered({ protocol: "plan" }).catch((error) => error.code);
          await graph.close();
          return {
            by: answer.by,
            cited: answer.citations.length,
            warning: answer.warnings[0].message,
            refused,
          };
        },
        { worker, question: QUESTION },
      );
      t.site.faults.clear();
      assert.deepEqual([seen.by, seen.refused], ["extraction", "http"], `${faulty}: ${seen.message}`);
      assert.ok(seen.cited > 0);
      assert.match(seen.warning, /^There is no plan: .*(HTTP|status) (404|503)/);
      await page.context().close();
    }
  });

  test(`${where}: an endpoint that fails ends in a quoted answer whose warning has the code`, async () => {
    const page = await t.bare();
    t.llm.text = "A keyword graph joins keywords by how many passages they share, and so on [1].";
    const expected = {
      401: "llm-refused",
      500: "llm-http",
      429: "llm-rate-limit",
      truncated: "llm-stream",
      malformed: "llm-malformed",
      stall: "llm-timeout",
      silent: "llm-timeout",
    };
    for (const [behaviour, code] of Object.entries(expected)) {
      t.llm.behaviour = behaviour;
      const seen = await use(
        page,
        async ({ PocketGraph }, { worker, question, llm }) => {
          const graph = await PocketGraph.open("/bundle/", { worker });
          let answer;
          for await (const event of graph.ask(question, { llm }))
            if (event.type === "done") answer = event.answer;
          await graph.close();
          return { answer };
        },
        { worker, question: QUESTION, llm: { baseUrl: t.llm.url, model: "m", timeoutMs: 1500, retries: 1 } },
      );
      assert.ok(seen.answer, seen.message);
      assert.equal(seen.answer.by, "extraction");
      assert.ok(seen.answer.citations.length > 0);
      assert.ok(
        seen.answer.warnings[0].code === "quoted-instead" &&
          seen.answer.warnings[0].message.includes(`(${code})`),
        `${behaviour}: ${seen.answer.warnings[0].message}`,
      );
    }
    await page.context().close();
  });

  test(`${where}: the model can be prepared by several at once, and one who leaves does not stop the others`, async () => {
    const page = await t.bare();
    const seen = await use(
      page,
      async ({ PocketGraph }, { worker, question }) => {
        const graph = await PocketGraph.open("/bundle/", { worker });
        const progress = [];
        const leaving = new AbortController();
        const outcomes = Promise.allSettled([
          graph.prepare({ onProgress: (p) => progress.push(p) }),
          graph.prepare({ signal: leaving.signal }),
        ]);
        leaving.abort();
        const [stays, leaves] = await outcomes;
        const result = await graph.search(question);
        return {
          stays: stays.status,
          leaves: leaves.reason?.code,
          progress,
          ready: graph.modelReady(),
          stage: result.stage,
        };
      },
      { worker, question: QUESTION },
    );
    assert.ok(!seen.code, seen.message);
    assert.deepEqual(
      [seen.stays, seen.leaves, seen.ready, seen.stage],
      ["fulfilled", "aborted", true, "model"],
    );
    assert.ok(seen.progress.length > 0);
    const last = seen.progress.at(-1);
    assert.ok(last.loaded <= last.total);
    await page.context().close();
  });

  test(`${where}: the token table ranks while the model is on its way, and each stage is told of`, async () => {
    const page = await t.bare();
    t.site.requests.length = 0;
    const seen = await use(
      page,
      async ({ PocketGraph }, { worker, question }) => {
        const graph = await PocketGraph.open("/bundle/", { worker });
        const stages = [(await graph.search(question)).stage];
        const told = [];
        let searching;
        const onStage = (stage) => {
          told.push([stage, graph.modelReady()]);
          if (stage === "table") searching = graph.search(question);
        };
        const preparing = graph.prepare({ onStage });
        const late = [];
        while (!searching) await new Promise((resolve) => setTimeout(resolve, 5));
        const joined = graph.prepare({ onStage: (stage) => late.push(stage) });
        const byTable = await searching;
        const typing = await graph.search(question, { typing: true });
        await Promise.all([preparing, joined]);
        stages.push(byTable.stage, (await graph.search(question)).stage);
        return {
          stages,
          told,
          late,
          missing: byTable.missing,
          typing: typing.stage,
          hits: byTable.hits.length,
        };
      },
      { worker, question: QUESTION },
    );
    assert.ok(!seen.code, seen.message);
    assert.deepEqual(seen.stages, ["feedback", "table", "model"]);
    assert.deepEqual(
      [seen.told, seen.late, seen.missing, seen.hits],
      [
        [
          ["table", false],
          ["model", true],
        ],
        ["table", "model"],
        [],
        10,
      ],
    );
    assert.notEqual(seen.typing, "table");
    // The module that searches does it: the full one is not fetched for the table.
    assert.ok(!t.site.requests.some((path) => path.includes("pocketgraph_full")));
    await page.context().close();
  });

  test(`${where}: who leaves when the table has come waits for no model`, async () => {
    const page = await t.bare();
    t.site.requests.length = 0;
    const seen = await use(
      page,
      async ({ PocketGraph }, { worker, question }) => {
        const graph = await PocketGraph.open("/bundle/", { worker });
        const leaving = new AbortController();
        const left = await graph.prepare({ signal: leaving.signal, onStage: () => leaving.abort() }).then(
          () => "done",
          (error) => error.code,
        );
        return { left, stage: (await graph.search(question)).stage, ready: graph.modelReady() };
      },
      { worker, question: QUESTION },
    );
    assert.deepEqual([seen.left, seen.stage, seen.ready], ["aborted", "table", false], seen.message);
    assert.ok(!t.site.requests.some((path) => path.startsWith("/bundle/layers")));
    await page.context().close();
  });
}

test("on the page's own thread the engine gives the page turns, in a worker it asks for none", async () => {
  for (const worker of [false, true]) {
    const page = await t.bare();
    await page.addInitScript(() => {
      window.turns = 0;
      const original = MessagePort.prototype.postMessage;
      MessagePort.prototype.postMessage = function (...given) {
        window.turns += 1;
        return original.apply(this, given);
      };
    });
    await page.reload();
    const seen = await use(
      page,
      async ({ PocketGraph }, { worker, question }) => {
        const graph = await PocketGraph.open("/bundle/", { worker });
        await graph.prepare();
        const result = await graph.search(question);
        for await (const event of graph.ask(question)) void event;
        await graph.close();
        return { turns: window.turns, stage: result.stage, hits: result.hits.length };
      },
      { worker, question: QUESTION },
    );
    assert.ok(!seen.code, seen.message);
    assert.deepEqual([seen.stage, seen.hits], ["model", 10]);
    assert.ok(worker ? seen.turns === 0 : seen.turns > 1, `${seen.turns} turns with worker: ${worker}`);
    await page.context().close();
  }
});

test("arguments that make no sense are refused by name", async () => {
  const page = await t.bare();
  const codes = await use(page, async ({ PocketGraph }) => {
    const codeOf = (promise) =>
      promise.then(
        () => "done",
        (error) => error.code,
      );
    const graph = await PocketGraph.open("/bundle/");
    return [
      await codeOf(PocketGraph.open(7)),
      await codeOf(PocketGraph.open("/bundle/", { memoryLimit: -1 })),
      await codeOf(graph.search(5)),
      await codeOf(graph.search("x", { k: 0 })),
      await codeOf(graph.search("x", { retriever: "magic" })),
      await codeOf(graph.passage(-1)),
      await codeOf(graph.passage(4_000_000_000)),
      await codeOf(graph.neighbors("no keyword is called this")),
      await codeOf(graph.ask("x", { llm: { baseUrl: "javascript:alert(1)", model: "m" } }).next()),
      await codeOf(graph.subgraph({})),
    ];
  });
  assert.deepEqual(codes, Array(10).fill("bad-argument"));
  await page.context().close();
});

test("an empty question has no hits, and what is aborted is an AbortError", async () => {
  const page = await t.bare();
  const seen = await use(page, async ({ PocketGraph }) => {
    const graph = await PocketGraph.open("/bundle/");
    const nothing = await graph.search("  ");
    const { name, code } = await graph.search("x", { signal: AbortSignal.abort() }).catch((error) => error);
    await graph[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]();
    const closed = await graph.search("x").catch((error) => error.code);
    return { hits: nothing.hits, missing: nothing.missing, name, code, closed };
  });
  assert.deepEqual(seen, { hits: [], missing: [], name: "AbortError", code: "aborted", closed: "closed" });
  await page.context().close();
});

test("a bundle that is not there is refused with its HTTP status, in a worker and out of it", async () => {
  const page = await t.bare();
  for (const worker of [true, false]) {
    const seen = await use(
      page,
      async ({ PocketGraph }, worker) => PocketGraph.open("/nowhere/", { worker }),
      worker,
    );
    assert.equal(seen.code, "http", seen.message);
  }
  await assertClean(page, FAILED_LOAD);
  await page.context().close();
});

test("a protocol is refused without a model, and under a name that is none", async () => {
  const page = await t.bare();
  const codes = await use(page, async ({ PocketGraph }) => {
    const graph = await PocketGraph.open("/bundle/");
    const codeOf = (options) =>
      graph
        .ask("x", options)
        .next()
        .then(
          () => "none",
          (error) => error.code,
        );
    const llm = { baseUrl: "http://localhost:9/v1", model: "m" };
    const seen = [
      await codeOf({ protocol: "react" }),
      await codeOf({ protocol: "magic", llm }),
      await codeOf({ protocol: "react", turns: -1, llm }),
    ];
    await graph.close();
    return seen;
  });
  assert.deepEqual(codes, ["bad-argument", "bad-argument", "bad-argument"]);
  await page.context().close();
});

test("the component searches, answers, reports, and keeps to the strict policy", async () => {
  const page = await t.open();
  await page.evaluate(async () => {
    await import("/pkg/ask-element.js");
    const element = document.createElement("pocketgraph-ask");
    element.setAttribute("src", "/bundle/");
    element.setAttribute("placeholder", "Ask the handbook");
    window.heard = [];
    window.stages = [];
    document.addEventListener("pocketgraph-result", (event) => window.stages.push(event.detail.stage));
    for (const type of ["pocketgraph-result", "pocketgraph-answer", "pocketgraph-error"]) {
      document.addEventListener(type, (event) =>
        window.heard.push([type, event.detail.hits?.length ?? event.detail.text ?? event.detail.code]),
      );
    }
    document.body.prepend(element);
  });
  const box = page.getByRole("searchbox", { name: "Ask the handbook" });
  await box.fill("keyword graph");
  await page.waitForFunction(() =>
    window.heard.some(([type, hits]) => type === "pocketgraph-result" && hits > 0),
  );
  await box.fill(QUESTION);
  await box.press("Enter");
  await page.waitForFunction(() => window.heard.some(([type]) => type === "pocketgraph-answer"));
  const inside = await page.evaluate(() => {
    const root = document.querySelector("pocketgraph-ask").shadowRoot;
    return {
      hits: root.querySelectorAll('[part="hit"]').length,
      answer: root.querySelector('[part="answer"]').textContent,
      citations: root.querySelectorAll('[part~="citation"]').length,
      styled: getComputedStyle(root.querySelector("[part=form]")).display,
      inline: root.querySelectorAll("[style], style").length,
    };
  });
  assert.ok(inside.hits > 0 && inside.answer.length > 20 && inside.citations > 0);
  // Token table and query model come by themselves, after the first hits, and rank them again.
  assert.ok(["lexical", "feedback"].includes(await page.evaluate(() => window.stages[0])));
  await page.waitForFunction(() => window.stages.at(-1) === "model", null, { timeout: 60_000 });
  assert.equal(inside.styled, "flex");
  assert.equal(inside.inline, 0);
  await page.evaluate(() => document.querySelector("pocketgraph-ask").setAttribute("src", "/nowhere/"));
  await box.press("Enter");
  await page.waitForFunction(() =>
    window.heard.some(([type, code]) => type === "pocketgraph-error" && code === "http"),
  );
  await assertClean(page, FAILED_LOAD);
  await page.context().close();
});

test("the component ranks again by the token table while the model is on its way", async () => {
  const page = await t.open();
  t.site.faults.set("/bundle/layers", { kind: "delay", ms: 3000 });
  await page.evaluate(async () => {
    await import("/pkg/ask-element.js");
    window.stages = [];
    document.addEventListener("pocketgraph-result", (event) => window.stages.push(event.detail.stage));
    const element = document.createElement("pocketgraph-ask");
    element.setAttribute("src", "/bundle/");
    element.setAttribute("placeholder", "Ask the handbook");
    document.body.prepend(element);
  });
  const box = page.getByRole("searchbox", { name: "Ask the handbook" });
  await box.fill(QUESTION);
  await box.press("Enter");
  await page.waitForFunction(() => window.stages.at(-1) === "model", null, { timeout: 60_000 });
  t.site.faults.clear();
  const stages = await page.evaluate(() => window.stages);
  assert.deepEqual([...new Set(stages)].slice(-3), ["feedback", "table", "model"], stages.join(" "));
  await page.context().close();
});
