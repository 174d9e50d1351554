// What the suite of the three browsers does in a page of the site: it stands in a file because a strict policy allows no other script.

import { PocketGraph } from "/pkg/pocketgraph.js";

/** The best passages for a question, of a bundle that is opened for it. */
async function search(bundle, question, options = {}) {
  const graph = await PocketGraph.open(bundle);
  try {
    if (options.model) await graph.prepare();
    const { hits, stage, missing } = await graph.search(question);
    return { stage, missing, hits: hits.map(({ chunk, text, title }) => ({ chunk, text, title })) };
  } finally {
    await graph.close();
  }
}

/** The events of an answer by their types, and the answer. */
async function ask(bundle, question) {
  const graph = await PocketGraph.open(bundle);
  const types = [];
  let answer = null;
  try {
    for await (const event of graph.ask(question)) {
      types.push(event.type);
      if (event.type === "done") answer = event.answer;
    }
    const [citation] = answer.citations;
    const passage = Number.isInteger(citation?.chunk) ? await graph.passage(citation.chunk) : null;
    return { types, text: answer.text, by: answer.by, quote: citation?.quote ?? null, passage: passage && JSON.stringify(passage) };
  } finally {
    await graph.close();
  }
}

/** Keeps a bundle for use without a network, whole; resolves to whether it is. */
async function keep(bundle) {
  const copy = await PocketGraph.offline({ bundle, worker: "/offline-worker.js", keep: "visited" });
  const status = await copy.fetchAll();
  return { complete: status.bundles?.every(({ complete }) => complete) ?? null, controlled: status.controlled };
}

window.suite = { search, ask, keep };
