//! Builds one graph of imported files, the structure of documents, and a language model's statements.

use super::both_ways;
use super::documents::{self, DocumentTriples};
use super::join;
use super::open::{self, Extracted, StatedTriples};
use super::report::Reporter;
use super::shared_passages;
use super::{ImportError, ImportOptions, ImportReport, KgFiles, read_into};
use crate::names::Extra;
use pocketgraph_bundle::{Chunk, Document, format_place};
use pocketgraph_ingest::SourceDocument;
use pocketgraph_kg::{Direction, KgBuilder, KgError, KnowledgeGraph, NodeId, Provenance};
use pocketgraph_search::keyword::KeywordGraph;

/// A graph under construction. Files come first, so that documents refer to imported entities of the same
/// name.
#[derive(Default)]
pub struct Gathering {
    kg: KgBuilder,
    files: Option<Reporter>,
    sources: usize,
}

impl Gathering {
    /// Reads files.
    ///
    /// # Errors
    /// As [`super::import`].
    pub fn files(&mut self, files: &KgFiles, options: &ImportOptions) -> Result<(), ImportError> {
        self.files = Some(read_into(&mut self.kg, files, options)?);
        self.sources += 1;
        Ok(())
    }

    /// Reads the structure of documents; `chunks` are their chunks, in the same order.
    ///
    /// # Errors
    /// [`KgError`] when the graph becomes too large for the format.
    pub fn documents(
        &mut self,
        documents: &[SourceDocument],
        chunks: &[Chunk],
    ) -> Result<DocumentTriples, KgError> {
        self.sources += 1;
        documents::add_documents(&mut self.kg, documents, chunks)
    }

    /// Adds what a language model stated about chunks. Fails if the graph becomes too large for the format.
    pub fn stated(
        &mut self,
        documents: &[Document],
        chunks: &[Chunk],
        extracted: &[Extracted],
    ) -> Result<StatedTriples, KgError> {
        self.sources += 1;
        let about = |chunk: &Chunk| {
            let document = documents.get(chunk.document as usize);
            (heads_of(documents, chunk), document.map_or("", |d| &d.language))
        };
        open::add_statements(&mut self.kg, chunks, extracted, &about)
    }

    /// Adds which keywords share passages. Fails if the graph becomes too large for the format.
    pub fn keywords(&mut self, keywords: &KeywordGraph, chunks: &[Chunk]) -> Result<(), KgError> {
        shared_passages::add_keywords(&mut self.kg, keywords, chunks)
    }

    /// Adds a finished graph; its chunk `i` becomes `number[i]`. Fails if the graph becomes too large for the
    /// format.
    pub fn graph(&mut self, graph: &KnowledgeGraph, number: &[u32]) -> Result<(), KgError> {
        self.sources += 1;
        join::add_graph(&mut self.kg, graph, number)
    }

    /// Finishes the graph and the report of its import. Returns `None` if there was no source, or if the
    /// sources gave no triple and no file was read. Fails if the graph is too large for the format.
    pub fn finish(mut self) -> Result<Option<(KnowledgeGraph, ImportReport)>, KgError> {
        let (given, repeated) = (self.kg.added_triples(), self.kg.repeated_names());
        if self.sources == 0 || (self.files.is_none() && given == 0) {
            return Ok(None);
        }
        both_ways::add_implied(&mut self.kg, &both_ways::Declared::default())?;
        let graph = self.kg.finish()?;
        let report = self.files.unwrap_or_else(|| Reporter::new(false)).finish(&graph, given, repeated);
        Ok(Some((graph, report)))
    }
}

/// Joins a chunk's title and headings on one line.
pub fn heads_of(documents: &[Document], chunk: &Chunk) -> String {
    let title = documents.get(chunk.document as usize).map_or("", |d| &d.title);
    format_place(title, &chunk.heading_path)
}

/// Maximum number of documents of an entity whose name asks for them.
const FEW: usize = 3;

/// Returns the names of entities whose triples come from passages of few documents: a question with such a
/// name may ask for these documents. Leaves out pages and sections, because titles and headings are searched
/// anyway, and single plain words, which questions use for other things.
pub fn names_of(graph: &KnowledgeGraph, chunks: &[Chunk]) -> Vec<Extra> {
    let v = graph.vocabulary();
    let place = |name: &str| v.type_named(name);
    let left_out: Vec<_> =
        ["page", "section", "tag", "category", "class", "person"].iter().filter_map(|n| place(n)).collect();
    let mut out = Vec::new();
    for node in (0..graph.entities() as u32).map(NodeId) {
        if graph.types(node).iter().any(|t| left_out.contains(t)) {
            continue;
        }
        let edges = graph.edges(node, Direction::Forward).chain(graph.edges(node, Direction::Backward));
        let mut documents: Vec<u32> = edges
            .flat_map(|e| graph.provenance(e.triple))
            .filter_map(|p| match p {
                Provenance::Passage { chunk, .. } => chunks.get(chunk as usize).map(|c| c.document),
                _ => None,
            })
            .collect();
        documents.sort_unstable();
        documents.dedup();
        if documents.is_empty() || documents.len() > FEW {
            continue;
        }
        for name in
            std::iter::once(graph.label(node)).chain(graph.aliases(node)).filter(|n| is_distinctive(n))
        {
            out.extend(documents.iter().map(|&document| Extra {
                name: name.to_owned(),
                document,
                strength: 60,
            }));
        }
    }
    out
}

/// Returns true for two words or more, or for a word with a sign, a digit or a capital inside.
fn is_distinctive(name: &str) -> bool {
    let words = name.split_whitespace().count();
    let inside = name
        .trim()
        .chars()
        .skip(1)
        .any(|c| c.is_uppercase() || c.is_numeric() || (!c.is_alphanumeric() && c != '-' && c != '\''));
    words >= 2 || (words == 1 && inside && name.chars().any(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_prose_may_use_otherwise_are_not_telling() {
        for yes in ["Difference Engine", "buildStats", "max_tokens", "Box<T>", "utf8"] {
            assert!(is_distinctive(yes), "{yes}");
        }
        for no in ["title", "Apple", "", "+", "x-ray", " 7 "] {
            assert!(!is_distinctive(no), "{no}");
        }
    }
}
