//! The `hippo` retriever: HippoRAG 2 (arXiv 2502.14802). Facts near the question weight their phrases, the
//! cosine weights every passage, and personalised PageRank over phrases and passages ranks the passages.
//!
//! Facts are the triples that passages state, if the bundle has them. Otherwise a fact is a sentence that
//! mentions two entities or more, and phrases are entities. If the caller brings a language model, it filters
//! the best facts.

use super::facts::by_weight;
use super::graph_retriever::{Entities, GraphRetriever, On};
use super::hippo_graph::{sentence_graph, triple_graph};
use super::linear::walk_shares;
use super::prepared::{Cosines, min_max};
use super::{PreparedCorpus, Ranked, Reached};
use crate::bundle::BundleError;
use crate::compact::{Map, sort_unique};
use crate::entities::{Facts, Synonyms};
use crate::sparse::Graph;
use crate::text::sentences;
use crate::vector::{Scored, top_k};
use std::rc::Rc;

/// HippoRAG 2 with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hippo {
    /// Number of facts taken for the question.
    pub facts: usize,
    /// Number of phrases that keep their reset weight.
    pub phrases: usize,
    /// Factor of the passages' stretched cosines.
    pub passage_weight: f64,
    /// alpha of the walk: the probability that it goes on.
    pub damping: f64,
}

impl Default for Hippo {
    fn default() -> Self {
        Hippo { facts: 5, phrases: 5, passage_weight: 0.05, damping: 0.5 }
    }
}

/// The facts of a bundle with their phrases.
pub(super) enum Base {
    /// Sentences and the entities that they mention.
    Sentences(Entities, Rc<Synonyms>),
    /// Triples and their phrases, and the number of chunks.
    Triples(Rc<Facts>, usize),
}

impl Base {
    fn chunks(&self) -> usize {
        match self {
            Base::Sentences((_, index), _) => index.chunks(),
            Base::Triples(_, chunks) => *chunks,
        }
    }

    fn phrases(&self) -> usize {
        match self {
            Base::Sentences((_, index), _) => index.entities(),
            Base::Triples(facts, _) => facts.phrases.len(),
        }
    }

    /// Returns the phrases of a fact, ascending, each once.
    fn phrases_of(&self, fact: u32) -> Vec<u32> {
        match self {
            Base::Sentences((_, index), _) => index.distinct(fact),
            Base::Triples(facts, _) => {
                let mut ends: Vec<u32> =
                    facts.all.get(fact as usize).map_or(Vec::new(), |f| vec![f.subject, f.object]);
                sort_unique(&mut ends);
                ends
            }
        }
    }

    fn phrase_label(&self, phrase: u32) -> Option<String> {
        match self {
            Base::Sentences((names, _), _) => names.table.entries.get(phrase as usize).map(|e| e.key.clone()),
            Base::Triples(facts, _) => facts.phrases.get(phrase as usize).cloned(),
        }
    }

    /// Returns the graph of passages and phrases: node `c` is chunk `c`, node `chunks + e` phrase `e`.
    fn graph(&self) -> &Graph {
        match self {
            Base::Sentences((_, index), synonyms) => index.facts(|| sentence_graph(index, synonyms)),
            Base::Triples(facts, chunks) => facts.graph(|| triple_graph(facts, *chunks)),
        }
    }

    async fn facts_with_cosines(&self, on: &mut On<'_>) -> Result<Vec<Scored>, BundleError> {
        match self {
            Base::Sentences((_, index), _) => on.joining_sentences(index).await,
            Base::Triples(facts, _) if facts.vectors.dim() == on.asked.question.data.len() => {
                let cosines = facts.vectors.scan(&on.asked.question);
                Ok(cosines
                    .into_iter()
                    .enumerate()
                    .map(|(i, score)| Scored { index: i as u32, score })
                    .collect())
            }
            Base::Triples(..) => Ok(Vec::new()),
        }
    }

    /// Returns the texts of facts, in the given order; empty for one that cannot be loaded.
    async fn fact_texts(
        &self,
        corpus: PreparedCorpus<'_>,
        facts: &[Scored],
    ) -> Result<Vec<String>, BundleError> {
        let index = match self {
            Base::Triples(all, _) => return Ok(facts.iter().map(|f| all.text(f.index)).collect()),
            Base::Sentences((_, index), _) => index,
        };
        let chunks: Vec<u32> = facts.iter().map(|f| index.chunk_of(f.index)).collect();
        let (texts, _) = corpus.chunks(&chunks).await?;
        let sentence = |(fact, chunk): (&Scored, &u32)| {
            let text = &texts.get(chunk)?.text;
            let place = fact.index.checked_sub(index.sentences_in(*chunk).start)?;
            Some(text.get(sentences(text).into_iter().nth(place as usize)?)?.to_owned())
        };
        Ok(facts.iter().zip(&chunks).map(|pair| sentence(pair).unwrap_or_default()).collect())
    }
}

