import type { Answer, Citation, Span } from "./pocketgraph.js";

/** A new element; attributes whose name starts with `on` are listeners. */
export declare function h(tag: string, attributes?: Record<string, unknown>, ...children: unknown[]): HTMLElement;
/** `url` made absolute if it is http or https, else null. */
export declare function safeUrl(url: string, base?: string): string | null;
/** `text` with every span in a `<mark>`. */
export declare function highlighted(text: string, spans?: Span[], window?: Span): DocumentFragment;
/** The stretch of about `length` characters that holds the most spans. */
export declare function excerptWindow(text: string, spans?: Span[], length?: number): Span;
/** An answer as paragraphs, lists, code, bold and emphasis; `marker` makes the node for a citation such as `[2]`. */
export declare function answerBlocks(text: string, marker?: (number: number, start: number, end: number) => Node | string, options?: { lines?: boolean }): DocumentFragment;
/** The citation that the marker `[number]` at `start..end` stands for. */
export declare function citationAt(citations: Citation[], number: number, start: number, end: number): Citation | undefined;
/** A quoted answer's blocks as paragraphs, code, lists and tables of text nodes; `marker` makes the node for a citation such as `[2]`. */
export declare function quotedBlocks(answer: Answer, marker?: (number: number, start: number, end: number) => Node | string): DocumentFragment;
/** An answer that no language model wrote, by its blocks where it has them; the closest passage is introduced as that. */
export declare function unwrittenAnswer(answer: Answer, marker?: (number: number, start: number, end: number) => Node | string): DocumentFragment;
/** The warnings of an answer that concern its reader, without why nothing was planned. */
export declare function readersWarnings(answer: Answer): string[];
