//! Files of recorded exchanges with a language model: one line of JSON for each, no keys.

use pocketgraph_llm::Replay;
use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Why a recording cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Fault in its content.
    #[error("{}: {error}", path.display())]
    Content {
        /// Which.
        path: PathBuf,
        /// Why.
        error: pocketgraph_llm::RecordingError,
    },
}

/// A recording being written. Every line is on the disk before the next request is sent, so that an interrupted run is recorded as far as it
/// came.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    /// The file, or the first thing that went wrong with it.
    state: RefCell<Result<File, std::io::Error>>,
}

impl RecordFile {
    /// Begins a recording; an old file of that name is lost.
    ///
    /// # Errors
    /// [`RecordError::File`] when the file cannot be made.
    pub fn create(path: &Path) -> Result<RecordFile, RecordError> {
        let file = File::create(path).map_err(|error| RecordError::File { path: path.to_owned(), error })?;
        Ok(RecordFile { path: path.to_owned(), state: RefCell::new(Ok(file)) })
    }

    /// Goes on with a recording, or begins one.
    ///
    /// # Errors
    /// [`RecordError::File`] when the file cannot be opened.
    pub fn append(path: &Path) -> Result<RecordFile, RecordError> {
        let file = File::options().create(true).append(true).open(path);
        let file = file.map_err(|error| RecordError::File { path: path.to_owned(), error })?;
        Ok(RecordFile { path: path.to_owned(), state: RefCell::new(Ok(file)) })
    }

    /// Writes a line. What goes wrong is told by [`RecordFile::finish`]: an answer is not lost because its recording is.
    pub fn line(&self, line: &str) {
        let mut state = self.state.borrow_mut();
        if let Ok(file) = state.as_mut()
            && let Err(error) = file.write_all(format!("{line}\n").as_bytes())
        {
            *state = Err(error);
        }
    }

    /// Ends the recording.
    ///
    /// # Errors
    /// [`RecordError::File`] with the first line that could not be written.
    pub fn finish(self) -> Result<(), RecordError> {
        let RecordFile { path, state } = self;
        state.into_inner().and_then(|file| file.sync_all()).map_err(|error| RecordError::File { path, error })
    }
}

/// Reads a recording.
///
/// # Errors
/// [`RecordError`] when the file cannot be read, or is none.
pub fn replay(path: &Path) -> Result<Replay, RecordError> {
    let text = std::fs::read_to_string(path).map_err(|error| RecordError::File { path: path.to_owned(), error })?;
    Replay::read(&text).map_err(|error| RecordError::Content { path: path.to_owned(), error })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.jsonl");
        let file = RecordFile::create(&path).unwrap();
        file.line(r#"{"request":{},"reply":[],"end":"done"}"#);
        file.finish().unwrap();
        assert_eq!(replay(&path).unwrap().left(), 1);
        let file = RecordFile::append(&path).unwrap();
        file.line(r#"{"request":{},"reply":[],"end":"done"}"#);
        file.finish().unwrap();
        assert_eq!(replay(&path).unwrap().left(), 2);
        std::fs::write(&path, "no\n").unwrap();
        assert!(replay(&path).unwrap_err().to_string().contains("line 1"));
        assert!(RecordFile::create(&dir.path().join("absent/run.jsonl")).is_err());
    }
}
