//! Numbers in training, where they are computed with.

use super::{Adam, Batch, Moments, Network, Rates, Scores};

/// Numbers in training with the optimiser's moments. They stay where they are computed, possibly on a GPU,
/// until they are read.
pub trait Learner {
    /// The scores of a batch, with the numbers as they are. What [`Learner::learn`] needs of it is
    /// remembered.
    fn forward(&mut self, batch: &Batch) -> Scores;

    /// Makes one step of AdamW, with `factor` of the rates, for a loss whose gradient by the last batch's
    /// scores is `by_scores`.
    fn learn(&mut self, by_scores: &Scores, rates: &Rates, factor: f32);

    /// Writes the numbers and the memory as they are now.
    fn read(&mut self, parameters: &mut Vec<f32>, moments: &mut Moments);
}

/// Numbers in the program's own memory, and a network that computes with them.
#[derive(Debug)]
pub struct Hosted<N> {
    network: N,
    parameters: Vec<f32>,
    gradient: Vec<f32>,
    adam: Adam,
}

impl<N: Network> Hosted<N> {
    /// These numbers, on this network.
    pub fn new(network: N, parameters: &[f32], adam: &Adam) -> Hosted<N> {
        Hosted {
            network,
            parameters: parameters.to_vec(),
            gradient: vec![0.0; parameters.len()],
            adam: adam.clone(),
        }
    }
}

impl<N: Network> Learner for Hosted<N> {
    fn forward(&mut self, batch: &Batch) -> Scores {
        self.network.forward(&self.parameters, batch)
    }

    fn learn(&mut self, by_scores: &Scores, rates: &Rates, factor: f32) {
        self.network.backward(&self.parameters, by_scores, &mut self.gradient);
        self.adam.step(&mut self.parameters, &self.gradient, rates, factor);
    }

    fn read(&mut self, parameters: &mut Vec<f32>, moments: &mut Moments) {
        parameters.clone_from(&self.parameters);
        moments.clone_from(&self.adam.moments);
    }
}
