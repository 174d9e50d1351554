// The component's words in the languages that it speaks.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as languages from "../../pkg/ask-languages.js";
import { ENGLISH, FOR_READERS, LANGUAGES } from "../../pkg/ask-strings.js";
import { NOTICES } from "../../pkg/notices.js";
import { QUOTED_WORDS } from "../../pkg/render.js";

test("every language has every word, and every notice that concerns readers", () => {
  const words = { ...ENGLISH, ...QUOTED_WORDS, ...Object.fromEntries(FOR_READERS.map((code) => [code, NOTICES[code]])) };
  const marks = (text) => (typeof text === "object" ? "{n}" : (text.match(/\{\w+\}/g) ?? []).sort().join());
  const lacks = (language, name) => !languages[language][name] || marks(languages[language][name]) !== marks(words[name]);
  for (const language of LANGUAGES) {
    assert.deepEqual(Object.keys(words).filter((name) => lacks(language, name)), [], language);
  }
});
