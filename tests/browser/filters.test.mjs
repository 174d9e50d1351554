// <pocketgraph-ask> over documents of several versions and languages: which of them are searched, as the page
// says and as the reader chooses.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { newPage } from "./browser.mjs";
import { assertClean, harness } from "./harness.mjs";

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-filters-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

function write(path, text) {
  mkdirSync(dirname(join(scratch, "docs", path)), { recursive: true });
  writeFileSync(join(scratch, "docs", path), text);
}

for (const version of ["1.0", "2.0"]) {
  for (const page of ["install", "network", "backup"])
    write(
      `${version}/guides/${page}.md`,
      `# The ${page} of version ${version}\n\nVersion ${version} has its ${page} set in the file ` +
        `${page}.toml, and listens to the harbour.\n`,
    );
  write(
    `${version}/reference/options.md`,
    `# Options of version ${version}\n\nThe option \`--harbour\` of version ${version} names the harbour.\n`,
  );
}
for (const [page, author, date, price] of [
  ["anchor", "Ann", "2023-02-01", 9.5],
  ["buoy", "Bob", "2024-05-01", 12],
  ["chart", "Ann", "2024-06-01", 30],
]) {
  write(
    `goods/${page}.md`,
    `---\nauthor: ${author}\ndate: ${date}\nprice: ${price}\n---\n# The ${page}\n\nThe seamark of a ` +
      `${page} is painted.\n`,
  );
}
for (const [version, seconds] of [
  ["1.0", 30],
  ["2.0", 60],
])
  write(
    `${version}/reference/timeout.md`,
    `# Timeout\n\nThe default of the timeout is ${seconds} seconds.\n`,
  );
for (const page of ["installieren", "sichern"])
  write(
    `de/${page}.md`,
    `# Das Programm ${page}\n\nWie man das Programm ${page} kann, steht in der Anleitung, die im Ordner ` +
      `liegt und von allen gelesen werden darf. Der harbour heißt auf Deutsch Hafen.\n`,
  );
writeFileSync(
  join(scratch, "index.html"),
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><link rel="icon" ' +
    'href="data:,"><body></body></html>',
);
for (const version of ["1.0", "2.0"])
  (mkdirSync(join(scratch, version)),
    copyFileSync(join(scratch, "index.html"), join(scratch, version, "index.html")));

const t = harness(({ site }) => {
  execFileSync(
    process.env.POCKETGRAPH_PROGRAM,
    ["build", join(scratch, "docs"), "-o", join(scratch, "bundle"), "--no-runtime", "-q"],
    { stdio: "pipe" },
  );
  site.mounts.set("/editions/", scratch);
});

async function mounted(attributes = {}, { lang = "en", at = "index.html" } = {}) {
  const page = await newPage(t.browser);
  await page.goto(`${t.site.url}editions/${at}`);
  await page.evaluate(
    async ({ attributes, lang }) => {
      document.documentElement.lang = lang;
      window.results = [];
      window.chosen = [];
      document.addEventListener("pocketgraph-result", ({ detail }) =>
        window.results.push(detail.hits.map(({ url }) => url)),
      );
      document.addEventListener("pocketgraph-filter", ({ detail }) => window.chosen.push(detail));
      await import("/pkg/ask-element.js");
      const element = document.createElement("pocketgraph-ask");
      for (const [name, value] of Object.entries({ src: "/editions/bundle/", recent: "off", ...attributes }))
        element.setAttribute(name, value);
      document.body.append(element);
    },
    { attributes, lang },
  );
  const element = page.locator("pocketgraph-ask");
  const select = (kind) => element.locator(`select[data-kind=${kind}]`);
  return {
    page,
    element,
    select,
    box: element.locator("[part=input]"),
    part: (name) => element.locator(`[part~="${name}"]`),
  };
}

const lastHits = (page) => page.evaluate(() => window.results.at(-1) ?? []);
const only = async (page, prefix) => {
  await page.waitForFunction(
    (prefix) =>
      window.results.at(-1)?.length > 0 && window.results.at(-1).every((url) => url.startsWith(prefix)),
    prefix,
  );
};

test("a reader chooses a version by keyboard, and what was typed is searched in that one", async () => {
  const { page, select, box, part } = await mounted();
  await box.fill("harbour");
  await select("version").waitFor();
  assert.ok(new Set((await lastHits(page)).map((url) => url.split("/")[0])).size > 1);
  assert.deepEqual(await select("version").locator("option").allTextContents(), [
    "Version: all",
    "No version",
    "2.0",
    "1.0",
  ]);
  assert.deepEqual(await select("language").locator("option").allTextContents(), [
    "Language: all",
    "German",
    "English",
  ]);
  await select("version").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await only(page, "2.0/");
  assert.deepEqual(await page.evaluate(() => window.chosen.at(-1)), { version: "2.0" });
  await box.press("Enter");
  await part("actions").waitFor();
  await only(page, "2.0/");
  const cited = await part("citation").evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""));
  assert.ok(
    cited.every((href) => href.includes("2.0/")),
    cited.join(" "),
  );
  // All again, of the question that was asked.
  await select("version").selectOption("all");
  await page.waitForFunction(() => new Set(window.results.at(-1).map((url) => url.split("/")[0])).size > 1);
  await assertClean(page);
  await page.context().close();
});

