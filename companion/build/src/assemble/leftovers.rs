//! Leftovers of a killed build beside its output: found by its lock, and restored or removed by the next
//! build.
//!
//! A build holds a lock on the file `.pocketgraph-X.lock` as long as it works in the folder `.pocketgraph-X`.
//! The system lets go of it however the build ends, so a lock that can be had is that of a build that is
//! gone.

use super::ownership::Owned;
use pocketgraph_native::held_folder::HeldFolder;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Prefix of the names of staging folders and their locks.
pub(super) const PREFIX: &str = ".pocketgraph-";
const SUFFIX: &str = ".lock";
/// First line of a lock; the second is the name of the bundle's folder, the third the identity of the staging
/// folder.
const HEAD: &str = "pocketgraph-staging 2";
/// The fourth line, from when the two bundles change places: until then all that stands in the folder is the
/// build's own, from then on it may be the old bundle.
const CHANGING: &str = "changing places";

/// A staging folder and the lock that says that somebody works in it. Dropped, both vanish.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) folder: HeldFolder,
    pub(super) lock: PathBuf,
    /// True from when the folder stands in the old bundle's place.
    pub(super) is_installed: bool,
    // Held open: the lock ends with it.
    file: File,
}

impl Claim {
    /// Makes a new folder in `parent` in which the bundle that is to be `parent/name` grows.
    pub(super) fn new(parent: &Path, name: &str) -> io::Result<Claim> {
        let (mut file, lock) = tempfile::Builder::new()
            .prefix(PREFIX)
            .suffix(SUFFIX)
            .tempfile_in(parent)?
            .keep()
            .map_err(|e| e.error)?;
        let made = || -> io::Result<HeldFolder> {
            file.lock()?;
            file.write_all(format!("{HEAD}\n{name}\n").as_bytes())?;
            let folder = HeldFolder::create(&lock.with_extension(""))?;
            file.write_all(format!("{}\n", folder.identity(&file)?).as_bytes())?;
            Ok(folder)
        }();
        match made {
            Ok(folder) => Ok(Claim { folder, lock, is_installed: false, file }),
            Err(e) => {
                let _ = fs::remove_file(&lock);
                Err(e)
            }
        }
    }

    /// Says in the lock that from now on the folder may hold the old bundle.
    pub(super) fn changes_places(&self) -> io::Result<()> {
        (&self.file).write_all(format!("{CHANGING}\n").as_bytes())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Installed, it stands elsewhere, and what took its place is not ours to empty.
        let _ = if self.is_installed { fs::remove_dir(self.folder.path()) } else { self.folder.remove_all() };
        let _ = fs::remove_file(&self.lock);
    }
}

/// Returns the place of the old bundle while the two cannot be swapped in one step.
pub(super) fn aside(folder: &Path) -> PathBuf {
    folder.with_extension("old")
}

/// Looks in `parent` for what builds left that are gone: a bundle that was moved aside and has no successor
/// returns to its place, the rest is removed as far as a build wrote it. What cannot be read or removed
/// stays.
pub(super) fn sweep_leftovers(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|n| n.starts_with(PREFIX) && n.ends_with(SUFFIX)) else {
            continue;
        };
        if entry.file_type().is_ok_and(|t| t.is_file()) {
            recover_leftovers(parent, name);
        }
    }
}

