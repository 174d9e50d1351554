//! Publishing: what a build writes for a site beside the bundle.

use super::Stage;
use super::chunk::Origin;
use crate::outcome::BuildError;
use pocketgraph_native::progress::Progress;
use pocketgraph_native::terminal;
use pocketgraph_publish::{llms, pages};
use std::path::Path;

/// Writes pages and the files for language models, where they are asked for.
pub struct Publish<'a> {
    /// The folder of documents.
    pub folder: &'a Path,
    /// Folder for pages.
    pub pages: Option<&'a Path>,
    /// Folder for what language models read.
    pub llms: Option<&'a Path>,
    /// Base of the pages' addresses.
    pub base_url: &'a str,
}

impl Stage<&Origin> for Publish<'_> {
    type Out = ();
    const NAME: &'static str = "pages";

    fn run(&self, origin: &Origin, progress: &dyn Progress) -> Result<(), BuildError> {
        let Origin::Documents(documents) = origin else { return Ok(()) };
        let pages = self.pages.map(|out| pages::write_pages(self.folder, documents, out)).transpose()?;
        let texts = self.llms.map(|out| llms::write_llms(documents, self.base_url, out)).transpose()?;
        for place in pages.into_iter().chain(texts).flatten() {
            progress.warn(&format!(
                "not written, since its name is too long for a file: {}",
                terminal::line(&place)
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stages::testing::{RecordedWarnings, read_in};

    #[test]
    fn only_what_is_asked_for_is_written() {
        let documents = Origin::Documents(read_in(&[("a.md", "# A title\n\nOne.")]).documents);
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        Publish { folder: dir.path(), pages: None, llms: Some(&at("llms")), base_url: "" }
            .run(&documents, &RecordedWarnings::default())
            .unwrap();
        assert!(std::fs::read_to_string(at("llms").join("llms.txt")).unwrap().contains("A title"));
        Publish { folder: dir.path(), pages: None, llms: None, base_url: "" }
            .run(&documents, &RecordedWarnings::default())
            .unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
