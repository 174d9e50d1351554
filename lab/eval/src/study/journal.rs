//! Stores a study's results: an append-only file of JSON Lines, each with a key of all that it depends on.

use super::file::StudyError;
use pocketgraph_cache::digest_parts;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Returns the key of a value that depends on exactly these parts.
pub(super) fn key(parts: &[&[u8]]) -> String {
    digest_parts(parts).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Serialize, Deserialize)]
struct Line<T> {
    key: String,
    value: T,
}

/// Values by key, each on disk before the next is computed.
#[derive(Debug)]
pub struct Journal<T> {
    path: PathBuf,
    file: File,
    all: BTreeMap<String, T>,
}

impl<T: Serialize + DeserializeOwned> Journal<T> {
    /// Opens or begins such a file. A line that was cut off by a crash is skipped.
    ///
    /// # Errors
    /// [`StudyError::Io`] if it cannot be read or written.
    pub fn open(path: &Path) -> Result<Journal<T>, StudyError> {
        let failed = |reason| StudyError::Io { path: path.to_owned(), reason };
        let bytes = match std::fs::read(path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(failed)?,
        };
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        if bytes.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        let read =
            |line: &[u8]| serde_json::from_slice::<Line<T>>(line).ok().map(|line| (line.key, line.value));
        let all = bytes.split(|byte| *byte == b'\n').filter_map(read).collect();
        Ok(Journal { path: path.to_owned(), file, all })
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&T> {
        self.all.get(key)
    }

    /// Stores a value.
    ///
    /// # Errors
    /// [`StudyError::Io`] if it cannot be written.
    pub fn put(&mut self, key: &str, value: T) -> Result<(), StudyError> {
        let failed = |reason| StudyError::Io { path: self.path.clone(), reason };
        let line = Line { key: key.to_owned(), value };
        let mut text = serde_json::to_vec(&line).map_err(|e| failed(e.into()))?;
        text.push(b'\n');
        self.file.write_all(&text).map_err(failed)?;
        self.all.insert(line.key, line.value);
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_there_again_and_a_line_that_was_cut_off_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("kept.jsonl");
        let mut kept: Journal<u32> = Journal::open(&path).unwrap();
        kept.put("a", 1).unwrap();
        kept.put("b", 2).unwrap();
        drop(kept);
        let mut text = std::fs::read(&path).unwrap();
        text.truncate(text.len() - 4);
        std::fs::write(&path, text).unwrap();
        let mut kept: Journal<u32> = Journal::open(&path).unwrap();
        assert_eq!((kept.get("a"), kept.get("b")), (Some(&1), None));
        kept.put("b", 3).unwrap();
        drop(kept);
        let kept: Journal<u32> = Journal::open(&path).unwrap();
        assert_eq!((kept.get("a"), kept.get("b")), (Some(&1), Some(&3)));
    }

    #[test]
    fn keys_differ_by_where_their_parts_end() {
        assert_ne!(key(&[b"ab", b"c"]), key(&[b"a", b"bc"]));
        assert_eq!(key(&[b"ab", b"c"]), key(&[b"ab", b"c"]));
    }
}
