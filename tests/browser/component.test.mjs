// <pocketgraph-ask> as readers and pages meet it: typing, the dialog, errors, Markdown, languages, themes,
// and what pages do to it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { newPage } from "./browser.mjs";
import { assertClean, FAILED_LOAD, fileOf, harness, QUESTION } from "./harness.mjs";
import { serveSite } from "./server.mjs";

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-blank-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
writeFileSync(
  join(scratch, "index.html"),
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><link rel="icon" ' +
    'href="data:,"><body></body></html>',
);
const t = harness(({ site, folder }) =>
  site.mounts.set("/blank/documents/", join(folder, "documents")).set("/blank/", scratch),
);
beforeEach(() => {
  Object.assign(t.llm, {
    behaviour: "stream",
    text: "A keyword graph joins keywords [1].",
    gone: 0,
    bears: false,
  });
  t.llm.requests.length = 0;
});

/**
 * A bare page with one element of these attributes; `html` are attributes of the page itself, and `first`
 * runs before any script of the page.
 */
async function mounted(attributes = {}, { html = {}, first, ...options } = {}) {
  const page = await newPage(t.browser, options);
  if (first) await page.addInitScript(first.run);
  t.site.faults.clear();
  await page.goto(`${t.site.url}blank/index.html`);
  await page.evaluate(
    async ({ attributes, html }) => {
      for (const [name, value] of Object.entries(html)) document.documentElement.setAttribute(name, value);
      window.heard = [];
      for (const type of ["open", "result", "answer", "error", "feedback", "open-hit"]) {
        document.addEventListener(`pocketgraph-${type}`, (event) =>
          window.heard.push([
            type,
            event.detail?.stage ?? event.detail?.code ?? event.detail?.helpful ?? event.detail?.text,
            event.detail?.hits?.length,
          ]),
        );
      }
      await import("/pkg/ask-element.js");
      const element = document.createElement("pocketgraph-ask");
      for (const [name, value] of Object.entries({ src: "/bundle/", ...attributes }))
        element.setAttribute(name, value);
      document.body.append(element);
    },
    { attributes, html },
  );
  const element = page.locator("pocketgraph-ask");
  return {
    page,
    element,
    box: element.locator("[part=input]"),
    part: (name) => element.locator(`[part~="${name}"]`),
  };
}

const asked = async ({ box, part }, question = QUESTION) => {
  await box.fill(question);
  await box.press("Enter");
  await part("actions").waitFor();
};

test("hits of an unfinished word stay while the model arrives", async () => {
  const { page, box, part } = await mounted();
  await box.fill("how does hyb");
  await part("hit").first().waitFor();
  await page.waitForFunction(() => document.querySelector("pocketgraph-ask").graph?.modelReady(), null, {
    timeout: 60_000,
  });
  await page.waitForTimeout(800);
  assert.ok((await part("hit").count()) > 0);
  const counts = await page.evaluate(() =>
    window.heard.filter(([type]) => type === "result").map(([, , hits]) => hits),
  );
  assert.ok(
    counts.every((hits) => hits > 0),
    counts.join(" "),
  );
  assert.match(await part("hit").first().innerText(), /hybrid/i);
  await page.context().close();
});

/** Gives the page what a browser with agents has. */
function agents() {
  const tools = (window.agentTools = new Map());
  const registerTool = async (tool, { signal }) => {
    tools.set(tool.name, tool);
    signal.addEventListener("abort", () => tools.delete(tool.name));
  };
  Object.defineProperty(document, "modelContext", { value: { registerTool } });
}

test("an agent of the browser searches and asks by tools of the page, as long as the element is there", async () => {
  const { page, element } = await mounted({}, { first: { run: agents } });
  await page.waitForFunction(() => window.agentTools.size === 2);
  const call = (name, given) =>
    page.evaluate(
      async ({ name, given }) => {
        const { content, isError } = await window.agentTools.get(name).execute(given);
        return { isError: isError ?? false, value: isError ? content[0].text : JSON.parse(content[0].text) };
      },
      { name, given },
    );
  const tools = await page.evaluate(() =>
    [...window.agentTools.values()].map((tool) => [
      tool.name,
      tool.annotations.readOnlyHint,
      tool.inputSchema.required.join(),
    ]),
  );
  assert.deepEqual(tools, [
    ["search_documents", true, "question"],
    ["ask_documents", true, "question"],
  ]);
  const found = await call("search_documents", { question: "what is a keyword graph?", k: 3 });
  assert.equal(found.value.length, 3);
  assert.match(JSON.stringify(found.value), /keyword graph/i);
  assert.ok(
    found.value.every((hit) => hit.text && new URL(hit.url).protocol === "http:"),
    "addresses are whole",
  );
  const answer = await call("ask_documents", { question: QUESTION });
  assert.ok(
    answer.value.text &&
      answer.value.citations.length > 0 &&
      answer.value.citations[0].url.startsWith("http"),
    JSON.stringify(answer),
  );
  const refused = await call("search_documents", { question: " " });
  assert.ok(refused.isError && refused.value.includes("not empty"), refused.value);
  await element.evaluate((node) => node.remove());
  await page.waitForFunction(() => window.agentTools.size === 0);
  await page.context().close();
});

test("made-up words have no hits, also once the model is there", async () => {
  const { page, box, part } = await mounted();
  await box.fill("hybrid");
  await part("hit").first().waitFor();
  await page.waitForFunction(() => document.querySelector("pocketgraph-ask").graph?.modelReady(), null, {
    timeout: 60_000,
  });
  await box.fill("zzqxv wkjhg");
  await part("empty").waitFor();
  assert.equal(await part("hit").count(), 0);
  await box.fill("zzqxv hybrid");
  await part("hit").first().waitFor();
  await page.context().close();
});

