//! One answer to one question, measured.

use pocketgraph::answer::AnswerBy;
use pocketgraph_measure::Estimate;
use serde::{Deserialize, Serialize};

/// One answer to one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// The question's id in its set.
    pub id: String,
    /// Its kind in the set; may be empty.
    pub kind: String,
    /// The question.
    pub question: String,
    /// Wanted answers, each with its alternative wordings.
    pub wanted: Vec<Vec<String>>,
    /// The answer without citation marks; empty if it was that the documents do not say.
    pub stated: String,
    /// Author of the answer.
    pub by: AnswerBy,
    /// Exact match.
    pub em: f64,
    /// Overlap of tokens.
    pub f1: f64,
    /// Containment.
    pub contain_em: f64,
    /// Containment in all that a reader sees: the answer, and a different quotation below it.
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
    /// Share of the gold pages of which a passage was shown in any turn; `None` if the set names none.
    pub evidence_recall: Option<f64>,
    /// Number of the model's replies. A search before the first is no turn.
    pub turns: usize,
    /// Number of calls of tools and searches from these.
    pub calls: usize,
    /// Number of tokens that the model read.
    pub prompt_tokens: u32,
    /// Number of tokens that it wrote.
    pub completion_tokens: u32,
    /// True if the counts of tokens are partly estimated.
    pub estimated: bool,
    /// Reason for a missing answer of the model.
    pub failure: Option<String>,
    /// Milliseconds from the question to the answer.
    pub milliseconds: f64,
}

/// Returns evidence recall over the answers whose questions name pages.
pub(super) fn evidence_recall<'a>(each: impl IntoIterator<Item = &'a Answered>) -> Option<Estimate> {
    let values: Vec<f64> = each.into_iter().filter_map(|a| a.evidence_recall).collect();
    (!values.is_empty()).then(|| Estimate::of(&values))
}
