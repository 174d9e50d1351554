// Keyboard, small screens, light and dark: that everyone can read it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { askAndRead, assertClean, harness, QUESTION } from "./harness.mjs";

const t = harness();

const focused = (page) => page.evaluate(() => ({ id: document.activeElement.id, text: document.activeElement.textContent, kind: document.activeElement.getAttribute("class") ?? "" }));

test("everything can be done with the keyboard alone", async () => {
  const page = await t.open();
  await page.keyboard.press("/");
  assert.equal((await focused(page)).id, "question");
  await page.keyboard.type(QUESTION);
  await page.keyboard.press("Enter");
  await page.locator('#answer[aria-busy="false"] .cite').first().waitFor();
  await page.locator('#stages li[data-stage="model"][aria-current="step"]').waitFor({ timeout: 60_000 });
  await page.locator("#graph .node.keyword").first().waitFor();

  await page.keyboard.press("ArrowDown");
  assert.match((await focused(page)).kind, /hit-title/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.locator("#passage .passage-body").waitFor();
  await page.keyboard.press("Escape");
  assert.match((await focused(page)).kind, /hit-title/);
  await page.keyboard.press("ArrowUp");
  assert.equal((await focused(page)).id, "question");

  // Tab reaches a citation, then the map as one stop; arrows walk in it.
  const reach = async (what) => {
    for (let i = 0; i < 150; i++) {
      await page.keyboard.press("Tab");
      if (what.test((await focused(page)).kind)) return;
    }
    assert.fail(`Tab never reached ${what}`);
  };
  await reach(/^cite/);
  await page.keyboard.press("Enter");
  await page.locator("#passage mark").first().waitFor();
  await page.keyboard.press("Escape");
  await reach(/^node/);
  const first = await page.evaluate(() => document.activeElement.dataset.id);
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await page.evaluate(() => document.activeElement.dataset.id), first);
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await page.locator("#keyword h3").waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.locator("#passage .passage-body").waitFor();
  await page.keyboard.press("Escape");
  await assertClean(page);
  await page.context().close();
});

test("the focus can be seen wherever it is", async () => {
  const page = await t.open();
  await askAndRead(page);
  await page.locator("#graph .node.keyword").first().waitFor();
  const invisible = [];
  await page.locator("#question").focus();
  for (let i = 0; i < 25; i++) {
    await page.keyboard.press("Tab");
    const seen = await page.evaluate(() => {
      const node = document.activeElement;
      if (node === document.body) return true;
      if (node.matches(".node")) return getComputedStyle(node.querySelector("rect, circle:not(.reach)")).strokeWidth === "3px";
      const style = getComputedStyle(node);
      return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    });
    if (!seen) invisible.push(await focused(page));
  }
  assert.deepEqual(invisible, []);
  await page.context().close();
});

for (const width of [360, 768]) {
  test(`at ${width} pixels nothing scrolls sideways`, async () => {
    const page = await t.open({ viewport: { width, height: 740 } });
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(await fits(), "at the start");
    await askAndRead(page);
    await page.locator("#graph .node.keyword").first().waitFor();
    assert.ok(await fits(), "with results");
    await page.locator("#graph .node.keyword").first().click();
    await page.locator("#keyword h3").waitFor();
    assert.ok(await fits(), "with a keyword open");
    await page.locator("#answer button.cite").first().click();
    await page.locator("#passage mark").first().waitFor();
    assert.ok(await page.evaluate(() => document.querySelector("#passage").scrollWidth <= innerWidth), "the passage");
    await page.keyboard.press("Escape");
    await page.click("#settings-button");
    assert.ok(await page.evaluate(() => document.querySelector("#settings").scrollWidth <= innerWidth), "the settings");
    await page.context().close();
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`text has the contrast that WCAG AA asks for (${colorScheme})`, async () => {
    const page = await t.open({ colorScheme });
    await askAndRead(page);
    await page.locator("#graph .node.keyword").first().click();
    await page.locator("#keyword h3").waitFor();
    const poor = await page.evaluate(() => {
      const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
      const rgba = (color) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
      };
      const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
      const behind = (node) => {
        for (let at = node; at; at = at.parentElement) {
          const color = rgba(getComputedStyle(at).backgroundColor);
          if (color[3] > 250) return color;
        }
        return [255, 255, 255, 255];
      };
      const found = [];
      for (const node of document.querySelectorAll("body *:not(svg *)")) {
        const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
        if (!own || !node.checkVisibility() || node.closest(".visually-hidden, noscript, .skip")) continue;
        const style = getComputedStyle(node);
        const [a, b] = [luminance(rgba(style.color)), luminance(behind(node))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        const large = parseFloat(style.fontSize) >= 24;
        if (ratio < (large ? 3 : 4.5)) found.push(`${node.className || node.tagName}: ${ratio.toFixed(2)}`);
      }
      return [...new Set(found)];
    });
    assert.deepEqual(poor, []);
    await page.context().close();
  });
}

test("every control has a name, every id stands once, headings do not skip a level", async () => {
  const page = await t.open();
  await askAndRead(page);
  await page.locator("#graph .node.keyword").first().click();
  await page.locator("#keyword h3").waitFor();
  const faults = await page.evaluate(() => {
    const nameless = [...document.querySelectorAll("button, a[href], input, select, [role=button]")].filter((node) => node.checkVisibility()).filter((node) => {
      const label = node.getAttribute("aria-label") || node.textContent.trim() || node.labels?.[0]?.textContent;
      return !label;
    });
    const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
    const levels = [...document.querySelectorAll("main :is(h1,h2,h3,h4)")].filter((node) => node.checkVisibility()).map((node) => Number(node.tagName[1]));
    return { nameless: nameless.map((node) => node.outerHTML.slice(0, 80)), twice: ids.filter((id, at) => ids.indexOf(id) !== at), skips: levels.filter((level, at) => at > 0 && level > levels[at - 1] + 1) };
  });
  assert.deepEqual(faults, { nameless: [], twice: [], skips: [] });
  await page.context().close();
});

test("what happens is said aloud", async () => {
  const page = await t.open();
  await askAndRead(page);
  await page.waitForFunction(() => /passages? found|answer is ready|refined/i.test(document.querySelector("#live").textContent));
  assert.equal(await page.locator("#live").getAttribute("role"), "status");
  await page.context().close();
});
