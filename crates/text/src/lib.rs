#![doc = include_str!("../README.md")]

#[cfg(test)]
use pocketgraph_base::json;

mod exact;
mod fold;
#[cfg(test)]
mod language_tests;
pub mod lexicon;
mod sentences;
mod signs;
mod unicode;
mod unigram;
mod wordpiece;
mod words;

pub use exact::{asked_exactly, exact_terms};
pub use fold::{capitalize, fold, lower_text, one_line};
pub use sentences::sentences;
pub use unigram::{Folding, SCORE_UNIT, Unigram};
pub use wordpiece::{Tokenized, Tokenizer, VocabularyError, piece_key};
pub use words::{Word, is_stop_word, stem, terms, without_possessive, words};
