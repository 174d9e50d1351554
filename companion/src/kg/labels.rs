//! Vectors of a graph's labels, by which mentions and phrases that agree with no name are linked by meaning; and of phrases for its relations, by which
//! questions that name none are.

use pocketgraph::kg::{KnowledgeGraph, NodeId};
use pocketgraph::planner::{Phrases, phrases};
use pocketgraph::vector::QuantizedMatrix;
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
    /// Pages of phrases, each with what it is about, ascending.
    pub phrases: Vec<(String, Phrases)>,
}

/// Yields a unit vector for each text.
pub type Embed<'a> = dyn Fn(&[String]) -> Vec<Vec<f32>> + 'a;

/// The vectors of the labels of `graph`; `embed` yields a unit vector of dimension `dim` for each text, and `as_asked` one by the layers that pages embed
/// questions with: how near a question must come to a phrase was read off these. Without it there are no phrases.
pub fn label_vectors(graph: &KnowledgeGraph, dim: usize, embed: &Embed<'_>, as_asked: Option<&Embed<'_>>) -> LabelVectors {
    let rows = |vectors: &[Vec<f32>]| QuantizedMatrix::from_rows(dim, vectors.iter().map(Vec::as_slice));
    let embedded = |labels: Vec<String>| rows(&embed(&labels));
    let relations = graph.vocabulary().relations();
    LabelVectors {
        entities: (graph.entities() <= MOST)
            .then(|| embedded((0..graph.entities() as u32).map(|i| graph.label(NodeId(i)).to_owned()).collect())),
        relations: (relations.len() <= MOST).then(|| embedded(relations.iter().map(|r| r.label.clone()).collect())),
        phrases: as_asked.map_or_else(Vec::new, |embed| {
            let pages = phrases(graph);
            let all: Vec<String> = pages.values().flatten().cloned().collect();
            let vectors = if all.is_empty() { Vec::new() } else { embed(&all) };
            let mut rest = vectors.as_slice();
            let page = |(about, texts): (String, BTreeSet<String>)| {
                let (own, behind) = rest.split_at(texts.len());
                rest = behind;
                (about, Phrases { texts: texts.into_iter().collect(), vectors: rows(own) })
            };
            pages.into_iter().map(page).collect()
        }),
    }
}
