//! Embeds the token table, `models/query-table.safetensors`, and the trained planner, `models/planner.bin`,
//! into the program, which builds without them too.

use std::path::{Path, PathBuf};

/// A file of the models as an expression of type `Option<&[u8]>`.
fn model(models: &Path, name: &str) -> String {
    let file = models.join(name);
    if file.is_file() {
        format!("Some(include_bytes!({:?}) as &[u8])", file.display().to_string())
    } else {
        "None".to_owned()
    }
}

fn main() {
    let models =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../models");
    // The folder rather than the file: cargo treats a missing file as changed, and would rebuild each time.
    println!("cargo::rerun-if-changed={}", models.display());
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    for (name, code) in [
        ("query_table.rs", model(&models, "query-table.safetensors")),
        ("planner.rs", model(&models, "planner.bin")),
    ] {
        let out = out.join(name);
        if let Err(e) = std::fs::write(&out, code) {
            println!("cargo::error=cannot write {}: {e}", out.display());
        }
    }
}
