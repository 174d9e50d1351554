//! The vocabulary and the word vectors of a model that cuts texts by the unigram model: the pieces that the
//! corpus has, those that its letters can say, those of the languages that questions will be in, and the
//! commonest of all.

use super::model::write_pages;
use super::vocabulary::count_ids;
use super::writer::{GZIP, SectionWriter, WriteError};
use pocketgraph::bundle::{Chunk, Document};
use pocketgraph::embed::UnigramVocabulary;
use pocketgraph::vector::{QuantizedMatrix, QuantizedVector};
use pocketgraph_languages::QuestionLanguage;
use pocketgraph_models::e5::{self, QUESTION, Vocabulary};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Number of the most frequent pieces of all languages that every bundle carries, for questions in other
/// scripts than the corpus. Ids are in the order of frequency in the vocabulary's own training. Of the
/// corpus's letters all pieces are carried, because a word that is cut into other pieces is another word to
/// the model.
const COMMON: usize = 16_000;
/// First letter, Greek's, of the blocks whose letters are all carried if one letter of the corpus in
/// [`ONE_IN`] is of the block: they have fewer pieces than Latin letters have, and no corpus has all Chinese
/// letters.
const FIRST_WHOLE: char = '\u{370}';
/// See [`FIRST_WHOLE`].
const ONE_IN: u64 = 100;
/// Number of word vectors that share a page: about 30 kB. A question has some ten pieces, of which the
/// corpus's commonest share the first pages.
const ROWS_PER_PAGE: usize = 128;
/// Number of pieces that share the first rows, and how many those up to the second.
const TIERS: [usize; 2] = [512, 2048];

/// Writes the vocabulary and the word vectors.
pub fn write_unigram(
    w: &mut SectionWriter,
    vocabulary: &Vocabulary,
    words: &QuantizedMatrix,
    documents: &[Document],
    chunks: &[Chunk],
    questions: &[QuestionLanguage],
) -> Result<(), WriteError> {
    let order = order_pieces(vocabulary, &count_pieces(vocabulary, documents, chunks), questions);
    let piece = |&id: &u32| vocabulary.pieces.get(id as usize).cloned().unwrap_or_default();
    let section = UnigramVocabulary {
        folding: vocabulary.folding.clone(),
        unknown: vocabulary.unknown.1,
        mean: e5::read_mean(e5::TextRole::Question),
        pieces: order.iter().map(piece).collect(),
    };
    w.section("vocabulary", &section.encode(), GZIP, &[])?;
    let pages = order.chunks(ROWS_PER_PAGE).map(|run| {
        let mut page = QuantizedMatrix::empty(words.dim());
        for &id in run.iter().filter(|&&id| (id as usize) < words.rows()) {
            let (data, scale) = words.row(id as usize);
            page.push(&QuantizedVector { data: data.to_vec(), scale });
        }
        page
    });
    write_pages(w, pages)
}

/// Counts how often the corpus has each piece.
fn count_pieces(vocabulary: &Vocabulary, documents: &[Document], chunks: &[Chunk]) -> Vec<u64> {
    count_ids(chunks, vocabulary.pieces.len(), |chunk| {
        let title = documents.get(chunk.document as usize).map_or("", |d| d.title.as_str());
        vocabulary.tokenizer.cut(&chunk.context(title), usize::MAX)
    })
}

/// Letters that belong together: those of a script, or a part of it.
fn block(c: char) -> u32 {
    if ('\u{3400}'..'\u{a000}').contains(&c) { 0x3400 >> 7 } else { u32::from(c) >> 7 }
}

