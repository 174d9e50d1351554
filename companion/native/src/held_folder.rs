//! Folders that are held open: files are read, written and removed in the folder that was opened, whatever
//! takes its name meanwhile, and through no link. Elsewhere than on Unix a folder is only known by its path.
//! Errors are those of the file system; links, pipes, and folders in place of files are refused.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Read, Result, Write};
use std::path::{Path, PathBuf};

/// Maximum number of tries to write a file that threads of ours write at the same time.
const TRIES: usize = 1000;

/// A folder that is held open.
#[derive(Debug, Clone)]
pub struct HeldFolder {
    path: PathBuf,
    #[cfg(unix)]
    handle: std::sync::Arc<std::os::fd::OwnedFd>,
}

/// Kind of an [`Entry`]: a file, a folder, or a link, pipe or device.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    Other,
}

/// Something below a [`HeldFolder`].
#[derive(Debug)]
pub struct Entry {
    /// Path below the folder.
    pub place: PathBuf,
    /// Kind.
    pub kind: EntryKind,
    /// Length of a file.
    pub bytes: u64,
}

impl Entry {
    /// Returns the path below the folder as a text, with `/` between its parts.
    pub fn name(&self) -> String {
        self.place.iter().map(OsStr::to_string_lossy).collect::<Vec<_>>().join("/")
    }
}

impl HeldFolder {
    /// Returns the path by which the folder was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a folder and opens it. Refuses one with contents, which has taken the new one's place.
    pub fn create(path: &Path) -> Result<HeldFolder> {
        std::fs::create_dir(path)?;
        let folder = HeldFolder::open(path)?;
        if folder.list()?.is_empty() { Ok(folder) } else { Err(ErrorKind::DirectoryNotEmpty.into()) }
    }

    /// Writes a file, and makes its folders. One that is there is replaced: it may have other names as well.
    pub fn write_file(&self, place: &Path, bytes: &[u8]) -> Result<()> {
        let (folder, name) = self.enter(place, true)?;
        let may_go = || folder.open_file(name).map_or_else(|e| e.kind() == ErrorKind::NotFound, |_| true);
        let mut tries = 0..TRIES;
        loop {
            match folder.create_file(name) {
                Err(e) if e.kind() == ErrorKind::AlreadyExists && tries.next().is_some() && may_go() => {
                    drop(folder.unlink(name, EntryKind::File))
                }
                created => return created?.write_all(bytes),
            }
        }
    }

    /// Writes a file of the folder aside and moves it to its place, so that it is never half written.
    pub fn replace_file(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let aside = format!("{name}-{}", std::process::id());
        self.write_file(aside.as_ref(), bytes)?;
        self.rename(aside.as_ref(), name.as_ref())
    }

    /// Reads at most `limit` bytes of a file.
    pub fn read_file(&self, place: &Path, limit: u64) -> Result<Vec<u8>> {
        let (folder, name) = self.enter(place, false)?;
        let mut bytes = Vec::new();
        folder.open_file(name)?.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Removes a file, a link or an empty folder.
    pub fn remove(&self, place: &Path, kind: EntryKind) -> Result<()> {
        self.enter(place, false).and_then(|(folder, name)| folder.unlink(name, kind))
    }

    /// Removes the folder and all that is in it. What has taken its name meanwhile stays, unless it is an
    /// empty folder.
    pub fn remove_all(&self) -> Result<()> {
        for entry in self.entries()?.iter().rev() {
            self.remove(&entry.place, entry.kind)?;
        }
        std::fs::remove_dir(&self.path)
    }

    /// Lists all that is in the folder and in those within, each folder before its contents.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        self.gather(Path::new(""), &mut entries).map(|()| entries)
    }

    fn gather(&self, under: &Path, entries: &mut Vec<Entry>) -> Result<()> {
        let mut names = self.list()?;
        names.sort();
        for name in names {
            let place = under.join(&name);
            let mut look = || {
                let (kind, bytes) = self.look_at(&name)?;
                entries.push(Entry { place: place.clone(), kind, bytes });
                if kind == EntryKind::Folder {
                    self.open_folder(&name)?.gather(&place, entries)
                } else {
                    Ok(())
                }
            };
            // Others may remove things meanwhile.
            look().or_else(|e| if e.kind() == ErrorKind::NotFound { Ok(()) } else { Err(e) })?;
        }
        Ok(())
    }

