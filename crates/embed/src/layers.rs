//! The model without its word vectors as one run of bytes, which a bundle's section of layers has.
//!
//! All little-endian: the magic `PGML`; eight 32-bit words: version, hidden, heads, layers, intermediate,
//! positions, the normalisations' epsilon (a float), 0; position scales (a float each) and rows (16-bit); the
//! input normalisation; for each layer `qkv`, `attended`, the attention normalisation, `up`, `down` and the
//! output normalisation. A normalisation is weights and biases (floats). A linear layer is its outputs'
//! scales, its inputs' factors and its biases (floats), then a byte, 8 or 4, and its weights in panels (see
//! [`crate::nn::Linear`]).
//!
//! After an 8 the panels follow as the kernels read them, after a 4 in four bits (see
//! [`crate::nn::FourBits`]).

use super::{EmbedError, MiniLm, Positions};
use crate::nn::{Encoder, Factors, FourBits, Layer, LayerNorm, Linear, MAX_SEQUENCE, PANEL, ShapeError};

const MAGIC: &[u8; 4] = b"PGML";
const VERSION: u32 = 2;
/// Bounds on what a header may ask for.
const MAX_HIDDEN: u32 = 1024;
const MAX_INTERMEDIATE: u32 = 4096;
const MAX_LAYERS: u32 = 48;

/// Encodes a model for [`MiniLm::from_layers`], with four bits a weight for layers that these represent.
pub fn encode_layers(model: &MiniLm) -> Vec<u8> {
    let e = model.encoder();
    let (rows, scales) = model.positions().parts();
    let intermediate = e.layers().first().map_or(0, |l| l.up.outputs());
    let mut out = MAGIC.to_vec();
    let sizes = [VERSION as usize, e.hidden(), e.heads(), e.layers().len(), intermediate, scales.len()];
    // `Encoder` and `Positions` bound all sizes.
    sizes.iter().for_each(|&n| out.extend_from_slice(&(n as u32).to_le_bytes()));
    put_floats(&mut out, &[e.epsilon()]);
    out.extend_from_slice(&0u32.to_le_bytes());
    put_floats(&mut out, scales);
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

/// Returns the floats that little-endian bytes hold.
pub fn decode_floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

fn put_floats(out: &mut Vec<u8>, values: &[f32]) {
    values.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
}

fn put_norm(out: &mut Vec<u8>, norm: &LayerNorm) {
    put_floats(out, &norm.weight);
    put_floats(out, &norm.bias);
}

fn put_linear(out: &mut Vec<u8>, linear: &Linear) {
    put_floats(out, linear.scales());
    put_floats(out, linear.columns());
    put_floats(out, linear.bias());
    match linear.four_bits() {
        Some(packed) => {
            out.push(4);
            out.extend_from_slice(&packed);
        }
        None => {
            out.push(8);
            out.extend_from_slice(bytemuck::cast_slice(linear.panels()));
        }
    }
}

/// Decodes a model: see [`MiniLm::from_layers`].
pub(super) fn decode_layers(bytes: &[u8]) -> Result<MiniLm, EmbedError> {
    let mut decoder = LayersDecoder::default();
    loop {
        if let Some(model) = decoder.step(bytes)? {
            return Ok(model);
        }
    }
}

/// Number of panels of weights that a step decodes: about a hundred thousand weights.
const PANELS_A_STEP: usize = 4;

/// Decodes a model's bytes in steps, for callers with other work in between.
#[derive(Default)]
pub struct LayersDecoder {
    head: Option<Head>,
    /// Linear layers of all layers, in the order of the bytes.
    linears: Vec<Linear>,
    norms: Vec<LayerNorm>,
    /// Linear layer whose panels are being read.
    begun: Option<Begun>,
    /// Offset of the next step.
    at: usize,
}

/// Linear layer with some of its panels.
struct Begun {
    factors: Factors,
    weights: Weights,
}

enum Weights {
    Bytes(Vec<i8>),
    FourBits(FourBits),
}

impl Begun {
    /// Number of panels so far.
    fn panels(&self) -> usize {
        match &self.weights {
            Weights::Bytes(panels) => panels.len() / (PANEL * self.factors.columns.len()),
            Weights::FourBits(weights) => weights.panels(),
        }
    }

    /// Makes the layer of all its panels.
    fn into_linear(self, outputs: usize) -> Result<Linear, ShapeError> {
        match self.weights {
            Weights::Bytes(panels) => {
                Linear::from_panels(self.factors.columns.len(), outputs, panels, self.factors)
            }
            Weights::FourBits(weights) => Linear::from_four_bits(outputs, weights, self.factors),
        }
    }
}

/// Header before the layers.
struct Head {
    version: u32,
    hidden: usize,
    heads: usize,
    layers: usize,
    intermediate: usize,
    epsilon: f32,
    positions: Positions,
    input_norm: LayerNorm,
}

impl LayersDecoder {
    /// Runs the next step over `bytes`, which are the same at each step. Returns the model after the last
    /// one. Fails as [`MiniLm::from_layers`] does.
    pub fn step(&mut self, bytes: &[u8]) -> Result<Option<MiniLm>, EmbedError> {
        let rest = bytes.get(self.at..).unwrap_or_default();
        let Some(head) = &self.head else {
            let mut r = Reader { rest, version: VERSION };
            self.head = Some(r.read_head()?);
            self.at = bytes.len() - r.rest.len();
            return Ok(None);
        };
        let mut r = Reader { rest, version: head.version };
        let (hidden, number) = (head.hidden, self.linears.len());
        if number < 4 * head.layers {
            let (inputs, outputs) = match number % 4 {
                0 => (hidden, 3 * hidden),
                1 => (hidden, hidden),
                2 => (hidden, head.intermediate),
                _ => (head.intermediate, hidden),
            };
            let mut begun = match self.begun.take() {
                None => r.begin_linear(inputs, outputs)?,
                Some(begun) => begun,
            };
            let left = outputs / PANEL - begun.panels();
            if left > 0 {
                r.panels(inputs, left.min(PANELS_A_STEP), &mut begun)?;
                self.begun = Some(begun);
            } else {
                self.linears.push(begun.into_linear(outputs)?);
                if number % 2 == 1 {
                    self.norms.push(r.read_norm(hidden)?);
                }
            }
            self.at = bytes.len() - r.rest.len();
            return Ok(None);
        }
        if !r.rest.is_empty() {
            return Err(EmbedError::Layers("bytes left over"));
        }
        let Some(Head { heads, epsilon, positions, input_norm, .. }) = self.head.take() else {
            return Ok(None);
        };
        let (mut linears, mut norms) =
            (std::mem::take(&mut self.linears).into_iter(), std::mem::take(&mut self.norms).into_iter());
        let layer = || {
            let (qkv, attended, up, down) =
                (linears.next()?, linears.next()?, linears.next()?, linears.next()?);
            Some(Layer { qkv, attended, attention_norm: norms.next()?, up, down, output_norm: norms.next()? })
        };
        let layers = std::iter::from_fn(layer).collect();
        Ok(Some(MiniLm::new(Encoder::new(hidden, heads, epsilon, input_norm, layers)?, positions)?))
    }
}

/// Reads from the front of bytes.
struct Reader<'a> {
    rest: &'a [u8],
    /// Version of the format. In version 1 all weights have eight bits, without a byte for that.
    version: u32,
}

