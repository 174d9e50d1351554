//! multilingual-e5-small (Wang et al., "Multilingual E5 Text Embeddings", 2024): twelve layers over the
//! vocabulary of XLM-R, trained to find passages in a hundred languages.

mod file;
mod rounding;

use self::file::{File, read_weights};
use self::rounding::{in_bytes, in_four_bits};
use miette::{Context, IntoDiagnostic, Result};
use pocketgraph_embed::{MiniLm, Positions, decode_floats};
use pocketgraph_kernels::nn::{Encoder, Factors, Layer, LayerNorm, Linear};
use pocketgraph_kernels::vector::QuantizedMatrix;
use pocketgraph_text::{Folding, SCORE_UNIT, Unigram};
use rayon::prelude::*;
use unicode_normalization::UnicodeNormalization;

/// Name of the model on the command line and in manifests.
pub const ID: &str = "multilingual-e5-small";
/// Prefixes of questions and passages that the model was trained with.
pub const QUESTION: &str = "query: ";
/// See [`QUESTION`].
pub const PASSAGE: &str = "passage: ";

/// Share of the cosine in the fused score, in percent. Hand-set: `tuning/fusion.mjs` was not run for this
/// model.
pub const WEIGHT: u64 = 75;

/// Numbers in a vector.
pub const HIDDEN: usize = 384;
const LAYERS: usize = 12;
const HEADS: usize = 12;
const INTERMEDIATE: usize = 1536;
/// Most tokens of a text.
pub const POSITIONS: usize = 512;
const EPSILON: f32 = 1e-12;

/// Role of a text, question or passage: the model distinguishes them by a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRole {
    /// It asks.
    Question,
    /// It is to be found.
    Passage,
}

/// Returns the mean that is subtracted from the vectors of a side ([`pocketgraph_embed::take_mean`]).
/// `tuning/e5_means.py` writes the file.
pub fn read_mean(side: TextRole) -> Vec<f32> {
    let (questions, passages) = include_bytes!("means.f32").split_at(4 * HIDDEN);
    let bytes = if side == TextRole::Question { questions } else { passages };
    decode_floats(bytes)
}

/// The vocabulary, whole.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    /// Cuts texts into ids of the model.
    pub tokenizer: Unigram,
    /// Normalisation of texts.
    pub folding: Folding,
    /// Text and score of each id; special tokens have no text. A space is where a word begins.
    pub pieces: Vec<(String, i32)>,
    /// Ids of `<s>` and `</s>`, which enclose every text.
    pub ends: [u32; 2],
    /// The id and the score of a character that is in no piece.
    pub unknown: (u32, i32),
}

/// The model as its file has it.
pub struct Model {
    /// The vocabulary.
    pub vocabulary: Vocabulary,
    /// The layers, weights in bytes.
    pub layers: MiniLm,
    /// The layers with weights in four bits, for questions in a page.
    pub question_layers: MiniLm,
    /// The word vectors, one row an id.
    pub words: QuantizedMatrix,
}

/// Reads the model's file.
///
/// # Errors
/// If it is another file, cut, or of another model; the error tells which.
pub fn read_model(bytes: &[u8]) -> Result<Model> {
    let file = File::read(bytes)?;
    let vocabulary = read_vocabulary(&file);
    let rows: Vec<&[u8]> =
        file.rows("emb.word", file.word_rows(), HIDDEN)?.take(vocabulary.pieces.len()).collect();
    let rounded: Vec<(Vec<i8>, f32)> =
        rows.par_iter().map_init(Vec::new, |row, bytes| in_bytes(row_floats(bytes, row))).collect();
    let words = QuantizedMatrix::new(
        HIDDEN,
        rounded.iter().flat_map(|r| &r.0).copied().collect(),
        rounded.iter().map(|r| r.1).collect(),
    );
    Ok(Model {
        layers: read_layers(&file, &in_bytes)?,
        question_layers: read_layers(&file, &in_four_bits)?,
        words: words.into_diagnostic().wrap_err("its word vectors")?,
        vocabulary,
    })
}

fn row_floats<'a>(bytes: &[u8], row: &'a mut Vec<f32>) -> &'a [f32] {
    read_weights(bytes, row);
    row
}

fn read_vocabulary(file: &File<'_>) -> Vocabulary {
    let [start, end, _, unknown] = file.special;
    let special = |id: usize, text: &str| file.special.contains(&(id as u32)) || text == "<mask>";
    let units = |score: f32| (score * SCORE_UNIT).round() as i32;
    let known = || file.pieces.iter().enumerate().filter(|(id, p)| !special(*id, p.0));
    let least = known().map(|(_, p)| units(p.1)).min().unwrap_or(0);
    let unknown = (unknown, least.saturating_sub(units(10.0)));
    let piece = |(id, (text, score)): (usize, &(&str, f32))| match special(id, text) {
        true => (String::new(), 0),
        false => (text.replace('\u{2581}', " "), units(*score)),
    };
    let pieces: Vec<(String, i32)> = file.pieces.iter().enumerate().map(piece).collect();
    let folding = Folding::new(&file.table, &composed_pairs());
    let borrowed: Vec<(&str, i32)> = pieces.iter().map(|(text, score)| (text.as_str(), *score)).collect();
    let tokenizer = Unigram::new(folding.clone(), &borrowed, unknown);
    Vocabulary { tokenizer, folding, pieces, ends: [start, end], unknown }
}

