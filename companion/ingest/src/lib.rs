#![doc = include_str!("../README.md")]

pub mod chunk;
pub mod namesakes;
pub mod rank;
mod address;
mod allowance;
mod formats;
mod generators;
mod globs;
mod rendered;
#[cfg(test)]
mod signs_tests;
mod stopwatch;
mod visible;
mod walk;

pub use address::{UrlStyle, is_base_url, is_index, join_path};
pub use formats::block::{Block, BlockKind};
pub use formats::chunk_collection::OutsideChunks;
pub use formats::html::ids as ids_of_html;
pub use formats::json_lines::skip_line;
pub use formats::markdown_source::without_marks;
pub use formats::precomputed::read_outside_chunks;
pub use formats::slug::Slugs;
pub use formats::vectors::{Vectors, read_vectors};
pub use generators::{GeneratorChoice, detected_generator, generator_names, published_folder};
pub use globs::Globs;
pub use pocketgraph_pdf::PdfReader;
pub use walk::{FormatRule, format_of, page_stem};

use allowance::Allowance;
use formats::front_matter::field;
use formats::includes::Folder;
use formats::{FoundFile, ReadMethod, read_document, rst};
use generators::{Page as SitePage, Site, is_private};
use pocketgraph_bundle::Document;
use pocketgraph_languages as languages;
use pocketgraph_native::panics::catch_panic;
use pocketgraph_native::single_line::one_line;
use pocketgraph_text::capitalize;
use rayon::prelude::*;
use rendered::Rendered;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use stopwatch::Stopwatch;
use walk::{find_format, walk_files};

/// Choice of files to read, and of the form of their URLs.
#[derive(Debug, Clone)]
pub struct IngestOptions {
    /// Put before every relative URL; empty for URLs relative to the site's root.
    pub base_url: String,
    /// Rule by which URLs follow from paths.
    pub url_style: UrlStyle,
    /// Generator with the rules for addresses, ids of headings, and pages.
    pub generator: GeneratorChoice,
    /// Patterns of files that are not read, as in a `.gitignore`.
    pub excluded: Globs,
    /// Patterns of the files to read, if there are any; they are read even if they are no pages.
    pub included: Globs,
    /// Formats that replace those of the endings.
    pub formats: Vec<FormatRule>,
    /// Reader of PDFs.
    pub pdf: PdfReader,
    /// Files and folders that are not read: the output bundle.
    pub exclude: Vec<PathBuf>,
    /// Files above this are skipped by name. At most 2 GiB, whatever is asked for.
    pub max_file_bytes: u64,
    /// Set to follow symbolic links, also out of the folder; loops are found and reported.
    pub follow_links: bool,
}

impl IngestOptions {
    /// Reads only files that `included` names, where it names any, and none that `excluded` names: patterns
    /// as in a `.gitignore`.
    ///
    /// # Errors
    /// The first pattern that is none, with the reason.
    pub fn choose<S: AsRef<str>>(&mut self, included: &[S], excluded: &[S]) -> Result<(), String> {
        self.included = Globs::new(included)?;
        self.excluded = Globs::new(excluded)?;
        Ok(())
    }

    /// Returns the number of bytes that a file may have.
    fn limit(&self) -> u64 {
        self.max_file_bytes.min(2 << 30)
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

/// Progress of reading.
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
    /// Its address, as written.
    pub target: String,
    /// Its text; may be empty.
    pub text: String,
    /// The block that it stands in, counted before blocks without text were left out: in HTML a little more
    /// than its place among the document's blocks.
    pub block: usize,
}

/// A file, or a line of a file of chunks, as blocks of plain text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceDocument {
    /// Its path in the source folder, with forward slashes; for a ready chunk its id, else `file:line`.
    pub path: String,
    /// Its address for readers, without a fragment; empty for a ready chunk that names no URL.
    pub url: String,
    /// Its title, never empty: front matter, else the first heading of level 1, else `<title>` or the first
    /// heading, else the file's name.
    pub title: String,
    /// Its text, in order; never empty.
    pub blocks: Vec<Block>,
    /// Its links, in order.
    pub links: Vec<Link>,
    /// The fields of its front matter or `<meta>` elements, in order; a list gives one pair an item.
    pub front_matter: Vec<(String, String)>,
    /// Further fields, which only filters know: of `<meta>` elements, marks and ready chunks.
    pub marked_fields: Vec<(String, String)>,
    /// Length of its file and of what that brings in; 0 for a ready chunk.
    pub file_bytes: usize,
    /// Set if each block is a chunk already, not to be split or merged.
    pub ready: bool,
}

