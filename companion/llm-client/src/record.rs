//! Files of recorded exchanges with a language model: one line of JSON for each, no keys.

use pocketgraph_llm::Replay;
use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reasons for which a recording cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        error: std::io::Error,
    },
    /// Fault in its content.
    #[error("{}: {error}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Fault of the content.
        error: pocketgraph_llm::RecordingError,
    },
}

/// A recording in progress. Every line is on disk before the next request, so that an interrupted run is
/// recorded.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    /// The file, or its first error.
    state: RefCell<Result<File, std::io::Error>>,
}

impl RecordFile {
    /// Begins a recording, and replaces an old file of that name.
    ///
    /// # Errors
    /// [`RecordError::File`] if the file cannot be created.
    pub fn create(path: &Path) -> Result<RecordFile, RecordError> {
        RecordFile::of_opened(path, File::create(path))
    }

    /// Continues a recording, or begins one.
    ///
    /// # Errors
    /// [`RecordError::File`] if the file cannot be opened.
    pub fn append(path: &Path) -> Result<RecordFile, RecordError> {
        RecordFile::of_opened(path, File::options().create(true).append(true).open(path))
    }

    fn of_opened(path: &Path, file: std::io::Result<File>) -> Result<RecordFile, RecordError> {
        let path = path.to_owned();
        match file {
            Ok(file) => Ok(RecordFile { path, state: RefCell::new(Ok(file)) }),
            Err(error) => Err(RecordError::File { path, error }),
        }
    }

    /// Writes a line. [`RecordFile::finish`] reports errors, so that they do not cost an answer.
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

/// Reads a recording. Fails if the file cannot be read, or is no recording.
pub fn read_replay(path: &Path) -> Result<Replay, RecordError> {
    let text =
        std::fs::read_to_string(path).map_err(|error| RecordError::File { path: path.to_owned(), error })?;
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
        assert_eq!(read_replay(&path).unwrap().left(), 1);
        let file = RecordFile::append(&path).unwrap();
        file.line(r#"{"request":{},"reply":[],"end":"done"}"#);
        file.finish().unwrap();
        assert_eq!(read_replay(&path).unwrap().left(), 2);
        std::fs::write(&path, "no\n").unwrap();
        assert!(read_replay(&path).unwrap_err().to_string().contains("line 1"));
        assert!(RecordFile::create(&dir.path().join("absent/run.jsonl")).is_err());
    }
}
