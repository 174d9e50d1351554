// What language models write, as DOM nodes: paragraphs, headings, lists, quotes, tables, code, emphasis,
// links. Nodes are made here, one by one, so that no string ever becomes markup; raw HTML, formulas and all
// else stay the text they are.
//
// Text is handled as lines `{ start, end }` of the whole, so that whoever makes the nodes of citations knows
// where each stands. Nobody can be trusted with what is written, so every rule takes time in proportion to
// the text: no pattern has two parts beside each other that take the same characters.

import { h, safeUrl, table as tableOf } from "./dom.js";

/** Signs that begin a block; a line without one begins a paragraph. */
const SIGNED = /^ *[`~#>*+_\d-]/;
const HEADING = /^ {0,3}(#{1,6})\s+/;
const ITEM = /^( {0,12})(?:([-*+])|(\d{1,3})[.)])(\s+)(?=\S)/;
const QUOTE = /^ {0,3}> ?/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const SIDE = /^:?-+:?$/;
/** Maximum depth of lists and quotes, so that no text of a model overflows the stack. */
const DEEPEST = 8;
/**
 * Blocks, cells and marks that become nodes at most, so that no reply holds up the page: the rest stays
 * text.
 */
const MOST_DRAWN = 5_000;

/**
 * The blocks of `text` from the offset `from` on, where one begins: where each stands, whether its first line
 * has ended, and its nodes. `marker(number, start, end)` makes the node of a citation such as `[2]`;
 * `link(url)` says whether a link may be followed; `code(node, text, language)` may put a block of code into
 * a figure with a button.
 */
export function markdownBlocks(text, from, { marker, link = () => false, code = (node) => node }) {
  const context = {
    text,
    marker,
    link,
    code,
    read: ({ start, end }) => text.slice(start, end),
    left: MOST_DRAWN,
  };
  const lines = linesOf(text, from, text.length);
  const found = [];
  for (let at = 0; at < lines.length;) {
    const nodes = [];
    const first = at;
    at = block(context, lines, at, 0, nodes);
    if (nodes.length > 0) found.push({ start: lines[first].start, begun: first < lines.length - 1, nodes });
  }
  return found;
}

function linesOf(text, from, to) {
  const lines = [];
  for (let start = from; start <= to;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 || newline > to ? to : newline;
    lines.push(lineAt(start, text[end - 1] === "\r" && end > start ? end - 1 : end));
    start = end + 1;
  }
  return lines;
}

function blocks(context, lines, depth) {
  const nodes = [];
  for (let at = 0; at < lines.length;) at = block(context, lines, at, depth, nodes);
  return nodes;
}

/**
 * Adds the nodes of the block that begins with the line `at`, none if it is blank; returns the line after the
 * block.
 */
function block(context, lines, at, depth, nodes) {
  const { read } = context;
  const line = read(lines[at]);
  const from = at;
  if (line.trim() === "") return at + 1;
  if (context.left-- <= 0) {
    nodes.push(h("p", {}, context.text.slice(lines[at].start, lines.at(-1).end)));
    return lines.length;
  }
  if (!SIGNED.test(line)) return paragraph(context, lines, at, nodes);
  if (fenceOf(line)) return fence(context, lines, at, nodes);
  if (HEADING.test(line)) {
    const [mark] = HEADING.exec(line);
    nodes.push(
      h(
        "p",
        { "data-heading": mark.trim().length },
        h("strong", {}, inline(context, [cut(lines[at], mark.length)])),
      ),
    );
    return at + 1;
  }
  if (RULE.test(line)) {
    nodes.push(h("hr"));
    return at + 1;
  }
  if (QUOTE.test(line) && depth < DEEPEST) {
    while (at < lines.length && QUOTE.test(read(lines[at]))) at += 1;
    const inner = lines.slice(from, at).map((one) => cut(one, QUOTE.exec(read(one))[0].length));
    nodes.push(h("blockquote", {}, blocks(context, inner, depth + 1)));
    return at;
  }
  if (ITEM.test(line) && depth < DEEPEST) return list(context, lines, at, nodes, depth);
  return paragraph(context, lines, at, nodes);
}

/** A paragraph, or a table where the line below is its rule. */
function paragraph(context, lines, at, nodes) {
  const { read } = context;
  const from = at;
  if (at + 1 < lines.length && read(lines[at]).includes("|") && isTableRule(context, lines[at + 1]))
    return table(context, lines, at, nodes);
  do at += 1;
  while (at < lines.length && !seen(context, lines[at]).interrupts);
  nodes.push(h("p", {}, inline(context, lines.slice(from, at))));
  return at;
}

/**
 * Reads once what a line is for those around it, which is asked on each level of lists that it may stand in:
 * its indent, whether it is blank, and whether it ends the paragraph above it.
 */
function seen({ text }, line) {
  if (line.indent >= 0) return line;
  let at = line.start;
  while (at < line.end && isSpace(text, at)) at += 1;
  line.indent = at - line.start;
  line.blank = at === line.end;
  line.interrupts = line.blank || begins(text[at], text.slice(line.start, line.end));
  return line;
}

function isSpace(text, at) {
  const code = text.charCodeAt(at);
  return code === 32 || (code > 8 && code < 14) || (code > 127 && /\s/.test(text[at]));
}

/** Returns true if a line whose first sign is `sign` begins a block. */
function begins(sign, line) {
  if (sign === "`" || sign === "~") return fenceOf(line) !== null;
  if (sign === "#") return HEADING.test(line);
  if (sign === ">") return QUOTE.test(line);
  if (sign >= "0" && sign <= "9") return ITEM.test(line);
  return "*-+_".includes(sign) && (ITEM.test(line) || RULE.test(line));
}

