//! Retrievers: question to ranked evidence. One file a retriever, one trait.

mod auto;
mod autokg;
mod corpus;
mod dense;
#[cfg(feature = "full")]
mod fact_filter;
mod fusion;
#[cfg(feature = "full")]
mod graph_retriever;
#[cfg(feature = "full")]
mod graphrag;
#[cfg(feature = "full")]
mod hippo;
#[cfg(feature = "full")]
mod hippo_graph;
mod hit;
mod hybrid;
#[cfg(feature = "full")]
mod hypergraph;
mod lexical;
#[cfg(feature = "full")]
mod linear;
mod names;
#[cfg(feature = "full")]
mod prepared;
mod present;
#[cfg(feature = "full")]
mod raptor;
mod scan;
mod subgraph;

pub use auto::Auto;
pub use autokg::AutoKg;
pub use corpus::Corpus;
pub use dense::Dense;
pub use fusion::{FEEDBACK_WEIGHT, FUSION_WEIGHT, feedback_vector};
#[cfg(feature = "full")]
pub use graphrag::{CommunityReport, GraphRag, community_reports};
#[cfg(feature = "full")]
pub use hippo::{FactSource, Hippo, Weighting};
pub use hit::{Hit, KeywordHit, KeywordKind, Reached, SearchResult, Span, Stage};
pub use hybrid::Hybrid;
#[cfg(feature = "full")]
pub use hypergraph::HyperGraph;
pub use lexical::Lexical;
#[cfg(feature = "full")]
pub use linear::Linear;
#[cfg(feature = "full")]
pub use names::Names;
pub use names::{NameIndex, title_terms};
pub use present::{highlights, present};
#[cfg(feature = "full")]
pub use raptor::Raptor;
pub use subgraph::{Edge, EdgeKind, Node, NodeKind, Subgraph, subgraph};

use crate::bundle::BundleError;
use crate::compact::Map;
use crate::embed::QuestionEncoder;
use crate::lexical::LexicalQuery;
#[cfg(feature = "full")]
use crate::llm::ChatModel;
use futures::future::LocalBoxFuture;
use std::rc::Rc;

/// A question, ready for retrieval.
#[derive(Clone, Default)]
pub struct Query {
    /// The question as asked.
    pub text: String,
    /// As much of it as is read.
    pub read: String,
    /// Its terms.
    pub lexical: LexicalQuery,
    /// Its unit vector, where a model has embedded it.
    pub vector: Option<Vec<f32>>,
    /// What the token table makes of it, where that is loaded and no model has embedded it. Good for sketches only.
    pub by_table: Option<Vec<f32>>,
    /// What embeds further texts, where the model is loaded.
    pub encoder: Option<Rc<QuestionEncoder>>,
    /// The language model that may be asked while ranking, where the caller brings one: `hippo` has it choose among facts.
    #[cfg(feature = "full")]
    pub model: Option<Rc<dyn ChatModel>>,
}

impl Query {
    /// A question of which only the words of `read` (all of it, or its beginning) are known; `typing` when the last may be unfinished.
    pub fn of_words(question: &str, read: &str, typing: bool) -> Query {
        let lexical = LexicalQuery::new(read, typing);
        Query { text: question.to_owned(), read: read.to_owned(), lexical, ..Query::default() }
    }
}

/// A chunk as a retriever ranks it.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedChunk {
    /// The chunk.
    pub chunk: u32,
    /// The retriever's score; larger is better.
    pub score: f32,
    /// BM25, where seen.
    pub lexical: Option<f32>,
    /// Cosine, where seen.
    pub dense: Option<f32>,
    /// Every way it was reached.
    pub reached: Vec<Reached>,
}

/// What a retriever found.
#[derive(Debug, Clone)]
pub struct Ranked {
    /// Which query side spoke.
    pub stage: Stage,
    /// The chunks, best first.
    pub chunks: Vec<RankedChunk>,
    /// Keywords near the question, and those adjacent to them.
    pub keywords: Vec<KeywordHit>,
    /// In how many chunks each term of the question stands, where the lexical side looked.
    pub document_frequency: Map<String, u32>,
    /// What could not be loaded.
    pub missing: Vec<String>,
}

