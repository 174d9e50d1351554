//! Vocabulary of the bundle's model: its most frequent pieces in the root, the others in ranges. A question
//! loads the ranges of its rarer words.

use crate::bundle::{Bundle, BundleError, Bytes, Kind, PagedIndex, begin_section, open_section, put_varint};
use crate::text::{Tokenizer, VocabularyError};
use futures::future::{FutureExt, LocalBoxFuture};
use std::cell::{Ref, RefCell};
use std::rc::Rc;

/// Name of its section.
const VOCABULARY: &str = "vocabulary";

/// Id and text of a token.
pub type Piece = (u32, String);

/// The root of the vocabulary as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VocabularyIndex {
    /// Pages with the ranges; items are pieces.
    pub pages: PagedIndex,
    /// The least [`crate::text::piece_key`] of each range, ascending.
    pub first: Vec<u32>,
    /// Number of tokens of the whole vocabulary.
    pub total: u32,
    /// Pieces that are always loaded, by id.
    pub common: Vec<Piece>,
    /// Tokens of the corpus in tiers, each ascending, the most frequent first. Their rows come first in
    /// `words` and `table`, in this order; those of all other tokens follow by id.
    pub order: Vec<u32>,
}

impl VocabularyIndex {
    /// Returns the section's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = begin_section(Kind::Vocabulary);
        self.pages.put(&mut out);
        let mut last = 0;
        for &key in &self.first {
            put_varint(&mut out, key - last);
            last = key;
        }
        put_varint(&mut out, self.total);
        let tiers: Vec<&[u32]> = self.order.chunk_by(|a, b| a < b).collect();
        put_varint(&mut out, tiers.len() as u32);
        tiers.into_iter().for_each(|tier| put_ids(&mut out, tier.iter().copied()));
        put_pieces(&mut out, &self.common);
        out
    }

    /// Reads the output of [`VocabularyIndex::encode`]. Fails if the bytes are not such a section.
    pub fn decode(file: &str, bytes: &[u8]) -> Result<Self, BundleError> {
        let mut b = open_section(file, bytes, Kind::Vocabulary)?;
        let pages = PagedIndex::take(&mut b)?;
        let (mut first, mut last) = (Vec::new(), 0u32);
        for _ in 0..pages.pages.len() {
            let gap = b.varint()?;
            last = last
                .checked_add(gap)
                .filter(|_| gap > 0)
                .ok_or_else(|| b.corrupt("ranges are not in order"))?;
            first.push(last);
        }
        let total = b.varint()?;
        let mut order = Vec::new();
        for _ in 0..b.count(1)? {
            order.append(&mut take_ids(&mut b, total)?);
        }
        let common = take_pieces(&mut b, total)?;
        Ok(VocabularyIndex { pages, first, total, common, order })
    }
}

/// Encodes a range of the vocabulary. `pieces` ascend by id.
pub fn encode_pieces(pieces: &[Piece]) -> Vec<u8> {
    let mut out = begin_section(Kind::Pieces);
    put_pieces(&mut out, pieces);
    out
}

/// Reads the output of [`encode_pieces`]: `count` pieces of a vocabulary of `total` tokens. Fails if the
/// bytes are not such a range.
pub fn decode_pieces(file: &str, bytes: &[u8], count: u32, total: u32) -> Result<Vec<Piece>, BundleError> {
    let mut b = open_section(file, bytes, Kind::Pieces)?;
    let pieces = take_pieces(&mut b, total)?;
    if pieces.len() != count as usize {
        Err(b.corrupt("it holds another number of pieces"))
    } else {
        Ok(pieces)
    }
}

/// Appends the number of pieces, the gaps between ids, and the texts, each with a line feed, which no piece
/// contains. Sorted by id the gaps are small, which saves more than sorted texts would.
fn put_pieces(out: &mut Vec<u8>, pieces: &[Piece]) {
    put_ids(out, pieces.iter().map(|(id, _)| *id));
    for (_, text) in pieces {
        out.extend_from_slice(text.as_bytes());
        out.push(b'\n');
    }
}

