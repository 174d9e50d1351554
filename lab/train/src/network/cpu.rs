//! Computes the network and its derivatives on the processor, without padding, in reused buffers.
//!
//! A batch is divided into two halves that run concurrently on two cores; their gradients are added in a
//! fixed order, so that the number of cores does not change the result.

use super::matmul::{View, ViewMut, multiply};
use super::parameters::{DenseAt, LayerAt, Layout, NormAt};
use super::{Adam, Batch, Hosted, Learner, Network, Scores};
use pocketgraph::nn::exp_negative;
use pocketgraph_models::minilm::EPSILON;

/// The back-end of `--device cpu`.
#[derive(Debug)]
pub struct Cpu {
    layout: Layout,
    halves: [Half; 2],
    /// Number of sequences of the last batch that the first half took.
    cut: usize,
}

/// One half's batch, and what its forward pass left for the way back.
#[derive(Debug, Default)]
struct Half {
    batch: Batch,
    layers: Vec<LayerCache>,
    scores: Scores,
    gradient: Vec<f32>,
}

/// Values that a layer keeps for the backward pass.
#[derive(Debug, Default)]
struct LayerCache {
    /// Queries, keys and values of each token.
    qkv: Vec<f32>,
    /// The shares of attention: by sequence and head, a row a token.
    shares: Vec<f32>,
    gathered: Vec<f32>,
    middle: Normed,
    /// GELU's values and derivatives.
    wide: Vec<f32>,
    slope: Vec<f32>,
    end: Normed,
}

/// A normalisation's output, and what its derivative needs.
#[derive(Debug, Default)]
struct Normed {
    /// The vectors before weight and bias.
    unit: Vec<f32>,
    /// One over each vector's spread.
    inverse: Vec<f32>,
    out: Vec<f32>,
}

impl Cpu {
    /// A back-end for a network of this layout.
    pub fn new(layout: Layout) -> Cpu {
        Cpu { layout, halves: Default::default(), cut: 0 }
    }
}

impl Network for Cpu {
    fn forward(&mut self, parameters: &[f32], batch: &Batch) -> Scores {
        let hidden = self.layout.sizes.hidden;
        self.cut = batch.lengths.len().div_ceil(2);
        let tokens: usize = batch.lengths[..self.cut].iter().sum();
        let (first, second) = batch.x.split_at(tokens * hidden);
        for (half, (x, lengths)) in self
            .halves
            .iter_mut()
            .zip([(first, &batch.lengths[..self.cut]), (second, &batch.lengths[self.cut..])])
        {
            half.batch.x.clear();
            half.batch.x.extend_from_slice(x);
            half.batch.lengths.clear();
            half.batch.lengths.extend_from_slice(lengths);
        }
        let (layout, [a, b]) = (&self.layout, &mut self.halves);
        rayon::join(|| a.forward(layout, parameters), || b.forward(layout, parameters));
        Scores {
            first: [&a.scores.first[..], &b.scores.first].concat(),
            tags: [&a.scores.tags[..], &b.scores.tags].concat(),
        }
    }

    fn backward(&mut self, parameters: &[f32], by_scores: &Scores, gradient: &mut [f32]) {
        let sizes = self.layout.sizes;
        let (layout, [a, b]) = (&self.layout, &mut self.halves);
        let (first_a, first_b) = by_scores.first.split_at(self.cut * sizes.of_sequence());
        let (tags_a, tags_b) = by_scores.tags.split_at(a.batch.tokens() * sizes.tags);
        rayon::join(
            || a.backward(layout, parameters, first_a, tags_a),
            || b.backward(layout, parameters, first_b, tags_b),
        );
        for ((g, a), b) in gradient.iter_mut().zip(&a.gradient).zip(&b.gradient) {
            *g = a + b;
        }
    }

    fn learner(&self, parameters: &[f32], adam: &Adam) -> Box<dyn Learner> {
        Box::new(Hosted::new(Cpu::new(self.layout.clone()), parameters, adam))
    }

