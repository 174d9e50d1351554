//! The reward of a plan, part by part: that it can be executed, what it answers, and whether its path held the answer.
//!
//! Graph-RFT (arXiv 2510.20691) rewards form, answer and retrieval over graphs that lack edges, without
//! giving weights. As in AutoRefine (arXiv 2505.11277), which gives them, the path is rewarded only if the
//! answer is wrong, so that it never competes with a right one. Passages would provide a missing edge: the
//! whole graph replaces them, and a plan that finds the answer in it is right. No step is rewarded by itself:
//! such rewards drove agents to make no steps, or many.

use super::judge::Judge;
use super::training_example::TrainingExample;
use pocketgraph::plan::Plan;
use pocketgraph::plan::execute::Execution;

/// The reward of a plan that can be executed, whatever it finds.
const READ: f64 = 0.1;
/// The reward of a plan whose path held an answer and that ended at another (AutoRefine's weight).
const COVERED: f64 = 0.1;

/// The parts of a plan's reward.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Paid {
    /// It can be executed.
    pub read: bool,
    /// F1 of its answers over the graph that may lack edges.
    pub f1: f64,
    /// The answer is wrong, but its path held one: in that graph, or beyond it where that lacked a step.
    pub covered: bool,
}

impl Paid {
    /// The reading of a plan: over the graph that may lack edges, and over the whole.
    pub fn of(lesson: &TrainingExample, plan: &Plan, thin: &Judge<'_>, whole: &Judge<'_>) -> Paid {
        let f1 = thin.reward(lesson, plan).unwrap_or_default();
        let missed = |e: &Execution| e.sets.iter().any(|set| set.members.is_empty());
        let covered = f1 == 0.0
            && thin
                .execution(plan)
                .is_some_and(|e| thin.holds(&e, lesson) || (missed(&e) && whole.execution(plan).is_some_and(|e| whole.holds(&e, lesson))));
        Paid { read: true, f1, covered }
    }

    /// The whole reward, from 0 to 1.
    pub fn reward(&self) -> f64 {
        let part = |is: bool, worth: f64| if is { worth } else { 0.0 };
        part(self.read, READ) + (1.0 - READ) * self.f1 + part(self.covered, COVERED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_answer_is_worth_most_and_evidence_counts_only_beside_a_wrong_one() {
        let paid = |read, f1, covered| Paid { read, f1, covered }.reward();
        assert!((paid(true, 1.0, false) - 1.0).abs() < 1e-9);
        assert!((paid(true, 0.0, true) - 0.2).abs() < 1e-9 && (paid(true, 0.0, false) - 0.1).abs() < 1e-9);
        assert_eq!(Paid::default().reward(), 0.0);
        // What covers an answer never outweighs half of one.
        assert!(paid(true, 0.5, false) > paid(true, 0.0, true));
    }
}
