//! How well a path of steps explains the question's words.
//!
//! Every step must be paid for by words that speak of its relation, words that pay for nothing are lost, and
//! the order of the words around an entity tells which steps are inner and which are outer. Where the weights
//! come from, `weights.rs` says.

use super::question::Token;
use super::schema::Step;
use super::weights;
use crate::compact::{Map, sort_by};
use crate::kg::RelationId;
use pocketgraph_question::is_article;

/// Penalty, less than any weight, of a path whose last step has no word. It breaks ties.
const TIE: f32 = -0.05;

/// Words that may stand between a verb and the role that it is done in: "in it as an".
const ROLE: usize = 4;

/// Neighbouring words that speak of one relation: they pay for at most one step.
#[derive(Debug, Clone, PartialEq)]
struct Group {
    /// The relations that the words speak of, with how much.
    relations: Vec<(RelationId, f32)>,
}

impl Group {
    fn best(&self) -> f32 {
        self.relations.iter().map(|(_, worth)| *worth).fold(0.0, f32::max)
    }
}

/// The words that speak of relations, in groups, from the innermost step outwards: the word right behind the
/// entity, then those before it from near to far, then the rest behind it.
fn inside_out(tokens: &[Token], anchor: usize) -> Vec<Group> {
    let left: Vec<(usize, Group)> = group_words(&tokens[..anchor]).into_iter().rev().collect();
    let right = group_words(&tokens[anchor + 1..]);
    let asked_behind = tokens[anchor + 1..]
        .iter()
        .any(|t| matches!(t.folded.as_str(), "who" | "whom" | "which" | "what" | "when" | "where"));
    let (mut near, mut far) = (Vec::new(), Vec::new());
    for (at, group) in right {
        // "X starred who": with the question word behind it, a word behind the entity is the main verb, the
        // outermost.
        if at == 0 && !asked_behind { near.push(group) } else { far.push(group) }
    }
    near.into_iter().chain(left.into_iter().map(|(_, g)| g)).chain(far).collect()
}

/// Groups of neighbouring words with a relation in common, each with the place of its first word. "As a"
/// joins neighbours: who "appeared in it as an actor" appeared once.
fn group_words(tokens: &[Token]) -> Vec<(usize, Group)> {
    let mut found: Vec<(usize, usize, Vec<&Token>)> = Vec::new();
    let role = |words: &[Token]| {
        let as_a = words.iter().rposition(|t| t.folded == "as").map(|at| &words[at + 1..]);
        as_a.is_some_and(|behind| behind.iter().all(|t| is_article(&t.folded))) && words.len() <= ROLE
    };
    for (at, token) in tokens.iter().enumerate().filter(|(_, t)| !t.relations.is_empty()) {
        match found.last_mut() {
            Some((_, last, words))
                if (*last + 1 == at || role(&tokens[*last + 1..at]))
                    && words.iter().all(|w| share(w, token)) =>
            {
                *last = at;
                words.push(token);
            }
            _ => found.push((at, at, vec![token])),
        }
    }
    found.into_iter().map(|(at, _, words)| (at, merge_words(&words))).collect()
}

fn share(a: &Token, b: &Token) -> bool {
    a.relations.iter().any(|(relation, _)| b.relations.iter().any(|(other, _)| relation == other))
}

/// The words of a group as one: the strongest counts in full, the others add a little.
fn merge_words(words: &[&Token]) -> Group {
    let mut relations: Vec<(RelationId, f32)> = Vec::new();
    for (relation, worth) in words.iter().flat_map(|w| &w.relations) {
        match relations.iter_mut().find(|(known, _)| known == relation) {
            Some((_, sum)) => *sum = sum.max(*worth) + weights::repeated_word() * sum.min(*worth),
            None => relations.push((*relation, *worth)),
        }
    }
    Group { relations }
}

fn weigh_unpaid(steps: &[Step], at: usize) -> f32 {
    let returns = at.checked_sub(1).is_some_and(|before| steps[at].returns(steps[before]));
    if returns { weights::unaligned_backtrack() } else { weights::unaligned_step() }
}

