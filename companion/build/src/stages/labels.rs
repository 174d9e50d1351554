//! The vectors of a knowledge graph's labels, for planning by meaning.

use super::Stage;
use crate::outcome::BuildError;
use pocketgraph::embed::MiniLm;
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph::planner::Phrases;
use pocketgraph_knowledge::kg::{self, LabelVectors};
use pocketgraph_models::embeddings::CachedEmbedder;
use pocketgraph_native::progress::Progress;

/// Embeds the labels of entities and relations, and the phrases that questions are compared with.
pub struct EmbedLabels<'a> {
    /// Embeds labels.
    pub embedder: &'a CachedEmbedder<'a>,
    /// The layers that embed questions, which also embed what these are compared with.
    pub layers: &'a [u8],
    /// Bytes of the documents that the graph was read from; `None` of one that came as tables.
    pub read: Option<usize>,
}

/// The vectors of labels and phrases.
#[derive(Default)]
pub struct Labels {
    /// Those of entities and relations.
    pub vectors: LabelVectors,
    /// Pages of phrases, each with what it is about.
    pub phrases: Vec<(String, Phrases)>,
}

impl Stage<Option<&KnowledgeGraph>> for EmbedLabels<'_> {
    type Out = Labels;
    const NAME: &'static str = "labels";

    fn run(&self, graph: Option<&KnowledgeGraph>, progress: &dyn Progress) -> Result<Labels, BuildError> {
        let Some(graph) = graph else { return Ok(Labels::default()) };
        let model = self.embedder.model();
        let most = self.read.map_or(usize::MAX, kg::most_labels_of);
        let vectors = kg::label_vectors(graph, model.dim(), most, &|labels| {
            progress.stage("embedding labels", Some(labels.len() as u64));
            self.embedder.embed_all(labels, &|n| progress.at(n as u64))
        });
        let phrases = kg::phrase_pages(graph, model.dim(), |texts| {
            progress.stage("embedding phrases for relations", Some(texts.len() as u64));
            let questions = MiniLm::from_layers(self.layers).map_err(|e| BuildError::Model(e.to_string()))?;
            Ok::<_, BuildError>(model.embed_by(&questions, texts))
        })?;
        Ok(Labels { vectors, phrases })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stages::testing::{MODEL, RecordedWarnings, films};
    use pocketgraph_models::embed_bulk::QueryLayers;

    #[test]
    fn every_entity_and_every_relation_has_a_vector() {
        let (graph, embedder) = (films(), CachedEmbedder::new(&MODEL, None));
        let run = |layers: &[u8]| {
            EmbedLabels { embedder: &embedder, layers, read: None }
                .run(Some(&graph), &RecordedWarnings::default())
        };
        let labels = run(&MODEL.layers(QueryLayers::Int4)).unwrap();
        assert_eq!(labels.vectors.entities.unwrap().rows(), graph.entities());
        assert_eq!(labels.vectors.relations.unwrap().rows(), graph.vocabulary().relations().len());
        assert!(!labels.phrases.is_empty());
        assert!(matches!(run(b"no layers"), Err(BuildError::Model(_))));
    }
}