test("the version of the page that the reader is on answers first", async () => {
  for (const [version, first] of [
    ["1.0", "30 seconds"],
    ["2.0", "60 seconds"],
  ]) {
    const { page, box, part } = await mounted({}, { at: `${version}/index.html` });
    await box.fill("What is the default of the timeout?");
    await box.press("Enter");
    await part("actions").waitFor();
    const [quoted] = await part("answer-text").allTextContents();
    assert.match(quoted, new RegExp(`^[^]*?is ${first}`));
    await page.context().close();
  }
});

test("what the model ranks anew of all documents does not replace what was chosen meanwhile", async () => {
  const { page, element, box } = await mounted();
  await page.evaluate(async () => {
    const { PocketGraph } = await import("/pkg/pocketgraph.js");
    const search = PocketGraph.prototype.search;
    PocketGraph.prototype.search = async function (question, options) {
      const result = await search.call(this, question, options);
      // Only ranking anew cannot be aborted.
      if (options.signal || options.filter.version) return result;
      window.anew = "on its way";
      await new Promise((resolve) => setTimeout(resolve, 800));
      window.anew = "there";
      return result;
    };
  });
  await box.fill("harbour");
  await page.waitForFunction(() => window.anew === "on its way");
  await element.evaluate((node) => {
    node.filter = { version: "2.0" };
  });
  await only(page, "2.0/");
  await page.waitForFunction(() => window.anew === "there");
  await page.waitForTimeout(200);
  await only(page, "2.0/");
  assert.ok((await lastHits(page)).every((url) => url.startsWith("2.0/")));
  await page.context().close();
});

test("the selects have names, and say them in the page's language", async () => {
  const { page, select, box, element } = await mounted({}, { lang: "de" });
  await box.fill("harbour");
  await select("version").waitFor();
  assert.deepEqual(await select("language").locator("option").allTextContents(), [
    "Sprache: alle",
    "Deutsch",
    "Englisch",
  ]);
  await element.getByRole("combobox", { name: "Version" }).waitFor();
  await element.getByRole("group", { name: "Filter" }).waitFor();
  await page.context().close();
});

test("a page names what is searched, and the reader may still choose, or not", async () => {
  const { page, select, box } = await mounted({ filter: "version=1.0 folder=1.0/guides" });
  await box.fill("harbour");
  await only(page, "1.0/guides/");
  await select("version").waitFor();
  assert.equal(await select("version").inputValue(), "=1.0");
  await page.evaluate(() => (document.querySelector("pocketgraph-ask").filter = { language: "de" }));
  await only(page, "de/");
  assert.equal(await select("language").inputValue(), "=de");
  await page.evaluate(() => document.querySelector("pocketgraph-ask").setAttribute("filters", "off"));
  await select("version").waitFor({ state: "detached" });
  await only(page, "de/");
  await page.context().close();
});

test("where there is no choice none is offered, and a wrong filter is told", async () => {
  const { page, part, box } = await mounted({ src: "/bundle/" });
  await box.fill("hybrid");
  await part("hit").first().waitFor();
  await page.waitForTimeout(500);
  assert.equal(await part("filter").filter({ visible: true }).count(), 0);
  await page.evaluate(() => (document.querySelector("pocketgraph-ask").filter = { colour: "red" }));
  await part("error").filter({ visible: true }).waitFor();
  await page.context().close();
});

test("a reader chooses by the own fields that the page names, and sorts by them", async () => {
  const { page, element, select, box } = await mounted({ fields: "author price date colour" });
  await box.fill("seamark");
  const pages = (...names) =>
    page.waitForFunction(
      (names) =>
        JSON.stringify(
          window.results
            .at(-1)
            ?.map((url) => url.match(/[a-z]+(?=\.html)/)[0])
            .filter((name) => names.all.includes(name)),
        ) === JSON.stringify(names.wanted),
      { all: ["anchor", "buoy", "chart"], wanted: names },
    );
  const field = (name) => element.locator(`[data-field=${name}]`);
  await field("author").locator("summary").click();
  assert.deepEqual(
    await element.locator("[data-field]").evaluateAll((all) => all.map((one) => one.dataset.field)),
    ["author", "price", "date"],
  );
  await field("author").getByLabel("Ann (2)").check();
  await select("sort").selectOption("=-price");
  await pages("chart", "anchor");
  assert.deepEqual(await page.evaluate(() => window.chosen.at(-1)), {
    fields: ["author=Ann"],
    sort: "-price",
  });
  await field("date").locator("summary").click();
  await field("date").getByLabel("from").fill("2024-01-01");
  await field("date").getByLabel("from").blur();
  await pages("chart");
  await field("author").getByLabel("Ann (2)").uncheck();
  await pages("chart", "buoy");
  await select("sort").selectOption("all");
  await field("price").locator("summary").click();
  await field("price").getByLabel("to").fill("20");
  await field("price").getByLabel("to").blur();
  await pages("buoy");
  await assertClean(page);
  await page.context().close();
});

test("the page's own filter by a field is shown as chosen, and JavaScript lists the fields", async () => {
  const { page, element, box } = await mounted({ fields: "author", filter: "author=Bob" });
  await box.fill("seamark");
  await page.waitForFunction(
    () => window.results.at(-1)?.length === 1 && window.results.at(-1)[0].includes("buoy"),
  );
  assert.equal(await element.locator("[data-field=author]").getAttribute("data-chosen"), "true");
  const fields = await page.evaluate(() => document.querySelector("pocketgraph-ask").graph.fields());
  assert.deepEqual(
    fields.map(({ name, kind }) => `${name} ${kind}`),
    ["author word", "date date", "price number"],
  );
  assert.deepEqual(fields[0].values, [
    { value: "Ann", documents: 2 },
    { value: "Bob", documents: 1 },
  ]);
  await page.context().close();
});
