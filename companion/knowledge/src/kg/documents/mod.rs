//! Reads triples from the structure of documents, without a language model.
//!
//! A page contains sections, and sections contain sections. Pages link to pages and sections. Front matter
//! gives tags, categories, authors and dates. A list of definitions defines terms. A table's row is about its
//! first cell. The first sentence below a heading may classify the thing that the heading names. Every triple
//! has its chunk and the bytes there. Other running text gives no triples.

mod adder;
mod front;
mod leads;
mod links;
mod places;
mod reader;
mod tables;
mod vocabulary;

pub(super) use places::Place;

use adder::Adder;
use links::Targets;
use pocketgraph_bundle::Chunk;
use pocketgraph_ingest::SourceDocument;
use pocketgraph_kg::{KgBuilder, KgError, LiteralKind, name_key};
use pocketgraph_native::single_line::one_line;
use pocketgraph_text::is_stop_word;
use rayon::prelude::*;
use reader::Reader;
use std::collections::BTreeMap;
use vocabulary::{Kind, Rel};

/// Triples of the documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentTriples {
    /// Number of triples, repetitions included.
    pub triples: usize,
    /// Number of triples left out because a page had too many.
    pub dropped: usize,
}

/// One end of a triple, before the graph has a number for it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    Page(usize),
    /// A heading of a document, by its block.
    Section(usize, usize),
    /// The thing with this name.
    Thing(String, Option<Kind>),
    /// Name in the first cell of a row, with the header above it.
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
    /// Interval in which it holds; empty if nothing says so.
    held: String,
}

#[derive(Default)]
struct DocumentFacts {
    facts: Vec<Fact>,
    /// Names that the first sentences below headings give.
    aliases: Vec<(End, String)>,
    dropped: usize,
}

/// Adds the triples of the documents' structure. `chunks` are those of `documents`, in the same order.
pub(super) fn add_documents(
    kg: &mut KgBuilder,
    documents: &[SourceDocument],
    chunks: &[Chunk],
) -> Result<DocumentTriples, KgError> {
    let targets = Targets::new(documents);
    let runs = runs_of(documents.len(), chunks);
    let fact_list: Vec<DocumentFacts> = documents
        .par_iter()
        .zip(&runs)
        .enumerate()
        .map(|(d, (document, run))| {
            let own = chunks.get(run.clone()).unwrap_or(&[]);
            if own.is_empty() {
                DocumentFacts::default()
            } else {
                Reader::new(d, document, own, run.start as u32).read(&targets)
            }
        })
        .collect();
    let mut adder = Adder::new(kg, documents);
    for (end, alias) in fact_list.iter().flat_map(|s| &s.aliases).chain(&link_names(documents, &targets)) {
        adder.alias(end, alias)?;
    }
    let mut out = DocumentTriples::default();
    for s in &fact_list {
        out.dropped += s.dropped;
        for fact in &s.facts {
            out.triples += usize::from(adder.add(fact)?);
        }
    }
    Ok(out)
}

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

/// Collects texts of links that serve as names: short, used twice or more, and always for the same place.
fn link_names(documents: &[SourceDocument], targets: &Targets) -> Vec<(End, String)> {
    let mut uses: BTreeMap<String, (usize, Option<links::Target>, String)> = BTreeMap::new();
    for (d, document) in documents.iter().enumerate() {
        for link in &document.links {
            let Some(target) = targets.of(d, document, &link.target).filter(|t| t.document != d) else {
                continue;
            };
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

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
