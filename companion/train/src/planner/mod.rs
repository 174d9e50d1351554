//! `pocketgraph train planner`: the first layers of all-MiniLM-L6-v2, tuned to say what a question asks for, with linear heads for the shape of
//! the query and for what each token is for.
//!
//! What computes, moves the numbers and writes them down is [`super::network`].

mod answered;
mod checkpoint;
mod data;
mod engine;
mod export;
mod fit;
mod judge;
mod labels;
mod lesson;
mod loss;
mod pay;
mod reinforce;
mod report;
mod thin;
mod told;

pub use answered::labelled;
pub use checkpoint::{Checkpoint, Evaluation};
pub use data::{Augmentation, Frames, Targets, TrainingSet};
pub use engine::{logits, measure_model, scores};
pub use export::rounded;
pub use fit::{Options, PlannerTrainer, Share, StopReason, TrainingEvent, measure};
pub use judge::{Judge, Judged, logistic};
pub use labels::{Example, Kind, LabelError, Labels, Span, labels};
pub use lesson::TrainingExample;
pub use loss::{Measured, Weights, cross_entropy};
pub use reinforce::{Baseline, Drawn, Reinforcement, RewardEvent};
pub use report::{About, SetMeasured, card, curves};
pub use thin::drop_edges;
pub use told::LabelledQuestion;

use super::network::Sizes;
use pocketgraph::planner::model::{Shape, TAGS, Wrap};
use pocketgraph_models::minilm::{HEADS, HIDDEN, INTERMEDIATE};

/// The sizes of the planner that is trained: MiniLM's, with two layers where nothing else is asked for.
pub const SIZES: Sizes = Sizes {
    hidden: HIDDEN,
    heads: HEADS,
    intermediate: INTERMEDIATE,
    layers: 2,
    first: [Shape::ALL.len(), Wrap::ALL.len(), 2],
    tags: TAGS,
};
