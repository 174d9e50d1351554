//! Trains the student: batches of texts of about one length, the next one prepared during training.
//!
//! Every step follows from the seed and its own number, so that an interrupted run continues identically.

use crate::network::{
    self, Adam, Batch, Layout, Learner, Measure, Network, Rates, Run, Schedule, StopReason, TrainingEvent,
    batches, vectors,
};
use crate::query_table::{DistillationTargets, cosine_gradient};
use miette::Result;
use pocketgraph_models::embed_bulk::{NativeEmbedder, frame_tokens};
use pocketgraph_models::token_table::{TokenTable, dot};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;

/// The batch that the usual rate is for.
const USUAL_BATCH: f32 = 128.0;

/// Returns the default schedule of training.
pub fn usual() -> Schedule {
    let batch = 128;
    Schedule { batch, rates: rates(batch, None), check_every: 65_536, ..Schedule::default() }
}

/// Returns AdamW's learning rates, the same for all layers: by default 6e-4 at batch size 128, scaled by the
/// square root of the batch size.
pub fn rates(batch: usize, rate: Option<f32>) -> Rates {
    let rate = rate.unwrap_or_else(|| 6e-4 * (batch as f32 / USUAL_BATCH).max(1.0).sqrt());
    Rates { rate, encoder: 1.0, share: 1.0, ..Rates::default() }
}

/// One evaluation on the held-out texts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Steps before it.
    pub step: u64,
    /// Texts trained on before it.
    pub seen: u64,
    /// Seconds of training before it.
    pub seconds: f64,
    /// Mean loss of the steps since the last evaluation.
    pub loss: f64,
    /// Mean cosine to the model's vectors.
    pub cosine: f64,
}

impl Measure for Evaluation {
    fn value(&self) -> f64 {
        self.cosine
    }
}

/// A student's run.
pub type Checkpoint = network::Checkpoint<Evaluation>;

/// State of the training.
pub struct EncoderTrainer<'a> {
    /// The student's layout.
    pub layout: &'a Layout,
    /// Tokenizer, word vectors, positions and input normalisation.
    pub embedder: &'a NativeEmbedder,
    /// Texts to learn, with the model's vectors.
    pub targets: &'a DistillationTargets,
    /// Texts to measure with.
    pub held_out: &'a DistillationTargets,
    /// The token table whose unit vector is added to the student's before comparison; it stays constant.
    pub added: Option<&'a TokenTable>,
    /// Tells the run to write a checkpoint and end.
    pub stop: &'a AtomicBool,
}

/// A batch, what is asked of its vectors, and what is added to them.
struct Targeted {
    batch: Batch,
    /// The model's unit vectors, one after the other.
    targets: Vec<f32>,
    /// The token table's unit vectors likewise; empty without one.
    added: Vec<f32>,
}

