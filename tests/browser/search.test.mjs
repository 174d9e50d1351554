// Searching, reading a passage, reading the map.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ask,
  askAndRead,
  assertClean,
  BOX,
  CITATION,
  harness,
  HIT,
  modelReady,
  opened,
  openMap,
  OPENS,
  part,
  PASSAGE,
  QUESTION,
  watchedPage,
} from "./harness.mjs";

const t = harness();

test("hits arrive while one types, and the right page comes first", async () => {
  const page = await t.open();
  await page.locator(BOX).pressSequentially(QUESTION.slice(0, -1), { delay: 15 });
  const first = page.locator(HIT).first();
  await first.waitFor();
  await page.waitForFunction(
    (question) => location.hash.includes(new URLSearchParams({ ask: question }).toString()),
    QUESTION.slice(0, -1),
  );
  const text = await first.innerText();
  assert.match(text, /keyword graph/i);
  assert.match(text, /knowledge graph/i);
  assert.ok((await first.locator("mark").count()) > 0, "words of the question are marked");
  await assertClean(page);
  await page.context().close();
});

test("a result that arrives late does not replace a newer one", async () => {
  const page = await t.open();
  await ask(page, "keyword");
  await openMap(page);
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
  await page.fill(BOX, "knowledge graph");
  await page.waitForTimeout(250);
  await page.fill(BOX, "privacy");
  await page.waitForFunction(() => location.hash === "#ask=privacy");
  await page.waitForFunction(() => window.lateResultCame);
  await page.waitForTimeout(100);
  assert.equal(await page.evaluate(() => location.hash), "#ask=privacy");
  await page.waitForFunction(
    () => document.querySelector("#graph .node.question title")?.textContent === "privacy",
  );
  assert.match(await page.locator(part("page")).first().innerText(), /privacy/i);
  await assertClean(page);
  await page.context().close();
});

test("a pause after a question brings an answer without Enter; a few words bring only hits", async () => {
  const page = await t.open();
  await page.fill(BOX, "keyword graph");
  await page.locator(HIT).first().waitFor();
  await page.waitForTimeout(1000);
  assert.equal(await page.locator(part("answer")).isVisible(), false);
  await page.fill(BOX, QUESTION);
  await page.locator(CITATION).first().waitFor();
  assert.match(await page.locator(part("answer-note")).first().innerText(), /quoted/i);
  await page.context().close();
});

test("a click on a citation opens its passage with the quoted words marked", async () => {
  const page = await t.open();
  await askAndRead(page);
  await modelReady(page);
  const cite = page.locator(OPENS).first();
  const answer = (await page.locator(part("answer-text")).innerText()).replace(/\s+/g, " ");
  await cite.click();
  const mark = page.locator(`${PASSAGE} mark`).first();
  await mark.waitFor();
  // A quotation of several blocks stands in its passage as one stretch, and in the answer as paragraphs, code
  // and lists.
  const quoted = (await page.locator(`${part("passage-body")} mark`).allInnerTexts())
    .join("")
    .split(/\n+/)
    .map((line) => line.replace(/\s+/g, " ").trim());
  for (const line of quoted) assert.ok(answer.includes(line), `“${line}” is a part of the answer`);
  assert.ok(quoted.join("").length > 10);
  assert.ok(
    await mark.evaluate((node) => {
      const box = node.getBoundingClientRect();
      const frame = node.closest("[part=passage-text]").getBoundingClientRect();
      return box.top >= frame.top && box.top < frame.bottom;
    }),
    "the marked words are in view",
  );
  assert.equal(
    await cite.evaluate((node) => node.getRootNode().activeElement.closest("dialog")?.part.value),
    "passage",
  );
  await page.keyboard.press("Escape");
  await page.locator(PASSAGE).waitFor({ state: "hidden" });
  assert.ok(
    await cite.evaluate((node) => node === node.getRootNode().activeElement),
    "the focus is back on the citation",
  );
  await assertClean(page);
  await page.context().close();
});

