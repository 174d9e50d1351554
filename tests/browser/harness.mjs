// What every test file starts with: the site, an LLM endpoint and a browser, opened before its tests and
// closed after them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, newPage } from "./browser.mjs";
import { serveLlm, serveSite, strictPolicy } from "./server.mjs";

/** The question that the demo is shown with. */
export const QUESTION = "what is the difference between a keyword graph and a knowledge graph?";

/** The component's parts on the demo page, as selectors of Playwright, which see into its shadow tree. */
export const part = (name) => `pocketgraph-ask [part~="${name}"]`;
export const BOX = part("input");
export const HIT = part("hit");
export const CITATION = part("citation");
/** A citation that can be opened. */
export const OPENS = `pocketgraph-ask :is(a, button)[part~="citation"]`;
export const SETTLED = `${part("answer")}[aria-busy="false"] [part="actions"]`;
export const PASSAGE = part("passage");

/** The folder with the built page: $POCKETGRAPH_SITE. */
function siteFolder() {
  const built = process.env.POCKETGRAPH_SITE;
  assert.ok(built, "Set POCKETGRAPH_SITE to the built page; `./build.sh test` does.");
  for (const part of [
    "index.html",
    "pkg/pocketgraph.js",
    "pkg/pocketgraph_wasm_bg.wasm",
    "pkg/pocketgraph_full_bg.wasm",
    "bundle/manifest.json",
  ]) {
    assert.ok(existsSync(join(built, part)), `POCKETGRAPH_SITE lacks ${part}`);
  }
  return built;
}

/**
 * Registers the hooks; what it returns is filled in before the first test, and given to `prepare` when it
 * is.
 */
export function harness(prepare) {
  const test = {};
  before(async () => {
    const folder = siteFolder();
    test.folder = folder;
    test.llm = await serveLlm();
    test.site = await serveSite(folder, { policy: strictPolicy(test.llm.origin) });
    test.browser = await launch();
    await prepare?.(test);
  });
  after(async () => {
    await test.browser?.close();
    await test.site?.close();
    await test.llm?.close();
  });
  /** A page at `path` of the site, ready for a question. */
  test.open = async ({ path = "", ...options } = {}) => {
    test.site.faults.clear();
    const page = await watchedPage(test.browser, options);
    await page.goto(test.site.url + path);
    await opened(page);
    return page;
  };
  /**
   * A page of the site's origin in which a test uses the package itself: `use(page, async ({ PocketGraph,
   * PocketGraphError }, argument) => …)`.
   */
  test.bare = async () => {
    test.site.faults.clear();
    const page = await newPage(test.browser);
    await page.goto(`${test.site.url}icon.svg`);
    return page;
  };
  return test;
}

/**
 * A page that notes what the component tells, in `heard`: `[type, stage or code or who answered]`. In it,
 * `part(name)` is the first such part of the component and `parts(name)` all of them.
 */
export async function watchedPage(browser, options) {
  const page = await newPage(browser, options);
  await page.addInitScript(() => {
    window.heard = [];
    for (const type of ["open", "result", "answer", "error", "clear"]) {
      document.addEventListener(`pocketgraph-${type}`, ({ detail }) =>
        window.heard.push([type, detail?.stage ?? detail?.code ?? detail?.by]),
      );
    }
    window.parts = (name) => [
      ...(document.querySelector("pocketgraph-ask")?.shadowRoot?.querySelectorAll(`[part~="${name}"]`) ?? []),
    ];
    window.part = (name) => window.parts(name)[0];
  });
  return page;
}

/** Waits until the demo has opened its bundle. */
export async function opened(page) {
  await page.locator("#facts:not(:empty)").waitFor();
}

/**
 * Builds a small graph of films beside one document of this text, and serves it at /films/; for `harness`. It
 * is removed after the tests.
 */
export function serveFilms(text) {
  const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-films-"));
  after(() => rmSync(scratch, { recursive: true, force: true }));
  return ({ site }) => {
    mkdirSync(join(scratch, "docs"));
    writeFileSync(join(scratch, "docs", "page.md"), text);
    const films = fileURLToPath(new URL("../data/films.tsv", import.meta.url));
    const build = [
      "build",
      join(scratch, "docs"),
      "-o",
      join(scratch, "bundle"),
      "--kg",
      films,
      "--no-runtime",
      "--no-cache",
    ];
    execFileSync(process.env.POCKETGRAPH_PROGRAM, build, { stdio: "pipe" });
    site.mounts.set("/films/", join(scratch, "bundle"));
  };
}

