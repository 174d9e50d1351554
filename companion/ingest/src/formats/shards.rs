//! A table of chunks in any number of Parquet files, as engines that work side by side write it.

use super::IngestError;
use super::chunk_collection::Gathered;
use super::parquet::{self, Table};
use super::vectors::{Vectors, bad};
use std::fs;
use std::path::{Path, PathBuf};

/// The Parquet files at `path`: itself, or in a folder all below it in the order of their paths. What begins
/// with `_` or `.` is an engine's own. A folder without any is an error.
pub(crate) fn list_shards(path: &Path) -> Result<Vec<PathBuf>, IngestError> {
    let kind =
        fs::metadata(path).map_err(|source| IngestError::Read { path: path.to_owned(), source })?.file_type();
    if kind.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    if !kind.is_dir() {
        return Err(bad(path, "neither a file nor a folder".to_owned()));
    }
    let mut out = Vec::new();
    walk_folder(path, &mut out)?;
    if out.is_empty() {
        return Err(bad(path, "no .parquet file in this folder".to_owned()));
    }
    Ok(out)
}

fn walk_folder(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), IngestError> {
    let unreadable = |source| IngestError::Read { path: folder.to_owned(), source };
    let mut entries =
        fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name());
        if name.to_string_lossy().starts_with(['_', '.']) {
            continue;
        }
        // No link is followed, which may lead in a circle or elsewhere, and nothing else is read than files:
        // a pipe could keep its reader for ever.
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            walk_folder(&path, out)?;
        } else if kind.is_file() && path.extension().is_some_and(|e| e.eq_ignore_ascii_case("parquet")) {
            out.push(path);
        }
    }
    Ok(())
}

/// Reads the files one after the other; their vectors where they have a column of them and `with_vectors`
/// asks for it. All files must have the columns of the first that has rows; errors name file and row.
pub(crate) fn read_shards(
    files: &[PathBuf],
    with_vectors: bool,
    gathered: &mut Gathered,
) -> Result<Option<Vectors>, IngestError> {
    let mut first: Option<(&Path, Vec<String>)> = None;
    let mut all: Option<Vectors> = None;
    for path in files {
        gathered.file(parquet::name_of(path));
        let found = parquet::read_table(path, with_vectors, &mut |row, ready| gathered.add(row, ready))?;
        // An engine writes files without rows for parts without any, not always with columns.
        if found.rows == 0 {
            continue;
        }
        match &first {
            Some((of, columns)) => same_columns(path, &found, of, columns)?,
            None => first = Some((path, found.columns.clone())),
        }
        match (&mut all, found.vectors) {
            (Some(all), Some(vectors)) if all.dimension != vectors.dimension => {
                let of = first.as_ref().map(|(of, _)| of.display().to_string()).unwrap_or_default();
                let reason =
                    format!("vectors of {} numbers where {of} has {}", vectors.dimension, all.dimension);
                return Err(bad(path, format!("row 1: {reason}")));
            }
            (Some(all), Some(mut vectors)) => {
                all.rows.append(&mut vectors.rows);
            }
            (all @ None, vectors) => *all = vectors,
            (Some(_), None) => {}
        }
    }
    Ok(all)
}

fn same_columns(path: &Path, found: &Table, first: &Path, columns: &[String]) -> Result<(), IngestError> {
    let wrong = |reason: String| Err(bad(path, reason));
    if let Some(missing) = columns.iter().find(|c| !found.columns.contains(c)) {
        return wrong(format!("no column {missing:?}, which {} has", first.display()));
    }
    match found.columns.iter().find(|c| !columns.contains(c)) {
        Some(more) => wrong(format!("a column {more:?}, which {} does not have", first.display())),
        None => Ok(()),
    }
}

#[cfg(test)]
#[cfg(unix)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_folder_are_read_no_links_and_no_pipes() {
        let dir = tempfile::tempdir().unwrap();
        let shards = dir.path().join("shards");
        fs::create_dir_all(shards.join("more")).unwrap();
        for name in
            ["shards/b.parquet", "shards/more/a.PARQUET", "outside.parquet", "shards/_SUCCESS.parquet"]
        {
            fs::write(dir.path().join(name), "").unwrap();
        }
        std::os::unix::fs::symlink(dir.path().join("outside.parquet"), shards.join("link.parquet")).unwrap();
        std::os::unix::fs::symlink(&shards, shards.join("more/circle")).unwrap();
        assert!(
            std::process::Command::new("mkfifo").arg(shards.join("pipe.parquet")).status().unwrap().success()
        );
        assert_eq!(list_shards(&shards).unwrap(), [shards.join("b.parquet"), shards.join("more/a.PARQUET")]);
        assert!(list_shards(&shards.join("pipe.parquet")).is_err());
    }
}
