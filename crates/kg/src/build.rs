//! Builds a graph from an import, in the order of its statements.

use super::graph::{
    KnowledgeGraph, Nodes, Provenance, Sources, StoredLiteral, StoredProvenance, Triple, Triples,
};
use super::ids::{NodeId, RelationId, TypeId};
use super::literal::LiteralKind;
use super::strings::Strings;
use super::vocabulary::{Class, EntityType, Relation, SchemaEdge, Vocabulary, label_of_name};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::iter;
use std::mem;
use std::rc::Rc;

/// Reason why a graph cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KgError {
    /// There is more of something than the format can number.
    #[error("the knowledge graph has more {0} than the format can hold (4 billion, or 4 GB of text)")]
    TooLarge(&'static str),
    /// A triple starts at a literal.
    #[error("a literal cannot be the head of a triple")]
    LiteralHead,
    /// A node, relation or type is not from this builder.
    #[error("a {0} of another graph")]
    Foreign(&'static str),
}

/// Node under construction. It gets its number when the graph is finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BuildNode {
    /// An entity.
    Entity(u32),
    /// A literal.
    Literal(u32),
}

#[derive(Debug, Default)]
struct EntityDraft {
    id: String,
    label: String,
    description: String,
    aliases: Vec<String>,
    types: Vec<TypeId>,
}

/// Collects entities, relations, types and triples. Repetitions are kept once, with every source.
///
/// Numbers follow the order of first mention, so that the same input gives the same graph.
#[derive(Debug, Default)]
pub struct KgBuilder {
    entities: Vec<EntityDraft>,
    by_id: HashMap<String, u32>,
    literals: Vec<(String, StoredLiteral)>,
    by_literal: HashMap<(String, StoredLiteral), u32>,
    terms: Table,
    relations: Vec<Relation>,
    by_relation: HashMap<String, u32>,
    types: Vec<EntityType>,
    by_type: HashMap<String, u32>,
    sources: Table,
    triples: Vec<(BuildNode, RelationId, BuildNode, StoredProvenance)>,
    repeated_names: usize,
}

/// Distinct strings with their places.
#[derive(Debug, Default)]
struct Table {
    strings: Strings,
    places: HashMap<String, u32>,
}

impl Table {
    fn add_string(&mut self, s: &str, what: &'static str) -> Result<u32, KgError> {
        if let Some(&at) = self.places.get(s) {
            return Ok(at);
        }
        let at = self.strings.push(s).ok_or(KgError::TooLarge(what))?;
        self.places.insert(s.to_owned(), at);
        Ok(at)
    }
}

fn next_number(len: usize, what: &'static str) -> Result<u32, KgError> {
    // Half the range, so that entities and literals together still have numbers.
    u32::try_from(len).ok().filter(|&n| n < u32::MAX / 2).ok_or(KgError::TooLarge(what))
}

/// Adds an alias; returns false if it is one already, or the label.
fn add_alias(aliases: &mut Vec<String>, label: &str, alias: &str) -> bool {
    let alias = alias.trim();
    let new = alias != label && !aliases.iter().any(|a| a == alias);
    if new && !alias.is_empty() {
        aliases.push(alias.to_owned());
    }
    new
}

/// Sets a label; a later one becomes an alias.
fn add_label(label: &mut String, aliases: &mut Vec<String>, given: &str) {
    if label.is_empty() {
        given.trim().clone_into(label);
    } else {
        add_alias(aliases, label, given);
    }
}

impl EntityDraft {
    /// Returns the label, or the id if there is none.
    fn name(&self) -> &str {
        if self.label.is_empty() { &self.id } else { &self.label }
    }
}

impl KgBuilder {
    /// Returns the entity with this id, and adds it if it is new. Its label is its id until
    /// [`KgBuilder::label`] sets one. Fails with [`KgError::TooLarge`].
    pub fn entity(&mut self, id: &str) -> Result<BuildNode, KgError> {
        if let Some(&at) = self.by_id.get(id) {
            return Ok(BuildNode::Entity(at));
        }
        let at = next_number(self.entities.len(), "entities")?;
        self.entities.push(EntityDraft { id: id.to_owned(), ..EntityDraft::default() });
        self.by_id.insert(id.to_owned(), at);
        Ok(BuildNode::Entity(at))
    }

