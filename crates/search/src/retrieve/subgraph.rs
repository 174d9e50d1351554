//! The picture of a question with its keywords, adjacent keywords and chunks, as in AutoKG's figures 2 and 3.

use super::{Corpus, KeywordKind, Reached, SearchResult};
use crate::bundle::BundleError;
use futures::future::{FutureExt, LocalBoxFuture};
use serde::{Deserialize, Serialize};

/// Kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum NodeKind {
    /// The question.
    Question,
    /// A keyword near the question.
    Keyword,
    /// A keyword next to one of those.
    AdjacentKeyword,
    /// A chunk of the result.
    Chunk,
}

/// A node of the picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Node {
    /// Unique in the picture: `question`, `keyword-7`, `chunk-12`.
    pub id: String,
    /// Kind of the node.
    pub kind: NodeKind,
    /// Its label.
    pub label: String,
    /// For a chunk: its number.
    pub chunk: Option<u32>,
}

/// Kind of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum EdgeKind {
    /// The keyword is near the question; the weight is their cosine.
    QuestionKeyword,
    /// The keywords share chunks; the weight is how many.
    KeywordKeyword,
    /// The keyword brought the chunk.
    KeywordChunk,
    /// The question itself found the chunk; the weight is their cosine where known.
    QuestionChunk,
}

/// An edge of the picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Edge {
    /// One end's id.
    pub from: String,
    /// The other's.
    pub to: String,
    /// See [`EdgeKind`].
    pub weight: f32,
    /// Kind of the edge.
    pub kind: EdgeKind,
}

/// The picture of a question. Edges among adjacent keywords are left out, as in the paper, for clarity.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Subgraph {
    /// The nodes, the question first.
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// Draws the subgraph of a result: nodes and edges, not yet placed.
///
/// # Errors
/// [`BundleError`] when the result has keywords and the keyword graph cannot be loaded.
pub fn subgraph<'a>(
    corpus: &'a Corpus,
    result: &'a SearchResult,
) -> LocalBoxFuture<'a, Result<Subgraph, BundleError>> {
    async move {
        let question = "question".to_owned();
        let mut out = Subgraph::default();
        out.nodes.push(Node {
            id: question.clone(),
            kind: NodeKind::Question,
            label: result.question.clone(),
            chunk: None,
        });
        let keyword_id = |id: u32| format!("keyword-{id}");
        for k in &result.keywords {
            let kind =
                if k.kind == KeywordKind::Direct { NodeKind::Keyword } else { NodeKind::AdjacentKeyword };
            out.nodes.push(Node { id: keyword_id(k.id), kind, label: k.label.clone(), chunk: None });
            if k.kind == KeywordKind::Direct {
                out.edges.push(Edge {
                    from: question.clone(),
                    to: keyword_id(k.id),
                    weight: k.score,
                    kind: EdgeKind::QuestionKeyword,
                });
            }
        }
        if !result.keywords.is_empty() {
            let graph = corpus.keywords().await?;
            for (i, a) in result.keywords.iter().enumerate() {
                for b in &result.keywords[i + 1..] {
                    if a.kind == KeywordKind::Adjacent && b.kind == KeywordKind::Adjacent {
                        continue;
                    }
                    if let Some(w) = graph.weights.get(a.id as usize, b.id).filter(|&w| w > 0) {
                        out.edges.push(Edge {
                            from: keyword_id(a.id),
                            to: keyword_id(b.id),
                            weight: w as f32,
                            kind: EdgeKind::KeywordKeyword,
                        });
                    }
                }
            }
        }
        for h in &result.hits {
            let id = format!("chunk-{}", h.chunk);
            let label = h.heading().to_owned();
            out.nodes.push(Node { id: id.clone(), kind: NodeKind::Chunk, label, chunk: Some(h.chunk) });
            for way in &h.reached {
                let (from, weight, kind) = match way {
                    Reached::Keyword { keyword } | Reached::AdjacentKeyword { keyword, .. } => {
                        let k =
                            result.keywords.iter().find(|k| &k.label == keyword).map(|k| keyword_id(k.id));
                        (k, 1.0, EdgeKind::KeywordChunk)
                    }
                    _ => (Some(question.clone()), h.dense.unwrap_or(h.score), EdgeKind::QuestionChunk),
                };
                let Some(from) = from else { continue };
                if !out.edges.iter().any(|e| e.from == from && e.to == id) {
                    out.edges.push(Edge { from, to: id.clone(), weight, kind });
                }
            }
        }
        Ok(out)
    }
    .boxed_local()
}
