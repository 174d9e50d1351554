//! Answers in the documents' own words.
//!
//! [`candidates`] lists the blocks of the hits that could answer, [`choose_blocks`] picks the best and its
//! certainty, and [`quote_answer`] makes of its section an answer, the closest passage shown as such, or the
//! statement that nothing near enough was found.

mod block;
mod candidates;
mod choose;
mod features;
mod held;
mod notice;
mod parts;
mod question;
mod question_language;
mod quote;
mod target;
mod types;
mod units;
mod verdict;
mod weights;

#[cfg(test)]
mod measure;

pub use block::QuotedPiece;
pub use candidates::{Candidate, MAX_CANDIDATES, candidates, term_set};
pub use choose::{Choice, Meaning, Nearness, Sureness, choose_blocks, list_steps};
pub use features::FEATURES;
pub use held::{TimedStatement, find_asked, list_statements, mark_times, order_by_time};
pub use notice::{Notice, NoticeCode};
pub use parts::guessed_layout;
pub use question::{Question, QuestionKind, QuestionTerm};
pub(crate) use question_language::language_of;
pub use quote::{quote_answer, reference, span, warn_of_missing};
pub use target::CitationTarget;
pub use types::{
    Answer, AnswerBlock, AnswerBy, AskEvent, AskOptions, BlockForm, CLOSEST, Citation, CitationStatus,
    ModelFailure, NO_ANSWER, NOTHING_NEAR, Outcome, Reference, SentenceSupport, Support,
};
pub use units::{Form, Unit, units};
pub use verdict::decide_question;
