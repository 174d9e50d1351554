//! Files that a build writes into a folder of somebody's site, beside what is not its own: a record there
//! says which they are.

use pocketgraph_bundle::{content_hash, format_hex};
use pocketgraph_native::held_folder::HeldFolder;
use pocketgraph_native::single_line::first_few;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// The list of the files that were written into a folder, each with the SHA-256 of its text: what a later
/// build may write over.
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
    #[error(
        "{option} would write over {names} in {folder}, which no build wrote as they are; move them, \
         or choose another folder"
    )]
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

/// Writes texts below `out`, each at its path there, as `option` asked for. Returns those whose names are too
/// long.
///
/// # Errors
/// [`SiteFilesError::Occupied`] before anything is written, when a file stands in the way that an earlier
/// call did not write or that was changed since, or a link leads out of the folder; [`SiteFilesError::Io`]
/// when the disk refuses.
pub fn write_files(
    option: &'static str,
    out: &Path,
    mut files: BTreeMap<PathBuf, String>,
) -> Result<Vec<String>, SiteFilesError> {
    let fail = |path: &Path| {
        let path = path.to_owned();
        move |reason| SiteFilesError::Io { path, reason }
    };
    std::fs::create_dir_all(out).map_err(fail(out))?;
    let folder = out.canonicalize().and_then(|out| HeldFolder::open(&out)).map_err(fail(out))?;
    let known = Record::read(&folder);
    let occupied: Vec<String> = files
        .iter()
        .filter(|(place, text)| !known.may_write(&folder, place, text))
        .map(|(place, _)| place.display().to_string())
        .collect();
    if !occupied.is_empty() {
        return Err(SiteFilesError::Occupied { option, folder: out.to_owned(), names: first_few(&occupied) });
    }
    // Recorded first, and the old ones with them: a build that is killed on the way knows all of them again.
    known.write(&folder, &files, true).map_err(fail(&out.join(RECORD)))?;
    let mut too_long = Vec::new();
    for (place, text) in &files {
        // Part by part, a path may be longer than one that others can open.
        let refused = std::fs::symlink_metadata(out.join(place))
            .err()
            .filter(|e| e.kind() == ErrorKind::InvalidFilename);
        match refused.map_or_else(|| folder.write_file(place, text.as_bytes()), Err) {
            Err(e) if e.kind() == ErrorKind::InvalidFilename => too_long.push(place.clone()),
            written => written.map_err(fail(&out.join(place)))?,
        }
    }
    too_long.iter().for_each(|place| drop(files.remove(place)));
    known.write(&folder, &files, false).map_err(fail(&out.join(RECORD)))?;
    Ok(too_long.iter().map(|place| place.display().to_string()).collect())
}

/// The files that builds wrote into a folder: their places and the hashes of their texts.
struct Record(BTreeSet<(PathBuf, String)>);

impl Record {
    fn read(folder: &HeldFolder) -> Record {
        let text = folder
            .read_file(RECORD.as_ref(), u64::MAX)
            .ok()
            .and_then(|text| String::from_utf8(text).ok())
            .unwrap_or_default();
        Record(
            text.lines()
                .filter_map(|l| l.split_once(' '))
                .map(|(hash, name)| (name.into(), hash.to_owned()))
                .collect(),
        )
    }

    /// Returns true if a file may be written: nothing is there, or a file of an earlier build, or the same
    /// text; and no part of its path below `folder` is a link.
    fn may_write(&self, folder: &HeldFolder, place: &Path, text: &str) -> bool {
        match folder.read_file(place, u64::MAX) {
            Ok(there) => there == text.as_bytes() || self.0.contains(&(place.to_owned(), hash_text(&there))),
            Err(e) => matches!(e.kind(), ErrorKind::NotFound | ErrorKind::InvalidFilename),
        }
    }

    /// Writes the record with `files` in it; with `both`, what it said of these places before stays beside
    /// it.
    fn write(
        &self,
        folder: &HeldFolder,
        files: &BTreeMap<PathBuf, String>,
        both: bool,
    ) -> std::io::Result<()> {
        let mut all: BTreeSet<(PathBuf, String)> =
            files.iter().map(|(place, text)| (place.clone(), hash_text(text.as_bytes()))).collect();
        all.extend(self.0.iter().filter(|(place, _)| both || !files.contains_key(place)).cloned());
        let text: String = all.iter().map(|(place, hash)| format!("{hash} {}\n", place.display())).collect();
        folder.replace_file(RECORD, text.as_bytes())
    }
}

fn hash_text(text: &[u8]) -> String {
    format_hex(&content_hash(text))
}