function lineAt(start, end) {
  return { start, end, indent: -1, blank: false, interrupts: false };
}

function cut({ start, end }, length) {
  return lineAt(Math.min(start + length, end), end);
}

/** The mark and the language of a line that begins a block of code; null for another. */
function fenceOf(line) {
  const found = /^ {0,3}(`{3,}|~{3,})/.exec(line);
  if (!found || line.includes("`", found[0].length)) return null;
  return { mark: found[1], language: /^\s*([\w+#.-]*)/.exec(line.slice(found[0].length))[1] };
}

function fence(context, lines, at, nodes) {
  const { read } = context;
  const { mark, language } = fenceOf(read(lines[at]));
  const indent = /^ */.exec(read(lines[at]))[0].length;
  const body = [];
  for (at += 1; at < lines.length; at++) {
    const line = read(lines[at]);
    // A fence that never ends goes to the end of the text: while an answer is being written it is always so.
    if (line.trim().startsWith(mark) && line.trim().replaceAll(mark[0], "") === "")
      return codeBlock(context, body, language, nodes, at + 1);
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
  const { read } = context;
  const [, , bullet, first] = ITEM.exec(read(lines[at]));
  const items = [];
  const margin = ITEM.exec(read(lines[at]))[1].length;
  while (at < lines.length && context.left > 0) {
    const found = ITEM.exec(read(lines[at]));
    if (!found || found[1].length > margin + 1 || Boolean(found[2]) !== Boolean(bullet)) break;
    const width = found[0].length;
    const own = [cut(lines[at], width)];
    for (at += 1; at < lines.length; at++) {
      const { indent, blank, interrupts } = seen(context, lines[at]);
      if (blank) {
        // Blank lines go on with the item only if what follows is indented below it.
        let next = at + 1;
        while (next < lines.length && seen(context, lines[next]).blank) next += 1;
        if (next === lines.length || seen(context, lines[next]).indent <= margin + 1) break;
        own.push(lines[at]);
        at = next - 1;
      } else if (indent > margin + 1) own.push(cut(lines[at], Math.min(indent, width)));
      else if (interrupts) break;
      else own.push(lines[at]);
    }
    items.push(h("li", {}, unwrapped(blocks(context, own, depth + 1))));
    while (at + 1 < lines.length && read(lines[at]).trim() === "" && ITEM.test(read(lines[at + 1]))) at += 1;
  }
  const start = first && Number(first) !== 1 ? Number(first) : undefined;
  nodes.push(h(bullet ? "ul" : "ol", { start }, items));
  return at;
}

/** The blocks of an item; its first paragraph stands without one's margins. */
function unwrapped(nodes) {
  return nodes[0]?.localName === "p" && !nodes[0].dataset.heading
    ? [...nodes[0].childNodes, ...nodes.slice(1)]
    : nodes;
}

function table(context, lines, at, nodes) {
  const { read } = context;
  const sides = cells(context, lines[at + 1])
    .slice(0, context.left)
    .map((cell) => side(read(cell).trim()));
  const row = (line, tag) =>
    h(
      "tr",
      {},
      cells(context, line)
        .slice(0, sides.length)
        .map((cell, column) =>
          h(
            tag,
            { "data-align": sides[column], scope: tag === "th" ? "col" : undefined },
            inline(context, [cell]),
          ),
        ),
    );
  const head = row(lines[at], "th");
  const body = [];
  for (
    at += 2;
    at < lines.length && (context.left -= sides.length) > 0 && read(lines[at]).includes("|");
    at++
  )
    body.push(row(lines[at], "td"));
  nodes.push(tableOf(head, body));
  return at;
}

/**
 * Returns true if a line separates a table's header from its rows: every cell has dashes, perhaps between
 * colons.
 */
function isTableRule(context, line) {
  const { read } = context;
  return read(line).includes("-") && cells(context, line).every((cell) => SIDE.test(read(cell)));
}

function side(rule) {
  const [left, right] = [rule.startsWith(":"), rule.endsWith(":")];
  return left && right ? "center" : right ? "right" : undefined;
}

/**
 * Returns the places of the cells of a table's row. A bar after a backslash, or inside code, ends no cell.
 */
function cells({ text, read }, { start, end }) {
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
  const blank = (cell) => read(cell).trim() === "";
  if (found.length > 1 && blank(found[0])) found.shift();
  if (found.length > 1 && blank(found.at(-1))) found.pop();
  return found.map((cell) => trimmed(text, cell));
}

function trimmed(text, { start, end }) {
  while (start < end && /\s/.test(text[start])) start += 1;
  while (end > start && /\s/.test(text[end - 1])) end -= 1;
  return { start, end };
}

// ---- what stands in a line --------------------------------------------------------------------------------

const INLINE = new RegExp(
  [
    "(?<ticks>`+)",
    "\\\\(?<escaped>[\\\\`*_{}\\[\\]()#+\\-.!|~>])",
    '!?\\[(?<label>[^\\[\\]\\n]{1,400})\\]\\((?<target>[^()\\s]{1,2000}(?:\\([^()\\s]*\\)[^()\\s]*)?)(?:\\s+"[^"\\n]*")?\\)',
    "<(?<auto>https?:\\/\\/[^<>\\s]{1,2000})>",
    "(?<bare>https?:\\/\\/[^\\s<>\"'`|]{1,2000})",
    "\\[(?<cited>\\d{1,4}(?:, ?\\d{1,4}){0,31})\\]",
    "(?<strong>\\*\\*|__)(?=\\S)",
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
  /** Returns the offset in the whole text of an offset in the joined lines. Called with rising offsets. */
  let line = 0;
  const place = (offset) => {
    while (line + 1 < starts.length && starts[line + 1][0] <= offset) line += 1;
    const [from, start] = starts[line];
    return start + offset - from;
  };
  return spans(context, joined, 0, place);
}

/**
 * Finds the first of rising `positions` at or after an offset; asked in rising order. -1 where there is
 * none.
 */
function finder(positions) {
  let next = 0;
  return (from) => {
    while (next < positions.length && positions[next] < from) next += 1;
    return positions[next] ?? -1;
  };
}

/**
 * Ends of code and strong text: runs of backticks, doubled signs after a character that is no space, and the
 * end of the line.
 */
const CLOSERS = { "`": /`+/g, "*": /(?<=\S)\*\*/g, _: /(?<=\S)__/g, "\n": /\n/g };

/** Finds what closes a mark, at or after an offset. The text is looked through once for each kind of mark. */
function closers(text) {
  const kinds = new Map();
  const gathered = (pattern) => {
    const found = new Map();
    for (const { 0: mark, index } of text.matchAll(pattern)) {
      if (!found.has(mark)) found.set(mark, []);
      found.get(mark).push(index);
    }
    return new Map(Array.from(found, ([mark, positions]) => [mark, finder(positions)]));
  };
  return (mark, from) => {
    const [kind] = mark;
    if (!kinds.has(kind)) kinds.set(kind, gathered(CLOSERS[kind]));
    return kinds.get(kind).get(mark)?.(from) ?? -1;
  };
}

/** Signs that may begin something other than plain words. */
const SPAN = /[`\\[<*_~]|https?:\/\//;

function matchFrom(text, at) {
  INLINE.lastIndex = at;
  return INLINE.exec(text);
}

function spans(context, text, offset, place, depth = 0) {
  if (!SPAN.test(text)) return text ? [text] : [];
  const nodes = [];
  const closing = closers(text);
  let at = 0;
  let next = 0;
  for (let match; context.left-- > 0 && (match = matchFrom(text, next));) {
    const found = match.groups;
    const from = match.index;
    let to = (next = from + match[0].length);
    const within = (inner, skip) =>
      depth < DEEPEST ? spans(context, inner, offset + from + skip, place, depth + 1) : [inner];
    if (found.ticks || found.strong) {
      const end = closing(found.ticks ?? found.strong, found.ticks ? to : to + 1);
      const lineEnd = found.strong ? closing("\n", from) : -1;
      if (end < 0 || (lineEnd >= 0 && end > lineEnd)) {
        // The mark is a character like any other.
        next = found.ticks ? to : from + 1;
        continue;
      }
      const inner = text.slice(to, end);
      nodes.push(text.slice(at, from));
      if (found.ticks) nodes.push(h("code", {}, inner.trim() ? inner.replace(/^ (.*) $/, "$1") : inner));
      else nodes.push(h("strong", {}, within(inner, 2)));
      at = next = end + (to - from);
      continue;
    }
    nodes.push(text.slice(at, from));
    if (found.escaped) nodes.push(found.escaped);
    else if (found.label)
      nodes.push(anchor(context, found.target, within(found.label, match[0].indexOf("[") + 1)) ?? match[0]);
    else if (found.auto) nodes.push(anchor(context, found.auto, [found.auto]) ?? found.auto);
    else if (found.bare) {
      const url = withoutStops(found.bare);
      to = from + url.length;
      nodes.push(anchor(context, url, [url]) ?? url);
    } else if (found.cited)
      for (const number of found.cited.split(","))
        nodes.push(context.marker(Number(number), place(offset + from), place(offset + to - 1) + 1));
    else if (found.emphasis) nodes.push(h("em", {}, within(found.emphasis, 1)));
    else if (found.gone) nodes.push(h("s", {}, within(found.gone, 2)));
    at = to;
  }
  nodes.push(text.slice(at));
  return nodes.filter((node) => node !== "");
}

/** An address without the stops and brackets that a sentence puts behind it. */
function withoutStops(url) {
  let end = url.length;
  while (".,;:!?)]*_~".includes(url[end - 1])) end -= 1;
  return url.slice(0, end);
}

/**
 * A link where its address may be followed; else its words, and the address where they are not it. Null for
 * no address.
 */
function anchor({ link }, target, words) {
  const href = safeUrl(target);
  if (!href) return null;
  if (link(href)) return h("a", { part: "answer-link", href, rel: "noopener nofollow" }, words);
  const same = words.length === 1 && words[0] === target;
  return h("span", { part: "answer-unlinked" }, words, !same && ` (${target})`);
}
