//! Trains a token table (`pocketgraph train query-table`): a vector for every token, whose sum over a
//! question points like all-MiniLM-L6-v2's vector.
//!
//! q = normalise(b + sum of T[token]), without `[CLS]` and `[SEP]`. The rows begin as the model's own vectors
//! of single tokens, without their mean (which they share, and which would hide their differences) and damped
//! by frequency as in SIF (Arora, Liang and Ma 2017). Adam (Kingma and Ba 2015) then fits them to the model's
//! vectors of short texts. The same texts and seed give the same bytes.

use pocketgraph::vector::{QuantizedMatrix, QuantizedVector};
use pocketgraph_cluster::Random;
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_models::token_table::{TokenTable, dot, norm};
use rayon::prelude::*;

/// SIF's constant: a token of this probability counts half.
const SIF: f64 = 1e-3;
/// Adam's decay rates, and what keeps it from dividing by zero.
const BETAS: (f32, f32) = (0.9, 0.99);
const EPSILON: f32 = 1e-8;
/// The bias moves at a third of the rows' rate.
const BIAS_SHARE: f32 = 1.0 / 3.0;
const WARM_UP: usize = 30;

/// Options of the fit.
#[derive(Debug, Clone)]
pub struct Options {
    /// Passes over the texts.
    pub epochs: usize,
    /// Texts a step.
    pub batch: usize,
    /// Adam's highest learning rate; linear decay to 0 follows.
    pub rate: f32,
    /// Held-out texts.
    pub held_out: usize,
    /// Fixes the order of the texts.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { epochs: 6, batch: 4096, rate: 3e-3, held_out: 4000, seed: 0 }
    }
}

/// Distillation targets: the texts' tokens and the teacher's vectors of them.
#[derive(Debug, Clone, PartialEq)]
pub struct DistillationTargets {
    /// Content tokens of each text.
    pub tokens: Vec<Vec<u32>>,
    /// Unit vectors, one a text.
    pub targets: QuantizedMatrix,
}

/// Result of the fit: mean cosine to the model's vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// After which epoch; 0 for the beginning.
    pub epoch: usize,
    /// Over the texts of the epoch, as they were met.
    pub learnt: f64,
    /// Over the texts held out.
    pub held_out: f64,
}

/// Returns the initial table: the model's vectors of single tokens, `alone`, without their mean, damped by
/// the frequency of the token in `tokens`.
pub fn untrained(alone: &[Vec<f32>], tokens: &[Vec<u32>]) -> TokenTable {
    let dim = alone.first().map_or(0, Vec::len);
    let mut counts = vec![1u64; alone.len()];
    for &t in tokens.iter().flatten() {
        if let Some(n) = counts.get_mut(t as usize) {
            *n += 1;
        }
    }
    let total: u64 = counts.iter().sum();
    let share: Vec<f64> = counts.iter().map(|&n| n as f64 / total as f64).collect();
    let mut rows: Vec<f32> = alone.concat();
    let mut mean = vec![0f64; dim];
    for (row, p) in rows.chunks_exact(dim).zip(&share) {
        mean.iter_mut().zip(row).for_each(|(m, &x)| *m += p * f64::from(x));
    }
    for (row, p) in rows.chunks_exact_mut(dim).zip(&share) {
        row.iter_mut().zip(&mean).for_each(|(x, m)| *x = ((f64::from(*x) - m) * SIF / (SIF + p)) as f32);
    }
    TokenTable { dim, rows, bias: vec![0.0; dim] }
}

/// Fits the rows to the targets; `hear` gets the losses of every epoch.
pub fn fit_table(
    table: &mut TokenTable,
    lessons: &DistillationTargets,
    options: &Options,
    hear: &mut dyn FnMut(Fit),
) {
    let mut order: Vec<usize> = (0..lessons.tokens.len()).collect();
    let mut random = Random::new(options.seed, 1);
    random.shuffle(&mut order);
    let held_out = order.split_off(order.len() - options.held_out.min(order.len() / 10));
    let mut adam = Adam::new(table);
    let steps = options.epochs * order.len().div_ceil(options.batch.max(1));
    hear(Fit { epoch: 0, learnt: 0.0, held_out: mean_cosine(table, lessons, &held_out) });
    let mut step = 0;
    for epoch in 1..=options.epochs {
        random.shuffle(&mut order);
        let mut learnt = 0.0;
        for batch in order.chunks(options.batch.max(1)) {
            let (warm, left) = ((step + 1) as f32 / WARM_UP as f32, (steps - step) as f32 / steps as f32);
            learnt += adam.step(table, lessons, batch, options.rate * warm.min(1.0) * left);
            step += 1;
        }
        let learnt = learnt / order.len().max(1) as f64;
        hear(Fit { epoch, learnt, held_out: mean_cosine(table, lessons, &held_out) });
    }
}

