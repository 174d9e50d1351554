//! French: its function and question words.

use super::language;

language! {
    /// French: its function and question words.
    French,
    "fr",
    [measured_nouns, question_words, stop_words]
}
