//! Answers: by extraction without an LLM, or from an LLM's text with its citations checked.
//!
//! Without a model, [`extractive`] quotes the best sentences of the hits or says that the documents do not say. With one, [`generate`] sends
//! AutoKG's answer prompt ([`Prompt`]), streams what comes back, resolves its `[n]` marks and checks each against the passage it names.

mod extract;
mod question;
mod quote;
mod types;
mod units;

#[cfg(test)]
mod measure;

pub use extract::{
    Choice, MAX_CANDIDATES, MAX_SENTENCES, MIN_COVERAGE, RARE_SHARE, SHORT_COVERAGE, STRONG_COSINE, SURE_COVERAGE, SentenceCandidate,
    WEAK_COSINE, candidates, choose,
};
pub use question::{Question, QuestionKind, QuestionTerm};
pub use quote::{extractive, reference, span, warn_of_missing};
pub use types::{Answer, AnswerBy, AnswerError, AskEvent, AskOptions, Citation, CitationStatus, ModelFailure, NOT_SAID, Reference};
pub use units::{Form, Unit, units};
