//! PocketGraph's engine: question answering over a bundle of static files, in the reader's browser.
//!
//! The engine has no file system, no threads and no sockets. Bytes come in through a [`bundle::Source`], generated text
//! through an [`llm::ChatModel`]; everything else happens here, the same on a reader's machine (compiled to WebAssembly) and in
//! the native companion. Modules import only what stands above them in this list;
//! `vector` and `nn` are a crate of their own, compiled for speed where the page's other code is compiled for size.

pub mod compact;
pub mod elementary;
pub mod json;
pub mod text;
pub use pocketgraph_kernels::{nn, vector};
pub mod sparse;
pub mod bundle;
pub mod embed;
pub mod kg;
pub mod keyword;
pub mod lexical;
pub mod names;
#[cfg(feature = "full")]
pub mod entities;
pub mod llm;
pub mod retrieve;
pub mod plan;
pub mod planner;
pub mod answer;
pub mod engine;
#[cfg(feature = "full")]
pub mod agent;
#[cfg(target_arch = "wasm32")]
pub mod wasm;
