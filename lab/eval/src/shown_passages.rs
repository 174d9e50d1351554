//! Collects the passages that a way of answering was shown in any turn, for evidence recall.

use pocketgraph::agent::AgentEvent;
use pocketgraph::answer::AskEvent;
use pocketgraph::engine::{Engine, EngineError};
use pocketgraph_measure::Judged;
use std::collections::BTreeSet;

/// Passages shown so far, by their numbers in the bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ShownPassages {
    chunks: BTreeSet<u32>,
}

impl ShownPassages {
    /// Records the passages of a quotation: it comes from what was found.
    pub fn quoted(&mut self, event: &AskEvent) {
        if let AskEvent::Hits { result } = event {
            self.chunks.extend(result.hits.iter().map(|hit| hit.chunk));
        }
    }

    /// Records the passages of a model's single answer: those that it may cite.
    pub fn record_answer(&mut self, event: &AskEvent) {
        if let AskEvent::References { references } = event {
            self.chunks.extend(references.iter().map(|r| r.chunk));
        }
    }

    /// Records the passages of a protocol: those of its searches and of its answer's references. A search for
    /// the question before the first reply counts only if the protocol uses it.
    pub fn ran(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::Evidence { passages, .. } => {
                self.chunks.extend(passages.iter().filter_map(|p| p.target.chunk()))
            }
            AgentEvent::References { references } => self.chunks.extend(references.iter().map(|r| r.chunk)),
            _ => {}
        }
    }

    /// Returns the share of gold pages of which a passage was shown; `None` without gold pages.
    ///
    /// # Errors
    /// [`EngineError`] when the passages cannot be loaded.
    pub async fn recall(self, engine: &Engine, gold: &[Judged]) -> Result<Option<f64>, EngineError> {
        if gold.is_empty() {
            return Ok(None);
        }
        let ids: Vec<u32> = self.chunks.into_iter().collect();
        let (found, _) = engine.corpus().chunks(&ids).await?;
        let pages: BTreeSet<u32> =
            ids.iter().filter_map(|id| found.get(id)).map(|chunk| chunk.document).collect();
        let held = gold.iter().filter(|g| pages.contains(&g.page)).count();
        Ok(Some(held as f64 / gold.len() as f64))
    }
}
