//! The `graphrag` retriever: GraphRAG's local search (arXiv 2404.16130), without a language model. It takes
//! the entities nearest to the question and their text units, entity by entity, those with most of the
//! entity's relations first.
//!
//! GraphRAG's global search is the protocol `graphrag-global`, in which a model maps and reduces the reports
//! of [`community_reports`].
//!
//! Entities are the corpus's names and relations their co-occurrence; or both are what a language model read
//! in the chunks, if the bundle has that.

use super::graph_retriever::{GraphRetriever, Joined, On};
use super::prepared::Cosines;
use super::{Corpus, PreparedCorpus, Query, Ranked};
use crate::bundle::BundleError;
use crate::compact::{Map, sort_by};
use crate::entities::{Communities, Community, EntityIndex};
use crate::text::sentences;
use crate::vector::{QuantizedVector, Scored, top_k};
use pocketgraph_search::retrieve::dense::question_vector;
use std::rc::Rc;

/// The retriever with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GraphRag {
    /// Number of entities that the search starts from: the original's ten, twice.
    pub entities: usize,
}

impl Default for GraphRag {
    fn default() -> Self {
        GraphRag { entities: 20 }
    }
}

/// Returns the text units of `entities`, in their order; for one entity those with most of its relations
/// first, then those nearer to the question.
pub(super) fn text_units(
    index: &EntityIndex,
    communities: &Communities,
    entities: &[u32],
    cosines: &Cosines,
) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::new();
    let mut taken = vec![false; index.chunks()];
    for &entity in entities {
        let related = communities.relations.neighbours(entity as usize).0;
        let mut units: Vec<(u32, usize, f32)> = index
            .chunks_of(entity)
            .iter()
            .filter(|&&c| !taken[c as usize])
            .map(|&c| {
                let relations =
                    index.mention_counts(c).0.iter().filter(|e| related.binary_search(e).is_ok()).count();
                (c, relations, cosines.get(c).unwrap_or(f32::NEG_INFINITY))
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

/// Returns the reports for global search: the deepest of every branch whose level is at most `level`.
pub(super) fn reports_at(communities: &Communities, level: u32) -> Vec<u32> {
    let mut divided = vec![false; communities.all.len()];
    for c in communities.all.iter().filter(|c| c.level <= level) {
        if let Some(p) = c.parent {
            divided[p as usize] = true;
        }
    }
    let at = |(i, c): (usize, &Community)| (c.level <= level && !divided[i]).then_some(i as u32);
    communities.all.iter().enumerate().filter_map(at).collect()
}

/// Deepest level of reports for global search.
const LEVEL: u32 = 2;
/// Largest bonus of a community in many chunks: a tenth.
const WEIGHT: f32 = 0.1;

/// Returns the best reports for a question: by cosine, with a bonus for communities in many chunks.
pub(super) fn best_reports(
    communities: &Communities,
    question: &QuantizedVector,
    most: usize,
) -> Vec<Scored> {
    if communities.vectors.dim() != question.data.len() {
        return Vec::new();
    }
    let score = |i: u32| {
        let c = &communities.all[i as usize];
        Scored { index: i, score: communities.vectors.dot(i as usize, question) * (1.0 + WEIGHT * c.weight) }
    };
    top_k(reports_at(communities, LEVEL).into_iter().map(score), most)
}

/// Report on a community, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommunityReport {
    /// Title of the community.
    pub title: String,
    /// The report: by a model if there is one, else the sentences that it is based on.
    pub text: String,
    /// Chunks that it is based on, the best first.
    pub chunks: Vec<u32>,
}

/// Returns at most `most` reports for global search, those nearest to the question first; if the question has
/// no vector, those of the communities in most chunks.
///
/// # Errors
/// [`BundleError::NotPrepared`] if the bundle was built without; [`BundleError`] if loading fails.
pub async fn community_reports(
    corpus: &Corpus,
    query: &Query,
    most: usize,
) -> Result<Vec<CommunityReport>, BundleError> {
    let corpus = PreparedCorpus(corpus);
    if !corpus.bundle().has("communities") {
        return Err(BundleError::NotPrepared(GraphRag::NAME));
    }
    let entities = match corpus.relations().await? {
        Some(relations) => relations.labels.len(),
        None => corpus.names().await?.table.entries.len(),
    };
    let communities = corpus.communities(GraphRag::NAME, entities).await?;
    let mut order: Vec<Scored> = match question_vector(&corpus, query).await?.vector {
        Some(vector) => best_reports(&communities, &QuantizedVector::from_f32(&vector), most),
        None => Vec::new(),
    };
    if order.is_empty() {
        let weighed =
            |i: u32| Scored { index: i, score: communities.all.get(i as usize).map_or(0.0, |c| c.weight) };
        order = top_k(reports_at(&communities, LEVEL).into_iter().map(weighed), most);
    }
    let written = corpus.written("reports", communities.all.len()).await?;
    let wanted =
        order.iter().filter_map(|s| communities.all.get(s.index as usize).map(|c| (s.index as usize, c)));
    let quoted: Vec<u32> = match written {
        Some(_) => Vec::new(),
        None => wanted.clone().flat_map(|(_, c)| c.sentences.iter().map(|p| p.0)).collect(),
    };
    let (texts, _) = corpus.chunks(&quoted).await?;
    let report = |(i, community): (usize, &Community)| {
        let mut chunks: Vec<u32> = Vec::new();
        for &(chunk, _) in &community.sentences {
            if !chunks.contains(&chunk) {
                chunks.push(chunk);
            }
        }
        let text = match written.as_ref().and_then(|w| w.get(i)) {
            Some(text) => text.clone(),
            None => {
                let quote = |&(chunk, place): &(u32, u32)| {
                    let text = &texts.get(&chunk)?.text;
                    text.get(sentences(text).into_iter().nth(place as usize)?)
                };
                let quotes: Vec<&str> = community.sentences.iter().filter_map(quote).collect();
                format!("{}\n{}", community.title, quotes.join("\n"))
            }
        };
        CommunityReport { title: community.title.clone(), text, chunks }
    };
    Ok(wanted.map(report).collect())
}

impl GraphRetriever for GraphRag {
    const NAME: &'static str = "graphrag";
    type Prepared = (Joined, Rc<Communities>);

    async fn open(&self, corpus: PreparedCorpus<'_>) -> Result<Self::Prepared, BundleError> {
        let joined = Joined::open(corpus, Self::NAME).await?;
        let communities = corpus.communities(Self::NAME, joined.index().entities()).await?;
        Ok((joined, communities))
    }

    async fn rank(&self, (joined, communities): &Self::Prepared, on: On<'_>) -> Result<Ranked, BundleError> {
        let (k, index) = (on.k(), joined.index());
        let Some(seeds) = on.nearest(index, self.entities) else { return Ok(on.by_cosine()) };
        let entities: Vec<u32> = seeds.iter().map(|s| s.index).collect();
        let units = text_units(index, communities, &entities, &on.asked.cosines);
        if units.is_empty() {
            return Ok(on.by_cosine());
        }
        // The score keeps the order; hits state the cosine separately.
        let best = units
            .iter()
            .take(k)
            .enumerate()
            .map(|(i, &index)| Scored { index, score: 1.0 / (1.0 + i as f32) })
            .collect();
        let weights: Map<u32, f32> = seeds.iter().map(|s| (s.index, s.score)).collect();
        Ok(on.asked.ranked(best, |chunk| joined.ways(&weights, chunk)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::Edges;
    use crate::vector::QuantizedMatrix;

    fn matrix(rows: &[[f32; 2]]) -> QuantizedMatrix {
        QuantizedMatrix::from_rows(2, rows.iter().map(|r| &r[..]))
    }

    fn communities() -> Communities {
        let mut edges = Edges::default();
        [(0, 1), (0, 2), (3, 4)].iter().for_each(|&(a, b)| edges.add(a, b, 1.0));
        let of = |level, parent, weight| Community {
            level,
            parent,
            title: String::new(),
            members: vec![],
            weight,
            sentences: vec![],
        };
        Communities {
            relations: edges.graph(5),
            all: vec![
                of(0, None, 1.0),
                of(0, None, 0.2),
                of(1, Some(0), 0.5),
                of(2, Some(2), 0.4),
                of(3, Some(3), 0.4),
            ],
            vectors: matrix(&[[1.0, 0.0], [0.9, 0.1], [0.8, 0.2], [0.0, 1.0], [1.0, 0.0]]),
        }
    }

    #[test]
    fn text_units_follow_the_entities_and_their_relations() {
        // Chunks: 0 {0}, 1 {0,1,2}, 2 {0,1}, 3 {3}.
        let vectors = matrix(&[[1.0, 0.0]; 5]);
        let index = EntityIndex::new(
            vectors,
            &[vec![vec![0]], vec![vec![0, 1, 2]], vec![vec![0, 1]], vec![vec![3]]],
            &[],
        );
        let cosines = Cosines::from(&[Some(0.9), Some(0.1), Some(0.2), None][..]);
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
        let best = best_reports(&communities(), &q, 20);
        assert_eq!(best[0].index, 3);
        assert!(best_reports(&communities(), &QuantizedVector::from_f32(&[1.0]), 20).is_empty());
    }
}
