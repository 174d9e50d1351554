//! Arabic: its article, which is written in one word with its noun, and its function and question words.

use super::language;

language! {
    /// Arabic: its article, which is written in one word with its noun, and its function and question words.
    Arabic,
    "ar",
    [articles, measured_nouns, question_words, stop_words]
}
