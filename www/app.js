// The demo: <pocketgraph-ask>, and beside it what a site may build on its events and properties, which are a
// map of the question and settings.

import { bundleInAddress, rememberQuestion, renewAddress, wantsNoWorker } from "./address.js";
import { explainFailure } from "./failure.js";
import { bytes, count } from "./numbers.js";
import { OfflinePanel } from "./offline-panel.js";
import { SettingsPanel } from "./settings-panel.js";

// The document is laid out for the first time when its scripts are done: that is a task by itself.
await new Promise((resolve) => setTimeout(resolve));

const $ = (id) => document.getElementById(id);
const ask = document.querySelector("pocketgraph-ask");
const map = $("map");
const trouble = $("trouble");
const offer = $("offer");

/** The hits that are shown, and the last answer to their question. */
let shown = null;
let answered = null;
/**
 * The graph that an answer rests on, as the last event of `ask` told; null for one that rests on passages
 * alone.
 */
let rests = null;
/**
 * The views of the map, once it was opened: of keywords, of one keyword, and over a knowledge graph of
 * entities.
 */
let graphView = null;
let keyword = null;
let entities = null;
let drawing = new AbortController();

const settings = new SettingsPanel(
  $("settings"),
  $("settings-button"),
  useSettings,
  new OfflinePanel(() => ask.src),
);

// ---- what the component tells
// ----------------------------------------------------------------------------------------------

ask.addEventListener("pocketgraph-open", ({ detail: graph }) => {
  const info = graph.info();
  const holds = { document: info.documents, passage: info.chunks, keyword: info.keywords };
  $("facts").textContent = Object.entries(holds)
    .filter(([, number]) => number > 0)
    .map(([noun, number]) => count(number, noun))
    .join(" · ");
  // To readers who save data the component brings no model by itself.
  const layers = info.sections.find(({ name }) => name === "layers")?.bytes ?? 0;
  offer.hidden = !navigator.connection?.saveData || info.hasModel === false || graph.modelReady();
  offer.firstElementChild.textContent = `Rank by meaning: load the model (${bytes(layers)})`;
});

offer.firstElementChild.addEventListener("click", () => {
  ask.model = "on";
  offer.hidden = true;
});

ask.addEventListener("pocketgraph-result", ({ detail: result }) => {
  if (shown?.question !== result.question) {
    keyword?.close();
    entities?.clear();
    answered = rests = null;
    trouble.hidden = true;
  }
  shown = result;
  map.hidden = !ask.graph.info().keywords && !hasKnowledge();
  document.body.classList.add("asked");
  rememberQuestion(result.question);
  // What comes next is loaded now: it is there then, also without a network.
  loadMap().catch(() => {});
  drawMap();
});

ask.addEventListener("pocketgraph-progress", ({ detail: event }) => {
  if (event.type === "done") rests = event.carried?.graph ?? null;
});

ask.addEventListener("pocketgraph-answer", async ({ detail: answer }) => {
  rememberQuestion(shown.question, { asked: true });
  answered = answer;
  drawEntities();
  trouble.hidden = true;
  if (!answer.failure) return;
  const why = await explainFailure(answer.failure, ask.llm);
  if (answered !== answer) return;
  trouble.textContent = why;
  trouble.hidden = false;
});

ask.addEventListener("pocketgraph-clear", () => {
  shown = answered = rests = null;
  drawing.abort();
  entities?.clear();
  keyword?.close();
  trouble.hidden = map.hidden = true;
  document.body.classList.remove("asked");
  rememberQuestion("");
});

// ---- the map
// ---------------------------------------------------------------------------------------------------------------

map.addEventListener("toggle", () => {
  if (!map.open) return;
  drawMap();
  drawEntities();
  map.scrollIntoView({ block: "nearest" });
});

/** Returns true if the open bundle has a knowledge graph through which plans go. */
function hasKnowledge() {
  return Boolean(ask.graph?.execute) && ask.graph.info().sections.some(({ name }) => name === "kg");
}

const onPassage = (chunk, quote) => ask.openPassage(chunk, { quote });

async function loadMap() {
  if (graphView) return;
  const [{ GraphView }, { KeywordPanel }] = await Promise.all([
    import("./graph-view.js"),
    import("./keyword-panel.js"),
  ]);
  const load = (label, signal) => ask.graph.neighbors(label, { limit: 12, signal });
  keyword ??= new KeywordPanel($("keyword"), { load, onPassage: (chunk) => onPassage(chunk) });
  graphView ??= new GraphView($("graph"), {
    onKeyword: (label) => keyword.open(label),
    onPassage: (chunk) => onPassage(chunk),
  });
}

/**
 * The map is AutoKG's picture of the question, however the hits were ranked; passages among the hits carry
 * their ranks.
 */
async function drawMap() {
  drawing.abort();
  const { signal } = (drawing = new AbortController());
  if (!shown || !map.open) return;
  const [result, { graph }] = [shown, ask];
  $("graph").hidden = !graph.info().keywords;
  if ($("graph").hidden) return;
  try {
    await loadMap();
    if (signal.aborted) return;
    const pictured =
      result.retriever === "autokg"
        ? result
        : await graph.search(result.question, { retriever: "autokg", signal });
    const subgraph = await graph.subgraph(pictured, { signal });
    if (!signal.aborted) await graphView.show(subgraph, result);
  } catch {
    // The hits stand without their map.
    if (signal.aborted) return;
    $("graph").hidden = true;
    map.hidden = !hasKnowledge();
  }
}

/** Beside it stands what the knowledge graph states, of the answer and of everything else. */
async function drawEntities() {
  const { graph } = ask;
  if (!hasKnowledge()) return;
  // Without its browser the map stands.
  const module = await import("./entity-panel.js").catch(() => null);
  if (!module || !map.open || graph !== ask.graph) return;
  entities ??= new module.EntityPanel($("entities"), { graph: () => ask.graph, onPassage });
  if (answered) entities.show(shown.question, rests);
}

// ---- what the reader does
// --------------------------------------------------------------------------------------------------

function useSettings() {
  const { retriever, k, llm, options } = settings;
  Object.assign(ask, { retriever, k, llm, askOptions: llm && options });
  if (shown) ask.ask(shown.question);
}

document.addEventListener("keydown", (event) => {
  const typing = event.composedPath()[0].closest?.("input, textarea, select, dialog");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  ask.open();
});

// The component asks what the address says; that there is no question in it is for the page to tell. A
// fragment of another kind leads to a place in the page.
addEventListener("hashchange", () => {
  renewAddress();
  if (!location.hash) ask.ask("");
});

renewAddress();
const bundle = bundleInAddress();
if (bundle) ask.setAttribute("src", bundle);
if (wantsNoWorker()) ask.setAttribute("worker", "off");
await import("./pkg/ask-element.js");
ask.load();
