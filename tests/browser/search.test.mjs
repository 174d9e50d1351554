// Searching, reading a passage, reading the map.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, askAndRead, assertClean, harness, modelReady, QUESTION } from "./harness.mjs";

const t = harness();

test("hits arrive while one types, and the right page comes first", async () => {
  const page = await t.open();
  await page.locator("#question").pressSequentially(QUESTION.slice(0, -1), { delay: 15 });
  const first = page.locator("#hits > li.hit").first();
  await first.waitFor();
  await page.waitForFunction((question) => location.hash.includes(new URLSearchParams({ q: question }).toString()), QUESTION.slice(0, -1));
  const text = await first.innerText();
  assert.match(text, /keyword graph/i);
  assert.match(text, /knowledge graph/i);
  assert.ok((await first.locator("mark").count()) > 0, "words of the question are marked");
  assert.ok((await first.locator(".way").count()) > 0, "it says how the passage was reached");
  await assertClean(page);
  await page.context().close();
});

test("a result that arrives late does not replace a newer one", async () => {
  const page = await t.open();
  // The first search is made slow and deaf to its abort, so that only the page itself can drop it.
  await page.evaluate(async () => {
    const { PocketGraph } = await import("/pkg/pocketgraph.js");
    const search = PocketGraph.prototype.search;
    PocketGraph.prototype.search = async function (question, { signal, ...options } = {}) {
      if (question !== "knowledge graph") return search.call(this, question, { signal, ...options });
      const result = await search.call(this, question, options);
      await new Promise((resolve) => setTimeout(resolve, 600));
      window.lateResultCame = true;
      return result;
    };
  });
  await page.fill("#question", "knowledge graph");
  await page.waitForTimeout(250);
  await page.fill("#question", "privacy");
  await page.waitForFunction(() => location.hash === "#q=privacy");
  await page.waitForFunction(() => window.lateResultCame);
  await page.waitForTimeout(100);
  assert.equal(await page.evaluate(() => location.hash), "#q=privacy");
  await page.waitForFunction(() => document.querySelector("#graph .node.question title")?.textContent === "privacy");
  assert.match(await page.locator("#hits > li.hit").first().innerText(), /privacy/i);
  await assertClean(page);
  await page.context().close();
});

test("a pause after a question brings an answer without Enter; a few words bring only hits", async () => {
  const page = await t.open();
  await page.fill("#question", "keyword graph");
  await page.locator("#hits > li.hit").first().waitFor();
  await page.waitForTimeout(1000);
  assert.equal(await page.locator("#answer").isVisible(), false);
  await page.fill("#question", QUESTION);
  await page.locator("#answer .cite").first().waitFor();
  assert.match(await page.locator(".answer-by").innerText(), /quoted/i);
  await page.context().close();
});

test("a click on a citation opens its passage with the quoted words marked", async () => {
  const page = await t.open();
  await askAndRead(page);
  await modelReady(page);
  const cite = page.locator("#answer .answer-body button.cite").first();
  const answer = (await page.locator(".answer-body").innerText()).replace(/\s+/g, " ");
  await cite.click();
  const mark = page.locator("#passage mark").first();
  await mark.waitFor();
  // A quotation of several blocks stands in its passage as one stretch, and in the answer as paragraphs, code and lists.
  const quoted = (await page.locator("#passage .passage-body mark").allInnerTexts()).join("").split(/\n+/).map((line) => line.replace(/\s+/g, " ").trim());
  for (const line of quoted) assert.ok(answer.includes(line), `“${line}” is a part of the answer`);
  assert.ok(quoted.join("").length > 10);
  assert.ok(await mark.evaluate((node) => {
    const box = node.getBoundingClientRect();
    const frame = node.closest(".passage-text").getBoundingClientRect();
    return box.top >= frame.top && box.top < frame.bottom;
  }), "the marked words are in view");
  assert.equal(await page.evaluate(() => document.activeElement.closest("dialog")?.id), "passage");
  await page.keyboard.press("Escape");
  await page.locator("#passage").waitFor({ state: "hidden" });
  assert.ok(await cite.evaluate((node) => node === document.activeElement), "the focus is back on the citation");
  await assertClean(page);
  await page.context().close();
});

