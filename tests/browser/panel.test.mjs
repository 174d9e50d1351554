// <pocketgraph-ask mode="panel"> on the pages of a site: what the next page shows again, and questions about
// one page.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { newPage } from "./browser.mjs";
import { assertClean, harness } from "./harness.mjs";

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-panel-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
const QUESTION = "When does the warranty of the kettle end?";
const TEXTS = {
  kettle:
    "# Kettle\n\nThe kettle boils water.\n\n## Warranty\n\nThe warranty of the kettle ends after " +
    "two years.\n",
  oven:
    "# Oven\n\nThe oven reaches 250 degrees.\n\n## Warranty\n\nThe warranty of the oven ends after " +
    "five years.\n",
};
const ELEMENT = (mode) =>
  `<pocketgraph-ask src="/guide/bundle/" mode="${mode}" model="off"></pocketgraph-ask>`;
const page = (name, mode = "panel", html = 'lang="en"') =>
  `<!doctype html><html ${html}><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${name}</title><link rel="icon" href="data:,"><script type="module" src="/pkg/ask-element.js"></script>
<body><h1>${name}</h1><a id="next" href="oven.html">Next</a> ${ELEMENT(mode)}</body></html>`;
mkdirSync(join(scratch, "docs"));
for (const [name, text] of Object.entries(TEXTS)) {
  writeFileSync(join(scratch, "docs", `${name}.md`), text);
  writeFileSync(join(scratch, `${name}.html`), page(name));
}
writeFileSync(join(scratch, "index.html"), page("home"));
writeFileSync(join(scratch, "arabic.html"), page("home", "panel", 'lang="ar" dir="rtl"'));
mkdirSync(join(scratch, "dialog"));
writeFileSync(join(scratch, "dialog/kettle.html"), page("kettle", "dialog"));

const t = harness(({ site }) => {
  const out = join(scratch, "bundle");
  const build = [
    "build",
    join(scratch, "docs"),
    "-o",
    out,
    "--base-url",
    "/guide/",
    "--no-runtime",
    "--no-cache",
    "-q",
  ];
  execFileSync(process.env.POCKETGRAPH_PROGRAM, build, { stdio: "pipe" });
  site.mounts.set("/guide/", scratch);
});

async function visit(path = "kettle.html", options = {}) {
  const page = await newPage(t.browser, options);
  await page.addInitScript(() => {
    window.heard = [];
    const types = ["show", "close", "answer", "result"];
    for (const type of types)
      document.addEventListener(`pocketgraph-${type}`, ({ detail }) =>
        window.heard.push([type, detail?.hits?.map(({ url }) => url)]),
      );
  });
  await page.goto(`${t.site.url}guide/${path}`);
  const part = (name) => page.locator(`pocketgraph-ask [part~="${name}"]`);
  await part("dialog").waitFor({ state: "attached" });
  return { page, part, box: part("input"), panel: part("dialog") };
}

async function ask({ box, part }, question = QUESTION) {
  await box.fill(question);
  await box.press("Enter");
  await part("actions").waitFor();
}

const leave = async (page) => {
  await page.click("#next");
  await page.waitForURL(/oven\.html$/);
};
const stored = (page) =>
  page.evaluate(() =>
    Object.entries(sessionStorage)
      .filter(([key]) => key.startsWith("pocketgraph-panel"))
      .map(([, value]) => value)
      .join(),
  );

test("beside the panel a page stays usable, and the next has panel, question and answer again", async () => {
  const ui = await visit();
  const { page, part, panel, box } = ui;
  await part("trigger").click();
  await panel.waitFor();
  assert.ok(await box.evaluate((node) => node.matches(":focus")));
  await ask(ui);
  const answer = await part("answer-text").innerText();
  assert.match(answer, /two years/);
  const { x, width } = await panel.boundingBox();
  assert.ok(x > 800 && Math.round(x + width) === 1280, "it is at the side");
  t.site.requests.length = 0;
  await leave(page);
  await part("actions").waitFor();
  assert.ok(await panel.isVisible());
  assert.deepEqual([await box.inputValue(), await part("answer-text").innerText()], [QUESTION, answer]);
  assert.ok((await part("hit").count()) > 0);
  assert.equal(
    await page.evaluate(() => document.activeElement.localName),
    "body",
    "the focus stays with the page",
  );
  assert.deepEqual(
    t.site.requests.filter((path) => path.startsWith("/guide/bundle/")),
    [],
    "nothing is asked again",
  );
  assert.deepEqual(await page.evaluate(() => window.heard.map(([type]) => type)), ["show"]);
  // A follow-up refers to the page before.
  await ask(ui, "and the oven?");
  await part("understood").filter({ hasText: "for the oven" }).waitFor();
  await assertClean(page);
  await page.context().close();
});

test("Escape closes the panel and gives the focus back; closed it stays closed, and opens as it was left", async () => {
  const ui = await visit();
  const { page, part, panel, box } = ui;
  await page.keyboard.press("Control+k");
  await ask(ui);
  await box.press("Escape");
  await panel.waitFor({ state: "hidden" });
  assert.equal(
    await page.evaluate(() =>
      document.querySelector("pocketgraph-ask").shadowRoot.activeElement.getAttribute("part"),
    ),
    "trigger",
  );
  await leave(page);
  await page.waitForFunction(() =>
    document.querySelector("pocketgraph-ask").shadowRoot.querySelector("[part=actions]"),
  );
  assert.ok(!(await panel.isVisible()));
  await page.keyboard.press("/");
  await panel.waitFor();
  assert.match(await part("answer-text").innerText(), /two years/);
  // The clicked hit leads away, and the panel stays.
  await page.waitForFunction(() => document.querySelector("pocketgraph-ask").graph);
  await part("hit").first().click();
  await page.waitForURL(/kettle\.html/);
  await panel.waitFor();
  await page.context().close();
});

