// The page: wires the question, the hits, the answer, the map and the panels together. What each looks like is in its own file.

import { AnswerView } from "./answer-view.js";
import { GraphView } from "./graph-view.js";
import { HitsView } from "./hits-view.js";
import { KeywordPanel } from "./keyword-panel.js";
import { explain, explainModel, failureOf } from "./messages.js";
import { Notice } from "./notice.js";
import { OfflinePanel } from "./offline-panel.js";
import { PassagePanel } from "./passage-panel.js";
import { PocketGraph, PocketGraphError } from "./pkg/pocketgraph.js";
import { SettingsPanel } from "./settings-panel.js";
import { StatusLine } from "./status-line.js";
import { bundleUrl, followAddress, questionInAddress, rememberQuestion, wantsWorker } from "./address.js";
import { showFacts, showExamples } from "./welcome.js";

// The document is laid out for the first time when its scripts are done: that is a task by itself.
await new Promise((resolve) => setTimeout(resolve));

const TYPING_PAUSE_MS = 110;
const ANSWER_PAUSE_MS = 750;

const $ = (id) => document.getElementById(id);
const input = $("question");

let graph = null;
let shown = null;
/** Whether what is shown was found while its last word may have been unfinished. */
let shownTyping = false;
let searching = new AbortController();
let answering = new AbortController();
let typingTimer = 0;
let answerTimer = 0;

const notice = new Notice($("notice"));
const status = new StatusLine({ stages: $("stages"), fetched: $("fetched"), live: $("live") });
const offline = new OfflinePanel(bundleUrl);
const settings = new SettingsPanel($("settings"), $("settings-button"), onSettings, offline);
const passage = new PassagePanel($("passage"), { load: (chunk, signal) => graph.passage(chunk, { signal }), fallbackFocus: input });
const keyword = new KeywordPanel($("keyword"), {
  load: (label, signal) => graph.neighbors(label, { limit: 12, signal }),
  onPassage: (chunk) => passage.open(chunk),
});
const map = new GraphView($("graph"), { onKeyword: (label) => keyword.open(label), onPassage: (chunk) => passage.open(chunk) });
const hits = new HitsView({ list: $("hits"), note: $("hits-note") }, { onOpen: (hit) => passage.open(hit.chunk, { spans: hit.highlights }) });
const answer = new AnswerView($("answer"), {
  onCite: ({ target, span, quote }) => passage.open(target.chunk, { spans: span ? [span] : [], quote }),
  onStop: () => answering.abort(),
  onRetry: () => answerQuestion({ mayWrite: true }),
});

// ---- the bundle ------------------------------------------------------------------------------------------------------------

async function open() {
  notice.clear();
  status.opening();
  try {
    const place = bundleUrl();
    if (graph) await graph.reopen({ onProgress: (progress) => status.opening(progress) });
    else graph = await PocketGraph.open(place, { worker: wantsWorker(), onProgress: (progress) => status.opening(progress) });
  } catch (error) {
    status.failed();
    notice.show("The documents could not be opened.", explain(error), { label: "Try again", action: open });
    return;
  }
  status.opened(await graph.stats(), graph.info().sections);
  showFacts($("facts"), graph.info());
  if (input.value.trim()) questionChanged({ atOnce: true, ask: true });
  else showResults(false);
}

function showResults(on) {
  $("results").hidden = !on;
  $("welcome").hidden = on;
  document.body.classList.toggle("asking", on);
}

let preparing = null;

// The query model is large beside everything else: it is fetched once the first hits are on the screen, and never against the
// reader's wish to save data.
async function prepareModel({ wanted = false } = {}) {
  if (preparing || graph.modelReady() || graph.info().hasModel === false) return;
  if (navigator.connection?.saveData && !wanted) {
    status.offerModel(() => prepareModel({ wanted: true }));
    return;
  }
  const onStage = (stage) => stage === "table" && refine();
  preparing = graph.prepare({ onProgress: (progress) => status.modelLoading(progress), onStage });
  try {
    await preparing;
    status.modelReady(await graph.stats());
    refine();
  } catch (error) {
    if (isAbort(error)) return;
    status.modelFailed(explain(error), () => prepareModel({ wanted: true }));
  } finally {
    preparing = null;
  }
}

// ---- the question ----------------------------------------------------------------------------------------------------------

function question() {
  return input.value.trim();
}

/** Only a question's own mark says that it is finished: of half a word, nothing should be said. */
function looksFinished(text) {
  return text.split(/\s+/).length >= 3 && /[?？؟]$/.test(text);
}

function questionChanged({ atOnce = false, ask = false } = {}) {
  clearTimeout(typingTimer);
  clearTimeout(answerTimer);
  if (!graph) return;
  if (!question()) {
    reset();
    return;
  }
  if (!shown || shown.question !== question()) answering.abort();
  typingTimer = setTimeout(() => search({ typing: !atOnce }), atOnce ? 0 : TYPING_PAUSE_MS);
  if (ask) {
    rememberQuestion(question(), { asked: true });
    answerQuestion({ mayWrite: true });
  } else if (looksFinished(question())) answerTimer = setTimeout(() => answerQuestion({ mayWrite: false }), ANSWER_PAUSE_MS);
  else answer.clear();
}

