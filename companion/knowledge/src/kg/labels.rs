//! Embeds a graph's labels, so that mentions and phrases that match no name are linked by meaning, and
//! phrases for its relations, which match questions that name none.

use pocketgraph_kernels::vector::QuantizedMatrix;
use pocketgraph_kg::{KnowledgeGraph, NodeId};
use pocketgraph_planner::{Phrases, phrases};
use std::collections::BTreeSet;

/// Maximum number of labels that are embedded; more would take a reader too long to load.
const MOST: usize = 4096;

/// Vectors of labels, if there are few enough.
#[derive(Debug, Clone, Default)]
pub struct LabelVectors {
    /// One row for each entity, in the order of their numbers.
    pub entities: Option<QuantizedMatrix>,
    /// One row for each relation, likewise.
    pub relations: Option<QuantizedMatrix>,
}

type Embed<'e> = &'e dyn Fn(&[String]) -> Vec<Vec<f32>>;

/// Returns the maximum number of labels that are embedded of a graph that was read from documents of so many
/// bytes. A vector takes some 390 bytes, more than a tiny section, and a bundle may not outgrow its
/// documents.
pub fn most_labels_of(bytes: usize) -> usize {
    256 + bytes / 256
}

/// Embeds the labels of `graph` if there are at most `most`, and never more than [`MOST`]; `embed` returns a
/// unit vector of dimension `dim` for each text.
pub fn label_vectors(graph: &KnowledgeGraph, dim: usize, most: usize, embed: Embed<'_>) -> LabelVectors {
    let embedded = |labels: Vec<String>| to_matrix(dim, &embed(&labels));
    let relations = graph.vocabulary().relations();
    let most = most.min(MOST);
    LabelVectors {
        entities: (graph.entities() <= most).then(|| {
            embedded((0..graph.entities() as u32).map(|i| graph.label(NodeId(i)).to_owned()).collect())
        }),
        relations: (relations.len() <= most)
            .then(|| embedded(relations.iter().map(|r| r.label.clone()).collect())),
    }
}

/// Returns the pages of phrases of `graph`, each with its subject, ascending. `embed` returns a unit vector
/// of dimension `dim` for each text, with the layers by which pages embed questions: the threshold of
/// similarity was fitted to these. It is called only if there are phrases.
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
        (about, Phrases { texts: texts.into_iter().collect(), vectors: to_matrix(dim, own) })
    };
    Ok(pages.into_iter().map(page).collect())
}

fn to_matrix(dim: usize, rows: &[Vec<f32>]) -> QuantizedMatrix {
    QuantizedMatrix::from_rows(dim, rows.iter().map(Vec::as_slice))
}
