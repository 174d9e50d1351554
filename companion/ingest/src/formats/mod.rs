//! Readers of files: one a format, and what they share.

pub(crate) mod archive;
pub(crate) mod asciidoc;
pub(crate) mod block;
pub(crate) mod check_marks;
pub(crate) mod chunk_collection;
pub(crate) mod chunk_fields;
pub(crate) mod data_table;
mod decode;
pub(crate) mod docx;
pub(crate) mod docx_styles;
pub(crate) mod epub;
pub(crate) mod front_matter;
pub(crate) mod html;
pub(crate) mod html_elements;
pub(crate) mod html_lists;
pub(crate) mod html_math;
mod html_page;
pub(crate) mod html_tables;
pub(crate) mod html_tabs;
pub(crate) mod html_tokens;
pub(crate) mod includes;
pub(crate) mod json_lines;
pub(crate) mod lines;
pub(crate) mod list_numbers;
pub(crate) mod made_html;
pub(crate) mod markdown;
pub(crate) mod markdown_dialects;
pub(crate) mod markdown_fence;
pub(crate) mod markdown_in_html;
pub(crate) mod markdown_indented;
pub(crate) mod markdown_source;
pub(crate) mod marked;
pub(crate) mod mdx;
pub(crate) mod notebook;
pub(crate) mod odf;
pub(crate) mod ooxml;
pub(crate) mod openapi;
pub(crate) mod openapi_schema;
pub(crate) mod parquet;
pub(crate) mod parquet_vectors;
mod pdf;
pub(crate) mod plain;
pub(crate) mod pptx;
pub(crate) mod precomputed;
pub(crate) mod rst;
pub(crate) mod shards;
pub(crate) mod slug;
pub(crate) mod story;
pub(crate) mod superscripts;
pub(crate) mod vault;
pub(crate) mod vectors;
pub(crate) mod xlsx;
pub(crate) mod xml;

use super::{
    Block, BlockKind, IngestError, IngestOptions, Link, Outcome, Reading, Skipped, SourceDocument, address,
    allowance, first_heading, name_of, name_words, stopwatch, title_of, visible,
};
use includes::Includer;
use std::io::Read;
use std::path::PathBuf;

/// A file to be read.
#[derive(Debug, Clone)]
pub(crate) struct FoundFile {
    /// Its path in the source folder, with forward slashes.
    pub path: String,
    pub file: PathBuf,
    pub format: &'static Format,
    pub bytes: u64,
}

/// A format: how its files are known and read. Each file here with a `FORMAT` is one.
#[derive(Debug)]
pub(crate) struct Format {
    /// Name in options.
    pub name: &'static str,
    /// Endings of its files, in lower case.
    pub endings: &'static [&'static str],
    /// Names of its files, for people, where it is recognized by more than endings.
    pub examples: &'static [&'static str],
    /// Returns true if a file is of this format by the rest of its name and its ending.
    pub recognizes: fn(&str, &str) -> bool,
    /// Set if publishers copy its files as they are, under their names.
    pub is_copied: bool,
    /// Reads a file.
    pub method: ReadMethod,
}

impl Format {
    const fn new(name: &'static str, endings: &'static [&'static str], method: ReadMethod) -> Format {
        Format { name, endings, examples: &[], recognizes: |_, _| false, is_copied: false, method }
    }
}

/// The formats, in the order of messages.
pub(crate) const ALL: [&Format; 16] = [
    &markdown::FORMAT,
    &mdx::FORMAT,
    &html_page::FORMAT,
    &rst::FORMAT,
    &asciidoc::FORMAT,
    &notebook::FORMAT,
    &plain::FORMAT,
    &json_lines::FORMAT,
    &epub::FORMAT,
    &docx::FORMAT,
    &odf::FORMAT,
    &xlsx::FORMAT,
    &pptx::FORMAT,
    &data_table::FORMAT,
    &pdf::FORMAT,
    &openapi::FORMAT,
];

/// A document, or why there is none, for the user.
pub(crate) type ReadDocument = Result<SourceDocument, String>;
/// HTML that a reader made of a file, and what of the file was not read.
pub(crate) type MadeHtml = Result<(String, Option<String>), String>;

/// The function that turns a format's files into documents.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReadMethod {
    /// Text, with the parts of other files that it brings in.
    Text(fn(&str, &FoundFile, &Reading<'_>, &Includer<'_>, &mut Outcome) -> ReadDocument),
    /// Text that becomes HTML.
    Made(fn(&str) -> MadeHtml),
    /// An archive that becomes HTML; at most so many bytes of it are unpacked.
    Archive(fn(Vec<u8>, u64) -> MadeHtml),
    /// Other bytes.
    Bytes(fn(Vec<u8>, &FoundFile, &Reading<'_>, &mut Outcome) -> ReadDocument),
    /// Ready chunks, which need not be in memory at once.
    Chunks(fn(&mut dyn Read, &FoundFile, &IngestOptions, &mut Outcome) -> Result<(), String>),
}

pub(crate) fn read_document(
    bytes: Vec<u8>,
    found: &FoundFile,
    reading: &Reading<'_>,
    outcome: &mut Outcome,
) -> ReadDocument {
    let (html, unread) = match found.format.method {
        ReadMethod::Bytes(read) => return read(bytes, found, reading, outcome),
        ReadMethod::Archive(make) => make(bytes, reading.options.limit())?,
        ReadMethod::Made(make) => make(&decode::decode_text(bytes)?)?,
        ReadMethod::Chunks(_) => return Err("ready chunks are no document".into()),
        ReadMethod::Text(read) => {
            let source = decode::decode_text(bytes)?;
            let includer = Includer::new(reading.folder, &found.path, source.len());
            let document = read(&source, found, reading, &includer, outcome)?;
            includer.check()?;
            outcome.brought_in = includer.bytes();
            outcome.used = includer.used.into_inner();
            return Ok(document);
        }
    };
    outcome.skipped.extend(unread.map(|reason| Skipped { path: found.path.clone(), reason }));
    Ok(made_html::read_made_page(&html, found, reading))
}

#[cfg(test)]
mod tests;
