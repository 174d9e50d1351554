//! The list of a bundle's files, for those who copy a bundle and do not read its sections: the package's
//! worker for offline use.

use super::writer::WriteError;
use pocketgraph::bundle::{MANIFEST, content_hash, format_hex};
use pocketgraph_native::held_folder::{Entry, EntryKind, HeldFolder};

/// The list's name.
pub const LISTING: &str = "files.txt";

/// Lists the sections and pages of the bundle in `folder`: a line that names its manifest by its SHA-256,
/// then a line for each file with its length in bytes and its name, in the order of names.
pub fn list_files(folder: &HeldFolder) -> std::io::Result<String> {
    let manifest = folder.read_file(MANIFEST.as_ref(), u64::MAX)?;
    // Sections stand in the bundle's folder, pages one folder below.
    let of_bundle = |e: &&Entry| e.kind == EntryKind::File && e.place.iter().count() < 3;
    let entries = folder.entries()?;
    let mut files: Vec<(String, u64)> =
        entries.iter().filter(of_bundle).map(|e| (e.name(), e.bytes)).collect();
    files.retain(|(name, _)| name.ends_with(".pgs"));
    files.sort();
    let lines: String = files.iter().map(|(name, bytes)| format!("{bytes} {name}\n")).collect();
    Ok(format!("pocketgraph-files 1 {}\n{lines}", format_hex(&content_hash(&manifest))))
}

/// Writes the list into the folder of a bundle that is otherwise complete.
pub fn write_listing(folder: &HeldFolder) -> Result<(), WriteError> {
    let written = list_files(folder).and_then(|list| folder.write_file(LISTING.as_ref(), list.as_bytes()));
    written.map_err(|reason| WriteError::Io { path: folder.path().join(LISTING), reason })
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
        for (name, bytes) in
            [("vectors-ab.pgs", 3), ("chunks-cd.pgs", 2), ("chunks/ef.pgs", 5), ("runtime/pocketgraph.js", 7)]
        {
            std::fs::write(dir.path().join(name), vec![0; bytes]).unwrap();
        }
        std::fs::write(dir.path().join(MANIFEST), "abc").unwrap();
        write_listing(&HeldFolder::open(dir.path()).unwrap()).unwrap();
        let list = std::fs::read_to_string(dir.path().join(LISTING)).unwrap();
        let lines: Vec<&str> = list.lines().collect();
        // The SHA-256 of "abc", as the standard gives it.
        let head = "pocketgraph-files 1 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(lines, [head, "2 chunks-cd.pgs", "5 chunks/ef.pgs", "3 vectors-ab.pgs"]);
        assert!(list.ends_with('\n'));
    }
}
