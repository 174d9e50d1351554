#![doc = include_str!("../README.md")]

pub mod chunk;
pub mod namesakes;
pub mod rank;
mod address;
mod allowance;
mod decode;
mod formats;
mod generators;
mod globs;
mod rendered;
#[cfg(test)]
mod signs_tests;
mod stopwatch;
mod visible;
mod walk;

pub use address::{UrlStyle, is_base_url, join_path};
pub use formats::block::{Block, BlockKind};
pub use formats::chunk_collection::OutsideChunks;
pub use formats::html::ids as ids_of_html;
pub use formats::json_lines::skip_line;
pub use formats::markdown_source::without_marks;
pub use formats::precomputed::outside;
pub use formats::slug::Slugs;
pub use formats::vectors::{Vectors, read_vectors};
pub use generators::{GeneratorChoice, detected_generator, generator_names, published_folder};
pub use globs::Globs;
pub use pocketgraph_pdf::PdfReader;
pub use walk::FormatRule;
pub use walk::{Format, format_of};

use allowance::Allowance;
use formats::front_matter::{field, front_matter};
use formats::includes::{self, Folder, Includer};
use formats::markdown::{self, Dialect};
use formats::{
    asciidoc, block, data_table, docx, epub, html, json_lines, man, mdx, notebook, odf, openapi, plain, pptx, rst, slug, vault, xlsx,
};
use generators::{Page as SitePage, Site, is_private};
use pocketgraph_bundle::Document;
use pocketgraph_languages as languages;
use pocketgraph_native::panics::caught;
use rayon::prelude::*;
use rendered::Rendered;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use stopwatch::Stopwatch;
use walk::{FoundFile, walk};

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
    /// Whose rules hold for addresses, ids of headings, and which files are pages.
    pub generator: GeneratorChoice,
    /// Patterns of files that are not read, as in a `.gitignore`.
    pub excluded: Globs,
    /// Where it has any pattern, only files that match are read, also those that would be left out as no pages.
    pub included: Globs,
    /// What files are, in place of what their endings say.
    pub formats: Vec<FormatRule>,
    /// Where PDFs are read.
    pub pdf: PdfReader,
    /// Files and folders that are not read: the output bundle.
    pub exclude: Vec<PathBuf>,
    /// Files above this are skipped by name. At most 2 GiB, whatever is asked for.
    pub max_file_bytes: u64,
    /// Whether symbolic links are followed (also out of the folder); loops are found and reported.
    pub follow_links: bool,
}

impl IngestOptions {
    /// Reads only files that `included` names, where it names any, and none that `excluded` names: patterns as in a `.gitignore`.
    ///
    /// # Errors
    /// The first pattern that is none, with the reason.
    pub fn choose<S: AsRef<str>>(&mut self, included: &[S], excluded: &[S]) -> Result<(), String> {
        self.included = Globs::new(included)?;
        self.excluded = Globs::new(excluded)?;
        Ok(())
    }
}

