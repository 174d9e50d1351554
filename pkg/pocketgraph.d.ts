/// <reference lib="esnext.disposable" />
// The types of the package. The engine's results are generated from its Rust types; the types here are of
// the JavaScript around it, written by hand.

import type {
  AgentEvent, Answer, AnswerBlock, AnswerGraph, AnswerGraphEdge, AnswerGraphNode, AskEvent, BlockForm, BundleInfo, Carried, Citation, CitationTarget, Hit, KeywordHit, KeywordKind, Neighbors, Notice, NoticeCode,
  Outcome, Plan, PlannedQuestion, ProtocolAnswer, Reached, Reference, SearchResult, Span, Stage, StepTrace, Subgraph, Trace,
} from "./dist/engine-types.js";

export type {
  AgentEvent, Answer, AnswerBlock, AnswerGraph, AnswerGraphEdge, AnswerGraphNode, AskEvent, BlockForm, BundleInfo, Carried, Citation, CitationTarget, Hit, KeywordHit, KeywordKind, Neighbors, Notice, NoticeCode,
  Outcome, Plan, PlannedQuestion, ProtocolAnswer, Reached, Reference, SearchResult, Span, Stage, StepTrace, Subgraph, Trace,
};

/** Code of an error. Codes do not change between versions; messages may. */
export type ErrorCode =
  | "aborted"
  | "network"
  | "http"
  | "manifest"
  | "unsupported-version"
  | "hash-mismatch"
  | "truncated"
  | "corrupt"
  | "missing-section"
  | "io"
  | "bad-argument"
  | "llm-endpoint"
  | "llm-http"
  | "llm-refused"
  | "llm-context"
  | "llm-no-answer"
  | "llm-rate-limit"
  | "llm-timeout"
  | "llm-stream"
  | "llm-malformed"
  | "closed"
  | "replaced"
  | "storage-full"
  | "unsupported-browser"
  | "offline-unavailable"
  | "internal";

/** Error with which every call of this package is rejected. */
export declare class PocketGraphError extends Error {
  constructor(code: ErrorCode, message: string, details?: { cause?: unknown; status?: number; url?: string });
  /** "AbortError" for the code `aborted`, as on the platform. */
  readonly name: "PocketGraphError" | "AbortError";
  readonly code: ErrorCode;
  /** HTTP status, if one caused the error. */
  readonly status?: number;
  /** File or endpoint, if one caused the error. */
  readonly url?: string;
}

// BEGIN names (written by `pocketgraph-lab interface`)
/** Retriever of every bundle: by words, meaning and names (`auto`, the default), by words and meaning, by either alone, or by the keyword graph. */
export type Retriever = "auto" | "hybrid" | "lexical" | "dense" | "autokg" | GraphRetriever | `${GraphRetriever}:${string}`;

/** Retriever that a bundle must be prepared for (`build --retrievers`); parameters follow a colon. */
export type GraphRetriever = "linear" | "hippo" | "hypergraph" | "graphrag" | "raptor";

/**
 * Way to answer a question: in the documents' own words (`quote`); by a plan over the knowledge graph (`plan`, which needs no LLM); or by one of
 * the published protocols by which an LLM searches while it answers.
 */
export type Protocol =
  | "quote"
  | "plan"
  | "single-shot"
  | "chain-of-thought"
  | "closed-book"
  | "react"
  | "self-ask"
  | "search-o1"
  | "search-r1"
  | "graph-search"
  | "graph-r1"
  | "graph-rft"
  | "lpkg"
  | "graphrag-global"
  | "tool-calling";
// END names

/** Value that a `filter` may have, with its number of documents. */
export interface Facet {
  of: "language" | "folder" | "version";
  value: string;
  documents: number;
}

/** Own field of documents, with its values; words come by their number of documents, numbers and dates by size. */
export interface Field {
  name: string;
  kind: "word" | "words" | "number" | "date";
  values: { value: string; documents: number }[];
}

/** Progress of a download; `total` is 0 if it is unknown. */
export interface Progress {
  phase: string;
  loaded: number;
  total: number;
}

export interface Abortable {
  /** Aborts the work; the call rejects with the code `aborted`. */
  signal?: AbortSignal;
}

