//! Builds the indexes of a study: a bundle for each set and retriever, with its own time, bytes and tokens.

use super::file::{Study, StudyError, StudySet};
use super::journal::{Journal, key};
use crate::counted_model::Tokens;
use crate::data::{Passages, Question, read_answered, read_passages};
use crate::index_model::IndexModel;
use crate::set_bundle::{QuerySide, SetBuild, SetBundle, make_set, open_set};
use pocketgraph::bundle::MANIFEST;
use pocketgraph::llm::ChatModel;
use pocketgraph_build::prepare::{Needs, sections_of};
use pocketgraph_cache::Cache;
use pocketgraph_llm_client::asker::{self, Asking};
use pocketgraph_models::embed_bulk::{NativeEmbedder, QueryLayers};
use pocketgraph_models::embeddings::CachedEmbedder;
use pocketgraph_native::progress::Progress;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::rc::Rc;

/// Cost of the index of one retriever over one set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexRow {
    /// The set.
    pub set: String,
    /// The retriever.
    pub retriever: String,
    /// Number of passages.
    pub passages: usize,
    /// Number of tokens of the passages, as the embedding model counts them.
    pub corpus_tokens: u64,
    /// Seconds of each stage of the build, with the model's replies.
    pub seconds: Vec<(String, f64)>,
    /// True if an interrupted build had left replies: the seconds are then too few.
    pub in_parts: bool,
    /// Bytes of the sections that the retriever reads.
    pub bytes: u64,
    /// Number of tokens that a language model read for it.
    pub prompt_tokens: u64,
    /// Number of tokens that it wrote.
    pub completion_tokens: u64,
    /// True if these counts are partly estimated.
    pub estimated: bool,
}

/// Settings for building indexes.
pub struct Indexing<'a> {
    /// Embedder of texts.
    pub embedder: &'a NativeEmbedder,
    /// The model that reads and writes for them, with its settings; used if the study says so.
    pub model: Option<(Rc<dyn ChatModel>, Asking)>,
    /// Folder of the study's results.
    pub folder: &'a Path,
    /// Gets the progress.
    pub progress: &'a dyn Progress,
}

/// A set with its questions, and an open bundle for each retriever of the study, in order.
pub struct OpenSet {
    /// Its name.
    pub name: String,
    /// Its questions with an answer.
    pub questions: Vec<Question>,
    /// Costs of the indexes, and the bundles; each with the key of all that its hits depend on.
    pub(super) bundles: Vec<(IndexRow, SetBundle, String)>,
}

impl std::fmt::Debug for OpenSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenSet")
            .field("name", &self.name)
            .field("questions", &self.questions.len())
            .finish_non_exhaustive()
    }
}

impl OpenSet {
    /// Returns the number of answers that a study asks for over it.
    pub fn answers(&self, study: &Study) -> usize {
        let runs: usize = study.protocols.iter().map(|protocol| study.seeds_of(protocol).len()).sum();
        self.questions.len() * runs * study.retrievers.len()
    }
}

/// Builds the missing indexes of a study. Fails if a set cannot be read or an index cannot be built.
pub fn make_indexes(study: &Study, with: &Indexing<'_>) -> Result<Vec<OpenSet>, StudyError> {
    let made = std::fs::create_dir_all(with.folder);
    made.map_err(|reason| StudyError::Io { path: with.folder.to_owned(), reason })?;
    let mut kept = Journal::open(&with.folder.join("indexes.jsonl"))?;
    study.sets.iter().map(|set| open_indexed_set(study, set, with, &mut kept)).collect()
}

