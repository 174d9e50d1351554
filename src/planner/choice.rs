//! Which of two planners to believe: the rules or the trained one.
//!
//! The rules align every word of a question with the graph's schema and are best at chains from one thing; the trained planner tells apart how
//! several things are joined. So it is asked where the question names several things or the rules have no plan, and believed where it is sure. What the
//! rules compare they compare over chains of any length, which the trained planner has no shape for: there they keep the word.

use super::model::Grounded;
use crate::plan::{Operation, Plan};

/// The probability from which a trained planner's plan is carried out where the rules have none.
const LEAST_TRAINED: f32 = 0.5;
/// The same where the rules have one.
const OVER_RULES: f32 = 0.6;
/// A plan with a step that the question's words agree with less is not believed: over the graph of a documentation, which is all sections and links,
/// anything is a step away from anything.
const SPOKEN: f32 = 0.5;

/// Whether to ask the trained planner at all: the question names so many things, and the rules have this plan or none.
pub fn asks_trained(names: usize, ruled: Option<&Plan>) -> bool {
    let compared = |plan: &Plan| plan.statements.last().is_some_and(|s| matches!(s.operation, Operation::Compare(_)));
    match ruled {
        Some(plan) => names > 1 && !compared(plan),
        None => names > 0,
    }
}

/// Whether to believe the trained planner, beside rules that have a plan or none. `least` is the caller's own limit in place of
/// one half.
pub fn believes_trained(found: &Grounded, ruled: bool, least: Option<f32>) -> bool {
    let least = least.unwrap_or(LEAST_TRAINED);
    found.seen.found && found.seen.weakest_relation >= SPOKEN && found.confidence >= if ruled { least.max(OVER_RULES) } else { least }
}
