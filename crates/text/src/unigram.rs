//! SentencePiece's unigram model: cuts text into the most likely sequence of pieces.
//!
//! The segmentation is that of Kudo, "Subword Regularization" (2018), section 3.2, by the Viterbi algorithm.
//! Before it comes SentencePiece's `nmt_nfkc` (Kudo and Richardson, 2018): a table of the model replaces
//! characters and joins letters with marks, and white space becomes one space. Special tokens written out in
//! a text are plain text, so that a document cannot forge them.

use pocketgraph_base::compact::sort_by;
use std::ops::ControlFlow;

/// Normalisation of a text before it is cut, as data of the model: lists of numbers, as in bundles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folding {
    /// Characters to be replaced, ascending.
    pub single: Vec<u32>,
    /// End in `others` of each character's replacement, ascending. If it is the end before, there is none.
    pub ends: Vec<u32>,
    /// Replacements of all characters, one after the other.
    pub others: Vec<u32>,
    /// Triples of a character, the one after it, and their common replacement; sorted by the first two.
    pub pairs: Vec<u32>,
}

impl Folding {
    /// Builds the table from characters and pairs with their replacements. Both must be sorted.
    pub fn new(single: &[(u32, Vec<u32>)], pairs: &[[u32; 3]]) -> Folding {
        let others: Vec<u32> = single.iter().flat_map(|s| &s.1).copied().collect();
        let ends = single.iter().scan(0, |end, s| {
            *end += s.1.len() as u32;
            Some(*end)
        });
        Folding {
            single: single.iter().map(|s| s.0).collect(),
            ends: ends.collect(),
            others,
            pairs: pairs.as_flattened().to_vec(),
        }
    }

    fn find_replacement(&self, c: char) -> Option<&[u32]> {
        let place = self.single.binary_search(&u32::from(c)).ok()?;
        let end = |i: usize| self.ends.get(i).map_or(0, |&e| e as usize);
        self.others.get(place.checked_sub(1).map_or(0, end)..end(place))
    }

    /// Returns the common replacement of two characters.
    fn find_joined(&self, a: char, b: char) -> Option<char> {
        let threes = self.pairs.as_chunks::<3>().0;
        let place = threes.binary_search_by_key(&[u32::from(a), u32::from(b)], |t| [t[0], t[1]]).ok()?;
        char::from_u32(threes.get(place)?[2])
    }
}

/// Piece in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// Start and end of its text.
    from: u32,
    to: u32,
    id: u32,
    score: i32,
}

/// Units of a score of 1. Scores are integers, so that sums are the same in any order and on any machine.
pub const SCORE_UNIT: f32 = 65536.0;
/// White space, and the start of a word: SentencePiece's U+2581.
const SPACE: u8 = b' ';
/// Maximum length of a word in bytes; a longer one is cut, which bounds the memory for a text.
const MAX_WORD: usize = 1 << 14;
/// Score of a position that is not reached.
const NEVER: i64 = i64::MIN;

/// Unigram tokenizer over some pieces of a vocabulary. It cuts a text as the whole vocabulary does if it has
/// that text's best pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unigram {
    folding: Folding,
    texts: Vec<u8>,
    /// Pieces, sorted by text.
    places: Vec<Place>,
    /// End in `places` of the pieces of each first byte.
    ends: Vec<u32>,
    unknown: u32,
    unknown_score: i64,
}

impl Unigram {
    /// Makes a tokenizer of pieces given as text and score ([`SCORE_UNIT`] to one, negative), whose ids are
    /// their places from 0. A space in a text is the beginning of a word; an empty text is a special token,
    /// which occurs in no text. `unknown` is the id and the score of a character that is in no piece; the
    /// original's score is ten less than that of the least likely piece.
    pub fn new(folding: Folding, pieces: &[(&str, i32)], unknown: (u32, i32)) -> Unigram {
        let mut texts = Vec::new();
        let mut places = Vec::with_capacity(pieces.len());
        for (id, (text, score)) in pieces.iter().enumerate() {
            let from = texts.len() as u32;
            texts.extend_from_slice(text.as_bytes());
            let place = Place { from, to: texts.len() as u32, id: id as u32, score: *score };
            if place.to > place.from {
                places.push(place);
            }
        }
        let text = |p: &Place| texts.get(p.from as usize..p.to as usize).unwrap_or_default();
        // Equal texts keep their order.
        sort_by(&mut places, |a, b| text(a).cmp(text(b)));
        let first = |p: &Place| text(p).first().copied().unwrap_or_default();
        let ends = (0..=u8::MAX).map(|byte| places.partition_point(|p| first(p) <= byte) as u32).collect();
        Unigram { folding, texts, places, ends, unknown: unknown.0, unknown_score: i64::from(unknown.1) }
    }