    fn name(&self) -> String {
        "cpu".to_owned()
    }
}

impl Half {
    fn forward(&mut self, layout: &Layout, p: &[f32]) {
        let sizes = &layout.sizes;
        self.layers.resize_with(layout.layers.len(), LayerCache::default);
        for i in 0..layout.layers.len() {
            let (below, rest) = self.layers.split_at_mut(i);
            let Some(kept) = rest.first_mut() else { break };
            let x = below.last().map_or(&self.batch.x, |k| &k.end.out);
            kept.forward(&layout.layers[i], p, x, &self.batch.lengths, sizes.heads);
        }
        let last = self.layers.last().map_or(&self.batch.x, |k| &k.end.out);
        if sizes.gives_means() {
            self.scores.first = sequence_means(last, &self.batch.lengths, sizes.hidden);
            return;
        }
        let firsts = first_tokens(last, &self.batch.lengths, sizes.hidden);
        apply_dense(&layout.first, p, &firsts, &mut self.scores.first);
        apply_dense(&layout.tags, p, last, &mut self.scores.tags);
    }

    fn backward(&mut self, layout: &Layout, p: &[f32], by_first: &[f32], by_tags: &[f32]) {
        let hidden = layout.sizes.hidden;
        self.gradient.clear();
        self.gradient.resize(layout.len, 0.0);
        let last = self.layers.last().map_or(&self.batch.x, |k| &k.end.out);
        let mut by_x = vec![0.0; last.len()];
        if layout.sizes.gives_means() {
            means_back(&mut by_x, by_first, &self.batch.lengths, hidden);
        } else {
            Half::heads_back(
                layout,
                p,
                (last, &self.batch.lengths),
                (by_first, by_tags),
                &mut self.gradient,
                &mut by_x,
            );
        }
        for i in (0..layout.layers.len()).rev() {
            let (below, rest) = self.layers.split_at_mut(i);
            let Some(kept) = rest.first_mut() else { break };
            let x = below.last().map_or(&self.batch.x, |k| &k.end.out);
            // Nothing below the first layer is trained.
            by_x = kept.backward(
                &layout.layers[i],
                p,
                x,
                &self.batch.lengths,
                layout.sizes.heads,
                &by_x,
                &mut self.gradient,
                i > 0,
            );
        }
    }

    /// Adds the gradients of the heads; writes that by the last layer's vectors.
    fn heads_back(
        layout: &Layout,
        p: &[f32],
        (last, lengths): (&[f32], &[usize]),
        by: (&[f32], &[f32]),
        g: &mut [f32],
        by_x: &mut Vec<f32>,
    ) {
        let hidden = layout.sizes.hidden;
        dense_back(&layout.tags, p, last, by.1, g, Some((by_x, false)));
        let firsts = first_tokens(last, lengths, hidden);
        let mut by_firsts = vec![0.0; firsts.len()];
        dense_back(&layout.first, p, &firsts, by.0, g, Some((&mut by_firsts, false)));
        let mut start = 0;
        for (n, by_first) in lengths.iter().zip(by_firsts.chunks_exact(hidden)) {
            add(&mut by_x[start..start + hidden], by_first);
            start += n * hidden;
        }
    }
}

impl LayerCache {
    fn forward(&mut self, at: &LayerAt, p: &[f32], x: &[f32], lengths: &[usize], heads: usize) {
        let hidden = at.qkv.inputs;
        apply_dense(&at.qkv, p, x, &mut self.qkv);
        self.attend(lengths, hidden, heads);
        let mut sum = Vec::new();
        apply_dense(&at.attended, p, &self.gathered, &mut sum);
        add(&mut sum, x);
        self.middle.forward(&at.attention_norm, p, &sum);
        apply_dense(&at.up, p, &self.middle.out, &mut self.wide);
        self.slope.resize(self.wide.len(), 0.0);
        gelu(&mut self.wide, &mut self.slope);
        apply_dense(&at.down, p, &self.wide, &mut sum);
        add(&mut sum, &self.middle.out);
        self.end.forward(&at.output_norm, p, &sum);
    }

