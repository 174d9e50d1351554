// Text directives (`#id:~:text=start,end`), by which a browser opens a page at words and marks them. A
// passage differs from what its page displays: in list numbers, line breaks, quotation marks, marks of notes.
// So a directive has only short runs of plain words that stand in one block on any page.

/** Key under which a tab keeps what a click led to, for the page that opens. */
export const SPOT_KEY = "pocketgraph-spot";

/** A word: letters and digits, perhaps with signs inside that no typographer replaces. */
const WORD = /[\p{L}\p{N}\p{M}]+(?:[-./@_][\p{L}\p{N}\p{M}]+)*/gu;
/** Gap that parts words without doubt: white space, or punctuation of scripts that have none. */
const APART = /^$|[\s\u3000-\u303f\uff00-\uffef]/;
/** Gap between two words of a run. */
const WITHIN = /^,?[^\S\n]+$/;
/** Blocks of a passage are lines, and in a table cells. A list's number or bullet is no text of its page. */
const BLOCK = /\n\s*(?:[-*•+]|\d+[.)])?\s|\n| \| |^\s*(?:[-*•+]|\d+[.)])\s/g;
/**
 * Numbers of words at the start and the end of a quotation: few survive more often, many are found in one
 * place only.
 */
const START_WORDS = 6;
const END_WORDS = 4;
/** A run of so few words or letters is in other places of a page too. */
const SHORT_WORDS = 3;
const SHORT_LETTERS = 12;
/** A run of so many words or letters is hardly in another place of a page. */
const SURE_WORDS = 5;
const SURE_LETTERS = 30;

/**
 * `url` with the text directive of `span` in `text`, a passage of its page; without one where no words of it
 * are sure to be found.
 */
export function quotedUrl(url, text, span) {
  const directive = textDirective(text, span);
  return directive ? `${url}${url.includes("#") ? "" : "#"}:~:${directive}` : url;
}

/**
 * The text directive of `span` in `text`, as `text=start,end`; empty where no words of it are sure to be
 * found.
 */
export function textDirective(text, span = { start: 0, end: text.length }) {
  const words = wordsOf(text);
  const inside = words.filter(
    ({ start, end, doubtful }) => !doubtful && start >= span.start && end <= span.end,
  );
  const runs = runsOf(inside);
  const long = runs.filter((run) => !isShort(run));
  if (long.length === 0) return alone(words, runs.sort((a, b) => lengthOf(b) - lengthOf(a))[0]);
  const sure = long.filter(isSure);
  const first = sure[0]?.[0].start < (span.start + span.end) / 2 ? sure[0] : long[0];
  const last = long.at(-1);
  if (first === last && first.length <= START_WORDS + END_WORDS) return alone(words, first);
  const start = beginningOf(words, first);
  const end = endingOf(words, last, start);
  const prefix = isSure(first) ? "" : prefixOf(words, start);
  return `text=${prefix}${encoded(start)}${end.length > 0 ? `,${encoded(end)}` : ""}`;
}

/**
 * The words of a text: what they are, their places, whether a run goes on from the one before, and whether a
 * browser may see another word there.
 */
function wordsOf(text) {
  const blocks = new Set();
  const blank = text.replace(
    BLOCK,
    (sign, at) => (blocks.add(at + sign.length), " ".repeat(sign.length - 1).padEnd(sign.length, "\n")),
  );
  const words = [];
  let before = { end: 0 };
  for (const { 0: word, index: start } of blank.matchAll(WORD)) {
    const gap = blank.slice(before.end, start);
    const next = {
      word,
      same: word.toLowerCase(),
      start,
      end: start + word.length,
      at: words.length,
      joined: before.word !== undefined && WITHIN.test(gap),
      gap,
      doubtful: false,
    };
    if (before.word !== undefined && !APART.test(gap)) before.doubtful = next.doubtful = true;
    words.push(next);
    before = next;
  }
  return words;
}

/** Words that follow each other in one block, with nothing between that a page may display otherwise. */
function runsOf(words) {
  const runs = [];
  for (const word of words) {
    const run = runs.at(-1);
    if (run && word.joined && run.at(-1).at === word.at - 1) run.push(word);
    else runs.push([word]);
  }
  return runs;
}

/** Letters of a run; a sign that is a word or half of one counts as three. */
const lengthOf = (run) => {
  const signs = run.map(({ word }) => word).join(" ");
  return signs.length + 2 * (signs.match(/[\u2e80-\uffef]/g)?.length ?? 0);
};
const isShort = (run) => run.length < SHORT_WORDS && lengthOf(run) < SHORT_LETTERS;
const isSure = (run) => run.length >= SURE_WORDS || lengthOf(run) >= SURE_LETTERS;

/** A run with the words around it, where it would else be found elsewhere. */
function alone(words, run) {
  if (!run || lengthOf(run) < 2) return "";
  const isOnly = isSure(run) && placesOf(words, run).length === 1;
  const around = isOnly
    ? []
    : [runsOf(words.filter(({ doubtful }) => !doubtful)).find((one) => one.includes(run[0]))].flat();
  const before = around.slice(0, around.indexOf(run[0])).slice(-END_WORDS);
  const after = around.slice(around.indexOf(run.at(-1)) + 1).slice(0, END_WORDS);
  const prefix = before.length > 0 ? `${encoded(before)}-,` : "";
  return `text=${prefix}${encoded(run)}${after.length > 0 ? `,-${encoded(after)}` : ""}`;
}

/**
 * The words before a run that may be found elsewhere, where only white space or the border of a cell is
 * between.
 */
function prefixOf(words, run) {
  const before = words[run[0].at - 1];
  if (!before || before.doubtful || !/^[\s|]*$/.test(run[0].gap)) return "";
  return `${encoded(
    runsOf(words.slice(0, before.at + 1))
      .at(-1)
      .slice(-END_WORDS),
  )}-,`;
}

/** The first words of a run, more where few are found twice. */
function beginningOf(words, run) {
  let count = Math.min(START_WORDS, run.length);
  while (count < run.length && placesOf(words, run.slice(0, count)).length > 1) count += 1;
  return run.slice(0, count);
}

/** The last words of a run; none where they stand earlier too, after `start`. */
function endingOf(words, run, start) {
  const from = start.at(-1).at + 1;
  const rest = run.filter(({ at }) => at >= from);
  for (let count = Math.min(END_WORDS, rest.length); count > 0 && count <= rest.length; count += 1) {
    const end = rest.slice(-count);
    if (placesOf(words, end).find((at) => at >= from) === end[0].at) return end;
  }
  return [];
}

/** Finds where the words of `run` follow each other. */
function placesOf(words, run) {
  const places = [];
  for (let at = 0; at + run.length <= words.length; at += 1)
    if (run.every(({ same }, i) => words[at + i].same === same)) places.push(at);
  return places;
}

/** A run as it is written in a directive, whose own signs are `-`, `,` and `&`. */
function encoded(run) {
  const text = run.map(({ word, gap }, at) => (at === 0 ? "" : gap.replace(/\s+/, " ")) + word).join("");
  return encodeURIComponent(text).replaceAll("-", "%2D");
}
