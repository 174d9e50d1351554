//! A made-up world with everyday relations: a graph to ask questions about if none is at hand.
//!
//! A planner learns from questions how they are built and which words mean which relation. The entities do
//! not matter, since mentions are masked. So the relations and measures are many and worded as people speak,
//! and the entities and triples are drawn at random.

use pocketgraph_cluster::Random;
use pocketgraph_kg::{BuildNode, KgBuilder, KgError, KnowledgeGraph, LiteralKind, Provenance};
use pocketgraph_text::capitalize;
use pocketgraph_text::lexicon::{Language, Row, SPOKEN};
use std::collections::BTreeMap;

/// Number of entities of each type.
const ENTITIES: usize = 60;
/// Number of triples of each relation.
const TRIPLES: usize = 220;
const SYLLABLES: [&str; 40] = [
    "ba", "bel", "bor", "cal", "can", "da", "del", "dor", "el", "fa", "fen", "gal", "gor", "ha", "hel", "il",
    "ja", "ka", "kel", "la", "lin", "lo", "ma", "mar", "mon", "na", "nor", "o", "pa", "per", "ra", "ro",
    "sa", "sel", "ta", "tor", "u", "val", "wen", "zo",
];

fn relation_rows() -> impl Iterator<Item = Row<'static>> {
    SPOKEN.everyday_relations().rows()
}

fn measure_rows() -> impl Iterator<Item = Row<'static>> {
    SPOKEN.everyday_measures().rows()
}

/// Returns the adjectives for the largest and for the smallest by a measure of this label.
pub fn find_adjectives(label: &str) -> Option<[Vec<&'static str>; 2]> {
    let row = measure_rows().find(|row| row.word.eq_ignore_ascii_case(label))?;
    Some([row.list(1).collect(), row.list(2).collect()])
}

/// An everyday relation.
pub struct EverydayRelation<'a> {
    /// Its label.
    pub label: &'a str,
    /// Its other everyday names; verbs come without "to".
    pub names: Vec<&'a str>,
    /// Types of its heads and of its tails.
    pub joins: [&'a str; 2],
}

/// Lists the everyday relations. Several may have the same label.
pub fn list_relations() -> impl Iterator<Item = EverydayRelation<'static>> {
    relation_rows().map(|row| EverydayRelation {
        label: row.word,
        names: row.list(0).map(|name| name.strip_prefix("to ").unwrap_or(name)).collect(),
        joins: [row.field(1), row.field(2)],
    })
}

/// Lists the everyday measures as relations whose tails have no type.
pub fn list_measures() -> impl Iterator<Item = EverydayRelation<'static>> {
    measure_rows().map(|row| EverydayRelation {
        label: row.word,
        names: row.list(0).collect(),
        joins: [row.field(3), ""],
    })
}

/// Returns the type directly above a type: films are works.
pub fn find_wider(kind: &str) -> Option<&'static str> {
    SPOKEN.everyday_kinds().row(kind).map(|row| row.field(0))
}

/// Lists the types above a type, the narrowest first.
pub fn all_wider(kind: &str) -> impl Iterator<Item = &'static str> {
    std::iter::successors(find_wider(kind), |k| find_wider(k)).take(SPOKEN.everyday_kinds().rows().count())
}

/// Returns true if `wide` is above `narrow`.
pub fn is_wider(wide: &str, narrow: &str) -> bool {
    all_wider(narrow).any(|k| k == wide)
}

/// Returns true if the types are equal or one is above the other.
pub fn is_akin(a: &str, b: &str) -> bool {
    a == b || is_wider(a, b) || is_wider(b, a)
}

/// Lists the types that have a wider type.
pub fn list_kinds() -> impl Iterator<Item = &'static str> {
    SPOKEN.everyday_kinds().rows().map(|row| row.word)
}

