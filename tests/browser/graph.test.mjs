// The knowledge graph beside the demo's map: what an answer rests on, and the browser of entities.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ask, assertClean, harness, openMap, opened, part, watchedPage } from "./harness.mjs";

const LINKS = "which pages link to the protocols page?";
const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-graph-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Names that run script or load something where they are taken for markup. */
const HOSTILE = [
  `<img src=x onerror="ran(1)">`,
  `"><svg/onload="ran(2)">`,
  `<script>ran(3)</script>`,
  `<a href="javascript:ran(4)">Anna</a>`,
  `</title></style><iframe srcdoc="<script>parent.ran(5)</script>"></iframe>`,
];

const t = harness(({ site }) => {
  mkdirSync(join(scratch, "docs"));
  writeFileSync(join(scratch, "docs", "film.md"), "# Heat\n\nHeat is a film that Michael Mann directed.\n");
  const lines = HOSTILE.flatMap((name) => [
    `Heat\tfilm\tdirected_by\t${name}\tperson`,
    `${name}\t${name}\t${name}\tHeat\tfilm`,
  ]);
  writeFileSync(
    join(scratch, "graph.tsv"),
    ["head\thead-type\trelation\ttail\ttail-type", ...lines, ""].join("\n"),
  );
  const options = ["--kg", join(scratch, "graph.tsv"), "--no-runtime", "--no-cache"];
  const build = ["build", join(scratch, "docs"), "-o", join(scratch, "bundle"), ...options];
  execFileSync(process.env.POCKETGRAPH_PROGRAM, build, { stdio: "pipe" });
  site.mounts.set("/hostile-graph/", join(scratch, "bundle"));
});

/** Asks, waits for the answer, and unfolds the map. */
async function mapped(page, question = LINKS) {
  await ask(page, question);
  await page.locator(`${part("answer")}[aria-busy="false"] [part="actions"]`).waitFor();
  await openMap(page);
}

const inside = (page, selector) => page.locator(`#entities ${selector}`);
const texts = (locator) => locator.evaluateAll((nodes) => nodes.map((node) => node.textContent.trim()));
const focused = (page) =>
  page.evaluate(() => [document.activeElement.localName, document.activeElement.textContent.trim()]);

async function find(page, name) {
  await page.fill("#entity-name", name);
  await page.press("#entity-name", "Enter");
}

test("what an answer rests on is there as a picture and as a list, and each statement leads to its passage", async () => {
  const page = await t.open();
  await mapped(page);
  await inside(page, ".answer-picture svg .node").first().waitFor();
  const answers = await page.evaluate(() => window.part("answer-text").textContent);
  const drawn = await texts(inside(page, ".answer-picture .node.answer title"));
  assert.ok(drawn.length >= 3 && drawn.every((name) => answers.includes(name.split(" · ")[0])), drawn.join());
  const labels = await texts(inside(page, ".answer-picture .label"));
  assert.ok(
    labels.every((label) => label === "← links to"),
    labels.join(),
  );
  const listed = await texts(inside(page, ".answer-graph .statements .ends"));
  assert.equal(listed.length, drawn.length);
  assert.ok(
    listed.every((line) => line.endsWith(" links to Protocols")),
    listed.join("; "),
  );
  for (let at = 0; at < listed.length; at++) {
    await inside(page, ".answer-graph .passage").nth(at).click();
    await page.locator(part("passage-body")).waitFor();
    const shown = `${await page.locator(part("passage")).innerText()}`;
    assert.match(shown, /protocol/i);
    assert.ok(shown.includes(listed[at].split(" links to")[0]), `${listed[at]}: ${shown.slice(0, 80)}`);
    await page.keyboard.press("Escape");
    assert.deepEqual((await focused(page))[1], "Passage");
  }
  await assertClean(page);
  await page.context().close();
});

