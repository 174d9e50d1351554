// How many files a reader waits for, and how many of them one after the other: from the focus to the first
// hits, to the first that the token table ranks, to the answer; and how many a bundle has. The bounds are
// budgets, not what the demo needs today: which pages a question reads changes with each word of it. Replies
// are held back and let go together once no more is asked for, so that a turn is what is asked for at once.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { newPage } from "./browser.mjs";
import { harness } from "./harness.mjs";

const QUIET_MS = 500;
const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-requests-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
writeFileSync(
  join(scratch, "index.html"),
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><link rel="icon" ' +
    'href="data:,"><body></body></html>',
);
const t = harness(({ site }) => site.mounts.set("/blank/", scratch));

/**
 * Holds back what is asked for, and lets it go in turns until `done()` is true. Resolves to the files of
 * each turn.
 */
async function turns(begin, done) {
  const rounds = [];
  let waiting = [];
  let asked = Date.now();
  t.site.hold = (path) =>
    new Promise((go) => {
      asked = Date.now();
      waiting.push({ path, go });
    });
  try {
    await begin();
    while (!(await done())) {
      await new Promise((resolve) => setTimeout(resolve, 40));
      if (waiting.length === 0 || Date.now() - asked < QUIET_MS) continue;
      rounds.push(waiting.map(({ path }) => path));
      const [now] = [waiting, (waiting = [])];
      for (const { go } of now) go();
    }
    return rounds;
  } finally {
    t.site.hold = null;
    for (const { go } of waiting) go();
  }
}

async function mounted(model = "off") {
  const page = await newPage(t.browser);
  page.setDefaultTimeout(60_000);
  await page.goto(`${t.site.url}blank/index.html`);
  await page.evaluate(async (model) => {
    await import("/pkg/ask-element.js");
    const element = document.createElement("pocketgraph-ask");
    element.setAttribute("src", "/bundle/");
    element.setAttribute("model", model);
    document.body.append(element);
    window.stages = [];
    element.addEventListener("pocketgraph-result", ({ detail }) => window.stages.push(detail.stage));
  }, model);
  await page.waitForTimeout(300);
  const box = page.locator("pocketgraph-ask").locator("[part=input]");
  return { page, box };
}

for (const [what, question, most] of [
  ["what is being typed", "how does hybrid search work", 10],
  ["a finished question", "how does hybrid search work?", 10],
]) {
  test(`first hits of ${what} need at most ${most} files, four one after the other`, async () => {
    const before = t.site.requests.length;
    const { page, box } = await mounted();
    const scripts = t.site.requests.slice(before);
    const rounds = await turns(
      () => box.fill(question),
      () => page.evaluate(() => window.stages.length > 0),
    );
    const told = rounds.map((files) => files.join(" ")).join("\n");
    assert.ok(rounds.length <= 4, told);
    assert.ok(rounds.flat().length <= most, told);
    const loaded = new Set([...scripts, ...rounds.flat()].filter((file) => file.endsWith(".js")));
    assert.deepEqual([...loaded].sort(), ["/pkg/ask-element.js", "/pkg/worker.js"]);
    await page.context().close();
  });
}

test("first hits by the token table need at most 16 files", async () => {
  const page = await newPage(t.browser);
  await page.goto(`${t.site.url}icon.svg`);
  const ask = async () => {
    const { PocketGraph } = await import("/pkg/pocketgraph.js");
    const graph = await PocketGraph.open("/bundle/", { eager: true });
    const question = "how does hybrid search work?";
    await graph.search(question);
    const leaving = new AbortController();
    await graph
      .prepare({ signal: leaving.signal, onStage: (stage) => stage === "table" && leaving.abort() })
      .catch(() => {});
    const { stage } = await graph.search(question);
    window.stage = stage;
  };
  await page.evaluate(() => import("/pkg/pocketgraph.js"));
  const rounds = await turns(
    () => page.evaluate(`void (${ask})()`),
    () => page.evaluate(() => Boolean(window.stage)),
  );
  assert.equal(await page.evaluate(() => window.stage), "table");
  assert.ok(rounds.flat().length <= 16, rounds.map((files) => files.join(" ")).join("\n"));
  await page.context().close();
});

test("an answer needs at most 22 files, and none of the bundle's is fetched for two engines", async () => {
  const { page, box } = await mounted();
  const element = page.locator("pocketgraph-ask");
  const rounds = await turns(
    async () => {
      await box.fill("how does hybrid search work?");
      await box.press("Enter");
    },
    async () => (await element.locator('[part~="actions"]').count()) > 0,
  );
  const files = rounds.flat();
  const told = rounds.map((files) => files.join(" ")).join("\n");
  assert.ok(files.length <= 22, `${files.length}:\n${told}`);
  const immutable = files.filter((file) => file.endsWith(".pgs"));
  assert.deepEqual(
    immutable.filter((file, at) => immutable.indexOf(file) !== at),
    [],
    told,
  );
  await page.context().close();
});

test("hits by the model, and the answer with them, need at most 30 files", async () => {
  const { page, box } = await mounted("auto");
  const rounds = await turns(
    async () => {
      await box.fill("how does hybrid search work?");
      await box.press("Enter");
    },
    () => page.evaluate(() => window.stages.includes("model")),
  );
  assert.ok(rounds.flat().length <= 30, rounds.map((files) => files.join(" ")).join("\n"));
  await page.context().close();
});

test(
  "the handbook's bundle has at most 100 files, short sections stand in its manifest, and what shares a " +
    "file has none of its own",
  () => {
    const files = readdirSync(join(t.folder, "bundle"), { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile(),
    );
    assert.ok(files.length <= 100, String(files.length));
    const { pocketgraph } = JSON.parse(readFileSync(join(t.folder, "bundle/manifest.json"), "utf8"));
    const held = pocketgraph.packs.flatMap(({ holds }) => holds.map(([file]) => file));
    const there = (file) => existsSync(join(t.folder, "bundle", file));
    for (const { file, bytes, holds } of pocketgraph.packs) {
      assert.ok(there(file), file);
      assert.equal(
        holds.reduce((sum, [, length]) => sum + length, 0),
        bytes,
        file,
      );
    }
    for (const file of held) assert.ok(!there(file), file);
    for (const { name, file, bytes, inline } of pocketgraph.sections) {
      assert.equal(inline === undefined && !held.includes(file), there(file), name);
      if (inline !== undefined) assert.equal(inline.length, 2 * bytes, name);
    }
    for (const file of pocketgraph.first)
      assert.ok(
        files.some((entry) => file.endsWith(entry.name)),
        file,
      );
  },
);