fn mean_cosine(table: &TokenTable, lessons: &DistillationTargets, which: &[usize]) -> f64 {
    let cosine = |&i: &usize| {
        table.embed(&lessons.tokens[i]).map_or(0.0, |q| f64::from(dot(&q, &lessons.targets.row_f32(i))))
    };
    which.par_iter().map(cosine).collect::<Vec<f64>>().iter().sum::<f64>() / which.len().max(1) as f64
}

/// The moments of every number's gradient.
struct Adam {
    first: Vec<f32>,
    second: Vec<f32>,
    bias_first: Vec<f32>,
    bias_second: Vec<f32>,
    /// beta^t.
    powers: (f32, f32),
}

impl Adam {
    fn new(table: &TokenTable) -> Adam {
        let zeros = |n: usize| vec![0f32; n];
        let (n, dim) = (table.rows.len(), table.dim);
        Adam {
            first: zeros(n),
            second: zeros(n),
            bias_first: zeros(dim),
            bias_second: zeros(dim),
            powers: (1.0, 1.0),
        }
    }

    /// One step on the texts `batch`; the sum of their cosines before it.
    fn step(
        &mut self,
        table: &mut TokenTable,
        lessons: &DistillationTargets,
        batch: &[usize],
        rate: f32,
    ) -> f64 {
        let dim = table.dim;
        let lesson = |&i: &usize| {
            let mut u = table.sum(&lessons.tokens[i]);
            let cosine = cosine_gradient(&mut u, &lessons.targets.row_f32(i), 1.0 / batch.len() as f32);
            (u, f64::from(cosine))
        };
        let (gradients, cosines): (Vec<Vec<f32>>, Vec<f64>) = batch.par_iter().map(lesson).unzip();
        // Texts with each token: a token that occurs twice is listed twice.
        let vocabulary = table.rows.len() / dim;
        let mut ends = vec![0usize; vocabulary + 1];
        for &t in batch.iter().flat_map(|&i| &lessons.tokens[i]) {
            ends[t as usize + 1] += 1;
        }
        for t in 0..vocabulary {
            ends[t + 1] += ends[t];
        }
        let mut holders = vec![0u32; ends[vocabulary]];
        let mut next = ends.clone();
        for (place, &i) in batch.iter().enumerate() {
            for &t in &lessons.tokens[i] {
                holders[next[t as usize]] = place as u32;
                next[t as usize] += 1;
            }
        }
        self.powers = (self.powers.0 * BETAS.0, self.powers.1 * BETAS.1);
        let powers = self.powers;
        let moments = self.first.par_chunks_exact_mut(dim).zip(self.second.par_chunks_exact_mut(dim));
        table.rows.par_chunks_exact_mut(dim).zip(moments).enumerate().for_each(
            |(t, (row, (first, second)))| {
                let mut gradient = vec![0f32; dim];
                for &place in &holders[ends[t]..ends[t + 1]] {
                    gradient.iter_mut().zip(&gradients[place as usize]).for_each(|(s, g)| *s += g);
                }
                update_numbers(row, &gradient, first, second, powers, rate);
            },
        );
        let mut gradient = vec![0f32; dim];
        gradients.iter().for_each(|g| gradient.iter_mut().zip(g).for_each(|(s, g)| *s += g));
        update_numbers(
            &mut table.bias,
            &gradient,
            &mut self.bias_first,
            &mut self.bias_second,
            powers,
            rate * BIAS_SHARE,
        );
        cosines.iter().sum()
    }
}

fn update_numbers(
    x: &mut [f32],
    gradient: &[f32],
    first: &mut [f32],
    second: &mut [f32],
    powers: (f32, f32),
    rate: f32,
) {
    let (a, b) = (1.0 / (1.0 - powers.0), 1.0 / (1.0 - powers.1));
    for (((x, &g), m), v) in x.iter_mut().zip(gradient).zip(first).zip(second) {
        *m = BETAS.0 * *m + (1.0 - BETAS.0) * g;
        *v = BETAS.1 * *v + (1.0 - BETAS.1) * g * g;
        *x -= rate * (*m * a) / ((*v * b).sqrt() + EPSILON);
    }
}

/// Replaces u by the gradient of `weight` (1 - cos(u, y)) for a y of length 1; returns the cosine.
pub fn cosine_gradient(u: &mut [f32], y: &[f32], weight: f32) -> f32 {
    // It is (cos * q - y) / |u|, q = u / |u|.
    let length = norm(u).max(1e-6);
    let cosine = dot(u, y) / length;
    let scale = weight / length;
    u.iter_mut().zip(y).for_each(|(u, y)| *u = (cosine * *u / length - y) * scale);
    cosine
}

