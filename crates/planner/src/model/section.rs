//! The trained planner's weights as bytes, and its forward pass.
//!
//! All little-endian: the magic `PGPL`; two 32-bit words, version and the vectors' dimension; the
//! calibration's numbers (floats); for each head (shape, aggregation, number, tag) its weights, one row of
//! the dimension an output, and then its biases (floats); and the encoder's layers as
//! [`crate::embed::encode_layers`] writes them.

use super::confidence::{Calibration, FEATURES};
use super::frame::Framed;
use super::label::{Aggregation, Shape, TAGS};
use crate::embed::{EmbedError, LayersDecoder, MiniLm, WordRows, decode_floats, encode_layers};
use crate::vector::dot_f32;

const MAGIC: &[u8; 4] = b"PGPL";
const VERSION: u32 = 1;
/// Larger than the dimension of any model that this version reads.
const MAX_HIDDEN: usize = 1024;

/// One linear head: a row of weights and a bias for each output.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// `outputs` rows of `hidden` numbers.
    pub weights: Vec<f32>,
    /// One number an output.
    pub bias: Vec<f32>,
}

impl Head {
    fn apply(&self, x: &[f32]) -> Vec<f32> {
        let rows = self.weights.chunks_exact(x.len().max(1));
        rows.zip(&self.bias).map(|(row, b)| dot_f32(row, x) + b).collect()
    }
}

/// The four heads.
#[derive(Debug, Clone, PartialEq)]
pub struct Heads {
    /// On the first token's vector: which [`Shape`].
    pub shape: Head,
    /// On the first token's vector: which [`Aggregation`].
    pub aggregation: Head,
    /// On the first token's vector: whether a superlative reads a value (0) or counts things (1).
    pub number: Head,
    /// On every token's vector: which [`super::label::Tag`].
    pub tag: Head,
}

/// The outputs of each head, in the order in which they are written.
const OUTPUTS: [usize; 4] = [Shape::ALL.len(), Aggregation::ALL.len(), 2, TAGS];

/// A planner that learned from examples: an encoder of a few layers, heads on its vectors, and what its
/// numbers are worth.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannerModel {
    encoder: MiniLm,
    heads: Heads,
    calibration: Calibration,
}

/// The heads' outputs for a question, before any softmax.
#[derive(Debug, Clone, PartialEq)]
pub struct Logits {
    /// A number a shape.
    pub shape: Vec<f32>,
    /// A number for each thing that can be asked of the set.
    pub aggregation: Vec<f32>,
    /// Value, number of things.
    pub number: Vec<f32>,
    /// For each token a number a tag.
    pub tags: Vec<Vec<f32>>,
}

impl PlannerModel {
    /// The model from its parts.
    ///
    /// # Errors
    /// [`EmbedError::Layers`] where a head is not of the encoder's dimension or a number is not finite.
    pub fn new(encoder: MiniLm, heads: Heads, calibration: Calibration) -> Result<PlannerModel, EmbedError> {
        for (head, outputs) in
            [&heads.shape, &heads.aggregation, &heads.number, &heads.tag].into_iter().zip(OUTPUTS)
        {
            if head.bias.len() != outputs || head.weights.len() != outputs * encoder.dim() {
                return Err(EmbedError::Layers("a head of another size"));
            }
            if head.weights.iter().chain(&head.bias).chain(&calibration.0).any(|v| !v.is_finite()) {
                return Err(EmbedError::Layers("a number that is none"));
            }
        }
        Ok(PlannerModel { encoder, heads, calibration })
    }

    /// The same model with another calibration.
    ///
    /// # Errors
    /// [`EmbedError::Layers`] where a number of it is none.
    pub fn with_calibration(self, calibration: Calibration) -> Result<PlannerModel, EmbedError> {
        PlannerModel::new(self.encoder, self.heads, calibration)
    }

    /// Returns the calibration of its confidence.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// Its encoder.
    pub fn encoder(&self) -> &MiniLm {
        &self.encoder
    }