/// Returns letters with following marks that `nmt_nfkc` combines, which the file's table lacks.
fn composed_pairs() -> Vec<[u32; 3]> {
    // Hangul is not in the table of pairs: it is in no text as single letters, except in names of files.
    let letters = ('\u{c0}'..='\u{33ff}').chain('\u{11000}'..='\u{11fff}');
    let pair = |one: char| {
        let (mut parts, mut again) = ([one].into_iter().nfd(), String::new());
        unicode_normalization::char::decompose_canonical(one, |c| again.push(c));
        let last = again.chars().next_back()?;
        let before: String = again.chars().take(again.chars().count().checked_sub(1)?).nfc().collect();
        let mut before = before.chars();
        let (first, none) = (before.next()?, before.next());
        // Those that composition leaves out stay as they are.
        let composed = parts.by_ref().nfc().eq([one]);
        (none.is_none() && composed && last >= '\u{300}').then_some([
            u32::from(first),
            u32::from(last),
            u32::from(one),
        ])
    };
    let mut all: Vec<_> = letters.filter_map(pair).collect();
    all.sort_unstable();
    all
}

/// Rounds a row of weights to integers with one scale.
type Round<'a> = &'a (dyn Fn(&[f32]) -> (Vec<i8>, f32) + Sync);

fn read_layers(file: &File<'_>, round: Round<'_>) -> Result<MiniLm> {
    let norm = |name: &str| -> Result<LayerNorm> {
        Ok(LayerNorm {
            weight: file.floats(&format!("{name}.w"), HIDDEN)?,
            bias: file.floats(&format!("{name}.b"), HIDDEN)?,
        })
    };
    let layer = |l: usize| -> Result<Layer> {
        let linear = |names: &[&str], inputs: usize, outputs: usize| {
            read_linear(file, l, names, [inputs, outputs], round)
        };
        Ok(Layer {
            qkv: linear(&["q", "k", "v"], HIDDEN, HIDDEN)?,
            attended: linear(&["ao"], HIDDEN, HIDDEN)?,
            attention_norm: norm(&format!("l{l}.aln"))?,
            up: linear(&["fi"], HIDDEN, INTERMEDIATE)?,
            down: linear(&["fo"], INTERMEDIATE, HIDDEN)?,
            output_norm: norm(&format!("l{l}.oln"))?,
        })
    };
    let layers = (0..LAYERS).into_par_iter().map(layer).collect::<Result<Vec<_>>>()?;
    let encoder = Encoder::new(HIDDEN, HEADS, EPSILON, norm("emb.ln")?, layers).into_diagnostic()?;
    MiniLm::new(encoder, read_positions(file)?).into_diagnostic()
}

/// Concatenates layers of the same inputs, with their outputs one after the other.
fn read_linear(
    file: &File<'_>,
    l: usize,
    names: &[&str],
    [inputs, outputs]: [usize; 2],
    round: Round<'_>,
) -> Result<Linear> {
    let (mut rows, mut scales, mut bias, mut row) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for name in names {
        for bytes in file.rows(&format!("l{l}.{name}.w"), outputs, inputs)? {
            let (levels, scale) = round(row_floats(bytes, &mut row));
            rows.extend(levels);
            scales.push(scale);
        }
        bias.extend(file.floats(&format!("l{l}.{name}.b"), outputs)?);
    }
    Linear::from_rows(
        inputs,
        names.len() * outputs,
        &rows,
        Factors { scales, columns: vec![1.0; inputs], bias },
    )
    .into_diagnostic()
}