export interface OfflineOptions extends Abortable {
  /** One or several bundles to keep: URLs of folders on the page's own origin. */
  bundle: string | URL | (string | URL)[];
  /** Keep what was visited (the default), or everything, fetched in idle time unless the reader saves data. */
  keep?: "visited" | "all";
  /** Your file that loads the package's `offline-worker.js`; its folder limits what it can keep. Default: `./offline-worker.js`. */
  worker?: string | URL;
  /** Part of the site that is kept. Default: the worker's folder. */
  scope?: string | URL;
  /** Further files of the page to keep. */
  files?: (string | URL)[];
}

/** Kept part of one bundle. */
export interface KeptBundle {
  url: string;
  /** SHA-256 of the newest manifest; null before one was seen. */
  generation: string | null;
  files: number;
  bytes: number;
  /** Bytes of the whole bundle; null if that is not known yet. */
  totalBytes: number | null;
  /** True if the whole bundle is kept. */
  complete: boolean;
}

export interface OfflineStatus {
  keep: "visited" | "all";
  /** True if this page's requests go through the service worker. */
  controlled: boolean;
  /** The page and the package. */
  page: { files: number; bytes: number };
  bundles: KeptBundle[];
  /** Number of all kept bytes. */
  bytes: number;
  /** True if the storage was full at the last attempt to keep something. */
  full: boolean;
  /** Bytes that the site uses of the browser's storage, and may use; null if the browser does not say. */
  usage: number;
  quota: number | null;
}

/** Copy of a site for use without a network. Events: `updated`, `storage-full`, `problem` (its `detail` is the error). */
export interface OfflineCopy extends EventTarget {
  status(): Promise<OfflineStatus>;
  /** Fetches everything. Rejects with `storage-full` if the browser grants too little. */
  fetchAll(options?: Abortable & { onProgress?: (progress: Progress) => void }): Promise<OfflineStatus>;
  /** Removes everything that is kept, and the service worker. */
  remove(): Promise<void>;
}

/** Message for a language model. */
export interface ModelMessage {
  role: "system" | "user" | "assistant";
  content: string;
}

/**
 * Language model as a function: your own backend, a model in the page (WebLLM, transformers.js), or the browser's built-in one. It returns its
 * text in pieces or whole. `signal` fires when nobody waits any more. A text of `stop` ends the reply, even if the function ignores it.
 */
export type ModelFunction = (
  messages: ModelMessage[],
  options: { signal: AbortSignal; maxTokens?: number; temperature?: number; stop: string[] },
) => AsyncIterable<string> | Iterable<string> | string | Promise<AsyncIterable<string> | Iterable<string> | string>;

/** Language model: an endpoint or a function. */
export type LanguageModel = LlmEndpoint | ModelFunction;

/** Question that was answered before, in the same conversation. */
export interface PastTurn {
  question: string;
  answer?: string;
}

/** Function of the page that an LLM may call. Its result is shown to the LLM as a quotation, cut to size, and can be cited. */
export interface Tool {
  /** Letters, digits, `_` and `-`. */
  name: string;
  /** Description for the LLM. */
  description: string;
  /** JSON Schema of its arguments. Default: one without properties. */
  parameters?: Readonly<Record<string, unknown>>;
  /** Runs the tool. A text is shown as it is, everything else as JSON; the LLM sees what it throws. */
  run(given: Record<string, unknown>, context: { signal?: AbortSignal }): unknown;
}

// BEGIN options (written by `pocketgraph-lab interface` from src/agent/options.rs)
export interface OpenOptions extends Abortable {
  /** Called as bytes arrive. */
  onProgress?: (progress: Progress) => void;
  /** Maximum number of bytes of loaded data. */
  memoryLimit?: number;
  /** Where the engine runs: in a module worker (`true`), on this thread (`false`), or in a worker if possible (`"auto"`, the default). */
  worker?: boolean | "auto";
  /** Fetch the query model in idle time, and the full engine if the bundle has a knowledge graph, unless the reader saves data. */
  prefetch?: boolean | (Abortable & { onProgress?: (progress: Progress) => void });
  /** Fetch what every first question needs (some 100 kB) while the engine starts. Set it if the reader is about to ask. */
  eager?: boolean;
}

