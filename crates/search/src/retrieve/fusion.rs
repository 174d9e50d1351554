//! How lexical and dense scores become one, and how BM25's best hits stand in for a question's vector.

use super::{Corpus, Query, Stage};
use crate::bundle::BundleError;
use crate::elementary::exp_f32;
use crate::embed::MULTILINGUAL;
use crate::lexical::{LexicalResult, idf};
use crate::vector::Scored;

/// Share of the cosine in the fused score `(1 - a) BM25 / max BM25 + a cosine`: 0 ranks by words alone, 1 by
/// meaning alone. One value serves every encoder and every set tried (docs/benchmarks/first-seconds.md).
pub const FUSION_WEIGHT: f32 = 0.70;

/// The same for pseudo-relevance feedback, whose cosines are first stretched to 0..1 over the candidates.
pub const FEEDBACK_WEIGHT: f32 = 0.55;

/// Share of that stand-in beside the token table's vector, which has 1. The table knows what a question asks
/// for on documentation, feedback what the corpus means by its words; between .3 and .5 they have most of the
/// better of the two on each set tried (docs/benchmarks/first-seconds.md).
const TABLE_LEANS: f32 = 0.4;

/// Number of BM25's best chunks that replace the question in pseudo-relevance feedback.
const FEEDBACK_CHUNKS: usize = 20;

/// Pseudo-relevance feedback: the mean of the vectors of BM25's best chunks, weighted by exp((BM25 / max - 1)
/// / 0.1) and normalised, stands in for the question's vector until a model is there. Their sketches serve
/// for the vectors where the bundle has sketches. `None` when BM25 found nothing.
///
/// # Errors
/// [`BundleError`] when the root of vectors or sketches cannot be loaded. The second value names missing
/// pages.
pub async fn feedback_vector(
    corpus: &Corpus,
    lexical: &[Scored],
) -> Result<(Option<Vec<f32>>, Vec<String>), BundleError> {
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
        return Ok((mean.and_then(|mean| normalise_vector(index.lift(&mean))), missing));
    }
    let (vectors, missing) = corpus.vectors_of(&ids).await?;
    let mean = weighted_mean(best.iter().filter_map(|h| Some((weight(h), vectors.get(&h.index)?.to_f32()))));
    Ok((mean.and_then(normalise_vector), missing))
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

/// The first character of the scripts that MiniLM spells letter by letter: Greek's. Behind it stand Cyrillic,
/// Hebrew, Arabic, the scripts of India and South-East Asia, Chinese, Japanese and Korean, of which its
/// vocabulary has single characters at most. On XQuAD in Chinese, Arabic and Hindi its cosine at the usual
/// weight ranked worse than words alone (`hybrid` .772, .665 and .792 recall@1, `lexical` .905, .819 and
/// .901).
const FIRST_SPELT: char = '\u{370}';

/// Share of the cosine in the fused score: [`FUSION_WEIGHT`], or the build's choice for the documents'
/// languages.
pub(super) fn cosine_share(corpus: &Corpus) -> f32 {
    corpus.bundle().manifest().embedder.weight.map_or(FUSION_WEIGHT, |percent| percent as f32 / 100.0)
}

/// Returns true if the bundle's embedder cannot read the question: it knows no language of the documents, or,
/// if it is the built-in one, more than half of the question's terms are in scripts that it was not trained
/// on.
fn is_unread(corpus: &Corpus, query: &Query) -> bool {
    let terms = &query.lexical.terms;
    let spelt = terms
        .iter()
        .filter(|t| t.starts_with(|c| c >= FIRST_SPELT && !('\u{1d00}'..'\u{2c80}').contains(&c)))
        .count();
    let embedder = &corpus.bundle().manifest().embedder;
    embedder.weight == Some(0) || embedder.id == "minilm" && 2 * spelt > terms.len()
}

