//! The JavaScript face: the only place that knows wasm-bindgen, js-sys, web-sys and gloo-net.
//!
//! `js/pocketgraph.js` wraps it for pages; nothing else calls it.

mod abort;
mod chat;
mod error;
mod face;
mod source;
mod utf16;

pub use face::WasmEngine;
