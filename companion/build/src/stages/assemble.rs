//! Assembly: the sections are written, and take the place of the bundle that was there.

use super::Stage;
use crate::assemble::{Contents, Staging, assemble_bundle, write_listing, write_written};
use crate::outcome::BuildError;
use pocketgraph::bundle::Manifest;
use pocketgraph_native::progress::Progress;

/// Writes a bundle beside the old one, and then into its place.
pub struct Assemble;

impl Stage<(Contents<'_>, Staging)> for Assemble {
    type Out = Manifest;
    const NAME: &'static str = "write";

    fn run(
        &self,
        (contents, staging): (Contents<'_>, Staging),
        _: &dyn Progress,
    ) -> Result<Manifest, BuildError> {
        let manifest = assemble_bundle(&contents, staging.folder())?;
        write_listing(staging.folder())?;
        write_written(staging.folder())?;
        staging.install()?;
        Ok(manifest)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stages::testing::{RecordedWarnings, corpus_of};
    use pocketgraph::bundle::EmbedderInfo;

    #[test]
    fn a_bundle_without_a_model_is_whole_and_is_in_its_place() {
        let (made, dir) = (corpus_of(3), tempfile::tempdir().unwrap());
        let corpus = made.corpus();
        let embedder = EmbedderInfo { id: "other".to_owned(), dimension: 384, ..EmbedderInfo::default() };
        let cells = vec![0; 3];
        let contents = Contents {
            documents: corpus.documents,
            chunks: corpus.chunks,
            vectors: corpus.vectors,
            cells: &cells,
            ..Contents::bare(embedder)
        };
        let place = dir.path().join("bundle");
        let manifest = Assemble
            .run((contents, Staging::beside(&place, &[]).unwrap()), &RecordedWarnings::default())
            .unwrap();
        assert_eq!((manifest.counts.documents, manifest.counts.chunks), (3, 3));
        assert!(place.join(pocketgraph::bundle::MANIFEST).is_file());
        assert!(!manifest.sections.iter().any(|s| s.name == "layers"));
    }
}
