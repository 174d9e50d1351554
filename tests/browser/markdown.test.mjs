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

const BYTES = 200_000;
/** Times that a plain reply of the same size takes: other work on the machine slows down both. */
const MOST_TIMES = 8;
const PLAIN = "A plain reply has paragraphs of words.\n\n";

/** What is repeated, or what begins, is repeated and ends. */
const CONSTRUCTS = {
  words: "word ",
  lines: "a line\n",
  paragraphs: "a\n\n",
  blanks: [" ", " ", "x"],
  newlines: ["- a", "\n", "b"],
  headings: "# a\n",
  "heading marks": "#",
  rules: "---\n",
  "a rule that is none": ["", "- ", "x"],
  "spaces in a rule": ["|a|\n-", " ", "x"],
  "bars in a rule": ["|a|\n|", "-|", "x"],
  rows: ["|a|b|\n|-|-|\n", "|c|d|\n", ""],
  cells: ["|a|\n|-|\n", "|b", "\n"],
  quotes: "> a\n",
  "quotes in quotes": ["", "> ", "a"],
  items: "- a\n",
  numbers: "1. a\n",
  "items in items": ["", "- ", "a"],
  "blank lines in items": ["- a\n", "\n", "  b"],
  "indented items": "- a\n  - b\n    - c\n",
  "loose items": "- a\n\n  b\n\n",
  "short lines in items in items": ["- - - - - - - - a\n", "1\n", ""],
  "marks in items in items": ["- - - - - - - - a\n", "#\n", ""],
  "code, closed": "```\na\n```\n",
  "code, open": ["```js\n", "a\n", ""],
  ticks: "`",
  "a fence that is none": ["", "```", " x `"],
  "runs of ticks": ["", "` `` ``` ", ""],
  "spaces behind a fence": ["```", " ", "`"],
  spans: "`a` ",
  "open spans": "`a ``b ",
  strong: "**a** ",
  "strong, open": "**a ",
  stars: "*",
  underscores: "_",
  emphasis: "*a* ",
  "emphasis, open": "*a ",
  "all in each other": "**a *b* __c__ ~~d~~** ",
  struck: "~~a~~ ",
  "struck, open": "~~a ",
  tildes: "~",
  links: "[a](https://x.org/) ",
  "links, open": "[a](",
  brackets: "[",
  "titles, open": '[a](b "',
  addresses: "https://x.org/ ",
  "addresses with stops": ["https://x.org/", "!", "a"],
  "open addresses": "<https://",
  "addresses that are none": "<https://[a> ",
  citations: "[1] ",
  "a line with a citation": "a [1]\n",
  "lists of citations": "[1, 2, 3] ",
  "citations, open": ["", "[1, 1, ", ""],
  escapes: "\\*",
  html: "<b>a</b> ",
  tabs: "\t",
};

const textOf = (construct, bytes) => {
  const [before, part, after] = [construct].flat().length === 3 ? construct : ["", construct, ""];
  return before + part.repeat(Math.ceil(bytes / part.length)) + after;
};

/**
 * Draws a reply in the page, and a plain one. Returns how many times as long it takes, the median of five.
 */
async function timesPlain([text, plain]) {
  const { answerBlocks } = await import("/pkg/render.js");
  const draw = (reply) => {
    const start = performance.now();
    answerBlocks(reply, (number) => document.createTextNode(`[${number}]`), { link: () => true });
    return performance.now() - start;
  };
  return [1, 2, 3, 4, 5].map(() => draw(text) / draw(plain)).sort((a, b) => a - b)[2];
}

/** Draws the texts, each under its name. Returns those that take too long. */
async function slowOnes(page, texts) {
  const slow = [];
  for (const [name, text] of Object.entries(texts)) {
    const measure = () => page.evaluate(timesPlain, [text, textOf(PLAIN, BYTES)]);
    let times = await measure();
    // Other work may come between the two drawings: what is slow is slow each time.
    for (let again = 0; times > MOST_TIMES && again < 2; again += 1) times = Math.min(times, await measure());
    if (times > MOST_TIMES) slow.push(`${name}: ${times.toFixed(1)} times`);
  }
  return slow;
}

test("200 kB of any construct are drawn about as fast as plain text", async () => {
  const page = await blankPage();
  const texts = Object.entries(CONSTRUCTS).map(([name, construct]) => [name, textOf(construct, BYTES)]);
  assert.deepEqual(await slowOnes(page, Object.fromEntries(texts)), []);
  await page.context().close();
});

test("200 kB of any two constructs, after or inside each other, are drawn about as fast as plain text", async () => {
  const page = await blankPage();
  const until = performance.now() + 1000 * Number(process.env.POCKETGRAPH_FUZZ_SECONDS ?? 5);
  const constructs = Object.entries(CONSTRUCTS).map(([name, construct]) => [name, [construct].flat()]);
  // The same pairs in each run, as far as its time reaches.
  let state = 1;
  const one = () => constructs[(state = (state * 48271) % 0x7fffffff) % constructs.length];
  const slow = [];
  while (performance.now() < until) {
    const [[first, a], [second, b]] = [one(), one()];
    const half = (parts) => textOf(parts.length === 3 ? parts : parts[0], BYTES / 2);
    const texts = {
      [`${second} after ${first}`]: half(a) + half(b),
      [`${second} inside ${first}`]: textOf(a.join("") + b.join(""), BYTES),
    };
    slow.push(...(await slowOnes(page, texts)));
  }
  assert.deepEqual(slow, []);
  await page.context().close();
});

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