    /// Returns at most `most` ids of `text`, without special tokens.
    pub fn cut(&self, text: &str, most: usize) -> Vec<u32> {
        let mut ids = Vec::new();
        let mut buffer = Buffer::default();
        let mut word = vec![SPACE];
        let _ = self.fold_text(text, &mut |c| {
            let space = c == ' ' || c == '\u{2581}';
            if space || word.len() >= MAX_WORD {
                self.cut_word(&word, &mut buffer, &mut ids);
                word.clear();
            }
            if space {
                word.push(SPACE);
            } else {
                word.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            if ids.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        self.cut_word(&word, &mut buffer, &mut ids);
        ids.truncate(most);
        ids
    }

    /// Returns the number of ids of `text`.
    pub fn count(&self, text: &str) -> usize {
        self.cut(text, usize::MAX).len()
    }

    /// Passes the characters of the folded text to `sink`, until it breaks.
    fn fold_text(&self, text: &str, sink: &mut dyn FnMut(char) -> ControlFlow<()>) -> ControlFlow<()> {
        // The last character waits for a mark.
        let mut waiting = None;
        let mut put = |c: u32| {
            let c = char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER);
            let Some(before) = waiting.replace(c) else { return ControlFlow::Continue(()) };
            // No letter of the most frequent scripts follows another to form a third.
            let one = if c < '\u{300}' { None } else { self.folding.find_joined(before, c) };
            match one {
                Some(one) => waiting = Some(one),
                None => return sink(before),
            }
            ControlFlow::Continue(())
        };
        for c in text.chars() {
            // ASCII letters and digits stay the same in every model.
            match self.folding.find_replacement(c).filter(|_| !c.is_ascii_alphanumeric()) {
                Some(others) => others.iter().try_for_each(|&c| put(c))?,
                None => put(u32::from(c))?,
            }
        }
        waiting.map_or(ControlFlow::Continue(()), sink)
    }

    /// Appends the ids of a word to `ids`; a lone space has none.
    fn cut_word(&self, word: &[u8], buffer: &mut Buffer, ids: &mut Vec<u32>) {
        if word == [SPACE] {
            return;
        }
        buffer.best.clear();
        buffer.best.resize(word.len() + 1, Best { score: NEVER, id: 0, from: 0 });
        if let Some(best) = buffer.best.first_mut() {
            best.score = 0;
        }
        for at in 0..word.len() {
            let Some(score) = buffer.best.get(at).map(|b| b.score).filter(|s| *s != NEVER) else { continue };
            let rest = word.get(at..).unwrap_or_default();
            let mut reach = |length: usize, id: u32, with: i64| {
                if let Some(best) = buffer.best.get_mut(at + length)
                    && score + with > best.score
                {
                    *best = Best { score: score + with, id, from: at };
                }
            };
            self.pieces_at(rest, &mut |p| reach((p.to - p.from) as usize, p.id, i64::from(p.score)));
            reach(length_of_character(rest), self.unknown, self.unknown_score);
        }
        let start = ids.len();
        let mut at = word.len();
        while let Some(best) = buffer.best.get(at).filter(|b| at > 0 && b.from < at) {
            // Successive characters that are in no piece are one unknown token.
            if best.id != self.unknown || ids.len() == start || ids.last() != Some(&self.unknown) {
                ids.push(best.id);
            }
            at = best.from;
        }
        if let Some(new) = ids.get_mut(start..) {
            new.reverse();
        }
    }

    /// Passes every piece that `rest` begins with to `found`, the shortest first.
    fn pieces_at(&self, rest: &[u8], found: &mut dyn FnMut(&Place)) {
        let Some(&first) = rest.first() else { return };
        let end = |byte: usize| self.ends.get(byte).map_or(0, |&e| e as usize);
        let mut from = if first == 0 { 0 } else { end(usize::from(first) - 1) };
        let mut to = end(usize::from(first));
        for depth in 1..=rest.len() {
            // All from here on begin with the first `depth` bytes. One without more bytes is the first.
            match self.places.get(from..to).and_then(<[Place]>::first) {
                None => return,
                Some(place) if (place.to - place.from) as usize == depth => {
                    found(place);
                    from += 1;
                }
                Some(_) => {}
            }
            let (Some(&next), Some(places)) = (rest.get(depth), self.places.get(from..to)) else { return };
            let byte = |p: &Place| {
                self.texts
                    .get(p.from as usize + depth)
                    .filter(|_| p.from as usize + depth < p.to as usize)
                    .copied()
            };
            let start = places.partition_point(|p| byte(p) < Some(next));
            to = from + places.partition_point(|p| byte(p) <= Some(next));
            from += start;
        }
    }
}

/// Returns the number of bytes of the first character.
fn length_of_character(text: &[u8]) -> usize {
    text.iter().skip(1).take_while(|&&b| b & 0xc0 == 0x80).count() + 1
}

/// The best segmentation up to a position of a word.
#[derive(Debug, Clone, Copy)]
struct Best {
    score: i64,
    id: u32,
    from: usize,
}

/// Buffers that are reused for every word.
#[derive(Default)]
struct Buffer {
    best: Vec<Best>,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PIECES: [(&str, i32); 11] = [
        ("", 0),
        ("", 0),
        ("", 0),
        (" ", -260_000),
        (" the", -300_000),
        (" th", -500_000),
        ("e", -400_000),
        ("me", -420_000),
        ("日", -600_000),
        ("日本", -650_000),
        ("é", -500_000),
    ];

    fn tokenizer() -> Unigram {
        let single = [(0x09, vec![0x20]), (0x7f, vec![]), (0xfb01, vec![0x66, 0x69]), (0xff45, vec![0x65])];
        let folding = Folding::new(&single, &[[0x65, 0x301, 0xe9]]);
        Unigram::new(folding, &PIECES, (2, -1_300_000))
    }

    #[test]
    fn the_likeliest_pieces_are_taken_not_the_longest_first() {
        let t = tokenizer();
        assert_eq!(t.cut("theme", 9), [4, 7]);
        assert_eq!(t.cut("the\tthe", 9), [4, 4]);
        assert_eq!(t.cut("日本日", 9), [3, 9, 8]);
    }

    #[test]
    fn the_table_of_characters_and_the_marks_are_applied_first() {
        let t = tokenizer();
        assert_eq!(t.cut("e\u{301}", 9), t.cut("é", 9));
        assert_eq!(t.cut("th\u{ff45}", 9), [4]);
        assert_eq!(t.cut("t\u{7f}he", 9), [4]);
    }

    #[test]
    fn white_space_is_one_space_and_none_at_the_ends() {
        let t = tokenizer();
        assert_eq!(t.cut("  the \t the\u{2581}the ", 9), [4, 4, 4]);
        assert_eq!(t.cut(" \t ", 9), []);
        assert_eq!(t.cut("", 9), []);
    }

    #[test]
    fn characters_in_no_piece_are_one_unknown_token() {
        let t = tokenizer();
        assert_eq!(t.cut("xyz the", 9), [3, 2, 4]);
        assert_eq!(t.cut("exxe", 9), [3, 6, 2, 6]);
    }

    #[test]
    fn no_more_ids_than_wanted() {
        let t = tokenizer();
        assert_eq!(t.cut("the the the", 2), [4, 4]);
        assert_eq!(t.cut("the", 0), []);
    }

    /// A text and its ids in the original.
    type Golden = (String, Vec<u32>);

    /// Returns the tokenizer of the pieces of multilingual-e5-small that are in the golden texts, the model's
    /// id of each, and the texts with their ids.
    fn golden() -> (Unigram, Vec<u32>, Vec<Golden>) {
        let parsed = |text: &str| crate::json::parse(text).unwrap();
        let golden_value = parsed(include_str!("../../../tests/golden/e5/ids.json"));
        let numbers = |v: &crate::json::Value| {
            v.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as u32).collect::<Vec<u32>>()
        };
        let table = golden_value.get("table").unwrap().as_array().unwrap().iter().map(numbers);
        let folding = Folding::new(&table.map(|row| (row[0], row[1..].to_vec())).collect::<Vec<_>>(), &[]);
        let units = |score: f64| (score as f32 * SCORE_UNIT).round() as i32;
        let (mut ids, mut pieces) = (vec![0, 2, 3], vec![(String::new(), 0); 3]);
        for line in include_str!("../../../tests/golden/e5/vocabulary.tsv").lines() {
            let mut fields = line.split('\t');
            let mut next = || fields.next().unwrap();
            ids.push(next().parse().unwrap());
            let score = units(next().parse().unwrap());
            pieces.push((next().replace('\u{2581}', " "), score));
        }
        let borrowed: Vec<(&str, i32)> = pieces.iter().map(|(text, score)| (text.as_str(), *score)).collect();
        let unknown = units(golden_value.get("unknown").unwrap().as_f64().unwrap());
        let texts = parsed(include_str!("../../../tests/golden/e5/texts.json"));
        let texts = texts.as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned());
        let texts =
            texts.zip(golden_value.get("ids").unwrap().as_array().unwrap().iter().map(numbers)).collect();
        (Unigram::new(folding, &borrowed, (2, unknown)), ids, texts)
    }