export interface SearchOptions extends Abortable {
  /**
   * Number of passages nearest to the question, at most. With `autokg`, those that keywords bring come on top. Default: 10, the protocol's own
   * number, or with `autokg` its first number.
   */
  k?: number;
  /** Name of the retriever, with parameters after a colon if it has any. Default: `auto`. */
  retriever?: Retriever;
  /** Search only some documents, by language, folder, version or own fields. A plan's steps over the knowledge graph ignore it. */
  filter?: Filter;
  /** Language of the reader, as `de`. A page in several languages is found in the question's language, or else in this one. */
  readerLanguage?: string;
}

export interface TypingOptions extends SearchOptions {
  /** Set it while the reader types: the last word may be unfinished. */
  typing?: boolean;
  /** Maximum number of hits of one page before those of other pages; 0 for any number. Default: 3 with `auto`, otherwise 0. */
  perPage?: number;
  /** Language model that chooses among the facts that the retriever `hippo` found. Other retrievers ignore it. */
  llm?: LanguageModel | null;
}

export interface AskOptions extends SearchOptions {
  /** Language model: an endpoint or a function. Without it, the answer comes from a plan or is quoted from the passages. */
  llm?: LanguageModel | null;
  /** The conversation so far, oldest first. It completes a follow-up such as "and on Windows?"; the event `understood` then comes first. */
  history?: PastTurn[];
  /** Name of the language to answer in. Default: the question's. */
  language?: string;
  /** Version of the page that the reader is on, as `2.0`, or its address. What holds in it comes first if the question names no time. */
  readerVersion?: string;
  /** Maximum number of tokens of one prompt. Default: 10,000; with a protocol 24,000. */
  maxInputTokens?: number;
  /** Maximum number of tokens of one reply. Default: 1,024, or the protocol's own number. */
  maxOutputTokens?: number;
  /** With a protocol: maximum number of tokens that one search adds to the conversation. Default: 2,000. */
  maxEvidenceTokens?: number;
  /** With a protocol: number of tokens, read and written, after which the LLM must answer. Default: 200,000. */
  maxTokens?: number;
  /** Without a protocol, and with `plan`: ask the LLM to leave out telephone numbers and addresses. Default: true. */
  hideContacts?: boolean;
  /** Sentence for "The documents do not say", in the reader's language. */
  noAnswerText?: string;
  /** How to answer. Default: with an LLM, one search and one answer; without one, `plan` if the bundle has a knowledge graph, otherwise `quote`. */
  protocol?: Protocol;
  /** With a protocol: number of turns after which the LLM must answer. */
  turns?: number;
  /** With a protocol: maximum number of searches. */
  searches?: number;
  /** Milliseconds after which the LLM must answer, with the time to read the prompt. Default: 300,000. */
  timeLimitMs?: number;
  /**
   * Who plans. `auto`, the default, takes the most probable plan of the rules, the nearest relation and the trained planner, and asks the LLM if
   * none is sure.
   */
  planner?: "auto" | "rules" | "trained" | "llm";
  /** Least probability, from 0 to 1, that a plan is right; less probable plans are not carried out. Default: 0.44. */
  leastConfidence?: number;
  /** With `plan`: number of examples from the bundle's graph for an LLM that plans, at most 4. Default: 0. */
  demonstrations?: number;
  /** With a protocol: sampling temperature. Default: the protocol's own. */
  temperature?: number;
  /** With a protocol: `false` removes the rules about citing and about "the documents do not say" from the prompt. */
  grounded?: boolean;
  /**
   * With `react`, `self-ask`, `search-o1`, `search-r1`, `graph-r1` and `graph-rft`: how evidence is added. `turns`, the default, works everywhere.
   */
  continuation?: "turns" | "prefix" | "continue-final-message";
  /** With `search-o1`: how passages are condensed. Default: by the model. */
  condense?: "model" | "sentences" | "none";
  /** With `graph-search`: which verdict makes it search again. Default: `on-no`. */
  polarity?: "on-no" | "on-yes";
  /** With `graph-rft`: `false` allows web searches, or the passages in their place, even if the graph had something. */
  coverage?: boolean;
  /** With `graph-rft`: carry out the model's whole plan at once. */
  executePlan?: boolean;
  /** With `lpkg`: number of replies that vote on each sub-question. Default: 1. */
  votes?: number;
  /** With `tool-calling`: use the endpoint's own tool calls. */
  nativeTools?: boolean;
  /** With `tool-calling`: how the size of the task is estimated. Default: by rules. */
  analysis?: "rules" | "model" | "none";
  /** With `tool-calling`: today's date, for the model. */
  today?: string;
  /** With `tool-calling`: your own tools, in addition to those of the bundle. */
  tools?: readonly Tool[];
  /**
   * Texts for the LLM by name, such as `search-r1.task`, that replace ours; `pocketgraph prompts` lists them. A text must have the placeholders of
   * ours (`{{question}}`) and no others.
   */
  prompts?: Readonly<Record<string, string>>;
  /** Address of a SearXNG server, which is asked if graph and passages have nothing. Nothing is sent to the web without it. */
  webSearch?: string | URL;
}

