//! Sections of terms: the word index, the names, the words of titles.

use super::writer::GZIP;
use super::writer::{SectionWriter, WriteError};
use pocketgraph::bundle::{Document, PagedIndex, TermIndex, TermPostings};
use pocketgraph::lexical::TermRange;
use pocketgraph::names::NameTable;
use pocketgraph_ingest::namesakes::{place_words, titled};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Writes the section `name` with its ranges.
pub(super) fn write_terms(
    w: &mut SectionWriter,
    name: &str,
    ranges: Vec<TermRange>,
) -> Result<(), WriteError> {
    let mut index = TermIndex { first_terms: Vec::new(), ranges: PagedIndex::empty() };
    let page =
        |range: &TermRange| w.page_of_parts(name, &range.parts.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let pages = ranges.par_iter().map(page).collect::<Result<Vec<_>, WriteError>>()?;
    for (range, page) in ranges.into_iter().zip(pages) {
        index.ranges.push(page, range.terms);
        index.first_terms.push(range.first_term);
    }
    let pages = index.ranges.pages.clone();
    w.section(name, &index.encode(), GZIP, &pages)
}

/// For each term the documents in whose titles it stands, where the title looks like a name, with what the
/// title weighs. `table` numbers documents by their first chunks, and `document_of` has the document of each
/// chunk as `documents` numbers it.
pub(super) fn index_titles(
    documents: &[Document],
    table: &NameTable,
    document_of: &[u32],
) -> Vec<TermPostings> {
    let mut out: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    let places = place_words(documents);
    let mut next = 0;
    for (&number, &d) in table.document_of.iter().zip(document_of) {
        // The first chunk of each.
        if number != next {
            continue;
        }
        next += 1;
        let weight = table.title_weight.get(number as usize).copied().unwrap_or(0);
        if let Some(document) = documents.get(d as usize).filter(|_| weight > 0) {
            for term in titled(&document.title, places.get(d as usize).map_or("", String::as_str)) {
                out.entry(term).or_default().push((number, weight));
            }
        }
    }
    out.into_iter().map(|(term, postings)| TermPostings { term, postings }).collect()
}
