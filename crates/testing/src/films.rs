//! A knowledge graph of films.

use pocketgraph_kg::{KgBuilder, KnowledgeGraph, LiteralKind, Provenance};

/// A small graph for tests: two films, their director, an actor, years.
#[allow(clippy::unwrap_used)]
pub fn example() -> KnowledgeGraph {
    let mut b = KgBuilder::default();
    let rows = [
        ("Heat", "directed_by", "Michael Mann"),
        ("Heat", "starred_actors", "Al Pacino"),
        ("Heat", "starred_actors", "Val Kilmer"),
        ("Ali", "directed_by", "Michael Mann"),
        ("Ali", "starred_actors", "Will Smith"),
        ("Serpico", "starred_actors", "Al Pacino"),
    ];
    let (film, person) = (b.entity_type("film").unwrap(), b.entity_type("person").unwrap());
    for (i, (h, r, t)) in rows.iter().enumerate() {
        let (head, tail) = (b.entity(h).unwrap(), b.entity(t).unwrap());
        let relation = b.relation(r).unwrap();
        b.entity_has_type(head, film).unwrap();
        b.entity_has_type(tail, person).unwrap();
        b.triple(head, relation, tail, Provenance::Line { file: "films.tsv", line: i as u32 + 1 }).unwrap();
    }
    let year = b.relation("release_year").unwrap();
    for (film, y) in [("Heat", "1995"), ("Ali", "2001")] {
        let (film, y) = (b.entity(film).unwrap(), b.literal(y, LiteralKind::Date, "xsd:gYear", "").unwrap());
        b.triple(film, year, y, Provenance::Cited("the poster")).unwrap();
    }
    let mann = b.entity("Michael Mann").unwrap();
    b.alias(mann, "Michael Kenneth Mann").unwrap();
    b.finish().unwrap()
}
