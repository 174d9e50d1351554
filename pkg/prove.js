// Proofs of answers, as the program's `ask --json` writes and its `prove` checks them: the hashes of bundle
// and page, and the place of each quotation, against the bundle that is open. Loaded when first wanted.

import { replacedError } from "./error.js";
import { badArgument } from "./options.js";
import { identityOf } from "./replaced.js";

/** Text between two passages of a page. */
const BETWEEN = "\n\n";

/** Names of what a proof has. */
const MEMBERS = "bundle,end,page,start";

/** Messages of faults, by code; `{n}` is the number of the citation. */
const FAULTS = {
  seal: "The answer is not as it was printed: its seal differs.",
  "other-bundle": "[{n}] was cited from another bundle than this.",
  "no-proof": "[{n}] carries no proof.",
  "no-passage": "[{n}] names no passage of this bundle.",
  "page-changed": "[{n}] cites a page that has changed.",
  misquoted: "[{n}] quotes what its page does not say there.",
};

const encoder = new TextEncoder();

/**
 * Returns a copy of an answer with a proof for each citation of a passage, and a seal. Its spans count bytes,
 * as in what the program prints. `bundle` has its `info` and the functions `manifest`, `readPage` and
 * `passage`.
 */
export async function certify(given, bundle) {
  const printed = readAnswer(given);
  const hash = await hashBundle(bundle);
  const pages = new Pages(bundle);
  for (const { citations } of partsOf(printed)) {
    for (const citation of citations.filter(isOfPassage)) {
      const { begin, text, hash: page } = (await pages.find(citation.target.chunk)) ?? {};
      citation.proof = null;
      if (text === undefined) continue;
      const [start, end] = [citation.span.start, citation.span.end].map((unit) =>
        countBytes(text.slice(0, unit)),
      );
      citation.span = { start, end };
      citation.proof = { bundle: hash, page, start: begin + start, end: begin + end };
    }
  }
  printed.seal = await seal(printed);
  return printed;
}

/**
 * Compares an answer that has proofs with a bundle. Returns the number of citations that hold (`proved`), the
 * numbers of those that cite no passage (`unchecked`), and `faults`.
 */
export async function prove(given, bundle) {
  const printed = readAnswer(given);
  const verdict = { proved: 0, unchecked: [], faults: [] };
  const addFault = (code, number = null) =>
    verdict.faults.push({ code, number, message: FAULTS[code].replace("{n}", number) });
  if (printed.seal !== (await seal(printed))) addFault("seal");
  const hash = await hashBundle(bundle);
  const pages = new Pages(bundle);
  for (const { citations, references } of partsOf(printed)) {
    for (const citation of citations) {
      const code = isOfPassage(citation) && (await findFault(citation, hash, pages));
      if (code) addFault(code, citation.number);
      else if (code === null) verdict.proved += 1;
      else verdict.unchecked.push(citation.number);
    }
    for (const reference of references)
      if (!(await pages.isPresented(reference.chunk, reference))) addFault("no-passage", reference.number);
  }
  return verdict;
}

/** Returns the code of the first thing that is wrong with the citation of a passage, or null. */
async function findFault(citation, hash, pages) {
  const { proof, target, quote, span } = citation;
  if (
    Object.keys(proof ?? {})
      .sort()
      .join() !== MEMBERS
  )
    return "no-proof";
  if (proof.bundle !== hash) return "other-bundle";
  if (!(await pages.isPresented(target.chunk, citation))) return "no-passage";
  const { begin, bytes, hash: page } = await pages.find(target.chunk);
  if (proof.page !== page) return "page-changed";
  const isAsCited = proof.start === begin + span?.start && proof.end === begin + span?.end;
  const quoted = new TextDecoder().decode(bytes.subarray(proof.start, proof.end));
  return isAsCited && quoted === quote ? null : "misquoted";
}

/** The pages of a bundle, each read and hashed once, however often it is cited. */
class Pages {
  #bundle;
  #read = new Map();

  constructor(bundle) {
    this.#bundle = bundle;
  }

  /**
   * Returns the place and text of a passage and its page's bytes and hash; null where there is no such
   * passage.
   */
  async find(chunk) {
    if (!this.#isChunk(chunk)) return null;
    if (!this.#read.has(chunk)) await this.#load(chunk);
    return this.#read.get(chunk) ?? null;
  }

  async #load(chunk) {
    const passages = await this.#bundle.readPage(chunk);
    const whole = passages.map(([, text]) => text).join(BETWEEN);
    const page = { bytes: encoder.encode(whole), hash: await hashText(whole) };
    let begin = 0;
    for (const [number, text] of passages) {
      this.#read.set(number, { ...page, begin, text });
      begin += countBytes(text + BETWEEN);
    }
  }

  /** Returns true if a passage has the title, headings and address of `shown`. */
  async isPresented(chunk, shown) {
    if (!this.#isChunk(chunk)) return false;
    const { title, headingPath, url } = await this.#bundle.passage(chunk);
    return (
      JSON.stringify([title, headingPath, url]) ===
      JSON.stringify([shown.title, shown.headingPath, shown.url])
    );
  }

  #isChunk(chunk) {
    return Number.isInteger(chunk) && chunk >= 0 && chunk < this.#bundle.info.chunks;
  }
}

function isOfPassage({ target }) {
  return target?.type === "chunk";
}

/** Returns a copy of an answer, or of what has it in `answer`, or of the JSON of either. */
function readAnswer(given) {
  let printed;
  try {
    printed = JSON.parse(typeof given === "string" ? given : JSON.stringify(given));
  } catch (cause) {
    throw badArgument("This is no answer, nor the JSON of one.", cause);
  }
  for (const { text, citations, references } of partsOf(printed)) {
    const isAnswer = typeof text === "string" && [citations, references].every(isList);
    if (!isAnswer) throw badArgument("This is no answer as `ask` returns it.");
  }
  return printed;
}

function isList(list) {
  return Array.isArray(list) && list.every((item) => item && typeof item === "object");
}

/** Returns the answer and what is quoted beneath it: by a protocol the answer is a member. */
function partsOf(printed) {
  const parts = [];
  for (
    let part = printed?.answer && typeof printed.answer === "object" ? printed.answer : (printed ?? {});
    part;
    part = part.quotation
  )
    parts.push(part);
  return parts;
}

/** Returns the hash of a bundle: SHA-256 of the names and hashes of its sections, in the manifest's order. */
async function hashBundle({ manifest, info }) {
  const now = await manifest();
  if (identityOf(now) !== identityOf(info)) throw replacedError();
  return hashText(now.sections.map(({ name, sha256 }) => `${name} ${sha256}\n`).join(""));
}

/** Returns the hash of everything in what was printed but its seal, however its JSON is laid out. */
export function seal({ seal: _, ...sealed }) {
  return hashText(JSON.stringify(canonical(sealed)));
}

/**
 * Returns a value with its members in order, and numbers as their bits: languages print these differently.
 */
function canonical(value) {
  if (typeof value === "number") {
    const bits = new DataView(new ArrayBuffer(8));
    bits.setFloat64(0, value);
    return `#${bits.getBigUint64(0).toString(16).padStart(16, "0")}`;
  }
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== "object") return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, canonical(value[name])]));
}

async function hashText(text) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function countBytes(text) {
  return encoder.encode(text).length;
}
