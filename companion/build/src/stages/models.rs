//! Loading: the model that embeds, and what a bundle carries for questions.

use super::Stage;
use crate::assemble::QueryModel;
use crate::outcome::BuildError;
use crate::source::Source;
use pocketgraph_languages::QuestionLanguage;
use pocketgraph_models::embed_bulk::{NativeEmbedder, QueryLayers};
use pocketgraph_models::models::Embedder;
use pocketgraph_models::planner_model::{self, PlannerSource};
use pocketgraph_models::token_table::TokenTable;
use pocketgraph_native::progress::Progress;
use std::borrow::Cow;
use std::path::Path;

/// Loads the models that a build works with and that its bundle carries.
pub struct LoadModels<'a> {
    /// Model that embeds the texts.
    pub embedder: &'a Embedder,
    /// Layers that embed questions.
    pub query_layers: QueryLayers,
    /// A file of layers in their place.
    pub query_encoder: Option<&'a Path>,
    /// A file with the token table, in place of the program's own.
    pub query_table: Option<&'a Path>,
    /// The trained planner.
    pub planner: &'a PlannerSource,
    /// Languages that questions will be in besides the documents'.
    pub questions: &'a [QuestionLanguage],
}

/// The models of a build.
pub struct Models {
    /// Embedder of texts.
    pub embedder: NativeEmbedder,
    /// The layers that embed questions, as the engine reads them.
    pub layers: Cow<'static, [u8]>,
    /// The token table, if there is one.
    pub table: Option<TokenTable>,
    /// The trained planner, if there is one.
    pub planner: Option<Cow<'static, [u8]>>,
    /// Languages that questions will be in besides the documents'.
    pub questions: Vec<QuestionLanguage>,
}

impl Models {
    /// Returns the parts that a bundle carries to embed questions.
    pub fn query_model(&self) -> QueryModel<'_> {
        QueryModel {
            tokenizer: self.embedder.tokenizer(),
            unigram: self.embedder.vocabulary(),
            layers: &self.layers,
            words: self.embedder.words(),
            table: self.table.as_ref(),
            questions: &self.questions,
        }
    }
}

impl Stage<&Source<'_>> for LoadModels<'_> {
    type Out = Models;
    const NAME: &'static str = "models";

    fn run(&self, source: &Source<'_>, progress: &dyn Progress) -> Result<Models, BuildError> {
        let damaged = |e: miette::Report| BuildError::Model(with_causes(&e));
        let embedder = source.embedder(self.embedder, progress).load().map_err(damaged)?;
        let table = embedder.query_table(self.query_table).map_err(|e| BuildError::Model(e.to_string()))?;
        let layers = embedder
            .question_layers(self.query_encoder, source.query_layers(self.query_layers))
            .map_err(damaged)?;
        let planner =
            planner_model::read_planner(self.planner).map_err(|e| BuildError::Planner(with_causes(&e)))?;
        Ok(Models { embedder, layers, table, planner, questions: source.question_languages(self.questions) })
    }
}

fn with_causes(error: &miette::Report) -> String {
    error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stages::testing::RecordedWarnings;
    use pocketgraph_ingest::Corpus;

    #[test]
    fn a_planner_that_is_none_is_refused_before_anything_is_embedded() {
        let none = Source::Documents(Path::new("."), Corpus::default());
        let (own, missing) = (Embedder::Own, PlannerSource::File("nowhere.planner".into()));
        let load = |planner| {
            let stage = LoadModels {
                embedder: &own,
                query_layers: QueryLayers::Int8,
                query_encoder: None,
                query_table: None,
                planner,
                questions: &[],
            };
            stage.run(&none, &RecordedWarnings::default())
        };
        assert!(matches!(load(&missing), Err(BuildError::Planner(_))));
        let models = load(&PlannerSource::Nothing).unwrap();
        assert!(models.planner.is_none());
        assert_eq!(models.query_model().layers, &*models.embedder.layers(QueryLayers::Int8));
    }
}