impl<'a> Reader<'a> {
    fn read_head(&mut self) -> Result<Head, EmbedError> {
        if self.take_bytes(4)? != MAGIC {
            return Err(EmbedError::Layers("wrong magic"));
        }
        let version = self.read_word()?;
        if !(1..=VERSION).contains(&version) {
            return Err(EmbedError::Layers("a version that this program does not know"));
        }
        let (hidden, heads, layers, intermediate, positions) =
            (self.read_word()?, self.read_word()?, self.read_word()?, self.read_word()?, self.read_word()?);
        let epsilon = f32::from_bits(self.read_word()?);
        let sane = (1..=MAX_HIDDEN).contains(&hidden)
            && (1..=hidden).contains(&heads)
            && (1..=MAX_LAYERS).contains(&layers)
            && (1..=MAX_INTERMEDIATE).contains(&intermediate)
            && (1..=MAX_SEQUENCE as u32).contains(&positions);
        if !sane || self.read_word()? != 0 {
            return Err(EmbedError::Layers("sizes out of bounds"));
        }
        // Everything below takes bytes before it makes room for them, so that the input bounds memory.
        let (hidden, positions) = (hidden as usize, positions as usize);
        let scales = self.read_floats(positions)?;
        let rows = self
            .take_bytes(positions * hidden * 2)?
            .as_chunks::<2>()
            .0
            .iter()
            .map(|b| i16::from_le_bytes(*b))
            .collect();
        let positions = Positions::new(hidden, rows, scales)?;
        let input_norm = self.read_norm(hidden)?;
        let (heads, layers, intermediate) = (heads as usize, layers as usize, intermediate as usize);
        Ok(Head { version, hidden, heads, layers, intermediate, epsilon, positions, input_norm })
    }