test("a list that is drawn anew behind an open passage has the focus again when the passage closes", async () => {
  // The layers that come late are not there before both passages have been opened.
  for (const opener of ["#answer .answer-body button.cite", "#hits .hit-title"]) {
    const page = await t.open();
    t.site.faults.set("/bundle/layers", { kind: "delay", ms: 3000 });
    await askAndRead(page);
    const node = page.locator(opener).last();
    const list = opener.split(" ")[0];
    await node.evaluate((node) => (node.isOld = true));
    await node.click();
    await page.locator("#passage .passage-body").waitFor();
    await modelReady(page);
    await page.waitForFunction((opener) => [...document.querySelectorAll(opener)].every((node) => !node.isOld), opener);
    await page.keyboard.press("Escape");
    await page.locator("#passage").waitFor({ state: "hidden" });
    // The drawer tells that it is closed a moment after it is hidden.
    await page.waitForFunction((list) => document.querySelector(list).contains(document.activeElement), list, { timeout: 5000 });
    await assertClean(page);
    await page.context().close();
  }
});

test("the map shows the question, keywords and passages, and a keyword leads to its neighbours", async () => {
  const page = await t.open();
  await askAndRead(page);
  await page.locator("#graph svg .node.keyword").first().waitFor();
  assert.equal(await page.locator("#graph .node.question").count(), 1);
  const hits = await page.locator("#hits > li.hit").count();
  assert.ok((await page.locator("#graph .node.adjacent-keyword").count()) > 0);
  const numbers = await page.locator("#graph .node.chunk text").allTextContents();
  assert.ok(numbers.length > 0 && numbers.every((number) => Number(number) >= 1 && Number(number) <= hits));
  assert.ok((await page.locator("#graph .edge.question-keyword").count()) > 0);
  assert.equal(await page.locator("#graph .legend li").count(), 4);

  const label = await page.locator("#graph .node.keyword title").first().textContent();
  await page.locator("#graph .node.keyword").first().click();
  const heading = page.locator("#keyword h3");
  await heading.waitFor();
  assert.equal(await heading.innerText(), label);
  await page.locator("#keyword .keyword-passages button").first().click();
  await page.locator("#passage .passage-body").waitFor();
  await page.keyboard.press("Escape");

  await page.locator("#graph .node.chunk").first().click();
  await page.locator("#passage .passage-body").waitFor();
  await page.keyboard.press("Escape");
  await assertClean(page);
  await page.context().close();
});

for (const width of [1280, 360]) {
  test(`nothing in the map overlaps and nothing leaves it (${width} pixels)`, async () => {
    const page = await t.open({ viewport: { width, height: 800 } });
    await askAndRead(page);
    await page.locator("#graph svg .node.keyword").first().waitFor();
    const faults = await page.evaluate(() => {
      const frame = document.querySelector("#graph svg").getBoundingClientRect();
      const nodes = [...document.querySelectorAll("#graph .node")];
      const outside = nodes.filter((node) => {
        const box = node.getBoundingClientRect();
        return box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2;
      });
      const boxes = nodes.map((node) => [node, (node.querySelector("rect:not(.reach), circle:not(.reach)") ?? node).getBoundingClientRect()]);
      const overlaps = boxes.flatMap(([one, a], i) => boxes.slice(i + 1).filter(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).map(([other]) => `${one.textContent} / ${other.textContent}`));
      return { outside: outside.map((node) => node.textContent), overlaps };
    });
    assert.deepEqual(faults, { outside: [], overlaps: [] });
    await page.context().close();
  });
}

