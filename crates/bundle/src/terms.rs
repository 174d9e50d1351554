//! Sections of terms: sorted texts with postings, cut into ranges. A question loads the ranges of its words.
//!
//! They are the word index (`lexical`), the names of documents (`names`) and the words of titles (`titles`).

use super::bounds::MOST_SHARED;
use super::codec::{Bytes, Kind, begin_section, open_section, put_varint};
use super::error::BundleError;
use super::pages::PagedIndex;
use super::reader::Bundle;
use crate::compact::Map;
use futures::future::{FutureExt, LocalBoxFuture};
use std::rc::Rc;

/// Maximum length of a term in bytes, so that front coding cannot make gigabytes of a file.
const LONGEST: usize = 4096;

/// The root of a section of terms: the first term of each range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermIndex {
    /// First term of each range, ascending.
    pub first_terms: Vec<String>,
    /// Files of the ranges; items are terms.
    pub ranges: PagedIndex,
}

impl TermIndex {
    /// Returns the range that would hold `term`, if any could.
    pub fn range_of(&self, term: &str) -> Option<usize> {
        self.first_terms.partition_point(|t| t.as_str() <= term).checked_sub(1)
    }

    /// Returns the ranges that can hold terms starting with `prefix`.
    pub fn ranges_of_prefix(&self, prefix: &str) -> std::ops::Range<usize> {
        let start = self.range_of(prefix).unwrap_or(0);
        let end = self.first_terms[start..].iter().skip(1).take_while(|t| t.starts_with(prefix)).count();
        start..(start + 1 + end).min(self.first_terms.len())
    }

    /// Returns the section's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = begin_section(Kind::TermIndex);
        self.ranges.put(&mut out);
        for t in &self.first_terms {
            put_varint(&mut out, t.len() as u32);
            out.extend_from_slice(t.as_bytes());
        }
        out
    }

    /// Reads the output of [`TermIndex::encode`]. Fails if the bytes are not such a section.
    pub fn decode(file: &str, bytes: &[u8]) -> Result<TermIndex, BundleError> {
        let mut b = open_section(file, bytes, Kind::TermIndex)?;
        let ranges = PagedIndex::take(&mut b)?;
        let mut first_terms: Vec<String> = Vec::with_capacity(ranges.pages.len());
        for _ in 0..ranges.pages.len() {
            let length = b.count(1)?;
            let bytes = b.take(length)?;
            let term = decode_utf8(&b, bytes)?;
            if first_terms.last().is_some_and(|l| *l >= term) {
                return Err(b.corrupt("ranges are not in order"));
            }
            first_terms.push(term);
        }
        b.end()?;
        Ok(TermIndex { first_terms, ranges })
    }
}

fn decode_utf8(b: &Bytes<'_>, bytes: &[u8]) -> Result<String, BundleError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| b.corrupt("a term is not UTF-8"))
}

/// Term with its postings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermPostings {
    /// The term.
    pub term: String,
    /// Postings as (number, value), numbers ascending.
    pub postings: Vec<(u32, u32)>,
}

/// The three parts of a range, which follow each other: terms with their counts, gaps between numbers,
/// values. Compress each on its own, since they have little in common.
pub type RangeParts = [Vec<u8>; 3];

/// Encodes a range: terms front-coded (shared prefix, rest) with their counts of numbers, then the gaps
/// between these, then their values. A term is written whole where the terms would exceed [`MOST_SHARED`]
/// times their encoding.
pub fn encode_range(terms: &[TermPostings]) -> RangeParts {
    let (mut head, mut gaps, mut values) = (begin_section(Kind::Terms), Vec::new(), Vec::new());
    put_varint(&mut head, terms.len() as u32);
    let mut previous = "";
    let mut spelt = 0;
    for t in terms {
        let mut shared = previous.bytes().zip(t.term.bytes()).take_while(|(a, b)| a == b).count();
        spelt += t.term.len();
        if spelt > MOST_SHARED * (head.len() + t.term.len() - shared) {
            shared = 0;
        }
        put_varint(&mut head, shared as u32);
        put_varint(&mut head, (t.term.len() - shared) as u32);
        head.extend_from_slice(&t.term.as_bytes()[shared..]);
        put_varint(&mut head, t.postings.len() as u32);
        let mut last = 0;
        for &(number, value) in &t.postings {
            put_varint(&mut gaps, number - last);
            put_varint(&mut values, value);
            last = number;
        }
        previous = &t.term;
    }
    [head, gaps, values]
}