test("hits stand together by page, and their links have names of their own", async () => {
  const { page, box, part } = await mounted();
  await box.fill("How does hybrid search work?");
  await part("hit").first().waitFor();
  const seen = await page.evaluate(() => {
    const root = document.querySelector("pocketgraph-ask").shadowRoot;
    return [...root.querySelectorAll('[part="page"]')].map((page) => [
      page.querySelector('[part="page-title"]').textContent,
      [...page.querySelectorAll('[part="hit-title"]')].map((link) => link.textContent),
    ]);
  });
  const titles = seen.map(([title]) => title);
  assert.equal(new Set(titles).size, titles.length, "each page once");
  for (const [title, links] of seen)
    assert.equal(new Set(links).size, links.length, `${title}: ${links.join(" | ")}`);
  await page.context().close();
});

test(
  "the dialog opens by the key, the slash, its button, and elements of the page; Esc closes it and " +
    "gives the focus back",
  async () => {
    const { page, element, part } = await mounted({ mode: "dialog" });
    const dialog = part("dialog");
    await part("dialog").waitFor({ state: "attached" });
    await page.keyboard.press("Control+k");
    await dialog.waitFor();
    await page.keyboard.press("Control+k");
    await dialog.waitFor({ state: "hidden" });
    // In the box the slash is a letter, and the focus leaves it when the dialog's event has come.
    await page.waitForFunction(
      () =>
        document.querySelector("pocketgraph-ask").shadowRoot.activeElement?.getAttribute("part") !== "input",
    );
    await page.keyboard.press("/");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await part("trigger").click();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    assert.equal(
      await element.evaluate((node) => node.shadowRoot.activeElement?.getAttribute("part")),
      "trigger",
    );
    await page.evaluate(() => {
      const opener = document.createElement("button");
      opener.dataset.pocketgraphOpen = "";
      opener.textContent = "Ask us";
      document.body.append(opener);
    });
    await page.getByRole("button", { name: "Ask us" }).click();
    await dialog.waitFor();
    await page.context().close();
  },
);

test("the slash and the key stay with editors, with input methods, and are found on other keyboards", async () => {
  const { page, part } = await mounted({ mode: "dialog" });
  await part("dialog").waitFor({ state: "attached" });
  const opened = await page.evaluate(() => {
    const host = document.querySelector("pocketgraph-ask");
    const dialog = host.shadowRoot.querySelector("dialog");
    const behind = (mode, html, tag = "div") => {
      const node = document.createElement(tag);
      node.attachShadow({ mode }).innerHTML = html;
      document.body.append(node);
      return node;
    };
    const plain = (html) =>
      document.body.appendChild(document.createRange().createContextualFragment(html).firstChild);
    const focused = {
      "a button": plain("<button>Go</button>"),
      "a field": plain("<input>"),
      "a text": plain("<textarea></textarea>"),
      "an editor": plain("<div contenteditable>edit</div>"),
      "a text box by its role": plain('<div role="textbox" tabindex="0"><p>edit</p></div>'),
    };
    const hidden = {};
    for (const [name, tag] of [
      ["a closed root", "div"],
      ["a closed root of a custom element", "play-ground"],
    ]) {
      const node = document.createElement(tag);
      const root = node.attachShadow({ mode: "closed" });
      root.innerHTML = "<input>";
      document.body.append(node);
      hidden[name] = root.firstChild;
    }
    const inside = behind("open", "<input>").shadowRoot.firstChild;
    const opens = (target, init) => {
      target.focus();
      target.dispatchEvent(
        new KeyboardEvent("keydown", { bubbles: true, composed: true, cancelable: true, ...init }),
      );
      const { open } = dialog;
      host.close();
      return open;
    };
    const slash = { key: "/", code: "Slash" };
    const command = { key: "k", code: "KeyK", ctrlKey: true };
    const told = {};
    for (const [name, target] of Object.entries({ ...focused, ...hidden, "an open root": inside }))
      told[name] = [opens(target, slash), opens(target, command)];
    const { "a button": button } = focused;
    told.composing = [
      opens(button, { ...slash, isComposing: true }),
      opens(button, { ...command, isComposing: true }),
    ];
    told.safari = [opens(button, { ...slash, keyCode: 229 }), opens(button, { ...command, keyCode: 229 })];
    told.arabic = [opens(button, { ...slash, key: "ظ" })];
    told.held = [opens(button, { ...slash, repeat: true }), opens(button, { ...command, repeat: true })];
    told.layouts = [
      opens(button, { ...slash, code: "Digit7", shiftKey: true }),
      opens(button, { ...command, key: "л" }),
    ];
    told.dvorak = [opens(button, { key: "t", code: "KeyK", ctrlKey: true })];
    return told;
  });
  assert.deepEqual(opened, {
    "a button": [true, true],
    "a field": [false, true],
    "a text": [false, true],
    "an editor": [false, false],
    "a text box by its role": [false, false],
    "a closed root": [false, false],
    "a closed root of a custom element": [false, false],
    "an open root": [false, true],
    composing: [false, false],
    safari: [false, false],
    arabic: [true],
    held: [false, false],
    layouts: [true, true],
    dvorak: [false],
  });
  await page.context().close();
});

