// Untrusted text into DOM: documents, questions and what an LLM wrote become text nodes and a handful of elements made here. There
// is no path from a string to markup, and no inline style, so a strict Content-Security-Policy holds.

/** A new element. Attributes whose name starts with `on` are listeners; `undefined`, `null` and `false` are left out. */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** `url` made absolute if it is one a reader may be sent to (http or https), else null. */
export function safeUrl(url, base = document.baseURI) {
  try {
    const absolute = new URL(url, base);
    return /^https?:$/.test(absolute.protocol) ? absolute.href : null;
  } catch {
    return null;
  }
}

/**
 * `text` with every span in a `<mark>`. Spans are UTF-16 offsets; those out of range or overlapping an earlier one are ignored.
 * `window` shows only a part, with an ellipsis where text is left out.
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

/** The stretch of about `length` characters that holds the most spans, cut at white space. */
export function excerptWindow(text, spans = [], length = 280) {
  if (text.length <= length * 1.15) return { start: 0, end: text.length };
  let best = { first: 0, count: 0 };
  for (let first = 0, last = 0; first < spans.length; first++) {
    while (last < spans.length && spans[last].end - spans[first].start <= length * 0.8) last++;
    if (last - first > best.count) best = { first, count: last - first };
  }
  const anchor = best.count > 0 ? spans[best.first].start - Math.round(length * 0.15) : 0;
  const start = anchor <= 40 ? 0 : nextWord(text, Math.min(anchor, text.length - length));
  const end = start + length >= text.length ? text.length : wordEnd(text, start + length);
  return { start, end };
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
 * An answer as paragraphs, lists, code, bold and emphasis: the small part of Markdown that language models write when asked for prose.
 * Everything else stays the text it is. `marker(number, start, end)` makes the node for a citation like `[2]`; start and end are
 * where it stands in `text`. With `lines`, every line is a paragraph of its own, as in an answer of quoted sentences.
 */
export function answerBlocks(text, marker = (number) => `[${number}]`, { lines: byLine = false } = {}) {
  const fragment = document.createDocumentFragment();
  for (const block of byLine ? lineBlocks(text) : blocksOf(text)) {
    const inline = ([start, end]) => inlineNodes(text, start, end, marker);
    if (block.kind === "code") fragment.append(h("pre", {}, h("code", {}, text.slice(block.start, block.end))));
    else if (block.kind === "ul" || block.kind === "ol") {
      fragment.append(h(block.kind, {}, block.items.map((item) => h("li", {}, ...inline(item)))));
    } else if (block.kind === "heading") fragment.append(h("p", {}, h("strong", {}, ...inline([block.start, block.end]))));
    else fragment.append(h("p", {}, ...inline([block.start, block.end])));
  }
  return fragment;
}

/**
 * A quoted answer's blocks as what they are: paragraphs, code, lists, tables, each text a text node. `marker(number, start, end)` makes the node for a
 * citation, as for answerBlocks; it stands behind the last sentence of what it cites. Where the passage goes on, a link says so.
 */
export function quotedBlocks(answer, marker = (number) => `[${number}]`) {
  const fragment = document.createDocumentFragment();
  const { blocks, citations } = answer;
  for (const block of blocks) {
    const citation = citations[block.citation];
    const others = blocks.filter((b) => b.citation === block.citation);
    const sentences = others.filter((b) => b.form === "text");
    const node = quotedBlock(block);
    fragment.append(node);
    const cite = () => citation && marker(citation.number, citation.at.start, citation.at.end);
    if (block === sentences.at(-1)) node.append(" ", cite());
    if (block !== others.at(-1)) continue;
    const href = block.more && citation?.url && safeUrl(citation.url);
    const more = href && h("a", { class: "read-on", part: "read-on", href }, "Read on");
    const alone = sentences.length === 0 && cite();
    if (more || alone) fragment.append(h("p", {}, alone, alone && more && " ", more));
  }
  return fragment;
}

function quotedBlock({ form, text, language }) {
  const rows = () => text.split("\n");
  if (form === "code") return h("pre", {}, h("code", { "data-language": language || undefined }, text));
  if (form === "heading") return h("p", {}, h("strong", {}, text));
  if (form === "list") {
    const numbered = rows().every((item) => /^\d+\. /.test(item));
    const start = numbered ? Number.parseInt(text, 10) : 1;
    const items = rows().map((item) => h("li", {}, item.replace(/^(?:-|\d+\.) /, "")));
    return h(numbered ? "ol" : "ul", { start: numbered && start !== 1 && start }, items);
  }
  if (form === "table") {
    const cells = (tag) => (row) => h("tr", {}, row.split(" | ").map((cell) => h(tag, {}, cell)));
    const [header, ...others] = rows();
    return h("table", {}, h("thead", {}, [header].map(cells("th"))), h("tbody", {}, others.map(cells("td"))));
  }
  return h("p", {}, `“${text}”`);
}

/** An answer without a model as blocks, whichever way it was found; a written one is shown by answerBlocks. */
export function unwrittenAnswer(answer, marker) {
  if (!answer.blocks?.length) return answerBlocks(answer.text, marker, { lines: true });
  const shown = quotedBlocks(answer, marker);
  if (answer.outcome === "closest") shown.prepend(h("p", { class: "closest", part: "closest" }, "The documents do not say this in so many words. The closest passage:"));
  return shown;
}

function lineBlocks(text) {
  return [...lines(text)].filter(({ start, end }) => text.slice(start, end).trim() !== "").map((line) => ({ kind: "p", ...line }));
}

function blocksOf(text) {
  const blocks = [];
  let open = null;
  let fence = null;
  for (const { start, end } of lines(text)) {
    const line = text.slice(start, end);
    if (/^\s*```/.test(line)) {
      if (fence) fence = null;
      else blocks.push((fence = { kind: "code", start: Math.min(end + 1, text.length), end: Math.min(end + 1, text.length) }));
      open = null;
      continue;
    }
    if (fence) {
      fence.end = end;
      continue;
    }
    const item = /^\s*(?:([-*+])|\d{1,3}[.)])\s+/.exec(line);
    const heading = /^#{1,6}\s+/.exec(line);
    if (line.trim() === "") open = null;
    else if (heading) {
      blocks.push({ kind: "heading", start: start + heading[0].length, end });
      open = null;
    } else if (item) {
      const kind = item[1] ? "ul" : "ol";
      if (open?.kind !== kind) blocks.push((open = { kind, items: [] }));
      open.items.push([start + item[0].length, end]);
    } else if (open?.items) open.items.at(-1)[1] = end;
    else if (open) open.end = end;
    else blocks.push((open = { kind: "p", start, end }));
  }
  return blocks;
}

function* lines(text) {
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    yield { start, end };
    start = end + 1;
  }
}

function inlineNodes(text, start, end, marker) {
  // The slice keeps a block's cost in proportion to its own length.
  const part = text.slice(start, end);
  const nodes = [];
  let at = 0;
  for (const match of part.matchAll(/`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^\s*][^*\n]*)\*|\[(\d{1,4}(?:, ?\d{1,4})*)\]/g)) {
    const from = match.index;
    const to = from + match[0].length;
    nodes.push(part.slice(at, from));
    if (match[1]) nodes.push(h("code", {}, match[1]));
    else if (match[2]) nodes.push(h("strong", {}, ...inlineNodes(text, start + from + 2, start + to - 2, marker)));
    else if (match[3]) nodes.push(h("em", {}, ...inlineNodes(text, start + from + 1, start + to - 1, marker)));
    else for (const number of match[4].split(",")) nodes.push(marker(Number(number), start + from, start + to));
    at = to;
  }
  nodes.push(part.slice(at));
  return nodes.filter((node) => node !== "");
}

/** The citation that the marker `[number]` at `start..end` stands for, among an answer's `citations`. */
export function citationAt(citations, number, start, end) {
  const same = citations.filter((citation) => citation.number === number);
  return same.find(({ at }) => at && at.start < end && at.end > start) ?? same[0];
}

/** The warnings of an answer that concern its reader; why nothing was planned concerns who looks into it. */
export function readersWarnings(answer) {
  return (answer.warnings ?? []).filter((warning) => !warning.startsWith("There is no plan: "));
}