/// Share of a question's words, by rarity, that its best passage must contain for words to count in full, if
/// the embedder knows many languages: below it they count for less, in proportion, down to nothing. A
/// question in another language than the documents' has names and figures in common with them at most, and
/// words that only look alike. Hand-set: best on XQuAD in five languages (`tuning/across.py`) beside weights
/// of `auto` that were given up.
const COMMON_LANGUAGE: f32 = 0.5;

/// Returns BM25's weight for this question, 0 to 1; always 1 except with the multilingual model.
pub(super) fn words_share(corpus: &Corpus, query: &Query, found: &LexicalResult) -> f32 {
    let multilingual = corpus.bundle().manifest().embedder.id == MULTILINGUAL;
    if multilingual { (held_share(corpus, query, found) / COMMON_LANGUAGE).min(1.0) } else { 1.0 }
}

/// The share of a question's words, by rarity, that its best passage holds: BM25 over what it would be for a
/// passage of the usual length that has each of them once. What stands nowhere counts as what stands in one
/// passage.
pub(super) fn held_share(corpus: &Corpus, query: &Query, found: &LexicalResult) -> f32 {
    let frequency = |term: &String| found.document_frequency.get(term).copied().unwrap_or(0).max(1);
    let all: f32 = query.lexical.terms.iter().map(|term| idf(frequency(term), corpus.len())).sum();
    let best = found.hits.first().map_or(0.0, |h| h.score);
    if all > 0.0 { (best / all).min(1.0) } else { 0.0 }
}

/// Works as [`spoken_for`], but gives no vector if the embedder cannot read the question: its words rank
/// alone.
pub(super) async fn read_by_embedder(
    corpus: &Corpus,
    query: &Query,
    lexical: &[Scored],
) -> Result<(Option<Vec<f32>>, Stage, Vec<String>), BundleError> {
    if is_unread(corpus, query) {
        return Ok((None, Stage::Lexical, Vec::new()));
    }
    query_vector(corpus, query, lexical).await
}

/// The question's vector, or what stands in for it: the token table's, leaning to that of BM25's best hits,
/// or the latter alone; which of them spoke; and what could not be loaded.
pub(super) async fn query_vector(
    corpus: &Corpus,
    query: &Query,
    lexical: &[Scored],
) -> Result<(Option<Vec<f32>>, Stage, Vec<String>), BundleError> {
    if let Some(v) = &query.vector {
        return Ok((Some(v.clone()), Stage::Model, Vec::new()));
    }
    let (near, missing) = feedback_vector(corpus, lexical).await?;
    Ok(match &query.by_table {
        Some(table) => (lean_towards(table, near.as_deref()), Stage::Table, missing),
        None => (near, Stage::Feedback, missing),
    })
}

/// Moves the token table's vector towards BM25's best hits (as Rocchio does). `None` if they cancel out.
fn lean_towards(table: &[f32], near: Option<&[f32]>) -> Option<Vec<f32>> {
    let mut sum = table.to_vec();
    sum.iter_mut().zip(near.unwrap_or_default()).for_each(|(s, x)| *s += TABLE_LEANS * x);
    normalise_vector(sum)
}

/// The vector with length 1; `None` for the zero vector.
fn normalise_vector(mut v: Vec<f32>) -> Option<Vec<f32>> {
    let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !(length.is_finite() && length > 0.0) {
        return None;
    }
    v.iter_mut().for_each(|x| *x /= length);
    Some(v)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_vector_leans_to_the_best_hits_and_keeps_its_length() {
        let leant = lean_towards(&[1.0, 0.0], Some(&[0.0, 1.0])).unwrap();
        assert!(
            (leant[1] / leant[0] - TABLE_LEANS).abs() < 1e-6
                && (leant[0] * leant[0] + leant[1] * leant[1] - 1.0).abs() < 1e-6,
            "{leant:?}"
        );
        // Where BM25 found nothing, the table speaks alone.
        assert_eq!(lean_towards(&[0.6, 0.8], None).unwrap(), [0.6, 0.8]);
        assert_eq!(lean_towards(&[TABLE_LEANS, 0.0], Some(&[-1.0, 0.0])), None);
    }
}
