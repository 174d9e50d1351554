//! Patterns of files, as in a `.gitignore`.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Patterns, of which the last that matches decides: `drafts/`, `*.tmp.md`, `/old/**`, `!old/keep.md`.
#[derive(Debug, Clone, Default)]
pub struct Globs(Option<Gitignore>);

impl Globs {
    /// Reads patterns.
    ///
    /// # Errors
    /// The first that is none, with the reason.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> Result<Globs, String> {
        if patterns.is_empty() {
            return Ok(Globs(None));
        }
        let mut builder = GitignoreBuilder::new("");
        for pattern in patterns {
            let pattern = pattern.as_ref();
            builder.add_line(None, pattern).map_err(|e| format!("{pattern}: {e}"))?;
        }
        Ok(Globs(Some(builder.build().map_err(|e| e.to_string())?)))
    }

    /// Those that are patterns.
    pub fn tolerant<S: AsRef<str>>(patterns: &[S]) -> Globs {
        let good: Vec<&str> =
            patterns.iter().map(AsRef::as_ref).filter(|p| Globs::new(&[p]).is_ok()).collect();
        Globs::new(&good).unwrap_or_default()
    }

    /// Returns true if there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns true if a pattern matches a file or a folder above it.
    pub fn matches(&self, path: &str) -> bool {
        let inside = !path.starts_with('/') && !path.split('/').any(|p| p == "..");
        self.0
            .as_ref()
            .is_some_and(|globs| inside && globs.matched_path_or_any_parents(path, false).is_ignore())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Globs;

    #[test]
    fn patterns_mean_what_they_mean_in_a_gitignore() {
        let globs = Globs::new(&["drafts/", "*.tmp.md", "/old/**", "!old/keep.md"]).unwrap();
        for (path, meant) in [
            ("a/drafts/x.md", true),
            ("x.tmp.md", true),
            ("old/a.md", true),
            ("old/keep.md", false),
            ("a/old/b.md", false),
            ("../x.tmp.md", false),
        ] {
            assert_eq!(globs.matches(path), meant, "{path}");
        }
        assert!(Globs::new(&["[z-a]", "b"]).is_err() && !Globs::default().matches("a"));
    }
}
