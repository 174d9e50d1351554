//! Relations and types of triples from documents, with the words by which questions refer to them.

use pocketgraph_kg::{KgBuilder, KgError, RelationId, TypeId};
use std::collections::HashMap;

/// A relation that the structure of documents states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::kg) enum Rel {
    Contains,
    IsA,
    Born,
    Died,
    Defines,
    Definition,
    Author,
    Published,
    Modified,
    Tag,
    Category,
    LinksTo,
    Lists,
}

/// Type of an entity of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::kg) enum Kind {
    Page,
    Section,
    Term,
    Person,
    Tag,
    Category,
    Class,
}

impl Rel {
    /// Name, label and synonyms.
    fn words(self) -> (&'static str, &'static str, &'static [&'static str]) {
        match self {
            Rel::Contains => (
                "layout:contains",
                "contains",
                &["has section", "includes", "is divided into", "part", "chapter"],
            ),
            Rel::IsA => ("is_a", "is a", &["kind of", "type of", "sort of", "instance of", "class"]),
            Rel::Born => ("date_of_birth", "date of birth", &["born", "birth date", "birthday"]),
            Rel::Died => ("date_of_death", "date of death", &["died", "death date"]),
            Rel::Defines => ("layout:defines", "defines", &["explains", "describes", "documents", "covers"]),
            Rel::Definition => {
                ("definition", "definition", &["means", "meaning", "described as", "stands for"])
            }
            Rel::Author => ("author", "written by", &["author", "writer", "wrote"]),
            Rel::Published => ("date", "published on", &["date", "publication date", "posted", "created"]),
            Rel::Modified => ("last_modified", "last modified", &["updated", "changed", "last update"]),
            Rel::Tag => ("has_tag", "has tag", &["tagged", "tagged with", "keyword", "about", "topic"]),
            Rel::Category => ("in_category", "in category", &["category", "filed under"]),
            Rel::LinksTo => ("links_to", "links to", &["link", "refers to", "references", "points to"]),
            Rel::Lists => ("layout:lists", "lists", &["has entry", "table of", "row"]),
        }
    }
}

impl Kind {
    /// Name and synonyms; the name is the label.
    fn words(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Kind::Page => ("page", &["document", "article"]),
            Kind::Section => ("section", &["heading", "chapter"]),
            Kind::Term => ("term", &["definition"]),
            Kind::Person => ("person", &["author", "writer"]),
            Kind::Tag => ("tag", &["keyword", "topic"]),
            Kind::Category => ("category", &[]),
            Kind::Class => ("class", &["kind"]),
        }
    }
}

/// Relations and types that were used, which are in the graph.
#[derive(Debug, Default)]
pub(in crate::kg) struct Used {
    relations: HashMap<Rel, RelationId>,
    kinds: HashMap<Kind, TypeId>,
    columns: HashMap<String, RelationId>,
    headers: HashMap<String, TypeId>,
}

/// Maximum number of relations from headers of tables, and of types from headers of first columns: a planner
/// cannot use a graph of thousands of relations.
const MOST_COLUMNS: usize = 400;

impl Used {
    pub fn relation(&mut self, kg: &mut KgBuilder, rel: Rel) -> Result<RelationId, KgError> {
        if let Some(&id) = self.relations.get(&rel) {
            return Ok(id);
        }
        let (name, label, synonyms) = rel.words();
        let id = kg.relation(name)?;
        kg.relation_label(id, label)?;
        synonyms.iter().try_for_each(|s| kg.relation_alias(id, s))?;
        self.relations.insert(rel, id);
        Ok(id)
    }

    pub fn kind(&mut self, kg: &mut KgBuilder, kind: Kind) -> Result<TypeId, KgError> {
        if let Some(&id) = self.kinds.get(&kind) {
            return Ok(id);
        }
        let (name, synonyms) = kind.words();
        let id = kg.entity_type(name)?;
        std::iter::once(name).chain(synonyms.iter().copied()).try_for_each(|s| kg.type_label(id, s))?;
        self.kinds.insert(kind, id);
        Ok(id)
    }

    /// Returns the relation that a column's header names; `None` if there are too many.
    pub fn column(
        &mut self,
        kg: &mut KgBuilder,
        key: &str,
        header: &str,
    ) -> Result<Option<RelationId>, KgError> {
        if let Some(&id) = self.columns.get(key) {
            return Ok(Some(id));
        }
        if self.columns.len() >= MOST_COLUMNS {
            return Ok(None);
        }
        let id = kg.relation(&key.replace(' ', "_"))?;
        kg.relation_label(id, header)?;
        self.columns.insert(key.to_owned(), id);
        Ok(Some(id))
    }

    /// Returns the type that the header of a table's first column names; `None` if there are too many.
    pub fn header(&mut self, kg: &mut KgBuilder, key: &str, header: &str) -> Result<Option<TypeId>, KgError> {
        if let Some(&id) = self.headers.get(key) {
            return Ok(Some(id));
        }
        if self.headers.len() >= MOST_COLUMNS {
            return Ok(None);
        }
        let id = kg.entity_type(&key.replace(' ', "_"))?;
        kg.type_label(id, &header.to_lowercase())?;
        self.headers.insert(key.to_owned(), id);
        Ok(Some(id))
    }
}
