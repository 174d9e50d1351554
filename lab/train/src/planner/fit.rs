//! Supervised training: cross-entropy of all heads, AdamW with warm-up and linear decay, and the checkpoint that does best on held-out questions.
//!
//! Every step follows from the seed and its own number, so that a run that was interrupted goes on as if nothing had happened.

use super::checkpoint::{Checkpoint, Evaluation};
use super::data::{Augmentation, Frames};
use super::loss::{Measured, Weights, cross_entropy};
use super::training_example::TrainingExample;
use crate::network::{self, Adam, Layout, Network, Schedule};
use miette::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Questions that are measured at a time.
const MEASURED_AT_ONCE: usize = 256;

/// Options of the training.
#[derive(Debug, Clone)]
pub struct Options {
    /// Schedule of the training.
    pub schedule: Schedule,
    /// Weights of mistakes.
    pub weights: Weights,
    /// Data augmentation of the questions.
    pub augmentation: Augmentation,
    /// Early stopping: evaluations without improvement after which training ends.
    pub patience: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { schedule: Schedule::default(), weights: Weights::default(), augmentation: Augmentation::default(), patience: 6 }
    }
}

/// An event of training, for a progress line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingEvent<'a> {
    /// Steps done.
    pub step: u64,
    /// Part of the run that is done, from 0 to 1.
    pub done: f64,
    /// Mean loss of the last steps.
    pub loss: f64,
    /// Questions a second, over the whole run.
    pub speed: f64,
    /// Estimated seconds to the end.
    pub left: f64,
    /// A new evaluation on the held-out questions.
    pub point: Option<&'a Evaluation>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// All epochs are done, or the time is over.
    Done,
    /// Early stopping: the held-out questions stopped improving.
    Early,
    /// It was stopped from outside.
    Stopped,
}

/// The order of an epoch's examples, in batches of questions of about one length.
fn batches(lessons: &[TrainingExample], batch: usize, seed: u64, epoch: u64) -> Vec<Vec<usize>> {
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
    /// Executes the plans of held-out questions over a graph, where there is one: the share that a network with these parameters answers. The best weights are
    /// then chosen by this share and that of the questions of which everything is right, together.
    pub judge: Option<&'a Share<'a>>,
}

impl PlannerTrainer<'_> {
    /// Trains from `state` on, which holds the best weights afterwards beside the last.
    ///
    /// # Errors
    /// When a checkpoint cannot be written.
    pub fn fit(
        &self,
        network: &mut dyn Network,
        state: &mut Checkpoint,
        options: &Options,
        hear: &mut dyn FnMut(TrainingEvent<'_>),
    ) -> Result<StopReason> {
        let schedule = &options.schedule;
        let batch = schedule.batch.max(1);
        let (per_epoch, total) = (schedule.per_epoch(self.examples.len()), schedule.total(self.examples.len()));
        let mut learner = network.learner(&state.parameters, &Adam::new(self.layout, &schedule.rates, state.moments.clone()));
        let (began, before) = (Instant::now(), state.seconds);
        let (mut saved, mut reported) = (Instant::now(), Instant::now());
        let (mut loss_sum, mut losses, mut here) = (0.0, 0, 0u64);
        let mut order = (u64::MAX, Vec::new());
        let mut ended = StopReason::Done;
        loop {
            state.seconds = before + began.elapsed().as_secs_f64();
            let done = schedule.done(state.step, total, state.seconds);
            if done >= 1.0 {
                break;
            }
            if self.stop.load(Ordering::Relaxed) {
                ended = StopReason::Stopped;
                break;
            }
            let epoch = state.step / per_epoch;
            if order.0 != epoch {
                order = (epoch, batches(self.examples, batch, schedule.seed, epoch));
            }
            let chosen = &order.1[(state.step % per_epoch) as usize];
            let lessons: Vec<&TrainingExample> = chosen.iter().map(|&i| &self.examples[i]).collect();
            // Disturbances have a stream for each question of each step.
            let stream = (1 << 40) + state.step * batch as u64;
            let (x, targets) = self.frames.batch(&lessons, options.augmentation, schedule.seed, stream);
            let scores = learner.forward(&x);
            let (loss, by) = cross_entropy(&self.layout.sizes, &scores, &targets, &x.lengths, &options.weights);
            learner.learn(&by, &schedule.rates, schedule.factor(state.step, done));
            state.step += 1;
            state.seen += chosen.len() as u64;
            here += chosen.len() as u64;
            loss_sum += loss;
            losses += 1;
            let look = schedule.evaluates_after(state.step, total);
            if look || reported.elapsed() > Duration::from_secs(10) {
                let seconds = began.elapsed().as_secs_f64();
                if look {
                    learner.read(&mut state.parameters, &mut state.moments);
                }
                let point = look.then(|| self.evaluate(network, &state.parameters, state, loss_sum / f64::from(losses.max(1)), options));
                let left = if done > 0.0 { (before + seconds) * (1.0 - done) / done } else { 0.0 };
                let loss = loss_sum / f64::from(losses.max(1));
                hear(TrainingEvent { step: state.step, done, loss, speed: here as f64 / seconds, left, point: point.as_ref() });
                reported = Instant::now();
                if let Some(point) = point {
                    (loss_sum, losses) = (0.0, 0);
                    state.point(point);
                    if state.since_best() >= options.patience {
                        ended = StopReason::Early;
                        break;
                    }
                }
            }
            if schedule.saves(saved.elapsed().as_secs_f64()) {
                learner.read(&mut state.parameters, &mut state.moments);
                state.save(schedule.folder.as_deref())?;
                saved = Instant::now();
            }
        }
        learner.read(&mut state.parameters, &mut state.moments);
        if ended == StopReason::Done && state.points.last().is_none_or(|p| p.step != state.step) {
            let point = self.evaluate(network, &state.parameters, state, loss_sum / f64::from(losses.max(1)), options);
            hear(TrainingEvent {
                step: state.step,
                done: 1.0,
                loss: point.loss,
                speed: here as f64 / began.elapsed().as_secs_f64(),
                left: 0.0,
                point: Some(&point),
            });
            state.point(point);
        }
        state.save(schedule.folder.as_deref())?;
        Ok(ended)
    }

    fn evaluate(&self, network: &mut dyn Network, parameters: &[f32], state: &Checkpoint, loss: f64, options: &Options) -> Evaluation {
        let measured = measure(self.layout, self.frames, network, parameters, self.held_out, &options.weights);
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
pub fn measure(
    layout: &Layout,
    frames: &Frames<'_>,
    network: &mut dyn Network,
    parameters: &[f32],
    lessons: &[TrainingExample],
    weights: &Weights,
) -> Measured {
    let mut measured = Measured::default();
    for chunk in lessons.chunks(MEASURED_AT_ONCE) {
        let chunk: Vec<&TrainingExample> = chunk.iter().collect();
        let (batch, targets) = frames.batch(&chunk, Augmentation::NONE, 0, 0);
        let scores = network.scores(parameters, &batch);
        let loss = cross_entropy(&layout.sizes, &scores, &targets, &batch.lengths, weights).0;
        measured.add(&layout.sizes, &scores, &targets, &batch.lengths, loss);
    }
    measured
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
