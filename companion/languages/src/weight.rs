//! Share of the cosine for a corpus, by how well the built-in embedder knows its languages.

use super::{count_languages, name};
use pocketgraph_bundle::{Chunk, Document};
use pocketgraph_search::retrieve::FUSION_WEIGHT;
use std::collections::BTreeMap;

/// The languages that MiniLM learnt.
const LEARNT: [&str; 1] = ["en"];
/// With so many letters a piece of its vocabulary or fewer MiniLM's cosine has no weight: it spells.
/// Hand-set: Chinese, Arabic and Hindi have .91, .98 and .76, and in `tuning/fusion.mjs` the best share is
/// none in each.
const SPELT: f32 = 1.0;
/// With so many or more it has its usual weight. Hand-set: German has 2.5, and on XQuAD any share from 10 to
/// 60 % is better there than none or the usual one (`tuning/fusion.mjs`); this gives it 60, because manuals
/// hold more English. There was no other language in Latin letters to measure.
const FLUENT: f32 = 2.75;
/// A weight below this is none, in percent: nothing that is worth a model of 5 MB.
const LEAST: u64 = 10;
/// The model is worth its bytes where it reads one chunk in so many.
const ONE_IN: usize = 10;
/// Number of chunks of each language that are cut into pieces.
const CHUNKS_READ: usize = 200;

/// Reading of one language by the embedder.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The language; `""` for documents of which none is known.
    pub language: String,
    /// Documents.
    pub documents: usize,
    /// Chunks.
    pub chunks: usize,
    /// Letters a piece of the embedder's vocabulary.
    pub letters_a_piece: f32,
    /// The cosine's share in the fused score, in percent.
    pub weight: u64,
}

/// Readings of a corpus by the embedder.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Readings {
    /// By language, the commonest first.
    pub all: Vec<Reading>,
}

/// The share of the cosine, in percent, at so many letters a piece.
fn weight_at(letters_a_piece: f32) -> u64 {
    let share = ((letters_a_piece - SPELT) / (FLUENT - SPELT)).clamp(0.0, 1.0);
    let percent = (100.0 * FUSION_WEIGHT * share).round() as u64;
    if percent < LEAST { 0 } else { percent }
}

impl Readings {
    /// Measures how the built-in embedder, which cuts a text into `pieces`, reads a corpus.
    pub fn of(documents: &[Document], chunks: &[Chunk], pieces: &dyn Fn(&str) -> usize) -> Readings {
        let mut by_language: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for chunk in chunks {
            let language = documents.get(chunk.document as usize).map_or("", |d| d.language.as_str());
            by_language.entry(language).or_default().push(&chunk.text);
        }
        let usual = (100.0 * FUSION_WEIGHT).round() as u64;
        let all = count_languages(documents.iter().map(|d| d.language.as_str())).into_iter().map(
            |(language, documents)| {
                let texts = by_language.remove(language.as_str()).unwrap_or_default();
                let step = texts.len().div_ceil(CHUNKS_READ).max(1);
                let read: Vec<&str> = texts.iter().copied().step_by(step).collect();
                let letters: usize =
                    read.iter().map(|t| t.chars().filter(|c| c.is_alphabetic()).count()).sum();
                let cut: usize = read.iter().map(|t| pieces(t)).sum();
                let letters_a_piece = letters as f32 / cut.max(1) as f32;
                // What is in no language, code and figures, is to the model what it is in English.
                let learnt = language.is_empty() || LEARNT.contains(&language.as_str());
                let weight = if learnt { usual } else { weight_at(letters_a_piece) };
                Reading { language, documents, chunks: texts.len(), letters_a_piece, weight }
            },
        );
        Readings { all: all.collect() }
    }

