//! What a model wrote, and what it was given to write it from.

use super::Citable;
use super::markers::markers;
use crate::text::{fold, words};

/// A reply, and what is known of how it came about.
pub struct ModelReply<'a> {
    /// Its text, without thoughts.
    pub text: &'a str,
    /// True if a budget cut it.
    pub cut: bool,
    /// The texts of the model's prompts: instructions, question and passages.
    pub prompts: &'a [String],
    /// The question.
    pub question: &'a str,
    /// The passages that it was given, by number.
    pub passages: &'a [(u32, &'a Citable)],
    /// The statements of a knowledge graph that it was given; they have no numbers.
    pub facts: &'a [String],
    /// True if the passages must support it.
    pub must_cite: bool,
    /// The sentence that says that the documents do not say.
    pub no_answer_text: &'a str,
}

/// A text's words, folded, without its citation marks.
pub(super) fn plain(text: &str) -> Vec<String> {
    let marks = markers(text);
    words(text)
        .iter()
        .filter(|w| !marks.iter().any(|m| m.at.contains(&w.span.start)))
        .map(|w| fold(w.text))
        .collect()
}
