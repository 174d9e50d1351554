//! The network on burn: derivatives by its autodiff, on any of its back-ends. For graphics cards, and to
//! check the network that is derived by hand.

use burn::tensor::activation::{gelu, softmax};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{Tensor, TensorData};
use pocketgraph_models::minilm::EPSILON;
use pocketgraph_train::network::{
    Adam, BETAS, Batch, DenseAt, EPSILON as SMALL, LayerAt, Layout, Learner, Moments, Network, NormAt, Rates,
    Scores,
};
use rayon::prelude::*;
use std::ops::Range;

/// Sequences are padded to a multiple of this.
const LENGTHS: usize = 8;

/// The network on a back-end of burn.
pub struct Burning<B: AutodiffBackend> {
    layout: Layout,
    device: B::Device,
    name: String,
    last: Option<Pass<B>>,
}

/// A forward pass: its numbers and scores, with the graph of operations between them, and how sequences were
/// padded.
struct Pass<B: Backend> {
    weights: Weights<B>,
    first: Tensor<B, 2>,
    tags: Option<Tensor<B, 3>>,
    lengths: Vec<usize>,
    longest: usize,
}

/// All numbers of the network, on the device.
struct Weights<B: Backend> {
    layers: Vec<LayerWeights<B>>,
    /// The heads of first tokens and of all, where there are any.
    heads: Option<[Affine<B>; 2]>,
}

struct LayerWeights<B: Backend> {
    qkv: Affine<B>,
    attended: Affine<B>,
    attention_norm: Affine<B>,
    up: Affine<B>,
    down: Affine<B>,
    output_norm: Affine<B>,
}

/// A linear layer's `weight[output][input]` and its biases as one row, or a normalisation's, each as one row.
struct Affine<B: Backend> {
    weight: Tensor<B, 2>,
    bias: Tensor<B, 2>,
}

impl<B: Backend> Affine<B> {
    fn dense(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        x.matmul(self.weight.clone().transpose()) + self.bias.clone()
    }

    fn normalise(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let centred = x.clone() - x.mean_dim(1);
        let variance = (centred.clone() * centred.clone()).mean_dim(1);
        centred / (variance + EPSILON).sqrt() * self.weight.clone() + self.bias.clone()
    }
}

impl<B: Backend> Weights<B> {
    /// The numbers of a layout, each matrix given by where it stands and how many rows it has.
    fn new(layout: &Layout, matrix: &dyn Fn(Range<usize>, usize) -> Tensor<B, 2>) -> Weights<B> {
        let dense = |at: &DenseAt| Affine {
            weight: matrix(at.weight.clone(), at.outputs),
            bias: matrix(at.bias.clone(), 1),
        };
        let norm =
            |at: &NormAt| Affine { weight: matrix(at.weight.clone(), 1), bias: matrix(at.bias.clone(), 1) };
        let layer = |at: &LayerAt| LayerWeights {
            qkv: dense(&at.qkv),
            attended: dense(&at.attended),
            attention_norm: norm(&at.attention_norm),
            up: dense(&at.up),
            down: dense(&at.down),
            output_norm: norm(&at.output_norm),
        };
        let heads = (!layout.sizes.gives_means()).then(|| [dense(&layout.first), dense(&layout.tags)]);
        Weights { layers: layout.layers.iter().map(layer).collect(), heads }
    }

    /// All matrices, as they stand one after the other in the layout.
    fn in_order(&self) -> impl Iterator<Item = &Tensor<B, 2>> {
        let layers = self
            .layers
            .iter()
            .flat_map(|l| [&l.qkv, &l.attended, &l.attention_norm, &l.up, &l.down, &l.output_norm]);
        layers.chain(self.heads.iter().flatten()).flat_map(|a| [&a.weight, &a.bias])
    }
}

