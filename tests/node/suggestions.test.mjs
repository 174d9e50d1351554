// Continuations of what is typed in the component's dialog.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Suggestions } from "../../pkg/ask-suggestions.js";

const hit = (title, ...headingPath) => ({ title, headingPath });

test("questions come before headings of earlier hits, each once", () => {
  const suggestions = new Suggestions();
  suggestions.suggest("headers", [], [hit("Hosting a bundle", "Which headers?")]);
  suggestions.suggest("compress", [], [hit("Hosting a bundle", "Hosts that compress")]);
  const questions = ["How do hosts compress?", "Where is the key?"];
  const both = ["How do hosts compress?", "Hosts that compress"];
  assert.deepEqual(suggestions.suggest("hos", questions, []), [both[0], "Hosting a bundle", both[1]]);
  assert.deepEqual(suggestions.suggest("hosts com", questions, []), both);
});

test("what is written, or shown as a hit, is not suggested", () => {
  const suggestions = new Suggestions();
  suggestions.suggest("headers", [], [hit("Hosting", "Headers")]);
  assert.deepEqual(suggestions.suggest("hosting", [], []), []);
  assert.deepEqual(suggestions.suggest("host", [], [hit("Hosting")]), []);
  assert.deepEqual(suggestions.suggest("h", [], []), []);
  assert.deepEqual(suggestions.suggest("?!", ["Hosting?"], []), []);
});

test("hits that are ranked anew suggest nothing of the ranking before", () => {
  const suggestions = new Suggestions();
  suggestions.suggest("host", [], [hit("Hosting", "Headers")]);
  assert.deepEqual(suggestions.suggest("host", [], [hit("Caching")]), []);
  assert.deepEqual(suggestions.suggest("head", [], [hit("Other")]), []);
  assert.deepEqual(suggestions.suggest("cach", [], [hit("Other")]), ["Caching"]);
});

test("letters are compared without marks, in any script", () => {
  const suggestions = new Suggestions();
  assert.deepEqual(suggestions.suggest("reglage", ["Où sont les réglages ?"], []), [
    "Où sont les réglages ?",
  ]);
  assert.deepEqual(suggestions.suggest("ключ", ["Где хранится ключ?"], []), ["Где хранится ключ?"]);
});
