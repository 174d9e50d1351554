//! What a protocol is.

use super::neutralise::Marks;
use super::options::Limits;
use super::run::Run;
use crate::llm::LlmError;
use futures::future::LocalBoxFuture;

/// A dialogue under way, up to its answer.
pub type Conversation<'a> = LocalBoxFuture<'a, Result<String, LlmError>>;

/// An agent's dialogue with a model.
pub trait Protocol {
    /// Its name in options and results.
    fn name(&self) -> &'static str;

    /// Its own numbers.
    fn limits(&self) -> Limits;

    /// Marks that its evidence must not contain.
    fn marks(&self) -> Marks {
        Marks::default()
    }

    /// Returns true if it queries a knowledge graph, which must then be loaded.
    fn uses_graph(&self) -> bool {
        false
    }

    /// Returns true if its answers must rest on passages.
    fn reads_evidence(&self) -> bool {
        true
    }

    /// The dialogue, up to the answer; empty when the model gives none.
    fn converse<'a>(&'a self, run: &'a mut Run<'_>) -> Conversation<'a>;
}
