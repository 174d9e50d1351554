//! Sets of entities, literals and words, each member with its score and the ways that led to it.

use crate::compact::{sort_by, sort_unique};
use crate::kg::{KnowledgeGraph, Literal, LiteralKind, NodeId, TripleId, Value, value_of};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Item of a set. Two members are the same if and only if these are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Item {
    /// Entity or literal of the graph.
    Node(NodeId),
    /// Value that a step computed or read.
    Value {
        /// Kind of value.
        kind: LiteralKind,
        /// Text of the value.
        text: String,
        /// Unit, or empty.
        unit: String,
    },
    /// Words of a passage that are no entity of the graph.
    Words(String),
}

impl Item {
    /// Makes a computed number.
    pub fn number(n: f64) -> Item {
        Item::Value { kind: LiteralKind::Number, text: Value::number(n).to_string(), unit: String::new() }
    }

    /// Makes a truth value.
    pub fn boolean(b: bool) -> Item {
        Item::Value { kind: LiteralKind::Boolean, text: b.to_string(), unit: String::new() }
    }

    /// Returns the node, if it is one.
    pub fn node(&self) -> Option<NodeId> {
        match self {
            Item::Node(n) => Some(*n),
            _ => None,
        }
    }

    /// Returns its label for people.
    pub fn label(&self, graph: Option<&KnowledgeGraph>) -> String {
        match self {
            Item::Node(n) => {
                let unit = graph.and_then(|g| g.literal(*n)).map_or("", |l| l.unit);
                let label = graph.map_or("", |g| g.label(*n));
                if unit.is_empty() { label.to_owned() } else { format!("{label} {unit}") }
            }
            Item::Value { text, unit, .. } if unit.is_empty() => text.clone(),
            Item::Value { text, unit, .. } => format!("{text} {unit}"),
            Item::Words(words) => words.clone(),
        }
    }

    /// Returns the value, if it is one: a literal's, a computed one's, or a number or date in the text of an
    /// entity or of words (a graph may have years as entities).
    pub fn value(&self, graph: Option<&KnowledgeGraph>) -> Option<Value> {
        let denoted = |text: &str| Some(value_of(text)).filter(|v| !matches!(v, Value::Text(_)));
        match self {
            Item::Node(n) => {
                let graph = graph?;
                graph.literal(*n).map_or_else(|| denoted(graph.label(*n)), |l| Some(l.value()))
            }
            Item::Value { kind, text, unit } => {
                Some(Literal { text, kind: *kind, datatype: "", unit }.value())
            }
            Item::Words(words) => denoted(words),
        }
    }
}

/// Evidence that a member belongs to its set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Evidence {
    /// Triple of the graph.
    Triple(TripleId),
    /// Index of a passage in the execution's list.
    Passage(u32),
}

/// Way to a member.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Origin {
    /// Member of an earlier set, or linked entity, that it was reached from.
    pub head: Option<Item>,
    /// Evidence for it.
    pub evidence: Evidence,
}

/// Member of a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Member {
    /// Item of the member.
    pub item: Item,
    /// Certainty of the links and relations on the way to it, from 0 to 1.
    pub score: f32,
    /// Ways to it, at most [`ORIGINS_KEPT`].
    pub origins: Vec<Origin>,
}

/// Maximum number of ways that a member keeps.
pub const ORIGINS_KEPT: usize = 64;

/// Set that a step found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Set {
    /// Members, ascending by item, each once.
    pub members: Vec<Member>,
    /// True if members may be missing because they were read in passages and not found in the graph.
    pub open: bool,
}

impl Set {
    /// Makes a set of members. A repeated one keeps its best score and all its origins.
    pub fn new(mut members: Vec<Member>, open: bool) -> Set {
        sort_by(&mut members, |a, b| a.item.cmp(&b.item));
        let mut out: Vec<Member> = Vec::with_capacity(members.len());
        for m in members {
            match out.last_mut() {
                Some(last) if last.item == m.item => absorb_origins(last, m.origins, last.score.max(m.score)),
                _ => out.push(m),
            }
        }
        for m in &mut out {
            sort_origins(&mut m.origins);
        }
        Set { members: out, open }
    }

    /// Makes a set of one computed value.
    pub fn of_value(item: Item, open: bool) -> Set {
        Set { members: vec![Member { item, score: 1.0, origins: Vec::new() }], open }
    }

    /// Returns the member that is `item`.
    pub fn get(&self, item: &Item) -> Option<&Member> {
        self.members.binary_search_by(|m| m.item.cmp(item)).ok().map(|i| &self.members[i])
    }

    /// Returns the members, best first; equal scores in the order of their items.
    pub fn ranked(&self) -> Vec<&Member> {
        let mut all: Vec<&Member> = self.members.iter().collect();
        sort_by(&mut all, |a, b| b.score.total_cmp(&a.score).then_with(|| a.item.cmp(&b.item)));
        all
    }

    /// Returns the members of every set, with their lowest scores: the weakest reason limits certainty.
    pub fn intersection(sets: &[&Set]) -> Set {
        let Some((first, rest)) = sets.split_first() else { return Set::default() };
        let members = first
            .members
            .iter()
            .filter_map(|m| {
                let mut m = m.clone();
                for other in rest {
                    let found = other.get(&m.item)?;
                    let score = m.score.min(found.score);
                    absorb_origins(&mut m, found.origins.clone(), score);
                }
                sort_origins(&mut m.origins);
                Some(m)
            })
            .collect();
        Set { members, open: sets.iter().all(|s| s.open) }
    }

