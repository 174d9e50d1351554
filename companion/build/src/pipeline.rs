//! From documents to a bundle: read, split, embed, draw the keyword graph, write.

use crate::assemble::{Contents, InstallError, QueryModel, RUNTIME, Staging, WriteError, assemble, write_listing, write_written};
use crate::merge::{self, MergeError, Merged};
use crate::prepare::{self, Beside, Needs, Prepared, prepare_with};
use pocketgraph::answer::guessed_layout;
use pocketgraph::bundle::{Chunk, Document, EmbedderInfo, Layout, Manifest};
use pocketgraph::embed::MiniLm;
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph_cache::Cache;
use pocketgraph_cluster::cells;
use pocketgraph_ingest::chunk::split_laid_out;
use pocketgraph_ingest::namesakes::titles_with_places;
use pocketgraph_ingest::rank::{self, RankRule};
use pocketgraph_ingest::{self as ingest, IngestError, IngestOptions, Skipped};
use pocketgraph_keywords::autokg::{self, AutoKgOptions, AutoKgReport, ChunkView, Stage};
use pocketgraph_keywords::extract::LlmUsage;
use pocketgraph_keywords::llm_keywords::{LlmKeywords, keyword_graph};
use pocketgraph_knowledge::kg;
use pocketgraph_knowledge::kg::{
    DocumentTriples, Gathering, ImportError, ImportOptions, ImportReport, KgFiles, ReadTriplesError, all_heads, read_triples, shown_chunks,
};
use pocketgraph_knowledge::names;
use pocketgraph_knowledge::relations::{self, Related};
use pocketgraph_knowledge::summaries::Writer;
use pocketgraph_languages::{self as languages, Readings};
use pocketgraph_llm_client::asker::{AskError, BuildModel};
use pocketgraph_models::e5;
use pocketgraph_models::embed_bulk::{NativeEmbedder, QueryLayers};
use pocketgraph_models::embeddings::{CachedEmbedder, EmbeddingCounts};
use pocketgraph_models::models::Embedder;
use pocketgraph_models::planner_model::{self, PlannerSource};
use pocketgraph_native::progress::Progress;
use pocketgraph_publish::pages;
use pocketgraph_publish::site_files::SiteFilesError;
use rayon::prelude::*;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Up to this many chunks the vectors are one cell.
const ONE_CELL_AT_MOST: usize = 512;
/// Up to this many a reader scans them all, and cells are there to be files of some 100 kB; above, there are about as many as the square root of the number.
const ALL_SCANNED_AT_MOST: usize = 4096;
/// Chunks of a cell where all are scanned.
const CHUNKS_PER_CELL: usize = 256;

/// Into how many cells the vectors of so many chunks are cut.
fn cell_count(chunks: usize) -> usize {
    if chunks <= ONE_CELL_AT_MOST {
        1
    } else if chunks <= ALL_SCANNED_AT_MOST {
        chunks.div_ceil(CHUNKS_PER_CELL)
    } else {
        (chunks as f64).sqrt().round() as usize
    }
}

/// Where chunks come from.
#[derive(Debug, Clone)]
pub enum Input {
    /// Documents, to be read, split and embedded.
    Documents(PathBuf),
    /// Chunks and vectors that were made elsewhere.
    Outside {
        /// JSON Lines of `{id?, title?, url?, text}`, or Parquet with these columns and perhaps one of vectors, also a folder of such files.
        chunks: PathBuf,
        /// A matrix with one row a chunk: `.npy` or `.safetensors`. `None` where the chunks bring their vectors, or none were made.
        vectors: Option<PathBuf>,
        /// The name of the model that made the vectors; questions must be embedded by the same. Chunks without vectors are embedded by the built-in
        /// model, and then this is `None` or its name.
        embedder: Option<String>,
    },
    /// Bundles of one embedder, to be merged.
    Bundles(Vec<PathBuf>),
}

