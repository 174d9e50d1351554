//! Ready chunks as they come in, and the documents that they are of.

use super::chunk_fields::{ChunkFields, Place};
use super::vectors::Vectors;
use super::{IngestError, SourceDocument, address};
use crate::chunk::ready_chunk;
use pocketgraph_bundle::{Chunk, Document, Layout};
use std::collections::HashMap;
use std::mem;

/// Chunks and vectors from outside, in step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutsideChunks {
    /// The documents. Rows that name theirs are of that, ordered by its name; of others those that share a
    /// URL and a title are one, and any other is its own.
    pub documents: Vec<Document>,
    /// True if the input names the documents' languages.
    pub languages_named: bool,
    /// The chunks: of documents that were named, document by document as they stand there; else in the order
    /// of the lines. Spans that are not told are those of their own text, `0..characters`.
    pub chunks: Vec<Chunk>,
    /// Layouts of the chunks, one a chunk; empty if the input has none.
    pub layouts: Vec<Layout>,
    /// Their vectors, in the same order, each of length 1; none where none were brought.
    pub vectors: Vec<Vec<f32>>,
    /// Numbers a vector; 0 where none were brought.
    pub dimension: usize,
    /// Files that were read.
    pub files: usize,
    /// The documents' own fields: the document's number, a name and a value each.
    pub fields: Vec<(u32, String, String)>,
}

/// The place of a row: the number of its file, and its own number.
type Row = (usize, usize);

/// Documents and chunks as they come in.
#[derive(Default)]
pub(crate) struct Gathered {
    documents: Vec<Document>,
    languages_named: bool,
    chunks: Vec<Chunk>,
    layouts: Vec<Layout>,
    /// Index of each chunk in its document, one a chunk, if documents are named.
    places: Vec<u32>,
    pages: HashMap<(String, String), u32>,
    ids: HashMap<String, Row>,
    indices: HashMap<(u32, u32), Row>,
    files: Vec<String>,
    fields: Vec<(u32, String, String)>,
}

impl Gathered {
    /// From now on rows are of this file, which messages call `name`.
    pub fn file(&mut self, name: String) {
        self.files.push(name);
    }

    /// Adds a document of its own, or a further chunk of one with the same address and title.
    pub fn add_document(&mut self, record: SourceDocument) {
        let next = self.documents.len() as u32;
        let document = match record.url.is_empty() {
            true => next,
            false => *self.pages.entry((record.url.clone(), record.title.clone())).or_insert(next),
        };
        if document == next {
            self.documents.push(record.document());
        }
        self.add_fields(document, record.marked_fields);
        self.chunks.extend(record.blocks.into_iter().map(|b| ready_chunk(document, b)));
    }

    fn add_fields(&mut self, document: u32, fields: Vec<(String, String)>) {
        self.fields.extend(fields.into_iter().map(|(name, value)| (document, name, value)));
    }

    /// Adds a row of a table.
    ///
    /// # Errors
    /// What is wrong with it, in words: an unsafe address, an id that came before, a document that had
    /// another title before.
    pub fn add(&mut self, row: usize, mut ready: ChunkFields) -> Result<(), String> {
        let at = (self.files.len(), row);
        if let Some(id) = &ready.id
            && let Some(before) = self.ids.insert(id.clone(), at)
        {
            return Err(format!("the id {id:?} is also that of {}", self.describe_row(before)));
        }
        let name = self.files.last().cloned().unwrap_or_default();
        let place = mem::take(&mut ready.place);
        if ready.title.is_none() {
            ready.title.clone_from(&place.document);
        }
        let mut record = ready.document(&name, row, "")?;
        let Some(document) = place.document.clone() else {
            self.add_document(record);
            return Ok(());
        };
        let Some(block) = record.blocks.pop() else { return Ok(()) };
        let fields = mem::take(&mut record.marked_fields);
        self.languages_named |= place.language.is_some();
        let language = place.language.clone().unwrap_or_default();
        let document =
            self.document(Document { title: record.title, url: record.url, path: document, language })?;
        if let Some(index) = place.index
            && let Some(before) = self.indices.insert((document, index), at)
        {
            return Err(format!("chunk {index} of this document is also in {}", self.describe_row(before)));
        }
        self.add_fields(document, fields);
        self.add_chunk(document, block.fragment, (block.text, block.end), place);
        Ok(())
    }

