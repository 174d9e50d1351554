// The options of calls, checked before anything is sent to the engine: one that does not exist is an error that names the nearest.

import { PocketGraphError } from "./error.js";
import { NOWHERE, toolOf } from "./model-function.js";
import { GRAPH_RETRIEVERS } from "./retrievers.js";

const RETRIEVERS = ["auto", "hybrid", "lexical", "dense", "autokg", ...GRAPH_RETRIEVERS];

/** The protocols by name. */
export const PROTOCOLS = [
  "quote", "plan", "single-shot", "chain-of-thought", "closed-book", "react", "self-ask", "search-o1", "search-r1", "graph-search", "graph-r1",
  "graph-rft", "lpkg", "graphrag-global", "tool-calling",
];

const OPEN = ["signal", "onProgress", "memoryLimit", "worker", "prefetch", "eager"];
const SEARCH = ["k", "retriever", "typing", "perPage", "llm", "signal"];
const LLM = ["baseUrl", "model", "apiKey", "headers", "timeoutMs", "retries"];

/** Options of `ask` that stand for a number: their names here and the engine's. */
const COUNTS = {
  maxInputTokens: "tokensIn", maxOutputTokens: "tokensOut", turns: "turns", searches: "searches", timeLimitMs: "milliseconds", votes: "votes",
  demonstrations: "demonstrations",
};
/** Those that are one of a few names, and those that are taken as they are. */
const CHOICES = {
  planner: ["auto", "rules", "trained", "llm"],
  continuation: ["turns", "prefix", "continue-final-message"],
  condense: ["model", "sentences", "none"],
  polarity: ["on-no", "on-yes"],
  analysis: ["rules", "model", "none"],
};
const FLAGS = ["hideContacts", "grounded", "coverage", "executePlan", "nativeTools"];
const PLAIN = ["language", "notSaid", "leastConfidence", "temperature", "today"];
const ASK = [...SEARCH.filter((name) => name !== "perPage"), "protocol", "history", "question", "webSearch", "prompts", "tools", ...Object.keys(COUNTS), ...Object.keys(CHOICES), ...FLAGS, ...PLAIN];

/** Throws for what `PocketGraph.open` does not know. */
export function checkOpenOptions(options) {
  known("open", options, OPEN);
  if (![true, false, "auto", undefined].includes(options.worker)) throw badArgument('`worker` is true, false or "auto".');
  positive("memoryLimit", options.memoryLimit);
}

/** The engine's options of a search. */
export function searchOptions(options) {
  known("search", options, SEARCH);
  const { typing, perPage, llm } = options;
  if (perPage !== undefined && !(Number.isInteger(perPage) && perPage >= 0)) throw badArgument("`perPage` is a whole number, 0 or more.");
  return { ...ranking(options), typing: Boolean(typing), ...defined({ perPage, llm: endpoint(llm) }) };
}

/** The engine's options of an answer, a plan, or the execution of one. */
export function askOptions(options) {
  known("ask", options, ASK);
  const { llm, webSearch } = options;
  const given = { llm: endpoint(llm), webSearch: webAddress(webSearch) };
  for (const [name, theirs] of Object.entries(COUNTS)) {
    positive(name, options[name]);
    given[theirs] = options[name];
  }
  for (const [name, choices] of Object.entries(CHOICES)) {
    const chosen = (given[name] = options[name] ?? undefined);
    if (chosen !== undefined && !choices.includes(chosen)) throw badArgument(`\`${name}\` is one of ${choices.join(", ")}.`);
  }
  for (const name of FLAGS) {
    const flag = (given[name] = options[name] ?? undefined);
    if (flag !== undefined && typeof flag !== "boolean") throw badArgument(`\`${name}\` is true or false.`);
  }
  given.prompts = texts(options.prompts);
  given.tools = tools(options.tools);
  for (const name of PLAIN) given[name] = options[name];
  return { ...ranking(options), ...defined(given) };
}

/** What the page runs for these options: the function that is their language model, and their tools. */
export function writerOf(options) {
  const { llm, tools } = options ?? {};
  const model = typeof llm === "function" ? llm : undefined;
  if (!tools?.length) return model;
  return (asked, more) => ("tool" in asked ? toolOf(tools, asked, more) : model(asked, more));
}

