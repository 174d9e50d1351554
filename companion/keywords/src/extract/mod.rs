//! Extracts keywords: the phrases that name the subject of a cluster of chunks (Algorithm 1 of AutoKG).

mod commonness;
mod corpus;
mod llm;
mod local;
mod phrases;
mod refine;
mod spelling;
mod word_use;
pub mod wordclass;

pub use llm::{LlmBound, LlmExtractor, LlmOptions, LlmUsage, LlmWork};
pub use local::LocalExtractor;
pub use refine::normalise_keyword;

/// A chunk, for keyword extraction.
#[derive(Debug, Clone, Copy)]
pub struct ChunkView<'a> {
    /// The passage as plain text, possibly with code and tables.
    pub text: &'a str,
    /// Its document's title.
    pub title: &'a str,
    /// Headings above it, outermost first.
    pub headings: &'a [String],
    /// Its document's language, as `de`; empty if nothing tells it.
    pub language: &'a str,
}

/// Turns phrases into unit vectors, one each, in the space of the chunks' vectors.
pub type Embed<'a> = dyn Fn(&[String]) -> Vec<Vec<f32>> + Sync + 'a;

/// One cluster, as an extractor gets it.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Chunks shown: c nearest to the centre and c random others.
    pub shown: &'a [u32],
    /// All chunks of the cluster, ascending.
    pub members: &'a [u32],
    /// The cluster's centre, a unit vector.
    pub centre: &'a [f32],
    /// Keywords found before, to be avoided: at most m.
    pub avoid: &'a [String],
    /// l1: maximum number of keywords to return.
    pub keywords: usize,
    /// l2: maximum number of words of a keyword.
    pub words: usize,
}

/// Reasons for which an extractor fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// It failed.
    #[error("keyword extraction failed: {0}")]
    Failed(String),
    /// Its replies had no phrase that can be a keyword.
    #[error("the model named no usable keyword in {replies} replies")]
    NothingUsable {
        /// Number of its replies.
        replies: usize,
    },
}

/// Names the topics of clusters, by the local statistics of [`LocalExtractor`] or by a language model.
pub trait Extractor {
    /// Returns at most `request.keywords` phrases of at most `request.words` words on the cluster's topic,
    /// best first. A remote model may fail to answer; the local extractor always can.
    fn extract(&mut self, request: &Request<'_>) -> Result<Vec<String>, ExtractError>;

    /// Returns the number of clusters that it reads at once. They do not share their keywords.
    fn at_once(&self) -> usize {
        1
    }

    /// Runs [`Extractor::extract`] for several clusters, in their order.
    ///
    /// # Errors
    /// As [`Extractor::extract`], the first one.
    fn extract_all(&mut self, requests: &[Request<'_>]) -> Result<Vec<Vec<String>>, ExtractError> {
        requests.iter().map(|request| self.extract(request)).collect()
    }

    /// Runs the second step of Algorithm 1 on all keywords: merges near-synonyms, drops duplicates, compounds
    /// that add nothing, and vague terms. Returns the rest, most important first.
    fn refine(&mut self, keywords: Vec<String>) -> Result<Vec<String>, ExtractError>;
}
