//! Vectors of a graph's labels, by which mentions and phrases that agree with no name are linked by meaning.

use pocketgraph::kg::{KnowledgeGraph, NodeId};
use pocketgraph::vector::QuantizedMatrix;

/// Up to this many labels are embedded; with more, a reader would wait too long for them.
const MOST: usize = 4096;

/// Vectors of labels, each where there are few enough.
#[derive(Debug, Clone, Default)]
pub struct LabelVectors {
    /// One row an entity, in the order of their numbers.
    pub entities: Option<QuantizedMatrix>,
    /// One row a relation, likewise.
    pub relations: Option<QuantizedMatrix>,
}

/// The vectors of the labels of `graph`; `embed` yields a unit vector of dimension `dim` for each text.
pub fn label_vectors(graph: &KnowledgeGraph, dim: usize, embed: &dyn Fn(&[String]) -> Vec<Vec<f32>>) -> LabelVectors {
    let embedded = |labels: Vec<String>| QuantizedMatrix::from_rows(dim, embed(&labels).iter().map(Vec::as_slice));
    let relations = graph.vocabulary().relations();
    LabelVectors {
        entities: (graph.entities() <= MOST)
            .then(|| embedded((0..graph.entities() as u32).map(|i| graph.label(NodeId(i)).to_owned()).collect())),
        relations: (relations.len() <= MOST).then(|| embedded(relations.iter().map(|r| r.label.clone()).collect())),
    }
}
