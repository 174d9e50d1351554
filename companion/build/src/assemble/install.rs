//! Bundles are written aside and take their place in one step, so that an interrupted build leaves the old
//! bundle untouched; and nothing that a build did not write is ever removed.

use super::leftovers::{Claim, aside, sweep_leftovers};
use super::ownership::Owned;
use pocketgraph_native::held_folder::HeldFolder;
use pocketgraph_native::single_line::first_few;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The folder that is being written and its lock, so that Ctrl-C can remove them. Held locked while a bundle
/// changes places: an interruption waits for that.
static UNDER_WAY: Mutex<Option<(HeldFolder, PathBuf)>> = Mutex::new(None);

fn under_way() -> MutexGuard<'static, Option<(HeldFolder, PathBuf)>> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Maximum number of tries to remove a folder into which threads still write, 20 ms apart.
const REMOVALS: usize = 50;

/// Maximum number of times that the target is looked at anew because it changed while the bundle was being
/// put there.
const TURNS: usize = 16;

/// Maximum number of links that are followed to the place where the output really lies.
const LINKS: usize = 40;

/// Removes what an interrupted build has written so far; for the handler of Ctrl-C.
pub fn remove_staging() {
    let Some((folder, lock)) = under_way().take() else { return };
    // Threads still write into it: they may make a folder again that is gone.
    for _ in 0..REMOVALS {
        if folder.remove_all().is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = fs::remove_file(lock);
}

/// Error of putting a bundle in its place.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The target is somebody's folder, not a bundle.
    #[error(
        "{0} exists and is no bundle of pocketgraph's: nothing there is replaced; choose another \
         name for the output"
    )]
    NotABundle(PathBuf),
    /// Somebody put something into the old bundle.
    #[error(
        "{folder} holds what no build wrote: {names}; move it elsewhere, or choose another name for \
         the output"
    )]
    Foreign {
        /// The bundle's folder.
        folder: PathBuf,
        /// The first names.
        names: String,
    },
    /// The output would be read, or what is read replaced.
    #[error("the output {out} {how} {input}, which the build reads; choose a folder outside of it, such as \
        {}", beside(input).display())]
    Overlap {
        /// The output as it was named.
        out: PathBuf,
        /// Folder of the input.
        input: PathBuf,
        /// Relation of the two folders.
        how: &'static str,
    },
    /// The disk refused.
    #[error("cannot {what} {path}: {reason}")]
    Io {
        /// Action that failed.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// Error of the system.
        reason: std::io::Error,
    },
}

/// A name for an output beside what is read.
fn beside(input: &Path) -> PathBuf {
    let name = input.file_name().map_or_else(|| "docs".into(), |n| n.to_string_lossy().into_owned());
    input.with_file_name(format!("{name}-kg"))
}

fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> InstallError {
    let path = path.to_owned();
    move |reason| InstallError::Io { what, path, reason }
}

/// A folder beside the target where a bundle grows; dropped without [`Staging::install`] it vanishes.
pub struct Staging {
    claim: Claim,
    target: PathBuf,
}

impl Staging {
    /// Prepares a folder beside `target`, on the same file system, for a bundle of what is read from
    /// `inputs`; where `target` is a symbolic link, beside what it points to. Restores or removes what killed
    /// builds left there.
    pub fn beside(target: &Path, inputs: &[&Path]) -> Result<Self, InstallError> {
        let place = resolve_path(target).map_err(io("read the link", target))?;
        for input in inputs {
            check_apart(target, &place, input)?;
        }
        let (Some(parent), Some(name)) = (place.parent(), place.file_name()) else {
            return Err(InstallError::NotABundle(target.to_owned()));
        };
        fs::create_dir_all(parent).map_err(io("create", parent))?;
        sweep_leftovers(parent);
        find_occupant(&place)?;
        let claim = Claim::new(parent, &name.to_string_lossy()).map_err(io("create a folder in", parent))?;
        *under_way() = Some((claim.folder.clone(), claim.lock.clone()));
        Ok(Staging { claim, target: place })
    }

    /// Returns the folder to write to.
    pub fn folder(&self) -> &HeldFolder {
        &self.claim.folder
    }

