// A stand-in for the engine with the same face, for working on the page before the engine is built and for tests of the page alone:
// real fetches, word overlap for BM25, a real stream for the LLM. It is never part of the package.

import { streamChat } from "./mock_llm.js";

export default async function init({ module_or_path }) {
  if (module_or_path instanceof Response) await module_or_path.arrayBuffer();
}

const fail = (code, message, extra = {}) => Object.assign(new Error(message), { code, ...extra });
const STOP = new Set("a an and are as at be between by do does for how in is it of on or the to what when which who why with you i".split(" "));
const words = (text) => [...text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)].map((m) => ({ word: m[0].replace(/s$/, ""), start: m.index, end: m.index + m[0].length }));
const content = (text) => [...new Set(words(text).map((w) => w.word).filter((w) => !STOP.has(w)))];

export class WasmEngine {
  static async open(baseUrl, { memoryLimit } = {}, onProgress, signal) {
    const engine = new WasmEngine();
    Object.assign(engine, { baseUrl, memoryLimit, requests: 0, bytes: 0, cache: new Map(), model: false });
    onProgress?.({ phase: "manifest", loaded: 0, total: 2 });
    const manifest = await engine.fetchJson("manifest.json", signal);
    if (manifest.format !== 1) throw fail("unsupported-version", `manifest.json: format ${manifest.format} is newer than this reader.`);
    engine.manifest = manifest;
    onProgress?.({ phase: "index", loaded: 1, total: 2 });
    engine.graph = await engine.fetchJson("graph.json", signal);
    engine.chunks = (await engine.fetchJson("chunks.json", signal)).map((c) => ({ ...c, terms: words(c.text + " " + c.title + " " + c.headingPath.join(" ")).map((w) => w.word) }));
    onProgress?.({ phase: "ready", loaded: 2, total: 2 });
    return engine;
  }

  async fetchBytes(file, signal, onChunk) {
    if (this.cache.has(file)) return this.cache.get(file);
    let response;
    try {
      response = await fetch(this.baseUrl + file, { signal });
    } catch (error) {
      if (signal?.aborted) throw fail("aborted", "aborted");
      throw fail("network", `${file} could not be fetched: ${error.message}`);
    }
    if (!response.ok) throw fail("http", `${file}: HTTP ${response.status}`, { status: response.status });
    const parts = [];
    try {
      for (const reader = response.body.getReader(); ; ) {
        const { done, value } = await reader.read();
        if (done) break;
        parts.push(value);
        this.bytes += value.length;
        onChunk?.(value.length);
      }
    } catch {
      throw signal?.aborted ? fail("aborted", "aborted") : fail("truncated", `${file} ended early.`);
    }
    this.requests += 1;
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    const expected = this.manifest?.bytes[file];
    if (expected !== undefined && expected !== bytes.length) throw fail("truncated", `${file} has ${bytes.length} bytes; ${expected} were expected.`);
    this.cache.set(file, bytes);
    return bytes;
  }

  async fetchJson(file, signal) {
    const bytes = await this.fetchBytes(file, signal);
    try {
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      throw fail("corrupt", `${file} cannot be decoded.`);
    }
  }

  info() {
    const { chunks, keywords } = { chunks: this.chunks.length, keywords: this.graph.keywords.length };
    return { version: 1, documents: new Set(this.chunks.map((c) => c.title)).size, chunks, keywords, embedder: "mock", hasModel: true, builtBy: "mock", sections: Object.entries(this.manifest.bytes).map(([name, bytes]) => ({ name, bytes })) };
  }

  stats() {
    return { requests: this.requests, bytes: this.bytes, memoryBytes: this.bytes * 2 };
  }

  modelReady() {
    return this.model;
  }

  async prepare(onProgress, signal) {
    const total = this.manifest.bytes["model.bin"];
    let loaded = 0;
    await this.fetchBytes("model.bin", signal, (bytes) => onProgress?.({ phase: "model", loaded: (loaded += bytes), total }));
    this.model = true;
  }