test("hits, citations and passages lead to the words on their page, which marks them", async () => {
  const { page, box, part, element } = await mounted();
  await asked({ box, part });
  await page.waitForFunction(
    () => window.heard.findLast(([type]) => type === "result")?.[1] === "model",
    null,
    { timeout: 60_000 },
  );
  const links = await page.evaluate(() => {
    const { shadowRoot } = document.querySelector("pocketgraph-ask");
    return [...shadowRoot.querySelectorAll('a[part="hit-title"], a[part~="citation"]')].map(
      (link) => link.href,
    );
  });
  assert.ok(links.length > 3 && links.every((link) => /#[\w-]*:~:text=[^&]+$/.test(link)), links.join("\n"));
  await part("citation").first().click();
  await part("passage-body").waitFor();
  const opened = await part("passage-link").evaluate((link) => link.href);
  assert.match(opened, /^http.*:~:text=/);
  await part("passage-link").click();
  await page.waitForURL(/documents\//);
  // The handbook's pages carry no element: what a click leaves for one is shown by the one that is put there.
  const marked = await page.evaluate(async () => {
    await import("/pkg/ask-element.js");
    document.body.append(document.createElement("pocketgraph-ask"));
    const end = Date.now() + 5000;
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    while (!CSS.highlights.has("pocketgraph-spot") && Date.now() < end) await sleep(20);
    // As fonts that come late and routers do.
    scrollTo(0, 0);
    await sleep(900);
    const [range] = CSS.highlights.get("pocketgraph-spot") ?? [];
    const { top } = range.getBoundingClientRect();
    return { seen: top >= 0 && top < innerHeight, text: range.toString(), kept: sessionStorage.length };
  });
  assert.match(marked.text, /keyword graph/i);
  assert.ok(marked.seen);
  assert.equal(marked.kept, 0);
  assert.ok(await element.count());
  await page.context().close();
});

test("where a page's router goes to a hit itself, the words are marked when they come", async () => {
  const { page, box, part } = await mounted();
  await box.fill("keyword graph");
  await part("hit").first().waitFor();
  await page.waitForFunction(() =>
    document.querySelector("pocketgraph-ask").shadowRoot.querySelector('a[href*=":~:text="]'),
  );
  await page.evaluate(() => {
    document.addEventListener("pocketgraph-open-hit", (event) => {
      event.preventDefault();
      history.pushState(null, "", new URL(event.detail.url, document.baseURI));
      const come = Object.assign(document.createElement("p"), { id: "come", textContent: event.detail.text });
      setTimeout(() => document.body.append(come), 300);
    });
  });
  await part("hit-title").first().click();
  await page.waitForFunction(() => {
    const [range] = CSS.highlights.get("pocketgraph-spot") ?? [];
    return range && document.querySelector("#come").contains(range.startContainer);
  });
  await assertClean(page);
  await page.context().close();
});

test("what is typed before the dialog's file has come stands in its box, and is searched for", async () => {
  let arrive;
  const arrived = new Promise((resolve) => (arrive = resolve));
  t.site.hold = (path) => (path.endsWith("/ask-dialog.js") ? arrived : null);
  try {
    const { page, box, part } = await mounted({ mode: "dialog" });
    await part("trigger").dblclick();
    await page.keyboard.type("keyword gra");
    assert.equal(await part("dialog").count(), 0);
    arrive();
    await part("dialog").waitFor();
    await page.keyboard.type("ph");
    assert.equal(await box.inputValue(), "keyword graph");
    await part("hit").first().waitFor();
    await assertClean(page);
  } finally {
    t.site.hold = null;
  }
});

test("the dialog's box is a combobox: arrows choose, Enter asks or opens", async () => {
  const { page, element, part } = await mounted({ mode: "dialog" });
  await part("dialog").waitFor({ state: "attached" });
  await page.keyboard.press("Control+k");
  const box = element.getByRole("combobox");
  assert.equal(await box.getAttribute("aria-expanded"), "false");
  await box.fill("keyword graph");
  await part("hit").first().waitFor();
  // What ranks better takes the place of the list, and an arrow would begin anew in it.
  await page.waitForFunction(
    () => window.heard.findLast(([type]) => type === "result")?.[1] === "model",
    null,
    { timeout: 60_000 },
  );
  assert.equal(await box.getAttribute("aria-expanded"), "true");
  const active = () =>
    element.evaluate((node) => {
      const root = node.shadowRoot;
      const chosen = root.getElementById(root.querySelector("input").getAttribute("aria-activedescendant"));
      return [
        chosen?.getAttribute("role"),
        chosen?.getAttribute("part"),
        chosen?.getAttribute("aria-selected"),
        root.querySelectorAll('[aria-selected="true"]').length,
      ];
    });
  assert.deepEqual(await active(), ["option", "ask-option", "true", 1]);
  await box.press("ArrowDown");
  assert.deepEqual(await active(), ["option", "hit", "true", 1]);
  await box.press("ArrowUp");
  await box.press("Enter");
  await part("actions").waitFor();
  assert.ok((await page.evaluate(() => window.heard)).some(([type]) => type === "answer"));
  await page.evaluate(() =>
    document.addEventListener("pocketgraph-open-hit", (event) => event.preventDefault(), { once: true }),
  );
  await box.press("ArrowDown");
  await box.press("Enter");
  assert.ok((await page.evaluate(() => window.heard)).some(([type]) => type === "open-hit"));
  await assertClean(page);
  await page.context().close();
});

test("the dialog offers continuations of what is typed, which the keys reach and Enter asks", async () => {
  const suggestions = "How does hybrid fusion rank?|What is a bundle?";
  const { page, element, box, part } = await mounted({ mode: "dialog", suggestions });
  await part("dialog").waitFor({ state: "attached" });
  const modules = () => t.site.requests.filter((path) => path.endsWith("ask-suggestions.js")).length;
  const before = modules();
  await page.keyboard.press("Control+k");
  await page.waitForFunction(() => document.querySelector("pocketgraph-ask").graph);
  assert.equal(modules(), before, "nothing is fetched for it before there are hits");
  await box.fill("how does hyb");
  await part("hit").first().waitFor();
  await part("question").waitFor();
  await box.press("ArrowDown");
  // The choice stays when the hits are ranked anew.
  const isByModel = () => window.heard.findLast(([type]) => type === "result")?.[1] === "model";
  await page.waitForFunction(isByModel, null, { timeout: 60_000 });
  await part("question").waitFor();
  assert.deepEqual(await part("question").allInnerTexts(), ["How does hybrid fusion rank?"]);
  assert.equal(await part("question").getAttribute("aria-selected"), "true");
  assert.equal(await box.getAttribute("aria-activedescendant"), await part("question").getAttribute("id"));
  await assertClean(page);
  await box.press("Enter");
  await part("actions").waitFor();
  assert.equal(await box.inputValue(), "How does hybrid fusion rank?");
  await element.evaluate((node) => node.removeAttribute("suggestions"));
  await box.fill("how does hybrid fus");
  // It was asked, and is remembered.
  await part("question").waitFor();
  await element.evaluate((node) => node.setAttribute("recent", "off"));
  await box.fill("how does hybrid fusi");
  await part("ask-option").filter({ hasText: "fusi”" }).waitFor();
  assert.ok(!(await part("question").allInnerTexts()).includes("How does hybrid fusion rank?"));
  await page.context().close();
});

test("Markdown of a model becomes tables, lists, quotes and code; markup and links to strangers stay text", async () => {
  const ui = await mounted();
  t.llm.bears = true;
  t.llm.text =
    "## Kinds\n\nSee [the glossary](documents/glossary.html), [a stranger](https://evil.example/x) and " +
    "<img src=x onerror=alert(1)>.\n\n| kind | by |\n|---|--:|\n| keyword | **build** |\n\n- one\n  - " +
    'two\n\n> quoted [1]\n\n```js\nlet a = "<b>";\n```\n';
  await ui.page.evaluate((baseUrl) => {
    document.querySelector("pocketgraph-ask").llm = { baseUrl, model: "m" };
  }, t.llm.url);
  await asked(ui);
  const seen = await ui.element.evaluate((node) => {
    const answer = node.shadowRoot.querySelector("[part=answer-text]");
    return {
      cell: answer.querySelector("td strong")?.textContent,
      nested: answer.querySelector("ul ul li")?.textContent,
      quote: answer.querySelector("blockquote [part~=citation]")?.textContent,
      code: answer.querySelector("pre code.language-js")?.textContent,
      images: answer.querySelectorAll("img, script").length,
      links: [...answer.querySelectorAll("a[part=answer-link]")].map((link) => new URL(link.href).pathname),
      text: answer.textContent,
    };
  });
  assert.deepEqual([seen.cell, seen.code, seen.images], ["build", 'let a = "<b>";', 0]);
  // The number of a passage that says so may follow.
  assert.match(seen.nested, /^two/);
  assert.match(seen.quote, /^1/);
  assert.deepEqual(seen.links, ["/blank/documents/glossary.html"]);
  assert.match(seen.text, /a stranger \(https:\/\/evil\.example\/x\)/);
  assert.match(seen.text, /<img src=x onerror=alert\(1\)>/);
  await assertClean(ui.page);
  await ui.page.context().close();
});

test("what the documents state is shown below a written answer that differs, once it is whole", async () => {
  const ui = await mounted();
  await asked(ui);
  const quoted = await ui.part("answer-text").innerText();
  Object.assign(t.llm, { bears: true, text: "It is a matter of zebras, one may think.\n\n" });
  await ui.page.evaluate((baseUrl) => {
    document.querySelector("pocketgraph-ask").llm = { baseUrl, model: "m" };
  }, t.llm.url);
  await asked(ui);
  await ui.part("quotation").waitFor();
  assert.match(await ui.part("answer-text").innerText(), /matter of zebras/);
  assert.doesNotMatch(await ui.part("answer-text").innerText(), /In the words of the documents/);
  const beneath = await ui.part("quotation").innerText();
  assert.match(beneath, /^In the words of the documents:/);
  const sentence = /“([^”]{20,})”/.exec(quoted)?.[1];
  assert.ok(sentence && beneath.includes(sentence), beneath);
  assert.equal((await ui.part("quotation").locator("[part~=citation]").count()) > 0, true);
  await assertClean(ui.page);
  await ui.page.context().close();
});

test("an answer that is being written can be stopped, and asked again", async () => {
  const { page, box, part } = await mounted();
  t.llm.behaviour = "slow";
  await page.evaluate((baseUrl) => {
    document.querySelector("pocketgraph-ask").llm = { baseUrl, model: "m" };
  }, t.llm.url);
  await box.fill(QUESTION);
  await box.press("Enter");
  await page.waitForFunction(() =>
    /word\d/.test(
      document.querySelector("pocketgraph-ask").shadowRoot.querySelector("[part=answer-text]")?.textContent ??
        "",
    ),
  );
  assert.equal(await part("answer").getAttribute("aria-busy"), "true");
  await part("stop").click();
  assert.equal(await part("answer").getAttribute("aria-busy"), "false");
  t.llm.behaviour = "stream";
  await part("again").click();
  await page.waitForFunction(() =>
    window.heard.some(([type, text]) => type === "answer" && /joins keywords/.test(text)),
  );
  await page.context().close();
});

test("what was asked draws nothing once something else stands in the box", async () => {
  const { page, box } = await mounted();
  await asked({ box, part: (name) => page.locator(`pocketgraph-ask [part~="${name}"]`) });
  const drawn = await page.evaluate(async () => {
    const element = document.querySelector("pocketgraph-ask");
    const { graph } = element;
    const results = [];
    element.addEventListener("pocketgraph-result", ({ detail }) => results.push(detail.question));
    let release;
    const held = new Promise((resolve) => (release = resolve));
    const found = await graph.search("held");
    let isWaiting;
    const waiting = new Promise((resolve) => (isWaiting = resolve));
    graph.ask = async function* () {
      isWaiting();
      await held;
      yield { type: "hits", result: { ...found, question: "held" } };
    };
    element.ask("held");
    await waiting;
    const input = element.shadowRoot.querySelector("[part~=input]");
    input.value = "typed since";
    input.dispatchEvent(new Event("input"));
    release();
    // Before the search for what was typed begins.
    await new Promise((resolve) => setTimeout(resolve, 50));
    return results;
  });
  assert.deepEqual(drawn, []);
  await page.context().close();
});

test("errors say what to do, never the engine's own words, and can be tried again", async () => {
  const { page, element, box, part } = await mounted({ src: "/nowhere/" });
  await box.focus();
  await part("error").waitFor();
  const said = await part("error").innerText();
  assert.match(said, /missing or damaged|publish/);
  assert.doesNotMatch(said, /manifest|404|HTTP/);
  assert.equal(await part("status").isVisible(), false, "not for ever opening");
  await element.evaluate((node) => {
    node.src = "/bundle/";
  });
  await asked({ box, part });
  assert.equal(await part("error").isVisible(), false);
  await assertClean(page, FAILED_LOAD);
  await page.context().close();
});

test("a failure while searching is told with a button that tries again", async () => {
  const { page, box, part } = await mounted({ model: "off" });
  t.site.faults.set(fileOf(t.folder, "lexical"), { kind: "status", status: 404 });
  await box.fill("keyword graph");
  await part("error").waitFor();
  t.site.faults.clear();
  await part("retry").click();
  await part("hit").first().waitFor();
  assert.equal(await part("error").isVisible(), false);
  await page.context().close();
});

test("what was set before the module ran counts, and attributes are properties", async () => {
  const page = await newPage(t.browser);
  await page.goto(`${t.site.url}blank/index.html`);
  const seen = await page.evaluate(async () => {
    const early = document.createElement("pocketgraph-ask");
    early.llm = { baseUrl: "http://localhost:9/v1", model: "m" };
    early.src = "/bundle/";
    early.k = 3;
    await import("/pkg/ask-element.js");
    customElements.upgrade(early);
    return [early.llm?.model, early.getAttribute("src"), early.getAttribute("k"), Object.keys(early).length];
  });
  assert.deepEqual(seen, ["m", "/bundle/", "3", 0]);
  await page.context().close();
});

test("elements of one bundle share an engine, and the last one that goes closes it", async () => {
  const { page, part, box } = await mounted();
  t.site.requests.length = 0;
  await page.evaluate(() => {
    const second = document.createElement("pocketgraph-ask");
    second.id = "second";
    second.setAttribute("src", "/bundle/");
    document.body.append(second);
  });
  await page.locator("pocketgraph-ask").first().locator("[part=input]").fill("keyword graph");
  await page.locator("pocketgraph-ask").first().locator("[part=hit]").first().waitFor();
  await page.locator("#second [part=input]").fill("privacy");
  await page.locator("#second [part=hit]").first().waitFor();
  const same = await page.evaluate(
    () => document.querySelectorAll("pocketgraph-ask")[0].graph === document.querySelector("#second").graph,
  );
  assert.ok(same);
  assert.equal(t.site.requests.filter((path) => path.endsWith("pocketgraph_wasm_bg.wasm")).length, 1);
  const closed = await page.evaluate(async () => {
    const { graph } = document.querySelector("#second");
    document.querySelectorAll("pocketgraph-ask").forEach((node) => node.remove());
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return graph.search("privacy").then(
      () => "open",
      (error) => error.code,
    );
  });
  assert.equal(closed, "closed");
  (void part, box);
  await page.context().close();
});

test("an element that is moved while it asks goes on", async () => {
  const { page, box, part } = await mounted();
  await box.fill(QUESTION);
  await box.press("Enter");
  await page.evaluate(() => {
    const place = document.body.appendChild(document.createElement("main"));
    place.append(document.querySelector("pocketgraph-ask"));
  });
  await part("actions").waitFor();
  await page.context().close();
});

test("it speaks the page's language, right to left where that is so, and the page's own words win", async () => {
  for (const [lang, button, direction] of [
    ["de", "Fragen", "ltr"],
    ["fr", "Demander", "ltr"],
    ["es", "Preguntar", "ltr"],
    ["pt-BR", "Perguntar", "ltr"],
    ["zh-Hans", "提问", "ltr"],
    ["ja", "質問する", "ltr"],
    ["ko", "질문", "ltr"],
    ["ar", "اسأل", "rtl"],
    ["ru", "Спросить", "ltr"],
    ["en", "Ask", "ltr"],
    ["xx", "Ask", "ltr"],
  ]) {
    const { page, element, part } = await mounted({}, { html: { lang } });
    await page.waitForFunction(
      (button) =>
        document.querySelector("pocketgraph-ask").shadowRoot.querySelector("[part=button]").textContent ===
        button,
      button,
    );
    assert.equal(
      await element.evaluate(
        (node) => getComputedStyle(node.shadowRoot.querySelector("[part=form]")).direction,
      ),
      direction,
      lang,
    );
    if (lang === "de") {
      await element.evaluate((node) => {
        node.strings = { ask: "Los" };
      });
      assert.equal(await part("button").innerText(), "Los");
    }
    await page.context().close();
  }
});

test("that the documents do not say is said in the page's language", async () => {
  const { page, element, box, part } = await mounted({}, { html: { lang: "de" } });
  await element.evaluate((node) => (node.strings = {}));
  await page.waitForFunction(
    () =>
      document.querySelector("pocketgraph-ask").shadowRoot.querySelector("[part=button]").textContent ===
      "Fragen",
  );
  await asked({ box, part }, "Who won the women's marathon at the 1984 Olympics?");
  await element.getByText("Die Dokumente sagen dazu nichts.").first().waitFor();
  await page.context().close();
});

test("a page that loads the component and the module has one class and one kind of error", async () => {
  const { page } = await mounted();
  const same = await page.evaluate(async () => {
    const { PocketGraph, PocketGraphError } = await import("/pkg/pocketgraph.js");
    const element = document.querySelector("pocketgraph-ask");
    const graph = await element.load();
    const errors = [];
    element.addEventListener("pocketgraph-error", ({ detail }) =>
      errors.push(detail instanceof PocketGraphError),
    );
    element.removeAttribute("src");
    await element.ask("anything?");
    return { graph: graph instanceof PocketGraph, errors };
  });
  assert.deepEqual(same, { graph: true, errors: [true] });
  await page.context().close();
});

test("its text can be read on a page whose dark theme is a switch", async () => {
  const { page, element, part } = await mounted({}, { colorScheme: "light" });
  const lightness = (colour) =>
    colour
      .match(/[\d.]+/g)
      .slice(0, 3)
      .reduce((sum, part) => sum + Number(part), 0) / 765;
  const text = () =>
    element.evaluate((node) => getComputedStyle(node.shadowRoot.querySelector(".root")).color);
  const set = (colour) =>
    page.evaluate((colour) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`html { background: ${colour} }`);
      document.adoptedStyleSheets = [sheet];
      document.documentElement.dataset.theme = colour;
    }, colour);
  await set("#1b1b1d");
  await page.waitForFunction(
    () =>
      document.querySelector("pocketgraph-ask").shadowRoot.querySelector(".root").dataset.scheme === "dark",
  );
  assert.ok(lightness(await text()) > 0.7, await text());
  await set("#ffffff");
  await page.waitForFunction(
    () =>
      document.querySelector("pocketgraph-ask").shadowRoot.querySelector(".root").dataset.scheme === "light",
  );
  assert.ok(lightness(await text()) < 0.3, await text());
  void part;
  await page.context().close();
});

test("questions are remembered on this machine, can be forgotten, and are not where that is off", async () => {
  const ui = await mounted();
  await asked(ui);
  await ui.box.fill("");
  await ui.part("question").first().waitFor();
  assert.equal(await ui.part("question").first().innerText(), QUESTION);
  await ui.part("star").first().click();
  assert.match(await ui.part("page-title").first().innerText(), /starred/i);
  await ui.part("forget").first().click();
  assert.equal(await ui.part("question").count(), 0);
  await ui.element.evaluate((node) => node.setAttribute("recent", "off"));
  await asked(ui);
  assert.equal(
    await ui.page.evaluate(() => JSON.stringify(localStorage).includes("keyword graph and a")),
    false,
  );
  await ui.page.context().close();
});

test("suggested questions ask themselves, feedback is an event and goes nowhere", async () => {
  // With a model the answer may be drawn anew, and what was said of the first one is said no more.
  const { page, part } = await mounted({ suggestions: "What is a chunk? | What is a bundle?", model: "off" });
  assert.deepEqual(await part("question").allInnerTexts(), ["What is a chunk?", "What is a bundle?"]);
  await part("question").first().click();
  await part("feedback").first().waitFor();
  const before = t.site.requests.length;
  await part("feedback").first().click();
  assert.deepEqual(
    await page.evaluate(() =>
      window.heard.filter(([type]) => type === "feedback").map(([type, helpful]) => [type, helpful]),
    ),
    [["feedback", true]],
  );
  assert.equal(await part("reasons").isVisible(), false, "what helped needs no reason");
  await page.evaluate(() => {
    window.reasons = [];
    const keep = ({ helpful, reason = null }) => window.reasons.push([helpful, reason]);
    document.addEventListener("pocketgraph-feedback", ({ detail }) => keep(detail));
  });
  await part("feedback").last().click();
  await part("reasons").getByRole("button", { name: "Out of date" }).click();
  assert.deepEqual(await page.evaluate(() => window.reasons), [
    [false, null],
    [false, "outdated"],
  ]);
  assert.equal(
    t.site.requests.slice(before).filter((path) => !path.startsWith("/bundle/") && !path.startsWith("/pkg/"))
      .length,
    0,
  );
  await page.context().close();
});

test("a citation opens its passage with the words marked, and gives the focus back", async () => {
  const ui = await mounted();
  await asked(ui);
  await ui.part("citation").first().click();
  await ui.part("passage-body").waitFor();
  assert.ok((await ui.part("passage-body").locator("mark").count()) > 0);
  await ui.page.keyboard.press("Escape");
  assert.match(
    await ui.element.evaluate((node) => node.shadowRoot.activeElement?.getAttribute("part")),
    /citation/,
  );
  await ui.page.context().close();
});

test(
  "a page opens the bundle before it is used, and passages of its own choice, from which the " +
    "focus comes back",
  async () => {
    const { page, element, part } = await mounted({ model: "off" });
    const [chunks, quote] = await page.evaluate(async () => {
      const graph = await document.querySelector("pocketgraph-ask").load();
      window.opener = document.body.appendChild(document.createElement("button"));
      window.opener.focus();
      return [graph.info().chunks, (await graph.passage(5)).text.slice(10, 40)];
    });
    assert.ok(chunks > 5);
    assert.deepEqual(
      (await page.evaluate(() => window.heard)).map(([type]) => type),
      ["open"],
    );
    await element.evaluate((node, quote) => node.openPassage(5, { quote }), quote);
    assert.equal(await part("passage-body").locator("mark").textContent(), quote);
    assert.ok((await part("passage-title").innerText()).length > 0);
    await page.keyboard.press("Escape");
    assert.ok(await page.evaluate(() => document.activeElement === window.opener));
    await element.evaluate((node) => node.openPassage(1_000_000));
    await part("passage").getByRole("alert").waitFor();
    await assertClean(page);
    await page.context().close();
  },
);

test("readers who save data get the model where the page says that they want it", async () => {
  const saving = { run: () => Object.defineProperty(navigator, "connection", { value: { saveData: true } }) };
  const { page, element, box, part } = await mounted({}, { first: saving });
  await asked({ box, part });
  await page.waitForTimeout(1000);
  assert.equal(await element.evaluate((node) => node.graph.modelReady()), false);
  await element.evaluate((node) => {
    node.model = "on";
  });
  await page.waitForFunction(
    () => window.heard.some(([type, stage]) => type === "result" && stage === "model"),
    null,
    { timeout: 60_000 },
  );
  await page.context().close();
});

test("who sets a search up is told by what passages were reached, and what was fetched; readers are not", async () => {
  for (const debug of [true, false]) {
    const { page, box, part } = await mounted({
      retriever: "autokg",
      model: "off",
      ...(debug && { debug: "" }),
    });
    await box.fill("keyword graph");
    await part("hit").first().waitFor();
    const reached = await part("hit-reached").allInnerTexts();
    if (debug)
      assert.ok(
        reached.some((text) => /keyword /.test(text)),
        reached.join("\n"),
      );
    else assert.deepEqual(reached, []);
    const fetched = part("status").filter({ hasText: /autokg · \w+ · [\d.]+ MB in \d+ files/ });
    if (debug) await fetched.waitFor();
    else assert.equal(await fetched.count(), 0);
    await page.context().close();
  }
});

test("a follow-up is understood by the question before, says so, and can be asked as written", async () => {
  const ui = await mounted();
  await asked(ui, "How does hybrid search work?");
  await asked(ui, "Does it need a model?");
  await ui.part("understood").waitFor();
  assert.match(await ui.part("understood").innerText(), /Does hybrid search need a model\?/);
  await ui.part("as-written").click();
  await ui.part("understood").waitFor({ state: "hidden" });
  await ui.page.context().close();
});

test("a link to a question asks it, also one that is followed while the page is open", async () => {
  const page = await newPage(t.browser);
  await page.goto(`${t.site.url}blank/index.html#ask=${encodeURIComponent("What is a chunk?")}`);
  await page.evaluate(async () => {
    await import("/pkg/ask-element.js");
    const element = document.createElement("pocketgraph-ask");
    element.setAttribute("src", "/bundle/");
    document.body.append(element);
  });
  const answered = (question) =>
    page.waitForFunction((question) => {
      const { shadowRoot } = document.querySelector("pocketgraph-ask");
      return (
        shadowRoot.querySelector("input").value === question && shadowRoot.querySelector("[part=actions]")
      );
    }, question);
  await answered("What is a chunk?");
  await page.evaluate(() => {
    location.hash = "ask=What+is+a+bundle%3F";
  });
  await answered("What is a bundle?");
  await page.context().close();
});

for (const rights of ["allow-scripts allow-same-origin", "allow-scripts"]) {
  test(`in a sandbox that may send no forms (${rights}), Enter and the button ask`, async () => {
    const page = await newPage(t.browser);
    const policy = `${t.site.policy}; sandbox ${rights}`;
    t.site.faults.set("/blank/", { kind: "headers", headers: { "content-security-policy": policy } });
    // Without an origin of its own, the page reads from another's.
    for (const place of ["/pkg/", "/bundle/"]) {
      t.site.faults.set(place, { kind: "headers", headers: { "access-control-allow-origin": "*" } });
    }
    await page.goto(`${t.site.url}blank/index.html`);
    await page.evaluate(async () => {
      await import("/pkg/ask-element.js");
      document.body.append(Object.assign(document.createElement("pocketgraph-ask"), { src: "/bundle/" }));
    });
    const element = page.locator("pocketgraph-ask");
    const box = element.locator("[part=input]");
    for (const ask of [() => box.press("Enter"), () => element.locator("[part=button]").click()]) {
      await box.fill("");
      await box.fill(QUESTION);
      await ask();
      await element.locator("[part=actions]").waitFor();
    }
    assert.deepEqual(page.complaints, []);
    t.site.faults.clear();
    await page.context().close();
  });
}

test("a link to a question asks no language model and stores nothing, until the reader asks", async () => {
  t.llm.requests.length = 0;
  Object.assign(t.llm, { behaviour: "stream", text: "A chunk is a passage [1].", bears: true });
  const page = await newPage(t.browser);
  await page.goto(`${t.site.url}blank/index.html`);
  await page.evaluate(async (baseUrl) => {
    await import("/pkg/ask-element.js");
    const element = document.createElement("pocketgraph-ask");
    element.setAttribute("src", "/bundle/");
    element.llm = { baseUrl, model: "small-model", apiKey: "secret" };
    document.body.append(element);
  }, t.llm.url);
  const element = page.locator("pocketgraph-ask");
  for (const question of ["What is a chunk?", "What is a bundle?"]) {
    await page.evaluate((question) => {
      location.hash = new URLSearchParams({ ask: question });
    }, question);
    await page.waitForFunction((question) => {
      const { shadowRoot } = document.querySelector("pocketgraph-ask");
      return (
        shadowRoot.querySelector("input").value === question && shadowRoot.querySelector("[part=actions]")
      );
    }, question);
  }
  // What the page sets anew is asked anew, as the link asked it.
  await page.evaluate(async () => {
    const element = document.querySelector("pocketgraph-ask");
    const searched = new Promise((done) =>
      element.addEventListener("pocketgraph-answer", done, { once: true }),
    );
    element.filter = { language: "en" };
    await searched;
  });
  assert.deepEqual(t.llm.requests, []);
  assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0);
  await element.locator("[part=again]").click();
  await page.waitForFunction(() => localStorage.length > 0);
  assert.ok(t.llm.requests.length > 0);
  await page.context().close();
});