    /// Puts the finished bundle in its place; the old one, if any, goes when the new one stands. What stands
    /// at the target is looked at again: hours may have passed. After an error, what stood there stands there
    /// still.
    pub fn install(mut self) -> Result<(), InstallError> {
        let mut under_way = under_way();
        self.claim.changes_places().map_err(io("write to", &self.claim.lock))?;
        let mut done = Ok(false);
        for _ in 0..TURNS {
            done = match find_occupant(&self.target)? {
                Occupant::Nothing => self.take_place(),
                Occupant::Bundle(..) => self.change_places(),
            };
            if !matches!(done, Ok(false)) {
                break;
            }
        }
        *under_way = None;
        match done {
            Ok(true) => Ok(()),
            Ok(false) => Err(InstallError::Io {
                what: "move the new bundle to",
                path: self.target.clone(),
                reason: ErrorKind::ResourceBusy.into(),
            }),
            Err(e) => Err(e),
        }
    }

    /// The new bundle for the old one. `false` where the target changed meanwhile and must be looked at
    /// again.
    fn change_places(&mut self) -> Result<bool, InstallError> {
        let fresh = self.claim.folder.path().to_owned();
        match exchange_folders(&fresh, &self.target) {
            Ok(()) => {
                self.claim.is_installed = true;
                // What stands here now is what stood there, perhaps another than was looked at.
                if let Err(e) = remove_replaced(&fresh, &self.target) {
                    exchange_folders(&fresh, &self.target).map_err(io("move back", &fresh))?;
                    self.claim.is_installed = false;
                    return Err(e);
                }
                Ok(true)
            }
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
            Err(_) => self.move_aside(),
        }
    }

    /// As [`Staging::change_places`], in two steps, where the system has no exchange. A build that is killed
    /// between them leaves the old bundle where the next build finds it.
    fn move_aside(&mut self) -> Result<bool, InstallError> {
        let (old, target) = (aside(self.claim.folder.path()), self.target.clone());
        match fs::rename(&self.target, &old) {
            Ok(()) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(false),
            Err(e) => return Err(io("move aside", &self.target)(e)),
        }
        let back = |e: InstallError| match fs::rename(&old, &target) {
            Ok(()) => e,
            Err(reason) => io("move back", &old)(reason),
        };
        find_occupant(&old).map_err(|e| back(of_target(e, &target)))?;
        match self.take_place() {
            Ok(true) => remove_replaced(&old, &target).map(|()| true),
            Ok(false) => Err(back(InstallError::NotABundle(target.clone()))),
            Err(e) => Err(back(e)),
        }
    }

    /// Moves the new bundle to where nothing or an empty folder stands. `false` where there is something by
    /// now.
    fn take_place(&mut self) -> Result<bool, InstallError> {
        // Not everywhere does a rename replace an empty folder.
        #[cfg(not(unix))]
        let _ = fs::remove_dir(&self.target);
        match fs::rename(self.claim.folder.path(), &self.target) {
            Ok(()) => {
                self.claim.is_installed = true;
                Ok(true)
            }
            Err(e)
                if matches!(
                    e.kind(),
                    ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists | ErrorKind::NotADirectory
                ) =>
            {
                Ok(false)
            }
            Err(e) => Err(io("move the new bundle to", &self.target)(e)),
        }
    }
}

/// Occupant of a target that a bundle may replace.
enum Occupant {
    /// Nothing, or an empty folder.
    Nothing,
    /// A bundle, and nothing else: its folder and its files.
    Bundle(HeldFolder, Owned),
}

/// Looks at a target. Another build may replace and remove a bundle meanwhile: of that one, ever less is
/// there.
fn find_occupant(target: &Path) -> Result<Occupant, InstallError> {
    let not_a_bundle = || InstallError::NotABundle(target.to_owned());
    let folder = match HeldFolder::open(target) {
        Ok(folder) => folder,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Occupant::Nothing),
        Err(_) if fs::symlink_metadata(target).is_ok_and(|there| !there.is_dir()) => {
            return Err(not_a_bundle());
        }
        Err(e) => return Err(io("read", target)(e)),
    };
    let Some(owned) = Owned::of(&folder) else {
        let is_empty = folder.entries().map_err(io("read", target))?.is_empty();
        return if is_empty { Ok(Occupant::Nothing) } else { Err(not_a_bundle()) };
    };
    let names = owned.foreign(&folder).map_err(io("read", target))?;
    if names.is_empty() {
        Ok(Occupant::Bundle(folder, owned))
    } else {
        Err(InstallError::Foreign { folder: target.to_owned(), names: first_few(&names) })
    }
}

