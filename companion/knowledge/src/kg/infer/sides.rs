//! The two ends of every relation: the entities that are heads or tails of it, and the overlap of ends.

use super::super::literals::reads_as_year;
use pocketgraph_kg::{BuildNode, KgBuilder, RelationId};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of ends of one entity that are paired, since pairs grow with the square.
const PAIRED: usize = 24;

/// Ends of all relations; relation `r` has its heads at `2 r` and its tails at `2 r + 1`.
#[derive(Debug, Default)]
pub(super) struct Sides {
    /// The entities at each side, ascending.
    pub members: Vec<Vec<u32>>,
    /// Number of an end's entities that have a type declared in a file.
    pub declared: Vec<usize>,
    /// Number of an end's entities that are heads of any relation.
    pub heads: Vec<usize>,
}

/// Two sides that share entities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shared {
    /// Share of the smaller end's entities that are also in the other.
    pub share: f32,
    pub a: usize,
    pub b: usize,
}

/// Returns the index of a relation's end.
pub(super) fn side(relation: RelationId, tail: bool) -> usize {
    2 * relation.0 as usize + usize::from(tail)
}

impl Sides {
    /// Collects the ends of all triples so far.
    pub fn of(kg: &KgBuilder) -> Sides {
        let relations = kg.relation_names().count();
        let mut sides: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); 2 * relations];
        let mut heads = BTreeSet::new();
        for (head, relation, tail) in kg.triples() {
            for (node, at) in [(head, side(relation, false)), (tail, side(relation, true))] {
                if let BuildNode::Entity(e) = node {
                    sides[at].insert(e);
                }
            }
            if let BuildNode::Entity(e) = head {
                heads.insert(e);
            }
        }
        let count = |of: &BTreeSet<u32>, is: &dyn Fn(u32) -> bool| of.iter().filter(|&&e| is(e)).count();
        Sides {
            declared: sides.iter().map(|s| count(s, &|e| kg.has_type(BuildNode::Entity(e)))).collect(),
            heads: sides.iter().map(|s| count(s, &|e| heads.contains(&e))).collect(),
            members: sides.into_iter().map(|s| s.into_iter().collect()).collect(),
        }
    }

    /// Returns true if files declare no type for nearly all entities of an end.
    pub fn is_open(&self, side: usize) -> bool {
        !self.members[side].is_empty() && self.declared[side] * 10 <= self.members[side].len()
    }

    /// Returns true if an end holds values and at least 95 % of them read as years.
    pub fn holds_years(&self, kg: &KgBuilder, side: usize) -> bool {
        let year = |e: &&u32| reads_as_year(kg.id(BuildNode::Entity(**e)).unwrap_or_default());
        let of = &self.members[side];
        self.holds_values(side) && of.iter().filter(year).count() * 20 >= of.len() * 19
    }

    /// Returns true if hardly any entity of an end has statements of its own.
    pub fn holds_values(&self, side: usize) -> bool {
        self.heads[side] * 10 <= self.members[side].len()
    }

    /// Returns the open ends that share at least `least` of the smaller one's entities, by descending share.
    pub fn shared(&self, least: f32) -> Vec<Shared> {
        let mut at: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for side in (0..self.members.len()).filter(|&s| self.is_open(s)) {
            for &entity in &self.members[side] {
                let of = at.entry(entity).or_default();
                if of.len() < PAIRED {
                    of.push(side);
                }
            }
        }
        let mut both: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for of in at.values() {
            for (i, &a) in of.iter().enumerate() {
                of[i + 1..].iter().for_each(|&b| *both.entry((a, b)).or_default() += 1);
            }
        }
        let smaller = |a: usize, b: usize| self.members[a].len().min(self.members[b].len()) as f32;
        let mut all: Vec<Shared> =
            both.into_iter().map(|((a, b), n)| Shared { share: n as f32 / smaller(a, b), a, b }).collect();
        all.retain(|s| s.share >= least);
        all.sort_by(|x, y| y.share.total_cmp(&x.share).then((x.a, x.b).cmp(&(y.a, y.b))));
        all
    }
}
