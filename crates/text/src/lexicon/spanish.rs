//! Spanish: its function and question words.

use super::language;

language! {
    /// Spanish: its function and question words.
    Spanish,
    "es",
    [measured_nouns, question_words, stop_words]
}
