//! Names of documents, and their mentions in passages.

use super::{Corpus, Stage};
use crate::outcome::BuildError;
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph_knowledge::kg;
use pocketgraph_knowledge::names::{self, Embed, FoundNames};
use pocketgraph_models::embeddings::CachedEmbedder;
use pocketgraph_native::progress::Progress;

/// Finds names and mentions.
pub struct FindNames<'a> {
    /// Embeds sentences; `None` where they could not be compared with the chunks' vectors.
    pub embedder: Option<&'a CachedEmbedder<'a>>,
    /// True if the sentences of all documents are scanned, whatever their kind.
    pub everywhere: bool,
}

impl Stage<(Corpus<'_>, Option<&KnowledgeGraph>)> for FindNames<'_> {
    type Out = FoundNames;
    const NAME: &'static str = "names";

    fn run(
        &self,
        (corpus, graph): (Corpus<'_>, Option<&KnowledgeGraph>),
        progress: &dyn Progress,
    ) -> Result<FoundNames, BuildError> {
        progress.stage("finding names", None);
        let extra = graph.map(|graph| kg::names_of(graph, corpus.chunks)).unwrap_or_default();
        let embed = self.embedder.map(|embedder| sentences(embedder, progress));
        let embed = embed.as_ref().map(|e| e as &Embed<'_>);
        Ok(names::find_with(corpus.documents, corpus.chunks, &extra, embed, self.everywhere))
    }
}

/// Returns a function that embeds sentences and reports progress.
pub fn sentences<'a>(
    embedder: &'a CachedEmbedder<'_>,
    progress: &'a dyn Progress,
) -> impl Fn(&[String]) -> Vec<Vec<f32>> + Sync + 'a {
    move |texts| {
        progress.stage("embedding sentences", Some(texts.len() as u64));
        embedder.embed_all(texts, &|n| progress.at(n as u64))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stages::testing::{RecordedWarnings, corpus_of};

    #[test]
    fn titles_are_names_and_without_a_model_no_sentence_is_embedded() {
        let corpus = corpus_of(6);
        let found = FindNames { embedder: None, everywhere: true }
            .run((corpus.corpus(), None), &RecordedWarnings::default())
            .unwrap();
        assert!(found.table.entries.iter().any(|e| e.key.contains("note 3")), "{:?}", found.table.entries);
        assert!(found.mentions.iter().all(|m| m.vectors.rows() == 0));
    }
}