test("the map is there as a list too", async () => {
  const page = await t.open();
  await askAndRead(page);
  await page.locator("#graph .node").first().waitFor();
  await page.locator("#graph summary").click();
  const nodes = (await page.locator("#graph .node").count()) - 1;
  assert.equal(await page.locator("#graph .graph-list li").count(), nodes);
  await page.locator("#graph .graph-list button").first().click();
  await page.locator("#keyword h3").waitFor();
  await page.context().close();
});

test("a question that the documents do not answer is told so", async () => {
  const page = await t.open();
  await ask(page, "zzyzx qwrtp vlkmnx?");
  await page.locator('#answer[aria-busy="false"]').waitFor();
  await page.waitForFunction(() => document.querySelector("#answer .answer-body").textContent.length > 0);
  assert.match(await page.locator("#answer").innerText(), /not say|not in the documents|no passage/i);
  assert.equal(await page.locator("#answer .cite").count(), 0);
  await assertClean(page);
  await page.context().close();
});

test("emptying the box brings the examples back, and an example asks itself", async () => {
  const page = await t.open();
  await askAndRead(page);
  await page.fill("#question", "");
  await page.locator("#examples button").first().click();
  await page.locator('#answer[aria-busy="false"] .cite').first().waitFor();
  assert.equal(await page.inputValue("#question"), await page.locator("#question").inputValue());
  assert.match(await page.locator("#hits > li.hit").first().innerText(), /keyword graph/i);
  await page.context().close();
});

test("once the model has been loaded, the hits are refined in place and the page says so", async () => {
  const page = await t.open();
  await askAndRead(page);
  await modelReady(page);
  assert.ok((await page.locator("#hits > li.hit").count()) > 0);
  assert.match(await page.locator("#fetched").innerText(), /\d.*fetched in \d+ files?/);
  await assertClean(page);
  await page.context().close();
});

test("while the model is on its way, the page ranks by the token table and says so", async () => {
  const page = await t.open();
  t.site.faults.set("/bundle/layers", { kind: "delay", ms: 4000 });
  await askAndRead(page);
  await page.locator('#stages li[data-stage="table"][aria-current="step"]').waitFor({ timeout: 3500 });
  assert.ok((await page.locator("#hits > li.hit").count()) > 0);
  t.site.faults.clear();
  await modelReady(page);
  await assertClean(page);
  await page.context().close();
});

test("a shared link asks its question", async () => {
  const page = await t.open({ path: `#${new URLSearchParams({ q: QUESTION })}` });
  await page.locator('#answer[aria-busy="false"] .cite').first().waitFor();
  assert.equal(await page.inputValue("#question"), QUESTION);
  await page.context().close();
});

test("hits of an unfinished word stay while the model arrives, and half a word is told no verdict", async () => {
  const page = await t.open();
  await page.evaluate(() => {
    window.counts = [];
    new MutationObserver(() => window.counts.push(document.querySelectorAll("#hits > li.hit").length)).observe(document.querySelector("#hits"), { childList: true });
  });
  await page.fill("#question", "how does hyb");
  await page.waitForFunction(() => document.querySelector("#fetched").textContent.includes("fetched in") && window.counts.length >= 2, null, { timeout: 60_000 });
  await page.waitForTimeout(1500);
  const counts = await page.evaluate(() => window.counts);
  assert.ok(counts.every((count) => count > 0), counts.join(" "));
  assert.equal(await page.locator("#answer").isVisible(), false);
  await page.context().close();
});

test("Back brings the last question back, and an address that is changed by hand is asked", async () => {
  const page = await t.open();
  await askAndRead(page, "What is a chunk?");
  await askAndRead(page, "What is a bundle?");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector("#question").value === "What is a chunk?");
  await page.locator("#answer .cite").first().waitFor();
  await page.evaluate(() => { location.hash = new URLSearchParams({ q: "privacy" }).toString(); });
  await page.waitForFunction(() => document.querySelector("#question").value === "privacy" && document.querySelector("#hits > li.hit"));
  await page.context().close();
});