impl SourceDocument {
    /// Lists all its fields: its own `number`, a name and a value each.
    pub fn list_fields(&self, number: u32) -> impl Iterator<Item = (u32, &str, &str)> {
        let all = self.front_matter.iter().chain(&self.marked_fields);
        all.map(move |(name, value)| (number, name.as_str(), value.as_str()))
    }

    /// The language that its site or its source names, as `de` or `pt-BR`.
    pub fn language(&self) -> Option<&str> {
        ["language", "lang"]
            .iter()
            .find_map(|name| field(&self.front_matter, name).filter(|tag| languages::primary(tag).is_some()))
    }

    /// The version of the product that it is about, where its site has pages of several.
    pub fn version(&self) -> Option<&str> {
        field(&self.front_matter, "version")
    }

    /// Returns the part that the bundle keeps. Its language is that of its prose: code is in none.
    pub fn document(&self) -> Document {
        let prose = self.blocks.iter().filter(|b| b.kind != BlockKind::Code).map(|b| b.text.as_str());
        let language =
            languages::choose_language(self.language(), std::iter::once(self.title.as_str()).chain(prose));
        Document { title: self.title.clone(), url: self.url.clone(), path: self.path.clone(), language }
    }
}

/// A file or line that was not read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its path in the source folder.
    pub path: String,
    /// Reason, for the user.
    pub reason: String,
}

/// Everything that a folder holds. May be empty: whether that is an error is for the caller to say, with the
/// list of what was skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Corpus {
    /// The documents, in the order of their files' paths.
    pub documents: Vec<SourceDocument>,
    /// Files and lines that were left out, sorted by path.
    pub skipped: Vec<Skipped>,
    /// Number of files that were found, read or not.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Remarks for the user: the kind of folder that this was read as.
    pub notes: Vec<String>,
    /// Warnings that this may be wrong.
    pub warnings: Vec<String>,
}

/// Error because of which nothing can be read.
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
        /// Reason for which it is not read.
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

