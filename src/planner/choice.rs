//! Which of two planners to believe: the rules or the trained one.
//!
//! The rules align every word of a question with the graph's schema and are best at chains from one thing; the trained planner tells apart how
//! several things are joined, counted and ranked. So it is asked where the question names several things, or the rules have no plan or are not quite
//! sure of theirs, and believed where it is sure. What the rules compare they compare over chains of any length, which the trained planner has no shape
//! for: there they keep the word.

use super::model::Grounded;
use crate::plan::{Operation, Plan};

/// The probability from which a trained planner's plan is carried out where the rules have none.
const LEAST_TRAINED: f32 = 0.5;
/// The same where the rules have one.
const OVER_RULES: f32 = 0.6;
/// The same where the rules have one and the question names a single thing.
const OVER_CHAIN: f32 = 0.7;
/// Rules that are so sure of a plan about a single thing are not doubted.
const SURE_RULES: f32 = 0.9;
/// A plan with a step that the question's words agree with less is not believed: over the graph of a documentation, which is all sections and links,
/// anything is a step away from anything.
const SPOKEN: f32 = 0.5;

/// Whether to ask the trained planner at all: the question names so many things, and the rules have this plan, of which they are so sure, or none.
pub fn asks_trained(names: usize, ruled: Option<(&Plan, f32)>) -> bool {
    let compared = |plan: &Plan| plan.statements.last().is_some_and(|s| matches!(s.operation, Operation::Compare(_)));
    match ruled {
        Some((plan, confidence)) => (names > 1 || (names > 0 && confidence < SURE_RULES)) && !compared(plan),
        None => names > 0,
    }
}

/// Whether to believe the trained planner about a question that names so many things, beside rules that have a plan or none. `least` is the caller's own
/// limit in place of one half.
pub fn believes_trained(found: &Grounded, names: usize, ruled: bool, least: Option<f32>) -> bool {
    let least = least.unwrap_or(LEAST_TRAINED);
    let needed = match (ruled, names > 1) {
        (false, _) => least,
        (true, true) => least.max(OVER_RULES),
        (true, false) => least.max(OVER_CHAIN),
    };
    found.seen.found && found.seen.weakest_relation >= SPOKEN && found.confidence >= needed
}
