//! The `raptor` retriever: RAPTOR's tree of summaries (arXiv 2401.18059), as a collapsed tree.
//!
//! A summary yields the chunks that it is based on: those of its sentences if it was extracted, or of the
//! sentences nearest to it if a language model wrote it. Its text is not needed.

use super::graph_retriever::{GraphRetriever, On};
use super::prepared::Cosines;
use super::{PreparedCorpus, Ranked, Reached};
use crate::bundle::BundleError;
use crate::compact::{Map, sort_by};
use crate::entities::Tree;
use crate::vector::{QuantizedVector, Scored};
use std::rc::Rc;

/// The retriever with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raptor {
    /// Number of nodes taken.
    pub nodes: usize,
    /// Maximum number of tokens of all chunks together, if the caller gives no number of chunks.
    pub tokens: usize,
}

impl Default for Raptor {
    fn default() -> Self {
        Raptor { nodes: 10, tokens: 3500 }
    }
}

/// Returns all nodes by cosine: chunks by their number, then summaries.
pub(super) fn rank_nodes(tree: &Tree, question: &QuantizedVector, cosines: &Cosines) -> Vec<Scored> {
    let mut all: Vec<Scored> = cosines.scored().collect();
    if tree.vectors.dim() == question.data.len() {
        let from = cosines.chunks as u32;
        all.extend(
            tree.vectors
                .scan(question)
                .into_iter()
                .enumerate()
                .map(|(i, score)| Scored { index: from + i as u32, score }),
        );
    }
    sort_by(&mut all, |a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
    all
}

/// Returns the chunks of ranked nodes, each once, in order: a chunk itself, or the chunks of a summary's
/// sentences; and the summary of each chunk that one yielded.
pub(super) fn chunks_of(
    tree: &Tree,
    nodes: &[Scored],
    chunks: usize,
    k: usize,
) -> (Vec<Scored>, Map<u32, u32>) {
    let mut best: Vec<Scored> = Vec::new();
    let mut by: Map<u32, u32> = Map::new();
    for node in nodes {
        if best.len() >= k {
            break;
        }
        let summary = (node.index as usize).checked_sub(chunks);
        let found: Vec<u32> = match summary.and_then(|i| tree.nodes.get(i)) {
            Some(s) => s.sentences.iter().map(|p| p.0).collect(),
            None => vec![node.index],
        };
        for chunk in found {
            if best.len() < k && !best.iter().any(|b| b.index == chunk) {
                best.push(Scored { index: chunk, score: node.score });
                if let Some(i) = summary {
                    by.insert(chunk, i as u32);
                }
            }
        }
    }
    (best, by)
}

impl GraphRetriever for Raptor {
    const NAME: &'static str = "raptor";
    type Prepared = Rc<Tree>;

    async fn open(&self, corpus: PreparedCorpus<'_>) -> Result<Rc<Tree>, BundleError> {
        corpus.tree(Self::NAME).await
    }

    async fn rank(&self, tree: &Rc<Tree>, on: On<'_>) -> Result<Ranked, BundleError> {
        let (corpus, k) = (on.corpus, on.wanted);
        let mut nodes = rank_nodes(tree, &on.asked.question, &on.asked.cosines);
        if k.is_none() {
            nodes.truncate(self.nodes);
        }
        let (mut best, by) = chunks_of(tree, &nodes, corpus.len(), k.unwrap_or(usize::MAX));
        if k.is_none() {
            let ids: Vec<u32> = best.iter().map(|h| h.index).collect();
            let (texts, _) = corpus.chunks(&ids).await?;
            let mut left = self.tokens;
            let fits = ids.iter().take_while(|&id| {
                let text = texts.get(id).map_or("", |c| c.text.as_str());
                let tokens = on.query.encoder.as_ref().map_or(text.len() / 4 + 1, |e| e.count_tokens(text));
                let fits = tokens <= left;
                left = left.saturating_sub(tokens);
                fits
            });
            let fitting = fits.count();
            best.truncate(fitting);
        }
        let documents = corpus.documents().await?;
        let first: Vec<u32> =
            by.values().filter_map(|&i| Some(tree.nodes.get(i as usize)?.sentences.first()?.0)).collect();
        let (texts, _) = corpus.chunks(&first).await?;
        // A summary has no title; it is named after the document of its first sentence.
        let title = |i: u32| {
            let chunk = tree.nodes.get(i as usize)?.sentences.first()?.0;
            Some(documents.get(texts.get(&chunk)?.document as usize)?.title.clone())
        };
        let way = |chunk: u32| by.get(&chunk).and_then(|&i| title(i)).map(|title| Reached::Summary { title });
        Ok(on.asked.ranked(best, |chunk| way(chunk).into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entities::Summary;
    use crate::vector::QuantizedMatrix;

    /// Chunks 0 to 3; summary 4 of 0 and 1, summary 5 of 2, summary 6 of both. Chunk 3 is in no cluster.
    fn tree() -> Tree {
        let of = |layer, children: &[u32], sentences: &[(u32, u32)]| Summary {
            layer,
            children: children.to_vec(),
            sentences: sentences.to_vec(),
        };
        Tree {
            nodes: vec![
                of(1, &[0, 1], &[(1, 0), (0, 2)]),
                of(1, &[2], &[(2, 0)]),
                of(2, &[4, 5], &[(1, 0), (2, 0)]),
            ],
            vectors: QuantizedMatrix::from_rows(
                2,
                [[0.9f32, 0.1], [0.0, 1.0], [0.5, 0.5]].iter().map(|r| &r[..]),
            ),
        }
    }

    const COSINES: [Option<f32>; 4] = [Some(0.4), Some(0.3), Some(0.95), None];

    fn ids(all: &[Scored]) -> Vec<u32> {
        all.iter().map(|h| h.index).collect()
    }

    #[test]
    fn the_collapsed_tree_ranks_chunks_and_summaries_together() {
        let all = rank_nodes(&tree(), &QuantizedVector::from_f32(&[1.0, 0.0]), &Cosines::from(&COSINES[..]));
        assert_eq!(ids(&all)[..2], [2, 4]);
        assert_eq!(all.len(), 6, "what was not compared is not ranked");
        let (chunks, by) = chunks_of(&tree(), &all, 4, 10);
        assert_eq!(ids(&chunks), [2, 1, 0]);
        assert_eq!((by.get(&2), by.get(&1)), (None, Some(&0)));
    }

    #[test]
    fn an_empty_tree_leaves_the_chunks() {
        let none = Tree { nodes: Vec::new(), vectors: QuantizedMatrix::empty(2) };
        let q = QuantizedVector::from_f32(&[1.0, 0.0]);
        assert_eq!(ids(&rank_nodes(&none, &q, &Cosines::from(&COSINES[..]))), [2, 0, 1]);
        assert_eq!(chunks_of(&none, &[], 4, 3).0, []);
    }
}
