//! The `linear` retriever: LinearRAG (arXiv 2510.10114). Entities of the question activate others through
//! sentences near it, and personalised PageRank over passages and entities ranks the passages. It needs no
//! language model and no relation extraction.
//!
//! Where paper and published program differ, this follows the program's breadth-first form: activations add
//! up, and the walk goes on with probability one half. Case does not count in names, and the build
//! counts a passage's mentions instead of searching substrings. Every sentence of a passage counts as about
//! the subject of the passage's title, which it mostly calls "he" or "it": the original's recogniser reads
//! the title as part of the text, but finds no pronouns.

use super::graph_retriever::{Entities, GraphRetriever, On, by_entities};
use super::prepared::{Cosines, question_entities};
use super::{PreparedCorpus, Ranked};
use crate::bundle::BundleError;
use crate::compact::{Map, Set, sort_unique};
use crate::elementary::ln;
use crate::entities::EntityIndex;
use crate::sparse::{PageRank, page_rank, push_page_rank};
use crate::vector::{Scored, top_k};

/// LinearRAG with its parameters; the defaults are the published program's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linear {
    /// Number of tiers of entities, with the question's own: 3 means two steps.
    pub tiers: usize,
    /// Number of sentences followed from an entity in a step.
    pub sentences: usize,
    /// rho: factor of a passage's cosine to the question against the activated entities in it.
    pub passage_ratio: f64,
    /// tau: least activation that is passed on.
    pub threshold: f32,
    /// alpha of the walk: the probability that it goes on.
    pub damping: f64,
    /// Factor of the passages' reset weights, against those of the entities.
    pub passage_weight: f64,
}

impl Default for Linear {
    fn default() -> Self {
        Linear {
            tiers: 3,
            sentences: 1,
            passage_ratio: 1.5,
            threshold: 0.5,
            damping: 0.5,
            passage_weight: 0.05,
        }
    }
}

/// Entities that the question activates.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Activation {
    /// The last activation of each entity and its tier.
    pub last: Map<u32, (f32, usize)>,
    /// Sum of all activations of each entity.
    pub weight: Map<u32, f32>,
}

/// Computes a tier: the activations that `frontier` passes on through its best sentences that are not `used`
/// yet. Entities are taken in ascending order, because a sentence serves only the first that reaches it and
/// an entity keeps its last activation.
pub(super) fn pass_on(
    index: &EntityIndex,
    frontier: &[(u32, f32)],
    near: &Map<u32, f32>,
    used: &mut Set<u32>,
    linear: &Linear,
    weight: &mut Map<u32, f32>,
) -> Vec<(u32, f32)> {
    let mut next: Map<u32, f32> = Map::new();
    for &(entity, score) in frontier.iter().filter(|(_, s)| *s >= linear.threshold) {
        let fresh = index.naming(entity).into_iter().filter(|s| !used.contains(s));
        let best =
            top_k(fresh.filter_map(|s| Some(Scored { index: s, score: *near.get(&s)? })), linear.sentences);
        used.extend(best.iter().map(|h| h.index));
        for sentence in best {
            for reached in index.sentence_entities(sentence.index) {
                let passed = score * sentence.score.max(0.0);
                if passed >= linear.threshold {
                    *weight.get_or_insert_with(reached, || 0.0) += passed;
                    next.insert(reached, passed);
                }
            }
        }
    }
    next.iter().map(|(&e, &s)| (e, s)).collect()
}

/// Returns the reset weights of passages, then of entities.
pub(super) fn reset_weights(
    index: &EntityIndex,
    active: &Activation,
    cosines: &Cosines,
    linear: &Linear,
) -> Vec<f64> {
    let mut sums = vec![0f64; index.chunks()];
    for (&entity, &(score, tier)) in active.last.iter() {
        for &chunk in index.chunks_of(entity) {
            let (entities, counts) = index.mention_counts(chunk);
            let n = entities.binary_search(&entity).map_or(0, |at| counts[at]);
            sums[chunk as usize] += f64::from(score) * ln(1.0 + f64::from(n)) / tier.max(1) as f64;
        }
    }
    let dense = cosines.stretched(index.chunks());
    let passage = |(c, sum): (usize, f64)| {
        linear.passage_weight
            * (linear.passage_ratio * dense.get(c).copied().unwrap_or(0.0) + ln(1.0 + sum.max(0.0)))
    };
    let mut out: Vec<f64> = sums.into_iter().enumerate().map(passage).collect();
    let mut entities = vec![0f64; index.entities()];
    for (&e, &w) in active.weight.iter() {
        if let Some(slot) = entities.get_mut(e as usize) {
            *slot = f64::from(w);
        }
    }
    out.append(&mut entities);
    out
}

