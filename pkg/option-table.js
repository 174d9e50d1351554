// Written by `pocketgraph-lab interface` from src/agent/options.tsv and
// crates/search/src/answer/notice.rs. Do not edit.

/** The protocols by name. */
export const PROTOCOLS = ["quote", "plan", "single-shot", "chain-of-thought", "closed-book", "react", "self-ask", "search-o1", "search-r1", "graph-search", "graph-r1", "graph-rft", "lpkg", "graphrag-global", "tool-calling"];

/** The retrievers by name. */
export const RETRIEVERS = ["auto", "hybrid", "lexical", "dense", "autokg", "linear", "hippo", "hypergraph", "graphrag", "raptor"];

/** The options by what they belong to, each with what it may be: the name of a check, or the names that there are. Empty where a check of its own is due. */
export const OPTIONS = {
  open: { onProgress: "", memoryLimit: "positive", worker: "", prefetch: "", eager: "flag" },
  ranking: { k: "positive", retriever: "", filter: "", readerLanguage: "text" },
  search: { typing: "flag", perPage: "whole", llm: "" },
  answering: { llm: "", history: "", language: "text", readerVersion: "text", maxInputTokens: "positive", maxOutputTokens: "positive", maxEvidenceTokens: "positive", maxTokens: "positive", hideContacts: "flag", noAnswerText: "text", protocol: "", turns: "positive", searches: "positive", timeLimitMs: "positive", planner: ["auto", "rules", "trained", "llm"], leastConfidence: "number", demonstrations: "whole", temperature: "number", grounded: "flag", continuation: ["turns", "prefix", "continue-final-message"], condense: ["model", "sentences", "none"], polarity: ["on-no", "on-yes"], coverage: "flag", executePlan: "flag", votes: "positive", nativeTools: "flag", analysis: ["rules", "model", "none"], today: "text", tools: "", prompts: "", webSearch: "" },
  execute: { question: "text" },
  filter: { language: "text", folder: "text", version: "text", fields: "", boost: "", boostBy: "positive", sort: "text" },
  llm: { baseUrl: "", model: "", apiKey: "", headers: "", timeoutMs: "number", retries: "number" },
};

/** The options that only some protocols read, each with those; an empty name stands for no protocol. */
export const READ_BY = {
  hideContacts: ["", "plan"],
  planner: ["", "plan"],
  leastConfidence: ["", "plan"],
  demonstrations: ["", "plan"],
  continuation: ["react", "self-ask", "search-o1", "search-r1", "graph-r1", "graph-rft"],
  condense: ["search-o1"],
  polarity: ["graph-search"],
  coverage: ["graph-rft"],
  executePlan: ["graph-rft"],
  votes: ["lpkg"],
  nativeTools: ["tool-calling"],
  analysis: ["tool-calling"],
  today: ["tool-calling"],
  tools: ["tool-calling"],
};
