#![allow(clippy::unwrap_used)]

use super::*;
use crate::films::example;
use crate::kg::{Direction, Edge};

#[test]
fn what_is_stated_twice_is_kept_once_with_both_places() {
    let mut b = KgBuilder::default();
    let (x, y) = (b.entity("x").unwrap(), b.entity("y").unwrap());
    let r = b.relation("r").unwrap();
    for line in [3, 1, 3] {
        b.triple(x, r, y, Provenance::Line { file: "f", line }).unwrap();
    }
    let g = b.finish().unwrap();
    assert_eq!(g.triples(), 1);
    let lines: Vec<_> = g.provenance(crate::kg::TripleId(0)).collect();
    assert_eq!(lines, [Provenance::Line { file: "f", line: 1 }, Provenance::Line { file: "f", line: 3 }]);
}

#[test]
fn edges_are_found_from_both_ends_and_by_relation() {
    let g = example();
    let by_label = |l: &str| NodeId((0..g.nodes() as u32).find(|&i| g.label(NodeId(i)) == l).unwrap());
    let (heat, mann) = (by_label("Heat"), by_label("Michael Mann"));
    let directed = g.vocabulary().relation_named("directed_by").unwrap();
    let to: Vec<Edge> = g.follow(heat, directed, Direction::Forward).collect();
    assert_eq!(to.iter().map(|e| e.other).collect::<Vec<_>>(), [mann]);
    let films: Vec<&str> = g.follow(mann, directed, Direction::Backward).map(|e| g.label(e.other)).collect();
    assert_eq!(films, ["Heat", "Ali"]);
    assert_eq!(g.triple(to[0].triple).unwrap().tail, mann);
    assert_eq!(g.find(g.triple(to[0].triple).unwrap()), Some(to[0].triple));
    assert_eq!(g.follow(mann, directed, Direction::Forward).len(), 0);
    assert_eq!(g.follow(mann, RelationId(u32::MAX), Direction::Backward).len(), 0);
}

#[test]
fn relations_know_whom_they_join() {
    let g = example();
    let v = g.vocabulary();
    let film = Class::Type(v.type_named("film").unwrap());
    let directed = &v.relations()[v.relation_named("directed_by").unwrap().index()];
    assert_eq!((directed.label.as_str(), directed.triples), ("directed by", 2));
    assert_eq!(directed.domain, [(film, 2)]);
    let year = v.relation_named("release_year").unwrap();
    assert_eq!(v.relation(year).unwrap().range, [(Class::Literal(LiteralKind::Date), 2)]);
    assert!(v.schema().iter().any(|s| s.relation == year
        && s.head == film
        && s.tail == Class::Literal(LiteralKind::Date)
        && s.triples == 2));
}

#[test]
fn a_literal_keeps_datatype_and_unit_and_starts_no_triple() {
    let mut b = KgBuilder::default();
    let x = b.entity("x").unwrap();
    let h = b.literal("6194", LiteralKind::Number, "xsd:integer", "m").unwrap();
    let r = b.relation("height").unwrap();
    assert_eq!(b.triple(h, r, x, Provenance::Cited("")), Err(KgError::LiteralHead));
    b.triple(x, r, h, Provenance::Cited("a book")).unwrap();
    let g = b.finish().unwrap();
    let l = g.literal(NodeId(1)).unwrap();
    assert_eq!((l.text, l.datatype, l.unit), ("6194", "xsd:integer", "m"));
    assert_eq!(g.literal(NodeId(0)), None);
    assert_eq!(g.literal(NodeId(7)), None);
}

#[test]
fn aliases_do_not_repeat_the_label_or_each_other_and_names_of_two_entities_stay_with_both() {
    let mut b = KgBuilder::default();
    let (x, y) = (b.entity("Q1").unwrap(), b.entity("Q2").unwrap());
    for alias in ["Paris", "City of Light", "Paris", "  "] {
        b.alias(x, alias).unwrap();
    }
    b.label(x, "Paris").unwrap();
    b.label(x, "Lutetia").unwrap();
    b.label(y, "Paris").unwrap();
    let g = b.finish().unwrap();
    assert_eq!(g.aliases(NodeId(0)).collect::<Vec<_>>(), ["City of Light", "Lutetia"]);
    assert_eq!((g.label(NodeId(0)), g.label(NodeId(1)), g.id(NodeId(1))), ("Paris", "Paris", "Q2"));
}

#[test]
fn an_empty_graph_answers_every_question_with_nothing() {
    let g = KgBuilder::default().finish().unwrap();
    assert_eq!((g.nodes(), g.triples(), g.label(NodeId(0)), g.types(NodeId(5)).len()), (0, 0, "", 0));
    assert_eq!(g.edges(NodeId(9), Direction::Backward).len(), 0);
}