impl Input {
    /// The folders or files that are read.
    fn paths(&self) -> Vec<&Path> {
        match self {
            Input::Documents(path) | Input::Outside { chunks: path, .. } => vec![path],
            Input::Bundles(paths) => paths.iter().map(PathBuf::as_path).collect(),
        }
    }
}

/// What to build and how.
#[derive(Debug)]
pub struct BuildOptions {
    /// Where chunks come from.
    pub input: Input,
    /// The bundle's folder.
    pub out: PathBuf,
    /// How documents are read.
    pub ingest: IngestOptions,
    /// Which documents start higher or lower in a ranking; the last rule that names one decides.
    pub rank: Vec<RankRule>,
    /// Tokens a chunk at most, without its title and headings.
    pub max_tokens: usize,
    /// The keyword graph's parameters; `None` builds none.
    pub autokg: Option<AutoKgOptions>,
    /// The language model that names the keywords; `None` for the local extractor.
    pub keywords_llm: Option<LlmKeywords>,
    /// Where computed and paid work is kept; `None` keeps none. It changes no byte of the bundle.
    pub cache: Option<Arc<Cache>>,
    /// The files of a typed knowledge graph, and how they are read; `None` for a bundle without one.
    pub knowledge: Option<(KgFiles, ImportOptions)>,
    /// Whether triples are taken from the structure of documents.
    pub kg_from_documents: bool,
    /// A language model that reads the chunks for triples; `None` asks none.
    pub kg_model: Option<BuildModel>,
    /// A language model that reads the chunks for entities and relations, where `needs` has a use for them; `None` leaves these to names and sentences.
    pub relations_model: Option<BuildModel>,
    /// A language model that writes the summaries and reports that `needs` asks for; `None` for extracted ones.
    pub summaries_model: Option<BuildModel>,
    /// What other retrievers than the default need of the bundle.
    pub needs: Needs,
    /// Whether the bundle is to be searched by words alone: nothing is embedded, and there are no vectors, no model and no keyword graph in it.
    pub words_only: bool,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the browser runtime is written beside the bundle.
    pub runtime: bool,
    /// Where to write the Markdown documents as plain pages, at their URLs; `None` writes none.
    pub pages: Option<PathBuf>,
    /// Where to write `llms.txt` and `llms-full.txt`; `None` writes none.
    pub llms: Option<PathBuf>,
    /// The token table to carry, as `pocketgraph train query-table` wrote it; `None` carries the program's own, if it has one.
    pub query_table: Option<PathBuf>,
    /// The trained planner to carry.
    pub planner: PlannerSource,
    /// Which model embeds the texts.
    pub embedder: Embedder,
    /// Which layers of the model to carry for questions.
    pub query_layers: QueryLayers,
    /// Layers to carry for questions in their place, as `pocketgraph train encoder` wrote them.
    pub query_encoder: Option<PathBuf>,
}

impl BuildOptions {
    /// A bundle of text, vectors, words and names alone: no keyword graph, no knowledge graph, no runtime, and nothing kept for the next build.
    pub fn bare(input: Input, out: PathBuf) -> BuildOptions {
        BuildOptions {
            input,
            out,
            ingest: IngestOptions::default(),
            rank: Vec::new(),
            max_tokens: 200,
            autokg: None,
            keywords_llm: None,
            cache: None,
            knowledge: None,
            kg_from_documents: false,
            kg_model: None,
            relations_model: None,
            summaries_model: None,
            needs: Needs::default(),
            words_only: false,
            seed: 0,
            runtime: false,
            pages: None,
            llms: None,
            query_table: None,
            planner: PlannerSource::Own,
            embedder: Embedder::default(),
            query_layers: QueryLayers::default(),
            query_encoder: None,
        }
    }
}

