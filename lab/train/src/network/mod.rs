//! Trainable layers of all-MiniLM-L6-v2 for all training commands: weights in one run of floats ([`Layout`]),
//! devices that compute scores and gradients ([`Network`]), the optimiser, runs on disk, and export to the
//! engine's rounded layers.
//!
//! Word vectors, positions and the normalisation before the first layer are never trained, so that a page
//! shares them with the text search.

mod adam;
mod checkpoint;
mod cpu;
mod export;
mod frame;
mod learner;
mod matmul;
mod order;
mod parameters;
mod run;
mod schedule;

pub use adam::{Adam, BETAS, EPSILON, Moments, Rates};
pub use checkpoint::{Checkpoint, Measure};
pub use cpu::Cpu;
pub use export::rounded_layers;
pub use frame::{sums, vectors};
pub use learner::{Hosted, Learner};
pub use order::batches;
pub use parameters::{DenseAt, LayerAt, Layout, NormAt, Sizes};
pub use run::{Run, StopReason, TrainingEvent};
pub use schedule::Schedule;

/// Sequences of token vectors, one after the other without padding.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Token vectors as the first layer reads them: embedded and normalised.
    pub x: Vec<f32>,
    /// Tokens of each sequence; none is empty.
    pub lengths: Vec<usize>,
}

impl Batch {
    /// Tokens of all sequences.
    pub fn tokens(&self) -> usize {
        self.lengths.iter().sum()
    }
}

/// Scores of a batch before softmax, or a loss's gradient by them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    /// Scores of each sequence's first token: shape, aggregation, number. Without heads, the mean of its
    /// tokens.
    pub first: Vec<f32>,
    /// Scores of each token's tags.
    pub tags: Vec<f32>,
}

impl Scores {
    /// Zeros for a batch.
    pub fn zeros(sizes: &Sizes, batch: &Batch) -> Scores {
        Scores {
            first: vec![0.0; batch.lengths.len() * sizes.of_sequence()],
            tags: vec![0.0; batch.tokens() * sizes.tags],
        }
    }
}

/// A machine that computes the network.
pub trait Network {
    /// The scores of a batch. The back-end remembers what [`Network::backward`] needs of it.
    fn forward(&mut self, parameters: &[f32], batch: &Batch) -> Scores;

    /// Returns the scores of a batch that needs no gradient.
    fn scores(&mut self, parameters: &[f32], batch: &Batch) -> Scores {
        self.forward(parameters, batch)
    }

    /// Computes the gradient by all parameters of a loss whose gradient by the last batch's scores is
    /// `by_scores`. Overwrites `gradient`.
    fn backward(&mut self, parameters: &[f32], by_scores: &Scores, gradient: &mut [f32]);

    /// These numbers in training on this machine, with the optimiser's memory of them.
    fn learner(&self, parameters: &[f32], adam: &Adam) -> Box<dyn Learner>;

    /// Returns its name in logs.
    fn name(&self) -> String;
}

/// A device that a program adds to the processor.
pub trait Device {
    /// Returns its name, as `--device` takes it.
    fn name(&self) -> &'static str;

    /// Returns a network of this layout on it.
    fn network(&self, layout: &Layout) -> Box<dyn Network>;
}