impl Default for IngestOptions {
    fn default() -> Self {
        IngestOptions {
            base_url: String::new(),
            url_style: UrlStyle::default(),
            generator: GeneratorChoice::default(),
            excluded: Globs::default(),
            included: Globs::default(),
            formats: Vec::new(),
            pdf: PdfReader::default(),
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
    /// The language that its site or its source names, as `de` or `pt-BR`.
    pub fn language(&self) -> Option<&str> {
        ["language", "lang"].iter().find_map(|name| field(&self.front_matter, name).filter(|tag| languages::primary(tag).is_some()))
    }

    /// The version of the product that it is about, where its site has pages of several.
    pub fn version(&self) -> Option<&str> {
        field(&self.front_matter, "version")
    }

    /// What the bundle keeps of it. Its language is that of its prose: code is in none.
    pub fn document(&self) -> Document {
        let prose = self.blocks.iter().filter(|b| b.kind != BlockKind::Code).map(|b| b.text.as_str());
        let language = languages::language(self.language(), std::iter::once(self.title.as_str()).chain(prose));
        Document { title: self.title.clone(), url: self.url.clone(), path: self.path.clone(), language }
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
    /// What the folder was taken for, for the user.
    pub notes: Vec<String>,
    /// What may be wrong with that.
    pub warnings: Vec<String>,
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
    /// The single file named is of no kind that is read.
    #[error("{}: {reason}", path.display())]
    UnknownFormat {
        /// Which.
        path: PathBuf,
        /// Why it is not read.
        reason: String,
    },
    /// Chunks or vectors brought from outside cannot be used.
    #[error("{}: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The line or row, from 1, where it is one; what is wrong with it, and what was expected.
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
    let walked = walk(root, options)?;
    let others = walked.note();
    let (found, mut skipped) = (walked.found, walked.skipped);
    let single = root.is_file();
    let rendered = if single { Rendered::default() } else { Rendered::of(root, &found) };
    // A folder that a generator wrote lies in its project, but its files are no sources.
    let choice = if rendered.is { GeneratorChoice::None } else { options.generator };
    let site = Site::of(root, &found, choice, options.url_style);
    let files = found.len();
    let bytes_total = found.iter().map(|f| f.bytes).sum();
    let mut pages = Vec::with_capacity(found.len());
    for f in found {
        let asked_for = single || !options.included.is_empty();
        match no_page(&f, &rendered, &site).filter(|_| !asked_for) {
            Some(reason) => skipped.push(Skipped { path: f.path, reason: reason.into() }),
            None => pages.push(f),
        }
    }
    let folder = Folder::new(root, &site.place, site.rules.part_folders());
    let labels = labels(&pages, options);
    let reading = Reading { options, site: &site, rendered: &rendered, folder: folder.as_ref(), labels: &labels };
    let (files_done, bytes_done) = (AtomicUsize::new(0), AtomicU64::new(0));
    let outcomes: Vec<Outcome> = pages
        .par_iter()
        .map(|f| {
            let outcome = read(f, &reading);
            progress(IngestProgress {
                files_done: files_done.fetch_add(1, Ordering::Relaxed) + 1,
                files_total: pages.len(),
                bytes_done: bytes_done.fetch_add(f.bytes, Ordering::Relaxed) + f.bytes,
                bytes_total,
            });
            outcome
        })
        .collect();
    let marked = outcomes.iter().any(|o| o.pagefind_body == Some(true));
    let used: BTreeSet<String> = outcomes.iter().flat_map(|o| o.used.iter().cloned()).collect();
    let linked = linked_names(&outcomes);
    // A whole site that asks robots to stay away is one that is being tried; its owner wants it searched.
    let shy = outcomes.iter().filter(|o| o.unindexed).count();
    let open = outcomes.iter().any(|o| !o.unindexed && !o.documents.is_empty());
    let mut corpus = Corpus {
        files,
        bytes: bytes_total,
        notes: notes(&site, &rendered, options).into_iter().chain(others).collect(),
        warnings: warnings(&site, options),
        ..Corpus::default()
    };
    if shy > 0 && !open {
        corpus.warnings.push(format!("all {shy} pages say noindex: they are read all the same"));
    }
    for (f, mut outcome) in pages.iter().zip(outcomes) {
        let reason = match () {
            () if marked && outcome.pagefind_body == Some(false) => Some("no data-pagefind-body, which other pages of this site have"),
            () if outcome.unindexed && open => Some("marked noindex"),
            // Read where it is shown.
            () if used.contains(f.path.as_str()) && (is_part(&f.path) || !linked.contains(&name_of(&f.path))) => {
                Some("a part of other pages")
            }
            () => None,
        };
        if let Some(reason) = reason {
            outcome.documents.clear();
            outcome.skipped = vec![Skipped { path: f.path.clone(), reason: reason.into() }];
        }
        corpus.documents.append(&mut outcome.documents);
        skipped.append(&mut outcome.skipped);
    }
    skipped.sort_by(|a, b| a.path.cmp(&b.path));
    corpus.skipped = skipped;
    Ok(corpus)
}

/// What the reading of every file goes by.
struct Reading<'a> {
    options: &'a IngestOptions,
    site: &'a Site,
    rendered: &'a Rendered,
    folder: Option<&'a Folder>,
    /// Titles of the sections that labels of reStructuredText name.
    labels: &'a HashMap<String, String>,
}

/// Names of the pages that links lead to: a file that others bring in is a page if readers are sent to it.
fn linked_names(outcomes: &[Outcome]) -> BTreeSet<String> {
    let links = outcomes.iter().flat_map(|o| &o.documents).flat_map(|d| &d.links);
    links.map(|l| name_of(l.target.split(['#', '?']).next().unwrap_or("").trim_end_matches('/'))).collect()
}

/// Returns the titles of the sections that labels of reStructuredText name, in all files: references show them.
fn labels(pages: &[FoundFile], options: &IngestOptions) -> HashMap<String, String> {
    let marked = |f: &&FoundFile| f.format == Format::ReStructuredText && f.bytes <= options.max_file_bytes.min(LONGEST_LABELLED);
    let found: Vec<Vec<(String, String)>> = pages
        .par_iter()
        .filter(marked)
        .map(|f| std::fs::read(&f.file).map(|bytes| rst::labels(&String::from_utf8_lossy(&bytes))).unwrap_or_default())
        .collect();
    found.into_iter().flatten().take(MOST_LABELS).collect()
}

/// Longer files are not looked through for labels, and no more labels are kept.
const LONGEST_LABELLED: u64 = 4 << 20;
const MOST_LABELS: usize = 100_000;

/// Why a file is no page of the site, if it is none.
fn no_page(found: &FoundFile, rendered: &Rendered, site: &Site) -> Option<&'static str> {
    if found.format == Format::JsonLines {
        return None;
    }
    if let Some(reason) = rendered.no_page(&found.path) {
        return Some(reason);
    }
    if rendered.is { None } else { site.no_page(&found.path, found.format) }
}

/// Whether a file that another page brought in is nothing but a part, by its name or its folder's.
fn is_part(path: &str) -> bool {
    let folders = ["includes", "snippets", "partials", "fragments", "shared", "include", "snippet", "partial"];
    path.split('/').any(|part| is_private(part) || folders.contains(&part))
}

fn notes(site: &Site, rendered: &Rendered, options: &IngestOptions) -> Vec<String> {
    let mut notes = Vec::new();
    if rendered.is {
        notes.push("read as a rendered site: addresses are those of its files".to_owned());
    }
    if let Some(label) = site.label() {
        let seen = site.configuration.as_ref().map(|c| format!(" ({c})")).unwrap_or_default();
        notes.push(format!("read as the source of a {label} site{seen}: addresses {}", site.style.described()));
    }
    if let Some(address) = site.claimed_address.as_ref().filter(|a| options.base_url.is_empty() && address::is_absolute(a) && a.len() < 200)
    {
        notes.push(format!(
            "the site's configuration says that it is published at {address}: give that as --base-url, if it is so, for links from anywhere"
        ));
    }
    notes
}

fn warnings(site: &Site, options: &IngestOptions) -> Vec<String> {
    let mut warnings = Vec::new();
    if let (Some(own), Some(label)) = (site.own_style, site.label()) {
        warnings.push(format!(
            "{label} publishes pages {} by its configuration, but --url-style asks for addresses {}: links of hits may lead nowhere",
            own.described(),
            options.url_style.described()
        ));
    }
    warnings
}

/// What became of one file.
#[derive(Default)]
struct Outcome {
    documents: Vec<SourceDocument>,
    skipped: Vec<Skipped>,
    /// For HTML: whether it is marked with `data-pagefind-body`.
    pagefind_body: Option<bool>,
    /// For HTML: whether it asks robots not to index it.
    unindexed: bool,
    /// Files that were brought in.
    used: BTreeSet<String>,
    /// Their bytes.
    brought_in: usize,
}

fn read(found: &FoundFile, reading: &Reading<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    // A fault of a reader loses its file, not the build.
    let read = caught(|| try_read(found, reading, &mut outcome));
    if let Err(reason) = read.unwrap_or_else(|text| Err(format!("the program failed on it, which is a fault of the program ({text})"))) {
        outcome.documents.clear();
        outcome.skipped.push(Skipped { path: found.path.clone(), reason });
    }
    outcome
}

fn try_read(found: &FoundFile, reading: &Reading<'_>, outcome: &mut Outcome) -> Result<(), String> {
    let options = reading.options;
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
    read_whole(bytes, found, reading, outcome)
}

/// Reads a file from its bytes; `path` is its name, whose ending says what it is. What cannot be read is among what was skipped. A fault of a reader is not
/// caught: this is for those who look for such.
///
/// # Errors
/// [`IngestError::UnknownFormat`] where the ending is that of no kind that can be read.
pub fn ingest_bytes(path: &str, bytes: Vec<u8>, options: &IngestOptions) -> Result<Corpus, IngestError> {
    let Some(format) = format_of(Path::new(path)) else {
        let reason = format!("not a kind of file that can be read ({})", walk::endings());
        return Err(IngestError::UnknownFormat { path: path.into(), reason });
    };
    let found = FoundFile { path: path.to_owned(), file: path.into(), format, bytes: bytes.len() as u64 };
    let mut outcome = Outcome::default();
    let size = found.bytes;
    // Bytes belong to no folder, and so to no generator's site.
    let site = Site::of(Path::new(""), &[], GeneratorChoice::None, options.url_style);
    let reading = Reading { options, site: &site, rendered: &Rendered::default(), folder: None, labels: &HashMap::new() };
    let read = match format {
        Format::JsonLines => read_json_lines(bytes.as_slice(), &found, options, &mut outcome),
        _ => read_whole(bytes, &found, &reading, &mut outcome),
    };
    if let Err(reason) = read {
        outcome.skipped.push(Skipped { path: found.path, reason });
    }
    Ok(Corpus { documents: outcome.documents, skipped: outcome.skipped, files: 1, bytes: size, ..Corpus::default() })
}

fn read_whole(bytes: Vec<u8>, found: &FoundFile, reading: &Reading<'_>, outcome: &mut Outcome) -> Result<(), String> {
    let watch = Stopwatch::start(bytes.len());
    let document = document(bytes, found, reading, outcome)?;
    watch.check()?;
    keep(document, found, reading, outcome)
}

fn document(bytes: Vec<u8>, found: &FoundFile, reading: &Reading<'_>, outcome: &mut Outcome) -> Result<SourceDocument, String> {
    let options = reading.options;
    let limit = options.max_file_bytes.min(2 << 30);
    match found.format {
        Format::Epub => return Ok(made_page(&epub::html(bytes, limit)?, found, reading)),
        Format::Docx => return Ok(made_page(&docx::html(bytes, limit)?, found, reading)),
        Format::Pptx => return Ok(made_page(&pptx::html(bytes, limit)?, found, reading)),
        Format::Xlsx => return Ok(made_in_part(xlsx::html(bytes, limit)?, found, reading, outcome)),
        Format::OpenDocument => return Ok(made_in_part(odf::html(bytes, limit)?, found, reading, outcome)),
        Format::Pdf => {
            let text = options.pdf.read(bytes)?;
            if let Some(reason) = &text.unread {
                outcome.skipped.push(Skipped { path: found.path.clone(), reason: reason.clone() });
            }
            return Ok(pdf_pages(text, found, reading));
        }
        _ => {}
    }
    let source = decode::decode(bytes)?;
    let includer = Includer::new(reading.folder, &found.path, source.len());
    let format = match found.format {
        Format::Text if reading.site.rules.text_is_rst() || rst::looks_like(&source, &found.file) => Format::ReStructuredText,
        format => format,
    };
    let mut document = match format {
        Format::Html => html_page(&source, found, reading, outcome)?,
        Format::Markdown | Format::Mdx => markdown_page(&source, found, reading, &includer)?,
        Format::Notebook => notebook_page(&source, found, reading, &includer)?,
        Format::ReStructuredText | Format::AsciiDoc => marked_page(&source, found, format, reading, &includer)?,
        Format::OpenApi => made_page(&openapi::html(&source)?, found, reading),
        Format::Man => made_page(&man::html(&source)?, found, reading),
        Format::Table => made_in_part(data_table::html(&source)?, found, reading, outcome),
        _ => SourceDocument {
            url: address::url_of(&found.path, &options.base_url, reading.site.style),
            title: name_of(&found.path),
            blocks: plain::read(&source),
            ..blank(found)
        },
    };
    includer.check()?;
    outcome.brought_in = includer.bytes();
    outcome.used = includer.used.into_inner();
    // Not of HTML, whose pages may be without text because their author marked it as not to be searched.
    let markdown = matches!(found.format, Format::Markdown | Format::Mdx);
    if markdown && document.blocks.iter().all(|b| matches!(b.kind, BlockKind::Heading(_))) {
        document.blocks.extend(description(&document.front_matter, &source));
    }
    Ok(document)
}

/// Adds what the site knows of a page, and keeps the page.
fn keep(mut document: SourceDocument, found: &FoundFile, reading: &Reading<'_>, outcome: &mut Outcome) -> Result<(), String> {
    for (name, value) in [("lang", reading.site.language(&found.path).map(str::to_owned)), ("version", reading.site.version(&found.path))] {
        if let Some(value) = value.filter(|_| field(&document.front_matter, name).is_none()) {
            document.front_matter.push((name.to_owned(), value));
        }
    }
    if document.blocks.is_empty() {
        return Err("holds no text".into());
    }
    let read = usize::try_from(found.bytes).unwrap_or(usize::MAX).saturating_add(outcome.brought_in);
    let allowance = Allowance::of_kept_text(read);
    allowance.take(document.blocks.iter().map(|b| b.text.len()).sum());
    allowance.take(document.links.iter().map(|l| l.target.len() + l.text.len()).sum());
    allowance.check()?;
    outcome.documents.push(document);
    Ok(())
}

fn blank(found: &FoundFile) -> SourceDocument {
    SourceDocument { path: found.path.clone(), ..SourceDocument::default() }
}

fn markdown_page(source: &str, found: &FoundFile, reading: &Reading<'_>, includer: &Includer<'_>) -> Result<SourceDocument, String> {
    let (fields, from) = front_matter(source);
    if let Some(reason) = reading.site.unread(&found.path, &fields) {
        return Err(reason.into());
    }
    if let Some(reason) = reading.site.unopened(from > 0) {
        return Err(reason.into());
    }
    let body = source.get(from..).unwrap_or("");
    let expanded = includes::markdown(body, includer);
    let is_mdx = found.format == Format::Mdx || reading.site.dialect.is_mdx || reading.site.name().is_none() && mdx::looks_like(body);
    let dialect = Dialect { is_mdx, ..reading.site.dialect };
    if reading.site.rules.is_vault() {
        return Ok(note_page(source, from, fields, found, reading));
    }
    let (blocks, links) = match (expanded, is_mdx) {
        (Cow::Borrowed(body), true) => {
            let (text, origin) = mdx::markdown(body, includer);
            markdown::read_made(&text, &origin, source, from, dialect)
        }
        (Cow::Owned(text), true) => {
            let (made, origin) = mdx::markdown(&text, includer);
            markdown::read_made(&made, &origin, &text, 0, dialect)
        }
        // Nothing was brought in: places are those of the file.
        (Cow::Borrowed(_), false) => markdown::read(source, from, dialect),
        (Cow::Owned(text), false) => markdown::read(&text, 0, dialect),
    };
    Ok(SourceDocument {
        url: reading.url(&found.path, &fields),
        title: title_of(field(&fields, "title"), &blocks, &found.path),
        blocks,
        links,
        front_matter: fields,
        ..blank(found)
    })
}

/// A note of a vault.
fn note_page(source: &str, from: usize, fields: Vec<(String, String)>, found: &FoundFile, reading: &Reading<'_>) -> SourceDocument {
    let url = reading.url(&found.path, &fields);
    let note = vault::markdown(source.get(from..).unwrap_or(""), reading.site.dialect.ids);
    let dialect = Dialect { is_mdx: false, ..reading.site.dialect };
    let (mut blocks, mut links) = markdown::read_made(&note.text, &note.origin, source, from, dialect);
    let title = match field(&fields, "title") {
        None if name_words(&found.path).is_some() => name_of(&found.path).replace("___", "/"),
        given => title_of(given, &blocks, &found.path),
    };
    let properties = vault::properties(source, fields, note.tags);
    if let Some(names) = properties.names {
        // Below the title, where it is written.
        let at = usize::from(blocks.first().is_some_and(|b| b.kind == BlockKind::Heading(1)));
        blocks.insert(at, names);
        links.iter_mut().filter(|l| l.block >= at).for_each(|l| l.block += 1);
    }
    links.extend(properties.links);
    SourceDocument { url, title, blocks, links, front_matter: properties.fields, ..blank(found) }
}

impl Reading<'_> {
    /// Where the page of a file is published, by the rules of its generator, or by what its front matter claims.
    fn url(&self, path: &str, fields: &[(String, String)]) -> String {
        let (base, style) = (self.options.base_url.as_str(), self.site.style);
        if let Some(local) = self.site.address(&SitePage { path, fields }).filter(|l| address::is_below(l)) {
            return address::published(&local, base);
        }
        let claimed = || field(fields, "url").or_else(|| field(fields, "permalink")).and_then(|u| address::claimed_url(u, base));
        let slugged = || field(fields, "slug").and_then(|s| address::slugged(path, s, base, style));
        let own = if self.site.name().is_none() { claimed().or_else(slugged) } else { None };
        own.unwrap_or_else(|| address::url_of(path, base, style))
    }
}

