// Several bundles searched as one. Each keeps its engine; what they find is one list, and an answer is of the
// bundle whose passages fit best. Passages are numbered through: those of the second bundle follow the last
// of the first.

import { badArgument } from "./options.js";

/** Calls that only a single bundle can answer. */
const OF_ONE = ["plan", "execute", "neighbors", "subgraph", "certify", "prove"];

/** Open bundles as one. */
export class ManyGraphs {
  #graphs;

  constructor(graphs) {
    this.#graphs = graphs;
  }

  /** The bundles, in the order in which they were named. */
  get graphs() {
    return [...this.#graphs];
  }

  /** The bundles' counts together; `bundles` has what each is. */
  info() {
    const bundles = this.#graphs.map((graph) => graph.info());
    const sum = (name) => bundles.reduce((total, info) => total + info[name], 0);
    const sections = bundles.flatMap((info) => info.sections);
    const hasModel = bundles.every((info) => info.hasModel);
    return {
      ...bundles[0],
      documents: sum("documents"),
      chunks: sum("chunks"),
      keywords: sum("keywords"),
      hasModel,
      sections,
      bundles,
    };
  }

  modelReady() {
    return this.#graphs.every((graph) => graph.modelReady());
  }

  async prepare({ onStage, ...options } = {}) {
    const reached = { table: 0, model: 0 };
    const reportStage = (stage) => (reached[stage] += 1) === this.#graphs.length && onStage?.(stage);
    await Promise.all(this.#graphs.map((graph) => graph.prepare({ ...options, onStage: reportStage })));
  }

  /**
   * The passages of all bundles that answer to `question`, best first; `bundle` of each is the place of its
   * bundle.
   */
  async search(question, options = {}) {
    const results = await Promise.all(this.#graphs.map((graph) => graph.search(question, options)));
    return this.#merged(results, options.k);
  }

  /** The events of an answer by the bundle whose passages fit best; the first, `hits`, has those of all. */
  async *ask(question, options = {}) {
    const { history, ...others } = options;
    const { retriever, filter, k, signal } = options;
    let asked = question;
    if (history?.length > 0) {
      // Where the rules cannot be fetched any more, a follow-up is asked as it is.
      const rules = await import("./follow-up.js").catch(() => null);
      asked = rules?.resolveFollowUp(question, history) ?? question.trim();
      if (asked !== question.trim()) yield { type: "understood", question: asked, asked: question };
    }
    const results = await Promise.all(
      this.#graphs.map((graph) => graph.search(asked, { retriever, filter, k, signal })),
    );
    const result = this.#merged(results, k);
    const [order, offsets] = [byStrength(results), this.#offsets()];
    for (const [turn, at] of order.entries()) {
      const last = turn === order.length - 1;
      const held = [];
      for await (const event of this.#graphs[at].ask(asked, others)) {
        // Until it is known that this bundle says something, nothing of it is told.
        const shown = event.type === "hits" ? { type: "hits", result } : renumbered(event, offsets[at], at);
        if (event.type !== "done") held.push(shown);
        if (options.llm || last || (event.type === "done" && saysSomething(event.answer))) {
          yield* held.splice(0);
          if (event.type === "done") {
            yield shown;
            return;
          }
        }
      }
    }
  }

  /** The documents' own fields in all bundles, those of one name together. */
  async fields(options) {
    const { summedFields } = await import("./facets.js");
    return summedFields((await Promise.all(this.#graphs.map((graph) => graph.fields(options)))).flat());
  }

  /** The facets of all bundles, those of one kind and value together. */
  async facets(options) {
    const { summed } = await import("./facets.js");
    return summed((await Promise.all(this.#graphs.map((graph) => graph.facets(options)))).flat());
  }

  async pageFilter(address, options) {
    const filters = await Promise.all(this.#graphs.map((graph) => graph.pageFilter(address, options)));
    return filters.find(Boolean) ?? null;
  }

  async passage(chunk, options) {
    if (!Number.isInteger(chunk) || chunk < 0) throw badArgument("A passage is named by its number.");
    const offsets = this.#offsets();
    const at = offsets.findLastIndex((offset) => offset <= chunk);
    const passage = await this.#graphs[at].passage(chunk - offsets[at], options);
    return renumbered(passage, offsets[at], at);
  }

  async stats() {
    const all = await Promise.all(this.#graphs.map((graph) => graph.stats()));
    const sum = (name) => all.reduce((total, stats) => total + stats[name], 0);
    return { requests: sum("requests"), bytes: sum("bytes"), memoryBytes: sum("memoryBytes") };
  }

  async reopen(options) {
    await Promise.all(this.#graphs.map((graph) => graph.reopen(options)));
  }

  async close() {
    await Promise.all(this.#graphs.map((graph) => graph.close()));
  }

  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    return this.close();
  }

  #offsets() {
    let next = 0;
    return this.#graphs.map((graph) => {
      const offset = next;
      next += graph.info().chunks;
      return offset;
    });
  }

  #merged(results, k = 10) {
    const offsets = this.#offsets();
    const strengths = strengthsOf(results);
    const hits = results.flatMap(({ hits }, at) =>
      hits.map((hit, rank) => ({
        ...renumbered(hit, offsets[at], at),
        score: share(hits, hit) * strengths[at],
        rank,
      })),
    );
    // Of equal ones the earlier of its list is first, and then that of the earlier bundle.
    hits.sort((a, b) => b.score - a.score || a.rank - b.rank || a.bundle - b.bundle);
    const [first] = results;
    const stage =
      ["lexical", "feedback", "table", "model"].find((name) =>
        results.some((result) => result.stage === name),
      ) ?? first.stage;
    const keywords = results.flatMap((result) => result.keywords);
    const missing = results.flatMap((result) => result.missing);
    return { ...first, stage, hits: hits.slice(0, k).map(({ rank, ...hit }) => hit), keywords, missing };
  }
}

for (const name of OF_ONE) {
  ManyGraphs.prototype[name] = async () => {
    throw badArgument(`\`${name}\` is of one bundle: call it on one of \`graphs\`.`);
  };
}

/** A hit's score as a share of its list's best. */
function share(hits, { score }) {
  const best = Math.max(...hits.map((hit) => hit.score));
  return best > 0 ? score / best : 0;
}

/**
 * Returns how well each bundle's best passages fit: by meaning if all bundles have that measure, otherwise by
 * words. Scores compare within one list only.
 */
function strengthsOf(results) {
  const measure = results.every(({ stage, hits }) => stage === "model" || hits.length === 0)
    ? "dense"
    : "lexical";
  const best = results.map(({ hits }) => Math.max(0, ...hits.map((hit) => hit[measure] ?? 0)));
  const most = Math.max(...best);
  return best.map((one) => (most > 0 ? one / most : 1));
}

function byStrength(results) {
  const strengths = strengthsOf(results);
  return results.map((_, at) => at).sort((a, b) => strengths[b] - strengths[a] || a - b);
}

const saysSomething = (answer) => answer.citations.length > 0;

/** The same with every `chunk` numbered through, and each thing that has one saying its bundle. */
function renumbered(value, offset, bundle) {
  if (Array.isArray(value)) return value.map((item) => renumbered(item, offset, bundle));
  if (value === null || typeof value !== "object") return value;
  const own = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, renumbered(member, offset, bundle)]),
  );
  if (Number.isInteger(own.chunk)) Object.assign(own, { chunk: own.chunk + offset, bundle });
  return own;
}
