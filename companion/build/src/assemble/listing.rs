//! The list of a bundle's files, for those who copy a bundle and do not read its sections: the package's worker for offline use.

use super::writer::WriteError;
use pocketgraph::bundle::{MANIFEST, content_hash, hex};
use std::path::Path;

/// The list's name.
pub const LISTING: &str = "files.txt";

/// Lists the sections and pages of the bundle in `folder`: a line that names its manifest by its SHA-256, then a line for each file with its
/// length in bytes and its name, in the order of names.
///
/// # Errors
/// What the file system says.
pub fn listing(folder: &Path) -> std::io::Result<String> {
    use std::fmt::Write;
    let manifest = std::fs::read(folder.join(MANIFEST))?;
    let mut files = Vec::new();
    gather(folder, "", &mut files)?;
    files.sort();
    let mut out = String::from("pocketgraph-files 1 ");
    out.push_str(&hex(&content_hash(&manifest)));
    out.push('\n');
    for (name, bytes) in files {
        let _ = writeln!(out, "{bytes} {name}");
    }
    Ok(out)
}

/// Writes the list into the folder of a bundle that is otherwise complete.
///
/// # Errors
/// [`WriteError`] when the disk refuses.
pub fn write_listing(folder: &Path) -> Result<(), WriteError> {
    let path = folder.join(LISTING);
    listing(folder).and_then(|list| std::fs::write(&path, list)).map_err(|reason| WriteError::Io { path, reason })
}

/// Sections stand in the bundle's folder, pages one folder below.
fn gather(folder: &Path, under: &str, files: &mut Vec<(String, u64)>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{under}{}", entry.file_name().to_string_lossy());
        let kind = entry.metadata()?;
        if kind.is_dir() && under.is_empty() {
            gather(&entry.path(), &format!("{name}/"), files)?;
        } else if kind.is_file() && name.ends_with(".pgs") {
            files.push((name, kind.len()));
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_section_and_page_is_listed_once_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["chunks", "runtime"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        for (name, bytes) in [("vectors-ab.pgs", 3), ("chunks-cd.pgs", 2), ("chunks/ef.pgs", 5), ("runtime/pocketgraph.js", 7)] {
            std::fs::write(dir.path().join(name), vec![0; bytes]).unwrap();
        }
        std::fs::write(dir.path().join(MANIFEST), "abc").unwrap();
        write_listing(dir.path()).unwrap();
        let list = std::fs::read_to_string(dir.path().join(LISTING)).unwrap();
        let lines: Vec<&str> = list.lines().collect();
        // The SHA-256 of "abc", as the standard gives it.
        let head = "pocketgraph-files 1 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(lines, [head, "2 chunks-cd.pgs", "5 chunks/ef.pgs", "3 vectors-ab.pgs"]);
        assert!(list.ends_with('\n'));
    }
}