/// The model's vectors of single tokens, one a token of the vocabulary.
pub fn embed_single_tokens(model: &NativeEmbedder) -> Vec<Vec<f32>> {
    model.embed_tokens(&(0..model.words().rows() as u32).map(|t| vec![t]).collect::<Vec<_>>())
}

/// Returns the distillation targets of `texts` with their vectors, without texts that have no content token.
pub fn distillation_targets(
    model: &NativeEmbedder,
    texts: &[String],
    vectors: &[Vec<f32>],
) -> DistillationTargets {
    let tokens = texts.par_iter().map(|text| model.tokenizer().content(text)).collect::<Vec<_>>();
    let mut lessons =
        DistillationTargets { tokens: Vec::new(), targets: QuantizedMatrix::empty(model.dim()) };
    tokens.into_iter().zip(vectors).for_each(|(content, vector)| lessons.add(content, vector));
    lessons
}

impl DistillationTargets {
    /// Adds the vocabulary's whole words by themselves, whose vectors are `alone`.
    pub fn add_words(&mut self, model: &NativeEmbedder, alone: &[Vec<f32>]) {
        for (token, vector) in (0u32..).zip(alone) {
            if model
                .tokenizer()
                .token(token)
                .is_some_and(|w| w.len() > 1 && w.bytes().all(|b| b.is_ascii_lowercase()))
            {
                self.add(vec![token], vector);
            }
        }
    }

    fn add(&mut self, content: Vec<u32>, vector: &[f32]) {
        if !content.is_empty() {
            self.tokens.push(content);
            self.targets.push(&QuantizedVector::from_f32(vector));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Targets that a table can fit exactly: the targets are sums of hidden rows.
    fn fitting_targets(vocabulary: u32, dim: usize, n: usize) -> DistillationTargets {
        let mut random = Random::new(5, 1);
        let number = |random: &mut Random| (0..dim).map(|_| random.unit() as f32 - 0.5).collect::<Vec<f32>>();
        let hidden: Vec<Vec<f32>> = (0..vocabulary).map(|_| number(&mut random)).collect();
        let tokens: Vec<Vec<u32>> = (0..n)
            .map(|_| (0..1 + random.below(5)).map(|_| random.below(vocabulary as usize) as u32).collect())
            .collect();
        let mut targets = QuantizedMatrix::empty(dim);
        for text in &tokens {
            let sum = TokenTable { dim, rows: hidden.concat(), bias: vec![0.0; dim] }.embed(text);
            targets.push(&QuantizedVector::from_f32(&sum.unwrap_or_else(|| vec![0.0; dim])));
        }
        DistillationTargets { tokens, targets }
    }

    fn fitted(threads: usize) -> (TokenTable, Vec<Fit>) {
        let lessons = fitting_targets(40, 16, 600);
        let mut random = Random::new(9, 1);
        let mut table = TokenTable {
            dim: 16,
            rows: (0..40 * 16).map(|_| random.unit() as f32 * 0.2 - 0.1).collect(),
            bias: vec![0.0; 16],
        };
        let options = Options { epochs: 30, batch: 64, rate: 1e-2, held_out: 60, seed: 3 };
        let mut losses = Vec::new();
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| fit_table(&mut table, &lessons, &options, &mut |f| losses.push(f)));
        (table, losses)
    }

    #[test]
    fn a_table_learns_what_a_table_can_say_and_texts_held_out_show_it() {
        let (_, losses) = fitted(2);
        assert!(losses[0].held_out < 0.5 && losses.last().unwrap().held_out > 0.97, "{losses:?}");
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        assert!(fitted(1).0 == fitted(3).0);
    }

    #[test]
    fn the_gradient_is_that_of_the_cosine() {
        let lessons = fitting_targets(8, 6, 1);
        let table = TokenTable {
            dim: 6,
            rows: (0..48).map(|i| ((i * 7) % 11) as f32 * 0.1 - 0.5).collect(),
            bias: vec![0.05; 6],
        };
        let loss =
            |t: &TokenTable| 1.0 - dot(&t.embed(&lessons.tokens[0]).unwrap(), &lessons.targets.row_f32(0));
        // One step of Adam moves every number by the rate against the sign of its gradient.
        let (mut stepped, rate) = (table.clone(), 1e-3);
        Adam::new(&table).step(&mut stepped, &lessons, &[0], rate);
        for i in 0..6 {
            let at = lessons.tokens[0][0] as usize * 6 + i;
            let mut nudged = table.clone();
            nudged.rows[at] += 1e-2;
            let slope = loss(&nudged) - loss(&table);
            if slope.abs() > 1e-4 {
                assert!((stepped.rows[at] - table.rows[at] + rate * slope.signum()).abs() < 1e-4, "{i}");
            }
        }
    }
}
