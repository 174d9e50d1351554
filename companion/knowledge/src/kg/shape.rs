//! Shapes of relations in a graph's data: single tails, inverses, and kinds of values.

use super::literals::reads_as_year;
use pocketgraph_kg::{Class, Direction, KnowledgeGraph, LiteralKind, NodeId, RelationId, Triple};
use std::collections::{BTreeMap, BTreeSet};

/// Share of exceptions that a rule may have, since data have errors. Fitted by `tuning/kinds.py`.
const EXCEPTIONS: f64 = 0.02;
/// Maximum number of values of a closed set, and minimum number of triples per value. Hand-set: in
/// `tuning/kinds.py` it is flat from 250 values on, and 3 triples (.449) are better than 5 (.430).
const CLOSED: (usize, usize) = (250, 5);
/// Minimum number of triples that determine a relation's shape. Fitted by `tuning/kinds.py`.
const FEW: usize = 3;

/// Shape of a relation in the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationShape {
    /// The relation.
    pub relation: RelationId,
    /// True if every head has one tail.
    pub functional: bool,
    /// True if every tail has one head.
    pub inverse_functional: bool,
    /// Inverse of the relation; itself if it is symmetric.
    pub inverse: Option<RelationId>,
    /// Kind of its values; `None` if it leads to things.
    pub values: Option<Values>,
}

/// A kind of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Years.
    Years,
    /// Dates.
    Dates,
    /// Numbers.
    Numbers,
    /// One of a few things without statements of their own, such as languages.
    Closed(usize),
    /// Texts.
    Texts,
}

impl std::fmt::Display for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Values::Years => write!(f, "years"),
            Values::Dates => write!(f, "dates"),
            Values::Numbers => write!(f, "numbers"),
            Values::Closed(n) => write!(f, "one of {n} values"),
            Values::Texts => write!(f, "texts"),
        }
    }
}

/// Returns the shapes of a graph's relations, in the order of their numbers.
pub fn list_shapes(graph: &KnowledgeGraph) -> Vec<RelationShape> {
    let mut of: Vec<Vec<(NodeId, NodeId)>> = vec![Vec::new(); graph.vocabulary().relations().len()];
    for head in (0..graph.entities() as u32).map(NodeId) {
        for edge in graph.edges(head, Direction::Forward) {
            if let Some(Triple { relation, tail, .. }) = graph.triple(edge.triple) {
                of[relation.0 as usize].push((head, tail));
            }
        }
    }
    let inverses = find_inverses(graph, &of);
    let shape = |(relation, triples): (RelationId, &Vec<(NodeId, NodeId)>)| {
        let once = |ends: BTreeSet<NodeId>| {
            triples.len() >= FEW && (triples.len() - ends.len()) as f64 <= EXCEPTIONS * ends.len() as f64
        };
        RelationShape {
            relation,
            functional: once(triples.iter().map(|t| t.0).collect()),
            inverse_functional: once(triples.iter().map(|t| t.1).collect()),
            inverse: inverses.get(&relation).copied(),
            values: kind_of_values(graph, triples),
        }
    };
    (0..).map(RelationId).zip(&of).map(shape).collect()
}

/// Finds for each relation the one that has nearly all of its triples inverted, if any.
fn find_inverses(graph: &KnowledgeGraph, of: &[Vec<(NodeId, NodeId)>]) -> BTreeMap<RelationId, RelationId> {
    let mut out = BTreeMap::new();
    for (relation, triples) in (0..).map(RelationId).zip(of) {
        let mut back: BTreeMap<RelationId, usize> = BTreeMap::new();
        for &(head, tail) in triples {
            for edge in graph.edges(tail, Direction::Forward).filter(|e| e.other == head && head != tail) {
                if let Some(t) = graph.triple(edge.triple) {
                    *back.entry(t.relation).or_default() += 1;
                }
            }
        }
        let most = back.into_iter().max_by_key(|&(r, n)| (n, std::cmp::Reverse(r)));
        let all = |n: usize, of: usize| of >= FEW && n as f64 >= (1.0 - EXCEPTIONS) * of as f64;
        if let Some((other, n)) =
            most.filter(|&(other, n)| all(n, triples.len()) && all(n, of[other.0 as usize].len()))
        {
            debug_assert!(n <= triples.len());
            out.insert(relation, other);
        }
    }
    out
}

