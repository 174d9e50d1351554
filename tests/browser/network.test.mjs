// A host that fails: what has been loaded goes on working, what is missing is said, and trying again works.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ask,
  askAndRead,
  assertClean,
  BOX,
  FAILED_LOAD,
  harness,
  HIT,
  modelReady,
  opened,
  openMap,
  OPENS,
  part,
  QUESTION,
  use,
  watchedPage,
} from "./harness.mjs";

const t = harness();

const notice = (page) => page.locator(`${part("error")}:not([hidden])`);

test("with the network cut after the first question, what was loaded is still searched and cited", async () => {
  const page = await t.open();
  await askAndRead(page);
  await modelReady(page);
  t.site.faults.set("/", { kind: "cut" });
  await page.fill(BOX, "");
  await askAndRead(page);
  assert.match(await page.locator(HIT).first().innerText(), /keyword graph/i);
  await page.locator(OPENS).first().click();
  await page.locator(part("passage-body")).waitFor();
  await page.keyboard.press("Escape");

  // Another question may need parts that are not there: hits, or a clear word about it; never silence.
  await ask(page, "how are vectors quantised and paged in a bundle?");
  await page.waitForFunction(
    () => !window.part("error").hidden || window.part("hit") || window.part("empty"),
  );
  if (await notice(page).count()) assert.match(await notice(page).innerText(), /could not be reached/i);
  else if ((await page.locator(HIT).count()) === 0)
    assert.match(await page.locator(part("status")).innerText(), /could not be loaded/i);
  t.site.faults.clear();
  await page.fill(BOX, "");
  await askAndRead(page);
  await notice(page)
    .waitFor({ state: "detached" })
    .catch(() => {});
  assert.equal(await notice(page).count(), 0);
  await assertClean(page, FAILED_LOAD);
  await page.context().close();
});

test("with the model's word vectors out of reach, questions are still answered without it", async () => {
  const page = await t.open();
  t.site.faults.set("/bundle/words/", { kind: "status", status: 404 });
  await askAndRead(page);
  await page.waitForTimeout(3000);
  await page.fill(BOX, "");
  await askAndRead(page);
  assert.match(await page.locator(HIT).first().innerText(), /keyword graph/i);
  assert.equal(await notice(page).count(), 0);
  await page.context().close();
});

for (const [name, fault, message] of [
  ["missing", { kind: "status", status: 404 }, /missing or damaged.*manifest/is],
  ["unreachable", { kind: "cut" }, /could not be reached.*manifest/is],
  ["truncated", { kind: "truncate" }, /missing or damaged/i],
  ["failing", { kind: "status", status: 503 }, /missing or damaged.*503/is],
]) {
  test(`a bundle whose manifest is ${name} is reported, and “Try again” opens it once it is there`, async () => {
    t.site.faults.clear();
    t.site.faults.set("/bundle/manifest.json", fault);
    const page = await watchedPage(t.browser);
    await page.goto(t.site.url);
    await notice(page).waitFor();
    assert.match(await notice(page).innerText(), message);
    t.site.faults.clear();
    await notice(page).locator("button").click();
    await opened(page);
    assert.equal(await notice(page).count(), 0);
    await askAndRead(page);
    await assertClean(page, FAILED_LOAD);
    await page.context().close();
  });
}

test("an engine that cannot be fetched is reported", async () => {
  t.site.faults.clear();
  t.site.faults.set("pocketgraph_wasm_bg.wasm", { kind: "status", status: 404 });
  const page = await watchedPage(t.browser);
  await page.goto(t.site.url);
  await notice(page).waitFor();
  assert.match(await notice(page).innerText(), /engine|wasm|404/i);
  t.site.faults.clear();
  await notice(page).locator("button").click();
  await opened(page);
  await page.context().close();
});

test("a slow host delays nothing but what it serves: the box can be typed in meanwhile", async () => {
  t.site.faults.clear();
  t.site.faults.set("/bundle/", { kind: "delay", ms: 400 });
  const page = await watchedPage(t.browser);
  await page.goto(t.site.url);
  await page.fill(BOX, QUESTION);
  await page.locator(HIT).first().waitFor();
  assert.equal(await page.inputValue(BOX), QUESTION);
  await assertClean(page);
  await page.context().close();
});

