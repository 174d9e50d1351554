//! Chunks by cosine: exactly, over the cells nearest to a vector; or by their sketches, before the cells have
//! arrived.

use super::{Corpus, Stage};
use crate::bundle::{Against, BundleError, SketchIndex, VectorIndex};
use crate::compact::Map;
use crate::kept::is_kept;
use crate::vector::{QuantizedMatrix, QuantizedVector, Scored, top_k};
use futures::future::{FutureExt, LocalBoxFuture};
use std::cell::RefCell;
use std::rc::Rc;

/// Up to this many chunks all cells are searched: at 384 dimensions 1.6 MB, and the answer is exact.
pub const EXACT_BELOW: usize = 4096;
/// Cells probed together above that.
const CELLS_A_ROUND: usize = 8;
/// Rounds at most.
const MAX_ROUNDS: usize = 8;
/// Up to this many chunks all rounds are taken, which comes near to all cells: at 384 dimensions 3.2 MB.
const WIDE_BELOW: usize = 8192;
/// Above, the search ends when a round brought nothing new into the best [`SURE_OF`], but for cells to whose
/// centre the cosine is at least this share of that to the last of these: 0 probes every cell, 1 only those
/// whose centre is nearer. What it costs and finds is in docs/scale.md.
const WORTH_PROBING: f32 = 0.65;
/// Number of the best chunks that must surely be found. For the other candidates the cells of the best
/// suffice.
const SURE_OF: usize = 10;
/// Number of BM25's best chunks that are ranked again by their sketches. More brought nothing.
const SKETCHED: usize = 50;

/// Search of the vectors that are loaded.
pub struct Scan {
    /// The best chunks, best first.
    pub best: Vec<Scored>,
    /// Parts that could not be loaded.
    pub missing: Vec<String>,
    query: QuantizedVector,
    side: Side,
    kept: Option<Rc<Vec<bool>>>,
}

/// Source of the cosines.
enum Side {
    Cells {
        index: Rc<VectorIndex>,
        cells: Map<usize, Rc<QuantizedMatrix>>,
    },
    Sketches {
        index: Rc<SketchIndex>,
        pages: Map<usize, Rc<Vec<u8>>>,
        last: RefCell<Option<(QuantizedVector, Rc<Against>)>>,
    },
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
            Side::Cells { index, cells } => top_k(in_cells(index, cells, vector, self.kept.as_deref()), k),
            Side::Sketches { index, pages, .. } => {
                let against = self.against(index, vector);
                let found = pages.iter().flat_map(|(&page, sketches)| {
                    let score = |(i, sketch): (usize, &[u8])| (i, against.product(sketch));
                    let first = index.pages.first.get(page).copied().unwrap_or(u32::MAX);
                    let scored: Vec<(usize, f32)> =
                        sketches.chunks_exact(index.width()).enumerate().map(score).collect();
                    scored
                        .into_iter()
                        .map(move |(i, score)| Scored { index: first.saturating_add(i as u32), score })
                });
                top_k(found.filter(|s| is_kept(self.kept.as_deref(), s.index)), k)
            }
        }
    }

    /// The chunks at hand, ascending, with their cosines.
    pub fn loaded_cosines(&self) -> Vec<(u32, f32)> {
        let chunks: Vec<u32> = match &self.side {
            Side::Cells { index, cells } => cells.keys().flat_map(|&cell| index.cells.run(cell)).collect(),
            Side::Sketches { index, pages, .. } => {
                pages.keys().flat_map(|&page| index.pages.run(page)).collect()
            }
        };
        chunks.into_iter().filter_map(|c| Some((c, self.cosine(c)?))).collect()
    }

    /// Vector prepared for sketches: the last one is kept, because it is compared with many chunks in a row.
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
    pub fn also<'a>(&'a mut self, corpus: &'a Corpus, chunks: &'a [u32]) -> LocalBoxFuture<'a, ()> {
        async move {
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
        .boxed_local()
    }
}

