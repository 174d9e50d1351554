//! Which files of a folder are read.

use super::address::without_ending;
use super::formats::{ALL, Format, FoundFile, ReadMethod};
use super::visible::IGNORE_FILES;
use super::{IngestError, IngestOptions, Skipped};
use ignore::{Error, WalkBuilder};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The file that makes a folder a bundle, and how it begins.
const MANIFEST: &str = "manifest.json";
const MANIFEST_HEAD: &[u8; 15] = b"{\"pocketgraph\":";

/// Documents that are not read, and why.
const UNREAD: [(&[&str], &str); 5] = [
    (&["doc", "dot"], "an older format of Word: save it as .docx"),
    (&["xls", "xlt", "xlsb"], "a format of Excel that is not read: save it as .xlsx"),
    (&["ppt", "pps", "pot"], "an older format of PowerPoint: save it as .pptx"),
    (&["rtf", "wpd", "pages"], "not read: save it as .docx or .odt"),
    (
        &["mobi", "azw", "azw3", "djvu", "chm", "tex", "org", "textile", "numbers"],
        "a document of a format that is not read",
    ),
];

/// The endings of files that can be read, for messages.
pub(super) fn endings() -> String {
    let names = |f: &'static Format| {
        f.endings.iter().map(|e| format!(".{e}")).chain(f.examples.iter().map(|e| (*e).to_owned()))
    };
    ALL.into_iter().flat_map(names).collect::<Vec<_>>().join(", ")
}

fn unread(file: &Path) -> Option<&'static str> {
    let ending = file.extension()?.to_str()?.to_ascii_lowercase();
    UNREAD.iter().find(|(endings, _)| endings.contains(&ending.as_str())).map(|(_, reason)| *reason)
}

/// The files of a folder.
pub(super) struct Walked {
    pub found: Vec<FoundFile>,
    /// Files that could be read and are not.
    pub skipped: Vec<Skipped>,
    /// Number of files of other kinds, by their endings.
    pub others: BTreeMap<String, usize>,
}

impl Walked {
    /// Counts the files of other kinds, for the user.
    pub fn note(&self) -> Option<String> {
        const NAMED: usize = 6;
        let all: usize = self.others.values().sum();
        let mut counts: Vec<(&str, usize)> =
            self.others.iter().map(|(ending, n)| (ending.as_str(), *n)).collect();
        counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let named = |(ending, n): &(&str, usize)| {
            format!("{n} {}", if ending.is_empty() { "without an ending" } else { ending })
        };
        let mut shown: Vec<String> = counts.iter().take(NAMED).map(named).collect();
        if counts.len() > NAMED {
            shown.push("others".to_owned());
        }
        (all > 0).then(|| format!("{all} files are of kinds that are not read: {}", shown.join(", ")))
    }
}

/// Format of files with an ending, in place of the usual one: `txt=rst`.
#[derive(Debug, Clone)]
pub struct FormatRule {
    ending: String,
    format: &'static Format,
}

impl std::str::FromStr for FormatRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.trim_start_matches('.').split_once('=');
        let (ending, name) = parts
            .filter(|(ending, _)| !ending.is_empty() && !ending.contains(['/', '.']))
            .ok_or("write ENDING=FORMAT, as in txt=rst")?;
        let format = ALL.into_iter().find(|f| f.name == name).ok_or_else(|| {
            let names: Vec<&str> = ALL.iter().map(|f| f.name).collect();
            format!("{name} is no format: {}", names.join(", "))
        })?;
        Ok(FormatRule { ending: ending.to_ascii_lowercase(), format })
    }
}

/// Finds the format of a file, by a rule for its ending or by its name.
fn ruled(file: &Path, rules: &[FormatRule]) -> Option<&'static Format> {
    let ending = file.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let rule = ending.and_then(|e| rules.iter().rev().find(|r| r.ending == e));
    rule.map(|r| r.format).or_else(|| find_format(file))
}

/// Name of a file's format, by the file's name.
pub fn format_of(file: &Path) -> Option<&'static str> {
    find_format(file).map(|f| f.name)
}

/// Returns the path of a page without its ending, if it is one of a format that publishers make pages of.
pub fn page_stem(path: &str) -> &str {
    match find_format(Path::new(path)).map(|format| format.method) {
        Some(ReadMethod::Text(_)) => without_ending(path),
        _ => path,
    }
}

/// Finds the format of a file, by the file's name.
pub(super) fn find_format(file: &Path) -> Option<&'static Format> {
    let stem = file.file_stem()?.to_str().unwrap_or("").to_ascii_lowercase();
    let ending = file.extension()?.to_str()?.to_ascii_lowercase();
    ALL.into_iter().find(|f| f.endings.contains(&ending.as_str()) || (f.recognizes)(&stem, &ending))
}

