//! Supervised training: cross-entropy of all heads, AdamW, and the best checkpoint on held-out questions.
//!
//! Every step follows from the seed and its own number, so that an interrupted run continues identically.

use super::checkpoint::{Checkpoint, Evaluation};
use super::data::{Augmentation, Frames};
use super::loss::{Measured, cross_entropy};
use super::training_example::TrainingExample;
use crate::network::{self, Adam, Layout, Learner, Network, Run, Schedule, StopReason, TrainingEvent};
use miette::Result;
use std::sync::atomic::AtomicBool;

const MEASURED_AT_ONCE: usize = 256;

/// Options of the training.
#[derive(Debug, Clone)]
pub struct Options {
    /// Schedule of the training.
    pub schedule: Schedule,
    /// Early stopping: evaluations without improvement after which training ends.
    pub patience: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { schedule: Schedule::default(), patience: 6 }
    }
}

/// The order of an epoch's examples, in batches of questions of about one length.
fn draw_batches(lessons: &[TrainingExample], batch: usize, seed: u64, epoch: u64) -> Vec<Vec<usize>> {
    let lengths: Vec<usize> = lessons.iter().map(|l| l.question.len()).collect();
    network::batches(&lengths, batch, seed, epoch)
}

/// The share of some questions that a network with these parameters answers.
pub type Share<'a> = dyn Fn(&[f32], &mut dyn Network) -> f64 + 'a;

/// State of the training.
pub struct PlannerTrainer<'a> {
    /// The network's layout.
    pub layout: &'a Layout,
    /// The training set.
    pub examples: &'a [TrainingExample],
    /// The held-out set.
    pub held_out: &'a [TrainingExample],
    /// From questions to token vectors.
    pub frames: &'a Frames<'a>,
    /// Tells the run to write a checkpoint and end.
    pub stop: &'a AtomicBool,
    /// Executes the plans of held-out questions over a graph, if there is one, and returns the share that a
    /// network with these parameters answers. With the share of fully right questions it chooses the best
    /// weights.
    pub judge: Option<&'a Share<'a>>,
}

impl PlannerTrainer<'_> {
    /// Trains from `state` on, which holds the best weights afterwards beside the last.
    pub fn fit(
        &self,
        network: &mut dyn Network,
        state: &mut Checkpoint,
        options: &Options,
        hear: &mut dyn FnMut(TrainingEvent<'_, Evaluation>),
    ) -> Result<StopReason> {
        let schedule = &options.schedule;
        let batch = schedule.batch.max(1);
        let per_epoch = schedule.per_epoch(self.examples.len());
        let mut learner = network
            .learner(&state.parameters, &Adam::new(self.layout, &schedule.rates, state.moments.clone()));
        let mut order = (u64::MAX, Vec::new());
        let mut train = |learner: &mut dyn Learner, step: u64, factor: f32| {
            let epoch = step / per_epoch;
            if order.0 != epoch {
                order = (epoch, draw_batches(self.examples, batch, schedule.seed, epoch));
            }
            let chosen = &order.1[(step % per_epoch) as usize];
            let lessons: Vec<&TrainingExample> = chosen.iter().map(|&i| &self.examples[i]).collect();
            // Disturbances have a stream for each question of each step.
            let stream = (1 << 40) + step * batch as u64;
            let (x, targets) = self.frames.batch(&lessons, Augmentation::default(), schedule.seed, stream);
            let scores = learner.forward(&x);
            let (loss, by) = cross_entropy(&self.layout.sizes, &scores, &targets, &x.lengths);
            learner.learn(&by, &schedule.rates, factor);
            (loss, chosen.len())
        };
        let run =
            Run { schedule, examples: self.examples.len(), patience: options.patience, stop: self.stop };
        let mut evaluate = |state: &Checkpoint, loss| self.evaluate(network, state, loss);
        run.train(learner.as_mut(), state, &mut train, &mut evaluate, hear)
    }

    fn evaluate(&self, network: &mut dyn Network, state: &Checkpoint, loss: f64) -> Evaluation {
        let parameters = &state.parameters;
        let measured = measure_examples(self.layout, self.frames, network, parameters, self.held_out);
        let executed = self.judge.map(|judge| judge(parameters, network));
        Evaluation {
            step: state.step,
            seen: state.seen,
            seconds: state.seconds,
            loss,
            held_out_loss: measured.mean_loss(),
            shape: measured.shape_accuracy(),
            aggregation: measured.aggregation_accuracy(),
            tag_f1: measured.tag_f1(),
            exact: measured.exact_match(),
            executed,
        }
    }
}

/// Evaluates examples without augmentation.
pub fn measure_examples(
    layout: &Layout,
    frames: &Frames<'_>,
    network: &mut dyn Network,
    parameters: &[f32],
    lessons: &[TrainingExample],
) -> Measured {
    let mut measured = Measured::default();
    for chunk in lessons.chunks(MEASURED_AT_ONCE) {
        let chunk: Vec<&TrainingExample> = chunk.iter().collect();
        let (batch, targets) = frames.batch(&chunk, Augmentation::NONE, 0, 0);
        let scores = network.scores(parameters, &batch);
        let loss = cross_entropy(&layout.sizes, &scores, &targets, &batch.lengths).0;
        measured.add(&layout.sizes, &scores, &targets, &batch.lengths, loss);
    }
    measured
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
