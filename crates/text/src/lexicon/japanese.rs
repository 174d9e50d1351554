//! Japanese: its function and question words.

use super::language;

language! {
    /// Japanese: its function and question words.
    Japanese,
    "ja",
    [measured_nouns, question_words, stop_words]
}
