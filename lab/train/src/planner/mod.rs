//! Trains the planner (`pocketgraph train planner`): the first layers of all-MiniLM-L6-v2 with linear heads
//! for the shape of the query and for the role of each token.
//!
//! What computes, moves the numbers and writes them down is [`super::network`].

mod weak_labels;
mod checkpoint;
mod data;
mod engine;
mod export;
mod fit;
mod judge;
mod labels;
mod training_example;
mod loss;
mod parts;
mod report;
mod edge_dropout;
mod labelled_questions;

pub use checkpoint::{Checkpoint, Evaluation};
pub use data::{Augmentation, Frames, Targets, TrainingSet};
pub use edge_dropout::drop_edges;
pub use engine::{logits, measure_model, scores};
pub use export::round_planner;
pub use fit::{Options, PlannerTrainer, Share, measure_examples};
pub use judge::{Judge, Judged, logistic};
pub use labelled_questions::LabelledQuestion;
pub use labels::{Example, Kind, LabelError, Labels, Span, labels};
pub use loss::{Measured, cross_entropy};
pub use report::{About, SetMeasured, write_card, write_curves};
pub use training_example::TrainingExample;
pub use weak_labels::labelled;

use super::network::Sizes;
use pocketgraph::planner::model::{Aggregation, Shape, TAGS};
use pocketgraph_models::minilm::{HEADS, HIDDEN, INTERMEDIATE};

/// The sizes of the planner that is trained: MiniLM's, with two layers where nothing else is asked for.
pub const SIZES: Sizes = Sizes {
    hidden: HIDDEN,
    heads: HEADS,
    intermediate: INTERMEDIATE,
    layers: 2,
    first: [Shape::ALL.len(), Aggregation::ALL.len(), 2],
    tags: TAGS,
};