export interface ExecuteOptions extends AskOptions {
  /** Question to search passages with, in addition to the plan's steps. Default: the plan's question. */
  question?: string;
}

/** Filter of the documents that are searched. */
export interface Filter {
  /** Language of the documents, as `de`; `""` for documents of unknown language. */
  language?: string;
  /** Folder of the site, as in the addresses after the host: `docs/guides`. */
  folder?: string;
  /**
   * Version in the addresses: a folder such as `2.0`, `v3`, `version-1.4`, `latest`, `stable`, `next` or `nightly`; `""` for addresses without one.
   */
  version?: string;
  /** Conditions on own fields, as `author=Ann` and `date=2024..`; several on one field are alternatives. */
  fields?: string[];
  /** Conditions as in `fields`: hits of documents that meet them move up. */
  boost?: string[];
  /** With 3 the sixth hit comes second. Default: 2. */
  boostBy?: number;
  /** Field to sort the hits by; `-date` for the latest first. */
  sort?: string;
}

/** An OpenAI-compatible chat endpoint. The key is kept in memory and sent to this endpoint only. */
export interface LlmEndpoint {
  /** Address before `/chat/completions`, as `https://api.example.org/v1`; may be relative to the page. */
  baseUrl: string;
  /** Name of the model at that address. */
  model: string;
  /** Key, if the endpoint wants one; in the terminal it comes from the environment. */
  apiKey?: string;
  /** Further headers of each request. */
  headers?: Record<string, string>;
  /** Milliseconds to wait for the next piece of the reply. Default: two minutes for the first piece, one for each later one. */
  timeoutMs?: number;
  /** Number of retries after a temporary failure, at most 10. Default: 3. */
  retries?: number;
}

// END options

/** Last event: the answer, and after a protocol or a plan the evidence for it. */
export type DoneEvent = { type: "done"; answer: Answer } & Partial<Omit<ProtocolAnswer, "answer">>;
/** First event of a follow-up that the last question completed: the completed question, and the original. */
export type UnderstoodEvent = { type: "understood"; question: string; asked: string };
/** Events of `ask` and `execute`, in order. Each has a `type`. */
export type AnswerEvent = Exclude<AskEvent, { type: "done" }> | Exclude<AgentEvent, { type: "done" | AskEvent["type"] }> | UnderstoodEvent | DoneEvent;
/** Events of `execute`; the last one has the whole result of the plan. */
export type ExecuteEvent = Exclude<AnswerEvent, { type: "done" }> | ({ type: "done" } & ProtocolAnswer);

/** Whole passage. */
export interface Passage {
  chunk: number;
  title: string;
  headingPath: string[];
  url: string;
  text: string;
}

export interface Stats {
  /** Number of files fetched. */
  requests: number;
  /** Number of bytes fetched. */
  bytes: number;
  /** Number of bytes held in memory. */
  memoryBytes: number;
}

