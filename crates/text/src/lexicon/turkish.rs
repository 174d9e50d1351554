//! Turkish: its function and question words.

use super::language;

language! {
    /// Turkish: its function and question words.
    Turkish,
    "tr",
    [measured_nouns, question_words, stop_words]
}