/// The chunks of cells that are kept, with their cosines to a vector.
fn in_cells<'a>(
    index: &'a VectorIndex,
    cells: &'a Map<usize, Rc<QuantizedMatrix>>,
    vector: &'a QuantizedVector,
    kept: Option<&'a Vec<bool>>,
) -> impl Iterator<Item = Scored> + 'a {
    cells.iter().flat_map(move |(&cell, m)| {
        let chunks = index.cells.run(cell);
        chunks
            .zip(m.scan(vector))
            .filter(move |s| is_kept(kept, s.0))
            .map(|(index, score)| Scored { index, score })
    })
}

/// The `k` chunks nearest to `vector`, of those that are `kept` where there is such a list: by their vectors
/// where the question itself was embedded; by the sketches of `near` and of what lies on their pages where
/// BM25's best chunks, `near`, stand in for it, because better vectors than the stand-in would be wasted on
/// it.
pub fn survey_chunks<'a>(
    corpus: &'a Corpus,
    vector: &'a [f32],
    stage: Stage,
    k: usize,
    near: &'a [u32],
    kept: Option<Rc<Vec<bool>>>,
) -> LocalBoxFuture<'a, Result<Scan, BundleError>> {
    async move {
        if stage == Stage::Model || !corpus.has_sketches() {
            return scan_cells(corpus, vector, k, kept).await;
        }
        let index = corpus.sketch_index().await?;
        let query = QuantizedVector::from_f32(vector);
        let side = Side::Sketches { index, pages: Map::new(), last: RefCell::default() };
        let mut out = Scan { best: Vec::new(), missing: Vec::new(), query, side, kept };
        out.also(corpus, &near[..near.len().min(SKETCHED)]).await;
        out.best = out.best_for(&out.query, k);
        Ok(out)
    }
    .boxed_local()
}

/// Searches the cells nearest to `vector` for its `k` nearest chunks that are `kept`.
pub fn scan_cells<'a>(
    corpus: &'a Corpus,
    vector: &'a [f32],
    k: usize,
    kept: Option<Rc<Vec<bool>>>,
) -> LocalBoxFuture<'a, Result<Scan, BundleError>> {
    async move {
        let index = corpus.vectors().await?;
        let query = QuantizedVector::from_f32(vector);
        let centres = index
            .centroids
            .scan(&query)
            .into_iter()
            .enumerate()
            .map(|(i, score)| Scored { index: i as u32, score });
        let mut order: Vec<Scored> = top_k(centres, index.centroids.rows());
        let round = if corpus.len() <= EXACT_BELOW { order.len() } else { CELLS_A_ROUND };
        let mut at_hand: Map<usize, Rc<QuantizedMatrix>> = Map::new();
        let (mut best, mut missing): (Vec<Scored>, Vec<String>) = Default::default();
        let mut settled = false;
        for _ in 0..MAX_ROUNDS {
            let mut now = order.len().min(round);
            if settled {
                let least =
                    best.get(SURE_OF - 1).map_or(f32::NEG_INFINITY, |last| WORTH_PROBING * last.score);
                now = order.iter().take(now).take_while(|cell| cell.score >= least).count();
            }
            if now == 0 {
                break;
            }
            let later = order.split_off(now);
            let wanted: Vec<usize> = order.iter().map(|cell| cell.index as usize).collect();
            order = later;
            let (cells, lost) = corpus.cells(&index, &wanted).await;
            missing.extend(lost);
            let better = top_k(
                best.iter().copied().chain(in_cells(&index, &cells, &query, kept.as_deref())),
                k.max(SURE_OF),
            );
            settled = corpus.len() > WIDE_BELOW && better.iter().take(SURE_OF).eq(best.iter().take(SURE_OF));
            best = better;
            at_hand.extend(cells);
        }
        best.truncate(k);
        Ok(Scan { best, missing, query, side: Side::Cells { index, cells: at_hand }, kept })
    }
    .boxed_local()
}
