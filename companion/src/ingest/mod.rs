//! Files to documents: what a folder holds, read into blocks of plain text that know where they came from.
//!
//! Memory: what is kept is about the size of the text read. While it is read, a plain text file takes twice its size, a Markdown file its own size and
//! at most some hundred megabytes for the part being parsed (parts are a megabyte or two), an HTML file its own size and its text. Files above
//! [`IngestOptions::max_file_bytes`] are not read at all.

mod address;
mod asciidoc;
mod block;
mod decode;
mod front_matter;
mod html;
mod html_elements;
mod html_tokens;
mod json_lines;
mod lines;
mod markdown;
mod markdown_dialects;
mod markdown_indented;
mod markdown_source;
mod marked;
mod notebook;
mod npy;
mod outside;
mod parquet;
mod plain;
mod ready;
mod rst;
mod slug;
mod walk;

pub use address::UrlStyle;
pub use block::{Block, BlockKind};
pub(crate) use json_lines::skip_line;
pub(crate) use markdown_source::without_marks;
pub use outside::{OutsideChunks, Vectors, outside, read_vectors};
pub(crate) use slug::Slugs;
pub(crate) use walk::{Format, format_of};

use crate::caught::caught;
use front_matter::{field, front_matter};
use pocketgraph::bundle::Document;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use walk::{Found, walk};

/// Titles longer than this many characters are cut.
const MAX_TITLE: usize = 300;

/// So many bad lines of one file are named; the rest are counted.
const NAMED_LINES: usize = 20;

/// What to read and how its URLs are made.
#[derive(Debug, Clone)]
pub struct IngestOptions {
    /// Put before every relative URL; empty for URLs relative to the site's root.
    pub base_url: String,
    /// How URLs follow from paths.
    pub url_style: UrlStyle,
    /// Files and folders that are not read: the output bundle.
    pub exclude: Vec<PathBuf>,
    /// Files above this are skipped by name. At most 2 GiB, whatever is asked for.
    pub max_file_bytes: u64,
    /// Whether symbolic links are followed (also out of the folder); loops are found and reported.
    pub follow_links: bool,
}

impl Default for IngestOptions {
    fn default() -> Self {
        IngestOptions {
            base_url: String::new(),
            url_style: UrlStyle::default(),
            exclude: Vec::new(),
            max_file_bytes: 256 << 20,
            follow_links: false,
        }
    }
}

/// How far reading has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IngestProgress {
    /// Files read or skipped.
    pub files_done: usize,
    /// Files found.
    pub files_total: usize,
    /// Their bytes.
    pub bytes_done: u64,
    /// Bytes of all files found.
    pub bytes_total: u64,
}

/// A link of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it points, as written.
    pub target: String,
    /// Its text; may be empty.
    pub text: String,
    /// The block that it stands in, counted before blocks without text were left out: in HTML a little more than its place among the
    /// document's blocks.
    pub block: usize,
}

/// A file, or a line of a file of chunks, as blocks of plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceDocument {
    /// Its path in the source folder, with forward slashes; for a ready chunk its id, else `file:line`.
    pub path: String,
    /// Where a reader opens it, without a fragment; empty for a ready chunk that names no URL.
    pub url: String,
    /// Its title, never empty: front matter, else the first heading of level 1, else `<title>` or the first heading, else the file's name.
    pub title: String,
    /// Its text, in order; never empty.
    pub blocks: Vec<Block>,
    /// Its links, in order.
    pub links: Vec<Link>,
    /// The fields of its front matter or `<meta>` elements, in order; a list gives one pair an item.
    pub front_matter: Vec<(String, String)>,
    /// Whether each block is a chunk already, not to be split or merged.
    pub ready: bool,
}

impl SourceDocument {
    /// What the bundle keeps of it.
    pub fn document(&self) -> Document {
        Document { title: self.title.clone(), url: self.url.clone(), path: self.path.clone() }
    }
}

/// A file or line that was not read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its path in the source folder.
    pub path: String,
    /// Why, in words for the user.
    pub reason: String,
}

