/// <reference lib="esnext.disposable" />
// The types of the package's face. What the engine returns is generated from the Rust types; what is written here by hand is
// the JavaScript around it.

import type {
  AgentEvent, Answer, AnswerBlock, AnswerGraph, AnswerGraphEdge, AnswerGraphNode, AskEvent, BlockForm, BundleInfo, Carried, Citation, CitationTarget, Hit, KeywordHit, KeywordKind, Neighbors,
  Outcome, Plan, PlannedQuestion, ProtocolAnswer, Reached, Reference, SearchResult, Span, Stage, StepTrace, Subgraph, Trace,
} from "./dist/engine-types.js";

export type {
  AgentEvent, Answer, AnswerBlock, AnswerGraph, AnswerGraphEdge, AnswerGraphNode, AskEvent, BlockForm, BundleInfo, Carried, Citation, CitationTarget, Hit, KeywordHit, KeywordKind, Neighbors,
  Outcome, Plan, PlannedQuestion, ProtocolAnswer, Reached, Reference, SearchResult, Span, Stage, StepTrace, Subgraph, Trace,
};

/** What went wrong. Codes do not change between versions; messages may. */
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

/** Every rejection of this package. */
export declare class PocketGraphError extends Error {
  constructor(code: ErrorCode, message: string, details?: { cause?: unknown; status?: number; url?: string });
  /** "AbortError" for the code `aborted`, as the platform calls it. */
  readonly name: "PocketGraphError" | "AbortError";
  readonly code: ErrorCode;
  /** The HTTP status, where one was the trouble. */
  readonly status?: number;
  /** The file or endpoint, where one was the trouble. */
  readonly url?: string;
}

// BEGIN names (written by `pocketgraph-lab interface`)
/** How a retriever ranks: by words, meaning and names (`auto`, the default), by words and meaning, by either alone, or through the keyword graph. */
export type Retriever = "auto" | "hybrid" | "lexical" | "dense" | "autokg" | GraphRetriever | `${GraphRetriever}:${string}`;

/** Retrievers that a bundle must have been prepared for (`build --retrievers`); what follows a colon are a retriever's own parameters. */
export type GraphRetriever = "linear" | "hippo" | "hypergraph" | "graphrag" | "raptor";

/**
 * How a question is answered: in the documents' own words (`quote`); by a plan over the knowledge graph (`plan`, which needs no LLM); or by one of
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

/** A value that a `filter` may have, and how many documents have it. */
export interface Facet {
  of: "language" | "folder" | "version";
  value: string;
  documents: number;
}

/** How far something has come; `total` is 0 where it is not known. */
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
  /** The bundle to keep, or several: URLs of folders on the page's own origin. */
  bundle: string | URL | (string | URL)[];
  /** What was visited (the default), or all of it, fetched in idle time unless the reader saves data. */
  keep?: "visited" | "all";
  /** The site's own file that loads the package's `offline-worker.js`; `./offline-worker.js` where absent. Its folder bounds what it can keep. */
  worker?: string | URL;
  /** The part of the site that is kept; the worker's folder where absent. */
  scope?: string | URL;
  /** Further files of the page that are wanted without a network. */
  files?: (string | URL)[];
}

/** What is kept of one bundle. */
export interface KeptBundle {
  url: string;
  /** Which manifest is the newest, by its SHA-256; null before one was seen. */
  generation: string | null;
  files: number;
  bytes: number;
  /** Bytes of the whole bundle; null where that is not known (yet). */
  totalBytes: number | null;
  /** Whether all of it is here. */
  complete: boolean;
}

export interface OfflineStatus {
  keep: "visited" | "all";
  /** Whether this page's requests go through the service worker. */
  controlled: boolean;
  /** The page and the package. */
  page: { files: number; bytes: number };
  bundles: KeptBundle[];
  /** All bytes kept here. */
  bytes: number;
  /** Whether the storage was full when something was last kept. */
  full: boolean;
  /** Bytes that the site uses of the browser's storage, and how many it may; null where the browser does not say. */
  usage: number;
  quota: number | null;
}

/** What is kept of a site for use without a network. Events: `updated`, `storage-full`, `problem` (its `detail` is the error). */
export interface OfflineCopy extends EventTarget {
  status(): Promise<OfflineStatus>;
  /** Fetches all of it. Rejects with `storage-full` where the browser grants too little. */
  fetchAll(options?: Abortable & { onProgress?: (progress: Progress) => void }): Promise<OfflineStatus>;
  /** Removes everything that is kept, and the service worker. */
  remove(): Promise<void>;
}

/** What a language model is asked with. */
export interface ModelMessage {
  role: "system" | "user" | "assistant";
  content: string;
}

