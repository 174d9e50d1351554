//! The plans that the planners propose for a question, in one list under one score.
//!
//! Each planner has its own measure of how sure it is, and none knows what the others say. Here a logistic
//! function of what all of them say tells the probability that a plan is right ([`Candidates::certainty`]),
//! with the weights of `certainty.rs`.

use super::certainty::{FEATURES, WEIGHTS};
use super::chain::is_same_as_cue;
use super::model::Grounded;
use super::{Nearest, Nearness, Proposal, weights};
use crate::elementary::exp_f32;
use crate::plan::{Operation, Plan, Relation};
use crate::text::{fold, words};

/// Whose plan it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenFrom {
    /// The rules'.
    Rules,
    /// The trained planner's.
    Trained,
    /// That of the relation nearest in meaning.
    Meaning,
}

/// A plan, and how sure each planner is of it that proposes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The plan.
    pub plan: Plan,
    rules: Option<f32>,
    /// With the lowest agreement of a relation with the words for it.
    trained: Option<(f32, f32)>,
    meaning: Option<Nearness>,
}

impl Candidate {
    /// Returns true if the plan joins sets and the trained planner, which knows these better, does not
    /// propose it.
    pub fn joins_untrained(&self) -> bool {
        self.trained.is_none() && joins_sets(&self.plan)
    }

    /// Whose plan it is; of several planners' the one whose plans say most of types.
    pub fn from(&self) -> ChosenFrom {
        match (self.rules, self.trained) {
            (Some(_), _) => ChosenFrom::Rules,
            (None, Some(_)) => ChosenFrom::Trained,
            (None, None) => ChosenFrom::Meaning,
        }
    }
}

/// The plans that are proposed for a question, each once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidates {
    list: Vec<Candidate>,
    /// True if the question has a word for a step that goes back to its start.
    again: bool,
}

impl Candidates {
    /// None yet.
    pub fn new(question: &str) -> Candidates {
        let again = words(question).iter().any(|w| is_same_as_cue(&fold(w.text)));
        Candidates { again, ..Candidates::default() }
    }

    /// Adds the rules' plan.
    pub fn add_rules(&mut self, proposal: Proposal) {
        self.of(proposal.plan).rules = Some(proposal.confidence);
    }

    /// Adds the trained planner's plan.
    pub fn add_trained(&mut self, found: Grounded) {
        self.of(found.plan).trained = Some((found.confidence, found.seen.weakest_relation));
    }

    /// Adds the plan of the relation nearest in meaning.
    pub fn add_meaning(&mut self, found: Nearest) {
        self.of(found.plan).meaning = Some(found.near);
    }

    /// The same list as if these planners could not have been asked.
    pub fn without(&self, trained: bool, meaning: bool) -> Candidates {
        let mut out = self.clone();
        for candidate in &mut out.list {
            candidate.trained = candidate.trained.filter(|_| !trained);
            candidate.meaning = candidate.meaning.filter(|_| !meaning);
        }
        out.list.retain(|c| c.rules.is_some() || c.trained.is_some() || c.meaning.is_some());
        out
    }

    /// The plans, in the order in which they were proposed.
    pub fn list(&self) -> &[Candidate] {
        &self.list
    }

