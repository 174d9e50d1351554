//! Studies: retrievers by protocols over several sets and seeds, as the comparison of graph retrievers under agentic search by RAGSearch (arXiv 2604.09666)
//! has them, on one corpus, one embedder and one budget for all.
//!
//! A study is a file ([`Study`]). Its index is built for each retriever alone, so that what it costs is its own; its answers are kept one by one in the
//! study's folder, so that a run that was ended goes on where it was. What is kept, as JSON Lines, is the result.

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
