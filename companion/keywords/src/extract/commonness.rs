//! Frequency of words in English.

use pocketgraph_models::embed_bulk::VOCABULARY;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The first line of the vocabulary that is a word of more than one letter; lines before are marks, characters and unused places.
const FIRST: usize = 1997;

/// From this line on, words are as good as any to be a keyword.
const SPECIFIC: usize = 12_000;

/// Returns the specificity of a folded word, from 0 for the commonest words of English to 1 for rare or foreign ones.
///
/// The embedder's vocabulary lists words by how often its training text had them; the place in that list stands for the frequency, as Zipf's law has it.
pub fn specificity(word: &str) -> f32 {
    static LINES: OnceLock<HashMap<&str, usize>> = OnceLock::new();
    let lines = LINES.get_or_init(|| {
        VOCABULARY.lines().enumerate().skip(FIRST - 1).filter(|(_, w)| !w.starts_with("##")).map(|(i, w)| (w, i + 1)).collect()
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
    use super::specificity;

    #[test]
    fn terms_of_a_trade_are_more_specific_than_everyday_words() {
        assert_eq!(specificity("the"), 0.0);
        assert!(specificity("time") < 0.2 && specificity("file") > specificity("time"));
        assert!(specificity("closure") > specificity("file"));
        assert_eq!((specificity("mutex"), specificity("東")), (1.0, 1.0));
    }
}
