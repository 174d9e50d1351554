// What may go wrong once a bundle is open, in a worker and on the page's own thread: a page of a section that
// cannot be had, a slow host, a bundle that is replaced, a worker that is killed. Hits that lack something
// say so, and nothing found in one bundle is looked up in another.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { assertClean, FAILED_LOAD, harness, use } from "./harness.mjs";
import { buildOther, TIDES } from "./other-bundle.mjs";

let other;
const t = harness(async () => {
  other = await mkdtemp(join(tmpdir(), "pocketgraph-other-"));
  await buildOther(other);
});
after(() => rm(other, { recursive: true, force: true }));

/**
 * Questions of pages far apart: which of them want a file that another did not fetch depends on the bundle.
 */
const SUBJECTS = [
  "who can read a published bundle?",
  "which error codes come from a language model?",
  "how do I install it with pip?",
  "what does a citation point to?",
  "how does the Leiden method find communities?",
  "which nginx settings compress the files?",
  "how are footnotes of reStructuredText read?",
  "what does train planner want of a graphics card?",
  "how many questions does CLQA have?",
  "what is a bundle's page list?",
  "how do I tune the weights of a protocol?",
  "which terms has the glossary for rows?",
];
/** One of them, asked first, and one that wants passages which the first did not fetch. */
let [QUESTION, LATER] = SUBJECTS;

const replace = () => t.site.mounts.set("/bundle/", join(other, "bundle"));
const restore = () => t.site.mounts.clear();

/** Opens the bundle as `window.graph` and asks the first question. */
const opened = async (page, options = {}) => {
  const hits = await use(
    page,
    async ({ PocketGraph }, { question, options }) => {
      window.graph = await PocketGraph.open("/bundle/", options);
      window.codeOf = (promise) =>
        promise.then(
          () => "done",
          (error) => error.code,
        );
      window.first = await window.graph.search(question);
      return window.first.hits.length;
    },
    { question: QUESTION, options },
  );
  assert.equal(hits, 10, hits.message);
};

const searched = (page, question) =>
  use(
    page,
    async (_, question) => {
      const { hits, missing } = await window.graph.search(question);
      return { hits: hits.length, missing };
    },
    question,
  );

test("some question wants passages that the first one did not fetch", async () => {
  const page = await t.bare();
  const found = await use(
    page,
    async ({ PocketGraph }, questions) => {
      for (const first of questions) {
        const graph = await PocketGraph.open("/bundle/", { worker: false });
        try {
          await graph.search(first);
          // Those that fetch nothing leave things as they are for the next.
          for (const later of questions) {
            const before = performance.getEntriesByType("resource").length;
            await graph.search(later);
            if (
              performance
                .getEntriesByType("resource")
                .slice(before)
                .some(({ name }) => name.includes("/bundle/chunks/"))
            )
              return { first, later };
          }
        } finally {
          await graph.close();
        }
      }
      return {};
    },
    SUBJECTS,
  );
  assert.ok(found.first, "each question reads all passages");
  [QUESTION, LATER] = [found.first, found.later];
  await page.context().close();
});

for (const [name, kind] of [
  ["never answers", "hang"],
  ["stops in the middle of a file", "stall"],
]) {
  test(`a host that ${name} is given up after a while and asked again`, async () => {
    const page = await t.bare();
    // The page's clock runs thirty times as fast as far as waits of ten seconds and more go; a worker's would
    // not.
    await page.addInitScript(() => {
      const real = window.setTimeout.bind(window);
      window.setTimeout = (work, ms, ...more) => real(work, ms >= 10_000 ? ms / 30 : ms, ...more);
    });
    await page.reload();
    // Each bundle that is opened fetches its chunks itself.
    const searchedAnew = () =>
      use(
        page,
        async ({ PocketGraph }, question) => {
          const graph = await PocketGraph.open("/bundle/", { worker: false });
          const { hits, missing } = await graph.search(question);
          await graph.close();
          return { hits: hits.length, missing };
        },
        LATER,
      );
    t.site.faults.set("/bundle/chunks/", { kind, times: 1 });
    assert.deepEqual(await searchedAnew(), { hits: 10, missing: [] });
    t.site.faults.set("/bundle/chunks/", { kind });
    const lacking = await searchedAnew();
    t.site.faults.clear();
    assert.ok(
      lacking.missing.length > 0 &&
        lacking.missing.every((what) => /chunks\/.*nothing arrived for 15 s/.test(what)),
      JSON.stringify(lacking),
    );
    await page.context().close();
  });
}

