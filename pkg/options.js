// The options of calls, checked before anything is sent to the engine: one that does not exist is an error
// that names the nearest.

import { PocketGraphError } from "./error.js";
import { NOWHERE, toolOf } from "./model-function.js";
import { OPTIONS, PROTOCOLS, READ_BY, RETRIEVERS } from "./option-table.js";

export { PROTOCOLS };

/** Groups of options of each call. */
const CALLS = {
  open: ["open"],
  search: ["ranking", "search"],
  ask: ["ranking", "answering"],
  plan: ["ranking", "answering"],
  execute: ["ranking", "answering", "execute"],
  filter: ["filter"],
  llm: ["llm"],
};
/** Options of every call. */
const ANYWHERE = { signal: "" };

/** Check of each kind of option, with its description for the error. */
const KINDS = {
  positive: [(value) => Number.isInteger(value) && value > 0, "a positive whole number"],
  whole: [(value) => Number.isInteger(value) && value >= 0, "a whole number, 0 or more"],
  number: [(value) => typeof value === "number" && Number.isFinite(value), "a number"],
  flag: [(value) => typeof value === "boolean", "true or false"],
  text: [(value) => typeof value === "string", "a text"],
};

/** Throws for what `PocketGraph.open` does not know. */
export function checkOpenOptions(options) {
  checked("open", options);
  if (![true, false, "auto", undefined].includes(options.worker))
    throw badArgument('`worker` is true, false or "auto".');
}

/** The engine's options of a search. */
export function searchOptions(options) {
  return {
    ...checked("search", options),
    ...ranking(options),
    typing: Boolean(options.typing),
    ...defined({ llm: endpoint(options.llm) }),
  };
}

/** The engine's options of `call`: an answer, a plan, or the execution of one. */
export function askOptions(options, call = "ask") {
  const { llm, webSearch, prompts, tools } = options ?? {};
  const given = checked(call, options);
  checkReaders(options, call === "ask" ? (options.protocol ?? "") : "plan");
  return {
    ...given,
    ...ranking(options),
    ...defined({
      llm: endpoint(llm),
      webSearch: webAddress(webSearch),
      prompts: texts(prompts),
      tools: toolsOf(tools),
    }),
  };
}

/** Returns the function that the page runs for these options: their language model and their tools. */
export function writerOf(options) {
  const { llm, tools } = options ?? {};
  const model = typeof llm === "function" ? llm : undefined;
  if (!tools?.length) return model;
  return (asked, more) => ("tool" in asked ? toolOf(tools, asked, more) : model(asked, more));
}

function ranking({ retriever, filter }) {
  // What follows a colon are the retriever's own parameters, which the engine reads.
  if (
    retriever !== undefined &&
    retriever !== null &&
    !RETRIEVERS.includes(String(retriever).split(":")[0])
  ) {
    throw badArgument(`\`retriever\` is one of ${RETRIEVERS.join(", ")}.`);
  }
  return defined({ retriever, filter: documentsOf(filter) });
}

/** Checks a filter and returns it without absent members. */
function documentsOf(filter) {
  if (filter === undefined || filter === null) return undefined;
  if (typeof filter !== "object" || Array.isArray(filter)) throw badArgument("`filter` is an object.");
  const lists = defined({ fields: filter.fields, boost: filter.boost });
  for (const name of Object.keys(lists)) lists[name] = [lists[name]].flat();
  return { ...defined(checked("filter", filter)), ...lists };
}

function endpoint(llm) {
  if (llm === undefined || llm === null) return undefined;
  // What a function throws is its own: asking it again is for the function to decide.
  if (typeof llm === "function") return { baseUrl: NOWHERE, model: llm.name || "function", retries: 0 };
  checked("llm", llm);
  text("llm.baseUrl", llm.baseUrl);
  text("llm.model", llm.model);
  positive("llm.timeoutMs", llm.timeoutMs);
  const { apiKey, headers, timeoutMs, retries, model } = llm;
  const url = httpUrl("llm.baseUrl", llm.baseUrl);
  return {
    baseUrl: url.href.replace(/\/+$/, ""),
    model,
    ...defined({ apiKey, headers, timeoutMs, retries }),
  };
}

