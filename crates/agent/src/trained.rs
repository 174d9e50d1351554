//! The trained planner of a bundle: its weights and a question's word vectors are loaded when it is first
//! used.

use crate::bundle::{Bundle, BundleError, Kind, open_section};
use crate::embed::{EmbedScratch, WordPages};
use crate::kg::Linker;
use crate::planner::PlannerError;
use crate::planner::model::{Grounded, ModelPlanner, PlannerDecoder, PlannerModel};
use crate::text::Tokenizer;
use futures::future::{FutureExt, LocalBoxFuture};
use std::rc::Rc;

/// The section that holds it.
const SECTION: &str = "planner";

/// A bundle's trained planner, loaded.
pub struct Trained {
    model: Rc<PlannerModel>,
    words: WordPages,
}

impl Trained {
    /// Returns true if a bundle has a trained planner, and the word vectors that it reads.
    pub fn is_in(bundle: &Bundle) -> bool {
        bundle.manifest().embedder.id == "minilm"
            && [SECTION, "vocabulary", "words"].iter().all(|s| bundle.has(s))
    }

    /// Loads it; `None` where the bundle brings none. Fails if it cannot be loaded.
    pub fn load<'a>(bundle: &'a Bundle) -> LocalBoxFuture<'a, Result<Option<Trained>, BundleError>> {
        async move {
            if !Self::is_in(bundle) {
                return Ok(None);
            }
            let mut decoder = PlannerDecoder::default();
            let model = bundle.section_in_steps(SECTION, move |file, bytes| {
                let mut b = open_section(file, bytes, Kind::Planner)?;
                decoder.step(b.rest()).map_err(|e| b.corrupt(&e.to_string()))
            });
            let (model, words) = futures::future::try_join(model, WordPages::load(bundle)).await?;
            Ok(Some(Trained { model, words }))
        }
        .boxed_local()
    }

    /// The best reading of a question over a graph.
    pub fn planned<'a>(
        &'a self,
        linker: &'a Linker,
        question: &'a str,
    ) -> LocalBoxFuture<'a, Result<Grounded, PlannerError>> {
        async move {
            let planner = ModelPlanner::new(&self.model, linker);
            let mentions = planner.mentions(question)?;
            let frame = |tokenizer: &Tokenizer| planner.frame(tokenizer, question, &mentions);
            let wanted = |tokenizer: &Tokenizer| frame(tokenizer).map_or_else(|_| Vec::new(), |f| f.absent);
            let framed = self
                .words
                .tokenizer(&wanted)
                .await
                .map_err(|e| PlannerError::Model(e.to_string()))
                .and_then(|t| frame(&t))?;
            let rows = self.words.rows(&framed.ids).await.map_err(|e| PlannerError::Model(e.to_string()))?;
            let mut pass = EmbedScratch::default();
            let ran = self.words.run(self.model.encoder(), &framed.ids, &rows, &mut pass).await;
            let vectors =
                ran.and_then(|()| pass.token_vectors()).map_err(|e| PlannerError::Model(e.to_string()))?;
            planner.choose(question, &framed, &mentions, &self.model.logits(&vectors))
        }
        .boxed_local()
    }
}