/// The groups around an entity, laid out for thousands of paths: what depends on the words alone is worked
/// out once, and nothing is allocated for a path.
#[derive(Debug, Clone)]
pub(super) struct Aligner {
    /// For each relation that is spoken of what every group is worth to a step of it.
    worths: Map<RelationId, Vec<f32>>,
    /// The best that each group is worth.
    best: Vec<f32>,
    /// The groups, those that fit best first.
    order: Vec<usize>,
    room: Room,
}

#[derive(Debug, Clone, Default)]
struct Room {
    closed: Vec<f32>,
    paying: Vec<f32>,
    next: Vec<f32>,
    paid: Vec<bool>,
    /// The worths of each step, one run after another.
    of: Vec<f32>,
}

impl Aligner {
    /// The words around the entity at `anchor`.
    pub fn new(tokens: &[Token], anchor: usize) -> Aligner {
        Aligner::of(&inside_out(tokens, anchor))
    }

    fn of(groups: &[Group]) -> Aligner {
        let mut worths: Map<RelationId, Vec<f32>> = Map::new();
        for (at, group) in groups.iter().enumerate() {
            for &(relation, worth) in &group.relations {
                worths.get_or_insert_with(relation, || vec![0.0; groups.len()])[at] = worth;
            }
        }
        let best: Vec<f32> = groups.iter().map(Group::best).collect();
        let mut order: Vec<usize> = (0..groups.len()).collect();
        sort_by(&mut order, |&a, &b| best[b].total_cmp(&best[a]));
        Aligner { worths, best, order, room: Room::default() }
    }

    /// Returns true if a word names a relation.
    pub fn has_cue(&self, relation: RelationId) -> bool {
        self.worths.get(&relation).is_some()
    }

    /// Returns the score of the groups, from the innermost outwards, for the steps, and the number of steps
    /// that a word pays for. The score is the weighted mean of the best alignment in order and the best
    /// without order.
    pub fn score(&mut self, steps: &[Step]) -> (f32, usize) {
        let groups = self.best.len();
        self.room.of.clear();
        for step in steps {
            match self.worths.get(&step.relation) {
                Some(worths) => self.room.of.extend_from_slice(worths),
                None => self.room.of.resize(self.room.of.len() + groups, 0.0),
            }
        }
        let (free, paid) = self.unordered(steps);
        (weights::ordered() * self.ordered(steps) + (1.0 - weights::ordered()) * free, paid)
    }

    /// The best alignment in which later groups pay for the same or later steps.
    fn ordered(&mut self, steps: &[Step]) -> f32 {
        let (n, groups) = (steps.len(), self.best.len());
        let Room { closed, paying, next, of, .. } = &mut self.room;
        // closed[j]: the best so far with j steps closed, none of them paid.
        closed.clear();
        closed.push(0.0);
        for j in 1..=n {
            closed.push(closed[j - 1] + weigh_unpaid(steps, j - 1));
        }
        // paying[j]: the last group that was placed went to step j - 1.
        paying.clear();
        paying.resize(n + 1, f32::NEG_INFINITY);
        for group in 0..groups {
            next.clear();
            next.push(f32::NEG_INFINITY);
            for j in 1..=n {
                let worth = of[(j - 1) * groups + group];
                let mut best = paying[j];
                if worth > 0.0 {
                    best = best.max(paying[j] + weights::repeated_word() * worth);
                    // The first group of this step: everything before was closed with steps up to j - 1.
                    let mut before = closed[j - 1];
                    let mut skipped = 0.0;
                    for i in (1..j).rev() {
                        before = before.max(paying[i] + skipped);
                        skipped += weigh_unpaid(steps, i - 1);
                    }
                    best = best.max(before + worth);
                }
                next.push(best);
            }
            std::mem::swap(paying, next);
        }
        let mut best = closed[n];
        let mut skipped = 0.0;
        for j in (1..=n).rev() {
            best = best.max(paying[j] + skipped);
            skipped += weigh_unpaid(steps, j - 1);
        }
        best
    }