    /// Adds a chunk of a named document; `text` comes with its length in characters.
    fn add_chunk(&mut self, document: u32, fragment: Option<String>, text: (String, u32), place: Place) {
        let start = place.start.unwrap_or(0);
        let fragment = place.fragment.as_deref().and_then(address::fragment).or(fragment).unwrap_or_default();
        self.places.push(place.index.unwrap_or(start));
        self.layouts.push(place.layout);
        let end = place.end.unwrap_or_else(|| start.saturating_add(text.1)).max(start);
        self.chunks.push(Chunk {
            document,
            heading_path: place.headings,
            fragment,
            text: text.0,
            start,
            end,
        });
    }

    /// The number of a document that is named; what is said of it must be the same each time.
    fn document(&mut self, document: Document) -> Result<u32, String> {
        let next = self.documents.len() as u32;
        let number = *self.pages.entry((document.path.clone(), String::new())).or_insert(next);
        match self.documents.get(number as usize) {
            None => self.documents.push(document),
            Some(before) if *before == document => {}
            Some(before) => {
                return Err(format!(
                    "the document {:?} has the title {:?}, address {:?} and language {:?} here, and \
                     {:?}, {:?} and {:?} in a row before",
                    document.path,
                    document.title,
                    document.url,
                    document.language,
                    before.title,
                    before.url,
                    before.language
                ));
            }
        }
        Ok(number)
    }

    fn describe_row(&self, (file, row): Row) -> String {
        format!(
            "{} row {row}",
            file.checked_sub(1).and_then(|i| self.files.get(i)).map_or("", String::as_str)
        )
    }

    /// All that came in, with its vectors, in the order that a bundle numbers them in.
    ///
    /// # Errors
    /// [`IngestError::Counts`] where there are more or fewer vectors than chunks.
    pub fn finish(self, matrix: Option<Vectors>) -> Result<OutsideChunks, IngestError> {
        if let Some(matrix) = &matrix
            && matrix.rows.len() != self.chunks.len()
        {
            return Err(IngestError::Counts { chunks: self.chunks.len(), rows: matrix.rows.len() });
        }
        let order = self.order();
        let Gathered { documents, languages_named, chunks, layouts, fields, .. } = self;
        let (dimension, vectors) = matrix.map_or((0, Vec::new()), |m| (m.dimension, m.rows));
        let layouts = if layouts.iter().all(Layout::is_empty) { Vec::new() } else { layouts };
        let mut out = OutsideChunks {
            documents,
            languages_named,
            chunks,
            layouts,
            vectors,
            dimension,
            files: 0,
            fields,
        };
        if let Some((documents, chunks)) = order {
            reorder_chunks(&mut out, &documents, &chunks);
        }
        Ok(out)
    }

    /// The order of documents and of chunks, where documents are named: whatever file and row a chunk came
    /// in, the bundle is the same.
    fn order(&self) -> Option<(Vec<usize>, Vec<usize>)> {
        if self.places.is_empty() {
            return None;
        }
        let mut documents: Vec<usize> = (0..self.documents.len()).collect();
        documents.sort_by(|&a, &b| {
            self.documents.get(a).map(|d| &d.path).cmp(&self.documents.get(b).map(|d| &d.path))
        });
        let mut rank = vec![0usize; documents.len()];
        for (place, &document) in documents.iter().enumerate() {
            rank[document] = place;
        }
        let key = |i: usize| {
            let chunk = self.chunks.get(i)?;
            Some((rank.get(chunk.document as usize)?, self.places.get(i)?, chunk.end, &chunk.text))
        };
        let mut chunks: Vec<usize> = (0..self.chunks.len()).collect();
        chunks.sort_by(|&a, &b| key(a).cmp(&key(b)));
        Some((documents, chunks))
    }
}

/// Puts documents and chunks into an order; each holds numbers as they are now.
fn reorder_chunks(out: &mut OutsideChunks, documents: &[usize], chunks: &[usize]) {
    let mut number = vec![0u32; documents.len()];
    for (now, &before) in documents.iter().enumerate() {
        number[before] = now as u32;
    }
    out.documents = take_in_order(mem::take(&mut out.documents), documents);
    out.chunks = take_in_order(mem::take(&mut out.chunks), chunks);
    for chunk in &mut out.chunks {
        chunk.document = number.get(chunk.document as usize).copied().unwrap_or(0);
    }
    for (document, ..) in &mut out.fields {
        *document = number.get(*document as usize).copied().unwrap_or(0);
    }
    if !out.layouts.is_empty() {
        out.layouts = take_in_order(mem::take(&mut out.layouts), chunks);
    }
    if out.dimension > 0 {
        out.vectors = take_in_order(mem::take(&mut out.vectors), chunks);
    }
}

/// The items in an order, each taken once.
fn take_in_order<T>(items: Vec<T>, order: &[usize]) -> Vec<T> {
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order.iter().filter_map(|&i| items.get_mut(i)?.take()).collect()
}
