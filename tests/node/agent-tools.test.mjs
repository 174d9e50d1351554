// The tools that a page offers to an agent in the browser, with a stand-in for the browser's part.

import assert from "node:assert/strict";
import { test } from "node:test";
import { offerTools } from "../../pkg/agent-tools.js";

const hit = {
  title: "Tides",
  headingPath: ["Neap"],
  url: "https://x.example/tides.html#neap",
  text: "The range is least.",
  chunk: 3,
};
const graph = {
  asked: [],
  async search(question, options) {
    this.asked.push([question, options]);
    return { hits: [hit] };
  },
  async *ask(question) {
    yield { type: "hits" };
    yield {
      type: "done",
      answer: {
        text: `of ${question}`,
        citations: [
          { number: 1, title: "Tides", url: hit.url, quote: "least", target: { type: "chunk", chunk: 3 } },
        ],
      },
    };
  },
};

function browser() {
  const tools = new Map();
  return {
    tools,
    async registerTool(tool, { signal }) {
      if (tools.has(tool.name)) throw new DOMException("there is one", "InvalidStateError");
      tools.set(tool.name, tool);
      signal.addEventListener("abort", () => tools.delete(tool.name));
    },
  };
}

const said = ({ content: [{ type, text }] }) => (assert.equal(type, "text"), JSON.parse(text));

test("an agent searches and asks by the tools, with addresses and citations", async () => {
  const context = browser();
  const withdraw = offerTools(async () => graph, { context, site: "Harbour" });
  const [search, ask] = context.tools.values();
  assert.deepEqual(
    [search.name, ask.name, search.inputSchema.required],
    ["search_documents", "ask_documents", ["question"]],
  );
  assert.match(search.description, /Harbour/);
  assert.deepEqual(said(await search.execute({ question: "neap" })), [
    { title: "Tides", headings: ["Neap"], url: hit.url, text: hit.text },
  ]);
  assert.deepEqual(said(await ask.execute({ question: "neap" })), {
    text: "of neap",
    citations: [{ number: 1, title: "Tides", url: hit.url, quote: "least" }],
  });
  const { signal } = new AbortController();
  await search.execute({ question: "x", k: 1e9 }, { signal });
  assert.deepEqual(graph.asked.at(-1), ["x", { k: 50, signal }]);
  await search.execute({ question: "x", k: "3" });
  assert.deepEqual(graph.asked.at(-1), ["x", { k: 3, signal: undefined }]);
  withdraw();
});

test("what goes wrong is told to the agent and thrown at nobody", async () => {
  const context = browser();
  const withdraw = offerTools(() => Promise.reject(new Error("the bundle is not there")), { context });
  for (const tool of context.tools.values()) {
    assert.deepEqual(await tool.execute({ question: "x" }), {
      content: [{ type: "text", text: "the bundle is not there" }],
      isError: true,
    });
  }
  withdraw();
  const other = browser();
  const withdrawOther = offerTools(async () => graph, { context: other });
  for (const given of [{}, { question: " " }, undefined])
    assert.equal((await other.tools.get("search_documents").execute(given)).isError, true);
  withdrawOther();
});

test("tools are taken back, each component has its own, and a browser without them is left alone", async () => {
  const context = browser();
  const names = () => [...context.tools.keys()];
  const withdraw = offerTools(async () => graph, { context });
  const withdrawSecond = offerTools(async () => graph, { context });
  assert.deepEqual(names(), ["search_documents", "ask_documents", "search_documents_2", "ask_documents_2"]);
  withdraw();
  assert.deepEqual(names(), ["search_documents_2", "ask_documents_2"]);
  const withdrawThird = offerTools(async () => graph, { context });
  assert.deepEqual(names().slice(2), ["search_documents", "ask_documents"], "a name is free again");
  withdrawSecond();
  withdrawThird();
  assert.equal(context.tools.size, 0);
  await context.registerTool({ name: "ask_documents" }, new AbortController());
  offerTools(async () => graph, { context })();
  assert.deepEqual(names(), ["ask_documents"], "a tool of the page stays");
  offerTools(async () => graph, { context: undefined })();
  offerTools(async () => graph, { context: {} })();
});

test("an agent is given no address that a page would not open", async () => {
  const context = browser();
  const hostile = [
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "http://[",
    "blob:https://x/1",
  ];
  const citations = hostile.map((url, at) => ({ number: at, title: "", url, quote: "" }));
  const withdraw = offerTools(
    async () => ({
      search: async () => ({ hits: hostile.map((url) => ({ ...hit, url })) }),
      async *ask() {
        yield { type: "done", answer: { text: "", citations } };
      },
    }),
    { context },
  );
  const [search, ask] = context.tools.values();
  assert.deepEqual(
    said(await search.execute({ question: "x" })).map(({ url }) => url),
    hostile.map(() => null),
  );
  assert.deepEqual(
    said(await ask.execute({ question: "x" })).citations.map(({ url }) => url),
    hostile.map(() => null),
  );
  withdraw();
});

test("whatever an agent passes brings a result or an error in words", async () => {
  const context = browser();
  const withdraw = offerTools(async () => graph, { context });
  const search = context.tools.get("search_documents");
  const wrong = [null, 7, "x", [], { question: 7 }, { question: ["x"] }, { question: "x", k: 7n }];
  for (const given of [...wrong, { question: { toString: () => "x" } }]) {
    const result = await search.execute(given);
    assert.equal(result.isError, true, String(given));
    assert.equal(typeof result.content[0].text, "string");
  }
  for (const k of [-1, 0, Number.NaN, Infinity, "", "many", null, [], {}, true, 1e300]) {
    assert.ok(said(await search.execute({ question: "x", k })).length > 0);
    assert.ok(graph.asked.at(-1)[1].k >= 1 && graph.asked.at(-1)[1].k <= 50, String(k));
  }
  withdraw();
});