test("an answer that is drawn anew behind an open passage has the focus again when the passage closes", async () => {
  const page = await t.open();
  // The layers that come late are not there before the passage has been opened; then another answer is
  // chosen.
  t.site.faults.set("/bundle/layers", { kind: "delay", ms: 3000 });
  await page.evaluate(async () => {
    const { PocketGraph } = await import("/pkg/pocketgraph.js");
    const ask = PocketGraph.prototype.ask;
    PocketGraph.prototype.ask = async function* (question, options) {
      for await (const event of ask.call(this, question, options)) {
        if (event.type === "done" && this.modelReady()) event.answer.text += "\n\nAnew.";
        if (event.type === "done" && this.modelReady())
          event.answer.blocks.unshift({ ...event.answer.blocks[0], text: "Anew." });
        yield event;
      }
    };
  });
  await askAndRead(page);
  const node = page.locator(OPENS).last();
  const old = await node.elementHandle();
  await node.click();
  await page.locator(part("passage-body")).waitFor();
  await modelReady(page);
  await page.waitForFunction((old) => !old.isConnected, old);
  await page.keyboard.press("Escape");
  await page.locator(PASSAGE).waitFor({ state: "hidden" });
  // The dialog tells that it is closed a moment after it is hidden.
  await page.waitForFunction(() =>
    window.part("citation").getRootNode().activeElement?.part.contains("citation"),
  );
  await assertClean(page);
  await page.context().close();
});

test("the map shows the question, keywords and passages, and a keyword leads to its neighbours", async () => {
  const page = await t.open();
  await askAndRead(page);
  await openMap(page);
  await page.locator("#graph svg .node.keyword").first().waitFor();
  assert.equal(await page.locator("#graph .node.question").count(), 1);
  const hits = await page.locator(HIT).count();
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
  await page.locator(part("passage-body")).waitFor();
  await page.keyboard.press("Escape");

  await page.locator("#graph .node.chunk").first().click();
  await page.locator(part("passage-body")).waitFor();
  await page.keyboard.press("Escape");
  await assertClean(page);
  await page.context().close();
});

for (const width of [1280, 360]) {
  test(`nothing in the map overlaps and nothing leaves it (${width} pixels)`, async () => {
    const page = await t.open({ viewport: { width, height: 800 } });
    await askAndRead(page);
    await openMap(page);
    await page.locator("#graph svg .node.keyword").first().waitFor();
    const faults = await page.evaluate(() => {
      const frame = document.querySelector("#graph svg").getBoundingClientRect();
      const nodes = [...document.querySelectorAll("#graph .node")];
      const outside = nodes.filter((node) => {
        const box = node.getBoundingClientRect();
        return (
          box.left < frame.left - 2 ||
          box.right > frame.right + 2 ||
          box.top < frame.top - 2 ||
          box.bottom > frame.bottom + 2
        );
      });
      const boxes = nodes.map((node) => [
        node,
        (node.querySelector("rect:not(.reach), circle:not(.reach)") ?? node).getBoundingClientRect(),
      ]);
      const overlaps = boxes.flatMap(([one, a], i) =>
        boxes
          .slice(i + 1)
          .filter(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
          .map(([other]) => `${one.textContent} / ${other.textContent}`),
      );
      return { outside: outside.map((node) => node.textContent), overlaps };
    });
    assert.deepEqual(faults, { outside: [], overlaps: [] });
    await page.context().close();
  });
}

test("the map is there as a list too", async () => {
  const page = await t.open();
  await askAndRead(page);
  await openMap(page);
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
  await page.locator(part("actions")).waitFor();
  assert.match(await page.locator(part("answer")).innerText(), /not say|not in the documents|no passage/i);
  assert.equal(await page.locator(CITATION).count(), 0);
  await assertClean(page);
  await page.context().close();
});

test("emptying the box brings the examples back and takes the map away, and an example asks itself", async () => {
  const page = await t.open();
  const [example] = await page.locator(part("question")).allInnerTexts();
  await askAndRead(page);
  await page.locator("#map").waitFor();
  await page.fill(BOX, "");
  await page.locator("#map").waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => location.hash), "");
  // What was asked before is offered first.
  await page.locator(part("question"), { hasText: example }).last().click();
  await page.locator(CITATION).first().waitFor();
  assert.equal(await page.inputValue(BOX), example);
  assert.match(await page.locator(HIT).first().innerText(), /keyword graph/i);
  await page.context().close();
});

