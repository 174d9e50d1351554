//! Builds the bundle of a set: its passages are the chunks, so that every retriever has the same ones.

use super::data::Passages;
use super::index_model::{IndexModel, IndexTokens};
use pocketgraph::bundle::{Chunk, Document, EmbedderInfo, MANIFEST};
use pocketgraph::embed::TableEncoder;
use pocketgraph::engine::{Engine, EngineError};
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph_build::assemble::{Contents, HeldFolder, QueryModel, WriteError, assemble_bundle};
use pocketgraph_build::folder::FolderSource;
use pocketgraph_build::prepare::{self, Needs, UnknownRetriever, prepare};
use pocketgraph_cluster::divide_cells;
use pocketgraph_keywords::autokg::{self, AutoKgError, AutoKgOptions};
use pocketgraph_keywords::extract::ChunkView;
use pocketgraph_knowledge::kg::{self, ReadTriplesError};
use pocketgraph_knowledge::names;
use pocketgraph_languages::{self as languages, QuestionLanguage, Readings};
use pocketgraph_models::embeddings::{CachedEmbedder, EmbeddingCounts};
use pocketgraph_models::token_table::TokenTable;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

/// Bytes of sections kept in memory, so that measurements do not wait for the disk.
const MEMORY: u64 = 4 << 30;

