import type { Answer, LlmEndpoint, OfflineCopy, PocketGraph, PocketGraphError, SearchResult } from "./pocketgraph.js";

/** `<pocketgraph-ask src="/kg/">`: a search box over a bundle, with a cited answer on Enter. */
export declare class PocketGraphAskElement extends HTMLElement {
  /** An endpoint for written answers, held in memory only. */
  llm: LlmEndpoint | null;
  /** The open bundle, or null before the first use. */
  readonly graph: PocketGraph | null;
  /** Searches and answers. Null if it was superseded or failed. */
  ask(question: string): Promise<Answer | null>;
}

declare global {
  interface HTMLElementTagNameMap {
    "pocketgraph-ask": PocketGraphAskElement;
  }
  interface HTMLElementEventMap {
    "pocketgraph-result": CustomEvent<SearchResult>;
    "pocketgraph-answer": CustomEvent<Answer>;
    "pocketgraph-error": CustomEvent<PocketGraphError>;
    "pocketgraph-offline": CustomEvent<OfflineCopy>;
  }
}
