//! Sources of a bundle's bytes.

use futures::future::{FutureExt, LocalBoxFuture};
use std::collections::BTreeMap;

/// Reason why bytes cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// There is no such file.
    #[error("there is no such file")]
    NotFound,
    /// The host answered with an error.
    #[error("the host answered with status {0}")]
    Status(u16),
    /// The host cannot be reached, or the connection broke.
    #[error("the network failed: {0}")]
    Network(String),
    /// The file is larger than its bundle states.
    #[error("it is longer than the {0} bytes that belong there")]
    TooLong(u64),
    /// The bytes do not inflate.
    #[error("its compressed bytes are damaged: {0}")]
    Inflate(String),
    /// Reading failed otherwise.
    #[error("{0}")]
    Other(String),
}

impl SourceError {
    /// Returns a stable word for each kind of error, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            SourceError::NotFound | SourceError::Status(_) => "http",
            SourceError::Network(_) => "network",
            SourceError::TooLong(_) => "truncated",
            SourceError::Inflate(_) => "corrupt",
            SourceError::Other(_) => "io",
        }
    }
}

/// Bytes of a file under way.
pub type SourceBytes<'a> = LocalBoxFuture<'a, Result<Vec<u8>, SourceError>>;

/// Source of a bundle's files: memory, a folder, or HTTP. Dropping a future abandons its request.
pub trait Source {
    /// Reads all of `file` (a relative name with forward slashes), at most `limit` bytes.
    ///
    /// # Errors
    /// [`SourceError`] if there is no such file, it is too long, or reading fails.
    fn read<'a>(&'a self, file: &'a str, limit: u64) -> SourceBytes<'a>;

    /// Inflates a gzip file whose inflated length must be exactly `length`.
    ///
    /// # Errors
    /// [`SourceError::Inflate`] for anything else.
    fn inflate<'a>(&'a self, gzip: Vec<u8>, length: u64) -> SourceBytes<'a>;

    /// Yields the thread to a page that shares it, until the future is ready. For the middle of long work.
    fn pause(&self) -> Option<LocalBoxFuture<'static, ()>> {
        None
    }
}

/// Bundle in memory, for tests and for pages with their own bytes.
#[derive(Debug, Clone, Default)]
pub struct MemorySource {
    /// The files by name.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Source for MemorySource {
    fn read<'a>(&'a self, file: &'a str, limit: u64) -> SourceBytes<'a> {
        let bytes = match self.files.get(file) {
            None => Err(SourceError::NotFound),
            Some(b) if b.len() as u64 > limit => Err(SourceError::TooLong(limit)),
            Some(b) => Ok(b.clone()),
        };
        futures::future::ready(bytes).boxed_local()
    }

    fn inflate<'a>(&'a self, gzip: Vec<u8>, length: u64) -> SourceBytes<'a> {
        #[cfg(not(target_arch = "wasm32"))]
        let out = inflate_gzip(&gzip, length);
        #[cfg(target_arch = "wasm32")]
        let out = {
            let _ = (gzip, length);
            Err(SourceError::Inflate("bundles in memory are for native use; open over HTTP in a page".into()))
        };
        futures::future::ready(out).boxed_local()
    }
}

/// Inflates a gzip file as the companion writes them (no optional header fields) to exactly `length` bytes.
///
/// # Errors
/// [`SourceError::Inflate`] if it is not such a file or inflates to another length.
#[cfg(not(target_arch = "wasm32"))]
pub fn inflate_gzip(gzip: &[u8], length: u64) -> Result<Vec<u8>, SourceError> {
    let bad = |what: &str| SourceError::Inflate(what.to_owned());
    if gzip.len() < 18 || gzip[..4] != [0x1f, 0x8b, 8, 0] {
        return Err(bad("not a gzip file"));
    }
    let limit = usize::try_from(length).map_err(|_| bad("too long for this machine"))?;
    let out = miniz_oxide::inflate::decompress_to_vec_with_limit(&gzip[10..gzip.len() - 8], limit)
        .map_err(|e| SourceError::Inflate(format!("{:?}", e.status)))?;
    if out.len() as u64 != length {
        return Err(SourceError::Inflate(format!("{} bytes where {length} belong", out.len())));
    }
    Ok(out)
}
