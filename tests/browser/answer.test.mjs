// Answers written by an LLM: streamed, checked, stopped, and every way in which an endpoint fails.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { beforeEach, test } from "node:test";
import {
  ask,
  askAndRead,
  assertClean,
  FAILED_LOAD,
  harness,
  OPENS,
  openWay,
  part,
  PASSAGE,
  QUESTION,
  use,
  useLlm,
  written,
} from "./harness.mjs";
import { strictPolicy } from "./server.mjs";

const t = harness();
beforeEach(() => {
  Object.assign(t.llm, {
    behaviour: "stream",
    text: "A keyword graph joins keywords [1].",
    gone: 0,
    script: [],
    bears: false,
  });
  t.llm.requests.length = 0;
});

const TEXT = part("answer-text");
const STOP = part("stop");
/** What the page says of a model that failed. */
const TROUBLE = "#trouble:not([hidden])";
const notes = async (page) => (await page.locator(part("answer-note")).allInnerTexts()).join("\n");

async function openWithLlm(options) {
  const page = await t.open();
  await useLlm(page, t.llm, options);
  return page;
}

/** A sentence of the first passage, so that what the endpoint says can be confirmed there. */
async function sentenceOfFirstPassage(page) {
  return use(
    page,
    async ({ PocketGraph }, question) => {
      const graph = await PocketGraph.open("/bundle/");
      const { hits } = await graph.search(question);
      await graph.close();
      const sentences = hits[0].text.match(/[A-Z][^.!?\n]{30,}[.!?]/g) ?? [hits[0].text];
      return sentences[0];
    },
    QUESTION,
  );
}

test("the settings say how long an answer may take, and how long a reply may be", async () => {
  const page = await openWithLlm();
  await page.click("#settings-button");
  await page.fill("#llm-tokens", "0");
  await page.click("#settings button[type=submit]");
  assert.match(await page.locator(".form-problem").innerText(), /Between 1 and/);
  await page.fill("#llm-tokens", "77");
  await page.fill("#llm-seconds", "2");
  await page.click("#settings button[type=submit]");
  await page.locator("#settings").waitFor({ state: "hidden" });
  t.llm.behaviour = "stall";
  await ask(page);
  await page.locator(TROUBLE).waitFor({ timeout: 15_000 });
  assert.match(await page.locator(TROUBLE).innerText(), /cut before its first sentence had ended/);
  assert.equal(t.llm.requests[0].body.max_tokens, 77);
  await page.context().close();
});

test("a written answer is streamed; confirmed and dangling citations are told apart", async () => {
  const page = await openWithLlm({ key: "secret-key-1" });
  const sentence = await sentenceOfFirstPassage(page);
  t.llm.text = `${sentence.replace(/[.!?]$/, "")} [1].\n\nIt is **also** said elsewhere [99].`;
  await ask(page);
  await written(page);
  assert.equal(await page.locator(`${TEXT} [part="citation"]`).count(), 1);
  assert.equal(await page.locator(`${TEXT} [part~="unverified"]`).innerText(), "99!");
  assert.equal(await page.locator(`${TEXT} strong`).innerText(), "also");
  assert.match(await notes(page), /refers to no passage/i);

  const request = t.llm.requests.at(-1);
  assert.equal(request.authorization, "Bearer secret-key-1");
  assert.equal(request.body.model, "small-model");
  assert.equal(request.body.stream, true);
  assert.match(JSON.stringify(request.body.messages), /difference between a keyword graph/);

  await page.locator(OPENS).first().click();
  await page.locator(`${PASSAGE} mark`).first().waitFor();
  await page.keyboard.press("Escape");
  await assertClean(page);
  await page.context().close();
});

test("the quoted answer stands while the endpoint is waited for", async () => {
  t.llm.behaviour = "silent";
  const page = await openWithLlm();
  await ask(page);
  await page.locator(OPENS).first().waitFor();
  assert.equal(await page.locator(STOP).isVisible(), true);
  await page.click(STOP);
  await page.locator(STOP).waitFor({ state: "detached" });
  assert.ok((await page.locator(OPENS).count()) > 0);
  assert.match(await notes(page), /quoted/i);
  await assertClean(page);
  await page.context().close();
});

