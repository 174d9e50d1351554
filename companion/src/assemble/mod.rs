//! Putting a bundle together and into its place.

mod install;
mod leftovers;
mod listing;
#[cfg(test)]
mod lazy_tests;
mod ownership;
mod sections;
mod table;
mod terms;
mod vocabulary;
mod writer;

pub(crate) use install::is_hidden;
pub use install::{InstallError, Staging, remove_staging};
pub use listing::{LISTING, listing, write_listing};
pub use ownership::{WRITTEN, write_written};
pub use sections::{Contents, QueryModel, assemble};
pub use writer::{Layout, SectionWriter, WriteError};

/// The browser runtime that this program was built with: (file name, bytes), names relative to `pkg/`.
pub static RUNTIME: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/runtime_files.rs"));
