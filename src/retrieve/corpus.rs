//! What every retriever reads: documents, chunks, vectors and keywords of an open bundle, loaded when first asked for.

#[cfg(feature = "full")]
use super::names::Names;
use crate::bundle::{
    Bundle, BundleError, Chunk, ChunkIndex, ChunkPage, Document, Kind, Layout, PagedIndex, Runs, SketchIndex, TITLED_FROM, VectorIndex,
    decode_chunks, decode_documents, decode_layouts, decode_sketches, decode_vectors, open_section,
};
use crate::compact::Map;
use crate::keyword::{self, KeywordGraph};
use crate::names::{ChunkMentions, decode_mentions};
use crate::vector::{QuantizedMatrix, QuantizedVector};
use futures::future::try_join;
use std::cell::RefCell;
use std::rc::Rc;

/// A bundle's contents, lazily.
pub struct Corpus {
    bundle: Bundle,
    keywords: RefCell<Option<Rc<KeywordGraph>>>,
    #[cfg(feature = "full")]
    names: RefCell<Option<Rc<Names>>>,
}

impl Corpus {
    /// A view of an open bundle.
    pub fn new(bundle: Bundle) -> Self {
        Corpus {
            bundle,
            keywords: RefCell::default(),
            #[cfg(feature = "full")]
            names: RefCell::default(),
        }
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
    pub async fn chunks(&self, ids: &[u32]) -> Result<(Map<u32, Chunk>, Vec<String>), BundleError> {
        let pages = self.chunk_pages(ids).await?;
        let chunk = |&id: &u32| pages.get(id).and_then(|(page, place)| Some((id, page.chunks.get(place)?.clone())));
        Ok((ids.iter().filter_map(chunk).collect(), pages.missing()))
    }

    /// The chunks with the given numbers, each with its document, as [`Corpus::chunks`].
    ///
    /// # Errors
    /// [`BundleError`] when the list of pages, or the documents where pages do not bring them, cannot be loaded.
    pub async fn passages(&self, ids: &[u32]) -> Result<(Map<u32, (Chunk, Document)>, Vec<String>), BundleError> {
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

    /// The pages that hold the given chunks.
    async fn chunk_pages(&self, ids: &[u32]) -> Result<Runs<ChunkPage>, BundleError> {
        let total = self.bundle.manifest().counts.chunks;
        let documents = u32::try_from(self.bundle.manifest().counts.documents).unwrap_or(u32::MAX);
        let lists = Some("chunks-lists").filter(|lists| self.bundle.has(lists));
        let index: Rc<ChunkIndex> = self
            .bundle
            .section(lists.unwrap_or("chunks"), move |file, bytes| {
                let mut b = open_section(file, bytes, Kind::ChunkIndex)?;
                let index = PagedIndex::take(&mut b)?;
                b.end()?;
                if u64::from(index.items()) == total { Ok(index) } else { Err(b.corrupt("it counts other chunks than the manifest")) }
            })
            .await?;
        let decode = move |items: u32, file: &str, bytes: &[u8]| {
            let page = decode_chunks(file, bytes, documents)?;
            if page.chunks.len() == items as usize {
                Ok(page)
            } else {
                Err(BundleError::Corrupt { file: file.to_owned(), what: "it holds another number of chunks".into() })
            }
        };
        Ok(self.bundle.runs("chunks", &index, lists, ids, decode).await)
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
    pub async fn cells(&self, index: &VectorIndex, cells: &[usize]) -> (Map<usize, Rc<QuantizedMatrix>>, Vec<String>) {
        let dim = self.dim();
        let decode = move |rows: u32, file: &str, bytes: &[u8]| decode_vectors(file, bytes, Kind::Vectors, rows, dim);
        let pages = self.bundle.pages("vectors", &index.cells, cells, decode).await;
        let missing = pages.missing();
        (pages.loaded, missing)
    }

    /// The vectors of the given chunks, by chunk, and what could not be loaded.
    ///
    /// # Errors
    /// [`BundleError`] when the root of the vectors cannot be loaded.
    pub async fn vectors_of(&self, chunks: &[u32]) -> Result<(Map<u32, QuantizedVector>, Vec<String>), BundleError> {
        let index = self.vectors().await?;
        let (cells, missing) = self.cells(&index, index.cells.pages_of(chunks).items()).await;
        let vector = |chunk: u32| {
            let (cell, place) = index.cells.locate(chunk)?;
            let (data, scale) = cells.get(&cell).filter(|m| place < m.rows())?.row(place);
            Some((chunk, QuantizedVector { data: data.to_vec(), scale }))
        };
        Ok((chunks.iter().filter_map(|&c| vector(c)).collect(), missing))
    }

    /// Whether the bundle has sketches of its vectors.
    pub fn has_sketches(&self) -> bool {
        self.bundle.has("sketches")
    }

    /// The root of the sketches.
    ///
    /// # Errors
    /// [`BundleError`] when the section cannot be loaded.
    pub async fn sketch_index(&self) -> Result<Rc<SketchIndex>, BundleError> {
        let (chunks, dim) = (self.bundle.manifest().counts.chunks, self.dim());
        self.bundle.section("sketches", move |file, bytes| SketchIndex::decode(file, bytes, chunks, dim)).await
    }

    /// The sketches on the given pages, by page. What cannot be loaded is absent, and named in the second value.
    pub async fn sketches(&self, index: &SketchIndex, pages: &[usize]) -> (Map<usize, Rc<Vec<u8>>>, Vec<String>) {
        let width = index.width();
        let decode = move |rows: u32, file: &str, bytes: &[u8]| decode_sketches(file, bytes, rows, width);
        let pages = self.bundle.pages("sketches", &index.pages, pages, decode).await;
        let missing = pages.missing();
        (pages.loaded, missing)
    }

    /// All names of the corpus.
    ///
    /// # Errors
    /// [`BundleError`] when the bundle has none or they cannot be loaded.
    #[cfg(feature = "full")]
    pub async fn names(&self) -> Result<Rc<Names>, BundleError> {
        let held = self.names.borrow().clone();
        if let Some(names) = held {
            return Ok(names);
        }
        let names = Rc::new(Names::load(self).await?);
        *self.names.borrow_mut() = Some(Rc::clone(&names));
        Ok(names)
    }

    /// Which of the `entries` names the sentences of the given chunks mention, by chunk, and what could not be loaded.
    ///
    /// # Errors
    /// [`BundleError`] when the list of pages cannot be loaded.
    pub async fn mentions(&self, chunks: &[u32], entries: u32) -> Result<(Map<u32, ChunkMentions>, Vec<String>), BundleError> {
        let dim = self.dim();
        let index = self
            .bundle
            .section("mentions", |file, bytes| {
                let mut b = open_section(file, bytes, Kind::MentionIndex)?;
                let index = PagedIndex::take(&mut b)?;
                b.end().map(|()| index)
            })
            .await?;
        let decode = move |_: u32, file: &str, bytes: &[u8]| decode_mentions(file, bytes, entries, dim);
        let pages = self.bundle.pages("mentions", &index, index.pages_of(chunks).items(), decode).await;
        let mentions = |chunk: u32| {
            let (page, place) = index.locate(chunk)?;
            Some((chunk, pages.loaded.get(&page)?.get(place)?.clone()))
        };
        Ok((chunks.iter().filter_map(|&c| mentions(c)).collect(), pages.missing()))
    }

    /// How the texts of the given chunks are laid out, by chunk; nothing of chunks whose layout the bundle does not carry or that cannot be loaded: its
    /// absence costs an answer its form, no more.
    pub async fn layouts(&self, chunks: &[u32]) -> Map<u32, Layout> {
        if !self.bundle.has("layout") {
            return Map::default();
        }
        let index = self.bundle.section("layout", |file, bytes| {
            let mut b = open_section(file, bytes, Kind::LayoutIndex)?;
            let index = PagedIndex::take(&mut b)?;
            b.end().map(|()| index)
        });
        let Ok(index) = index.await else { return Map::default() };
        let decode = |_: u32, file: &str, bytes: &[u8]| decode_layouts(file, bytes);
        let pages = self.bundle.pages("layout", &index, index.pages_of(chunks).items(), decode).await;
        let layout = |&chunk: &u32| {
            let (page, place) = index.locate(chunk)?;
            Some((chunk, pages.loaded.get(&page)?.get(place)?.clone()))
        };
        chunks.iter().filter_map(layout).collect()
    }

    /// Whether the keyword graph has been loaded.
    pub fn keywords_at_hand(&self) -> bool {
        self.keywords.borrow().is_some()
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
