//! Linking and plans over an open bundle's knowledge graph. Not in the module that only searches.

use super::{Engine, EngineError, MAX_QUESTION, SearchOptions};
use crate::compact::{Map, Set};
use crate::kg::{self, Candidate, Linker};
use crate::plan::execute::{
    ExecuteError, Execution, Executor, FoundPassages, Limits, Passage, Passages, PassagesError, Resources,
    Similarity,
};
use crate::plan::{Head, Operation, Plan, Relation, SearchKg};
use crate::retrieve::{Filter, Hit};
use crate::vector::QuantizedVector;
use std::rc::Rc;
use std::sync::Arc;

/// A stable word for each kind of error, for programs.
pub(super) fn code(error: &ExecuteError) -> &'static str {
    match error {
        ExecuteError::Plan(_) => "bad-argument",
        ExecuteError::Cancelled => "aborted",
    }
}

impl Engine {
    /// Loads the bundle's knowledge graph, ready for linking; `None` if the bundle has none.
    ///
    /// # Errors
    /// [`EngineError`] when it cannot be loaded.
    pub async fn knowledge(&self) -> Result<Option<Rc<Linker>>, EngineError> {
        if let Some(linker) = self.linker.borrow().as_ref() {
            return Ok(Some(Rc::clone(linker)));
        }
        if !kg::is_in(self.corpus.bundle()) {
            return Ok(None);
        }
        let graph = kg::load_graph(self.corpus.bundle()).await?;
        let linker = Rc::new(Linker::in_turns(&graph, || self.pause()).await);
        *self.linker.borrow_mut() = Some(Rc::clone(&linker));
        Ok(Some(linker))
    }

    /// Returns the entities that a mention may mean, best first: by its letters, or by meaning if no name
    /// agrees, the bundle has the labels' vectors and the model is loaded. Empty without a graph.
    ///
    /// # Errors
    /// [`EngineError`] when the graph, the vectors or the words cannot be loaded.
    pub async fn link(&self, mention: &str, limit: usize) -> Result<Vec<Candidate>, EngineError> {
        let Some(linker) = self.knowledge().await? else { return Ok(Vec::new()) };
        let found = linker.link(mention, limit);
        if !found.is_empty() || mention.trim().is_empty() {
            return Ok(found);
        }
        let Some(encoder) = self.encoder() else { return Ok(found) };
        let Some(labels) = kg::load_labels(self.corpus.bundle(), linker.graph().entities()).await? else {
            return Ok(found);
        };
        let vector = encoder.encode(&mention[..mention.floor_char_boundary(MAX_QUESTION)]).await?;
        linker.remember(mention, &labels.scan(&QuantizedVector::from_f32(&vector)));
        Ok(linker.link(mention, limit))
    }

    /// Executes a plan over the knowledge graph, and over passages if the graph has nothing, or over
    /// `resources`.
    ///
    /// # Errors
    /// [`EngineError`] when the graph cannot be loaded, when the plan fails its checks, and when asked to
    /// stop.
    pub async fn execute(
        &self,
        plan: &Plan,
        resources: Resources<'_>,
        limits: Limits,
    ) -> Result<Execution, EngineError> {
        let linker = self.knowledge().await?;
        for statement in &plan.statements {
            if let Operation::SearchKg(SearchKg { head: Head::Mention(text), .. }) = &statement.operation {
                // What cannot be linked by meaning stays unlinked: the execution says so.
                let _ = self.link(text, 1).await;
            }
        }
        let meant = match &linker {
            Some(linker) => self.meant_relations(linker.graph(), plan).await,
            None => Map::new(),
        };
        let similarity = |phrase: &str, label: &str| {
            meant.get(phrase).and_then(|of| of.get(label)).copied().unwrap_or(0.0)
        };
        let similarity: Option<Similarity<'_>> =
            if meant.is_empty() { resources.similarity } else { Some(&similarity) };
        let resources =
            Resources { passages: Some(resources.passages.unwrap_or(self)), similarity, ..resources };
        Ok(Executor::new(linker.as_deref()).execute(plan, resources, limits).await?)
    }

    /// Returns the cosine of each relation phrase of a plan to each relation's label. Empty if the plan has
    /// no such phrase, or the model or the labels' vectors are missing: phrases are then compared by words
    /// alone.
    async fn meant_relations(
        &self,
        graph: &kg::KnowledgeGraph,
        plan: &Plan,
    ) -> Map<String, Map<String, f32>> {
        let phrases = plan.statements.iter().filter_map(|s| match &s.operation {
            Operation::SearchKg(SearchKg { relation: Relation::Phrase(phrase), .. }) => Some(phrase),
            _ => None,
        });
        let phrases: Set<&String> = phrases.collect();
        let mut out = Map::new();
        let Some(encoder) = self.encoder().filter(|_| !phrases.items().is_empty()) else { return out };
        let relations = graph.vocabulary().relations();
        let Ok(Some(labels)) = kg::load_relation_labels(self.corpus.bundle(), relations.len()).await else {
            return out;
        };
        for phrase in phrases.items() {
            let Ok(vector) = encoder.encode(&phrase[..phrase.floor_char_boundary(MAX_QUESTION)]).await else {
                continue;
            };
            let cosines = labels.scan(&QuantizedVector::from_f32(&vector));
            let of = relations.iter().zip(cosines).map(|(r, cosine)| (r.label.clone(), cosine));
            out.insert((*phrase).clone(), of.collect());
        }
        out
    }
}

impl Passages for Engine {
    fn passages<'a>(&'a self, question: &'a str, k: usize) -> FoundPassages<'a> {
        Box::pin(
            async move { PassagesOf { engine: self, filter: &Arc::default() }.passages(question, k).await },
        )
    }
}

/// The passages of the documents that a filter keeps.
pub(crate) struct PassagesOf<'e> {
    /// The open bundle.
    pub engine: &'e Engine,
    /// Filter of the documents that are searched.
    pub filter: &'e Arc<Filter>,
}

impl Passages for PassagesOf<'_> {
    fn passages<'a>(&'a self, question: &'a str, k: usize) -> FoundPassages<'a> {
        Box::pin(async move {
            let options = SearchOptions {
                k: u32::try_from(k).ok(),
                filter: self.filter.clone(),
                ..SearchOptions::default()
            };
            let found =
                self.engine.search(question, &options).await.map_err(|e| PassagesError(e.to_string()))?;
            let passage = |h: Hit| Passage { chunk: Some(h.chunk), title: h.title, url: h.url, text: h.text };
            Ok(found.hits.into_iter().map(passage).collect())
        })
    }
}