test("under Trusted Types the workers start by the policy named pocketgraph, without a violation", async () => {
  const site = await serveSite(t.folder, {
    policy: `${t.site.policy}; require-trusted-types-for 'script'; trusted-types pocketgraph`,
  });
  // The site's own file imports a script by its name.
  site.faults.set("/offline-worker.js", {
    kind: "headers",
    headers: { "content-security-policy": t.site.policy },
  });
  const page = await newPage(t.browser);
  await page.goto(`${site.url}icon.svg`);
  const hits = await page.evaluate(async () => {
    const { PocketGraph } = await import("/pkg/pocketgraph.js");
    const graph = await PocketGraph.open("/bundle/", { worker: true });
    const { hits } = await graph.search("keyword graph");
    // The component's file has the policy's code as well.
    await import("/pkg/ask-element.js");
    await (await PocketGraph.offline({ bundle: "/bundle/", worker: "/offline-worker.js" })).remove();
    return hits.length;
  });
  assert.ok(hits > 0);
  await assertClean(page);
  await page.context().close();
  await site.close();
});

test("a model that is a function writes, is stopped by its signal, and its failure is told", async () => {
  for (const worker of [true, false]) {
    const page = await t.bare();
    const seen = await page.evaluate(
      async ({ worker, question }) => {
        const { PocketGraph } = await import("/pkg/pocketgraph.js");
        const graph = await PocketGraph.open("/bundle/", { worker });
        const read = async (llm, stopAt) => {
          const answer = { text: "" };
          for await (const event of graph.ask(question, { llm })) {
            if (event.type === "token" && (answer.text += event.text).includes(stopAt)) return "left";
            if (event.type === "done")
              return {
                by: event.answer.by,
                text: event.answer.text,
                warning: event.answer.warnings[0]?.message ?? "",
              };
          }
        };
        let roles = [];
        const writes = await read(async function* (messages) {
          roles = messages.map(({ role }) => role);
          for (const piece of ["A keyword graph ", "joins keywords", " [1]."]) yield piece;
        });
        let stopped = false;
        const left = await read(async function* (_, { signal }) {
          signal.addEventListener("abort", () => (stopped = true));
          for (let i = 0; !signal.aborted; i++) {
            yield `word${i} `;
            await new Promise((resolve) => setTimeout(resolve, 10));
          }
        }, "word5");
        for (let i = 0; i < 100 && !stopped; i++) await new Promise((resolve) => setTimeout(resolve, 20));
        const fails = await read(async () => {
          throw new Error("no credit left");
        });
        await graph.close();
        return { writes, roles, left, stopped, fails };
      },
      { worker, question: QUESTION },
    );
    assert.equal(seen.writes.by, "llm");
    assert.match(seen.writes.text, /^A keyword graph joins keywords/);
    assert.equal(seen.roles.at(-1), "user");
    assert.deepEqual([seen.left, seen.stopped], ["left", true], `worker: ${worker}`);
    assert.equal(seen.fails.by, "extraction");
    assert.match(seen.fails.warning, /no credit left|llm-http/);
    await page.context().close();
  }
});

