//! Errors of bundles.

use super::source::SourceError;

/// Reason why a bundle or a file of it cannot be used. It names the file, and a remedy if there is one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// The bytes cannot be read.
    #[error("cannot read {file}: {reason}")]
    Source {
        /// The file's name in the bundle.
        file: String,
        /// Error of the source.
        reason: SourceError,
    },
    /// `manifest.json` is not a manifest.
    #[error("manifest.json is not a PocketGraph manifest: {0}")]
    Manifest(String),
    /// The bundle was written for a later or an earlier reader.
    #[error(
        "{file} has format version {found}{built_by}; pocketgraph {} reads version {supported}: \
         build the bundle again, or take the reader that it was built with",
        env!("CARGO_PKG_VERSION"),
    )]
    Version {
        /// The file's name in the bundle.
        file: String,
        /// Program that built the bundle, as ` of pocketgraph 0.1.0`; empty if it is unknown.
        built_by: String,
        /// The version found.
        found: u64,
        /// The version that this reader reads.
        supported: u64,
    },
    /// A file does not have the content that its bundle names.
    #[error(
        "{file} is not what the manifest names: its SHA-256 differs; it was changed or replaced: \
         load the bundle again, or rebuild it"
    )]
    Hash {
        /// The file's name in the bundle.
        file: String,
    },
    /// A file has the wrong length.
    #[error(
        "{file} has {found} bytes where {expected} belong: it was cut or replaced: load the bundle \
         again, or rebuild it"
    )]
    Length {
        /// The file's name in the bundle.
        file: String,
        /// Number of bytes that the bundle states.
        expected: u64,
        /// Number of bytes found.
        found: u64,
    },
    /// A file's bytes do not decode.
    #[error("{file} is damaged: {what}")]
    Corrupt {
        /// The file's name in the bundle.
        file: String,
        /// Fault that was found.
        what: String,
    },
    /// The bundle was built without a section that a call needs.
    #[error("the bundle has no section {0}: it was built without it")]
    Missing(String),
    /// The bundle was built without the sections that a retriever reads.
    #[error("the bundle is not prepared for the retriever {0}: build it with --retrievers auto,{0}")]
    NotPrepared(&'static str),
}

impl BundleError {
    /// Returns a stable word for each kind of error, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            BundleError::Source { reason, .. } => reason.code(),
            BundleError::Manifest(_) => "manifest",
            BundleError::Version { .. } => "unsupported-version",
            BundleError::Hash { .. } => "hash-mismatch",
            BundleError::Length { .. } => "truncated",
            BundleError::Corrupt { .. } => "corrupt",
            BundleError::Missing(_) => "missing-section",
            BundleError::NotPrepared(_) => "missing-section",
        }
    }
}
