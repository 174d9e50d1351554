// What a language model writes, as the page draws it: whatever it is made of, a long reply is drawn in time
// in proportion to its length, and what is drawn while it grows is what is drawn when it is whole.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { newPage } from "./browser.mjs";
import { harness } from "./harness.mjs";

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-markdown-"));
writeFileSync(join(scratch, "index.html"), '<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,"></html>');
const t = harness(({ site }) => site.mounts.set("/blank/", scratch));
after(() => rmSync(scratch, { recursive: true, force: true }));

async function blankPage() {
  const page = await newPage(t.browser);
  await page.goto(`${t.site.url}blank/index.html`);
  return page;
}

const BYTES = 200_000;
/**
 * Quadratic ones took seconds at a tenth of that; a thousand nodes take a machine that has other work some 20
 * ms.
 */
const MOST_MS = 1500;

/** What is repeated, or what begins, is repeated and ends. */
const CONSTRUCTS = {
  words: "word ", lines: "a line\n", paragraphs: "a\n\n", blanks: [" ", " ", "x"], newlines: ["- a", "\n", "b"], headings: "# a\n", "heading marks": "#", rules: "---\n", "a rule that is none": ["", "- ", "x"],
  "spaces in a rule": ["|a|\n-", " ", "x"], "bars in a rule": ["|a|\n|", "-|", "x"], rows: ["|a|b|\n|-|-|\n", "|c|d|\n", ""], cells: ["|a|\n|-|\n", "|b", "\n"], quotes: "> a\n", "quotes in quotes": ["", "> ", "a"],
  items: "- a\n", numbers: "1. a\n", "items in items": ["", "- ", "a"], "blank lines in items": ["- a\n", "\n", "  b"], "indented items": "- a\n  - b\n    - c\n", "loose items": "- a\n\n  b\n\n",
  "code, closed": "```\na\n```\n", "code, open": ["```js\n", "a\n", ""], ticks: "`", "a fence that is none": ["", "```", " x `"], "runs of ticks": ["", "` `` ``` ", ""], "spaces behind a fence": ["```", " ", "`"], spans: "`a` ", "open spans": "`a ``b ",
  strong: "**a** ", "strong, open": "**a ", stars: "*", underscores: "_", emphasis: "*a* ", "emphasis, open": "*a ", "all in each other": "**a *b* __c__ ~~d~~** ", struck: "~~a~~ ", "struck, open": "~~a ", tildes: "~",
  links: "[a](https://x.org/) ", "links, open": "[a](", brackets: "[", "titles, open": '[a](b "', addresses: "https://x.org/ ", "addresses with stops": ["https://x.org/", "!", "a"], "open addresses": "<https://", citations: "[1] ", "a line with a citation": "a [1]\n",
  "lists of citations": "[1, 2, 3] ", "citations, open": ["", "[1, 1, ", ""], escapes: "\\*", html: "<b>a</b> ", tabs: "\t",
};

const textOf = (construct, bytes) => {
  const [before, part, after] = [construct].flat().length === 3 ? construct : ["", construct, ""];
  return before + part.repeat(Math.ceil(bytes / part.length)) + after;
};

test("200 kB of any construct are drawn at once", async () => {
  const page = await blankPage();
  const slow = [];
  for (const [name, construct] of Object.entries(CONSTRUCTS)) {
    const took = await page.evaluate(async (text) => {
      const { answerBlocks } = await import("/pkg/render.js");
      const start = performance.now();
      answerBlocks(text, (number) => document.createTextNode(`[${number}]`), { link: () => true });
      return performance.now() - start;
    }, textOf(construct, BYTES));
    if (took > MOST_MS) slow.push(`${name}: ${took.toFixed(0)} ms`);
  }
  assert.deepEqual(slow, []);
  await page.context().close();
});

test("what is drawn while a reply grows is what is drawn when it is whole", async () => {
  const page = await blankPage();
  const mixed = "A [1].\n--- a\n\n---\n\n- one\n\n  two\n- *three*\n\n1. `x`\n\n```js\na\n\nb\n```\n\n| a | b |\n|---|:-:|\n| **c** | [2] |\n\n> quoted\n> - more\n\n## End\nhttps://x.org/.\n";
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

test("a long reply that grows is read from its last finished block on", async () => {
  const page = await blankPage();
  const read = await page.evaluate(async () => {
    const { GrowingAnswer } = await import("/pkg/render.js");
    let markers = 0;
    const growing = new GrowingAnswer(document.createElement("div"), { marker: () => (markers++, "") });
    for (let paragraphs = 1; paragraphs <= 200; paragraphs++) growing.draw("A sentence [1].\n\n".repeat(paragraphs));
    return markers;
  });
  assert.ok(read < 600, `${read} citations were read for 200`);
  await page.context().close();
});