    fn attend(&mut self, lengths: &[usize], hidden: usize, heads: usize) {
        let size = hidden / heads;
        let factor = 1.0 / (size as f32).sqrt();
        self.gathered.clear();
        self.gathered.resize(self.qkv.len() / 3, 0.0);
        self.shares.clear();
        self.shares.resize(lengths.iter().map(|n| n * n).sum::<usize>() * heads, 0.0);
        let (mut token, mut share) = (0, 0);
        for &n in lengths {
            let rows = &self.qkv[token * 3 * hidden..];
            for head in 0..heads {
                let part =
                    |which: usize| View::rows(&rows[which * hidden + head * size..], n, size, 3 * hidden);
                let shares = &mut self.shares[share..share + n * n];
                multiply(factor, part(0), part(1).transposed(), 0.0, ViewMut::rows(shares, n, n, n));
                shares.chunks_exact_mut(n).for_each(softmax);
                let out = ViewMut::rows(&mut self.gathered[token * hidden + head * size..], n, size, hidden);
                multiply(1.0, View::rows(shares, n, n, n), part(2), 0.0, out);
                share += n * n;
            }
            token += n;
        }
    }

    /// Adds this layer's gradients to `g`; gives the gradient by its input where it is wanted.
    #[allow(clippy::too_many_arguments)]
    fn backward(
        &self,
        at: &LayerAt,
        p: &[f32],
        x: &[f32],
        lengths: &[usize],
        heads: usize,
        by_out: &[f32],
        g: &mut [f32],
        wanted: bool,
    ) -> Vec<f32> {
        let hidden = at.qkv.inputs;
        let by_sum = self.end.backward(&at.output_norm, p, by_out, g);
        let mut by_wide = vec![0.0; self.wide.len()];
        dense_back(&at.down, p, &self.wide, &by_sum, g, Some((&mut by_wide, false)));
        by_wide.iter_mut().zip(&self.slope).for_each(|(b, s)| *b *= s);
        // The sum's other part came straight from the middle.
        let mut by_middle = by_sum;
        dense_back(&at.up, p, &self.middle.out, &by_wide, g, Some((&mut by_middle, true)));
        let mut by_sum = self.middle.backward(&at.attention_norm, p, &by_middle, g);
        let mut by_gathered = vec![0.0; self.gathered.len()];
        dense_back(&at.attended, p, &self.gathered, &by_sum, g, Some((&mut by_gathered, false)));
        let by_qkv = self.attend_back(&by_gathered, lengths, hidden, heads);
        dense_back(&at.qkv, p, x, &by_qkv, g, wanted.then_some((&mut by_sum, true)));
        by_sum
    }

    fn attend_back(&self, by_gathered: &[f32], lengths: &[usize], hidden: usize, heads: usize) -> Vec<f32> {
        let size = hidden / heads;
        let factor = 1.0 / (size as f32).sqrt();
        let mut out = vec![0.0; self.qkv.len()];
        let mut by_shares = Vec::new();
        let (mut token, mut share) = (0, 0);
        for &n in lengths {
            let rows = &self.qkv[token * 3 * hidden..];
            for head in 0..heads {
                let part =
                    |which: usize| View::rows(&rows[which * hidden + head * size..], n, size, 3 * hidden);
                let at = |which: usize| token * 3 * hidden + which * hidden + head * size;
                let by = View::rows(&by_gathered[token * hidden + head * size..], n, size, hidden);
                let shares = &self.shares[share..share + n * n];
                multiply(
                    1.0,
                    View::rows(shares, n, n, n).transposed(),
                    by,
                    0.0,
                    ViewMut::rows(&mut out[at(2)..], n, size, 3 * hidden),
                );
                by_shares.clear();
                by_shares.resize(n * n, 0.0);
                multiply(1.0, by, part(2).transposed(), 0.0, ViewMut::rows(&mut by_shares, n, n, n));
                for (b, s) in by_shares.chunks_exact_mut(n).zip(shares.chunks_exact(n)) {
                    let mean: f32 = b.iter().zip(s).map(|(b, s)| b * s).sum();
                    b.iter_mut().zip(s).for_each(|(b, s)| *b = s * (*b - mean));
                }
                let by_scores = View::rows(&by_shares, n, n, n);
                multiply(
                    factor,
                    by_scores,
                    part(1),
                    0.0,
                    ViewMut::rows(&mut out[at(0)..], n, size, 3 * hidden),
                );
                multiply(
                    factor,
                    by_scores.transposed(),
                    part(0),
                    0.0,
                    ViewMut::rows(&mut out[at(1)..], n, size, 3 * hidden),
                );
                share += n * n;
            }
            token += n;
        }
        out
    }
}