/** Prompts by name; which names and placeholders there are, the engine says. */
function texts(prompts) {
  if (prompts === undefined || prompts === null) return undefined;
  const wrong =
    typeof prompts !== "object" || Object.values(prompts).some((text) => typeof text !== "string");
  if (wrong) throw badArgument("`prompts` is an object of texts by name.");
  return { ...prompts };
}

/** Tools as the engine is told of them: their functions stay here. */
function toolsOf(given) {
  if (given === undefined || given === null) return undefined;
  if (!Array.isArray(given)) throw badArgument("`tools` is an array.");
  return given.map(({ name, description, parameters, run }) => {
    if (!/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name))
      throw badArgument("A tool's `name` is letters, digits, _ and -.");
    if (typeof run !== "function") throw badArgument(`The tool ${name} lacks its function \`run\`.`);
    const schema = parameters ?? { type: "object", properties: {} };
    return {
      name,
      description: text(`tools.${name}.description`, description),
      parameters: JSON.stringify(schema),
    };
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

/**
 * The page that relative addresses are relative to. A worker's own URL is the package's folder, so addresses
 * are made absolute on the page's side.
 */
export function pageUrl() {
  return globalThis.document?.baseURI ?? globalThis.location?.href;
}

/** Only members that are there. */
export function defined(options) {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** `value`, if it is a text that is not empty. */
export function text(name, value) {
  if (typeof value !== "string" || value.trim() === "")
    throw badArgument(`\`${name}\` is a text that is not empty.`);
  return value;
}

/** Throws unless `value` is absent or a positive whole number. */
export function positive(name, value) {
  if (value !== undefined && !(Number.isInteger(value) && value > 0))
    throw badArgument(`\`${name}\` is a positive whole number.`);
}

/** The error for an argument of the wrong type or value. */
export function badArgument(message, cause) {
  return new PocketGraphError("bad-argument", message, { cause });
}

/** The members of `options` whose kind the table has, checked; throws for one that `call` does not have. */
function checked(call, options) {
  if (options === null || typeof options !== "object")
    throw badArgument(`The options of \`${call}\` are an object.`);
  const table = Object.assign(
    {},
    ["filter", "llm"].includes(call) ? {} : ANYWHERE,
    ...CALLS[call].map((group) => OPTIONS[group]),
  );
  const given = {};
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(table, name)) throw unknown(call, name, Object.keys(table));
    const kind = table[name];
    if (!kind || value === undefined || value === null) continue;
    if (Array.isArray(kind) ? !kind.includes(value) : !KINDS[kind][0](value)) {
      throw badArgument(
        `\`${name}\` is ${Array.isArray(kind) ? `one of ${kind.join(", ")}` : KINDS[kind][1]}.`,
      );
    }
    given[name] = value;
  }
  return given;
}

/** Throws for an option that `protocol` does not read, and others do: it would be passed over. */
function checkReaders(options, protocol) {
  const wrong = Object.keys(READ_BY).find(
    (name) => options[name] !== undefined && options[name] !== null && !READ_BY[name].includes(protocol),
  );
  if (!wrong) return;
  const named = (name) => (name === "" ? "an answer without a protocol" : `\`${name}\``);
  throw badArgument(
    `\`${wrong}\` is an option of ${READ_BY[wrong].map(named).join(", ")}, and not of ${named(protocol)}.`,
  );
}

/**
 * The error for an option that a call does not have: it names the call that has it, or the nearest that
 * there is.
 */
function unknown(call, wrong, names) {
  const has = (name) => CALLS[name].some((group) => Object.hasOwn(OPTIONS[group], wrong));
  const other = Object.keys(CALLS).find(has);
  if (other) return badArgument(`\`${call}\` has no option \`${wrong}\`: it is one of \`${other}\`.`);
  const [nearest] = names
    .map((name) => [name, distance(wrong.toLowerCase(), name.toLowerCase())])
    .sort((a, b) => a[1] - b[1]);
  const hint =
    nearest[1] <= Math.max(2, wrong.length / 2)
      ? ` Did you mean \`${nearest[0]}\`?`
      : ` It has ${names.join(", ")}.`;
  return badArgument(`\`${call}\` has no option \`${wrong}\`.${hint}`);
}

/** Returns the Levenshtein distance of `a` and `b`. */
function distance(a, b) {
  let row = [...Array(b.length + 1).keys()];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length];
}
