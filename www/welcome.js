// What the page shows before there is a question.

import { h } from "./pkg/render.js";

const EXAMPLES = [
  "What is the difference between a keyword graph and a knowledge graph?",
  "How does hybrid search work?",
  "What leaves my machine when I ask a question?",
  "Where is the API key kept?",
];

/** Fills `list` with questions to try. */
export function showExamples(list, onPick) {
  list.replaceChildren(...EXAMPLES.map((example) => h("li", {}, h("button", { type: "button", onclick: () => onPick(example) }, example))));
}

/** One line about the bundle: how much it holds. */
export function showFacts(node, info) {
  const parts = [count(info.documents, "document"), count(info.chunks, "passage"), count(info.keywords, "keyword")];
  node.textContent = parts.filter(Boolean).join(" · ");
}

function count(number, noun) {
  // Not toLocaleString, whose first call loads tables for as long as a frame lasts.
  const grouped = String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  return Number.isFinite(number) ? `${grouped} ${noun}${number === 1 ? "" : "s"}` : "";
}
