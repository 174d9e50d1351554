//! all-MiniLM-L6-v2: a six-layer BERT whose token vectors are averaged ("Sentence-BERT", 2019).

use crate::nn::{Encoder, MAX_SEQUENCE, Scratch, ShapeError, Simd};
use crate::vector::QuantizedMatrix;

/// Reason why a text has no vector, or bytes are not a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The bytes are not the layers of a model that this version reads.
    #[error("not the layers of an embedding model: {0}")]
    Layers(&'static str),
    /// Arrays of the model disagree.
    #[error("the embedding model does not fit together: {0}")]
    Shape(#[from] ShapeError),
    /// A token has no row in the word table, or one of another dimension.
    #[error("token {0} has no word vector")]
    Word(u32),
    /// There are no tokens, or more than the model has positions.
    #[error("{given} tokens, where the model takes 1 to {most}")]
    Length {
        /// Number of tokens given.
        given: usize,
        /// Maximum number of tokens of the model.
        most: usize,
    },
    /// The weights led to a vector without a direction.
    #[error("the embedding model gave no usable vector")]
    Degenerate,
}

/// Source of word vectors: a whole matrix, or pages of one.
pub trait WordRows {
    /// Returns components and scale of token `id`'s vector, if it is loaded.
    fn row(&self, id: u32) -> Option<(&[i8], f32)>;
}

impl WordRows for QuantizedMatrix {
    fn row(&self, id: u32) -> Option<(&[i8], f32)> {
        let i = usize::try_from(id).ok()?;
        (i < self.rows()).then(|| QuantizedMatrix::row(self, i))
    }
}

/// Vectors added at each position: the position's vector plus the first segment's, as 16-bit numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Positions {
    hidden: usize,
    rows: Vec<i16>,
    scales: Vec<f32>,
}

impl Positions {
    /// Builds the positions from 16-bit rows of `hidden` numbers, each with its scale.
    ///
    /// # Errors
    /// [`ShapeError`] if lengths disagree, there are no or more than [`MAX_SEQUENCE`] rows, or a scale is not
    /// a finite non-negative number.
    pub fn new(hidden: usize, rows: Vec<i16>, scales: Vec<f32>) -> Result<Positions, ShapeError> {
        if !(1..=MAX_SEQUENCE).contains(&scales.len()) || scales.len().checked_mul(hidden) != Some(rows.len())
        {
            return Err(ShapeError::Shape("positions"));
        }
        if scales.iter().any(|s| !(s.is_finite() && *s >= 0.0)) {
            return Err(ShapeError::Number("positions"));
        }
        Ok(Positions { hidden, rows, scales })
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Returns true if there are no positions, which never happens.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Returns the 16-bit rows and their scales.
    pub fn parts(&self) -> (&[i16], &[f32]) {
        (&self.rows, &self.scales)
    }
}

/// Maximum number of tokens that a step multiplies by weights. It takes a browser a few milliseconds before
/// the code is optimised. Weights are read once a step, which fewer tokens would make costly.
const ROWS: usize = 16;

/// Buffers of [`MiniLm::embed_batch`], for any number of calls, and the state of a begun pass.
#[derive(Debug, Default)]
pub struct EmbedScratch {
    x: Vec<f32>,
    lengths: Vec<usize>,
    steps: usize,
    nn: Scratch,
}

/// The model without word vectors, which each call gets: a page loads only the rows of its question.
#[derive(Debug, Clone, PartialEq)]
pub struct MiniLm {
    encoder: Encoder,
    positions: Positions,
    simd: Simd,
}

impl MiniLm {
    /// Makes a model of its parts. Fails if the positions are of another dimension than the layers.
    pub fn new(encoder: Encoder, positions: Positions) -> Result<MiniLm, ShapeError> {
        if positions.hidden != encoder.hidden() {
            return Err(ShapeError::Shape("positions"));
        }
        Ok(MiniLm { encoder, positions, simd: Simd::detect() })
    }

    /// Returns the model on another instruction set. Its vectors are the same, bit for bit.
    pub fn with_simd(mut self, simd: Simd) -> MiniLm {
        self.simd = simd;
        self
    }

    /// Returns the model for texts of at most `most` tokens: it keeps only these positions, and at least one.
    pub fn with_positions(mut self, most: usize) -> MiniLm {
        let most = most.clamp(1, self.max_tokens());
        self.positions.scales.truncate(most);
        self.positions.rows.truncate(most * self.positions.hidden);
        self
    }

