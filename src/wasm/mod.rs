//! The JavaScript face: the only place that knows wasm-bindgen, js-sys and web-sys.
//!
//! `pkg/pocketgraph.js` wraps it for pages; nothing else calls it. It is compiled twice: without the feature
//! `full` it opens, searches and quotes, for the first hits; with it, it also runs language models, protocols
//! and plans.

mod abort;
mod arguments;
#[cfg(feature = "full")]
mod chat;
mod error;
mod events;
mod face;
mod fetch;
#[cfg(feature = "full")]
mod full;
#[cfg(feature = "full")]
mod page_tools;
mod source;
mod utf16;

pub use face::WasmEngine;

/// Lets models that are read from now on use the functions of `relaxed/`. Throws if they cannot be called.
#[cfg(target_feature = "simd128")]
#[wasm_bindgen::prelude::wasm_bindgen(js_name = useRelaxed)]
pub fn use_relaxed(
    arrange: &js_sys::Function,
    multiply: &js_sys::Function,
) -> Result<(), wasm_bindgen::JsValue> {
    use wasm_bindgen::JsCast;
    let table: js_sys::WebAssembly::Table = wasm_bindgen::function_table().unchecked_into();
    let index = table.grow(2)?;
    table.set(index, arrange)?;
    table.set(index + 1, multiply)?;
    // SAFETY: they are there now, and nothing takes functions out of the table.
    unsafe { crate::nn::Relaxed::install(index as usize) };
    Ok(())
}
