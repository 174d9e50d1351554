//! Schedule of a training.

use super::adam::Rates;
use std::path::PathBuf;

/// The schedule of a training run: batch size, epochs, learning rate.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// Passes over the texts.
    pub epochs: usize,
    /// Maximum duration in minutes; the rate then falls by the clock.
    pub minutes: Option<f64>,
    /// Texts a step.
    pub batch: usize,
    /// Learning rates.
    pub rates: Rates,
    /// Steps over which the rate rises.
    pub warm_up: usize,
    /// Texts trained on between two evaluations on the held-out set.
    pub check_every: usize,
    /// Fixes every random choice.
    pub seed: u64,
    /// Folder for checkpoints.
    pub folder: Option<PathBuf>,
    /// Minutes between checkpoints.
    pub save_minutes: f64,
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule {
            epochs: 3,
            minutes: None,
            batch: 32,
            rates: Rates::default(),
            warm_up: 100,
            check_every: 32_768,
            seed: 1,
            folder: None,
            save_minutes: 5.0,
        }
    }
}

impl Schedule {
    /// Returns the steps of a pass over `texts` texts.
    pub fn per_epoch(&self, texts: usize) -> u64 {
        texts.div_ceil(self.batch.max(1)).max(1) as u64
    }

    /// Returns the steps of the whole run over `texts` texts, if no clock ends it.
    pub fn total(&self, texts: usize) -> u64 {
        (self.epochs as u64 * self.per_epoch(texts)).max(1)
    }

    /// Returns true if there is an evaluation after `step` of `total` steps.
    pub fn evaluates_after(&self, step: u64, total: u64) -> bool {
        step.is_multiple_of((self.check_every / self.batch.max(1)).max(1) as u64) || step == total
    }

    /// Returns the finished part of the run, from 0 to 1, after `step` of `total` steps and `seconds`.
    pub fn done(&self, step: u64, total: u64, seconds: f64) -> f64 {
        let by_steps = step as f64 / total as f64;
        self.minutes.map_or(by_steps, |m| by_steps.max(seconds / (60.0 * m))).min(1.0)
    }

    /// The factor of the learning rates at a step: linear warm-up, then linear decay.
    pub fn factor(&self, step: u64, done: f64) -> f32 {
        let warm = ((step + 1) as f32 / self.warm_up.max(1) as f32).min(1.0);
        warm * (1.0 - done) as f32
    }

    /// Returns true if a checkpoint is due, `seconds` after the last.
    pub fn saves(&self, seconds: f64) -> bool {
        seconds > 60.0 * self.save_minutes
    }
}