/// Its places are those of the text of its cells, which are one after the other.
fn notebook_page(source: &str, found: &FoundFile, reading: &Reading<'_>, includer: &Includer<'_>) -> Result<SourceDocument, String> {
    let (text, mut fields) = notebook::markdown(source)?;
    let mut page = markdown_page(&text, found, reading, includer)?;
    if page.front_matter.is_empty()
        && let Some(title) = field(&fields, "title")
    {
        page.title = title_or_name(Some(title.to_owned()), &found.path);
    }
    page.front_matter.append(&mut fields);
    Ok(page)
}

/// A page in reStructuredText or AsciiDoc.
fn marked_page(
    source: &str,
    found: &FoundFile,
    format: Format,
    reading: &Reading<'_>,
    includer: &Includer<'_>,
) -> Result<SourceDocument, String> {
    let (page, ending) = match format {
        Format::AsciiDoc => (asciidoc::read(&includes::asciidoc(source, &found.path, includer), reading.site.rules.attributes()), "adoc"),
        _ => (rst::read(&includes::rst(source, includer), reading.labels), "rst"),
    };
    if let Some(reason) = reading.site.unread(&found.path, page.fields.all()) {
        return Err(reason.into());
    }
    // Text that is read as another format is published as that is.
    let path = match found.path.rsplit_once('.') {
        Some((stem, "txt" | "text")) => format!("{stem}.{ending}"),
        _ => found.path.clone(),
    };
    Ok(SourceDocument {
        url: reading.url(&path, &[]),
        title: title_of(None, &page.blocks, &found.path),
        blocks: page.blocks,
        links: page.links,
        front_matter: page.fields.into_vec(),
        ..blank(found)
    })
}