/// Reads a range whose numbers are below `limit`. Fails if the bytes are not such a range: terms or numbers
/// out of order, or beyond the limit.
pub fn decode_range(file: &str, bytes: &[u8], limit: u32) -> Result<Vec<TermPostings>, BundleError> {
    let mut b = open_section(file, bytes, Kind::Terms)?;
    let n = b.count(3)?;
    let mut out: Vec<TermPostings> = Vec::with_capacity(n);
    let mut counts: Vec<usize> = Vec::with_capacity(n);
    let (mut total, mut spelt) = (0usize, 0usize);
    for _ in 0..n {
        let previous = out.last().map_or(&[][..], |t| t.term.as_bytes());
        let shared = b.varint()? as usize;
        let length = b.count(1)?;
        let start = previous.get(..shared).filter(|_| shared + length <= LONGEST);
        let mut term =
            start.ok_or_else(|| b.corrupt("a term shares more than there is, or is too long"))?.to_vec();
        term.extend_from_slice(b.take(length)?);
        if !out.is_empty() && term.as_slice() <= previous {
            return Err(b.corrupt("terms are not in order"));
        }
        spelt += term.len();
        if spelt > MOST_SHARED * bytes.len() {
            return Err(b.corrupt("its terms are longer than the file backs"));
        }
        let count = b.count(2)?;
        // All counts together ask for no more memory than the file backs.
        total += count;
        if total > b.left() / 2 {
            return Err(b.corrupt("a count is larger than the file"));
        }
        counts.push(count);
        out.push(TermPostings { term: decode_utf8(&b, &term)?, postings: Vec::new() });
    }
    for (t, count) in out.iter_mut().zip(counts) {
        t.postings.reserve_exact(count);
        let mut number = 0u32;
        for i in 0..count {
            let gap = b.varint()?;
            number = number
                .checked_add(gap)
                .filter(|&n| n < limit && (i == 0 || gap > 0))
                .ok_or_else(|| b.corrupt("numbers are not in order"))?;
            t.postings.push((number, 0));
        }
    }
    for posting in out.iter_mut().flat_map(|t| &mut t.postings) {
        posting.1 = b.varint()?;
    }
    b.end()?;
    Ok(out)
}

/// Decodes a range of `items` terms, as [`decode_range`].
///
/// # Errors
/// As [`decode_range`], and [`BundleError::Corrupt`] for another number of terms.
pub fn decode_run(
    items: u32,
    file: &str,
    bytes: &[u8],
    limit: u32,
) -> Result<Vec<TermPostings>, BundleError> {
    let terms = decode_range(file, bytes, limit)?;
    if terms.len() == items as usize {
        Ok(terms)
    } else {
        Err(BundleError::Corrupt { file: file.to_owned(), what: "it holds another number of terms".into() })
    }
}

/// Section of terms with those of its ranges that are loaded.
#[derive(Clone)]
pub struct Terms {
    /// Index of the ranges.
    pub index: Rc<TermIndex>,
    /// Errors of the ranges that could not be loaded.
    pub missing: Vec<String>,
    bundle: Bundle,
    section: &'static str,
    limit: u32,
    ranges: Map<usize, Rc<Vec<TermPostings>>>,
}

