// How long a reply of a language model takes to be drawn, whatever it is made of: node markdown-bench.mjs
// SITE [SECONDS]
//
// SITE is a folder with pkg/ (target/demo). Replies of 200 kB of each construct, and for SECONDS (5) more of
// two constructs after or inside each other, are drawn and compared with a plain reply. Fails if one takes
// more times as long as tests/budget/budgets.txt says: then a rule's time is not in proportion to the text.

import { readFileSync } from "node:fs";
import { launch, newPage } from "./browser.mjs";
import { CONSTRUCTS, textOf } from "./constructs.mjs";
import { serveSite } from "./server.mjs";

const [site, seconds = "5"] = process.argv.slice(2);
if (!site) {
  console.error("Usage: node markdown-bench.mjs SITE [SECONDS]");
  process.exit(2);
}
const budgets = readFileSync(new URL("../budget/budgets.txt", import.meta.url), "utf8");
const mostTimes = Number(/^markdown_times +(\d+)/m.exec(budgets)[1]);
const BYTES = 200_000;
const PLAIN = textOf("A plain reply has paragraphs of words.\n\n", BYTES);

const served = await serveSite(site);
const browser = await launch();
const page = await newPage(browser);
await page.route("**/blank.html", (route) =>
  route.fulfill({ contentType: "text/html", body: "<!doctype html>" }),
);
await page.goto(`${served.url}blank.html`);

/** Draws both replies. Returns the median ratio of their times in five rounds. */
async function timesPlain([text, plain]) {
  const { answerBlocks } = await import("/pkg/render.js");
  const draw = (reply) => {
    const start = performance.now();
    answerBlocks(reply, (number) => document.createTextNode(`[${number}]`), { link: () => true });
    return performance.now() - start;
  };
  return [1, 2, 3, 4, 5].map(() => draw(text) / draw(plain)).sort((a, b) => a - b)[2];
}

const seen = [];
/** Measures a reply, again if it is slow: other work on the machine may come between the two drawings. */
async function measure(name, text) {
  let times = Infinity;
  for (let tries = 0; times > mostTimes && tries < 3; tries += 1)
    times = Math.min(times, await page.evaluate(timesPlain, [text, PLAIN]));
  seen.push({ name, times });
}

for (const [name, construct] of Object.entries(CONSTRUCTS)) await measure(name, textOf(construct, BYTES));

const until = performance.now() + 1000 * Number(seconds);
const constructs = Object.entries(CONSTRUCTS).map(([name, construct]) => [name, [construct].flat()]);
// The same pairs in each run, as far as its time reaches.
let state = 1;
const next = () => constructs[(state = (state * 48271) % 0x7fffffff) % constructs.length];
while (performance.now() < until) {
  const [[first, a], [second, b]] = [next(), next()];
  const half = (parts) => textOf(parts.length === 3 ? parts : parts[0], BYTES / 2);
  await measure(`${second} after ${first}`, half(a) + half(b));
  await measure(`${second} inside ${first}`, textOf(a.join("") + b.join(""), BYTES));
}
await browser.close();
await served.close();

seen.sort((a, b) => b.times - a.times);
console.log(`${seen.length} replies of 200 kB; the slowest, in times of a plain one (limit ${mostTimes}):`);
for (const { name, times } of seen.slice(0, 5)) console.log(`  ${times.toFixed(1)}  ${name}`);
process.exitCode = seen[0].times > mostTimes ? 1 : 0;
