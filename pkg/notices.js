// Written by `pocketgraph-lab interface` from src/agent/options.tsv and crates/search/src/answer/notice.rs.
// Do not edit.

/** English texts of notices, by their codes. */
export const NOTICES = {
  missing: "Parts of the documents could not be loaded: {text}.",
  absent: "No passage that was found mentions {text}.",
  disagree: "The documents disagree: they state different values for this.",
  outdated: "Mind when this holds: {text}.",
  "quoted-instead": "{text} This answer is quoted from the documents instead.",
  "graph-instead": "{text} This answer is what the plan found in the knowledge graph.",
  "not-asked": "The language model was not asked: {text}.",
  "fewer-passages": "The model's context window is small: it was given fewer passages than were found.",
  "read-in-part":
    "The endpoint read {n} tokens of a prompt of some {of}: its context window may be too small for " +
    "the passages.",
  "passage-cut": "The best passage was cut to fit the token budget.",
  "passages-left-out": "{n} of {of} passages did not fit the token budget.",
  "evidence-left-out": "The model's context window is small: the oldest evidence was left out.",
  "cut-length": "The answer is longer than what was allowed, and was cut at its token budget.",
  "cut-time": "The answer was cut when its time was used up.",
  "cut-loop": "The answer was cut because the model repeated itself.",
  "cut-filter": "The endpoint's content filter cut the answer.",
  dangling: "The answer cites passages that do not exist: {text}.",
  uncited: "The answer cites no passage: nothing in it could be checked.",
  unchecked: "The answer holds too many citations; the last ones were not checked.",
  unplanned: "There is no plan: {text}.",
  "planner-failed": "The trained planner could not be asked: {text}.",
  "plan-stopped": "The plan was not carried out to its end: {text}.",
  "plan-empty": "The plan found nothing.",
  "plan-lacks": "{text}.",
  "step-cut": "{text}.",
  "from-passages":
    "The knowledge graph does not hold all of this: part of it was taken from passages by their words alone.",
  "from-web": "The documents do not hold all of this: part of it was found by a search of the web.",
  "turns-spent": "The model was made to answer because its turns were used up.",
  "tokens-spent": "The model was made to answer because its tokens were used up.",
  "time-spent": "The model was made to answer because its time was used up.",
  repeated: "The model was made to answer because it repeated itself.",
  "asked-again": "The model was asked again because its first reply was no answer.",
  stopped: "The model was asked again for its answer because it had stopped without one.",
  "search-failed": "A search failed: {text}.",
  "no-evidence": "No passage was found: the model was asked without evidence.",
  "no-tools": "The endpoint takes no tools; the model was asked to write its calls as text.",
  "no-reports": "There are no reports on this collection to draw an answer from.",
  "reports-left-out": "Of {of} reports the {n} nearest to the question were read: a budget was spent.",
  "replies-unread": "{n} replies of the model held no list of points, and were passed over.",
  "model-plan-unusable":
    "The model gave no plan that can be carried out; passages for the question itself were read instead.",
  "model-plan-empty":
    "The plan's step {text} found nothing; passages for the question itself were read instead.",
  "model-plan-stopped": "The plan was not carried out to its end.",
  "cases-left-out": "The step {text} was carried out for its first {n} cases only.",
};