/**
 * A language model that is a function: the page's own backend, a model in the page (WebLLM, transformers.js), or the browser's built-in one. It gives
 * its text in pieces, or whole. `signal` fires when nobody waits any more; a text of `stop` ends the reply, which is also seen to if the function does not.
 */
export type ModelFunction = (
  messages: ModelMessage[],
  options: { signal: AbortSignal; maxTokens?: number; temperature?: number; stop: string[] },
) => AsyncIterable<string> | Iterable<string> | string | Promise<AsyncIterable<string> | Iterable<string> | string>;

/** A language model: an endpoint, or a function. */
export type LanguageModel = LlmEndpoint | ModelFunction;

/** A question that was answered before, in the same conversation. */
export interface PastTurn {
  question: string;
  answer?: string;
}

/** A function of the page that an LLM may call. What it says is shown to the LLM as a quotation, cut to size, and can be cited. */
export interface Tool {
  /** Letters, digits, `_` and `-`. */
  name: string;
  /** What it does, for the LLM. */
  description: string;
  /** A JSON Schema of its arguments; one without properties where absent. */
  parameters?: Readonly<Record<string, unknown>>;
  /** Does it. A text is shown as it is, everything else as JSON; what it throws is told to the LLM. */
  run(given: Record<string, unknown>, context: { signal?: AbortSignal }): unknown;
}

// BEGIN options (written by `pocketgraph-lab interface` from src/agent/options.rs)
export interface OpenOptions extends Abortable {
  /** Called while bytes arrive. */
  onProgress?: (progress: Progress) => void;
  /** The most bytes that loaded data may take up. */
  memoryLimit?: number;
  /** Where the engine runs: in a module worker (`true`), on this thread (`false`), or in a worker where there can be one (`"auto"`, the default). */
  worker?: boolean | "auto";
  /**
   * Fetch in idle time what later stages need: the query model, and the full engine where the bundle has a knowledge graph. Not where the reader
   * saves data. Closing the bundle, or `signal`, ends it.
   */
  prefetch?: boolean | (Abortable & { onProgress?: (progress: Progress) => void });
  /** Fetch what a first question needs, whatever it is, while the engine starts (some 100 kB): for a page whose reader is about to ask. */
  eager?: boolean;
}

export interface SearchOptions extends Abortable {
  /** How many passages at most: 10 where absent, or the protocol's own number; with `autokg` as many as its own numbers bring. */
  k?: number;
  /** The retriever by name, which may have parameters behind a colon; `auto` where absent. */
  retriever?: Retriever;
  /**
   * Which documents are searched: those of a language, a folder or a version; all where absent. As many passages are found as without it, where
   * there are so many. A plan's steps over the knowledge graph know no filter.
   */
  filter?: Filter;
  /**
   * The reader's language, as `de`. A page that there is in several languages is found in the question's, where its words tell it, else in this one;
   * in that of its best passage where absent. `<pocketgraph-ask>` gives that of the page.
   */
  readerLanguage?: string;
}

export interface TypingOptions extends SearchOptions {
  /** The question is still being typed: its last word may be unfinished. */
  typing?: boolean;
  /** Of one page at most so many hits stand before those of other pages, 0 for any number; 3 by `auto`, any number by others, where absent. */
  perPage?: number;
  /** A language model that the retriever `hippo` has choose among the facts that it found. No other retriever asks it. */
  llm?: LanguageModel | null;
}

