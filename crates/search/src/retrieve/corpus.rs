//! What every retriever reads: documents, chunks, vectors and keywords of an open bundle, loaded when first
//! asked for.

use crate::bundle::{
    Bundle, BundleError, Chunk, ChunkIndex, ChunkPage, Document, Fields, Kind, Layout, PagedIndex, Runs,
    SketchIndex, TITLED_FROM, VectorIndex, WeightGroup, decode_chunks, decode_document_order,
    decode_documents, decode_fields, decode_function_words, decode_layouts, decode_sketches, decode_vectors,
    decode_weights, open_section,
};
use crate::compact::{Map, sort_by};
use crate::keyword::{self, KeywordGraph};
use crate::names::{ChunkDocuments, ChunkMentions, NameTable, decode_mentions};
use crate::vector::{QuantizedMatrix, QuantizedVector};
use futures::future::{FutureExt, LocalBoxFuture, try_join};
use std::cell::RefCell;
use std::rc::Rc;

/// The whole table of names, for retrievers that rank by all of them.
pub struct Names {
    /// The table. What titles weigh is left out.
    pub table: NameTable,
}

/// Loaded items by their numbers, and the files that could not be loaded.
pub type Partial<K, V> = (Map<K, V>, Vec<String>);

/// A chunk and the document that it is of.
pub type Passage = (Chunk, Document);

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

    /// Returns true if there are no chunks.
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

    /// Returns the documents' own fields; none if the bundle has no such section. Fails if it cannot be
    /// loaded.
    pub fn fields(&self) -> LocalBoxFuture<'_, Result<Rc<Fields>, BundleError>> {
        async move {
            if !self.bundle.has("fields") {
                return Ok(Rc::default());
            }
            self.bundle.section("fields", decode_fields).await
        }
        .boxed_local()
    }

    /// Returns the document of each chunk. Fails if the section is absent or cannot be loaded.
    pub fn chunk_documents(&self) -> LocalBoxFuture<'_, Result<Rc<ChunkDocuments>, BundleError>> {
        let chunks = self.bundle.manifest().counts.chunks;
        self.bundle
            .section("chunk-documents", move |file, bytes| ChunkDocuments::decode(file, bytes, chunks))
            .boxed_local()
    }

    /// The document of each chunk by its number in `documents`.
    ///
    /// # Errors
    /// [`BundleError`] when a section cannot be loaded, or the bundle is older than its section
    /// `document-order`.
    pub fn documents_of_chunks(&self) -> LocalBoxFuture<'_, Result<Vec<u32>, BundleError>> {
        async move {
            let mut of = self.chunk_documents().await?.of.clone();
            let order = self.bundle.section("document-order", decode_document_order).await?;
            if !order.is_empty() {
                of.iter_mut().for_each(|d| *d = order.get(*d as usize).copied().unwrap_or(u32::MAX));
            }
            Ok(of)
        }
        .boxed_local()
    }

    /// The chunks with the given numbers, by number. What cannot be loaded is absent, and named in the second
    /// value.
    ///
    /// # Errors
    /// [`BundleError`] when the list of pages cannot be loaded.
    pub fn chunks<'a>(
        &'a self,
        ids: &'a [u32],
    ) -> LocalBoxFuture<'a, Result<Partial<u32, Chunk>, BundleError>> {
        async move {
            let pages = self.chunk_pages(ids).await?;
            let chunk = |&id: &u32| {
                pages.get(id).and_then(|(page, place)| Some((id, page.chunks.get(place)?.clone())))
            };
            Ok((ids.iter().filter_map(chunk).collect(), pages.missing()))
        }
        .boxed_local()
    }

    /// The chunks of a document with their numbers, in the order in which they stand in it.
    ///
    /// # Errors
    /// [`BundleError`] when they cannot all be loaded.
    pub fn chunks_of(&self, document: u32) -> LocalBoxFuture<'_, Result<Vec<(u32, Chunk)>, BundleError>> {
        async move {
            let every = 0..self.len() as u32;
            // Bundles of before do not say which chunks are a document's.
            let all: Vec<u32> = if self.bundle.has("document-order") {
                let documents = self.documents_of_chunks().await?;
                every.zip(documents).filter(|(_, d)| *d == document).map(|(chunk, _)| chunk).collect()
            } else {
                every.collect()
            };
            let (read, missing) = self.chunks(&all).await?;
            if let Some(what) = missing.into_iter().next() {
                return Err(BundleError::Corrupt { file: "chunks".into(), what });
            }
            let mut out: Vec<(u32, Chunk)> =
                read.iter().filter(|(_, c)| c.document == document).map(|(&id, c)| (id, c.clone())).collect();
            sort_by(&mut out, |a, b| (a.1.start, a.0).cmp(&(b.1.start, b.0)));
            Ok(out)
        }
        .boxed_local()
    }

    /// The chunks with the given numbers, each with its document, as [`Corpus::chunks`].
    ///
    /// # Errors
    /// [`BundleError`] when the list of pages, or the documents where pages do not bring them, cannot be
    /// loaded.
    pub fn passages<'a>(
        &'a self,
        ids: &'a [u32],
    ) -> LocalBoxFuture<'a, Result<Partial<u32, Passage>, BundleError>> {
        async move {
            // In a small corpus the pages bring none, so both are asked for at once.
            let small = self.bundle.manifest().counts.documents < TITLED_FROM as u64;
            let (pages, mut documents) = if small {
                let (pages, documents) = try_join(self.chunk_pages(ids), self.documents()).await?;
                (pages, Some(documents))
            } else {
                (self.chunk_pages(ids).await?, None)
            };
            if documents.is_none() && pages.runs.iter().any(|(_, page)| page.documents.is_none()) {
                documents = Some(self.documents().await?);
            }
            let passage = |&id: &u32| {
                let (page, place) = pages.get(id)?;
                let chunk = page.chunks.get(place)?;
                let elsewhere = || documents.as_ref().and_then(|d| d.get(chunk.document as usize));
                let document = page.document(chunk.document).or_else(elsewhere)?;
                Some((id, (chunk.clone(), document.clone())))
            };
            Ok((ids.iter().filter_map(passage).collect(), pages.missing()))
        }
        .boxed_local()
    }

    /// The list of the pages of chunks, from the section `chunks` or from that of its lists.
    ///
    /// # Errors
    /// [`BundleError`] when it cannot be loaded, or counts other chunks than the manifest.
    pub async fn chunk_index(&self, section: &str) -> Result<Rc<ChunkIndex>, BundleError> {
        let total = self.bundle.manifest().counts.chunks;
        let decode = move |file: &str, bytes: &[u8]| {
            let mut b = open_section(file, bytes, Kind::ChunkIndex)?;
            let index = PagedIndex::take(&mut b)?;
            b.end()?;
            if u64::from(index.items()) == total {
                Ok(index)
            } else {
                Err(b.corrupt("it counts other chunks than the manifest"))
            }
        };
        self.bundle.section(section, decode).await
    }

    /// The pages that hold the given chunks.
    fn chunk_pages<'a>(&'a self, ids: &'a [u32]) -> LocalBoxFuture<'a, Result<Runs<ChunkPage>, BundleError>> {
        async move {
            let documents = u32::try_from(self.bundle.manifest().counts.documents).unwrap_or(u32::MAX);
            let lists = Some("chunks-lists").filter(|lists| self.bundle.has(lists));
            let index = self.chunk_index(lists.unwrap_or("chunks")).await?;
            let decode = move |items: u32, file: &str, bytes: &[u8]| {
                let page = decode_chunks(file, bytes, documents)?;
                if page.chunks.len() == items as usize {
                    Ok(page)
                } else {
                    Err(BundleError::Corrupt {
                        file: file.to_owned(),
                        what: "it holds another number of chunks".into(),
                    })
                }
            };
            Ok(self.bundle.runs("chunks", &index, lists, ids, decode).await)
        }
        .boxed_local()
    }

    /// The root of the vectors. Fails if the section cannot be loaded.
    pub fn vectors<'a>(&'a self) -> LocalBoxFuture<'a, Result<Rc<VectorIndex>, BundleError>> {
        async move {
            let (chunks, dim) = (self.bundle.manifest().counts.chunks, self.dim());
            self.bundle
                .section("vectors", move |file, bytes| VectorIndex::decode(file, bytes, chunks, dim))
                .await
        }
        .boxed_local()
    }

    /// The vectors of the given cells, by cell. What cannot be loaded is absent, and named in the second
    /// value.
    pub fn cells<'a>(
        &'a self,
        index: &'a VectorIndex,
        cells: &'a [usize],
    ) -> LocalBoxFuture<'a, Partial<usize, Rc<QuantizedMatrix>>> {
        async move {
            let dim = self.dim();
            let decode = move |rows: u32, file: &str, bytes: &[u8]| {
                decode_vectors(file, bytes, Kind::Vectors, rows, dim)
            };
            let pages = self.bundle.pages("vectors", &index.cells, cells, decode).await;
            let missing = pages.missing();
            (pages.loaded, missing)
        }
        .boxed_local()
    }

    /// The vectors of the given chunks, by chunk, and what could not be loaded.
    ///
    /// # Errors
    /// [`BundleError`] when the root of the vectors cannot be loaded.
    pub fn vectors_of<'a>(
        &'a self,
        chunks: &'a [u32],
    ) -> LocalBoxFuture<'a, Result<Partial<u32, QuantizedVector>, BundleError>> {
        async move {
            let index = self.vectors().await?;
            let (cells, missing) = self.cells(&index, index.cells.pages_of(chunks).items()).await;
            let vector = |chunk: u32| {
                let (cell, place) = index.cells.locate(chunk)?;
                let (data, scale) = cells.get(&cell).filter(|m| place < m.rows())?.row(place);
                Some((chunk, QuantizedVector { data: data.to_vec(), scale }))
            };
            Ok((chunks.iter().filter_map(|&c| vector(c)).collect(), missing))
        }
        .boxed_local()
    }

    /// Returns true if the bundle has sketches of its vectors.
    pub fn has_sketches(&self) -> bool {
        self.bundle.has("sketches")
    }

    /// The root of the sketches. Fails if the section cannot be loaded.
    pub fn sketch_index<'a>(&'a self) -> LocalBoxFuture<'a, Result<Rc<SketchIndex>, BundleError>> {
        async move {
            let (chunks, dim) = (self.bundle.manifest().counts.chunks, self.dim());
            self.bundle
                .section("sketches", move |file, bytes| SketchIndex::decode(file, bytes, chunks, dim))
                .await
        }
        .boxed_local()
    }

    /// The sketches on the given pages, by page. What cannot be loaded is absent, and named in the second
    /// value.
    pub fn sketches<'a>(
        &'a self,
        index: &'a SketchIndex,
        pages: &'a [usize],
    ) -> LocalBoxFuture<'a, Partial<usize, Rc<Vec<u8>>>> {
        async move {
            let width = index.width();
            let decode = move |rows: u32, file: &str, bytes: &[u8]| decode_sketches(file, bytes, rows, width);
            let pages = self.bundle.pages("sketches", &index.pages, pages, decode).await;
            let missing = pages.missing();
            (pages.loaded, missing)
        }
        .boxed_local()
    }

    /// Returns the cell of the whole table of names, which [`load_names`](super::load_names) fills.
    pub(super) fn kept_names(&self) -> &RefCell<Option<Rc<Names>>> {
        &self.names
    }

    /// The list of the pages of mentions. Fails if it cannot be loaded.
    pub async fn mention_index(&self) -> Result<Rc<PagedIndex>, BundleError> {
        let decode = |file: &str, bytes: &[u8]| {
            let mut b = open_section(file, bytes, Kind::MentionIndex)?;
            let index = PagedIndex::take(&mut b)?;
            b.end().map(|()| index)
        };
        self.bundle.section("mentions", decode).await
    }

    /// Returns the names that the sentences of the given chunks mention, by chunk, and the missing parts.
    ///
    /// # Errors
    /// [`BundleError`] when the list of pages cannot be loaded.
    pub fn mentions<'a>(
        &'a self,
        chunks: &'a [u32],
        entries: u32,
    ) -> LocalBoxFuture<'a, Result<Partial<u32, ChunkMentions>, BundleError>> {
        async move {
            let dim = self.dim();
            let index = self.mention_index().await?;
            let decode =
                move |items: u32, file: &str, bytes: &[u8]| decode_mentions(file, bytes, items, entries, dim);
            let pages = self.bundle.pages("mentions", &index, index.pages_of(chunks).items(), decode).await;
            let mentions = |chunk: u32| {
                let (page, place) = index.locate(chunk)?;
                Some((chunk, pages.loaded.get(&page)?.get(place)?.clone()))
            };
            Ok((chunks.iter().filter_map(|&c| mentions(c)).collect(), pages.missing()))
        }
        .boxed_local()
    }

    /// Returns the layouts of the given chunks' texts. A chunk without a layout, or whose layout cannot be
    /// loaded, is absent: its absence costs an answer its form, no more.
    pub fn layouts<'a>(&'a self, chunks: &'a [u32]) -> LocalBoxFuture<'a, Map<u32, Layout>> {
        async move {
            if !self.bundle.has("layout") {
                return Map::default();
            }
            let Ok(index) = self.chunk_index("layout").await else { return Map::default() };
            let decode = |_: u32, file: &str, bytes: &[u8]| decode_layouts(file, bytes);
            let pages = self.bundle.pages("layout", &index, index.pages_of(chunks).items(), decode).await;
            let layout = |&chunk: &u32| {
                let (page, place) = index.locate(chunk)?;
                Some((chunk, pages.loaded.get(&page)?.get(place)?.clone()))
            };
            chunks.iter().filter_map(layout).collect()
        }
        .boxed_local()
    }

    /// Returns the weights of chunks; none if there are none or they cannot be loaded, which changes only the
    /// order.
    pub fn weights<'a>(&'a self) -> LocalBoxFuture<'a, Rc<Vec<WeightGroup>>> {
        async move {
            if !self.bundle.has("weights") {
                return Rc::default();
            }
            self.bundle.section("weights", decode_weights).await.unwrap_or_default()
        }
        .boxed_local()
    }

    /// The function words of the documents' languages, a table each; none where the bundle has none, or where
    /// they cannot be loaded: questions are then read as if every word counted.
    pub fn function_words<'a>(&'a self) -> LocalBoxFuture<'a, Rc<Vec<String>>> {
        async move {
            if !self.bundle.has("function-words") {
                return Rc::default();
            }
            self.bundle.section("function-words", decode_function_words).await.unwrap_or_default()
        }
        .boxed_local()
    }

    /// Returns true once the keyword graph has been loaded.
    pub fn keywords_at_hand(&self) -> bool {
        self.keywords.borrow().is_some()
    }

    /// The keyword graph. Fails if the bundle has none or it cannot be loaded.
    pub fn keywords<'a>(&'a self) -> LocalBoxFuture<'a, Result<Rc<KeywordGraph>, BundleError>> {
        async move {
            let held = self.keywords.borrow().clone();
            if let Some(graph) = held {
                return Ok(graph);
            }
            let graph = Rc::new(keyword::load_keywords(&self.bundle).await?);
            *self.keywords.borrow_mut() = Some(Rc::clone(&graph));
            Ok(graph)
        }
        .boxed_local()
    }
}
