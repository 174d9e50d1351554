// <pocketgraph-ask> over a manual in two languages: each page once, in the language of the question or of the
// page that the component stands in.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { newPage } from "./browser.mjs";
import { assertClean, harness } from "./harness.mjs";

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-translations-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

const PAGES = {
  "deploy.md":
    "# Deploy with Docker\n\nDocker builds the image of Tamarix and starts it on the server. The image " +
    "needs the port 8080.\n",
  "de/deploy.md":
    "# Tamarix mit Docker betreiben\n\nDocker baut das Image von Tamarix und startet es auf dem Server. " +
    "Das Image braucht den Port 8080, und der Server muss ihn öffnen.\n",
  "limits.md":
    "# Limits\n\nTamarix keeps at most forty sessions in memory, whatever Docker gives it. Older sessions " +
    "are closed first.\n",
};
for (const [path, text] of Object.entries(PAGES)) {
  mkdirSync(dirname(join(scratch, "docs", path)), { recursive: true });
  writeFileSync(join(scratch, "docs", path), text);
}
writeFileSync(
  join(scratch, "index.html"),
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><link rel="icon" ' +
    'href="data:,"><body></body></html>',
);

const t = harness(({ site }) => {
  execFileSync(
    process.env.POCKETGRAPH_PROGRAM,
    ["build", join(scratch, "docs"), "-o", join(scratch, "bundle"), "--no-runtime", "-q"],
    { stdio: "pipe" },
  );
  site.mounts.set("/manual/", scratch);
});

async function mounted(lang, attributes = {}) {
  const page = await newPage(t.browser);
  await page.goto(`${t.site.url}manual/index.html`);
  await page.evaluate(
    async ({ lang, attributes }) => {
      document.documentElement.lang = lang;
      await import("/pkg/ask-element.js");
      const element = document.createElement("pocketgraph-ask");
      for (const [name, value] of Object.entries({ src: "/manual/bundle/", recent: "off", ...attributes }))
        element.setAttribute(name, value);
      document.body.append(element);
    },
    { lang, attributes },
  );
  const element = page.locator("pocketgraph-ask");
  return { page, box: element.locator("[part=input]"), part: (name) => element.locator(`[part~="${name}"]`) };
}

test("a page in two languages is one hit in the page's own, and opens in the other", async () => {
  for (const [lang, title, other, otherName, otherText] of [
    ["de", "Tamarix mit Docker betreiben", "en", "English", "Docker builds the image"],
    ["en", "Deploy with Docker", "de", "Deutsch", "Docker baut das Image"],
  ]) {
    const { page, box, part } = await mounted(lang);
    await box.fill("Tamarix Docker 8080");
    const hit = part("hit").filter({ hasText: "8080" });
    await hit.first().waitFor();
    assert.equal(await hit.count(), 1, lang);
    assert.equal(await hit.locator('[part="hit-title"]').innerText(), title);
    assert.equal(await hit.getAttribute("lang"), lang);
    const button = hit.locator('[part="hit-translation"]');
    assert.deepEqual([await button.innerText(), await button.getAttribute("lang")], [otherName, other]);
    await button.click();
    const body = part("passage-body");
    await body.waitFor();
    assert.match(await body.innerText(), new RegExp(otherText));
    assert.equal(await body.getAttribute("lang"), other);
    await assertClean(page);
  }
});

test("what is shown in another language than the page's is marked as that, a hit and a quotation", async () => {
  const { page, box, part } = await mounted("de");
  await box.fill("Wie viele sessions behält Tamarix?");
  const limits = part("hit").filter({ hasText: "forty sessions" });
  await limits.first().waitFor();
  assert.equal(await limits.locator('[part="hit-languages"]').innerText(), "Englisch");
  await box.fill("How many sessions does Tamarix keep in memory?");
  await box.press("Enter");
  await part("answer-language").waitFor();
  assert.equal(await part("answer-language").innerText(), "Englisch");
  const quoted = part("answer-text").locator("p[lang=en]", { hasText: "forty sessions" });
  assert.equal(await quoted.count(), 1);
  await assertClean(page);
});

test("in a dialog, whose options hold no buttons, the other languages are named", async () => {
  const { page, part } = await mounted("en", { mode: "dialog" });
  await part("trigger").click();
  await page.keyboard.type("Tamarix Docker 8080");
  const names = part("hit").filter({ hasText: "8080" }).locator('[part="hit-languages"]');
  await names.first().waitFor();
  assert.equal(await names.innerText(), "Deutsch");
  assert.equal(await names.locator("button").count(), 0);
  await assertClean(page);
});