/// The pieces that are carried: the special ones, then in tiers by how common they are in the corpus, each
/// tier by id.
fn order_pieces(vocabulary: &Vocabulary, counts: &[u64], questions: &[QuestionLanguage]) -> Vec<u32> {
    let special = [vocabulary.ends[0], vocabulary.ends[1], vocabulary.unknown.0];
    let prefix: BTreeSet<u32> = vocabulary.tokenizer.cut(QUESTION, usize::MAX).into_iter().collect();
    // What every question has comes first.
    let count = |id: &u32| {
        if prefix.contains(id) { u64::MAX } else { counts.get(*id as usize).copied().unwrap_or(0) }
    };
    let text = |id: &u32| vocabulary.pieces.get(*id as usize).is_some_and(|p| !p.0.is_empty());
    let counted =
        || (0u32..).zip(&vocabulary.pieces).map(|(id, p)| (p.0.as_str(), count(&id))).filter(|(_, n)| *n > 0);
    let letters: BTreeSet<char> = counted().flat_map(|(text, _)| text.chars()).collect();
    let mut blocks: BTreeMap<u32, u64> = BTreeMap::new();
    for (c, n) in
        counted().filter(|(_, n)| *n < u64::MAX).flat_map(|(text, n)| text.chars().map(move |c| (c, n)))
    {
        *blocks.entry(block(c)).or_default() += n;
    }
    let least = (blocks.values().sum::<u64>() / ONE_IN).max(1);
    let whole = |c: char| c >= FIRST_WHOLE && blocks.get(&block(c)).is_some_and(|n| *n >= least);
    let asked = |c: char| questions.iter().any(|language| language.has(c));
    let written = |id: &u32| {
        vocabulary
            .pieces
            .get(*id as usize)
            .is_some_and(|p| p.0.chars().all(|c| letters.contains(&c) || whole(c) || asked(c)))
    };
    let wanted = |id: &u32| text(id) && (*id < COMMON as u32 || count(id) > 0 || written(id));
    let mut ranked: Vec<u32> = (0..vocabulary.pieces.len() as u32).filter(wanted).collect();
    ranked.sort_by_key(|id| (Reverse(count(id)), *id));
    let (first, rest) = ranked.split_at(TIERS[0].min(ranked.len()));
    let (second, third) = rest.split_at((TIERS[1] - TIERS[0]).min(rest.len()));
    let by_id = |tier: &[u32]| tier.iter().copied().collect::<BTreeSet<u32>>();
    special.into_iter().chain([first, second, third].into_iter().flat_map(by_id)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph::text::{Folding, Unigram};

    /// A vocabulary whose pieces beyond the common ones are ` q…`, and whose prefix is one of them.
    fn vocabulary() -> Vocabulary {
        let special = ["", "", "", ""].map(|t| (t.to_owned(), 0));
        let common = (4..COMMON).map(|i| (format!(" c{i}"), -300_000));
        let rare =
            [" query", ":", " quay", " quail", " racquet", "日", "本"].map(|t| (t.to_owned(), -500_000));
        let pieces: Vec<(String, i32)> = special.into_iter().chain(common).chain(rare).collect();
        let borrowed: Vec<(&str, i32)> = pieces.iter().map(|(t, s)| (t.as_str(), *s)).collect();
        let tokenizer = Unigram::new(Folding::default(), &borrowed, (3, -1_000_000));
        Vocabulary { tokenizer, folding: Folding::default(), pieces, ends: [0, 2], unknown: (3, -1_000_000) }
    }

    #[test]
    fn the_corpus_pieces_the_prefix_and_the_common_ones_are_carried_the_commonest_first() {
        let v = vocabulary();
        let id = |text: &str| v.pieces.iter().position(|p| p.0 == text).unwrap() as u32;
        let text = "quay c900 quay c7";
        let chunk = Chunk {
            document: 0,
            heading_path: Vec::new(),
            fragment: String::new(),
            text: text.into(),
            start: 0,
            end: text.len() as u32,
        };
        let counted = count_pieces(&v, &[], std::slice::from_ref(&chunk));
        let order = super::order_pieces(&v, &counted, &[]);
        assert_eq!(order[..3], [0, 2, 3], "what stands around texts, and what is unknown");
        let place = |text: &str| order.iter().position(|&o| o == id(text));
        for text in [" quay", " c900", " c7", " query", ":"] {
            assert!(place(text).is_some_and(|p| p < TIERS[0] + 3), "{text}");
        }
        assert!(place(&format!(" c{}", COMMON - 1)).is_some());
        assert!(
            place(" racquet").is_none() && place(" quail").is_none(),
            "neither common nor in letters of the corpus"
        );
        assert!(place("日").is_none() && place("本").is_none(), "of a block that the corpus does not have");
        assert!(place(" query").is_some(), "what stands before every question");
        // Questions in Chinese bring the letters of Chinese.
        let asked = super::order_pieces(&v, &counted, &["zh".parse().unwrap()]);
        assert!(asked.contains(&id("日")) && asked.contains(&id("本")) && !asked.contains(&id(" racquet")));
        // A letter of a block brings the others.
        let chinese = Chunk { text: "日".into(), ..chunk };
        let order = super::order_pieces(&v, &count_pieces(&v, &[], &[chinese]), &[]);
        assert!(order.contains(&id("本")));
        let unique: BTreeSet<u32> = order.iter().copied().collect();
        assert_eq!(unique.len(), order.len());
    }
}
