//! WordPiece: cuts text into the token ids of an uncased BERT.
//!
//! Normalisation and splitting follow Devlin et al., "BERT" (2019), section 3, and its published tokenizer.
//! The greedy longest match is that of Wu et al., "Google's Neural Machine Translation System" (2016),
//! section 4.1. One difference on purpose: `[CLS]` and other special tokens written out in a text are plain
//! text, so that a document cannot forge them.

mod classes;
mod pieces;

use self::classes::{DROPPED, IDEOGRAPHS, MARKS, PUNCTUATION, contains};
use self::pieces::{Pieces, hash_start, hash_step};
use super::unicode::{decompose_canonical, lower_case};
use std::ops::ControlFlow;

pub use pieces::piece_key;

/// Reason why a text is not a vocabulary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VocabularyError {
    /// A token that every vocabulary needs is missing.
    #[error("the vocabulary lacks the token {0}")]
    Missing(&'static str),
    /// There are too many tokens or bytes, or a token's id is beyond the vocabulary.
    #[error("the vocabulary has more tokens or bytes than it may have")]
    TooLarge,
    /// Too many tokens fall into one place of the hash table, which happens only to a vocabulary made for it.
    #[error("the vocabulary's tokens collide")]
    Collisions,
}

/// Maximum number of characters of a word; longer ones are unknown.
const MAX_WORD_CHARS: usize = 100;
/// Number of tokens that a word counts as if its pieces are not loaded.
const ABSENT_COUNT: usize = 2;

/// A WordPiece tokenizer for uncased BERT vocabularies.
///
/// It may have a whole vocabulary ([`Tokenizer::from_vocab`]); or, in a reader's page, the most frequent
/// pieces and a few ranges of the others ([`Tokenizer::in_ranges`]). Then [`Tokenizer::cut`] returns the
/// ranges that a text needs.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    pieces: Pieces,
    cls: u32,
    sep: u32,
    unknown: u32,
}

/// Text in tokens, as far as the loaded pieces allow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tokenized {
    /// Ids of the tokens; that of `[UNK]` for a word whose pieces are not loaded.
    pub ids: Vec<u32>,
    /// Ranges of pieces that are needed to go on. Once they are loaded, the text may need others.
    pub absent: Vec<usize>,
}

enum Part {
    Token(u32),
    /// The word's pieces are in a range that is not loaded.
    Absent(usize),
}

type Sink<'a> = &'a mut dyn FnMut(Part) -> ControlFlow<()>;

impl Tokenizer {
    /// Makes a tokenizer of a vocabulary: one token a line, whose id is its line number from 0. Pieces that
    /// continue a word begin with `##`.
    ///
    /// # Errors
    /// [`VocabularyError`] if `[CLS]`, `[SEP]` or `[UNK]` is missing, or the text is no usable vocabulary.
    pub fn from_vocab(vocabulary: &str) -> Result<Tokenizer, VocabularyError> {
        Tokenizer::from_pieces(Pieces::of_lines(vocabulary)?)
    }

    /// Makes a tokenizer of a vocabulary of `total` tokens with the pieces that are always loaded, by id: the
    /// special tokens, all pieces of one byte, and any of the others. The rest is in ranges, ascending by
    /// [`piece_key`], each of which begins with the key in `first` and has all further pieces of its keys.
    ///
    /// # Errors
    /// [`VocabularyError`] as [`Tokenizer::from_vocab`], and for an id that is not below `total`.
    pub fn in_ranges(
        total: usize,
        at_hand: &[(u32, String)],
        first: Vec<u32>,
    ) -> Result<Tokenizer, VocabularyError> {
        let mut pieces = Pieces::empty(total, first)?;
        at_hand.iter().try_for_each(|(id, token)| pieces.insert(*id, token))?;
        Tokenizer::from_pieces(pieces)
    }

    fn from_pieces(pieces: Pieces) -> Result<Tokenizer, VocabularyError> {
        let find = |name: &'static str| pieces.find_named(name).ok_or(VocabularyError::Missing(name));
        let (cls, sep, unknown) = (find("[CLS]")?, find("[SEP]")?, find("[UNK]")?);
        Ok(Tokenizer { pieces, cls, sep, unknown })
    }

    /// Adds the pieces of a range; does nothing if it was loaded already or does not exist.
    ///
    /// # Errors
    /// [`VocabularyError`] for an id beyond the vocabulary, or tokens made to collide.
    pub fn take(&mut self, range: usize, pieces: &[(u32, String)]) -> Result<(), VocabularyError> {
        if self.pieces.mark_loaded(range) {
            pieces.iter().try_for_each(|(id, token)| self.pieces.insert(*id, token))?;
        }
        Ok(())
    }

