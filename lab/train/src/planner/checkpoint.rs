//! A planner's run on disk.

use crate::network::{self, Measure};
use serde::{Deserialize, Serialize};

/// A planner's run.
pub type Checkpoint = network::Checkpoint<Evaluation>;

/// One evaluation on the held-out questions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Steps before it.
    pub step: u64,
    /// Questions trained on before it.
    pub seen: u64,
    /// Seconds of training before it.
    pub seconds: f64,
    /// Mean loss of the steps since the last evaluation.
    pub loss: f64,
    /// Mean loss of the questions held out.
    pub held_out_loss: f64,
    /// Share of right shapes.
    pub shape: f64,
    /// Share of right aggregations.
    pub aggregation: f64,
    /// F1 of tags, by token.
    pub tag_f1: f64,
    /// Share of questions with everything right.
    pub exact: f64,
    /// Share of questions whose plan, executed over the graph, finds the right answers; where there was a
    /// graph.
    pub executed: Option<f64>,
}

impl Measure for Evaluation {
    /// Answers and readings together, since fewer plans are executed than questions are labelled.
    fn value(&self) -> f64 {
        self.executed.unwrap_or_default() + self.exact
    }
}
