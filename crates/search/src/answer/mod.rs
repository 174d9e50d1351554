//! Answers in the documents' own words.
//!
//! [`candidates`] lists the blocks of the hits that could be quoted, [`choose`] picks the one that answers best and says how sure that is, and [`extractive`]
//! makes of it an answer, the closest passage shown as such, or the statement that the documents do not say.

mod asked_for;
mod block;
mod code_word;
mod described;
mod empty_talk;
mod extract;
mod features;
mod notice;
mod parts;
mod question;
mod question_language;
mod quote;
mod target;
mod types;
mod units;
mod weights;

#[cfg(test)]
mod measure;

pub use block::QuotedPiece;
pub use extract::{Candidate, Choice, CosineScale, Cosines, MAX_CANDIDATES, MAX_QUOTED, Sureness, candidates, choose};
pub use features::{CERTAINTY_FEATURES, FEATURES};
pub use notice::{Notice, NoticeCode};
pub use parts::guessed_layout;
pub use question::{Question, QuestionKind, QuestionTerm};
pub(crate) use question_language::language_of;
pub use quote::{extractive, reference, span, warn_of_missing};
pub use target::CitationTarget;
pub use types::{
    Answer, AnswerBlock, AnswerBy, AnswerError, AskEvent, AskOptions, BlockForm, CLOSEST, Citation, CitationStatus, ModelFailure,
    NO_ANSWER, Outcome, Reference, SentenceSupport, Support,
};
pub use units::{Form, Unit, units};
