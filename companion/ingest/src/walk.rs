//! Which files of a folder are read.

use super::{IngestError, IngestOptions, Skipped};
use ignore::WalkBuilder;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The file that makes a folder a bundle, and how it begins.
const MANIFEST: &str = "manifest.json";
const MANIFEST_HEAD: &[u8; 15] = b"{\"pocketgraph\":";

/// A kind of file that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Markdown.
    Markdown,
    /// Markdown with JSX.
    Mdx,
    /// AsciiDoc.
    AsciiDoc,
    /// HTML.
    Html,
    /// A Jupyter notebook.
    Notebook,
    /// ReStructuredText.
    ReStructuredText,
    /// Plain text.
    Text,
    /// Passages as JSON Lines.
    JsonLines,
    /// An electronic book.
    Epub,
    /// A document of Word.
    Docx,
    /// PDF.
    Pdf,
    /// A description of an interface.
    OpenApi,
    /// A manual page.
    Man,
}

/// A file to be read.
#[derive(Debug, Clone)]
pub(super) struct FoundFile {
    /// Its path in the source folder, with forward slashes.
    pub path: String,
    pub file: PathBuf,
    pub format: Format,
    pub bytes: u64,
}

/// Which kind of file names with an ending are, in place of what their ending says: `txt=rst`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatRule {
    ending: String,
    format: Format,
}

impl std::str::FromStr for FormatRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (ending, name) = text.split_once('=').ok_or("write ENDING=FORMAT, as in txt=rst")?;
        let ending = ending.trim_start_matches('.').to_ascii_lowercase();
        let format = match name {
            "text" => Some(Format::Text),
            "man" => Some(Format::Man),
            "openapi" => Some(Format::OpenApi),
            "mdx" | "md" | "html" | "rst" | "adoc" | "ipynb" | "jsonl" | "epub" | "docx" | "pdf" => {
                format_of(Path::new(&format!("x.{name}")))
            }
            _ => None,
        };
        let format = format
            .ok_or_else(|| format!("{name} is no format: md, mdx, html, rst, adoc, ipynb, text, jsonl, epub, docx, pdf, openapi or man"))?;
        if ending.is_empty() || ending.contains(['/', '.']) {
            return Err("write ENDING=FORMAT, as in txt=rst".to_owned());
        }
        Ok(FormatRule { ending, format })
    }
}

/// What a file is, by a rule for its ending or by its ending.
fn ruled(file: &Path, rules: &[FormatRule]) -> Option<Format> {
    let ending = file.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let rule = ending.and_then(|e| rules.iter().rev().find(|r| r.ending == e));
    rule.map(|r| r.format).or_else(|| format_of(file))
}

/// What a file is, by the ending of its name.
pub fn format_of(file: &Path) -> Option<Format> {
    let stem = file.file_stem()?.to_str().unwrap_or("").to_ascii_lowercase();
    Some(match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "epub" => Format::Epub,
        "docx" | "docm" => Format::Docx,
        "pdf" => Format::Pdf,
        // Other files of these endings are for programs.
        "json" | "yaml" | "yml" if stem.ends_with("openapi") || stem.ends_with("swagger") => Format::OpenApi,
        // Sections of the manual; older logs and versions of libraries end in numbers, too.
        "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" if ![".log", ".so", ".tar", ".dylib"].iter().any(|e| stem.ends_with(e)) => {
            Format::Man
        }
        "md" | "markdown" => Format::Markdown,
        "mdx" => Format::Mdx,
        "html" | "htm" => Format::Html,
        "adoc" | "asciidoc" => Format::AsciiDoc,
        "ipynb" => Format::Notebook,
        "rst" => Format::ReStructuredText,
        "txt" | "text" => Format::Text,
        "jsonl" => Format::JsonLines,
        _ => return None,
    })
}

