#![doc = include_str!("../README.md")]

#[cfg(test)]
use pocketgraph_base::json;

mod fold;
#[cfg(test)]
mod language_tests;
mod sentences;
mod unicode;
mod wordpiece;
mod words;

pub use fold::fold;
pub use sentences::sentences;
pub use wordpiece::{Cut, Tokenizer, VocabularyError, piece_key};
pub use words::{Word, is_stop_word, stem, terms, without_possessive, words};