function ranking({ k, retriever }) {
  positive("k", k);
  // What follows a colon are the retriever's own parameters, which the engine reads.
  if (retriever !== undefined && !RETRIEVERS.includes(String(retriever).split(":")[0])) {
    throw badArgument(`\`retriever\` is one of ${RETRIEVERS.join(", ")}.`);
  }
  return defined({ k, retriever });
}

function endpoint(llm) {
  if (llm === undefined || llm === null) return undefined;
  // What a function throws is its own: asking it again is for the function to decide.
  if (typeof llm === "function") return { baseUrl: NOWHERE, model: llm.name || "function", retries: 0 };
  known("llm", llm, LLM);
  text("llm.baseUrl", llm.baseUrl);
  text("llm.model", llm.model);
  positive("llm.timeoutMs", llm.timeoutMs);
  const { apiKey, headers, timeoutMs, retries, model } = llm;
  const url = httpUrl("llm.baseUrl", llm.baseUrl);
  return { baseUrl: url.href.replace(/\/+$/, ""), model, ...defined({ apiKey, headers, timeoutMs, retries }) };
}

/** Prompts by name; which names and placeholders there are, the engine says. */
function texts(prompts) {
  if (prompts === undefined || prompts === null) return undefined;
  const wrong = typeof prompts !== "object" || Object.values(prompts).some((text) => typeof text !== "string");
  if (wrong) throw badArgument("`prompts` is an object of texts by name.");
  return { ...prompts };
}

/** Tools as the engine is told of them: their functions stay here. */
function tools(given) {
  if (given === undefined || given === null) return undefined;
  if (!Array.isArray(given)) throw badArgument("`tools` is an array.");
  return given.map(({ name, description, parameters, run }) => {
    if (!/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name)) throw badArgument("A tool's `name` is letters, digits, _ and -.");
    if (typeof run !== "function") throw badArgument(`The tool ${name} lacks its function \`run\`.`);
    const schema = parameters ?? { type: "object", properties: {} };
    return { name, description: text(`tools.${name}.description`, description), parameters: JSON.stringify(schema) };
  });
}

function webAddress(place) {
  if (place === undefined || place === null) return undefined;
  return httpUrl("webSearch", String(place)).href;
}

function httpUrl(name, place) {
  let url;
  try {
    url = new URL(place, pageUrl());
  } catch (cause) {
    throw badArgument(`\`${name}\` is not a URL: ${place}`, cause);
  }
  if (!/^https?:$/.test(url.protocol)) throw badArgument(`\`${name}\` is an http or https URL.`);
  return url;
}

/** The page that relative addresses are relative to. A worker's own URL is the package's folder, so addresses are made absolute on the page's side. */
export function pageUrl() {
  return globalThis.document?.baseURI ?? globalThis.location?.href;
}

/** Only members that are there. */
export function defined(options) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null));
}

/** `value`, if it is a text that is not empty. */
export function text(name, value) {
  if (typeof value !== "string" || value.trim() === "") throw badArgument(`\`${name}\` is a text that is not empty.`);
  return value;
}

/** Throws unless `value` is absent or a positive whole number. */
export function positive(name, value) {
  if (value !== undefined && !(Number.isInteger(value) && value > 0)) throw badArgument(`\`${name}\` is a positive whole number.`);
}

/** The error for an argument of the wrong type or value. */
export function badArgument(message, cause) {
  return new PocketGraphError("bad-argument", message, { cause });
}

/** Throws for a member of `options` that is none of `names`. */
function known(call, options, names) {
  if (options === null || typeof options !== "object") throw badArgument(`The options of \`${call}\` are an object.`);
  const wrong = Object.keys(options).find((name) => !names.includes(name));
  if (wrong === undefined) return;
  const [nearest] = names.map((name) => [name, distance(wrong.toLowerCase(), name.toLowerCase())]).sort((a, b) => a[1] - b[1]);
  const hint = nearest[1] <= Math.max(2, wrong.length / 2) ? ` Did you mean \`${nearest[0]}\`?` : ` It has ${names.join(", ")}.`;
  throw badArgument(`\`${call}\` has no option \`${wrong}\`.${hint}`);
}

/** How many letters must be put in, left out or changed to make `b` of `a` (Levenshtein). */
function distance(a, b) {
  let row = [...Array(b.length + 1).keys()];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length];
}
