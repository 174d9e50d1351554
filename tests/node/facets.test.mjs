// What a reader may choose among, of what a bundle's documents have.

import assert from "node:assert/strict";
import { test } from "node:test";
import { choices, facetsOf, fieldsOf, pageFilter, summed, summedFields } from "../../pkg/facets.js";

const of = (kind, counts) =>
  Object.entries(counts).map(([value, documents]) => ({ of: kind, value, documents }));

test("one value is no choice, and documents without a language are none", () => {
  assert.deepEqual(
    choices([
      ...of("language", { "": 3, en: 9 }),
      ...of("version", { "": 12 }),
      ...of("folder", { docs: 12 }),
    ]),
    { language: [], version: [], folder: [] },
  );
});

test("versions are offered newest first, those that name none before them, a release's notes not at all", () => {
  const facets = [
    ...of("language", { en: 40 }),
    ...of("version", { "": 10, 1.9: 9, "1.10": 9, "2.0": 9, latest: 2, 0.1: 1 }),
  ];
  assert.deepEqual(choices(facets).version, ["", "latest", "2.0", "1.10", "1.9"]);
});

test("folders are offered just below what all share, and not what a language or a version is", () => {
  const shared = of("folder", {
    docs: 20,
    "docs/guides": 8,
    "docs/guides/deep": 4,
    "docs/api": 7,
    "docs/2.0": 3,
    "docs/de": 2,
    "docs/one": 1,
  });
  const facets = [...of("language", { en: 18, de: 2 }), ...of("version", { "": 17, "2.0": 3 }), ...shared];
  assert.deepEqual(choices(facets).folder, ["docs/api", "docs/guides"]);
});

test("facets of several bundles are those of one, counted together", () => {
  assert.deepEqual(
    summed([...of("language", { en: 2 }), ...of("language", { en: 3, de: 1 })]),
    of("language", { en: 5, de: 1 }),
  );
});

test("facets are counted of documents in lines, a folder for each document below it", () => {
  const found = facetsOf("de\t\tdocs/a/x.html\nen\t2.0\tdocs/2.0/y.html\n");
  const folders = of("folder", { docs: 2, "docs/2.0": 1, "docs/a": 1 });
  assert.deepEqual(found, [
    ...folders,
    ...of("language", { de: 1, en: 1 }),
    ...of("version", { "": 1, "2.0": 1 }),
  ]);
  assert.deepEqual(facetsOf(""), []);
});

test("own fields count the documents of each value: words by frequency, numbers and dates by size", () => {
  const lines =
    "author\tword\tAnn\nprice\tnumber\t12\nprice\tnumber\t9.5\nauthor\tword\tBob\nauthor\tword\tBob\n" +
    "price\tnumber\t9.5\n";
  const counted = (all) => Object.entries(all).map(([value, documents]) => ({ value, documents }));
  const author = { name: "author", kind: "word", values: counted({ Bob: 2, Ann: 1 }) };
  const price = { name: "price", kind: "number", values: counted({ 9.5: 2 }).concat(counted({ 12: 1 })) };
  assert.deepEqual(fieldsOf(lines), [author, price]);
  assert.deepEqual(fieldsOf(""), []);
  const [joined] = summedFields([author, { ...author, kind: "words", values: counted({ Ann: 3 }) }]);
  assert.deepEqual(joined, { name: "author", kind: "words", values: counted({ Ann: 4, Bob: 2 }) });
});

test("a page is found at its address however hosts write it, and folders below it are other pages", () => {
  const lines = "en\t\tguide/\nen\t\tguide/install.html\nen\t\tcaf%C3%A9/index.html\n";
  const found = (path) => pageFilter(lines, `https://x.example${path}`)?.folder ?? null;
  assert.deepEqual(["/guide/", "/guide", "/guide/index.html"].map(found), Array(3).fill("guide//"));
  const spellings = ["/guide/install", "/guide/install.html?a=b#c", "/guide/install/"];
  assert.deepEqual(spellings.map(found), Array(3).fill("guide/install.html"));
  assert.deepEqual(["/café/", "/caf%C3%A9"].map(found), Array(2).fill("caf%C3%A9/index.html"));
  assert.deepEqual(["/", "/other", "/a/guide", "/%E0%A4%A"].map(found), Array(4).fill(null));
});
