//! Data of other retrievers than the default.

use super::names::sentences;
use super::{Corpus, Stage};
use crate::outcome::BuildError;
use crate::prepare::{self, Beside, Needs, Prepared, prepare_with};
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph_knowledge::names::FoundNames;
use pocketgraph_knowledge::relations::Related;
use pocketgraph_knowledge::summaries::Writer;
use pocketgraph_llm_client::asker::BuildModel;
use pocketgraph_models::embeddings::CachedEmbedder;
use pocketgraph_native::progress::Progress;

/// Prepares what retrievers need.
pub struct Prepare<'a> {
    /// Needs of the retrievers.
    pub needs: Needs,
    /// True if a model was asked for triples: they are then what facts are made of.
    pub triples_read: bool,
    /// A language model that writes summaries and reports; without it they are extracted.
    pub summaries: Option<&'a BuildModel>,
    /// Embeds; `None` prepares nothing, since nothing could be compared with the chunks' vectors.
    pub embedder: Option<&'a CachedEmbedder<'a>>,
    /// The seed of all random choices.
    pub seed: u64,
}

/// Input of the preparation.
#[derive(Clone, Copy)]
pub struct Gathered<'a> {
    /// Documents, chunks and vectors.
    pub corpus: Corpus<'a>,
    /// Their names and mentions.
    pub found: &'a FoundNames,
    /// The knowledge graph.
    pub knowledge: Option<&'a KnowledgeGraph>,
    /// Relations that a language model read in the chunks.
    pub related: Option<&'a Related>,
}

impl Stage<Gathered<'_>> for Prepare<'_> {
    type Out = Option<Prepared>;
    const NAME: &'static str = "retrievers";

    fn run(&self, gathered: Gathered<'_>, progress: &dyn Progress) -> Result<Option<Prepared>, BuildError> {
        let Some(embedder) = self.embedder else { return Ok(None) };
        let Gathered { corpus, found, knowledge, related } = gathered;
        let embed = sentences(embedder, progress);
        let count = |text: &str| embedder.model().count(text);
        let writer = self.summaries.map(|model| Writer::new(model, progress, &count));
        let facts = self.needs.facts || (self.needs.triples() && self.triples_read);
        let needs = Needs { facts, ..self.needs };
        let corpus = prepare::Corpus {
            chunks: corpus.chunks,
            vectors: corpus.vectors,
            found,
            embed: &embed,
            count: &count,
            seed: self.seed,
        };
        let prepared = prepare_with(needs, &corpus, &Beside { knowledge, writer: writer.as_ref(), related })?;
        if needs.facts && prepared.facts.is_none() {
            progress.warn("no passage states a triple, so that the facts of hippo are sentences");
        }
        if writer.is_some() && !needs.summaries() {
            progress.warn("--summaries-llm has nothing to write: name raptor or graphrag in --retrievers");
        }
        Ok(Some(prepared))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stages::FindNames;
    use crate::stages::testing::{MODEL, RecordedWarnings, corpus_of};

    #[test]
    fn only_what_is_needed_is_prepared_and_a_need_without_matter_is_reported() {
        let (corpus, recorded) = (corpus_of(8), RecordedWarnings::default());
        let embedder = CachedEmbedder::new(&MODEL, None);
        let found = FindNames { embedder: Some(&embedder), everywhere: true }
            .run((corpus.corpus(), None), &recorded)
            .unwrap();
        let gathered = Gathered { corpus: corpus.corpus(), found: &found, knowledge: None, related: None };
        let prepare = |names: &[&str], embedder| {
            let needs = Needs::of(names).unwrap();
            Prepare { needs, triples_read: true, summaries: None, embedder, seed: 0 }
                .run(gathered, &recorded)
                .unwrap()
        };
        let plain = prepare(&["auto"], Some(&embedder)).unwrap();
        assert!(plain.entities.is_none() && plain.tree.is_none());
        let rich = prepare(&["hippo", "raptor"], Some(&embedder)).unwrap();
        assert!(
            rich.entities.is_some() && rich.synonyms.is_some() && rich.tree.is_some() && rich.facts.is_none()
        );
        assert!(recorded.warnings()[0].contains("no passage states a triple"));
        assert!(prepare(&["hippo"], None).is_none());
    }
}
