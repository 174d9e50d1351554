//! Retrievers: question to ranked evidence. One file a retriever, one trait.

mod arrange;
mod auto;
mod autokg;
mod corpus;
pub mod dense;
mod filter;
mod fusion;
mod hit;
mod hybrid;
mod lexical;
mod names;
mod present;
mod registry;
pub mod scan;
mod signs;
mod subgraph;
mod translated;

pub use arrange::arrange_chunks;
pub use auto::{Auto, candidates};
pub use autokg::AutoKg;
pub use corpus::{Corpus, Names};
pub use dense::Dense;
pub use filter::{Filter, path_of, version_of};
pub use fusion::{FEEDBACK_WEIGHT, FUSION_WEIGHT, feedback_vector};
pub use hit::{Elsewhere, Hit, KeywordHit, KeywordKind, Reached, SearchResult, Span, Stage, Translation};
pub use hybrid::Hybrid;
pub use lexical::Lexical;
pub use names::{NameIndex, load_names, title_terms};
pub use present::{highlights, leave_once, present_hits, put_titled_first};
pub use registry::{NAMES, by_name};
pub use signs::Signs;
pub use subgraph::{Edge, EdgeKind, Node, NodeKind, Subgraph, subgraph};

use crate::bundle::BundleError;
use crate::compact::Map;
use crate::embed::{QuestionEncoder, ReadText};
use crate::lexical::LexicalQuery;
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
    /// The model's output for [`Query::read`], if it has embedded that.
    pub states: Option<Rc<ReadText>>,
    /// Vector by the token table, if that is loaded and no model has embedded the question. Good for sketches
    /// only.
    pub by_table: Option<Vec<f32>>,
    /// Encoder for further texts, if the model is loaded.
    pub encoder: Option<Rc<QuestionEncoder>>,
    /// True for each chunk that may be found; without a list all may. See [`Filter::chunks`].
    pub kept: Option<Rc<Vec<bool>>>,
    /// Filter for facts, if the caller brings one: `hippo` uses it.
    pub fact_filter: Option<Rc<dyn FactFilter>>,
}

impl Query {
    /// Makes a question of which only the words of `read` are known; `typing` if the last word may be
    /// unfinished.
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

/// Result of a retriever.
#[derive(Debug, Clone, Default)]
pub struct Ranked {
    /// Form of the question that ranked.
    pub stage: Stage,
    /// The chunks, best first.
    pub chunks: Vec<RankedChunk>,
    /// Keywords near the question, and those adjacent to them.
    pub keywords: Vec<KeywordHit>,
    /// In how many chunks each term of the question stands, where the lexical side looked.
    pub document_frequency: Map<String, u32>,
    /// For pages in several languages, the chunks that represent others, with these.
    pub translations: Vec<(u32, Vec<Translation>)>,
    /// Parts that could not be loaded.
    pub missing: Vec<String>,
}

impl Ranked {
    /// Chunks that were asked for by number, in the given order.
    pub fn listed(chunks: &[u32]) -> Self {
        let ranked =
            |&chunk: &u32| RankedChunk { chunk, score: 0.0, lexical: None, dense: None, reached: Vec::new() };
        Ranked { chunks: chunks.iter().map(ranked).collect(), ..Ranked::default() }
    }
}

/// Chooser of the facts near a question that help to answer it; usually a language model.
pub trait FactFilter {
    /// Returns the places of the chosen `facts`, the best first.
    ///
    /// # Errors
    /// The reason why there is no choice, worded to continue a sentence.
    fn select<'a>(
        &'a self,
        question: &'a str,
        facts: &'a [String],
    ) -> LocalBoxFuture<'a, Result<Vec<usize>, String>>;
}

/// A ranking under way.
pub type Retrieval<'a> = LocalBoxFuture<'a, Result<Ranked, BundleError>>;

/// A retriever: question to ranked evidence.
pub trait Retriever {
    /// Its name in options and results.
    fn name(&self) -> &'static str;

    /// Returns true if it uses the question's vector. Otherwise none is made, which would cost more than the
    /// search.
    fn uses_vector(&self) -> bool {
        true
    }

    /// Returns the default number of chunks that it ranks; `None` if its own parameters decide.
    fn default_k(&self) -> Option<usize> {
        Some(DEFAULT_K)
    }

    /// Returns the best chunks for `query`: at most `k`, or as many as the retriever's parameters say if `k`
    /// is `None`.
    fn retrieve<'a>(&'a self, corpus: &'a Corpus, query: &'a Query, k: Option<usize>) -> Retrieval<'a>;
}

/// Default number of hits.
pub const DEFAULT_K: usize = 10;
