//! Putting a bundle together and into its place.

mod install;
mod leftovers;
mod listing;
mod model;
#[cfg(test)]
mod lazy_tests;
mod ownership;
mod packs;
mod sections;
mod table;
mod terms;
mod unigram;
mod vocabulary;
mod writer;

use flate2::read::DeflateDecoder;
use std::io::Read;
use std::sync::LazyLock;

pub use install::{InstallError, Staging, remove_staging};
pub use listing::{LISTING, list_files, write_listing};
pub use model::{QueryModel, write_own_files};
pub use ownership::{WRITTEN, write_written};
pub use pocketgraph_native::held_folder::HeldFolder;
pub use sections::{Contents, assemble_bundle};
pub use writer::{Layout, SectionWriter, WriteError};

/// The browser runtime's files as they are embedded: compressed.
static EMBEDDED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/runtime_files.rs"));

/// The browser runtime that this program was built with: (file name, bytes), names relative to `pkg/dist`.
/// Decompressed once, for as long as the program runs.
pub static RUNTIME: LazyLock<Vec<(&'static str, &'static [u8])>> = LazyLock::new(|| {
    let whole = |bytes: &[u8]| {
        let mut out = Vec::new();
        // These are bytes of our own build, which the build script compressed.
        let read = DeflateDecoder::new(bytes).read_to_end(&mut out);
        debug_assert!(read.is_ok());
        &*out.leak()
    };
    EMBEDDED.iter().map(|&(name, bytes)| (name, whole(bytes))).collect()
});
