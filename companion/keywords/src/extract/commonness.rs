//! Frequency of words in English.

use pocketgraph_models::embed_bulk::VOCABULARY;
use std::collections::HashMap;
use std::sync::OnceLock;

/// First line of the vocabulary with a word of several letters, after marks, characters and unused places.
const FIRST: usize = 1997;

/// From this line on, all words are equally good keywords.
const SPECIFIC: usize = 12_000;

/// Returns the specificity of a folded word, from 0 for the most frequent English words to 1 for rare ones.
///
/// The embedder's vocabulary is in order of frequency, which a word's rank implies by Zipf's law.
pub fn rate_specificity(word: &str) -> f32 {
    static LINES: OnceLock<HashMap<&str, usize>> = OnceLock::new();
    let lines = LINES.get_or_init(|| {
        VOCABULARY
            .lines()
            .enumerate()
            .skip(FIRST - 1)
            .filter(|(_, w)| !w.starts_with("##"))
            .map(|(i, w)| (w, i + 1))
            .collect()
    });
    match lines.get(word) {
        None => 1.0,
        Some(&line) => {
            let (line, first, last) = (line as f32, FIRST as f32, SPECIFIC as f32);
            ((line.ln() - first.ln()) / (last.ln() - first.ln())).clamp(0.0, 1.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::rate_specificity;

    #[test]
    fn terms_of_a_trade_are_more_specific_than_everyday_words() {
        assert_eq!(rate_specificity("the"), 0.0);
        assert!(rate_specificity("time") < 0.2 && rate_specificity("file") > rate_specificity("time"));
        assert!(rate_specificity("closure") > rate_specificity("file"));
        assert_eq!((rate_specificity("mutex"), rate_specificity("東")), (1.0, 1.0));
    }
}
