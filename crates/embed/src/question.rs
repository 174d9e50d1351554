//! Embeds questions by a bundle's model: vocabulary and layers are loaded once, word embeddings by the page.

use super::states::ReadText;
use super::unigram::{Pieces, take_mean};
use super::vocabulary::Vocabulary;
use super::{EmbedError, EmbedScratch, LayersDecoder, MiniLm, WordRows};
use crate::bundle::{Bundle, BundleError, Kind, PagedIndex, decode_vectors, open_section};
use crate::compact::Map;
use crate::text::{Tokenized, Tokenizer};
use crate::vector::QuantizedMatrix;
use futures::future::{FutureExt, LocalBoxFuture};
use std::cell::{Ref, RefCell};
use std::rc::Rc;

/// Maximum number of tokens of a question; the rest is not embedded.
const MAX_TOKENS: usize = 256;
/// Maximum number of vectors of names that are kept.
const NAMES_KEPT: usize = 4096;
/// Name in manifests of the model for a hundred languages, which cuts texts by the unigram model.
pub const MULTILINGUAL: &str = "multilingual-e5-small";
/// Names in manifests of the models by which this engine embeds questions: MiniLM and [`MULTILINGUAL`].
const MODELS: [&str; 2] = ["minilm", MULTILINGUAL];

/// Tokenizer of texts, with the rows of its tokens in `words`.
#[derive(Clone)]
enum Cutter {
    /// WordPiece, loaded by the range.
    Ranges(Rc<Vocabulary>),
    /// The unigram model, loaded whole.
    Unigram(Rc<Pieces>),
}

impl Cutter {
    fn load<'a>(bundle: &'a Bundle) -> LocalBoxFuture<'a, Result<Cutter, BundleError>> {
        if bundle.manifest().embedder.id == MULTILINGUAL {
            Pieces::load(bundle).map(|loaded| loaded.map(Cutter::Unigram)).boxed_local()
        } else {
            Vocabulary::load(bundle).map(|loaded| loaded.map(Cutter::Ranges)).boxed_local()
        }
    }

    fn row(&self, token: u32) -> u32 {
        match self {
            Cutter::Ranges(vocabulary) => vocabulary.row(token),
            Cutter::Unigram(_) => token,
        }
    }
}

/// Cuts questions into the tokens of the bundle's model, and loads their word vectors a page at a time.
#[derive(Clone)]
pub struct WordPages {
    bundle: Bundle,
    cutter: Cutter,
    words: Rc<PagedIndex>,
}

/// Embeds questions with the bundle's own copy of the model.
pub struct QuestionEncoder {
    words: WordPages,
    model: Rc<MiniLm>,
    /// Vectors of names, by name.
    named: RefCell<Map<String, Rc<[f32]>>>,
}

/// The word vectors for a question.
pub struct QuestionRows {
    index: Rc<PagedIndex>,
    cutter: Cutter,
    pages: Map<usize, Rc<QuantizedMatrix>>,
}

impl WordRows for QuestionRows {
    fn row(&self, id: u32) -> Option<(&[i8], f32)> {
        let (page, place) = self.index.locate(self.cutter.row(id))?;
        self.pages.get(&page).filter(|m| place < m.rows()).map(|m| m.row(place))
    }
}

impl WordPages {
    /// Loads the root of the vocabulary and the list of pages. Fails if either cannot be loaded.
    pub fn load<'a>(bundle: &'a Bundle) -> LocalBoxFuture<'a, Result<Self, BundleError>> {
        async move {
            let words = bundle.section("words", |file, bytes| {
                let mut b = open_section(file, bytes, Kind::WordIndex)?;
                let index = PagedIndex::take(&mut b)?;
                b.end().map(|()| index)
            });
            let (cutter, words) = futures::future::try_join(Cutter::load(bundle), words).await?;
            Ok(WordPages { bundle: bundle.clone(), cutter, words })
        }
        .boxed_local()
    }

    /// Loads the ranges of the vocabulary that `wanted` returns, until it returns none, and returns the
    /// WordPiece tokenizer. Do not hold it while others may load. Fails if a range cannot be loaded, or the
    /// model has another tokenizer.
    pub async fn tokenizer(
        &self,
        wanted: &dyn Fn(&Tokenizer) -> Vec<usize>,
    ) -> Result<Ref<'_, Tokenizer>, BundleError> {
        match &self.cutter {
            Cutter::Ranges(vocabulary) => {
                vocabulary.load_ranges(&self.bundle, wanted).await.map(|()| vocabulary.tokenizer())
            }
            Cutter::Unigram(_) => Err(BundleError::Corrupt {
                file: "vocabulary".into(),
                what: "it is another tokenizer's".into(),
            }),
        }
    }

    /// Returns the tokens of texts, each cut to the model's maximum.
    async fn cut_texts(&self, texts: &[&str]) -> Result<Vec<Vec<u32>>, BundleError> {
        if let Cutter::Unigram(pieces) = &self.cutter {
            let prefix = &self.bundle.manifest().embedder.query_prefix;
            return Ok(texts.iter().map(|text| pieces.question(prefix, text, MAX_TOKENS)).collect());
        }
        let wanted = |tokenizer: &Tokenizer| {
            let mut all = Tokenized::default();
            texts.iter().for_each(|text| tokenizer.cut_into(&mut all, text, MAX_TOKENS));
            all.absent
        };
        let tokenizer = self.tokenizer(&wanted).await?;
        Ok(texts.iter().map(|text| tokenizer.encode(text, MAX_TOKENS)).collect())
    }

    /// Loads the word vectors of these tokens. Fails if a page cannot be loaded.
    pub async fn rows(&self, ids: &[u32]) -> Result<QuestionRows, BundleError> {
        let dim = self.bundle.manifest().embedder.dimension;
        let decode =
            move |rows: u32, file: &str, bytes: &[u8]| decode_vectors(file, bytes, Kind::Words, rows, dim);
        let rows: Vec<u32> = ids.iter().map(|&id| self.cutter.row(id)).collect();
        let pages = self.bundle.pages("words", &self.words, self.words.pages_of(&rows).items(), decode).await;
        match pages.failed.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(QuestionRows {
                index: Rc::clone(&self.words),
                cutter: self.cutter.clone(),
                pages: pages.loaded,
            }),
        }
    }

    /// Runs the pass of a model over a text with the word vectors `rows`, and yields the thread between
    /// steps. Fails as [`MiniLm::embed`] does.
    pub async fn run(
        &self,
        model: &MiniLm,
        ids: &[u32],
        rows: &dyn WordRows,
        pass: &mut EmbedScratch,
    ) -> Result<(), EmbedError> {
        model.begin(&[ids], rows, pass)?;
        loop {
            self.bundle.pause().await;
            if !model.step(pass)? {
                return Ok(());
            }
        }
    }
}

