//! Studies compare retrievers and protocols over several sets and seeds, as RAGSearch (arXiv 2604.09666)
//! compares graph retrievers under agentic search, with one corpus, one embedder and one budget for all.
//!
//! A study is a file ([`Study`]). Each retriever has an index of its own, for its own cost. The study's
//! folder keeps every answer, so that an interrupted run continues. These JSON Lines are the result.

mod ask;
mod file;
mod indexes;
mod journal;
#[cfg(test)]
mod tests;

pub use ask::{Asker, StudyAnswer, StudyProgress, ask_all};
pub use file::{Study, StudyError, StudySet};
pub use indexes::{IndexRow, Indexing, OpenSet, make_indexes};
pub use journal::Journal;