    /// The cosine's share in the fused score of this corpus, in percent: 0 where the model is not worth its
    /// bytes, `None` where it has its usual share. Questions in scripts that the model spells have none
    /// anyway; so the share is that of the languages that it reads.
    pub fn weight(&self) -> Option<u64> {
        let usual = (100.0 * FUSION_WEIGHT).round() as u64;
        let detected = || self.all.iter().filter(|r| !r.language.is_empty());
        let all: usize = detected().map(|r| r.chunks).sum();
        let read: usize = detected().filter(|r| r.weight > 0).map(|r| r.chunks).sum();
        if all == 0 || detected().all(|r| r.weight == usual) {
            return None;
        }
        if read * ONE_IN < all {
            return Some(0);
        }
        let sum: u64 = detected().map(|r| r.weight * r.chunks as u64).sum();
        Some((sum + read as u64 / 2) / read.max(1) as u64).filter(|&w| w != usual)
    }

    /// One line on what the embedder does not know, and what helps; `None` where it knows every language.
    pub fn note(&self) -> Option<String> {
        let usual = (100.0 * FUSION_WEIGHT).round() as u64;
        let part = |r: &Reading| {
            let documents = if r.documents == 1 { "document" } else { "documents" };
            format!("{} {documents} in {}", r.documents, name(&r.language))
        };
        let less: Vec<String> = self.all.iter().filter(|r| r.weight < usual).map(part).collect();
        if less.is_empty() {
            return None;
        }
        let how = match self.weight() {
            Some(0) => "the bundle is searched by words alone and carries no model".to_owned(),
            Some(w) => format!("its cosine counts for {w} % in place of {usual} %"),
            None => "questions in their scripts are ranked by words alone".to_owned(),
        };
        Some(format!(
            "the built-in embedder knows English, not the language of {}: {how}; {CURE}",
            less.join(", ")
        ))
    }
}

/// Advice for languages that the embedder does not know.
const CURE: &str = "--embedder multilingual-e5-small knows it (pocketgraph models get multilingual-e5-small)";

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(languages: &[&str]) -> (Vec<Document>, Vec<Chunk>) {
        let document = |l: &&str| Document {
            title: "T".into(),
            url: String::new(),
            path: String::new(),
            language: (*l).into(),
        };
        let chunk = |i: usize| Chunk {
            document: i as u32,
            heading_path: Vec::new(),
            fragment: String::new(),
            // The reader below takes each character but a space for a piece of a language that is spelt.
            text: if languages[i] == "en" {
                "word word".into()
            } else if languages[i] == "de" {
                "wo wo".into()
            } else {
                "字 字".into()
            },
            start: 0,
            end: 0,
        };
        (languages.iter().map(document).collect(), (0..languages.len()).map(chunk).collect())
    }

    fn of(languages: &[&str]) -> Readings {
        let (documents, chunks) = documents(languages);
        Readings::of(&documents, &chunks, &|text| text.split(' ').count())
    }

    #[test]
    fn a_corpus_in_languages_that_the_model_knows_has_the_usual_weight() {
        for languages in [&["en", "en"][..], &["en", ""], &["", ""], &[]] {
            assert_eq!((of(languages).weight(), of(languages).note()), (None, None), "{languages:?}");
        }
    }

    #[test]
    fn a_language_that_is_spelt_has_no_weight_and_the_model_stays_out_where_hardly_anything_is_read() {
        let all = of(&["zh"; 3]);
        assert_eq!(all.weight(), Some(0));
        assert!(all.note().is_some_and(|n| n.contains("3 documents in Chinese")
            && n.contains("words alone")
            && n.contains("--embedder")));
        let mut mixed = vec!["zh"; 20];
        mixed.push("en");
        assert_eq!(of(&mixed).weight(), Some(0));
        // Half of it is read; Chinese questions are known by their script.
        assert_eq!(of(&["zh", "en"]).weight(), None);
        assert!(of(&["zh", "en"]).note().is_some_and(|n| n.contains("1 document in Chinese")));
    }

    #[test]
    fn a_language_in_latin_letters_weighs_by_how_it_is_cut() {
        let half = of(&["de"]).weight();
        assert!(half.is_some_and(|w| w > 0 && w < 70), "{half:?}");
        let mixed = of(&["de", "en"]).weight();
        assert!(mixed > half && mixed < Some(70), "{mixed:?}");
    }
}
