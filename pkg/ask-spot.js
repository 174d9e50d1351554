// Marks the words that a reader came for, on a page that carries <pocketgraph-ask>: where the browser knows
// no text directives, where the page's router went there itself, and where the words came after the page.
// Loaded when there is something to mark.

import { SPOT_KEY } from "./text-fragment.js";
import { adoptSheet, sharedSheet } from "./style-sheet.js";

/** Milliseconds in which the words may still come. */
const PATIENCE_MS = 5000;
/** Milliseconds between two readings of a page that changes. */
const BETWEEN_MS = 100;
/** Milliseconds after which a page that has just opened may have moved. */
const MOVES_MS = [100, 300, 700, 1500];
const NAME = "pocketgraph-spot";
/** Elements whose text is not displayed as text. */
const SILENT = "script, style, noscript, template, textarea, select, option, title, head";
/** Signs that a page may display otherwise than a passage has them, or that are not seen. */
const FOLDED = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "\u00ad": "",
  "\u200b": "",
  "\u2060": "",
  "\ufeff": "",
};
/** Scripts in which words stand without white space between. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
const sheet = sharedSheet(`::highlight(${NAME}), mark.${NAME} { background-color: Mark; color: MarkText; }`);

/** Marks what the address or the click that led here names, and goes there. */
export function showSpot() {
  let directive = /:~:(.*)$/.exec(location.hash)?.[1];
  try {
    const awaited = JSON.parse(sessionStorage.getItem(SPOT_KEY) ?? "null");
    sessionStorage.removeItem(SPOT_KEY);
    if (awaited && pageOf(awaited.page) === pageOf(location.href)) directive ??= awaited.directive;
  } catch {
    // Where nothing may be kept, nothing was.
  }
  if (directive) keepTrying(() => markSpot(directive));
}

/** Marks what a click on a link to `page` leads to, if that stays in this document. */
export function followSpot(page, directive) {
  keepTrying(() => pageOf(page) === pageOf(location.href) && markSpot(directive));
}

/** Marks the words of a text directive and goes to them. Returns false where the page does not have them. */
export function markSpot(directive, root = document.body) {
  const [range] = findSpots(directive, root);
  if (!range) return false;
  for (let node = range.startContainer; node; node = node.parentElement)
    if (node.localName === "details") node.open = true;
  highlight(range);
  stayAt(range);
  return true;
}

/**
 * Goes to a range, and again where fonts, pictures or a router move the page, until the reader does
 * something.
 */
function stayAt(range) {
  const moving = new AbortController();
  const { signal } = moving;
  for (const type of ["wheel", "touchstart", "pointerdown", "keydown"])
    addEventListener(type, () => moving.abort(), { signal, passive: true, capture: true });
  for (const ms of MOVES_MS) setTimeout(() => signal.aborted || goTo(range), ms);
  setTimeout(() => moving.abort(), MOVES_MS.at(-1) + 1);
  goTo(range);
}

function goTo(range) {
  const isInView = () => {
    const { top, bottom } = range.getBoundingClientRect();
    return top >= 0 && Math.min(bottom, top + 60) <= innerHeight;
  };
  if (!isInView()) range.startContainer.parentElement.scrollIntoView({ block: "center" });
  if (!isInView()) scrollBy(0, range.getBoundingClientRect().top - innerHeight / 3);
}

/** Ranges of `root` that the parts `text=…` of a directive name, as far as they are there. */
export function findSpots(directive, root = document.body) {
  const page = readPage(root);
  const parts = directive.split("&").filter((part) => part.startsWith("text="));
  return parts.map((part) => page.find(parsed(part.slice(5)))).filter(Boolean);
}

/** `prefix-,start,end,-suffix` as its parts; what is absent is empty. */
function parsed(text) {
  const terms = text.split(",");
  const take = (found) => {
    try {
      return fold(decodeURIComponent(found));
    } catch {
      return "";
    }
  };
  const prefix = terms[0].endsWith("-") ? take(terms.shift().slice(0, -1)) : "";
  const suffix = terms.at(-1)?.startsWith("-") ? take(terms.pop().slice(1)) : "";
  return { prefix, start: take(terms[0] ?? ""), end: take(terms[1] ?? ""), suffix };
}

const fold = (text) => [...text].map(foldSign).join("").replace(/\s+/g, " ").trim();

function foldSign(sign) {
  const folded = FOLDED[sign] ?? sign.toLowerCase();
  return folded.length > sign.length ? sign : folded;
}

/** The text that `root` displays, folded, a line for each block, and where each sign of it stands. */
function readPage(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    node.nodeType === 1 && node.matches(SILENT) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const signs = [];
  const places = [];
  const blocks = new Map();
  let last = null;
  const put = (sign, node, offset) => {
    if (sign === " " && /\s/.test(signs.at(-1) ?? "\n")) return;
    signs.push(sign);
    places.push([node, offset]);
  };
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === 1) {
      if (node.localName === "br") put("\n", node, 0);
      continue;
    }
    const { block, seen } = blockOf(node.parentElement, blocks);
    if (!seen) continue;
    if (block !== last) put("\n", node, 0);
    last = block;
    let offset = 0;
    for (const sign of node.data) {
      const folded = /\s/.test(sign) ? " " : foldSign(sign);
      for (const one of folded) put(one, node, offset);
      offset += sign.length;
    }
  }
  return new PageText(signs, places);
}

