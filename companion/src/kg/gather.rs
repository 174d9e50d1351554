//! One graph of everything: imported files, the structure of documents, and what a language model read in them.

use super::documents::{self, DocumentTriples};
use super::open::{self, Extracted, StatedTriples};
use super::report::Reporter;
use super::{ImportError, ImportOptions, ImportReport, KgFiles, read_into};
use crate::ingest::SourceDocument;
use pocketgraph::bundle::{Chunk, Document};
use pocketgraph::kg::{KgBuilder, KgError, KnowledgeGraph};


/// A graph under construction. Files come first, so that documents speak of imported entities where both know a name.
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

    /// Reads the structure of documents; `chunks` are theirs, in their order.
    ///
    /// # Errors
    /// [`KgError`] when the graph becomes too large for the format.
    pub fn documents(&mut self, documents: &[SourceDocument], chunks: &[Chunk]) -> Result<DocumentTriples, KgError> {
        self.sources += 1;
        documents::add(&mut self.kg, documents, chunks)
    }

    /// Takes what a language model said of chunks.
    ///
    /// # Errors
    /// [`KgError`] when the graph becomes too large for the format.
    pub fn stated(&mut self, documents: &[Document], chunks: &[Chunk], extracted: &[Extracted]) -> Result<StatedTriples, KgError> {
        self.sources += 1;
        let heads = |i: usize| chunks.get(i).map_or_else(String::new, |c| heads_of(documents, c));
        open::add(&mut self.kg, chunks, extracted, &heads)
    }

    /// The graph with the report of its import; `None` where nothing was asked for, or nothing was found and no file was read.
    ///
    /// # Errors
    /// [`KgError`] when the graph is too large for the format.
    pub fn finish(self) -> Result<Option<(KnowledgeGraph, ImportReport)>, KgError> {
        let given = self.kg.given();
        if self.sources == 0 || (self.files.is_none() && given == 0) {
            return Ok(None);
        }
        let graph = self.kg.finish()?;
        let report = self.files.unwrap_or_else(|| Reporter::new(false)).finish(&graph, given);
        Ok(Some((graph, report)))
    }
}

/// A chunk's title and headings on one line.
pub fn heads_of(documents: &[Document], chunk: &Chunk) -> String {
    let title = documents.get(chunk.document as usize).map_or("", |d| d.title.as_str());
    std::iter::once(title).chain(chunk.heading_path.iter().map(String::as_str)).collect::<Vec<_>>().join(" > ")
}
