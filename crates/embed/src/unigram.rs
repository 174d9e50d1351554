//! Vocabulary of a bundle whose model uses the unigram model: all pieces, in the order of word vectors.

use crate::bundle::{Bundle, BundleError, Kind, begin_section, open_section, put_varint};
use crate::text::{Folding, Unigram};
use futures::future::{FutureExt, LocalBoxFuture};
use std::rc::Rc;

/// Ids of the marks at the beginning and end of every text: the first rows of every such bundle.
pub const ENDS: [u32; 2] = [0, 1];
/// Id of characters that are in no piece.
pub const UNKNOWN: u32 = 2;

/// Subtracts `mean` from a unit vector and scales the rest to length 1: vectors of some models lie in a
/// narrow cone, which this widens. A vector that equals the mean stays as it is.
pub fn take_mean(vector: &mut [f32], mean: &[f32]) {
    let rest: f32 = vector.iter().zip(mean).map(|(v, m)| (v - m) * (v - m)).sum();
    let length = rest.sqrt();
    // Also false for NaN.
    if length > 0.0 && length < f32::INFINITY {
        vector.iter_mut().zip(mean).for_each(|(v, m)| *v = (*v - m) / length);
    }
}

/// Unigram vocabulary as a bundle stores it. A piece's id is its place, which is the row of its word vector.
#[derive(Debug, Clone, PartialEq)]
pub struct UnigramVocabulary {
    /// Normalisation of a text before it is cut.
    pub folding: Folding,
    /// Score of a character that is in no piece.
    pub unknown: i32,
    /// Mean that is subtracted from a question's vector ([`take_mean`]).
    pub mean: Vec<f32>,
    /// Pieces with their scores; first [`ENDS`] and [`UNKNOWN`], with empty texts. No text has a line feed.
    pub pieces: Vec<(String, i32)>,
}

impl UnigramVocabulary {
    /// Returns the section's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = begin_section(Kind::Unigram);
        let signed = |n: i32| (n << 1 ^ n >> 31) as u32;
        let Folding { single, ends, others, pairs } = &self.folding;
        let mean: Vec<u32> = self.mean.iter().map(|x| x.to_bits()).collect();
        // The score of unknown pieces is the last, so that each is a difference to one near it.
        let scores: Vec<i32> = self.pieces.iter().map(|p| p.1).chain([self.unknown]).collect();
        let gaps: Vec<u32> = std::iter::once(&0)
            .chain(&scores)
            .zip(&scores)
            .map(|(a, b)| signed(b.wrapping_sub(*a)))
            .collect();
        for list in [single, ends, others, pairs, &mean, &gaps] {
            put_varint(&mut out, list.len() as u32);
            list.iter().for_each(|&n| put_varint(&mut out, n));
        }
        for (text, _) in &self.pieces {
            out.extend_from_slice(text.as_bytes());
            out.push(b'\n');
        }
        out
    }
}

/// Loaded vocabulary.
pub struct Pieces {
    /// Tokenizer of texts.
    pub tokenizer: Unigram,
    /// Mean that is subtracted from a question's vector.
    pub mean: Vec<f32>,
}

