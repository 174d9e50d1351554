//! Gives the ends of facts their nodes: pages and sections by their place, things by their name.

use super::vocabulary::{Kind, Used};
use super::{End, Fact, Place, Relation};
use crate::kg::entity_index::EntityIndex;
use pocketgraph_ingest::{BlockKind, SourceDocument};
use pocketgraph_kg::{BuildNode, KgBuilder, KgError, Provenance, name_key};
use pocketgraph_native::single_line::one_line;
use std::collections::HashMap;

/// Adds facts and the nodes of their ends.
pub(super) struct Adder<'k, 'd> {
    kg: &'k mut KgBuilder,
    documents: &'d [SourceDocument],
    things: EntityIndex,
    used: Used,
    /// Tags and categories by their words. They stay apart from pages with the same name.
    apart: HashMap<(Kind, String), BuildNode>,
    pages: HashMap<usize, BuildNode>,
    sections: HashMap<(usize, usize), BuildNode>,
    /// For each ready chunk the first one of its page, by title and address; other documents are themselves.
    first_part: Vec<usize>,
    /// The first heading of each document, by its block.
    first_heading: Vec<Option<usize>>,
    /// Titles that only one page has.
    single: HashMap<String, usize>,
}

impl<'k, 'd> Adder<'k, 'd> {
    pub fn new(kg: &'k mut KgBuilder, documents: &'d [SourceDocument]) -> Self {
        let things = EntityIndex::of(kg);
        let mut titles: HashMap<String, Option<usize>> = HashMap::new();
        let mut parts: HashMap<(&str, &str), usize> = HashMap::new();
        let first_part: Vec<usize> = documents
            .iter()
            .enumerate()
            .map(|(d, doc)| {
                if doc.ready { *parts.entry((doc.title.as_str(), doc.url.as_str())).or_insert(d) } else { d }
            })
            .collect();
        for (d, document) in documents.iter().enumerate().filter(|(d, _)| first_part.get(*d) == Some(d)) {
            titles.entry(name_key(&document.title)).and_modify(|n| *n = None).or_insert(Some(d));
        }
        let single = titles
            .into_iter()
            .filter_map(|(key, d)| Some((key, d?)))
            .filter(|(key, _)| !key.is_empty())
            .collect();
        Adder {
            kg,
            documents,
            things,
            used: Used::default(),
            apart: HashMap::new(),
            pages: HashMap::new(),
            sections: HashMap::new(),
            first_part,
            first_heading: documents
                .iter()
                .map(|d| d.blocks.iter().position(|b| matches!(b.kind, BlockKind::Heading(_))))
                .collect(),
            single,
        }
    }

    fn add_type(&mut self, node: BuildNode, kind: Kind) -> Result<(), KgError> {
        let t = self.used.kind(self.kg, kind)?;
        self.kg.entity_has_type(node, t)
    }

    fn page_node(&mut self, d: usize) -> Result<Option<BuildNode>, KgError> {
        let d = self.first_part.get(d).copied().unwrap_or(d);
        if let Some(&node) = self.pages.get(&d) {
            return Ok(Some(node));
        }
        let Some(document) = self.documents.get(d) else { return Ok(None) };
        let key = name_key(&document.title);
        // An imported entity and a page that share an unambiguous name are one.
        let imported = if self.single.get(&key) == Some(&d) { self.things.find(&key) } else { None };
        let node = match imported {
            Some(node) => node,
            None => {
                let id =
                    format!("page {}", if document.path.is_empty() { &document.url } else { &document.path });
                let node = self.kg.entity(&id)?;
                self.kg.label(node, &document.title)?;
                node
            }
        };
        for (_, name) in document.front_matter.iter().filter(|(field, _)| field == "alias") {
            self.kg.alias(node, name)?;
        }
        self.add_type(node, Kind::Page)?;
        self.pages.insert(d, node);
        Ok(Some(node))
    }