test("where questions are not remembered, the next page has the panel and no word of them", async () => {
  const ui = await visit();
  const { page, part, panel, box } = ui;
  await page.evaluate(() => document.querySelector("pocketgraph-ask").setAttribute("recent", "off"));
  await page.keyboard.press("Control+k");
  await ask(ui);
  await leave(page);
  await panel.waitFor();
  assert.equal(await box.inputValue(), "");
  assert.equal(await part("hit").count(), 0);
  assert.doesNotMatch(await stored(page), /kettle|warranty/i);
  await page.context().close();
});

test("whatever another script wrote in its place leaves an empty box that works", async () => {
  for (const shown of [
    7,
    { question: 7 },
    { question: "x" },
    { question: "x", result: { hits: [{}] } },
    { question: "x", result: { hits: [] }, reported: { history: 7, answer: {} } },
  ]) {
    const ui = await visit();
    const { page, box, part } = ui;
    await page.evaluate(
      (text) => {
        const key = `pocketgraph-panel ${new URL("/guide/bundle/", location.href)}`;
        addEventListener("pagehide", () => sessionStorage.setItem(key, text));
      },
      JSON.stringify({ open: true, shown }),
    );
    await leave(page);
    await part("dialog").waitFor();
    await page.waitForFunction(
      () => document.querySelector("pocketgraph-ask").shadowRoot.querySelector("input").value === "",
    );
    await ask(ui);
    assert.match(await part("answer-text").innerText(), /two years/);
    await assertClean(page);
    await page.context().close();
  }
});

test("an answer of a bundle that was replaced meanwhile is asked for anew, once the bundle is open", async () => {
  const ui = await visit();
  const { page, box, part } = ui;
  await page.keyboard.press("Control+k");
  await ask(ui);
  await page.evaluate(() => {
    const age = ([key, text]) => {
      const { open, shown } = JSON.parse(text);
      sessionStorage.setItem(key, JSON.stringify({ open, shown: { ...shown, sections: "another" } }));
    };
    addEventListener("pagehide", () => Object.entries(sessionStorage).forEach(age));
  });
  await leave(page);
  await part("actions").waitFor();
  assert.deepEqual(await page.evaluate(() => window.heard.map(([type]) => type)), ["show"]);
  await box.focus();
  await page.waitForFunction(() => window.heard.some(([type]) => type === "answer"));
  assert.match(await part("answer-text").innerText(), /two years/);
  await page.context().close();
});

for (const [where, viewport] of [
  ["at 360 px", { width: 360, height: 740 }],
  ["at 200 % zoom", { width: 640, height: 450 }],
]) {
  test(`the panel covers a narrow page, ${where}, and is closed on the next`, async () => {
    const ui = await visit("kettle.html", { viewport });
    const { page, part, panel, box } = ui;
    await part("trigger").click();
    await ask(ui);
    const { x, width, height } = await panel.boundingBox();
    assert.deepEqual([x, width, height], [0, viewport.width, viewport.height]);
    assert.ok(await part("results").evaluate((node) => node.scrollWidth <= node.clientWidth));
    assert.ok(await panel.evaluate((node) => node.matches(":modal")), "the covered page is inert");
    await part("hit").filter({ hasText: "five" }).click();
    await page.waitForURL(/oven\.html/);
    await page.waitForFunction(() =>
      document.querySelector("pocketgraph-ask").shadowRoot.querySelector("[part=actions]"),
    );
    assert.ok(!(await panel.isVisible()));
    await part("trigger").click();
    assert.equal(await box.inputValue(), QUESTION);
    await page.context().close();
  });
}

test("from right to left the panel is at the left", async () => {
  const { page, part, panel } = await visit("arabic.html");
  await part("trigger").click();
  const { x } = await panel.boundingBox();
  assert.equal(x, 0);
  await page.context().close();
});

for (const [mode, path] of [
  ["panel", "kettle.html"],
  ["dialog", "dialog/kettle.html"],
]) {
  test(`in the ${mode} a reader asks about the page alone, by keyboard, and about all again`, async () => {
    const ui = await visit(path);
    const { page, part, box } = ui;
    // The address is what counts, not the file that this test serves.
    await page.evaluate(() => history.replaceState(null, "", "/guide/kettle"));
    await page.keyboard.press("Control+k");
    await box.fill("warranty of the oven");
    await part("page-only").waitFor();
    const hits = () => page.evaluate(() => window.heard.findLast(([type]) => type === "result")[1]);
    assert.match((await hits())[0], /oven/);
    await part("page-only").focus();
    await page.keyboard.press("Space");
    await part("page-only").and(page.locator('[aria-pressed="true"]')).waitFor();
    await page.waitForFunction(() =>
      window.heard
        .findLast(([type]) => type === "result")[1]
        .every((url) => url.startsWith("/guide/kettle.html")),
    );
    assert.ok((await hits()).length > 0);
    await box.press("Enter");
    await part("actions").waitFor();
    assert.doesNotMatch(await part("answer-text").innerText(), /five years/);
    await part("page-only").press("Enter");
    await part("answer-text").filter({ hasText: "five years" }).waitFor();
    await assertClean(page);
    await page.context().close();
  });
}

test("a page that is none of the documents has no switch for it", async () => {
  const { page, part, box } = await visit("index.html");
  await page.keyboard.press("Control+k");
  await box.fill("warranty of the oven");
  await part("page-only").waitFor({ state: "attached" });
  assert.ok(!(await part("page-only").isVisible()));
  await page.context().close();
});