/// Self-attention over padded sequences; `hide` is far below zero where there is no token.
// A slice along the first dimension alone is meant.
#[allow(clippy::single_range_in_vec_init)]
fn attend<B: Backend>(
    qkv: Tensor<B, 2>,
    hide: &Tensor<B, 4>,
    [sequences, longest, heads, size]: [usize; 4],
) -> Tensor<B, 2> {
    let parts: Tensor<B, 5> = qkv.reshape([sequences, longest, 3, heads, size]).permute([2, 0, 3, 1, 4]);
    let part = |i: usize| parts.clone().slice([i..i + 1]).reshape([sequences, heads, longest, size]);
    let (queries, keys, values): (Tensor<B, 4>, Tensor<B, 4>, Tensor<B, 4>) = (part(0), part(1), part(2));
    let scores = queries.matmul(keys.transpose()) / (size as f64).sqrt() + hide.clone();
    softmax(scores, 3).matmul(values).permute([0, 2, 1, 3]).reshape([sequences * longest, heads * size])
}

impl<B: AutodiffBackend> Burning<B> {
    /// For a network of this layout, on a device.
    pub fn new(layout: Layout, device: B::Device, name: &str) -> Burning<B> {
        Burning { layout, device, name: name.to_owned(), last: None }
    }

    fn matrix(&self, values: Vec<f32>, rows: usize) -> Tensor<B, 2> {
        let columns = values.len() / rows.max(1);
        Tensor::from_data(TensorData::new(values, [rows, columns]), &self.device)
    }

    /// Numbers brought to the device, of which the gradient may be asked where they are to be `trained`.
    fn weights(&self, p: &[f32], trained: bool) -> Weights<B> {
        let matrix = |range: Range<usize>, rows: usize| {
            let matrix = self.matrix(p[range].to_vec(), rows);
            if trained { matrix.require_grad() } else { matrix }
        };
        Weights::new(&self.layout, &matrix)
    }

    fn pass(&self, weights: Weights<B>, batch: &Batch) -> Pass<B> {
        let sizes = self.layout.sizes;
        let (hidden, sequences) = (sizes.hidden, batch.lengths.len());
        // Few different lengths: a card's kernels are made for each.
        let longest = batch.lengths.iter().copied().max().unwrap_or(1).next_multiple_of(LENGTHS);
        let (mut padded, mut hide) =
            (vec![0.0; sequences * longest * hidden], vec![0.0; sequences * longest]);
        let mut rest = batch.x.as_slice();
        let sequence = |&n: &usize| {
            let (x, after) = rest.split_at(n * hidden);
            rest = after;
            x
        };
        let rows: Vec<&[f32]> = batch.lengths.iter().map(sequence).collect();
        // A card waits for these numbers, so all cores bring them together.
        padded
            .par_chunks_exact_mut(longest * hidden)
            .zip(&rows)
            .for_each(|(to, x)| to[..x.len()].copy_from_slice(x));
        hide.chunks_exact_mut(longest).zip(&batch.lengths).for_each(|(hide, &n)| hide[n..].fill(-1e9));
        let hide: Tensor<B, 4> =
            Tensor::from_data(TensorData::new(hide, [sequences, 1, 1, longest]), &self.device);
        let mut x = self.matrix(padded, sequences * longest);
        for w in &weights.layers {
            let gathered = attend(
                w.qkv.dense(x.clone()),
                &hide,
                [sequences, longest, sizes.heads, hidden / sizes.heads],
            );
            let middle = w.attention_norm.normalise(x + w.attended.dense(gathered));
            x = w.output_norm.normalise(middle.clone() + w.down.dense(gelu(w.up.dense(middle))));
        }
        let tokens = x.clone().reshape([sequences, longest, hidden]);
        let (first, tags) = match &weights.heads {
            None => {
                let shares = batch
                    .lengths
                    .iter()
                    .flat_map(|&n| (0..longest).map(move |i| if i < n { 1.0 / n as f32 } else { 0.0 }));
                let shares: Tensor<B, 3> =
                    self.matrix(shares.collect(), sequences).reshape([sequences, longest, 1]);
                ((tokens * shares).sum_dim(1).reshape([sequences, hidden]), None)
            }
            Some([first, tags]) => {
                let firsts = first.dense(tokens.slice([0..sequences, 0..1]).reshape([sequences, hidden]));
                (firsts, Some(tags.dense(x).reshape([sequences, longest, sizes.tags])))
            }
        };
        Pass { weights, first, tags, lengths: batch.lengths.clone(), longest }
    }
}

