//! Infers types of things in a graph that declares none, from the names of relations and from relation ends
//! with the same members.
//!
//! Clusters relation ends with overlapping members into one type, unless their names disagree and the members
//! are not nearly all the same. A vote of their names gives the label. An end about which nothing is known
//! gets no type. Declared types are never changed: corrected tables, as `pocketgraph inspect --write-tables`
//! writes them, take precedence.

mod naming;
mod sides;

use crate::everyday::{self, EverydayRelation};
use naming::{Votes, count_votes};
use pocketgraph_kg::{BuildNode, INFERRED, KgBuilder, KgError, TypeId};
use sides::{Sides, side};
use std::collections::{BTreeMap, BTreeSet};

/// Rules for the kinds of things. Hand-set: `tuning/kinds.py` tries other values over six graphs whose
/// declared types are taken away, leaving one of them out at a time. On graphs that were left out no other
/// value is better, and `many_sides` (2 to 9), `noun` (0 to 1) and `support` (.6 to .8) are flat.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KindRules {
    /// Minimum share of the smaller end's members for two ends to have one type if no names disagree.
    pub one_kind: f32,
    /// Minimum share of the smaller end's members for two ends to have one type whatever their names:
    /// projects have budgets as films have.
    pub same_things: f32,
    /// Number of ends of a cluster from which more than one must vote for its type.
    pub many_sides: usize,
    /// Weight of a relation's own noun as the name of its tails, against an everyday relation.
    pub noun: f32,
    /// Minimum share of votes for a narrow type to name a cluster; else the wider type does.
    pub own: f32,
    /// Minimum share of votes that support a type: its own, and those of wider or narrower types.
    pub support: f32,
}

impl Default for KindRules {
    fn default() -> Self {
        KindRules { one_kind: 0.5, same_things: 0.9, many_sides: 3, noun: 0.25, own: 0.3, support: 0.6 }
    }
}

/// Gives entities without a declared type the types of their relation ends. Returns the names of these types.
pub(super) fn infer_types(kg: &mut KgBuilder, rules: &KindRules) -> Result<Vec<String>, KgError> {
    let sides = Sides::of(kg);
    let everyday: Vec<EverydayRelation<'_>> =
        everyday::list_relations().chain(everyday::list_measures()).collect();
    let mut named: Vec<Votes> = Vec::new();
    for (relation, names) in kg.relation_names() {
        let [heads, tails] = count_votes(&names, &everyday, rules);
        debug_assert_eq!(named.len(), side(relation, false));
        named.extend([heads, tails]);
    }
    for (side, votes) in named.iter_mut().enumerate().filter(|(s, _)| sides.is_open(*s)) {
        if sides.holds_years(kg, side) {
            *votes = Votes::of("year");
        }
    }
    let clusters = cluster_sides(&sides, named, rules);
    let mut of: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    for (cluster, votes) in &clusters {
        let elected =
            votes.leader(rules).filter(|kind| cluster.len() < rules.many_sides || votes.voters(kind) > 1);
        let Some(kind) = elected else { continue };
        for &entity in cluster.iter().flat_map(|&side| &sides.members[side]) {
            of.entry(entity).or_default().insert(kind);
        }
    }
    let mut known: BTreeMap<&str, TypeId> = BTreeMap::new();
    for (&entity, kinds) in
        of.iter().filter(|(e, _)| !kg.has_type(BuildNode::Entity(**e))).collect::<Vec<_>>()
    {
        for &kind in kinds {
            let id = match known.get(kind) {
                Some(id) => *id,
                None => *known.entry(kind).or_insert(find_or_add_type(kg, kind)?),
            };
            kg.entity_has_type(BuildNode::Entity(entity), id)?;
        }
    }
    for (kind, id) in &known {
        // A thing that is only known to be a work may be a film or a book.
        let narrower = everyday::list_kinds().filter(|k| everyday::is_wider(kind, k));
        narrower.collect::<BTreeSet<_>>().into_iter().try_for_each(|name| kg.type_alias(*id, name))?;
    }
    Ok(known.into_keys().map(str::to_owned).collect())
}

fn find_or_add_type(kg: &mut KgBuilder, kind: &str) -> Result<TypeId, KgError> {
    let called = kg
        .type_names()
        .find(|(_, names)| names.iter().any(|n| n.eq_ignore_ascii_case(kind)))
        .map(|(id, _)| id);
    if let Some(id) = called {
        return Ok(id);
    }
    let id = kg.entity_type(&format!("{INFERRED}{kind}"))?;
    kg.type_label(id, kind)?;
    Ok(id)
}

/// Clusters the open ends by type, each cluster with its votes.
fn cluster_sides(sides: &Sides, mut named: Vec<Votes>, rules: &KindRules) -> Vec<(Vec<usize>, Votes)> {
    let mut root: Vec<usize> = (0..named.len()).collect();
    fn find(root: &mut [usize], mut at: usize) -> usize {
        while root[at] != at {
            root[at] = root[root[at]];
            at = root[at];
        }
        at
    }
    for shared in sides.shared(rules.one_kind) {
        let (a, b) = (find(&mut root, shared.a), find(&mut root, shared.b));
        let values = sides.holds_values(shared.a) || sides.holds_values(shared.b);
        if a != b
            && ((shared.share >= rules.same_things && !values)
                || may_agree([&named[a], &named[b]], values, rules))
        {
            let (low, high) = (a.min(b), a.max(b));
            let other = named[high].clone();
            named[low].join(&other);
            root[high] = low;
        }
    }
    let mut out: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for side in (0..named.len()).filter(|&s| sides.is_open(s)) {
        out.entry(find(&mut root, side)).or_default().push(side);
    }
    out.into_iter().map(|(root, sides)| (sides, named[root].clone())).collect()
}

/// Returns true if two names may mean one type. Values belong to many relations (a genre is a tag, too), so
/// that they need a name in common.
fn may_agree([a, b]: [&Votes; 2], values: bool, rules: &KindRules) -> bool {
    match (a.leader(rules), b.leader(rules)) {
        (Some(a), Some(b)) => everyday::is_akin(a, b),
        _ => !values,
    }
}
