//! Whether a sentence that is made of a passage's words has them in the passage's order: the same words in
//! another one say something else, or nothing.

use super::claim_support::plain_word;
use crate::text::{fold, is_stop_word, words};

/// A sentence at least this share of whose words the passages have is made of theirs, and has to have them in
/// an order that is theirs, too. This and the two numbers below are hand-set beside the optimum of
/// `tuning/order.py`, which leaves out each of its sources once: four neighbours and half of them find .859
/// of mixed claims and mark .007 of true ones, but mark a true sentence of the tests; these find .869 and
/// mark .009 on average, .022 on XQuAD in English.
const OWN_WORDS: f32 = 0.9;
/// Least share of a sentence's neighbouring words that must be neighbours in a passage, in the same order.
const MIN_ORDER: f32 = 0.4;
/// Fewer neighbours tell nothing.
const FEWEST_NEIGHBOURS: usize = 3;

/// A text's words without stop words, plain, in their order.
pub(super) fn telling(text: &str) -> Vec<String> {
    words(text).iter().filter(|w| !is_stop_word(&fold(w.text))).map(|w| plain_word(w.text)).collect()
}

/// Returns true if the sentence keeps the passages' order of words, or if the passages hold too few of its
/// words to compare. Passages have their words as [`telling`] returns them.
pub(super) fn is_in_order(claim: &str, passages: &[&[String]]) -> bool {
    let all = telling(claim);
    let held: Vec<&String> = all.iter().filter(|w| passages.iter().any(|p| p.contains(w))).collect();
    if (held.len() as f32) < OWN_WORDS * all.len() as f32 {
        return true;
    }
    // Of words that no passage has both, passages that are brought together cannot tell.
    let has_both = |pair: &&[&String]| passages.iter().any(|p| pair.iter().all(|w| p.contains(w)));
    let are_neighbours = |pair: &&[&String]| {
        passages.iter().any(|p| p.windows(2).any(|there| there.iter().eq(pair.iter().copied())))
    };
    let pairs: Vec<&[&String]> =
        held.windows(2).filter(|pair| pair.first() != pair.last()).filter(has_both).collect();
    pairs.len() < FEWEST_NEIGHBOURS
        || pairs.iter().filter(|pair| are_neighbours(pair)).count() as f32 >= MIN_ORDER * pairs.len() as f32
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Claims of passages as `tuning/order.py fit` reads them, from those that `tuning/order.py claims` made.
    #[test]
    #[ignore = "needs a file of claims that is not kept here"]
    fn words_in_order() {
        use std::fmt::Write;
        let file = std::fs::read_to_string(std::env::var("CLAIMS").unwrap()).unwrap();
        let mut out = String::new();
        for line in file.lines() {
            let [kind, source, passage, claim] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            writeln!(out, "{kind}\t{source}\t{}\t{}", telling(passage).join(" "), telling(claim).join(" "))
                .unwrap();
        }
        std::fs::write(std::env::var("WORDS").unwrap(), out).unwrap();
    }
}
