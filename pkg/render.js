// Untrusted text into DOM: documents, questions and what an LLM wrote become text nodes and a handful of
// elements made here. There is no path from a string to markup, and no inline style, so a strict
// Content-Security-Policy holds.

import { h, safeUrl, table } from "./dom.js";
import { markdownBlocks } from "./markdown.js";

export { drawn, h, safeUrl } from "./dom.js";
export { quotedUrl } from "./text-fragment.js";

/**
 * `text` with every span in a `<mark>`. Spans are UTF-16 offsets; those out of range or overlapping an
 * earlier one are ignored. `window` shows only a part, with an ellipsis where text is left out.
 */
export function highlighted(text, spans = [], window = { start: 0, end: text.length }) {
  const fragment = document.createDocumentFragment();
  const { start, end } = window;
  if (start > 0) fragment.append("… ");
  let at = start;
  for (const span of spans) {
    const from = Math.max(span.start, start);
    const to = Math.min(span.end, end);
    if (from < at || to <= from) continue;
    fragment.append(text.slice(at, from), h("mark", { part: "mark" }, text.slice(from, to)));
    at = to;
  }
  fragment.append(text.slice(at, end));
  if (end < text.length) fragment.append(" …");
  return fragment;
}

/**
 * The stretch of about `length` characters that holds the most spans, cut at white space. In a table it is
 * one row, and elsewhere it ends where a table begins: rows beside each other, without lines between them,
 * are not to be read.
 */
export function excerptWindow(text, spans = [], length = 280) {
  let best = { first: 0, count: 0 };
  for (let first = 0, last = 0; first < spans.length; first++) {
    while (last < spans.length && spans[last].end - spans[first].start <= length * 0.8) last++;
    if (last - first > best.count) best = { first, count: last - first };
  }
  const chosen = spans.slice(best.first, best.first + best.count);
  const within = aroundTables(text, chosen);
  if (within.end - within.start <= length * 1.15) return within;
  const marked = chosen.find(({ start }) => start >= within.start);
  const anchor = marked ? marked.start - Math.round(length * 0.15) : within.start;
  const start =
    anchor <= within.start + 40 ? within.start : nextWord(text, Math.min(anchor, within.end - length));
  const end = start + length >= within.end ? within.end : wordEnd(text, start + length);
  return { start, end };
}

/**
 * The row of a table in which the most of these spans stand, or what stands between tables where the first of
 * them does: lines with bars between cells, two or more below each other, are a table. Of rows with as many
 * the last: the first is the header.
 */
function aroundTables(text, spans) {
  const lines = [];
  for (let start = 0; start <= text.length;) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    lines.push({ start, end, bars: text.slice(start, end).includes(" | ") });
    start = end + 1;
  }
  const row = lines.map(({ bars }, i) => bars && Boolean(lines[i - 1]?.bars || lines[i + 1]?.bars));
  const lineOf = ({ start }) =>
    Math.max(
      0,
      lines.findIndex(({ end }) => start <= end),
    );
  const own = spans.length > 0 ? lineOf(spans[0]) : 0;
  if (row[own]) {
    const marks = lines.map(() => 0);
    for (const span of spans) if (row[lineOf(span)]) marks[lineOf(span)] += 1;
    const most = marks.lastIndexOf(Math.max(...marks));
    const { start, end } = lines[spans.length > 0 ? most : own];
    return { start, end };
  }
  let [first, last] = [own, own];
  while (first > 0 && !row[first - 1]) first -= 1;
  while (last + 1 < lines.length && !row[last + 1]) last += 1;
  const between = text.slice(lines[first].start, lines[last].end);
  // Nothing but white space beside a table says nothing: the whole text does.
  if (between.trim() === "") return { start: 0, end: text.length };
  const start = lines[first].start + between.length - between.trimStart().length;
  return { start, end: start + between.trim().length };
}

function nextWord(text, from) {
  const space = text.indexOf(" ", from);
  return space < 0 || space - from > 30 ? from : space + 1;
}

function wordEnd(text, from) {
  const space = text.lastIndexOf(" ", from);
  return space < 0 || from - space > 30 ? from : space;
}

