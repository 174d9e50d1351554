// The questions that the component keeps, where another script of the origin wrote into the same storage.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AskMemory } from "../../pkg/ask-memory.js";

test("whatever another script wrote into the storage is a short list of short texts", () => {
  const stored = new Map();
  const setItem = (key, value) => stored.set(key, value);
  globalThis.localStorage = { getItem: (key) => stored.get(key) ?? null, setItem };
  const memory = new AskMemory("https://x.example/bundle/", () => true);
  const key = "pocketgraph-questions https://x.example/bundle/";
  const lists = [
    '{"recent":7,"starred":{"length":9}}',
    '{"__proto__":{"recent":["x"]}}',
    '{"recent":[[],{},null,7]}',
  ];
  for (const text of ["", "null", "7", "[]", "{", ...lists]) {
    stored.set(key, text);
    assert.deepEqual(memory.read(), { recent: [], starred: [] }, text);
  }
  const many = Array.from({ length: 100_000 }, (_, at) => `question ${at}`);
  stored.set(key, JSON.stringify({ recent: ["x".repeat(1e6), ...many], starred: [...many, {}] }));
  assert.deepEqual([memory.read().recent.length, memory.read().starred.length], [5, 20]);
  assert.equal(memory.read().recent[0], "question 0");
  memory.add("mine");
  assert.deepEqual(memory.read().recent.slice(0, 2), ["mine", "question 0"]);
  delete globalThis.localStorage;
});
