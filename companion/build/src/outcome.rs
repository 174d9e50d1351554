//! Outcome of a build: its figures, or why there is no bundle.

use crate::assemble::{InstallError, WriteError};
use crate::merge::MergeError;
use pocketgraph::bundle::Manifest;
use pocketgraph_ingest::{IngestError, Skipped};
use pocketgraph_keywords::autokg::{self, AutoKgReport};
use pocketgraph_keywords::extract::LlmUsage;
use pocketgraph_knowledge::kg::{DocumentTriples, ImportError, ImportReport, ReadTriplesError};
use pocketgraph_llm_client::asker::AskError;
use pocketgraph_models::embeddings::EmbeddingCounts;
use pocketgraph_publish::site_files::SiteFilesError;
use std::path::PathBuf;
use std::time::Duration;

/// Report of a build.
#[derive(Debug)]
pub struct Summary {
    /// The bundle's manifest.
    pub manifest: Manifest,
    /// Number of documents of each language, the commonest first; `""` for those of none.
    pub languages: Vec<(String, usize)>,
    /// Files that were not read.
    pub skipped: Vec<Skipped>,
    /// Files found, read or not.
    pub files: usize,
    /// The keyword graph's figures.
    pub autokg: Option<AutoKgReport>,
    /// The knowledge graph's size, and what was wrong with its files.
    pub knowledge: Option<ImportReport>,
    /// Usage of the language model for keywords, if any.
    pub keywords_llm: Option<LlmUsage>,
    /// Vectors of chunks: asked for and re-used.
    pub chunk_embeddings: EmbeddingCounts,
    /// Vectors of keyword candidates and of sentences: asked for and re-used.
    pub other_embeddings: EmbeddingCounts,
    /// Triples from the structure of documents.
    pub from_documents: DocumentTriples,
    /// Duration of each stage, in order.
    pub timings: Vec<(&'static str, Duration)>,
    /// True if a browser runtime was written.
    pub runtime: bool,
}

/// Error of a build.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The documents cannot be read.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// There is nothing to build a bundle of.
    #[error("there is nothing to read in {folder}: {files} files found, {skipped} skipped{first}")]
    Nothing {
        /// The folder.
        folder: PathBuf,
        /// Files found.
        files: usize,
        /// Number of these not read.
        skipped: usize,
        /// The first that was skipped, with the reason.
        first: String,
    },
    /// The bundles cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Chunks were brought without vectors, but another model than the built-in one was named.
    #[error(
        "the chunks have no vectors, and this program cannot make those of the embedder \"{0}\": bring them \
         with --vectors FILE or in a column \
         \"vector\" of a Parquet file, or leave --embedder out to embed the chunks with the built-in model"
    )]
    NoVectors(String),
    /// Vectors were brought, but not the name of the model that made them.
    #[error(
        "the chunks bring vectors: say which model made them with --embedder ID (\"minilm\" when it is \
         all-MiniLM-L6-v2), because questions \
         must be embedded by the same"
    )]
    NoEmbedder,
    /// The model is damaged.
    #[error("the embedding model cannot be loaded: {0}")]
    Model(String),
    /// The trained planner that was asked for is none.
    #[error("{0}; name what `pocketgraph train planner` wrote, or none")]
    Planner(String),
    /// The knowledge graph cannot be read.
    #[error(transparent)]
    Knowledge(#[from] ImportError),
    /// The language model that reads for relations, or that writes summaries.
    #[error(transparent)]
    Asking(#[from] AskError),
    /// The language model that reads for triples, or the graph of what it read.
    #[error(transparent)]
    Triples(#[from] ReadTriplesError),
    /// The keyword graph could not be built.
    #[error(transparent)]
    AutoKg(#[from] autokg::AutoKgError),
    /// The documents' pages, or the files for language models, could not be written.
    #[error(transparent)]
    SiteFiles(#[from] SiteFilesError),
    /// The bundle could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The bundle could not be put in its place.
    #[error(transparent)]
    Install(#[from] InstallError),
}
