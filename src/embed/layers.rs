//! The model without its word vectors as one run of bytes: what a bundle's section of layers holds.
//!
//! All little-endian: the magic `PGML`; eight 32-bit words: version, hidden, heads, layers, intermediate, positions, the normalisations' epsilon
//! (a float), 0; position scales (float each) and rows (16-bit); then the input normalisation and, for each layer, `qkv`, `attended`, the attention
//! normalisation, `up`, `down` and the output normalisation. A normalisation is weights and biases (floats); a linear layer is its
//! outputs' scales, its inputs' factors and its biases (floats), then its weights in panels (see [`crate::nn::Linear`]), which are copied straight to where the kernels read them.

use super::{EmbedError, MiniLm, Positions};
use crate::nn::{Encoder, Factors, Layer, LayerNorm, Linear, MAX_SEQUENCE};

const MAGIC: &[u8; 4] = b"PGML";
const VERSION: u32 = 1;
/// Bounds on what a header may ask for.
const MAX_HIDDEN: u32 = 1024;
const MAX_INTERMEDIATE: u32 = 4096;
const MAX_LAYERS: u32 = 48;

/// The bytes from which [`MiniLm::from_layers`] makes the model again.
pub fn encode_layers(model: &MiniLm) -> Vec<u8> {
    let e = model.encoder();
    let (rows, scales) = model.positions().parts();
    let intermediate = e.layers().first().map_or(0, |l| l.up.outputs());
    let mut out = MAGIC.to_vec();
    let sizes = [VERSION as usize, e.hidden(), e.heads(), e.layers().len(), intermediate, scales.len()];
    // All sizes are bounded by what `Encoder` and `Positions` accept.
    sizes.iter().for_each(|&n| out.extend_from_slice(&(n as u32).to_le_bytes()));
    put(&mut out, &[e.epsilon()]);
    out.extend_from_slice(&0u32.to_le_bytes());
    put(&mut out, scales);
    rows.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
    put_norm(&mut out, e.input_norm());
    for layer in e.layers() {
        put_linear(&mut out, &layer.qkv);
        put_linear(&mut out, &layer.attended);
        put_norm(&mut out, &layer.attention_norm);
        put_linear(&mut out, &layer.up);
        put_linear(&mut out, &layer.down);
        put_norm(&mut out, &layer.output_norm);
    }
    out
}

fn put(out: &mut Vec<u8>, values: &[f32]) {
    values.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
}

fn put_norm(out: &mut Vec<u8>, norm: &LayerNorm) {
    put(out, &norm.weight);
    put(out, &norm.bias);
}

fn put_linear(out: &mut Vec<u8>, linear: &Linear) {
    put(out, linear.scales());
    put(out, linear.columns());
    put(out, linear.bias());
    out.extend_from_slice(bytemuck::cast_slice(linear.panels()));
}

/// See [`MiniLm::from_layers`].
pub(super) fn decode_layers(bytes: &[u8]) -> Result<MiniLm, EmbedError> {
    let mut r = Reader { rest: bytes };
    if r.take(4)? != MAGIC {
        return Err(EmbedError::Layers("wrong magic"));
    }
    if r.word()? != VERSION {
        return Err(EmbedError::Layers("a version that this program does not know"));
    }
    let (hidden, heads, layers, intermediate, positions) = (r.word()?, r.word()?, r.word()?, r.word()?, r.word()?);
    let epsilon = f32::from_bits(r.word()?);
    let sane = (1..=MAX_HIDDEN).contains(&hidden)
        && (1..=hidden).contains(&heads)
        && (1..=MAX_LAYERS).contains(&layers)
        && (1..=MAX_INTERMEDIATE).contains(&intermediate)
        && (1..=MAX_SEQUENCE as u32).contains(&positions);
    if !sane || r.word()? != 0 {
        return Err(EmbedError::Layers("sizes out of bounds"));
    }
    // Everything below takes bytes that are there before it makes room for them, so that memory is bounded by the input.
    let (hidden, intermediate, positions) = (hidden as usize, intermediate as usize, positions as usize);
    let scales = r.floats(positions)?;
    let rows = r.take(positions * hidden * 2)?.as_chunks::<2>().0.iter().map(|b| i16::from_le_bytes(*b)).collect();
    let positions = Positions::new(hidden, rows, scales)?;
    let input_norm = r.norm(hidden)?;
    let layers = (0..layers)
        .map(|_| {
            Ok(Layer {
                qkv: r.linear(hidden, 3 * hidden)?,
                attended: r.linear(hidden, hidden)?,
                attention_norm: r.norm(hidden)?,
                up: r.linear(hidden, intermediate)?,
                down: r.linear(intermediate, hidden)?,
                output_norm: r.norm(hidden)?,
            })
        })
        .collect::<Result<Vec<_>, EmbedError>>()?;
    if !r.rest.is_empty() {
        return Err(EmbedError::Layers("bytes left over"));
    }
    Ok(MiniLm::new(Encoder::new(hidden, heads as usize, epsilon, input_norm, layers)?, positions)?)
}

