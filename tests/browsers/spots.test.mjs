// Links to quoted words in three browsers: each browser's own marks, and ours where the page stays or the
// browser knows no text directives. The pages are the demo's: the handbook.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { serveSite } from "../browser/server.mjs";
import { PocketGraph } from "../../pkg/dist/pocketgraph.js";
import { textDirective } from "../../pkg/text-fragment.js";
import { BROWSERS } from "./drivers.mjs";

/** Quotations that each browser opens a page at: of every so many passages. */
const EVERY = 25;
let site;
let passages;

before(async () => {
  site = await serveSite(process.env.POCKETGRAPH_SITE, { cacheControl: "max-age=600" });
  site.mounts.set("/suite/", fileURLToPath(new URL(".", import.meta.url)));
  site.mounts.set("/package/", fileURLToPath(new URL("../../pkg/", import.meta.url)));
  const graph = await PocketGraph.open(`${process.env.POCKETGRAPH_SITE}/bundle`);
  passages = await Promise.all(
    Array.from({ length: graph.info().chunks }, (_, chunk) => graph.passage(chunk)),
  );
  await graph.close();
});
after(() => site?.close());

/** The lines of passages, with their directives, by page. */
function quotations() {
  const pages = new Map();
  for (const { text, url } of passages) {
    let start = 0;
    for (const line of text.split("\n")) {
      const span = { start, end: start + line.length };
      start = span.end + 1;
      const directive = textDirective(text, span);
      if (!directive) continue;
      const page = url.split("#")[0];
      pages.set(page, [...(pages.get(page) ?? []), { line, directive }]);
    }
  }
  return pages;
}

const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

for (const [name, { path, start }] of Object.entries(BROWSERS)) {
  describe(name, { skip: path === null ? `${name} is not installed: left out` : false }, () => {
    let driver;
    before(async () => {
      driver = await start(path);
      await driver.size(1280, 900);
    });
    after(() => driver?.close());

    test("the words of a directive are on the page, and nearly all of them at their quotation", async () => {
      let [all, there, right] = [0, 0, 0];
      const lost = [];
      for (const [page, quotes] of quotations()) {
        await driver.goto(`${site.url}${page}`);
        const found = await driver.run(
          `const { findSpots } = await import("/package/ask-spot.js");
          return a.map((one) => findSpots(one)[0]?.toString() ?? null);`,
          quotes.map(({ directive }) => directive),
        );
        for (const [at, { line, directive }] of quotes.entries()) {
          all += 1;
          if (found[at] === null) lost.push(`${page} ${directive}`);
          else there += 1;
          if (letters(line).includes(letters(found[at] ?? "-"))) right += 1;
        }
      }
      console.log(`${name}: of ${all} quotations ${there} are found, ${right} in their places`);
      assert.ok(all > 1000 && there / all > 0.999, lost.slice(0, 5).join("\n"));
      assert.ok(right / all > 0.96, `${right} of ${all}`);
    });

    test("the browser opens a page at the words by itself", async () => {
      const sample = [...quotations()]
        .flatMap(([page, quotes]) => quotes.map((quote) => ({ page, ...quote })))
        .filter((_, at) => at % EVERY === 0);
      const lost = [];
      let scrolled = 0;
      for (const { page, directive } of sample) {
        await driver.goto("about:blank");
        await driver.goto(`${site.url}${page}#:~:${directive}`);
        const { top, from, height } = await driver.run(
          `const { findSpots } = await import("/package/ask-spot.js");
          await new Promise((resolve) => setTimeout(resolve, 60));
          const { top } = findSpots(a)[0]?.getClientRects()[0] ?? {};
          return { top, from: scrollY, height: innerHeight };`,
          directive,
        );
        if (top > height || top < 0) lost.push(`${page} ${directive}`);
        else if (from > 0) scrolled += 1;
      }
      assert.ok(scrolled > sample.length / 3, `${scrolled} of ${sample.length} below the first screen`);
      assert.ok(lost.length <= sample.length * 0.03, lost.join("\n"));
    });

    test("where the browser did not, the element's page marks the words, and its text stays as it is", async () => {
      const [page, quotes] = [...quotations()].find(([, quotes]) => quotes.length > 40);
      const { directive } = quotes.at(-1);
      for (const without of [false, true]) {
        await driver.goto(`${site.url}${page}`);
        const { marked, same, top, height } = await driver.run(
          `if (b) Object.defineProperty(CSS, "highlights", { value: undefined, configurable: true });
          const before = document.body.textContent;
          const { showSpot } = await import("/package/ask-spot.js");
          sessionStorage.setItem("pocketgraph-spot", JSON.stringify({ page: location.href, directive: a }));
          showSpot();
          const kept = CSS.highlights?.get("pocketgraph-spot") ?? [];
          const ranges = [...kept, ...document.querySelectorAll("mark.pocketgraph-spot")];
          const marked = ranges.map((one) => one.textContent ?? one.toString()).join("");
          const { top } = ranges[0].getBoundingClientRect();
          return { marked, same: before === document.body.textContent, top, height: innerHeight };`,
          directive,
          without,
        );
        const words = decodeURIComponent(
          directive
            .slice(5)
            .split(",")
            .find((term) => !term.endsWith("-")),
        );
        assert.ok(letters(marked).includes(letters(words)), `${marked} | ${words}`);
        assert.ok(same && top >= 0 && top < height, JSON.stringify({ same, top, height }));
      }
    });
  });
}
