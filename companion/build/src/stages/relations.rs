//! Entities and relations that a language model reads in the chunks.

use super::{Corpus, Stage};
use crate::outcome::BuildError;
use crate::prepare::Needs;
use pocketgraph_knowledge::kg::{all_heads, shown_chunks};
use pocketgraph_knowledge::relations::{self, Related};
use pocketgraph_llm_client::asker::BuildModel;
use pocketgraph_native::progress::Progress;

/// Has a language model read the chunks for entities and relations, where a retriever has a use for them.
pub struct ReadRelations<'a> {
    /// The model; `None` asks none.
    pub reader: Option<&'a BuildModel>,
    /// Needs that the bundle is prepared for.
    pub needs: Needs,
    /// True if what is read can be embedded beside the chunks.
    pub ours: bool,
    /// Counts a text's tokens.
    pub count: &'a dyn Fn(&str) -> usize,
}

impl Stage<Corpus<'_>> for ReadRelations<'_> {
    type Out = Option<Related>;
    const NAME: &'static str = "relations by the model";

    fn run(&self, corpus: Corpus<'_>, progress: &dyn Progress) -> Result<Option<Related>, BuildError> {
        let Some(reader) = self.reader else { return Ok(None) };
        if !self.ours {
            progress.warn(
                "--relations-llm is left out: what the model reads can be embedded only where the \
                 built-in model embedded the chunks",
            );
            return Ok(None);
        }
        if !self.needs.relations() {
            progress
                .warn("--relations-llm has nothing to read for: name graphrag or hypergraph in --retrievers");
            return Ok(None);
        }
        let heads = all_heads(corpus.documents, corpus.chunks);
        Ok(relations::read_relations(&shown_chunks(corpus.chunks, &heads), reader, &self.count, progress)?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stages::testing::{RecordedWarnings, corpus_of, silent_model, words};

    #[test]
    fn a_model_without_a_use_is_not_asked_and_the_user_hears_why() {
        let (chunked, model, recorded) = (corpus_of(4), silent_model(), RecordedWarnings::default());
        let run = |needs, ours| {
            ReadRelations { reader: Some(&model), needs, ours, count: &words }
                .run(chunked.corpus(), &recorded)
        };
        assert!(run(Needs::default(), true).unwrap().is_none());
        assert!(run(Needs::of(&["graphrag"]).unwrap(), false).unwrap().is_none());
        let warnings = recorded.warnings();
        assert!(
            warnings[0].contains("nothing to read for") && warnings[1].contains("left out"),
            "{warnings:?}"
        );
        assert!(run(Needs::of(&["graphrag"]).unwrap(), true).is_err(), "now it is asked, and falls silent");
    }
}
