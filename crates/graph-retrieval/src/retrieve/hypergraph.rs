//! The `hypergraph` retriever: HyperGraphRAG's bipartite graph (arXiv 2503.21322) with Graph-R1's queries,
//! without a language model. A hyperedge is a sentence that joins two entities or more, or a statement that a
//! language model read in a chunk, if the bundle has these. Reciprocal rank fuses the hyperedges at the
//! entities nearest to the question with the hyperedges nearest to it.

use super::facts::is_fact;
use super::graph_retriever::{GraphRetriever, Joined, On};
use super::{PreparedCorpus, Ranked};
use crate::bundle::BundleError;
use crate::compact::{Map, sort_by};
use crate::elementary::ln;
use crate::entities::EntityIndex;
use crate::vector::{Scored, top_k};

/// The retriever with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HyperGraph {
    /// Number of entities nearest to the question.
    pub entities: usize,
    /// Number of hyperedges nearest to the question.
    pub hyperedges: usize,
    /// Maximum number of hyperedges read of an entity; a common entity has thousands.
    pub fan_out: usize,
}

impl Default for HyperGraph {
    fn default() -> Self {
        HyperGraph { entities: 5, hyperedges: 5, fan_out: 200 }
    }
}

fn count_hyperedges(index: &EntityIndex, entity: u32) -> usize {
    index.sentences_of(entity).iter().filter(|&&s| is_fact(index, s)).count()
}

/// Returns a hyperedge's score; 0 for all if there are none.
fn score_of(scores: &[u8], hyperedge: u32) -> u8 {
    scores.get(hyperedge as usize).copied().unwrap_or(0)
}

/// Returns the hyperedges at the `seeds` (entities with cosines), best first, equal ones by score.
pub(super) fn at_entities(
    index: &EntityIndex,
    scores: &[u8],
    seeds: &[Scored],
    how: &HyperGraph,
) -> Vec<u32> {
    let mut shares: Vec<(u32, f64)> = Vec::new();
    for seed in seeds {
        let share = f64::from(seed.score.max(0.0)) / ln(2.0 + count_hyperedges(index, seed.index) as f64);
        let joined = index.sentences_of(seed.index).iter().filter(|&&s| is_fact(index, s)).take(how.fan_out);
        shares.extend(joined.map(|&s| (s, share)));
    }
    sort_by(&mut shares, |a, b| a.0.cmp(&b.0));
    let mut order: Vec<(u32, f64)> =
        shares.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.iter().map(|x| x.1).sum())).collect();
    sort_by(&mut order, |a, b| {
        b.1.total_cmp(&a.1).then(score_of(scores, b.0).cmp(&score_of(scores, a.0))).then(a.0.cmp(&b.0))
    });
    order.into_iter().map(|x| x.0).collect()
}

/// Fuses lists by reciprocal rank without a constant: the sum over lists of 1 / rank from 1. Best first.
pub(super) fn fuse_ranks(lists: &[&[u32]]) -> Vec<Scored> {
    let mut all: Vec<(u32, f32)> =
        lists.iter().flat_map(|l| l.iter().enumerate().map(|(i, &s)| (s, 1.0 / (i + 1) as f32))).collect();
    sort_by(&mut all, |a, b| a.0.cmp(&b.0));
    let mut out: Vec<Scored> = all
        .chunk_by(|a, b| a.0 == b.0)
        .map(|run| Scored { index: run[0].0, score: run.iter().map(|x| x.1).sum() })
        .collect();
    sort_by(&mut out, |a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
    out
}

impl GraphRetriever for HyperGraph {
    const NAME: &'static str = "hypergraph";
    type Prepared = Joined;

    async fn open(&self, corpus: PreparedCorpus<'_>) -> Result<Joined, BundleError> {
        Joined::open(corpus, Self::NAME).await
    }

    async fn rank(&self, joined: &Joined, mut on: On<'_>) -> Result<Ranked, BundleError> {
        let index = joined.index();
        let Some(seeds) = on.nearest(index, self.entities) else { return Ok(on.by_cosine()) };
        let direct: Vec<u32> =
            top_k(joined.hyperedges(&mut on).await?, self.hyperedges).iter().map(|h| h.index).collect();
        let through = at_entities(index, joined.scores(), &seeds, self);
        let mut best: Vec<Scored> = Vec::new();
        for hyperedge in fuse_ranks(&[&through, &direct]) {
            let chunk = index.chunk_of(hyperedge.index);
            if best.len() < on.k() && !best.iter().any(|b| b.index == chunk) {
                best.push(Scored { index: chunk, score: hyperedge.score });
            }
        }
        if best.is_empty() {
            return Ok(on.by_cosine());
        }
        let weights: Map<u32, f32> = seeds.iter().map(|s| (s.index, s.score)).collect();
        Ok(on.asked.ranked(best, |chunk| joined.ways(&weights, chunk)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::QuantizedMatrix;

    fn index() -> EntityIndex {
        let rows: Vec<Vec<f32>> = (0..5).map(|i| vec![1.0, i as f32]).collect();
        let vectors = QuantizedMatrix::from_rows(2, rows.iter().map(Vec::as_slice));
        // Sentences: 0 {0,1}, 1 {0}, 2 {1,2}, 3 {0,2}, 4 {3,4}.
        EntityIndex::new(
            vectors,
            &[vec![vec![0, 1], vec![0]], vec![vec![1, 2]], vec![vec![2, 0]], vec![vec![3, 4]]],
            &[],
        )
    }

    fn seed(index: u32, score: f32) -> Scored {
        Scored { index, score }
    }

    #[test]
    fn a_sentence_that_joins_two_seeds_comes_first_and_one_entity_alone_joins_nothing() {
        let all = at_entities(&index(), &[], &[seed(0, 0.9), seed(1, 0.8)], &HyperGraph::default());
        assert_eq!(all, [0, 3, 2], "sentence 1 mentions one entity and is no hyperedge");
    }

    #[test]
    fn of_equal_hyperedges_the_one_of_the_higher_score_comes_first() {
        assert_eq!(at_entities(&index(), &[1, 1, 1, 9, 9], &[seed(0, 0.9)], &HyperGraph::default()), [3, 0]);
    }

    #[test]
    fn a_common_entity_fans_out_no_further_than_its_cap() {
        let how = HyperGraph { fan_out: 1, ..HyperGraph::default() };
        assert_eq!(at_entities(&index(), &[], &[seed(0, 0.9)], &how), [0]);
    }

    #[test]
    fn reciprocal_ranks_add_up() {
        let fused = fuse_ranks(&[&[7, 8, 9], &[9, 7]]);
        assert_eq!(fused.iter().map(|s| s.index).collect::<Vec<_>>(), [7, 9, 8]);
        assert!((fused[0].score - 1.5).abs() < 1e-6 && (fused[1].score - (1.0 / 3.0 + 1.0)).abs() < 1e-6);
        assert!(fuse_ranks(&[&[], &[]]).is_empty());
    }
}
