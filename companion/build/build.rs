//! Embeds the browser runtime (what `./build.sh wasm` left in `pkg/dist`) into the program, so that a bundle
//! and the code that reads it come from one build. It is embedded compressed, which is a third of its bytes.
//! Without it the program still builds; `pocketgraph build` then says that it has no runtime to write.

use flate2::{Compression, write::DeflateEncoder};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn collect_files(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect_files(&path, out);
        } else {
            out.push(path);
        }
    }
}

/// Writes a file's bytes, compressed, to `to`.
fn compress_file(file: &Path, to: &Path) -> std::io::Result<()> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&std::fs::read(file)?)?;
    std::fs::write(to, encoder.finish()?)
}

fn main() {
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let pkg = manifest.join("../../pkg/dist");
    // Cargo takes a folder that is not there for one that changed, and would build the program anew each
    // time. Where it cannot be made, it does.
    let _ = std::fs::create_dir_all(&pkg);
    println!("cargo::rerun-if-changed={}", pkg.display());
    let mut found = Vec::new();
    collect_files(&pkg, &mut found);
    found.sort();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let mut code = String::from("&[\n");
    for (number, path) in found.into_iter().enumerate() {
        let Ok(name) = path.strip_prefix(&pkg) else { continue };
        println!("cargo::rerun-if-changed={}", path.display());
        let name = name.to_string_lossy().replace('\\', "/");
        let small = out.join(format!("runtime-{number}"));
        if let Err(e) = compress_file(&path, &small) {
            println!("cargo::error=cannot compress {}: {e}", path.display());
        }
        let _ = writeln!(code, "    ({name:?}, include_bytes!({:?}) as &[u8]),", small.display().to_string());
    }
    code.push(']');
    let out = out.join("runtime_files.rs");
    if let Err(e) = std::fs::write(&out, code) {
        println!("cargo::error=cannot write {}: {e}", out.display());
    }
}
