//! Bundles are written aside and renamed into place, so that an interrupted build leaves the old bundle untouched.

use pocketgraph::bundle::MANIFEST;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The folder that is being written, so that Ctrl-C can remove it. Held locked while a bundle changes places: an interruption waits for that.
static UNDER_WAY: Mutex<Option<PathBuf>> = Mutex::new(None);

fn under_way() -> MutexGuard<'static, Option<PathBuf>> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what an interrupted build has written so far; for the handler of Ctrl-C.
pub fn remove_staging() {
    if let Some(folder) = under_way().take() {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Why a bundle cannot be put in its place.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The target is somebody's folder, not a bundle.
    #[error("{0} exists and is not a bundle (it has no manifest.json): it would be replaced as a whole; choose another name or remove it")]
    NotABundle(PathBuf),
    /// The disk refused.
    #[error("cannot {what} {path}: {reason}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
}

/// A folder beside the target where a bundle grows; dropped without [`Staging::install`] it vanishes.
pub struct Staging {
    folder: tempfile::TempDir,
    target: PathBuf,
}

impl Staging {
    /// Prepares a folder beside `target`, on the same file system.
    ///
    /// # Errors
    /// [`InstallError::NotABundle`] when `target` is a file or a folder that holds something else than a bundle.
    pub fn beside(target: &Path) -> Result<Self, InstallError> {
        let io = |what, path: &Path| {
            let path = path.to_owned();
            move |reason| InstallError::Io { what, path, reason }
        };
        if target.exists() {
            let empty = target.is_dir() && std::fs::read_dir(target).map_err(io("read", target))?.next().is_none();
            if !empty && !target.join(MANIFEST).is_file() {
                return Err(InstallError::NotABundle(target.to_owned()));
            }
        }
        let parent = match target.parent() {
            Some(p) if !p.as_os_str().is_empty() => p.to_owned(),
            _ => PathBuf::from("."),
        };
        std::fs::create_dir_all(&parent).map_err(io("create", &parent))?;
        let folder = tempfile::Builder::new().prefix(".pocketgraph-").tempdir_in(&parent).map_err(io("create a folder in", &parent))?;
        *under_way() = Some(folder.path().to_owned());
        Ok(Staging { folder, target: target.to_owned() })
    }

    /// Where to write.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts the finished bundle in its place; the old one, if any, goes when the new one stands.
    ///
    /// # Errors
    /// [`InstallError::Io`] when a rename fails; the old bundle is then back in its place.
    pub fn install(self) -> Result<(), InstallError> {
        let Staging { folder, target } = self;
        let io = |what, path: &Path| {
            let path = path.to_owned();
            move |reason| InstallError::Io { what, path, reason }
        };
        let mut under_way = under_way();
        readable_by_all(folder.path()).map_err(io("set the mode of", folder.path()))?;
        let old = folder.path().with_extension("old");
        let had_one = target.exists();
        if had_one {
            std::fs::rename(&target, &old).map_err(io("move aside", &target))?;
        }
        let fresh = folder.keep();
        *under_way = None;
        if let Err(reason) = std::fs::rename(&fresh, &target) {
            if had_one {
                std::fs::rename(&old, &target).map_err(io("move back", &old))?;
            }
            let _ = std::fs::remove_dir_all(&fresh);
            return Err(InstallError::Io { what: "move the new bundle to", path: target, reason });
        }
        if had_one {
            std::fs::remove_dir_all(&old).map_err(io("remove", &old))?;
        }
        Ok(())
    }
}

/// Temporary folders are private; a bundle is served by others.
#[cfg(unix)]
fn readable_by_all(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn readable_by_all(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_no_bundle_is_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("thesis.txt"), "years of work").unwrap();
        assert!(matches!(Staging::beside(dir.path()), Err(InstallError::NotABundle(_))));
    }

    #[test]
    fn a_build_that_stops_leaves_the_old_bundle_and_no_trace() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("bundle");
        std::fs::create_dir(&target).unwrap();
        std::fs::write(target.join(MANIFEST), "old").unwrap();
        let staging = Staging::beside(&target).unwrap();
        std::fs::write(staging.path().join(MANIFEST), "new").unwrap();
        drop(staging);
        assert_eq!(std::fs::read_to_string(target.join(MANIFEST)).unwrap(), "old");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_finished_build_replaces_the_old_bundle_whole() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("bundle");
        std::fs::create_dir(&target).unwrap();
        std::fs::write(target.join(MANIFEST), "old").unwrap();
        std::fs::write(target.join("stale.pgs"), "old").unwrap();
        let staging = Staging::beside(&target).unwrap();
        std::fs::write(staging.path().join(MANIFEST), "new").unwrap();
        staging.install().unwrap();
        assert_eq!(std::fs::read_to_string(target.join(MANIFEST)).unwrap(), "new");
        assert!(!target.join("stale.pgs").exists());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