    fn take_bytes(&mut self, n: usize) -> Result<&'a [u8], EmbedError> {
        let (front, rest) = self.rest.split_at_checked(n).ok_or(EmbedError::Layers("cut short"))?;
        self.rest = rest;
        Ok(front)
    }

    fn read_word(&mut self) -> Result<u32, EmbedError> {
        let bytes = self.take_bytes(4)?.first_chunk().ok_or(EmbedError::Layers("cut short"))?;
        Ok(u32::from_le_bytes(*bytes))
    }

    fn read_floats(&mut self, n: usize) -> Result<Vec<f32>, EmbedError> {
        self.take_bytes(n * 4).map(decode_floats)
    }

    fn read_norm(&mut self, n: usize) -> Result<LayerNorm, EmbedError> {
        Ok(LayerNorm { weight: self.read_floats(n)?, bias: self.read_floats(n)? })
    }

    /// Reads the header of a linear layer's panels.
    fn begin_linear(&mut self, inputs: usize, outputs: usize) -> Result<Begun, EmbedError> {
        let factors = Factors {
            scales: self.read_floats(outputs)?,
            columns: self.read_floats(inputs)?,
            bias: self.read_floats(outputs)?,
        };
        let bits = if self.version == 1 { 8 } else { self.take_bytes(1)?.first().copied().unwrap_or(0) };
        if bits != 4 && bits != 8 {
            return Err(EmbedError::Layers("weights of neither 8 nor 4 bits"));
        }
        // Room for as much as the remaining bytes can hold.
        let weights = match bits {
            8 => Weights::Bytes(Vec::with_capacity((inputs * outputs).min(self.rest.len()))),
            _ => Weights::FourBits(FourBits::new(
                inputs,
                (outputs / PANEL).min(self.rest.len() / FourBits::bytes_a_panel(inputs)),
            )),
        };
        Ok(Begun { factors, weights })
    }

    /// Reads the next `count` panels.
    fn panels(&mut self, inputs: usize, count: usize, to: &mut Begun) -> Result<(), EmbedError> {
        match &mut to.weights {
            Weights::Bytes(panels) => {
                panels.extend_from_slice(bytemuck::cast_slice(self.take_bytes(count * inputs * PANEL)?))
            }
            Weights::FourBits(weights) => {
                let size = FourBits::bytes_a_panel(inputs);
                self.take_bytes(count * size)?.chunks_exact(size).for_each(|panel| weights.push(panel));
            }
        }
        Ok(())
    }
}

