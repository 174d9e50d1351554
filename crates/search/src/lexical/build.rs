//! Building the lexical index. It stands beside its reader so that both use one analysis; only the companion
//! calls it.

use super::impact::{quantise_impact, saturation};
use super::{TITLE_WEIGHT, idf};
use crate::bundle::{RangeParts, TermPostings, encode_range};
use crate::text::{exact_terms, fold, terms, words};
use std::collections::{BTreeMap, BTreeSet};

/// Shorter words are not abbreviated by the number of their letters; "kubernetes", which is "k8s", is as
/// long.
const LEAST_NUMERONYM: usize = 10;
/// Maximum number of bytes of postings in a range file: about 4 kB compressed, so that five words cost about
/// 20 kB.
const MOST_RANGE_BYTES: usize = 8 << 10;
/// Minimum number of bytes: a smaller file would cost less than the head of the response that brings it.
const LEAST_RANGE_BYTES: usize = 2 << 10;
/// Maximum bytes of an index of one range, about 50 kB compressed: then no typed word waits for another file.
const ONE_RANGE_BYTES: usize = 160 << 10;
/// Number of ranges of a small index: their list, which every reader loads, then costs about a question's
/// ranges.
const RANGES: usize = 64;

/// Collects chunks, then yields the range files.
#[derive(Debug, Default)]
pub struct LexicalBuilder {
    /// Chunks that contain each term, with how often.
    postings: BTreeMap<String, Vec<(u32, f32)>>,
    lengths: Vec<u32>,
}

/// A finished range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermRange {
    /// Its first term.
    pub first_term: String,
    /// Number of its terms.
    pub terms: u32,
    /// Its bytes, not yet compressed.
    pub parts: RangeParts,
}

/// Numeronyms of the long words of a heading: "Internationalization" is also found as "i18n".
fn find_numeronyms(heading: &str) -> Vec<String> {
    let short = |word: &str| {
        let (first, last, letters) = (word.chars().next()?, word.chars().next_back()?, word.len());
        let is_long = letters >= LEAST_NUMERONYM && word.bytes().all(|b| b.is_ascii_lowercase());
        is_long.then(|| format!("{first}{}{last}", letters - 2))
    };
    let written = words(heading).into_iter().filter_map(|word| short(&fold(word.text)));
    written.flat_map(|numeronym| terms(&numeronym)).map(|(term, _)| term).collect()
}

/// About how many bytes a term takes in a range.
fn weight_of(term: &TermPostings) -> usize {
    term.term.len() + 2 + term.postings.len() * 3
}

/// Cuts terms, which ascend, into ranges of about `size` bytes before compression.
pub fn cut_into_ranges(terms: impl Iterator<Item = TermPostings>, size: usize) -> Vec<TermRange> {
    let mut ranges = Vec::new();
    let mut open: Vec<TermPostings> = Vec::new();
    let mut close = |open: &mut Vec<TermPostings>| {
        if let Some(first) = open.first() {
            ranges.push(TermRange {
                first_term: first.term.clone(),
                terms: open.len() as u32,
                parts: encode_range(open),
            });
            open.clear();
        }
    };
    let mut held = 0;
    for term in terms {
        held += weight_of(&term);
        open.push(term);
        if held >= size {
            close(&mut open);
            held = 0;
        }
    }
    close(&mut open);
    ranges
}

impl LexicalBuilder {
    /// Adds the next chunk: its document's title (counted [`TITLE_WEIGHT`] times), its headings, its text.
    pub fn push(&mut self, title: &str, headings: &[String], text: &str) {
        self.push_with(title, headings, text, &|_| &[]);
    }

