//! The network on burn: derivatives by its autodiff, on any of its back-ends. For graphics cards, and to check the network that is derived by hand.

use super::parameters::{DenseAt, Layout, NormAt};
use super::{Batch, Network, Scores};
use crate::train::minilm::EPSILON;
use burn::tensor::activation::{gelu, softmax};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{Tensor, TensorData};
use rayon::prelude::*;

/// Sequences are padded to a multiple of this.
const LENGTHS: usize = 8;

/// The network on a back-end of burn.
pub struct Burning<B: AutodiffBackend> {
    layout: Layout,
    device: B::Device,
    name: String,
    /// Whether the pass that is made is remembered for the way back.
    remembers: bool,
    last: Option<Pass<B>>,
}

/// A forward pass: its parameters and scores, with the graph of operations between them, and how sequences were padded.
struct Pass<B: Backend> {
    layers: Vec<[Dense<B>; 4]>,
    norms: Vec<[Norm<B>; 2]>,
    /// The heads of first tokens and of all, where there are any.
    heads: Option<[Dense<B>; 2]>,
    first: Tensor<B, 2>,
    tags: Option<Tensor<B, 3>>,
    lengths: Vec<usize>,
    longest: usize,
}

/// A linear layer: `weight[output][input]`, and biases as one row.
#[derive(Clone)]
struct Dense<B: Backend> {
    weight: Tensor<B, 2>,
    bias: Tensor<B, 2>,
}

#[derive(Clone)]
struct Norm<B: Backend> {
    weight: Tensor<B, 2>,
    bias: Tensor<B, 2>,
}

impl<B: AutodiffBackend> Burning<B> {
    /// For a network of this layout, on a device.
    pub fn new(layout: Layout, device: B::Device, name: &str) -> Burning<B> {
        Burning { layout, device, name: name.to_owned(), remembers: true, last: None }
    }

    /// Numbers of which the gradient may be asked.
    fn trained(&self, values: &[f32], rows: usize) -> Tensor<B, 2> {
        let matrix = self.matrix(values.to_vec(), rows);
        if self.remembers { matrix.require_grad() } else { matrix }
    }

    fn matrix(&self, values: Vec<f32>, rows: usize) -> Tensor<B, 2> {
        let columns = values.len() / rows.max(1);
        Tensor::from_data(TensorData::new(values, [rows, columns]), &self.device)
    }

    fn dense(&self, p: &[f32], at: &DenseAt) -> Dense<B> {
        Dense { weight: self.trained(&p[at.weight.clone()], at.outputs), bias: self.trained(&p[at.bias.clone()], 1) }
    }

    fn norm(&self, p: &[f32], at: &NormAt) -> Norm<B> {
        Norm { weight: self.trained(&p[at.weight.clone()], 1), bias: self.trained(&p[at.bias.clone()], 1) }
    }
}

impl<B: Backend> Dense<B> {
    fn apply(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        x.matmul(self.weight.clone().transpose()) + self.bias.clone()
    }
}

impl<B: Backend> Norm<B> {
    fn apply(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let centred = x.clone() - x.mean_dim(1);
        let variance = (centred.clone() * centred.clone()).mean_dim(1);
        centred / (variance + EPSILON).sqrt() * self.weight.clone() + self.bias.clone()
    }
}

/// Self-attention over padded sequences; `hide` is far below zero where there is no token.
// A slice along the first dimension alone is meant.
#[allow(clippy::single_range_in_vec_init)]
fn attend<B: Backend>(qkv: Tensor<B, 2>, hide: &Tensor<B, 4>, [sequences, longest, heads, size]: [usize; 4]) -> Tensor<B, 2> {
    let parts: Tensor<B, 5> = qkv.reshape([sequences, longest, 3, heads, size]).permute([2, 0, 3, 1, 4]);
    let part = |i: usize| parts.clone().slice([i..i + 1]).reshape([sequences, heads, longest, size]);
    let (queries, keys, values): (Tensor<B, 4>, Tensor<B, 4>, Tensor<B, 4>) = (part(0), part(1), part(2));
    let scores = queries.matmul(keys.transpose()) / (size as f64).sqrt() + hide.clone();
    softmax(scores, 3).matmul(values).permute([0, 2, 1, 3]).reshape([sequences * longest, heads * size])
}

