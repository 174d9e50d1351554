//! The vocabulary's sections: what the corpus says most often with the root, the rest in ranges.

use super::writer::GZIP;
use super::writer::{SectionWriter, WriteError};
use pocketgraph::bundle::{Chunk, Encoding, PagedIndex};
use pocketgraph::embed::{Piece, VocabularyIndex, encode_pieces};
use pocketgraph::text::{Tokenizer, piece_key};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Number of the most frequent pieces in the root page (about 16 kB), so that a small corpus needs no other
/// page.
const COMMON: usize = 4000;
/// Bytes of the texts on a range, about: 23 kB when compressed. A question has few words that are rare, and
/// more ranges are more files and a longer root.
const RANGE_BYTES: usize = 48_000;
/// Number of tokens that share the first rows, and how many those up to the second: what questions say is
/// mostly among these.
const TIERS: [usize; 2] = [512, 1536];
/// Tokens that must be at hand.
const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// Writes the vocabulary.
pub fn write_vocabulary(
    w: &mut SectionWriter,
    tokenizer: &Tokenizer,
    chunks: &[Chunk],
) -> Result<RowOrder, WriteError> {
    let counts = count_ids(chunks, tokenizer.vocab_len(), |chunk| tokenizer.content(&chunk.text));
    let common = choose_common(tokenizer, &counts);
    let mut index = VocabularyIndex {
        pages: PagedIndex::empty(),
        first: Vec::new(),
        total: tokenizer.vocab_len() as u32,
        common: common.iter().filter_map(|&id| piece_of(tokenizer, id)).collect(),
        order: order_tokens(tokenizer, &counts),
    };
    write_ranges(w, tokenizer, &mut index)?;
    let pages = index.pages.pages.clone();
    w.section("vocabulary", &index.encode(), GZIP, &pages)?;
    Ok(RowOrder::of(&index))
}

fn piece_of(tokenizer: &Tokenizer, id: u32) -> Option<Piece> {
    tokenizer.token(id).map(|text| (id, text.to_owned()))
}

/// Writes the pieces that are not in the root in ranges, and lists these in `index`.
pub(super) fn write_ranges(
    w: &SectionWriter,
    tokenizer: &Tokenizer,
    index: &mut VocabularyIndex,
) -> Result<(), WriteError> {
    (index.pages, index.first) = (PagedIndex::empty(), Vec::new());
    let common: BTreeSet<u32> = index.common.iter().map(|(id, _)| *id).collect();
    let mut groups: BTreeMap<u32, Vec<Piece>> = BTreeMap::new();
    // Placeholders are in no text: brackets are words of their own.
    let others = (0..index.total).filter(|id| !common.contains(id)).filter_map(|id| piece_of(tokenizer, id));
    for (id, text) in others.filter(|(_, text)| !text.starts_with("[unused")) {
        if let Some(key) = piece_key(&text) {
            groups.entry(key).or_default().push((id, text));
        }
    }
    let mut range: Vec<Piece> = Vec::new();
    let bytes = |pieces: &[Piece]| pieces.iter().map(|(_, text)| text.len() + 1).sum::<usize>();
    for (key, pieces) in groups {
        if !range.is_empty() && bytes(&range) + bytes(&pieces) > RANGE_BYTES {
            write_page(w, index, &mut range)?;
        }
        if range.is_empty() {
            index.first.push(key);
        }
        range.extend(pieces);
    }
    if range.is_empty() { Ok(()) } else { write_page(w, index, &mut range) }
}

/// In which order `words` and `table` have the rows of tokens.
pub struct RowOrder {
    rows: Vec<usize>,
    /// Number of them that are tokens of the corpus.
    known: usize,
}

impl RowOrder {
    pub(super) fn of(index: &VocabularyIndex) -> RowOrder {
        let known: BTreeSet<u32> = index.order.iter().copied().collect();
        // Ids are in order of how common tokens are in English, so that words the corpus does not have share
        // pages with words as common.
        let others = (0..index.total).filter(|id| !known.contains(id));
        RowOrder {
            rows: index.order.iter().copied().chain(others).map(|id| id as usize).collect(),
            known: index.order.len(),
        }
    }

    /// The tokens of each page: `per_page` of those that the corpus has, twice as many of the others.
    /// Questions seldom have these, and they are most of the files of whoever fetches a whole bundle.
    pub fn pages(&self, per_page: usize) -> impl Iterator<Item = &[usize]> {
        let (near, far) = self.rows.split_at(self.known.next_multiple_of(per_page).min(self.rows.len()));
        near.chunks(per_page).chain(far.chunks(2 * per_page))
    }
}

/// The tokens that the corpus has, and those that any question may have (special ones and single signs), in
/// tiers by how common they are.
fn order_tokens(tokenizer: &Tokenizer, counts: &[u64]) -> Vec<u32> {
    let always = |id: &u32| tokenizer.token(*id).is_some_and(|t| SPECIAL.contains(&t) || t.len() == 1);
    let count = |id: &u32| counts.get(*id as usize).copied().unwrap_or(0);
    let (mut ranked, others): (Vec<u32>, Vec<u32>) = (0..tokenizer.vocab_len() as u32).partition(always);
    let mut others: Vec<u32> = others.into_iter().filter(|id| count(id) > 0).collect();
    others.sort_by_key(|id| (Reverse(count(id)), *id));
    ranked.extend(others);
    let (first, rest) = ranked.split_at(TIERS[0].min(ranked.len()));
    let (second, third) = rest.split_at((TIERS[1] - TIERS[0]).min(rest.len()));
    [first, second, third]
        .into_iter()
        .flat_map(|tier| tier.iter().copied().collect::<BTreeSet<u32>>())
        .collect()
}

fn write_page(
    w: &SectionWriter,
    index: &mut VocabularyIndex,
    range: &mut Vec<Piece>,
) -> Result<(), WriteError> {
    range.sort();
    index.pages.push(w.page("vocabulary", &encode_pieces(range), Encoding::Gzip)?, range.len() as u32);
    range.clear();
    Ok(())
}

/// Counts how often chunks have each of `ids` tokens.
pub(super) fn count_ids(chunks: &[Chunk], ids: usize, cut: impl Fn(&Chunk) -> Vec<u32> + Sync) -> Vec<u64> {
    let none = || vec![0u64; ids];
    let add = |mut counts: Vec<u64>, chunk: &Chunk| {
        for id in cut(chunk) {
            if let Some(n) = counts.get_mut(id as usize) {
                *n += 1;
            }
        }
        counts
    };
    let sum = |mut a: Vec<u64>, b: Vec<u64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    chunks.par_iter().fold(none, add).reduce(none, sum)
}

/// The tokens that come with the root. Of those that the corpus has equally often the first are taken: ids
/// are in order of how common they are in English.
fn choose_common(tokenizer: &Tokenizer, counts: &[u64]) -> BTreeSet<u32> {
    let token = |id: &u32| tokenizer.token(*id).unwrap_or_default();
    let ids = 0..tokenizer.vocab_len() as u32;
    let word = |id: &u32| {
        piece_key(token(id)).is_some() && token(id).bytes().all(|b| b.is_ascii_alphanumeric() || b == b'#')
    };
    let mut ranked: Vec<u32> = ids.clone().filter(word).collect();
    ranked.sort_by_key(|&id| Reverse(counts.get(id as usize)));
    let always = ids.filter(|id| {
        SPECIAL.contains(&token(id)) || (!token(id).is_empty() && piece_key(token(id)).is_none())
    });
    always.chain(ranked.into_iter().take(COMMON)).collect()
}