/// Everything that a folder holds. May be empty: whether that is an error is for the caller to say, with the list of what was skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Corpus {
    /// The documents, in the order of their files' paths.
    pub documents: Vec<SourceDocument>,
    /// What was left out, sorted by path.
    pub skipped: Vec<Skipped>,
    /// How many files were found, read or not.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// Why nothing could be read.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// A file or folder that was named by the user cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The single file named is of no known kind.
    #[error("{}: not a kind of file that can be read (.md, .markdown, .mdx, .html, .htm, .rst, .adoc, .asciidoc, .ipynb, .txt, .text, .jsonl)", path.display())]
    UnknownFormat {
        /// Which.
        path: PathBuf,
    },
    /// A line of the chunks brought from outside is malformed.
    #[error("{}: line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A row of a table of chunks brought from outside cannot be used.
    #[error("{}: row {row}: {reason}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The row, from 1.
        row: usize,
        /// Which column, and what is wrong with it.
        reason: String,
    },
    /// A table of chunks brought from outside cannot be read.
    #[error("{}: {reason}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// The vectors brought from outside cannot be used.
    #[error("{}: {reason}", path.display())]
    Vectors {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// There are more or fewer vectors than chunks.
    #[error("{chunks} chunks but {rows} vectors: each line of the chunks needs one row, in the same order")]
    Counts {
        /// Lines of the chunks that are not blank.
        chunks: usize,
        /// Rows of the matrix.
        rows: usize,
    },
}

/// Reads a folder, or a single file. What cannot be read is reported in [`Corpus::skipped`], never an error; only a root that cannot be read is one.
///
/// Files are read on all cores; the result does not depend on their number. `progress` is called after each file, from any thread.
pub fn ingest(root: &Path, options: &IngestOptions, progress: &(dyn Fn(IngestProgress) + Sync)) -> Result<Corpus, IngestError> {
    let (found, mut skipped) = walk(root, options)?;
    let bytes_total = found.iter().map(|f| f.bytes).sum();
    let (files_done, bytes_done) = (AtomicUsize::new(0), AtomicU64::new(0));
    let outcomes: Vec<Outcome> = found
        .par_iter()
        .map(|f| {
            let outcome = read(f, options);
            progress(IngestProgress {
                files_done: files_done.fetch_add(1, Ordering::Relaxed) + 1,
                files_total: found.len(),
                bytes_done: bytes_done.fetch_add(f.bytes, Ordering::Relaxed) + f.bytes,
                bytes_total,
            });
            outcome
        })
        .collect();
    let marked = outcomes.iter().any(|o| o.pagefind_body == Some(true));
    let mut corpus = Corpus { files: found.len(), bytes: bytes_total, ..Corpus::default() };
    for (f, mut outcome) in found.iter().zip(outcomes) {
        if marked && outcome.pagefind_body == Some(false) {
            outcome.documents.clear();
            outcome.skipped =
                vec![Skipped { path: f.path.clone(), reason: "no data-pagefind-body, which other pages of this site have".into() }];
        }
        corpus.documents.append(&mut outcome.documents);
        skipped.append(&mut outcome.skipped);
    }
    skipped.sort_by(|a, b| a.path.cmp(&b.path));
    corpus.skipped = skipped;
    Ok(corpus)
}

/// What became of one file.
#[derive(Default)]
struct Outcome {
    documents: Vec<SourceDocument>,
    skipped: Vec<Skipped>,
    /// For HTML: whether it is marked with `data-pagefind-body`.
    pagefind_body: Option<bool>,
}

fn read(found: &Found, options: &IngestOptions) -> Outcome {
    let mut outcome = Outcome::default();
    // A fault of a reader loses its file, not the build.
    let read = caught(|| try_read(found, options, &mut outcome));
    if let Err(reason) = read.unwrap_or_else(|said| Err(format!("the program failed on it, which is a fault of the program ({said})"))) {
        outcome.documents.clear();
        outcome.skipped.push(Skipped { path: found.path.clone(), reason });
    }
    outcome
}

fn try_read(found: &Found, options: &IngestOptions, outcome: &mut Outcome) -> Result<(), String> {
    let limit = options.max_file_bytes.min(2 << 30);
    let too_large = || format!("larger than the limit of {} bytes", limit);
    if found.bytes > limit {
        return Err(too_large());
    }
    let file = File::open(&found.file).map_err(|e| e.to_string())?;
    if found.format == Format::JsonLines {
        return read_json_lines(file.take(limit), found, options, outcome);
    }
    let mut bytes = Vec::with_capacity(found.bytes as usize + 1);
    // The file may have grown since it was looked at.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    read_whole(bytes, found, options, outcome)
}