/// Appends the number and the gaps of ascending ids.
fn put_ids(out: &mut Vec<u8>, ids: impl ExactSizeIterator<Item = u32>) {
    put_varint(out, ids.len() as u32);
    let mut next = 0;
    for id in ids {
        put_varint(out, id - next);
        next = id + 1;
    }
}

fn take_ids(b: &mut Bytes<'_>, total: u32) -> Result<Vec<u32>, BundleError> {
    let n = b.count(1)?;
    let (mut ids, mut next) = (Vec::with_capacity(n), 0u32);
    for _ in 0..n {
        let gap = b.varint()?;
        let id = next
            .checked_add(gap)
            .filter(|&id| id < total)
            .ok_or_else(|| b.corrupt("a piece is beyond the vocabulary"))?;
        ids.push(id);
        next = id + 1;
    }
    Ok(ids)
}

/// Reads pieces up to the end of the bytes.
fn take_pieces(b: &mut Bytes<'_>, total: u32) -> Result<Vec<Piece>, BundleError> {
    let ids = take_ids(b, total)?;
    let n = ids.len();
    let text = std::str::from_utf8(b.rest()).map_err(|_| b.corrupt("a piece is not UTF-8"))?;
    let pieces: Vec<Piece> =
        ids.into_iter().zip(text.split_terminator('\n')).map(|(id, text)| (id, text.to_owned())).collect();
    if pieces.len() != n || text.split_terminator('\n').count() != n {
        return Err(b.corrupt("it holds another number of pieces"));
    }
    Ok(pieces)
}

fn to_bundle_error(file: &str, why: &VocabularyError) -> BundleError {
    BundleError::Corrupt { file: file.to_owned(), what: why.to_string() }
}

/// The loaded part of the vocabulary, which all users of a bundle share.
pub struct Vocabulary {
    index: VocabularyIndex,
    tokenizer: RefCell<Tokenizer>,
}

/// Returns the place of a token in an order; tokens outside it follow by id. Linear, since a question has few
/// tokens and the order some thousand.
fn row_of(order: &[u32], token: u32) -> u32 {
    match order.iter().position(|&t| t == token) {
        Some(row) => row as u32,
        // Saturating: a damaged list may name a token twice.
        None => token.saturating_add(order.iter().filter(|&&t| t > token).count() as u32),
    }
}

