//! Files that a build writes into a folder of somebody's site, beside what is not its own: a record there says which they are.

use pocketgraph_bundle::{content_hash, hex};
use pocketgraph_native::single_line::first_few;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// The list of the files that were written into a folder, each with the SHA-256 of its text: what a later build may write over.
const RECORD: &str = ".pocketgraph-pages";

/// Error of writing files.
#[derive(Debug, thiserror::Error)]
pub enum SiteFilesError {
    /// The disk refused.
    #[error("cannot write {path}: {reason}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        reason: std::io::Error,
    },
    /// Files stand in the way, and no build wrote them, or somebody changed them since.
    #[error("{option} would write over {names} in {folder}, which no build wrote as they are; move them, or choose another folder")]
    Occupied {
        /// The option that asked for the files.
        option: &'static str,
        /// The folder.
        folder: PathBuf,
        /// The first of them.
        names: String,
    },
}

/// Returns the file of an address below `base`, relative to the site's folder.
pub(crate) fn place_below(base: &str, address: &str) -> Option<PathBuf> {
    let local = address.strip_prefix(base.trim_end_matches('/'))?;
    let local = if base.is_empty() { local } else { local.strip_prefix('/')? };
    if local.contains([':', '\\', '?', '#', '\0']) {
        return None;
    }
    let place = PathBuf::from(percent_encoding::percent_decode_str(local).decode_utf8().ok()?.as_ref());
    place.components().all(|part| matches!(part, Component::Normal(_))).then_some(place)
}

/// Writes texts below `out`, each at its path there, as `option` asked for. Returns those whose names are too long.
///
/// # Errors
/// [`SiteFilesError::Occupied`] before anything is written, when a file stands in the way that an earlier call did not
/// write or that was changed since, or a link leads out of the folder; [`SiteFilesError::Io`] when the disk refuses.
pub fn write(option: &'static str, out: &Path, mut files: BTreeMap<PathBuf, String>) -> Result<Vec<String>, SiteFilesError> {
    let fail = |path: &Path| {
        let path = path.to_owned();
        move |reason| SiteFilesError::Io { path, reason }
    };
    std::fs::create_dir_all(out).map_err(fail(out))?;
    let record_file = out.join(RECORD);
    let known = Record::read(&record_file);
    let occupied: Vec<String> =
        files.iter().filter(|(place, text)| !known.may_write(out, place, text)).map(|(place, _)| place.display().to_string()).collect();
    if !occupied.is_empty() {
        return Err(SiteFilesError::Occupied { option, folder: out.to_owned(), names: first_few(&occupied) });
    }
    // Recorded first, and the old ones with them: a build that is killed on the way knows all of them again.
    known.write(&record_file, &files, true).map_err(fail(&record_file))?;
    let mut too_long = Vec::new();
    for (place, text) in &files {
        let path = out.join(place);
        let parent = path.parent().unwrap_or(out);
        match std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, text)) {
            Err(e) if e.kind() == std::io::ErrorKind::InvalidFilename => too_long.push(place.clone()),
            written => written.map_err(fail(&path))?,
        }
    }
    too_long.iter().for_each(|place| drop(files.remove(place)));
    known.write(&record_file, &files, false).map_err(fail(&record_file))?;
    Ok(too_long.iter().map(|place| place.display().to_string()).collect())
}

/// The files that builds wrote into a folder: their places and the hashes of their texts.
struct Record(BTreeSet<(PathBuf, String)>);

impl Record {
    fn read(file: &Path) -> Record {
        let plain = std::fs::symlink_metadata(file).is_ok_and(|m| m.is_file());
        let text = if plain { std::fs::read_to_string(file).unwrap_or_default() } else { String::new() };
        Record(text.lines().filter_map(|l| l.split_once(' ')).map(|(hash, name)| (name.into(), hash.to_owned())).collect())
    }

    /// Returns true if a file may be written: nothing is there, or a file of an earlier build, or the same text; and no
    /// part of its path below `out` is a link.
    fn may_write(&self, out: &Path, place: &Path, text: &str) -> bool {
        let mut path = out.to_owned();
        let mut parts = place.components().peekable();
        while let Some(part) = parts.next() {
            path.push(part);
            let Ok(kind) = std::fs::symlink_metadata(&path) else { return true };
            if parts.peek().is_some() {
                if !kind.is_dir() {
                    return false;
                }
            } else if !kind.is_file() {
                return false;
            }
        }
        let Ok(there) = std::fs::read(&path) else { return false };
        there == text.as_bytes() || self.0.contains(&(place.to_owned(), hash_text(&there)))
    }

    /// Writes the record with `files` in it; with `both`, what it said of these places before stays beside it.
    fn write(&self, file: &Path, files: &BTreeMap<PathBuf, String>, both: bool) -> std::io::Result<()> {
        let mut all: BTreeSet<(PathBuf, String)> = files.iter().map(|(place, text)| (place.clone(), hash_text(text.as_bytes()))).collect();
        all.extend(self.0.iter().filter(|(place, _)| both || !files.contains_key(place)).cloned());
        let text: String = all.iter().map(|(place, hash)| format!("{hash} {}\n", place.display())).collect();
        // Beside it and renamed: never through a link, never half of it.
        let mut aside = tempfile::NamedTempFile::new_in(file.parent().unwrap_or(Path::new(".")))?;
        std::io::Write::write_all(&mut aside, text.as_bytes())?;
        aside.persist(file).map_err(|e| e.error)?;
        Ok(())
    }
}

fn hash_text(text: &[u8]) -> String {
    hex(&content_hash(text))
}
