//! WordPiece: text to the token ids that an uncased BERT reads.
//!
//! Normalisation and splitting follow Devlin et al., "BERT" (2019), section 3, and its published tokenizer; the greedy longest match is that of
//! Wu et al., "Google's Neural Machine Translation System" (2016), section 4.1. One difference on purpose: `[CLS]` and other special tokens written
//! out in a text are plain text here, so that a document cannot forge them.

mod classes;

use self::classes::{DROPPED, IDEOGRAPHS, MARKS, PUNCTUATION, contains};
use super::unicode::{canonical, lower};
use std::ops::ControlFlow;

/// Why a text is not a vocabulary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VocabularyError {
    /// A token that every vocabulary needs is missing.
    #[error("the vocabulary lacks the token {0}")]
    Missing(&'static str),
    /// More tokens, or more bytes, than a vocabulary may have.
    #[error("the vocabulary has more than {MAX_TOKENS} tokens or {MAX_BYTES} bytes")]
    TooLarge,
    /// Too many tokens fall into one place of the hash table, which only a vocabulary made for it does.
    #[error("the vocabulary's tokens collide")]
    Collisions,
}

/// Most tokens a vocabulary may have.
const MAX_TOKENS: usize = 1 << 20;
/// Most bytes a vocabulary may have.
const MAX_BYTES: usize = 1 << 26;
/// Longest run of occupied places in the hash table. At half load, honest tokens stay far below.
const MAX_PROBES: usize = 256;
/// Words of more characters than this are unknown.
const MAX_WORD_CHARS: usize = 100;
/// An empty place of the hash table.
const EMPTY: u32 = u32::MAX;

/// A WordPiece tokenizer for uncased BERT vocabularies.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    text: String,
    /// Byte range of each token in `text`.
    spans: Vec<(u32, u32)>,
    /// Open addressing from a piece's hash to its id; the length is a power of two.
    table: Vec<u32>,
    /// Longest piece, in bytes, without `##`.
    longest: usize,
    cls: u32,
    sep: u32,
    unknown: u32,
}

/// FNV-1a, seeded by whether the piece continues a word; taken a byte at a time so that all prefixes of a word are hashed in one pass.
fn hash_start(continues: bool) -> u32 {
    if continues { 0x9dc5_811c } else { 0x811c_9dc5 }
}