impl Pieces {
    /// Loads the vocabulary. Fails if it cannot be loaded, or is of another kind.
    pub fn load(bundle: &Bundle) -> LocalBoxFuture<'_, Result<Rc<Pieces>, BundleError>> {
        bundle.section("vocabulary", Pieces::decode).boxed_local()
    }

    /// Reads the output of [`UnigramVocabulary::encode`]. Fails if the bytes are not such a section.
    pub fn decode(file: &str, bytes: &[u8]) -> Result<Pieces, BundleError> {
        let mut b = open_section(file, bytes, Kind::Unigram)?;
        let b = &mut b;
        let mut lists: [Vec<u32>; 6] = Default::default();
        for list in &mut lists {
            let n = b.count(1)?;
            list.reserve(n);
            for _ in 0..n {
                list.push(b.varint()?);
            }
        }
        let [single, ends, others, pairs, mean, gaps] = lists;
        let folding = Folding { single, ends, others, pairs };
        let mean = mean.into_iter().map(f32::from_bits).collect();
        let texts = std::str::from_utf8(b.rest()).map_err(|_| b.corrupt("a piece is not UTF-8"))?;
        let mut texts = texts.split_terminator('\n');
        let (mut pieces, mut last) = (Vec::with_capacity(gaps.len()), 0u32);
        for gap in gaps {
            last = last.wrapping_add(gap >> 1 ^ (gap & 1).wrapping_neg());
            // The last score, that of unknown pieces, has no text.
            pieces.push((texts.next().unwrap_or_default(), last as i32));
        }
        pieces.pop();
        if texts.next().is_some() || pieces.len() < 3 {
            return Err(b.corrupt("it holds another number of pieces"));
        }
        Ok(Pieces { tokenizer: Unigram::new(folding, &pieces, (UNKNOWN, last as i32)), mean })
    }

    /// Returns at most `most` tokens of a question, after the prefix that the model was trained with.
    pub fn question(&self, prefix: &str, text: &str, most: usize) -> Vec<u32> {
        let text = [prefix, text].concat();
        let mut ids = self.tokenizer.cut(&text, most.saturating_sub(2));
        ids.insert(0, ENDS[0]);
        ids.push(ENDS[1]);
        ids
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn small() -> UnigramVocabulary {
        let piece = |text: &str, score: i32| (text.to_owned(), score);
        UnigramVocabulary {
            folding: Folding::new(
                &[(9, vec![32]), (0xfb01, vec![102, 105])],
                &[[0x65, 0x301, 0xe9], [0x65, 0x302, 0xea]],
            ),
            unknown: -1_300_000,
            mean: vec![0.5, -0.25],
            pieces: vec![
                piece("", 0),
                piece("", 0),
                piece("", 0),
                piece(" query", -400_000),
                piece(":", -200_000),
                piece(" é", -600_000),
                piece(" 日", -500_000),
            ],
        }
    }

    #[test]
    fn what_is_left_of_a_vector_has_length_one_and_is_not_a_number_never() {
        let mut v = [0.6f32, 0.8];
        take_mean(&mut v, &[0.3, 0.8]);
        assert_eq!(v, [1.0, 0.0]);
        take_mean(&mut v, &[1.0, 0.0]);
        assert_eq!(v, [1.0, 0.0]);
    }

    #[test]
    fn a_question_has_its_prefix_and_its_ends() {
        let pieces = Pieces::decode("v", &small().encode()).unwrap();
        assert_eq!(pieces.mean, [0.5, -0.25]);
        assert_eq!(pieces.question("query: ", "e\u{301} 日 x", 20), [0, 3, 4, 5, 6, 2, 1]);
        assert_eq!(pieces.question("query: ", "é 日 x", 4), [0, 3, 4, 1]);
        assert_eq!(pieces.question("query: ", "", 20), [0, 3, 4, 1]);
    }

    #[test]
    fn a_cut_one_and_one_without_its_special_tokens_are_refused() {
        let bytes = small().encode();
        let texts = bytes.len() - "\n\n\n query\n:\n é\n 日\n".len();
        for end in 0..texts {
            assert!(Pieces::decode("v", &bytes[..end]).is_err(), "{end}");
        }
        let mut other = small();
        other.pieces.truncate(2);
        assert!(Pieces::decode("v", &other.encode()).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_section_or_an_error(
            bytes in prop::collection::vec(any::<u8>(), 0..300),
            cut in 0usize..100,
            flip in 8usize..90,
        ) {
            let _ = Pieces::decode("v", &[begin_section(Kind::Unigram).as_slice(), &bytes].concat());
            let mut near = small().encode();
            if let Some(byte) = near.get_mut(flip) {
                *byte ^= 1 << (cut % 8);
            }
            if let Ok(pieces) = Pieces::decode("v", &near) {
                let ids = pieces.question("query: ", "e\u{301} query ﬁ 日本", 9);
                prop_assert!(ids.len() <= 9 && ids.iter().all(|&id| id < 7));
            }
        }
    }
}