    /// The plan of which all that is known speaks most, and the probability that it is right.
    pub fn best(&self) -> Option<(&Candidate, f32)> {
        let all = self.list.iter().map(|c| (c, self.certainty(c)));
        // Of equals the first: `max_by` would take the last.
        all.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    /// The probability that a plan of the list is right.
    pub fn certainty(&self, of: &Candidate) -> f32 {
        let sum: f32 = WEIGHTS.iter().zip(self.features(of)).map(|(w, f)| w * f).sum();
        1.0 / (1.0 + exp_f32(-sum))
    }

    /// Returns the features of a plan of the list, a constant first.
    pub fn features(&self, of: &Candidate) -> [f32; FEATURES] {
        let one = |holds: bool| f32::from(u8::from(holds));
        let rival = self.list.iter().find(|c| c.rules.is_some() && !std::ptr::eq(*c, of)).map(|c| &c.plan);
        let (confidence, weakest) = of.trained.unwrap_or_default();
        let near = of.meaning.unwrap_or_default();
        [
            1.0,
            one(of.rules.is_some()),
            of.rules.unwrap_or(0.0),
            one(of.trained.is_some()),
            confidence,
            weakest,
            one(of.meaning.is_some()),
            near.cosine,
            near.of_others,
            // Of two that are equally near neither is meant, however near they are.
            near.ahead.min(weights::ahead()),
            near.ahead.min(weights::apart()) / weights::apart(),
            // What the words say of a plan beside the rules' plan, and by itself.
            one(rival.is_some_and(|ruled| passes_over(&of.plan, ruled))),
            one(!self.again && turns_back(&of.plan)),
            one(self.again && is_chain(&of.plan) && !turns_back(&of.plan)),
            one(of.trained.is_none() && self.list.iter().any(|c| c.trained.is_some() && joins_sets(&c.plan))),
        ]
    }

    /// The entry of a plan, a new one where nobody has proposed it yet.
    fn of(&mut self, plan: Plan) -> &mut Candidate {
        let at = match self.list.iter().position(|c| same(&c.plan, &plan)) {
            Some(at) => at,
            None => {
                self.list.push(Candidate { plan, rules: None, trained: None, meaning: None });
                self.list.len() - 1
            }
        };
        &mut self.list[at]
    }
}

/// Returns true if two plans do the same, whatever types they declare for their steps.
fn same(a: &Plan, b: &Plan) -> bool {
    let step = |pair: (&Operation, &Operation)| match pair {
        (Operation::SearchKg(a), Operation::SearchKg(b)) => a.head == b.head && a.relation == b.relation,
        (a, b) => a == b,
    };
    a.statements.len() == b.statements.len()
        && a.statements.iter().zip(&b.statements).all(|(a, b)| step((&a.operation, &b.operation)))
}

fn list_steps(plan: &Plan) -> Vec<&Relation> {
    plan.statements
        .iter()
        .filter_map(
            |s| if let Operation::SearchKg(step) = &s.operation { Some(&step.relation) } else { None },
        )
        .collect()
}

fn is_chain(plan: &Plan) -> bool {
    plan.statements.iter().all(|s| matches!(s.operation, Operation::SearchKg(_)))
}

/// Returns true if a step of a chain takes back the one before it. Two words for one relation ("from whose
/// pen did the script come") look like that.
fn turns_back(plan: &Plan) -> bool {
    let back = |pair: &[&Relation]| match pair {
        [Relation::Exact { name: a, inverse: there }, Relation::Exact { name: b, inverse: back }] => {
            a == b && there != back
        }
        _ => false,
    };
    is_chain(plan) && list_steps(plan).windows(2).any(back)
}

/// Returns true if a plan joins sets or takes one away from another.
fn joins_sets(plan: &Plan) -> bool {
    // One thing among others is no set that the question asks for.
    if plan.statements.first().is_some_and(|s| matches!(s.operation, Operation::Entity { .. })) {
        return false;
    }
    let joins = |o: &Operation| {
        matches!(o, Operation::Intersect { .. } | Operation::Union { .. } | Operation::Negation { .. })
    };
    plan.statements.iter().any(|s| joins(&s.operation))
}

/// Returns true if a plan does less than the question's words ask, by the rules: it follows fewer steps, or
/// reads a value instead of counting.
fn passes_over(plan: &Plan, ruled: &Plan) -> bool {
    let counts =
        |plan: &Plan| matches!(plan.statements.last().map(|s| &s.operation), Some(Operation::Count { .. }));
    counts(ruled) && !counts(plan)
        || is_chain(plan) && is_chain(ruled) && plan.statements.len() < ruled.statements.len()
}

#[cfg(test)]
#[path = "candidates_tests.rs"]
mod tests;