    fn section_node(&mut self, d: usize, block: usize) -> Result<Option<BuildNode>, KgError> {
        if let Some(&node) = self.sections.get(&(d, block)) {
            return Ok(Some(node));
        }
        let found = self.documents.get(d).and_then(|document| Some((document, document.blocks.get(block)?)));
        let Some((document, heading)) = found else { return Ok(None) };
        let place = heading.fragment.clone().unwrap_or_else(|| block.to_string());
        let node = self.kg.entity(&format!("section {}#{place}", document.path))?;
        self.kg.label(node, &one_line(&heading.text))?;
        self.add_type(node, Kind::Section)?;
        self.sections.insert((d, block), node);
        Ok(Some(node))
    }

    /// Returns the node of a name: the page of that title if there is one, else the thing.
    fn thing(&mut self, label: &str) -> Result<Option<BuildNode>, KgError> {
        match self.single.get(&name_key(label)) {
            Some(&d) => self.page_node(d),
            None => self.things.thing(self.kg, label),
        }
    }

    fn node(&mut self, end: &End) -> Result<Option<BuildNode>, KgError> {
        match end {
            End::Page(d) => self.page_node(*d),
            End::Section(d, block) if self.is_title(*d, *block) => self.page_node(*d),
            End::Section(d, block) => self.section_node(*d, *block),
            End::Literal(text, kind, datatype, unit) => {
                self.kg.literal(text, *kind, datatype, unit).map(Some)
            }
            End::Subject(label, header) => {
                let Some(node) = self.thing(label)? else { return Ok(None) };
                let key = name_key(header);
                if !key.is_empty()
                    && let Some(t) = self.used.header(self.kg, &key, header)?
                {
                    self.kg.entity_has_type(node, t)?;
                }
                Ok(Some(node))
            }
            End::Thing(label, Some(kind @ (Kind::Tag | Kind::Category))) => {
                let key = name_key(label);
                if key.is_empty() || label.len() > 80 {
                    return Ok(None);
                }
                let node = match self.apart.get(&(*kind, key.clone())) {
                    Some(&node) => node,
                    None => {
                        let word = if *kind == Kind::Tag { "tag" } else { "category" };
                        let node = self.kg.entity(&format!("{word} {key}"))?;
                        self.kg.label(node, label)?;
                        self.apart.insert((*kind, key), node);
                        node
                    }
                };
                self.add_type(node, *kind)?;
                Ok(Some(node))
            }
            End::Thing(label, kind) => {
                let Some(node) = self.thing(label)? else { return Ok(None) };
                if let Some(kind) = kind {
                    self.add_type(node, *kind)?;
                }
                Ok(Some(node))
            }
        }
    }

    fn is_title(&self, d: usize, block: usize) -> bool {
        let document = self.documents.get(d);
        self.first_heading.get(d).copied().flatten() == Some(block)
            && document.is_some_and(|doc| {
                doc.blocks.get(block).is_some_and(|b| name_key(&b.text) == name_key(&doc.title))
            })
    }

    pub fn alias(&mut self, end: &End, alias: &str) -> Result<(), KgError> {
        // An alias that another node has as its name would merge both.
        if self.single.contains_key(&name_key(alias)) || self.things.find(&name_key(alias)).is_some() {
            return Ok(());
        }
        match self.node(end)? {
            Some(node) => self.kg.alias(node, alias),
            None => Ok(()),
        }
    }

    /// Adds a fact. Returns false if one of its ends has no valid name.
    pub fn add(&mut self, fact: &Fact) -> Result<bool, KgError> {
        let (Some(head), Some(tail)) = (self.node(&fact.head)?, self.node(&fact.tail)?) else {
            return Ok(false);
        };
        if head == tail {
            return Ok(false);
        }
        let relation = match &fact.relation {
            Relation::Known(rel) => Some(self.used.relation(self.kg, *rel)?),
            Relation::Column(header) => self.used.column(self.kg, &name_key(header), header)?,
        };
        let Some(relation) = relation else { return Ok(false) };
        let Place { chunk, start, end } = fact.place;
        self.kg.triple(head, relation, tail, Provenance::Passage { chunk, start, end })?;
        if !fact.held.is_empty() {
            self.kg.triple(head, relation, tail, Provenance::Cited(&fact.held))?;
        }
        Ok(true)
    }
}
