//! Triples from documents without a language model: what their structure states.
//!
//! A page contains sections, and sections contain sections; pages link to pages and sections; front matter gives tags, categories, authors and
//! dates; a list of definitions defines terms; a table's row is about its first cell; and the first sentence below a heading may say what the
//! thing is that the heading names. Every triple has its chunk and the bytes there. Nothing is guessed from running text beyond that.

mod front;
mod leads;
mod links;
mod places;
mod tables;
mod vocabulary;

use super::things::{Things, cut, one_line};
use crate::ingest::{BlockKind, SourceDocument};
use links::Targets;
use places::Places;
pub(super) use places::Place;
use pocketgraph::bundle::Chunk;
use pocketgraph::kg::{BuildNode, KgBuilder, KgError, LiteralKind, Provenance, name_key};
use pocketgraph::text::{is_stop_word, sentences};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
pub(super) use vocabulary::{Kind, Rel, Used};

/// A document gives at most so many triples, and [`OF_A_CHUNK`] for each of its chunks; what is beyond, in the order in which kinds of
/// triples are read, is counted and left out.
const OF_A_PAGE: usize = 64;
/// See [`OF_A_PAGE`].
const OF_A_CHUNK: usize = 8;
/// Headings with more bytes are prose.
const LONGEST_HEADING: usize = 200;
/// A definition is kept to so many bytes.
const LONGEST_DEFINITION: usize = 160;
/// The first sentence below a heading is read to here, in bytes.
const LONGEST_LEAD: usize = 600;

/// What the documents gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentTriples {
    /// Triples, repetitions included.
    pub triples: usize,
    /// What was left out because a page had too many.
    pub dropped: usize,
}

