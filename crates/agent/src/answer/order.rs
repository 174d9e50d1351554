//! Whether a sentence that is made of a passage's words has them in the passage's order: the same words in another one say something else, or nothing.

use super::claim_support::plain_word;
use crate::text::{fold, is_stop_word, words};

/// A sentence at least this share of whose words the passages have is made of theirs, and has to have them in an order that is theirs, too. Like the four
/// numbers below fitted by `tuning/order.py`.
const OWN_WORDS: f32 = 0.9;
/// Of its neighbouring words at least this share must be near each other in a passage.
const MIN_ORDER: f32 = 0.6;
/// So many words further on a neighbour is near.
const NEAR: usize = 3;
/// So many words before it it is half so, as where an active sentence was put in the passive.
const NEAR_BEFORE: usize = 1;
/// Fewer neighbours tell nothing.
const FEWEST_NEIGHBOURS: usize = 3;

/// A text's words without stop words, plain, in their order.
pub(super) fn telling(text: &str) -> Vec<String> {
    words(text).iter().filter(|w| !is_stop_word(&fold(w.text))).map(|w| plain_word(w.text)).collect()
}

/// How near each other two words stand in a passage at best: 1 for near in this order, half of it for near in the other, else none.
fn nearness(order: &[String], a: &str, b: &str) -> Option<f32> {
    let mut best = None;
    for (at, _) in order.iter().enumerate().filter(|(_, w)| *w == a) {
        let behind = order.iter().skip(at + 1).take(NEAR).any(|w| w == b);
        let before = order.iter().take(at).rev().take(NEAR_BEFORE).any(|w| w == b);
        let here = if behind {
            1.0
        } else if before {
            0.5
        } else {
            0.0
        };
        best = Some(best.map_or(here, |best: f32| best.max(here)));
    }
    best.filter(|_| order.iter().any(|w| w == b))
}

/// Whether neighbours among a sentence's words that the passages have, each as [`telling`] gives it, are neighbours there, as far as that can be told.
pub(super) fn is_in_order(claim: &str, passages: &[&[String]]) -> bool {
    let all = telling(claim);
    let held: Vec<&String> = all.iter().filter(|w| passages.iter().any(|p| p.contains(w))).collect();
    if (held.len() as f32) < OWN_WORDS * all.len() as f32 {
        return true;
    }
    let near = |pair: &[&String]| {
        let [a, b] = pair else { return None };
        passages.iter().filter_map(|p| nearness(p, a, b)).reduce(f32::max)
    };
    // Of words that no passage has both, passages that are brought together cannot tell.
    let found: Vec<f32> = held.windows(2).filter(|pair| pair.first() != pair.last()).filter_map(near).collect();
    found.len() < FEWEST_NEIGHBOURS || found.iter().sum::<f32>() >= MIN_ORDER * found.len() as f32
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
            let [kind, source, passage, claim] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            writeln!(out, "{kind}\t{source}\t{}\t{}", telling(passage).join(" "), telling(claim).join(" ")).unwrap();
        }
        std::fs::write(std::env::var("WORDS").unwrap(), out).unwrap();
    }
}
