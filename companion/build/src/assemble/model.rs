//! The sections of what embeds questions and plans them, which are the program's own: the same in every
//! bundle, but for the order of words.

use super::vocabulary::{RowOrder, write_ranges};
use super::writer::{GZIP, Layout, SectionWriter, WriteError};
use pocketgraph::bundle::{Encoding, Kind, PagedIndex, begin_section, encode_vectors};
use pocketgraph::embed::VocabularyIndex;
use pocketgraph::text::Tokenizer;
use pocketgraph::vector::{QuantizedMatrix, QuantizedVector};
use pocketgraph_languages::QuestionLanguage;
use pocketgraph_models::e5;
use pocketgraph_models::embed_bulk::{NativeEmbedder, QueryLayers};
use pocketgraph_models::planner_model::{self, PlannerSource};
use pocketgraph_models::token_table::TokenTable;
use pocketgraph_native::held_folder::HeldFolder;

/// Parts that the browser needs to embed a question.
pub struct QueryModel<'a> {
    /// The tokenizer.
    pub tokenizer: &'a Tokenizer,
    /// The vocabulary in its place of a model that cuts texts by the unigram model.
    pub unigram: Option<&'a e5::Vocabulary>,
    /// Everything but the word embeddings, as the engine reads it.
    pub layers: &'a [u8],
    /// The word embeddings, one row a token.
    pub words: &'a QuantizedMatrix,
    /// The token table, which ranks before the rest has arrived.
    pub table: Option<&'a TokenTable>,
    /// Languages that questions will be in besides the documents': their pieces of words and their function
    /// words are carried too.
    pub questions: &'a [QuestionLanguage],
}

/// Number of word embeddings that share a page: 90 kB compressed, beside a model of 5 MB. The commonest tokens
/// come first.
const WORDS_PER_PAGE: usize = 512;

/// Writes the word vectors, in the vocabulary's order.
pub(super) fn write_words(
    w: &mut SectionWriter,
    model: &QueryModel<'_>,
    order: &RowOrder,
) -> Result<(), WriteError> {
    let pages = order.pages(WORDS_PER_PAGE).map(|run| {
        let mut page = QuantizedMatrix::empty(model.words.dim());
        for &i in run.iter().filter(|&&i| i < model.words.rows()) {
            let (data, scale) = model.words.row(i);
            page.push(&round_word(data, scale));
        }
        page
    });
    write_pages(w, pages)
}

/// Writes pages of word vectors with their index.
pub(super) fn write_pages(
    w: &mut SectionWriter,
    pages: impl Iterator<Item = QuantizedMatrix>,
) -> Result<(), WriteError> {
    let mut index = PagedIndex::empty();
    for page in pages {
        let bytes = encode_vectors(Kind::Words, &page);
        index.push(w.page("words", &bytes, Encoding::Gzip)?, page.rows() as u32);
    }
    let mut root = begin_section(Kind::WordIndex);
    index.put(&mut root);
    w.section("words", &root, GZIP, &index.pages)
}

/// Step to which a word's embedding is rounded, in its standard deviations. Hand-set: of 185 questions the least
/// keeps a cosine of .997 to its exact vector, with .4 one of .995.
const STEP: f32 = 0.35;

/// Rounds a word's embedding to steps of [`STEP`]: compressed, a component takes less than four bits.
fn round_word(data: &[i8], scale: f32) -> QuantizedVector {
    let squares: f32 = data.iter().map(|&c| f32::from(c).powi(2)).sum();
    let step = (STEP * (squares / data.len().max(1) as f32).sqrt()).max(1.0);
    QuantizedVector {
        data: data.iter().map(|&c| (f32::from(c) / step).round() as i8).collect(),
        scale: scale * step,
    }
}

pub(super) fn write_layers(w: &mut SectionWriter, model: &QueryModel<'_>) -> Result<(), WriteError> {
    let mut layers = begin_section(Kind::Layers);
    layers.extend_from_slice(model.layers);
    w.section("layers", &layers, GZIP, &[])
}

pub(super) fn trained_planner(w: &mut SectionWriter, planner: &[u8]) -> Result<(), WriteError> {
    let bytes = [begin_section(Kind::Planner).as_slice(), planner].concat();
    w.section("planner", &bytes, Layout { root: Encoding::Raw, pages: Encoding::Raw }, &[])
}

/// Writes into `folder` the files of a bundle with this `vocabulary` that the program carries too: as a build
/// writes them, so under the same names if they are the same.
pub fn write_own_files(
    folder: &HeldFolder,
    embedder: &NativeEmbedder,
    vocabulary: &VocabularyIndex,
) -> Result<(), WriteError> {
    let mut w = SectionWriter::new(folder);
    let of_questions = embedder.layers(QueryLayers::default());
    let model = QueryModel {
        tokenizer: embedder.tokenizer(),
        unigram: None,
        layers: &of_questions,
        words: embedder.words(),
        table: None,
        questions: &[],
    };
    write_ranges(&w, model.tokenizer, &mut vocabulary.clone())?;
    write_words(&mut w, &model, &RowOrder::of(vocabulary))?;
    write_layers(&mut w, &model)?;
    match planner_model::read_planner(&PlannerSource::Own) {
        Ok(Some(planner)) => trained_planner(&mut w, &planner),
        // Then the bundle's is fetched, if it has one.
        _ => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_nearly_the_same_vector_with_rounded_words() {
        let embedder = NativeEmbedder::new().unwrap();
        let mut rounded = QuantizedMatrix::empty(embedder.words().dim());
        for i in 0..embedder.words().rows() {
            let (data, scale) = embedder.words().row(i);
            rounded.push(&round_word(data, scale));
        }
        let questions =
            ["What is a keyword graph?", "How do I turn the cache off", "port", "Wann öffnet es?"];
        for question in questions {
            let tokens = embedder.tokens(e5::TextRole::Question, question);
            let [exact, near] =
                [embedder.words(), &rounded].map(|words| embedder.model().embed(&tokens, words).unwrap());
            let cosine: f32 = exact.iter().zip(&near).map(|(a, b)| a * b).sum();
            assert!(cosine >= 0.995, "{question}: {cosine}");
        }
    }

    #[test]
    fn a_row_of_nothing_stays() {
        assert_eq!(round_word(&[0; 8], 1.0).data, [0; 8]);
    }
}
