// The options of calls, checked against the table that is written of the Rust types.

import assert from "node:assert/strict";
import { test } from "node:test";
import { askOptions, checkOpenOptions, searchOptions } from "../../pkg/options.js";
import { OPTIONS, READ_BY } from "../../pkg/option-table.js";

const CHECKS = {
  open: checkOpenOptions,
  search: searchOptions,
  ask: askOptions,
  plan: (given) => askOptions(given, "plan"),
  execute: (given) => askOptions(given, "execute"),
};
const GROUPS = {
  open: ["open"],
  search: ["ranking", "search"],
  ask: ["ranking", "answering"],
  plan: ["ranking", "answering"],
  execute: ["ranking", "answering", "execute"],
};
const LLM = { baseUrl: "https://llm.example/v1", model: "m" };
const OWN = {
  onProgress() {},
  worker: "auto",
  prefetch: true,
  retriever: "autokg:10/5/2/3/1",
  llm: LLM,
  history: [],
  protocol: "react",
  tools: [],
  prompts: {},
  webSearch: "https://s.example/",
  filter: { language: "de" },
};
const EXAMPLES = {
  positive: [3, 0],
  whole: [0, -1],
  number: [0.5, "half"],
  flag: [false, "no"],
  text: ["text", 3],
};

const refused = (call, given) => {
  try {
    CHECKS[call](given);
    return "";
  } catch (error) {
    assert.equal(error.code, "bad-argument");
    return error.message;
  }
};

test("every option of the table is taken by its calls, and reaches the engine by its own name", () => {
  for (const [call, groups] of Object.entries(GROUPS)) {
    for (const [name, kind] of groups.flatMap((group) => Object.entries(OPTIONS[group]))) {
      const [good, bad] = Array.isArray(kind)
        ? [kind.at(-1), "none of them"]
        : kind
          ? EXAMPLES[kind]
          : [OWN[name]];
      assert.notEqual(good, undefined, `no example of ${name}`);
      const readers = READ_BY[name] ?? [""];
      if (call === "plan" || call === "execute") {
        if (READ_BY[name] && !readers.includes("plan")) {
          assert.match(
            refused(call, { [name]: good }),
            /is an option of `[a-z0-9-]+`(, `[a-z0-9-]+`)*, and not of `plan`\./,
          );
          continue;
        }
      }
      const how = call === "ask" && readers[0] ? { protocol: readers[0] } : {};
      const given = CHECKS[call]({ ...how, [name]: good });
      if (kind && call !== "open") assert.deepEqual(given[name], good, `${call} drops ${name}`);
      if (kind)
        assert.match(refused(call, { [name]: bad }), new RegExp(`\`${name}\` is `), `${call} ${name}`);
    }
  }
});

test("an option of another call is an error that names the call", () => {
  assert.match(
    refused("search", { planner: "rules" }),
    /`search` has no option `planner`: it is one of `ask`\./,
  );
  assert.match(refused("ask", { perPage: 3 }), /it is one of `search`/);
  assert.match(refused("ask", { question: "why?" }), /it is one of `execute`/);
  assert.match(refused("search", { memoryLimit: 1 }), /it is one of `open`/);
  assert.match(refused("ask", { baseUrl: "https://x" }), /it is one of `llm`/);
});

test("an option that the protocol does not read is an error that names those that do", () => {
  assert.match(
    refused("ask", { protocol: "react", votes: 3 }),
    /`votes` is an option of `lpkg`, and not of `react`\./,
  );
  assert.match(
    refused("ask", { condense: "none" }),
    /is an option of `search-o1`, and not of an answer without a protocol\./,
  );
  assert.match(
    refused("ask", { protocol: "react", hideContacts: true }),
    /is an option of an answer without a protocol, `plan`, and not of `react`\./,
  );
  assert.equal(refused("ask", { protocol: "react", votes: undefined, condense: null, turns: 3 }), "");
});

test("an option that does not exist is an error that names the nearest", () => {
  assert.match(refused("ask", { temprature: 1 }), /Did you mean `temperature`\?/);
  assert.match(
    refused("ask", { maxTokensOut: 1, llm: LLM }),
    /`ask` has no option `maxTokensOut`\. Did you mean `maxTokens`\?/,
  );
  assert.match(
    refused("ask", { llm: { ...LLM, apikey: "k" } }),
    /`llm` has no option `apikey`\. Did you mean `apiKey`\?/,
  );
  assert.match(refused("open", { constructor: 1 }), /`open` has no option `constructor`/);
});

test("a filter is checked member by member", () => {
  assert.deepEqual(searchOptions({ filter: { language: "de", version: undefined } }).filter, {
    language: "de",
  });
  assert.deepEqual(askOptions({ filter: { version: "" } }).filter, { version: "" });
  const own = { fields: ["author=Ann", "price=..20"], boost: "type=guide", boostBy: 3, sort: "-date" };
  assert.deepEqual(searchOptions({ filter: own }).filter, { ...own, boost: ["type=guide"] });
  assert.match(refused("search", { filter: { boostBy: 0 } }), /`boostBy` is a positive whole number/);
  assert.match(
    refused("search", { filter: { langauge: "de" } }),
    /`filter` has no option `langauge`\. Did you mean `language`\?/,
  );
  assert.match(refused("ask", { filter: { folder: 2 } }), /`folder` is a text/);
  assert.match(refused("ask", { filter: "de" }), /`filter` is an object/);
  assert.match(refused("search", { version: "2.0" }), /it is one of `filter`/);
});
