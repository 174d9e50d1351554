//! Pieces of a vocabulary, found by their text: all of them loaded, or a range at a time.

use super::VocabularyError;

/// Maximum number of tokens of a vocabulary.
const MAX_TOKENS: usize = 1 << 20;
/// Maximum number of bytes of a vocabulary.
const MAX_BYTES: usize = 1 << 26;
/// Longest run of occupied places in the hash table. At half load, honest tokens stay far below.
const MAX_PROBES: usize = 256;
/// Empty place of the hash table.
const EMPTY: u32 = u32::MAX;

/// Returns the initial FNV-1a hash, by whether the piece continues a word. A byte a step hashes all prefixes
/// of a word in one pass.
pub(super) fn hash_start(continues: bool) -> u32 {
    if continues { 0x9dc5_811c } else { 0x811c_9dc5 }
}

pub(super) fn hash_step(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

/// Mixes the high bits into FNV's weak low bits.
fn hash_end(hash: u32) -> usize {
    let h = (hash ^ (hash >> 15)).wrapping_mul(0x2c1b_3c6d);
    (h ^ (h >> 13)) as usize
}

fn hash_of(text: &[u8], continues: bool) -> u32 {
    text.iter().fold(hash_start(continues), |h, &b| hash_step(h, b))
}

/// Returns a token's text without `##`, and true if it had it.
fn split_prefix(token: &str) -> (&str, bool) {
    match token.strip_prefix("##") {
        // "##" alone would match nothing for ever.
        Some(rest) if !rest.is_empty() => (rest, true),
        _ => (token, false),
    }
}

fn key_of(text: &[u8], continues: bool) -> Option<u32> {
    let (&first, &second) = (text.first()?, text.get(1)?);
    Some(u32::from(continues) << 16 | u32::from(first) << 8 | u32::from(second))
}

/// Returns the key by which pieces are sorted into ranges: a flag for continuing a word, and the first two
/// bytes. `None` for pieces of at most one byte, which are always loaded.
///
/// All pieces that may begin a word, except those of one byte, have the word's own key and are in one range.
pub fn piece_key(token: &str) -> Option<u32> {
    let (text, continues) = split_prefix(token);
    key_of(text.as_bytes(), continues)
}

#[derive(Debug, Clone)]
pub(super) struct Pieces {
    text: String,
    /// Byte range of each piece in `text`, and its id.
    all: Vec<(u32, u32, u32)>,
    /// Open addressing from a piece's hash to its place in `all`. The length is a power of two.
    table: Vec<u32>,
    /// Length of the longest piece in bytes, without `##`.
    longest: usize,
    /// Number of tokens of the whole vocabulary.
    total: usize,
    /// Least key of each range, ascending; empty if all pieces are loaded.
    first: Vec<u32>,
    /// Flags of the ranges that are loaded.
    loaded: Vec<bool>,
}

impl Pieces {
    /// Reads all pieces of a vocabulary of one token a line.
    pub(super) fn of_lines(vocabulary: &str) -> Result<Pieces, VocabularyError> {
        let lines = vocabulary.split_terminator('\n').map(|line| line.trim_end_matches('\r'));
        let total = lines.clone().take(MAX_TOKENS + 1).count();
        if vocabulary.len() > MAX_BYTES {
            return Err(VocabularyError::TooLarge);
        }
        let mut pieces = Pieces::empty(total, Vec::new())?;
        for (id, token) in lines.enumerate() {
            pieces.insert(id as u32, token)?;
        }
        Ok(pieces)
    }

    /// Returns no pieces of a vocabulary of `total` tokens whose ranges begin with the keys `first`.
    pub(super) fn empty(total: usize, first: Vec<u32>) -> Result<Pieces, VocabularyError> {
        if total > MAX_TOKENS {
            return Err(VocabularyError::TooLarge);
        }
        // Half of the places stay empty.
        let table = vec![EMPTY; (total * 2).next_power_of_two().max(4)];
        let loaded = vec![false; first.len()];
        Ok(Pieces { text: String::new(), all: Vec::new(), table, longest: 0, total, first, loaded })
    }

    /// Number of tokens of the whole vocabulary.
    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// Length of the longest loaded piece, in bytes.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Marks a range as loaded; returns false if it was already, or there is none.
    pub(super) fn mark_loaded(&mut self, range: usize) -> bool {
        self.loaded.get_mut(range).is_some_and(|l| !std::mem::replace(l, true))
    }

    /// Returns the range with the pieces that may begin this text, unless it is loaded.
    pub(super) fn find_absent(&self, text: &[u8], continues: bool) -> Option<usize> {
        let key = key_of(text, continues)?;
        let range = self.first.partition_point(|&f| f <= key).checked_sub(1)?;
        (!self.loaded.get(range)?).then_some(range)
    }

    pub(super) fn insert(&mut self, id: u32, token: &str) -> Result<(), VocabularyError> {
        if id as usize >= self.total
            || self.text.len() + token.len() > MAX_BYTES
            || self.all.len() == self.total
        {
            return Err(VocabularyError::TooLarge);
        }
        let (text, continues) = split_prefix(token);
        let hash = hash_of(text.as_bytes(), continues);
        // The first of equal tokens keeps the name.
        let nameless = text.is_empty() || self.find(text.as_bytes(), continues, hash).is_some();
        let start = self.text.len();
        self.text.push_str(token);
        self.all.push((start as u32, self.text.len() as u32, id));
        if nameless {
            return Ok(());
        }
        self.longest = self.longest.max(text.len());
        let mask = self.table.len() - 1;
        for probe in 0..MAX_PROBES {
            if let Some(place) = self.table.get_mut((hash_end(hash).wrapping_add(probe)) & mask)
                && *place == EMPTY
            {
                *place = self.all.len() as u32 - 1;
                return Ok(());
            }
        }
        Err(VocabularyError::Collisions)
    }

    /// Returns the id of a loaded piece whose hash is known.
    pub(super) fn find(&self, text: &[u8], continues: bool, hash: u32) -> Option<u32> {
        let mask = self.table.len() - 1;
        for probe in 0..MAX_PROBES {
            let at = *self.table.get((hash_end(hash).wrapping_add(probe)) & mask)?;
            if at == EMPTY {
                return None;
            }
            let (candidate, c) = split_prefix(self.text_at(at as usize)?);
            if c == continues && candidate.as_bytes() == text {
                return self.all.get(at as usize).map(|p| p.2);
            }
        }
        None
    }

    /// Returns the id of a loaded piece that begins a word.
    pub(super) fn find_named(&self, text: &str) -> Option<u32> {
        self.find(text.as_bytes(), false, hash_of(text.as_bytes(), false))
    }

    fn text_at(&self, at: usize) -> Option<&str> {
        let &(start, end, _) = self.all.get(at)?;
        self.text.get(start as usize..end as usize)
    }

    /// Returns the text of token `id`, if it is loaded.
    pub(super) fn token(&self, id: u32) -> Option<&str> {
        // If all are loaded they are in the order of their ids.
        let here = |at: &usize| self.all.get(*at).is_some_and(|p| p.2 == id);
        self.text_at(Some(id as usize).filter(here).or_else(|| self.all.iter().position(|p| p.2 == id))?)
    }
}
