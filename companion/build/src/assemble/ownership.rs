//! Files of a folder that a build wrote: nothing else in it is ever removed.

use super::listing::LISTING;
use super::{EMBEDDED, WriteError};
use pocketgraph::bundle::MANIFEST;
use pocketgraph::json::{self, Value};
use std::collections::BTreeSet;
use std::path::{Component, Path};

/// The list of a bundle's files that are neither sections nor pages (the browser runtime, notices), so that the next build knows them for its own.
pub const WRITTEN: &str = "written.txt";

/// First line of [`WRITTEN`].
const HEAD: &str = "pocketgraph-written 1";

/// Maximum size of a manifest or list that is read to learn what belongs to a bundle, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Writes [`WRITTEN`] into the folder of a bundle that is otherwise complete.
///
/// # Errors
/// [`WriteError`] when the disk refuses.
pub fn write_written(folder: &Path) -> Result<(), WriteError> {
    let path = folder.join(WRITTEN);
    let list = || -> std::io::Result<String> {
        let mut out = format!("{HEAD}\n");
        for name in Tree::of(folder)?.files.iter().filter(|n| !n.ends_with(".pgs") && ![MANIFEST, LISTING, WRITTEN].contains(&n.as_str())) {
            out.push_str(name);
            out.push('\n');
        }
        Ok(out)
    };
    list().and_then(|list| std::fs::write(&path, list)).map_err(|reason| WriteError::Io { path, reason })
}

/// The names of the files that the bundle in a folder consists of, relative to it, with `/` between folders.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Owned(BTreeSet<String>);

impl Owned {
    /// Reads the names in the manifest of `folder` and the lists beside it; `None` if the manifest is not ours.
    pub(super) fn of(folder: &Path) -> Option<Owned> {
        let manifest = json::parse(&read(&folder.join(MANIFEST))?).ok()?;
        let body = manifest.get("pocketgraph")?;
        let mut names: BTreeSet<String> = [MANIFEST, LISTING, WRITTEN].map(str::to_owned).into();
        names.extend(body.get("sections")?.as_array()?.iter().filter_map(|s| s.get("file").and_then(Value::as_str).map(str::to_owned)));
        // Lines of "bytes name".
        let pages = read(&folder.join(LISTING)).unwrap_or_default();
        names.extend(pages.lines().skip(1).filter_map(|l| l.split_once(' ').map(|(_, name)| name.to_owned())));
        let others = read(&folder.join(WRITTEN)).filter(|t| t.starts_with(HEAD)).unwrap_or_default();
        names.extend(others.lines().skip(1).map(str::to_owned));
        // Bundles of programs that wrote no such list have these beside their sections.
        names.extend(EMBEDDED.iter().map(|(name, _)| format!("runtime/{name}")));
        names.retain(|n| stays_inside(n));
        Some(Owned(names))
    }

    /// Returns the files, links and folders in `folder` that are not of this bundle.
    ///
    /// # Errors
    /// What the file system says.
    pub(super) fn foreign(&self, folder: &Path) -> std::io::Result<Vec<String>> {
        let tree = Tree::of(folder)?;
        let files = tree.files.into_iter().chain(tree.links).filter(|n| !self.0.contains(n));
        let folders = tree.folders.into_iter().map(|f| format!("{f}/")).filter(|f| !self.0.iter().any(|n| n.starts_with(f.as_str())));
        let mut out: Vec<String> = files.chain(folders).collect();
        out.sort();
        Ok(out)
    }

    /// Removes the bundle's files from `folder`, the folders that this leaves empty, and `folder` itself where nothing else stands in it. What names the
    /// files goes last, so that whoever is interrupted can go on.
    ///
    /// # Errors
    /// What the file system says, also that something foreign is left.
    pub(super) fn remove(&self, folder: &Path) -> std::io::Result<()> {
        let tree = Tree::of(folder)?;
        let (lists, files): (Vec<&String>, Vec<&String>) =
            tree.files.iter().filter(|n| self.0.contains(*n)).partition(|n| [LISTING, MANIFEST, WRITTEN].contains(&n.as_str()));
        for name in files {
            std::fs::remove_file(folder.join(name))?;
        }
        // The deepest first.
        for name in tree.folders.iter().rev() {
            if self.0.iter().any(|n| n.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('/'))) {
                std::fs::remove_dir(folder.join(name))?;
            }
        }
        // By name the manifest is behind one of the lists and before the other: it must outlast both.
        for name in lists.iter().filter(|n| n.as_str() != MANIFEST).chain(lists.iter().filter(|n| n.as_str() == MANIFEST)) {
            std::fs::remove_file(folder.join(name))?;
        }
        std::fs::remove_dir(folder)
    }
}

