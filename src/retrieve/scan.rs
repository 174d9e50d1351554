//! Chunks by cosine: exactly, over the cells nearest to a vector; or by their sketches, before the cells have arrived.

use super::{Corpus, Stage};
use crate::bundle::{Against, BundleError, SketchIndex, VectorIndex};
use crate::compact::Map;
use crate::vector::{QuantizedMatrix, QuantizedVector, Scored, top_k};
use std::cell::RefCell;
use std::rc::Rc;

/// Up to this many chunks all cells are searched: at 384 dimensions 1.6 MB, and the answer is exact.
pub const EXACT_BELOW: usize = 4096;
/// Cells probed together above that; a round that brings nothing new into the top k is the last.
const CELLS_A_ROUND: usize = 8;
/// Rounds at most.
const MAX_ROUNDS: usize = 8;
/// How many of BM25's best are ranked again by their sketches. More brought nothing (docs/benchmarks.md).
const SKETCHED: usize = 100;

/// What is at hand of the vectors, searched.
pub(super) struct Scan {
    /// The best chunks, best first.
    pub best: Vec<Scored>,
    /// What could not be loaded.
    pub missing: Vec<String>,
    query: QuantizedVector,
    side: Side,
}

/// Where the cosines come from.
enum Side {
    Cells { index: Rc<VectorIndex>, cells: Map<usize, Rc<QuantizedMatrix>> },
    Sketches { index: Rc<SketchIndex>, pages: Map<usize, Rc<Vec<u8>>>, last: RefCell<Option<(QuantizedVector, Rc<Against>)>> },
}

impl Scan {
    /// The cosine of a chunk whose vector or sketch is at hand.
    pub fn cosine(&self, chunk: u32) -> Option<f32> {
        self.cosine_to(chunk, &self.query)
    }

    /// The question's vector.
    pub fn query(&self) -> &QuantizedVector {
        &self.query
    }

    /// The cosine of a chunk whose vector or sketch is at hand to another vector.
    pub fn cosine_to(&self, chunk: u32, vector: &QuantizedVector) -> Option<f32> {
        match &self.side {
            Side::Cells { index, cells } => {
                let (cell, place) = index.cells.locate(chunk)?;
                cells.get(&cell).filter(|m| place < m.rows()).map(|m| m.dot(place, vector))
            }
            Side::Sketches { index, pages, .. } => {
                let (page, place) = index.pages.locate(chunk)?;
                let sketch = pages.get(&page)?.chunks_exact(index.width()).nth(place)?;
                Some(self.against(index, vector).product(sketch))
            }
        }
    }

    /// The `k` chunks nearest to another vector, among those at hand.
    pub fn best_for(&self, vector: &QuantizedVector, k: usize) -> Vec<Scored> {
        match &self.side {
            Side::Cells { index, cells } => {
                let first = &index.cells.first;
                let found = cells.iter().flat_map(|(&cell, m)| {
                    m.scan(vector).into_iter().enumerate().map(move |(i, score)| Scored { index: first[cell] + i as u32, score })
                });
                top_k(found, k)
            }
            Side::Sketches { index, pages, .. } => {
                let against = self.against(index, vector);
                let found = pages.iter().flat_map(|(&page, sketches)| {
                    let score = |(i, sketch): (usize, &[u8])| (i, against.product(sketch));
                    let first = index.pages.first[page];
                    let scored: Vec<(usize, f32)> = sketches.chunks_exact(index.width()).enumerate().map(score).collect();
                    scored.into_iter().map(move |(i, score)| Scored { index: first + i as u32, score })
                });
                top_k(found, k)
            }
        }
    }

    /// The vector made ready for sketches: the last one is kept, because one vector is compared with many chunks in a row.
    fn against(&self, index: &SketchIndex, vector: &QuantizedVector) -> Rc<Against> {
        let Side::Sketches { last, .. } = &self.side else { return Rc::new(index.against(&vector.to_f32())) };
        if let Some((of, ready)) = &*last.borrow()
            && of == vector
        {
            return Rc::clone(ready);
        }
        let ready = Rc::new(index.against(&vector.to_f32()));
        *last.borrow_mut() = Some((vector.clone(), Rc::clone(&ready)));
        ready
    }

    /// Loads what is known of `chunks` too, so that [`Scan::cosine`] knows them.
    pub async fn also(&mut self, corpus: &Corpus, chunks: &[u32]) {
        match &mut self.side {
            Side::Cells { index, cells } => {
                let mut wanted = index.cells.pages_of(chunks).into_items();
                wanted.retain(|c| cells.get(c).is_none());
                let (loaded, missing) = corpus.cells(index, &wanted).await;
                cells.extend(loaded);
                self.missing.extend(missing);
            }
            Side::Sketches { index, pages, .. } => {
                let mut wanted = index.pages.pages_of(chunks).into_items();
                wanted.retain(|p| pages.get(p).is_none());
                let (loaded, missing) = corpus.sketches(index, &wanted).await;
                pages.extend(loaded);
                self.missing.extend(missing);
            }
        }
    }
}

/// The `k` chunks nearest to `vector`: by their vectors where the question itself was embedded; by the sketches of `near` and of what lies on
/// their pages where BM25's best chunks, `near`, stand in for it, because better vectors than the stand-in would be wasted on it.
pub(super) async fn survey(corpus: &Corpus, vector: &[f32], stage: Stage, k: usize, near: &[u32]) -> Result<Scan, BundleError> {
    if stage == Stage::Model || !corpus.has_sketches() {
        return scan(corpus, vector, k).await;
    }
    let index = corpus.sketch_index().await?;
    let query = QuantizedVector::from_f32(vector);
    let side = Side::Sketches { index, pages: Map::new(), last: RefCell::default() };
    let mut out = Scan { best: Vec::new(), missing: Vec::new(), query, side };
    out.also(corpus, &near[..near.len().min(SKETCHED)]).await;
    out.best = out.best_for(&out.query, k);
    Ok(out)
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
    let mut at_hand: Map<usize, Rc<QuantizedMatrix>> = Map::new();
    let (mut best, mut missing) = (Vec::new(), Vec::new());
    for _ in 0..MAX_ROUNDS {
        if order.is_empty() {
            break;
        }
        let later = order.split_off(round.min(order.len()));
        let (cells, lost) = corpus.cells(&index, &order).await;
        order = later;
        missing.extend(lost);
        let first = &index.cells.first;
        let found = cells.iter().flat_map(|(&cell, m)| {
            m.scan(&query).into_iter().enumerate().map(move |(i, score)| Scored { index: first[cell] + i as u32, score })
        });
        let now = top_k(best.iter().copied().chain(found), k);
        let settled = now == best;
        best = now;
        at_hand.extend(cells);
        if settled {
            break;
        }
    }
    Ok(Scan { best, missing, query, side: Side::Cells { index, cells: at_hand } })
}