impl<B: AutodiffBackend> Pass<B> {
    fn scores(&self, tags: usize) -> Scores {
        let of_tags = self
            .tags
            .clone()
            .map(|t| unpadded(&numbers(t), &self.lengths, self.longest, tags))
            .unwrap_or_default();
        Scores { first: numbers(self.first.clone()), tags: of_tags }
    }

    /// The gradient by each matrix, one after the other as in the layout, of a loss whose gradient by the
    /// scores is this.
    fn backward(self, by_scores: &Scores, network: &Burning<B>) -> Vec<Tensor<B::InnerBackend, 2>> {
        let sizes = network.layout.sizes;
        let sequences = self.lengths.len();
        let by_first = network.matrix(by_scores.first.clone(), sequences);
        // A loss whose gradient by the scores is the one that was given.
        let mut loss = (self.first * by_first).sum();
        if let Some(tags) = self.tags {
            let mut by_tags = vec![0.0; sequences * self.longest * sizes.tags];
            let mut from = 0;
            for (i, n) in self.lengths.iter().enumerate() {
                let n = n * sizes.tags;
                by_tags[i * self.longest * sizes.tags..][..n]
                    .copy_from_slice(&by_scores.tags[from..from + n]);
                from += n;
            }
            let by_tags = network.matrix(by_tags, sequences).reshape([sequences, self.longest, sizes.tags]);
            loss = loss + (tags * by_tags).sum();
        }
        let gradients = loss.backward();
        self.weights
            .in_order()
            .map(|t| t.grad(&gradients).unwrap_or_else(|| t.clone().inner().zeros_like()))
            .collect()
    }
}

impl<B: AutodiffBackend> Network for Burning<B> {
    fn forward(&mut self, p: &[f32], batch: &Batch) -> Scores {
        self.last = None;
        let pass = self.pass(self.weights(p, true), batch);
        let scores = pass.scores(self.layout.sizes.tags);
        self.last = Some(pass);
        scores
    }

    fn scores(&mut self, p: &[f32], batch: &Batch) -> Scores {
        self.pass(self.weights(p, false), batch).scores(self.layout.sizes.tags)
    }

    fn backward(&mut self, _: &[f32], by_scores: &Scores, gradient: &mut [f32]) {
        let Some(pass) = self.last.take() else { return gradient.fill(0.0) };
        let mut rest = gradient;
        for of in pass.backward(by_scores, self) {
            let of = numbers(of);
            let (to, after) = rest.split_at_mut(of.len());
            to.copy_from_slice(&of);
            rest = after;
        }
    }