    /// Returns the members of any set, with their highest scores.
    pub fn union(sets: &[&Set]) -> Set {
        // Two at a time, so that many large operands are never in memory together.
        let mut out = Set::default();
        for set in sets {
            let mut members = Vec::with_capacity(out.members.len().max(set.members.len()));
            let mut left = std::mem::take(&mut out.members).into_iter().peekable();
            for m in &set.members {
                while let Some(l) = left.next_if(|l| l.item < m.item) {
                    members.push(l);
                }
                members.push(match left.next_if(|l| l.item == m.item) {
                    Some(mut l) => {
                        let score = l.score.max(m.score);
                        absorb_origins(&mut l, m.origins.clone(), score);
                        sort_origins(&mut l.origins);
                        l
                    }
                    None => m.clone(),
                });
            }
            members.extend(left);
            out = Set { members, open: out.open || set.open };
        }
        out
    }

    /// Returns the members of this set that are in none of the others, by identity.
    pub fn without(&self, others: &[&Set]) -> Set {
        let members = self
            .members
            .iter()
            .filter(|m| others.iter().all(|o| o.get(&m.item).is_none()))
            .cloned()
            .collect();
        Set { members, open: self.open }
    }

    /// Returns the members that `keep` accepts.
    pub fn filtered(&self, mut keep: impl FnMut(&Member) -> bool) -> Set {
        Set { members: self.members.iter().filter(|m| keep(m)).cloned().collect(), open: self.open }
    }
}

fn absorb_origins(into: &mut Member, origins: Vec<Origin>, score: f32) {
    into.score = score;
    into.origins.extend(origins);
}

fn sort_origins(origins: &mut Vec<Origin>) {
    if origins.len() > 1 {
        sort_unique(origins);
        origins.truncate(ORIGINS_KEPT);
    }
}

/// Returns the values at one end of an order, with equal ones; `keep` different values. `None` if some value
/// is not comparable with the one at the end.
pub(super) fn select_extreme<T>(values: &[(T, Value)], least: bool, keep: usize) -> Option<Vec<&T>> {
    let beyond = if least { Ordering::Less } else { Ordering::Greater };
    let best = values.iter().map(|(_, v)| v).reduce(|a, b| if b.compare(a) == Some(beyond) { b } else { a });
    if let Some(best) = best
        && values.iter().any(|(_, v)| v.compare(best).is_none())
    {
        return None;
    }
    let mut sorted: Vec<&(T, Value)> = values.iter().collect();
    sort_by(&mut sorted, |a, b| {
        let order = a.1.compare(&b.1).unwrap_or(Ordering::Equal);
        if least { order } else { order.reverse() }
    });
    let mut out = Vec::new();
    let mut places = 0;
    let mut last: Option<&Value> = None;
    for (item, value) in sorted {
        if last.is_none_or(|l| l.compare(value) != Some(Ordering::Equal)) {
            places += 1;
            if places > keep {
                break;
            }
            last = Some(value);
        }
        out.push(item);
    }
    Some(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(of: &BTreeSet<u32>) -> Set {
        let member = |&n: &u32| Member { item: Item::Node(NodeId(n)), score: 0.5, origins: Vec::new() };
        Set::new(of.iter().rev().map(member).collect(), false)
    }

    fn nodes(s: &Set) -> BTreeSet<u32> {
        assert!(s.members.windows(2).all(|w| w[0].item < w[1].item));
        s.members.iter().filter_map(|m| m.item.node()).map(|n| n.0).collect()
    }

    proptest! {
        #[test]
        fn set_operations_are_those_of_sets(
            a in prop::collection::btree_set(0u32..20, 0..12),
            b in prop::collection::btree_set(0u32..20, 0..12),
            c in prop::collection::btree_set(0u32..20, 0..12),
        ) {
            let (x, y, z) = (set(&a), set(&b), set(&c));
            let both: BTreeSet<u32> = &(&a & &b) & &c;
            let any: BTreeSet<u32> = &(&a | &b) | &c;
            let left: BTreeSet<u32> = &(&a - &b) - &c;
            prop_assert_eq!(nodes(&Set::intersection(&[&x, &y, &z])), both);
            prop_assert_eq!(nodes(&Set::union(&[&x, &y, &z])), any);
            prop_assert_eq!(nodes(&x.without(&[&y, &z])), left);
        }

        #[test]
        fn the_extreme_is_the_least_or_the_most(all in prop::collection::vec(-50i32..50, 1..20)) {
            let values: Vec<(i32, Value)> = all.iter().map(|&n| (n, value_of(&n.to_string()))).collect();
            let least = select_extreme(&values, true, 1).unwrap();
            let most = select_extreme(&values, false, 1).unwrap();
            prop_assert!(least.iter().all(|n| Some(*n) == all.iter().min()));
            prop_assert!(most.iter().all(|n| Some(*n) == all.iter().max()));
            prop_assert_eq!(least.len(), all.iter().filter(|n| Some(*n) == all.iter().min()).count());
        }
    }

    #[test]
    fn nothing_is_at_the_end_of_values_of_several_dimensions() {
        let values: Vec<(u8, Value)> =
            ["3 km", "2000 m", "7 kg"].iter().zip(0u8..).map(|(t, i)| (i, value_of(t))).collect();
        assert_eq!(select_extreme(&values, false, 1), None);
        assert_eq!(select_extreme(&values[..2], true, 2), Some(vec![&1, &0]));
    }
}