test("entities are found, opened and followed by keyboard alone, from the picture as well", async () => {
  const page = await t.open();
  await mapped(page);
  const node = inside(page, ".answer-picture .node.start");
  await node.focus();
  await page.keyboard.press("Enter");
  await inside(page, ".entity h4").waitFor();
  assert.deepEqual(await focused(page), ["h4", "Protocols"]);
  assert.deepEqual((await texts(inside(page, ".entity h5"))).sort(), [
    "contains",
    "is a",
    "links to",
    "… links to Protocols",
  ]);
  // The longest list is shown in part; the keys go on where the rest begins.
  const more = inside(page, ".entity button.more").first();
  const before = await inside(page, ".entity .statements li").count();
  await more.focus();
  await page.keyboard.press("Enter");
  assert.ok((await inside(page, ".entity .statements li").count()) > before);
  assert.equal((await focused(page))[0], "button");
  await inside(page, ".entity .ends button")
    .filter({ hasText: /^Plans$/ })
    .focus();
  await page.keyboard.press("Enter");
  await inside(page, ".entity h4")
    .filter({ hasText: /^Plans$/ })
    .waitFor();
  assert.deepEqual(await focused(page), ["h4", "Plans"]);
  await inside(page, ".types button").first().focus();
  await page.keyboard.press("Enter");
  await inside(page, ".entity h4")
    .filter({ hasText: /^page \(\d+\)$/ })
    .waitFor();
  assert.ok((await texts(inside(page, ".entity .entities button"))).includes("Protocols"));
  await inside(page, ".back").focus();
  await page.keyboard.press("Enter");
  await inside(page, ".entity h4")
    .filter({ hasText: /^Plans$/ })
    .waitFor();
  await inside(page, ".back").focus();
  await page.keyboard.press("Enter");
  await inside(page, ".entity h4")
    .filter({ hasText: /^Protocols$/ })
    .waitFor();
  await inside(page, ".entity .close").focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "entity-name");
  await find(page, "glossary");
  const found = inside(page, ".found button").filter({ hasText: /^Glossary$/ });
  await found.waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await inside(page, ".entity h4")
    .filter({ hasText: /^Glossary$/ })
    .waitFor();
  await find(page, "zzqxv");
  await inside(page, ".found").getByText("The graph knows nothing by the name “zzqxv”.").waitFor();
  await assertClean(page);
  await page.context().close();
});

test("an answer that is quoted shows what its question names, and another question clears it all", async () => {
  const page = await t.open();
  await mapped(page, "How does hybrid search work?");
  await inside(page, ".named button")
    .filter({ hasText: /^hybrid$/ })
    .click();
  await inside(page, ".entity h5").first().waitFor();
  assert.equal(await inside(page, ".answer-picture").count(), 0);
  await page.fill("pocketgraph-ask [part=input]", "what is a chunk?");
  await inside(page, ".entity h4").waitFor({ state: "detached" });
  assert.equal(await inside(page, ".named button").count(), 0);
  await page.context().close();
});

test("a page whose map stays folded asks the graph nothing", async () => {
  const page = await t.open();
  await page.fill("pocketgraph-ask [part=input]", "hybrid");
  await page.locator("pocketgraph-ask [part=hit]").first().waitFor();
  await page.waitForTimeout(500);
  const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  assert.ok(!loaded.some((name) => /entity-panel|pocketgraph_full/.test(name)), loaded.join(" "));
  await page.context().close();
});

test("names of entities, types and relations are text wherever they are shown", async () => {
  t.site.faults.clear();
  const page = await watchedPage(t.browser, { viewport: { width: 1280, height: 1000 } });
  await page.addInitScript(() => {
    window.runs = [];
    window.ran = (which) => window.runs.push(which);
  });
  await page.goto(`${t.site.url}?bundle=/hostile-graph/`);
  await opened(page);
  await ask(page, "who directed Heat?");
  await page.locator(`${part("answer")}[aria-busy="false"] [part="actions"]`).waitFor();
  await page.locator("#map:not([open]) > summary").click();
  await find(page, "Heat");
  await inside(page, ".found button").first().click();
  await inside(page, ".entity h4").waitFor();
  const listed = await texts(inside(page, ".entity .ends"));
  for (const name of HOSTILE) assert.ok(listed.includes(name), `${name} in ${listed.join(" | ")}`);
  for (const name of HOSTILE) {
    await find(page, name);
    const found = inside(page, ".found button").filter({ hasText: name }).first();
    await found.click();
    await inside(page, ".entity h4").filter({ hasText: name }).waitFor();
    const type = inside(page, ".types button").first();
    if (await type.isVisible()) {
      await type.click();
      await inside(page, ".entity .entities").waitFor();
    }
  }
  await page.waitForTimeout(300);
  assert.deepEqual(await page.evaluate(() => window.runs), []);
  const strange = "#entities :is(img, script, iframe, a, svg:not(.answer-picture svg), [onload], [onerror])";
  assert.equal(await page.locator(strange).count(), 0);
  await assertClean(page);
  await page.context().close();
});

for (const [width, zoom] of [
  [360, 1],
  [1280, 2],
]) {
  test(`nothing of the graph is wider than the page, at ${width} px and a zoom of ${zoom}`, async () => {
    const viewport = { width: width / zoom, height: 900 };
    const page = await t.open({ viewport, deviceScaleFactor: zoom });
    await mapped(page);
    await inside(page, ".answer-graph .ends button").last().click();
    await inside(page, ".entity h5").first().waitFor();
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide[0] <= wide[1], wide.join(" "));
    await page.context().close();
  });
}
