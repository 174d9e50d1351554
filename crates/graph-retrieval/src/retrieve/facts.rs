//! Facts, and ways to a chunk, for several of these retrievers.

use super::Reached;
use crate::compact::{Map, sort_by};
use crate::entities::EntityIndex;

/// Returns true if a sentence is a fact: it mentions two different entities.
pub(super) fn is_fact(index: &EntityIndex, sentence: u32) -> bool {
    let mentioned = index.mentioned(sentence);
    mentioned.first().is_some_and(|first| mentioned.iter().any(|m| m != first))
}

/// Returns those of `all` with positive weight as ways to a chunk, the heaviest first.
pub(super) fn by_weight(
    all: impl Iterator<Item = u32>,
    weight: &Map<u32, f32>,
    label: impl Fn(u32) -> Option<String>,
) -> Vec<Reached> {
    let mut found: Vec<(u32, f32)> =
        all.filter_map(|e| weight.get(&e).map(|&w| (e, w))).filter(|(_, w)| *w > 0.0).collect();
    sort_by(&mut found, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.iter().filter_map(|(e, _)| Some(Reached::Entity { entity: label(*e)? })).collect()
}
