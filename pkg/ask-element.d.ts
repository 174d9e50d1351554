import type { Answer, AnswerEvent, AskOptions, Filter, Hit, LanguageModel, OfflineCopy, PocketGraph, PocketGraphError, SearchResult, Span } from "./pocketgraph.js";

/** Detail of `pocketgraph-feedback`: a reader's opinion of an answer. The package itself sends it nowhere. */
export interface AskFeedback {
  question: string;
  answer: Answer;
  helpful: boolean;
  /** Why it did not help, if the reader chose one. */
  reason?: "wrong" | "incomplete" | "unrelated" | "outdated";
}

/** `<pocketgraph-ask src="/kg/">`: search and cited answers over a bundle, in place or in a dialog. */
export declare class PocketGraphAskElement extends HTMLElement {
  /** A language model for written answers, held in memory only. */
  llm: LanguageModel | null;
  /** Further options of `PocketGraph.ask`, such as `protocol` and `language`. */
  askOptions: Omit<AskOptions, "llm" | "signal" | "history"> | null;
  /** Texts that replace the component's own, by the names in ask-strings.js. */
  set strings(given: Partial<Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>> | null);
  /** Questions that are suggested while the box is empty. */
  suggestions: string[];
  /** Filter of the documents that are searched. The reader's choice replaces it. */
  filter: Filter | null;
  /** The open bundle, or null before the first use. */
  readonly graph: PocketGraph | null;
  // Each of these is the attribute of its name; null if that is absent.
  src: string | null;
  k: string | null;
  retriever: string | null;
  placeholder: string | null;
  label: string | null;
  mode: string | null;
  model: string | null;
  worker: string | null;
  offline: string | null;
  offlineWorker: string | null;
  recent: string | null;
  shortcut: string | null;
  theme: string | null;
  linkHosts: string | null;
  share: string | null;
  filters: string | null;
  fields: string | null;
  gaps: string | null;
  debug: string | null;
  /** Opens the dialog or panel (with `mode`), or focuses the box. */
  open(): Promise<void>;
  /** Closes the dialog or panel. */
  close(): void;
  /** Searches and answers; an empty question clears the box. Resolves to null if it was superseded, stopped or failed. */
  ask(question: string): Promise<Answer | null>;
  /** Opens the bundle before its first use. Resolves to null if that failed; the component shows why. */
  load(): Promise<PocketGraph | null>;
  /** Opens a passage in a dialog, with the text at `span`, or `quote`, marked. */
  openPassage(chunk: number, marked?: { span?: Span; quote?: string }): Promise<void>;
}

/** The attributes of the element, for JSX and templates. */
export interface PocketGraphAskAttributes {
  src?: string;
  k?: number | string;
  retriever?: string;
  placeholder?: string;
  label?: string;
  mode?: "dialog" | "panel";
  model?: "on" | "off";
  worker?: "off";
  offline?: "visited" | "all";
  "offline-worker"?: string;
  recent?: "off";
  shortcut?: "off";
  share?: "off";
  /** Address that readers tell, at a press of a button, the number of the passage nearest to what is missing. */
  gaps?: string;
  theme?: "light" | "dark";
  suggestions?: string;
  filter?: string | Filter;
  filters?: "on" | "off";
  fields?: string;
  "link-hosts"?: string;
  debug?: boolean | "";
  // Attributes of every element, without the types of a framework.
  id?: string;
  class?: string;
  className?: string;
  lang?: string;
  dir?: string;
  style?: unknown;
  slot?: string;
  part?: string;
  hidden?: boolean;
  ref?: any;
  key?: any;
  children?: any;
}

declare global {
  interface HTMLElementTagNameMap {
    "pocketgraph-ask": PocketGraphAskElement;
  }
  interface HTMLElementEventMap {
    "pocketgraph-open": CustomEvent<PocketGraph>;
    "pocketgraph-show": CustomEvent<null>;
    "pocketgraph-close": CustomEvent<null>;
    "pocketgraph-result": CustomEvent<SearchResult>;
    "pocketgraph-open-hit": CustomEvent<Hit>;
    "pocketgraph-answer": CustomEvent<Answer>;
    "pocketgraph-progress": CustomEvent<AnswerEvent>;
    "pocketgraph-clear": CustomEvent<null>;
    "pocketgraph-filter": CustomEvent<Filter>;
    "pocketgraph-feedback": CustomEvent<AskFeedback>;
    "pocketgraph-error": CustomEvent<PocketGraphError>;
    "pocketgraph-offline": CustomEvent<OfflineCopy>;
  }
  // Frameworks whose JSX is global: Preact's and Solid's own tools, and React up to version 18.
  namespace JSX {
    interface IntrinsicElements {
      "pocketgraph-ask": PocketGraphAskAttributes;
    }
  }
}
