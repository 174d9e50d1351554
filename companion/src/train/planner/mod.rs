//! `pocketgraph train planner`: the first layers of all-MiniLM-L6-v2, tuned to say what a question asks for, with linear heads for the shape of
//! the query and for what each token is for.
//!
//! Word vectors, positions and the normalisation before the first layer stay as they are, so that a page shares them with the text search. Weights live
//! in one run of floats ([`Layout`]); a [`Network`] computes scores and gradients over it, and everything else (loss, optimiser, checkpoints) is the same
//! for every back-end.

mod adam;
mod answered;
#[cfg(feature = "train")]
mod burning;
mod checkpoint;
mod cpu;
mod data;
mod engine;
mod export;
mod fit;
mod judge;
mod labels;
mod loss;
mod matmul;
mod network;
mod parameters;
mod reinforce;
mod report;
mod thin;
mod told;

pub use adam::{Adam, Rates};
pub use answered::labelled;
#[cfg(feature = "train")]
pub use burning::Burning;
pub use checkpoint::{Checkpoint, Point};
pub use cpu::Cpu;
pub use data::{Disturbance, Frames, Lesson, Lessons, Targets};
pub use engine::{logits, measure_model, scores};
pub use export::rounded;
pub use fit::{Course, Ended, Heard, Options, Share, measure};
pub use judge::{Judge, Judged, logistic};
pub use labels::{Doubt, Example, Kind, Labels, Span, labels};
pub use loss::{Measured, Weights, cross_entropy};
pub use network::{Batch, Network, Scores};
pub use parameters::{DenseAt, LayerAt, Layout, NormAt, Sizes};
pub use reinforce::{Baseline, Drawn, Reinforcement, Rewarded};
pub use report::{About, SetMeasured, card, curves};
pub use thin::thinned;
pub use told::Told;

use super::minilm::{HEADS, HIDDEN, INTERMEDIATE};
use pocketgraph::planner::model::{Shape, TAGS, Wrap};

/// The sizes of the planner that is trained: MiniLM's, with two layers where nothing else is asked for.
pub const SIZES: Sizes = Sizes {
    hidden: HIDDEN,
    heads: HEADS,
    intermediate: INTERMEDIATE,
    layers: 2,
    first: [Shape::ALL.len(), Wrap::ALL.len(), 2],
    tags: TAGS,
};