    /// Its heads.
    pub fn heads(&self) -> &Heads {
        &self.heads
    }

    /// The bytes from which [`PlannerModel::decode`] makes it again.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        // The dimension is bounded by what an encoder accepts.
        [VERSION, self.encoder.dim() as u32].iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
        let mut put = |values: &[f32]| values.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
        put(&self.calibration.0);
        for head in [&self.heads.shape, &self.heads.aggregation, &self.heads.number, &self.heads.tag] {
            put(&head.weights);
            put(&head.bias);
        }
        out.extend(encode_layers(&self.encoder));
        out
    }

    /// The model of these bytes, which may be hostile: every length is checked before it is used.
    ///
    /// # Errors
    /// [`EmbedError::Layers`] or [`EmbedError::Shape`], saying what is wrong.
    pub fn decode(bytes: &[u8]) -> Result<PlannerModel, EmbedError> {
        let mut decoder = PlannerDecoder::default();
        loop {
            if let Some(model) = decoder.step(bytes)? {
                return Ok(model);
            }
        }
    }

    /// Returns the heads' outputs for a question; `words` are the word vectors of its tokens.
    ///
    /// # Errors
    /// [`EmbedError`] for a token without a word vector, more tokens than the encoder has positions, or
    /// hostile weights.
    pub fn forward(&self, framed: &Framed, words: &dyn WordRows) -> Result<Logits, EmbedError> {
        Ok(self.logits(&self.encoder.token_vectors(&framed.ids, words)?))
    }

    /// Returns the heads' outputs for a question whose tokens have these vectors under the encoder, one after
    /// the other.
    pub fn logits(&self, vectors: &[f32]) -> Logits {
        let first = vectors.get(..self.encoder.dim()).unwrap_or_default();
        let tags = vectors.chunks_exact(self.encoder.dim()).map(|v| self.heads.tag.apply(v)).collect();
        let (shape, aggregation, number) = (
            self.heads.shape.apply(first),
            self.heads.aggregation.apply(first),
            self.heads.number.apply(first),
        );
        Logits { shape, aggregation, number, tags }
    }
}

/// Decodes a planner's bytes in steps, for callers who have other things to do between.
#[derive(Default)]
pub struct PlannerDecoder {
    /// The heads, the calibration, and where the encoder begins.
    heads: Option<(Heads, Calibration, usize)>,
    layers: LayersDecoder,
}

impl PlannerDecoder {
    /// The next step over `bytes`, which are the same at each: the model after the last, `None` before.
    ///
    /// # Errors
    /// As [`PlannerModel::decode`].
    pub fn step(&mut self, bytes: &[u8]) -> Result<Option<PlannerModel>, EmbedError> {
        let Some((_, _, at)) = &self.heads else {
            self.heads = Some(heads(bytes)?);
            return Ok(None);
        };
        let Some(encoder) = self.layers.step(bytes.get(*at..).unwrap_or_default())? else { return Ok(None) };
        let Some((heads, calibration, _)) = self.heads.take() else { return Ok(None) };
        // A head of another dimension than the encoder's is refused there.
        PlannerModel::new(encoder, heads, calibration).map(Some)
    }
}