    /// Returns true if an entity with this id was mentioned.
    pub fn knows(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// Iterates over the entities so far with their names: label (the id if it has none), then aliases.
    pub fn names(&self) -> impl Iterator<Item = (BuildNode, impl Iterator<Item = &str>)> {
        self.entities.iter().enumerate().map(|(i, e)| {
            (BuildNode::Entity(i as u32), iter::once(e.name()).chain(e.aliases.iter().map(String::as_str)))
        })
    }

    fn draft_of(&mut self, node: BuildNode) -> Result<&mut EntityDraft, KgError> {
        match node {
            BuildNode::Entity(i) => self.entities.get_mut(i as usize).ok_or(KgError::Foreign("node")),
            BuildNode::Literal(_) => Err(KgError::LiteralHead),
        }
    }

    /// Sets an entity's label. The first label stays; a later one becomes an alias. Skips empty labels.
    ///
    /// # Errors
    /// [`KgError`] for a literal or a node of another builder. The same holds for the calls below.
    pub fn label(&mut self, node: BuildNode, label: &str) -> Result<(), KgError> {
        let e = self.draft_of(node)?;
        let label = label.trim();
        if e.label.is_empty() {
            label.clone_into(&mut e.label);
            e.aliases.retain(|a| a != label);
        } else {
            let first = e.label.clone();
            let new = add_alias(&mut e.aliases, &first, label);
            self.repeated_names += usize::from(!new);
        }
        Ok(())
    }

    /// Adds an alias to an entity, unless it is one of its names. Fails as [`KgBuilder::label`] does.
    pub fn alias(&mut self, node: BuildNode, alias: &str) -> Result<(), KgError> {
        let e = self.draft_of(node)?;
        let label = e.label.clone();
        let new = add_alias(&mut e.aliases, &label, alias);
        self.repeated_names += usize::from(!new);
        Ok(())
    }

    /// Adds a type to an entity. Fails as [`KgBuilder::label`] does.
    pub fn entity_has_type(&mut self, node: BuildNode, t: TypeId) -> Result<(), KgError> {
        if t.index() >= self.types.len() {
            return Err(KgError::Foreign("type"));
        }
        let e = self.draft_of(node)?;
        if !e.types.contains(&t) {
            e.types.push(t);
        }
        Ok(())
    }

    /// Returns the id of an entity.
    pub fn id(&self, node: BuildNode) -> Option<&str> {
        match node {
            BuildNode::Entity(i) => self.entities.get(i as usize).map(|e| e.id.as_str()),
            BuildNode::Literal(_) => None,
        }
    }

    /// Returns the label of an entity, or its id if it has none; the text of a literal with its unit.
    pub fn label_of(&self, node: BuildNode) -> Option<String> {
        match node {
            BuildNode::Entity(i) => self.entities.get(i as usize).map(|e| e.name().to_owned()),
            BuildNode::Literal(i) => {
                let (text, literal) = self.literals.get(i as usize)?;
                Some(
                    format!("{text} {}", self.terms.strings.get(literal.unit as usize)).trim_end().to_owned(),
                )
            }
        }
    }

    /// Returns true if an entity has a type; literals have none.
    pub fn has_type(&self, node: BuildNode) -> bool {
        !self.types_of(node).is_empty()
    }

    /// Returns the types of an entity so far.
    pub fn types_of(&self, node: BuildNode) -> &[TypeId] {
        match node {
            BuildNode::Entity(i) => self.entities.get(i as usize).map_or(&[], |e| e.types.as_slice()),
            BuildNode::Literal(_) => &[],
        }
    }

    /// Describes an entity. The first description stays. Fails as [`KgBuilder::label`] does.
    pub fn describe(&mut self, node: BuildNode, description: &str) -> Result<(), KgError> {
        let e = self.draft_of(node)?;
        if e.description.is_empty() {
            description.trim().clone_into(&mut e.description);
        }
        Ok(())
    }

    /// Returns a literal. The same text, kind, datatype and unit are the same literal. Fails with
    /// [`KgError::TooLarge`].
    pub fn literal(
        &mut self,
        text: &str,
        kind: LiteralKind,
        datatype: &str,
        unit: &str,
    ) -> Result<BuildNode, KgError> {
        let datatype = self.terms.add_string(datatype, "datatypes")?;
        let unit = self.terms.add_string(unit, "units")?;
        let key = (text.to_owned(), StoredLiteral { kind, datatype, unit });
        if let Some(&at) = self.by_literal.get(&key) {
            return Ok(BuildNode::Literal(at));
        }
        let at = next_number(self.literals.len(), "literals")?;
        self.literals.push(key.clone());
        self.by_literal.insert(key, at);
        Ok(BuildNode::Literal(at))
    }

    /// Returns the relation of this name, and adds it if it is new. Fails with [`KgError::TooLarge`].
    pub fn relation(&mut self, name: &str) -> Result<RelationId, KgError> {
        if let Some(&at) = self.by_relation.get(name) {
            return Ok(RelationId(at));
        }
        let at = next_number(self.relations.len(), "relations")?;
        self.relations.push(Relation { name: name.to_owned(), ..Relation::default() });
        self.by_relation.insert(name.to_owned(), at);
        Ok(RelationId(at))
    }

    /// Sets a relation's label; a later one becomes a synonym. Fails with [`KgError::Foreign`].
    pub fn relation_label(&mut self, relation: RelationId, label: &str) -> Result<(), KgError> {
        let r = self.relations.get_mut(relation.index()).ok_or(KgError::Foreign("relation"))?;
        add_label(&mut r.label, &mut r.aliases, label);
        Ok(())
    }

    /// Adds a synonym to a relation. Fails with [`KgError::Foreign`].
    pub fn relation_alias(&mut self, relation: RelationId, alias: &str) -> Result<(), KgError> {
        let r = self.relations.get_mut(relation.index()).ok_or(KgError::Foreign("relation"))?;
        add_alias(&mut r.aliases, &r.label, alias);
        Ok(())
    }

    /// Returns the type of this name, and adds it if it is new. Fails with [`KgError::TooLarge`].
    pub fn entity_type(&mut self, name: &str) -> Result<TypeId, KgError> {
        if let Some(&at) = self.by_type.get(name) {
            return Ok(TypeId(at));
        }
        let at = next_number(self.types.len(), "types")?;
        self.types.push(EntityType { name: name.to_owned(), ..EntityType::default() });
        self.by_type.insert(name.to_owned(), at);
        Ok(TypeId(at))
    }

    /// Sets a type's label; a later one becomes a synonym. Fails with [`KgError::Foreign`].
    pub fn type_label(&mut self, t: TypeId, label: &str) -> Result<(), KgError> {
        let t = self.types.get_mut(t.index()).ok_or(KgError::Foreign("type"))?;
        add_label(&mut t.label, &mut t.aliases, label);
        Ok(())
    }

    /// Adds a synonym to a type. Fails with [`KgError::Foreign`].
    pub fn type_alias(&mut self, t: TypeId, alias: &str) -> Result<(), KgError> {
        let t = self.types.get_mut(t.index()).ok_or(KgError::Foreign("type"))?;
        add_alias(&mut t.aliases, &t.label, alias);
        Ok(())
    }

    /// Adds a triple with its source.
    ///
    /// # Errors
    /// [`KgError::LiteralHead`], [`KgError::Foreign`], [`KgError::TooLarge`].
    pub fn triple(
        &mut self,
        head: BuildNode,
        relation: RelationId,
        tail: BuildNode,
        from: Provenance<'_>,
    ) -> Result<(), KgError> {
        let known = |n: BuildNode| match n {
            BuildNode::Entity(i) => (i as usize) < self.entities.len(),
            BuildNode::Literal(i) => (i as usize) < self.literals.len(),
        };
        if !known(head) || !known(tail) {
            return Err(KgError::Foreign("node"));
        }
        if matches!(head, BuildNode::Literal(_)) {
            return Err(KgError::LiteralHead);
        }
        if relation.index() >= self.relations.len() {
            return Err(KgError::Foreign("relation"));
        }
        next_number(self.triples.len(), "triples")?;
        let from = match from {
            Provenance::Line { file, line } => {
                StoredProvenance::Line { source: self.sources.add_string(file, "sources")?, line }
            }
            Provenance::Passage { chunk, start, end } => StoredProvenance::Passage { chunk, start, end },
            Provenance::Cited(text) => {
                StoredProvenance::Cited { source: self.sources.add_string(text, "sources")? }
            }
        };
        self.triples.push((head, relation, tail, from));
        Ok(())
    }

    /// Number of names that an entity got although it already had them.
    pub fn repeated_names(&self) -> usize {
        self.repeated_names
    }

    /// Returns the names of each relation so far: its label (or one made from its name), then its aliases.
    pub fn relation_names(&self) -> impl Iterator<Item = (RelationId, Vec<String>)> {
        self.relations.iter().zip(0..).map(|(r, at)| {
            (
                RelationId(at),
                iter::once(label_or_name(&r.label, &r.name)).chain(r.aliases.iter().cloned()).collect(),
            )
        })
    }

    /// Returns the relations so far with their names as imported.
    pub fn relation_ids(&self) -> impl Iterator<Item = (RelationId, &str)> {
        self.relations.iter().zip(0..).map(|(r, at)| (RelationId(at), r.name.as_str()))
    }

    /// Adds the triples that each triple implies by its relation: the same ends joined by another relation,
    /// reversed if the flag is set. Each has the sources of the triple that implies it. Skips existing
    /// triples. Fails with [`KgError::TooLarge`].
    pub fn add_implied(
        &mut self,
        implied: &BTreeMap<RelationId, Vec<(RelationId, bool)>>,
    ) -> Result<(), KgError> {
        let known: HashSet<_> = self.triples().collect();
        let mut new = Vec::new();
        for &(head, relation, tail, from) in &self.triples {
            for &(relation, turned) in implied.get(&relation).into_iter().flatten() {
                let (head, tail) = if turned { (tail, head) } else { (head, tail) };
                if matches!(head, BuildNode::Entity(_)) && !known.contains(&(head, relation, tail)) {
                    new.push((head, relation, tail, from));
                }
            }
        }
        next_number(self.triples.len() + new.len(), "triples")?;
        self.triples.extend(new);
        Ok(())
    }

    /// Returns the names of each type so far: its label (or one made from its name), then its aliases.
    pub fn type_names(&self) -> impl Iterator<Item = (TypeId, Vec<String>)> {
        self.types.iter().zip(0..).map(|(t, at)| {
            (
                TypeId(at),
                iter::once(label_or_name(&t.label, &t.name)).chain(t.aliases.iter().cloned()).collect(),
            )
        })
    }

    /// Iterates over the triples so far, with repetitions.
    pub fn triples(&self) -> impl Iterator<Item = (BuildNode, RelationId, BuildNode)> {
        self.triples.iter().map(|&(head, relation, tail, _)| (head, relation, tail))
    }

    /// Number of triples so far, with repetitions.
    pub fn added_triples(&self) -> usize {
        self.triples.len()
    }

    /// Makes the graph.
    ///
    /// # Errors
    /// [`KgError::TooLarge`] if its text exceeds 4 GB.
    pub fn finish(mut self) -> Result<KnowledgeGraph, KgError> {
        let entities = self.entities.len() as u32;
        let node = |n: BuildNode| match n {
            BuildNode::Entity(i) => NodeId(i),
            BuildNode::Literal(i) => NodeId(entities + i),
        };
        let mut given: Vec<(Triple, StoredProvenance)> = mem::take(&mut self.triples)
            .into_iter()
            .map(|(h, relation, t, from)| (Triple { head: node(h), relation, tail: node(t) }, from))
            .collect();
        given.sort_unstable();
        given.dedup();
        let mut sources = Sources { names: mem::take(&mut self.sources.strings), ..Sources::default() };
        let mut all = Vec::with_capacity(given.len());
        for group in given.chunk_by(|a, b| a.0 == b.0) {
            all.push(group[0].0);
            sources.all.extend(group.iter().map(|g| g.1));
            sources.runs.push(sources.all.len());
        }
        let nodes = self.build_nodes()?;
        // Node numbers are from above, and triples were sorted and made distinct, so this never fails.
        let triples = Triples::new(nodes.names.len(), all).ok_or(KgError::Foreign("node"))?;
        let mut graph = KnowledgeGraph {
            vocabulary: Rc::new(Vocabulary {
                relations: self.relations,
                types: self.types,
                schema: Vec::new(),
            }),
            nodes: Rc::new(nodes),
            triples: Rc::new(triples),
            sources: Rc::new(sources),
        };
        let mut vocabulary = Vocabulary::clone(&graph.vocabulary);
        count_classes(&graph, &mut vocabulary);
        graph.vocabulary = Rc::new(vocabulary);
        Ok(graph)
    }

    fn build_nodes(&mut self) -> Result<Nodes, KgError> {
        let mut n = Nodes::default();
        const TEXT: KgError = KgError::TooLarge("text");
        for e in &mut self.entities {
            let label = if e.label.is_empty() { label_of_entity(&e.id) } else { e.label.clone() };
            e.aliases.retain(|a| *a != label);
            n.names.push(&label).ok_or(TEXT)?;
            n.ids.push(if e.id == label { "" } else { &e.id }).ok_or(TEXT)?;
            n.descriptions.push(&e.description).ok_or(TEXT)?;
            for a in &e.aliases {
                n.aliases.push(a).ok_or(TEXT)?;
            }
            n.alias_runs.push(n.aliases.len());
            e.types.sort_unstable();
            n.types.extend_from_slice(&e.types);
            n.type_runs.push(n.types.len());
        }
        for (text, literal) in &self.literals {
            n.names.push(text).ok_or(TEXT)?;
            n.literals.push(*literal);
        }
        n.terms = mem::take(&mut self.terms.strings);
        Ok(n)
    }
}

/// Returns a readable label for an IRI. A plain id may be a name with a meaningful underscore.
fn label_of_entity(id: &str) -> String {
    if id.contains("://") { label_of_name(id) } else { id.to_owned() }
}

/// Returns the label of a relation or type, or one made from its name if it has none.
fn label_or_name(label: &str, name: &str) -> String {
    if label.is_empty() { label_of_name(name) } else { label.to_owned() }
}

/// Computes labels, frequencies and the schema.
fn count_classes(graph: &KnowledgeGraph, v: &mut Vocabulary) {
    let mut schema: BTreeMap<(RelationId, Class, Class), u32> = BTreeMap::new();
    let (mut domain, mut range) =
        (BTreeMap::<(RelationId, Class), u32>::new(), BTreeMap::<(RelationId, Class), u32>::new());
    for t in &graph.triples.all {
        for head in graph.classes(t.head) {
            *domain.entry((t.relation, head)).or_default() += 1;
            for tail in graph.classes(t.tail) {
                *schema.entry((t.relation, head, tail)).or_default() += 1;
            }
        }
        for tail in graph.classes(t.tail) {
            *range.entry((t.relation, tail)).or_default() += 1;
        }
        v.relations[t.relation.index()].triples += 1;
    }
    for t in &graph.nodes.types {
        v.types[t.index()].entities += 1;
    }
    v.schema = schema
        .into_iter()
        .map(|((relation, head, tail), triples)| SchemaEdge { head, relation, tail, triples })
        .collect();
    for ((r, class), n) in domain {
        v.relations[r.index()].domain.push((class, n));
    }
    for ((r, class), n) in range {
        v.relations[r.index()].range.push((class, n));
    }
    for r in &mut v.relations {
        r.domain.sort_by_key(|&(class, n)| (Reverse(n), class));
        r.range.sort_by_key(|&(class, n)| (Reverse(n), class));
        let label = label_or_name(&r.label, &r.name);
        r.aliases.retain(|a| *a != label);
        r.label = label;
    }
    for t in &mut v.types {
        let label = label_or_name(&t.label, &t.name);
        t.aliases.retain(|a| *a != label);
        t.label = label;
    }
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
