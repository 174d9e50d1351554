//! The trainable numbers as one run of floats, with the place of each matrix.

use pocketgraph::embed::MiniLm;
use pocketgraph::nn::{Layer, LayerNorm, Linear, PANEL};
use pocketgraph::planner::model::PlannerModel;
use pocketgraph_cluster::Random;
use std::ops::Range;

/// The sizes of a network. Everything else follows from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Numbers in a token's vector.
    pub hidden: usize,
    /// Attention heads.
    pub heads: usize,
    /// Numbers between the two halves of a feed-forward part.
    pub intermediate: usize,
    /// Layers.
    pub layers: usize,
    /// Classes read from the first token, one head for each: shape, aggregation, number. Without these and
    /// tags there are no heads, and the output is the mean of the token vectors.
    pub first: [usize; 3],
    /// Classes of a token.
    pub tags: usize,
}

impl Sizes {
    /// All classes that are read off the first token.
    pub fn first_classes(&self) -> usize {
        self.first.iter().sum()
    }

    /// Returns true if there are no heads: the mean of a sequence's token vectors is what the network gives.
    pub fn gives_means(&self) -> bool {
        self.first_classes() == 0 && self.tags == 0
    }

    /// Returns the number of numbers that the network gives of a whole sequence.
    pub fn of_sequence(&self) -> usize {
        if self.gives_means() { self.hidden } else { self.first_classes() }
    }

    /// The classes of each of the first token's heads, as ranges of [`Sizes::first_classes`].
    pub fn first_ranges(&self) -> [Range<usize>; 3] {
        let [a, b, c] = self.first;
        [0..a, a..a + b, a + b..a + b + c]
    }
}

/// A matrix `weight[output][input]` and its biases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DenseAt {
    /// Range of the weights.
    pub weight: Range<usize>,
    /// Range of the biases.
    pub bias: Range<usize>,
    /// Length of an input.
    pub inputs: usize,
    /// Length of an output.
    pub outputs: usize,
}

/// A normalisation's weights and biases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NormAt {
    /// Range of the weights.
    pub weight: Range<usize>,
    /// Range of the biases.
    pub bias: Range<usize>,
}

/// Ranges of one layer's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerAt {
    /// hidden to 3 * hidden: queries, keys and values of all heads.
    pub qkv: DenseAt,
    /// hidden to hidden: what attention gathered.
    pub attended: DenseAt,
    /// After attention.
    pub attention_norm: NormAt,
    /// hidden to intermediate, then GELU.
    pub up: DenseAt,
    /// intermediate to hidden.
    pub down: DenseAt,
    /// After the feed-forward part.
    pub output_norm: NormAt,
}

impl LayerAt {
    /// The linear layers, in the order of their use.
    pub fn dense(&self) -> [&DenseAt; 4] {
        [&self.qkv, &self.attended, &self.up, &self.down]
    }
}

/// Layout of all numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The sizes that it follows from.
    pub sizes: Sizes,
    /// The layers, first to last.
    pub layers: Vec<LayerAt>,
    /// The heads on the first token: shape, aggregation and number in one matrix.
    pub first: DenseAt,
    /// The head on every token.
    pub tags: DenseAt,
    /// Number of numbers.
    pub len: usize,
}

impl Layout {
    /// The layout for sizes.
    pub fn new(sizes: Sizes) -> Layout {
        let mut at = 0;
        let mut take = |n: usize| {
            at += n;
            at - n..at
        };
        let dense = |inputs: usize, outputs: usize, take: &mut dyn FnMut(usize) -> Range<usize>| DenseAt {
            weight: take(inputs * outputs),
            bias: take(outputs),
            inputs,
            outputs,
        };
        let norm = |take: &mut dyn FnMut(usize) -> Range<usize>| NormAt {
            weight: take(sizes.hidden),
            bias: take(sizes.hidden),
        };
        let h = sizes.hidden;
        let layers = (0..sizes.layers)
            .map(|_| LayerAt {
                qkv: dense(h, 3 * h, &mut take),
                attended: dense(h, h, &mut take),
                attention_norm: norm(&mut take),
                up: dense(h, sizes.intermediate, &mut take),
                down: dense(sizes.intermediate, h, &mut take),
                output_norm: norm(&mut take),
            })
            .collect();
        let first = dense(h, sizes.first_classes(), &mut take);
        let tags = dense(h, sizes.tags, &mut take);
        Layout { sizes, layers, first, tags, len: at }
    }

    /// Weights of matrices: what decays. Biases and normalisations do not.
    pub fn matrices(&self) -> Vec<Range<usize>> {
        let layers = self.layers.iter().flat_map(|l| l.dense().map(|d| d.weight.clone()));
        layers.chain([self.first.weight.clone(), self.tags.weight.clone()]).collect()
    }

    /// Returns the range of the numbers of layer `i`.
    pub fn layer(&self, i: usize) -> Range<usize> {
        self.layers.get(i).map_or(0..0, |l| l.qkv.weight.start..l.output_norm.bias.end)
    }

