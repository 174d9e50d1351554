//! The sources that an agent searches. Any retriever can serve any protocol through these traits, and so can
//! fakes.

use crate::answer::{Citable, CitationTarget};
use crate::json::Value;
use crate::plan::Plan;
use crate::plan::execute::{Limits, Resources};
use crate::plan::trace::StepTrace;
use futures::future::{FutureExt, LocalBoxFuture, ready};

/// Source of a statement without provenance.
pub(super) const GRAPH: &str = "the knowledge graph";

/// A passage that answers to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Target of its citation.
    pub target: CitationTarget,
    /// The document's title.
    pub title: String,
    /// The passage.
    pub text: String,
    /// Address at which to read it; may be empty.
    pub url: String,
    /// Score under the retriever; larger is better.
    pub score: f32,
    /// True if only keywords lead to it: it comes on top of the passages that `k` counts.
    pub by_keyword: bool,
}

impl From<&Evidence> for Citable {
    fn from(evidence: &Evidence) -> Citable {
        let Evidence { target, title, text, url, .. } = evidence.clone();
        Citable::new(target, title, url, text)
    }
}

/// A statement of a knowledge graph, in words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fact {
    /// Head, as shown.
    pub head: String,
    /// Relation, as shown.
    pub relation: String,
    /// Tail, as shown.
    pub tail: String,
    /// Its number in the bundle's graph, where it is one of that.
    pub triple: Option<u32>,
    /// The chunk that says so, where the graph knows.
    pub chunk: Option<u32>,
    /// Source of its import, such as a file and its line; may be empty.
    pub from: String,
    /// Relevance to the query; larger is better.
    pub score: f32,
}

/// A report on a part of the collection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Its subject.
    pub title: String,
    /// The report.
    pub text: String,
    /// The chunks that it rests on, the most telling first.
    pub chunks: Vec<u32>,
}

/// A step of a plan that was carried out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlanStep {
    /// Its name in the plan.
    pub name: String,
    /// Description of the step.
    pub says: String,
    /// Its first results, best first.
    pub members: Vec<String>,
    /// Number of its members.
    pub size: usize,
    /// Statements of the graph that led to them.
    pub facts: Vec<Fact>,
    /// Passages that were read for them.
    pub passages: Vec<Evidence>,
    /// Remarks on what was cut off or is missing, each a sentence.
    pub notes: Vec<String>,
    /// Trace of its execution, if there is more to show.
    pub trace: Option<StepTrace>,
}

/// Error of an environment that did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    /// The caller aborted.
    #[error("aborted")]
    Aborted,
    /// Something could not be loaded or reached; the run goes on without it.
    #[error("{0}")]
    Failed(String),
}

/// Passages, facts or names, or why there are none.
pub type Looked<'a, T> = LocalBoxFuture<'a, Result<Vec<T>, EnvironmentError>>;

/// Sources that an agent can search: passages always, a knowledge graph and the web if there are any.
pub trait Environment {
    /// The best passages for a query, at most `k`, best first.
    fn search<'a>(&'a self, query: &'a str, k: usize) -> Looked<'a, Evidence>;

    /// A passage by its chunk, for statements of a graph that name where they stand; `None` when it cannot be
    /// had.
    fn passage<'a>(&'a self, chunk: u32) -> LocalBoxFuture<'a, Option<Evidence>> {
        let _ = chunk;
        ready(None).boxed_local()
    }

    /// Returns at most `k` reports on the parts of the collection, those nearest to the query first.
    fn reports<'a>(&'a self, query: &'a str, k: usize) -> Looked<'a, Report> {
        let _ = (query, k);
        ready(Ok(Vec::new())).boxed_local()
    }

    /// The knowledge graph, where there is one.
    fn graph(&self) -> Option<&dyn GraphTools> {
        None
    }

    /// The caller's own tools, where there are any.
    fn tools(&self) -> Option<&dyn CallerTools> {
        None
    }

    /// The web, where the page or the program supplied a way to search it.
    fn web(&self) -> Option<&dyn WebSearch> {
        None
    }
}

/// Access of a protocol to a knowledge graph.
pub trait GraphTools {
    /// The statements nearest to a query, at most `k`, best first.
    fn facts<'a>(&'a self, query: &'a str, k: usize) -> Looked<'a, Fact>;

    /// The names of an entity's relations in both directions, those most relevant to `relation` first, at
    /// most `k`. An entity that the graph does not know has none.
    fn relations<'a>(&'a self, entity: &'a str, relation: &'a str, k: usize) -> Looked<'a, String>;

    /// Returns at most `k` facts that relate an entity to others by a relation, in either direction.
    fn neighbors<'a>(&'a self, entity: &'a str, relation: &'a str, k: usize) -> Looked<'a, Fact>;

    /// Returns at most `wanted` questions over the graph with their plans as code, as demonstrations for
    /// `question`.
    fn demonstrations(&self, question: &str, wanted: usize) -> Vec<(String, String)> {
        let _ = (question, wanted);
        Vec::new()
    }

    /// Carries out a plan that has passed its checks; `None` where that cannot be done.
    fn execute<'a>(
        &'a self,
        plan: &'a Plan,
        resources: Resources<'a>,
        limits: Limits,
    ) -> LocalBoxFuture<'a, Option<Vec<PlanStep>>> {
        let _ = (plan, resources, limits);
        ready(None).boxed_local()
    }
}

/// A tool of the caller's own.
#[derive(Debug, Clone, PartialEq)]
pub struct CallerTool {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// Description for the model.
    pub description: String,
    /// A JSON Schema of its arguments.
    pub parameters: Value,
}

/// Tools of the caller's own, which a model may call.
pub trait CallerTools {
    /// The tools.
    fn all(&self) -> &[CallerTool];

    /// Calls one of them. What it says is untrusted text.
    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a Value,
    ) -> LocalBoxFuture<'a, Result<String, EnvironmentError>>;
}

/// A search beyond the bundle.
pub trait WebSearch {
    /// The best pages for a query, at most `k`, best first.
    fn search<'a>(&'a self, query: &'a str, k: usize) -> Looked<'a, Evidence>;
}
