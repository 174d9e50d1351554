//! Keyword extraction: the phrases that name what a cluster of chunks is about (Algorithm 1 of AutoKG).

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
pub use refine::normalised;

/// A chunk as keyword extraction sees it.
#[derive(Debug, Clone, Copy)]
pub struct ChunkView<'a> {
    /// The passage as plain text; code and tables may be among it.
    pub text: &'a str,
    /// Its document's title.
    pub title: &'a str,
    /// The headings above it, outermost first.
    pub headings: &'a [String],
}

/// Turns phrases into unit vectors, one each, in the space of the chunks' vectors.
pub type Embed<'a> = dyn Fn(&[String]) -> Vec<Vec<f32>> + Sync + 'a;

/// One cluster, put before an extractor.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The chunks shown: c nearest to the centre and c drawn from the rest.
    pub shown: &'a [u32],
    /// All chunks of the cluster, ascending.
    pub members: &'a [u32],
    /// The cluster's centre, a unit vector.
    pub centre: &'a [f32],
    /// Keywords found before, which are not wanted again: at most m of them.
    pub avoid: &'a [String],
    /// l1: how many keywords to return at most.
    pub keywords: usize,
    /// l2: how many words a keyword may have.
    pub words: usize,
}

/// Why an extractor gave up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// It broke off.
    #[error("keyword extraction failed: {0}")]
    Failed(String),
    /// It answered, and named no phrase that can be a keyword.
    #[error("the model named no usable keyword in {replies} replies")]
    NothingUsable {
        /// Number of its replies.
        replies: usize,
    },
}

/// Names the topics of clusters, by the local statistics of [`LocalExtractor`] or by a language model.
pub trait Extractor {
    /// At most `request.keywords` phrases of at most `request.words` words on the main topic of the cluster, best first, none of them to avoid.
    ///
    /// # Errors
    /// [`ExtractError`] when the extractor cannot answer (a remote model that stays silent); the local one always can.
    fn extract(&mut self, request: &Request<'_>) -> Result<Vec<String>, ExtractError>;

    /// Returns the number of clusters that it reads at once. Those that are read together do not know of each other's keywords.
    fn at_once(&self) -> usize {
        1
    }

    /// [`Extractor::extract`] for several clusters, in their order.
    ///
    /// # Errors
    /// As for [`Extractor::extract`], the first one.
    fn extract_all(&mut self, requests: &[Request<'_>]) -> Result<Vec<Vec<String>>, ExtractError> {
        requests.iter().map(|request| self.extract(request)).collect()
    }

    /// The second step of Algorithm 1, over all keywords found: near-synonyms concentrated, duplicates dropped, compounds that add nothing and the
    /// too vague deleted. Returns the list that stays, most important first.
    ///
    /// # Errors
    /// As for [`Extractor::extract`].
    fn refine(&mut self, keywords: Vec<String>) -> Result<Vec<String>, ExtractError>;
}
