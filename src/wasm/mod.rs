//! The JavaScript face: the only place that knows wasm-bindgen, js-sys and web-sys.
//!
//! `js/pocketgraph.js` wraps it for pages; nothing else calls it. It is compiled twice: without the feature `full` it opens, searches and
//! quotes, which is what a reader's first hits wait for; with it, it also asks language models and carries out protocols and plans.

mod abort;
mod arguments;
#[cfg(feature = "full")]
mod chat;
mod error;
mod face;
mod fetch;
#[cfg(feature = "full")]
mod full;
mod source;
mod utf16;

pub use face::WasmEngine;
