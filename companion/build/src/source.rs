//! Input of a build, as it was read.

use crate::merge::Merged;
use pocketgraph_ingest::rank::RankRule;
use pocketgraph_ingest::{self as ingest, OutsideChunks};
use pocketgraph_languages::{self as languages, QuestionLanguage};
use pocketgraph_models::e5;
use pocketgraph_models::embed_bulk::QueryLayers;
use pocketgraph_models::models::Embedder;
use pocketgraph_native::progress::Progress;
use rayon::prelude::*;
use std::path::Path;

/// Input that is read before a model is loaded.
pub enum Source<'a> {
    /// The documents of a folder.
    Documents(&'a Path, ingest::Corpus),
    /// Chunks that were made elsewhere, with the name of the model that made their vectors.
    Outside(OutsideChunks, Option<&'a str>),
    /// Bundles that become one.
    Bundles(Box<Merged>),
}

impl Source<'_> {
    /// The language of each document; `""` where it is not told.
    fn languages(&self) -> Vec<String> {
        let documents = match self {
            Source::Documents(_, corpus) => {
                corpus.documents.par_iter().map(ingest::SourceDocument::document).collect()
            }
            Source::Outside(o, _) => {
                let mut documents = o.documents.clone();
                if !o.languages_named {
                    languages::detect_languages(&mut documents, &o.chunks);
                }
                documents
            }
            Source::Bundles(merged) => merged.documents.clone(),
        };
        documents.into_iter().map(|d| d.language).collect()
    }

    /// The model that embeds, where `asked` was asked for.
    pub fn embedder(&self, asked: &Embedder, progress: &dyn Progress) -> Embedder {
        match self {
            Source::Bundles(merged) if merged.embedder.id == e5::ID => match asked {
                Embedder::Multilingual(file) => Embedder::Multilingual(file.clone()),
                _ => Embedder::Multilingual(None),
            },
            Source::Bundles(_) => Embedder::Own,
            _ => asked.for_documents(&|| self.languages(), progress),
        }
    }

    /// The layers that embed questions, where `asked` were asked for: bundles keep theirs.
    pub fn query_layers(&self, asked: QueryLayers) -> QueryLayers {
        match self {
            Source::Bundles(merged) => merged.query_layers(),
            _ => asked,
        }
    }

    /// The languages of questions besides the documents', where `asked` were asked for: bundles keep theirs.
    pub fn question_languages(&self, asked: &[QuestionLanguage]) -> Vec<QuestionLanguage> {
        match self {
            Source::Bundles(merged) => merged.question_languages(),
            _ => asked.to_vec(),
        }
    }

    /// The rules by which documents are weighed, where `asked` were asked for: bundles keep theirs.
    pub fn rules(&self, asked: &[RankRule]) -> Vec<RankRule> {
        match self {
            Source::Bundles(merged) => merged.rules(),
            _ => asked.to_vec(),
        }
    }

    /// The options that bundles were built with, for the manifest of the one made of them.
    pub fn options(&self) -> Vec<(String, String)> {
        match self {
            Source::Bundles(merged) => merged.options.clone(),
            _ => Vec::new(),
        }
    }
}