/// What a build did.
#[derive(Debug)]
pub struct Summary {
    /// The bundle's manifest.
    pub manifest: Manifest,
    /// How many documents there are of each language, the commonest first; `""` for those of none.
    pub languages: Vec<(String, usize)>,
    /// What was not read.
    pub skipped: Vec<Skipped>,
    /// Files found, read or not.
    pub files: usize,
    /// The keyword graph's figures.
    pub autokg: Option<AutoKgReport>,
    /// The knowledge graph's size, and what was wrong with its files.
    pub knowledge: Option<ImportReport>,
    /// What the language model was asked for keywords, if it was.
    pub keywords_llm: Option<LlmUsage>,
    /// Vectors of chunks: asked for and re-used.
    pub chunk_embeddings: EmbeddingCounts,
    /// Vectors of keyword candidates and of sentences: asked for and re-used.
    pub other_embeddings: EmbeddingCounts,
    /// Triples from the structure of documents.
    pub from_documents: DocumentTriples,
    /// How long each stage took, in order.
    pub timings: Vec<(&'static str, Duration)>,
    /// Whether a browser runtime was written.
    pub runtime: bool,
}

/// Why a build failed.
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
        /// Of these not read.
        skipped: usize,
        /// The first that was skipped, with the reason.
        first: String,
    },
    /// Documents were asked for where others were named.
    #[error("there are no documents to read: chunks or bundles were named")]
    NoDocuments,
    /// The bundles cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Chunks were brought without vectors, but another model than the built-in one was named.
    #[error(
        "the chunks have no vectors, and this program cannot make those of the embedder \"{0}\": bring them with --vectors FILE or in a column \
         \"vector\" of a Parquet file, or leave --embedder out to embed the chunks with the built-in model"
    )]
    NoVectors(String),
    /// Vectors were brought, but not the name of the model that made them.
    #[error(
        "the chunks bring vectors: say which model made them with --embedder ID (\"minilm\" when it is all-MiniLM-L6-v2), because questions \
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

/// Chunks with their vectors, however they came.
struct Read {
    documents: Vec<Document>,
    chunks: Vec<Chunk>,
    /// How the chunks are laid out, one a chunk; empty where it is not known.
    layouts: Vec<Layout>,
    vectors: Vec<Vec<f32>>,
    skipped: Vec<Skipped>,
    files: usize,
    embedder: EmbedderInfo,
    embeddings: EmbeddingCounts,
}

/// The embedder of a bundle without vectors.
const NO_EMBEDDER: &str = "none";

