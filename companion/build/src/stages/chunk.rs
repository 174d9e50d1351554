//! Chunking: documents become chunks, and what brings its chunks along is taken as it is.

use super::Stage;
use crate::fields::collect_fields;
use crate::merge::Merged;
use crate::outcome::BuildError;
use crate::source::Source;
use pocketgraph::answer::guessed_layout;
use pocketgraph::bundle::{Chunk, Document, EmbedderInfo, Fields, Layout};
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph_ingest::chunk::split_laid_out;
use pocketgraph_ingest::{self as ingest, OutsideChunks, Skipped, SourceDocument};
use pocketgraph_languages as languages;
use pocketgraph_native::progress::Progress;
use rayon::prelude::*;
use std::path::Path;

/// Cuts documents into chunks.
pub struct Split<'a> {
    /// Tokens a chunk at most, without its title and headings.
    pub max_tokens: usize,
    /// Counts a text's tokens.
    pub count: &'a (dyn Fn(&str) -> usize + Sync),
}

/// Documents and their chunks.
#[derive(Default)]
pub struct Chunked {
    /// The documents.
    pub documents: Vec<Document>,
    /// The chunks, in the order of their documents.
    pub chunks: Vec<Chunk>,
    /// Layouts of the chunks.
    pub layouts: Vec<Layout>,
    /// The documents' own fields.
    pub fields: Fields,
    /// Files that were not read.
    pub skipped: Vec<Skipped>,
    /// Files found, read or not.
    pub files: usize,
}

/// Origin of the chunks, for stages that read more than their text.
pub enum Origin {
    /// Documents with their structure.
    Documents(Vec<SourceDocument>),
    /// Chunks that came without any.
    Chunks,
    /// The knowledge graphs of bundles, each with the numbers that its bundle's chunks have here.
    Graphs(Vec<(KnowledgeGraph, Vec<u32>)>),
}

impl Origin {
    /// Returns the bytes of the documents; `None` for chunks that came ready.
    pub fn bytes_read(&self) -> Option<usize> {
        if let Origin::Documents(all) = self { Some(all.iter().map(|d| d.file_bytes).sum()) } else { None }
    }
}

/// Vectors that the chunks bring.
pub enum Brought {
    /// None; the name of the model that shall make them, where one was given.
    Nothing(Option<String>),
    /// Made elsewhere.
    Outside {
        /// One row a chunk.
        rows: Vec<Vec<f32>>,
        /// Numbers a row.
        dimension: usize,
        /// The name of the model that made them.
        embedder: Option<String>,
    },
    /// Those of bundles, with what made them.
    Merged(Vec<Vec<f32>>, EmbedderInfo),
}

/// The chunks, where they are from, and the vectors that they bring.
pub struct Cut {
    /// Documents and chunks.
    pub chunked: Chunked,
    /// Origin of the chunks.
    pub origin: Origin,
    /// Their vectors, where they bring any.
    pub brought: Brought,
}

impl Stage<Source<'_>> for Split<'_> {
    type Out = Cut;
    const NAME: &'static str = "split";

    fn run(&self, source: Source<'_>, progress: &dyn Progress) -> Result<Cut, BuildError> {
        match source {
            Source::Documents(folder, corpus) => self.documents(folder, corpus, progress),
            Source::Outside(chunks, embedder) => Ok(take_outside_chunks(chunks, embedder)),
            Source::Bundles(merged) => Ok(of_bundles(*merged)),
        }
    }
}

impl Split<'_> {
    fn documents(
        &self,
        folder: &Path,
        corpus: ingest::Corpus,
        progress: &dyn Progress,
    ) -> Result<Cut, BuildError> {
        progress.stage("splitting into chunks", None);
        let (count, most) = (self.count, self.max_tokens);
        let (chunks, layouts): (Vec<Chunk>, Vec<Layout>) = corpus
            .documents
            .par_iter()
            .enumerate()
            .flat_map_iter(|(i, doc)| split_laid_out(i as u32, doc, &count, most))
            .unzip();
        if chunks.is_empty() {
            let shown =
                |s: &Skipped| format!(" ({}: {})", pocketgraph_native::terminal::line(&s.path), s.reason);
            let first = corpus.skipped.first().map(shown).unwrap_or_default();
            return Err(BuildError::Nothing {
                folder: folder.to_owned(),
                files: corpus.files,
                skipped: corpus.skipped.len(),
                first,
            });
        }
        let documents = corpus.documents.iter().map(SourceDocument::document).collect();
        let fields =
            collect_fields((0..).zip(&corpus.documents).flat_map(|(number, d)| d.list_fields(number)));
        let chunked =
            Chunked { documents, chunks, layouts, fields, skipped: corpus.skipped, files: corpus.files };
        Ok(Cut { chunked, origin: Origin::Documents(corpus.documents), brought: Brought::Nothing(None) })
    }
}

/// Chunks that were made elsewhere.
fn take_outside_chunks(o: OutsideChunks, embedder: Option<&str>) -> Cut {
    let OutsideChunks { mut documents, languages_named, chunks, layouts, vectors, dimension, files, fields } =
        o;
    if !languages_named {
        languages::detect_languages(&mut documents, &chunks);
    }
    let layouts = match layouts.is_empty() {
        true => chunks.iter().map(|c| guessed_layout(&c.text)).collect(),
        false => layouts,
    };
    let embedder = embedder.map(str::to_owned);
    let brought = match dimension {
        0 => Brought::Nothing(embedder),
        _ => Brought::Outside { rows: vectors, dimension, embedder },
    };
    let fields = collect_fields(fields.iter().map(|(document, name, value)| (*document, &**name, &**value)));
    let chunked = Chunked { documents, chunks, layouts, fields, files, ..Chunked::default() };
    Cut { chunked, origin: Origin::Chunks, brought }
}

/// Takes the content of merged bundles.
fn of_bundles(merged: Merged) -> Cut {
    let Merged { documents, chunks, layouts, vectors, embedder, graphs, fields, .. } = merged;
    let files = documents.len();
    Cut {
        chunked: Chunked { documents, chunks, layouts, fields, files, ..Chunked::default() },
        origin: Origin::Graphs(graphs),
        brought: Brought::Merged(vectors, embedder),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stages::testing::{RecordedWarnings, read_in, words};

    fn cut(files: &[(&str, &str)], max_tokens: usize) -> Result<Cut, BuildError> {
        let corpus = read_in(files);
        Split { max_tokens, count: &words }
            .run(Source::Documents(Path::new("docs"), corpus), &RecordedWarnings::default())
    }

    #[test]
    fn no_chunk_is_longer_than_was_asked_and_each_knows_its_document() {
        let long = "One two three four five. ".repeat(40);
        let cut = cut(&[("a.md", "# A\n\nShort."), ("b.md", &format!("# B\n\n{long}"))], 20).unwrap();
        let Chunked { documents, chunks, layouts, .. } = cut.chunked;
        assert_eq!((documents.len(), layouts.len()), (2, chunks.len()));
        assert!(chunks.len() > 9 && chunks.iter().all(|c| words(&c.text) <= 20));
        assert!(chunks.is_sorted_by_key(|c| c.document));
    }

    #[test]
    fn a_folder_without_text_says_how_many_files_were_passed_over() {
        let Err(error) = cut(&[("empty.md", "")], 20) else { unreachable!("there is nothing to cut") };
        assert!(error.to_string().contains("1 files found, 1 skipped (empty.md"), "{error}");
    }
}
