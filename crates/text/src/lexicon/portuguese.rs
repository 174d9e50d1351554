//! Portuguese: its function and question words.

use super::language;

language! {
    /// Portuguese: its function and question words.
    Portuguese,
    "pt",
    [measured_nouns, question_words, stop_words]
}
