// The tools that a page offers to an agent in the browser, with a stand-in for the browser's part.

import assert from "node:assert/strict";
import { test } from "node:test";
import { offerTools } from "../../pkg/agent-tools.js";

const hit = { title: "Tides", headingPath: ["Neap"], url: "https://x.example/tides.html#neap", text: "The range is least.", chunk: 3 };
const graph = {
  asked: [],
  async search(question, options) {
    this.asked.push([question, options]);
    return { hits: [hit] };
  },
  async *ask(question) {
    yield { type: "hits" };
    yield { type: "done", answer: { text: `of ${question}`, citations: [{ number: 1, title: "Tides", url: hit.url, quote: "least", target: { type: "chunk", chunk: 3 } }] } };
  },
};

function browser() {
  const tools = new Map();
  return {
    tools,
    registerTool(tool) {
      if (tools.has(tool.name)) throw new Error("there is one");
      tools.set(tool.name, tool);
    },
    unregisterTool: (name) => tools.delete(name),
  };
}

const said = ({ content: [{ type, text }] }) => (assert.equal(type, "text"), JSON.parse(text));

test("an agent searches and asks by the tools, with addresses and citations", async () => {
  const context = browser();
  offerTools(async () => graph, { context, site: "Harbour" });
  const [search, ask] = context.tools.values();
  assert.deepEqual([search.name, ask.name, search.inputSchema.required], ["search_documents", "ask_documents", ["question"]]);
  assert.match(search.description, /Harbour/);
  assert.deepEqual(said(await search.execute({ question: "neap" })), [{ title: "Tides", headings: ["Neap"], url: hit.url, text: hit.text }]);
  assert.deepEqual(said(await ask.execute({ question: "neap" })), { text: "of neap", citations: [{ number: 1, title: "Tides", url: hit.url, quote: "least" }] });
  await search.execute({ question: "x", k: 1e9 });
  assert.deepEqual(graph.asked.at(-1), ["x", { k: 50 }]);
});

test("what goes wrong is told to the agent and thrown at nobody", async () => {
  const context = browser();
  offerTools(() => Promise.reject(new Error("the bundle is not there")), { context });
  for (const tool of context.tools.values()) {
    assert.deepEqual(await tool.execute({ question: "x" }), { content: [{ type: "text", text: "the bundle is not there" }], isError: true });
  }
  offerTools(async () => graph, { context: browser() });
  const other = browser();
  offerTools(async () => graph, { context: other });
  for (const given of [{}, { question: " " }, undefined]) assert.equal((await other.tools.get("search_documents").execute(given)).isError, true);
});

test("tools are taken back, a second component offers none twice, and a browser without them is left alone", () => {
  const context = browser();
  const withdraw = offerTools(async () => graph, { context });
  offerTools(async () => graph, { context });
  assert.equal(context.tools.size, 2);
  withdraw();
  assert.equal(context.tools.size, 0);
  offerTools(async () => graph, { context: undefined })();
  offerTools(async () => graph, { context: {} })();
  let provided = null;
  const older = { provideContext: (given) => (provided = given), clearContext: () => (provided = null) };
  const clear = offerTools(async () => graph, { context: older });
  assert.equal(provided.tools.length, 2);
  clear();
  assert.equal(provided, null);
});
