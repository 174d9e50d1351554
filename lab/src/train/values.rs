//! Values of options that several commands of training read, and files as they write and name them.

use miette::{IntoDiagnostic, Result, WrapErr};
use pocketgraph_train::rounding::Bits;
use std::path::Path;

/// Reads `8` or `4`.
///
/// # Errors
/// For anything else.
pub fn parse_bits(text: &str) -> std::result::Result<Bits, String> {
    match text {
        "8" => Ok(Bits::Eight),
        "4" => Ok(Bits::Four),
        _ => Err("write 8 or 4".to_owned()),
    }
}

pub(super) fn parse_layers(text: &str) -> std::result::Result<usize, String> {
    text.parse().ok().filter(|n| (1..=6).contains(n)).ok_or_else(|| "write a number from 1 to 6".to_owned())
}

pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes)
        .into_diagnostic()
        .wrap_err_with(|| format!("{} cannot be written", path.display()))
}

/// A file's name, without the folder.
pub(super) fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}