/// An error about a bundle that was moved, as one about the place where its owner knows it.
fn of_target(e: InstallError, target: &Path) -> InstallError {
    match e {
        InstallError::NotABundle(_) => InstallError::NotABundle(target.to_owned()),
        InstallError::Foreign { names, .. } => InstallError::Foreign { folder: target.to_owned(), names },
        e => e,
    }
}

/// Removes an old bundle that has been replaced, if it holds nothing else.
fn remove_replaced(old: &Path, target: &Path) -> Result<(), InstallError> {
    let removed = match find_occupant(old).map_err(|e| of_target(e, target))? {
        Occupant::Nothing => fs::remove_dir(old),
        Occupant::Bundle(folder, owned) => owned.remove(&folder),
    };
    removed.map_err(io("remove", old))
}

/// Lets two folders change places in one step.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange_folders(a: &Path, b: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange_folders(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Resolves a path and its links, even one that points to nothing yet; the missing part is appended.
fn resolve_path(path: &Path) -> std::io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..LINKS {
        if !fs::symlink_metadata(&at).is_ok_and(|m| m.is_symlink()) {
            break;
        }
        let to = fs::read_link(&at)?;
        at = at.parent().unwrap_or(Path::new("")).join(to);
    }
    let whole = std::path::absolute(&at)?;
    let mut there = whole.as_path();
    let mut rest = Vec::new();
    while !there.exists() {
        let (Some(parent), Some(last)) = (there.parent(), there.components().next_back()) else { break };
        rest.push(last);
        there = parent;
    }
    let mut out = fs::canonicalize(there).unwrap_or_else(|_| there.to_owned());
    for part in rest.into_iter().rev() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    Ok(out)
}

/// Refuses an output that is or holds what is read, or lies in a bundle that is read. Among documents it may
/// be, which are read without it, but not where a link that came with them leads elsewhere.
fn check_apart(out: &Path, place: &Path, input: &Path) -> Result<(), InstallError> {
    // What cannot be found is told by those who read it.
    let Ok(read) = fs::canonicalize(input) else { return Ok(()) };
    let how = if read == place {
        "is"
    } else if read.starts_with(place) {
        "holds"
    } else if place.starts_with(&read)
        && HeldFolder::open(&read).is_ok_and(|folder| Owned::of(&folder).is_some())
    {
        "lies in"
    } else if !place.starts_with(&read) && passes_through(out, &read) {
        "leads out of"
    } else {
        return Ok(());
    };
    Err(InstallError::Overlap { out: out.to_owned(), input: input.to_owned(), how })
}

