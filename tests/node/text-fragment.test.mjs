// Text directives: what survives the way from a passage to its page, and how it is written.

import assert from "node:assert/strict";
import { test } from "node:test";
import { quotedUrl, textDirective } from "../../pkg/text-fragment.js";

const terms = (text, span) => decodeURIComponent(textDirective(text, span));

test("a directive begins and ends with plain words of the quotation", () => {
  const text = "The build writes a manifest and its sections. Files are named by the hash of their content.";
  assert.equal(terms(text), "text=The build writes a manifest and,hash of their content");
});

test("numbers and bullets of lists, borders of cells and line breaks are never in a term", () => {
  assert.equal(
    terms("1. Install the program on it\n2. Copy the folder to the host"),
    "text=Install the program on it,folder to the host",
  );
  assert.equal(terms("- one two three four five"), "text=one two three four five");
  assert.equal(
    terms("name | the name of the film\nyear | when it was shown first"),
    "text=the name of the film,it was shown first",
  );
});

test("words beside quotation marks and apostrophes stay out, since typographers replace these", () => {
  const found = terms('Set mode="dialog" and the search is in a dialog that doesn\'t close');
  assert.ok(!/["']|dialog,|doesn/.test(found.replace("a dialog that", "")), found);
  assert.match(found, /the search is in a/);
});

test("the signs of a directive are percent-encoded", () => {
  assert.equal(
    textDirective("first-party cookies, and others too"),
    "text=first%2Dparty%20cookies%2C%20and%20others%20too",
  );
});

test("few words have those around them, and more words where few are found twice", () => {
  const text = "alpha beta gamma delta epsilon zeta eta";
  assert.equal(terms(text, { start: 6, end: 16 }), "text=alpha-,beta gamma,-delta epsilon zeta eta");
  const twice =
    "The first rule of the list is short. The first rule of the list of all the things that there " +
    "are is long.";
  assert.match(terms(twice, { start: 37, end: twice.length }), /^text=The first rule of the list of,/);
});

test("a script without spaces has its clauses as terms", () => {
  assert.equal(
    terms("机器学习是人工智能的一个分支。它让计算机从数据中学习。"),
    "text=机器学习是人工智能的一个分支,它让计算机从数据中学习",
  );
});

test("an address keeps its fragment, and stays as it is where no word is sure", () => {
  assert.equal(quotedUrl("/a#b", "one two three four five"), "/a#b:~:text=one%20two%20three%20four%20five");
  assert.equal(quotedUrl("/a", "one two three four five"), "/a#:~:text=one%20two%20three%20four%20five");
  assert.equal(quotedUrl("/a#b", "=== ***"), "/a#b");
});

test("any text has a directive that can be decoded", () => {
  let state = 7;
  const random = (n) => (state = (state * 48271) % 2147483647) % n;
  const signs = ["a", "B", " ", " ", "-", ",", "&", "\n", " | ", "é", "😀", "\ud800", "字", "1.", "'", "%"];
  for (let i = 0; i < 3000; i += 1) {
    const text = Array.from({ length: random(40) }, () => signs[random(signs.length)]).join("");
    const directive = textDirective(text, { start: random(10), end: random(45) });
    assert.ok(directive === "" || /^text=[^&]+$/.test(directive), JSON.stringify([text, directive]));
    decodeURIComponent(directive);
  }
});