/**
 * Runs `body(package, argument)` in the page. A PocketGraphError it throws comes back as { code, message }.
 */
export function use(page, body, argument) {
  const source = `(async (argument) => {
    const pkg = await import("/pkg/pocketgraph.js");
    try { return await (${body})(pkg, argument); }
    catch (error) { if (error instanceof pkg.PocketGraphError) return { code: error.code, message: error.message }; throw error; }
  })(${JSON.stringify(argument ?? null)})`;
  return page.evaluate(source);
}

/** Types a question and presses Enter. */
export async function ask(page, question = QUESTION) {
  await page.fill(BOX, question);
  await page.press(BOX, "Enter");
}

/** Waits until there are hits; says what the page shows where none come. */
export async function hitsShown(page) {
  await page
    .locator(HIT)
    .first()
    .waitFor()
    .catch(async ({ message }) => {
      const shown = await page.evaluate(() => {
        const { shadowRoot } = document.querySelector("pocketgraph-ask") ?? {};
        const dialogs = [
          ...document.querySelectorAll("dialog[open]"),
          ...(shadowRoot?.querySelectorAll("dialog[open]") ?? []),
        ];
        return [
          location.href,
          JSON.stringify(window.heard),
          shadowRoot?.querySelector("input")?.value,
          dialogs.length,
          shadowRoot?.textContent,
        ].join("\n");
      });
      throw new Error(`${message}\n${shown}`);
    });
}

/** Asks, and waits for the quoted answer. */
export async function askAndRead(page, question = QUESTION) {
  await ask(page, question);
  await page
    .locator(`${part("answer")}[aria-busy="false"] [part~="citation"]`)
    .first()
    .waitFor();
}

/** Waits until the page's hits are ranked by the model, and its quoted answer was chosen anew. */
export async function modelReady(page) {
  await page.waitForFunction(
    () => window.heard.findLast(([type]) => type === "result")?.[1] === "model",
    null,
    { timeout: 60_000 },
  );
  await page.waitForFunction(
    () => window.part("answer").ariaBusy !== "true" && window.part("answer-text")?.ariaBusy !== "true",
  );
}

/** Waits until a language model has written, and the answer is whole. */
export async function written(page, timeout = 40_000) {
  await page.waitForFunction(
    () =>
      window.part("answer").ariaBusy !== "true" &&
      window.parts("answer-note").some((note) => /^Written by a language model/.test(note.textContent)),
    null,
    { timeout },
  );
}

/** Unfolds the map of the question. */
export async function openMap(page) {
  await page.locator("#map:not([open]) > summary").click();
  await page.locator("#graph svg .node").first().waitFor();
}

/** Unfolds how the answer was found. */
export async function openWay(page) {
  await page.locator(`${part("way")}:not([open]) > summary`).click();
}

/** Names the LLM endpoint in the settings. */
export async function useLlm(page, llm, { key = "", protocol = "", planner = "auto" } = {}) {
  await page.click("#settings-button");
  await page.fill("#llm-url", llm.url);
  await page.fill("#llm-model", "small-model");
  await page.fill("#llm-key", key);
  await page.selectOption("#llm-protocol", protocol);
  await page.selectOption("#llm-planner", planner);
  await page.click("#settings button[type=submit]");
  await page.locator("#settings").waitFor({ state: "hidden" });
}

/**
 * No policy violation, no console error, no uncaught exception. `except` passes over messages that the test
 * itself provoked.
 */
export async function assertClean(page, except = /(?!)/) {
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  assert.deepEqual(
    page.complaints.filter((complaint) => !except.test(complaint)),
    [],
  );
}

/** Chromium's own line about a failed request: expected where a test makes requests fail. */
export const FAILED_LOAD = /Failed to load resource|net::ERR_/;

/** The address of the file that has the section `name` of a site's bundle in it, perhaps with others. */
export function fileOf(site, name) {
  const { sections, packs } = JSON.parse(
    readFileSync(join(site, "bundle/manifest.json"), "utf8"),
  ).pocketgraph;
  const { file } = sections.find((section) => section.name === name);
  const pack = packs.find(({ holds }) =>
    holds.some(([held]) => held === file || held.startsWith(`${name}/`)),
  );
  return `/bundle/${pack?.file ?? file}`;
}
