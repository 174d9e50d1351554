//! Normalises keywords, to merge them.

use pocketgraph_text::{fold, stem, words};

/// Folds a keyword for comparison, without white space and punctuation.
pub fn normalise_keyword(keyword: &str) -> String {
    fold(keyword).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Returns a keyword's stems in alphabetical order: "matching patterns" and "pattern matching" are one.
pub fn stem_keyword(keyword: &str) -> Vec<String> {
    let mut out: Vec<String> = words(keyword).iter().map(|w| stem(&fold(w.text))).collect();
    out.sort_unstable();
    out
}

/// Returns true if the word keys of `whole` contain those of `part` side by side, and more.
pub fn contains_words(whole: &[u32], part: &[u32]) -> bool {
    whole.len() > part.len() && !part.is_empty() && whole.windows(part.len()).any(|w| w == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_differences_vanish() {
        assert_eq!(normalise_keyword("Hash-Map "), normalise_keyword("hashmap"));
        assert_eq!(stem_keyword("Matching Patterns"), stem_keyword("pattern matching"));
        assert_ne!(normalise_keyword("C"), normalise_keyword("C2"));
    }

    #[test]
    fn parts_are_side_by_side() {
        assert!(
            contains_words(&[1, 2, 3], &[2, 3])
                && !contains_words(&[1, 2, 3], &[1, 3])
                && !contains_words(&[1], &[1])
        );
    }
}