/// Times stages.
struct Clock {
    since: Instant,
    timings: Vec<(&'static str, Duration)>,
}

impl Clock {
    fn lap(&mut self, name: &'static str) {
        self.timings.push((name, self.since.elapsed()));
        self.since = Instant::now();
    }
}

/// An error with all that led to it.
fn whole(error: &miette::Report) -> String {
    error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Builds a bundle and puts it in its place. The old bundle stays until the new one is whole.
///
/// # Errors
/// [`BuildError`]; the old bundle is then as it was.
pub fn build(options: &BuildOptions, progress: &dyn Progress) -> Result<Summary, BuildError> {
    let mut clock = Clock { since: Instant::now(), timings: Vec::new() };
    // Before any work: a target that cannot be written to should not cost an hour of embedding.
    let staging = Staging::beside(&options.out, &options.input.paths())?;
    let mut gathering = Gathering::default();
    if let Some((files, how)) = &options.knowledge {
        progress.stage("reading the knowledge graph", None);
        gathering.files(files, how)?;
        clock.lap("knowledge graph");
    }
    let source = source(options, progress)?;
    clock.lap("read");
    let built_with = source.options();
    let (own, rules) = match &source {
        Source::Bundles(merged) => (merged.query_layers(), merged.rules()),
        _ => (options.query_layers, options.rank.clone()),
    };
    let model = source.embedder(options, progress).load().map_err(|e| BuildError::Model(whole(&e)))?;
    let table = model.query_table(options.query_table.as_deref()).map_err(|e| BuildError::Model(e.to_string()))?;
    let layers = model.question_layers(options.query_encoder.as_deref(), own).map_err(|e| BuildError::Model(whole(&e)))?;
    let planner = planner_model::bytes(&options.planner).map_err(|e| BuildError::Planner(whole(&e)))?;
    let mut from_documents = DocumentTriples::default();
    let mut read = match source {
        Source::Documents(corpus) => {
            let taken = options.kg_from_documents.then_some((&mut gathering, &mut from_documents));
            documents(options, corpus, &model, taken, progress, &mut clock)?
        }
        Source::Outside(chunks, embedder) => brought(options, chunks, embedder, &model, progress, &mut clock)?,
        Source::Bundles(merged) => {
            for (graph, numbers) in &merged.graphs {
                gathering.graph(graph, numbers).map_err(ImportError::from)?;
            }
            of_bundles(*merged)
        }
    };
    let ours = read.embedder.id == model.id();
    if ours && read.embedder.weight.is_none() {
        let readings = Readings::of(&read.documents, &read.chunks, &|text| model.tokenizer().count(text));
        read.embedder.weight = readings.weight();
        readings.note().iter().for_each(|note| progress.note(note));
    }
    // A model that knows hardly any of the documents is not worth a reader's time.
    let carried = ours && read.embedder.weight != Some(0);
    if let Some(reader) = &options.kg_model {
        let count = |text: &str| model.count(text);
        read_triples(reader, &read.documents, &read.chunks, &count, &mut gathering, progress)?;
        clock.lap("triples by the model");
    }
    let knowledge = gathering.finish().map_err(ImportError::from)?;
    let related = match &options.relations_model {
        Some(reader) if ours && options.needs.relations() => {
            let found = related(reader, &read, &model, progress)?;
            clock.lap("relations by the model");
            found
        }
        Some(_) => {
            progress.warn(match ours {
                true => "--relations-llm has nothing to read for: name graphrag or hypergraph in --retrievers",
                false => {
                    "--relations-llm is left out: what the model reads can be embedded only where the built-in model embedded the chunks"
                }
            });
            None
        }
        None => None,
    };

    let others = CachedEmbedder::new(&model, options.cache.as_deref());
    let mut report = None;
    let mut graph = None;
    let mut asked = None;
    // Keywords are embedded beside the chunks: with vectors of another model there is nothing to embed them with.
    if let Some(autokg_options) = options.autokg.as_ref().filter(|_| ours) {
        let kept = autokg::told_apart(read.chunks.iter().map(|c| c.text.as_str()), autokg_options.neighbours);
        let vectors: Cow<'_, [Vec<f32>]> = match kept.len() == read.vectors.len() {
            true => Cow::Borrowed(&read.vectors),
            false => Cow::Owned(kept.iter().filter_map(|&c| read.vectors.get(c as usize).cloned()).collect()),
        };
        let views: Vec<ChunkView<'_>> = kept
            .iter()
            .filter_map(|&c| read.chunks.get(c as usize))
            .map(|c| ChunkView {
                text: &c.text,
                title: read.documents.get(c.document as usize).map_or("", |d| d.title.as_str()),
                headings: &c.heading_path,
            })
            .collect();
        let embed = |texts: &[String]| others.embed_all(texts, &|_| {});
        let hear = |stage: Stage, done: usize, total: usize| {
            if done == 0 {
                progress.stage(stage_name(stage), Some(total as u64));
            }
            progress.at(done as u64);
        };
        let (mut g, r) = match &options.keywords_llm {
            None => autokg::build(&views, &vectors, &embed, autokg_options, &hear)?,
            Some(llm) => {
                let count = |text: &str| model.count(text);
                let cache = options.cache.clone();
                let (built, usage) =
                    keyword_graph(llm, cache, &views, &vectors, &embed, autokg_options, options.max_tokens, &count, progress, &hear)?;
                asked = Some(usage);
                built
            }
        };
        autokg::numbered(&mut g, &kept);
        if let Some(warning) = &r.warning {
            progress.warn(&warning.to_string());
        }
        (graph, report) = (Some(g), Some(r));
        clock.lap("keyword graph");
    }

    progress.stage("finding names", None);
    let embed_sentences = |texts: &[String]| {
        progress.stage("embedding sentences", Some(texts.len() as u64));
        others.embed_all(texts, &|n| progress.at(n as u64))
    };
    let extra = knowledge.as_ref().map(|(graph, _)| kg::names_of(graph, &read.chunks)).unwrap_or_default();
    let embed = ours.then_some(&embed_sentences as &names::Embed<'_>);
    let found = names::find_with(&read.documents, &read.chunks, &extra, embed, options.needs.sentences());
    clock.lap("names");
    let embed_labels = |labels: &[String]| {
        progress.stage("embedding labels", Some(labels.len() as u64));
        others.embed_all(labels, &|n| progress.at(n as u64))
    };
    let graph_of = knowledge.as_ref().filter(|_| ours).map(|(graph, _)| graph);
    let labels = graph_of.map(|graph| kg::label_vectors(graph, model.dim(), &embed_labels)).unwrap_or_default();
    let embed_phrases = |texts: &[String]| {
        progress.stage("embedding phrases for relations", Some(texts.len() as u64));
        let asker = MiniLm::from_layers(&layers).map_err(|e| BuildError::Model(e.to_string()))?;
        Ok::<_, BuildError>(model.embed_by(&asker, texts))
    };
    let phrases = graph_of.map(|graph| kg::phrase_pages(graph, model.dim(), embed_phrases)).transpose()?.unwrap_or_default();
    if labels.relations.is_some() {
        clock.lap("labels");
    }
    let count = |text: &str| model.count(text);
    let (chunks, vectors) = (read.chunks.as_slice(), read.vectors.as_slice());
    let parts = prepare::Corpus { chunks, vectors, found: &found, embed: &embed_sentences, count: &count, seed: options.seed };
    let prepared = match ours {
        true => Some(prepared(options, &parts, knowledge.as_ref().map(|(graph, _)| graph), related.as_ref(), progress)?),
        false => None,
    };
    clock.lap("retrievers");

    progress.stage("writing the bundle", None);
    let cell_of = cells(&read.vectors, cell_count(read.chunks.len()), options.seed);
    clock.lap("cells");
    let runtime: &[(&str, &[u8])] = if options.runtime { &RUNTIME } else { &[] };
    if options.runtime && RUNTIME.is_empty() {
        progress.warn(
            "this program was built without the browser runtime; build it with ./build.sh companion to have it written beside the bundle",
        );
    }
    let contents = Contents {
        documents: &read.documents,
        chunks: &read.chunks,
        layouts: &read.layouts,
        vectors: &read.vectors,
        cells: &cell_of,
        weights: &rank::weights(&read.documents, &read.chunks, &rules),
        keywords: graph.as_ref(),
        names: Some(&found),
        prepared: prepared.as_ref(),
        knowledge: knowledge.as_ref().map(|(graph, _)| graph),
        planner: planner.as_deref(),
        labels: labels.entities.as_ref(),
        relation_labels: labels.relations.as_ref(),
        phrases: &phrases,
        model: carried.then(|| QueryModel {
            tokenizer: model.tokenizer(),
            unigram: model.vocabulary(),
            layers: &layers,
            words: model.words(),
            table: table.as_ref(),
        }),
        embedder: read.embedder,
        options: described(options, built_with),
        runtime,
    };
    let manifest = assemble(&contents, staging.path())?;
    write_listing(staging.path())?;
    write_written(staging.path())?;
    staging.install()?;
    clock.lap("write");
    if let Some(cache) = &options.cache {
        cache.flush();
        if let Some(trouble) = cache.trouble() {
            progress.warn(&format!("{trouble}; the bundle is complete, but the next build repeats work"));
        }
    }
    Ok(Summary {
        manifest,
        languages: languages::counted(&read.documents),
        skipped: read.skipped,
        files: read.files,
        autokg: report,
        knowledge: knowledge.map(|(_, report)| report),
        keywords_llm: asked,
        chunk_embeddings: read.embeddings,
        other_embeddings: others.counts(),
        from_documents,
        timings: clock.timings,
        runtime: !runtime.is_empty(),
    })
}

/// What other retrievers than the default read.
fn prepared(
    options: &BuildOptions,
    parts: &prepare::Corpus<'_>,
    knowledge: Option<&KnowledgeGraph>,
    related: Option<&Related>,
    progress: &dyn Progress,
) -> Result<Prepared, BuildError> {
    let writer = options.summaries_model.as_ref().map(|model| Writer::new(model, progress, parts.count));
    // Where a model was asked for triples, they are what facts are made of.
    let facts = options.needs.facts || (options.needs.triples() && options.kg_model.is_some());
    let needs = Needs { facts, ..options.needs };
    let prepared = prepare_with(needs, parts, &Beside { knowledge, writer: writer.as_ref(), related })?;
    if needs.facts && prepared.facts.is_none() {
        progress.warn("no passage states a triple, so that hippo:triples has nothing to read; have a model read for triples with --kg-llm");
    }
    if writer.is_some() && !needs.summaries() {
        progress.warn("--summaries-llm has nothing to write: name raptor or graphrag in --retrievers");
    }
    Ok(prepared)
}

/// Has a language model read the chunks for entities and relations.
fn related(reader: &BuildModel, read: &Read, model: &NativeEmbedder, progress: &dyn Progress) -> Result<Option<Related>, BuildError> {
    let heads = all_heads(&read.documents, &read.chunks);
    let count = |text: &str| model.count(text);
    Ok(relations::read(&shown_chunks(&read.chunks, &heads), reader, &count, progress)?)
}

/// What is read before a model is loaded.
enum Source<'a> {
    Documents(ingest::Corpus),
    /// With the name of the model that made the vectors.
    Outside(ingest::OutsideChunks, Option<&'a str>),
    Bundles(Box<Merged>),
}

impl Source<'_> {
    /// The language of each document; `""` where it is not told.
    fn languages(&self) -> Vec<String> {
        let documents = match self {
            Source::Documents(corpus) => corpus.documents.par_iter().map(ingest::SourceDocument::document).collect(),
            Source::Outside(o, _) => {
                let mut documents = o.documents.clone();
                if !o.languages_told {
                    languages::tell(&mut documents, &o.chunks);
                }
                documents
            }
            Source::Bundles(merged) => merged.documents.clone(),
        };
        documents.into_iter().map(|d| d.language).collect()
    }

    /// The model that embeds.
    fn embedder(&self, options: &BuildOptions, progress: &dyn Progress) -> Embedder {
        match self {
            Source::Bundles(merged) if merged.embedder.id == e5::ID => match &options.embedder {
                Embedder::Multilingual(file) => Embedder::Multilingual(file.clone()),
                _ => Embedder::Multilingual(None),
            },
            Source::Bundles(_) => Embedder::Own,
            _ => options.embedder.for_documents(&|| self.languages(), progress),
        }
    }

    /// The options that bundles were built with, for the manifest of the one made of them.
    fn options(&self) -> Vec<(String, String)> {
        match self {
            Source::Bundles(merged) => merged.options.clone(),
            _ => Vec::new(),
        }
    }
}

fn source<'a>(options: &'a BuildOptions, progress: &dyn Progress) -> Result<Source<'a>, BuildError> {
    match &options.input {
        Input::Documents(folder) => {
            progress.stage("reading files", None);
            let mut ingest = options.ingest.clone();
            ingest.exclude.push(options.out.clone());
            let corpus = ingest::ingest(folder, &ingest, &|p| {
                if p.files_done == 1 {
                    progress.stage("reading files", Some(p.files_total as u64));
                }
                progress.at(p.files_done as u64);
            })?;
            corpus.notes.iter().for_each(|note| progress.note(note));
            corpus.warnings.iter().for_each(|warning| progress.warn(warning));
            Ok(Source::Documents(corpus))
        }
        Input::Outside { chunks, vectors, embedder } => {
            progress.stage("reading chunks and vectors", None);
            Ok(Source::Outside(ingest::outside(chunks, vectors.as_deref())?, embedder.as_deref()))
        }
        Input::Bundles(paths) => {
            progress.stage("reading bundles", None);
            let merged = merge::read(paths)?;
            for section in merged.prepared.iter().filter(|s| !options.needs.prepares(s)) {
                progress.warn(&format!(
                    "the section {section} is not in the merged bundle: name the retrievers that it is for with --retrievers"
                ));
            }
            Ok(Source::Bundles(Box::new(merged)))
        }
    }
}

