//! Embedding many texts at once on all cores, with the weights that ship inside the program.

use crate::e5::{self, TextRole};
use crate::minilm::{EPSILON, HEADS, HIDDEN, INTERMEDIATE, LAYERS, POSITIONS, WORDS};
use crate::token_table::TokenTable;
use miette::{Context, IntoDiagnostic, Result, miette};
use pocketgraph_bundle::EmbedderInfo;
use pocketgraph_embed::{
    EmbedError, EmbedScratch, MiniLm, Positions, decode_floats, encode_layers, take_mean,
};
use pocketgraph_kernels::nn::{Encoder, Factors, Layer, LayerNorm, Linear};
use pocketgraph_kernels::vector::QuantizedMatrix;
use pocketgraph_text::Tokenizer;
use rayon::prelude::*;
use safetensors::tensor::{Dtype, SafeTensors};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The weights, as `pocketgraph-lab train minilm` made them.
#[cfg(feature = "weights")]
static WEIGHTS: &[u8] = include_bytes!("../../../models/minilm-int8.safetensors");
/// The weights that were brought to what is linked without them.
#[cfg(not(feature = "weights"))]
static WEIGHTS: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
/// The layers in four bits, as `pocketgraph-lab train minilm --bits 4` made them.
static QUERY_LAYERS: &[u8] = include_bytes!("../../../models/minilm-int4.layers");
/// The token table, as `pocketgraph train query-table` made it, where the program was built with one.
static TABLE: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/query_table.rs"));
/// The tokens of all-MiniLM-L6-v2, one a line.
pub static VOCABULARY: &str = include_str!("../../../models/minilm-vocab.txt");

/// First and last token of every text.
const CLS: u32 = 101;
const SEP: u32 = 102;

/// Tokens that a text is cut to, `[CLS]` and `[SEP]` included: what the model was trained with.
pub const MAX_TOKENS: usize = 256;

/// Number of tokens in one pass through the layers: enough to amortise reading the weights, few enough for a
/// core's cache.
const BATCH_TOKENS: usize = 128;

/// Layers that a bundle carries to embed questions. Its own vectors are always made with int8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum QueryLayers {
    /// Four bits a weight: half the download, slightly less exact vectors.
    #[default]
    Int4,
    /// Eight bits a weight: the layers that embedded the bundle's chunks.
    Int8,
}

impl QueryLayers {
    /// Returns its name on the command line and in manifests.
    pub fn name(self) -> &'static str {
        match self {
            QueryLayers::Int4 => "int4",
            QueryLayers::Int8 => "int8",
        }
    }
}

/// A model with its tokenizer and all its word vectors: all-MiniLM-L6-v2, or multilingual-e5-small from a
/// file.
#[derive(Debug, Clone)]
pub struct NativeEmbedder {
    tokenizer: Tokenizer,
    /// Parts of multilingual-e5-small; then `tokenizer` is not used.
    unigram: Option<Arc<Unigram>>,
    model: MiniLm,
    words: QuantizedMatrix,
    fingerprint: [u8; 32],
}

/// Parts of a model with a unigram tokenizer.
#[derive(Debug)]
struct Unigram {
    vocabulary: e5::Vocabulary,
    /// The layers that embed questions in a page.
    question_layers: Vec<u8>,
}

/// The weights that the program carries, as a safetensors file.
///
/// # Errors
/// None, where they are linked in.
#[cfg(feature = "weights")]
pub fn weights() -> Result<&'static [u8]> {
    Ok(WEIGHTS)
}

/// The weights that [`bring_weights`] was given. Fails if it was given none.
#[cfg(not(feature = "weights"))]
pub fn weights() -> Result<&'static [u8]> {
    WEIGHTS.get().map(Vec::as_slice).ok_or_else(|| miette!("the weights of minilm were not brought"))
}