/// HTML with spaces in place of what a template engine puts something else for: `{{ }}` and `{% %}`.
fn without_template(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(open) = rest.find('{') {
        let (before, tag) = rest.split_at(open);
        out.push_str(before);
        let closer = match tag.as_bytes().get(1) {
            Some(b'{') => "}}",
            Some(b'%') => "%}",
            _ => {
                out.push('{');
                rest = tag.get(1..).unwrap_or("");
                continue;
            }
        };
        let Some(end) = tag.find(closer).map(|at| at + closer.len()) else {
            out.push_str(tag);
            return out;
        };
        let (tag, after) = tag.split_at(end);
        out.extend(tag.chars().map(|c| if c == '\n' { c } else { ' ' }));
        rest = after;
    }
    out + rest
}

fn html_page(source: &str, found: &FoundFile, reading: &Reading<'_>, outcome: &mut Outcome) -> Result<SourceDocument, String> {
    // Of Jekyll, Hugo and Eleventy, pages of HTML have front matter, too.
    let templated = reading.site.rules.has_templates();
    let (fields, from) = if templated { front_matter(source) } else { (Vec::new(), 0) };
    if let Some(reason) = reading.site.unread(&found.path, &fields) {
        return Err(reason.into());
    }
    let masked = if templated {
        let blanks: String = source.get(..from).unwrap_or("").chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
        Cow::Owned(blanks + &without_template(source.get(from..).unwrap_or("")))
    } else {
        Cow::Borrowed(source)
    };
    let mut page = html::page(&masked);
    if page.redirect {
        return Err("a redirect to another page".into());
    }
    if reading.rendered.is_list(&found.path, &page.generator, &page.classes) {
        return Err("a list of other pages".into());
    }
    outcome.pagefind_body = Some(page.pagefind_body);
    outcome.unindexed = page.noindex;
    let index = block::CharIndex::new(&masked);
    // Eleventy's plug-in works on what is published, whatever it was made of.
    if templated && reading.site.dialect.ids == slug::HeadingIds::Eleventy {
        let mut slugs = slug::Slugs::new(reading.site.dialect.ids);
        for draft in page.drafts.iter_mut().filter(|d| matches!(d.kind, BlockKind::Heading(_)) && d.fragment.is_none()) {
            draft.fragment = slugs.of_heading(&draft.text);
        }
    }
    let blocks: Vec<Block> = page.drafts.into_iter().filter_map(|d| d.finish(&index)).collect();
    let first = blocks.iter().find(|b| b.kind == BlockKind::Heading(1)).map(|b| b.text.clone());
    let given = field(&fields, "title").map(str::to_owned);
    let title = given.or(first).or_else(|| Some(page.title).filter(|t| !t.is_empty())).or_else(|| first_heading(&blocks));
    let base = reading.options.base_url.as_str();
    let url = match reading.rendered.address(&found.path, page.canonical.as_deref()) {
        Some(local) if reading.options.url_style != UrlStyle::Source => address::published(&local, base),
        _ if templated => reading.url(&found.path, &fields),
        _ => address::url_of(&found.path, base, reading.site.style),
    };
    Ok(SourceDocument {
        url,
        title: title_or_name(title, &found.path),
        blocks,
        links: page.links,
        front_matter: fields.into_iter().chain(page.meta).collect(),
        ..blank(found)
    })
}

