//! Korean: its function and question words.

use super::language;

language! {
    /// Korean: its function and question words.
    Korean,
    "ko",
    [measured_nouns, question_words, stop_words]
}
