// What language models write, as DOM nodes: paragraphs, headings, lists, quotes, tables, code, emphasis, links. Nodes are made here, one by one, so
// that no string ever becomes markup; raw HTML, formulas and all else stay the text they are.
//
// Text is handled as lines `{ start, end }` of the whole, so that whoever makes the nodes of citations knows where each stands.

import { h, safeUrl, table as tableOf } from "./dom.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+/;
const ITEM = /^( {0,12})(?:([-*+])|(\d{1,3})[.)])(\s+)(?=\S)/;
const QUOTE = /^ {0,3}> ?/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
/** How deep lists and quotes are nested at most: what a model writes without end must not overflow the stack. */
const DEEPEST = 8;

/**
 * The blocks of `text`, as an array of nodes. `marker(number, start, end)` makes the node of a citation such as `[2]`; `link(url)` says whether a link
 * may be followed; `code(node, text, language)` may put a block of code into something, such as a figure with a button.
 */
export function markdownNodes(text, { marker, link = () => false, code = (node) => node }) {
  const context = { text, marker, link, code };
  return blocks(context, linesOf(text, 0, text.length), 0);
}

function linesOf(text, from, to) {
  const lines = [];
  for (let start = from; start <= to; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 || newline > to ? to : newline;
    lines.push({ start, end: text[end - 1] === "\r" && end > start ? end - 1 : end });
    start = end + 1;
  }
  return lines;
}

function blocks(context, lines, depth) {
  const { text } = context;
  const read = ({ start, end }) => text.slice(start, end);
  const nodes = [];
  let at = 0;
  while (at < lines.length) {
    const line = read(lines[at]);
    const from = at;
    if (line.trim() === "") at += 1;
    else if (FENCE.test(line)) at = fence(context, lines, at, nodes);
    else if (HEADING.test(line)) {
      const [mark] = HEADING.exec(line);
      nodes.push(h("p", { "data-heading": mark.trim().length }, h("strong", {}, ...inline(context, [cut(lines[at], mark.length)]))));
      at += 1;
    } else if (RULE.test(line)) {
      nodes.push(h("hr"));
      at += 1;
    } else if (QUOTE.test(line) && depth < DEEPEST) {
      while (at < lines.length && QUOTE.test(read(lines[at]))) at += 1;
      const inner = lines.slice(from, at).map((one) => cut(one, QUOTE.exec(read(one))[0].length));
      nodes.push(h("blockquote", {}, ...blocks(context, inner, depth + 1)));
    } else if (ITEM.test(line) && depth < DEEPEST) at = list(context, lines, at, nodes, depth);
    else if (line.includes("|") && at + 1 < lines.length && TABLE_RULE.test(read(lines[at + 1])) && read(lines[at + 1]).includes("-")) {
      at = table(context, lines, at, nodes);
    } else {
      do at += 1;
      while (at < lines.length && !interrupts(read(lines[at])));
      nodes.push(h("p", {}, ...inline(context, lines.slice(from, at))));
    }
  }
  return nodes;
}

/** Whether a line ends the paragraph above it. */
function interrupts(line) {
  return line.trim() === "" || [FENCE, HEADING, QUOTE, ITEM, RULE].some((begins) => begins.test(line));
}

function cut({ start, end }, length) {
  return { start: Math.min(start + length, end), end };
}

function fence(context, lines, at, nodes) {
  const read = ({ start, end }) => context.text.slice(start, end);
  const [, mark, language] = FENCE.exec(read(lines[at]));
  const indent = /^ */.exec(read(lines[at]))[0].length;
  const body = [];
  for (at += 1; at < lines.length; at++) {
    const line = read(lines[at]);
    // A fence that never ends goes to the end of the text: while an answer is being written it is always so.
    if (line.trim().startsWith(mark) && line.trim().replaceAll(mark[0], "") === "") return codeBlock(context, body, language, nodes, at + 1);
    body.push(line.slice(Math.min(indent, /^ */.exec(line)[0].length)));
  }
  return codeBlock(context, body, language, nodes, at);
}