fn documents(
    options: &BuildOptions,
    corpus: ingest::Corpus,
    model: &NativeEmbedder,
    taken: Option<(&mut Gathering, &mut DocumentTriples)>,
    progress: &dyn Progress,
    clock: &mut Clock,
) -> Result<Read, BuildError> {
    let Input::Documents(folder) = &options.input else { return Err(BuildError::NoDocuments) };
    progress.stage("splitting into chunks", None);
    let count = |text: &str| model.count(text);
    let most = options.max_tokens;
    let (chunks, layouts): (Vec<Chunk>, Vec<Layout>) =
        corpus.documents.par_iter().enumerate().flat_map_iter(|(i, doc)| split_laid_out(i as u32, doc, &count, most)).unzip();
    clock.lap("split");
    if chunks.is_empty() {
        let first =
            corpus.skipped.first().map(|s| format!(" ({}: {})", pocketgraph_native::terminal::line(&s.path), s.reason)).unwrap_or_default();
        return Err(BuildError::Nothing { folder: folder.to_owned(), files: corpus.files, skipped: corpus.skipped.len(), first });
    }
    if let Some(out) = &options.pages {
        pages::write(folder, &corpus.documents, out)?;
    }
    if let Some(out) = &options.llms {
        pocketgraph_publish::llms::write(&corpus.documents, out)?;
    }
    if let Some((gathering, report)) = taken {
        progress.stage("taking triples", None);
        *report = gathering.documents(&corpus.documents, &chunks).map_err(ImportError::from)?;
        clock.lap("triples");
    }
    let documents: Vec<Document> = corpus.documents.iter().map(ingest::SourceDocument::document).collect();
    let (vectors, embedder, embeddings) = embedded(options, &documents, &chunks, model, progress, clock);
    Ok(Read { documents, chunks, layouts, vectors, skipped: corpus.skipped, files: corpus.files, embedder, embeddings })
}