fn open_indexed_set(
    study: &Study,
    set: &StudySet,
    with: &Indexing<'_>,
    kept: &mut Journal<IndexRow>,
) -> Result<OpenSet, StudyError> {
    let corpus =
        std::fs::read(&set.corpus).map_err(|reason| StudyError::Io { path: set.corpus.clone(), reason })?;
    let passages = read_passages(&set.corpus)?;
    let mut questions = read_answered(&set.questions, set.answers_are, Some(&passages))?.all;
    questions.truncate(set.first.unwrap_or(usize::MAX));
    let reader = with.model.as_ref().filter(|_| study.model_reads);
    let identity = reader.map_or("", |(_, asking)| asking.identity.as_str());
    let bundle = |retriever: &String| {
        let key =
            key(&[env!("CARGO_PKG_VERSION").as_bytes(), &corpus, retriever.as_bytes(), identity.as_bytes()]);
        let (row, bundle) = index_set(set, retriever, &passages, &key, with, reader, kept)?;
        Ok((row, bundle, key))
    };
    let bundles = study.retrievers.iter().map(bundle).collect::<Result<_, StudyError>>()?;
    Ok(OpenSet { name: set.name.clone(), questions, bundles })
}

fn index_set(
    set: &StudySet,
    retriever: &str,
    passages: &Passages,
    key: &str,
    with: &Indexing<'_>,
    reader: Option<&(Rc<dyn ChatModel>, Asking)>,
    kept: &mut Journal<IndexRow>,
) -> Result<(IndexRow, SetBundle), StudyError> {
    // Names of retrievers have characters that are unsuitable for folders.
    let name: String = retriever.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let folder =
        with.folder.join("indexes").join(&set.name).join(format!("{name}-{}", key.get(..12).unwrap_or(key)));
    let before = kept.get(key).filter(|_| folder.join(MANIFEST).exists()).cloned();
    let replies = folder.with_extension("replies");
    let in_parts = replies.exists();
    let cache = match (reader, &before) {
        // Without it an interrupted build would pay for its replies again.
        (Some(_), None) => Cache::open(&replies).ok(),
        _ => None,
    };
    let model = reader.filter(|_| before.is_none()).map(|(chat, asking)| {
        let chat: Box<dyn ChatModel> = Box::new(Rc::clone(chat));
        IndexModel::new(chat, asking.clone(), cache, None, with.progress)
    });
    let embedded = |n: usize| with.progress.at(n as u64);
    let build = SetBuild {
        needs: Needs::of(&[retriever])?,
        knowledge: None,
        model: &CachedEmbedder::new(with.embedder, None),
        table: None,
        side: QuerySide::Model,
        added: None,
        layers: &with.embedder.layers(QueryLayers::default()),
        questions: &[],
        reader: model.as_ref(),
        progress: &embedded,
    };
    if before.is_none() {
        with.progress
            .stage(&format!("the index of {retriever} over {}", set.name), Some(passages.all.len() as u64));
    }
    let made = make_set(passages, &build, Some(&folder))?;
    let opening = open_set(made, passages, &build);
    let bundle = asker::run_requests(async { Ok(opening.await) })??;
    if let Some(row) = before {
        return Ok((row, bundle));
    }
    let manifest = bundle.engine.corpus().bundle().manifest();
    let size = |name: &str| manifest.section(name).map_or(0, |s| s.bytes + s.page_bytes);
    let spent: Vec<Tokens> = bundle.spent.map(|all| all.of(retriever)).unwrap_or_default();
    let row = IndexRow {
        set: set.name.clone(),
        retriever: retriever.to_owned(),
        passages: passages.all.len(),
        corpus_tokens: passages.all.iter().map(|p| with.embedder.count(&p.text) as u64).sum(),
        seconds: bundle.build_seconds.iter().map(|(stage, s)| ((*stage).to_owned(), *s)).collect(),
        in_parts,
        bytes: sections_of(retriever).iter().map(|s| size(s)).sum(),
        prompt_tokens: spent.iter().map(|t| t.prompt).sum(),
        completion_tokens: spent.iter().map(|t| t.completion).sum(),
        estimated: spent.iter().any(|t| t.estimated > 0),
    };
    kept.put(key, row.clone())?;
    Ok((row, bundle))
}