test("once the model has been loaded, the hits are refined in place and the page says so", async () => {
  const page = await t.open();
  await askAndRead(page);
  await modelReady(page);
  assert.ok((await page.locator(HIT).count()) > 0);
  await page
    .locator(part("status"), { hasText: /^\d+ results · auto · model · \d.*MB in \d+ files$/ })
    .waitFor();
  await assertClean(page);
  await page.context().close();
});

test("while the model is on its way, the page ranks by the token table and says so", async () => {
  const page = await t.open();
  t.site.faults.set("/bundle/layers", { kind: "delay", ms: 12_000 });
  await askAndRead(page);
  await page.locator(part("status"), { hasText: "· table ·" }).waitFor({ timeout: 11_000 });
  assert.ok((await page.locator(HIT).count()) > 0);
  t.site.faults.clear();
  await modelReady(page);
  await assertClean(page);
  await page.context().close();
});

test("readers who save data are offered the model with its size, and get it when they want it", async () => {
  t.site.faults.clear();
  const page = await watchedPage(t.browser);
  await page.addInitScript(() =>
    Object.defineProperty(navigator, "connection", { value: { saveData: true } }),
  );
  await page.goto(t.site.url);
  await opened(page);
  await askAndRead(page);
  const offer = page.locator("#offer button");
  assert.match(await offer.innerText(), /load the model \(\d\.\d MB\)/);
  assert.equal(
    await page.evaluate(() => document.querySelector("pocketgraph-ask").graph.modelReady()),
    false,
  );
  await offer.click();
  await modelReady(page);
  assert.equal(await offer.isVisible(), false);
  await page.context().close();
});

for (const name of ["ask", "q"]) {
  test(`a shared link asks its question (${name})`, async () => {
    const page = await t.open({ path: `#${new URLSearchParams({ [name]: QUESTION })}` });
    await page.locator(CITATION).first().waitFor();
    assert.equal(await page.inputValue(BOX), QUESTION);
    await page.context().close();
  });
}

test("hits of an unfinished word stay while the model arrives, and half a word is told no verdict", async () => {
  const page = await t.open();
  await page.evaluate(() => {
    window.counts = [];
    new MutationObserver(() => window.counts.push(window.parts("hit").length)).observe(window.part("hits"), {
      childList: true,
    });
  });
  await page.fill(BOX, "how does hyb");
  await page.waitForFunction(() => document.querySelector("pocketgraph-ask").graph.modelReady(), null, {
    timeout: 60_000,
  });
  await page.waitForTimeout(1500);
  const counts = await page.evaluate(() => window.counts);
  assert.ok(counts.length >= 2 && counts.every((count) => count > 0), counts.join(" "));
  assert.equal(await page.locator(part("answer")).isVisible(), false);
  await page.context().close();
});

test("Back brings the last question back, and an address that is changed by hand is asked", async () => {
  const page = await t.open();
  await askAndRead(page, "What is a chunk?");
  await askAndRead(page, "What is a bundle?");
  await page.goBack();
  await page.waitForFunction(() => window.part("input").value === "What is a chunk?");
  await page.locator(CITATION).first().waitFor();
  await page.evaluate(() => {
    location.hash = new URLSearchParams({ ask: "privacy" }).toString();
  });
  await page.waitForFunction(() => window.part("input").value === "privacy" && window.part("hit"));
  await page.evaluate(() => {
    location.hash = "";
  });
  await page.waitForFunction(() => window.part("input").value === "" && window.part("question"));
  await page.context().close();
});