impl Vocabulary {
    /// Loads the root. Fails if it cannot be loaded.
    pub fn load(bundle: &Bundle) -> LocalBoxFuture<'_, Result<Rc<Vocabulary>, BundleError>> {
        let decode = |file: &str, bytes: &[u8]| {
            let index = VocabularyIndex::decode(file, bytes)?;
            match Tokenizer::in_ranges(index.total as usize, &index.common, index.first.clone()) {
                Ok(tokenizer) => Ok(Vocabulary { index, tokenizer: RefCell::new(tokenizer) }),
                Err(e) => Err(to_bundle_error(file, &e)),
            }
        };
        bundle.section(VOCABULARY, decode).boxed_local()
    }

    /// Returns the root.
    pub fn index(&self) -> &VocabularyIndex {
        &self.index
    }

    /// Returns the row of a token in `words` and `table`.
    pub fn row(&self, token: u32) -> u32 {
        row_of(&self.index.order, token)
    }

    /// Returns the tokenizer of the loaded part.
    pub(crate) fn tokenizer(&self) -> Ref<'_, Tokenizer> {
        self.tokenizer.borrow()
    }

    /// Loads the ranges that `wanted` returns for the tokenizer so far, until it returns none.
    pub(crate) fn load_ranges<'a>(
        &'a self,
        bundle: &'a Bundle,
        wanted: &'a dyn Fn(&Tokenizer) -> Vec<usize>,
    ) -> LocalBoxFuture<'a, Result<(), BundleError>> {
        // In a box, so that it is not compiled into each that waits for it.
        self.load_wanted(bundle, wanted).boxed_local()
    }

    async fn load_wanted(
        &self,
        bundle: &Bundle,
        wanted: &dyn Fn(&Tokenizer) -> Vec<usize>,
    ) -> Result<(), BundleError> {
        loop {
            let ranges = wanted(&self.tokenizer.borrow());
            if ranges.is_empty() {
                return Ok(());
            }
            let total = self.index.total;
            let decode = move |count: u32, file: &str, bytes: &[u8]| decode_pieces(file, bytes, count, total);
            let loaded = bundle.pages(VOCABULARY, &self.index.pages, &ranges, decode).await;
            if let Some(error) = loaded.failed.into_iter().next() {
                return Err(error);
            }
            for (&range, pieces) in loaded.loaded.iter() {
                self.tokenizer
                    .borrow_mut()
                    .take(range, pieces)
                    .map_err(|e| to_bundle_error(VOCABULARY, &e))?;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bundle::{PAGE_HASH, PageRef};
    use proptest::prelude::*;

    fn index() -> VocabularyIndex {
        let page = PageRef { sha256: [7; PAGE_HASH], bytes: 3, raw: 3 };
        VocabularyIndex {
            pages: PagedIndex { pages: vec![page.clone(), page], first: vec![0, 2, 5] },
            first: vec![0x6162, 0x1_6162],
            total: 70_000,
            common: vec![(0, "[CLS]".to_owned()), (1, "##é".to_owned()), (69_999, "日".to_owned())],
            order: vec![0, 300, 5, 301],
        }
    }

    #[test]
    fn the_root_reads_back_and_a_cut_one_is_refused() {
        let bytes = index().encode();
        assert_eq!(VocabularyIndex::decode("v", &bytes).unwrap(), index());
        for end in 0..bytes.len() - 1 {
            assert!(VocabularyIndex::decode("v", &bytes[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn ranges_out_of_order_and_pieces_beyond_the_vocabulary_are_refused() {
        let wrong = |change: fn(&mut VocabularyIndex)| {
            let mut index = index();
            change(&mut index);
            VocabularyIndex::decode("v", &index.encode()).is_err()
        };
        assert!(wrong(|i| i.first = vec![0x6162, 0x6162]));
        assert!(wrong(|i| i.total = 69_999));
        assert!(!wrong(|i| i.total = 70_001));
        assert!(wrong(|i| i.order.push(70_000)));
    }

    #[test]
    fn a_token_named_twice_is_no_panic() {
        assert_eq!([0, 2, u32::MAX].map(|t| row_of(&[0, 1, u32::MAX - 1, 0, 1], t)), [0, 3, u32::MAX]);
    }

    proptest! {
        /// The definition: the tiers one after the other, then every other token by its id.
        #[test]
        fn rows_are_the_tiers_and_then_the_rest(
            tiers in prop::collection::vec(prop::collection::btree_set(0u32..60, 0..12), 0..4),
        ) {
            let mut seen = std::collections::BTreeSet::new();
            let order: Vec<u32> = tiers.into_iter().flatten().filter(|&id| seen.insert(id)).collect();
            let naive: Vec<u32> =
                order.iter().copied().chain((0..60).filter(|id| !seen.contains(id))).collect();
            for (row, &token) in naive.iter().enumerate() {
                prop_assert_eq!(row_of(&order, token), row as u32);
            }
            let whole = VocabularyIndex { order, ..index() };
            prop_assert_eq!(VocabularyIndex::decode("v", &whole.encode()).unwrap(), whole);
        }

        #[test]
        fn a_range_reads_back(pieces in prop::collection::btree_map(0u32..90_000, "[a-zé#]{1,6}", 0..30)) {
            let pieces: Vec<Piece> = pieces.into_iter().collect();
            let bytes = encode_pieces(&pieces);
            let n = pieces.len() as u32;
            prop_assert_eq!(&decode_pieces("v", &bytes, n, 90_000).unwrap(), &pieces);
            prop_assert!(decode_pieces("v", &bytes, n + 1, 90_000).is_err());
        }

        #[test]
        fn any_bytes_are_a_section_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let behind = |kind: Kind| [begin_section(kind).as_slice(), &bytes].concat();
            let _ = VocabularyIndex::decode("v", &behind(Kind::Vocabulary));
            let _ = decode_pieces("v", &behind(Kind::Pieces), 3, 30);
        }
    }
}
