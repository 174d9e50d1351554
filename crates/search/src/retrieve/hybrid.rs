//! The `hybrid` retriever: BM25 and cosine fused as `(1 - a) BM25 / max + a cosine`.

use super::autokg::direct_keywords;
use super::fusion::{FEEDBACK_WEIGHT, FUSION_WEIGHT, cosine_share, read_by_embedder, words_share};
use super::scan::{EXACT_BELOW, survey_chunks};
use super::{
    Corpus, DEFAULT_K, KeywordHit, Query, Ranked, RankedChunk, Reached, Retrieval, Retriever, Stage,
};
use crate::compact::{Map, Set};
use crate::lexical;
use crate::vector::{QuantizedVector, Scored, top_k};
use futures::future::FutureExt;

/// Number of chunks that either side proposes.
const CANDIDATES: usize = 1000;
/// Number of BM25's best chunks whose vectors are fetched if they are scattered over a large corpus.
const SCATTERED: usize = 20;

/// BM25 and cosine together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hybrid;

impl Retriever for Hybrid {
    fn name(&self) -> &'static str {
        "hybrid"
    }

    fn retrieve<'a>(&'a self, corpus: &'a Corpus, query: &'a Query, k: Option<usize>) -> Retrieval<'a> {
        async move {
            let k = k.unwrap_or(DEFAULT_K);
            let found =
                lexical::search(corpus.bundle(), &query.lexical, CANDIDATES, query.kept.as_deref()).await?;
            let word_share = words_share(corpus, query, &found);
            let mut missing = found.missing;
            let (vector, stage, lost) = read_by_embedder(corpus, query, &found.hits).await?;
            missing.extend(lost);
            let words: Map<u32, f32> = found.hits.iter().map(|h| (h.index, h.score)).collect();
            let mut cosines: Map<u32, f32> = Map::new();
            if let Some(vector) = &vector {
                let near: Vec<u32> = found.hits.iter().map(|h| h.index).collect();
                let mut dense =
                    survey_chunks(corpus, vector, stage, CANDIDATES, &near, query.kept.clone()).await?;
                if corpus.len() > EXACT_BELOW {
                    let best: Vec<u32> = found.hits.iter().take(SCATTERED.max(k)).map(|h| h.index).collect();
                    dense.also(corpus, &best).await;
                }
                cosines.extend(dense.best.iter().map(|h| (h.index, h.score)));
                cosines.extend(words.keys().filter_map(|&c| dense.cosine(c).map(|x| (c, x))));
                missing.append(&mut dense.missing);
            }
            let shares = Shares {
                words: if stage == Stage::Model { word_share } else { 1.0 },
                meaning: cosine_share(corpus),
            };
            let ranked = fuse_scores(&words, &cosines, stage, &shares, k);
            let keywords = shown_keywords(corpus, vector.as_deref(), stage, &mut missing).await;
            let chunks = ranked
                .into_iter()
                .map(|h| RankedChunk {
                    chunk: h.index,
                    score: h.score,
                    lexical: words.get(&h.index).copied(),
                    dense: cosines.get(&h.index).copied(),
                    reached: vec![Reached::Query],
                })
                .collect();
            Ok(Ranked {
                stage: if vector.is_some() { stage } else { Stage::Lexical },
                chunks,
                keywords,
                document_frequency: found.document_frequency,
                translations: Vec::new(),
                missing,
            })
        }
        .boxed_local()
    }
}

/// Keywords shown beside the hits.
const SHOWN_KEYWORDS: usize = 5;

/// The keywords nearest to the question, where the bundle has a keyword graph; one that cannot be loaded is
/// named in `missing`. The first hits do not wait for them: while feedback stands in for the question they
/// are shown only where the graph is at hand.
pub(super) async fn shown_keywords(
    corpus: &Corpus,
    vector: Option<&[f32]>,
    stage: Stage,
    missing: &mut Vec<String>,
) -> Vec<KeywordHit> {
    let wanted = corpus.bundle().has("keywords") && (stage == Stage::Model || corpus.keywords_at_hand());
    let Some(vector) = vector.filter(|_| wanted) else { return Vec::new() };
    match corpus.keywords().await {
        Ok(graph) => direct_keywords(&graph, &QuantizedVector::from_f32(vector), SHOWN_KEYWORDS),
        Err(e) => {
            missing.push(e.to_string());
            Vec::new()
        }
    }
}

/// Weights of the two sides.
struct Shares {
    /// Fraction of BM25's usual weight.
    words: f32,
    /// The cosine's share.
    meaning: f32,
}

/// The fused ranking. A chunk that one side did not see counts nothing on that side.
fn fuse_scores(
    words: &Map<u32, f32>,
    cosines: &Map<u32, f32>,
    stage: Stage,
    shares: &Shares,
    k: usize,
) -> Vec<Scored> {
    let weight = shares.meaning;
    let feedback = FEEDBACK_WEIGHT * weight / FUSION_WEIGHT;
    let max = words.values().fold(0f32, |m, &s| m.max(s));
    let share = |c: &u32| if max > 0.0 { words.get(c).copied().unwrap_or(0.0) / max } else { 0.0 };
    let (low, high) =
        cosines.values().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), &x| (l.min(x), h.max(x)));
    let score = |c: &u32| {
        let cosine = cosines.get(c).copied();
        if stage == Stage::Feedback {
            let stretched = cosine.map_or(0.0, |x| if high > low { (x - low) / (high - low) } else { 1.0 });
            (1.0 - feedback) * share(c) + feedback * stretched
        } else {
            (1.0 - weight) * shares.words * share(c) + weight * cosine.unwrap_or(0.0)
        }
    };
    let all: Set<u32> = words.keys().chain(cosines.keys()).copied().collect();
    top_k(all.items().iter().map(|c| Scored { index: *c, score: score(c) }), k)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Shares = Shares { words: 1.0, meaning: FUSION_WEIGHT };

    #[test]
    fn a_chunk_that_both_sides_like_beats_the_best_of_either() {
        let words = Map::from_iter([(1, 10.0), (2, 8.0)]);
        let cosines = Map::from_iter([(2, 0.5), (3, 0.55)]);
        let order: Vec<u32> =
            fuse_scores(&words, &cosines, Stage::Model, &USUAL, 3).iter().map(|s| s.index).collect();
        assert_eq!(order, [2, 3, 1]);
    }

    #[test]
    fn words_that_say_little_of_a_question_do_not_outweigh_its_meaning() {
        let words = Map::from_iter([(1, 10.0)]);
        let cosines = Map::from_iter([(1, 0.3), (2, 0.6)]);
        let first = |share: f32| {
            fuse_scores(&words, &cosines, Stage::Model, &Shares { words: share, ..USUAL }, 1)[0].index
        };
        assert_eq!((first(1.0), first(0.2)), (1, 2));
    }

    #[test]
    fn without_words_the_cosine_ranks_alone() {
        let cosines = Map::from_iter([(4, 0.1), (9, 0.2)]);
        assert_eq!(fuse_scores(&Map::new(), &cosines, Stage::Model, &USUAL, 1)[0].index, 9);
    }

    #[test]
    fn equal_feedback_cosines_are_no_division_by_zero() {
        let s =
            fuse_scores(&Map::from_iter([(1, 1.0)]), &Map::from_iter([(1, 0.3)]), Stage::Feedback, &USUAL, 1);
        assert!(s[0].score.is_finite());
    }
}
