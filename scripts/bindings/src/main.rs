//! Writes the JavaScript that binds a WebAssembly module of the engine to a page, by wasm-bindgen's own
//! library.
//!
//! ```text
//! pocketgraph-bindings MODULE.wasm FOLDER
//! ```
//!
//! wasm-bindgen's program does the same and more, and takes a minute longer to compile. The library's version
//! is that of Cargo.lock, so it fits the modules always.

use anyhow::{Context, Result};
use std::path::PathBuf;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(module), Some(folder), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        anyhow::bail!(
            "pocketgraph-bindings takes two arguments: a module (.wasm) and the folder to write into"
        );
    };
    Bindgen::new()
        .web(true)?
        .typescript(true)
        // Where a module is, pkg/wasm-modules.js says: an address here as well has bundlers write the module
        // twice.
        .omit_default_module_path(true)
        .input_path(&module)
        .generate(&folder)
        .with_context(|| format!("cannot bind {}", module.display()))
}
