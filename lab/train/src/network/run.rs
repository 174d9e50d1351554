//! The loop of a training: steps, evaluations, checkpoints, and what a progress line hears.

use super::{Checkpoint, Learner, Measure, Schedule};
use miette::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// An event of training, for a progress line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingEvent<'a, P> {
    /// Steps done.
    pub step: u64,
    /// Part of the run that is done, from 0 to 1.
    pub done: f64,
    /// Mean loss of the steps since the last evaluation.
    pub loss: f64,
    /// Examples a second, since the command began.
    pub speed: f64,
    /// Estimated seconds to the end.
    pub left: f64,
    /// A new evaluation on the held-out set.
    pub point: Option<&'a P>,
}

/// Reason for the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// All epochs are done, or the time is over.
    Done,
    /// Early stopping: the held-out set stopped improving.
    Early,
    /// It was stopped from outside.
    Stopped,
}

/// Settings of a run.
pub struct Run<'a> {
    /// Schedule of the training.
    pub schedule: &'a Schedule,
    /// Number of examples of a pass.
    pub examples: usize,
    /// Early stopping: evaluations without improvement after which training ends.
    pub patience: usize,
    /// Tells the run to write a checkpoint and end.
    pub stop: &'a AtomicBool,
}

/// Trains a learner on the batch of a step with a factor of the rates; returns its loss and number of
/// examples.
type TrainBatch<'a> = dyn FnMut(&mut dyn Learner, u64, f32) -> (f64, usize) + 'a;

impl Run<'_> {
    /// Trains from `state` on, which holds the best weights afterwards beside the last. `train` trains on the
    /// batch of a step with a factor of the rates and returns its loss and number of examples; `evaluate`
    /// measures the weights.
    pub fn train<P: Measure>(
        &self,
        learner: &mut dyn Learner,
        state: &mut Checkpoint<P>,
        train: &mut TrainBatch<'_>,
        evaluate: &mut dyn FnMut(&Checkpoint<P>, f64) -> P,
        hear: &mut dyn FnMut(TrainingEvent<'_, P>),
    ) -> Result<StopReason> {
        let (schedule, total) = (self.schedule, self.schedule.total(self.examples));
        let (began, before, seen) = (Instant::now(), state.seconds, state.seen);
        let (mut saved, mut reported) = (Instant::now(), Instant::now());
        let (mut loss_sum, mut losses) = (0.0, 0u32);
        loop {
            state.seconds = before + began.elapsed().as_secs_f64();
            let done = schedule.done(state.step, total, state.seconds);
            let is_stopped = self.stop.load(Ordering::Relaxed);
            let is_last = done >= 1.0 && !state.points.is_empty() && losses == 0;
            if is_last || is_stopped && done < 1.0 {
                learner.read(&mut state.parameters, &mut state.moments);
                state.save(schedule.folder.as_deref())?;
                return Ok(if is_last { StopReason::Done } else { StopReason::Stopped });
            }
            if done < 1.0 {
                let (loss, trained) = train(learner, state.step, schedule.factor(state.step, done));
                state.step += 1;
                state.seen += trained as u64;
                loss_sum += loss;
                losses += 1;
            }
            // A last evaluation follows at the end.
            let looks = done >= 1.0 || schedule.evaluates_after(state.step, total);
            if looks || reported.elapsed() > Duration::from_secs(10) {
                let loss = loss_sum / f64::from(losses.max(1));
                let point = looks.then(|| {
                    learner.read(&mut state.parameters, &mut state.moments);
                    evaluate(state, loss)
                });
                let seconds = began.elapsed().as_secs_f64();
                let left = if done > 0.0 { (before + seconds) * (1.0 - done) / done } else { 0.0 };
                let speed = (state.seen - seen) as f64 / seconds;
                hear(TrainingEvent { step: state.step, done, loss, speed, left, point: point.as_ref() });
                reported = Instant::now();
                if let Some(point) = point {
                    (loss_sum, losses) = (0.0, 0);
                    state.point(point);
                    if state.since_best() >= self.patience {
                        state.save(schedule.folder.as_deref())?;
                        return Ok(StopReason::Early);
                    }
                }
            }
            if schedule.saves(saved.elapsed().as_secs_f64()) {
                learner.read(&mut state.parameters, &mut state.moments);
                state.save(schedule.folder.as_deref())?;
                saved = Instant::now();
            }
        }
    }
}
