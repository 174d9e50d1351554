//! Files of a folder that a build wrote: nothing else in it is ever removed.

use super::listing::LISTING;
use super::{EMBEDDED, WriteError};
use pocketgraph::bundle::MANIFEST;
use pocketgraph::json::{self, Value};
use pocketgraph_native::held_folder::{Entry, EntryKind, HeldFolder};
use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};
use std::path::{Component, Path, PathBuf};

/// The list of a bundle's files that are neither sections nor pages (the browser runtime, notices), so that
/// the next build knows them for its own.
pub const WRITTEN: &str = "written.txt";

/// First line of [`WRITTEN`].
const HEAD: &str = "pocketgraph-written 1";

/// Files that name a bundle's files, in the order in which they are removed.
const LISTS: [&str; 3] = [LISTING, WRITTEN, MANIFEST];

/// Maximum size of a manifest or list that is read to learn what belongs to a bundle, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Writes [`WRITTEN`] into the folder of a bundle that is otherwise complete.
pub fn write_written(folder: &HeldFolder) -> Result<(), WriteError> {
    let write = || {
        let files = folder.entries()?.into_iter().filter(|e| e.kind == EntryKind::File);
        let mut names: Vec<String> = files.map(|e| e.name()).collect();
        names.retain(|name| !name.ends_with(".pgs") && !LISTS.contains(&name.as_str()));
        names.sort();
        let list: String = [HEAD.to_owned()].iter().chain(&names).map(|line| format!("{line}\n")).collect();
        folder.write_file(WRITTEN.as_ref(), list.as_bytes())
    };
    write().map_err(|reason| WriteError::Io { path: folder.path().join(WRITTEN), reason })
}

/// Files that the bundle in a folder consists of, relative to it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Owned(BTreeSet<PathBuf>);

impl Owned {
    /// Reads the names in the manifest of `folder` and the lists beside it; `None` if the manifest is not
    /// ours.
    pub(super) fn of(folder: &HeldFolder) -> Option<Owned> {
        let read = |name: &str| String::from_utf8(folder.read_file(name.as_ref(), MOST_BYTES).ok()?).ok();
        let manifest = json::parse(&read(MANIFEST)?).ok()?;
        let body = manifest.get("pocketgraph")?;
        let mut names: BTreeSet<PathBuf> = LISTS.map(PathBuf::from).into();
        let sections = body.get("sections")?.as_array()?;
        names
            .extend(sections.iter().filter_map(|s| s.get("file").and_then(Value::as_str).map(PathBuf::from)));
        // Lines of "bytes name".
        let pages = read(LISTING).unwrap_or_default();
        names.extend(pages.lines().skip(1).filter_map(|l| l.split_once(' ').map(|(_, name)| name.into())));
        let others = read(WRITTEN).filter(|t| t.starts_with(HEAD)).unwrap_or_default();
        names.extend(others.lines().skip(1).map(PathBuf::from));
        // Bundles of programs that wrote no such list have these beside their sections.
        names.extend(EMBEDDED.iter().map(|(name, _)| format!("runtime/{name}").into()));
        names.retain(|n| {
            n.components().next().is_some() && n.components().all(|c| matches!(c, Component::Normal(_)))
        });
        Some(Owned(names))
    }

    /// Returns true for a file of this bundle, and for a folder that holds some.
    fn has(&self, entry: &Entry) -> bool {
        let place = entry.place.as_path();
        let mut after = self.0.range::<Path, _>((Excluded(place), Unbounded));
        match entry.kind {
            EntryKind::File => self.0.contains(place),
            EntryKind::Folder => after.next().is_some_and(|name| name.starts_with(place)),
            EntryKind::Other => false,
        }
    }

    /// Returns the files, links and folders in `folder` that are not of this bundle.
    pub(super) fn foreign(&self, folder: &HeldFolder) -> std::io::Result<Vec<String>> {
        let named = |e: &Entry| if e.kind == EntryKind::Folder { format!("{}/", e.name()) } else { e.name() };
        let mut out: Vec<String> = folder.entries()?.iter().filter(|e| !self.has(e)).map(named).collect();
        out.sort();
        Ok(out)
    }

