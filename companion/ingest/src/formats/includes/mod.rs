//! Parts of other files that a page shows, put where it shows them, before the page is read.
//!
//! Only text files inside the folder that is read are brought in, for a single file its own folder, and none
//! that is hidden or ignored there, wherever a link leads. What includes itself is brought in once. The
//! places of a page with parts of other files are those of the text with them.

mod asciidoc;
mod lines;
mod markdown;
mod rst;
#[cfg(test)]
mod tests;

pub(crate) use asciidoc::expand_includes as asciidoc;
pub(crate) use markdown::expand_includes as markdown;
pub(crate) use rst::expand_includes as rst;

use super::address::join_path;
use super::allowance::Allowance;
use super::front_matter::front_matter;
use super::markdown_fence::fence_around;
use super::visible::VisibleFiles;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

/// Files inside files that are brought in.
const DEEPEST: usize = 8;

/// Parts of files that one page may show. They are counted before they are looked for, also where they are
/// not there or do not fit.
const MOST: usize = 500;

/// Bytes that one page may get from other files.
const MOST_BYTES: usize = 8 << 20;

/// Bytes of a file that is brought in.
const LARGEST: u64 = 4 << 20;

/// The folder in which to look for files that pages name.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The files that may be brought in.
    files: VisibleFiles,
    /// Its path in its project, with a slash at its end.
    place: String,
    /// Folders of the project that files are looked for in, too.
    beside: Vec<String>,
}

impl Folder {
    /// The folder `root`, or that of the file `root`.
    pub fn new(root: &Path, place: &str, beside: &[String]) -> Option<Folder> {
        let folder = if root.is_dir() {
            root
        } else {
            root.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
        };
        Some(Folder {
            files: VisibleFiles::below(folder.canonicalize().ok()?),
            place: place.to_owned(),
            beside: beside.to_vec(),
        })
    }

    /// The path in the folder of a file that the page `from` names, where it is there.
    fn find(&self, from: &str, target: &str) -> Option<String> {
        let target = target.trim();
        if target.is_empty() || target.len() > 1000 || target.contains(['\0', '\\']) || target.contains("://")
        {
            return None;
        }
        let from_root = target
            .strip_prefix("@site/")
            .or_else(|| target.strip_prefix("@/"))
            .or_else(|| target.strip_prefix('/'));
        let beside = from.rsplit_once('/').unwrap_or_default().0;
        let mut candidates = Vec::new();
        if let Some(target) = from_root {
            candidates.push(target.to_owned());
        } else {
            candidates.push(format!("{beside}/{target}"));
            candidates.push(target.to_owned());
        }
        // As seen from the project that the folder is in.
        let plain = from_root.unwrap_or(target);
        candidates
            .extend(plain.strip_prefix(&self.place).filter(|_| !self.place.is_empty()).map(str::to_owned));
        for folder in &self.beside {
            let folder = format!("{}/", folder.trim_end_matches('/'));
            candidates.extend(folder.strip_prefix(&self.place).map(|below| format!("{below}{plain}")));
        }
        candidates.into_iter().find_map(|c| self.inside(&c))
    }

    /// The path of a file without its detours, if it may be brought in.
    fn inside(&self, path: &str) -> Option<String> {
        let path = join_path("", path)?;
        self.files.real_path(&path).map(|_| path)
    }

    fn text(&self, path: &str) -> Option<String> {
        let mut bytes = Vec::new();
        std::fs::File::open(self.files.real_path(path)?)
            .ok()?
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .ok()?;
        if bytes.len() as u64 > LARGEST {
            return None;
        }
        super::decode::decode_text(bytes)
            .ok()
            .map(|text| if text.contains('\r') { text.replace("\r\n", "\n") } else { text })
    }
}

/// Brings in the files that one page shows.
pub(crate) struct Includer<'f> {
    folder: Option<&'f Folder>,
    /// The files that are being brought in, the page first.
    open: RefCell<Vec<String>>,
    taken: Cell<usize>,
    /// Bytes of the files that were brought in, each counted once.
    bytes: Cell<usize>,
    /// Limit of the bytes that may be included again.
    allowance: Allowance,
    /// All that were brought in.
    pub used: RefCell<BTreeSet<String>>,
}

impl<'f> Includer<'f> {
    /// For the page at `path`, which has so many bytes.
    pub fn new(folder: Option<&'f Folder>, path: &str, bytes: usize) -> Self {
        Includer {
            folder,
            open: RefCell::new(vec![path.to_owned()]),
            taken: Cell::new(0),
            bytes: Cell::new(0),
            allowance: Allowance::of_file(bytes),
            used: RefCell::new(BTreeSet::new()),
        }
    }

    /// Returns the result of `with` for the path and text of a file that the open one names; `None` if it is
    /// not included.
    pub fn within<T>(&self, target: &str, with: impl FnOnce(&str, &str) -> Option<T>) -> Option<T> {
        let folder = self.folder.filter(|_| self.taken.get() < MOST && !self.allowance.is_spent())?;
        self.taken.set(self.taken.get() + 1);
        let from = self.open.borrow().last().cloned().unwrap_or_default();
        let path = folder.find(&from, target)?;
        if self.open.borrow().len() > DEEPEST || self.open.borrow().contains(&path) {
            return None;
        }
        let text = folder.text(&path)?;
        let is_new = !self.used.borrow().contains(&path);
        let fits = if is_new {
            self.bytes.get() + text.len() <= MOST_BYTES
        } else {
            self.allowance.take(text.len())
        };
        if !fits {
            return None;
        }
        if is_new {
            self.bytes.set(self.bytes.get() + text.len());
            self.used.borrow_mut().insert(path.clone());
        }
        self.open.borrow_mut().push(path.clone());
        let made = with(&path, &text);
        self.open.borrow_mut().pop();
        made
    }

    /// Bytes of the files that were brought in, each counted once.
    pub fn bytes(&self) -> usize {
        self.bytes.get()
    }

    /// Refuses a page that brings in the same text too often.
    pub fn check(&self) -> Result<(), String> {
        self.allowance.check()
    }
}

/// A text without its front matter.
fn body(text: &str) -> &str {
    text.get(front_matter(text).1..).unwrap_or(text)
}

/// A text as a block of fenced code.
fn fence_code(text: &str, language: &str) -> String {
    let fence = fence_around(text);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// The ending of a file's name, which says its language.
fn language(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').unwrap_or_default().1
}
