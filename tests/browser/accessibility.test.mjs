// What axe-core finds in every state of the demo and of the dialog, wide and narrow, light and dark: nothing,
// of WCAG 2.2's levels A and AA.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { askAndRead, BOX, harness, opened, openMap, openWay, watchedPage } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** All of a page is in sight: what the window's edge cuts would count as covered. */
const HEIGHT = 4000;
const LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-blank-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
const ELEMENT =
  '<pocketgraph-ask src="/bundle/" mode="dialog" model="off" suggestions="How does hybrid search ' +
  'work?"></pocketgraph-ask>';
writeFileSync(
  join(scratch, "index.html"),
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light ` +
    `dark"><title>A page</title><link rel="icon" href="data:,"><script type="module" ` +
    `src="/pkg/ask-element.js"></script><body><main><h1>A page</h1>${ELEMENT}</main></body></html>`,
);
const t = harness(({ site }) => site.mounts.set("/blank/", scratch));

/** What axe finds in the page as it stands, a line each. */
async function faults(page, state) {
  // What fades in has its colours when it is there.
  await page.waitForTimeout(300);
  if (!(await page.evaluate("Boolean(window.axe)"))) await page.evaluate(AXE);
  const { violations, passes } = await page.evaluate(
    (values) => window.axe.run(document, { runOnly: { type: "tag", values } }),
    LEVELS,
  );
  assert.ok(passes.length > 5, `${state}: axe looked at nothing`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, html, failureSummary }) =>
        `${state}: ${id} at ${target.flat().join(" ")}: ${failureSummary.replaceAll("\n", " ")} ` +
        `${html.slice(0, 200)}`,
    ),
  );
}

for (const width of [1280, 360]) {
  for (const colorScheme of ["light", "dark"]) {
    const where = `${width} px, ${colorScheme}`;

    test(`axe finds nothing wrong with the demo, ${where}`, async () => {
      t.site.faults.clear();
      const page = await watchedPage(t.browser, { viewport: { width, height: HEIGHT }, colorScheme });
      await page.goto(t.site.url);
      await opened(page);
      const found = await faults(page, "before a question");
      await page.fill(BOX, "hybrid sea");
      await page.locator("pocketgraph-ask [part=hit]").first().waitFor();
      found.push(...(await faults(page, "typing")));
      await askAndRead(page);
      found.push(...(await faults(page, "an answer")));
      await page.locator("pocketgraph-ask [part~=citation]").first().click();
      await page.locator("pocketgraph-ask dialog[open]").waitFor();
      found.push(...(await faults(page, "a passage")));
      await page.keyboard.press("Escape");
      await askAndRead(page, "which pages link to the protocols page?");
      await openWay(page);
      found.push(...(await faults(page, "the way to an answer")));
      await openMap(page);
      found.push(...(await faults(page, "the map")));
      await page.locator("#entities .answer-graph .ends button").first().click();
      await page.locator("#entities .entity h5").first().waitFor();
      found.push(...(await faults(page, "an entity")));
      await page.click("#settings-button");
      found.push(...(await faults(page, "settings")));
      await page.keyboard.press("Escape");
      await page.fill(BOX, "zzqxv wkjhg");
      await page.press(BOX, "Enter");
      await page.waitForFunction(
        () => window.heard.findLast(([type]) => type === "answer") && !window.part("hit"),
      );
      found.push(...(await faults(page, "nothing found")));
      assert.deepEqual(found, []);
      await page.context().close();
    });

    test(`axe finds nothing wrong with the dialog, ${where}`, async () => {
      t.site.faults.clear();
      const page = await watchedPage(t.browser, { viewport: { width, height: HEIGHT }, colorScheme });
      await page.goto(`${t.site.url}blank/index.html`);
      await page.locator("pocketgraph-ask [part=trigger]").waitFor();
      const found = await faults(page, "the button");
      await page.evaluate(() => document.querySelector("pocketgraph-ask").open());
      await page.locator("pocketgraph-ask dialog[open]").waitFor();
      found.push(...(await faults(page, "open")));
      await page.fill(BOX, "hybrid sea");
      await page.locator("pocketgraph-ask [part=hit]").first().waitFor();
      found.push(...(await faults(page, "typing")));
      await askAndRead(page);
      found.push(...(await faults(page, "an answer")));
      await page.evaluate(() => {
        history.replaceState(null, "", "/documents/hosting.html");
        const element = document.querySelector("pocketgraph-ask");
        element.mode = "panel";
        element.open();
      });
      await page.locator("pocketgraph-ask [part=dialog]").waitFor();
      await askAndRead(page);
      await page.locator("pocketgraph-ask [part=page-only]").click();
      await page.locator('pocketgraph-ask [part=answer][aria-busy="false"]').waitFor();
      found.push(...(await faults(page, "a panel")));
      await page.evaluate(() =>
        Object.assign(document.querySelector("pocketgraph-ask"), { mode: "dialog" }).open(),
      );
      // The bundle is there; what an answer reads is not.
      t.site.faults.set("/bundle/", { kind: "status", status: 503 });
      await page.evaluate(() =>
        document.querySelector("pocketgraph-ask").setAttribute("src", "/bundle/?anew"),
      );
      await page.fill(BOX, "what is a chunk?");
      await page.press(BOX, "Enter");
      await page.locator("pocketgraph-ask [part=retry]").waitFor();
      found.push(...(await faults(page, "a failure")));
      t.site.faults.clear();
      assert.deepEqual(found, []);
      await page.context().close();
    });
  }
}
