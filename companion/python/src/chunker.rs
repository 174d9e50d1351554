//! Splits documents into chunks, as `pocketgraph build` does.

use crate::embedder::load_model;
use pocketgraph_bundle::{Chunk, Document, Layout, encode_layouts};
use pocketgraph_ingest::chunk::{CHUNK_TOKENS, split_laid_out};
use pocketgraph_ingest::{GeneratorChoice, IngestOptions, UrlStyle, generator_names, ingest};
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::path::{Component, Path};
use std::sync::Arc;

type Row = (u32, Document, Chunk, Layout);

/// Splits documents into chunks of at most `max_tokens` tokens, by the rules of `pocketgraph build`.
#[pyclass(frozen, module = "pocketgraph")]
pub struct Chunker {
    model: Arc<NativeEmbedder>,
    max_tokens: usize,
    options: IngestOptions,
}

#[pymethods]
impl Chunker {
    #[new]
    #[pyo3(signature = (max_tokens=200, *, base_url="", url_style="auto", generator="none",
        embedder="minilm", embedder_file=None))]
    fn new(
        max_tokens: usize,
        base_url: &str,
        url_style: &str,
        generator: &str,
        embedder: &str,
        embedder_file: Option<std::path::PathBuf>,
    ) -> PyResult<Self> {
        if !u32::try_from(max_tokens).is_ok_and(|n| CHUNK_TOKENS.contains(&n)) {
            let (least, most) = (CHUNK_TOKENS.start(), CHUNK_TOKENS.end());
            return Err(PyValueError::new_err(format!(
                "max_tokens is {max_tokens}: expected {least} to {most}"
            )));
        }
        let url_style = match url_style {
            "auto" => UrlStyle::Auto,
            "html" => UrlStyle::Html,
            "folder" => UrlStyle::Directory,
            "clean" => UrlStyle::Clean,
            "source" => UrlStyle::Source,
            other => {
                return Err(PyValueError::new_err(format!(
                    "there is no url_style {other:?}; there are auto, html, folder, clean and source"
                )));
            }
        };
        let generator = match generator {
            "none" => GeneratorChoice::None,
            name => match generator_names().find(|known| *known == name) {
                Some(known) => GeneratorChoice::Named(known),
                None => {
                    let all = generator_names().collect::<Vec<_>>().join(", ");
                    return Err(PyValueError::new_err(format!(
                        "there is no generator {name:?}; there are none, {all}"
                    )));
                }
            },
        };
        let options =
            IngestOptions { base_url: base_url.to_owned(), url_style, generator, ..IngestOptions::default() };
        Ok(Chunker { model: load_model(embedder, embedder_file)?, max_tokens, options })
    }

    /// Returns the chunks of documents: a path, whose ending gives the format, and bytes or text each.
    fn chunks<'py>(
        &self,
        py: Python<'py>,
        documents: Vec<(String, Bound<'py, PyAny>)>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut files = Vec::with_capacity(documents.len());
        for (path, content) in documents {
            let bytes = match content.extract::<String>() {
                Ok(text) => text.into_bytes(),
                Err(_) => content.extract::<Vec<u8>>()?,
            };
            files.push((path, bytes));
        }
        let rows = py.detach(|| self.rows(&files))?;
        let out = PyList::empty(py);
        for (index, document, chunk, layout) in rows {
            let row = PyDict::new(py);
            row.set_item("document", document.path)?;
            row.set_item("index", index)?;
            row.set_item("title", document.title)?;
            row.set_item("url", document.url)?;
            row.set_item("language", document.language)?;
            row.set_item("headings", chunk.heading_path)?;
            row.set_item("fragment", chunk.fragment)?;
            row.set_item("start", chunk.start)?;
            row.set_item("end", chunk.end)?;
            row.set_item("layout", PyBytes::new(py, &encode_layouts(&[layout])))?;
            row.set_item("text", chunk.text)?;
            out.append(row)?;
        }
        Ok(out)
    }
}

impl Chunker {
    /// The program reads folders, with references between files, so the documents become a temporary one.
    fn rows(&self, files: &[(String, Vec<u8>)]) -> PyResult<Vec<Row>> {
        let folder = tempfile::tempdir()?;
        for (path, bytes) in files {
            let relative = Path::new(path);
            if path.is_empty() || !relative.components().all(|c| matches!(c, Component::Normal(_))) {
                return Err(PyValueError::new_err(format!("{path:?} is no path below a folder")));
            }
            let place = folder.path().join(relative);
            if let Some(above) = place.parent() {
                std::fs::create_dir_all(above)?;
            }
            std::fs::write(place, bytes)?;
        }
        let corpus =
            ingest(folder.path(), &self.options, &|_| {}).map_err(|e| PyOSError::new_err(e.to_string()))?;
        let count = |text: &str| self.model.count(text);
        let mut out = Vec::new();
        for (number, document) in corpus.documents.iter().enumerate() {
            let shown = document.document();
            let cut = split_laid_out(number as u32, document, &count, self.max_tokens);
            out.extend(
                cut.into_iter()
                    .enumerate()
                    .map(|(i, (chunk, layout))| (i as u32, shown.clone(), chunk, layout)),
            );
        }
        Ok(out)
    }
}
