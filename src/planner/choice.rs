//! Which of two planners to believe: the rules or the trained one.
//!
//! The rules align every word of a question with the graph's schema and are best at chains from one thing; the trained planner tells apart how
//! several things are joined. So it is asked where the question names several things, where it counts or ranks and the rules' plan does not, or where the
//! rules have no plan; and believed where it is sure. What the rules compare they compare over chains of any length, which the trained planner has no shape for: there they keep the word.

use super::model::Grounded;
use crate::plan::{Operation, Plan};
use crate::text::{fold, words};

/// The probability from which a trained planner's plan is carried out where the rules have none.
const LEAST_TRAINED: f32 = 0.5;
/// The same where the rules have one.
const OVER_RULES: f32 = 0.6;
/// A plan with a step that the question's words agree with less is not believed: over the graph of a documentation, which is all sections and links,
/// anything is a step away from anything.
const SPOKEN: f32 = 0.5;

/// Whether to ask the trained planner at all: the question names so many things, and the rules have this plan or none.
pub fn asks_trained(question: &str, names: usize, ruled: Option<&Plan>) -> bool {
    let Some(plan) = ruled else { return names > 0 };
    let does = |wanted: fn(&Operation) -> bool| plan.statements.iter().any(|s| wanted(&s.operation));
    let compared = matches!(plan.statements.last().map(|s| &s.operation), Some(Operation::Compare(_)));
    let counted = does(|o| matches!(o, Operation::Count { .. } | Operation::Superlative { .. }));
    !compared && (names > 1 || names == 1 && !counted && asks_how_many(question))
}

/// Whether a question has words that count or rank: a plan that does neither has passed them over.
fn asks_how_many(question: &str) -> bool {
    const RANKS: [&str; 5] = ["fewest", "least", "many", "most", "number"];
    words(question).iter().any(|w| RANKS.contains(&fold(w.text).as_str()))
}

/// Whether to believe the trained planner, beside rules that have a plan or none. `least` is the caller's own limit in place of
/// one half.
pub fn believes_trained(found: &Grounded, ruled: bool, least: Option<f32>) -> bool {
    let least = least.unwrap_or(LEAST_TRAINED);
    found.seen.found && found.seen.weakest_relation >= SPOKEN && found.confidence >= if ruled { least.max(OVER_RULES) } else { least }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_trained_planner_is_asked_where_the_rules_have_passed_something_over() {
        let plan = |text: &str| crate::plan::rft::parse(text, &crate::plan::check::Limits::default()).unwrap().plan;
        let step = plan("Ans1=SearchKG(t=thing | h=Ada, r=wrote)");
        assert!(asks_trained("What did Ada write?", 1, None) && !asks_trained("What is written?", 0, None));
        assert!(asks_trained("What did Ada and Bob write?", 2, Some(&step)));
        assert!(!asks_trained("What did Ada write?", 1, Some(&step)));
        assert!(asks_trained("What that Ada wrote has the Most readers?", 1, Some(&step)));
        assert!(!asks_trained("What has the most readers?", 0, Some(&step)));
    }
}
