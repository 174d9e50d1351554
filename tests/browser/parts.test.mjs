// The parts of <pocketgraph-ask> as elements of their own: box, results, answer and filters, each where the
// page puts it, with what the page puts into their slots.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { newPage } from "./browser.mjs";
import { assertClean, harness } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const HOSTILE = `<img src=x onerror="window.ran = 1"><b>bold</b>`;
const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-parts-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

function write(path, text) {
  mkdirSync(dirname(join(scratch, path)), { recursive: true });
  writeFileSync(join(scratch, path), text);
}

for (const version of ["1.0", "2.0"]) {
  for (const page of ["install", "network", "backup"]) {
    const text =
      `Version ${version} has its ${page} set in the file ${page}.toml, and listens to ` + `the harbour.`;
    write(`docs/${version}/guides/${page}.md`, `# The ${page} of version ${version}\n\n${text}\n`);
  }
}
const escaped = HOSTILE.replaceAll("<", "\\<");
write("docs/hostile.md", `# Lighthouse ${escaped}\n\nThe lighthouse keeps ${escaped} in its tower.\n`);

write(
  "page.css",
  `
  body { margin: 0; font: 16px/1.5 sans-serif; }
  header, main, aside { padding: 1rem; }
  @media (min-width: 50rem) {
    body { display: grid; grid-template: auto 1fr / 1fr 16rem; }
    header { grid-column: 1 / 3; }
  }
  aside { background: #16202e; color: #fff; }
`,
);

const LAYOUT = `
<header>
  <pocketgraph-box src="/parts/bundle/" recent="off">
    <button slot="button" id="own" type="button">Look it up</button>
  </pocketgraph-box>
</header>
<main>
  <h1>A page</h1>
  <pocketgraph-answer>
    <h2 slot="heading" id="answer-heading">In short</h2>
    <p slot="empty" id="no-answer">Ask, and the answer stands here.</p>
  </pocketgraph-answer>
  <pocketgraph-results>
    <h2 slot="heading" id="hits-heading">Pages</h2>
    <p slot="empty" id="nothing">Write to <a href="mailto:us@example.org">us</a>.</p>
  </pocketgraph-results>
</main>
<aside><pocketgraph-filters><h2 slot="heading" id="filters-heading">Narrow it down</h2></pocketgraph-filters></aside>`;

const PAGE = (body, { lang = "en", script = "/pkg/ask-parts.js" } = {}) =>
  `<!doctype html><html lang="${lang}"><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><link rel="stylesheet" href="page.css">
<script type="module" src="${script}"></script><body>${body}</body></html>`;

const t = harness(({ site }) => {
  execFileSync(
    process.env.POCKETGRAPH_PROGRAM,
    ["build", join(scratch, "docs"), "-o", join(scratch, "bundle"), "--no-runtime", "-q"],
    { stdio: "pipe" },
  );
  site.mounts.set("/parts/", scratch);
});

/** A page of its own with this body. */
let pages = 0;
async function opened(body = LAYOUT, { lang, script, ...options } = {}) {
  const name = `page-${pages++}.html`;
  write(name, PAGE(body, { lang, script }));
  t.site.faults.clear();
  const page = await newPage(t.browser, options);
  await page.goto(`${t.site.url}parts/${name}`);
  const box = page.locator("pocketgraph-box [part=input]").first();
  await box.waitFor();
  return { page, box, within: (element, name) => page.locator(`pocketgraph-${element} [part~="${name}"]`) };
}

const urls = (hits) =>
  hits.locator("[part=hit-title]").evaluateAll((links) => links.map((link) => link.getAttribute("href")));