/// A page from the HTML that a reader made of its file. Its places are those of that HTML, its address is the file's.
fn made_page(html: &str, found: &FoundFile, reading: &Reading<'_>) -> SourceDocument {
    let page = html::page(html);
    let index = block::CharIndex::new(html);
    // Ids in the made page are nobody's.
    let blocks: Vec<Block> = page.drafts.into_iter().filter_map(|d| d.finish(&index)).map(|b| Block { fragment: None, ..b }).collect();
    let first = blocks.iter().find(|b| b.kind == BlockKind::Heading(1)).map(|b| b.text.clone());
    let title = Some(page.title).filter(|t| !t.is_empty()).or(first).or_else(|| first_heading(&blocks));
    SourceDocument {
        url: address::url_of(&found.path, &reading.options.base_url, UrlStyle::Source),
        title: title_or_name(title, &found.path),
        blocks,
        links: page.links,
        front_matter: page.meta,
        ..blank(found)
    }
}

/// A page of another format, with what of its file was not read.
fn made_in_part(made: (String, Option<String>), found: &FoundFile, reading: &Reading<'_>, outcome: &mut Outcome) -> SourceDocument {
    let (html, unread) = made;
    outcome.skipped.extend(unread.map(|reason| Skipped { path: found.path.clone(), reason }));
    made_page(&html, found, reading)
}

