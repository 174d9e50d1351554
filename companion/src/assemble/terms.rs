//! Sections of terms: the word index, the names, the words of titles.

use super::sections::GZIP;
use super::writer::{SectionWriter, WriteError};
use pocketgraph::bundle::{Document, PagedIndex, TermIndex, TermPostings};
use pocketgraph::lexical::TermRange;
use pocketgraph::names::NameTable;
use pocketgraph::retrieve::title_terms;
use std::collections::{BTreeMap, HashMap};

/// Writes the section `name` with its ranges.
///
/// # Errors
/// [`WriteError`] when the disk refuses.
pub(super) fn terms(w: &mut SectionWriter, name: &str, ranges: Vec<TermRange>) -> Result<(), WriteError> {
    let mut index = TermIndex { first_terms: Vec::new(), ranges: PagedIndex { pages: Vec::new(), first: vec![0] } };
    for range in ranges {
        let parts: Vec<&[u8]> = range.parts.iter().map(Vec::as_slice).collect();
        index.ranges.pages.push(w.page_of_parts(name, &parts)?);
        index.ranges.first.push(index.ranges.items() + range.terms);
        index.first_terms.push(range.first_term);
    }
    let pages = index.ranges.pages.clone();
    w.section(name, &index.encode(), GZIP, &pages)
}

/// For each term the documents in whose titles it stands, where the title looks like a name, with what the title weighs. `table` numbers documents as
/// `documents` does; the result numbers them by their first chunks, whose documents are `document_of`.
pub(super) fn titles(documents: &[Document], table: &NameTable, document_of: &[u32]) -> Vec<TermPostings> {
    let mut number: HashMap<u32, u32> = HashMap::new();
    let mut out: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    for &d in document_of {
        let next = number.len() as u32;
        if number.contains_key(&d) {
            continue;
        }
        number.insert(d, next);
        let weight = table.title_weight.get(d as usize).copied().unwrap_or(0);
        if let Some(document) = documents.get(d as usize).filter(|_| weight > 0) {
            for term in title_terms(&document.title) {
                out.entry(term).or_default().push((next, weight));
            }
        }
    }
    out.into_iter().map(|(term, postings)| TermPostings { term, postings }).collect()
}