/// One end of a triple, before the graph has a number for it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    Page(usize),
    /// A document's heading, by its block.
    Section(usize, usize),
    /// Whatever bears this name.
    Thing(String, Option<Kind>),
    /// What the first cell of a row names, with the header above it.
    Subject(String, String),
    Literal(String, LiteralKind, &'static str, String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Relation {
    Known(Rel),
    /// The header of a table's column.
    Column(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Fact {
    head: End,
    relation: Relation,
    tail: End,
    place: Place,
}

/// What one document says.
#[derive(Default)]
struct Said {
    facts: Vec<Fact>,
    /// Fuller names that leads give.
    aliases: Vec<(End, String)>,
    dropped: usize,
}

/// Adds to a graph what the structure of documents states. `chunks` are those of `documents`, in their order.
///
/// # Errors
/// [`KgError`] when the graph becomes too large for the format.
pub(super) fn add(kg: &mut KgBuilder, documents: &[SourceDocument], chunks: &[Chunk]) -> Result<DocumentTriples, KgError> {
    let targets = Targets::new(documents);
    let runs = runs_of(documents.len(), chunks);
    let said: Vec<Said> = documents
        .par_iter()
        .zip(&runs)
        .enumerate()
        .map(|(d, (document, run))| {
            let own = chunks.get(run.clone()).unwrap_or(&[]);
            if own.is_empty() { Said::default() } else { Reader::new(d, document, own, run.start as u32).read(&targets) }
        })
        .collect();
    let mut adder = Adder::new(kg, documents);
    for (end, alias) in said.iter().flat_map(|s| &s.aliases).chain(&anchors(documents, &targets)) {
        adder.alias(end, alias)?;
    }
    let mut out = DocumentTriples::default();
    for s in &said {
        out.dropped += s.dropped;
        for fact in &s.facts {
            out.triples += usize::from(adder.add(fact)?);
        }
    }
    Ok(out)
}

/// The chunks of each document.
fn runs_of(documents: usize, chunks: &[Chunk]) -> Vec<std::ops::Range<usize>> {
    let mut runs = vec![0..0; documents];
    for (i, c) in chunks.iter().enumerate() {
        if let Some(run) = runs.get_mut(c.document as usize) {
            if run.start == run.end {
                *run = i..i;
            }
            run.end = i + 1;
        }
    }
    runs
}

/// Texts of links that serve as names: used twice or more, always for the same page or section, and short.
fn anchors(documents: &[SourceDocument], targets: &Targets) -> Vec<(End, String)> {
    let mut uses: BTreeMap<String, (usize, Option<links::Target>, String)> = BTreeMap::new();
    for (d, document) in documents.iter().enumerate() {
        for link in &document.links {
            let Some(target) = targets.of(d, document, &link.target).filter(|t| t.document != d) else { continue };
            let text = one_line(&link.text);
            let key = name_key(&text);
            let words = key.split(' ').count();
            if key.chars().count() < 3 || words > 4 || key.split(' ').all(is_stop_word) || text.len() > 60 {
                continue;
            }
            let entry = uses.entry(key).or_insert((0, Some(target), text));
            entry.0 += 1;
            entry.1 = entry.1.filter(|t| *t == target);
        }
    }
    let often = uses.into_values().filter(|(n, ..)| *n >= 2);
    often.filter_map(|(_, target, text)| target.map(|t| (end_of(t), text))).collect()
}

fn end_of(target: links::Target) -> End {
    target.heading.map_or(End::Page(target.document), |h| End::Section(target.document, h))
}

/// Reads one document.
struct Reader<'a> {
    d: usize,
    document: &'a SourceDocument,
    places: Places<'a>,
    /// For each block the heading that it stands under; the document's title is none.
    under: Vec<Option<usize>>,
    title: Option<usize>,
    said: Said,
    budget: usize,
}

impl<'a> Reader<'a> {
    fn new(d: usize, document: &'a SourceDocument, chunks: &'a [Chunk], first: u32) -> Self {
        let heading = |b: &crate::ingest::Block| matches!(b.kind, BlockKind::Heading(_)) && b.text.len() <= LONGEST_HEADING;
        let first_heading = document.blocks.iter().position(heading);
        let is_title = |i: &usize| document.blocks.get(*i).is_some_and(|b| name_key(&b.text) == name_key(&document.title));
        let title = first_heading.filter(is_title);
        let mut under = Vec::with_capacity(document.blocks.len());
        let mut open = None;
        for (i, b) in document.blocks.iter().enumerate() {
            if heading(b) {
                open = (title != Some(i)).then_some(i);
            }
            under.push(open);
        }
        let budget = OF_A_PAGE + OF_A_CHUNK * chunks.len();
        Reader { d, document, places: Places::new(document, chunks, first), under, title, said: Said::default(), budget }
    }

    fn read(mut self, targets: &Targets) -> Said {
        self.sections();
        self.leads();
        self.definitions();
        self.front_matter();
        self.links(targets);
        self.tables();
        self.said
    }

    fn say(&mut self, head: End, relation: Relation, tail: End, place: Place) {
        if self.said.facts.len() >= self.budget {
            self.said.dropped += 1;
        } else {
            self.said.facts.push(Fact { head, relation, tail, place });
        }
    }

    fn known(&mut self, head: End, rel: Rel, tail: End, place: Place) {
        self.say(head, Relation::Known(rel), tail, place);
    }

    /// What a block is part of: its section, or the page.
    fn whole(&self, block: usize) -> End {
        self.under.get(block).copied().flatten().map_or(End::Page(self.d), |h| End::Section(self.d, h))
    }

    fn sections(&mut self) {
        let mut open: Vec<(usize, u8)> = Vec::new();
        for i in 0..self.document.blocks.len() {
            let Some(BlockKind::Heading(level)) = self.document.blocks.get(i).map(|b| b.kind) else { continue };
            if self.under.get(i) != Some(&Some(i)) {
                continue;
            }
            open.retain(|&(_, l)| l < level);
            let outer = open.last().map_or(End::Page(self.d), |&(h, _)| End::Section(self.d, h));
            open.push((i, level));
            // Where the section has text of its own, that is where it stands.
            let has_text = self.under.get(i + 1) == Some(&Some(i));
            let place = self.places.block(if has_text { i + 1 } else { i });
            self.known(outer, Rel::Contains, End::Section(self.d, i), place);
        }
    }

    /// The first sentences below the title and below each heading.
    fn leads(&mut self) {
        let blocks = &self.document.blocks;
        let first = self.title.map_or(0, |t| t + 1);
        let below = (0..blocks.len()).filter(|&i| self.under.get(i) == Some(&Some(i))).map(|i| i + 1);
        let starts: Vec<usize> = std::iter::once(first).chain(below).collect();
        for i in starts {
            let Some(block) = blocks.get(i).filter(|b| b.kind == BlockKind::Paragraph) else { continue };
            let whole = self.whole(i);
            let name = match whole {
                End::Section(_, h) => blocks.get(h).map_or("", |b| b.text.as_str()),
                _ => self.document.title.as_str(),
            };
            let Some(range) = sentences(cut(&block.text, LONGEST_LEAD)).into_iter().next() else { continue };
            let lead = leads::read(name, block.text.get(range.clone()).unwrap_or(""));
            let place = self.places.bytes(i, range);
            if let Some(alias) = lead.alias {
                self.said.aliases.push((whole.clone(), alias));
            }
            if let Some(class) = &lead.class {
                let class = End::Thing(class.clone(), Some(Kind::Class));
                self.known(whole.clone(), Rel::IsA, class.clone(), place);
                if let Some(head) = lead.head {
                    self.known(class, Rel::IsA, End::Thing(head, Some(Kind::Class)), place);
                }
            }
            for (rel, written) in [(Rel::Born, lead.born), (Rel::Died, lead.died)] {
                if let Some(text) = written {
                    self.known(whole.clone(), rel, date_literal(text), place);
                }
            }
        }
    }

    fn definitions(&mut self) {
        let blocks = &self.document.blocks;
        let mut i = 0;
        while i < blocks.len() {
            let terms = blocks.iter().skip(i).take_while(|b| b.kind == BlockKind::Term).count();
            let Some(definition) = blocks.get(i + terms).filter(|b| terms > 0 && b.kind == BlockKind::ListItem) else {
                i += terms.max(1);
                continue;
            };
            let range = sentences(cut(&definition.text, LONGEST_LEAD)).into_iter().next().unwrap_or(0..0);
            let sentence = one_line(definition.text.get(range.clone()).unwrap_or(""));
            let place = self.places.bytes(i + terms, range);
            for t in i..i + terms {
                let Some(term) = blocks.get(t) else { continue };
                let term_end = End::Thing(one_line(&term.text), Some(Kind::Term));
                self.known(self.whole(t), Rel::Defines, term_end.clone(), self.places.block(t));
                if !sentence.is_empty() {
                    let text = match cut(&sentence, LONGEST_DEFINITION) {
                        whole if whole.len() == sentence.len() => sentence.clone(),
                        part => format!("{}…", part.trim_end()),
                    };
                    let literal = End::Literal(text, LiteralKind::Text, "", String::new());
                    self.known(term_end, Rel::Definition, literal, place);
                }
            }
            i += terms + 1;
        }
    }

    fn front_matter(&mut self) {
        let place = self.places.page();
        for said in front::read(&self.document.front_matter) {
            let tail = match said.rel {
                Rel::Published | Rel::Modified => date_literal(said.text),
                Rel::Author => End::Thing(said.text, Some(Kind::Person)),
                Rel::Category => End::Thing(said.text, Some(Kind::Category)),
                _ => End::Thing(said.text, Some(Kind::Tag)),
            };
            self.known(End::Page(self.d), said.rel, tail, place);
        }
    }

    fn links(&mut self, targets: &Targets) {
        let mut from: HashMap<usize, usize> = HashMap::new();
        for link in &self.document.links {
            let Some(target) = targets.of(self.d, self.document, &link.target) else { continue };
            // A page that links to its own sections has a table of contents.
            if target.document == self.d {
                continue;
            }
            let place = self.link_place(link.block, &one_line(&link.text), &mut from);
            self.known(End::Page(self.d), Rel::LinksTo, end_of(target), place);
        }
    }

    /// Where a link's text stands. Links come in order, so that the second "here" of a block is found after the first.
    fn link_place(&self, block: usize, text: &str, from: &mut HashMap<usize, usize>) -> Place {
        if !text.is_empty() {
            // Blocks without text are not counted among the document's.
            let near = std::iter::once(block).chain((1..=8).filter_map(|back| block.checked_sub(back)));
            for b in near {
                let Some(of_block) = self.document.blocks.get(b) else { continue };
                let start = from.get(&b).copied().unwrap_or(0);
                if let Some(at) = of_block.text.get(start..).and_then(|rest| rest.find(text)) {
                    let range = start + at..start + at + text.len();
                    from.insert(b, range.end);
                    return self.places.bytes(b, range);
                }
            }
        }
        let last = self.document.blocks.len().saturating_sub(1);
        Place { end: 0, start: 0, ..self.places.block(block.min(last)) }
    }

    fn tables(&mut self) {
        for (i, block) in self.document.blocks.iter().enumerate().filter(|(_, b)| b.kind == BlockKind::Table) {
            let Some(table) = tables::read(&block.text) else { continue };
            for row in table.rows {
                let place = self.places.bytes(i, row.span);
                let subject = End::Subject(row.subject, table.first.clone());
                self.known(self.whole(i), Rel::Lists, subject.clone(), place);
                for (header, cell) in row.cells {
                    let tail = match cell {
                        tables::Cell::Name(name) => End::Thing(name, None),
                        tables::Cell::Literal { text, kind, unit } => End::Literal(text, kind, "", unit),
                    };
                    self.say(subject.clone(), Relation::Column(header), tail, place);
                }
            }
        }
    }
}

fn date_literal(text: String) -> End {
    let datatype = if text.contains(['T', 't']) && text.starts_with(|c: char| c.is_ascii_digit()) { "xsd:dateTime" } else { "xsd:date" };
    End::Literal(text, LiteralKind::Date, datatype, String::new())
}

/// Gives ends their nodes.
struct Adder<'k, 'd> {
    kg: &'k mut KgBuilder,
    documents: &'d [SourceDocument],
    things: Things,
    used: Used,
    /// Tags and categories are named by single words that pages may have too; they stay apart from what they are about.
    apart: HashMap<(Kind, String), BuildNode>,
    pages: HashMap<usize, BuildNode>,
    sections: HashMap<(usize, usize), BuildNode>,
    /// The first of the ready chunks that are parts of one page: those of one title and one address.
    first_part: Vec<usize>,
    /// Titles that one page alone has.
    single: HashMap<String, usize>,
}

impl<'k, 'd> Adder<'k, 'd> {
    fn new(kg: &'k mut KgBuilder, documents: &'d [SourceDocument]) -> Self {
        let things = Things::of(kg);
        let mut titles: HashMap<String, Option<usize>> = HashMap::new();
        let mut parts: HashMap<(&str, &str), usize> = HashMap::new();
        let first_part: Vec<usize> = documents
            .iter()
            .enumerate()
            .map(|(d, doc)| if doc.ready { *parts.entry((doc.title.as_str(), doc.url.as_str())).or_insert(d) } else { d })
            .collect();
        for (d, document) in documents.iter().enumerate().filter(|(d, _)| first_part.get(*d) == Some(d)) {
            titles.entry(name_key(&document.title)).and_modify(|n| *n = None).or_insert(Some(d));
        }
        let single = titles.into_iter().filter_map(|(key, d)| Some((key, d?))).filter(|(key, _)| !key.is_empty()).collect();
        Adder {
            kg,
            documents,
            things,
            used: Used::default(),
            apart: HashMap::new(),
            pages: HashMap::new(),
            sections: HashMap::new(),
            first_part,
            single,
        }
    }

    fn typed(&mut self, node: BuildNode, kind: Kind) -> Result<(), KgError> {
        let t = self.used.kind(self.kg, kind)?;
        self.kg.entity_has_type(node, t)
    }

    fn page(&mut self, d: usize) -> Result<Option<BuildNode>, KgError> {
        let d = self.first_part.get(d).copied().unwrap_or(d);
        if let Some(&node) = self.pages.get(&d) {
            return Ok(Some(node));
        }
        let Some(document) = self.documents.get(d) else { return Ok(None) };
        let key = name_key(&document.title);
        // An imported entity that alone bears the name of a page that alone has it is what the page is about.
        let imported = if self.single.get(&key) == Some(&d) { self.things.find(&key) } else { None };
        let node = match imported {
            Some(node) => node,
            None => {
                let id = format!("page {}", if document.path.is_empty() { &document.url } else { &document.path });
                let node = self.kg.entity(&id)?;
                self.kg.label(node, &document.title)?;
                node
            }
        };
        self.typed(node, Kind::Page)?;
        self.pages.insert(d, node);
        Ok(Some(node))
    }

    fn section(&mut self, d: usize, block: usize) -> Result<Option<BuildNode>, KgError> {
        if let Some(&node) = self.sections.get(&(d, block)) {
            return Ok(Some(node));
        }
        let found = self.documents.get(d).and_then(|document| Some((document, document.blocks.get(block)?)));
        let Some((document, heading)) = found else { return Ok(None) };
        let place = heading.fragment.clone().unwrap_or_else(|| block.to_string());
        let node = self.kg.entity(&format!("section {}#{place}", document.path))?;
        self.kg.label(node, &one_line(&heading.text))?;
        self.typed(node, Kind::Section)?;
        self.sections.insert((d, block), node);
        Ok(Some(node))
    }

    /// What bears a name: the page of that title if there is one, else the thing.
    fn thing(&mut self, label: &str) -> Result<Option<BuildNode>, KgError> {
        match self.single.get(&name_key(label)) {
            Some(&d) => self.page(d),
            None => self.things.thing(self.kg, label),
        }
    }

    fn node(&mut self, end: &End) -> Result<Option<BuildNode>, KgError> {
        match end {
            End::Page(d) => self.page(*d),
            End::Section(d, block) if self.is_title(*d, *block) => self.page(*d),
            End::Section(d, block) => self.section(*d, *block),
            End::Literal(text, kind, datatype, unit) => self.kg.literal(text, *kind, datatype, unit).map(Some),
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
                self.typed(node, *kind)?;
                Ok(Some(node))
            }
            End::Thing(label, kind) => {
                let Some(node) = self.thing(label)? else { return Ok(None) };
                if let Some(kind) = kind {
                    self.typed(node, *kind)?;
                }
                Ok(Some(node))
            }
        }
    }

    fn is_title(&self, d: usize, block: usize) -> bool {
        let document = self.documents.get(d);
        let heading = document.and_then(|doc| doc.blocks.iter().position(|b| matches!(b.kind, BlockKind::Heading(_))));
        heading == Some(block) && document.is_some_and(|doc| doc.blocks.get(block).is_some_and(|b| name_key(&b.text) == name_key(&doc.title)))
    }

    fn alias(&mut self, end: &End, alias: &str) -> Result<(), KgError> {
        // A name that a page already has would make two out of one.
        if self.single.contains_key(&name_key(alias)) || self.things.find(&name_key(alias)).is_some() {
            return Ok(());
        }
        match self.node(end)? {
            Some(node) => self.kg.alias(node, alias),
            None => Ok(()),
        }
    }

    /// Adds a fact; false where one of its ends cannot be named.
    fn add(&mut self, fact: &Fact) -> Result<bool, KgError> {
        let (Some(head), Some(tail)) = (self.node(&fact.head)?, self.node(&fact.tail)?) else { return Ok(false) };
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
        Ok(true)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