/// Returns true if a path names something below a folder, wherever links lead then.
fn passes_through(path: &Path, folder: &Path) -> bool {
    let Ok(path) = std::path::absolute(path) else { return false };
    let turns_back = path.components().any(|part| part == Component::ParentDir);
    !turns_back
        && path.ancestors().skip(1).any(|above| above.canonicalize().is_ok_and(|above| above == folder))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph::bundle::MANIFEST;

    /// A manifest as one of ours, with something to tell it by.
    fn manifest(word: &str) -> String {
        format!("{{\"pocketgraph\":{{\"sections\":[{{\"file\":\"{word}.pgs\"}}]}}}}")
    }

    fn bundle(at: &Path, word: &str) {
        fs::create_dir_all(at).unwrap();
        fs::write(at.join(MANIFEST), manifest(word)).unwrap();
        fs::write(at.join(format!("{word}.pgs")), word).unwrap();
    }

    fn finished(target: &Path, word: &str) -> Staging {
        let staging = Staging::beside(target, &[]).unwrap();
        bundle(staging.folder().path(), word);
        staging
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_that_is_no_bundle_is_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("thesis.txt"), "years of work").unwrap();
        for manifest in [
            None,
            Some("{}"),
            Some("{\"name\":\"My app\",\"start_url\":\"/\"}"),
            Some("{\"pocketgraph\":true}"),
        ] {
            if let Some(text) = manifest {
                fs::write(dir.path().join(MANIFEST), text).unwrap();
            }
            assert!(
                matches!(Staging::beside(dir.path(), &[]), Err(InstallError::NotABundle(_))),
                "{manifest:?}"
            );
        }
        assert!(matches!(
            Staging::beside(&dir.path().join("thesis.txt"), &[]),
            Err(InstallError::NotABundle(_))
        ));
    }

    #[test]
    fn a_file_that_somebody_put_into_the_bundle_stops_the_build_by_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("bundle");
        bundle(&target, "old");
        fs::write(target.join("notes.txt"), "mine").unwrap();
        let error = Staging::beside(&target, &[]).err().unwrap().to_string();
        assert!(error.contains("notes.txt") && !error.contains("old.pgs"), "{error}");
        assert_eq!(fs::read_to_string(target.join("notes.txt")).unwrap(), "mine");
    }

    #[test]
    fn what_came_to_the_target_while_the_build_ran_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        for (name, had_one) in [("fresh", false), ("older", true)] {
            let target = dir.path().join(name);
            if had_one {
                bundle(&target, "old");
            }
            let staging = finished(&target, "new");
            fs::create_dir_all(&target).unwrap();
            fs::write(target.join("thesis.txt"), "years").unwrap();
            assert!(staging.install().is_err());
            assert!(target.join("thesis.txt").is_file() && !target.join("new.pgs").exists());
            assert_eq!(target.join("old.pgs").exists(), had_one);
        }
        assert_eq!(names(dir.path()), ["fresh", "older"]);
    }

    #[test]
    fn a_build_that_stops_leaves_the_old_bundle_and_no_trace() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("bundle");
        bundle(&target, "old");
        drop(finished(&target, "new"));
        assert_eq!(fs::read_to_string(target.join(MANIFEST)).unwrap(), manifest("old"));
        assert_eq!(names(dir.path()), ["bundle"]);
    }

    #[test]
    fn a_finished_build_replaces_the_old_bundle_whole() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("bundle");
        bundle(&target, "old");
        finished(&target, "new").install().unwrap();
        assert_eq!(names(&target), [MANIFEST, "new.pgs"]);
        assert_eq!(names(dir.path()), ["bundle"]);
    }

    #[test]
    fn in_two_steps_the_old_bundle_is_replaced_whole_as_well_and_what_is_foreign_returns() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("bundle");
        bundle(&target, "old");
        let mut staging = finished(&target, "new");
        fs::write(target.join("thesis.txt"), "years").unwrap();
        assert!(matches!(staging.move_aside(), Err(InstallError::Foreign { .. })));
        assert!(target.join("thesis.txt").is_file() && target.join("old.pgs").is_file());
        fs::remove_file(target.join("thesis.txt")).unwrap();
        assert!(staging.move_aside().unwrap());
        drop(staging);
        assert_eq!(names(&target), [MANIFEST, "new.pgs"]);
        assert_eq!(names(dir.path()), ["bundle"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_as_output_keeps_pointing_where_it_did() {
        let dir = tempfile::tempdir().unwrap();
        let (seven, eight) = (dir.path().join("releases/7"), dir.path().join("releases/8"));
        bundle(&seven, "old");
        for (link, to) in [("current", &seven), ("next", &eight)] {
            let link = dir.path().join(link);
            std::os::unix::fs::symlink(to, &link).unwrap();
            finished(&link, "new").install().unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(names(to), [MANIFEST, "new.pgs"]);
        }
    }

    #[test]
    fn an_output_that_is_or_holds_what_is_read_is_refused_and_so_is_one_in_a_bundle_that_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let docs = dir.path().join("site/docs");
        fs::create_dir_all(&docs).unwrap();
        fs::write(docs.join("a.md"), "# A").unwrap();
        bundle(&dir.path().join("site"), "old");
        for out in [docs.clone(), dir.path().join("site"), docs.join("new/.."), docs.join("../../site/docs")]
        {
            assert!(
                matches!(Staging::beside(&out, &[&docs]), Err(InstallError::Overlap { .. })),
                "{}",
                out.display()
            );
        }
        let old = dir.path().join("old");
        bundle(&old, "old");
        assert!(matches!(Staging::beside(&old.join("kg"), &[&old]), Err(InstallError::Overlap { .. })));
        #[cfg(unix)]
        {
            let elsewhere = dir.path().join("elsewhere");
            fs::create_dir(&elsewhere).unwrap();
            std::os::unix::fs::symlink(&elsewhere, docs.join("link")).unwrap();
            for out in [docs.join("link"), docs.join("link/kg")] {
                assert!(
                    matches!(Staging::beside(&out, &[&docs]), Err(InstallError::Overlap { .. })),
                    "{}",
                    out.display()
                );
            }
        }
        let page = docs.join("a.md");
        assert!(matches!(Staging::beside(&docs, &[&page]), Err(InstallError::Overlap { .. })));
        for out in [docs.join("kg"), docs.join(".vitepress/dist/kg"), dir.path().join("site/docs-kg")] {
            assert!(Staging::beside(&out, &[&docs]).is_ok(), "{}", out.display());
        }
    }
}