/// Returns the parts before the encoder, and the byte at which the encoder begins.
fn heads(bytes: &[u8]) -> Result<(Heads, Calibration, usize), EmbedError> {
    let short = || EmbedError::Layers("cut short");
    let word = |at: usize| bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b));
    if bytes.get(..4) != Some(MAGIC) {
        return Err(EmbedError::Layers("wrong magic"));
    }
    if word(4) != Some(VERSION) {
        return Err(EmbedError::Layers("a version that this program does not know"));
    }
    let hidden = word(8).ok_or_else(short)? as usize;
    if !(1..=MAX_HIDDEN).contains(&hidden) {
        return Err(EmbedError::Layers("sizes out of bounds"));
    }
    let mut rest = bytes.get(12..).ok_or_else(short)?;
    let mut floats = |n: usize| -> Result<Vec<f32>, EmbedError> {
        let (front, behind) = rest.split_at_checked(n * 4).ok_or_else(short)?;
        rest = behind;
        Ok(decode_floats(front))
    };
    let calibration = floats(FEATURES)?.try_into().map_err(|_| short())?;
    let mut head = |outputs: usize| {
        Ok::<Head, EmbedError>(Head { weights: floats(outputs * hidden)?, bias: floats(outputs)? })
    };
    let [shape, aggregation, number, tag] = OUTPUTS;
    let heads = Heads {
        shape: head(shape)?,
        aggregation: head(aggregation)?,
        number: head(number)?,
        tag: head(tag)?,
    };
    Ok((heads, Calibration(calibration), bytes.len() - rest.len()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests {
    use super::*;
    use pocketgraph_testing::models::small;
    use proptest::prelude::*;

    /// A model of no training: heads of small numbers without pattern on a small encoder.
    pub fn untrained() -> PlannerModel {
        let encoder = small().0;
        let dim = encoder.dim();
        let head = |outputs: usize| Head {
            weights: (0..outputs * dim).map(|i| ((i * 7919) % 101) as f32 / 50.0 - 1.0).collect(),
            bias: vec![0.1; outputs],
        };
        let [shape, aggregation, number, tag] = OUTPUTS.map(head);
        PlannerModel::new(encoder, Heads { shape, aggregation, number, tag }, Calibration::default()).unwrap()
    }

    #[test]
    fn a_model_survives_a_round_trip() {
        let model = untrained();
        assert_eq!(PlannerModel::decode(&model.encode()).unwrap(), model);
    }

    #[test]
    fn every_cut_is_refused_and_so_is_a_number_that_is_none() {
        let mut bytes = untrained().encode();
        for n in (0..bytes.len()).step_by(211).chain(0..64) {
            assert!(PlannerModel::decode(&bytes[..n]).is_err());
        }
        bytes[12 + 4 * FEATURES..16 + 4 * FEATURES].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(PlannerModel::decode(&bytes), Err(EmbedError::Layers("a number that is none")));
    }

    #[test]
    fn there_is_a_number_for_each_token_and_tag() {
        let framed = Framed {
            ids: vec![0, 3, 4, 1],
            spans: vec![None; 4],
            mentions: vec![None; 4],
            absent: Vec::new(),
        };
        let logits = untrained().forward(&framed, &small().1).unwrap();
        assert_eq!((logits.shape.len(), logits.aggregation.len(), logits.number.len()), (16, 5, 2));
        assert_eq!(logits.tags.iter().map(Vec::len).collect::<Vec<_>>(), [TAGS; 4]);
        let long =
            Framed { ids: vec![3; 64], spans: vec![None; 64], mentions: vec![None; 64], absent: Vec::new() };
        assert!(matches!(untrained().forward(&long, &small().1), Err(EmbedError::Length { .. })));
    }

    proptest! {
        #[test]
        fn changed_bytes_give_an_error_or_a_model_that_does_not_panic(
            at in 0usize..2000,
            value in any::<u8>(),
            from_start in any::<bool>(),
        ) {
            let mut bytes = untrained().encode();
            let at = if from_start { at } else { bytes.len() - 1 - at };
            bytes[at] = value;
            if let Ok(model) = PlannerModel::decode(&bytes) {
                let _ = model.forward(
                    &Framed {
                        ids: vec![0, 3, 1],
                        spans: vec![None; 3],
                        mentions: vec![None; 3],
                        absent: Vec::new(),
                    },
                    &small().1,
                );
            }
        }

        #[test]
        fn any_bytes_are_survived(
            mut bytes in prop::collection::vec(any::<u8>(), 0..400),
            magic in any::<bool>(),
        ) {
            if magic {
                bytes.splice(0..0, b"PGPL\x01\0\0\0".iter().copied());
            }
            prop_assert!(PlannerModel::decode(&bytes).is_err());
        }
    }
}