    /// Opens the folder that `place` lies in; returns it with the last part of `place`.
    fn enter<'a>(&self, place: &'a Path, create: bool) -> Result<(HeldFolder, &'a OsStr)> {
        let mut folder = self.clone();
        for part in place.parent().into_iter().flat_map(Path::iter) {
            if create {
                let created = folder.create_folder(part);
                created.or_else(|e| if e.kind() == ErrorKind::AlreadyExists { Ok(()) } else { Err(e) })?;
            }
            folder = folder.open_folder(part)?;
        }
        Ok((folder, place.file_name().ok_or(ErrorKind::InvalidInput)?))
    }

    fn open_file(&self, name: &OsStr) -> Result<File> {
        let file = self.open_name(name)?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(ErrorKind::InvalidInput.into()) }
    }
}

#[cfg(unix)]
mod system {
    use super::*;
    use rustix::fs::{
        AtFlags, CWD, Dir, DirEntry, FileType, Mode, OFlags, fstat, mkdirat, openat, renameat, statat,
        unlinkat,
    };
    use std::os::unix::{ffi::OsStrExt, fs::MetadataExt};

    const ENTER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
    const CREATE: OFlags = OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::CLOEXEC);
    /// Opening waits for nobody: a pipe may be there.
    const READ: OFlags = OFlags::NONBLOCK.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    impl HeldFolder {
        /// Opens a folder; `path` must not end with a link.
        pub fn open(path: &Path) -> Result<HeldFolder> {
            Ok(HeldFolder { path: path.to_owned(), handle: openat(CWD, path, ENTER, Mode::empty())?.into() })
        }

        /// Returns a text that tells the folder from others. Refuses a `file` for it that is not of the
        /// folder's owner.
        pub fn identity(&self, file: &File) -> Result<String> {
            let status = fstat(&self.handle)?;
            let same_owner = status.st_uid == file.metadata()?.uid();
            same_owner
                .then(|| format!("{} {}", status.st_dev, status.st_ino))
                .ok_or(ErrorKind::PermissionDenied.into())
        }

        pub(super) fn open_folder(&self, name: &OsStr) -> Result<HeldFolder> {
            let handle = openat(&self.handle, name, ENTER, Mode::empty())?.into();
            Ok(HeldFolder { path: self.path.join(name), handle })
        }

        pub(super) fn create_folder(&self, name: &OsStr) -> Result<()> {
            Ok(mkdirat(&self.handle, name, Mode::from_raw_mode(0o777))?)
        }

        pub(super) fn create_file(&self, name: &OsStr) -> Result<File> {
            Ok(openat(&self.handle, name, CREATE, Mode::from_raw_mode(0o666))?.into())
        }

        pub(super) fn open_name(&self, name: &OsStr) -> Result<File> {
            Ok(openat(&self.handle, name, READ, Mode::empty())?.into())
        }

        pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> Result<()> {
            Ok(renameat(&self.handle, from, &self.handle, to)?)
        }

        pub(super) fn unlink(&self, name: &OsStr, kind: EntryKind) -> Result<()> {
            let flags = if kind == EntryKind::Folder { AtFlags::REMOVEDIR } else { AtFlags::empty() };
            Ok(unlinkat(&self.handle, name, flags)?)
        }

        pub(super) fn list(&self) -> Result<Vec<OsString>> {
            let name_of = |entry: rustix::io::Result<DirEntry>| {
                Ok(OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned())
            };
            let names = Dir::read_from(&self.handle)?.map(name_of);
            names.filter(|name| name.as_ref().map_or(true, |name| name != "." && name != "..")).collect()
        }

        pub(super) fn look_at(&self, name: &OsStr) -> Result<(EntryKind, u64)> {
            let status = statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
            let kind = match FileType::from_raw_mode(status.st_mode) {
                FileType::RegularFile => EntryKind::File,
                FileType::Directory => EntryKind::Folder,
                _ => EntryKind::Other,
            };
            Ok((kind, status.st_size as u64))
        }
    }
}

#[cfg(not(unix))]
#[allow(missing_docs)]
mod system {
    use super::*;
    use std::fs;

    impl HeldFolder {
        pub fn open(path: &Path) -> Result<HeldFolder> {
            let is_folder = fs::symlink_metadata(path)?.is_dir();
            if is_folder {
                Ok(HeldFolder { path: path.to_owned() })
            } else {
                Err(ErrorKind::NotADirectory.into())
            }
        }

        pub fn identity(&self, _: &File) -> Result<String> {
            Ok(String::new())
        }

        pub(super) fn open_folder(&self, name: &OsStr) -> Result<HeldFolder> {
            HeldFolder::open(&self.path.join(name))
        }

        pub(super) fn create_folder(&self, name: &OsStr) -> Result<()> {
            fs::create_dir(self.path.join(name))
        }

        pub(super) fn create_file(&self, name: &OsStr) -> Result<File> {
            File::create_new(self.path.join(name))
        }

        pub(super) fn open_name(&self, name: &OsStr) -> Result<File> {
            let is_file = self.look_at(name)?.0 == EntryKind::File;
            if is_file { File::open(self.path.join(name)) } else { Err(ErrorKind::InvalidInput.into()) }
        }

        pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> Result<()> {
            fs::rename(self.path.join(from), self.path.join(to))
        }

        pub(super) fn unlink(&self, name: &OsStr, kind: EntryKind) -> Result<()> {
            let path = self.path.join(name);
            if kind == EntryKind::Folder { fs::remove_dir(path) } else { fs::remove_file(path) }
        }

        pub(super) fn list(&self) -> Result<Vec<OsString>> {
            fs::read_dir(&self.path)?.map(|entry| Ok(entry?.file_name())).collect()
        }

        pub(super) fn look_at(&self, name: &OsStr) -> Result<(EntryKind, u64)> {
            let status = fs::symlink_metadata(self.path.join(name))?;
            let file = if status.is_file() { EntryKind::File } else { EntryKind::Other };
            Ok((if status.is_dir() { EntryKind::Folder } else { file }, status.len()))
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs::{create_dir, create_dir_all, hard_link, read_dir, read_to_string, rename, write};
    use std::os::unix::fs::symlink;

    fn held() -> (tempfile::TempDir, PathBuf, HeldFolder) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ours");
        let folder = HeldFolder::create(&path).unwrap();
        (dir, path, folder)
    }

    #[test]
    fn nothing_is_written_read_or_removed_through_a_link() {
        let (dir, ours, folder) = held();
        let theirs = dir.path().join("theirs");
        create_dir(&theirs).unwrap();
        write(theirs.join("a.html"), "precious").unwrap();
        symlink(&theirs, ours.join("guides")).unwrap();
        symlink(theirs.join("a.html"), ours.join("b.html")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, ours.join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        for place in ["guides/a.html", "guides/new/a.html", "b.html", "pipe"].map(Path::new) {
            assert!(folder.write_file(place, b"ours").is_err(), "{}", place.display());
            assert!(folder.read_file(place, 9).is_err(), "{}", place.display());
        }
        assert!(folder.remove(Path::new("guides/a.html"), EntryKind::File).is_err());
        assert!(HeldFolder::open(&ours.join("guides")).is_err());
        folder.remove_all().unwrap();
        assert!(!ours.exists());
        assert_eq!(read_to_string(theirs.join("a.html")).unwrap(), "precious");
        assert_eq!(read_dir(&theirs).unwrap().count(), 1);
    }

    #[test]
    fn a_file_with_other_names_keeps_its_text_under_them() {
        let (dir, ours, folder) = held();
        let theirs = dir.path().join("thesis.txt");
        write(&theirs, "precious").unwrap();
        hard_link(&theirs, ours.join("a.html")).unwrap();
        folder.write_file(Path::new("a.html"), b"ours").unwrap();
        assert_eq!(folder.read_file(Path::new("a.html"), 9).unwrap(), b"ours");
        assert_eq!(read_to_string(&theirs).unwrap(), "precious");
    }

    #[test]
    fn a_folder_that_is_exchanged_is_written_and_removed_and_not_the_one_in_its_place() {
        let (dir, ours, folder) = held();
        let (moved, theirs) = (dir.path().join("moved"), ours.join("deep"));
        folder.write_file(Path::new("deep/a.pgs"), b"ours").unwrap();
        rename(&ours, &moved).unwrap();
        create_dir_all(&theirs).unwrap();
        write(theirs.join("a.pgs"), "precious").unwrap();
        folder.write_file(Path::new("deep/b.pgs"), b"ours").unwrap();
        let names: Vec<String> = folder.entries().unwrap().iter().map(Entry::name).collect();
        assert_eq!(names, ["deep", "deep/a.pgs", "deep/b.pgs"]);
        assert!(folder.remove_all().is_err(), "the folder in its place is not empty");
        assert_eq!(read_dir(&moved).unwrap().count(), 0);
        assert_eq!(read_to_string(theirs.join("a.pgs")).unwrap(), "precious");
        assert_eq!(read_dir(&theirs).unwrap().count(), 1);
    }

    #[test]
    fn threads_that_write_one_file_at_once_all_succeed() {
        let (_dir, ours, folder) = held();
        std::thread::scope(|threads| {
            for _ in 0..8 {
                threads
                    .spawn(|| (0..500).for_each(|_| folder.write_file(Path::new("a/b"), b"ours").unwrap()));
            }
        });
        assert_eq!(read_to_string(ours.join("a/b")).unwrap(), "ours");
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let (_dir, ours, folder) = held();
        for text in ["one", "two"] {
            folder.replace_file("record", text.as_bytes()).unwrap();
            assert_eq!(read_to_string(ours.join("record")).unwrap(), text);
        }
        assert_eq!(read_dir(&ours).unwrap().count(), 1);
    }
}