/// The readable files below `root`, or `root` itself if it is a file, sorted by path; and what had to be left
/// out.
///
/// Hidden files, bundles and what `.gitignore`, `.ignore` and `.pocketgraphignore` inside the folder name are
/// left out silently. Ignore files above the folder and the user's own git configuration do not count: the
/// same folder gives the same files on every machine, and a generated site can be read where the repository
/// ignores it.
pub(super) fn walk_files(root: &Path, options: &IngestOptions) -> Result<Walked, IngestError> {
    let at_root = |source| IngestError::Read { path: root.to_owned(), source };
    let metadata = fs::metadata(root).map_err(at_root)?;
    let (mut found, mut skipped, mut others) = (Vec::new(), Vec::new(), BTreeMap::new());
    if metadata.is_file() {
        let Some(format) = ruled(root, &options.formats) else {
            let reason = unread(root).map_or_else(
                || format!("not a kind of file that can be read ({})", endings()),
                str::to_owned,
            );
            return Err(IngestError::UnknownFormat { path: root.to_owned(), reason });
        };
        let path = root.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        found.push(FoundFile { path, file: root.to_owned(), format, bytes: metadata.len() });
        return Ok(Walked { found, skipped, others });
    }
    open_root(root).map_err(at_root)?;
    let excluded: Vec<PathBuf> = options.exclude.iter().filter_map(|p| p.canonicalize().ok()).collect();
    let walk = WalkBuilder::new(root)
        .require_git(false)
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .add_custom_ignore_filename(".pocketgraphignore")
        .follow_links(options.follow_links)
        .filter_entry(move |e| {
            let is_excluded =
                !excluded.is_empty() && e.path().canonicalize().is_ok_and(|p| excluded.contains(&p));
            !is_excluded && is_walked(e)
        })
        .build();
    for entry in walk {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = path_in(&error).map_or_else(|| "?".into(), |p| relative(root, p));
                skipped.push(Skipped { path, reason: reason_of(&error) });
                continue;
            }
        };
        let file = entry.path();
        let Some(kind) = entry.file_type().filter(|kind| !kind.is_dir()) else { continue };
        if kind.is_symlink() {
            if file.is_dir() || ruled(file, &options.formats).is_some() {
                skipped.push(Skipped {
                    path: relative(root, file),
                    reason: "a symbolic link, not followed".into(),
                });
            }
            continue;
        }
        let path = relative(root, file);
        if options.excluded.matches(&path) || !options.included.is_empty() && !options.included.matches(&path)
        {
            continue;
        }
        let Some(format) = ruled(file, &options.formats) else {
            match unread(file) {
                Some(reason) => skipped.push(Skipped { path, reason: reason.into() }),
                None => {
                    let ending = file
                        .extension()
                        .map_or_else(String::new, |e| format!(".{}", e.to_string_lossy().to_lowercase()));
                    *others.entry(ending).or_default() += 1;
                }
            }
            continue;
        };
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
    Ok(Walked { found, skipped, others })
}

fn open_root(root: &Path) -> std::io::Result<()> {
    fs::read_dir(root)?;
    if has_pipe_for_rules(root) {
        Err(std::io::Error::other("one of its ignore files is no regular file"))
    } else {
        Ok(())
    }
}

/// Returns true if a file is read, or a folder gone into, that no rule leaves out. An ignore file takes back
/// what ignore files name, and never brings in what is hidden.
fn is_walked(entry: &ignore::DirEntry) -> bool {
    let is_hidden = entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.');
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
    !is_hidden && (is_file || !has_pipe_for_rules(entry.path()) && !is_bundle(entry.path()))
}

/// Returns true if an ignore file of a folder is a pipe or a device: reading it could wait for ever.
fn has_pipe_for_rules(folder: &Path) -> bool {
    IGNORE_FILES.iter().any(|name| fs::metadata(folder.join(name)).is_ok_and(|m| !m.is_file() && !m.is_dir()))
}

/// Returns true if a folder is a bundle: an earlier build's output may be among the documents.
fn is_bundle(folder: &Path) -> bool {
    let mut head = [0; MANIFEST_HEAD.len()];
    let manifest = folder.join(MANIFEST);
    // Opening a pipe could wait for ever.
    let mut begins = |mut file: fs::File| file.read_exact(&mut head).is_ok() && head == *MANIFEST_HEAD;
    manifest.is_file() && fs::File::open(manifest).is_ok_and(&mut begins)
}

/// Text files that lie among documents and are none: what to install, what to build, what crawlers may read,
/// which words a spelling checker knows.
fn is_for_programs(path: &str) -> bool {
    const NAMES: &str = "ads.txt app-ads.txt cmakelists.txt constraints.txt humans.txt llms-full.txt \
        llms.txt robots.txt security.txt spelling_wordlist.txt";
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    // "system-requirements.txt" is for readers.
    let kinds = ["dev-", "test-", "doc-", "docs-", "build-"];
    let bare = kinds.iter().find_map(|kind| name.strip_prefix(kind)).unwrap_or(&name);
    let installed = bare == "requirements.txt"
        || name
            .strip_suffix(".txt")
            .is_some_and(|n| n.starts_with("requirements-") || n.starts_with("requirements_"));
    installed || NAMES.split(' ').any(|known| known == name)
}

fn relative(root: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(root).unwrap_or(file);
    inside.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

fn path_in(error: &Error) -> Option<&Path> {
    match error {
        Error::WithPath { path, .. } => Some(path),
        Error::Loop { child, .. } => Some(child),
        Error::WithDepth { err, .. } | Error::WithLineNumber { err, .. } => path_in(err),
        _ => None,
    }
}

fn reason_of(error: &Error) -> String {
    match error {
        Error::Loop { .. } => "a symbolic link to a folder that it is in".into(),
        Error::WithPath { err, .. } | Error::WithDepth { err, .. } => reason_of(err),
        error => match error.io_error() {
            Some(e) => e.to_string(),
            None => error.to_string(),
        },
    }
}
