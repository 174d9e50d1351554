//! Writes a graph's relations and types as tables that a build reads, for a person to correct and give back.

use pocketgraph_kg::{Class, EntityType, INFERRED, KnowledgeGraph};
use pocketgraph_native::single_line::one_line;
use std::fmt::Write;

/// Minimum share of a relation's triples of one type for the table to name it as domain or range: the least
/// at which, over the declared types of CoDEx, Freebase and GeoQuery, a table names at most 2 % of ends
/// wrongly. Fitted by `tuning/kinds.py`.
const NEARLY_ALL: f64 = 0.9;

/// Tables of relations (`--relations`) and of types (`--types`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VocabularyTables {
    /// Columns: id, label, aliases, domain, range.
    pub relations: String,
    /// Columns: id, label, aliases.
    pub types: String,
}

/// Writes the tables of a graph. Inferred types are listed like declared ones: whoever gives the tables back
/// declares them.
pub fn as_tables(graph: &KnowledgeGraph) -> VocabularyTables {
    let v = graph.vocabulary();
    let mut out = VocabularyTables {
        relations: "id\tlabel\taliases\tdomain\trange\n".to_owned(),
        types: "id\tlabel\taliases\n".to_owned(),
    };
    for r in v.relations() {
        let end = |classes: &[(Class, u32)]| match classes.first() {
            Some((Class::Type(t), n)) if f64::from(*n) >= NEARLY_ALL * f64::from(r.triples) => {
                v.entity_type(*t).map_or("", name_of_type)
            }
            _ => "",
        };
        let (domain, range) = (one_line(end(&r.domain)), one_line(end(&r.range)));
        let _ = writeln!(
            out.relations,
            "{}\t{}\t{}\t{domain}\t{range}",
            one_line(&r.name),
            one_line(&r.label),
            join_aliases(&r.aliases)
        );
    }
    for t in v.types() {
        let _ = writeln!(
            out.types,
            "{}\t{}\t{}",
            one_line(name_of_type(t)),
            one_line(&t.label),
            join_aliases(&t.aliases)
        );
    }
    out
}

fn name_of_type(of: &EntityType) -> &str {
    of.name.strip_prefix(INFERRED).unwrap_or(&of.name)
}

fn join_aliases(all: &[String]) -> String {
    all.iter().map(|a| one_line(&a.replace('|', " "))).collect::<Vec<_>>().join("|")
}