/// A small text file, read whole.
fn read(path: &Path) -> Option<String> {
    use std::io::Read;
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Returns true if a name leads nowhere but into the folder.
fn stays_inside(name: &str) -> bool {
    !name.is_empty() && !name.contains('\\') && Path::new(name).components().all(|c| matches!(c, Component::Normal(_)))
}

/// All that stands in a folder, links not followed.
struct Tree {
    files: Vec<String>,
    links: Vec<String>,
    /// Each before those in it.
    folders: Vec<String>,
}

impl Tree {
    fn of(folder: &Path) -> std::io::Result<Tree> {
        let mut tree = Tree { files: Vec::new(), links: Vec::new(), folders: Vec::new() };
        let mut open = vec![String::new()];
        while let Some(under) = open.pop() {
            for entry in std::fs::read_dir(folder.join(&under))? {
                let entry = entry?;
                let own = entry.file_name();
                let name = if under.is_empty() { own.to_string_lossy().into_owned() } else { format!("{under}/{}", own.to_string_lossy()) };
                let kind = entry.file_type()?;
                if kind.is_dir() {
                    open.push(name.clone());
                    tree.folders.push(name);
                } else if kind.is_file() {
                    tree.files.push(name);
                } else {
                    tree.links.push(name);
                }
            }
        }
        tree.files.sort();
        tree.folders.sort();
        Ok(tree)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A manifest that names one section.
    pub(super) fn manifest(section: &str) -> String {
        format!("{{\"pocketgraph\":{{\"sections\":[{{\"file\":\"{section}\"}}]}}}}")
    }

    #[test]
    fn only_a_manifest_of_ours_makes_a_bundle() {
        let dir = tempfile::tempdir().unwrap();
        for other in ["", "{}", "{\"name\":\"My app\",\"start_url\":\"/\",\"icons\":[]}", "{\"pocketgraph\":1}", "not JSON", "[]"] {
            std::fs::write(dir.path().join(MANIFEST), other).unwrap();
            assert!(Owned::of(dir.path()).is_none(), "{other}");
        }
        std::fs::write(dir.path().join(MANIFEST), manifest("a.pgs")).unwrap();
        assert!(Owned::of(dir.path()).is_some());
    }

    #[test]
    fn what_no_list_names_is_foreign_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("runtime")).unwrap();
        std::fs::create_dir_all(at("notes/deep")).unwrap();
        std::fs::write(at(MANIFEST), manifest("a.pgs")).unwrap();
        std::fs::write(at("a.pgs"), "a").unwrap();
        std::fs::write(at("runtime/x.js"), "x").unwrap();
        write_written(dir.path()).unwrap();
        let owned = Owned::of(dir.path()).unwrap();
        std::fs::write(at("notes/deep/thesis.txt"), "years").unwrap();
        std::fs::write(at("runtime/mine.js"), "mine").unwrap();
        assert_eq!(owned.foreign(dir.path()).unwrap(), ["notes/", "notes/deep/", "notes/deep/thesis.txt", "runtime/mine.js"]);
        assert!(owned.remove(dir.path()).is_err());
        assert!(at("notes/deep/thesis.txt").is_file() && at("runtime/mine.js").is_file());
    }

    #[test]
    fn a_list_that_leads_out_of_the_folder_removes_nothing_there() {
        let dir = tempfile::tempdir().unwrap();
        let bundle = dir.path().join("bundle");
        std::fs::create_dir(&bundle).unwrap();
        std::fs::write(dir.path().join("thesis.txt"), "years").unwrap();
        std::fs::write(bundle.join(MANIFEST), manifest("../thesis.txt")).unwrap();
        std::fs::write(bundle.join(WRITTEN), format!("{HEAD}\n../thesis.txt\n/etc/hostname\nx/../../thesis.txt\n")).unwrap();
        Owned::of(&bundle).unwrap().remove(&bundle).unwrap();
        assert!(!bundle.exists() && dir.path().join("thesis.txt").is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_another_folder_is_foreign_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (bundle, other) = (dir.path().join("bundle"), dir.path().join("other"));
        std::fs::create_dir(&bundle).unwrap();
        std::fs::create_dir(&other).unwrap();
        std::fs::write(other.join("x.js"), "theirs").unwrap();
        std::fs::write(bundle.join(MANIFEST), manifest("a.pgs")).unwrap();
        std::fs::write(bundle.join(WRITTEN), format!("{HEAD}\nruntime/x.js\n")).unwrap();
        std::os::unix::fs::symlink(&other, bundle.join("runtime")).unwrap();
        let owned = Owned::of(&bundle).unwrap();
        assert_eq!(owned.foreign(&bundle).unwrap(), ["runtime"]);
        assert!(owned.remove(&bundle).is_err());
        assert!(other.join("x.js").is_file());
    }
}
