//! Chinese: its function and question words.

use super::language;

language! {
    /// Chinese: its function and question words.
    Chinese,
    "zh",
    [measured_nouns, question_words, stop_words]
}
