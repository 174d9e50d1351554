//! German: where its sentences end, and its function and question words.

use super::language;

language! {
    /// German: where its sentences end, and its function and question words.
    German,
    "de",
    [abbreviations, after_how, measured_nouns, question_words, stop_words]
}
