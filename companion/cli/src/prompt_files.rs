//! Prompts as files: one a text, `NAME.txt`. One newline at the end of a file is the file's, not the text's.

use pocketgraph::agent::{list_texts, replace_texts};
use pocketgraph::llm::{PromptError, Prompts, Text};
use std::fs;
use std::path::{Path, PathBuf};

/// File extension of prompts.
const EXTENSION: &str = "txt";

/// Error of reading or writing prompts.
#[derive(Debug, thiserror::Error)]
pub enum PromptFileError {
    /// The disk refused.
    #[error("cannot {verb} {path}: {reason}")]
    Io {
        /// Action that failed.
        verb: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Error of the system.
        reason: std::io::Error,
    },
    /// A file cannot take the place of a text of ours.
    #[error("{path}: {fault}")]
    Prompt {
        /// The file.
        path: PathBuf,
        /// Fault of the text.
        fault: PromptError,
    },
    /// A folder holds nothing that is a prompt.
    #[error("{0} holds no prompts: they are files whose names end in .txt")]
    Empty(PathBuf),
    /// Somebody's file stands in the way.
    #[error("{0} is there already, with other words")]
    Occupied(PathBuf),
}

/// Reads every prompt of a folder.
///
/// # Errors
/// [`PromptFileError`], which names the file and, where one is wrong, the placeholder.
pub fn read_prompts(folder: &Path) -> Result<Prompts, PromptFileError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |reason| PromptFileError::Io { verb: "read", path, reason }
    };
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(io(folder))? {
        let path = entry.map_err(io(folder))?.path();
        if path.extension().is_some_and(|e| e == EXTENSION) {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(PromptFileError::Empty(folder.to_owned()));
    }
    files.sort();
    let mut given: Vec<(String, String)> = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).map_err(io(&path))?.replace("\r\n", "\n");
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
        replace_texts([(name.as_str(), text.as_str())])
            .map_err(|fault| PromptFileError::Prompt { path, fault })?;
        given.push((name, text));
    }
    let all = given.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    replace_texts(all).map_err(|fault| PromptFileError::Prompt { path: folder.to_owned(), fault })
}

/// Writes our prompts, of those that `wanted` chooses, into a folder, which it creates. Returns the files.
///
/// # Errors
/// [`PromptFileError::Occupied`] before anything is written, where a file of such a name has other words.
pub fn write_prompts(folder: &Path, wanted: impl Fn(&Text) -> bool) -> Result<Vec<PathBuf>, PromptFileError> {
    let texts: Vec<(PathBuf, String)> = (list_texts().into_iter().filter(|t| wanted(t)))
        .map(|t| (folder.join(format!("{}.{EXTENSION}", t.name)), format!("{}\n", t.ours())))
        .collect();
    let is_other = |(path, text): &&(PathBuf, String)| {
        path.exists() && fs::read_to_string(path).ok().as_ref() != Some(text)
    };
    if let Some((path, _)) = texts.iter().find(is_other) {
        return Err(PromptFileError::Occupied(path.clone()));
    }
    let io = |path: &Path| {
        let path = path.to_owned();
        move |reason| PromptFileError::Io { verb: "write", path, reason }
    };
    fs::create_dir_all(folder).map_err(io(folder))?;
    texts.iter().try_for_each(|(path, text)| fs::write(path, text).map_err(io(path)))?;
    Ok(texts.into_iter().map(|(path, _)| path).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let files = write_prompts(dir.path(), |_| true).unwrap();
        assert_eq!(files.len(), list_texts().len());
        let read = read_prompts(dir.path()).unwrap();
        for text in list_texts() {
            assert_eq!(read.override_of(text.name), Some(text.ours()), "{}", text.name);
        }
    }

    #[test]
    fn a_fault_names_file_and_placeholder() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("react.task.txt");
        fs::write(&file, "Answer {{quest}}.\n").unwrap();
        let fault = read_prompts(dir.path()).unwrap_err().to_string();
        assert!(
            fault.starts_with(&format!(
                "{}: the prompt react.task has no placeholder {{{{quest}}}}",
                file.display()
            )),
            "{fault}"
        );
        fs::write(&file, "Answer.\n").unwrap();
        assert!(
            read_prompts(dir.path()).unwrap_err().to_string().ends_with("lacks its placeholder {{question}}")
        );
        fs::rename(&file, dir.path().join("reakt.task.txt")).unwrap();
        assert!(
            read_prompts(dir.path())
                .unwrap_err()
                .to_string()
                .ends_with("reakt.task.txt: there is no prompt \"reakt.task\"")
        );
    }

    #[test]
    fn words_that_somebody_changed_are_not_written_over() {
        let dir = tempfile::tempdir().unwrap();
        write_prompts(dir.path(), |t| t.name.starts_with("react.")).unwrap();
        let file = dir.path().join("react.last.txt");
        fs::write(&file, "Now.\n").unwrap();
        assert!(
            matches!(write_prompts(dir.path(), |_| true), Err(PromptFileError::Occupied(path)) if path == file)
        );
        assert!(!dir.path().join("ask.task.txt").exists());
    }
}
