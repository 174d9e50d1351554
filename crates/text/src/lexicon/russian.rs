//! Russian: its function and question words.

use super::language;

language! {
    /// Russian: its function and question words.
    Russian,
    "ru",
    [after_how, measured_nouns, question_words, stop_words]
}
