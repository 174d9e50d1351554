//! A graph's relations and types as the tables that a build reads, for a person to correct and give back.

use pocketgraph_kg::{Class, EntityType, INFERRED, KnowledgeGraph};
use std::fmt::Write;

/// A relation is said to lead from or to one type if this part of its triples do: the least at which, over
/// the declared types of CoDEx, Freebase and GeoQuery, a table says at most 2 % of ends wrongly, whichever
/// of them is left out (`tuning/kinds.py`).
const NEARLY_ALL: f64 = 0.9;

/// The tables of relations (`--relations`) and of types (`--types`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VocabularyTables {
    /// id, label, aliases, domain, range.
    pub relations: String,
    /// id, label, aliases.
    pub types: String,
}

/// The tables of a graph. Types that were inferred stand in them as if they were declared: whoever gives
/// the tables back declares them.
pub fn as_tables(graph: &KnowledgeGraph) -> VocabularyTables {
    let v = graph.vocabulary();
    let mut out =
        VocabularyTables { relations: "id\tlabel\taliases\tdomain\trange\n".to_owned(), types: "id\tlabel\taliases\n".to_owned() };
    for r in v.relations() {
        let end = |classes: &[(Class, u32)]| match classes.first() {
            Some((Class::Type(t), n)) if f64::from(*n) >= NEARLY_ALL * f64::from(r.triples) => v.entity_type(*t).map_or("", id),
            _ => "",
        };
        let (domain, range) = (cell(end(&r.domain)), cell(end(&r.range)));
        let _ = writeln!(out.relations, "{}\t{}\t{}\t{domain}\t{range}", cell(&r.name), cell(&r.label), aliases(&r.aliases));
    }
    for t in v.types() {
        let _ = writeln!(out.types, "{}\t{}\t{}", cell(id(t)), cell(&t.label), aliases(&t.aliases));
    }
    out
}

fn id(of: &EntityType) -> &str {
    of.name.strip_prefix(INFERRED).unwrap_or(&of.name)
}

/// A text that is one cell.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn aliases(all: &[String]) -> String {
    all.iter().map(|a| cell(&a.replace('|', " "))).collect::<Vec<_>>().join("|")
}
