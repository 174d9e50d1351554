//! Questions that are nearly those of a test.

use std::collections::HashSet;

/// A set of questions that finds near duplicates: those that differ by at most one word (more, less, or
/// other), apart from letter case, punctuation and order.
#[derive(Debug, Clone, Default)]
pub struct Near {
    /// Hashes of each question's sorted words, and of the same with one word left out.
    whole: HashSet<u64>,
    short: HashSet<u64>,
}

impl Near {
    /// Adds a question.
    pub fn add(&mut self, question: &str) {
        let words = words_of(question);
        self.whole.insert(hash_words(words.iter()));
        self.short.extend(hash_shorter(&words));
    }

    /// Returns true if the set holds a question so near.
    pub fn holds(&self, question: &str) -> bool {
        let words = words_of(question);
        let own = hash_words(words.iter());
        self.whole.contains(&own)
            || self.short.contains(&own)
            || hash_shorter(&words).any(|h| self.whole.contains(&h) || self.short.contains(&h))
    }

    /// Returns the number of questions that it holds.
    pub fn len(&self) -> usize {
        self.whole.len()
    }

    /// Returns true if it holds none.
    pub fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }
}

fn words_of(question: &str) -> Vec<String> {
    let lower = question.to_lowercase();
    let mut words: Vec<String> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect();
    words.sort_unstable();
    words
}

fn hash_shorter(words: &[String]) -> impl Iterator<Item = u64> {
    (0..words.len())
        .map(move |without| hash_words(words.iter().enumerate().filter(|(i, _)| *i != without).map(|x| x.1)))
}

fn hash_words<'w>(words: impl Iterator<Item = &'w String>) -> u64 {
    fnv(words.flat_map(|w| w.bytes().chain([b' '])))
}

/// FNV-1a: the same on every machine and in every version.
pub(super) fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}
