//! Lexical search: BM25 over lazily loaded postings.
//!
//! Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with k1 = 1.2 and
//! b = 0.75, over the terms of [`crate::text::terms`], a chunk's title counted twice (measured to help on
//! every set tried).

mod build;
mod impact;
mod search;
mod typo;

pub use build::{LexicalBuilder, TermRange, cut_into_ranges};
pub use search::{Correction, LexicalHit, LexicalQuery, LexicalResult, Substitution, idf, search};
pub use typo::is_misspelt;

/// BM25's saturation of term frequency.
pub const K1: f32 = 1.2;
/// BM25's length normalisation: 0 none, 1 full.
pub const B: f32 = 0.75;
/// Number of times that a chunk's title counts among its words.
pub const TITLE_WEIGHT: u32 = 2;