const nobodyWrote = (page) =>
  page.waitForFunction(() => window.part("answer-text")?.textContent.includes("nobody wrote"));

test("Stop ends a written answer, keeps what was written, and hangs up on the endpoint", async () => {
  t.llm.behaviour = "slow";
  t.llm.text = "Zebra words nobody wrote in the handbook before this very test";
  const page = await openWithLlm();
  await ask(page);
  await nobodyWrote(page);
  await page.click(STOP);
  await page.locator(STOP).waitFor({ state: "detached" });
  assert.match(await notes(page), /stopped/i);
  const text = await page.locator(TEXT).innerText();
  assert.match(text, /nobody wrote/);
  await page.waitForTimeout(300);
  assert.equal(await page.locator(TEXT).innerText(), text);
  assert.ok(t.llm.gone > 0, "the endpoint saw the client leave");
  await assertClean(page);
  await page.context().close();
});

test("what was written before Stop is still there when the query model arrives afterwards", async () => {
  t.llm.behaviour = "slow";
  t.llm.text = "Zebra words nobody wrote in the handbook before this very test";
  const page = await openWithLlm();
  t.site.faults.set("/bundle/layers", { kind: "delay", ms: 8000 });
  await ask(page);
  await nobodyWrote(page);
  await page.click(STOP);
  await page.locator(STOP).waitFor({ state: "detached" });
  const text = await page.locator(TEXT).innerText();
  const byModel = () => window.heard.some(([type, stage]) => type === "result" && stage === "model");
  assert.equal(await page.evaluate(byModel), false, "the model is still on its way");
  await page.waitForFunction(byModel, null, { timeout: 60_000 });
  await page.waitForTimeout(500);
  assert.equal(await page.locator(TEXT).innerText(), text);
  assert.match(await notes(page), /stopped/i);
  await page.context().close();
});

test("a new question stops the answer to the old one", async () => {
  t.llm.behaviour = "slow";
  const page = await openWithLlm();
  await ask(page);
  await page.waitForFunction(() => / word\d/.test(window.part("answer-text")?.textContent));
  Object.assign(t.llm, {
    behaviour: "stream",
    text: "The question is embedded, matched and answered in the browser.",
    bears: false,
  });
  await ask(page, "what leaves my machine when I ask a question?");
  await page.waitForFunction(() =>
    window.part("answer-text")?.textContent.startsWith("The question is embedded, matched"),
  );
  await written(page);
  await page.waitForTimeout(300);
  assert.ok(t.llm.gone > 0, "the endpoint saw the client leave");
  await page.context().close();
});

test("by a protocol the model searches while it answers, and its steps are shown", async () => {
  t.llm.script = [
    "<think>I must look.</think>\n<search>how are citations checked</search>",
    "<think>Enough.</think>\n<answer>Each citation of a written answer is compared with its passage " +
      "[1].</answer>",
  ];
  const page = await openWithLlm({ protocol: "search-r1" });
  await ask(page);
  await page
    .locator(`${part("way-steps")} li`, { hasText: "how are citations checked" })
    .waitFor({ state: "attached" });
  await written(page, 20_000);
  assert.match(await page.locator(TEXT).innerText(), /^Each citation of a written answer is compared/);
  // Beneath it stands what the documents state, with a citation of its own.
  assert.equal(await page.locator(`${TEXT} [part~="citation"]`).count(), 1);
  await openWay(page);
  assert.equal(
    await page.locator(`${part("way-steps")} li`, { hasText: "how are citations checked" }).isVisible(),
    true,
  );
  assert.equal(t.llm.requests.length, 2);
  assert.match(JSON.stringify(t.llm.requests[1].body.messages), /information/, "what was found is sent back");
  await page.locator(OPENS).first().click();
  await page.locator(PASSAGE).waitFor({ state: "visible" });
  await assertClean(page);
  await page.context().close();
});

