//! Dutch: its function and question words.

use super::language;

language! {
    /// Dutch: its function and question words.
    Dutch,
    "nl",
    [after_how, measured_nouns, question_words, stop_words]
}
