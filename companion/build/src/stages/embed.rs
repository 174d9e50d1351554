//! Embedding: every chunk gets its vector.

use super::Stage;
use super::chunk::{Brought, Chunked};
use crate::outcome::BuildError;
use pocketgraph::bundle::EmbedderInfo;
use pocketgraph_cache::Cache;
use pocketgraph_ingest::namesakes::titles_with_places;
use pocketgraph_languages::Readings;
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_models::embeddings::{CachedEmbedder, EmbeddingCounts};
use pocketgraph_native::progress::Progress;

/// The embedder of a bundle without vectors.
const NO_EMBEDDER: &str = "none";
/// Name for the model that suits the documents.
const BY_LANGUAGE: &str = "auto";

/// Embeds chunks that bring no vectors.
pub struct Embed<'a> {
    /// The model.
    pub model: &'a NativeEmbedder,
    /// Cache of vectors.
    pub cache: Option<&'a Cache>,
    /// True if nothing is embedded, because the bundle is searched by words alone.
    pub words_only: bool,
}

/// The chunks' vectors.
pub struct Embedded {
    /// One unit vector a chunk, or none.
    pub vectors: Vec<Vec<f32>>,
    /// Model that made them, with the weight of their cosines in this corpus.
    pub embedder: EmbedderInfo,
    /// Vectors asked for and re-used.
    pub counts: EmbeddingCounts,
    /// True if they are by the model of this build, so that more can be embedded beside them.
    pub ours: bool,
}

impl Embedded {
    /// Returns true if the bundle carries the model. One that knows hardly any of the documents is not worth
    /// a reader's time.
    pub fn carries_model(&self) -> bool {
        self.ours && self.embedder.weight != Some(0)
    }
}

impl Stage<(&Chunked, Brought)> for Embed<'_> {
    type Out = Embedded;
    const NAME: &'static str = "embed";

    fn run(
        &self,
        (chunked, brought): (&Chunked, Brought),
        progress: &dyn Progress,
    ) -> Result<Embedded, BuildError> {
        let mut out = match brought {
            Brought::Nothing(Some(named)) if named != self.model.id() && named != BY_LANGUAGE => {
                return Err(BuildError::NoVectors(named));
            }
            Brought::Nothing(_) => self.embedded(chunked, progress),
            Brought::Outside { embedder: None, .. } => return Err(BuildError::NoEmbedder),
            Brought::Outside { rows, dimension, embedder: Some(named) } => {
                self.outside(rows, dimension, named)
            }
            Brought::Merged(vectors, embedder) => {
                self.with_vectors(vectors, embedder, EmbeddingCounts::default())
            }
        };
        if out.ours && out.embedder.weight.is_none() {
            let readings =
                Readings::of(&chunked.documents, &chunked.chunks, &|text| self.model.tokenizer().count(text));
            out.embedder.weight = readings.weight();
            readings.note().iter().for_each(|note| progress.note(note));
        }
        Ok(out)
    }
}

impl Embed<'_> {
    fn with_vectors(
        &self,
        vectors: Vec<Vec<f32>>,
        embedder: EmbedderInfo,
        counts: EmbeddingCounts,
    ) -> Embedded {
        let ours = embedder.id == self.model.id();
        Embedded { vectors, embedder, counts, ours }
    }

    /// The vectors by the model, of each chunk's text below its title and headings.
    fn embedded(&self, chunked: &Chunked, progress: &dyn Progress) -> Embedded {
        if self.words_only {
            let none =
                EmbedderInfo { id: NO_EMBEDDER.to_owned(), weight: Some(0), ..EmbedderInfo::default() };
            return self.with_vectors(Vec::new(), none, EmbeddingCounts::default());
        }
        let Chunked { documents, chunks, .. } = chunked;
        progress.stage("embedding chunks", Some(chunks.len() as u64));
        let titles = titles_with_places(documents);
        let texts: Vec<String> = chunks
            .iter()
            .map(|c| c.context(titles.get(c.document as usize).map_or("", String::as_str)))
            .collect();
        let embedding = CachedEmbedder::new(self.model, self.cache);
        let vectors = embedding.embed_all(&texts, &|done| progress.at(done as u64));
        self.with_vectors(vectors, self.model.info(), embedding.counts())
    }

    /// Vectors that another program made.
    fn outside(&self, vectors: Vec<Vec<f32>>, dimension: usize, named: String) -> Embedded {
        let own = (named == self.model.id() && dimension == self.model.dim()).then(|| self.model.info());
        let embedder = own.unwrap_or_else(|| EmbedderInfo {
            id: named,
            dimension: dimension as u64,
            quantisation: "int8".into(),
            ..EmbedderInfo::default()
        });
        self.with_vectors(vectors, embedder, EmbeddingCounts::default())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stages::testing::{MODEL, RecordedWarnings, chunked};

    fn run(brought: Brought, words_only: bool) -> Result<Embedded, BuildError> {
        let chunked = chunked(&[("Rivers", "The Elbe flows through Hamburg."), ("Trees", "Oaks are old.")]);
        Embed { model: &MODEL, cache: None, words_only }
            .run((&chunked, brought), &RecordedWarnings::default())
    }

    #[test]
    fn chunks_without_vectors_are_embedded_unless_words_alone_are_searched() {
        let out = run(Brought::Nothing(None), false).unwrap();
        assert_eq!((out.vectors.len(), out.counts.asked, out.ours), (2, 2, true));
        assert!(out.vectors.iter().all(|v| (v.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-3));
        let none = run(Brought::Nothing(None), true).unwrap();
        assert!(none.vectors.is_empty() && !none.ours && !none.carries_model());
    }

    #[test]
    fn vectors_of_another_model_are_kept_and_need_its_name() {
        let outside = |embedder: Option<&str>| Brought::Outside {
            rows: vec![vec![1.0, 0.0], vec![0.0, 1.0]],
            dimension: 2,
            embedder: embedder.map(str::to_owned),
        };
        let out = run(outside(Some("other")), false).unwrap();
        assert_eq!(
            (out.vectors, out.embedder.id.as_str(), out.ours),
            (vec![vec![1.0, 0.0], vec![0.0, 1.0]], "other", false)
        );
        assert!(matches!(run(outside(None), false), Err(BuildError::NoEmbedder)));
        assert!(matches!(
            run(Brought::Nothing(Some("other".to_owned())), false),
            Err(BuildError::NoVectors(_))
        ));
    }
}
