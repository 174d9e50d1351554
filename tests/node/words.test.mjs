// The component's words in the languages that it speaks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ANSWER_WORDS } from "../../pkg/ask-answer-words.js";
import * as languages from "../../pkg/ask-languages.js";
import { ENGLISH, LANGUAGES } from "../../pkg/ask-strings.js";

test("every language has every word, and every notice that concerns readers", () => {
  const words = { ...ENGLISH, ...ANSWER_WORDS };
  const marks = (text) => (typeof text === "object" ? "{n}" : (text.match(/\{\w+\}/g) ?? []).sort().join());
  const lacks = (language, name) =>
    !languages[language][name] || marks(languages[language][name]) !== marks(words[name]);
  for (const language of LANGUAGES) {
    assert.deepEqual(
      Object.keys(words).filter((name) => lacks(language, name)),
      [],
      language,
    );
  }
});