/// Positions, each with the first segment's vector added.
fn read_positions(file: &File<'_>) -> Result<Positions> {
    let (all, segments) = (file.floats("emb.pos", POSITIONS * HIDDEN)?, file.floats("emb.type", 2 * HIDDEN)?);
    let (mut rows, mut scales) = (Vec::new(), Vec::new());
    for position in all.chunks_exact(HIDDEN) {
        let sum: Vec<f32> = position.iter().zip(&segments).map(|(a, b)| a + b).collect();
        let scale = sum.iter().fold(0f32, |m, x| m.max(x.abs())) / f32::from(i16::MAX);
        rows.extend(sum.iter().map(|x| if scale > 0.0 { (x / scale).round() as i16 } else { 0 }));
        scales.push(scale);
    }
    Positions::new(HIDDEN, rows, scales).into_diagnostic()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::embed_bulk::NativeEmbedder;
    use crate::models;
    use pocketgraph_base::json;

    /// The model where it is on this machine; a test without it says so.
    fn model() -> Option<NativeEmbedder> {
        let known = models::find_model(ID).unwrap();
        if !known.is_here() {
            eprintln!("SKIPPED: {ID} is not on this machine; {}", known.how_to_get());
            return None;
        }
        Some(NativeEmbedder::multilingual(&known.read(None).unwrap()).unwrap())
    }

    fn vectors(bytes: &[u8]) -> Vec<Vec<f32>> {
        let number = |b: &[u8; 2]| half::f16::from_le_bytes(*b).to_f32();
        bytes.as_chunks::<2>().0.chunks(HIDDEN).map(|row| row.iter().map(number).collect()).collect()
    }

    fn texts() -> Vec<String> {
        let all = json::parse(include_str!("../../../../tests/golden/e5/texts.json")).unwrap();
        all.as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned()).collect()
    }

    /// The worst cosine and the mean of vectors of length 1 to others of about that.
    fn cosines(found: &[Vec<f32>], originals: &[Vec<f32>]) -> (f32, f32) {
        assert_eq!(found.len(), originals.len());
        let cosine = |(a, b): (&Vec<f32>, &Vec<f32>)| {
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
            dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
        };
        let all: Vec<f32> = found.iter().zip(originals).map(cosine).collect();
        (all.iter().copied().fold(1.0, f32::min), all.iter().sum::<f32>() / all.len() as f32)
    }

    #[test]
    fn letters_and_their_marks_become_one_character_and_what_composition_leaves_out_does_not() {
        let all = composed_pairs();
        let one =
            |a: char, b: char| all.iter().find(|p| p[..2] == [u32::from(a), u32::from(b)]).map(|p| p[2]);
        assert_eq!(one('e', '\u{301}'), Some(0xe9));
        assert_eq!(one('\u{1ecd}', '\u{302}'), Some(0x1ed9));
        assert_eq!(one('か', '\u{3099}'), Some(u32::from('が')));
        assert_eq!(one('\u{915}', '\u{93c}'), None, "a Devanagari letter with a dot stays two");
        assert!(all.len() > 800 && all.is_sorted());
    }

    #[test]
    fn golden_texts_have_the_originals_vectors() {
        let Some(model) = model() else { return };
        let texts = texts();
        let raw = |layers: &MiniLm, side: TextRole, texts: &[String]| -> Vec<Vec<f32>> {
            texts
                .par_iter()
                .map(|text| layers.embed(&model.tokens(side, text), model.words()).unwrap())
                .collect()
        };
        let found = raw(model.model(), TextRole::Passage, &texts);
        let (worst, mean) =
            cosines(&found, &vectors(include_bytes!("../../../../tests/golden/e5/vectors.f16")));
        println!("passages, layers in bytes: worst {worst:.5}, mean {mean:.5}");
        assert!(worst > 0.999, "{worst}");
        let questions: Vec<String> = texts.iter().step_by(8).cloned().collect();
        let layers = MiniLm::from_layers(&model.layers(crate::embed_bulk::QueryLayers::Int4)).unwrap();
        let (worst, mean) = cosines(
            &raw(&layers, TextRole::Question, &questions),
            &vectors(include_bytes!("../../../../tests/golden/e5/questions.f16")),
        );
        println!("questions, layers in four bits: worst {worst:.5}, mean {mean:.5}");
        assert!(worst > 0.985, "{worst}");
        // Those of a build have a part of the mean taken from them.
        let taken = model.embed_all(&questions, &|_| {});
        let mut own = found.iter().step_by(8).cloned().collect::<Vec<_>>();
        own.iter_mut().for_each(|v| pocketgraph_embed::take_mean(v, &super::read_mean(TextRole::Passage)));
        assert_eq!(taken, own);
    }

    #[test]
    fn the_whole_vocabulary_gives_the_originals_ids() {
        let Some(model) = model() else { return };
        let golden_value = json::parse(include_str!("../../../../tests/golden/e5/ids.json")).unwrap();
        for (text, ids) in texts().iter().zip(golden_value.get("ids").unwrap().as_array().unwrap()) {
            let ids: Vec<u32> = ids.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as u32).collect();
            assert_eq!(model.vocabulary().unwrap().tokenizer.cut(text, usize::MAX), ids, "{text}");
        }
    }

    #[test]
    fn a_cut_or_changed_file_is_an_error_and_no_panic() {
        let Some(known) = models::find_model(ID).ok().filter(|k| k.is_here()) else { return };
        let bytes = known.read(None).unwrap();
        for end in [0, 3, 40, 80, 1_000_000, 4_000_000, 4_600_000, 4_700_000, bytes.len() - 1] {
            assert!(NativeEmbedder::multilingual(&bytes[..end]).is_err(), "{end}");
        }
        for at in [5, 9, 30, 45, 64, 70] {
            let mut other = bytes.clone();
            other[at] ^= 0x55;
            assert!(File::read(&other).is_err() || at > 40, "{at}");
        }
    }
}
