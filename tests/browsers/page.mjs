// What the suite of the three browsers does in a page of the site: it stands in a file because a strict
// policy allows no other script.

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
    const passage = citation?.target?.type === "chunk" ? await graph.passage(citation.target.chunk) : null;
    return {
      types,
      text: answer.text,
      by: answer.by,
      quote: citation?.quote ?? null,
      passage: passage && JSON.stringify(passage),
    };
  } finally {
    await graph.close();
  }
}

/** Keeps a bundle for use without a network, whole; resolves to whether it is. */
async function keep(bundle) {
  const copy = await PocketGraph.offline({ bundle, worker: "/offline-worker.js", keep: "visited" });
  const status = await copy.fetchAll();
  return {
    complete: status.bundles?.every(({ complete }) => complete) ?? null,
    controlled: status.controlled,
  };
}

/** Numbers from 0 to 1 that follow from a seed. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const troubles = [];
addEventListener("error", (event) => troubles.push(`error: ${event.message}`));
addEventListener("unhandledrejection", (event) =>
  troubles.push(`unhandled: ${event.reason?.code} ${event.reason?.message ?? event.reason}`),
);

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const WORDS = [
  "ferry",
  "crossing",
  "Bergen",
  "autumn",
  "film",
  "Night Ferry",
  "who directed Heat?",
  "where was Night Ferry shot?",
];

/**
 * What a restless reader and page do, by a seed: type, ask, change the bundle, move the element, take it
 * away. Then the network is calm (`calm()`), a last question is typed, and its hits, no others, must stand
 * there; the model must come. Resolves to what was wrong.
 */
async function race(seed, bundles) {
  const random = randomFrom(seed);
  const one = (list) => list[Math.floor(random() * list.length)];
  troubles.length = 0;
  // The module that defines it may be late on a busy machine; what is typed before that has no field to stand
  // in.
  await customElements.whenDefined("pocketgraph-ask");
  const element = document.createElement("pocketgraph-ask");
  element.setAttribute("src", bundles[0]);
  element.setAttribute("recent", "off");
  if (random() < 0.3) element.setAttribute("worker", "off");
  document.body.append(element);
  const type = (text) => {
    const input = element.shadowRoot.querySelector("[part=input]");
    input.focus();
    input.value = text;
    input.dispatchEvent(new Event("input"));
  };
  for (let steps = 2 + Math.floor(random() * 5); steps > 0; steps -= 1) {
    const step = random();
    if (step < 0.45) type(one(WORDS).slice(0, 1 + Math.floor(random() * 12)));
    else if (step < 0.65) element.ask(one(WORDS)).catch((error) => troubles.push(`ask: ${error.message}`));
    else if (step < 0.8) element.setAttribute("src", one(bundles));
    else if (step < 0.9) document.body.append(element);
    else element.graph?.prepare().catch(() => {});
    await sleep(random() * 150);
  }
  await fetch(`/calm/${seed}`).catch(() => {});
  element.setAttribute("src", bundles[0]);
  const heard = [];
  element.addEventListener("pocketgraph-result", ({ detail }) => heard.push(detail));
  const end = Date.now() + 30_000;
  const found = () => heard.some(({ question, hits }) => question === "Bergen" && hits.length > 0);
  for (let tries = 0; tries < 4 && !found(); tries += 1) {
    type("");
    type("Bergen");
    const patience = Date.now() + 8000;
    while (!found() && Date.now() < Math.min(end, patience)) await sleep(20);
  }
  const wrong = [];
  if (!found()) wrong.push("the last question had no hits");
  const shown = () => element.shadowRoot.querySelector("[part~=hits]").textContent;
  await element.graph?.prepare().catch((error) => wrong.push(`prepare: ${error.code} ${error.message}`));
  if (!element.graph?.modelReady()) wrong.push("the model is lost");
  await sleep(150);
  if (heard.some(({ question }) => question !== "Bergen"))
    wrong.push(`a stale list: ${heard.map(({ question }) => question)}`);
  if (!shown().includes("Bergen")) wrong.push(`shown: ${shown().slice(0, 80)}`);
  element.remove();
  await sleep(30);
  return [...wrong, ...troubles];
}

window.suite = { search, ask, keep, race };