impl EncoderTrainer<'_> {
    /// Trains from `state` on, which holds the best numbers afterwards beside the last.
    pub fn fit(
        &self,
        network: &mut dyn Network,
        state: &mut Checkpoint,
        schedule: &Schedule,
        hear: &mut dyn FnMut(TrainingEvent<'_, Evaluation>),
    ) -> Result<StopReason> {
        let batch = schedule.batch.max(1);
        let lengths: Vec<usize> = self.targets.tokens.iter().map(Vec::len).collect();
        let per_epoch = schedule.per_epoch(lengths.len());
        let mut learner = network
            .learner(&state.parameters, &Adam::new(self.layout, &schedule.rates, state.moments.clone()));
        let mut order = (u64::MAX, Vec::new());
        let mut chosen = |step: u64| {
            let epoch = step / per_epoch;
            if order.0 != epoch {
                order = (epoch, batches(&lengths, batch, schedule.seed, epoch));
            }
            order.1.get((step % per_epoch) as usize).cloned().unwrap_or_default()
        };
        let mut ready = self.batch(self.targets, &chosen(state.step));
        let mut train = |learner: &mut dyn Learner, step: u64, factor: f32| {
            let following = chosen(step + 1);
            std::thread::scope(|scope| {
                let next = scope.spawn(|| self.batch(self.targets, &following));
                let mut scores = learner.forward(&ready.batch);
                let cosines = sum_cosines(&mut scores.first, &ready, self.embedder.dim());
                learner.learn(&scores, &schedule.rates, factor);
                let trained = ready.batch.lengths.len();
                ready = next.join().unwrap_or_else(|e| std::panic::resume_unwind(e));
                (1.0 - cosines / trained.max(1) as f64, trained)
            })
        };
        let run = Run { schedule, examples: lengths.len(), patience: usize::MAX, stop: self.stop };
        let mut evaluate = |state: &Checkpoint, loss| self.evaluate(network, state, loss, batch);
        run.train(learner.as_mut(), state, &mut train, &mut evaluate, hear)
    }

    fn evaluate(&self, network: &mut dyn Network, state: &Checkpoint, loss: f64, batch: usize) -> Evaluation {
        let cosine = self.cosine(network, &state.parameters, batch);
        Evaluation { step: state.step, seen: state.seen, seconds: state.seconds, loss, cosine }
    }

    /// Returns the mean cosine of the held-out texts' vectors to the model's, in batches (on a GPU best of
    /// the size in training, for which its kernels are made).
    pub fn cosine(&self, network: &mut dyn Network, parameters: &[f32], batch: usize) -> f64 {
        let mut order: Vec<usize> = (0..self.held_out.tokens.len()).collect();
        order.sort_by_key(|&i| (self.held_out.tokens[i].len(), i));
        let mut sum = 0.0;
        for chunk in order.chunks(batch.max(1)) {
            let x = self.batch(self.held_out, chunk);
            sum += sum_cosines(&mut network.scores(parameters, &x.batch).first, &x, self.embedder.dim());
        }
        sum / order.len().max(1) as f64
    }

    /// The token vectors of some texts and what they shall come to, made on all cores.
    fn batch(&self, lessons: &DistillationTargets, which: &[usize]) -> Targeted {
        let e = self.embedder;
        let of = |&i: &usize| {
            (vectors(e.model(), e.words(), frame_tokens(&lessons.tokens[i])), lessons.targets.row_f32(i))
        };
        let (x, targets): (Vec<Vec<f32>>, Vec<Vec<f32>>) = which.par_iter().map(of).unzip();
        let lengths = x.iter().map(|x| x.len() / e.dim()).collect();
        let addend =
            |&i: &usize| self.added.map_or_else(Vec::new, |table| addend_of(table, &lessons.tokens[i]));
        let added: Vec<Vec<f32>> = which.par_iter().map(addend).collect();
        Targeted { batch: Batch { x: x.concat(), lengths }, targets: targets.concat(), added: added.concat() }
    }
}

/// The table's unit vector of a text; zeros where it has none.
fn addend_of(table: &TokenTable, tokens: &[u32]) -> Vec<f32> {
    table.embed(tokens).unwrap_or_else(|| vec![0.0; table.dim])
}

/// Puts in the place of each mean the gradient of the batch's mean loss by it; gives the sum of the cosines.
fn sum_cosines(means: &mut [f32], of: &Targeted, dim: usize) -> f64 {
    let weight = dim as f32 / means.len().max(1) as f32;
    let pair = |(i, u): (usize, &mut [f32])| {
        let y = &of.targets[i * dim..][..dim];
        f64::from(match of.added.get(i * dim..(i + 1) * dim) {
            None => cosine_gradient(u, y, weight),
            Some(added) => cosine_gradient_beside(u, added, y, weight),
        })
    };
    means.par_chunks_exact_mut(dim).enumerate().map(pair).collect::<Vec<f64>>().iter().sum()
}

/// The same for the direction of u / |u| + `added`, by u.
fn cosine_gradient_beside(u: &mut [f32], added: &[f32], y: &[f32], weight: f32) -> f32 {
    let length = dot(u, u).sqrt().max(1e-6);
    let mut by: Vec<f32> = u.iter().zip(added).map(|(u, t)| u / length + t).collect();
    let cosine = cosine_gradient(&mut by, y, weight);
    // A change along u does not change its direction.
    let along = dot(&by, u) / (length * length);
    u.iter_mut().zip(&by).for_each(|(u, g)| *u = (g - along * *u) / length);
    cosine
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
