//! `pocketgraph train encoder`: a few layers of all-MiniLM-L6-v2 that embed questions about as all six do.
//!
//! The student begins as layers of the model itself (first, last, and evenly between) on the model's own word
//! vectors, positions and input normalisation, which stay constant. It learns the model's unit vectors of
//! short texts: q is the mean of the last layer's token vectors, the loss 1 - cos(q, y), the optimiser AdamW
//! (DistilBERT, Sanh et al. 2019, begins likewise). With a token table, q is that mean's direction plus the
//! table's unit vector, and the student learns what the table lacks.

mod fit;
mod targets_file;
mod measure;
mod teacher;

pub use fit::{Checkpoint, EncoderTrainer, Evaluation, rates, usual};
pub use measure::{cosine_of, round_model};
pub use targets_file::{read_targets_file, save_targets};
pub use teacher::{Teacher, cut_tokens};

use super::network::Sizes;
use pocketgraph_models::minilm::{HEADS, HIDDEN, INTERMEDIATE, LAYERS};

/// Returns the sizes of a student with `layers` of MiniLM's layers.
pub fn sizes(layers: usize) -> Sizes {
    Sizes { hidden: HIDDEN, heads: HEADS, intermediate: INTERMEDIATE, layers, first: [0; 3], tags: 0 }
}

/// The model's layers that a student of `n` begins with, counted from 0.
pub fn chosen_layers(n: usize) -> Vec<usize> {
    (0..n).map(|i| i * (LAYERS - 1) / n.saturating_sub(1).max(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_student_begins_with_the_first_and_the_last_layer_and_some_between() {
        assert_eq!(
            [1, 2, 3, 4, 6].map(chosen_layers),
            [vec![0], vec![0, 5], vec![0, 2, 5], vec![0, 1, 3, 5], vec![0, 1, 2, 3, 4, 5]]
        );
    }
}