    /// Works as [`LexicalBuilder::push`] for a term that also counts for `also`, each by its share of the
    /// occurrences.
    pub fn push_with<'a>(
        &mut self,
        title: &str,
        headings: &[String],
        text: &str,
        also: &dyn Fn(&str) -> &'a [(String, f32)],
    ) {
        let chunk = self.lengths.len() as u32;
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let mut length = 0u32;
        let mut add = |text: &str, weight: u32| {
            for (term, _) in terms(text) {
                *counts.entry(term).or_default() += weight;
                length = length.saturating_add(weight);
            }
            // Other forms of what is counted already: a text is no longer for them.
            for term in exact_terms(text) {
                *counts.entry(term).or_default() += weight;
            }
        };
        add(title, TITLE_WEIGHT);
        for h in headings {
            add(h, 1);
        }
        let headed = std::iter::once(title).chain(headings.iter().map(String::as_str));
        let numeronyms: BTreeSet<String> = headed.flat_map(find_numeronyms).collect();
        add(text, 1);
        for numeronym in numeronyms {
            counts.entry(numeronym).or_insert(1);
        }
        let mut all: BTreeMap<String, f32> = BTreeMap::new();
        for (term, count) in counts {
            for (other, share) in also(&term) {
                *all.entry(other.clone()).or_default() += share * count as f32;
            }
            *all.entry(term).or_default() += count as f32;
        }
        for (term, count) in all {
            self.postings.entry(term).or_default().push((chunk, count));
        }
        self.lengths.push(length);
    }

    /// The ranges in term order; the value of a term in a chunk is its impact.
    pub fn finish(self) -> Vec<TermRange> {
        let chunks = self.lengths.len();
        let total: u64 = self.lengths.iter().map(|&l| u64::from(l)).sum();
        let mean = total as f32 / chunks.max(1) as f32;
        let terms: Vec<TermPostings> = self
            .postings
            .into_iter()
            .map(|(term, counts)| {
                let rarity = idf(counts.len() as u32, chunks);
                let length = |chunk: u32| self.lengths.get(chunk as usize).copied().unwrap_or(0);
                let impact =
                    |(chunk, tf)| (chunk, quantise_impact(saturation(tf, length(chunk), mean), rarity));
                TermPostings { term, postings: counts.into_iter().map(impact).collect() }
            })
            .collect();
        let all: usize = terms.iter().map(weight_of).sum();
        let size = if all <= ONE_RANGE_BYTES {
            ONE_RANGE_BYTES
        } else {
            (all / RANGES).clamp(LEAST_RANGE_BYTES, MOST_RANGE_BYTES)
        };
        cut_into_ranges(terms.into_iter(), size)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::impact::UNIT;
    use super::*;
    use crate::bundle::decode_range;
    use proptest::prelude::*;

    proptest! {
        /// BM25 by its definition, from the texts.
        #[test]
        fn impacts_are_about_bm25s_shares(
            texts in prop::collection::vec(
                prop::collection::vec(prop::sample::select(vec!["tide", "moon", "harbour", "lamp"]), 1..30),
                1..40,
            ),
        ) {
            let mut builder = LexicalBuilder::default();
            texts.iter().for_each(|t| builder.push("", &[], &t.join(" ")));
            let ranges = builder.finish();
            let mean = texts.iter().map(Vec::len).sum::<usize>() as f32 / texts.len() as f32;
            let mut found = 0;
            for range in &ranges {
                for term in decode_range("t", &range.parts.concat(), texts.len() as u32).unwrap() {
                    let rarity = idf(term.postings.len() as u32, texts.len());
                    for (chunk, impact) in term.postings {
                        let words = &texts[chunk as usize];
                        let tf = words.iter().filter(|w| terms(w)[0].0 == term.term).count() as f32;
                        let exact = tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * words.len() as f32 / mean));
                        prop_assert!(
                            tf > 0.0
                                && (exact - impact as f32 * UNIT).abs() <= (0.16 / rarity).min(0.37) + 0.03,
                            "{} {}",
                            exact,
                            impact
                        );
                        found += 1;
                    }
                }
            }
            let distinct: usize =
                texts.iter().map(|t| t.iter().collect::<std::collections::BTreeSet<_>>().len()).sum();
            prop_assert_eq!(found, distinct);
        }
    }

    #[test]
    fn a_long_word_of_a_heading_is_found_by_its_numeronym() {
        let short: Vec<String> =
            ["i18n", "k8s"].iter().flat_map(|word| terms(word)).map(|(term, _)| term).collect();
        assert_eq!(find_numeronyms("Internationalization on Kubernetes"), short);
        assert!(find_numeronyms("Keys for e2e tests, 1234567890").is_empty());
    }

    #[test]
    fn ranges_hold_all_terms_in_order_and_begin_with_the_term_that_is_reported() {
        let all: Vec<TermPostings> =
            (100..400u32).map(|i| TermPostings { term: format!("t{i}"), postings: vec![(i, 1)] }).collect();
        let ranges = cut_into_ranges(all.iter().cloned(), 100);
        assert!(ranges.len() > 10);
        let read: Vec<Vec<TermPostings>> =
            ranges.iter().map(|r| decode_range("t", &r.parts.concat(), 400).unwrap()).collect();
        assert!(
            ranges.iter().zip(&read).all(|(r, t)| r.first_term == t[0].term && r.terms as usize == t.len())
        );
        assert_eq!(read.concat(), all);
        assert_eq!(cut_into_ranges(std::iter::empty(), 100), []);
    }
}
