//! Hindi: its function and question words.

use super::language;

language! {
    /// Hindi: its function and question words.
    Hindi,
    "hi",
    [measured_nouns, question_words, stop_words]
}