/// Reasons for which a measurement fails.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// The bundle could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The disk refused.
    #[error("cannot create a folder for the bundle: {0}")]
    Io(#[from] std::io::Error),
    /// The keyword graph could not be built.
    #[error(transparent)]
    Keywords(#[from] AutoKgError),
    /// The language model that reads and writes for the index.
    #[error(transparent)]
    Model(#[from] ReadTriplesError),
    /// No such retriever.
    #[error(transparent)]
    Retriever(#[from] UnknownRetriever),
    /// The token table is required, and the bundle has none.
    #[error("the bundle has no token table to measure: it was built without one, or of too few passages")]
    NoTable,
    /// The bundle to reuse is of another corpus.
    #[error(
        "the bundle has {found} chunks, the corpus {expected} passages: remove the folder to have it \
         built anew"
    )]
    OtherBundle {
        /// Number of chunks of the bundle.
        found: usize,
        /// Number of passages of the corpus.
        expected: usize,
    },
}

type Seconds = Vec<(&'static str, f64)>;

/// Encoder of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum QuerySide {
    /// The full model.
    #[default]
    Model,
    /// The token table.
    Table,
    /// BM25's best hits.
    Feedback,
}

/// Content of a set's bundle besides its passages.
#[derive(Clone, Copy)]
pub struct SetBuild<'a> {
    /// Needs of the retrievers.
    pub needs: Needs,
    /// A knowledge graph to plan over.
    pub knowledge: Option<&'a KnowledgeGraph>,
    /// The model that embeds, with a cache of vectors from earlier builds.
    pub model: &'a CachedEmbedder<'a>,
    /// The token table in the bundle.
    pub table: Option<&'a TokenTable>,
    /// Encoder of questions.
    pub side: QuerySide,
    /// Token table, outside the bundle, whose unit vector is added to that of layers trained with it.
    pub added: Option<&'a TokenTable>,
    /// The layers in the bundle.
    pub layers: &'a [u8],
    /// Languages of questions other than the passages', for the build.
    pub questions: &'a [QuestionLanguage],
    /// Language model for the retrievers whose originals have one; without it they work without.
    pub reader: Option<&'a IndexModel<'a>>,
    /// Gets the number of embedded passages.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// An open bundle of a set.
pub struct SetBundle {
    /// The engine on it, with its model loaded.
    pub engine: Engine,
    /// Seconds of each stage of the build; empty if a bundle was reused.
    pub build_seconds: Seconds,
    /// Number of vectors that the build needed, and of those from the cache.
    pub embedded: EmbeddingCounts,
    /// Tokens of the language model for the index; zero without one, `None` if a bundle was reused.
    pub spent: Option<IndexTokens>,
    _temporary: Option<tempfile::TempDir>,
}

/// The bundle of a set in its folder, not yet open.
pub struct MadeSet {
    folder: PathBuf,
    build_seconds: Seconds,
    spent: Option<IndexTokens>,
    temporary: Option<tempfile::TempDir>,
}

/// Builds the bundle of a set in the folder `keep` if there is none; without a folder it is temporary. A
/// language model runs on a runtime of its own, so not within another. Fails if it cannot be built.
pub fn make_set(
    passages: &Passages,
    build: &SetBuild<'_>,
    keep: Option<&Path>,
) -> Result<MadeSet, EvalError> {
    let temporary = if keep.is_none() { Some(tempfile::tempdir()?) } else { None };
    let folder =
        keep.or(temporary.as_ref().map(tempfile::TempDir::path)).unwrap_or(Path::new(".")).to_owned();
    if folder.join(MANIFEST).exists() {
        return Ok(MadeSet { folder, build_seconds: Vec::new(), spent: None, temporary });
    }
    std::fs::create_dir_all(&folder)?;
    let (build_seconds, spent) = write_bundle(passages, build, &folder)?;
    Ok(MadeSet { folder, build_seconds, spent: Some(spent), temporary })
}

/// Opens the bundle of a set, with the encoder of its questions.
///
/// # Errors
/// [`EvalError`] if it cannot be opened, has another number of passages, or lacks the encoder.
pub async fn open_set(
    made: MadeSet,
    passages: &Passages,
    build: &SetBuild<'_>,
) -> Result<SetBundle, EvalError> {
    let MadeSet { folder, build_seconds, spent, temporary } = made;
    let engine = Engine::open(Rc::new(FolderSource::new(&folder)), MEMORY).await?;
    if engine.corpus().len() != passages.all.len() {
        return Err(EvalError::OtherBundle { found: engine.corpus().len(), expected: passages.all.len() });
    }
    match build.side {
        QuerySide::Model => engine.prepare().await?,
        // Feedback would replace it, and its figures would pass as the table's.
        QuerySide::Table if !TableEncoder::is_in(engine.corpus().bundle()) => return Err(EvalError::NoTable),
        QuerySide::Table => engine.prepare_table().await?,
        QuerySide::Feedback => {}
    }
    Ok(SetBundle { engine, build_seconds, embedded: build.model.counts(), spent, _temporary: temporary })
}

/// Builds the bundle of a set. Returns the seconds of each stage, and a language model's tokens.
fn write_bundle(
    passages: &Passages,
    build: &SetBuild<'_>,
    folder: &Path,
) -> Result<(Seconds, IndexTokens), EvalError> {
    let SetBuild { needs, knowledge, model: embedder, table, reader, progress, .. } = *build;
    let model = embedder.model();
    let mut documents: Vec<Document> = passages
        .pages
        .iter()
        .map(|p| Document {
            title: p.title.clone(),
            url: p.id.clone(),
            path: p.id.clone(),
            language: String::new(),
        })
        .collect();
    let chunk = |p: &super::data::Passage| {
        let title = passages.pages.get(p.page as usize).map_or("", |page| page.title.as_str());
        Chunk {
            document: p.page,
            // A page's title is the heading of its first section again.
            heading_path: if p.heading.is_empty() || p.heading == title {
                Vec::new()
            } else {
                vec![p.heading.clone()]
            },
            fragment: String::new(),
            text: p.text.clone(),
            start: 0,
            end: p.text.chars().count() as u32,
        }
    };
    let chunks: Vec<Chunk> = passages.all.iter().map(chunk).collect();
    languages::detect_languages(&mut documents, &chunks);
    let weight = model
        .info()
        .weight
        .or_else(|| Readings::of(&documents, &chunks, &|text| model.tokenizer().count(text)).weight());
    let mut seconds = Vec::new();
    let mut since = Instant::now();
    let mut lap = |name: &'static str| {
        seconds.push((name, since.elapsed().as_secs_f64()));
        since = Instant::now();
    };
    let title_of = |c: &Chunk| documents.get(c.document as usize).map_or("", |d| d.title.as_str());
    let texts: Vec<String> = chunks.iter().map(|c| c.context(title_of(c))).collect();
    let vectors = embedder.embed_all(&texts, progress);
    lap("passages");
    let cell_of = divide_cells(&vectors, (chunks.len() as f64).sqrt().round().max(1.0) as usize, 0);
    let embed = |texts: &[String]| embedder.embed_all(texts, &|_| {});
    lap("cells");
    let extra = knowledge.map(|graph| kg::names_of(graph, &chunks)).unwrap_or_default();
    let found = names::find_with(&documents, &chunks, &extra, Some(&embed), needs.sentences());
    lap("names and sentences");
    let keywords = match needs.keywords {
        true => {
            let language_of =
                |c: &Chunk| documents.get(c.document as usize).map_or("", |d| d.language.as_str());
            let views = chunks
                .iter()
                .map(|c| ChunkView {
                    text: &c.text,
                    title: title_of(c),
                    headings: &c.heading_path,
                    language: language_of(c),
                })
                .collect::<Vec<_>>();
            Some(
                autokg::build_keyword_graph(
                    &views,
                    &vectors,
                    &embed,
                    &AutoKgOptions::default(),
                    &|_, _, _| {},
                )?
                .0,
            )
        }
        false => None,
    };
    if keywords.is_some() {
        lap("keyword graph");
    }
    let count = |text: &str| model.count(text);
    let parts = prepare::Corpus {
        chunks: &chunks,
        vectors: &vectors,
        found: &found,
        embed: &embed,
        count: &count,
        seed: 0,
    };
    let (prepared, spent) = match reader {
        Some(reader) => reader.prepare(needs, &parts, &documents)?,
        None => (prepare(needs, &parts), IndexTokens::default()),
    };
    lap("retrievers");
    let labels =
        knowledge.map(|graph| kg::label_vectors(graph, model.dim(), usize::MAX, &embed)).unwrap_or_default();
    if knowledge.is_some() {
        lap("labels");
    }
    let contents = Contents {
        documents: &documents,
        chunks: &chunks,
        vectors: &vectors,
        cells: &cell_of,
        keywords: keywords.as_ref(),
        names: Some(&found),
        prepared: Some(&prepared),
        knowledge,
        labels: labels.entities.as_ref(),
        relation_labels: labels.relations.as_ref(),
        model: Some(QueryModel {
            tokenizer: model.tokenizer(),
            unigram: model.vocabulary(),
            layers: build.layers,
            words: model.words(),
            table,
            questions: build.questions,
        }),
        options: reader.map(|r| r.described(needs)).unwrap_or_default(),
        ..Contents::bare(EmbedderInfo { weight, ..model.info() })
    };
    let folder =
        HeldFolder::open(folder).map_err(|reason| WriteError::Io { path: folder.to_owned(), reason })?;
    assemble_bundle(&contents, &folder)?;
    lap("writing");
    Ok((seconds, spent))
}