for (const worker of [true, false]) {
  const where = worker ? "in a worker" : "on the page's thread";

  for (const [name, fault] of [
    ["404", { kind: "status", status: 404 }],
    ["503", { kind: "status", status: 503 }],
    ["a body cut short", { kind: "truncate" }],
    ["a wrong hash", { kind: "corrupt" }],
    ["a cut connection", { kind: "cut" }],
  ]) {
    test(
      `${where}: ${name} on pages of a section leaves the rest, names what is missing, and is ` +
        `made good later`,
      async () => {
        const page = await t.bare();
        await opened(page, { worker });
        t.site.faults.set("/bundle/chunks/", fault);
        const lacking = await searched(page, LATER);
        assert.ok(!lacking.code, lacking.message);
        assert.ok(
          lacking.missing.length > 0 && lacking.missing.every((what) => /chunks\//.test(what)),
          JSON.stringify(lacking),
        );
        t.site.faults.clear();
        const whole = await searched(page, LATER);
        assert.deepEqual(whole, { hits: 10, missing: [] });
        await assertClean(page, FAILED_LOAD);
        await page.context().close();
      },
    );
  }

  test(`${where}: a host that fails for a moment is asked again, and nothing is missing`, async () => {
    const page = await t.bare();
    await opened(page, { worker });
    t.site.faults.set("/bundle/chunks/", { kind: "status", status: 503, times: 2 });
    assert.deepEqual(await searched(page, LATER), { hits: 10, missing: [] });
    await page.context().close();
  });

  test(`${where}: a slow host delays a search and not another's end, and an abort does not wait for it`, async () => {
    const page = await t.bare();
    await opened(page, { worker });
    t.site.faults.set("/bundle/chunks/", { kind: "delay", ms: 3000 });
    const seen = await use(
      page,
      async (_, { question, later }) => {
        const begun = performance.now();
        const since = () => performance.now() - begun;
        const slow = window.graph.search(later).then(({ missing }) => ({ missing, after: since() }));
        const aborted = window
          .codeOf(window.graph.search(later, { signal: AbortSignal.timeout(100) }))
          .then((code) => ({ code, after: since() }));
        const known = window.graph
          .search(question)
          .then(({ hits }) => ({ hits: hits.length, after: since() }));
        const [one, two, three] = await Promise.all([slow, aborted, known]);
        return {
          slow: one.missing,
          code: two.code,
          abortFirst: two.after < one.after,
          hits: three.hits,
          knownFirst: three.after < one.after,
        };
      },
      { question: QUESTION, later: LATER },
    );
    assert.deepEqual(seen, { slow: [], code: "aborted", abortFirst: true, hits: 10, knownFirst: true });
    await page.context().close();
  });

  test(`${where}: a bundle that is replaced while it is open is told as such, and opened anew when asked`, async () => {
    const page = await t.bare();
    await opened(page, { worker });
    replace();
    const seen = await use(
      page,
      async (_, { question, later, tides, llm }) => {
        const graph = window.graph;
        // What is in memory is still the old bundle, and answers as such.
        const known = await graph.search(question);
        const codes = [await window.codeOf(graph.search(later))];
        codes.push(
          await window.codeOf(
            (async () => {
              for await (const event of graph.ask(later)) void event;
            })(),
          ),
        );
        // The full engine opens the bundle a second time: it must not be another one.
        codes.push(
          await window.codeOf(
            graph
              .ask(question, { llm })
              .next()
              .then(() => graph.ask(question, { protocol: "plan" }).next()),
          ),
        );
        // A passage that is in memory is the old one; any other is not to be had.
        const passages = new Set();
        for (let chunk = 0; chunk < graph.info().chunks; chunk += 10)
          passages.add(await window.codeOf(graph.passage(chunk)));
        codes.push([...passages].filter((code) => code !== "done").join());
        await graph.reopen();
        const fresh = await graph.search(tides);
        return { known: known.hits.length, missing: known.missing, codes, first: fresh.hits[0].text };
      },
      { question: QUESTION, later: LATER, tides: TIDES, llm: { baseUrl: t.llm.url, model: "m" } },
    );
    restore();
    assert.ok(!seen.code, seen.message);
    assert.deepEqual([seen.known, seen.missing], [10, []]);
    assert.deepEqual(seen.codes, ["replaced", "replaced", "replaced", "replaced"]);
    assert.match(seen.first, /full moon/);
    await page.context().close();
  });

  test(
    `${where}: what later stages need is fetched ahead in idle time where that is wanted, and not ` +
      `against the reader's wish`,
    async () => {
      const page = await t.bare();
      t.site.requests.length = 0;
      const seen = await use(
        page,
        async ({ PocketGraph }, { worker, question }) => {
          const graph = await PocketGraph.open("/bundle/", { worker, prefetch: true });
          for (let i = 0; i < 300 && !graph.modelReady(); i++)
            await new Promise((resolve) => setTimeout(resolve, 100));
          const { stage } = await graph.search(question);
          await graph.close();
          return { stage };
        },
        { worker, question: QUESTION },
      );
      assert.equal(seen.stage, "model", seen.message);
      for (let i = 0; i < 50 && !t.site.requests.includes("/pkg/pocketgraph_full_bg.wasm"); i++)
        await page.waitForTimeout(100);
      const fetched = t.site.requests.length;
      const saving = await use(
        page,
        async ({ PocketGraph }, { worker, question }) => {
          Object.defineProperty(navigator, "connection", { value: { saveData: true }, configurable: true });
          const graph = await PocketGraph.open("/bundle/", { worker, prefetch: true });
          await graph.search(question);
          await new Promise((resolve) => setTimeout(resolve, 1500));
          return { ready: graph.modelReady() };
        },
        { worker, question: QUESTION },
      );
      assert.equal(saving.ready, false, saving.message);
      assert.ok(!t.site.requests.slice(fetched).some((path) => /layers|words/.test(path)));
      await page.context().close();
    },
  );

  for (const [what, faulty] of [["pages", "/bundle/table/"]]) {
    test(`${where}: where the token table's ${what} cannot be had, feedback speaks until the model has come`, async () => {
      const page = await t.bare();
      t.site.faults.set(faulty, { kind: "status", status: 404 });
      const seen = await use(
        page,
        async ({ PocketGraph }, { worker, question }) => {
          const graph = await PocketGraph.open("/bundle/", { worker });
          let waited;
          const preparing = graph.prepare({
            onStage: (stage) => stage === "table" && (waited = graph.search(question)),
          });
          const before = await graph.search(question);
          await preparing;
          return {
            stages: [before.stage, (await waited)?.stage ?? "feedback", (await graph.search(question)).stage],
            hits: before.hits.length,
          };
          // The table's first page, with the commonest tokens, comes with the vocabulary.
        },
        { worker, question: "how does the Leiden method find communities?" },
      );
      t.site.faults.clear();
      assert.deepEqual([seen.stages, seen.hits], [["feedback", "feedback", "model"], 10], seen.message);
      await page.context().close();
    });
  }

  test(`${where}: fetching ahead ends with its signal`, async () => {
    const page = await t.bare();
    t.site.faults.set("/bundle/layers", { kind: "delay", ms: 2000 });
    t.site.requests.length = 0;
    const seen = await use(
      page,
      async ({ PocketGraph }, { worker }) => {
        const controller = new AbortController();
        const told = [];
        const graph = await PocketGraph.open("/bundle/", {
          worker,
          prefetch: { signal: controller.signal, onProgress: (progress) => told.push(progress.phase) },
        });
        while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
        controller.abort();
        await new Promise((resolve) => setTimeout(resolve, 3500));
        return { ready: graph.modelReady() };
      },
      { worker },
    );
    assert.equal(seen.ready, false, seen.message);
    await page.context().close();
  });
}

/** How a worker may end, as seen from inside of it. */
const ENDS = {
  "ends without a word": () => setTimeout(() => self.close(), 50),
  traps: () =>
    setTimeout(() => {
      throw new WebAssembly.RuntimeError("unreachable");
    }, 50),
  "throws what nobody caught": () => void setTimeout(() => Promise.reject(new Error("lost")), 50),
};

for (const [how, end] of Object.entries(ENDS)) {
  test(`a worker that ${how} fails the calls that ran, and the next call starts another`, async () => {
    const page = await t.bare();
    await opened(page, { worker: true });
    await use(page, async () => window.graph.prepare().then(() => null));
    // A question of other words needs rows of other words, whatever passages are there already.
    t.site.faults.set("/bundle/chunks/", { kind: "hang" }).set("/bundle/words/", { kind: "hang" });
    const [worker] = page.workers();
    const running = use(
      page,
      (_, later) =>
        window.graph.search(later).then(
          () => ({ code: "done" }),
          ({ code, message }) => ({ code, message }),
        ),
      LATER,
    );
    await page.waitForTimeout(300);
    await worker.evaluate(end);
    const failed = await running;
    assert.equal(failed.code, "internal", failed.message);
    assert.match(failed.message, /worker/);
    t.site.faults.clear();
    const again = await use(
      page,
      async (_, later) => {
        // Two at once share the new worker.
        const [one, two] = await Promise.all([window.graph.search(later), window.graph.search(later)]);
        const ready = window.graph.modelReady();
        await window.graph.prepare();
        const { stage } = await window.graph.search(later);
        return { hits: [one.hits.length, two.hits.length], ready, stage };
      },
      LATER,
    );
    assert.deepEqual(again, { hits: [10, 10], ready: false, stage: "model" });
    assert.equal(page.workers().length, 1);
    await page.context().close();
  });
}

test("a worker that cannot be started again fails the call, and the one after that tries again", async () => {
  const page = await t.bare();
  await opened(page, { worker: true });
  t.site.faults.set("/bundle/manifest.json", { kind: "status", status: 404 });
  await page.workers()[0].evaluate(ENDS["ends without a word"]);
  await page.waitForTimeout(300);
  assert.equal((await searched(page, QUESTION)).code, "http");
  t.site.faults.clear();
  assert.deepEqual(await searched(page, QUESTION), { hits: 10, missing: [] });
  await page.context().close();
});

test("a worker that died while the bundle was replaced does not quietly open the new one", async () => {
  const page = await t.bare();
  await opened(page, { worker: true });
  replace();
  await page.workers()[0].evaluate(ENDS["ends without a word"]);
  await page.waitForTimeout(300);
  const seen = await use(
    page,
    async (_, tides) => {
      const codes = [
        await window.codeOf(window.graph.passage(window.first.hits[0].chunk)),
        await window.codeOf(window.graph.search(tides)),
      ];
      await window.graph.reopen();
      return { codes, first: (await window.graph.search(tides)).hits[0].text };
    },
    TIDES,
  );
  restore();
  assert.deepEqual(seen.codes, ["replaced", "replaced"], seen.message);
  assert.match(seen.first, /full moon/);
  await page.context().close();
});

test("a bundle that is closed while a worker starts again stays closed", async () => {
  const page = await t.bare();
  await opened(page, { worker: true });
  t.site.faults.set("/bundle/", { kind: "delay", ms: 1500 });
  await page.workers()[0].evaluate(ENDS["ends without a word"]);
  await page.waitForTimeout(300);
  const seen = await use(
    page,
    async (_, question) => {
      const asked = window.codeOf(window.graph.search(question));
      await new Promise((resolve) => setTimeout(resolve, 300));
      await window.graph.close();
      return { codes: [await asked, await window.codeOf(window.graph.search(question))] };
    },
    QUESTION,
  );
  assert.deepEqual(seen.codes, ["closed", "closed"], seen.message);
  for (let i = 0; i < 50 && page.workers().length > 0; i++) await page.waitForTimeout(100);
  assert.equal(page.workers().length, 0);
  await page.context().close();
});

test("the component opens the new documents by itself where the old ones were replaced", async () => {
  t.site.requests.length = 0;
  const page = await t.open();
  await page.evaluate(() => document.querySelector("pocketgraph-ask").setAttribute("model", "off"));
  // The page opens it when it is loaded, and has the words' files then; what ranks by meaning is fetched when
  // something is asked.
  await page.waitForTimeout(1500);
  assert.ok(t.site.requests.some((path) => path.endsWith("/bundle/manifest.json")));
  const { next } = JSON.parse(readFileSync(join(t.folder, "bundle/manifest.json"), "utf8")).pocketgraph;
  assert.ok(
    next.length > 0 && !t.site.requests.some((path) => next.some((file) => path.endsWith(file))),
    "something has not been fetched",
  );
  replace();
  const answer = await page.evaluate((tides) => document.querySelector("pocketgraph-ask").ask(tides), TIDES);
  restore();
  assert.match(answer.text, /full moon/);
  await page.context().close();
});
