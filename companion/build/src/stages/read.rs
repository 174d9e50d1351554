//! Reading: files, chunks that were made elsewhere, or bundles.

use super::Stage;
use crate::merge;
use crate::options::Input;
use crate::outcome::BuildError;
use crate::prepare::Needs;
use crate::source::Source;
use pocketgraph_ingest::{self as ingest, IngestOptions, OutsideChunks};
use pocketgraph_native::progress::Progress;
use std::path::{Path, PathBuf};

/// Reads what a build is made of, before a model is loaded.
pub struct Read<'a> {
    /// Options for reading documents.
    pub ingest: &'a IngestOptions,
    /// The bundle's folder, which is no document.
    pub out: &'a Path,
    /// Needs that the bundle is prepared for.
    pub needs: Needs,
}

impl<'a> Stage<&'a Input> for Read<'_> {
    type Out = Source<'a>;
    const NAME: &'static str = "read";

    fn run(&self, input: &'a Input, progress: &dyn Progress) -> Result<Source<'a>, BuildError> {
        match input {
            Input::Documents(folder) => self.documents(folder, progress),
            Input::Outside { chunks, vectors, embedder } => {
                progress.stage("reading chunks and vectors", None);
                Ok(Source::Outside(
                    ingest::read_outside_chunks(chunks, vectors.as_deref())?,
                    embedder.as_deref(),
                ))
            }
            Input::Bundles(paths) => self.bundles(paths, progress),
            Input::Graph => Ok(Source::Outside(OutsideChunks::default(), None)),
        }
    }
}

impl Read<'_> {
    fn documents<'a>(&self, folder: &'a Path, progress: &dyn Progress) -> Result<Source<'a>, BuildError> {
        progress.stage("reading files", None);
        let mut ingest = self.ingest.clone();
        ingest.exclude.push(self.out.to_owned());
        let corpus = ingest::ingest(folder, &ingest, &|p| {
            if p.files_done == 1 {
                progress.stage("reading files", Some(p.files_total as u64));
            }
            progress.at(p.files_done as u64);
        })?;
        corpus.notes.iter().for_each(|note| progress.note(note));
        corpus.warnings.iter().for_each(|warning| progress.warn(warning));
        Ok(Source::Documents(folder, corpus))
    }

    fn bundles(&self, paths: &[PathBuf], progress: &dyn Progress) -> Result<Source<'static>, BuildError> {
        progress.stage("reading bundles", None);
        let merged = merge::read_bundles(paths)?;
        for section in merged.prepared.iter().filter(|s| !self.needs.prepares(s)) {
            progress.warn(&format!(
                "the section {section} is not in the merged bundle: name the retrievers that it is \
                 for with --retrievers"
            ));
        }
        Ok(Source::Bundles(Box::new(merged)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stages::testing::{RecordedWarnings, folder};

    #[test]
    fn documents_are_read_in_the_order_of_their_paths_and_the_bundle_is_none_of_them() {
        let dir = folder(&[("b.md", "# B\n\nTwo."), ("a.md", "# A\n\nOne."), ("out/c.md", "# C\n\nThree.")]);
        let (ingest, out) = (IngestOptions::default(), dir.path().join("out"));
        let input = Input::Documents(dir.path().to_owned());
        let read = Read { ingest: &ingest, out: &out, needs: Needs::default() }
            .run(&input, &RecordedWarnings::default())
            .unwrap();
        let Source::Documents(_, corpus) = read else { unreachable!("documents were named") };
        assert_eq!(corpus.documents.iter().map(|d| d.document().title).collect::<Vec<_>>(), ["A", "B"]);
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error() {
        let ingest = IngestOptions::default();
        let read = Read { ingest: &ingest, out: Path::new("out"), needs: Needs::default() };
        let input = Input::Outside { chunks: "nowhere.jsonl".into(), vectors: None, embedder: None };
        assert!(matches!(read.run(&input, &RecordedWarnings::default()), Err(BuildError::Ingest(_))));
    }
}
