//! Kinds of things in a graph that declares none: from what relations are called, and from which sides of
//! relations have the same things.
//!
//! Sides that share most of their things are of one kind, unless their names say otherwise and the things
//! are not nearly all the same; what most of their names say is the kind's name. A side of which nothing is
//! known stays without. Nothing that a file declares is touched: who corrects the tables that `pocketgraph
//! inspect --write-tables` writes, and gives them back, has the last word.

mod naming;
mod sides;

use crate::everyday::{self, EverydayRelation};
use naming::{Votes, votes};
use pocketgraph_kg::{BuildNode, INFERRED, KgBuilder, KgError, TypeId};
use sides::{Sides, side};
use std::collections::{BTreeMap, BTreeSet};

/// What decides of what kind things are. `tuning/kinds.py` tries each with other values over six graphs
/// whose declared types are taken away, leaving one of them out at a time: on graphs that were left out no
/// other value is better, and `many_sides` (2 to 9), `noun` (0 to 1) and `support` (.6 to .8) are flat.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KindRules {
    /// Sides that share this part of the smaller one's things are of one kind, where their names do not say otherwise.
    pub one_kind: f32,
    /// Sides that share this part of the smaller one's things are of one kind whatever their names say:
    /// projects have budgets as films have.
    pub same_things: f32,
    /// Of so many sides with the same things more than one must say what they are.
    pub many_sides: usize,
    /// What a relation's own noun is worth as the name of its tails, against an everyday relation.
    pub noun: f32,
    /// A narrow kind needs this part of all votes to be the name of a cluster; else the wider kind is.
    pub own: f32,
    /// A kind needs the support of this part of all votes: its own, and those of wider or narrower kinds.
    pub support: f32,
}

impl Default for KindRules {
    fn default() -> Self {
        KindRules { one_kind: 0.5, same_things: 0.9, many_sides: 3, noun: 0.25, own: 0.3, support: 0.6 }
    }
}

/// Gives entities without a declared type the kind of the sides at which they stand; gives the kinds' names.
///
/// # Errors
/// [`KgError`] never comes of these names; it is the builder's.
pub(super) fn add(kg: &mut KgBuilder, rules: &KindRules) -> Result<Vec<String>, KgError> {
    let sides = Sides::of(kg);
    let everyday: Vec<EverydayRelation<'_>> = everyday::relations().chain(everyday::measures()).collect();
    let mut named: Vec<Votes> = Vec::new();
    for (relation, names) in kg.relation_names() {
        let [heads, tails] = votes(&names, &everyday, rules);
        debug_assert_eq!(named.len(), side(relation, false));
        named.extend([heads, tails]);
    }
    for (side, votes) in named.iter_mut().enumerate().filter(|(s, _)| sides.is_open(*s)) {
        if sides.holds_years(kg, side) {
            *votes = Votes::of("year");
        }
    }
    let clusters = clusters(&sides, named, rules);
    let mut of: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    for (cluster, votes) in &clusters {
        let elected = votes.leader(rules).filter(|kind| cluster.len() < rules.many_sides || votes.voters(kind) > 1);
        let Some(kind) = elected else { continue };
        for &entity in cluster.iter().flat_map(|&side| &sides.members[side]) {
            of.entry(entity).or_default().insert(kind);
        }
    }
    let mut known: BTreeMap<&str, TypeId> = BTreeMap::new();
    for (&entity, kinds) in of.iter().filter(|(e, _)| !kg.has_type(BuildNode::Entity(**e))).collect::<Vec<_>>() {
        for &kind in kinds {
            let id = match known.get(kind) {
                Some(id) => *id,
                None => *known.entry(kind).or_insert(declared(kg, kind)?),
            };
            kg.entity_has_type(BuildNode::Entity(entity), id)?;
        }
    }
    for (kind, id) in &known {
        // What is only known to be a work may be a film or a book.
        let narrower = everyday::kinds().filter(|k| everyday::is_wider(kind, k));
        narrower.collect::<BTreeSet<_>>().into_iter().try_for_each(|name| kg.type_alias(*id, name))?;
    }
    Ok(known.into_keys().map(str::to_owned).collect())
}

/// The type that is called so already, or a new one.
fn declared(kg: &mut KgBuilder, kind: &str) -> Result<TypeId, KgError> {
    let called = kg.type_names().find(|(_, names)| names.iter().any(|n| n.eq_ignore_ascii_case(kind))).map(|(id, _)| id);
    if let Some(id) = called {
        return Ok(id);
    }
    let id = kg.entity_type(&format!("{INFERRED}{kind}"))?;
    kg.type_label(id, kind)?;
    Ok(id)
}

/// The open sides, those of one kind together, each with what names it.
fn clusters(sides: &Sides, mut named: Vec<Votes>, rules: &KindRules) -> Vec<(Vec<usize>, Votes)> {
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
        if a != b && ((shared.share >= rules.same_things && !values) || agree([&named[a], &named[b]], values, rules)) {
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

/// Whether two names may be of one kind. Values are many things to many relations (a genre is a tag, too),
/// so that they are of one kind only by name.
fn agree([a, b]: [&Votes; 2], values: bool, rules: &KindRules) -> bool {
    match (a.leader(rules), b.leader(rules)) {
        (Some(a), Some(b)) => everyday::is_akin(a, b),
        _ => !values,
    }
}