    /// Returns the range of the heads.
    pub fn heads(&self) -> Range<usize> {
        self.first.weight.start..self.len
    }

    /// Returns initial numbers: the first layers of a trained encoder of the same sizes, and small random
    /// heads.
    pub fn from_encoder(&self, model: &MiniLm, seed: u64) -> Vec<f32> {
        let mut values = vec![0.0; self.len];
        self.fill_layers(&mut values, model.encoder().layers());
        self.fill_heads(&mut values, seed);
        values
    }

    /// Returns initial numbers of a network without heads: these layers of a trained encoder of the same
    /// sizes.
    pub fn from_layers<'m>(&self, layers: impl IntoIterator<Item = &'m Layer>) -> Vec<f32> {
        let mut values = vec![0.0; self.len];
        self.fill_layers(&mut values, layers);
        values
    }

    /// The numbers of a planner as they were rounded; `None` where its sizes are others.
    pub fn from_planner(&self, model: &PlannerModel) -> Option<Vec<f32>> {
        let layers = model.encoder().encoder().layers();
        let wide = |l: &Layer| l.up.outputs() == self.sizes.intermediate;
        if layers.len() != self.layers.len()
            || model.encoder().dim() != self.sizes.hidden
            || !layers.iter().all(wide)
        {
            return None;
        }
        let mut values = vec![0.0; self.len];
        self.fill_layers(&mut values, layers);
        let heads = model.heads();
        let firsts = [&heads.shape, &heads.aggregation, &heads.number];
        for (at, heads) in [(&self.first, &firsts[..]), (&self.tags, &[&heads.tag])] {
            let weights: Vec<f32> = heads.iter().flat_map(|h| h.weights.iter().copied()).collect();
            let bias: Vec<f32> = heads.iter().flat_map(|h| h.bias.iter().copied()).collect();
            values.get_mut(at.weight.clone()).filter(|v| v.len() == weights.len())?.copy_from_slice(&weights);
            values.get_mut(at.bias.clone()).filter(|v| v.len() == bias.len())?.copy_from_slice(&bias);
        }
        Some(values)
    }

    fn fill_layers<'m>(&self, values: &mut [f32], layers: impl IntoIterator<Item = &'m Layer>) {
        for (at, layer) in self.layers.iter().zip(layers) {
            for (at, linear) in
                at.dense().into_iter().zip([&layer.qkv, &layer.attended, &layer.up, &layer.down])
            {
                values[at.weight.clone()].copy_from_slice(&to_floats(linear));
                values[at.bias.clone()].copy_from_slice(linear.bias());
            }
            for (at, norm) in
                [(&at.attention_norm, &layer.attention_norm), (&at.output_norm, &layer.output_norm)]
            {
                values[at.weight.clone()].copy_from_slice(&norm.weight);
                values[at.bias.clone()].copy_from_slice(&norm.bias);
            }
        }
    }

    /// Random numbers to begin with, for networks that start from nothing.
    pub fn random(&self, seed: u64) -> Vec<f32> {
        let mut values = vec![0.0; self.len];
        let mut random = Random::new(seed, 11);
        for layer in &self.layers {
            for dense in layer.dense() {
                let size = (1.0 / dense.inputs as f64).sqrt();
                values[dense.weight.clone()]
                    .iter_mut()
                    .for_each(|v| *v = (draw_normal(&mut random) * size) as f32);
            }
            for norm in [&layer.attention_norm, &layer.output_norm] {
                values[norm.weight.clone()].fill(1.0);
            }
        }
        self.fill_heads(&mut values, seed);
        values
    }

    fn fill_heads(&self, values: &mut [f32], seed: u64) {
        let mut random = Random::new(seed, 12);
        for dense in [&self.first, &self.tags] {
            values[dense.weight.clone()]
                .iter_mut()
                .for_each(|v| *v = (draw_normal(&mut random) * 0.02) as f32);
        }
    }
}

/// A number of mean 0 and variance 1 (Box and Muller 1958).
fn draw_normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}

/// Returns the weights of a layer, row by row, as floats.
fn to_floats(linear: &Linear) -> Vec<f32> {
    let (inputs, outputs) = (linear.inputs(), linear.outputs());
    let mut out = vec![0.0; inputs * outputs];
    for (p, panel) in linear.panels().chunks_exact(inputs * PANEL).enumerate() {
        for (pair, weights) in panel.chunks_exact(2 * PANEL).enumerate() {
            for (i, &w) in weights.iter().enumerate() {
                let (output, input) = (p * PANEL + i / 2, 2 * pair + i % 2);
                out[output * inputs + input] =
                    f32::from(w) * linear.scales()[output] * linear.columns()[input];
            }
        }
    }
    out
}

/// A normalisation of the layout, out of all numbers.
pub(super) fn norm_of(at: &NormAt, values: &[f32]) -> LayerNorm {
    LayerNorm { weight: values[at.weight.clone()].to_vec(), bias: values[at.bias.clone()].to_vec() }
}