test("box, hits, answer and filters stand where the page puts them, and are of one search", async () => {
  const { page, box, within } = await opened();
  await box.fill("harbour");
  await within("results", "hit").first().waitFor();
  await within("filters", "filter").first().waitFor();
  assert.equal(await within("box", "hit").count(), 0);
  assert.equal(await within("answer", "actions").count(), 0);
  await box.press("Enter");
  await within("answer", "actions").waitFor();
  assert.equal(await within("results", "answer").count(), 0);
  assert.match(await within("answer", "answer-text").innerText(), /harbour/);
  await within("filters", "filter").and(page.locator("[data-kind=version]")).selectOption("=2.0");
  await page.waitForFunction(() => {
    const links = [
      ...document.querySelector("pocketgraph-results").shadowRoot.querySelectorAll("[part=hit-title]"),
    ];
    return links.length > 0 && links.every((link) => link.getAttribute("href").includes("2.0/"));
  });
  await assertClean(page);
  await page.context().close();
});

test("a page's own button, headings and empty states stand in the slots, each when it is due", async () => {
  const { page, box, within } = await opened();
  const isSeen = async () =>
    Object.fromEntries(
      await Promise.all(
        ["answer-heading", "no-answer", "hits-heading", "filters-heading", "nothing"].map(async (id) => [
          id,
          await page.locator(`#${id}`).isVisible(),
        ]),
      ),
    );
  assert.deepEqual(await isSeen(), {
    "answer-heading": false,
    "no-answer": true,
    "hits-heading": false,
    "filters-heading": false,
    nothing: false,
  });
  assert.equal(await within("box", "button").isVisible(), false);
  await box.fill("harbour");
  await page.click("#own");
  await within("answer", "actions").waitFor();
  await within("filters", "filter").first().waitFor();
  assert.deepEqual(await isSeen(), {
    "answer-heading": true,
    "no-answer": false,
    "hits-heading": true,
    "filters-heading": true,
    nothing: false,
  });
  await box.fill("zzqxv");
  await page.locator("#nothing").waitFor();
  assert.equal((await isSeen())["no-answer"], true);
  assert.equal(
    await page.getByText("Nothing was found for this.").filter({ visible: true }).count(),
    0,
    "the page's own words stand alone",
  );
  await page.context().close();
});

test("a template arranges each hit, and nothing of a document becomes markup in it", async () => {
  const template = `<template slot="item"><article class="card">
    <slot name="text"></slot><slot name="title"></slot>
    <slot name="languages"><i class="none">any language</i></slot>
  </article></template>`;
  const boxAlone = `<pocketgraph-box src="/parts/bundle/" recent="off"></pocketgraph-box>`;
  const { page, box, within } = await opened(
    `${boxAlone}<pocketgraph-results>${template}</pocketgraph-results>`,
  );
  await box.fill("lighthouse");
  const hit = within("results", "hit").first();
  await hit.waitFor();
  const seen = await hit.evaluate((node) => ({
    order: [...node.querySelector(".card").children].map(
      (child) => child.getAttribute("part") ?? child.className,
    ),
    href: node.querySelector("[part=hit-title]").getAttribute("href"),
    text: node.querySelector("[part=hit-text]").textContent,
    markup: node.querySelectorAll("img, b, slot").length,
    marked: node.querySelectorAll("mark").length,
  }));
  assert.deepEqual(seen.order, ["hit-text", "hit-title", "none"]);
  assert.match(seen.href, /hostile/);
  assert.ok(seen.text.includes("<img src=x onerror="), seen.text);
  assert.equal(seen.markup, 0);
  assert.ok(seen.marked > 0);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  await page.context().close();
});

test("the keys go from the box into the hits and back, and a citation gets the focus back", async () => {
  const { page, box, within } = await opened();
  await box.fill("harbour");
  await within("results", "hit").first().waitFor();
  const inside = () =>
    page.evaluate(() => [
      document.activeElement.localName,
      document.activeElement.shadowRoot?.activeElement?.getAttribute("part"),
    ]);
  await page.keyboard.press("ArrowDown");
  assert.deepEqual(await inside(), ["pocketgraph-results", "hit-title"]);
  await page.keyboard.press("ArrowUp");
  assert.deepEqual(await inside(), ["pocketgraph-box", "input"]);
  await page.keyboard.press("Enter");
  await within("answer", "actions").waitFor();
  await within("filters", "filter").first().waitFor();
  // In the page's order: the box, its buttons, the answer, the hits, the filters.
  const order = [];
  for (let at = 0; at < 60 && order.at(-1) !== "pocketgraph-filters"; at++) {
    await page.keyboard.press("Tab");
    const [name] = await inside();
    if (name !== order.at(-1)) order.push(name);
  }
  assert.deepEqual(order, [
    "pocketgraph-box",
    "button",
    "pocketgraph-answer",
    "pocketgraph-results",
    "pocketgraph-filters",
  ]);
  await page.locator(`pocketgraph-answer :is(a, button)[part~="citation"]`).first().press("Enter");
  await within("box", "passage-body").waitFor();
  await page.keyboard.press("Escape");
  await page.waitForFunction(
    () =>
      document.activeElement.localName === "pocketgraph-answer" &&
      document.activeElement.shadowRoot.activeElement.matches("[part~=citation]"),
  );
  await page.context().close();
});

