//! Files that a program is given, and what it printed.

use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// Writes a file below `folder`, and returns its path as an argument.
pub fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Standard error without the frame that reports are drawn in.
pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr)
        .split_whitespace()
        .filter(|w| !["│", "|"].contains(w))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the JSON of a run that succeeded.
pub fn figures(output: &Output) -> Value {
    assert!(output.status.success(), "{}", err(output));
    serde_json::from_slice(&output.stdout).unwrap()
}
