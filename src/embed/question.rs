//! Embedding questions from a bundle: vocabulary and layers once, word embeddings by the page.

use super::{EmbedError, MiniLm, WordRows};
use crate::bundle::{Bundle, BundleError, Kind, PagedIndex, decode_vectors, open_section};
use crate::compact::Map;
use crate::text::Tokenizer;
use crate::vector::QuantizedMatrix;
use futures::future::{FutureExt, LocalBoxFuture};
use std::rc::Rc;

/// A question counts up to here, in tokens; what follows is not embedded.
const MAX_TOKENS: usize = 256;

/// Embeds questions with the bundle's own copy of the model.
pub struct QuestionEncoder {
    bundle: Bundle,
    tokenizer: Rc<Tokenizer>,
    model: Rc<MiniLm>,
    words: Rc<PagedIndex>,
}

/// The word embeddings that one question needs.
struct Rows<'a> {
    index: &'a PagedIndex,
    pages: Map<usize, Rc<QuantizedMatrix>>,
}

impl WordRows for Rows<'_> {
    fn row(&self, id: u32) -> Option<(&[i8], f32)> {
        let (page, place) = self.index.locate(id)?;
        self.pages.get(&page).filter(|m| place < m.rows()).map(|m| m.row(place))
    }
}

/// The tokenizer of the bundle's model.
pub(super) fn load_tokenizer(bundle: &Bundle) -> LocalBoxFuture<'_, Result<Rc<Tokenizer>, BundleError>> {
    let decode = |file: &str, bytes: &[u8]| {
        let mut b = open_section(file, bytes, Kind::Vocabulary)?;
        let text = std::str::from_utf8(b.rest()).map_err(|_| b.corrupt("the vocabulary is not UTF-8"))?;
        Tokenizer::from_vocab(text).map_err(|e| b.corrupt(&e.to_string()))
    };
    bundle.section("vocabulary", decode).boxed_local()
}

impl QuestionEncoder {
    /// Whether the bundle brings the model that made its vectors.
    pub fn is_in(bundle: &Bundle) -> bool {
        bundle.manifest().embedder.id == "minilm" && ["vocabulary", "words", "layers"].iter().all(|s| bundle.has(s))
    }

    /// Loads vocabulary and layers.
    ///
    /// # Errors
    /// [`BundleError`] when the bundle has no model or a section of it cannot be loaded.
    pub async fn load(bundle: &Bundle) -> Result<Self, BundleError> {
        let words = bundle.section("words", |file, bytes| {
            let mut b = open_section(file, bytes, Kind::WordIndex)?;
            let index = PagedIndex::take(&mut b)?;
            b.end().map(|()| index)
        });
        let model = bundle.section("layers", |file, bytes| {
            let mut b = open_section(file, bytes, Kind::Layers)?;
            MiniLm::from_layers(b.rest()).map_err(|e| b.corrupt(&e.to_string()))
        });
        let (tokenizer, words, model) = futures::future::try_join3(load_tokenizer(bundle), words, model).await?;
        Ok(QuestionEncoder { bundle: bundle.clone(), tokenizer, model, words })
    }

    /// Number of content tokens of a text.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.tokenizer.count(text)
    }

    /// The unit vector of a text.
    ///
    /// # Errors
    /// [`BundleError`] when a page of word embeddings cannot be loaded.
    pub async fn encode(&self, text: &str) -> Result<Vec<f32>, BundleError> {
        let ids = self.tokenizer.encode(text, MAX_TOKENS);
        let dim = self.bundle.manifest().embedder.dimension;
        let decode = move |rows: u32, file: &str, bytes: &[u8]| decode_vectors(file, bytes, Kind::Words, rows, dim);
        let pages = self.bundle.pages("words", &self.words, self.words.pages_of(&ids).items(), decode).await;
        if let Some(error) = pages.failed.into_iter().next() {
            return Err(error);
        }
        let rows = Rows { index: &self.words, pages: pages.loaded };
        self.model.embed(&ids, &rows).map_err(|e: EmbedError| BundleError::Corrupt { file: "layers".into(), what: e.to_string() })
    }
}
