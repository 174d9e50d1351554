//! Italian: its function and question words.

use super::language;

language! {
    /// Italian: its function and question words.
    Italian,
    "it",
    [measured_nouns, question_words, stop_words]
}
