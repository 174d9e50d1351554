//! The `auto` retriever, the default: words, meaning and names in one score, and where a corpus is about
//! named things, one hop from a passage to the passages that it mentions.
//!
//! A question that names a document asks for it; what the question says besides the name (its rest) must be
//! answered there or one mention away. So BM25 and cosine are taken of the question and of its rest, a
//! document named in the question and a title covered by its words add to the score, and in an
//! encyclopaedia-like part of the corpus (see [`crate::names::opens_with_title`]) the best passages lead on,
//! if they leave a part of the question open: to the documents they mention, and to what answers a bridge
//! query, the uncovered words of the question with the names that the passage brings.
//!
//! One setting serves all corpora. What it reaches is in docs/benchmarks/retrievers.md.

mod features;
mod hop;

use super::fusion::{FUSION_WEIGHT, cosine_share, held_share, read_by_embedder, words_share};
use super::hybrid::{Hybrid, shown_keywords};
use super::names::{NameIndex, count_links as links_in};
use super::scan::{Scan, survey_chunks};
use super::{
    Corpus, DEFAULT_K, FEEDBACK_WEIGHT, Query, Ranked, RankedChunk, Reached, Retrieval, Retriever, Stage,
};
use crate::bundle::BundleError;
use crate::compact::Map;
use crate::kept::is_kept;
use crate::lexical::{self, LexicalQuery, LexicalResult};
use crate::vector::{QuantizedVector, Scored, top_k};
use features::{Candidates, Named};
use futures::future::{FutureExt, LocalBoxFuture, join};

/// Number of chunks with scores by BM25 and by cosine.
const SCORED: usize = 2000;
/// Number of candidates from the best by cosine, and as many from the best by BM25.
const PROPOSED: usize = 50;
/// Number of candidates whose titles the question's words cover.
const COVERED: usize = 10;
/// Chunks of one named document that are candidates.
const OF_A_DOCUMENT: usize = 20;

/// The weights of the first pass, by feature. Hand-set: those of names and titles are of a fit by
/// `tuning/auto.py` to twelve sets. Later ones, with the rarity of names, were given up.
mod weight {
    /// Cosine to the question.
    pub const D: f32 = 4.9;
    /// BM25 of the question, over its maximum.
    pub const B: f32 = 3.5;
    /// Named in the question: 1 over the root of how many documents have the name.
    pub const NAMED: f32 = 2.9;
    /// Share of the title, by rarity, that the question covers.
    pub const TITLE: f32 = 2.3;
    /// Cosine to the rest of the question.
    pub const D_REST: f32 = 4.2;
    /// BM25 of the rest, over its maximum.
    pub const B_REST: f32 = 0.8;
}

/// Words, meaning, names, and a hop where it pays.
#[derive(Debug, Clone, Copy, Default)]
pub struct Auto;

impl Retriever for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn retrieve<'a>(&'a self, corpus: &'a Corpus, query: &'a Query, k: Option<usize>) -> Retrieval<'a> {
        async move {
            // An unfinished word names nothing yet, and a hit while typing should cost as little as it can.
            if query.lexical.prefix.is_some() || !corpus.bundle().has("names") {
                return Hybrid.retrieve(corpus, query, k).await;
            }
            let words = lexical::search(corpus.bundle(), &query.lexical, SCORED, query.kept.as_deref());
            let (found, names) =
                join(words, NameIndex::open(corpus, &query.read, &query.lexical.terms)).await;
            match names {
                Ok(names) => rank_chunks(corpus, query, &names, found?, k.unwrap_or(DEFAULT_K)).await,
                Err(e) => {
                    let mut ranked = Hybrid.retrieve(corpus, query, k).await?;
                    ranked.missing.push(e.to_string());
                    Ok(ranked)
                }
            }
        }
        .boxed_local()
    }
}

/// State of the first pass.
struct First<'a> {
    all: Candidates<'a>,
    words: Map<u32, f32>,
    dense: Option<Scan>,
    vector: Option<Vec<f32>>,
    rest: Option<QuantizedVector>,
    stage: Stage,
    missing: Vec<String>,
}

/// Gathers candidates by words, meaning, names and titles, with their features. `speak` is the words' share.
fn gather_candidates<'a>(
    corpus: &'a Corpus,
    query: &'a Query,
    names: &'a NameIndex,
    named: &'a Named,
    found: &'a LexicalResult,
    word_share: f32,
) -> LocalBoxFuture<'a, Result<First<'a>, BundleError>> {
    async move {
        let mut missing = found.missing.clone();
        missing.extend(names.missing().cloned());
        let words: Map<u32, f32> = found.hits.iter().map(|h| (h.index, h.score)).collect();
        let rest_words: Map<u32, f32> = match &named.rest {
            Some(rest) => {
                let of_rest = lexical::search(
                    corpus.bundle(),
                    &LexicalQuery::new(rest, false),
                    SCORED,
                    query.kept.as_deref(),
                )
                .await?;
                of_rest.hits.iter().map(|h| (h.index, h.score)).collect()
            }
            None => words.clone(),
        };
        let (vector, stage, lost) = read_by_embedder(corpus, query, &found.hits).await?;
        missing.extend(lost);
        let rest_vector = match (&named.rest, &query.encoder) {
            (Some(rest), Some(encoder)) if stage == Stage::Model => encoder.encode(rest).await.ok(),
            _ => None,
        };
        let rest = rest_vector.map(|v| QuantizedVector::from_f32(&v));
        let mut all = Candidates::new(names, named, &found.document_frequency, corpus.len());
        all.words(&words, &rest_words, if stage == Stage::Model { word_share } else { 1.0 });
        all.propose(found.hits.iter().take(PROPOSED).map(|h| h.index));
        let mut dense = match &vector {
            Some(v) => {
                let near: Vec<u32> = found.hits.iter().map(|h| h.index).collect();
                Some(survey_chunks(corpus, v, stage, SCORED, &near, query.kept.clone()).await?)
            }
            None => None,
        };
        if let Some(dense) = &dense {
            all.propose(dense.best.iter().take(PROPOSED).map(|h| h.index));
        }
        all.propose_named(OF_A_DOCUMENT);
        all.propose_covered(COVERED);
        if let (Some(dense), Some(vector)) = (&mut dense, &vector) {
            dense.also(corpus, &all.ids()).await;
            missing.append(&mut dense.missing);
            all.cosines(
                dense,
                &QuantizedVector::from_f32(vector),
                rest.as_ref().unwrap_or(dense.query()),
                stage == Stage::Feedback,
            );
        }
        Ok(First { all, words, dense, vector, rest, stage, missing })
    }
    .boxed_local()
}

