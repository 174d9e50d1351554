//! The `graphrag` retriever: GraphRAG's local and global search (arXiv 2404.16130) without a language model.
//!
//! Local search takes the entities nearest to the question and their text units, entity by entity, those with most of the entity's relations first. Global
//! search (`graphrag:global`) takes the community reports nearest to the question, and the sentences that each rests on: where the original maps a model
//! over all reports and reduces, this retrieves and leaves reducing to the answer.

use super::linear::by_entities;
use super::prepared::Asked;
use super::{Corpus, DEFAULT_K, Query, Ranked, Reached, Retriever};
use crate::bundle::BundleError;
use crate::compact::{Map, sort_by};
use crate::entities::{Communities, EntityIndex};
use crate::vector::{QuantizedVector, Scored, top_k};
use futures::future::{FutureExt, LocalBoxFuture};

/// The retriever with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GraphRag {
    /// Search over community reports rather than over entities.
    pub global: bool,
    /// Entities that local search starts from: the original asks for ten, twice over.
    pub entities: usize,
    /// Reports that global search takes.
    pub reports: usize,
    /// The deepest level of reports that global search looks at.
    pub level: u32,
}

impl Default for GraphRag {
    fn default() -> Self {
        GraphRag { global: false, entities: 20, reports: 20, level: 2 }
    }
}

/// The text units of `entities`, in their order; of one entity those with most of its relations first, then those nearer to the question.
pub(super) fn text_units(index: &EntityIndex, communities: &Communities, entities: &[u32], cosines: &[Option<f32>]) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::new();
    let mut taken = vec![false; index.chunks()];
    for &entity in entities {
        let related = communities.relations.neighbours(entity as usize).0;
        let mut units: Vec<(u32, usize, f32)> = index
            .chunks_of(entity)
            .iter()
            .filter(|&&c| !taken[c as usize])
            .map(|&c| {
                let relations = index.counts(c).0.iter().filter(|e| related.binary_search(e).is_ok()).count();
                (c, relations, cosines.get(c as usize).copied().flatten().unwrap_or(f32::NEG_INFINITY))
            })
            .collect();
        sort_by(&mut units, |a, b| b.1.cmp(&a.1).then(b.2.total_cmp(&a.2)).then(a.0.cmp(&b.0)));
        for (c, _, _) in units {
            taken[c as usize] = true;
            out.push(c);
        }
    }
    out
}

/// The reports that global search looks at: of every branch the deepest whose level is at most `level`.
pub(super) fn reports_at(communities: &Communities, level: u32) -> Vec<u32> {
    let mut divided = vec![false; communities.all.len()];
    for c in communities.all.iter().filter(|c| c.level <= level) {
        if let Some(p) = c.parent {
            divided[p as usize] = true;
        }
    }
    let at = |(i, c): (usize, &crate::entities::Community)| (c.level <= level && !divided[i]).then_some(i as u32);
    communities.all.iter().enumerate().filter_map(at).collect()
}

/// How much more a community that stands in many chunks counts: up to a tenth.
const WEIGHT: f32 = 0.1;

/// The best reports for a question: by cosine, a little more for communities that stand in many chunks.
pub(super) fn best_reports(communities: &Communities, question: &QuantizedVector, how: &GraphRag) -> Vec<Scored> {
    if communities.vectors.dim() != question.data.len() {
        return Vec::new();
    }
    let score = |i: u32| {
        let c = &communities.all[i as usize];
        Scored { index: i, score: communities.vectors.dot(i as usize, question) * (1.0 + WEIGHT * c.weight) }
    };
    top_k(reports_at(communities, how.level).into_iter().map(score), how.reports)
}