    /// Each group at the step that it fits best, those that fit best first; a step is paid by the first that
    /// comes to it.
    fn unordered(&mut self, steps: &[Step]) -> (f32, usize) {
        let groups = self.best.len();
        let Room { paid, of, .. } = &mut self.room;
        paid.clear();
        paid.resize(steps.len(), false);
        let mut total = 0.0;
        for &group in &self.order {
            let mut best: Option<(usize, f32)> = None;
            for at in 0..steps.len() {
                let worth = of[at * groups + group];
                let gain = if paid[at] { weights::repeated_word() * worth } else { worth };
                if worth > 0.0 && best.is_none_or(|(_, known)| gain > known) {
                    best = Some((at, gain));
                }
            }
            if let Some((at, gain)) = best {
                paid[at] = true;
                total += gain;
            }
        }
        for (at, _) in paid.iter().enumerate().filter(|(_, p)| !**p) {
            total += weigh_unpaid(steps, at);
        }
        if paid.last() == Some(&false) {
            total += TIE;
        }
        (total, paid.iter().filter(|p| **p).count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kg::{Class, Direction};
    use proptest::prelude::*;

    fn alignment_score(group: &Group, step: Step) -> f32 {
        group.relations.iter().find(|(r, _)| *r == step.relation).map_or(0.0, |(_, w)| *w)
    }

    /// Every way to give each group to a step or to lose it, in order: the best of all.
    fn naive_ordered(groups: &[Group], steps: &[Step]) -> f32 {
        let mut best = f32::NEG_INFINITY;
        let ways = (steps.len() + 1).pow(u32::try_from(groups.len()).unwrap_or(u32::MAX));
        'ways: for way in 0..ways {
            let (mut rest, mut total, mut last) = (way, 0.0, 0);
            let mut paid = vec![false; steps.len()];
            for group in groups {
                let choice = rest % (steps.len() + 1);
                rest /= steps.len() + 1;
                match choice.checked_sub(1) {
                    None => {}
                    Some(at) => {
                        let worth = alignment_score(group, steps[at]);
                        if at < last || worth <= 0.0 {
                            continue 'ways;
                        }
                        last = at;
                        total += if std::mem::replace(&mut paid[at], true) {
                            weights::repeated_word() * worth
                        } else {
                            worth
                        };
                    }
                }
            }
            total += (0..steps.len()).filter(|&at| !paid[at]).map(|at| weigh_unpaid(steps, at)).sum::<f32>();
            best = best.max(total);
        }
        best
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = (0u32..4, any::<bool>()).prop_map(|(relation, forward)| Step {
            relation: RelationId(relation),
            direction: if forward { Direction::Forward } else { Direction::Backward },
            to: Class::Untyped,
        });
        prop::collection::vec(step, 0..4)
    }

    fn some_groups() -> impl Strategy<Value = Vec<Group>> {
        let group = prop::collection::btree_map(0u32..4, 0.1f32..1.3, 1..3).prop_map(|relations| Group {
            relations: relations.into_iter().map(|(r, w)| (RelationId(r), w)).collect(),
        });
        prop::collection::vec(group, 0..5)
    }

    proptest! {
        #[test]
        fn the_alignment_in_order_is_the_best_of_all(
            groups in some_groups(),
            first in steps(),
            then in steps(),
        ) {
            let mut aligner = Aligner::of(&groups);
            // One after the other, as thousands come: what one leaves behind must not reach the next.
            for steps in [first, then] {
                let (score, paid) = aligner.score(&steps);
                let (free, _) = aligner.unordered(&steps);
                prop_assert!((aligner.ordered(&steps) - naive_ordered(&groups, &steps)).abs() < 1e-5);
                prop_assert!(
                    (score - 0.5 * (naive_ordered(&groups, &steps) + free)).abs() < 1e-5
                        && paid <= steps.len().min(groups.len())
                );
            }
            prop_assert!((0..5).all(|r| aligner.has_cue(RelationId(r))
                == groups.iter().any(|g| g.relations.iter().any(|(x, _)| x.0 == r))));
        }
    }
}
