//! Vocabulary of a graph: its relations, its types, and the numbers of triples between classes of nodes.

use super::ids::{RelationId, TypeId};
use super::literal::LiteralKind;
use pocketgraph_text::lower_text;

/// A relation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Relation {
    /// Name as imported: `directed_by`, `P57`, an IRI. Unique in the graph.
    pub name: String,
    /// Label for people; made from the name if none was given. Empty only if the name is.
    pub label: String,
    /// Synonyms, in the order given.
    pub aliases: Vec<String>,
    /// Number of its triples.
    pub triples: u32,
    /// Classes of its heads with their numbers of triples, most frequent first. A node counts for each type.
    pub domain: Vec<(Class, u32)>,
    /// Classes of its tails, likewise.
    pub range: Vec<(Class, u32)>,
}

/// Prefix of the names of relations about the layout of pages instead of their subject.
const LAYOUT: &str = "layout:";

/// Name of the relation between keywords that share passages. It says where to read, as page layout does.
pub const SHARES_PASSAGES: &str = "layout:shares_passages";

impl Relation {
    /// Returns true if the relation is about page layout: the sections, table rows or terms of a page, or
    /// what is named in one passage.
    pub fn is_layout(&self) -> bool {
        self.name.starts_with(LAYOUT)
    }
}

/// An entity type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EntityType {
    /// Name as imported. Unique in the graph.
    pub name: String,
    /// Label for people.
    pub label: String,
    /// Synonyms.
    pub aliases: Vec<String>,
    /// Number of its entities.
    pub entities: u32,
}

/// Prefix of the names of inferred types, which no file declares.
pub const INFERRED: &str = "inferred:";

impl EntityType {
    /// Returns true if the type was inferred from data. Another may be meant: a song has a composer too.
    pub fn is_inferred(&self) -> bool {
        self.name.starts_with(INFERRED)
    }
}

/// Class of a node at an end of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// An entity without a type.
    Untyped,
    /// A literal.
    Literal(LiteralKind),
    /// An entity of this type.
    Type(TypeId),
}

impl Class {
    pub(super) fn to_code(self) -> u32 {
        match self {
            Class::Untyped => 0,
            Class::Literal(LiteralKind::Number) => 1,
            Class::Literal(LiteralKind::Date) => 2,
            Class::Literal(LiteralKind::Text) => 3,
            Class::Literal(LiteralKind::Boolean) => 4,
            Class::Type(t) => t.0.saturating_add(5),
        }
    }

    pub(super) fn of_code(code: u32) -> Class {
        match code {
            0 => Class::Untyped,
            1 => Class::Literal(LiteralKind::Number),
            2 => Class::Literal(LiteralKind::Date),
            3 => Class::Literal(LiteralKind::Text),
            4 => Class::Literal(LiteralKind::Boolean),
            n => Class::Type(TypeId(n - 5)),
        }
    }
}

/// Number of triples of a relation from one class of node to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaEdge {
    /// Class of the head.
    pub head: Class,
    /// The relation.
    pub relation: RelationId,
    /// Class of the tail.
    pub tail: Class,
    /// Number of triples of this shape. A triple between nodes of several types counts for each pair.
    pub triples: u32,
}

/// Small part of a graph that planning needs: relations, types and the schema.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Vocabulary {
    pub(super) relations: Vec<Relation>,
    pub(super) types: Vec<EntityType>,
    pub(super) schema: Vec<SchemaEdge>,
}

impl Vocabulary {
    /// Returns the relations in the order of their numbers.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// Returns the types in the order of their numbers.
    pub fn types(&self) -> &[EntityType] {
        &self.types
    }

    /// Returns the schema's edges, in the order of (relation, head, tail).
    pub fn schema(&self) -> &[SchemaEdge] {
        &self.schema
    }

    /// Returns a relation; `None` for a number of another graph.
    pub fn relation(&self, id: RelationId) -> Option<&Relation> {
        self.relations.get(id.index())
    }

    /// Returns a type; `None` for a number of another graph.
    pub fn entity_type(&self, id: TypeId) -> Option<&EntityType> {
        self.types.get(id.index())
    }

    /// Returns the relation of exactly this imported name.
    pub fn relation_named(&self, name: &str) -> Option<RelationId> {
        self.relations.iter().position(|r| r.name == name).map(|i| RelationId(i as u32))
    }

    /// Returns the type of exactly this imported name.
    pub fn type_named(&self, name: &str) -> Option<TypeId> {
        self.types.iter().position(|t| t.name == name).map(|i| TypeId(i as u32))
    }
}

/// Returns a readable label for an imported name: the part after the last `/` or `#` of an IRI, with
/// underscores and camel case split.
pub fn label_of_name(name: &str) -> String {
    let is_path = name.contains("://") || name.starts_with('/');
    let local = if is_path {
        name.trim_end_matches(['/', '#']).rsplit(['/', '#']).next().unwrap_or(name)
    } else {
        name
    };
    let mut out = String::with_capacity(local.len() + 4);
    let mut last = ' ';
    for c in local.chars() {
        let c = if matches!(c, '_' | '-') && is_path || c == '_' { ' ' } else { c };
        if c == ' ' {
            if !out.is_empty() && last != ' ' {
                out.push(' ');
            }
        } else if c.is_uppercase() && last.is_lowercase() {
            out.push(' ');
            out.push_str(&lower_text(c.encode_utf8(&mut [0; 4])));
        } else {
            out.push(c);
        }
        last = c;
    }
    let out = out.trim_end().to_owned();
    if out.is_empty() { name.to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        assert_eq!(label_of_name("directed_by"), "directed by");
        assert_eq!(label_of_name("http://dbpedia.org/ontology/birthPlace"), "birth place");
        assert_eq!(label_of_name("/location/country/form_of_government"), "form of government");
        assert_eq!(label_of_name("cast member"), "cast member");
        assert_eq!((label_of_name("P57").as_str(), label_of_name("_").as_str()), ("P57", "_"));
    }

    #[test]
    fn classes_keep_their_codes() {
        for code in [0, 1, 2, 3, 4, 5, 900] {
            assert_eq!(Class::of_code(code).to_code(), code);
        }
    }
}
