// What a hit shows of its passage (pkg/render.js).

import assert from "node:assert/strict";
import test from "node:test";
import { excerptWindow } from "../../pkg/render.js";

const TABLE =
  "option | type | meaning\nonProgress | function | Called while bytes arrive.\nmemoryLimit | number | The " +
  "most bytes that loaded data may take up.";
const BEFORE = "PocketGraph.open loads the engine and the bundle's manifest, nothing else.";
const AFTER = "Unknown options are errors.";
const TEXT = `${BEFORE}\n\n${TABLE}\n\n${AFTER}`;

const shown = (text, words, length) => {
  const spans = words.map((word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length }));
  const { start, end } = excerptWindow(text, spans, length);
  return text.slice(start, end);
};

test("a mark in a table shows its row alone", () => {
  assert.equal(
    shown(TEXT, ["memoryLimit"]),
    "memoryLimit | number | The most bytes that loaded data may take up.",
  );
});

test("of a table's rows the one with the most marks is shown, and of equals not the header", () => {
  assert.equal(
    shown(TEXT, ["option", "memoryLimit"]),
    "memoryLimit | number | The most bytes that loaded data may take up.",
  );
  assert.equal(
    shown(TEXT, ["onProgress", "bytes", "memoryLimit"]),
    "onProgress | function | Called while bytes arrive.",
  );
});

test("a mark before or behind a table shows no row of it", () => {
  assert.equal(shown(TEXT, ["manifest"]), BEFORE);
  assert.equal(shown(TEXT, ["errors"]), AFTER);
  assert.equal(shown(TEXT, []), BEFORE);
});

test("a long row is cut around its marks, at white space", () => {
  const row = `name | ${"many words of no interest ".repeat(12)}needle${" and more of them".repeat(12)}`;
  const found = shown(`head | text\n${row}`, ["needle"], 180);
  assert.ok(found.includes("needle") && found.length < 220, found);
  assert.ok(row.includes(found), "nothing of another row");
});

test("one bar in a line of prose or code makes no table", () => {
  const text = "Run cat notes.txt | sort to see them in order.\nThen delete what is old.";
  assert.equal(shown(text, ["sort"]), text);
});

test("without a table the stretch holds the most marks", () => {
  const text = `${"first words ".repeat(40)}one mark. ${"between ".repeat(60)}two marks are here together.`;
  const found = shown(text, ["one mark", "two marks", "here together"], 180);
  assert.ok(
    found.includes("two marks") && found.includes("here together") && !found.includes("one mark"),
    found,
  );
});

test("an empty passage, a table alone and a table of empty cells are shown whole or by a row", () => {
  assert.equal(shown("", []), "");
  assert.equal(shown(TABLE, []), "option | type | meaning");
  assert.equal(shown("\n\n | \n | \n\n", []), "\n\n | \n | \n\n");
});
