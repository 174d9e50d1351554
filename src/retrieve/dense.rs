//! The `dense` retriever: cosine between the question's vector and the chunks', over the cells nearest to the question.

use super::fusion::spoken_for;
use super::{Corpus, DEFAULT_K, Query, Ranked, RankedChunk, Reached, Retriever, Stage};
use crate::bundle::{BundleError, VectorIndex};
use crate::compact::Map;
use crate::lexical;
use crate::vector::{QuantizedMatrix, QuantizedVector, Scored, top_k};
use futures::future::{FutureExt, LocalBoxFuture};
use std::rc::Rc;

/// Up to this many chunks all cells are searched: at 384 dimensions 1.6 MB, and the answer is exact.
pub const EXACT_BELOW: usize = 4096;
/// Cells probed together above that; a round that brings nothing new into the top k is the last.
const CELLS_A_ROUND: usize = 8;
/// Rounds at most.
const MAX_ROUNDS: usize = 8;

/// Cosine alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dense;

/// The cells at hand, searched.
pub(super) struct Scan {
    /// The best chunks, best first.
    pub best: Vec<Scored>,
    /// Cells that could not be loaded.
    pub missing: Vec<String>,
    index: Rc<VectorIndex>,
    cells: Map<usize, Rc<QuantizedMatrix>>,
    query: QuantizedVector,
}

impl Scan {
    /// The cosine of a chunk whose cell is at hand.
    pub fn cosine(&self, chunk: u32) -> Option<f32> {
        self.cosine_to(chunk, &self.query)
    }

    /// The question's vector.
    pub fn query(&self) -> &QuantizedVector {
        &self.query
    }

    /// The cosine of a chunk whose cell is at hand to another vector.
    pub fn cosine_to(&self, chunk: u32, vector: &QuantizedVector) -> Option<f32> {
        let (cell, place) = self.index.cells.locate(chunk)?;
        self.cells.get(&cell).filter(|m| place < m.rows()).map(|m| m.dot(place, vector))
    }

    /// The `k` chunks nearest to another vector, among the cells at hand.
    pub fn best_for(&self, vector: &QuantizedVector, k: usize) -> Vec<Scored> {
        let first = &self.index.cells.first;
        let found = self.cells.iter().flat_map(|(&cell, m)| {
            m.scan(vector).into_iter().enumerate().map(move |(i, score)| Scored { index: first[cell] + i as u32, score })
        });
        top_k(found, k)
    }

    /// Loads the cells of `chunks` too, so that [`Scan::cosine`] knows them.
    pub async fn also(&mut self, corpus: &Corpus, chunks: &[u32]) {
        let mut wanted = self.index.cells.pages_of(chunks).into_items();
        wanted.retain(|c| self.cells.get(c).is_none());
        let (cells, missing) = corpus.cells(&self.index, &wanted).await;
        self.cells.extend(cells);
        self.missing.extend(missing);
    }
}

/// Searches the cells nearest to `vector` for its `k` nearest chunks.
pub(super) async fn scan(corpus: &Corpus, vector: &[f32], k: usize) -> Result<Scan, BundleError> {
    let index = corpus.vectors().await?;
    let query = QuantizedVector::from_f32(vector);
    let mut order: Vec<usize> = top_k(
        index.centroids.scan(&query).into_iter().enumerate().map(|(i, score)| Scored { index: i as u32, score }),
        index.centroids.rows(),
    )
    .into_iter()
    .map(|s| s.index as usize)
    .collect();
    let round = if corpus.len() <= EXACT_BELOW { order.len() } else { CELLS_A_ROUND };
    let mut out = Scan { best: Vec::new(), missing: Vec::new(), index, cells: Map::new(), query };
    for _ in 0..MAX_ROUNDS {
        if order.is_empty() {
            break;
        }
        let later = order.split_off(round.min(order.len()));
        let (cells, missing) = corpus.cells(&out.index, &order).await;
        order = later;
        out.missing.extend(missing);
        let first = &out.index.cells.first;
        let query = &out.query;
        let found = cells.iter().flat_map(|(&cell, m)| {
            m.scan(query).into_iter().enumerate().map(move |(i, score)| Scored { index: first[cell] + i as u32, score })
        });
        let best = top_k(out.best.iter().copied().chain(found), k);
        let settled = best == out.best;
        out.best = best;
        out.cells.extend(cells);
        if settled {
            break;
        }
    }
    Ok(out)
}

/// The question's vector, or its stand-in, and which stage that is.
pub(super) async fn question_vector(corpus: &Corpus, query: &Query) -> Result<(Option<Vec<f32>>, Stage, Vec<String>), BundleError> {
    let hits = match query.vector {
        Some(_) => Vec::new(),
        None => lexical::search(corpus.bundle(), &query.lexical, 100).await?.hits,
    };
    spoken_for(corpus, query, &hits).await
}

impl Retriever for Dense {
    fn name(&self) -> &'static str {
        "dense"
    }

    fn retrieve<'a>(&'a self, corpus: &'a Corpus, query: &'a Query, k: Option<usize>) -> LocalBoxFuture<'a, Result<Ranked, BundleError>> {
        async move {
            let (vector, stage, mut missing) = question_vector(corpus, query).await?;
            let mut chunks = Vec::new();
            if let Some(vector) = vector {
                let found = scan(corpus, &vector, k.unwrap_or(DEFAULT_K)).await?;
                missing.extend(found.missing);
                chunks.extend(found.best.iter().map(|h| RankedChunk {
                    chunk: h.index,
                    score: h.score,
                    lexical: None,
                    dense: Some(h.score),
                    reached: vec![Reached::Query],
                }));
            }
            Ok(Ranked { stage, chunks, keywords: Vec::new(), document_frequency: Map::new(), missing })
        }
        .boxed_local()
    }
}