impl<B: AutodiffBackend> Network for Burning<B> {
    fn forward(&mut self, p: &[f32], batch: &Batch) -> Scores {
        let sizes = self.layout.sizes;
        let (hidden, sequences) = (sizes.hidden, batch.lengths.len());
        self.last = None;
        // Few different lengths: a card's kernels are made for each.
        let longest = batch.lengths.iter().copied().max().unwrap_or(1).next_multiple_of(LENGTHS);
        let (mut padded, mut hide) = (vec![0.0; sequences * longest * hidden], vec![0.0; sequences * longest]);
        let mut rest = batch.x.as_slice();
        let sequence = |&n: &usize| {
            let (x, after) = rest.split_at(n * hidden);
            rest = after;
            x
        };
        let rows: Vec<&[f32]> = batch.lengths.iter().map(sequence).collect();
        // A card waits for these numbers, so all cores bring them together.
        padded.par_chunks_exact_mut(longest * hidden).zip(&rows).for_each(|(to, x)| to[..x.len()].copy_from_slice(x));
        hide.chunks_exact_mut(longest).zip(&batch.lengths).for_each(|(hide, &n)| hide[n..].fill(-1e9));
        let hide: Tensor<B, 4> = Tensor::from_data(TensorData::new(hide, [sequences, 1, 1, longest]), &self.device);
        let mut x = self.matrix(padded, sequences * longest);
        let (mut layers, mut norms) = (Vec::new(), Vec::new());
        for at in &self.layout.layers {
            let dense = at.dense().map(|d| self.dense(p, d));
            let norm = [self.norm(p, &at.attention_norm), self.norm(p, &at.output_norm)];
            let gathered = attend(dense[0].apply(x.clone()), &hide, [sequences, longest, sizes.heads, hidden / sizes.heads]);
            let middle = norm[0].apply(x + dense[1].apply(gathered));
            x = norm[1].apply(middle.clone() + dense[3].apply(gelu(dense[2].apply(middle))));
            layers.push(dense);
            norms.push(norm);
        }
        let tokens = x.clone().reshape([sequences, longest, hidden]);
        let (heads, first, tags) = if sizes.gives_means() {
            let shares = batch.lengths.iter().flat_map(|&n| (0..longest).map(move |i| if i < n { 1.0 / n as f32 } else { 0.0 }));
            let shares: Tensor<B, 3> = self.matrix(shares.collect(), sequences).reshape([sequences, longest, 1]);
            (None, (tokens * shares).sum_dim(1).reshape([sequences, hidden]), None)
        } else {
            let heads = [self.dense(p, &self.layout.first), self.dense(p, &self.layout.tags)];
            let first = heads[0].apply(tokens.slice([0..sequences, 0..1]).reshape([sequences, hidden]));
            let tags: Tensor<B, 3> = heads[1].apply(x).reshape([sequences, longest, sizes.tags]);
            (Some(heads), first, Some(tags))
        };
        let of_tags = tags.clone().map(|t| unpadded(&numbers(t), &batch.lengths, longest, sizes.tags)).unwrap_or_default();
        let scores = Scores { first: numbers(first.clone()), tags: of_tags };
        self.last = self.remembers.then_some(Pass { layers, norms, heads, first, tags, lengths: batch.lengths.clone(), longest });
        scores
    }

    fn scores(&mut self, p: &[f32], batch: &Batch) -> Scores {
        self.remembers = false;
        let scores = self.forward(p, batch);
        self.remembers = true;
        scores
    }

