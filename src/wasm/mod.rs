//! The JavaScript face: the only place that knows wasm-bindgen, js-sys and web-sys.
//!
//! `js/pocketgraph.js` wraps it for pages; nothing else calls it.

mod abort;
mod arguments;
mod chat;
mod error;
mod face;
mod fetch;
mod source;
mod utf16;

pub use face::WasmEngine;
