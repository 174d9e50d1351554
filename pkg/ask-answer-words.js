// What <pocketgraph-ask> says in English with answers and passages. Other languages have these words in
// ask-languages.js, among all others.

import { NOTICES } from "./notices.js";
import { QUOTED_WORDS } from "./render.js";

/**
 * The notices that concern readers, by their codes. A model's failure has words of its own, and of what is
 * missing the hits tell.
 */
const FOR_READERS = [
  "cut-length",
  "cut-time",
  "cut-loop",
  "cut-filter",
  "uncited",
  "from-passages",
  "from-web",
  "disagree",
];

/** Returns true if a notice concerns readers. */
export const isForReaders = ({ code }) => FOR_READERS.includes(code);

export const ANSWER_WORDS = {
  reading: "Reading…",
  writing: "The language model is writing…",
  asking: "The language model was asked…",
  stop: "Stop",
  stopped: "Stopped before the end; its citations have not been checked.",
  again: "Ask again",
  copy: "Copy",
  copied: "Copied",
  share: "Copy link",
  helpful: "Helpful",
  unhelpful: "Not helpful",
  why: "Why not?",
  wrong: "Wrong",
  incomplete: "Incomplete",
  unrelated: "Not what I asked",
  outdated: "Out of date",
  reportGap: "Report as missing",
  gapNote: "Tells the site the number of the nearest passage and the reason, and none of your words.",
  thanks: "Thank you.",
  byModel: "Written by a language model from the documents; its citations were checked.",
  byGraph: "Found in the knowledge graph.",
  byQuote: "Quoted from the documents.",
  documentsSay: "In the words of the documents:",
  graphSays: "In the knowledge graph:",
  noAnswer: "The documents do not say.",
  unsupported: "A citation or a sentence marked ? could not be confirmed in the passages.",
  dangling: "A citation marked ! refers to no passage.",
  citation: "Citation {n}: {text}",
  sources: "Sources",
  way: "How this was found",
  plan: "A plan",
  planRules: "A plan by rules",
  planTrained: "A plan by the trained planner",
  planMeaning: "A plan by the relation nearest in meaning",
  sure: "{n} % sure",
  passage: "Passage",
  openPage: "Open the page",
  code: "Code",
  table: "Table",
  understood: "Understood as “{text}”",
  asWritten: "Ask it as written",
  modelFailed: "The language model gave no answer. This is what the documents say.",
  modelRefused:
    "The language model refused the request: its key or name is not accepted. This is what the " +
    "documents say.",
  modelBusy:
    "The language model has too many requests just now. This is what the documents say; asking again in a " +
    "moment may help.",
  ...QUOTED_WORDS,
  ...Object.fromEntries(FOR_READERS.map((code) => [code, NOTICES[code]])),
};
