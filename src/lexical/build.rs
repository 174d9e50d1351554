//! Building the lexical index. It stands beside its reader so that both use one analysis; only the companion calls it.

use super::TITLE_WEIGHT;
use super::postings::{TermPostings, encode_postings};
use crate::text::terms;
use std::collections::BTreeMap;

/// How many bytes of postings a range file holds before it is closed: about 4 kB compressed, so that a question of five words costs about 20 kB.
const RANGE_BYTES: usize = 8 << 10;

/// From this many chunks on, lengths are kept to three binary digits: a first answer waits for all of them, and BM25 ranks as well
/// with these (docs/benchmarks.md).
const ROUNDED_FROM: usize = 4096;

/// `length` to three binary digits, which is off by an eighth at most.
fn rounded(length: u32) -> u32 {
    let shift = (u32::BITS - length.leading_zeros()).saturating_sub(3);
    let half = (1u32 << shift) >> 1;
    (length.saturating_add(half) >> shift) << shift
}

/// Collects chunks, then yields the range files.
#[derive(Debug, Default)]
pub struct LexicalBuilder {
    postings: BTreeMap<String, Vec<(u32, u32)>>,
    lengths: Vec<u32>,
}

/// A finished range file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostingRange {
    /// Its first term.
    pub first_term: String,
    /// How many terms it holds.
    pub terms: u32,
    /// Its bytes, not yet compressed.
    pub bytes: Vec<u8>,
}

impl LexicalBuilder {
    /// Adds the next chunk: its document's title (counted [`TITLE_WEIGHT`] times), its headings, its text.
    pub fn push(&mut self, title: &str, headings: &[String], text: &str) {
        let chunk = self.lengths.len() as u32;
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let mut length = 0u32;
        let mut add = |text: &str, weight: u32| {
            for (term, _) in terms(text) {
                *counts.entry(term).or_default() += weight;
                length = length.saturating_add(weight);
            }
        };
        add(title, TITLE_WEIGHT);
        for h in headings {
            add(h, 1);
        }
        add(text, 1);
        for (term, count) in counts {
            self.postings.entry(term).or_default().push((chunk, count));
        }
        self.lengths.push(length);
    }

    /// The length of each chunk, and the range files in term order.
    pub fn finish(mut self) -> (Vec<u32>, Vec<PostingRange>) {
        let mut ranges = Vec::new();
        let mut open: Vec<TermPostings> = Vec::new();
        let mut size = 0;
        let mut close = |open: &mut Vec<TermPostings>| {
            if let Some(first) = open.first() {
                ranges.push(PostingRange { first_term: first.term.clone(), terms: open.len() as u32, bytes: encode_postings(open) });
                open.clear();
            }
        };
        for (term, postings) in self.postings {
            size += term.len() + 2 + postings.len() * 3;
            open.push(TermPostings { term, postings });
            if size >= RANGE_BYTES {
                close(&mut open);
                size = 0;
            }
        }
        close(&mut open);
        if self.lengths.len() >= ROUNDED_FROM {
            self.lengths.iter_mut().for_each(|l| *l = rounded(*l));
        }
        (self.lengths, ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_lengths_are_off_by_an_eighth_at_most_and_few() {
        let kept: std::collections::BTreeSet<u32> = (0..1024).map(rounded).collect();
        assert!((0..1024).all(|l| rounded(l).abs_diff(l) * 8 <= l));
        assert!(kept.len() <= 8 + 7 * 4 + 1 && (0..8).all(|l| rounded(l) == l));
        let _ = rounded(u32::MAX);
    }
}
