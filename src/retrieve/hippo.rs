//! The `hippo` retriever: HippoRAG 2 (arXiv 2502.14802) with sentence facts. Facts near the question put weight on the phrases in them, every passage gets
//! weight by its cosine, and personalised PageRank over phrases and passages ranks the passages.
//!
//! A fact is a sentence that mentions two entities or more, instead of a triple that a language model extracted; phrases are entities. The filter of facts
//! by a language model is left out, as it may be.

use super::linear::{by_entities, walk};
use super::prepared::{Asked, min_max};
use super::{Corpus, DEFAULT_K, Query, Ranked, Retriever};
use crate::bundle::BundleError;
use crate::compact::{Map, sort_by};
use crate::entities::{EntityIndex, Synonyms};
use crate::sparse::{Edges, Graph};
use crate::vector::{Scored, top_k};
use futures::future::{FutureExt, LocalBoxFuture};

/// How the edges weigh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weighting {
    /// As in the published program: every edge between phrases is stored for both directions and both copies are inserted, so that a fact weighs 2 and a mutual
    /// synonym twice its cosine, and a synonym takes the place of a fact between the same two phrases.
    #[default]
    Reference,
    /// One weight a pair: the number of facts, plus the cosine of synonyms.
    Canonical,
}

/// HippoRAG 2 with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hippo {
    /// How many facts speak for the question.
    pub facts: usize,
    /// How many phrases keep their reset weight.
    pub phrases: usize,
    /// What the passages' stretched cosines are multiplied by.
    pub passage_weight: f64,
    /// alpha of the walk.
    pub damping: f64,
    /// How the edges weigh.
    pub weighting: Weighting,
}

impl Default for Hippo {
    fn default() -> Self {
        Hippo { facts: 5, phrases: 5, passage_weight: 0.05, damping: 0.5, weighting: Weighting::Reference }
    }
}

/// Phrases of one fact that are joined with each other: a list of a hundred names says little of any two of them.
const JOINED: usize = 16;

/// The sentences that are facts.
pub(super) fn is_fact(index: &EntityIndex, sentence: u32) -> bool {
    let mentioned = index.mentioned(sentence);
    mentioned.first().is_some_and(|first| mentioned.iter().any(|m| m != first))
}

/// The graph of passages and phrases: node `c` is chunk `c`, node `chunks + e` phrase `e`.
pub(super) fn graph(index: &EntityIndex, synonyms: &Synonyms, weighting: Weighting) -> Graph {
    let chunks = index.chunks() as u32;
    // Between phrases, as directed pairs.
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut edges = Edges::default();
    let mut in_fact = vec![false; index.entities()];
    for sentence in (0..index.sentences() as u32).filter(|&s| is_fact(index, s)) {
        let all = index.distinct(sentence);
        all.iter().for_each(|&e| in_fact[e as usize] = true);
        let joined = &all[..all.len().min(JOINED)];
        for (i, &a) in joined.iter().enumerate() {
            pairs.extend(joined[i + 1..].iter().map(|&b| (a, b)));
        }
    }
    for chunk in 0..chunks {
        // A passage holds the phrases that it mentions and those that its title names: a sentence that says "he" is a fact of the title's phrase too.
        let phrases = index.counts(chunk).0.iter().filter(|&&e| in_fact[e as usize]);
        phrases.for_each(|&e| edges.add(chunk, chunks + e, 1.0));
    }
    sort_by(&mut pairs, Ord::cmp);
    let synonym = |a: u32, b: u32| synonyms.get(a as usize, b);
    for run in pairs.chunk_by(|a, b| a == b) {
        let ((a, b), count) = (run[0], run.len() as f32);
        let weight = match weighting {
            Weighting::Reference => synonym(a, b).map_or(count, |_| 0.0) + synonym(b, a).map_or(count, |_| 0.0),
            Weighting::Canonical => count,
        };
        edges.add(chunks + a, chunks + b, weight);
    }
    for a in 0..synonyms.rows() as u32 {
        let (others, cosines) = synonyms.row(a as usize);
        for (&b, &cosine) in others.iter().zip(cosines) {
            // An entity of no fact is no phrase.
            if !in_fact.get(a as usize).is_some_and(|&f| f) || !in_fact.get(b as usize).is_some_and(|&f| f) {
                continue;
            }
            let once = weighting == Weighting::Reference || a < b || synonym(b, a).is_none();
            if once {
                edges.add(chunks + a, chunks + b, cosine);
            }
        }
    }
    edges.graph(index.chunks() + index.entities())
}