/// Deals with what belongs to one lock, if nobody holds it.
fn recover_leftovers(parent: &Path, lock: &str) {
    let path = parent.join(lock);
    let Ok(file) = OpenOptions::new().read(true).write(true).open(&path) else { return };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return,
    }
    let mut text = String::new();
    if (&file).take(1 << 16).read_to_string(&mut text).is_err() {
        return;
    }
    let mut lines = text.lines();
    let (Some(HEAD), Some(name)) = (lines.next(), lines.next()) else { return };
    let identity = lines.next().unwrap_or_default();
    let changing = match (lines.next(), lines.next()) {
        (None, _) => false,
        (Some(CHANGING), None) => true,
        _ => return,
    };
    if Path::new(name).file_name() != Some(name.as_ref()) {
        return;
    }
    let target = parent.join(name);
    let folder = path.with_extension("");
    let old = aside(&folder);
    if let Ok(held) = HeldFolder::open(&old) {
        if fs::symlink_metadata(&target).is_err() {
            let _ = fs::rename(&old, &target);
        } else if let Some(owned) = Owned::of(&held) {
            let _ = owned.remove(&held);
        }
    }
    if let Ok(held) = HeldFolder::open(&folder) {
        let is_ours = !changing && held.identity(&file).is_ok_and(|there| there == identity);
        let _ = match Owned::of(&held) {
            _ if is_ours => held.remove_all(),
            // Perhaps the old one, into which others may have put something.
            Some(owned) if changing => owned.remove(&held),
            // Its manifest goes last.
            _ => fs::remove_dir(&folder),
        };
    }
    let _ = fs::remove_file(&path);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph::bundle::MANIFEST;

    const BUNDLE: &str = "{\"pocketgraph\":{\"sections\":[]}}";

    /// Makes the leftovers of a killed build: the claim's files, and nobody who holds its lock.
    fn killed(parent: &Path, name: &str, changing: bool) -> PathBuf {
        let claim = Claim::new(parent, name).unwrap();
        if changing {
            claim.changes_places().unwrap();
        }
        claim.file.unlock().unwrap();
        let folder = claim.folder.path().to_owned();
        std::mem::forget(claim);
        folder
    }

    fn left(parent: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(parent).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_build_left_is_swept() {
        let dir = tempfile::tempdir().unwrap();
        let folder = killed(dir.path(), "kg", false);
        fs::write(folder.join("chunks.pgs"), "half").unwrap();
        sweep_leftovers(dir.path());
        assert_eq!(left(dir.path()), [""; 0]);
    }

    #[test]
    fn what_is_swept_may_have_a_manifest_and_no_lists_yet() {
        let dir = tempfile::tempdir().unwrap();
        let folder = killed(dir.path(), "kg", false);
        fs::create_dir(folder.join("chunks")).unwrap();
        fs::write(folder.join("chunks/ab.pgs"), "a page").unwrap();
        fs::write(folder.join(MANIFEST), BUNDLE).unwrap();
        sweep_leftovers(dir.path());
        assert_eq!(left(dir.path()), [""; 0]);
    }

    #[test]
    fn a_build_that_is_under_way_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let claim = Claim::new(dir.path(), "kg").unwrap();
        sweep_leftovers(dir.path());
        assert!(claim.folder.path().is_dir() && claim.lock.is_file());
        drop(claim);
        assert_eq!(left(dir.path()), [""; 0]);
    }

    #[test]
    fn a_bundle_that_was_moved_aside_returns_where_nothing_took_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let folder = killed(dir.path(), "kg", true);
        fs::create_dir(aside(&folder)).unwrap();
        fs::write(aside(&folder).join(MANIFEST), BUNDLE).unwrap();
        fs::write(folder.join(MANIFEST), BUNDLE).unwrap();
        sweep_leftovers(dir.path());
        assert_eq!(left(dir.path()), ["kg"]);
        assert!(dir.path().join("kg").join(MANIFEST).is_file());
    }

    #[test]
    fn an_old_bundle_after_the_exchange_goes_but_not_what_others_put_into_it() {
        let dir = tempfile::tempdir().unwrap();
        let folder = killed(dir.path(), "kg", true);
        fs::create_dir(dir.path().join("kg")).unwrap();
        fs::write(folder.join(MANIFEST), BUNDLE).unwrap();
        fs::write(folder.join("thesis.txt"), "years").unwrap();
        sweep_leftovers(dir.path());
        assert!(folder.join("thesis.txt").is_file() && !folder.join(MANIFEST).exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_took_the_place_of_a_killed_build_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let folder = killed(dir.path(), "kg", false);
        fs::rename(&folder, dir.path().join("moved")).unwrap();
        let forged = dir.path().join(format!("{PREFIX}x"));
        fs::write(forged.with_extension("lock"), format!("{HEAD}\nkg\n1 1\n")).unwrap();
        for folder in [&folder, &forged] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("thesis.txt"), "years").unwrap();
        }
        sweep_leftovers(dir.path());
        assert!([folder, forged].iter().all(|folder| folder.join("thesis.txt").is_file()));
    }

    #[test]
    fn files_that_only_look_like_locks_change_nothing() {
        let dir = tempfile::tempdir().unwrap();
        for (i, text) in
            ["", "mine", &format!("{HEAD}\n../x\n"), &format!("{HEAD}\na\nb\nc\n")].iter().enumerate()
        {
            let folder = dir.path().join(format!("{PREFIX}{i}"));
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("thesis.txt"), "years").unwrap();
            fs::write(dir.path().join(format!("{PREFIX}{i}{SUFFIX}")), text).unwrap();
        }
        sweep_leftovers(dir.path());
        assert_eq!(left(dir.path()).len(), 8);
    }
}