/// A PDF. Its places are those of the text that was read, and the fragment of a block is its page, as viewers want it.
fn pdf_pages(text: pocketgraph_pdf::Text, found: &FoundFile, reading: &Reading<'_>) -> SourceDocument {
    let mut at = 0u32;
    let mut blocks = Vec::with_capacity(text.parts.len());
    for part in text.parts {
        let kind = match part.kind {
            pocketgraph_pdf::Kind::Heading(level) => BlockKind::Heading(level.clamp(1, 6)),
            pocketgraph_pdf::Kind::Paragraph => BlockKind::Paragraph,
            pocketgraph_pdf::Kind::Item => BlockKind::ListItem,
            pocketgraph_pdf::Kind::Code => BlockKind::Code,
        };
        let block = Block { fragment: Some(format!("page={}", part.page)), ..Block::verbatim(kind, part.text, at) };
        at = block.end.saturating_add(1);
        blocks.push(block);
    }
    let title = Some(text.title).filter(|t| !t.is_empty()).or_else(|| first_heading(&blocks));
    SourceDocument {
        url: address::url_of(&found.path, &reading.options.base_url, UrlStyle::Source),
        title: title_or_name(title, &found.path),
        blocks,
        ..blank(found)
    }
}

/// Description of a page without text: the pages that open a site's sections often have nothing else but a title.
fn description(front_matter: &[(String, String)], source: &str) -> Option<Block> {
    let text = field(front_matter, "description").or_else(|| field(front_matter, "summary"))?;
    // One that the source spells otherwise, folded over lines or with marks, stands for the file from its beginning.
    let start = source.find(text).map_or(0, |at| source[..at].chars().count());
    Some(Block::verbatim(BlockKind::Paragraph, text, u32::try_from(start).unwrap_or(u32::MAX)))
}