    /// Number of components of a vector: 384.
    pub fn dim(&self) -> usize {
        self.encoder.hidden()
    }

    /// Maximum number of tokens of a text, with `[CLS]` and `[SEP]`.
    pub fn max_tokens(&self) -> usize {
        self.positions.len()
    }

    /// The layers.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// The positions.
    pub fn positions(&self) -> &Positions {
        &self.positions
    }

    /// Returns the unit vector of a text given as token ids, with `[CLS]` and `[SEP]`.
    ///
    /// # Errors
    /// [`EmbedError::Length`] for no or too many ids, [`EmbedError::Word`] for an id without a row,
    /// [`EmbedError::Degenerate`] for hostile weights.
    pub fn embed(&self, ids: &[u32], rows: &dyn WordRows) -> Result<Vec<f32>, EmbedError> {
        let mut out = Vec::new();
        self.embed_batch(&[ids], rows, &mut EmbedScratch::default(), &mut out)?;
        Ok(out)
    }

    /// Returns the last layer's vector of every token of a text, one after the other.
    ///
    /// # Errors
    /// [`EmbedError::Length`] and [`EmbedError::Word`] as [`MiniLm::embed`]; [`EmbedError::Degenerate`] if a
    /// number is not finite.
    pub fn token_vectors(&self, ids: &[u32], rows: &dyn WordRows) -> Result<Vec<f32>, EmbedError> {
        let mut scratch = EmbedScratch::default();
        self.begin(&[ids], rows, &mut scratch)?;
        while self.step(&mut scratch)? {}
        scratch.token_vectors()
    }

    /// Computes the unit vectors of several texts in one pass, one after the other in `out`, as
    /// [`MiniLm::embed`] does for each. The weights are read only once.
    ///
    /// # Errors
    /// As [`MiniLm::embed`], for the first text that has one.
    pub fn embed_batch(
        &self,
        texts: &[&[u32]],
        rows: &dyn WordRows,
        scratch: &mut EmbedScratch,
        out: &mut Vec<f32>,
    ) -> Result<(), EmbedError> {
        self.begin(texts, rows, scratch)?;
        self.encoder.mean_vectors(self.simd, &mut scratch.x, &scratch.lengths, &mut scratch.nn, out)?;
        check_finite(out)
    }

    /// Begins a pass over several texts, for callers that do other work in between: call [`MiniLm::step`]
    /// until there are no more steps, then [`MiniLm::unit_vectors`] or [`EmbedScratch::token_vectors`].
    ///
    /// # Errors
    /// As [`MiniLm::embed`], for the first text that has one.
    pub fn begin(
        &self,
        texts: &[&[u32]],
        rows: &dyn WordRows,
        scratch: &mut EmbedScratch,
    ) -> Result<(), EmbedError> {
        let hidden = self.dim();
        scratch.x.clear();
        scratch.lengths.clear();
        scratch.steps = 0;
        for ids in texts {
            if !(1..=self.max_tokens()).contains(&ids.len()) {
                return Err(EmbedError::Length { given: ids.len(), most: self.max_tokens() });
            }
            scratch.lengths.push(ids.len());
            let positions = self.positions.rows.chunks_exact(hidden).zip(&self.positions.scales);
            for (&id, (position, &position_scale)) in ids.iter().zip(positions) {
                let (word, scale) =
                    rows.row(id).filter(|(w, _)| w.len() == hidden).ok_or(EmbedError::Word(id))?;
                scratch.x.extend(
                    word.iter()
                        .zip(position)
                        .map(|(&w, &p)| f32::from(w) * scale + f32::from(p) * position_scale),
                );
            }
        }
        Ok(())
    }

    /// Runs the next step of a pass; returns false if none was left.
    ///
    /// # Errors
    /// [`EmbedError::Shape`] for a pass that another model began.
    pub fn step(&self, scratch: &mut EmbedScratch) -> Result<bool, EmbedError> {
        let left = scratch.steps < self.encoder.steps(scratch.x.len() / self.dim(), ROWS);
        if left {
            self.encoder.step(
                self.simd,
                scratch.steps,
                ROWS,
                &mut scratch.x,
                &scratch.lengths,
                &mut scratch.nn,
            )?;
            scratch.steps += 1;
        }
        Ok(left)
    }