async fn rank_chunks(
    corpus: &Corpus,
    query: &Query,
    names: &NameIndex,
    found: LexicalResult,
    k: usize,
) -> Result<Ranked, BundleError> {
    let named = Named::find(names, &query.read);
    let First { mut all, words, mut dense, vector, rest, stage, mut missing } =
        gather_candidates(corpus, query, names, &named, &found, words_share(corpus, query, &found)).await?;
    let meaning = share_odds(cosine_share(corpus)) / share_odds(FUSION_WEIGHT);
    let mut scores: Vec<(u32, f32)> =
        all.rows.iter().map(|(&chunk, f)| (chunk, first_pass(f, stage, meaning))).collect();
    let mut links: Map<u32, Reached> = Map::new();
    if corpus.bundle().has("links")
        && stage == Stage::Model
        && let Some(dense) = &mut dense
    {
        let links_in = links_in(corpus).await?;
        if hop::hop_pays(corpus, query, &all, &links_in, &scores).await? {
            let question = dense.query().clone();
            let hopped = hop::hop_candidates(
                corpus,
                query,
                &mut all,
                &scores,
                dense,
                rest.as_ref().unwrap_or(&question),
                &links_in,
            )
            .await?;
            missing.extend(hopped.missing);
            scores = hopped.scores;
            links = hopped.links;
        }
    }
    let kept = scores.into_iter().filter(|s| is_kept(query.kept.as_deref(), s.0));
    let best = top_k(kept.map(|(index, score)| Scored { index, score }), k);
    let chunks = best
        .into_iter()
        .map(|h| RankedChunk {
            chunk: h.index,
            score: h.score,
            lexical: words.get(&h.index).copied(),
            dense: all.rows.get(&h.index).and_then(|f| f.cosine),
            reached: list_ways(h.index, names, &named, &mut links, &all),
        })
        .collect();
    let keywords = shown_keywords(corpus, vector.as_deref(), stage, &mut missing).await;
    let stage = if vector.is_some() { stage } else { Stage::Lexical };
    Ok(Ranked {
        stage,
        chunks,
        keywords,
        document_frequency: found.document_frequency,
        translations: Vec::new(),
        missing,
    })
}

/// The candidates of the first pass with the features that its weights apply to, in the order of [`weight`],
/// for those who fit them (`tuning/auto.py`), and the share of the question's words that its best passage
/// holds (`tuning/across.py`).
///
/// # Errors
/// As [`Retriever::retrieve`].
pub async fn candidates(corpus: &Corpus, query: &Query) -> Result<(Vec<(u32, [f32; 6])>, f32), BundleError> {
    let found = lexical::search(corpus.bundle(), &query.lexical, SCORED, None).await?;
    let names = NameIndex::open(corpus, &query.read, &query.lexical.terms).await?;
    let named = Named::find(&names, &query.read);
    let first = gather_candidates(corpus, query, &names, &named, &found, 1.0).await?;
    let rows = first
        .all
        .rows
        .iter()
        .map(|(&chunk, f)| (chunk, [f.d, f.b, f.named, f.title, f.d_rest, f.b_rest]))
        .collect();
    Ok((rows, held_share(corpus, query, &found)))
}

/// A share against the rest.
fn share_odds(share: f32) -> f32 {
    share / (1.0 - share).max(0.01)
}

/// The score of the first pass, in which the cosine counts `scale` times what it does for an embedder that
/// knows the language. Feedback's cosines are stretched over the candidates and weigh against words as they
/// do in `hybrid`.
fn first_pass(f: &features::Features, stage: Stage, scale: f32) -> f32 {
    let names = weight::NAMED * f.named + weight::TITLE * f.title;
    let words = weight::B * f.b + weight::B_REST * f.b_rest;
    let meaning = if stage != Stage::Feedback {
        weight::D * f.d + weight::D_REST * f.d_rest
    } else {
        (weight::B + weight::B_REST) * FEEDBACK_WEIGHT / (1.0 - FEEDBACK_WEIGHT) * f.d
    };
    names + words + scale * meaning
}

/// Returns every way a chunk was reached: by its document's name, by a mention, by the question itself.
fn list_ways(
    chunk: u32,
    names: &NameIndex,
    named: &Named,
    links: &mut Map<u32, Reached>,
    all: &Candidates<'_>,
) -> Vec<Reached> {
    let mut out = Vec::new();
    if let Some(name) = names.documents.of.get(chunk as usize).and_then(|d| named.documents.get(d)) {
        out.push(Reached::Name { name: name.written.clone() });
    }
    out.extend(links.remove(&chunk));
    if out.is_empty() || all.rows.get(&chunk).is_some_and(|f| f.proposed) {
        out.insert(0, Reached::Query);
    }
    out
}