    /// Returns the text of token `id`, with `##`; `None` if it is not loaded.
    pub fn token(&self, id: u32) -> Option<&str> {
        self.pieces.token(id)
    }

    /// Number of tokens of the vocabulary.
    pub fn vocab_len(&self) -> usize {
        self.pieces.total()
    }

    /// Returns the ids of `[CLS]` and `[SEP]`, which enclose every text.
    pub fn ends(&self) -> [u32; 2] {
        [self.cls, self.sep]
    }

    /// Returns the id of `[MASK]`, if it is loaded.
    pub fn mask(&self) -> Option<u32> {
        self.pieces.find_named("[MASK]")
    }

    /// Returns the ids of `text` between `[CLS]` and `[SEP]`, cut to `max_len` in all, but at least these.
    pub fn encode(&self, text: &str, max_len: usize) -> Vec<u32> {
        let mut cut = Tokenized { ids: vec![self.cls], absent: Vec::new() };
        self.cut_into(&mut cut, text, max_len.saturating_sub(2));
        cut.ids.push(self.sep);
        cut.ids
    }

    /// Returns the ids of `text` without `[CLS]` and `[SEP]`, at most `most`, and the ranges that it needs.
    pub fn cut(&self, text: &str, most: usize) -> Tokenized {
        let mut cut = Tokenized::default();
        self.cut_into(&mut cut, text, most);
        cut
    }