/// Chunks that were made elsewhere, with their vectors, or embedded here where they have none.
fn brought(
    options: &BuildOptions,
    o: ingest::OutsideChunks,
    embedder: Option<&str>,
    model: &NativeEmbedder,
    progress: &dyn Progress,
    clock: &mut Clock,
) -> Result<Read, BuildError> {
    let ingest::OutsideChunks { mut documents, languages_told, chunks, layouts, vectors, dimension, files } = o;
    if !languages_told {
        languages::tell(&mut documents, &chunks);
    }
    let (vectors, embedder, embeddings) = match (dimension, embedder) {
        (0, None) => embedded(options, &documents, &chunks, model, progress, clock),
        (0, Some(id)) if id == model.id() || id == "auto" => embedded(options, &documents, &chunks, model, progress, clock),
        (0, Some(other)) => return Err(BuildError::NoVectors(other.to_owned())),
        (_, None) => return Err(BuildError::NoEmbedder),
        (_, Some(id)) => {
            let vectors = vectors.chunks_exact(dimension).map(<[f32]>::to_vec).collect();
            let own = (id == model.id() && dimension == model.dim()).then(|| model.info());
            let embedder = own.unwrap_or_else(|| EmbedderInfo {
                id: id.to_owned(),
                dimension: dimension as u64,
                quantisation: "int8".into(),
                ..EmbedderInfo::default()
            });
            (vectors, embedder, EmbeddingCounts::default())
        }
    };
    let layouts = match layouts.is_empty() {
        true => chunks.iter().map(|c| guessed_layout(&c.text)).collect(),
        false => layouts,
    };
    Ok(Read { documents, chunks, layouts, vectors, skipped: Vec::new(), files, embedder, embeddings })
}

