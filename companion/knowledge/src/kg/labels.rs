//! Vectors of a graph's labels, by which mentions and phrases that agree with no name are linked by
//! meaning; and of phrases for its relations, by which questions that name none are.

use pocketgraph_kernels::vector::QuantizedMatrix;
use pocketgraph_kg::{KnowledgeGraph, NodeId};
use pocketgraph_planner::{Phrases, phrases};
use std::collections::BTreeSet;

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
    let embedded = |labels: Vec<String>| matrix(dim, &embed(&labels));
    let relations = graph.vocabulary().relations();
    LabelVectors {
        entities: (graph.entities() <= MOST)
            .then(|| embedded((0..graph.entities() as u32).map(|i| graph.label(NodeId(i)).to_owned()).collect())),
        relations: (relations.len() <= MOST).then(|| embedded(relations.iter().map(|r| r.label.clone()).collect())),
    }
}

/// The pages of phrases of `graph`, each with what it is about, ascending. `embed` yields a unit vector of
/// dimension `dim` for each text, by the layers that pages embed questions with: how near a question must
/// come to a phrase was read off these. It is called only where there are phrases.
///
/// # Errors
/// Those of `embed`.
pub fn phrase_pages<E>(
    graph: &KnowledgeGraph,
    dim: usize,
    embed: impl FnOnce(&[String]) -> Result<Vec<Vec<f32>>, E>,
) -> Result<Vec<(String, Phrases)>, E> {
    let pages = phrases(graph);
    let all: Vec<String> = pages.values().flatten().cloned().collect();
    let vectors = if all.is_empty() { Vec::new() } else { embed(&all)? };
    let mut rest = vectors.as_slice();
    let page = |(about, texts): (String, BTreeSet<String>)| {
        let (own, behind) = rest.split_at(texts.len());
        rest = behind;
        (about, Phrases { texts: texts.into_iter().collect(), vectors: matrix(dim, own) })
    };
    Ok(pages.into_iter().map(page).collect())
}

fn matrix(dim: usize, rows: &[Vec<f32>]) -> QuantizedMatrix {
    QuantizedMatrix::from_rows(dim, rows.iter().map(Vec::as_slice))
}
