// Keyboard, small screens, light and dark: that everyone can read it.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  askAndRead,
  assertClean,
  BOX,
  CITATION,
  harness,
  modelReady,
  openMap,
  OPENS,
  part,
  PASSAGE,
  QUESTION,
} from "./harness.mjs";

const t = harness();

/** What has the focus, in the component's shadow tree too: its part or class, and its text. */
const focused = (page) =>
  page.evaluate(() => {
    const node = document.activeElement.shadowRoot?.activeElement ?? document.activeElement;
    return {
      kind: node.getAttribute("part") ?? node.getAttribute("class") ?? node.id,
      text: node.textContent,
    };
  });
/** All of the page's elements that match, the component's among them, for scripts in the page. */
const everywhere = (page) =>
  page.evaluate(() => {
    window.everywhere = (selector) =>
      [document, document.querySelector("pocketgraph-ask").shadowRoot].flatMap((root) => [
        ...root.querySelectorAll(selector),
      ]);
  });

test("everything can be done with the keyboard alone", async () => {
  const page = await t.open();
  await page.keyboard.press("/");
  assert.equal((await focused(page)).kind, "input");
  await page.keyboard.type(QUESTION);
  await page.keyboard.press("Enter");
  await page.locator(CITATION).first().waitFor();
  await modelReady(page);

  await page.keyboard.press("ArrowDown");
  const first = await focused(page);
  assert.match(first.kind, /hit-title/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/documents\//);
  await page.goBack();
  await page.locator(CITATION).first().waitFor();
  await modelReady(page);
  await page.locator(BOX).focus();
  await page.keyboard.press("ArrowDown");
  assert.deepEqual(await focused(page), first);
  await page.keyboard.press("ArrowUp");
  assert.equal((await focused(page)).kind, "input");

  // Tab reaches a citation, then the map, which unfolds, as one stop; arrows walk in it.
  const reach = async (what) => {
    for (let i = 0; i < 150; i++) {
      await page.keyboard.press("Tab");
      if (what.test((await focused(page)).kind)) return;
    }
    assert.fail(`Tab never reached ${what}`);
  };
  await reach(/^citation/);
  await page.keyboard.press("Enter");
  await page.locator(`${PASSAGE} mark`).first().waitFor();
  await page.keyboard.press("Escape");
  await reach(/^fold/);
  await page.keyboard.press("Enter");
  await page.locator("#graph .node.keyword").first().waitFor();
  await reach(/^node/);
  const node = await page.evaluate(() => document.activeElement.dataset.id);
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await page.evaluate(() => document.activeElement.dataset.id), node);
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await page.locator("#keyword h3").waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.locator(part("passage-body")).waitFor();
  await page.keyboard.press("Escape");
  assert.match((await focused(page)).kind, /^node chunk/);
  await assertClean(page);
  await page.context().close();
});

test("the focus can be seen wherever it is", async () => {
  const page = await t.open();
  await askAndRead(page);
  await openMap(page);
  const invisible = [];
  await page.locator(BOX).focus();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    const seen = await page.evaluate(() => {
      const node = document.activeElement.shadowRoot?.activeElement ?? document.activeElement;
      if (node === document.body) return true;
      if (node.part.contains("input"))
        return getComputedStyle(node.closest("[part=field]")).outlineStyle !== "none";
      if (node.matches(".node"))
        return getComputedStyle(node.querySelector("rect, circle:not(.reach)")).strokeWidth === "3px";
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
    assert.ok(await fits(), "with results");
    await openMap(page);
    assert.ok(await fits(), "with the map");
    await page.locator("#graph .node.keyword").first().click();
    await page.locator("#keyword h3").waitFor();
    assert.ok(await fits(), "with a keyword open");
    await page.locator(OPENS).first().click();
    await page.locator(`${PASSAGE} mark`).first().waitFor();
    assert.ok(await page.locator(PASSAGE).evaluate((node) => node.scrollWidth <= innerWidth), "the passage");
    await page.keyboard.press("Escape");
    await page.click("#settings-button");
    assert.ok(
      await page.evaluate(() => document.querySelector("#settings").scrollWidth <= innerWidth),
      "the settings",
    );
    await page.context().close();
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`text has the contrast that WCAG AA asks for (${colorScheme})`, async () => {
    const page = await t.open({ colorScheme });
    await everywhere(page);
    await askAndRead(page);
    await openMap(page);
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
      const luminance = ([r, g, b]) =>
        [r, g, b]
          .map((c) => c / 255)
          .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
          .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
      const behind = (node) => {
        for (let at = node; at; at = at.parentElement ?? at.getRootNode().host) {
          const color = rgba(getComputedStyle(at).backgroundColor);
          if (color[3] > 250) return color;
        }
        return [255, 255, 255, 255];
      };
      const found = [];
      for (const node of window.everywhere("body *:not(svg *), .root *:not(svg *)")) {
        const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
        if (!own || !node.checkVisibility() || node.closest(".visually-hidden, .unseen, noscript")) continue;
        const style = getComputedStyle(node);
        const [a, b] = [luminance(rgba(style.color)), luminance(behind(node))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        const large = parseFloat(style.fontSize) >= 24;
        if (ratio < (large ? 3 : 4.5))
          found.push(`${node.part.value || node.className || node.tagName}: ${ratio.toFixed(2)}`);
      }
      return [...new Set(found)];
    });
    assert.deepEqual(poor, []);
    await page.context().close();
  });
}

test("every control has a name, every id stands once, headings do not skip a level", async () => {
  const page = await t.open();
  await everywhere(page);
  await askAndRead(page);
  await openMap(page);
  await page.locator("#graph .node.keyword").first().click();
  await page.locator("#keyword h3").waitFor();
  const faults = await page.evaluate(() => {
    const nameless = window
      .everywhere("button, a[href], input, select, summary, [role=button]")
      .filter((node) => node.checkVisibility())
      .filter((node) => {
        const label =
          node.getAttribute("aria-label") || node.textContent.trim() || node.labels?.[0]?.textContent;
        return !label;
      });
    const ids = window.everywhere("[id]").map((node) => node.id);
    const order = (a, b) =>
      (inPage(a).compareDocumentPosition(inPage(b)) || a.compareDocumentPosition(b)) &
      Node.DOCUMENT_POSITION_FOLLOWING
        ? -1
        : 1;
    const inPage = (node) => node.getRootNode().host ?? node;
    const levels = window
      .everywhere("h1, h2, h3, h4")
      .filter((node) => node.checkVisibility() && !node.closest("dialog"))
      .sort(order)
      .map((node) => Number(node.tagName[1]));
    return {
      nameless: nameless.map((node) => node.outerHTML.slice(0, 80)),
      twice: ids.filter((id, at) => ids.indexOf(id) !== at),
      skips: levels.filter((level, at) => at > 0 && level > levels[at - 1] + 1),
    };
  });
  assert.deepEqual(faults, { nameless: [], twice: [], skips: [] });
  await page.context().close();
});

test("what happens is said aloud", async () => {
  const page = await t.open();
  await askAndRead(page);
  const live = page.locator("pocketgraph-ask [role=status]");
  await page.waitForFunction(() =>
    /results?|graph/i.test(window.part("root").querySelector("[role=status]").textContent),
  );
  assert.equal(await live.count(), 1);
  await page.context().close();
});
