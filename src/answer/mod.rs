//! Answers: by extraction without an LLM, or from an LLM's text with its citations checked.
//!
//! Without a model, [`extractive`] quotes the block of the hits that answers best, shows the closest passage as such, or says that the documents do not
//! say. With one, [`generate`] sends
//! AutoKG's answer prompt ([`Prompt`]), streams what comes back, resolves its `[n]` marks and checks each against the passage it names.

mod block;
mod citations;
mod cue;
mod evidence;
mod extract;
mod generate;
mod markers;
mod parts;
mod prompt;
mod question;
mod types;
mod units;
mod weights;

#[cfg(test)]
mod measure;

pub use block::Shown;
pub use citations::{CitationTracker, MAX_CITATIONS, MIN_OWN_SUPPORT, MIN_SUPPORT};
#[cfg(feature = "full")]
pub(crate) use citations::{reference, span};
pub use evidence::{TAG_NAMES, neutralise, neutralise_also};
pub use extract::{CERTAINTY_FEATURES, Candidate, Choice, FEATURES, MAX_CANDIDATES, MAX_QUOTED, Sureness, candidates, choose};
pub use generate::{AnswerError, checked, extractive, generate};
pub use markers::{Marker, MarkerScanner, markers};
pub use prompt::{NoRoom, Prompt};
pub use question::{Question, QuestionKind, QuestionTerm};
pub use types::{
    Answer, AnswerBlock, AnswerBy, AskEvent, AskOptions, BlockForm, CLOSEST, Citation, CitationStatus, NOT_SAID, Outcome, Reference,
};
