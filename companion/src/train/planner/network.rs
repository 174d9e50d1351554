//! What the trainer asks of a back-end: scores of a batch, and what a change of the scores means for the parameters.

use super::parameters::Sizes;

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
    /// Of each sequence, its first token's: shape, wrap and number.
    pub first: Vec<f32>,
    /// Of each token, its tags'.
    pub tags: Vec<f32>,
}

impl Scores {
    /// Zeros for a batch.
    pub fn zeros(sizes: &Sizes, batch: &Batch) -> Scores {
        Scores { first: vec![0.0; batch.lengths.len() * sizes.first_classes()], tags: vec![0.0; batch.tokens() * sizes.tags] }
    }
}

/// A machine that computes the network.
pub trait Network {
    /// The scores of a batch. The back-end remembers what [`Network::backward`] needs of it.
    fn forward(&mut self, parameters: &[f32], batch: &Batch) -> Scores;

    /// The gradient by all parameters, of a loss whose gradient by the last batch's scores is `by_scores`. `gradient` is overwritten.
    fn backward(&mut self, parameters: &[f32], by_scores: &Scores, gradient: &mut [f32]);

    /// What it is called in logs.
    fn name(&self) -> String;
}
