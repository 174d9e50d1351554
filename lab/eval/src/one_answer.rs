//! One answer to one question, measured.

use pocketgraph::answer::AnswerBy;
use pocketgraph_measure::Estimate;
use serde::{Deserialize, Serialize};

/// One answer to one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// The question's name in its set.
    pub id: String,
    /// The kind that the set counts it among; may be empty.
    pub kind: String,
    /// The question.
    pub question: String,
    /// The answers that were wanted, each with the ways in which it may be said.
    pub wanted: Vec<Vec<String>>,
    /// What was said, without the marks of citations; empty where it was said that the documents do not say.
    pub said: String,
    /// Who wrote it.
    pub by: AnswerBy,
    /// Exact match.
    pub em: f64,
    /// Overlap of tokens.
    pub f1: f64,
    /// Containment.
    pub contain_em: f64,
    /// Containment in all that a reader is shown: the answer, and what stands quoted beneath it where that says something else.
    #[serde(default)]
    pub shown_contain_em: f64,
    /// Precision of the answer as a set.
    pub set_precision: f64,
    /// Its recall.
    pub set_recall: f64,
    /// Its F1.
    pub set_f1: f64,
    /// True if its first member is wanted.
    pub hits_1: f64,
    /// Share of the pages that answer the question of which a passage was shown, in any turn; absent where the set names none.
    pub evidence_recall: Option<f64>,
    /// Replies of the model: what was looked for before the first is no turn, so that one search and one reply are one.
    pub turns: usize,
    /// Calls of tools, and searches, that these led to.
    pub calls: usize,
    /// Tokens that the model read.
    pub prompt_tokens: u32,
    /// Tokens that it wrote.
    pub completion_tokens: u32,
    /// True if the counts of tokens are in part an estimate.
    pub estimated: bool,
    /// Why the model did not answer, where it should have.
    pub failure: Option<String>,
    /// Milliseconds from the question to the answer.
    pub milliseconds: f64,
}

/// Evidence recall over the answers whose questions name pages.
pub(super) fn evidence_recall<'a>(each: impl IntoIterator<Item = &'a Answered>) -> Option<Estimate> {
    let values: Vec<f64> = each.into_iter().filter_map(|a| a.evidence_recall).collect();
    (!values.is_empty()).then(|| Estimate::of(&values))
}