/// Returns the `n` best facts, their cosines stretched over all facts.
pub(super) fn best_facts(facts: &[Scored], n: usize) -> Vec<Scored> {
    let stretched = min_max(&facts.iter().map(|f| Some(f.score)).collect::<Vec<_>>());
    top_k(facts.iter().zip(&stretched).map(|(f, &s)| Scored { index: f.index, score: s as f32 }), n)
}

/// Returns the reset weights of `chunks` passages and then `phrases` phrases, and the phrases' alone. `of`
/// returns the phrases of a fact, `best` are the chosen facts.
pub(super) fn reset_weights(
    (chunks, phrases): (usize, usize),
    graph: &Graph,
    best: &[Scored],
    of: &dyn Fn(u32) -> Vec<u32>,
    cosines: &Cosines,
    hippo: &Hippo,
) -> (Vec<f64>, Map<u32, f32>) {
    // Number of passages with a phrase: its neighbours that are passages, which come first.
    let passages =
        |e: u32| graph.neighbours(chunks + e as usize).0.partition_point(|&n| (n as usize) < chunks);
    let mut sums: Map<u32, (f64, u32)> = Map::new();
    for fact in best {
        for phrase in of(fact.index) {
            let (sum, n) = sums.get_or_insert_with(phrase, || (0.0, 0));
            *sum += f64::from(fact.score) / passages(phrase).max(1) as f64;
            *n += 1;
        }
    }
    let means =
        sums.iter().map(|(&e, &(sum, n))| Scored { index: e, score: (sum / f64::from(n.max(1))) as f32 });
    let kept: Map<u32, f32> = top_k(means, hippo.phrases).iter().map(|h| (h.index, h.score)).collect();
    let mut out: Vec<f64> = cosines.stretched(chunks).iter().map(|x| hippo.passage_weight * x).collect();
    out.resize(chunks + phrases, 0.0);
    for (&e, &w) in kept.iter() {
        if let Some(slot) = out.get_mut(chunks + e as usize) {
            *slot = f64::from(w);
        }
    }
    (out, kept)
}

impl GraphRetriever for Hippo {
    const NAME: &'static str = "hippo";
    type Prepared = Base;

    async fn open(&self, corpus: PreparedCorpus<'_>) -> Result<Base, BundleError> {
        if corpus.bundle().has("facts") {
            return Ok(Base::Triples(corpus.facts(Self::NAME).await?, corpus.len()));
        }
        let (names, index) = corpus.entities(Self::NAME).await?;
        let synonyms = corpus.synonyms(Self::NAME, index.entities()).await?;
        Ok(Base::Sentences((names, index), synonyms))
    }

    async fn rank(&self, base: &Base, mut on: On<'_>) -> Result<Ranked, BundleError> {
        let mut best = best_facts(&base.facts_with_cosines(&mut on).await?, self.facts);
        if let Some(filter) = &on.query.fact_filter {
            let texts = base.fact_texts(on.corpus, &best).await?;
            match filter.select(&on.query.read, &texts).await {
                // With none kept, the plain dense ranking below.
                Ok(kept) => best = kept.into_iter().filter_map(|i| best.get(i).copied()).collect(),
                Err(why) => {
                    on.asked.missing.push(format!("the model's choice of facts ({why}): all are used"))
                }
            }
        }
        let graph = base.graph();
        let (reset, phrases) = reset_weights(
            (base.chunks(), base.phrases()),
            graph,
            &best,
            &|f| base.phrases_of(f),
            &on.asked.cosines,
            self,
        );
        // Without a fact, the plain dense ranking.
        if phrases.values().all(|&w| w <= 0.0) {
            return Ok(on.by_cosine());
        }
        let Some(ranks) = walk_shares(graph, base.chunks(), &reset, self.damping) else {
            return Ok(on.by_cosine());
        };
        let ways = |chunk: u32| -> Vec<Reached> {
            let here = graph
                .neighbours(chunk as usize)
                .0
                .iter()
                .filter_map(|&n| n.checked_sub(base.chunks() as u32));
            by_weight(here, &phrases, |e| base.phrase_label(e))
        };
        let best = top_k(ranks, on.k());
        Ok(on.asked.ranked(best, ways))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "hippo_tests.rs"]
mod tests;