impl MiniLm {
    /// Makes the model from the output of [`encode_layers`]. The bytes may be hostile: lengths are checked.
    ///
    /// # Errors
    /// [`EmbedError::Layers`] or [`EmbedError::Shape`] with the fault.
    pub fn from_layers(bytes: &[u8]) -> Result<MiniLm, EmbedError> {
        decode_layers(bytes)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use crate::models::small;
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

    /// Returns the small model with weights of four bits: levels times a step for 64 inputs of an output.
    fn coarse() -> MiniLm {
        let (model, _) = small();
        let e = model.encoder();
        let coarse = |linear: &Linear| {
            let inputs = linear.inputs();
            let step = |i: usize| {
                (i % (inputs * PANEL) / (64 * PANEL) + i / 2 % PANEL + i / (inputs * PANEL)) % 16 + 1
            };
            let weight = |(i, w): (usize, &i8)| (w >> 4) * step(i) as i8;
            let panels = linear.panels().iter().enumerate().map(weight).collect();
            let (scales, columns, bias) =
                (linear.scales().to_vec(), linear.columns().to_vec(), linear.bias().to_vec());
            Linear::from_panels(inputs, linear.outputs(), panels, Factors { scales, columns, bias }).unwrap()
        };
        let layers = e.layers().iter().map(|l| {
            let (qkv, attended, up, down) =
                (coarse(&l.qkv), coarse(&l.attended), coarse(&l.up), coarse(&l.down));
            Layer { qkv, attended, up, down, ..l.clone() }
        });
        let encoder =
            Encoder::new(e.hidden(), e.heads(), e.epsilon(), e.input_norm().clone(), layers.collect())
                .unwrap();
        MiniLm::new(encoder, model.positions().clone()).unwrap()
    }

    #[test]
    fn weights_that_four_bits_can_say_take_four_bits_and_lose_nothing() {
        let (model, _) = small();
        let (fine, coarse) = (encode_layers(&model), encode_layers(&coarse()));
        assert_eq!(MiniLm::from_layers(&coarse).unwrap(), self::coarse());
        // 48 inputs make one run, the 112 of `down` two: as many steps for each output, half a byte each.
        let weights = 2 * (48 * 144 + 48 * 48 + 2 * 48 * 112);
        let steps = 2 * (144 + 48 + 112 + 2 * 48);
        assert_eq!(fine.len() - coarse.len(), weights / 2 - steps / 2);
    }

    #[test]
    fn layers_of_the_first_version_are_still_read() {
        let (model, _) = small();
        let mut bytes = encode_layers(&model);
        // In version 1 no byte states the bits of weights; the last layer's `down` precedes its
        // normalisation.
        let e = model.encoder();
        let sizes: Vec<usize> = e
            .layers()
            .iter()
            .flat_map(|l| [&l.qkv, &l.attended, &l.up, &l.down])
            .map(|l| l.inputs() * l.outputs())
            .collect();
        let mut at = 36 + 40 * 4 + 40 * 48 * 2 + 48 * 8;
        for (i, (size, linear)) in sizes
            .iter()
            .zip(e.layers().iter().flat_map(|l| [&l.qkv, &l.attended, &l.up, &l.down]))
            .enumerate()
        {
            at += 4 * (linear.inputs() + 2 * linear.outputs());
            assert_eq!(bytes.remove(at), 8);
            at += size + if i % 2 == 1 { 48 * 8 } else { 0 };
        }
        bytes[4] = 1;
        assert_eq!(MiniLm::from_layers(&bytes).unwrap(), model);
    }

    #[test]
    fn a_step_decodes_a_few_panels_at_most() {
        for model in [small().0, coarse()] {
            let bytes = encode_layers(&model);
            let mut decoder = LayersDecoder::default();
            let (mut steps, mut before) = (0, 0);
            let decoded = loop {
                if let Some(decoded) = decoder.step(&bytes).unwrap() {
                    break decoded;
                }
                let whole: usize = decoder.linears.iter().map(|l| l.panels().len()).sum();
                let now = whole
                    + decoder.begun.as_ref().map_or(0, |b| b.panels() * PANEL * b.factors.columns.len());
                assert!(now - before <= PANELS_A_STEP * PANEL * 112);
                (steps, before) = (steps + 1, now);
            };
            assert_eq!(decoded, model);
            // First the header; then 9, 3, 7 and 3 panels a layer by fours, and a step for the linear layer.
            assert_eq!(steps, 1 + 2 * (4 + 2 + 3 + 2));
        }
    }

    #[test]
    fn every_cut_and_every_extension_is_refused() {
        for model in [small().0, coarse()] {
            let mut bytes = encode_layers(&model);
            for n in (0..bytes.len()).step_by(97).chain(0..64) {
                assert!(MiniLm::from_layers(&bytes[..n]).is_err());
            }
            bytes.push(0);
            assert_eq!(MiniLm::from_layers(&bytes), Err(EmbedError::Layers("bytes left over")));
        }
    }

    proptest! {
        #[test]
        fn changed_bytes_give_an_error_or_a_model_that_does_not_panic(
            at in any::<prop::sample::Index>(),
            value in any::<u8>(),
            from_start in any::<bool>(),
            few in any::<bool>(),
        ) {
            let (model, words) = small();
            let mut bytes = encode_layers(&if few { self::coarse() } else { model });
            let at = at.index(if from_start { 400 } else { bytes.len() });
            bytes[at] = value;
            if let Ok(model) = MiniLm::from_layers(&bytes) {
                let _ = model.embed(&[1, 2, 3], &words);
            }
        }

        #[test]
        fn any_bytes_are_survived(
            mut bytes in prop::collection::vec(any::<u8>(), 0..200),
            magic in any::<bool>(),
        ) {
            if magic {
                bytes.splice(0..0, b"PGML\x02\0\0\0".iter().copied());
            }
            prop_assert!(MiniLm::from_layers(&bytes).is_err());
        }
    }
}