fn read_json_lines(file: impl Read, found: &FoundFile, options: &IngestOptions, outcome: &mut Outcome) -> Result<(), String> {
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

/// Returns the title of a page: the one that it is given, else its heading of level 1, else the name of its file, else
/// its first heading.
fn title_of(given: Option<&str>, blocks: &[Block], path: &str) -> String {
    let heading = || blocks.iter().find(|b| b.kind == BlockKind::Heading(1)).map(|b| b.text.clone());
    let title = given.map(str::to_owned).or_else(heading).or_else(|| name_words(path)).or_else(|| first_heading(blocks));
    title_or_name(title, path)
}

/// Returns the name of a file in words; `None` where it says nothing of what is in it.
fn name_words(path: &str) -> Option<String> {
    const GENERAL: [&str; 14] =
        ["chapter", "content", "default", "doc", "document", "file", "index", "main", "new", "note", "page", "part", "post", "untitled"];
    let name = name_of(path);
    let words: Vec<&str> =
        name.split(|c: char| matches!(c, '-' | '_' | '.' | '+') || c.is_whitespace()).filter(|w| !w.is_empty()).collect();
    // Numbers before the words give files an order.
    let from = words.iter().position(|w| !w.contains(|c: char| c.is_ascii_digit())).unwrap_or(words.len());
    let words = words.get(from..)?;
    let is_word = |w: &&&str| {
        let letters = w.chars().filter(|c| c.is_alphabetic()).count();
        letters >= 3 && letters == w.chars().count() && !GENERAL.contains(&w.to_lowercase().as_str()) && !w.eq_ignore_ascii_case("readme")
            || w.chars().any(|c| c.is_alphabetic() && !c.is_ascii() && !c.is_lowercase() && !c.is_uppercase())
    };
    words.iter().find(is_word)?;
    let mut words = words.join(" ");
    let first = words.chars().next()?;
    words.replace_range(..first.len_utf8(), &first.to_uppercase().to_string());
    Some(words)
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