/// Reads a file from its bytes; `path` is its name, whose ending says what it is. What cannot be read is among what was skipped. A fault of a reader is not
/// caught: this is for those who look for such.
///
/// # Errors
/// [`IngestError::UnknownFormat`] where the ending is that of no kind that can be read.
pub fn ingest_bytes(path: &str, bytes: Vec<u8>, options: &IngestOptions) -> Result<Corpus, IngestError> {
    let Some(format) = format_of(Path::new(path)) else { return Err(IngestError::UnknownFormat { path: path.into() }) };
    let found = Found { path: path.to_owned(), file: path.into(), format, bytes: bytes.len() as u64 };
    let mut outcome = Outcome::default();
    let size = found.bytes;
    let read = match format {
        Format::JsonLines => read_json_lines(bytes.as_slice(), &found, options, &mut outcome),
        _ => read_whole(bytes, &found, options, &mut outcome),
    };
    if let Err(reason) = read {
        outcome.skipped.push(Skipped { path: found.path, reason });
    }
    Ok(Corpus { documents: outcome.documents, skipped: outcome.skipped, files: 1, bytes: size })
}

fn read_whole(bytes: Vec<u8>, found: &Found, options: &IngestOptions, outcome: &mut Outcome) -> Result<(), String> {
    let source = decode::decode(bytes)?;
    let mut document = match found.format {
        Format::Html => html_page(&source, found, options, outcome),
        Format::Markdown | Format::Mdx => markdown_page(&source, found, options)?,
        Format::Notebook => notebook_page(&source, found, options)?,
        Format::ReStructuredText | Format::AsciiDoc => marked_page(&source, found, options),
        Format::Text | Format::JsonLines => SourceDocument {
            url: address::url_of(&found.path, &options.base_url, options.url_style),
            title: name_of(&found.path),
            blocks: plain::read(&source),
            ..blank(found)
        },
    };
    // Not of HTML, whose pages may be without text because their author marked it as not to be searched.
    let markdown = matches!(found.format, Format::Markdown | Format::Mdx);
    if markdown && document.blocks.iter().all(|b| matches!(b.kind, BlockKind::Heading(_))) {
        document.blocks.extend(description(&document.front_matter, &source));
    }
    if document.blocks.is_empty() {
        return Err("holds no text".into());
    }
    outcome.documents.push(document);
    Ok(())
}

fn blank(found: &Found) -> SourceDocument {
    SourceDocument {
        path: found.path.clone(),
        url: String::new(),
        title: String::new(),
        blocks: Vec::new(),
        links: Vec::new(),
        front_matter: Vec::new(),
        ready: false,
    }
}

fn markdown_page(source: &str, found: &Found, options: &IngestOptions) -> Result<SourceDocument, String> {
    let (fields, from) = front_matter(source);
    if field(&fields, "draft") == Some("true") {
        return Err("marked as a draft".into());
    }
    let (blocks, links) = markdown::read(source, from, found.format == Format::Mdx);
    let (base, style) = (options.base_url.as_str(), options.url_style);
    let claimed = field(&fields, "url").or_else(|| field(&fields, "permalink")).and_then(|u| address::claimed_url(u, base));
    let slugged = || field(&fields, "slug").and_then(|s| address::slugged(&found.path, s, base, style));
    let title = field(&fields, "title").map(str::to_owned).or_else(|| first_heading(&blocks));
    Ok(SourceDocument {
        url: claimed.or_else(slugged).unwrap_or_else(|| address::url_of(&found.path, base, style)),
        title: title_or_name(title, &found.path),
        blocks,
        links,
        front_matter: fields,
        ..blank(found)
    })
}

/// Its places are those of the text of its cells, which are one after the other.
fn notebook_page(source: &str, found: &Found, options: &IngestOptions) -> Result<SourceDocument, String> {
    let (text, mut fields) = notebook::markdown(source)?;
    let mut page = markdown_page(&text, found, options)?;
    if page.front_matter.is_empty()
        && let Some(title) = field(&fields, "title")
    {
        page.title = title_or_name(Some(title.to_owned()), &found.path);
    }
    page.front_matter.append(&mut fields);
    Ok(page)
}