impl Normed {
    fn forward(&mut self, at: &NormAt, p: &[f32], x: &[f32]) {
        let (weight, bias) = (&p[at.weight.clone()], &p[at.bias.clone()]);
        let n = weight.len();
        self.unit.resize(x.len(), 0.0);
        self.out.resize(x.len(), 0.0);
        self.inverse.clear();
        for ((x, unit), out) in
            x.chunks_exact(n).zip(self.unit.chunks_exact_mut(n)).zip(self.out.chunks_exact_mut(n))
        {
            let (mean, inverse) = mean_and_spread(x);
            self.inverse.push(inverse);
            for ((((x, u), o), w), b) in x.iter().zip(unit).zip(out).zip(weight).zip(bias) {
                *u = (x - mean) * inverse;
                *o = *u * w + b;
            }
        }
    }

    fn backward(&self, at: &NormAt, p: &[f32], by_out: &[f32], g: &mut [f32]) -> Vec<f32> {
        let weight = &p[at.weight.clone()];
        let n = weight.len();
        let mut by_x = by_out.to_vec();
        for ((by, unit), inverse) in
            by_x.chunks_exact_mut(n).zip(self.unit.chunks_exact(n)).zip(&self.inverse)
        {
            add(&mut g[at.bias.clone()], by);
            for ((g, b), u) in g[at.weight.clone()].iter_mut().zip(by.iter()).zip(unit) {
                *g += b * u;
            }
            by.iter_mut().zip(weight).for_each(|(b, w)| *b *= w);
            let mean = sum(by.iter().copied()) / n as f32;
            let along = sum(by.iter().zip(unit).map(|(b, u)| b * u)) / n as f32;
            by.iter_mut().zip(unit).for_each(|(b, u)| *b = inverse * (*b - mean - u * along));
        }
        by_x
    }
}

/// A vector's mean, and one over its spread.
fn mean_and_spread(x: &[f32]) -> (f32, f32) {
    let n = x.len() as f32;
    let mean = sum(x.iter().copied()) / n;
    let variance = sum(x.iter().map(|v| (v - mean) * (v - mean))) / n;
    (mean, 1.0 / (variance + EPSILON).sqrt())
}

/// Sums in eight lanes, so that the processor's wide registers are used.
fn sum(values: impl ExactSizeIterator<Item = f32>) -> f32 {
    let mut lanes = [0.0f32; 8];
    for (i, v) in values.enumerate() {
        lanes[i % 8] += v;
    }
    lanes.iter().sum()
}

/// Normalises token vectors in place: what comes before the first layer.
pub(super) fn normalise(x: &mut [f32], weight: &[f32], bias: &[f32]) {
    for row in x.chunks_exact_mut(weight.len()) {
        let (mean, inverse) = mean_and_spread(row);
        row.iter_mut().zip(weight).zip(bias).for_each(|((v, w), b)| *v = (*v - mean) * inverse * w + b);
    }
}

fn first_tokens(x: &[f32], lengths: &[usize], hidden: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(lengths.len() * hidden);
    let mut start = 0;
    for n in lengths {
        out.extend_from_slice(&x[start..start + hidden]);
        start += n * hidden;
    }
    out
}

