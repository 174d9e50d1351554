//! Which files below a folder are for readers: no hidden ones, and none that an ignore file in the folder
//! names, as [`super::walk`] has it.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Ignore files, the most decisive first.
pub(super) const IGNORE_FILES: [&str; 3] = [".pocketgraphignore", ".ignore", ".gitignore"];

/// The rules of one folder's ignore files.
type Rules = [Gitignore; IGNORE_FILES.len()];

/// A folder and the ignore files in it, read as they are needed.
#[derive(Debug)]
pub(super) struct VisibleFiles {
    root: PathBuf,
    rules: Mutex<HashMap<PathBuf, Arc<Rules>>>,
}

impl VisibleFiles {
    /// Begins with the folder `root`, a path without links.
    pub fn below(root: PathBuf) -> VisibleFiles {
        VisibleFiles { root, rules: Mutex::default() }
    }

    /// Returns the path of a file, its links followed, where it lies in the folder and no part of that path
    /// is hidden or ignored.
    pub fn real_path(&self, path: &str) -> Option<PathBuf> {
        let file = self.root.join(path).canonicalize().ok().filter(|file| file.is_file())?;
        let mut part_way = self.root.clone();
        for part in file.strip_prefix(&self.root).ok()?.components() {
            part_way.push(part);
            if part.as_os_str().to_string_lossy().starts_with('.')
                || self.ignores(&part_way, part_way != file)
            {
                return None;
            }
        }
        Some(file)
    }

    fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let above: Vec<Arc<Rules>> = path
            .ancestors()
            .skip(1)
            .take_while(|folder| folder.starts_with(&self.root))
            .map(|folder| self.rules_in(folder))
            .collect();
        let decisive = (0..IGNORE_FILES.len())
            .flat_map(|kind| above.iter().map(move |rules| rules[kind].matched(path, is_folder)))
            .find(|matched| !matched.is_none());
        decisive.is_some_and(|matched| matched.is_ignore())
    }

    fn rules_in(&self, folder: &Path) -> Arc<Rules> {
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || {
            Arc::new(IGNORE_FILES.map(|name| {
                let mut builder = GitignoreBuilder::new(folder);
                // A line that is no pattern is left out, as in a walk. A pipe could be waited for for ever.
                let rules = folder.join(name);
                if rules.is_file() {
                    let _ = builder.add(rules);
                }
                builder.build().unwrap_or_else(|_| Gitignore::empty())
            }))
        };
        rules.entry(folder.to_owned()).or_insert_with(read).clone()
    }
}