test("an endpoint that says 429 once is asked again", async () => {
  t.llm.behaviour = "429-then-stream";
  const page = await openWithLlm();
  await ask(page);
  await written(page);
  assert.ok(t.llm.requests.length >= 2);
  await assertClean(page, FAILED_LOAD);
  await page.context().close();
});

const FAILURES = [
  ["429", /limiting requests/i],
  ["500", /endpoint failed.*500/is],
  ["401", /refused the key/i],
  ["truncated", /broke off|ended/i],
  ["malformed", /not a chat stream|not JSON/i],
  ["html", /not a chat stream|not JSON|broke off/i],
];

for (const [behaviour, message] of FAILURES) {
  test(`an endpoint that fails (${behaviour}) is reported, and the quoted answer stays`, async () => {
    Object.assign(t.llm, {
      behaviour,
      text: "A keyword graph joins keywords by how many passages they share, and so on [1].",
    });
    const page = await openWithLlm();
    await ask(page);
    const trouble = page.locator(TROUBLE);
    await trouble.waitFor({ timeout: 45_000 });
    assert.match(await trouble.innerText(), message);
    assert.match(await notes(page), /language model[^]*what the documents say[^]*quoted/i);
    assert.ok((await page.locator(`${TEXT} [part="citation"]`).count()) > 0);
    assert.equal(await page.locator(STOP).count(), 0);

    t.llm.behaviour = "stream";
    await page.click(part("again"));
    await written(page);
    assert.equal(await trouble.isVisible(), false);
    await assertClean(page, FAILED_LOAD);
    await page.context().close();
  });
}

test(
  "of an endpoint that cannot be reached it is told why: the page's policy, the endpoint's rule on " +
    "origins, or nothing that answers",
  async () => {
    const silent = createServer((_, response) => response.end());
    await new Promise((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const own = `http://127.0.0.1:${silent.address().port}`;
    const policy = t.site.policy;
    const told = async (allowed) => {
      t.site.policy = allowed ? strictPolicy(own) : policy;
      const page = await t.open();
      await useLlm(page, { url: `${own}/v1` });
      await ask(page);
      const trouble = page.locator(TROUBLE);
      await trouble.waitFor({ timeout: 45_000 });
      assert.ok((await page.locator(`${TEXT} [part="citation"]`).count()) > 0);
      const text = await trouble.innerText();
      await page.context().close();
      return text;
    };
    try {
      assert.match(await told(false), /policy[^]*connect-src/);
      assert.match(await told(true), /CORS[^]*Access-Control-Allow-Origin/);
      await new Promise((resolve) => silent.close(resolve));
      assert.match(await told(true), /nothing answers/);
    } finally {
      t.site.policy = policy;
      silent.close();
    }
  },
);

test("without an endpoint nothing is sent anywhere but to the page's own host", async () => {
  const page = await t.open();
  const foreign = [];
  page.on(
    "request",
    (request) => new URL(request.url()).origin === new URL(t.site.url).origin || foreign.push(request.url()),
  );
  await askAndRead(page);
  await page.waitForTimeout(500);
  assert.deepEqual(foreign, []);
  assert.equal(t.llm.requests.length, 0);
  assert.ok(
    t.site.requests.every((path) => !/keyword%20graph|keyword\+graph/.test(path)),
    "the question is in no request",
  );
  await page.context().close();
});

test("the settings refuse what cannot work, and forget the endpoint when told to", async () => {
  const page = await t.open();
  await page.click("#settings-button");
  await page.fill("#llm-url", "ftp://example.org");
  await page.click("#settings button[type=submit]");
  assert.match(await page.locator(".form-problem").innerText(), /https/);
  await page.fill("#llm-url", t.llm.url);
  await page.click("#settings button[type=submit]");
  assert.match(await page.locator(".form-problem").innerText(), /model/i);
  await page.fill("#llm-model", "small-model");
  await page.click("#settings button[type=submit]");
  assert.match(await page.locator("#settings-button").innerText(), /small-model/);
  await page.click("#settings-button");
  await page.getByRole("button", { name: "Forget the endpoint" }).click();
  assert.match(await page.locator("#settings-button").innerText(), /quoted/);
  await assertClean(page);
  await page.context().close();
});
