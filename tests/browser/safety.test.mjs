// What hostile text, addresses and scripts can not do.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ask, askAndRead, assertClean, harness, HIT, openMap, part, useLlm, written } from "./harness.mjs";

const t = harness();
beforeEach(() => {
  Object.assign(t.llm, { behaviour: "stream", text: "", bears: true });
  t.llm.requests.length = 0;
});

const ATTACKS = [
  `<img src=x onerror="window.hacked=1">`,
  `"><svg/onload=window.hacked=1>`,
  `<script>window.hacked=1</script>`,
  `[click](javascript:window.hacked=1)`,
  `\${window.hacked=1}{{constructor.constructor('window.hacked=1')()}}`,
];

test("markup in a question stays text", async () => {
  const page = await t.open();
  for (const attack of ATTACKS) {
    await ask(page, `${attack} keyword graph`);
    await page.locator(HIT).first().waitFor();
    if (attack === ATTACKS[0]) await openMap(page);
    await page
      .locator("#graph .node.question title", { hasText: attack.slice(0, 12) })
      .waitFor({ state: "attached" });
  }
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("main :is(img, script, a[href^='javascript'])").count(), 0);
  await assertClean(page);
  await page.context().close();
});

test("markup in what an LLM writes stays text", async () => {
  const page = await t.open();
  await useLlm(page, t.llm);
  t.llm.text =
    `${ATTACKS.join("\n\n")}\n\n- \`<b>code</b>\`\n- ` +
    `**<i>bold</i>**\n\n\`\`\`\n<script>window.hacked=2</script>\n\`\`\`\n\nEnd [1].`;
  await ask(page);
  await written(page);
  const text = await page.locator(part("answer-text")).innerText();
  for (const attack of ATTACKS) assert.ok(text.includes(attack.slice(0, 20)), `${attack} is shown as it is`);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(
    await page
      .locator(`${part("answer-text")} :is(img, svg, script, a:not([part~="citation"]), i, b, style, iframe)`)
      .count(),
    0,
  );
  await assertClean(page);
  await page.context().close();
});

test("addresses from documents lead only to http and https", async () => {
  const page = await t.open();
  await askAndRead(page);
  const schemes = await page.evaluate(async () => {
    const { safeUrl } = await import("/pkg/render.js");
    return [
      "javascript:alert(1)",
      " java\nscript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
      "blob:x",
      "http://[",
      "guide.html#a",
      "https://example.org/",
    ].map((url) => safeUrl(url));
  });
  assert.deepEqual(schemes.slice(0, 7), [null, null, null, null, null, null, null]);
  assert.equal(schemes[7], `${t.site.url}guide.html#a`);
  assert.equal(schemes[8], "https://example.org/");
  const links = await page.locator("main a[href]").evaluateAll((all) => all.map((a) => a.protocol));
  assert.ok(links.every((protocol) => /^https?:$/.test(protocol)));
  await page.context().close();
});

test("the page's own policy refuses inline scripts, eval and foreign scripts", async () => {
  const page = await t.open();
  const outcome = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "window.hacked = 1";
    document.body.append(script);
    const node = document.createElement("div");
    node.setAttribute("onclick", "window.hacked = 1");
    document.body.append(node);
    node.click();
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { hacked: window.hacked, violations: window.violations.length };
  });
  assert.equal(outcome.hacked, undefined);
  assert.ok(outcome.violations >= 2);
  const meta = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
  const script = /script-src ([^;]+)/.exec(meta)[1];
  assert.equal(script, "'self' 'wasm-unsafe-eval'");
  assert.ok(!/unsafe-inline|blob:/.test(meta));
  await page.context().close();
});

test("the key is in no storage, no cookie, no address, and gone after a reload", async () => {
  const page = await t.open();
  await useLlm(page, t.llm, { key: "secret-key-2" });
  t.llm.text = "Yes [1].";
  await ask(page);
  await written(page);
  const traces = await page.evaluate(() =>
    JSON.stringify([
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      location.href,
      history.state,
      document.documentElement.outerHTML,
    ]),
  );
  assert.ok(!traces.includes("secret-key-2"));
  assert.equal(await page.inputValue("#llm-key"), "");
  assert.deepEqual(
    await page.evaluate(() => indexedDB.databases().then((all) => all.map(({ name }) => name))),
    [],
  );
  assert.ok(t.site.requests.every((path) => !path.includes("secret-key-2")));
  await page.reload();
  await page.locator(HIT).first().waitFor();
  assert.match(await page.locator("#settings-button").innerText(), /quoted/);
  await page.context().close();
});

test("a name of a bundle that is no address is not found, as one that nothing is at", async () => {
  const shown = [];
  for (const name of ["/nothing/", "http://[", "https://%"]) {
    const page = await t.bare();
    await page.goto(`${t.site.url}?bundle=${encodeURIComponent(name)}`);
    const trouble = page.locator(part("error"));
    await trouble.waitFor();
    shown.push(await trouble.innerText());
    await page.context().close();
  }
  assert.match(shown[0], /\S/);
  assert.deepEqual(
    shown,
    shown.map(() => shown[0]),
  );
});

test("a bundle on another host is not opened", async () => {
  const page = await t.open({ path: `?bundle=${encodeURIComponent(`${t.llm.origin}/bundle/`)}` });
  await askAndRead(page);
  assert.equal(t.llm.requests.length, 0);
  await assertClean(page);
  await page.context().close();
});