  async search(question, { k = 10, retriever = "hybrid" } = {}, signal) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (signal?.aborted) throw fail("aborted", "aborted");
    const terms = content(question);
    const missing = [];
    await this.fetchBytes("postings.bin", signal).catch((error) => {
      if (error.code === "aborted") throw error;
      missing.push("postings.bin");
    });
    const near = this.graph.keywords.map((kw) => ({ ...kw, score: overlap(content(kw.label), terms) })).filter((kw) => kw.score > 0).sort((a, b) => b.score - a.score).slice(0, 5);
    const keywords = near.map(({ id, label, score }) => ({ id, label, kind: "direct", score }));
    const reached = new Map();
    const reach = (chunk, way) => reached.set(chunk, [...(reached.get(chunk) ?? []), way]);
    for (const direct of near) {
      direct.chunks.slice(0, 3).forEach((chunk) => reach(chunk, { by: "keyword", keyword: direct.label }));
      for (const { keyword, weight } of this.adjacent(direct).filter(({ keyword }) => !near.some((n) => n.id === keyword.id)).slice(0, 3)) {
        if (!keywords.some((known) => known.id === keyword.id)) keywords.push({ id: keyword.id, label: keyword.label, kind: "adjacent", score: weight, via: direct.id });
        keyword.chunks.slice(0, 2).forEach((chunk) => reach(chunk, { by: "adjacent-keyword", keyword: keyword.label, via: direct.label }));
      }
    }
    const hits = this.chunks.map((chunk) => {
      const found = terms.filter((term) => chunk.terms.some((word) => word.startsWith(term)));
      const lexical = found.reduce((sum, term) => sum + Math.min(3, chunk.terms.filter((word) => word === term).length), 0);
      const ways = [...(lexical > 0 ? [{ by: "query" }] : []), ...(reached.get(chunk.chunk) ?? [])];
      const highlights = words(chunk.text).filter((w) => terms.some((t) => w.word.startsWith(t))).map(({ start, end }) => ({ start, end }));
      const { terms: _, ...rest } = chunk;
      return { ...rest, score: lexical + 0.5 * ways.length, lexical, highlights, reached: ways };
    }).filter((hit) => hit.reached.length > 0).sort((a, b) => b.score - a.score).slice(0, k);
    return { question, retriever, stage: this.model ? "model" : "feedback", hits, keywords, missing };
  }

  adjacent(keyword) {
    return this.graph.keywords.filter((other) => other.id !== keyword.id).map((other) => ({ keyword: other, weight: other.chunks.filter((c) => keyword.chunks.includes(c)).length })).filter((edge) => edge.weight > 0).sort((a, b) => b.weight - a.weight);
  }

  async ask(question, { llm, ...options }, onEvent, signal) {
    const result = await this.search(question, options, signal);
    onEvent({ type: "hits", result });
    const references = result.hits.slice(0, 5).map(({ chunk, title, headingPath, url }, i) => ({ number: i + 1, chunk, title, headingPath, url }));
    onEvent({ type: "references", references });
    const quoted = this.quote(question, result, references);
    const answer = llm ? await this.write(llm, question, result, references, onEvent, signal).catch((error) => fallBack(error, quoted)) : quoted;
    onEvent({ type: "done", answer });
    return answer;
  }

  quote(question, result, references) {
    const terms = content(question);
    const sentences = result.hits.slice(0, 5).flatMap((hit, i) => [...hit.text.matchAll(/[^.!?\n]+[.!?]/g)].map((m) => ({ i, quote: m[0].trim(), start: m.index + m[0].search(/\S/), score: overlap(content(m[0]), terms) * terms.length - i * 0.3 })));
    const best = sentences.filter((s) => s.score >= 1).sort((a, b) => b.score - a.score).slice(0, 3);
    if (best.length === 0) return { text: "The documents do not say.", answered: false, by: "extraction", citations: [], references, warnings: [] };
    let text = "";
    const citations = best.map(({ i, quote, start }) => {
      text += `${text ? "\n" : ""}“${quote}” `;
      const at = { start: text.length, end: text.length + 3 };
      text += `[${i + 1}]`;
      return { ...references[i], quote, span: { start, end: start + quote.length }, at, status: "verified" };
    });
    return { text, answered: true, by: "extraction", citations, references, warnings: [] };
  }

  async write(llm, question, result, references, onEvent, signal) {
    const { text, truncated } = await streamChat(llm, question, result.hits, (token) => onEvent({ type: "token", text: token }), signal);
    const citations = [...text.matchAll(/\[(\d+)\]/g)].map((m) => {
      const at = { start: m.index, end: m.index + m[0].length };
      const number = Number(m[1]);
      const reference = references[number - 1];
      if (!reference) return { number, chunk: null, at, span: { start: 0, end: 0 }, status: "dangling", title: "", headingPath: [], url: "", quote: "" };
      const hit = result.hits[number - 1];
      const span = { start: 0, end: hit.text.indexOf(".") + 1 };
      const sentence = text.slice(0, m.index).split(/[.!?]\s/).at(-1);
      const verified = overlap(content(sentence), content(hit.text)) > 0.4;
      return { ...reference, quote: hit.text.slice(0, span.end), span, at, status: verified ? "verified" : "unsupported" };
    });
    const warnings = citations.some((c) => c.status === "dangling") ? ["The answer cites passages that do not exist."] : [];
    return { text, answered: true, by: "llm", citations, references, truncated, warnings };
  }

  async neighbors(label, limit) {
    const keyword = this.graph.keywords.find((kw) => kw.label === label);
    if (!keyword) throw fail("bad-argument", `No keyword is called ${label}.`);
    const chunks = keyword.chunks.map((number) => ({ ...this.chunks[number], score: 1, highlights: [], reached: [{ by: "keyword", keyword: label }] }));
    return { keyword: label, neighbors: this.adjacent(keyword).slice(0, limit).map(({ keyword: { label }, weight }) => ({ label, weight })), chunks };
  }

  async subgraph(result) {
    const nodes = [{ id: "q", kind: "question", label: result.question }];
    const edges = [];
    for (const kw of result.keywords) {
      nodes.push({ id: `k${kw.id}`, kind: kw.kind === "direct" ? "keyword" : "adjacent-keyword", label: kw.label });
      if (kw.kind === "direct") edges.push({ from: "q", to: `k${kw.id}`, weight: kw.score, kind: "question-keyword" });
      for (const { keyword, weight } of this.adjacent(this.graph.keywords[kw.id])) {
        const other = result.keywords.find((r) => r.id === keyword.id);
        if (other && kw.kind === "direct" && (other.kind === "adjacent" || other.id > kw.id)) edges.push({ from: `k${kw.id}`, to: `k${other.id}`, weight, kind: "keyword-keyword" });
      }
    }
    for (const hit of result.hits) {
      nodes.push({ id: `c${hit.chunk}`, kind: "chunk", label: hit.title, chunk: hit.chunk });
      for (const way of hit.reached) {
        const kw = way.by !== "query" && result.keywords.find((r) => r.label === way.keyword);
        edges.push(kw ? { from: `k${kw.id}`, to: `c${hit.chunk}`, weight: 1, kind: "keyword-chunk" } : { from: "q", to: `c${hit.chunk}`, weight: 1, kind: "question-chunk" });
      }
    }
    return { nodes, edges };
  }

  async passage(chunk) {
    const { terms, ...found } = this.chunks[chunk] ?? {};
    if (found.chunk === undefined) throw fail("bad-argument", `There is no passage ${chunk}.`);
    const near = (other) => (other?.title === found.title ? other.text : undefined);
    return { ...found, score: 0, highlights: [], reached: [], before: near(this.chunks[chunk - 1]), after: near(this.chunks[chunk + 1]) };
  }

  free() {
    this.chunks = null;
  }
}

// As in the engine: a model that fails ends in a quoted answer that says why.
function fallBack(error, quoted) {
  if (error.code === "aborted") throw error;
  return { ...quoted, warnings: [`The language model failed (${error.code}): ${error.message}. This answer is quoted from the documents instead.`] };
}

function overlap(some, all) {
  if (some.length === 0 || all.length === 0) return 0;
  return some.filter((word) => all.some((other) => other.startsWith(word) || word.startsWith(other))).length / some.length;
}
