// One suite in three browsers: search, answer, passage, plan, map, use without a network, and the component,
// on the demo under its strict policy. A browser that is not installed is left out, and that is said; CI sets
// POCKETGRAPH_BROWSERS to those that must be there. With POCKETGRAPH_SHOTS, a folder, a picture of each at
// 1280 and 360 pixels is left there.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { serveSite } from "../browser/server.mjs";
import { BROWSERS } from "./drivers.mjs";

const QUESTION = "what is the difference between a keyword graph and a knowledge graph?";
const required = (process.env.POCKETGRAPH_BROWSERS ?? "").split(",").filter(Boolean);
const shots = process.env.POCKETGRAPH_SHOTS;
const here = fileURLToPath(new URL(".", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-browsers-"));
let site;

before(async () => {
  site = await serveSite(process.env.POCKETGRAPH_SITE, { cacheControl: "no-cache" });
  site.mounts.set("/suite/", here);
  mkdirSync(join(scratch, "docs"));
  writeFileSync(
    join(scratch, "docs", "page.md"),
    "# Night Ferry\n\nNight Ferry is a film about a crossing that never ends. It was shot in Bergen in the " +
      "autumn of 1997.\n",
  );
  const build = [
    "build",
    join(scratch, "docs"),
    "-o",
    join(scratch, "bundle"),
    "--kg",
    fileURLToPath(new URL("../data/films.tsv", import.meta.url)),
    "--no-runtime",
    "--no-cache",
  ];
  execFileSync(process.env.POCKETGRAPH_PROGRAM, build, { stdio: "pipe" });
  site.mounts.set("/films/", join(scratch, "bundle"));
});
after(async () => {
  await site?.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** Waits in the page until the script gives something true, and resolves to it. */
const until = (driver, script) =>
  driver.run(`const end = Date.now() + 60000;
    for (;;) {
      const found = (() => { ${script} })();
      if (found) return found;
      if (Date.now() > end) throw new Error(${JSON.stringify(`waited in vain for: ${script}`)});
      await new Promise((resolve) => setTimeout(resolve, 50));
    }`);

/** Part of the component, from the page. */
const part = (name) =>
  `document.querySelector("pocketgraph-ask").shadowRoot.querySelector('[part~="${name}"]')`;

for (const [name, { path, start }] of Object.entries(BROWSERS)) {
  const lacking = path === null && !required.includes(name) ? `${name} is not installed: left out` : false;
  if (lacking) console.log(`==> ${lacking}`);
  describe(name, { skip: lacking }, () => {
    let driver;
    before(async () => {
      assert.ok(path, `${name} must be here, and is not installed`);
      driver = await start(path);
    });
    after(() => driver?.close());

    const open = async () => {
      site.faults.clear();
      await driver.goto(`${site.url}suite/index.html`);
      await until(driver, "return Boolean(window.suite && customElements.get('pocketgraph-ask'))");
    };

    test("words find passages, and meaning finds them in other words", async () => {
      await open();
      const words = await driver.run("return window.suite.search('/bundle/', a)", QUESTION);
      assert.ok(words.hits.length > 0 && words.missing.length === 0, JSON.stringify(words).slice(0, 300));
      assert.match(words.hits[0].text, /keyword graph/i);
      const meaning = await driver.run(
        "return window.suite.search('/bundle/', a, { model: true })",
        QUESTION,
      );
      assert.equal(meaning.stage, "model");
      assert.ok(meaning.hits.some(({ text }) => /keyword graph/i.test(text)));
    });

    test("an answer is quoted from a passage that can be opened", async () => {
      await open();
      const { types, text, quote, passage } = await driver.run(
        "return window.suite.ask('/bundle/', a)",
        QUESTION,
      );
      assert.equal(types.at(-1), "done");
      assert.match(text, /\[1\]/);
      assert.ok(passage.includes(JSON.stringify(quote.slice(0, 30)).slice(1, -1)), passage.slice(0, 300));
    });

    test("a question of two hops is planned and carried out", async () => {
      await open();
      const { types, text, by } = await driver.run(
        "return window.suite.ask('/films/', a)",
        "who starred in films directed by Sidney Lumet?",
      );
      assert.ok(types.includes("plan") && types.includes("step"), types.join(" "));
      assert.equal(by, "graph");
      assert.match(text, /Al Pacino/);
    });

    test("the component has hits while one types, the answer on Enter, and the passage of a citation", async () => {
      await open();
      await driver.type(`return ${part("input")}`, QUESTION);
      await until(driver, `return Boolean(${part("hit")})`);
      await driver.type(`return ${part("input")}`, "\n");
      await until(driver, `return Boolean(${part("actions")})`);
      await driver.run(`${part("citation")}.click()`);
      await until(
        driver,
        `return Boolean(document.querySelector("pocketgraph-ask").shadowRoot.querySelector("dialog[open] mark"))`,
      );
    });

    test("the panel is at the side, and open on the next page with its answer, without the focus", async () => {
      await driver.size(1280, 900);
      await driver.goto(`${site.url}suite/panel.html`);
      await until(driver, `return Boolean(${part("dialog")})`);
      await driver.run(`${part("trigger")}.click()`);
      await until(driver, `return ${part("input")}.matches(":focus")`);
      await driver.type(`return ${part("input")}`, `${QUESTION}\n`);
      await until(driver, `return Boolean(${part("actions")})`);
      await driver.goto(`${site.url}suite/panel.html?next`);
      await until(driver, `return Boolean(${part("actions")})`);
      const seen = `const { x, width, height } = ${part("dialog")}.getBoundingClientRect();
        return [x > 0, Math.round(x + width) === document.documentElement.clientWidth, height === innerHeight]`;
      assert.deepEqual(await driver.run(seen), [true, true, true]);
      assert.equal(await driver.run("return document.activeElement.localName"), "body");
    });

    test("the parts stand where a page puts them, and take its button, headings and template", async () => {
      await driver.size(1280, 900);
      const of = (kind, name) =>
        `document.querySelector("pocketgraph-${kind}")?.shadowRoot?.querySelector('[part~="${name}"]')`;
      const headings =
        `return [...document.querySelectorAll("h2")].map((one) => ` + `one.getClientRects().length > 0)`;
      await driver.goto(`${site.url}suite/parts.html`);
      await until(driver, `return Boolean(${of("box", "input")})`);
      await until(driver, `return ${of("results", "hits")} && !${of("box", "hits")}`);
      assert.deepEqual(await driver.run(headings), [false, false]);
      await driver.type(`return ${of("box", "input")}`, QUESTION);
      await until(driver, `return Boolean(${of("results", "hit")})`);
      const order = `return [...${of("results", "hit")}.children].map((node) => node.getAttribute("part"))`;
      assert.deepEqual(await driver.run(order), ["hit-text", "hit-title"]);
      await driver.run(`document.querySelector("#own").click()`);
      await until(driver, `return Boolean(${of("answer", "actions")})`);
      assert.deepEqual(await driver.run(headings), [true, true]);
    });

    test("the demo answers, opens a passage and draws its map", async () => {
      await driver.size(1280, 900);
      await driver.goto(site.url);
      await until(driver, "return Boolean(document.querySelector('#facts').textContent)");
      await driver.type(`return ${part("input")}`, `${QUESTION}\n`);
      await until(driver, `return Boolean(${part("actions")} && ${part("citation")} && ${part("hit")})`);
      await driver.run("document.querySelector('#map > summary').click()");
      await until(driver, "return document.querySelectorAll('#graph svg g').length > 0");
      await shoot(1280);
      await driver.run(`${part("citation")}.click()`);
      await until(
        driver,
        `return Boolean(${part("passage")}?.open && ${part("passage")}.querySelector("mark"))`,
      );
      await driver.run(`${part("passage")}.close()`);
      // A passage on the map opens by the component too.
      await driver.run(
        "document.querySelector('#graph .node.chunk').dispatchEvent(new MouseEvent('click', { " +
          "bubbles: true }))",
      );
      await until(driver, `return Boolean(${part("passage")}?.open && ${part("passage-body")})`);
      await driver.run(`${part("passage")}.close()`);
      // And one of a statement in the knowledge graph.
      await until(driver, "return Boolean(document.querySelector('#entities .named button'))");
      await driver.run("document.querySelector('#entities .named button').click()");
      await until(driver, "return Boolean(document.querySelector('#entities .entity .passage'))");
      await driver.run("document.querySelector('#entities .entity .passage').click()");
      await until(driver, `return Boolean(${part("passage")}?.open && ${part("passage-body")})`);
      await driver.run(`${part("passage")}.close()`);
    });

    test("at 360 pixels nothing is wider than the page", async () => {
      // Windows of these browsers may not be so narrow: a frame may.
      const { policy } = site;
      site.policy = `${policy}; frame-src 'self'`;
      await driver.goto(`${site.url}suite/narrow.html`);
      site.policy = policy;
      const inFrame = (script) =>
        `const { contentDocument: document } = window.document.querySelector("iframe"); ${script}`;
      await until(
        driver,
        inFrame(
          "return Boolean(document.querySelector('pocketgraph-ask')?.shadowRoot?.querySelector('[part~=actions]'))",
        ),
      );
      const wide = await driver.run(inFrame("return document.documentElement.scrollWidth - 360"));
      assert.ok(wide <= 0, `${wide} pixels too wide`);
      await shoot(360);
    });

    test("what was kept answers when the server is gone", async () => {
      await open();
      const kept = await driver.run("return window.suite.keep('/films/')");
      assert.notEqual(kept.complete, false);
      await open();
      await driver.run("return window.suite.search('/films/', a)", "Bergen");
      await site.close();
      try {
        const { hits } = await driver.run(
          "return window.suite.search('/films/', a)",
          "where was Night Ferry shot?",
        );
        assert.match(hits[0].text, /Bergen/);
      } finally {
        await site.reopen();
      }
    });

    async function shoot(width) {
      if (!shots) return;
      mkdirSync(shots, { recursive: true });
      writeFileSync(join(shots, `${name}-${width}.png`), await driver.screenshot());
    }
  });
}
