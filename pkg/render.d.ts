import type { Answer, Citation, Hit, Notice, Span } from "./pocketgraph.js";

/** A new element; attributes whose name starts with `on` are listeners. */
export declare function h(tag: string, attributes?: Record<string, unknown>, ...children: unknown[]): HTMLElement;
/** `url` made absolute if it is http or https, else null. */
export declare function safeUrl(url: string, base?: string): string | null;
/** `url` with a text directive, by which browsers open the page at `span` of its passage `text` and mark it. */
export declare function quotedUrl(url: string, text: string, span?: Span): string;
/** `text` with every span in a `<mark>`. */
export declare function highlighted(text: string, spans?: Span[], window?: Span): DocumentFragment;
/** The stretch of about `length` characters that holds the most spans. */
export declare function excerptWindow(text: string, spans?: Span[], length?: number): Span;
/** What `answerBlocks` is told. */
export interface AnswerBlocksOptions {
  /** Every line is a paragraph of its own, as in an answer of quoted sentences. */
  lines?: boolean;
  /** Whether a link may be followed; none may, where absent. */
  link?: (url: string) => boolean;
  /** Puts a block of code into something, such as a figure with a button. */
  code?: (node: HTMLElement, text: string, language: string) => Node;
}
/** An answer as nodes, from Markdown; `marker` makes the node for a citation such as `[2]`. */
export declare function answerBlocks(text: string, marker?: (number: number, start: number, end: number) => Node | string, options?: AnswerBlocksOptions): DocumentFragment;
/** An answer that is being written, drawn into a node of its own. What was drawn before is not read again from its beginning. */
export declare class GrowingAnswer {
  constructor(parent: Node, options: AnswerBlocksOptions & { marker: (number: number, start: number, end: number) => Node | string });
  /** Draws the text so far. */
  draw(text: string): void;
}
/** Makes the children of `parent` those of `fragment`, and leaves alone those at the beginning that are the same; the first `kept` without a look. */
export declare function patch(parent: Node, fragment: DocumentFragment, kept?: number): void;
/** The citation that the marker `[number]` at `start..end` stands for. */
export declare function citationAt(citations: Citation[], number: number, start: number, end: number): Citation | undefined;
/** What `quotedAnswer` is told. */
export interface QuotedAnswerOptions {
  /** What stands above the closest passage, and on the link where a passage goes on. */
  words?: { closest: string; readOn: string };
  /** Puts a block of code into something, such as a figure with a button. */
  code?: (node: HTMLElement, text: string, language: string) => Node;
  /** The name of a passage's language by its tag, to stand above it; empty where it need not be told. */
  languageMark?: (tag: string) => string;
}
/** An answer that no language model wrote, as nodes: by its blocks where it has them; `marker` makes the node for a citation such as `[2]`. */
export declare function quotedAnswer(answer: Answer, marker?: (number: number, start: number, end: number) => Node | string, options?: QuotedAnswerOptions): DocumentFragment;
/** The warnings of an answer that concern its reader, without why nothing was planned. */
export declare function readersWarnings(answer: Answer): Notice[];
/** The hits of one page. */
export interface PageOfHits {
  title: string;
  /** The page's address, without a fragment. */
  url: string;
  hits: Hit[];
}
/** Hits of one page together, pages in the order of their best hit. */
export declare function byPage(hits: Hit[]): PageOfHits[];
