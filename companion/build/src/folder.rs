//! A bundle in a folder.

use futures::future::{FutureExt, ready};
use pocketgraph::bundle::{Source, SourceBytes, SourceError, inflate_gzip};
use std::io::Read;
use std::path::PathBuf;

/// Reads a bundle's files from a folder.
#[derive(Debug, Clone)]
pub struct FolderSource {
    root: PathBuf,
}

impl FolderSource {
    /// The bundle in `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        FolderSource { root: root.into() }
    }

    fn read_now(&self, file: &str, limit: u64) -> Result<Vec<u8>, SourceError> {
        let other = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::NotFound => SourceError::NotFound,
            _ => SourceError::Other(e.to_string()),
        };
        let opened = std::fs::File::open(self.root.join(file)).map_err(other)?;
        let mut bytes = Vec::new();
        opened.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(other)?;
        if bytes.len() as u64 > limit { Err(SourceError::TooLong(limit)) } else { Ok(bytes) }
    }
}

impl Source for FolderSource {
    fn read<'a>(&'a self, file: &'a str, limit: u64) -> SourceBytes<'a> {
        ready(self.read_now(file, limit)).boxed_local()
    }

    fn inflate<'a>(&'a self, gzip: Vec<u8>, length: u64) -> SourceBytes<'a> {
        ready(inflate_gzip(&gzip, length)).boxed_local()
    }
}