/// Takes from the front of bytes.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], EmbedError> {
        let (front, rest) = self.rest.split_at_checked(n).ok_or(EmbedError::Layers("cut short"))?;
        self.rest = rest;
        Ok(front)
    }

    fn word(&mut self) -> Result<u32, EmbedError> {
        let bytes = self.take(4)?.first_chunk().ok_or(EmbedError::Layers("cut short"))?;
        Ok(u32::from_le_bytes(*bytes))
    }

    fn floats(&mut self, n: usize) -> Result<Vec<f32>, EmbedError> {
        Ok(self.take(n * 4)?.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
    }

    fn norm(&mut self, n: usize) -> Result<LayerNorm, EmbedError> {
        Ok(LayerNorm { weight: self.floats(n)?, bias: self.floats(n)? })
    }

    fn linear(&mut self, inputs: usize, outputs: usize) -> Result<Linear, EmbedError> {
        let factors = Factors { scales: self.floats(outputs)?, columns: self.floats(inputs)?, bias: self.floats(outputs)? };
        let panels: &[i8] = bytemuck::cast_slice(self.take(inputs * outputs)?);
        Ok(Linear::from_panels(inputs, outputs, panels.to_vec(), factors)?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::minilm::tests::small;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn layers_survive_a_round_trip() {
        let (model, _) = small();
        let bytes = encode_layers(&model);
        assert_eq!(MiniLm::from_layers(&bytes).unwrap(), model);
        // A section may start anywhere in a larger buffer.
        let shifted: Vec<u8> = std::iter::once(0).chain(bytes).collect();
        assert_eq!(MiniLm::from_layers(&shifted[1..]).unwrap(), model);
    }

    #[test]
    fn every_cut_and_every_extension_is_refused() {
        let (model, _) = small();
        let mut bytes = encode_layers(&model);
        for n in (0..bytes.len()).step_by(97).chain(0..64) {
            assert!(MiniLm::from_layers(&bytes[..n]).is_err());
        }
        bytes.push(0);
        assert_eq!(MiniLm::from_layers(&bytes), Err(EmbedError::Layers("bytes left over")));
    }

    proptest! {
        #[test]
        fn changed_bytes_give_an_error_or_a_model_that_does_not_panic(at in 0usize..400, value in any::<u8>(), from_start in any::<bool>()) {
            let (model, words) = small();
            let mut bytes = encode_layers(&model);
            let at = if from_start { at } else { bytes.len() - 1 - at };
            bytes[at] = value;
            if let Ok(model) = MiniLm::from_layers(&bytes) {
                let _ = model.embed(&[1, 2, 3], &words);
            }
        }

        #[test]
        fn any_bytes_are_survived(mut bytes in prop::collection::vec(any::<u8>(), 0..200), magic in any::<bool>()) {
            if magic {
                bytes.splice(0..0, b"PGML\x01\0\0\0".iter().copied());
            }
            prop_assert!(MiniLm::from_layers(&bytes).is_err());
        }
    }
}
