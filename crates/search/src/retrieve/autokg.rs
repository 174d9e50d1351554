//! The `autokg` retriever: hybrid search over chunks and keywords (Chen and Bertozzi, arXiv 2311.14740,
//! Algorithm 3).

use super::dense::{QuestionVector, question_vector};
use super::scan::survey_chunks;
use super::{Corpus, KeywordHit, KeywordKind, Query, Ranked, RankedChunk, Reached, Retrieval, Retriever};
use crate::compact::{Map, Set, sort_by};
use crate::keyword::KeywordGraph;
use crate::vector::{QuantizedVector, Scored, top_k};
use futures::future::FutureExt;

/// AutoKG's hybrid search with its five numbers; the defaults are the paper's experiment, (15, 5, 3, 3, 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AutoKg {
    /// s0t: chunks nearest to the question.
    pub direct_chunks: usize,
    /// s1k: keywords nearest to the question.
    pub keywords: usize,
    /// s1t: chunks for each of those keywords.
    pub keyword_chunks: usize,
    /// s2k: adjacent keywords for each of those keywords, by weight in W^k.
    pub adjacent: usize,
    /// s2t: chunks for each adjacent keyword.
    pub adjacent_chunks: usize,
    /// Ranking of a keyword's chunks.
    pub chunks_by: ChunksBy,
}

/// Measure that ranks a keyword's chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChunksBy {
    /// The angle between chunk and keyword (the reference code's default; it ranked slightly better on real
    /// text).
    #[default]
    Angle,
    /// u, from graph Laplace learning.
    Laplace,
}

impl Default for AutoKg {
    fn default() -> Self {
        AutoKg {
            direct_chunks: 15,
            keywords: 5,
            keyword_chunks: 3,
            adjacent: 3,
            adjacent_chunks: 2,
            chunks_by: ChunksBy::Angle,
        }
    }
}

/// Maximum of each of the five numbers: a question brings no more chunks than their products.
const MOST: usize = 200;

impl AutoKg {
    /// Reads the five numbers, as in `15/5/3/3/2`, perhaps followed by `/u` or `/angle`: what ranks a
    /// keyword's chunks. `None` where it is something else, or a number is out of reason.
    pub fn of(text: &str) -> Option<AutoKg> {
        let mut parts = text.split('/');
        let mut number = || parts.next()?.parse::<usize>().ok().filter(|&n| n <= MOST);
        let (direct_chunks, keywords, keyword_chunks) = (number()?, number()?, number()?);
        let (adjacent, adjacent_chunks) = (number()?, number()?);
        let chunks_by = match parts.next() {
            None | Some("angle") => ChunksBy::Angle,
            Some("u") => ChunksBy::Laplace,
            Some(_) => return None,
        };
        let out = AutoKg { direct_chunks, keywords, keyword_chunks, adjacent, adjacent_chunks, chunks_by };
        (parts.next().is_none() && direct_chunks + keywords > 0).then_some(out)
    }
}

/// The `n` keywords nearest to a question.
pub(super) fn direct_keywords(graph: &KeywordGraph, question: &QuantizedVector, n: usize) -> Vec<KeywordHit> {
    if graph.vectors.dim() != question.data.len() {
        return Vec::new();
    }
    top_k(
        graph
            .vectors
            .scan(question)
            .into_iter()
            .enumerate()
            .map(|(i, score)| Scored { index: i as u32, score }),
        n,
    )
    .into_iter()
    .filter_map(|s| {
        let label = graph.labels.get(s.index as usize)?.clone();
        Some(KeywordHit { id: s.index, label, kind: KeywordKind::Direct, score: s.score, via: None })
    })
    .collect()
}