/// A page in reStructuredText or AsciiDoc.
fn marked_page(source: &str, found: &Found, options: &IngestOptions) -> SourceDocument {
    let page = if found.format == Format::AsciiDoc { asciidoc::read(source) } else { rst::read(source) };
    SourceDocument {
        url: address::url_of(&found.path, &options.base_url, options.url_style),
        title: title_or_name(first_heading(&page.blocks), &found.path),
        blocks: page.blocks,
        links: page.links,
        front_matter: page.fields.into_vec(),
        ..blank(found)
    }
}

fn html_page(source: &str, found: &Found, options: &IngestOptions, outcome: &mut Outcome) -> SourceDocument {
    let page = html::page(source);
    outcome.pagefind_body = Some(page.pagefind_body);
    let index = block::CharIndex::new(source);
    let blocks: Vec<Block> = page.drafts.into_iter().filter_map(|d| d.finish(&index)).collect();
    let first = blocks.iter().find(|b| b.kind == BlockKind::Heading(1)).map(|b| b.text.clone());
    let title = first.or_else(|| Some(page.title).filter(|t| !t.is_empty())).or_else(|| first_heading(&blocks));
    SourceDocument {
        url: address::url_of(&found.path, &options.base_url, options.url_style),
        title: title_or_name(title, &found.path),
        blocks,
        links: page.links,
        front_matter: page.meta,
        ..blank(found)
    }
}

/// What a page without text says of itself: the pages that open the sections of a site often have nothing but a title and a description.
fn description(front_matter: &[(String, String)], source: &str) -> Option<Block> {
    let text = field(front_matter, "description").or_else(|| field(front_matter, "summary"))?;
    // One that the source spells otherwise, folded over lines or with marks, stands for the file from its beginning.
    let start = source.find(text).map_or(0, |at| source[..at].chars().count());
    Some(Block::verbatim(BlockKind::Paragraph, text, u32::try_from(start).unwrap_or(u32::MAX)))
}

fn read_json_lines(file: impl Read, found: &Found, options: &IngestOptions, outcome: &mut Outcome) -> Result<(), String> {
    let mut bad = 0;
    for line in json_lines::lines(BufReader::new(file), &found.path, &options.base_url) {
        let line = line.map_err(|e| e.to_string())?;
        match line.record {
            Ok(document) => outcome.documents.push(document),
            Err(reason) => {
                bad += 1;
                if bad <= NAMED_LINES {
                    outcome.skipped.push(Skipped { path: found.path.clone(), reason: format!("line {}: {reason}", line.number) });
                }
            }
        }
    }
    if bad > NAMED_LINES {
        outcome.skipped.push(Skipped { path: found.path.clone(), reason: format!("{} more malformed lines", bad - NAMED_LINES) });
    }
    if outcome.documents.is_empty() && bad == 0 {
        return Err("holds no text".into());
    }
    Ok(())
}

fn first_heading(blocks: &[Block]) -> Option<String> {
    let headings = || blocks.iter().filter(|b| matches!(b.kind, BlockKind::Heading(_)));
    headings().find(|b| b.kind == BlockKind::Heading(1)).or_else(|| headings().next()).map(|b| b.text.clone())
}

fn title_or_name(title: Option<String>, path: &str) -> String {
    let title = title.map(|t| t.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|t| !t.is_empty());
    shortened(&title.unwrap_or_else(|| name_of(path)), MAX_TITLE)
}

/// A title for a file that names none: its name without the extension, or its folder's for an index file.
fn name_of(path: &str) -> String {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or(path);
    let stem = file.rsplit_once('.').map_or(file, |(s, _)| s);
    let index = ["index", "_index", "readme"].iter().any(|s| stem.eq_ignore_ascii_case(s));
    let name = parts.next().filter(|_| index).unwrap_or(stem);
    if name.is_empty() { path.to_owned() } else { name.to_owned() }
}

/// At most this many characters, with an ellipsis where something was cut.
fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or("").trim_end()),
        None => text.to_owned(),
    }
}
