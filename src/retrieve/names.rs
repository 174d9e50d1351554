//! The table of names with what is derived from it once a bundle is open.

use crate::bundle::Document;
use crate::compact::{Map, sort_by, sort_unique};
use crate::names::NameTable;
use crate::text::terms;

/// Names, and where to go from them.
pub struct Names {
    /// The table.
    pub table: NameTable,
    /// The chunks of each document, ascending.
    pub chunks_of: Vec<Vec<u32>>,
    /// For each term the documents in whose titles it stands, where the title looks like a name.
    pub titles: Map<String, Vec<u32>>,
    /// Documents' titles.
    pub labels: Vec<String>,
}

impl Names {
    /// Derives chunks by document and documents by title term.
    pub fn new(table: NameTable, documents: &[Document]) -> Names {
        let mut chunks_of = vec![Vec::new(); documents.len()];
        for (chunk, &document) in table.document_of.iter().enumerate() {
            if let Some(list) = chunks_of.get_mut(document as usize) {
                list.push(chunk as u32);
            }
        }
        let mut pairs: Vec<(String, u32)> = Vec::new();
        for (d, (document, &weight)) in documents.iter().zip(&table.title_weight).enumerate() {
            if weight > 0 {
                pairs.extend(title_terms(&document.title).into_iter().map(|term| (term, d as u32)));
            }
        }
        sort_by(&mut pairs, |a, b| a.cmp(b));
        let titles = pairs.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0.clone(), run.iter().map(|x| x.1).collect())).collect();
        Names { table, chunks_of, titles, labels: documents.iter().map(|d| d.title.clone()).collect() }
    }
}

/// The distinct terms of a title without its parenthesis.
pub fn title_terms(title: &str) -> Vec<String> {
    let base = match title.find('(') {
        Some(open) if open > 0 => &title[..open],
        _ => title,
    };
    let mut out: Vec<String> = terms(base).into_iter().map(|t| t.0).collect();
    sort_unique(&mut out);
    out
}