    #[test]
    fn the_ids_of_200_texts_in_twelve_languages_are_the_originals() {
        let (t, original, texts) = golden();
        assert_eq!(texts.len(), 200);
        for (text, ids) in texts {
            let found: Vec<u32> =
                t.cut(&text, usize::MAX).into_iter().map(|id| original[id as usize]).collect();
            assert_eq!(found, ids, "{text}");
        }
    }

    proptest! {
        /// The definition: of all ways to cut a word, one with the largest sum.
        #[test]
        fn no_other_way_to_cut_a_word_is_likelier(word in "[themé日本x]{1,9}") {
            fn best(t: &Unigram, rest: &str) -> i64 {
                if rest.is_empty() {
                    return 0;
                }
                let mut found = PIECES
                    .iter()
                    .filter(|p| !p.0.is_empty() && rest.starts_with(p.0))
                    .map(|p| i64::from(p.1) + best(t, &rest[p.0.len()..]))
                    .collect::<Vec<_>>();
                let next = rest.chars().next().unwrap().len_utf8();
                found.push(t.unknown_score + best(t, &rest[next..]));
                found.into_iter().max().unwrap()
            }
            let t = tokenizer();
            let folded = format!(" {word}");
            let mut buffer = Buffer::default();
            let mut ids = Vec::new();
            t.cut_word(folded.as_bytes(), &mut buffer, &mut ids);
            prop_assert_eq!(buffer.best.last().unwrap().score, best(&t, &folded));
            // The ids are a way to cut it: their texts, in order, are the word without its unknown parts.
            let decoded: String =
                ids.iter().filter(|&&id| id != 2).map(|&id| PIECES[id as usize].0).collect();
            let mut left = folded.chars();
            prop_assert!(decoded.chars().all(|c| left.any(|l| l == c)), "{} of {}", decoded, folded);
        }

        #[test]
        fn any_text_is_survived_and_fewer_pieces_never_change_what_they_suffice_for(
            text in "\\PC{0,40}",
            kept in 3usize..11,
        ) {
            let t = tokenizer();
            let ids = t.cut(&text, 1000);
            prop_assert!(ids.len() <= 2 * text.chars().count() + 1);
            if ids.iter().all(|&id| (id as usize) < kept) {
                let fewer = Unigram::new(t.folding.clone(), &PIECES[..kept], (2, -1_300_000));
                prop_assert_eq!(fewer.cut(&text, 1000), ids);
            }
        }
    }
}
