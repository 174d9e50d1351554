//! PocketGraph's engine: question answering over a bundle of static files, in the reader's browser.
//!
//! The engine has no file system, no threads and no sockets. Bytes come in through a [`bundle::Source`],
//! generated text through a `llm::ChatModel`. Everything else happens here, in WebAssembly in a browser as in
//! the native companion. This crate is the engine's face: an [`engine::Engine`] that opens a bundle, and its
//! JavaScript interface. The crates under `crates/` do the work; they are re-exported here, without the
//! feature `full` only those that search.

pub use pocketgraph_base::{compact, elementary, json};
pub use pocketgraph_kernels::{nn, vector};
#[cfg(not(feature = "full"))]
pub use pocketgraph_search::{answer, retrieve};
pub use pocketgraph_search::{keyword, lexical, names};
pub use {pocketgraph_bundle as bundle, pocketgraph_embed as embed, pocketgraph_text as text};

#[cfg(feature = "full")]
pub mod agent;
pub mod engine;
#[cfg(feature = "full")]
mod full;
#[cfg(target_arch = "wasm32")]
pub mod wasm;

#[cfg(feature = "full")]
pub use full::*;
