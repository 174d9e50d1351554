//! Options of a build.

use crate::prepare::Needs;
use pocketgraph_cache::Cache;
use pocketgraph_ingest::IngestOptions;
use pocketgraph_ingest::rank::RankRule;
use pocketgraph_keywords::autokg::AutoKgOptions;
use pocketgraph_keywords::llm_keywords::LlmKeywords;
use pocketgraph_knowledge::kg::{ImportOptions, KgFiles};
use pocketgraph_languages::QuestionLanguage;
use pocketgraph_llm_client::asker::BuildModel;
use pocketgraph_models::embed_bulk::QueryLayers;
use pocketgraph_models::models::Embedder;
use pocketgraph_models::planner_model::PlannerSource;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Source of chunks.
#[derive(Debug, Clone, Default)]
pub enum Input {
    /// Documents, to be read, split and embedded.
    Documents(PathBuf),
    /// Chunks and vectors that were made elsewhere.
    Outside {
        /// JSON Lines of `{id?, title?, url?, text}`, or Parquet with these columns and perhaps one of
        /// vectors, also a folder of such files.
        chunks: PathBuf,
        /// A matrix with one row a chunk: `.safetensors`. `None` where the chunks bring their vectors, or
        /// none were made.
        vectors: Option<PathBuf>,
        /// The name of the model that made the vectors; questions must be embedded by the same. Chunks
        /// without vectors are embedded by the built-in model, and then this is `None` or its name.
        embedder: Option<String>,
    },
    /// Bundles of one embedder, to be merged.
    Bundles(Vec<PathBuf>),
    /// No documents: a knowledge graph alone.
    #[default]
    Graph,
}

impl Input {
    /// The folders or files that are read.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        match self {
            Input::Documents(path) | Input::Outside { chunks: path, .. } => vec![path],
            Input::Bundles(paths) => paths.iter().map(PathBuf::as_path).collect(),
            Input::Graph => Vec::new(),
        }
    }
}

/// Options of a build.
#[derive(Debug, Default)]
pub struct BuildOptions {
    /// Source of chunks.
    pub input: Input,
    /// The bundle's folder.
    pub out: PathBuf,
    /// Options for reading documents.
    pub ingest: IngestOptions,
    /// Weights of documents in a ranking; the last rule that names one decides.
    pub rank: Vec<RankRule>,
    /// Tokens a chunk at most, without its title and headings.
    pub max_tokens: usize,
    /// The keyword graph's parameters; `None` builds none.
    pub autokg: Option<AutoKgOptions>,
    /// The language model that names the keywords; `None` for the local extractor.
    pub keywords_llm: Option<LlmKeywords>,
    /// Cache of computed and paid work; `None` keeps none. It changes no byte of the bundle.
    pub cache: Option<Arc<Cache>>,
    /// The files of a typed knowledge graph, and how they are read; `None` for a bundle without one.
    pub knowledge: Option<(KgFiles, ImportOptions)>,
    /// True if triples are taken from the structure of documents.
    pub kg_from_documents: bool,
    /// A language model that reads the chunks for triples; `None` asks none.
    pub kg_model: Option<BuildModel>,
    /// A language model that reads the chunks for entities and relations, where `needs` has a use for them;
    /// `None` leaves these to names and sentences.
    pub relations_model: Option<BuildModel>,
    /// A language model that writes the summaries and reports that `needs` asks for; `None` for extracted
    /// ones.
    pub summaries_model: Option<BuildModel>,
    /// Needs of other retrievers than the default.
    pub needs: Needs,
    /// True if the bundle is to be searched by words alone: nothing is embedded, and there are no vectors, no
    /// model and no keyword graph in it.
    pub words_only: bool,
    /// Seed of everything random.
    pub seed: u64,
    /// True if the browser runtime is written beside the bundle.
    pub runtime: bool,
    /// Folder for the Markdown documents as plain pages, at their URLs; `None` writes none.
    pub pages: Option<PathBuf>,
    /// Folder for `llms.txt` and `llms-full.txt`; `None` writes none.
    pub llms: Option<PathBuf>,
    /// The token table to carry, as `pocketgraph train query-table` wrote it; `None` carries the program's
    /// own, if it has one.
    pub query_table: Option<PathBuf>,
    /// The trained planner to carry.
    pub planner: PlannerSource,
    /// Model that embeds the texts.
    pub embedder: Embedder,
    /// Layers of the model to carry for questions.
    pub query_layers: QueryLayers,
    /// Layers to carry for questions in their place, as `pocketgraph train encoder` wrote them.
    pub query_encoder: Option<PathBuf>,
    /// Languages that questions will be in besides the documents', for a model that cuts words of every
    /// language: the bundle carries their words too.
    pub question_languages: Vec<QuestionLanguage>,
}

impl BuildOptions {
    /// A bundle of text, vectors, words and names alone: no keyword graph, no knowledge graph, no runtime,
    /// and nothing kept for the next build.
    pub fn bare(input: Input, out: PathBuf) -> BuildOptions {
        BuildOptions { input, out, max_tokens: 200, ..BuildOptions::default() }
    }
}

/// The options as the manifest tells them.
pub(crate) fn describe_options(
    options: &BuildOptions,
    built_with: Vec<(String, String)>,
) -> Vec<(String, String)> {
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
    if !options.question_languages.is_empty() {
        let tags: Vec<&str> = options.question_languages.iter().map(|l| l.tag.as_str()).collect();
        out.push(("question-languages".to_owned(), tags.join(",")));
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