    /// Cuts as [`Tokenizer::cut`], and appends to an earlier result.
    pub fn cut_into(&self, cut: &mut Tokenized, text: &str, most: usize) {
        let mut left = most;
        if most > 0 {
            self.pass_parts(text, &mut |part| {
                match part {
                    Part::Token(id) => cut.ids.push(id),
                    Part::Absent(range) => {
                        cut.ids.push(self.unknown);
                        if !cut.absent.contains(&range) {
                            cut.absent.push(range);
                        }
                    }
                }
                left -= 1;
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
    }

    /// Returns the ids of `text` without `[CLS]`, `[SEP]` and a limit.
    pub fn content(&self, text: &str) -> Vec<u32> {
        self.cut(text, usize::MAX).ids
    }

    /// Number of tokens of `text`, without `[CLS]` and `[SEP]`; an estimate if pieces are not loaded.
    pub fn count(&self, text: &str) -> usize {
        let mut n = 0;
        self.pass_parts(text, &mut |part| {
            n += if matches!(part, Part::Absent(_)) { ABSENT_COUNT } else { 1 };
            ControlFlow::Continue(())
        });
        n
    }

    /// Passes every part of `text` to `sink`, until it breaks.
    fn pass_parts(&self, text: &str, sink: Sink<'_>) {
        let mut word = Word::default();
        let mut rest = text;
        while !rest.is_empty() {
            // A run of ASCII needs no tables. Other text is decomposed up to the next ASCII white space,
            // which no decomposition crosses.
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
                    self.flush_word(&mut word, sink)
                } else if b.is_ascii_control() {
                    ControlFlow::Continue(())
                } else if b.is_ascii_punctuation() {
                    self.push_alone(char::from(b), &mut word, sink)
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
            if self.push_normalised(run, &mut word, sink).is_break() {
                return;
            }
            rest = after;
        }
        let _ = self.flush_word(&mut word, sink);
    }

    /// Normalises any text: drops characters, isolates ideographs, decomposes, drops marks, lowers, splits.
    fn push_normalised(&self, run: &str, word: &mut Word, sink: Sink<'_>) -> ControlFlow<()> {
        let mut decomposed: Vec<char> = Vec::new();
        for c in run.chars().filter(|&c| c.is_whitespace() || !contains(&DROPPED, c)) {
            let alone = contains(&IDEOGRAPHS, c);
            if alone {
                self.flush_word(word, sink)?;
            }
            decomposed.clear();
            decompose_canonical(c, |d| {
                if !contains(&MARKS, d) {
                    lower_case(d, |l| decomposed.push(l));
                }
            });
            for &d in &decomposed {
                if d.is_whitespace() {
                    self.flush_word(word, sink)?;
                } else if contains(&PUNCTUATION, d) {
                    self.push_alone(d, word, sink)?;
                } else {
                    word.push(d);
                }
            }
            if alone {
                self.flush_word(word, sink)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn push_alone(&self, c: char, word: &mut Word, sink: Sink<'_>) -> ControlFlow<()> {
        self.flush_word(word, sink)?;
        word.push(c);
        self.flush_word(word, sink)
    }

    /// Passes the pieces of a word by greedy longest match to `sink`; one unknown token if a part has none.
    fn flush_word(&self, word: &mut Word, sink: Sink<'_>) -> ControlFlow<()> {
        if word.chars == 0 {
            return ControlFlow::Continue(());
        }
        let known =
            if word.chars <= MAX_WORD_CHARS { self.split_word(&word.text, &mut word.ids) } else { Ok(false) };
        let flow = match known {
            Ok(true) => word.ids.iter().try_for_each(|&id| sink(Part::Token(id))),
            Ok(false) => sink(Part::Token(self.unknown)),
            Err(range) => sink(Part::Absent(range)),
        };
        word.clear();
        flow
    }

    /// Cuts `word` into the pieces `ids`; false if a part has no piece, the range to load if undecided.
    fn split_word(&self, word: &[u8], ids: &mut Vec<u32>) -> Result<bool, usize> {
        ids.clear();
        // MAX_WORD_CHARS characters of at most four bytes, each lower-cased to itself.
        let mut hashes = [0u32; 4 * MAX_WORD_CHARS + 1];
        let mut start = 0;
        while start < word.len() {
            let continues = start > 0;
            let rest = word.get(start..).unwrap_or_default();
            let limit = rest.len().min(self.pieces.longest()).min(hashes.len() - 1);
            let mut hash = hash_start(continues);
            for (h, &b) in hashes.iter_mut().zip(rest.iter().take(limit)) {
                hash = hash_step(hash, b);
                *h = hash;
            }
            let find = |end: usize| {
                self.pieces.find(rest.get(..end)?, continues, *hashes.get(end - 1)?).map(|id| (id, end))
            };
            let found = (1..=limit).rev().find_map(find);
            // A match of all the rest is the longest. Otherwise an unloaded range may have a longer piece.
            if found.is_none_or(|(_, end)| end < rest.len())
                && let Some(range) = self.pieces.find_absent(rest, continues)
            {
                return Err(range);
            }
            let Some((id, end)) = found else { return Ok(false) };
            ids.push(id);
            start += end;
        }
        Ok(true)
    }
}

/// Returns true for white space in BERT's cleaning: tab, line feed, carriage return and space.
fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r')
}

/// The word being read. Its buffers are reused for every word.
#[derive(Default)]
struct Word {
    text: Vec<u8>,
    chars: usize,
    ids: Vec<u32>,
}

impl Word {
    fn push(&mut self, c: char) {
        self.chars += 1;
        // Longer words are unknown anyway: keep counting, stop storing.
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

    const SMALL: &str =
        "[PAD]\n[UNK]\n[CLS]\n[SEP]\nloop\n##s\nare\nbound\n##ed\n.\nun\n##bound\ne\n##́\n日\n";

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
        assert_eq!(
            names(&t, &t.content("zebra loop\u{301}é日loops")),
            ["[UNK]", "[UNK]", "日", "loop", "##s"]
        );
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
        let t = Tokenizer::from_vocab(include_str!("../../../models/minilm-vocab.txt")).unwrap();
        let texts = crate::json::parse(include_str!("../../../tests/golden/minilm/texts.json")).unwrap();
        let ids = crate::json::parse(include_str!("../../../tests/golden/minilm/ids.json")).unwrap();
        let (texts, ids) = (texts.as_array().unwrap(), ids.as_array().unwrap());
        assert_eq!((texts.len(), ids.len(), t.vocab_len()), (200, 200, 30_522));
        for (text, ids) in texts.iter().zip(ids) {
            let text = text.as_str().unwrap();
            let ids: Vec<u32> = ids.as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as u32).collect();
            assert_eq!(names(&t, &t.encode(text, 400)), names(&t, &ids), "{text}");
        }
    }

    /// Makes a tokenizer with only its first tokens and the shortest loaded, and ranges of a few keys each.
    fn in_ranges(vocabulary: &str, first: usize, keys: usize) -> (Tokenizer, Vec<Vec<(u32, String)>>) {
        let mut at_hand = Vec::new();
        let mut others: std::collections::BTreeMap<u32, Vec<(u32, String)>> =
            std::collections::BTreeMap::new();
        for (id, token) in vocabulary.lines().enumerate() {
            let entry = (id as u32, token.to_owned());
            match piece_key(token).filter(|_| id >= first) {
                Some(key) => others.entry(key).or_default().push(entry),
                None => at_hand.push(entry),
            }
        }
        let groups: Vec<_> = others.into_iter().collect();
        let begins = groups.chunks(keys).map(|run| run[0].0).collect();
        let ranges = groups
            .chunks(keys)
            .map(|run| run.iter().flat_map(|(_, pieces)| pieces.clone()).collect())
            .collect();
        (Tokenizer::in_ranges(vocabulary.lines().count(), &at_hand, begins).unwrap(), ranges)
    }

    /// Cuts a text and loads what it needs; returns how often it needed something.
    fn cut(t: &mut Tokenizer, ranges: &[Vec<(u32, String)>], text: &str) -> (Vec<u32>, usize) {
        for round in 0.. {
            let cut = t.cut(text, usize::MAX);
            if cut.absent.is_empty() {
                return (cut.ids, round);
            }
            cut.absent.iter().for_each(|&r| t.take(r, &ranges[r]).unwrap());
        }
        unreachable!()
    }

    #[test]
    fn a_vocabulary_in_ranges_gives_the_ids_of_the_whole_one_for_every_golden_text() {
        let vocabulary = include_str!("../../../models/minilm-vocab.txt");
        let whole = Tokenizer::from_vocab(vocabulary).unwrap();
        let (mut t, ranges) = in_ranges(vocabulary, 3000, 40);
        assert!(ranges.len() > 20);
        let texts = crate::json::parse(include_str!("../../../tests/golden/minilm/texts.json")).unwrap();
        for text in texts.as_array().unwrap() {
            let text = text.as_str().unwrap();
            assert_eq!(cut(&mut t, &ranges, text).0, whole.content(text), "{text}");
        }
    }

    #[test]
    fn a_word_wants_its_own_range_alone_and_a_common_one_none() {
        let vocabulary = "[CLS]\n[SEP]\n[UNK]\nthe\na\nb\n##s\nabove\nabs\nbeta\nbell\n##ent\n##ell\n";
        let (mut t, ranges) = in_ranges(vocabulary, 4, 1);
        assert_eq!(cut(&mut t, &ranges, "the a b"), (vec![3, 4, 5], 0));
        assert_eq!(cut(&mut t, &ranges, "above"), (vec![7], 1));
        // "a" alone is loaded, but "abs" is longer.
        assert_eq!(cut(&mut t, &ranges, "absent"), (vec![8, 11], 1));
        // A word that no range has is unknown, once the ranges that might have it are loaded.
        assert_eq!(cut(&mut t, &ranges, "bell zz bellx").0, [10, 2, 2]);
        // The rest of a word may need another range than the word did.
        assert_eq!(cut(&mut t, &ranges, "bels"), (vec![2], 1));
        // It counts approximately what it cannot cut.
        let (t, _) = in_ranges(vocabulary, 4, 1);
        assert_eq!((t.count("the above"), t.cut("the above beta", 2).absent), (3, vec![0]));
    }

    #[test]
    fn an_id_beyond_the_vocabulary_is_refused() {
        let (mut t, _) = in_ranges("[CLS]\n[SEP]\n[UNK]\nabove\n", 3, 1);
        assert_eq!(t.take(0, &[(4, "about".to_owned())]), Err(VocabularyError::TooLarge));
        assert_eq!(t.take(7, &[(9, "about".to_owned())]), Ok(()), "there is no such range");
    }

    proptest! {
        #[test]
        fn any_vocabulary_in_ranges_cuts_any_text_as_the_whole_one_does(
            vocabulary in "((##)?[abé日]{1,4}\n){0,40}",
            first in 3usize..20,
            keys in 1usize..4,
            texts in prop::collection::vec("[abé日x ]{0,20}", 1..4),
        ) {
            let full = format!("[CLS]\n[SEP]\n[UNK]\n{vocabulary}");
            let whole = Tokenizer::from_vocab(&full).unwrap();
            let (mut t, ranges) = in_ranges(&full, first, keys);
            for text in texts {
                prop_assert_eq!(cut(&mut t, &ranges, &text).0, whole.content(&text), "{}", text);
            }
        }

        #[test]
        fn any_vocabulary_and_any_text_are_survived(
            vocabulary in "(\\PC{0,4}\n){0,20}",
            text in "\\PC{0,60}",
        ) {
            let full = format!("[CLS]\n[SEP]\n[UNK]\n{vocabulary}");
            let t = Tokenizer::from_vocab(&full).unwrap();
            let ids = t.content(&text);
            prop_assert_eq!(ids.len(), t.count(&text));
            prop_assert!(ids.iter().all(|&id| (id as usize) < t.vocab_len()));
            prop_assert!(t.encode(&text, 8).len() <= 8);
        }

        #[test]
        fn the_fast_ascii_branch_agrees_with_the_general_one(text in "[ -~\t\n\u{0}\u{7f}é]{0,40}") {
            let t = Tokenizer::from_vocab("[CLS]\n[SEP]\n[UNK]\na\nb\n##a\n##b\n##c\ne\n##e\n!\n-\n1\n##2\
                \n").unwrap();
            let mut general = Vec::new();
            let mut word = Word::default();
            let mut sink = |part| {
                if let Part::Token(id) = part { general.push(id) }
                ControlFlow::Continue(())
            };
            let _ = t.push_normalised(&text, &mut word, &mut sink);
            let _ = t.flush_word(&mut word, &mut sink);
            prop_assert_eq!(t.content(&text), general);
        }
    }
}
