//! The trained planner: a small encoder that says of a question what shape of query it asks for and which of
//! its words are for what.
//!
//! It points into the question and never names an entity or a relation, so it plans over graphs that it has
//! not seen; which relation the words stand for is decided on the graph ([`Grounder`]). It has no decoder:
//! its heads fill the slots of a fixed set of shapes, and so a plan that does not parse cannot come of it.
//! Structure is learned from questions that a grammar says (after LPKG, arXiv 2406.14282).

mod confidence;
mod draft;
mod frame;
mod ground;
mod label;
mod section;

use super::PlannerError;
use super::lexicon::Lexicon;
use super::question::{asks_for_a_way, named_mentions};
use crate::embed::WordRows;
use crate::kg::{Linker, Mention};
use crate::text::Tokenizer;

pub use confidence::{Calibration, FEATURES, Seen, compute_features};
pub use draft::{Draft, Pointer, RelationPhrase, draft_plans, softmax};
pub use frame::{Framed, Framer, MAX_TOKENS};
pub use ground::{Grounded, Grounder};
pub use label::{Aggregation, ENTITIES, Node, STEPS, Shape, TAGS, Tag};
pub use section::{Head, Heads, Logits, PlannerDecoder, PlannerModel};

/// No question is longer, in bytes.
const LONGEST: usize = 4096;

/// Returns the reason why a question is not planned at all, if there is one.
fn refused(question: &str) -> Option<PlannerError> {
    if question.len() > LONGEST {
        return Some(PlannerError::TooLong { found: question.len(), limit: LONGEST });
    }
    asks_for_a_way(question).then_some(PlannerError::Unsure { confidence: 0.0 })
}

/// Returns the number of names in a question, as the trained planner finds them; 0 if it would refuse the
/// question.
pub fn names(linker: &Linker, question: &str) -> usize {
    if refused(question).is_some() {
        return 0;
    }
    named_mentions(question, &linker.mentions(question), &Lexicon::new(linker.graph().vocabulary())).len()
}

/// Plans with a trained model.
pub struct ModelPlanner<'a> {
    model: &'a PlannerModel,
    grounder: Grounder<'a>,
}

impl<'a> ModelPlanner<'a> {
    /// A planner for a graph.
    pub fn new(model: &'a PlannerModel, linker: &'a Linker) -> Self {
        ModelPlanner { model, grounder: Grounder::new(linker) }
    }

    /// Returns the names in a question.
    ///
    /// # Errors
    /// [`PlannerError::TooLong`], and [`PlannerError::Unsure`] for a question that asks how to do something.
    pub fn mentions(&self, question: &str) -> Result<Vec<Mention>, PlannerError> {
        refused(question).map_or_else(|| Ok(self.grounder.mentions(question)), Err)
    }

    /// A question in tokens, with what [`ModelPlanner::mentions`] found in it: the word vectors of these
    /// tokens are needed to plan.
    ///
    /// # Errors
    /// [`PlannerError::Model`] where the vocabulary is not the model's.
    pub fn frame(
        &self,
        tokenizer: &Tokenizer,
        question: &str,
        mentions: &[Mention],
    ) -> Result<Framed, PlannerError> {
        let framer = Framer::new(tokenizer)
            .ok_or_else(|| PlannerError::Model("its vocabulary has no mask".to_owned()))?;
        let spans: Vec<_> = mentions.iter().map(|m| m.span.clone()).collect();
        Ok(framer.frame(question, &spans))
    }

    /// The best reading of a question that [`ModelPlanner::frame`] gave in tokens.
    ///
    /// # Errors
    /// [`PlannerError::Model`] where a token has no word vector, [`PlannerError::NothingLinked`] where no
    /// draft can be looked up.
    pub fn read(
        &self,
        question: &str,
        framed: &Framed,
        mentions: &[Mention],
        rows: &dyn WordRows,
    ) -> Result<Grounded, PlannerError> {
        let logits = self.model.forward(framed, rows).map_err(|e| PlannerError::Model(e.to_string()))?;
        self.choose(question, framed, mentions, &logits)
    }

    /// As [`ModelPlanner::read`], where the model has spoken already.
    ///
    /// # Errors
    /// [`PlannerError::NothingLinked`] where no draft can be looked up.
    pub fn choose(
        &self,
        question: &str,
        framed: &Framed,
        mentions: &[Mention],
        logits: &Logits,
    ) -> Result<Grounded, PlannerError> {
        let drafts = draft_plans(question, framed, logits);
        self.grounder
            .best(question, mentions, &drafts, self.model.calibration())
            .ok_or(PlannerError::NothingLinked)
    }

    /// The best reading of a question, with the whole vocabulary and all word vectors at hand.
    ///
    /// # Errors
    /// As [`ModelPlanner::mentions`], [`ModelPlanner::frame`] and [`ModelPlanner::read`].
    pub fn planned(
        &self,
        question: &str,
        tokenizer: &Tokenizer,
        rows: &dyn WordRows,
    ) -> Result<Grounded, PlannerError> {
        let mentions = self.mentions(question)?;
        let framed = self.frame(tokenizer, question, &mentions)?;
        self.read(question, &framed, &mentions, rows)
    }
}