/// Reads a folder, or a single file. What cannot be read is reported in [`Corpus::skipped`], never an error;
/// only a root that cannot be read is one.
///
/// Files are read on all cores; the result does not depend on their number. `progress` is called after each
/// file, from any thread.
pub fn ingest(
    root: &Path,
    options: &IngestOptions,
    progress: &(dyn Fn(IngestProgress) + Sync),
) -> Result<Corpus, IngestError> {
    let walked = walk_files(root, options)?;
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
    let labels = rst::read_labels(&pages, options.max_file_bytes);
    let reading =
        Reading { options, site: &site, rendered: &rendered, folder: folder.as_ref(), labels: &labels };
    let (files_done, bytes_done) = (AtomicUsize::new(0), AtomicU64::new(0));
    let outcomes: Vec<Outcome> = pages
        .par_iter()
        .map(|f| {
            let outcome = read_file(f, &reading);
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
        notes: collect_notes(&site, &rendered, options).into_iter().chain(others).collect(),
        warnings: collect_warnings(&site, options),
        ..Corpus::default()
    };
    if shy > 0 && !open {
        corpus.warnings.push(format!("all {shy} pages say noindex: they are read all the same"));
    }
    for (f, mut outcome) in pages.iter().zip(outcomes) {
        let reason = match () {
            () if marked && outcome.pagefind_body == Some(false) => {
                Some("no data-pagefind-body, which other pages of this site have")
            }
            () if outcome.unindexed && open => Some("marked noindex"),
            // Read where it is shown.
            () if used.contains(f.path.as_str())
                && (is_part(&f.path) || !linked.contains(&name_of(&f.path))) =>
            {
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

/// Options, site and folder by which every file is read.
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

/// Returns the reason why a file is no page of the site, if it is none.
fn no_page(found: &FoundFile, rendered: &Rendered, site: &Site) -> Option<&'static str> {
    if matches!(found.format.method, ReadMethod::Chunks(_)) {
        return None;
    }
    if let Some(reason) = rendered.no_page(&found.path) {
        return Some(reason);
    }
    if rendered.is { None } else { site.no_page(&found.path, found.format.name) }
}

/// Returns true if a file that another page brought in is only a part, by its name or its folder's.
fn is_part(path: &str) -> bool {
    let folders =
        ["includes", "snippets", "partials", "fragments", "shared", "include", "snippet", "partial"];
    path.split('/').any(|part| is_private(part) || folders.contains(&part))
}

fn collect_notes(site: &Site, rendered: &Rendered, options: &IngestOptions) -> Vec<String> {
    let mut notes = Vec::new();
    if rendered.is {
        notes.push("read as a rendered site: addresses are those of its files".to_owned());
    }
    if let Some(label) = site.label() {
        let seen = site.configuration.as_ref().map(|c| format!(" ({c})")).unwrap_or_default();
        notes.push(format!(
            "read as the source of a {label} site{seen}: addresses {}",
            site.style.described()
        ));
    }
    if let Some(address) = site
        .claimed_address
        .as_ref()
        .filter(|a| options.base_url.is_empty() && address::is_absolute(a) && a.len() < 200)
    {
        notes.push(format!(
            "the site's configuration says that it is published at {address}: give that as \
             --base-url, if it is so, for links from anywhere"
        ));
    }
    notes
}

fn collect_warnings(site: &Site, options: &IngestOptions) -> Vec<String> {
    let (Some(own), Some(label)) = (site.own_style, site.label()) else { return Vec::new() };
    let (own, asked) = (own.described(), options.url_style.described());
    vec![format!(
        "{label} publishes pages {own} by its configuration, but --url-style asks for addresses \
         {asked}: links of hits may lead nowhere"
    )]
}

/// Result of reading one file.
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

fn read_file(found: &FoundFile, reading: &Reading<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    // A fault of a reader loses its file, not the build.
    let read = catch_panic(|| {
        let mut file = File::open(&found.file).map_err(|e| e.to_string())?;
        try_read(&mut file, found, reading, &mut outcome)
    });
    if let Err(reason) = read.unwrap_or_else(|text| {
        Err(format!("the program failed on it, which is a fault of the program ({text})"))
    }) {
        outcome.documents.clear();
        outcome.skipped.push(Skipped { path: found.path.clone(), reason });
    }
    outcome
}

fn try_read(
    file: &mut dyn Read,
    found: &FoundFile,
    reading: &Reading<'_>,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let limit = reading.options.limit();
    let too_large = || format!("larger than the limit of {limit} bytes");
    if found.bytes > limit {
        return Err(too_large());
    }
    if let ReadMethod::Chunks(read) = found.format.method {
        return read(&mut file.take(limit), found, reading.options, outcome);
    }
    let mut bytes = Vec::with_capacity(found.bytes as usize + 1);
    // The file may have grown since it was looked at.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    let watch = Stopwatch::start(bytes.len());
    let document = read_document(bytes, found, reading, outcome)?;
    watch.check()?;
    keep_page(document, found, reading, outcome)
}

/// Reads a file from its bytes; `path` is its name, whose ending says what it is. What cannot be read is
/// among what was skipped. A fault of a reader is not caught: this is for those who look for such.
///
/// # Errors
/// [`IngestError::UnknownFormat`] where the ending is that of no kind that can be read.
pub fn ingest_bytes(path: &str, bytes: Vec<u8>, options: &IngestOptions) -> Result<Corpus, IngestError> {
    let Some(format) = find_format(Path::new(path)) else {
        let reason = format!("not a kind of file that can be read ({})", walk::endings());
        return Err(IngestError::UnknownFormat { path: path.into(), reason });
    };
    let found = FoundFile { path: path.to_owned(), file: path.into(), format, bytes: bytes.len() as u64 };
    let mut outcome = Outcome::default();
    // Bytes belong to no folder, and so to no generator's site.
    let site = Site::of(Path::new(""), &[], GeneratorChoice::None, options.url_style);
    let reading = Reading {
        options,
        site: &site,
        rendered: &Rendered::default(),
        folder: None,
        labels: &HashMap::new(),
    };
    if let Err(reason) = try_read(&mut bytes.as_slice(), &found, &reading, &mut outcome) {
        outcome.documents.clear();
        outcome.skipped.push(Skipped { path: found.path, reason });
    }
    Ok(Corpus {
        documents: outcome.documents,
        skipped: outcome.skipped,
        files: 1,
        bytes: found.bytes,
        ..Corpus::default()
    })
}

/// Keeps a page, with its path, a title, and what the site knows of it.
fn keep_page(
    mut document: SourceDocument,
    found: &FoundFile,
    reading: &Reading<'_>,
    outcome: &mut Outcome,
) -> Result<(), String> {
    document.path.clone_from(&found.path);
    document.title = title_or_name(&document.title, &found.path);
    for (name, value) in [
        ("lang", reading.site.language(&found.path).map(str::to_owned)),
        ("version", reading.site.version(&found.path)),
    ] {
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
    document.file_bytes = read;
    outcome.documents.push(document);
    Ok(())
}

impl Reading<'_> {
    /// Returns the address of a file's page, by its generator's rules or its front matter.
    fn url(&self, path: &str, fields: &[(String, String)]) -> String {
        let (base, style) = (self.options.base_url.as_str(), self.site.style);
        if let Some(local) = self.site.address(&SitePage { path, fields }).filter(|l| address::is_below(l)) {
            return address::published(&local, base);
        }
        let claimed = || {
            field(fields, "url")
                .or_else(|| field(fields, "permalink"))
                .and_then(|u| address::claimed_url(u, base))
        };
        let slugged = || field(fields, "slug").and_then(|s| address::apply_slug(path, s, base, style));
        let own = if self.site.name().is_none() { claimed().or_else(slugged) } else { None };
        let is_copied = || find_format(Path::new(path)).is_some_and(|format| format.is_copied);
        own.unwrap_or_else(|| match is_copied() {
            true => address::published(path, base),
            false => address::url_of(path, base, style),
        })
    }
}

fn first_heading(blocks: &[Block]) -> Option<String> {
    let headings = || blocks.iter().filter(|b| matches!(b.kind, BlockKind::Heading(_)));
    headings().find(|b| b.kind == BlockKind::Heading(1)).or_else(|| headings().next()).map(|b| b.text.clone())
}

/// Returns the title of a page: the one that it is given, else its heading of level 1, else the name of its
/// file, else its first heading.
fn title_of(given: Option<&str>, blocks: &[Block], path: &str) -> String {
    let heading = || blocks.iter().find(|b| b.kind == BlockKind::Heading(1)).map(|b| b.text.clone());
    given
        .map(str::to_owned)
        .or_else(heading)
        .or_else(|| name_words(path))
        .or_else(|| first_heading(blocks))
        .unwrap_or_default()
}

/// Returns the name of a file in words; `None` where it says nothing of what is in it.
fn name_words(path: &str) -> Option<String> {
    const GENERAL: [&str; 14] = [
        "chapter", "content", "default", "doc", "document", "file", "index", "main", "new", "note", "page",
        "part", "post", "untitled",
    ];
    let name = name_of(path);
    let words: Vec<&str> = name
        .split(|c: char| matches!(c, '-' | '_' | '.' | '+') || c.is_whitespace())
        .filter(|w| !w.is_empty())
        .collect();
    // Numbers before the words give files an order.
    let from = words.iter().position(|w| !w.contains(|c: char| c.is_ascii_digit())).unwrap_or(words.len());
    let words = words.get(from..)?;
    let is_word = |w: &&&str| {
        let letters = w.chars().filter(|c| c.is_alphabetic()).count();
        letters >= 3
            && letters == w.chars().count()
            && !GENERAL.contains(&w.to_lowercase().as_str())
            && !w.eq_ignore_ascii_case("readme")
            || w.chars().any(|c| c.is_alphabetic() && !c.is_ascii() && !c.is_lowercase() && !c.is_uppercase())
    };
    words.iter().find(is_word)?;
    Some(capitalize(&words.join(" ")))
}

/// Returns a title on one line, cut if it is long; the name of the file if the title is empty.
fn title_or_name(title: &str, path: &str) -> String {
    const MOST_CHARACTERS: usize = 300;
    let line = one_line(title);
    shorten_text(if line.is_empty() { name_of(path) } else { line }, MOST_CHARACTERS)
}

/// Cuts a text after so many characters, with an ellipsis.
fn shorten_text(text: String, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or("").trim_end()),
        None => text,
    }
}

/// A title for a file that names none: its name without the extension, or its folder's for an index file.
fn name_of(path: &str) -> String {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or(path);
    let stem = address::without_ending(file);
    let name = parts.next().filter(|_| is_index(stem)).unwrap_or(stem);
    if name.is_empty() { path.to_owned() } else { name.to_owned() }
}
