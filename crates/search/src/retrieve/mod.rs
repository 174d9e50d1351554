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

pub use arrange::arranged;
pub use auto::{Auto, candidates};
pub use autokg::AutoKg;
pub use corpus::{Corpus, Names};
pub use dense::Dense;
pub use filter::{Facet, FacetOf, Filter, facets, path_of, version_of};
pub use fusion::{FEEDBACK_WEIGHT, FUSION_WEIGHT, feedback_vector};
pub use hit::{Elsewhere, Hit, KeywordHit, KeywordKind, Reached, SearchResult, Span, Stage, Translation};
pub use hybrid::Hybrid;
pub use lexical::Lexical;
pub use names::{NameIndex, load_names, title_terms};
pub use present::{highlights, leave_once, present, put_titled_first};
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
    /// What the model made of [`Query::read`], where it has embedded that.
    pub states: Option<Rc<ReadText>>,
    /// What the token table makes of it, where that is loaded and no model has embedded it. Good for sketches only.
    pub by_table: Option<Vec<f32>>,
    /// What embeds further texts, where the model is loaded.
    pub encoder: Option<Rc<QuestionEncoder>>,
    /// For each chunk whether it may be found; all may where there is no list. See [`Filter::chunks`].
    pub kept: Option<Rc<Vec<bool>>>,
    /// What may choose among facts while ranking, where the caller brings it: `hippo` asks it.
    pub fact_filter: Option<Rc<dyn FactFilter>>,
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
#[derive(Debug, Clone, Default)]
pub struct Ranked {
    /// Which query side spoke.
    pub stage: Stage,
    /// The chunks, best first.
    pub chunks: Vec<RankedChunk>,
    /// Keywords near the question, and those adjacent to them.
    pub keywords: Vec<KeywordHit>,
    /// In how many chunks each term of the question stands, where the lexical side looked.
    pub document_frequency: Map<String, u32>,
    /// Of pages that there are in several languages: the chunks that stand for others, and these.
    pub translations: Vec<(u32, Vec<Translation>)>,
    /// What could not be loaded.
    pub missing: Vec<String>,
}

impl Ranked {
    /// Chunks that were asked for by number, in the given order.
    pub fn listed(chunks: &[u32]) -> Self {
        let ranked = |&chunk: &u32| RankedChunk { chunk, score: 0.0, lexical: None, dense: None, reached: Vec::new() };
        Ranked { chunks: chunks.iter().map(ranked).collect(), ..Ranked::default() }
    }
}

/// What chooses, of facts near a question, those that help with it: a language model, as a rule.
pub trait FactFilter {
    /// Which of `facts` are kept, as places, the best first.
    ///
    /// # Errors
    /// Why there is no choice, to stand in a sentence.
    fn select<'a>(&'a self, question: &'a str, facts: &'a [String]) -> LocalBoxFuture<'a, Result<Vec<usize>, String>>;
}

/// A retriever: question to ranked evidence.
pub trait Retriever {
    /// Its name in options and results.
    fn name(&self) -> &'static str;

    /// Whether it looks at the question's vector. Where it does not, none need be made, which would cost more than the search.
    fn uses_vector(&self) -> bool {
        true
    }

    /// How many chunks it ranks where nobody says how many; `None` where its own parameters do.
    fn default_k(&self) -> Option<usize> {
        Some(DEFAULT_K)
    }

    /// The best chunks for `query`: at most `k` of them, or as many as the retriever's own parameters say where `k` is `None`.
    fn retrieve<'a>(&'a self, corpus: &'a Corpus, query: &'a Query, k: Option<usize>) -> LocalBoxFuture<'a, Result<Ranked, BundleError>>;
}

/// How many hits there are when nobody says.
pub const DEFAULT_K: usize = 10;
