//! The planners of an open bundle beside the rules.

use super::trained::Trained;
use crate::bundle::Bundle;
use crate::embed::QuestionEncoder;
use crate::kg::Linker;
use crate::planner::model::Grounded;
use crate::planner::{Nearest, OtherPlanners, PlannerError, one_entity_question, phrase_vectors};
use futures::future::{FutureExt, LocalBoxFuture, join};

/// Data of a bundle that help to plan.
#[derive(Clone, Copy)]
pub struct PlanningAids<'a> {
    /// The bundle, whose trained planner is asked and whose vectors of phrases are taken, if it brings them.
    pub bundle: &'a Bundle,
    /// The model that embeds questions, where it is loaded: it tells which relation is meant where no word
    /// names one.
    pub encoder: Option<&'a QuestionEncoder>,
}

impl OtherPlanners for PlanningAids<'_> {
    fn has_trained(&self) -> bool {
        Trained::is_in(self.bundle)
    }

    fn trained<'a>(
        &'a self,
        linker: &'a Linker,
        question: &'a str,
    ) -> LocalBoxFuture<'a, Result<Grounded, PlannerError>> {
        Box::pin(async move {
            let trained = Trained::load(self.bundle).await.map_err(|e| PlannerError::Model(e.to_string()))?;
            trained.ok_or(PlannerError::Unsure { confidence: 0.0 })?.planned(linker, question).await
        })
    }

    fn nearest<'a>(&'a self, linker: &'a Linker, question: &'a str) -> LocalBoxFuture<'a, Option<Nearest>> {
        Box::pin(async move {
            let (encoder, asked) = (self.encoder?, one_entity_question(linker, question)?);
            let texts = asked.texts();
            let (mut vectors, own) =
                join(phrase_vectors(self.bundle, &asked, &texts), encoder.encode(&asked.question)).await;
            let own = own.ok()?;
            let absent: Vec<usize> = (0..texts.len()).filter(|&i| vectors[i].is_none()).collect();
            let embedded =
                encoder.encode_names(&absent.iter().map(|&i| texts[i]).collect::<Vec<_>>()).await.ok()?;
            for (i, vector) in absent.into_iter().zip(embedded) {
                vectors[i] = Some(vector);
            }
            let vector = |text: &str| vectors[texts.binary_search(&text).ok()?].as_deref();
            asked.nearest(linker.graph(), &own, &vector)
        })
    }

    fn pause(&self) -> LocalBoxFuture<'_, ()> {
        self.bundle.pause().boxed_local()
    }
}
