//! What every retriever reads: documents, chunks, vectors and keywords of an open bundle, loaded when first asked for.

use super::auto::Names;
use crate::bundle::{
    Bundle, BundleError, Chunk, ChunkIndex, Document, Kind, PagedIndex, VectorIndex, decode_chunks, decode_documents, decode_vectors,
    open_section,
};
use crate::keyword::{self, KeywordGraph};
use crate::vector::{QuantizedMatrix, QuantizedVector};
use futures::future::join_all;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A bundle's contents, lazily.
pub struct Corpus {
    bundle: Bundle,
    keywords: RefCell<Option<Rc<KeywordGraph>>>,
    names: RefCell<Option<Rc<Names>>>,
}

impl Corpus {
    /// A view of an open bundle.
    pub fn new(bundle: Bundle) -> Self {
        Corpus { bundle, keywords: RefCell::default(), names: RefCell::default() }
    }

    /// The bundle.
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// Number of chunks.
    pub fn len(&self) -> usize {
        usize::try_from(self.bundle.manifest().counts.chunks).unwrap_or(usize::MAX)
    }

    /// Whether there are no chunks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn dim(&self) -> u64 {
        self.bundle.manifest().embedder.dimension
    }

    /// All documents.
    ///
    /// # Errors
    /// [`BundleError`] when the section cannot be loaded; so for all below.
    pub async fn documents(&self) -> Result<Rc<Vec<Document>>, BundleError> {
        self.bundle.section("documents", decode_documents).await
    }

    /// The chunks with the given numbers, by number. What cannot be loaded is absent, and named in the second value.
    ///
    /// # Errors
    /// [`BundleError`] when the list of pages cannot be loaded.
    pub async fn chunks(&self, ids: &[u32]) -> Result<(BTreeMap<u32, Chunk>, Vec<String>), BundleError> {
        let total = self.bundle.manifest().counts.chunks;
        let documents = u32::try_from(self.bundle.manifest().counts.documents).unwrap_or(u32::MAX);
        let index: Rc<ChunkIndex> = self
            .bundle
            .section("chunks", move |file, bytes| {
                let mut b = open_section(file, bytes, Kind::ChunkIndex)?;
                let index = PagedIndex::take(&mut b)?;
                b.end()?;
                if u64::from(index.items()) == total { Ok(index) } else { Err(b.corrupt("it counts other chunks than the manifest")) }
            })
            .await?;
        let mut by_page: BTreeMap<usize, Vec<(u32, usize)>> = BTreeMap::new();
        for &id in ids {
            if let Some((page, place)) = index.locate(id) {
                by_page.entry(page).or_default().push((id, place));
            }
        }
        let loaded =
            join_all(by_page.iter().filter_map(|(&p, wanted)| Some((index.pages.get(p)?, wanted))).map(|(page, wanted)| async move {
                (wanted, self.bundle.page("chunks", page, move |file, bytes| decode_chunks(file, bytes, documents)).await)
            }))
            .await;
        let (mut out, mut missing) = (BTreeMap::new(), Vec::new());
        for (wanted, page) in loaded {
            match page {
                Ok(chunks) => {
                    for &(id, place) in wanted {
                        if let Some(chunk) = chunks.get(place) {
                            out.insert(id, chunk.clone());
                        }
                    }
                }
                Err(e) => missing.push(e.to_string()),
            }
        }
        Ok((out, missing))
    }

    /// The root of the vectors.
    ///
    /// # Errors
    /// [`BundleError`] when the section cannot be loaded.
    pub async fn vectors(&self) -> Result<Rc<VectorIndex>, BundleError> {
        let (chunks, dim) = (self.bundle.manifest().counts.chunks, self.dim());
        self.bundle.section("vectors", move |file, bytes| VectorIndex::decode(file, bytes, chunks, dim)).await
    }

    /// The vectors of the given cells, by cell. What cannot be loaded is absent, and named in the second value.
    pub async fn cells(&self, index: &VectorIndex, cells: &[usize]) -> (BTreeMap<usize, Rc<QuantizedMatrix>>, Vec<String>) {
        let dim = self.dim();
        let loaded =
            join_all(cells.iter().filter_map(|&c| Some((c, index.cells.pages.get(c)?))).map(|(c, page)| {
                let rows = index.cells.first[c + 1] - index.cells.first[c];
                async move {
                    (c, self.bundle.page("vectors", page, move |file, bytes| decode_vectors(file, bytes, Kind::Vectors, rows, dim)).await)
                }
            }))
            .await;
        let (mut out, mut missing) = (BTreeMap::new(), Vec::new());
        for (cell, matrix) in loaded {
            match matrix {
                Ok(m) => drop(out.insert(cell, m)),
                Err(e) => missing.push(e.to_string()),
            }
        }
        (out, missing)
    }

    /// The vectors of the given chunks, by chunk, and what could not be loaded.
    ///
    /// # Errors
    /// [`BundleError`] when the root of the vectors cannot be loaded.
    pub async fn vectors_of(&self, chunks: &[u32]) -> Result<(BTreeMap<u32, QuantizedVector>, Vec<String>), BundleError> {
        let index = self.vectors().await?;
        let places: Vec<(u32, usize, usize)> =
            chunks.iter().filter_map(|&c| index.cells.locate(c).map(|(cell, place)| (c, cell, place))).collect();
        let mut wanted: Vec<usize> = places.iter().map(|&(_, cell, _)| cell).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let (cells, missing) = self.cells(&index, &wanted).await;
        let mut out = BTreeMap::new();
        for (chunk, cell, place) in places {
            if let Some(m) = cells.get(&cell).filter(|m| place < m.rows()) {
                let (data, scale) = m.row(place);
                out.insert(chunk, QuantizedVector { data: data.to_vec(), scale });
            }
        }
        Ok((out, missing))
    }

    /// The names, if they were loaded before.
    pub(super) fn held_names(&self) -> Option<Rc<Names>> {
        self.names.borrow().clone()
    }

    /// Keeps the names.
    pub(super) fn hold_names(&self, names: Names) -> Rc<Names> {
        let names = Rc::new(names);
        *self.names.borrow_mut() = Some(Rc::clone(&names));
        names
    }

    /// The keyword graph.
    ///
    /// # Errors
    /// [`BundleError`] when the bundle has none or it cannot be loaded.
    pub async fn keywords(&self) -> Result<Rc<KeywordGraph>, BundleError> {
        let held = self.keywords.borrow().clone();
        if let Some(graph) = held {
            return Ok(graph);
        }
        let graph = Rc::new(keyword::load(&self.bundle).await?);
        *self.keywords.borrow_mut() = Some(Rc::clone(&graph));
        Ok(graph)
    }
}
