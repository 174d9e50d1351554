//! Words as names are compared.

use crate::text::{fold, without_possessive, words};
use std::ops::Range;

/// The most words of a title that is a name.
pub const NAME_LIKE_WORDS: usize = 12;

/// A word as names are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameWord {
    /// Folded, without the possessive.
    pub key: String,
    /// Its place in bytes, the possessive included.
    pub span: Range<usize>,
    /// True if it begins with a capital, a digit, or a letter of a script without case.
    pub capital: bool,
}

/// The words of a text as names are compared.
pub fn name_words(text: &str) -> Vec<NameWord> {
    words(text)
        .into_iter()
        .map(|w| {
            let key = without_possessive(&fold(w.text)).to_owned();
            NameWord {
                key,
                span: w.span,
                capital: w.text.starts_with(|c: char| c.is_alphanumeric() && !c.is_lowercase()),
            }
        })
        .collect()
}

/// Returns true if a word's letters have no case, so that a capital cannot show a name.
pub fn is_caseless(word: &str) -> bool {
    word.chars().next().is_some_and(|c| c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase())
}