/// The readable files below `root`, or `root` itself if it is a file, sorted by path; and what had to be left out.
///
/// Hidden files, bundles and what `.gitignore`, `.ignore` and `.pocketgraphignore` inside the folder name are left out silently. Ignore files above the
/// folder and the user's own git configuration do not count: the same folder gives the same files on every machine, and a generated site can be read
/// where the repository ignores it.
pub(super) fn walk(root: &Path, options: &IngestOptions) -> Result<(Vec<FoundFile>, Vec<Skipped>), IngestError> {
    let at_root = |source| IngestError::Read { path: root.to_owned(), source };
    let metadata = std::fs::metadata(root).map_err(at_root)?;
    let (mut found, mut skipped) = (Vec::new(), Vec::new());
    if metadata.is_file() {
        let Some(format) = ruled(root, &options.formats) else { return Err(IngestError::UnknownFormat { path: root.to_owned() }) };
        let path = root.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        found.push(FoundFile { path, file: root.to_owned(), format, bytes: metadata.len() });
        return Ok((found, skipped));
    }
    std::fs::read_dir(root).map_err(at_root)?;
    let excluded: Vec<PathBuf> = options.exclude.iter().filter_map(|p| p.canonicalize().ok()).collect();
    let walk = WalkBuilder::new(root)
        .require_git(false)
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .add_custom_ignore_filename(".pocketgraphignore")
        .follow_links(options.follow_links)
        .filter_entry(move |e| {
            let is_excluded = !excluded.is_empty() && e.path().canonicalize().is_ok_and(|p| excluded.contains(&p));
            !is_excluded && !is_bundle(e.path())
        })
        .build();
    for entry in walk {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                skipped
                    .push(Skipped { path: path_in(&error).map_or_else(|| "?".into(), |p| relative(root, p)), reason: reason_of(&error) });
                continue;
            }
        };
        let file = entry.path();
        let Some(kind) = entry.file_type() else { continue };
        if kind.is_symlink() {
            if file.is_dir() || ruled(file, &options.formats).is_some() {
                skipped.push(Skipped { path: relative(root, file), reason: "a symbolic link, not followed".into() });
            }
            continue;
        }
        let Some(format) = ruled(file, &options.formats).filter(|_| !kind.is_dir()) else { continue };
        let path = relative(root, file);
        if options.excluded.matches(&path) || !options.included.is_empty() && !options.included.matches(&path) {
            continue;
        }
        if !kind.is_file() {
            // Reading a pipe or a device could wait for ever.
            skipped.push(Skipped { path, reason: "not a regular file".into() });
            continue;
        }
        if is_for_programs(&path) && options.included.is_empty() {
            skipped.push(Skipped { path, reason: "a list for programs, not for readers".into() });
            continue;
        }
        match entry.metadata() {
            Ok(m) => found.push(FoundFile { path, file: file.to_owned(), format, bytes: m.len() }),
            Err(error) => skipped.push(Skipped { path, reason: reason_of(&error) }),
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((found, skipped))
}

/// Returns true if a folder is a bundle: an earlier build's output may be among the documents.
fn is_bundle(folder: &Path) -> bool {
    let mut head = [0; MANIFEST_HEAD.len()];
    std::fs::File::open(folder.join(MANIFEST)).is_ok_and(|mut file| file.read_exact(&mut head).is_ok() && head == *MANIFEST_HEAD)
}

/// Text files that lie among documents and are none: what to install, what to build, what crawlers may read, which words a spelling checker knows.
fn is_for_programs(path: &str) -> bool {
    const NAMES: [&str; 10] = [
        "ads.txt",
        "app-ads.txt",
        "cmakelists.txt",
        "constraints.txt",
        "humans.txt",
        "llms-full.txt",
        "llms.txt",
        "robots.txt",
        "security.txt",
        "spelling_wordlist.txt",
    ];
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    // "system-requirements.txt" is for readers.
    let kinds = ["dev-", "test-", "doc-", "docs-", "build-"];
    let bare = kinds.iter().find_map(|kind| name.strip_prefix(kind)).unwrap_or(&name);
    let installed = bare == "requirements.txt"
        || name.strip_suffix(".txt").is_some_and(|n| n.starts_with("requirements-") || n.starts_with("requirements_"));
    installed || NAMES.contains(&name.as_str())
}

fn relative(root: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(root).unwrap_or(file);
    inside.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

fn path_in(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_in(err),
        _ => None,
    }
}

fn reason_of(error: &ignore::Error) -> String {
    match error {
        ignore::Error::Loop { .. } => "a symbolic link to a folder that it is in".into(),
        ignore::Error::WithPath { err, .. } | ignore::Error::WithDepth { err, .. } => reason_of(err),
        error => match error.io_error() {
            Some(e) => e.to_string(),
            None => error.to_string(),
        },
    }
}