for (const kind of ["corrupt", "truncate"]) {
  test(`no file of the bundle can be ${kind === "corrupt" ? "corrupted" : "truncated"} unnoticed`, async () => {
    // Which files a bundle has is its own affair: every file that a first search asks for is damaged in its
    // turn.
    const page = await t.bare();
    t.site.requests.length = 0;
    const search = async ({ PocketGraph }, question) => {
      const graph = await PocketGraph.open("/bundle/", { worker: false });
      const result = await graph.search(question);
      await graph.close();
      return { missing: result.missing, hits: result.hits.length };
    };
    const whole = await use(page, search, QUESTION);
    assert.ok(whole.hits > 0 && whole.missing.length === 0);
    const files = [...new Set(t.site.requests.filter((path) => path.startsWith("/bundle/")))];
    assert.ok(files.length >= 2, files.join());
    for (const file of files) {
      t.site.faults.clear();
      t.site.faults.set(file, { kind });
      const damaged = await use(page, search, QUESTION);
      const noticed = damaged.code
        ? /manifest|hash-mismatch|truncated|corrupt/.test(damaged.code)
        : damaged.missing.length > 0;
      if (process.env.POCKETGRAPH_SITE || kind === "truncate")
        assert.ok(noticed, `${file}: ${JSON.stringify(damaged)}`);
    }
    await page.context().close();
  });
}

test("the engine works on the page's own thread too", async () => {
  const page = await t.open({ path: "?worker=off" });
  await askAndRead(page);
  assert.equal(page.workers().length, 0);
  await openMap(page);
  await page.locator("#graph .node.keyword").first().waitFor();
  await assertClean(page);
  await page.context().close();
});

test("the engine works in a worker, and after one that died the next question starts another", async () => {
  const page = await t.open();
  await askAndRead(page);
  const [worker] = page.workers();
  assert.ok(worker, "the engine is in a worker");
  await worker.evaluate(() => {
    setTimeout(() => {
      throw new WebAssembly.RuntimeError("unreachable");
    });
  });
  await page.waitForTimeout(200);
  await askAndRead(page, "how does hybrid search work?");
  assert.equal(page.workers().length, 1);
  assert.equal(await notice(page).count(), 0);
  await page.context().close();
});

test("where no worker can be had, the engine falls back to the page's thread", async () => {
  t.site.faults.clear();
  t.site.faults.set("/pkg/worker.js", { kind: "status", status: 404 });
  const page = await watchedPage(t.browser);
  await page.goto(t.site.url);
  await opened(page);
  await askAndRead(page);
  await page.context().close();
});

test("a reader reports a gap at a press of a button, and no byte of the question leaves", async () => {
  const page = await t.open();
  const sent = [];
  page.on("request", (request) => request.url().includes("/gap") && sent.push(request));
  await page.evaluate(() => {
    const old = document.querySelector("pocketgraph-ask");
    const element = document.createElement("pocketgraph-ask");
    const attributes = { src: old.getAttribute("src"), gaps: "/gap", share: "off" };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    old.replaceWith(element);
  });
  const gap = page.locator(part("gap"));
  const question = "where do zebras buy violet umbrellas?";
  await ask(page, question);
  await page.locator(part("actions")).waitFor();
  assert.equal(sent.length, 0, "nothing is sent before the reader asks for it");
  await gap.click();
  await page.waitForFunction(() => window.part("gap").disabled);
  await page.waitForTimeout(300);
  assert.equal(sent.length, 1);
  assert.match(new URL(sent[0].url()).pathname + new URL(sent[0].url()).search, /^\/gap\?topic=\d+$/);
  const all = JSON.stringify([sent[0].url(), await sent[0].allHeaders(), sent[0].postData()]).toLowerCase();
  for (const word of question.match(/\w{4,}/g)) assert.ok(!all.includes(word), word);
  assert.ok(!("referer" in (await sent[0].allHeaders())));
  await page.fill(BOX, "");
  await ask(page);
  await page.locator(part("actions")).waitFor();
  assert.equal(await gap.isVisible(), false, "an answered question is no gap");
  await page.locator(part("feedback")).last().click();
  assert.equal(await gap.isVisible(), true, "unless the reader says so");
  await page.getByRole("button", { name: "Incomplete" }).click();
  await gap.click();
  await page.waitForFunction(() => window.part("gap").disabled);
  await page.waitForTimeout(300);
  assert.match(new URL(sent[1].url()).search, /^\?topic=\d+&reason=incomplete$/);
  await page.context().close();
});