    /// Removes the bundle's files from `folder`, the folders that this leaves empty, and `folder` itself
    /// where nothing else stands in it. What names the files goes last, so that whoever is interrupted can go
    /// on.
    pub(super) fn remove(&self, folder: &HeldFolder) -> std::io::Result<()> {
        let entries = folder.entries()?;
        let (lists, others): (Vec<&Entry>, Vec<&Entry>) = entries
            .iter()
            .filter(|e| self.has(e))
            .partition(|e| LISTS.iter().any(|list| e.place == Path::new(list)));
        // What is in a folder follows it.
        for entry in others.iter().rev() {
            folder.remove(&entry.place, entry.kind)?;
        }
        for list in LISTS.iter().filter_map(|name| lists.iter().find(|e| e.place == Path::new(name))) {
            folder.remove(&list.place, list.kind)?;
        }
        std::fs::remove_dir(folder.path())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    pub(super) fn manifest(section: &str) -> String {
        format!("{{\"pocketgraph\":{{\"sections\":[{{\"file\":\"{section}\"}}]}}}}")
    }

    fn held(folder: &Path) -> HeldFolder {
        HeldFolder::open(folder).unwrap()
    }

    #[test]
    fn only_a_manifest_of_ours_makes_a_bundle() {
        let dir = tempfile::tempdir().unwrap();
        for other in [
            "",
            "{}",
            "{\"name\":\"My app\",\"start_url\":\"/\",\"icons\":[]}",
            "{\"pocketgraph\":1}",
            "not JSON",
            "[]",
        ] {
            std::fs::write(dir.path().join(MANIFEST), other).unwrap();
            assert!(Owned::of(&held(dir.path())).is_none(), "{other}");
        }
        std::fs::write(dir.path().join(MANIFEST), manifest("a.pgs")).unwrap();
        assert!(Owned::of(&held(dir.path())).is_some());
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
        write_written(&held(dir.path())).unwrap();
        let owned = Owned::of(&held(dir.path())).unwrap();
        std::fs::write(at("notes/deep/thesis.txt"), "years").unwrap();
        std::fs::write(at("runtime/mine.js"), "mine").unwrap();
        let foreign = owned.foreign(&held(dir.path())).unwrap();
        assert_eq!(foreign, ["notes/", "notes/deep/", "notes/deep/thesis.txt", "runtime/mine.js"]);
        assert!(owned.remove(&held(dir.path())).is_err());
        assert!(at("notes/deep/thesis.txt").is_file() && at("runtime/mine.js").is_file());
    }

    #[test]
    fn a_list_that_leads_out_of_the_folder_removes_nothing_there() {
        let dir = tempfile::tempdir().unwrap();
        let bundle = dir.path().join("bundle");
        std::fs::create_dir(&bundle).unwrap();
        std::fs::write(dir.path().join("thesis.txt"), "years").unwrap();
        std::fs::write(bundle.join(MANIFEST), manifest("../thesis.txt")).unwrap();
        std::fs::write(
            bundle.join(WRITTEN),
            format!("{HEAD}\n../thesis.txt\n/etc/hostname\nx/../../thesis.txt\n"),
        )
        .unwrap();
        Owned::of(&held(&bundle)).unwrap().remove(&held(&bundle)).unwrap();
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
        let owned = Owned::of(&held(&bundle)).unwrap();
        assert_eq!(owned.foreign(&held(&bundle)).unwrap(), ["runtime"]);
        assert!(owned.remove(&held(&bundle)).is_err());
        assert!(other.join("x.js").is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_bundle_that_another_folder_took_the_place_of_is_removed_and_not_that_folder() {
        let dir = tempfile::tempdir().unwrap();
        let [bundle, moved, link] = ["bundle", "moved", "bundle/pages"].map(|name| dir.path().join(name));
        std::fs::create_dir_all(&link).unwrap();
        let named = manifest("a.pgs");
        for (name, text) in
            [(MANIFEST, &*named), ("a.pgs", "a"), (LISTING, "\n1 pages/b.pgs"), ("pages/b.pgs", "b")]
        {
            std::fs::write(bundle.join(name), text).unwrap();
        }
        let opened = held(&bundle);
        let owned = Owned::of(&opened).unwrap();
        std::fs::rename(&bundle, &moved).unwrap();
        std::fs::create_dir_all(&link).unwrap();
        for name in ["a.pgs", "pages/b.pgs"] {
            std::fs::write(bundle.join(name), "precious").unwrap();
        }
        assert!(owned.remove(&opened).is_err(), "the other folder is not empty");
        assert_eq!(std::fs::read_dir(&moved).unwrap().count(), 0);
        assert!(["a.pgs", "pages/b.pgs"].iter().all(|name| bundle.join(name).is_file()));
    }
}
