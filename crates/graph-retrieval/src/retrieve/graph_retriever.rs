//! First steps of the prepared retrievers: load their data, then compare the question with the chunks.

use super::facts::{by_weight, is_fact};
use super::prepared::{PreparedCorpus, PreparedQuestion};
use super::{Corpus, DEFAULT_K, Names, Query, Ranked, Reached, Retrieval, Retriever};
use crate::bundle::BundleError;
use crate::compact::Map;
use crate::entities::{EntityIndex, Relations};
use crate::vector::{Scored, top_k};
use futures::future::FutureExt;
use std::rc::Rc;

/// Retriever that reads data which bundles have only on demand.
pub(super) trait GraphRetriever {
    /// Its name in options and results.
    const NAME: &'static str;
    /// Data that it reads.
    type Prepared;

    /// Loads its data. This comes first, so that any question reveals a bundle that is not prepared for it.
    async fn open(&self, corpus: PreparedCorpus<'_>) -> Result<Self::Prepared, BundleError>;

    /// Ranks by a question that has a vector.
    async fn rank(&self, prepared: &Self::Prepared, on: On<'_>) -> Result<Ranked, BundleError>;
}

/// A question that is being ranked.
pub(super) struct On<'a> {
    /// Contents of the bundle.
    pub corpus: PreparedCorpus<'a>,
    /// The question.
    pub query: &'a Query,
    /// The question with its vector, and the chunks' cosines to it.
    pub asked: PreparedQuestion,
    /// Maximum number of hits, if the caller gives one.
    pub wanted: Option<usize>,
}

impl On<'_> {
    /// Maximum number of hits.
    pub fn k(&self) -> usize {
        self.wanted.unwrap_or(DEFAULT_K)
    }

    /// Ranks the chunks by cosine alone: [`PreparedQuestion::by_cosine`].
    pub fn by_cosine(self) -> Ranked {
        let k = self.k();
        self.asked.by_cosine(k)
    }

    /// Returns the `n` mentioned entities nearest to the question; `None` for vectors of another dimension.
    pub fn nearest(&self, index: &EntityIndex, n: usize) -> Option<Vec<Scored>> {
        if index.vectors.dim() != self.asked.question.data.len() {
            return None;
        }
        let near = index
            .vectors
            .scan(&self.asked.question)
            .into_iter()
            .enumerate()
            .map(|(e, score)| Scored { index: e as u32, score });
        Some(top_k(near.filter(|s| !index.sentences_of(s.index).is_empty()), n))
    }

    /// Returns all sentences that mention two entities or more, with their cosines to the question.
    pub async fn joining_sentences(&mut self, index: &EntityIndex) -> Result<Vec<Scored>, BundleError> {
        let every: Vec<u32> = (0..index.chunks() as u32).collect();
        let (mut found, mut missing) =
            self.corpus.sentence_cosines(index, &every, &self.asked.question).await?;
        self.asked.missing.append(&mut missing);
        found.retain(|s| is_fact(index, s.index));
        Ok(found)
    }
}

/// Adapter from a graph retriever to any retriever.
struct Over<T>(T);

pub(super) fn adapt_retriever(retriever: impl GraphRetriever + 'static) -> Box<dyn Retriever> {
    Box::new(Over(retriever))
}

impl<T: GraphRetriever> Retriever for Over<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn default_k(&self) -> Option<usize> {
        None
    }

    fn retrieve<'a>(&'a self, corpus: &'a Corpus, query: &'a Query, k: Option<usize>) -> Retrieval<'a> {
        async move {
            let corpus = PreparedCorpus(corpus);
            let prepared = self.0.open(corpus).await?;
            match PreparedQuestion::ask(&corpus, query).await? {
                Ok(asked) => self.0.rank(&prepared, On { corpus, query, asked, wanted: k }).await,
                Err(nothing) => Ok(nothing),
            }
        }
        .boxed_local()
    }
}

/// Names of the corpus and their mentions in sentences: the data of most graph retrievers.
pub(super) type Entities = (Rc<Names>, Rc<EntityIndex>);

/// Entities with what joins them: sentences that mention names, or relations that a language model read.
pub(super) enum Joined {
    /// Names, and the sentences that mention them.
    Sentences(Entities),
    /// Entities and statements of a model.
    Statements(Rc<Relations>),
}

impl Joined {
    /// Loads the bundle's data for `retriever`.
    pub async fn open(corpus: PreparedCorpus<'_>, retriever: &'static str) -> Result<Joined, BundleError> {
        match corpus.relations().await? {
            Some(relations) => Ok(Joined::Statements(relations)),
            None => corpus.entities(retriever).await.map(Joined::Sentences),
        }
    }

    /// Returns the index of mentions.
    pub fn index(&self) -> &EntityIndex {
        match self {
            Joined::Sentences((_, index)) => index,
            Joined::Statements(relations) => &relations.index,
        }
    }

    /// Returns the importance of each sentence or statement; empty if unknown.
    pub fn scores(&self) -> &[u8] {
        match self {
            Joined::Sentences(_) => &[],
            Joined::Statements(relations) => &relations.scores,
        }
    }

    /// Returns all sentences or statements that join two entities or more, with cosines to the question.
    pub async fn hyperedges(&self, on: &mut On<'_>) -> Result<Vec<Scored>, BundleError> {
        let relations = match self {
            Joined::Sentences((_, index)) => return on.joining_sentences(index).await,
            Joined::Statements(relations) => relations,
        };
        let vectors = on.corpus.statements(relations.scores.len()).await?;
        if vectors.dim() != on.asked.question.data.len() {
            return Ok(Vec::new());
        }
        let near = vectors
            .scan(&on.asked.question)
            .into_iter()
            .enumerate()
            .map(|(i, score)| Scored { index: i as u32, score });
        Ok(near.filter(|s| is_fact(&relations.index, s.index)).collect())
    }

    /// Returns the weighted entities of a chunk as ways to it, the heaviest first.
    pub fn ways(&self, weight: &Map<u32, f32>, chunk: u32) -> Vec<Reached> {
        match self {
            Joined::Sentences((names, index)) => by_entities((names, index), weight, chunk),
            Joined::Statements(r) => {
                by_weight(r.index.mention_counts(chunk).0.iter().copied(), weight, |e| {
                    r.labels.get(e as usize).cloned()
                })
            }
        }
    }
}

/// Returns the weighted entities of a chunk as ways to it, the heaviest first.
pub(super) fn by_entities(
    (names, index): (&Names, &EntityIndex),
    weight: &Map<u32, f32>,
    chunk: u32,
) -> Vec<Reached> {
    by_weight(index.mention_counts(chunk).0.iter().copied(), weight, |e| {
        names.table.entries.get(e as usize).map(|n| n.key.clone())
    })
}