/// What bundles hold together.
fn of_bundles(merged: Merged) -> Read {
    let Merged { documents, chunks, layouts, vectors, embedder, .. } = merged;
    let files = documents.len();
    Read { documents, chunks, layouts, vectors, skipped: Vec::new(), files, embedder, embeddings: EmbeddingCounts::default() }
}

/// The vectors of the chunks by the built-in model.
fn embedded(
    options: &BuildOptions,
    documents: &[Document],
    chunks: &[Chunk],
    model: &NativeEmbedder,
    progress: &dyn Progress,
    clock: &mut Clock,
) -> (Vec<Vec<f32>>, EmbedderInfo, EmbeddingCounts) {
    if options.words_only {
        let embedder = EmbedderInfo { id: NO_EMBEDDER.to_owned(), weight: Some(0), ..EmbedderInfo::default() };
        return (Vec::new(), embedder, EmbeddingCounts::default());
    }
    progress.stage("embedding chunks", Some(chunks.len() as u64));
    let titles = titles_with_places(documents);
    let texts: Vec<String> = chunks.iter().map(|c| c.context(titles.get(c.document as usize).map_or("", String::as_str))).collect();
    let embedding = CachedEmbedder::new(model, options.cache.as_deref());
    let vectors = embedding.embed_all(&texts, &|done| progress.at(done as u64));
    clock.lap("embed");
    (vectors, model.info(), embedding.counts())
}

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Neighbours => "finding neighbours",
        Stage::Clusters => "clustering",
        Stage::Keywords => "choosing keywords",
        Stage::Laplace => "spreading labels",
    }
}

