//! Kinds of things in a graph that declares none: from what relations are called, and from which sides of relations have the same things.
//!
//! Sides that share most of their things are of one kind, unless their names say otherwise and the things are not nearly all the same; what most of their names say is the kind's name. A side of
//! which nothing is known stays without. Nothing that a file declares is touched: who corrects the tables that `pocketgraph inspect --write-tables` writes, and
//! gives them back, has the last word.

mod naming;
mod sides;

use crate::everyday::{self, EverydayRelation};
use naming::{Votes, votes};
use pocketgraph::kg::{BuildNode, INFERRED, KgBuilder, KgError, TypeId};
use sides::{Sides, side};
use std::collections::{BTreeMap, BTreeSet};

/// Sides that share this part of the smaller one's things are of one kind, where their names do not say otherwise.
const ONE_KIND: f32 = 0.5;
/// Sides that share this part of the smaller one's things are of one kind whatever their names say: projects have budgets as films have.
const SAME_THINGS: f32 = 0.9;
/// Of so many sides with the same things more than one must say what they are.
const MANY_SIDES: usize = 3;

/// Gives entities without a declared type the kind of the sides at which they stand; gives the kinds' names.
///
/// # Errors
/// [`KgError`] never comes of these names; it is the builder's.
pub(super) fn add(kg: &mut KgBuilder) -> Result<Vec<String>, KgError> {
    let sides = Sides::of(kg);
    let everyday: Vec<EverydayRelation<'_>> = everyday::relations().chain(everyday::measures()).collect();
    let mut named: Vec<Votes> = Vec::new();
    for (relation, names) in kg.relation_names() {
        let [heads, tails] = votes(&names, &everyday);
        debug_assert_eq!(named.len(), side(relation, false));
        named.extend([heads, tails]);
    }
    for (side, votes) in named.iter_mut().enumerate().filter(|(s, _)| sides.is_open(*s)) {
        if sides.holds_years(kg, side) {
            *votes = Votes::of("year");
        }
    }
    let clusters = clusters(&sides, named);
    let mut of: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    for (cluster, votes) in &clusters {
        let elected = votes.leader().filter(|kind| cluster.len() < MANY_SIDES || votes.voters(kind) > 1);
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
fn clusters(sides: &Sides, mut named: Vec<Votes>) -> Vec<(Vec<usize>, Votes)> {
    let mut root: Vec<usize> = (0..named.len()).collect();
    fn find(root: &mut [usize], mut at: usize) -> usize {
        while root[at] != at {
            root[at] = root[root[at]];
            at = root[at];
        }
        at
    }
    for shared in sides.shared(ONE_KIND) {
        let (a, b) = (find(&mut root, shared.a), find(&mut root, shared.b));
        let values = sides.holds_values(shared.a) || sides.holds_values(shared.b);
        if a != b && ((shared.share >= SAME_THINGS && !values) || agree(&named[a], &named[b], values)) {
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

/// Whether two names may be of one kind. Values are many things to many relations (a genre is a tag, too), so that they are of one kind only by name.
fn agree(a: &Votes, b: &Votes, values: bool) -> bool {
    match (a.leader(), b.leader()) {
        (Some(a), Some(b)) => everyday::is_akin(a, b),
        _ => !values,
    }
}