function codeBlock(context, body, language, nodes, next) {
  const written = body.join("\n");
  const className = language ? `language-${language.toLowerCase()}` : undefined;
  const node = h("pre", { tabindex: "0", dir: "ltr" }, h("code", { class: className }, written));
  nodes.push(context.code(node, written, language));
  return next;
}

function list(context, lines, at, nodes, depth) {
  const read = ({ start, end }) => context.text.slice(start, end);
  const [, , bullet, first] = ITEM.exec(read(lines[at]));
  const items = [];
  const margin = ITEM.exec(read(lines[at]))[1].length;
  while (at < lines.length) {
    const found = ITEM.exec(read(lines[at]));
    if (!found || found[1].length > margin + 1 || Boolean(found[2]) !== Boolean(bullet)) break;
    const width = found[0].length;
    const own = [cut(lines[at], width)];
    for (at += 1; at < lines.length; at++) {
      const line = read(lines[at]);
      const indent = /^\s*/.exec(line)[0].length;
      if (line.trim() === "") {
        // A blank line goes on with the item only if what follows is indented below it.
        const next = lines.slice(at + 1).find((one) => read(one).trim() !== "");
        if (!next || /^\s*/.exec(read(next))[0].length <= margin + 1) break;
        own.push(lines[at]);
      } else if (indent > margin + 1) own.push(cut(lines[at], Math.min(indent, width)));
      else if (interrupts(line)) break;
      else own.push(lines[at]);
    }
    items.push(h("li", {}, ...unwrapped(blocks(context, own, depth + 1))));
    while (at + 1 < lines.length && read(lines[at]).trim() === "" && ITEM.test(read(lines[at + 1]))) at += 1;
  }
  const start = first && Number(first) !== 1 ? Number(first) : undefined;
  nodes.push(h(bullet ? "ul" : "ol", { start }, items));
  return at;
}

/** The blocks of an item; its first paragraph stands without one's margins. */
function unwrapped(nodes) {
  return nodes[0]?.localName === "p" && !nodes[0].dataset.heading ? [...nodes[0].childNodes, ...nodes.slice(1)] : nodes;
}

function table(context, lines, at, nodes) {
  const read = ({ start, end }) => context.text.slice(start, end);
  const sides = cells(context, lines[at + 1]).map((cell) => side(read(cell).trim()));
  const row = (line, tag) => h("tr", {}, cells(context, line).slice(0, sides.length).map((cell, column) => h(tag, { "data-align": sides[column], scope: tag === "th" ? "col" : undefined }, ...inline(context, [cell]))));
  const head = row(lines[at], "th");
  const body = [];
  for (at += 2; at < lines.length && read(lines[at]).includes("|"); at++) body.push(row(lines[at], "td"));
  nodes.push(tableOf(head, body));
  return at;
}

function side(rule) {
  const [left, right] = [rule.startsWith(":"), rule.endsWith(":")];
  return left && right ? "center" : right ? "right" : undefined;
}

/** Where the cells of a table's row stand. A bar behind a backslash, or inside code, ends none. */
function cells({ text }, { start, end }) {
  const found = [];
  let from = start;
  let code = false;
  for (let at = start; at < end; at++) {
    if (text[at] === "`") code = !code;
    if (text[at] !== "|" || code || text[at - 1] === "\\") continue;
    found.push({ start: from, end: at });
    from = at + 1;
  }
  found.push({ start: from, end });
  const blank = (cell) => text.slice(cell.start, cell.end).trim() === "";
  if (found.length > 1 && blank(found[0])) found.shift();
  if (found.length > 1 && blank(found.at(-1))) found.pop();
  return found.map((cell) => trimmed(text, cell));
}

function trimmed(text, { start, end }) {
  while (start < end && /\s/.test(text[start])) start += 1;
  while (end > start && /\s/.test(text[end - 1])) end -= 1;
  return { start, end };
}