    fn backward(&mut self, _: &[f32], by_scores: &Scores, gradient: &mut [f32]) {
        gradient.fill(0.0);
        let Some(pass) = self.last.take() else { return };
        let sizes = self.layout.sizes;
        let sequences = pass.lengths.len();
        let by_first = self.matrix(by_scores.first.clone(), sequences);
        // A loss whose gradient by the scores is the one that was given.
        let mut loss = (pass.first * by_first).sum();
        if let Some(tags) = pass.tags {
            let mut by_tags = vec![0.0; sequences * pass.longest * sizes.tags];
            let mut from = 0;
            for (i, n) in pass.lengths.iter().enumerate() {
                let n = n * sizes.tags;
                by_tags[i * pass.longest * sizes.tags..][..n].copy_from_slice(&by_scores.tags[from..from + n]);
                from += n;
            }
            let by_tags = self.matrix(by_tags, sequences).reshape([sequences, pass.longest, sizes.tags]);
            loss = loss + (tags * by_tags).sum();
        }
        let gradients = loss.backward();
        let mut put = |range: std::ops::Range<usize>, of: &Tensor<B, 2>| {
            if let Some(g) = of.grad(&gradients) {
                gradient[range].copy_from_slice(&numbers(g));
            }
        };
        let mut dense = |at: &DenseAt, of: &Dense<B>| {
            put(at.weight.clone(), &of.weight);
            put(at.bias.clone(), &of.bias);
        };
        for (at, of) in self.layout.layers.iter().zip(&pass.layers) {
            at.dense().into_iter().zip(of).for_each(|(at, of)| dense(at, of));
        }
        if let Some([first, tags]) = &pass.heads {
            dense(&self.layout.first, first);
            dense(&self.layout.tags, tags);
        }
        for (at, of) in self.layout.layers.iter().zip(&pass.norms) {
            for (at, of) in [&at.attention_norm, &at.output_norm].into_iter().zip(of) {
                put(at.weight.clone(), &of.weight);
                put(at.bias.clone(), &of.bias);
            }
        }
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

/// A tensor's numbers, row by row. A back-end of floats has floats.
fn numbers<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Vec<f32> {
    tensor.into_data().convert::<f32>().to_vec().unwrap_or_default()
}

fn unpadded(values: &[f32], lengths: &[usize], longest: usize, width: usize) -> Vec<f32> {
    lengths.iter().enumerate().flat_map(|(i, n)| &values[i * longest * width..][..n * width]).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Random;
    use crate::train::network::{Cpu, Sizes};
    use burn::backend::{Autodiff, Flex};

    #[test]
    fn burns_scores_and_gradients_are_those_derived_by_hand() {
        agree([4, 3, 2], 5);
    }

    #[test]
    fn so_are_burns_means_of_a_network_without_heads() {
        agree([0; 3], 0);
    }

    fn agree(first: [usize; 3], tags: usize) {
        let sizes = Sizes { hidden: 32, heads: 2, intermediate: 48, layers: 2, first, tags };
        let layout = Layout::new(sizes);
        let p = layout.random(1);
        let mut random = Random::new(2, 2);
        let mut noise = |n: usize| (0..n).map(|_| random.unit() as f32 * 2.0 - 1.0).collect::<Vec<f32>>();
        let lengths = vec![3, 1, 7, 4, 2];
        let batch = Batch { x: noise(17 * 32), lengths };
        let by = Scores { first: noise(5 * sizes.of_sequence()), tags: noise(17 * tags) };
        let run = |network: &mut dyn Network| {
            let unremembered = network.scores(&p, &batch);
            let scores = network.forward(&p, &batch);
            assert_eq!(scores, unremembered);
            let mut gradient = vec![0.0; layout.len];
            network.backward(&p, &by, &mut gradient);
            (scores, gradient)
        };
        let (ours, our_gradient) = run(&mut Cpu::new(layout.clone()));
        let (theirs, their_gradient) = run(&mut Burning::<Autodiff<Flex>>::new(layout.clone(), Default::default(), "flex"));
        let close = |a: &[f32], b: &[f32], by: f32| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= by);
        assert!(close(&ours.first, &theirs.first, 1e-4) && close(&ours.tags, &theirs.tags, 1e-4));
        assert!(close(&our_gradient, &their_gradient, 2e-3));
    }
}