impl Retriever for GraphRag {
    fn name(&self) -> &'static str {
        "graphrag"
    }

    fn retrieve<'a>(&'a self, corpus: &'a Corpus, query: &'a Query, k: Option<usize>) -> LocalBoxFuture<'a, Result<Ranked, BundleError>> {
        async move {
            let (names, index) = corpus.entities(self.name()).await?;
            let communities = corpus.communities(self.name(), index.entities()).await?;
            let k = k.unwrap_or(DEFAULT_K);
            let asked = match Asked::ask(corpus, query).await? {
                Ok(asked) => asked,
                Err(nothing) => return Ok(nothing),
            };
            if self.global {
                let mut best: Vec<Scored> = Vec::new();
                let mut titles: Map<u32, Vec<Reached>> = Map::new();
                for report in best_reports(&communities, &asked.question, self) {
                    let community = &communities.all[report.index as usize];
                    for &(chunk, _) in &community.sentences {
                        if best.len() < k && !best.iter().any(|b| b.index == chunk) {
                            best.push(Scored { index: chunk, score: report.score });
                        }
                        titles.get_or_insert_with(chunk, Vec::new).push(Reached::Summary { title: community.title.clone() });
                    }
                }
                // No communities, or none with a sentence: the question is left to the vectors.
                if best.is_empty() {
                    return Ok(asked.by_cosine(k));
                }
                return Ok(asked.ranked(best, |chunk| {
                    let mut ways = titles.get(&chunk).cloned().unwrap_or_default();
                    ways.dedup();
                    ways
                }));
            }
            if index.vectors.dim() != asked.question.data.len() {
                return Ok(asked.by_cosine(k));
            }
            let near = index.vectors.scan(&asked.question).into_iter().enumerate().map(|(e, score)| Scored { index: e as u32, score });
            let seeds = top_k(near.filter(|s| !index.sentences_of(s.index).is_empty()), self.entities);
            let entities: Vec<u32> = seeds.iter().map(|s| s.index).collect();
            let units = text_units(&index, &communities, &entities, &asked.cosines);
            if units.is_empty() {
                return Ok(asked.by_cosine(k));
            }
            // The score keeps the order; the cosine is told beside it.
            let best = units.iter().take(k).enumerate().map(|(i, &index)| Scored { index, score: 1.0 / (1.0 + i as f32) }).collect();
            let weights: Map<u32, f32> = seeds.iter().map(|s| (s.index, s.score)).collect();
            Ok(asked.ranked(best, |chunk| by_entities(&names, &index, &weights, chunk)))
        }
        .boxed_local()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entities::Community;
    use crate::sparse::Edges;
    use crate::vector::QuantizedMatrix;

    fn matrix(rows: &[[f32; 2]]) -> QuantizedMatrix {
        QuantizedMatrix::from_rows(2, rows.iter().map(|r| &r[..]))
    }

    fn communities() -> Communities {
        let mut edges = Edges::default();
        [(0, 1), (0, 2), (3, 4)].iter().for_each(|&(a, b)| edges.add(a, b, 1.0));
        let of = |level, parent, weight| Community { level, parent, title: String::new(), members: vec![], weight, sentences: vec![] };
        Communities {
            relations: edges.graph(5),
            all: vec![of(0, None, 1.0), of(0, None, 0.2), of(1, Some(0), 0.5), of(2, Some(2), 0.4), of(3, Some(3), 0.4)],
            vectors: matrix(&[[1.0, 0.0], [0.9, 0.1], [0.8, 0.2], [0.0, 1.0], [1.0, 0.0]]),
        }
    }

    #[test]
    fn text_units_follow_the_entities_and_their_relations() {
        // Chunks: 0 {0}, 1 {0,1,2}, 2 {0,1}, 3 {3}.
        let vectors = matrix(&[[1.0, 0.0]; 5]);
        let index = EntityIndex::new(vectors, &[vec![vec![0]], vec![vec![0, 1, 2]], vec![vec![0, 1]], vec![vec![3]]], &[]);
        let cosines = [Some(0.9), Some(0.1), Some(0.2), None];
        assert_eq!(text_units(&index, &communities(), &[0, 3], &cosines), [1, 2, 0, 3]);
        assert_eq!(text_units(&index, &communities(), &[3, 0], &cosines), [3, 1, 2, 0]);
        assert!(text_units(&index, &communities(), &[4], &cosines).is_empty());
    }

    #[test]
    fn global_search_looks_at_the_deepest_reports_that_its_level_allows() {
        assert_eq!(reports_at(&communities(), 0), [0, 1]);
        assert_eq!(reports_at(&communities(), 1), [1, 2]);
        assert_eq!(reports_at(&communities(), 2), [1, 3]);
        assert_eq!(reports_at(&communities(), 9), [1, 4]);
    }

    #[test]
    fn the_nearest_report_comes_first_and_vectors_of_another_model_find_none() {
        let q = QuantizedVector::from_f32(&[0.0, 1.0]);
        let best = best_reports(&communities(), &q, &GraphRag::default());
        assert_eq!(best[0].index, 3);
        assert!(best_reports(&communities(), &QuantizedVector::from_f32(&[1.0]), &GraphRag::default()).is_empty());
    }
}