/// The `n` neighbours of `keyword` of largest weight that are not in `but`.
pub(super) fn find_neighbours(
    graph: &KeywordGraph,
    keyword: u32,
    n: usize,
    but: &Set<u32>,
) -> Vec<(u32, u32)> {
    let (columns, weights) = graph.weights.row(keyword as usize);
    let mut all: Vec<(u32, u32)> = columns
        .iter()
        .copied()
        .zip(weights.iter().copied())
        .filter(|(c, w)| *w > 0 && !but.contains(c))
        .collect();
    sort_by(&mut all, |a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    all.truncate(n);
    all
}

impl AutoKg {
    fn best_chunks<'g>(&self, graph: &'g KeywordGraph, keyword: u32, n: usize) -> &'g [u32] {
        let lists = match self.chunks_by {
            ChunksBy::Angle => &graph.chunks_by_angle,
            ChunksBy::Laplace => &graph.chunks_by_u,
        };
        let list = lists.get(keyword as usize).map_or(&[][..], Vec::as_slice);
        &list[..list.len().min(n)]
    }

    /// Runs steps 2 and 3 of Algorithm 3: keywords near the question, adjacent ones, and their chunks, in
    /// that order.
    pub(super) fn walk(
        &self,
        graph: &KeywordGraph,
        question: &QuantizedVector,
    ) -> (Vec<KeywordHit>, Vec<(u32, Reached)>) {
        let mut keywords = direct_keywords(graph, question, self.keywords);
        let direct: Vec<KeywordHit> = keywords.clone();
        let near: Set<u32> = direct.iter().map(|k| k.id).collect();
        let mut reached = Vec::new();
        for k in &direct {
            for &chunk in self.best_chunks(graph, k.id, self.keyword_chunks) {
                reached.push((chunk, Reached::Keyword { keyword: k.label.clone() }));
            }
        }
        for k in &direct {
            for (id, weight) in find_neighbours(graph, k.id, self.adjacent, &near) {
                let Some(label) = graph.labels.get(id as usize) else { continue };
                // One keyword may be next to several; every way is told on the chunk, the picture shows the
                // first.
                if !keywords.iter().any(|seen| seen.id == id) {
                    keywords.push(KeywordHit {
                        id,
                        label: label.clone(),
                        kind: KeywordKind::Adjacent,
                        score: weight as f32,
                        via: Some(k.id),
                    });
                }
                for &chunk in self.best_chunks(graph, id, self.adjacent_chunks) {
                    reached.push((
                        chunk,
                        Reached::AdjacentKeyword { keyword: label.clone(), via: k.label.clone() },
                    ));
                }
            }
        }
        (keywords, reached)
    }
}

/// The chunks in the order in which they are first reached, and every way to each.
fn unite_ways(reached: impl Iterator<Item = (u32, Reached)>) -> (Vec<u32>, Map<u32, Vec<Reached>>) {
    let mut order: Vec<u32> = Vec::new();
    let mut ways: Map<u32, Vec<Reached>> = Map::new();
    for (chunk, way) in reached {
        let all = ways.get_or_insert_with(chunk, || {
            order.push(chunk);
            Vec::new()
        });
        if !all.contains(&way) {
            all.push(way);
        }
    }
    (order, ways)
}

impl Retriever for AutoKg {
    fn name(&self) -> &'static str {
        "autokg"
    }

    fn default_k(&self) -> Option<usize> {
        None
    }

    fn retrieve<'a>(&'a self, corpus: &'a Corpus, query: &'a Query, k: Option<usize>) -> Retrieval<'a> {
        async move {
            let QuestionVector { vector, stage, near: spoke, mut missing } =
                question_vector(corpus, query).await?;
            let Some(vector) = vector else {
                return Ok(Ranked { stage, missing, ..Ranked::default() });
            };
            let question = QuantizedVector::from_f32(&vector);
            let graph = corpus.keywords().await?;
            let mut near = survey_chunks(
                corpus,
                &vector,
                stage,
                k.unwrap_or(self.direct_chunks),
                &spoke,
                query.kept.clone(),
            )
            .await?;
            let (keywords, walked) = self.walk(&graph, &question);
            let direct = near.best.iter().map(|h| (h.index, Reached::Query));
            let (order, mut ways) = unite_ways(direct.chain(walked));
            near.also(corpus, &order).await;
            missing.append(&mut near.missing);
            // The score keeps the algorithm's order (direct, keywords, adjacent); the cosine is reported
            // beside it.
            let chunks = order
                .iter()
                .enumerate()
                .map(|(i, &chunk)| RankedChunk {
                    chunk,
                    score: 1.0 / (1.0 + i as f32),
                    lexical: None,
                    dense: near.cosine(chunk),
                    reached: ways.remove(&chunk).unwrap_or_default(),
                })
                .collect();
            Ok(Ranked { stage, chunks, keywords, missing, ..Ranked::default() })
        }
        .boxed_local()
    }
}

#[cfg(test)]
#[path = "autokg_tests.rs"]
mod tests;
