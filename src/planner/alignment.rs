//! How well a path of steps explains the question's words.
//!
//! Every step must be paid for by words that speak of its relation, words that pay for nothing are lost, and the order of the words
//! around an entity tells which steps are inner and which are outer. The weights are those of a prototype that was tuned on the
//! development questions of MetaQA.

use super::question::Token;
use super::schema::Step;
use crate::compact::sort_by;
use crate::kg::RelationId;

/// A further word of a step that is paid already, as a part of its similarity.
const FURTHER: f32 = 0.3;
/// A word that pays for nothing, as a part of its best similarity.
const LOST: f32 = -0.8;
/// A step that no word pays for.
const UNPAID: f32 = -0.7;
/// The same if the step takes back the one before it: "films that share directors".
const UNPAID_RETURN: f32 = -0.5;

/// Of two paths that are equal otherwise, the one whose last step is spoken of.
const UNPAID_LAST: f32 = -0.05;

/// Neighbouring words that speak of one relation: they pay for at most one step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    /// The relations that the words speak of, with how much.
    pub relations: Vec<(RelationId, f32)>,
}

impl Group {
    fn of(&self, step: Step) -> f32 {
        self.relations.iter().find(|(relation, _)| *relation == step.relation).map_or(0.0, |(_, worth)| *worth)
    }

    fn best(&self) -> f32 {
        self.relations.iter().map(|(_, worth)| *worth).fold(0.0, f32::max)
    }
}

/// The words that speak of relations, in groups, from the innermost step outwards: the word right behind the entity, then those
/// before it from near to far, then the rest behind it.
pub(super) fn inside_out(tokens: &[Token], anchor: usize) -> Vec<Group> {
    let left: Vec<(usize, Group)> = groups(&tokens[..anchor]).into_iter().rev().collect();
    let right = groups(&tokens[anchor + 1..]);
    let asked_behind =
        tokens[anchor + 1..].iter().any(|t| matches!(t.folded.as_str(), "who" | "whom" | "which" | "what" | "when" | "where"));
    let (mut near, mut far) = (Vec::new(), Vec::new());
    for (at, group) in right {
        // "X starred who": with the question word behind it, a word behind the entity is the main verb, the outermost.
        if at == 0 && !asked_behind { near.push(group) } else { far.push(group) }
    }
    near.into_iter().chain(left.into_iter().map(|(_, g)| g)).chain(far).collect()
}

/// Groups of neighbouring words with a relation in common, each with the place of its first word.
fn groups(tokens: &[Token]) -> Vec<(usize, Group)> {
    let mut found: Vec<(usize, usize, Vec<&Token>)> = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, t)| !t.relations.is_empty()) {
        match found.last_mut() {
            Some((_, last, words)) if *last + 1 == at && words.iter().all(|w| share(w, token)) => {
                *last = at;
                words.push(token);
            }
            _ => found.push((at, at, vec![token])),
        }
    }
    found.into_iter().map(|(at, _, words)| (at, merged(&words))).collect()
}

fn share(a: &Token, b: &Token) -> bool {
    a.relations.iter().any(|(relation, _)| b.relations.iter().any(|(other, _)| relation == other))
}

/// The words of a group as one: the strongest counts in full, the others add a little.
fn merged(words: &[&Token]) -> Group {
    let mut relations: Vec<(RelationId, f32)> = Vec::new();
    for (relation, worth) in words.iter().flat_map(|w| &w.relations) {
        match relations.iter_mut().find(|(known, _)| known == relation) {
            Some((_, sum)) => *sum = sum.max(*worth) + FURTHER * sum.min(*worth),
            None => relations.push((*relation, *worth)),
        }
    }
    Group { relations }
}

/// How well the groups, from the innermost outwards, pay for the steps: the mean of the best alignment in order and the best without.
/// Also how many steps are paid for.
pub(super) fn score(groups: &[Group], steps: &[Step]) -> (f32, usize) {
    let (free, paid) = unordered(groups, steps);
    (0.5 * ordered(groups, steps) + 0.5 * free, paid)
}

fn unpaid(steps: &[Step], at: usize) -> f32 {
    let returns = at.checked_sub(1).is_some_and(|before| steps[at].returns(steps[before]));
    if returns { UNPAID_RETURN } else { UNPAID }
}

/// The best alignment in which later groups pay for the same or later steps.
fn ordered(groups: &[Group], steps: &[Step]) -> f32 {
    // best[j]: the best so far with j steps closed, the last of them paid (first) or not.
    let n = steps.len();
    let mut closed: Vec<f32> = vec![0.0; n + 1];
    for j in 1..=n {
        closed[j] = closed[j - 1] + unpaid(steps, j - 1);
    }
    // paying[j]: the last group that was placed went to step j - 1.
    let mut paying: Vec<f32> = vec![f32::NEG_INFINITY; n + 1];
    let mut lost = 0.0;
    for group in groups {
        let mut next: Vec<f32> = vec![f32::NEG_INFINITY; n + 1];
        for j in 1..=n {
            let worth = group.of(steps[j - 1]);
            let mut best = paying[j] + LOST * group.best();
            if worth > 0.0 {
                best = best.max(paying[j] + FURTHER * worth);
                // The first group of this step: everything before was closed with steps up to j - 1.
                let mut before = closed[j - 1] + lost;
                let mut skipped = 0.0;
                for i in (0..j).rev() {
                    if i > 0 {
                        before = before.max(paying[i] + skipped);
                        skipped += unpaid(steps, i - 1);
                    }
                }
                best = best.max(before + worth);
            }
            next[j] = best;
        }
        lost += LOST * group.best();
        paying = next;
    }
    let mut best = closed[n] + lost;
    let mut skipped = 0.0;
    for j in (1..=n).rev() {
        best = best.max(paying[j] + skipped);
        skipped += unpaid(steps, j - 1);
    }
    best
}

/// Each group at the step that it fits best, those that fit best first; a step is paid by the first that comes to it.
fn unordered(groups: &[Group], steps: &[Step]) -> (f32, usize) {
    let mut order: Vec<&Group> = groups.iter().collect();
    sort_by(&mut order, |a, b| b.best().total_cmp(&a.best()));
    let mut paid = vec![false; steps.len()];
    let mut total = 0.0;
    for group in order {
        let mut best: Option<(usize, f32)> = None;
        for (at, step) in steps.iter().enumerate() {
            let worth = group.of(*step);
            let gain = if paid[at] { FURTHER * worth } else { worth };
            if worth > 0.0 && best.is_none_or(|(_, known)| gain > known) {
                best = Some((at, gain));
            }
        }
        match best {
            Some((at, gain)) => {
                paid[at] = true;
                total += gain;
            }
            None => total += LOST * group.best(),
        }
    }
    for (at, _) in paid.iter().enumerate().filter(|(_, p)| !**p) {
        total += unpaid(steps, at);
    }
    if paid.last() == Some(&false) {
        total += UNPAID_LAST;
    }
    (total, paid.iter().filter(|p| **p).count())
}