/**
 * The block that an element is in, and whether it is displayed. What a closed `<details>` holds is, once it
 * is opened.
 */
function blockOf(element, blocks) {
  let known = blocks.get(element);
  if (known) return known;
  const isInline = element.parentElement && getComputedStyle(element).display.startsWith("inline");
  known = isInline ? blockOf(element.parentElement, blocks) : { block: element, seen: isSeen(element) };
  blocks.set(element, known);
  return known;
}

const isSeen = (element) =>
  element.checkVisibility?.() !== false || Boolean(element.closest("details:not([open])"));

/** A page's text, in which terms are found as browsers find them. */
class PageText {
  #text;
  #places;
  /** Index of the sign at each offset: signs may be two units long. */
  #units;

  constructor(signs, places) {
    this.#text = signs.join("");
    this.#places = places;
    this.#units = signs.every((sign) => sign.length === 1)
      ? null
      : signs.flatMap((sign, at) => Array(sign.length).fill(at));
  }

  /** The first range that a directive names, or null. */
  find({ prefix, start, end, suffix }) {
    if (!start) return null;
    for (let at = this.#next(start, 0); at >= 0; at = this.#next(start, at + 1)) {
      if (prefix && !this.#text.slice(0, at).trimEnd().endsWith(prefix)) continue;
      const from = at + start.length;
      const last = end ? this.#endOf(end, from, suffix) : this.#isBefore(suffix, from) ? from : -1;
      if (last >= 0) return this.#range(at, last);
      if (end) return null;
    }
    return null;
  }

  #endOf(end, from, suffix) {
    for (let at = this.#next(end, from); at >= 0; at = this.#next(end, at + 1))
      if (this.#isBefore(suffix, at + end.length)) return at + end.length;
    return -1;
  }

  #isBefore(suffix, at) {
    return (
      !suffix ||
      this.#text
        .slice(at, at + suffix.length + 50)
        .trimStart()
        .startsWith(suffix)
    );
  }

  /** The next place of whole words. */
  #next(term, from) {
    for (let at = this.#text.indexOf(term, from); at >= 0; at = this.#text.indexOf(term, at + 1)) {
      if (this.#isBoundary(at) && this.#isBoundary(at + term.length)) return at;
    }
    return -1;
  }

  #isBoundary(at) {
    const [before, after] = [this.#text[at - 1] ?? "", this.#text[at] ?? ""];
    return !LETTER.test(before) || !LETTER.test(after) || UNSPACED.test(before) || UNSPACED.test(after);
  }

  #range(start, end) {
    const place = (at) => this.#places[this.#units ? this.#units[at] : at];
    const range = document.createRange();
    range.setStart(...place(start));
    const [node, offset] = place(end - 1);
    range.setEnd(node, offset + 1);
    return range;
  }
}

/**
 * Marks a range, in place of what was marked before, and leaves the page's nodes as they are where the
 * browser lets it.
 */
function highlight(range) {
  adoptSheet(document, sheet());
  if (globalThis.CSS?.highlights) {
    CSS.highlights.set(NAME, new Highlight(range));
    return;
  }
  for (const old of document.querySelectorAll(`mark.${NAME}`)) old.replaceWith(...old.childNodes);
  const marks = textsOf(range).map((node) => {
    const mark = document.createElement("mark");
    mark.className = NAME;
    node.replaceWith(mark);
    mark.append(node);
    return mark;
  });
  if (marks.length === 0) return;
  // A range within a node that was replaced is empty, and has no place on the page.
  range.setStartBefore(marks[0]);
  range.setEndAfter(marks.at(-1));
}

/** The text nodes of a range, cut where it begins and ends. */
function textsOf(range) {
  const { startContainer, startOffset, endContainer, endOffset, commonAncestorContainer } = range;
  const walker = document.createTreeWalker(
    commonAncestorContainer.parentElement ?? commonAncestorContainer,
    NodeFilter.SHOW_TEXT,
  );
  const nodes = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (range.intersectsNode(node) && node.data.trim()) nodes.push(node);
  if (nodes.at(-1) === endContainer) endContainer.splitText(endOffset);
  if (nodes[0] === startContainer) nodes[0] = startContainer.splitText(startOffset);
  return nodes;
}

/** Tries now and soon after changes of the page, until it succeeds or nobody waits any more. */
function keepTrying(attempt) {
  if (attempt()) return;
  let timer = 0;
  // An attempt reads the whole page: changes that come together have one.
  const tryAgain = () => {
    timer = 0;
    if (attempt()) observer.disconnect();
  };
  const observer = new MutationObserver(() => (timer ||= setTimeout(tryAgain, BETWEEN_MS)));
  observer.observe(document, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), PATIENCE_MS);
}

/** The address of a page without what hosts and routers write either way. */
function pageOf(address) {
  const { origin, pathname, search } = new URL(address, document.baseURI);
  return origin + pathname.replace(/(?:\/|(?:\/?index)?\.html?)+$/, "") + search;
}
