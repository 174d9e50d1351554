//! The planners beside the rules for a graph that no bundle holds: the program's own, as a page has those of
//! a bundle.

use crate::embed_bulk::{NativeEmbedder, QueryLayers};
use crate::planner_model::NativePlanner;
use futures::future::{FutureExt, LocalBoxFuture, ready};
use miette::{IntoDiagnostic, Result};
use pocketgraph_embed::MiniLm;
use pocketgraph_kernels::vector::QuantizedVector;
use pocketgraph_kg::Linker;
use pocketgraph_planner::model::{Grounded, ModelPlanner};
use pocketgraph_planner::{Nearest, OtherPlanners, PlannerError, one_entity_question};
use std::cell::RefCell;
use std::collections::HashMap;

/// Relations chosen by meaning.
pub struct Meanings<'e> {
    embedder: &'e NativeEmbedder,
    /// The layers that a page embeds questions with.
    layers: MiniLm,
    known: RefCell<HashMap<String, Vec<f32>>>,
}

impl<'e> Meanings<'e> {
    /// Relations chosen by the word vectors of `embedder`. Fails if the program's layers cannot be read.
    pub fn new(embedder: &'e NativeEmbedder) -> Result<Meanings<'e>> {
        let layers = MiniLm::from_layers(&embedder.layers(QueryLayers::default())).into_diagnostic()?;
        Ok(Meanings { embedder, layers, known: RefCell::default() })
    }

    /// Returns the plan of the nearest relation to a question; `None` unless it names a single thing.
    pub fn nearest(&self, linker: &Linker, question: &str) -> Option<Nearest> {
        let asked = one_entity_question(linker, question)?;
        let texts = asked.texts();
        let mut known = self.known.borrow_mut();
        let absent: Vec<String> =
            texts.iter().filter(|&&text| !known.contains_key(text)).map(|&text| text.to_owned()).collect();
        let vectors = self.embedder.embed_by(&self.layers, &absent);
        // As a bundle has them.
        known.extend(absent.into_iter().zip(vectors.iter().map(|v| QuantizedVector::from_f32(v).to_f32())));
        let own = self.embedder.embed_by(&self.layers, std::slice::from_ref(&asked.question)).pop()?;
        asked.nearest(linker.graph(), &own, &|text| known.get(text).map(Vec::as_slice))
    }
}

/// The program's planners over one graph.
pub struct NativePlanners<'a> {
    /// The trained one, and it over the graph.
    pub trained: Option<(&'a NativePlanner, ModelPlanner<'a>)>,
    /// Relations chosen by meaning.
    pub meanings: Option<&'a Meanings<'a>>,
}

impl OtherPlanners for NativePlanners<'_> {
    fn has_trained(&self) -> bool {
        self.trained.is_some()
    }

    fn trained<'a>(
        &'a self,
        _: &'a Linker,
        question: &'a str,
    ) -> LocalBoxFuture<'a, Result<Grounded, PlannerError>> {
        let found = match &self.trained {
            Some((planner, over)) => planner.planned(over, question),
            None => Err(PlannerError::Unsure { confidence: 0.0 }),
        };
        ready(found).boxed_local()
    }

    fn nearest<'a>(&'a self, linker: &'a Linker, question: &'a str) -> LocalBoxFuture<'a, Option<Nearest>> {
        ready(self.meanings.and_then(|m| m.nearest(linker, question))).boxed_local()
    }
}
