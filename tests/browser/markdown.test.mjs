// What a language model writes, as the page draws it: what is drawn while it grows is what is drawn when it is
// whole, and a reply of any form is drawn to its end. markdown-bench.mjs measures how long that takes.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { newPage } from "./browser.mjs";
import { CONSTRUCTS, textOf } from "./constructs.mjs";
import { harness } from "./harness.mjs";

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-markdown-"));
writeFileSync(
  join(scratch, "index.html"),
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><link rel="icon" ' +
    'href="data:,"></html>',
);
const t = harness(({ site }) => site.mounts.set("/blank/", scratch));
after(() => rmSync(scratch, { recursive: true, force: true }));

async function blankPage() {
  const page = await newPage(t.browser);
  await page.goto(`${t.site.url}blank/index.html`);
  return page;
}

test("what is drawn while a reply grows is what is drawn when it is whole", async () => {
  const page = await blankPage();
  const mixed =
    "A [1].\n--- a\n\n---\n\n- one\n\n  two\n- *three*\n\n1. `x`\n\n```js\na\n\nb\n```\n\n| a | b |\n|---|:-:|\n| **c** | [2] |\n\n> quoted\n> - more\n\n## End\nhttps://x.org/.\n";
  const texts = [mixed, ...Object.values(CONSTRUCTS).map((construct) => textOf(construct, 40))];
  const different = await page.evaluate(async (texts) => {
    const { answerBlocks, GrowingAnswer } = await import("/pkg/render.js");
    const marker = (number, start, end) => document.createTextNode(`[${number} ${start} ${end}]`);
    const whole = (text) => {
      const node = document.createElement("div");
      node.append(answerBlocks(text, marker));
      return node.innerHTML;
    };
    const different = [];
    for (const text of texts) {
      const node = document.createElement("div");
      const growing = new GrowingAnswer(node, { marker });
      for (let length = 1; length <= text.length; length++) {
        growing.draw(text.slice(0, length));
        if (node.innerHTML === whole(text.slice(0, length))) continue;
        different.push(text.slice(0, length));
        break;
      }
    }
    return different;
  }, texts);
  assert.deepEqual(different, []);
  await page.context().close();
});

test("200 kB of any construct are drawn to their end", { timeout: 300_000 }, async () => {
  const page = await blankPage();
  const texts = Object.values(CONSTRUCTS).map((construct) => textOf(construct, 200_000) + "\n\nlast words");
  const cut = await page.evaluate(async (texts) => {
    const { answerBlocks } = await import("/pkg/render.js");
    const draw = (text) => answerBlocks(text, (number) => document.createTextNode(`[${number}]`));
    return texts.filter((text) => !draw(text).textContent.includes("last words")).map((text) => text.slice(0, 40));
  }, texts);
  assert.deepEqual(cut, []);
  await page.context().close();
});

test("a long reply that grows is read from its last finished block on", async () => {
  const page = await blankPage();
  const read = await page.evaluate(async () => {
    const { GrowingAnswer } = await import("/pkg/render.js");
    let markers = 0;
    const growing = new GrowingAnswer(document.createElement("div"), { marker: () => (markers++, "") });
    for (let paragraphs = 1; paragraphs <= 200; paragraphs++)
      growing.draw("A sentence [1].\n\n".repeat(paragraphs));
    return markers;
  });
  assert.ok(read < 600, `${read} citations were read for 200`);
  await page.context().close();
});

test("a reply of more marks than are drawn is there to its end", async () => {
  const page = await blankPage();
  const [nodes, end] = await page.evaluate(async () => {
    const { answerBlocks } = await import("/pkg/render.js");
    const drawn = answerBlocks("- **a** `b`\n".repeat(20_000) + "the end");
    return [drawn.querySelectorAll("*").length, drawn.textContent.slice(-7)];
  });
  assert.ok(nodes < 20_000, `${nodes} elements were drawn`);
  assert.equal(end, "the end");
  await page.context().close();
});

test("what looks like an address and is none stays text, and costs no exception", async () => {
  const page = await blankPage();
  const text = "See https://[a and <https://[b> and [c](https://[d).";
  const [drawn, exceptions] = await page.evaluate(async (text) => {
    const { answerBlocks } = await import("/pkg/render.js");
    let exceptions = 0;
    window.URL = class extends URL {
      constructor(...address) {
        exceptions += 1;
        super(...address);
        exceptions -= 1;
      }
    };
    return [answerBlocks(text, undefined, { link: () => true }).textContent, exceptions];
  }, text);
  assert.equal(drawn, "See https://[a and https://[b and [c](https://[d).");
  assert.equal(exceptions, 0);
  await page.context().close();
});

test("each quotation says when it holds, and one that holds always says nothing", async () => {
  const page = await blankPage();
  const drawn = await page.evaluate(async () => {
    const { quotedAnswer } = await import("/pkg/render.js");
    const quote = (text, citation) => ({ form: "text", text, citation, highlights: [] });
    const cite = (number, holds) => ({ number, holds, at: { start: 0, end: 0 } });
    const blocks = [quote("It takes 14 days.", 0), quote("It is <b>there.", 1)];
    const nodes = quotedAnswer({ blocks, citations: [cite(1, "Until <2025>"), cite(2, "")] });
    return [...nodes.querySelectorAll("p")].map((one) => one.textContent);
  });
  assert.deepEqual(drawn, ["“It takes 14 days.” [1] (Until <2025>)", "“It is <b>there.” [2]"]);
  await page.context().close();
});
