//! Answers: by extraction without an LLM, or from an LLM's text with its citations checked.
//!
//! Without a model, [`extractive`] quotes the best sentences of the hits or says that the documents do not say. With one, [`generate`] sends
//! AutoKG's answer prompt ([`Prompt`]), streams what comes back, resolves its `[n]` marks and checks each against the passage it names.

mod citations;
mod evidence;
mod extract;
mod generate;
mod markers;
mod prompt;
mod question;
mod types;
mod units;

#[cfg(test)]
mod measure;

pub use citations::{CitationTracker, MAX_CITATIONS, MIN_OWN_SUPPORT, MIN_SUPPORT};
#[cfg(feature = "full")]
pub(crate) use citations::{reference, span};
pub use evidence::{TAG_NAMES, neutralise, neutralise_also};
pub use extract::{
    Choice, MAX_CANDIDATES, MAX_SENTENCES, MIN_COVERAGE, RARE_SHARE, SHORT_COVERAGE, STRONG_COSINE, SURE_COVERAGE, SentenceCandidate,
    WEAK_COSINE, candidates, choose,
};
pub use generate::{AnswerError, checked, extractive, generate};
pub use markers::{Marker, MarkerScanner, markers};
pub use prompt::{NoRoom, Prompt};
pub use question::{Question, QuestionKind, QuestionTerm};
pub use types::{Answer, AnswerBy, AskEvent, AskOptions, Citation, CitationStatus, NOT_SAID, Reference};