test("what comes is said to screen readers, and parts have names, in the page's language and direction", async () => {
  const { page, box, within } = await opened(LAYOUT, { lang: "ar" });
  await box.fill("harbour");
  await within("results", "hit").first().waitFor();
  await page.waitForFunction(() =>
    /نتائج|نتيجة/.test(
      document.querySelector("pocketgraph-box").shadowRoot.querySelector("[role=status]").textContent,
    ),
  );
  await box.press("Enter");
  await within("answer", "actions").waitFor();
  await within("filters", "filter").first().waitFor();
  const roots = () =>
    page.evaluate(() =>
      ["box", "results", "answer", "filters"].map((kind) => {
        const root = document.querySelector(`pocketgraph-${kind}`).shadowRoot.querySelector(".root");
        return [root.lang, getComputedStyle(root).direction];
      }),
    );
  assert.deepEqual(await roots(), Array(4).fill(["ar", "rtl"]));
  await page.locator("pocketgraph-answer").getByRole("region", { name: "الجواب" }).waitFor();
  await page.locator("pocketgraph-results").getByRole("group", { name: "النتائج" }).waitFor();
  await page.locator("pocketgraph-filters").getByRole("group", { name: "عوامل التصفية" }).waitFor();
  await page.evaluate(() => document.querySelector("pocketgraph-box").setAttribute("lang", "de"));
  await page.locator("pocketgraph-answer").getByRole("region", { name: "Antwort" }).waitFor();
  assert.deepEqual(await roots(), Array(4).fill(["de", "ltr"]));
  await page.context().close();
});

test("parts without an element stay below the box, and elements may come, go and move at any time", async () => {
  const { page, box, within } = await opened(
    `<div id="top"></div><pocketgraph-box src="/parts/bundle/" recent="off"></pocketgraph-box>`,
  );
  await box.fill("harbour");
  await box.press("Enter");
  await within("box", "actions").waitFor();
  await within("box", "filter").first().waitFor();
  const order = () =>
    page.evaluate(() => {
      const body = document.querySelector("pocketgraph-box").shadowRoot.querySelector("[part=results]");
      return body && [...body.children].map((node) => node.getAttribute("part"));
    });
  const whole = ["filters", "status", "error", "understood", "answer", "hits"];
  assert.deepEqual(await order(), whole);
  const add = (kind) =>
    page.evaluate(
      (kind) => document.querySelector("#top").append(document.createElement(`pocketgraph-${kind}`)),
      kind,
    );
  await add("filters");
  await within("filters", "filter").first().waitFor();
  await add("answer");
  assert.deepEqual(await order(), ["status", "error", "hits"]);
  await add("results");
  assert.equal(await order(), null);
  assert.ok((await within("results", "hit").count()) > 0);
  await page.evaluate(() => document.body.append(document.querySelector("#top")));
  assert.ok(
    (await within("results", "hit").count()) > 0 && (await within("answer", "actions").count()) === 1,
  );
  await page.evaluate(() => document.querySelector("#top").replaceChildren());
  assert.deepEqual(await order(), whole);
  await box.fill("backup");
  await within("box", "hit").first().waitFor();
  // The box goes, and another comes.
  await add("results");
  await page.evaluate(() => {
    document.querySelector("pocketgraph-box").remove();
    document.body.insertAdjacentHTML(
      "beforeend",
      '<pocketgraph-box src="/parts/bundle/" recent="off"></pocketgraph-box>',
    );
  });
  assert.equal(await within("results", "hit").count(), 0);
  await box.fill("network");
  await within("results", "hit").first().waitFor();
  await assertClean(page);
  await page.context().close();
});

