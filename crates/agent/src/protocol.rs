//! What a protocol is.

use super::neutralise::Marks;
use super::options::Limits;
use super::run::Run;
use crate::llm::LlmError;
use futures::future::LocalBoxFuture;

/// An agent's dialogue with a model.
pub trait Protocol {
    /// Its name in options and results.
    fn name(&self) -> &'static str;

    /// Its own numbers.
    fn limits(&self) -> Limits;

    /// What its evidence must not hold.
    fn marks(&self) -> Marks;

    /// Whether it asks a knowledge graph, so that there is a point in loading one.
    fn uses_graph(&self) -> bool {
        false
    }

    /// Whether its answers rest on passages, so that one without is none.
    fn reads_evidence(&self) -> bool {
        true
    }

    /// The dialogue, up to the answer; empty when the model gives none.
    ///
    /// # Errors
    /// [`LlmError`] when the model fails.
    fn converse<'a>(&'a self, run: &'a mut Run<'_>) -> LocalBoxFuture<'a, Result<String, LlmError>>;
}