// ---- what stands in a line -----------------------------------------------------------------------------------------------------

const INLINE = new RegExp(
  [
    "(?<ticks>`+)(?<code>[^`]|[^`][^]*?[^`])\\k<ticks>(?!`)",
    "\\\\(?<escaped>[\\\\`*_{}\\[\\]()#+\\-.!|~>])",
    "!?\\[(?<label>[^\\[\\]\\n]{1,400})\\]\\((?<target>[^()\\s]{1,2000}(?:\\([^()\\s]*\\)[^()\\s]*)?)(?:\\s+\"[^\"\\n]*\")?\\)",
    "<(?<auto>https?:\\/\\/[^<>\\s]{1,2000})>",
    "(?<bare>https?:\\/\\/[^\\s<>\"'`|]{1,2000})",
    "\\[(?<cited>\\d{1,4}(?:, ?\\d{1,4})*)\\]",
    "(?<strong>\\*\\*|__)(?=\\S)(?<bold>[^\\n]*?\\S)\\k<strong>",
    "(?<!\\w)(?<em>[*_])(?=[^\\s*_])(?<emphasis>[^*_\\n]*?[^\\s*_])\\k<em>(?!\\w)",
    "~~(?=\\S)(?<gone>[^~\\n]*\\S)~~",
  ].join("|"),
  "g",
);

/** The nodes of lines that stand together. */
function inline(context, lines) {
  const parts = lines.map((line) => (lines.length > 1 ? trimmed(context.text, line) : line));
  const starts = [];
  let joined = "";
  for (const part of parts) {
    if (joined) joined += "\n";
    starts.push([joined.length, part.start]);
    joined += context.text.slice(part.start, part.end);
  }
  /** Where in the whole text an offset of the joined lines is. */
  const place = (offset) => {
    const [from, start] = starts.findLast(([begin]) => begin <= offset) ?? starts[0];
    return start + offset - from;
  };
  return spans(context, joined, 0, place);
}

function spans(context, text, offset, place, depth = 0) {
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    const found = match.groups;
    const from = match.index;
    let to = from + match[0].length;
    const within = (inner, skip) => (depth < DEEPEST ? spans(context, inner, offset + from + skip, place, depth + 1) : [inner]);
    if (from < at) continue;
    nodes.push(text.slice(at, from));
    if (found.code !== undefined) nodes.push(h("code", {}, found.code.trim() ? found.code.replace(/^ (.*) $/, "$1") : found.code));
    else if (found.escaped) nodes.push(found.escaped);
    else if (found.label) nodes.push(safeUrl(found.target) ? anchor(context, found.target, within(found.label, match[0].indexOf("[") + 1)) : match[0]);
    else if (found.auto) nodes.push(anchor(context, found.auto, [found.auto]));
    else if (found.bare) {
      const url = found.bare.replace(/[.,;:!?)\]*_~]+$/, "");
      to = from + url.length;
      nodes.push(anchor(context, url, [url]));
    } else if (found.cited) for (const number of found.cited.split(",")) nodes.push(context.marker(Number(number), place(offset + from), place(offset + to - 1) + 1));
    else if (found.bold) nodes.push(h("strong", {}, ...within(found.bold, 2)));
    else if (found.emphasis) nodes.push(h("em", {}, ...within(found.emphasis, 1)));
    else if (found.gone) nodes.push(h("s", {}, ...within(found.gone, 2)));
    at = to;
  }
  nodes.push(text.slice(at));
  return nodes.filter((node) => node !== "");
}

/** A link where its address is one that readers may be sent to; else its words, and the address as text where the words are not it. */
function anchor({ link }, target, words) {
  const href = safeUrl(target);
  if (link(href)) return h("a", { part: "answer-link", href, rel: "noopener nofollow" }, ...words);
  const same = words.length === 1 && words[0] === target;
  return h("span", { part: "answer-unlinked" }, ...words, !same && ` (${target})`);
}