    /// Writes the unit vectors of a pass's texts, one after the other, into `out`.
    ///
    /// # Errors
    /// [`EmbedError::Degenerate`] for hostile weights, [`EmbedError::Shape`] for a pass of another model.
    pub fn unit_vectors(&self, scratch: &EmbedScratch, out: &mut Vec<f32>) -> Result<(), EmbedError> {
        self.encoder.means(&scratch.x, &scratch.lengths, out)?;
        check_finite(out)
    }
}

fn check_finite(vectors: &[f32]) -> Result<(), EmbedError> {
    if vectors.iter().all(|v| v.is_finite()) { Ok(()) } else { Err(EmbedError::Degenerate) }
}

impl EmbedScratch {
    /// Returns the last layer's vector of every token of a pass, one after the other.
    ///
    /// # Errors
    /// [`EmbedError::Degenerate`] if a number is not finite.
    pub fn token_vectors(self) -> Result<Vec<f32>, EmbedError> {
        // The pass works in place: the tokens' embeddings have become their vectors.
        check_finite(&self.x).map(|()| self.x)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use crate::models::small;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn every_instruction_set_gives_the_same_bits_in_any_company(
            texts in prop::collection::vec(prop::collection::vec(0u32..20, 1..40), 1..4),
        ) {
            let (model, words) = small();
            let alone: Vec<f32> = texts
                .iter()
                .flat_map(|t| model.clone().with_simd(Simd::scalar()).embed(t, &words).unwrap())
                .collect();
            for simd in Simd::available() {
                let model = model.clone().with_simd(simd);
                let (mut scratch, mut together) = (EmbedScratch::default(), Vec::new());
                let texts: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
                for _ in 0..2 {
                    model.embed_batch(&texts, &words, &mut scratch, &mut together).unwrap();
                    prop_assert_eq!(&alone, &together, "{}", simd.name());
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn steps_of_any_size_come_to_the_bits_of_one_pass(
            texts in prop::collection::vec(prop::collection::vec(0u32..20, 1..40), 1..4),
            rows in 1usize..80,
        ) {
            let (model, words) = small();
            let texts: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
            // A pass is not affected by the rest of an earlier one.
            let (mut scratch, mut at_once) = (EmbedScratch::default(), Vec::new());
            model.embed_batch(&texts, &words, &mut scratch, &mut at_once).unwrap();
            let tokens: usize = texts.iter().map(|t| t.len()).sum();
            for simd in Simd::available() {
                let model = model.clone().with_simd(simd);
                let mut found = Vec::new();
                model.begin(&texts, &words, &mut scratch).unwrap();
                for number in 0..model.encoder.steps(tokens, rows) {
                    model
                        .encoder
                        .step(simd, number, rows, &mut scratch.x, &scratch.lengths, &mut scratch.nn)
                        .unwrap();
                }
                model.unit_vectors(&scratch, &mut found).unwrap();
                prop_assert_eq!(&at_once, &found, "{}", simd.name());

                model.begin(&texts, &words, &mut scratch).unwrap();
                let mut steps = 0;
                while model.step(&mut scratch).unwrap() {
                    steps += 1;
                }
                model.unit_vectors(&scratch, &mut found).unwrap();
                prop_assert_eq!(
                    (&at_once, steps),
                    (&found, 2 * (2 * tokens.div_ceil(ROWS) + 3)),
                    "{}",
                    simd.name()
                );
            }
        }
    }

    #[test]
    fn a_vector_has_length_one() {
        let (model, words) = small();
        let v = model.embed(&[1, 2, 3], &words).unwrap();
        assert!((v.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn no_tokens_too_many_tokens_and_unknown_tokens_are_errors() {
        let (model, words) = small();
        assert_eq!(model.embed(&[], &words), Err(EmbedError::Length { given: 0, most: 40 }));
        assert_eq!(model.embed(&[1; 41], &words), Err(EmbedError::Length { given: 41, most: 40 }));
        assert_eq!(model.embed(&[1, 20], &words), Err(EmbedError::Word(20)));
        assert_eq!(
            model.embed(&[1], &QuantizedMatrix::new(16, vec![1; 32], vec![1.0; 2]).unwrap()),
            Err(EmbedError::Word(1))
        );
    }

    #[test]
    fn word_vectors_of_any_size_give_a_vector_or_an_error() {
        let (model, _) = small();
        for scale in [0.0, 1e-38, 1e20, f32::MAX] {
            let words = QuantizedMatrix::new(48, vec![127; 48], vec![scale]).unwrap();
            match model.embed(&[0, 0], &words) {
                Ok(v) => assert!(v.iter().all(|x| x.is_finite())),
                Err(e) => assert_eq!(e, EmbedError::Degenerate),
            }
        }
    }
}
