//! The trained planner on this machine: its weights from a file, and the word vectors that the program carries.

use crate::embed_bulk::NativeEmbedder;
use miette::{Context, IntoDiagnostic, Result, miette};
use pocketgraph::kg::Linker;
use pocketgraph::planner::PlannerError;
use pocketgraph::planner::model::{Framer, Grounded, ModelPlanner, PlannerModel, drafts};
use std::ops::Range;
use std::path::Path;

/// A trained planner with everything that it reads.
pub struct NativePlanner {
    model: PlannerModel,
    embedder: NativeEmbedder,
}

impl NativePlanner {
    /// The planner of a file that `pocketgraph train planner` wrote.
    ///
    /// # Errors
    /// When the file cannot be read or holds no planner.
    pub fn open(path: &Path) -> Result<NativePlanner> {
        let bytes = std::fs::read(path).into_diagnostic().wrap_err_with(|| format!("{} cannot be read", path.display()))?;
        Self::from_bytes(&bytes).wrap_err_with(|| format!("{} holds no planner", path.display()))
    }

    /// The planner of these bytes.
    ///
    /// # Errors
    /// When they hold none.
    pub fn from_bytes(bytes: &[u8]) -> Result<NativePlanner> {
        let model = PlannerModel::decode(bytes).map_err(|e| miette!("{e}"))?;
        Ok(NativePlanner { model, embedder: NativeEmbedder::new()? })
    }

    /// A planner for a graph.
    ///
    /// # Errors
    /// When the vocabulary has no mask, which the program's has.
    pub fn over<'a>(&'a self, linker: &'a Linker) -> Result<ModelPlanner<'a>> {
        ModelPlanner::new(&self.model, self.embedder.tokenizer(), linker, None).ok_or_else(|| miette!("the vocabulary has no [MASK]"))
    }

    /// The best reading of a question.
    ///
    /// # Errors
    /// [`PlannerError`].
    pub fn planned(&self, planner: &ModelPlanner<'_>, question: &str) -> Result<Grounded, PlannerError> {
        planner.planned(question, self.embedder.words())
    }

    /// The name of the shape that a question with these mentions has, where there is no graph.
    pub fn shape(&self, question: &str, mentions: &[Range<usize>]) -> String {
        let framed = Framer::new(self.embedder.tokenizer()).map(|f| f.frame(question, mentions)).unwrap_or_default();
        let Ok(logits) = self.model.forward(&framed, self.embedder.words()) else { return String::new() };
        drafts(question, &framed, &logits).first().map_or_else(String::new, |d| d.shape.name().to_owned())
    }
}