/** An open bundle. */
export declare class PocketGraph {
  private constructor();
  /** Opens the bundle in the folder `place`: a URL, relative to the page; in Node also a path. */
  static open(place: string | URL, options?: OpenOptions): Promise<PocketGraph>;
  /** Opens several bundles, which are searched as one. An array of one opens that bundle. */
  static open(places: readonly (string | URL)[], options?: OpenOptions): Promise<PocketGraph | ManyGraphs>;
  /** Keeps page, package and bundles for use without a network from now on. */
  static offline(options: OfflineOptions): Promise<OfflineCopy>;
  /** Returns counts, embedder and sections of the bundle. */
  info(): BundleInfo;
  /** Returns true if the query model is loaded. */
  modelReady(): boolean;
  /**
   * Loads the token table (some 60 kB), if the bundle has one, and then the query model (5.4 MB in most bundles). Search works before that.
   * Calls `onStage` when the next search is ranked by the table, and by the model.
   */
  prepare(options?: Abortable & { onProgress?: (progress: Progress) => void; onStage?: (stage: "table" | "model") => void }): Promise<void>;
  /** Searches the passages for `question`, best first; none for an empty question. */
  search(question: string, options?: TypingOptions): Promise<SearchResult>;
  /** Answers a question, as events. Leaving the loop stops the work. */
  ask(question: string, options?: AskOptions): AsyncGenerator<AnswerEvent, void, undefined>;
  /** Plans `question` over the knowledge graph. */
  plan(question: string, options?: AskOptions): Promise<PlannedQuestion>;
  /** Executes a plan, given as data or as text in any form. */
  execute(plan: Plan | string, options?: ExecuteOptions): AsyncGenerator<ExecuteEvent, void, undefined>;
  /** Returns the keywords next to a keyword, and its best passages. */
  neighbors(keyword: string, options?: Abortable & { limit?: number }): Promise<Neighbors>;
  /** Returns the part of the graph that a result touched. */
  subgraph(result: SearchResult, options?: Abortable): Promise<Subgraph>;
  /** Returns a whole passage. */
  passage(chunk: number, options?: Abortable): Promise<Passage>;
  /** Returns the values that a `filter` may have, with numbers of documents. */
  facets(options?: Abortable): Promise<Facet[]>;
  /** Returns the documents' own fields, with the values that they have. */
  fields(options?: Abortable): Promise<Field[]>;
  /** Returns the `filter` that leaves only the page at an address; null if the bundle has no such page. */
  pageFilter(address: string | URL, options?: Abortable): Promise<Filter | null>;
  /** Returns a copy of an answer of `ask` with proofs of its citations. Its spans count bytes. */
  certify<T extends object>(answer: T, options?: Abortable): Promise<T & { seal: string }>;
  /** Compares an answer of `certify`, or the JSON that `pocketgraph ask --json` printed, with the bundle. */
  prove(answer: object | string, options?: Abortable): Promise<Verdict>;
  /** Returns what has been fetched and is held in memory. */
  stats(): Promise<Stats>;
  /** Opens the bundle anew, after `close` or if it was replaced on its host (code `replaced`). */
  reopen(options?: Abortable & { onProgress?: (progress: Progress) => void }): Promise<void>;
  /** Aborts what runs and frees everything. `await using` does it at the end of a block. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Result of `prove`. */
export interface Verdict {
  /** Number of citations that the bundle bears out. */
  proved: number;
  /** Numbers of citations that cite no passage of a bundle, and were not checked. */
  unchecked: number[];
  /** Everything that is wrong; `number` is the citation's, or null for the answer as a whole. */
  faults: { code: "seal" | "other-bundle" | "no-proof" | "no-passage" | "page-changed" | "misquoted"; number: number | null; message: string }[];
}

/** Hit of several bundles. */
export type HitOfMany = Hit & {
  /** Position of its bundle among those that were opened. */
  bundle: number;
};

/** Several open bundles, searched as one. Numbers of passages continue from one bundle to the next. */
export declare class ManyGraphs {
  private constructor();
  /** Bundles, in the order in which they were named. */
  readonly graphs: PocketGraph[];
  /** Returns the counts of all together, and in `bundles` those of each. */
  info(): BundleInfo & { bundles: BundleInfo[] };
  modelReady(): boolean;
  prepare(options?: Abortable & { onProgress?: (progress: Progress) => void; onStage?: (stage: "table" | "model") => void }): Promise<void>;
  /** Searches all bundles, best passages first. */
  search(question: string, options?: TypingOptions): Promise<SearchResult & { hits: HitOfMany[] }>;
  /** Answers from the bundle whose passages fit best, or from the next if its documents do not say. */
  ask(question: string, options?: AskOptions): AsyncGenerator<AnswerEvent, void, undefined>;
  passage(chunk: number, options?: Abortable): Promise<Passage>;
  facets(options?: Abortable): Promise<Facet[]>;
  fields(options?: Abortable): Promise<Field[]>;
  pageFilter(address: string | URL, options?: Abortable): Promise<Filter | null>;
  stats(): Promise<Stats>;
  reopen(options?: Abortable): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