function reset() {
  searching.abort();
  answering.abort();
  shown = null;
  answer.clear();
  hits.clear();
  keyword.close();
  notice.clear();
  status.idle();
  rememberQuestion("");
  showResults(false);
}

async function search({ typing = false } = {}) {
  searching.abort();
  const { signal } = (searching = new AbortController());
  const asked = question();
  status.searching();
  try {
    const result = await graph.search(asked, { ...settings.search, typing, signal });
    if (signal.aborted) return;
    shownTyping = typing;
    await showResult(result, signal);
    prepareModel();
  } catch (error) {
    if (isAbort(error) || signal.aborted) return;
    status.failed();
    offerRemedy("The search did not succeed.", error, () => search());
  }
}

async function showResult(result, signal) {
  notice.clear();
  const sameQuestion = shown?.question === result.question;
  shown = result;
  showResults(true);
  hits.show(result);
  rememberQuestion(result.question);
  if (result.missing.length > 0) {
    notice.show("Some parts of the index could not be loaded.", `Hits may be missing. Not loaded: ${result.missing.join(", ")}.`, { label: "Try again", action: () => search() });
  }
  if (!sameQuestion) keyword.close();
  status.found(result, await graph.stats());
  await drawMap(result, signal);
}

/** The map is AutoKG's picture of the question, however the hits were ranked; passages among the hits carry their numbers. */
async function drawMap(result, signal) {
  try {
    const pictured = result.retriever === "autokg" ? result : await graph.search(result.question, { retriever: "autokg", signal });
    const subgraph = await graph.subgraph(pictured, { signal });
    if (signal.aborted) return;
    $("map").hidden = !subgraph.nodes.some((node) => node.kind === "keyword");
    await map.show(subgraph, result);
  } catch (error) {
    // The hits stand without their map.
    if (!isAbort(error) && !signal.aborted) $("map").hidden = true;
  }
}

/** The token table or the model has arrived: what is on the screen is ranked again, and a quoted answer is chosen again. */
function refine() {
  if (!shown || shown.question !== question()) return;
  search({ typing: shownTyping });
  if (answer.isQuoted()) answerQuestion({ mayWrite: false });
}

async function answerQuestion({ mayWrite }) {
  clearTimeout(answerTimer);
  answering.abort();
  const { signal } = (answering = new AbortController());
  const asked = question();
  if (!asked) return;
  const llm = mayWrite ? settings.llm : null;
  answer.begin(llm);
  try {
    // The quoted answer costs nothing and comes first; a written one takes its place when it starts to arrive.
    await follow(graph.ask(asked, { ...settings.search, signal }), signal);
    if (llm && !signal.aborted) await follow(graph.ask(asked, { ...settings.search, ...settings.writing, llm, signal }), signal, llm);
    if (signal.aborted && signal === answering.signal) answer.stopped();
  } catch (error) {
    // Once another answer has begun, the end of this one is nothing to show.
    if (signal !== answering.signal) return;
    if (isAbort(error) || signal.aborted) answer.stopped();
    else if (llm && answer.hasQuoted()) answer.failed(await explainModel(error, llm));
    else {
      answer.clear();
      offerRemedy("No answer could be made.", error, () => answerQuestion({ mayWrite }));
    }
  }
}

async function follow(events, signal, llm) {
  for await (const event of events) {
    if (signal.aborted) return;
    if (event.type === "references" && llm) answer.references(event.references);
    else if (event.type === "token") answer.token(event.text);
    else if (event.type === "turn" || event.type === "anew") answer.turn();
    else if (["call", "plan", "step"].includes(event.type)) answer.did(event);
    else if (event.type === "done") {
      const failure = llm && failureOf(event.answer);
      if (failure) {
        const why = await explainModel(failure, llm);
        if (signal.aborted) return;
        answer.failed(why, event.answer);
      } else answer.done(event.answer, llm, event.carried);
    }
  }
  if (llm || !settings.llm) status.say("The answer is ready.");
}

function offerRemedy(title, error, again) {
  const code = error instanceof PocketGraphError ? error.code : "";
  if (code === "closed") notice.show(title, explain(error), { label: "Start again", action: open });
  else if (code === "replaced") notice.show("There are newer documents.", explain(error), { label: "Open them", action: open });
  else notice.show(title, explain(error), { label: "Try again", action: again });
}

function isAbort(error) {
  return error instanceof PocketGraphError && error.code === "aborted";
}

// ---- what the reader does --------------------------------------------------------------------------------------------------

function onSettings() {
  if (graph && question()) questionChanged({ atOnce: true, ask: true });
}

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  questionChanged({ atOnce: true, ask: true });
});
input.addEventListener("input", () => questionChanged());
input.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" && hits.focusFirst()) event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, dialog");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
  input.select();
});

showExamples($("examples"), (example) => {
  input.value = example;
  input.focus();
  questionChanged({ atOnce: true, ask: true });
});
followAddress((asked) => {
  if (asked === question()) return;
  input.value = asked;
  questionChanged({ atOnce: true, ask: Boolean(asked) });
});
input.value ||= questionInAddress();
open();