test("with several boxes `for` says whose part an element shows", async () => {
  const { page, within } = await opened(`
    <pocketgraph-results for="second" id="of-second"></pocketgraph-results>
    <pocketgraph-results id="of-first"></pocketgraph-results>
    <pocketgraph-box src="/parts/bundle/" recent="off" id="first"></pocketgraph-box>
    <pocketgraph-box src="/parts/bundle/" recent="off" id="second"></pocketgraph-box>`);
  const hits = (id) => page.locator(`#${id} [part=hit]`);
  await page.locator("#second [part=input]").fill("backup");
  await hits("of-second").first().waitFor();
  assert.equal(await hits("of-first").count(), 0);
  await page.locator("#first [part=input]").fill("install");
  await hits("of-first").first().waitFor();
  assert.match((await urls(page.locator("#of-first"))).join(" "), /install/);
  await page.evaluate(() => document.querySelector("#of-second").removeAttribute("for"));
  assert.ok((await within("box", "hit").count()) > 0, "the second box shows its own hits again");
  await page.context().close();
});

for (const [width, zoom] of [
  [1280, 1],
  [360, 1],
  [640, 2],
]) {
  test(`nothing is wider than the page, and axe finds nothing, at ${width} px and a zoom of ${zoom}`, async () => {
    // A zoom of two is half of the pixels, each twice as large.
    const { page, box, within } = await opened(LAYOUT, {
      viewport: { width: width / zoom, height: 3000 },
      deviceScaleFactor: zoom,
    });
    await box.fill("which file is the backup of version 2.0 set in?");
    await box.press("Enter");
    await within("answer", "actions").waitFor();
    await within("filters", "filter").first().waitFor();
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide[0] <= wide[1], wide.join(" "));
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(
      (values) => window.axe.run(document, { runOnly: { type: "tag", values } }),
      ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    );
    assert.deepEqual(
      violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} ${target.flat().join(" ")} ${failureSummary}`),
      ),
      [],
    );
    await page.context().close();
  });
}

test("each part has the look of what stands behind it, or the one that the box has", async () => {
  const { page } = await opened();
  const schemes = () =>
    page.evaluate(() =>
      ["box", "results", "filters"].map(
        (kind) =>
          document.querySelector(`pocketgraph-${kind}`).shadowRoot.querySelector(".root").dataset.scheme,
      ),
    );
  assert.deepEqual(await schemes(), ["", "", "dark"]);
  await page.evaluate(() => document.querySelector("pocketgraph-box").setAttribute("theme", "light"));
  assert.deepEqual(await schemes(), ["light", "light", "light"]);
  await page.context().close();
});

test("a page without parts loads nothing of them, and one that names both files has one component", async () => {
  const asked = (page) =>
    page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .map(({ name }) => name.split("/").at(-1))
        .filter((name) => /^ask-(parts|element)/.test(name))
        .sort(),
    );
  const whole = await newPage(t.browser);
  write(
    "whole.html",
    PAGE('<pocketgraph-ask src="/parts/bundle/" recent="off"></pocketgraph-ask>', {
      script: "/pkg/ask-element.js",
    }),
  );
  await whole.goto(`${t.site.url}parts/whole.html`);
  await whole.locator("[part=input]").fill("harbour");
  await whole.locator("[part=hit]").first().waitFor();
  assert.deepEqual(await asked(whole), ["ask-element.js"]);
  await whole.evaluate(() =>
    import("/pkg/ask-parts.js").then(() => customElements.whenDefined("pocketgraph-filters")),
  );
  assert.deepEqual(await asked(whole), ["ask-element.js", "ask-parts.js"]);
  assert.ok((await whole.locator("pocketgraph-ask [part=hit]").count()) > 0);
  await whole.context().close();
});
