import type { Answer, Citation, Hit, Notice, Span } from "./pocketgraph.js";

/** Creates an element; attributes whose name starts with `on` are listeners. */
export declare function h(tag: string, attributes?: Record<string, unknown>, ...children: unknown[]): HTMLElement;
/** Returns the absolute form of an http or https URL, otherwise null. */
export declare function safeUrl(url: string, base?: string): string | null;
/** Adds a text directive to `url`, so that browsers open the page at `span` of its passage `text` and mark it. */
export declare function quotedUrl(url: string, text: string, span?: Span): string;
/** Returns `text` with every span in a `<mark>`. */
export declare function highlighted(text: string, spans?: Span[], window?: Span): DocumentFragment;
/** Returns the part of about `length` characters that contains the most spans. */
export declare function excerptWindow(text: string, spans?: Span[], length?: number): Span;
/** Options of `answerBlocks`. */
export interface AnswerBlocksOptions {
  /** Every line is a paragraph of its own, as in an answer of quoted sentences. */
  lines?: boolean;
  /** Returns true if a link may be followed. Without it, none may. */
  link?: (url: string) => boolean;
  /** Puts a block of code into something, such as a figure with a button. */
  code?: (node: HTMLElement, text: string, language: string) => Node;
}
/** Draws an answer in Markdown as nodes; `marker` makes the node for a citation such as `[2]`. */
export declare function answerBlocks(text: string, marker?: (number: number, start: number, end: number) => Node | string, options?: AnswerBlocksOptions): DocumentFragment;
/** Draws an answer while it is being written, into a node of its own, without reading the earlier text again. */
export declare class GrowingAnswer {
  constructor(parent: Node, options: AnswerBlocksOptions & { marker: (number: number, start: number, end: number) => Node | string });
  /** Draws the text so far. */
  draw(text: string): void;
}
/** Replaces the children of `parent` by those of `fragment`, except equal ones at the beginning. The first `kept` count as equal. */
export declare function patch(parent: Node, fragment: DocumentFragment, kept?: number): void;
/** Returns the citation of the marker `[number]` at `start..end`. */
export declare function citationAt(citations: Citation[], number: number, start: number, end: number): Citation | undefined;
/** Options of `quotedAnswer`. */
export interface QuotedAnswerOptions {
  /** Words above the closest passage, and of the link to the rest of a passage. */
  words?: { closest: string; readOn: string };
  /** Puts a block of code into something, such as a figure with a button. */
  code?: (node: HTMLElement, text: string, language: string) => Node;
  /** Returns the name of a passage's language, by its tag, to show above it; empty to show none. */
  languageMark?: (tag: string) => string;
}
/** Draws an answer that no language model wrote, by its blocks if it has them; `marker` makes the node for a citation such as `[2]`. */
export declare function quotedAnswer(answer: Answer, marker?: (number: number, start: number, end: number) => Node | string, options?: QuotedAnswerOptions): DocumentFragment;
/** Returns the warnings of an answer for its reader, without the reason why there is no plan. */
export declare function readersWarnings(answer: Answer): Notice[];
/** The hits of one page. */
export interface PageOfHits {
  title: string;
  /** The page's address, without a fragment. */
  url: string;
  hits: Hit[];
}
/** Groups hits by page; pages are in the order of their best hit. */
export declare function byPage(hits: Hit[]): PageOfHits[];