/// Brings the weights to what is linked without them; those that were there first stay.
pub fn bring_weights(bytes: &[u8]) {
    #[cfg(not(feature = "weights"))]
    WEIGHTS.get_or_init(|| bytes.to_vec());
    #[cfg(feature = "weights")]
    let _ = bytes;
}

impl NativeEmbedder {
    /// The embedder with the weights inside the program.
    ///
    /// # Errors
    /// Only if the program was built with damaged weights, or what is linked without them was not brought
    /// any.
    pub fn new() -> Result<NativeEmbedder> {
        NativeEmbedder::from_safetensors(weights()?, VOCABULARY)
    }

    /// The embedder with weights that `pocketgraph-lab train minilm` wrote, and their vocabulary.
    ///
    /// # Errors
    /// When a tensor is missing or has another shape, or the vocabulary is not one.
    pub fn from_safetensors(weights: &[u8], vocabulary: &str) -> Result<NativeEmbedder> {
        let tokenizer =
            Tokenizer::from_vocab(vocabulary).into_diagnostic().wrap_err("reading the model's vocabulary")?;
        let file =
            SafeTensors::deserialize(weights).into_diagnostic().wrap_err("reading the model's weights")?;
        let t = Tensors(&file);
        let layers = (0..LAYERS)
            .map(|layer| {
                let p = format!("encoder.layer.{layer}.");
                Ok(Layer {
                    qkv: t.linear(&format!("{p}attention.self.qkv"), HIDDEN, 3 * HIDDEN)?,
                    attended: t.linear(&format!("{p}attention.output.dense"), HIDDEN, HIDDEN)?,
                    attention_norm: t.norm(&format!("{p}attention.output.LayerNorm"))?,
                    up: t.linear(&format!("{p}intermediate.dense"), HIDDEN, INTERMEDIATE)?,
                    down: t.linear(&format!("{p}output.dense"), INTERMEDIATE, HIDDEN)?,
                    output_norm: t.norm(&format!("{p}output.LayerNorm"))?,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let encoder = Encoder::new(HIDDEN, HEADS, EPSILON, t.norm("embeddings.LayerNorm")?, layers)
            .into_diagnostic()?;
        let rows = t.bytes("embeddings.positions.weight", Dtype::I16, POSITIONS * HIDDEN * 2)?;
        let rows = rows.as_chunks::<2>().0.iter().map(|b| i16::from_le_bytes(*b)).collect();
        let positions = Positions::new(HIDDEN, rows, t.floats("embeddings.positions.scale", POSITIONS)?)
            .into_diagnostic()?;
        let words: &[i8] =
            bytemuck::cast_slice(t.bytes("embeddings.word_embeddings.weight", Dtype::I8, WORDS * HIDDEN)?);
        let words = QuantizedMatrix::new(
            HIDDEN,
            words.to_vec(),
            t.floats("embeddings.word_embeddings.scale", WORDS)?,
        )
        .into_diagnostic()?;
        if words.rows() != tokenizer.vocab_len() {
            return Err(miette!(
                "the vocabulary has {} tokens, the model {} word vectors",
                tokenizer.vocab_len(),
                words.rows()
            ));
        }
        let mut hasher = Sha256::new();
        hasher.update(weights);
        hasher.update(vocabulary);
        let fingerprint = hasher.finalize().into();
        Ok(NativeEmbedder {
            tokenizer,
            unigram: None,
            model: MiniLm::new(encoder, positions).into_diagnostic()?,
            words,
            fingerprint,
        })
    }

    /// multilingual-e5-small, from the bytes of its file.
    ///
    /// # Errors
    /// When the bytes are another file, cut, or of another model.
    pub fn multilingual(bytes: &[u8]) -> Result<NativeEmbedder> {
        let e5::Model { vocabulary, layers, question_layers, words } = e5::read_model(bytes)?;
        let tokenizer = Tokenizer::from_vocab(VOCABULARY).into_diagnostic()?;
        let question_layers = encode_layers(&question_layers.with_positions(MAX_TOKENS));
        let fingerprint = Sha256::digest(bytes).into();
        let unigram = Some(Arc::new(Unigram { vocabulary, question_layers }));
        Ok(NativeEmbedder { tokenizer, unigram, model: layers, words, fingerprint })
    }

    /// Returns the name of the model in manifests and on the command line.
    pub fn id(&self) -> &'static str {
        if self.unigram.is_some() { e5::ID } else { "minilm" }
    }

    /// Returns the manifest's entry for the model.
    pub fn info(&self) -> EmbedderInfo {
        let prefix = |text: &str| if self.unigram.is_some() { text.to_owned() } else { String::new() };
        EmbedderInfo {
            id: self.id().into(),
            dimension: self.dim() as u64,
            quantisation: "int8".into(),
            pooling: "mean".into(),
            query_prefix: prefix(e5::QUESTION),
            passage_prefix: prefix(e5::PASSAGE),
            weight: self.unigram.is_some().then_some(e5::WEIGHT),
        }
    }

    /// The vocabulary of the unigram model, where the model has one.
    pub fn vocabulary(&self) -> Option<&e5::Vocabulary> {
        self.unigram.as_ref().map(|u| &u.vocabulary)
    }

    /// Returns the number of tokens that a text has, without those around it: what chunks are measured with.
    pub fn count(&self, text: &str) -> usize {
        self.vocabulary()
            .map_or_else(|| self.tokenizer.count(text), |vocabulary| vocabulary.tokenizer.count(text))
    }

    /// Returns the tokens of a text with the model's prefix and end tokens, cut to the model's maximum.
    pub fn tokens(&self, side: TextRole, text: &str) -> Vec<u32> {
        let Some(v) = self.vocabulary() else { return self.tokenizer.encode(text, MAX_TOKENS) };
        let (prefix, most) = match side {
            TextRole::Question => (e5::QUESTION, MAX_TOKENS),
            TextRole::Passage => (e5::PASSAGE, e5::POSITIONS),
        };
        let content = v.tokenizer.cut(&[prefix, text].concat(), most - 2);
        [v.ends[0]].into_iter().chain(content).chain([v.ends[1]]).collect()
    }

    /// Takes from vectors what every vector of the model has.
    fn take_mean(&self, side: TextRole, vectors: &mut [f32]) {
        if self.unigram.is_some() {
            let mean = e5::read_mean(side);
            vectors.chunks_exact_mut(self.dim()).for_each(|v| take_mean(v, &mean));
        }
    }

    /// Returns the token table of a file by `pocketgraph train query-table`, none for the file `none`, or
    /// else the program's own, if it has one.
    ///
    /// # Errors
    /// When the file cannot be read, or holds no table of this model's vocabulary.
    pub fn query_table(&self, file: Option<&Path>) -> Result<Option<TokenTable>> {
        let table = match file {
            // The program's own table is of its own model.
            None if self.unigram.is_some() => return Ok(None),
            Some(file) if file == Path::new("none") => return Ok(None),
            Some(file) => {
                let bytes = std::fs::read(file)
                    .into_diagnostic()
                    .wrap_err_with(|| format!("reading {}", file.display()))?;
                TokenTable::read(&bytes).wrap_err_with(|| format!("reading {}", file.display()))?
            }
            None => match TABLE {
                Some(bytes) => TokenTable::read(bytes)?,
                None => return Ok(None),
            },
        };
        if table.dim != self.dim() || table.rows.len() != self.words.rows() * table.dim {
            return Err(miette!("the token table is not of this model's vocabulary"));
        }
        Ok(Some(table))
    }

    /// The tokenizer of all-MiniLM-L6-v2.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The model without its word vectors.
    pub fn model(&self) -> &MiniLm {
        &self.model
    }

    /// Returns the identity of this model's vectors: SHA-256 of its weights and vocabulary.
    pub fn fingerprint(&self) -> &[u8] {
        &self.fingerprint
    }

    /// Components of a vector: 384.
    pub fn dim(&self) -> usize {
        self.model.dim()
    }

    /// Returns all but the word vectors for embedding questions in pages, with up to [`MAX_TOKENS`]
    /// positions.
    pub fn layers(&self, which: QueryLayers) -> Cow<'static, [u8]> {
        match which {
            QueryLayers::Int4 if self.unigram.is_some() => {
                Cow::Owned(self.unigram.iter().flat_map(|u| &u.question_layers).copied().collect())
            }
            QueryLayers::Int4 => Cow::Borrowed(QUERY_LAYERS),
            QueryLayers::Int8 => Cow::Owned(self.own_layers()),
        }
    }

    /// Returns the layers that embed questions: of a file by `pocketgraph train encoder`, or else `which`.
    ///
    /// # Errors
    /// When the file cannot be read, or holds no layers that go with this model's word vectors.
    pub fn question_layers(&self, file: Option<&Path>, which: QueryLayers) -> Result<Cow<'static, [u8]>> {
        if self.unigram.is_some() && file.is_some() {
            return Err(miette!("{} has no trained layers: leave out --query-encoder", e5::ID));
        }
        let Some(file) = file else { return Ok(self.layers(which)) };
        let bytes =
            std::fs::read(file).into_diagnostic().wrap_err_with(|| format!("reading {}", file.display()))?;
        let model = MiniLm::from_layers(&bytes)
            .into_diagnostic()
            .wrap_err_with(|| format!("reading {}", file.display()))?;
        if model.dim() != self.dim() || model.max_tokens() < MAX_TOKENS {
            return Err(miette!("the layers of {} do not go with this model's word vectors", file.display()));
        }
        Ok(Cow::Owned(bytes))
    }

    /// This embedder's own layers, for [`NativeEmbedder::layers`].
    pub fn own_layers(&self) -> Vec<u8> {
        encode_layers(&self.model.clone().with_positions(MAX_TOKENS))
    }

    /// The word vectors, one row a token.
    pub fn words(&self) -> &QuantizedMatrix {
        &self.words
    }

    /// The unit vector of `text`, cut at what the model takes.
    pub fn embed(&self, text: &str) -> Vec<f32> {
        let ids = self.tokens(TextRole::Passage, text);
        let mut vector = self.model.embed(&ids, &self.words).unwrap_or_else(|e| self.unreachable(&e));
        self.take_mean(TextRole::Passage, &mut vector);
        vector
    }

    /// Returns the unit vectors of `texts`, in order, on all cores of the current rayon pool. They depend on
    /// nothing else. `progress` gets the number of finished texts, from any thread.
    pub fn embed_all(&self, texts: &[String], progress: &(dyn Fn(usize) + Sync)) -> Vec<Vec<f32>> {
        self.embed_each(texts, &|_, _| {}, progress)
    }

    /// Returns the unit vectors of `texts` by other layers with this embedder's word vectors.
    pub fn embed_by(&self, layers: &MiniLm, texts: &[String]) -> Vec<Vec<f32>> {
        let embed = |text: &String| {
            let mut vector = layers
                .embed(&self.tokens(TextRole::Question, text), &self.words)
                .unwrap_or_else(|e| self.unreachable(&e));
            self.take_mean(TextRole::Question, &mut vector);
            vector
        };
        texts.par_iter().map(embed).collect()
    }

    /// Works as [`NativeEmbedder::embed_all`]; `each` gets every vector at once with its index, from any
    /// thread.
    pub fn embed_each(
        &self,
        texts: &[String],
        each: &(dyn Fn(usize, &[f32]) + Sync),
        progress: &(dyn Fn(usize) + Sync),
    ) -> Vec<Vec<f32>> {
        let tokens = texts.par_iter().map(|t| self.tokens(TextRole::Passage, t)).collect();
        self.embed_ids(tokens, each, progress)
    }

    /// The unit vectors of texts given as content tokens, at most [`MAX_TOKENS`] - 2 of them, each below
    /// [`WORDS`].
    pub fn embed_tokens(&self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        self.embed_ids(texts.iter().map(|ids| frame_tokens(ids).collect()).collect(), &|_, _| {}, &|_| {})
    }

    fn embed_ids(
        &self,
        texts: Vec<Vec<u32>>,
        each: &(dyn Fn(usize, &[f32]) + Sync),
        progress: &(dyn Fn(usize) + Sync),
    ) -> Vec<Vec<f32>> {
        let mut vectors = vec![Vec::new(); texts.len()];
        let mut order: Vec<(usize, Vec<u32>)> = texts.into_iter().enumerate().collect();
        // Longest first: the last batches are small ones, so that no core waits long for another.
        order.sort_by_key(|(i, ids)| (std::cmp::Reverse(ids.len()), *i));
        let done = AtomicUsize::new(0);
        let batches: Vec<&[(usize, Vec<u32>)]> = split_batches(&order).collect();
        let embedded: Vec<Vec<f32>> = batches
            .par_iter()
            .with_max_len(1)
            .map_init(EmbedScratch::default, |scratch, batch| {
                let ids: Vec<&[u32]> = batch.iter().map(|(_, ids)| ids.as_slice()).collect();
                let mut out = Vec::new();
                if let Err(e) = self.model.embed_batch(&ids, &self.words, scratch, &mut out) {
                    out = self.unreachable(&e);
                }
                self.take_mean(TextRole::Passage, &mut out);
                batch.iter().zip(out.chunks_exact(self.dim())).for_each(|((i, _), vector)| each(*i, vector));
                progress(done.fetch_add(batch.len(), Ordering::Relaxed) + batch.len());
                out
            })
            .collect();
        for (batch, rows) in batches.iter().zip(&embedded) {
            for ((i, _), row) in batch.iter().zip(rows.chunks_exact(self.dim())) {
                if let Some(v) = vectors.get_mut(*i) {
                    *v = row.to_vec();
                }
            }
        }
        vectors
    }

    /// The tokenizer gives between 2 and [`MAX_TOKENS`] ids below [`WORDS`], for all of which the constructor
    /// has checked that rows exist, and the shipped weights give all of them directions.
    fn unreachable(&self, error: &EmbedError) -> Vec<f32> {
        unreachable!("embedding a tokenized text: {error}")
    }
}

/// Content tokens between `[CLS]` and `[SEP]`: what the model reads.
pub fn frame_tokens(content: &[u32]) -> impl Iterator<Item = u32> {
    [CLS].into_iter().chain(content.iter().copied()).chain([SEP])
}

/// Runs of texts of together about [`BATCH_TOKENS`] tokens.
fn split_batches(mut rest: &[(usize, Vec<u32>)]) -> impl Iterator<Item = &[(usize, Vec<u32>)]> {
    std::iter::from_fn(move || {
        let mut tokens = 0;
        let fitting = rest.iter().take_while(|(_, ids)| {
            tokens += ids.len();
            tokens <= BATCH_TOKENS
        });
        let n = fitting.count().max(1);
        let (batch, after) = rest.split_at_checked(n)?;
        rest = after;
        Some(batch)
    })
}

/// Reads tensors by name, checked.
struct Tensors<'a>(&'a SafeTensors<'a>);

impl<'a> Tensors<'a> {
    fn bytes(&self, name: &str, dtype: Dtype, len: usize) -> Result<&'a [u8]> {
        let t = self.0.tensor(name).into_diagnostic().wrap_err_with(|| format!("the weights lack {name}"))?;
        if t.dtype() != dtype || t.data().len() != len {
            return Err(miette!(
                "the weights' {name} is {:?} {:?}, which is not what this program reads",
                t.dtype(),
                t.shape()
            ));
        }
        Ok(t.data())
    }