    fn learner(&self, parameters: &[f32], adam: &Adam) -> Box<dyn Learner> {
        Box::new(Resident::new(
            Burning::<B>::new(self.layout.clone(), self.device.clone(), &self.name),
            parameters,
            adam,
        ))
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

/// Numbers that stay on the device from step to step, with the optimiser's memory of them.
struct Resident<B: AutodiffBackend> {
    network: Burning<B>,
    parameters: Tensor<B::InnerBackend, 1>,
    mean: Tensor<B::InnerBackend, 1>,
    square: Tensor<B::InnerBackend, 1>,
    steps: u64,
    /// Each number's share of the rate.
    shares: Tensor<B::InnerBackend, 1>,
    /// The same where numbers decay; zero where they do not.
    decays: Tensor<B::InnerBackend, 1>,
}

impl<B: AutodiffBackend> Resident<B> {
    fn new(network: Burning<B>, parameters: &[f32], adam: &Adam) -> Resident<B> {
        let bring = |values: &[f32]| {
            Tensor::from_data(TensorData::new(values.to_vec(), [values.len()]), &network.device)
        };
        let (shares, decays) = adam.shares();
        Resident {
            parameters: bring(parameters),
            mean: bring(&adam.moments.mean),
            square: bring(&adam.moments.square),
            steps: adam.moments.steps,
            shares: bring(&shares),
            decays: bring(&decays),
            network,
        }
    }
}

impl<B: AutodiffBackend> Learner for Resident<B> {
    // A slice along the first dimension alone is meant.
    #[allow(clippy::single_range_in_vec_init)]
    fn forward(&mut self, batch: &Batch) -> Scores {
        self.network.last = None;
        let matrix = |range: Range<usize>, rows: usize| {
            let columns = range.len() / rows.max(1);
            let numbers = self.parameters.clone().slice([range]).reshape([rows, columns]);
            Tensor::<B, 2>::from_inner(numbers).require_grad()
        };
        let pass = self.network.pass(Weights::new(&self.network.layout, &matrix), batch);
        let scores = pass.scores(self.network.layout.sizes.tags);
        self.network.last = Some(pass);
        scores
    }

    fn learn(&mut self, by_scores: &Scores, rates: &Rates, factor: f32) {
        let Some(pass) = self.network.last.take() else { return };
        let flat = |t: Tensor<B::InnerBackend, 2>| {
            let n = t.shape().num_elements();
            t.reshape([n])
        };
        let gradient =
            Tensor::cat(pass.backward(by_scores, &self.network).into_iter().map(flat).collect(), 0);
        let length =
            numbers((gradient.clone() * gradient.clone()).sum()).first().map_or(f32::NAN, |l| l.sqrt());
        if !length.is_finite() {
            return;
        }
        self.steps += 1;
        let (one, two) = Adam::unbias(self.steps);
        let gradient = gradient * rates.shorten(length);
        self.mean = self.mean.clone() * BETAS.0 + gradient.clone() * (1.0 - BETAS.0);
        self.square = self.square.clone() * BETAS.1 + gradient.clone() * gradient * (1.0 - BETAS.1);
        let rate = rates.rate * factor;
        let step = self.mean.clone() / one / ((self.square.clone() / two).sqrt() + SMALL)
            * self.shares.clone()
            * rate;
        let decayed = self.parameters.clone() * self.decays.clone() * (rate * rates.decay);
        self.parameters = self.parameters.clone() - decayed - step;
    }

    fn read(&mut self, parameters: &mut Vec<f32>, moments: &mut Moments) {
        *parameters = numbers(self.parameters.clone());
        moments.mean = numbers(self.mean.clone());
        moments.square = numbers(self.square.clone());
        moments.steps = self.steps;
    }
}

/// A tensor's numbers, row by row. A back-end of floats has floats.
fn numbers<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Vec<f32> {
    tensor.into_data().convert::<f32>().to_vec().unwrap_or_default()
}

fn unpadded(values: &[f32], lengths: &[usize], longest: usize, width: usize) -> Vec<f32> {
    lengths
        .iter()
        .enumerate()
        .flat_map(|(i, n)| &values[i * longest * width..][..n * width])
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::backend::{Autodiff, Flex};
    use pocketgraph_cluster::Random;
    use pocketgraph_train::network::{Cpu, Sizes};

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
        let rates = Rates { rate: 1e-3, ..Rates::default() };
        let run = |network: &mut dyn Network| {
            let unremembered = network.scores(&p, &batch);
            let scores = network.forward(&p, &batch);
            assert_eq!(scores, unremembered);
            let mut gradient = vec![0.0; layout.len];
            network.backward(&p, &by, &mut gradient);
            let (mut learnt, mut moments) = (Vec::new(), Moments::default());
            let mut learner = network.learner(&p, &Adam::new(&layout, &rates, moments.clone()));
            for step in 0..3 {
                assert!(step > 0 || learner.forward(&batch) == scores);
                learner.forward(&batch);
                learner.learn(&by, &rates, 1.0);
            }
            learner.read(&mut learnt, &mut moments);
            assert_eq!(moments.steps, 3);
            (scores, gradient, learnt)
        };
        let (ours, our_gradient, ours_learnt) = run(&mut Cpu::new(layout.clone()));
        let (theirs, their_gradient, theirs_learnt) =
            run(&mut Burning::<Autodiff<Flex>>::new(layout.clone(), Default::default(), "flex"));
        let close = |a: &[f32], b: &[f32], by: f32| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= by)
        };
        assert!(close(&ours.first, &theirs.first, 1e-4) && close(&ours.tags, &theirs.tags, 1e-4));
        assert!(close(&our_gradient, &their_gradient, 2e-3));
        // A step moves a number by the rate whatever its gradient is, so numbers of hardly any gradient may
        // go either way.
        let apart =
            |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f32>() / a.len() as f32;
        assert!(apart(&ours_learnt, &p) > 1e-4 && apart(&ours_learnt, &theirs_learnt) < 2e-6);
    }
}