fn kind_of_values(graph: &KnowledgeGraph, triples: &[(NodeId, NodeId)]) -> Option<Values> {
    let tails: BTreeSet<NodeId> = triples.iter().map(|t| t.1).collect();
    let most = |is: &dyn Fn(NodeId) -> bool| {
        !tails.is_empty()
            && tails.iter().filter(|&&t| !is(t)).count() as f64 <= EXCEPTIONS * tails.len() as f64
    };
    let literal = |kind: LiteralKind| most(&|t| graph.classes(t).any(|c| c == Class::Literal(kind)));
    if most(&|t| reads_as_year(graph.label(t))) {
        return Some(Values::Years);
    }
    for (kind, values) in [
        (LiteralKind::Date, Values::Dates),
        (LiteralKind::Number, Values::Numbers),
        (LiteralKind::Text, Values::Texts),
    ] {
        if literal(kind) {
            return Some(values);
        }
    }
    let bare = most(&|t| graph.degree(t, Direction::Forward) == 0);
    (bare && tails.len() <= CLOSED.0 && triples.len() >= CLOSED.1 * tails.len())
        .then_some(Values::Closed(tails.len()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph_kg::{KgBuilder, Provenance};

    fn graph(rows: &[(&str, &str, &str)]) -> KnowledgeGraph {
        let mut kg = KgBuilder::default();
        for (line, (head, relation, tail)) in (1..).zip(rows) {
            let (head, tail) = (kg.entity(head).unwrap(), kg.entity(tail).unwrap());
            let relation = kg.relation(relation).unwrap();
            kg.triple(head, relation, tail, Provenance::Line { file: "rows", line }).unwrap();
        }
        kg.finish().unwrap()
    }

    fn of(graph: &KnowledgeGraph, name: &str) -> RelationShape {
        list_shapes(graph)[graph.vocabulary().relation_named(name).unwrap().0 as usize].clone()
    }

    #[test]
    fn relations_that_say_the_same_the_other_way_round_are_a_pair() {
        let all: Vec<(&str, &str, &str)> = ["ab", "cd", "ef", "gh"]
            .iter()
            .flat_map(|p| {
                [
                    (&p[..1], "parent", &p[1..]),
                    (&p[1..], "child", &p[..1]),
                    (&p[..1], "met", &p[1..]),
                    (&p[1..], "met", &p[..1]),
                ]
            })
            .chain([("a", "likes", "c"), ("c", "likes", "e"), ("e", "likes", "g")])
            .collect();
        let g = graph(&all);
        let id = |name| g.vocabulary().relation_named(name);
        assert_eq!((of(&g, "parent").inverse, of(&g, "child").inverse), (id("child"), id("parent")));
        assert_eq!(of(&g, "met").inverse, id("met"));
        assert_eq!(of(&g, "likes").inverse, None);
    }

    #[test]
    fn a_relation_to_one_thing_is_functional_and_values_are_distinguished() {
        let films: Vec<String> = (0..12).map(|i| format!("film {i}")).collect();
        let years: Vec<String> = (0..12).map(|i| (1990 + i / 2).to_string()).collect();
        let mut rows = Vec::new();
        for (i, film) in films.iter().enumerate() {
            rows.push((film.as_str(), "year", years[i].as_str()));
            rows.push((film.as_str(), "language", ["German", "Thai"][i % 2]));
            rows.push((film.as_str(), "next", films[(i + 1) % 12].as_str()));
            rows.push((film.as_str(), "next", films[(i + 2) % 12].as_str()));
        }
        let g = graph(&rows);
        let year = of(&g, "year");
        assert_eq!(
            (year.functional, year.inverse_functional, year.values),
            (true, false, Some(Values::Years))
        );
        assert_eq!(of(&g, "language").values, Some(Values::Closed(2)));
        let next = of(&g, "next");
        assert_eq!((next.functional, next.values), (false, None));
    }
}