fn hash_step(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

/// FNV's low bits are weak; mix the high ones in.
fn hash_end(hash: u32) -> usize {
    let h = (hash ^ (hash >> 15)).wrapping_mul(0x2c1b_3c6d);
    (h ^ (h >> 13)) as usize
}

/// A token's text without `##`, and whether it had it.
fn piece(token: &str) -> (&str, bool) {
    match token.strip_prefix("##") {
        // "##" alone would match nothing for ever.
        Some(rest) if !rest.is_empty() => (rest, true),
        _ => (token, false),
    }
}

impl Tokenizer {
    /// A tokenizer from a vocabulary: one token a line, its id is its line number from 0; pieces that continue a word begin with `##`.
    ///
    /// # Errors
    /// [`VocabularyError`] when `[CLS]`, `[SEP]` or `[UNK]` is missing, or the text is no usable vocabulary.
    pub fn from_vocab(vocabulary: &str) -> Result<Tokenizer, VocabularyError> {
        if vocabulary.len() > MAX_BYTES {
            return Err(VocabularyError::TooLarge);
        }
        let mut spans = Vec::new();
        let mut start = 0usize;
        for line in vocabulary.split_inclusive('\n') {
            if spans.len() == MAX_TOKENS {
                return Err(VocabularyError::TooLarge);
            }
            let token = line.trim_end_matches(['\n', '\r']);
            // MAX_BYTES keeps both in range.
            spans.push((start as u32, (start + token.len()) as u32));
            start += line.len();
        }
        let mut t = Tokenizer {
            text: vocabulary.to_owned(),
            table: vec![EMPTY; (spans.len() * 2).next_power_of_two().max(4)],
            spans,
            longest: 0,
            cls: 0,
            sep: 0,
            unknown: 0,
        };
        for id in 0..t.spans.len() as u32 {
            t.insert(id)?;
        }
        let find =
            |name: &'static str| t.find(name.as_bytes(), false, hash_of(name.as_bytes(), false)).ok_or(VocabularyError::Missing(name));
        (t.cls, t.sep, t.unknown) = (find("[CLS]")?, find("[SEP]")?, find("[UNK]")?);
        Ok(t)
    }

    fn insert(&mut self, id: u32) -> Result<(), VocabularyError> {
        let (text, continues) = piece(self.token(id).unwrap_or(""));
        if text.is_empty() {
            return Ok(());
        }
        let hash = hash_of(text.as_bytes(), continues);
        // The first of equal tokens keeps the name.
        if self.find(text.as_bytes(), continues, hash).is_some() {
            return Ok(());
        }
        let length = text.len();
        let mask = self.table.len() - 1;
        for probe in 0..MAX_PROBES {
            if let Some(place) = self.table.get_mut((hash_end(hash).wrapping_add(probe)) & mask)
                && *place == EMPTY
            {
                *place = id;
                self.longest = self.longest.max(length);
                return Ok(());
            }
        }
        Err(VocabularyError::Collisions)
    }

    fn find(&self, text: &[u8], continues: bool, hash: u32) -> Option<u32> {
        let mask = self.table.len() - 1;
        for probe in 0..MAX_PROBES {
            let id = *self.table.get((hash_end(hash).wrapping_add(probe)) & mask)?;
            if id == EMPTY {
                return None;
            }
            let (candidate, c) = piece(self.token(id)?);
            if c == continues && candidate.as_bytes() == text {
                return Some(id);
            }
        }
        None
    }

    /// The text of token `id`, `##` included.
    pub fn token(&self, id: u32) -> Option<&str> {
        let &(start, end) = self.spans.get(id as usize)?;
        self.text.get(start as usize..end as usize)
    }

    /// The number of tokens in the vocabulary.
    pub fn vocab_len(&self) -> usize {
        self.spans.len()
    }

    /// The vocabulary's text, as given.
    pub fn vocabulary(&self) -> &str {
        &self.text
    }

    /// The ids of `text` between `[CLS]` and `[SEP]`, at most `max_len` in all (and never fewer than those two): the tail is cut.
    pub fn encode(&self, text: &str, max_len: usize) -> Vec<u32> {
        let content = max_len.saturating_sub(2);
        let mut ids = vec![self.cls];
        if content > 0 {
            self.pieces(text, &mut |id| {
                ids.push(id);
                if ids.len() > content { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        ids.push(self.sep);
        ids
    }

    /// The ids of `text` with no `[CLS]`, no `[SEP]` and no limit.
    pub fn content(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        self.pieces(text, &mut |id| {
            ids.push(id);
            ControlFlow::Continue(())
        });
        ids
    }

    /// How many tokens `text` has, without `[CLS]` and `[SEP]`.
    pub fn count(&self, text: &str) -> usize {
        let mut n = 0;
        self.pieces(text, &mut |_| {
            n += 1;
            ControlFlow::Continue(())
        });
        n
    }

    /// Gives every token of `text` to `sink`, until it breaks.
    fn pieces(&self, text: &str, sink: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        let mut word = Word::default();
        let mut rest = text;
        while !rest.is_empty() {
            // A run of ASCII needs no tables; other text is decomposed up to the next ASCII white space, which no decomposition crosses.
            let ascii = rest.bytes().position(|b| !b.is_ascii()).unwrap_or(rest.len());
            // A combining mark may follow the run's last letter: leave that word to the other branch.
            let plain = if ascii == rest.len() {
                ascii
            } else {
                rest.as_bytes().iter().take(ascii).rposition(|&b| is_space(b)).map_or(0, |i| i + 1)
            };
            let (run, after) = rest.split_at(plain);
            for &b in run.as_bytes() {
                let flow = if is_space(b) {
                    self.flush(&mut word, sink)
                } else if b.is_ascii_control() {
                    ControlFlow::Continue(())
                } else if b.is_ascii_punctuation() {
                    self.isolate(char::from(b), &mut word, sink)
                } else {
                    word.push(char::from(b.to_ascii_lowercase()));
                    ControlFlow::Continue(())
                };
                if flow.is_break() {
                    return;
                }
            }
            let end = after.bytes().position(is_space).unwrap_or(after.len());
            let (run, after) = after.split_at(end);
            if self.normalised(run, &mut word, sink).is_break() {
                return;
            }
            rest = after;
        }
        let _ = self.flush(&mut word, sink);
    }

    /// The branch for any text: drop, space out ideographs, decompose, drop marks, lower-case, split.
    fn normalised(&self, run: &str, word: &mut Word, sink: &mut dyn FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut decomposed: Vec<char> = Vec::new();
        for c in run.chars().filter(|&c| c.is_whitespace() || !contains(DROPPED, c)) {
            let alone = contains(IDEOGRAPHS, c);
            if alone {
                self.flush(word, sink)?;
            }
            decomposed.clear();
            canonical(c, |d| {
                if !contains(MARKS, d) {
                    lower(d, |l| decomposed.push(l));
                }
            });
            for &d in &decomposed {
                if d.is_whitespace() {
                    self.flush(word, sink)?;
                } else if contains(PUNCTUATION, d) {
                    self.isolate(d, word, sink)?;
                } else {
                    word.push(d);
                }
            }
            if alone {
                self.flush(word, sink)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn isolate(&self, c: char, word: &mut Word, sink: &mut dyn FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        self.flush(word, sink)?;
        word.push(c);
        self.flush(word, sink)
    }

    /// Greedy longest match over one word; a word that does not wholly match is one unknown token.
    fn flush(&self, word: &mut Word, sink: &mut dyn FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        if word.chars == 0 {
            return ControlFlow::Continue(());
        }
        let known = word.chars <= MAX_WORD_CHARS && self.split(&word.text, &mut word.ids);
        let flow = if known { word.ids.iter().try_for_each(|&id| sink(id)) } else { sink(self.unknown) };
        word.clear();
        flow
    }

    /// The pieces of `word` into `ids`; false when some part is in no piece.
    fn split(&self, word: &[u8], ids: &mut Vec<u32>) -> bool {
        ids.clear();
        // MAX_WORD_CHARS characters of at most four bytes, each lower-cased to itself.
        let mut hashes = [0u32; 4 * MAX_WORD_CHARS + 1];
        let mut start = 0;
        while start < word.len() {
            let continues = start > 0;
            let rest = word.get(start..).unwrap_or_default();
            let limit = rest.len().min(self.longest).min(hashes.len() - 1);
            let mut hash = hash_start(continues);
            for (h, &b) in hashes.iter_mut().zip(rest.iter().take(limit)) {
                hash = hash_step(hash, b);
                *h = hash;
            }
            let found = (1..=limit).rev().find_map(|end| self.find(rest.get(..end)?, continues, *hashes.get(end - 1)?).map(|id| (id, end)));
            let Some((id, end)) = found else { return false };
            ids.push(id);
            start += end;
        }
        true
    }
}

fn hash_of(text: &[u8], continues: bool) -> u32 {
    text.iter().fold(hash_start(continues), |h, &b| hash_step(h, b))
}

/// ASCII white space as BERT's cleaning sees it: tab, line feed, carriage return and space; other controls are dropped.
fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r')
}

/// The word being read; its buffers are used again for every word.
#[derive(Default)]
struct Word {
    text: Vec<u8>,
    chars: usize,
    ids: Vec<u32>,
}

impl Word {
    fn push(&mut self, c: char) {
        self.chars += 1;
        // Longer words are unknown whatever they say: keep counting, stop storing.
        if self.chars <= MAX_WORD_CHARS {
            self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    fn clear(&mut self) {
        self.text.clear();
        self.chars = 0;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SMALL: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nloop\n##s\nare\nbound\n##ed\n.\nun\n##bound\ne\n##́\n日\n";

    fn names(t: &Tokenizer, ids: &[u32]) -> Vec<String> {
        ids.iter().map(|&id| t.token(id).unwrap().to_owned()).collect()
    }

    #[test]
    fn words_split_into_the_longest_pieces_from_the_left() {
        let t = Tokenizer::from_vocab(SMALL).unwrap();
        assert_eq!(
            names(&t, &t.encode("Loops are UNBOUNDED.", 256)),
            ["[CLS]", "loop", "##s", "are", "un", "##bound", "##ed", ".", "[SEP]"]
        );
        assert_eq!(names(&t, &t.content("zebra loop\u{301}é日loops")), ["[UNK]", "[UNK]", "日", "loop", "##s"]);
        assert_eq!(names(&t, &t.content("É e\u{301}")), ["e", "e"]);
    }

    #[test]
    fn a_long_text_is_cut_before_sep() {
        let t = Tokenizer::from_vocab(SMALL).unwrap();
        assert_eq!(names(&t, &t.encode("loops are bound", 4)), ["[CLS]", "loop", "##s", "[SEP]"]);
        assert_eq!(t.encode("loops", 0), t.encode("", 256));
    }

    #[test]
    fn special_tokens_in_a_text_are_plain_text() {
        let t = Tokenizer::from_vocab(SMALL).unwrap();
        assert!(!t.content("[SEP] [CLS]").iter().any(|&id| id == 2 || id == 3));
    }

    #[test]
    fn a_vocabulary_without_its_special_tokens_is_refused() {
        assert_eq!(Tokenizer::from_vocab("[CLS]\n[SEP]\n").unwrap_err(), VocabularyError::Missing("[UNK]"));
        assert_eq!(Tokenizer::from_vocab("").unwrap_err(), VocabularyError::Missing("[CLS]"));
    }

    #[test]
    fn words_of_more_than_a_hundred_characters_are_unknown() {
        let t = Tokenizer::from_vocab("[CLS]\n[SEP]\n[UNK]\na\n##a\n##aa\n").unwrap();
        assert_eq!(t.count(&"a".repeat(100)), 51);
        assert_eq!(t.content(&"a".repeat(101)), [2]);
    }

    #[test]
    fn the_original_tokenizer_gives_the_same_ids_for_every_golden_text() {
        let t = Tokenizer::from_vocab(include_str!("../../models/minilm-vocab.txt")).unwrap();
        let texts = crate::json::parse(include_str!("../../tests/golden/minilm/texts.json")).unwrap();
        let ids = crate::json::parse(include_str!("../../tests/golden/minilm/ids.json")).unwrap();
        let (texts, ids) = (texts.as_array().unwrap(), ids.as_array().unwrap());
        assert_eq!((texts.len(), ids.len(), t.vocab_len()), (200, 200, 30_522));
        for (text, ids) in texts.iter().zip(ids) {
            let text = text.as_str().unwrap();
            let ids: Vec<u32> = ids.as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as u32).collect();
            assert_eq!(names(&t, &t.encode(text, 400)), names(&t, &ids), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_vocabulary_and_any_text_are_survived(vocabulary in "(\\PC{0,4}\n){0,20}", text in "\\PC{0,60}") {
            let full = format!("[CLS]\n[SEP]\n[UNK]\n{vocabulary}");
            let t = Tokenizer::from_vocab(&full).unwrap();
            let ids = t.content(&text);
            prop_assert_eq!(ids.len(), t.count(&text));
            prop_assert!(ids.iter().all(|&id| (id as usize) < t.vocab_len()));
            prop_assert!(t.encode(&text, 8).len() <= 8);
        }

        #[test]
        fn the_fast_ascii_branch_agrees_with_the_general_one(text in "[ -~\t\n\u{0}\u{7f}é]{0,40}") {
            let t = Tokenizer::from_vocab("[CLS]\n[SEP]\n[UNK]\na\nb\n##a\n##b\n##c\ne\n##e\n!\n-\n1\n##2\n").unwrap();
            let mut general = Vec::new();
            let mut word = Word::default();
            let mut sink = |id| { general.push(id); ControlFlow::Continue(()) };
            let _ = t.normalised(&text, &mut word, &mut sink);
            let _ = t.flush(&mut word, &mut sink);
            prop_assert_eq!(t.content(&text), general);
        }
    }
}
