//! How lexical and dense scores become one, and how BM25's best hits stand in for a question's vector.

use super::{Corpus, Query, Stage};
use crate::bundle::BundleError;
use crate::elementary::exp_f32;
use crate::vector::Scored;

/// Share of the cosine in the fused score `(1 - a) BM25 / max BM25 + a cosine`: 0 ranks by words alone, 1 by meaning alone. One value serves every
/// encoder and every set tried (docs/benchmarks.md).
pub const FUSION_WEIGHT: f32 = 0.70;

/// The same for pseudo-relevance feedback, whose cosines are first stretched to 0..1 over the candidates.
pub const FEEDBACK_WEIGHT: f32 = 0.55;

/// How many of BM25's best chunks speak for the question in pseudo-relevance feedback.
const FEEDBACK_CHUNKS: usize = 20;

/// Pseudo-relevance feedback: the mean of the vectors of BM25's best chunks, weighted by exp((BM25 / max - 1) / 0.1) and normalised, stands in
/// for the question's vector until a model is there. Their sketches serve for the vectors where the bundle has sketches. `None` when BM25 found
/// nothing.
///
/// # Errors
/// [`BundleError`] when the root of the vectors or sketches cannot be loaded. Pages that cannot be are named in the second value.
pub async fn feedback_vector(corpus: &Corpus, lexical: &[Scored]) -> Result<(Option<Vec<f32>>, Vec<String>), BundleError> {
    let best = &lexical[..lexical.len().min(FEEDBACK_CHUNKS)];
    let Some(max) = best.first().map(|h| h.score).filter(|&m| m > 0.0) else { return Ok((None, Vec::new())) };
    let ids: Vec<u32> = best.iter().map(|h| h.index).collect();
    let weight = |h: &Scored| exp_f32((h.score / max - 1.0) / 0.1);
    if corpus.has_sketches() {
        let index = corpus.sketch_index().await?;
        let (pages, missing) = corpus.sketches(&index, index.pages.pages_of(&ids).items()).await;
        let coordinates = |h: &Scored| {
            let (page, place) = index.pages.locate(h.index)?;
            let sketch = pages.get(&page)?.chunks_exact(index.width()).nth(place)?;
            Some((weight(h), index.read(sketch)))
        };
        let mean = weighted_mean(best.iter().filter_map(coordinates));
        return Ok((mean.and_then(|mean| normalise(index.lift(&mean))), missing));
    }
    let (vectors, missing) = corpus.vectors_of(&ids).await?;
    let mean = weighted_mean(best.iter().filter_map(|h| Some((weight(h), vectors.get(&h.index)?.to_f32()))));
    Ok((mean.and_then(normalise), missing))
}

/// The mean of vectors of one dimension by their weights, which are positive; `None` of none.
fn weighted_mean(vectors: impl Iterator<Item = (f32, Vec<f32>)>) -> Option<Vec<f32>> {
    let (mut sum, mut total): (Vec<f32>, f32) = (Vec::new(), 0.0);
    for (weight, vector) in vectors {
        sum.resize(vector.len(), 0.0);
        sum.iter_mut().zip(&vector).for_each(|(s, x)| *s += weight * x);
        total += weight;
    }
    sum.iter_mut().for_each(|s| *s /= total);
    (total > 0.0).then_some(sum)
}

/// The question's vector, or what stands in for it: the token table's, or that of BM25's best hits; which of them spoke; and what could not be loaded.
///
/// # Errors
/// As [`feedback_vector`].
pub(super) async fn spoken_for(
    corpus: &Corpus,
    query: &Query,
    lexical: &[Scored],
) -> Result<(Option<Vec<f32>>, Stage, Vec<String>), BundleError> {
    if let Some(v) = &query.vector {
        return Ok((Some(v.clone()), Stage::Model, Vec::new()));
    }
    if let Some(v) = &query.by_table {
        return Ok((Some(v.clone()), Stage::Table, Vec::new()));
    }
    let (vector, missing) = feedback_vector(corpus, lexical).await?;
    Ok((vector, Stage::Feedback, missing))
}

/// The vector with length 1; `None` for the zero vector.
fn normalise(mut v: Vec<f32>) -> Option<Vec<f32>> {
    let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !(length.is_finite() && length > 0.0) {
        return None;
    }
    v.iter_mut().for_each(|x| *x /= length);
    Some(v)
}