/// The options as the manifest tells them.
fn described(options: &BuildOptions, built_with: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut out = vec![("seed".to_owned(), options.seed.to_string())];
    if !built_with.is_empty() {
        out.extend(built_with);
        return out;
    }
    if let Input::Documents(_) = options.input {
        out.push(("max-tokens".to_owned(), options.max_tokens.to_string()));
        if !options.ingest.base_url.is_empty() {
            out.push(("base-url".to_owned(), options.ingest.base_url.clone()));
        }
    }
    for rule in &options.rank {
        out.push(("rank".to_owned(), rule.describe()));
    }
    if let (Input::Documents(_), false) = (&options.input, options.kg_from_documents) {
        out.push(("kg-from-documents".to_owned(), "off".to_owned()));
    }
    if options.words_only {
        out.push(("retrievers".to_owned(), "lexical".to_owned()));
    }
    if options.query_layers != QueryLayers::default() {
        out.push(("query-layers".to_owned(), options.query_layers.name().to_owned()));
    }
    if options.query_encoder.is_some() {
        out.push(("query-encoder".to_owned(), "given".to_owned()));
    }
    match &options.planner {
        PlannerSource::Own => {}
        PlannerSource::Nothing => out.push(("planner-model".to_owned(), "none".to_owned())),
        PlannerSource::File(_) => out.push(("planner-model".to_owned(), "given".to_owned())),
    }
    if let Some(reader) = &options.kg_model {
        out.push(("kg-llm".to_owned(), reader.asking.model.clone()));
    }
    if let Some(reader) = options.relations_model.as_ref().filter(|_| options.needs.relations()) {
        out.push(("relations-llm".to_owned(), reader.asking.model.clone()));
    }
    if let Some(writer) = options.summaries_model.as_ref().filter(|_| options.needs.summaries()) {
        out.push(("summaries-llm".to_owned(), writer.asking.model.clone()));
    }
    match &options.autokg {
        None => out.push(("keywords".to_owned(), "none".to_owned())),
        Some(autokg) => out.extend(autokg.unusual()),
    }
    if let Some(llm) = options.keywords_llm.as_ref().filter(|_| options.autokg.is_some()) {
        out.extend(llm.described());
    }
    out
}