impl QuestionEncoder {
    /// Returns true if the bundle has the model that made its vectors.
    pub fn is_in(bundle: &Bundle) -> bool {
        MODELS.contains(&bundle.manifest().embedder.id.as_str())
            && ["vocabulary", "words", "layers"].iter().all(|s| bundle.has(s))
    }

    /// Loads vocabulary and layers. Fails if the bundle has no model or a section of it cannot be loaded.
    pub fn load<'a>(bundle: &'a Bundle) -> LocalBoxFuture<'a, Result<Self, BundleError>> {
        async move {
            let mut decoder = LayersDecoder::default();
            let model = bundle.section_in_steps("layers", move |file, bytes| {
                let mut b = open_section(file, bytes, Kind::Layers)?;
                decoder.step(b.rest()).map_err(|e| b.corrupt(&e.to_string()))
            });
            let (words, model) = futures::future::try_join(WordPages::load(bundle), model).await?;
            Ok(QuestionEncoder { words, model, named: RefCell::default() })
        }
        .boxed_local()
    }

    /// Number of content tokens of a text; approximate if it has words that are not loaded.
    pub fn count_tokens(&self, text: &str) -> usize {
        match &self.words.cutter {
            Cutter::Ranges(vocabulary) => vocabulary.tokenizer().count(text),
            Cutter::Unigram(pieces) => pieces.tokenizer.count(text),
        }
    }

    /// Returns the unit vector of a text.
    ///
    /// # Errors
    /// [`BundleError`] when a range of the vocabulary or a page of word embeddings cannot be loaded.
    pub fn encode<'a>(&'a self, text: &'a str) -> LocalBoxFuture<'a, Result<Vec<f32>, BundleError>> {
        async move { Ok(self.read(text).await?.vector) }.boxed_local()
    }

    /// Returns a text's unit vector with the states of its tokens. Fails as [`QuestionEncoder::encode`] does.
    pub fn read<'a>(&'a self, text: &'a str) -> LocalBoxFuture<'a, Result<ReadText, BundleError>> {
        async move {
            let ids = self.words.cut_texts(&[text]).await?.pop().unwrap_or_default();
            let rows = self.words.rows(&ids).await?;
            let (vector, pass) = self.run_model(&ids, &rows).await?;
            Ok(ReadText::new(vector, &pass.token_vectors().map_err(to_bundle_error)?))
        }
        .boxed_local()
    }

    /// Returns the unit vectors of recurring texts, such as names of relations. Computes each once, and loads
    /// their word embeddings together.
    ///
    /// # Errors
    /// [`BundleError`] when a range of the vocabulary or a page of word embeddings cannot be loaded.
    pub fn encode_names<'a>(
        &'a self,
        texts: &'a [&'a str],
    ) -> LocalBoxFuture<'a, Result<Vec<Rc<[f32]>>, BundleError>> {
        async move {
            if self.named.borrow().len() > NAMES_KEPT {
                *self.named.borrow_mut() = Map::default();
            }
            let known = |text: &str| self.named.borrow().get(text).cloned();
            let new: Vec<&str> = texts.iter().copied().filter(|t| known(t).is_none()).collect();
            let tokens = self.words.cut_texts(&new).await?;
            let rows = self.words.rows(&tokens.concat()).await?;
            for (text, ids) in new.into_iter().zip(tokens) {
                let (vector, _) = self.run_model(&ids, &rows).await?;
                self.named.borrow_mut().insert(text.to_owned(), vector.into());
            }
            Ok(texts.iter().filter_map(|t| known(t)).collect())
        }
        .boxed_local()
    }

    /// Runs the model over a text whose word embeddings are loaded.
    async fn run_model(
        &self,
        ids: &[u32],
        rows: &QuestionRows,
    ) -> Result<(Vec<f32>, EmbedScratch), BundleError> {
        let mut pass = EmbedScratch::default();
        self.words.run(&self.model, ids, rows, &mut pass).await.map_err(to_bundle_error)?;
        let mut out = Vec::new();
        self.model.unit_vectors(&pass, &mut out).map_err(to_bundle_error)?;
        if let Cutter::Unigram(pieces) = &self.words.cutter {
            take_mean(&mut out, &pieces.mean);
        }
        Ok((out, pass))
    }
}

fn to_bundle_error(e: EmbedError) -> BundleError {
    BundleError::Corrupt { file: "layers".into(), what: e.to_string() }
}
