//! Which passages a way of answering was shown, whatever turn they came in: what evidence recall counts.

use pocketgraph::agent::AgentEvent;
use pocketgraph::answer::AskEvent;
use pocketgraph::engine::{Engine, EngineError};
use pocketgraph_measure::Judged;
use std::collections::BTreeSet;

/// The passages that were shown so far, by their numbers in the bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ShownPassages {
    chunks: BTreeSet<u32>,
}

impl ShownPassages {
    /// Hears a quotation: it is taken from what was found.
    pub fn quoted(&mut self, event: &AskEvent) {
        if let AskEvent::Hits { result } = event {
            self.chunks.extend(result.hits.iter().map(|hit| hit.chunk));
        }
    }

    /// Hears an answer of a model in one go: what it was shown is what it may cite.
    pub fn record_answer(&mut self, event: &AskEvent) {
        if let AskEvent::References { references } = event {
            self.chunks.extend(references.iter().map(|r| r.chunk));
        }
    }

    /// Hears a protocol: what its searches brought, and what its answer refers to. What a search for the question itself found before the model was asked
    /// is not among it unless the protocol takes it.
    pub fn ran(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::Evidence { passages, .. } => self.chunks.extend(passages.iter().filter_map(|p| p.target.chunk())),
            AgentEvent::References { references } => self.chunks.extend(references.iter().map(|r| r.chunk)),
            _ => {}
        }
    }

    /// The share of the pages that answer a question of which a passage was shown; none where no page is known to.
    ///
    /// # Errors
    /// [`EngineError`] when the passages cannot be loaded.
    pub async fn recall(self, engine: &Engine, gold: &[Judged]) -> Result<Option<f64>, EngineError> {
        if gold.is_empty() {
            return Ok(None);
        }
        let ids: Vec<u32> = self.chunks.into_iter().collect();
        let (found, _) = engine.corpus().chunks(&ids).await?;
        let pages: BTreeSet<u32> = ids.iter().filter_map(|id| found.get(id)).map(|chunk| chunk.document).collect();
        let held = gold.iter().filter(|g| pages.contains(&g.page)).count();
        Ok(Some(held as f64 / gold.len() as f64))
    }
}