impl Ranked {
    /// Chunks that were asked for by number, in the given order.
    pub fn listed(chunks: &[u32]) -> Self {
        let ranked = |&chunk: &u32| RankedChunk { chunk, score: 0.0, lexical: None, dense: None, reached: Vec::new() };
        Ranked {
            stage: Stage::Lexical,
            chunks: chunks.iter().map(ranked).collect(),
            keywords: Vec::new(),
            document_frequency: Map::new(),
            missing: Vec::new(),
        }
    }
}

/// A retriever: question to ranked evidence.
pub trait Retriever {
    /// Its name in options and results.
    fn name(&self) -> &'static str;

    /// Whether it looks at the question's vector. Where it does not, none need be made, which would cost more than the search.
    fn uses_vector(&self) -> bool {
        true
    }

    /// The best chunks for `query`: at most `k` of them, or as many as the retriever's own parameters say where `k` is `None`.
    fn retrieve<'a>(&'a self, corpus: &'a Corpus, query: &'a Query, k: Option<usize>) -> LocalBoxFuture<'a, Result<Ranked, BundleError>>;
}

/// How many hits there are when nobody says.
pub const DEFAULT_K: usize = 10;

/// The retriever named `name` with its default parameters. Some take others after a colon: `autokg:15/5/3/3/2/u`, `linear:TIERS/SENTENCES/RATIO/THRESHOLD`,
/// `hippo:canonical`, `hippo:triples`, `hippo:sentences`, `hypergraph:degree`, `graphrag:global`, `raptor:traversal`.
pub fn by_name(name: &str) -> Option<Box<dyn Retriever>> {
    match name {
        "auto" => Some(Box::new(Auto)),
        "lexical" => Some(Box::new(Lexical)),
        "dense" => Some(Box::new(Dense)),
        "autokg" => Some(Box::new(AutoKg::default())),
        "hybrid" => Some(Box::new(Hybrid)),
        #[cfg(feature = "full")]
        _ => with_parameters(name),
        #[cfg(not(feature = "full"))]
        _ => None,
    }
}

/// The retrievers that read what a build prepares on demand (`--retrievers`), and those whose parameters follow their name.
#[cfg(feature = "full")]
fn with_parameters(name: &str) -> Option<Box<dyn Retriever>> {
    let (name, how) = name.split_once(':').map_or((name, None), |(name, how)| (name, Some(how)));
    match (name, how) {
        ("autokg", Some(how)) => Some(Box::new(AutoKg::of(how)?)),
        ("linear", None) => Some(Box::new(Linear::default())),
        ("linear", Some(how)) => Some(Box::new(Linear::of(how)?)),
        ("hippo", None) => Some(Box::new(Hippo::default())),
        ("hippo", Some(how)) => Some(Box::new(Hippo::of(how)?)),
        ("graphrag", None) => Some(Box::new(GraphRag::default())),
        ("graphrag", Some("global")) => Some(Box::new(GraphRag { global: true, ..GraphRag::default() })),
        ("raptor", None) => Some(Box::new(Raptor::default())),
        ("raptor", Some("traversal")) => Some(Box::new(Raptor { traversal: true, ..Raptor::default() })),
        ("hypergraph", None) => Some(Box::new(HyperGraph::default())),
        ("hypergraph", Some("degree")) => Some(Box::new(HyperGraph { by_degree: true, ..HyperGraph::default() })),
        _ => None,
    }
}

/// The names that [`by_name`] knows.
#[cfg(not(feature = "full"))]
pub const NAMES: &[&str] = &["auto", "hybrid", "lexical", "dense", "autokg"];
/// The names that [`by_name`] knows.
#[cfg(feature = "full")]
pub const NAMES: &[&str] = &["auto", "hybrid", "lexical", "dense", "autokg", "linear", "hippo", "hypergraph", "graphrag", "raptor"];
