//! Names things without a name, blank nodes and nodes that only a number within their file identifies, by the
//! statements about them.

use pocketgraph_kg::{BuildNode, KgBuilder, KgError, RelationId};
use std::collections::{BTreeMap, HashMap};

/// Maximum number of statements in a name.
const STATEMENTS: usize = 3;
/// Maximum depth to which unnamed things are described by others.
const DEPTH: usize = 3;

/// Names the things whose only label is an internal id.
pub(super) fn name_unnamed(kg: &mut KgBuilder) -> Result<(), KgError> {
    let unnamed: BTreeMap<BuildNode, String> =
        kg.names().filter_map(|(node, mut names)| Some((node, names.next()?.to_owned()))).collect();
    let unnamed: BTreeMap<BuildNode, String> = unnamed
        .into_iter()
        .filter(|(node, label)| kg.id(*node) == Some(label) && is_internal(label))
        .collect();
    if unnamed.is_empty() {
        return Ok(());
    }
    let relations: HashMap<RelationId, String> =
        kg.relation_names().filter_map(|(id, names)| Some((id, names.into_iter().next()?))).collect();
    let mut stated: HashMap<BuildNode, Vec<(RelationId, BuildNode)>> = HashMap::new();
    for (head, relation, tail) in kg.triples().filter(|(head, ..)| unnamed.contains_key(head)) {
        let all = stated.entry(head).or_default();
        if all.len() < STATEMENTS {
            all.push((relation, tail));
        }
    }
    let names = Names { kg, relations, stated, unnamed: &unnamed };
    let labels: Vec<(BuildNode, String)> =
        unnamed.keys().map(|&node| (node, names.of(node, DEPTH))).collect();
    labels.into_iter().try_for_each(|(node, label)| kg.label(node, &label))
}

/// Returns true for a blank node and for a number within a file.
fn is_internal(id: &str) -> bool {
    let number = |n: &str| {
        n.strip_prefix(|c: char| c.is_ascii_lowercase()).unwrap_or(n).bytes().all(|b| b.is_ascii_digit())
    };
    id.starts_with("_:") || id.rsplit_once('#').is_some_and(|(file, n)| !file.contains("://") && number(n))
}

struct Names<'a> {
    kg: &'a KgBuilder,
    relations: HashMap<RelationId, String>,
    stated: HashMap<BuildNode, Vec<(RelationId, BuildNode)>>,
    unnamed: &'a BTreeMap<BuildNode, String>,
}

impl Names<'_> {
    /// Returns the type of a node with the statements about it: "offer: price 80, currency EUR".
    fn of(&self, node: BuildNode, depth: usize) -> String {
        if !self.unnamed.contains_key(&node) {
            return self.kg.label_of(node).unwrap_or_default();
        }
        let kind = self
            .kg
            .types_of(node)
            .first()
            .and_then(|t| self.kg.type_names().nth(t.index()))
            .and_then(|(_, names)| names.into_iter().next());
        let stated = self.stated.get(&node).filter(|_| depth > 0).into_iter().flatten();
        let parts: Vec<String> = stated
            .map(|(relation, tail)| {
                format!(
                    "{} {}",
                    self.relations.get(relation).map_or("", String::as_str),
                    self.of(*tail, depth - 1)
                )
            })
            .collect();
        match (kind, parts.is_empty()) {
            (Some(kind), true) => kind,
            (Some(kind), false) => format!("{kind}: {}", parts.join(", ")),
            (None, true) => "unnamed".to_owned(),
            (None, false) => parts.join(", "),
        }
    }
}