/**
 * An answer as nodes: what a language model wrote, in Markdown (markdown.js). `marker(number, start, end)`
 * makes the node for a citation like `[2]`; start and end are where it stands in `text`. With `lines`, every
 * line is a paragraph of its own, as in an answer of quoted sentences. `link(url)` says whether a link may be
 * followed (none, where absent); `code(node, text, language)` may put a block of code into something.
 */
export function answerBlocks(
  text,
  marker = (number) => `[${number}]`,
  { lines: byLine = false, link, code } = {},
) {
  const fragment = document.createDocumentFragment();
  const nodes = byLine
    ? quotedLines(text, marker)
    : markdownBlocks(text, 0, { marker, link, code }).flatMap(({ nodes }) => nodes);
  for (const node of nodes) fragment.append(node);
  return fragment;
}

/**
 * An answer that is being written, drawn into `parent`. Only what comes after the last finished block is read
 * again when there is more.
 */
export class GrowingAnswer {
  #parent;
  #options;
  /** The text of finished blocks, and how many nodes they are. */
  #finished = "";
  #nodes = 0;

  /** `options` are those of `answerBlocks`, `marker` among them. */
  constructor(parent, options) {
    this.#parent = parent;
    this.#options = options;
  }

  /** Draws `text`, which is what was drawn before and more, or another. */
  draw(text) {
    if (!text.startsWith(this.#finished)) [this.#finished, this.#nodes] = ["", 0];
    const blocks = markdownBlocks(text, this.#finished.length, this.#options);
    const fragment = document.createDocumentFragment();
    for (const { nodes } of blocks) for (const node of nodes) fragment.append(node);
    patch(this.#parent, fragment, this.#nodes);
    // A block is finished when the next one has begun: its first line says so, once that is whole.
    const last = blocks.findLastIndex(({ begun }) => begun);
    if (last < 1) return;
    this.#finished = text.slice(0, blocks[last].start);
    for (const { nodes } of blocks.slice(0, last)) this.#nodes += nodes.length;
  }
}

/**
 * An answer that no language model wrote, as nodes: its blocks as what they are (paragraphs, code, lists,
 * tables), each text a text node; one without blocks line by line. `marker` makes the node for a citation, as
 * for answerBlocks; it stands behind the last sentence of what it cites. `words` are said of the closest
 * passage, where a passage goes on, and around a quotation (`{text}`); `code` is as for answerBlocks.
 * `languageMark(tag)` names the language of a passage, where that is to be told. Each quotation says when it
 * holds.
 */
export function quotedAnswer(
  answer,
  marker = (number) => `[${number}]`,
  { words = QUOTED_WORDS, code, languageMark } = {},
) {
  const fragment = document.createDocumentFragment();
  if (!answer.blocks?.length) {
    fragment.append(...quotedLines(answer.text, marker));
    return fragment;
  }
  if (answer.outcome === "closest")
    fragment.append(h("p", { class: "closest", part: "closest" }, words.closest));
  answer.citations.forEach((citation, index) => {
    const blocks = answer.blocks.filter((block) => block.citation === index);
    const nodes = blocks.map((block) => quotedBlock(block, code));
    const language = answer.references?.find(({ number }) => number === citation.number)?.language;
    if (language) for (const node of nodes) node.lang = language;
    const cite = marker(citation.number, citation.at.start, citation.at.end);
    // One pair of quotation marks, where the quotation begins with a sentence.
    const first = blocks.findIndex(({ form }) => form !== "heading");
    const [before, after] = blocks[first]?.form === "text" ? words.quotation.split("{text}") : ["", ""];
    nodes[first]?.prepend(before);
    const last = blocks.at(-1);
    const end = last?.form === "text" ? nodes.at(-1) : nodes[nodes.push(h("p")) - 1];
    end.append(last?.more ? " …" : "", after, " ", cite);
    if (citation.holds) end.append(" ", h("small", { class: "holds", part: "holds" }, `(${citation.holds})`));
    const href = last?.more && citation.url && safeUrl(citation.url);
    if (href) end.append(" ", h("a", { class: "read-on", part: "read-on", href }, words.readOn));
    const mark = language && languageMark?.(language);
    fragment.append(...(mark ? [h("p", { part: "answer-language" }, mark)] : []), ...nodes);
  });
  return fragment;
}

/** English words around quotations. */
export const QUOTED_WORDS = {
  closest: "This may not answer the question. The closest passage:",
  readOn: "Read on",
  quotation: "“{text}”",
};

function quotedBlock({ form, text, language, highlights }, code = (node) => node) {
  const rows = text.split("\n");
  if (form === "code")
    return code(h("pre", {}, h("code", { "data-language": language || undefined }, text)), text, language);
  if (form === "heading") return h("p", {}, h("strong", {}, text));
  if (form === "list") {
    // A row "…" is for items that are left out.
    const numbered = rows.every((item) => /^(?:\d+\. |…$)/.test(item));
    const items = rows.map((item) =>
      h("li", { value: (numbered && Number.parseInt(item, 10)) || false }, item.replace(/^(?:-|\d+\.) /, "")),
    );
    return h(numbered ? "ol" : "ul", {}, items);
  }
  if (form === "table") {
    const cells = (tag) => (row) =>
      h(
        "tr",
        {},
        row.split(" | ").map((cell) => h(tag, {}, cell)),
      );
    const [header, ...others] = rows;
    return table(cells("th")(header), others.map(cells("td")));
  }
  return h("p", { class: "quoted" }, highlighted(text, highlights));
}

/**
 * Makes the children of `parent` those of `fragment`, and leaves alone those at the beginning that are the
 * same: text that grows does not flicker, keeps its selection, and is not read out from the start. The first
 * `kept` children stay without a look.
 */
export function patch(parent, fragment, kept = 0) {
  const wanted = [...fragment.childNodes];
  const there = [...parent.childNodes].slice(kept);
  let same = 0;
  while (same < wanted.length && same < there.length && there[same].isEqualNode(wanted[same])) same += 1;
  for (const old of there.slice(same)) old.remove();
  for (const node of wanted.slice(same)) parent.append(node);
}

/**
 * Sentences from documents, one a line: nothing in them is a sign of ours but `code` and the numbers of
 * citations.
 */
function quotedLines(text, marker) {
  const paragraphs = [];
  let start = 0;
  for (const line of text.split("\n")) {
    if (line.trim() !== "") paragraphs.push(h("p", {}, ...quotedSpans(line, start, marker)));
    start += line.length + 1;
  }
  return paragraphs;
}

function quotedSpans(line, start, marker) {
  const nodes = [];
  let at = 0;
  for (const match of line.matchAll(
    /`([^`]+)`|\*\*([^*]+)\*\*|\*([^\s*][^*]*)\*|\[(\d{1,4}(?:, ?\d{1,4})*)\]/g,
  )) {
    const to = match.index + match[0].length;
    nodes.push(line.slice(at, match.index));
    if (match[1]) nodes.push(h("code", {}, match[1]));
    else if (match[2]) nodes.push(h("strong", {}, ...quotedSpans(match[2], start + match.index + 2, marker)));
    else if (match[3]) nodes.push(h("em", {}, ...quotedSpans(match[3], start + match.index + 1, marker)));
    else
      for (const number of match[4].split(","))
        nodes.push(marker(Number(number), start + match.index, start + to));
    at = to;
  }
  nodes.push(line.slice(at));
  return nodes.filter((node) => node !== "");
}

/** The citation that the marker `[number]` at `start..end` stands for, among an answer's `citations`. */
export function citationAt(citations, number, start, end) {
  const same = citations.filter((citation) => citation.number === number);
  return same.find(({ at }) => at && at.start < end && at.end > start) ?? same[0];
}

/** The warnings of an answer that concern its reader; why nothing was planned concerns who looks into it. */
export function readersWarnings(answer) {
  return (answer.warnings ?? []).filter(({ code }) => code !== "unplanned");
}

/** Hits of one page together, pages in the order of their best hit: `[{ title, url, hits }]`. */
export function byPage(hits) {
  const pages = new Map();
  for (const hit of hits) {
    const key = `${hit.url?.split("#")[0]}\n${hit.title}`;
    const page = pages.get(key) ?? { title: hit.title, url: hit.url?.split("#")[0], hits: [] };
    page.hits.push(hit);
    pages.set(key, page);
  }
  return [...pages.values()];
}