export interface AskOptions extends SearchOptions {
  /** The language model, an endpoint or a function. Without it, the answer is quoted from the passages, or found by a plan. */
  llm?: LanguageModel | null;
  /**
   * The conversation so far, oldest first. A follow-up such as "and on Windows?" is understood by the last question; the event `understood` then
   * comes first and has the whole question.
   */
  history?: PastTurn[];
  /** The language to answer in, by its name; the question's own where absent. */
  language?: string;
  /** The most tokens of one prompt: 10,000, or with a protocol 24,000, where absent. */
  maxInputTokens?: number;
  /** The most tokens of one reply: 1,024, or the protocol's own number, where absent. */
  maxOutputTokens?: number;
  /** With a protocol: the most tokens of what one search brings into the conversation; 2,000 where absent. */
  maxEvidenceTokens?: number;
  /** With a protocol: the most tokens of the whole run, read and written, before the LLM must answer; 200,000 where absent. */
  maxTokens?: number;
  /** Without a protocol, and with `plan`: ask the LLM to leave out telephone numbers, addresses and the like. */
  hideContacts?: boolean;
  /** The sentence that says that the documents do not say, in the reader's language. */
  noAnswerText?: string;
  /**
   * Where absent: with an LLM, the hits are given to it once; without one, a bundle with a knowledge graph is asked by `plan`, and any other by
   * `quote`.
   */
  protocol?: Protocol;
  /** With a protocol: the most turns of the LLM before it must answer. */
  turns?: number;
  /** With a protocol: the most searches. */
  searches?: number;
  /** The most milliseconds before the LLM must answer, its reading of the prompt among them: 300,000 where absent. */
  timeLimitMs?: number;
  /**
   * Who plans. `auto`, where absent: the rules; where they are not sure, also the relation nearest in meaning, if the model that embeds questions is
   * loaded, and the trained planner, if the bundle brings one, of whose plans the most probable is taken; where none is sure, the LLM, if one is
   * given.
   */
  planner?: "auto" | "rules" | "trained" | "llm";
  /** The probability of being right, from 0 to 1, below which a plan is not carried out; 0.44 where absent. */
  leastConfidence?: number;
  /** With `plan`: how many demonstrations drawn from the bundle's own graph an LLM is shown that plans, four at most; none where absent. */
  demonstrations?: number;
  /** With a protocol: the sampling temperature; the protocol's own where absent. */
  temperature?: number;
  /** With a protocol: `false` takes the rules about citing and about "the documents do not say" out of the prompt. */
  grounded?: boolean;
  /**
   * With `react`, `self-ask`, `search-o1`, `search-r1`, `graph-r1` and `graph-rft`: how a turn goes on after evidence; `turns` where absent, which
   * works everywhere.
   */
  continuation?: "turns" | "prefix" | "continue-final-message";
  /** With `search-o1`: how passages are made short; by the model where absent. */
  condense?: "model" | "sentences" | "none";
  /** With `graph-search`: when it searches again; `on-no` where absent. */
  polarity?: "on-no" | "on-yes";
  /** With `graph-rft`: `false` lets it search the web, or its stand-in, where the graph had something. */
  coverage?: boolean;
  /** With `graph-rft`: the model's plan is carried out at once. */
  executePlan?: boolean;
  /** With `lpkg`: how many replies vote on each sub-question; one where absent. */
  votes?: number;
  /** With `tool-calling`: use the endpoint's own tool calls. */
  nativeTools?: boolean;
  /** With `tool-calling`: how the task is sized before: by rules, where absent, by a request to the LLM, or not at all. */
  analysis?: "rules" | "model" | "none";
  /** With `tool-calling`: today's date, told to the model. */
  today?: string;
  /** With `tool-calling`: tools of the page beside those of the bundle. */
  tools?: readonly Tool[];
  /**
   * What the LLM is told, by the name of each text, such as `search-r1.task`; what is absent is told in our words. A text must have the placeholders
   * of ours (`{{question}}`), and no other: `bad-argument` names those that are wrong. `pocketgraph prompts` lists them.
   */
  prompts?: Readonly<Record<string, string>>;
  /** The address of a SearXNG server, asked when graph and passages have nothing. Nothing is sent to the web without it. */
  webSearch?: string | URL;
}

export interface ExecuteOptions extends AskOptions {
  /** What to search passages with beside the plan's own steps; the plan's question where absent. */
  question?: string;
}

/** What the documents that are searched have in common. */
export interface Filter {
  /** The documents' language, as `de`; `""` for those whose language nothing tells. */
  language?: string;
  /** The folder of the site that they lie in, as their addresses name it below the host: `docs/guides`. */
  folder?: string;
  /**
   * The version that their addresses name, in a folder such as `2.0`, `v3`, `version-1.4`, `latest`, `stable`, `next` or `nightly`; `""` for those
   * that name none, which on many sites are the current ones.
   */
  version?: string;
}

/** An OpenAI-compatible chat endpoint. The key is kept in memory and sent to this endpoint only. */
export interface LlmEndpoint {
  /** What stands before `/chat/completions`, for instance `https://api.example.org/v1`; may be relative to the page. */
  baseUrl: string;
  /** The model's name there. */
  model: string;
  /** The key, if the endpoint wants one; in the terminal it comes from the environment. */
  apiKey?: string;
  /** Further headers. */
  headers?: Record<string, string>;
  /**
   * How long to wait for the next piece of the reply, in milliseconds, and not for the whole; two minutes for the first piece and one for each later
   * one where absent.
   */
  timeoutMs?: number;
  /** How often to ask again after a failure that may pass, at most 10; 3 where absent. */
  retries?: number;
}

// END options