fn sequence_means(x: &[f32], lengths: &[usize], hidden: usize) -> Vec<f32> {
    let mut out = vec![0.0; lengths.len() * hidden];
    let mut rows = x.chunks_exact(hidden);
    for (mean, &n) in out.chunks_exact_mut(hidden).zip(lengths) {
        rows.by_ref().take(n).for_each(|row| add(mean, row));
        mean.iter_mut().for_each(|m| *m /= n as f32);
    }
    out
}

/// The gradient by each vector, of the one by its sequence's mean.
fn means_back(by_x: &mut [f32], by_means: &[f32], lengths: &[usize], hidden: usize) {
    let mut rows = by_x.chunks_exact_mut(hidden);
    for (by, &n) in by_means.chunks_exact(hidden).zip(lengths) {
        rows.by_ref().take(n).for_each(|row| row.iter_mut().zip(by).for_each(|(r, b)| *r = b / n as f32));
    }
}

fn add(to: &mut [f32], from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(t, f)| *t += f);
}

/// y = x WT + b, a row a token.
fn apply_dense(at: &DenseAt, p: &[f32], x: &[f32], y: &mut Vec<f32>) {
    let n = x.len() / at.inputs;
    y.clear();
    (0..n).for_each(|_| y.extend_from_slice(&p[at.bias.clone()]));
    let weight = View::rows(&p[at.weight.clone()], at.outputs, at.inputs, at.inputs);
    multiply(
        1.0,
        View::rows(x, n, at.inputs, at.inputs),
        weight.transposed(),
        1.0,
        ViewMut::rows(y, n, at.outputs, at.outputs),
    );
}

/// Adds the gradients of weights and biases to `g`; writes the gradient by the input, or adds it to what is
/// there.
fn dense_back(
    at: &DenseAt,
    p: &[f32],
    x: &[f32],
    by_y: &[f32],
    g: &mut [f32],
    by_x: Option<(&mut Vec<f32>, bool)>,
) {
    let n = x.len() / at.inputs;
    let by = View::rows(by_y, n, at.outputs, at.outputs);
    let to = ViewMut::rows(&mut g[at.weight.clone()], at.outputs, at.inputs, at.inputs);
    multiply(1.0, by.transposed(), View::rows(x, n, at.inputs, at.inputs), 1.0, to);
    by_y.chunks_exact(at.outputs).for_each(|row| add(&mut g[at.bias.clone()], row));
    if let Some((by_x, more)) = by_x {
        let weight = View::rows(&p[at.weight.clone()], at.outputs, at.inputs, at.inputs);
        multiply(1.0, by, weight, if more { 1.0 } else { 0.0 }, ViewMut::rows(by_x, n, at.inputs, at.inputs));
    }
}

fn softmax(row: &mut [f32]) {
    let max = row.iter().fold(f32::MIN, |m, &v| m.max(v));
    row.iter_mut().for_each(|v| *v = exp_negative(*v - max));
    let total: f32 = row.iter().sum();
    row.iter_mut().for_each(|v| *v /= total);
}

/// Applies GELU (Hendrycks and Gimpel 2016) in place, x Φ(x), with its derivative Φ(x) + x φ(x). Φ's tail by
/// Abramowitz and Stegun 7.1.26.
fn gelu(x: &mut [f32], slope: &mut [f32]) {
    const ROOT: f32 = 0.398_942_3;
    for (v, s) in x.iter_mut().zip(slope) {
        let z = v.abs() * std::f32::consts::FRAC_1_SQRT_2;
        let t = 1.0 / (1.0 + 0.327_591_1 * z);
        let p = t
            * (0.254_829_6 + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152_1 + t * 1.061_405_4))));
        let e = exp_negative(-(z * z));
        let tail = 0.5 * p * e;
        let phi = if *v > 0.0 { 1.0 - tail } else { tail };
        *s = phi + *v * ROOT * e;
        *v *= phi;
    }
}

#[cfg(test)]
#[path = "cpu_tests.rs"]
mod tests;