/// Number of edges from which the walk is a forward push from the seeds and the best passages only.
const PUSH_FROM: usize = 1_000_000;
/// Number of passages that keep their reset weight in a push.
const PUSHED_PASSAGES: usize = 300;
/// Residual per degree at which a push stops.
const PUSH_EPSILON: f64 = 1e-6;

/// Returns the share of the walk at each passage of the graph; `None` if no reset weight is positive.
pub(super) fn walk_shares(
    graph: &crate::sparse::Graph,
    chunks: usize,
    reset: &[f64],
    damping: f64,
) -> Option<Vec<Scored>> {
    let options = PageRank { damping, ..PageRank::default() };
    let scored = |(i, x): (usize, f64)| Scored { index: i as u32, score: x as f32 };
    if graph.edges() < PUSH_FROM {
        return Some(
            page_rank(graph, reset, &options)?.into_iter().take(chunks).enumerate().map(scored).collect(),
        );
    }
    let passages =
        reset.iter().take(chunks).enumerate().map(|(i, &w)| Scored { index: i as u32, score: w as f32 });
    let mut seeds: Vec<(u32, f64)> =
        top_k(passages, PUSHED_PASSAGES).iter().map(|h| (h.index, f64::from(h.score))).collect();
    seeds.extend(
        reset.iter().enumerate().skip(chunks).filter(|(_, w)| **w > 0.0).map(|(i, &w)| (i as u32, w)),
    );
    let ranks = push_page_rank(graph, &seeds, PUSH_EPSILON, &options)?;
    Some(
        ranks
            .into_iter()
            .filter(|(i, _)| (*i as usize) < chunks)
            .map(|(i, x)| scored((i as usize, x)))
            .collect(),
    )
}

impl GraphRetriever for Linear {
    const NAME: &'static str = "linear";
    type Prepared = Entities;

    async fn open(&self, corpus: PreparedCorpus<'_>) -> Result<Entities, BundleError> {
        corpus.entities(Self::NAME).await
    }

    async fn rank(&self, (names, index): &Entities, mut on: On<'_>) -> Result<Ranked, BundleError> {
        let seeds = question_entities(on.query, names, index).await;
        if seeds.is_empty() {
            return Ok(on.by_cosine());
        }
        let mut active = Activation {
            last: seeds.iter().map(|&(e, s)| (e, (s, 1))).collect(),
            weight: seeds.iter().copied().collect(),
        };
        let mut frontier = seeds;
        let (mut near, mut used, mut seen): (Map<u32, f32>, Set<u32>, Set<u32>) = Default::default();
        for tier in 2..=self.tiers {
            let mut wanted: Vec<u32> = frontier
                .iter()
                .filter(|(_, s)| *s >= self.threshold)
                .flat_map(|&(e, _)| index.chunks_of(e).iter().copied())
                .filter(|c| !seen.contains(c))
                .collect();
            sort_unique(&mut wanted);
            let (cosines, mut missing) =
                on.corpus.sentence_cosines(index, &wanted, &on.asked.question).await?;
            on.asked.missing.append(&mut missing);
            near.extend(cosines.iter().map(|h| (h.index, h.score)));
            seen.extend(wanted);
            frontier = pass_on(index, &frontier, &near, &mut used, self, &mut active.weight);
            if frontier.is_empty() {
                break;
            }
            active.last.extend(frontier.iter().map(|&(e, s)| (e, (s, tier))));
        }
        let reset = reset_weights(index, &active, &on.asked.cosines, self);
        let Some(ranks) = walk_shares(index.passages(), index.chunks(), &reset, self.damping) else {
            return Ok(on.by_cosine());
        };
        let best = top_k(ranks, on.k());
        Ok(on.asked.ranked(best, |chunk| by_entities((names, index), &active.weight, chunk)))
    }
}

#[cfg(test)]
#[path = "linear_tests.rs"]
mod tests;