/** The last event: the answer, and after a protocol or a plan what it rests on. */
export type DoneEvent = { type: "done"; answer: Answer } & Partial<Omit<ProtocolAnswer, "answer">>;
/** The first event of a follow-up that was understood by the question before it: the whole question, and how it was asked. */
export type UnderstoodEvent = { type: "understood"; question: string; asked: string };
/** What `ask` and `execute` tell, in order. Each has a `type` of its own. */
export type AnswerEvent = Exclude<AskEvent, { type: "done" }> | Exclude<AgentEvent, { type: "done" | AskEvent["type"] }> | UnderstoodEvent | DoneEvent;
/** What `execute` tells: its last event has all that a plan brings. */
export type ExecuteEvent = Exclude<AnswerEvent, { type: "done" }> | ({ type: "done" } & ProtocolAnswer);

/** A whole passage. */
export interface Passage {
  chunk: number;
  title: string;
  headingPath: string[];
  url: string;
  text: string;
}

export interface Stats {
  /** Files fetched. */
  requests: number;
  /** Bytes fetched. */
  bytes: number;
  /** Bytes held. */
  memoryBytes: number;
}

/** An open bundle. */
export declare class PocketGraph {
  private constructor();
  /** Opens the bundle in the folder `place`: a URL, relative to the page; in Node also a path. */
  static open(place: string | URL, options?: OpenOptions): Promise<PocketGraph>;
  /** Opens several bundles, which are searched as one; in an array of one it is that bundle itself. */
  static open(places: readonly (string | URL)[], options?: OpenOptions): Promise<PocketGraph | ManyGraphs>;
  /** Keeps page, package and bundles for use without a network, from now on. */
  static offline(options: OfflineOptions): Promise<OfflineCopy>;
  /** What the bundle is. */
  info(): BundleInfo;
  /** Whether questions are embedded by the full model yet. */
  modelReady(): boolean;
  /**
   * Loads the query model (5.4 MB in most bundles), and before it the token table that stands in for it, where the bundle has one (some
   * 60 kB). Searching works before. `onStage` hears when the next search is ranked by the table, and when by the model.
   */
  prepare(options?: Abortable & { onProgress?: (progress: Progress) => void; onStage?: (stage: "table" | "model") => void }): Promise<void>;
  /** The passages that answer to `question`, best first; none for an empty one. */
  search(question: string, options?: TypingOptions): Promise<SearchResult>;
  /** An answer, as events. Leaving the loop stops the work. */
  ask(question: string, options?: AskOptions): AsyncGenerator<AnswerEvent, void, undefined>;
  /** A plan over the knowledge graph that answers to `question`. */
  plan(question: string, options?: AskOptions): Promise<PlannedQuestion>;
  /** Carries out a plan, given as data or as text in any of its forms. */
  execute(plan: Plan | string, options?: ExecuteOptions): AsyncGenerator<ExecuteEvent, void, undefined>;
  /** What stands next to a keyword. */
  neighbors(keyword: string, options?: Abortable & { limit?: number }): Promise<Neighbors>;
  /** The part of the graph that a result touched. */
  subgraph(result: SearchResult, options?: Abortable): Promise<Subgraph>;
  /** A whole passage. */
  passage(chunk: number, options?: Abortable): Promise<Passage>;
  /** What a `filter` may say of this bundle's documents, by kind and value. */
  facets(options?: Abortable): Promise<Facet[]>;
  /** What has been fetched and is held. */
  stats(): Promise<Stats>;
  /** Opens the bundle anew: after `close`, or where it was replaced on its host (code `replaced`). */
  reopen(options?: Abortable & { onProgress?: (progress: Progress) => void }): Promise<void>;
  /** Aborts what runs and frees everything. `await using` does it at the end of a block. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A hit of several bundles. */
export type HitOfMany = Hit & {
  /** The place of its bundle among those that were opened. */
  bundle: number;
};

/** Several open bundles, searched as one. Passages are numbered through: those of the second bundle follow the last of the first. */
export declare class ManyGraphs {
  private constructor();
  /** The bundles, in the order in which they were named. */
  readonly graphs: PocketGraph[];
  /** The counts of all together, and in `bundles` what each is. */
  info(): BundleInfo & { bundles: BundleInfo[] };
  modelReady(): boolean;
  prepare(options?: Abortable & { onProgress?: (progress: Progress) => void; onStage?: (stage: "table" | "model") => void }): Promise<void>;
  /** The passages of all bundles, best first. */
  search(question: string, options?: TypingOptions): Promise<SearchResult & { hits: HitOfMany[] }>;
  /** An answer by the bundle whose passages fit best, or by the next where its documents do not say. */
  ask(question: string, options?: AskOptions): AsyncGenerator<AnswerEvent, void, undefined>;
  passage(chunk: number, options?: Abortable): Promise<Passage>;
  facets(options?: Abortable): Promise<Facet[]>;
  stats(): Promise<Stats>;
  reopen(options?: Abortable): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
