//! Questions for yes or no, and denials.

use crate::text::lexicon::{Language, SPOKEN};

/// Tells whether words, in lower case, ask for yes or no: an auxiliary verb opens them, and none asks more.
pub fn asks_whether(words: &[&str]) -> bool {
    words.first().is_some_and(|w| SPOKEN.auxiliaries().has(w, "closed"))
        && !words
            .iter()
            .any(|w| SPOKEN.question_words().has(w, "clause") && !SPOKEN.question_words().has(w, "verb"))
}

/// Tells whether a word, in lower case, denies what stands behind it.
pub fn is_denial(word: &str) -> bool {
    SPOKEN.denials().has(word, "claim") || word.ends_with("n't") || word.ends_with("n’t")
}