test("the model survives an engine that is replaced while it is being loaded", async () => {
  for (const worker of [true, false]) {
    const page = await t.bare();
    // The small file comes later than the full engine, which a plan wants.
    t.site.faults.set("pocketgraph_relaxed.wasm", { kind: "delay", ms: 1900 });
    const seen = await page.evaluate(
      async ({ worker, question }) => {
        const { PocketGraph } = await import("/pkg/pocketgraph.js");
        const graph = await PocketGraph.open("/bundle/", { worker });
        const outcomes = await Promise.allSettled([graph.prepare(), graph.plan(question)]);
        const { stage } = await graph.search(question);
        return {
          outcomes: outcomes.map(({ status, reason }) => reason?.message ?? status),
          ready: graph.modelReady(),
          stage,
        };
      },
      { worker, question: QUESTION },
    );
    assert.deepEqual(seen, { outcomes: ["fulfilled", "fulfilled"], ready: true, stage: "model" });
    await page.context().close();
  }
});

test(
  "over a knowledge graph alone nothing is looked for while one types, and a question is answered " +
    "by its plan",
  async () => {
    const films = fileURLToPath(new URL("../data/films.tsv", import.meta.url));
    execFileSync(
      process.env.POCKETGRAPH_PROGRAM,
      ["build", "--kg", films, "-o", join(scratch, "graph"), "--no-runtime", "--no-cache"],
      { stdio: "pipe" },
    );
    t.site.mounts.set("/graph/", join(scratch, "graph"));
    const { page, box, part } = await mounted({ src: "/graph/", model: "off" });
    await box.fill("Who directed Heat?");
    await box.press("Enter");
    await part("actions").waitFor();
    assert.match(await part("answer").innerText(), /^Michael Mann/);
    // What draws it is fetched when there is something to draw.
    await part("way").waitFor({ state: "attached" });
    assert.equal(await part("way").count(), 1);
    await box.fill("How do I bake bread?");
    await box.press("Enter");
    await page.waitForFunction(() =>
      /do not say/.test(
        document.querySelector("pocketgraph-ask").shadowRoot.querySelector("[part=answer]").innerText,
      ),
    );
    assert.equal(await part("way").count(), 0, "where nothing was planned there is no way to tell of");
    await box.fill("heat");
    await page.waitForFunction(
      () =>
        document.querySelector("pocketgraph-ask").shadowRoot.querySelector("[part=results]").innerText === "",
    );
    await assertClean(page);
    await page.context().close();
  },
);

test("a passage that is opened right behind the closing of another is read", async () => {
  const { page, part } = await mounted({ model: "off" });
  await page.evaluate(async () => {
    const element = document.querySelector("pocketgraph-ask");
    await element.load();
    await element.openPassage(0);
    const dialog = element.shadowRoot.querySelector("[part=passage]");
    dialog.close();
    // The event of the closing may come when the other is open.
    dialog.showModal = () => (
      HTMLDialogElement.prototype.showModal.call(dialog),
      dialog.dispatchEvent(new Event("close"))
    );
    await element.openPassage(1);
  });
  await part("passage-body").waitFor();
  assert.ok(
    await page.evaluate(
      () => document.querySelector("pocketgraph-ask").shadowRoot.querySelector("[part=passage]").open,
    ),
  );
  await page.context().close();
});