    fn floats(&self, name: &str, n: usize) -> Result<Vec<f32>> {
        self.bytes(name, Dtype::F32, n * 4).map(decode_floats)
    }

    fn norm(&self, name: &str) -> Result<LayerNorm> {
        Ok(LayerNorm {
            weight: self.floats(&format!("{name}.weight"), HIDDEN)?,
            bias: self.floats(&format!("{name}.bias"), HIDDEN)?,
        })
    }

    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Result<Linear> {
        let rows: &[i8] =
            bytemuck::cast_slice(self.bytes(&format!("{name}.weight"), Dtype::I8, inputs * outputs)?);
        let factors = Factors {
            scales: self.floats(&format!("{name}.scale"), outputs)?,
            columns: self.floats(&format!("{name}.columns"), inputs)?,
            bias: self.floats(&format!("{name}.bias"), outputs)?,
        };
        Linear::from_rows(inputs, outputs, rows, factors)
            .into_diagnostic()
            .wrap_err_with(|| format!("the weights' {name}"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use pocketgraph_base::json;
    use pocketgraph_kernels::nn::Simd;
    use std::sync::OnceLock;

    fn embedder() -> &'static NativeEmbedder {
        static EMBEDDER: OnceLock<NativeEmbedder> = OnceLock::new();
        EMBEDDER.get_or_init(|| NativeEmbedder::new().unwrap())
    }

    fn texts() -> Vec<String> {
        let all = json::parse(include_str!("../../../tests/golden/minilm/texts.json")).unwrap();
        all.as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned()).collect()
    }

    fn half(bits: u16) -> f32 {
        let (sign, exponent, fraction) = (bits >> 15, i32::from(bits >> 10 & 31), f32::from(bits & 1023));
        let value = if exponent == 0 {
            fraction * 2f32.powi(-24)
        } else {
            (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15)
        };
        if sign == 1 { -value } else { value }
    }

    fn originals() -> Vec<Vec<f32>> {
        let bytes = include_bytes!("../../../tests/golden/minilm/vectors.f16");
        bytes
            .chunks_exact(2 * HIDDEN)
            .map(|row| row.chunks_exact(2).map(|b| half(u16::from_le_bytes([b[0], b[1]]))).collect())
            .collect()
    }

    fn dot(a: &[f32], b: &[f32]) -> f64 {
        a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum()
    }

    fn cosine(a: &[f32], b: &[f32]) -> f64 {
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    }

    #[test]
    fn every_golden_text_is_within_a_thousandth_of_the_original_on_every_instruction_set() {
        let (texts, originals) = (texts(), originals());
        assert_eq!((texts.len(), originals.len()), (200, 200));
        let ids: Vec<Vec<u32>> = texts.iter().map(|t| embedder().tokenizer().encode(t, 400)).collect();
        let mut reference: Vec<Option<Vec<f32>>> = vec![None; texts.len()];
        // Fastest first. The slow ones take every tenth text, and must give the fast one's bits.
        for (slow, simd) in Simd::available().into_iter().rev().enumerate() {
            let model = embedder().model().clone().with_simd(simd);
            let chosen: Vec<usize> =
                (0..texts.len()).filter(|i| slow == 0 || (i % 10 == 0 && ids[*i].len() <= 80)).collect();
            let vectors: Vec<Vec<f32>> =
                chosen.par_iter().map(|&i| model.embed(&ids[i], embedder().words()).unwrap()).collect();
            let mut cosines: Vec<f64> =
                chosen.iter().zip(&vectors).map(|(&i, v)| cosine(v, &originals[i])).collect();
            cosines.sort_by(f64::total_cmp);
            println!(
                "{}: worst {:.5}, mean {:.5}",
                simd.name(),
                cosines[0],
                cosines.iter().sum::<f64>() / cosines.len() as f64
            );
            assert!(cosines[0] > 0.999 && cosines.len() >= 15, "{}: {:?}", simd.name(), &cosines[..5]);
            for (&i, v) in chosen.iter().zip(vectors) {
                assert!(
                    *reference[i].get_or_insert_with(|| v.clone()) == v,
                    "{} gives other bits",
                    simd.name()
                );
            }
        }
    }

    #[test]
    fn the_layers_of_a_bundle_embed_like_the_program_does() {
        let e = embedder();
        let model = MiniLm::from_layers(&e.layers(QueryLayers::Int8)).unwrap();
        for text in texts().iter().take(40) {
            assert_eq!(
                model.embed(&e.tokenizer().encode(text, MAX_TOKENS), e.words()).unwrap(),
                e.embed(text)
            );
        }
    }

    #[test]
    fn questions_embedded_in_four_bits_point_where_the_program_does() {
        let e = embedder();
        let layers = e.layers(QueryLayers::Int4);
        let model = MiniLm::from_layers(&layers).unwrap();
        assert!(encode_layers(&model) == *layers, "the committed layers are not what the program writes");
        let short =
            |text: &&String| (8..2 * MAX_TOKENS).contains(&text.len()) && e.tokenizer().count(text) <= 40;
        let texts = texts();
        let cosines = texts.iter().filter(short).map(|text| {
            let ids = e.tokenizer().encode(text, MAX_TOKENS);
            cosine(&model.embed(&ids, e.words()).unwrap(), &e.embed(text))
        });
        let mut cosines: Vec<f64> = cosines.collect();
        cosines.sort_by(f64::total_cmp);
        assert!(cosines.len() > 50);
        let mean = cosines.iter().sum::<f64>() / cosines.len() as f64;
        assert!(mean > 0.96 && cosines[0] > 0.85, "{mean} {:?}", &cosines[..5]);
    }

    #[test]
    fn layers_of_a_file_embed_questions_where_they_go_with_the_models_words() {
        let e = embedder();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.layers");
        let of_file = || e.question_layers(Some(&path), QueryLayers::Int4);
        assert!(of_file().is_err());
        std::fs::write(&path, e.own_layers()).unwrap();
        assert!(of_file().unwrap() == e.layers(QueryLayers::Int8));
        assert!(e.question_layers(None, QueryLayers::Int4).unwrap() == e.layers(QueryLayers::Int4));
        std::fs::write(&path, encode_layers(&e.model().clone().with_positions(16))).unwrap();
        assert!(of_file().unwrap_err().to_string().contains("do not go with"));
        std::fs::write(&path, b"no layers").unwrap();
        assert!(of_file().is_err());
    }

    #[test]
    fn bulk_vectors_come_in_order_and_do_not_depend_on_threads_or_company() {
        let texts = texts();
        let seen = AtomicUsize::new(0);
        let all = embedder().embed_all(&texts, &|n| {
            seen.fetch_max(n, Ordering::Relaxed);
        });
        assert_eq!(seen.into_inner(), texts.len());
        for (text, vector) in texts.iter().zip(&all) {
            assert_eq!(vector, &embedder().embed(text));
        }
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert!(one.install(|| embedder().embed_all(&texts, &|_| ())) == all);
        assert!(embedder().embed_all(&[], &|_| ()).is_empty());
    }

    #[test]
    fn batches_cover_every_text_once() {
        let order: Vec<(usize, Vec<u32>)> =
            [200, 130, 128, 70, 60, 58, 3, 2, 2].iter().enumerate().map(|(i, &n)| (i, vec![0; n])).collect();
        let sizes: Vec<usize> = split_batches(&order).map(<[_]>::len).collect();
        assert_eq!(sizes, [1, 1, 1, 1, 5]);
    }
}