/// Builds the world of a seed.
///
/// # Errors
/// [`KgError`] from the builder, though these tables never cause it.
pub fn build_world(seed: u64) -> Result<KnowledgeGraph, KgError> {
    let mut random = Random::new(seed, 77);
    let mut kg = KgBuilder::default();
    let from = Provenance::Line { file: "everyday", line: 0 };
    let mut of: BTreeMap<&str, Vec<BuildNode>> = BTreeMap::new();
    for row in relation_rows() {
        for kind in [row.field(1), row.field(2)] {
            of.entry(kind).or_default();
        }
    }
    for row in measure_rows() {
        of.entry(row.field(3)).or_default();
    }
    let leaves: Vec<&str> =
        of.keys().copied().filter(|t| list_kinds().all(|k| find_wider(k) != Some(t))).collect();
    for leaf in leaves {
        for i in 0..ENTITIES {
            let node = kg.entity(&format!("{leaf} {i}"))?;
            kg.label(node, &draw_name(&mut random))?;
            let mut kind = Some(leaf);
            while let Some(k) = kind {
                let t = kg.entity_type(k)?;
                kg.entity_has_type(node, t)?;
                of.entry(k).or_default().push(node);
                kind = find_wider(k);
            }
        }
    }
    for row in relation_rows() {
        let relation = kg.relation(row.word)?;
        row.list(0).try_for_each(|alias| kg.relation_alias(relation, alias))?;
        let (heads, tails) = (&of[row.field(1)], &of[row.field(2)]);
        for _ in 0..TRIPLES {
            // Few tails are common and many are rare, as in the world; heads are uniform.
            let tail = random.below(random.clone().below(tails.len()) + 1);
            kg.triple(heads[random.below(heads.len())], relation, tails[tail], from)?;
        }
    }
    for row in measure_rows() {
        let relation = kg.relation(row.word)?;
        row.list(0).try_for_each(|alias| kg.relation_alias(relation, alias))?;
        let dated = ["date", "time", "inception"].iter().any(|w| row.word.contains(w));
        for &node in &of[row.field(3)] {
            let value = if dated {
                let day = format!(
                    "{:04}-{:02}-{:02}",
                    1700 + random.below(320),
                    1 + random.below(12),
                    1 + random.below(28)
                );
                kg.literal(&day, LiteralKind::Date, "", "")?
            } else {
                kg.literal(&(1 + random.below(100_000)).to_string(), LiteralKind::Number, "", "")?
            };
            kg.triple(node, relation, value, from)?;
        }
    }
    kg.finish()
}

/// Draws a made-up name of one to three words.
fn draw_name(random: &mut Random) -> String {
    let mut words = Vec::new();
    for _ in 0..1 + random.below(3) {
        let word: String =
            (0..2 + random.below(2)).map(|_| SYLLABLES[random.below(SYLLABLES.len())]).collect();
        words.push(capitalize(&word));
    }
    words.join(" ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph_kg::{Direction, NodeId};

    #[test]
    fn every_row_of_the_tables_is_whole() {
        assert!(
            relation_rows()
                .all(|row| !row.word.is_empty() && !row.field(1).is_empty() && !row.field(2).is_empty())
        );
        assert!(measure_rows().all(|row| !row.word.is_empty() && !row.field(3).is_empty()));
    }

    #[test]
    fn every_relation_and_measure_has_triples_and_the_world_is_its_seeds() {
        let (a, b, c) = (build_world(1).unwrap(), build_world(1).unwrap(), build_world(2).unwrap());
        let mut seen = vec![false; a.vocabulary().relations().len()];
        for n in (0..a.entities() as u32).map(NodeId) {
            a.relations_at(n, Direction::Forward).iter().for_each(|(r, _)| seen[r.0 as usize] = true);
        }
        assert!(seen.iter().all(|s| *s));
        let labels = |g: &KnowledgeGraph| (0..50).map(|n| g.label(NodeId(n)).to_owned()).collect::<Vec<_>>();
        assert_eq!(labels(&a), labels(&b));
        assert_ne!(labels(&a), labels(&c));
    }

    #[test]
    fn measures_have_adjectives_for_both_ends() {
        assert_eq!(find_adjectives("Elevation").unwrap(), [vec!["highest"], vec!["lowest"]]);
        assert_eq!(find_adjectives("director"), None);
    }
}