/// The reset weights of passages, then of phrases; and the phrases' alone. `facts` are all facts with their cosines.
pub(super) fn reset(
    index: &EntityIndex,
    graph: &Graph,
    facts: &[Scored],
    cosines: &[Option<f32>],
    hippo: &Hippo,
) -> (Vec<f64>, Map<u32, f32>) {
    // In how many passages a phrase stands: its neighbours that are passages, which come first.
    let passages = |e: u32| graph.neighbours(index.chunks() + e as usize).0.partition_point(|&n| (n as usize) < index.chunks());
    let stretched = min_max(&facts.iter().map(|f| Some(f.score)).collect::<Vec<_>>());
    let scored = facts.iter().zip(&stretched).map(|(f, &s)| Scored { index: f.index, score: s as f32 });
    let mut sums: Map<u32, (f64, u32)> = Map::new();
    for fact in top_k(scored, hippo.facts) {
        for phrase in index.distinct(fact.index) {
            let (sum, n) = sums.get_or_insert_with(phrase, || (0.0, 0));
            *sum += f64::from(fact.score) / passages(phrase).max(1) as f64;
            *n += 1;
        }
    }
    let means = sums.iter().map(|(&e, &(sum, n))| Scored { index: e, score: (sum / f64::from(n.max(1))) as f32 });
    let phrases: Map<u32, f32> = top_k(means, hippo.phrases).iter().map(|h| (h.index, h.score)).collect();
    let mut out: Vec<f64> = min_max(cosines).iter().map(|x| hippo.passage_weight * x).collect();
    out.resize(index.chunks() + index.entities(), 0.0);
    for (&e, &w) in phrases.iter() {
        out[index.chunks() + e as usize] = f64::from(w);
    }
    (out, phrases)
}

impl Retriever for Hippo {
    fn name(&self) -> &'static str {
        "hippo"
    }

    fn retrieve<'a>(&'a self, corpus: &'a Corpus, query: &'a Query, k: Option<usize>) -> LocalBoxFuture<'a, Result<Ranked, BundleError>> {
        async move {
            let (names, index) = corpus.entities(self.name()).await?;
            let synonyms = corpus.synonyms(self.name(), index.entities()).await?;
            let k = k.unwrap_or(DEFAULT_K);
            let mut asked = match Asked::ask(corpus, query).await? {
                Ok(asked) => asked,
                Err(nothing) => return Ok(nothing),
            };
            let every: Vec<u32> = (0..index.chunks() as u32).collect();
            let (mut facts, mut missing) = corpus.sentence_cosines(&index, &every, &asked.question).await?;
            asked.missing.append(&mut missing);
            facts.retain(|f| is_fact(&index, f.index));
            let graph = index.facts(self.weighting == Weighting::Canonical, || graph(&index, &synonyms, self.weighting));
            let (reset, phrases) = reset(&index, graph, &facts, &asked.cosines, self);
            // No fact survived: the plain dense ranking.
            if phrases.values().all(|&w| w <= 0.0) {
                return Ok(asked.by_cosine(k));
            }
            let Some(ranks) = walk(graph, index.chunks(), &reset, self.damping) else { return Ok(asked.by_cosine(k)) };
            let best = top_k(ranks, k);
            Ok(asked.ranked(best, |chunk| by_entities(&names, &index, &phrases, chunk)))
        }
        .boxed_local()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "hippo_tests.rs"]
mod tests;