impl Terms {
    /// Opens the section named `section`, whose numbers are below `limit`. No range is loaded yet. Fails if
    /// the section's root cannot be loaded.
    pub fn open<'a>(
        bundle: &'a Bundle,
        section: &'static str,
        limit: u64,
    ) -> LocalBoxFuture<'a, Result<Terms, BundleError>> {
        async move {
            let index = bundle.section(section, TermIndex::decode).await?;
            let limit = u32::try_from(limit).unwrap_or(u32::MAX);
            Ok(Terms {
                index,
                missing: Vec::new(),
                bundle: bundle.clone(),
                section,
                limit,
                ranges: Map::new(),
            })
        }
        .boxed_local()
    }

    /// Loads together the ranges that are not loaded yet. Errors are added to [`Terms::missing`].
    pub fn load<'a>(&'a mut self, mut ranges: Vec<usize>) -> LocalBoxFuture<'a, ()> {
        async move {
            ranges.retain(|r| self.ranges.get(r).is_none());
            if !ranges.is_empty() {
                crate::compact::sort_unique(&mut ranges);
                let limit = self.limit;
                let decode =
                    move |items: u32, file: &str, bytes: &[u8]| decode_run(items, file, bytes, limit);
                let pages = self.bundle.pages(self.section, &self.index.ranges, &ranges, decode).await;
                self.missing.extend(pages.missing());
                self.ranges.extend(pages.loaded);
            }
        }
        .boxed_local()
    }

    /// Returns true if the range for `term` is loaded, or there is none.
    pub fn knows(&self, term: &str) -> bool {
        self.index.range_of(term).is_none_or(|r| self.ranges.get(&r).is_some())
    }

    /// Returns a term and its place among all terms, if its range is loaded.
    pub fn find(&self, term: &str) -> Option<(u32, &TermPostings)> {
        let number = self.index.range_of(term)?;
        let range = self.ranges.get(&number)?;
        let place = range.binary_search_by(|t| t.term.as_str().cmp(term)).ok()?;
        Some((self.index.ranges.first.get(number)?.checked_add(place as u32)?, range.get(place)?))
    }

    /// Returns the term at a place among all terms, if its range is loaded.
    pub fn at(&self, place: u32) -> Option<&TermPostings> {
        let (range, place) = self.index.ranges.locate(place)?;
        self.ranges.get(&range)?.get(place)
    }

    /// Iterates over the loaded terms, ascending.
    pub fn iter(&self) -> impl Iterator<Item = &TermPostings> {
        self.ranges.values().flat_map(|r| r.iter())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bundle::{PAGE_HASH, PageRef};
    use proptest::prelude::*;

    fn range(terms: &[(String, Vec<(u32, u32)>)]) -> Vec<TermPostings> {
        terms
            .iter()
            .map(|(term, postings)| TermPostings { term: term.clone(), postings: postings.clone() })
            .collect()
    }

    proptest! {
        #[test]
        fn a_range_reads_back_and_hostile_bytes_are_errors(
            terms in prop::collection::btree_map(
                "[a-c é]{1,6}",
                prop::collection::btree_map(0u32..500, 0u32..300, 0..9),
                0..12,
            ),
            flip in 0usize..400,
            by in 1u8..=255,
        ) {
            let terms: Vec<(String, Vec<(u32, u32)>)> =
                terms.into_iter().map(|(t, p)| (t, p.into_iter().collect())).collect();
            let terms = range(&terms);
            let mut bytes = encode_range(&terms).concat();
            prop_assert_eq!(&decode_range("t", &bytes, 500).unwrap(), &terms);
            let most = terms.iter().flat_map(|t| &t.postings).map(|p| p.0).max();
            prop_assert_eq!(most.is_some_and(|m| decode_range("t", &bytes, m).is_ok()), false);
            let at = flip % bytes.len();
            bytes[at] = bytes[at].wrapping_add(by);
            if let Ok(read) = decode_range("t", &bytes, 500) {
                prop_assert!(read.is_sorted_by(|a, b| a.term < b.term));
                prop_assert!(read.iter().all(
                    |t| t.postings.is_sorted_by(|a, b| a.0 < b.0) && t.postings.iter().all(|p| p.0 < 500)
                ));
            }
            bytes.truncate(at);
            prop_assert!(decode_range("t", &bytes, 500).is_err());
        }

        #[test]
        fn any_bytes_are_a_section_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for kind in [Kind::Terms, Kind::TermIndex] {
                let whole = [begin_section(kind), bytes.clone()].concat();
                let _ = decode_range("t", &whole, u32::MAX);
                let _ = TermIndex::decode("t", &whole);
            }
        }

        #[test]
        fn the_range_of_a_term_is_the_last_that_does_not_begin_after_it(
            first in prop::collection::btree_set("[ab]{1,3}", 0..8),
            term in "[abc]{0,4}",
        ) {
            let first_terms: Vec<String> = first.into_iter().collect();
            let page = PageRef { sha256: [1; PAGE_HASH], bytes: 1, raw: 1 };
            let ranges = PagedIndex {
                pages: vec![page; first_terms.len()],
                first: (0..=first_terms.len() as u32).collect(),
            };
            let index = TermIndex { first_terms, ranges };
            prop_assert_eq!(&TermIndex::decode("t", &index.encode()).unwrap(), &index);
            let naive = index.first_terms.iter().rposition(|t| *t <= term);
            prop_assert_eq!(index.range_of(&term), naive);
            // Every range that holds a term with the prefix is among the ranges given.
            let given = index.ranges_of_prefix(&term);
            for (i, first) in index.first_terms.iter().enumerate() {
                let begins_after = index.first_terms.get(i + 1).is_none_or(|next| term < *next);
                let may_hold = first.starts_with(&term) || (*first < term && begins_after);
                prop_assert!(!may_hold || given.contains(&i), "{} {}", i, term);
            }
        }
    }

    #[test]
    fn counts_ask_for_no_more_memory_than_the_file_backs() {
        // A thousand terms, each of which claims half of the file.
        let mut bytes = begin_section(Kind::Terms);
        put_varint(&mut bytes, 1000);
        for _ in 0..1000 {
            bytes.extend_from_slice(&[0, 1, b'a', 0xff, 0x07]);
        }
        bytes.extend_from_slice(&[1; 4000]);
        assert_eq!(decode_range("t", &bytes, u32::MAX).unwrap_err().code(), "corrupt");
    }

    #[test]
    fn terms_that_share_more_than_a_reader_believes_are_written_whole() {
        let term =
            |i: u32| TermPostings { term: format!("{}{i:05}", "a".repeat(4000)), postings: vec![(0, 1)] };
        let terms: Vec<TermPostings> = (0..100).map(term).collect();
        let bytes = encode_range(&terms).concat();
        assert!(bytes.len() * MOST_SHARED >= 100 * 4005);
        assert_eq!(decode_range("t", &bytes, 1).unwrap(), terms);
        // The same terms, each in seven bytes.
        let mut bytes = begin_section(Kind::Terms);
        put_varint(&mut bytes, 100);
        for t in &terms {
            let shared = if t == &terms[0] { 0 } else { 4000 };
            put_varint(&mut bytes, shared as u32);
            put_varint(&mut bytes, (t.term.len() - shared) as u32);
            bytes.extend_from_slice(&t.term.as_bytes()[shared..]);
            put_varint(&mut bytes, 0);
        }
        assert!(decode_range("t", &bytes, 1).unwrap_err().to_string().contains("longer than the file backs"));
    }
}
