//! Passages of a page that there is in several languages: one language of it is shown, the others are named
//! beside it.

use super::{Corpus, RankedChunk, Translation};
use crate::bundle::{BundleError, Translated, Translations};
use futures::future::{FutureExt, LocalBoxFuture};
use std::rc::Rc;

/// Pages in several languages, and the language that the reader wants.
pub(super) struct InLanguages {
    translations: Rc<Translations>,
    /// The language of the question, and that of its reader; empty where nothing tells it.
    wanted: [String; 2],
}

impl InLanguages {
    /// Loads them; `None` if no page is in several languages. The question's language wins over `reader`.
    ///
    /// # Errors
    /// [`BundleError`] when the section cannot be loaded.
    pub fn of<'a>(
        corpus: &'a Corpus,
        question: &'a str,
        reader: Option<&'a str>,
    ) -> LocalBoxFuture<'a, Result<Option<InLanguages>, BundleError>> {
        async move {
            if !corpus.bundle().has("translations") {
                return Ok(None);
            }
            let translations = corpus.bundle().section("translations", Translations::decode).await?;
            let tables = corpus.function_words().await;
            let asked = crate::answer::language_of(question, &tables).unwrap_or_default().to_owned();
            // Documents have the primary tag alone, `pt` of `pt-BR`.
            let mut reader = reader.unwrap_or_default().to_ascii_lowercase();
            reader.truncate(reader.bytes().position(|b| !b.is_ascii_lowercase()).unwrap_or(reader.len()));
            Ok(Some(InLanguages { translations, wanted: [asked, reader] }))
        }
        .boxed_local()
    }

    /// Leaves of each page the chunks in one language: the one that is wanted most, else that of its best
    /// chunk. The best of them stands where the page's best chunk in any language stood, with its score.
    /// Returned are those that stay in another's place, each with the best chunk of every language that went.
    /// `document_of` has the document of each chunk.
    pub fn fold(&self, document_of: &[u32], chunks: &mut Vec<RankedChunk>) -> Vec<(u32, Vec<Translation>)> {
        let of = |chunk: &RankedChunk| {
            document_of.get(chunk.chunk as usize).and_then(|d| self.translations.of(*d)).copied()
        };
        let mut documents: Vec<Option<Translated>> = chunks.iter().map(of).collect();
        let mut stays = vec![true; chunks.len()];
        let mut folded = Vec::new();
        for first in 0..chunks.len() {
            let Some(page) = documents[first].filter(|_| stays[first]) else { continue };
            let tag = |d: Translated| self.translations.language(d.language);
            // The chosen language: the most wanted, and of several equal the first.
            let (mut best, mut rank) = (first, usize::MAX);
            for (i, d) in (0..).zip(&documents) {
                let Some(d) = d.filter(|d| d.original == page.original) else { continue };
                let wanted = self.wanted.iter().position(|wanted| wanted == tag(d)).unwrap_or(usize::MAX);
                if wanted < rank {
                    (best, rank) = (i, wanted);
                }
            }
            // The page was met before: its remaining chunks are in that language, and this is one more of
            // them.
            let language = documents[best].map_or(page.language, |d| d.language);
            let mut others: Vec<Translation> = Vec::new();
            for i in first..chunks.len() {
                let Some(d) = documents[i]
                    .filter(|d| d.original == page.original && d.language != language && stays[i])
                else {
                    continue;
                };
                stays[i] = false;
                if others.iter().all(|t| t.language != tag(d)) {
                    others.push(Translation { language: tag(d).to_owned(), chunk: chunks[i].chunk });
                }
            }
            if language != page.language {
                let score = chunks[first].score;
                chunks.swap(first, best);
                documents.swap(first, best);
                stays.swap(first, best);
                chunks[first].score = score;
            }
            if !others.is_empty() {
                folded.push((chunks[first].chunk, others));
            }
        }
        let mut stays = stays.into_iter();
        chunks.retain(|_| stays.next() == Some(true));
        folded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pages in three languages (documents 0 to 2), in two (3 and 4) and in one (5), two chunks a document.
    fn in_languages(wanted: &[&str]) -> InLanguages {
        let of = |document, original, language| Translated { document, original, language };
        let documents = vec![of(0, 0, 0), of(1, 0, 1), of(2, 0, 2), of(3, 1, 1), of(4, 1, 0)];
        let languages = ["de", "en", "zh"].map(str::to_owned).to_vec();
        InLanguages {
            translations: Rc::new(Translations { languages, documents }),
            wanted: [0, 1].map(|i: usize| wanted.get(i).copied().unwrap_or_default().to_owned()),
        }
    }

    const DOCUMENT_OF: [u32; 12] = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5];

    fn ranked(chunks: &[u32]) -> Vec<RankedChunk> {
        let chunk = |(at, &chunk): (usize, &u32)| RankedChunk {
            chunk,
            score: 10.0 - at as f32,
            lexical: None,
            dense: None,
            reached: Vec::new(),
        };
        chunks.iter().enumerate().map(chunk).collect()
    }

    /// A chunk that stays, and the languages and chunks for which it stands.
    type Folded = (u32, Vec<(String, u32)>);

    fn folded(wanted: &[&str], chunks: &[u32]) -> (Vec<u32>, Vec<Folded>) {
        let mut chunks = ranked(chunks);
        let others = in_languages(wanted).fold(&DOCUMENT_OF, &mut chunks);
        let others = others
            .into_iter()
            .map(|(c, all)| (c, all.into_iter().map(|t| (t.language, t.chunk)).collect()))
            .collect();
        (chunks.iter().map(|c| c.chunk).collect(), others)
    }

    fn named(language: &str, chunk: u32) -> (String, u32) {
        (language.to_owned(), chunk)
    }

    #[test]
    fn a_page_in_several_languages_is_shown_in_the_one_of_its_best_passage() {
        let (kept, others) = folded(&[], &[2, 10, 0, 4, 3, 5, 8]);
        assert_eq!(kept, [2, 10, 3, 8]);
        assert_eq!(others, [(2, vec![named("de", 0), named("zh", 4)])]);
    }

    #[test]
    fn or_in_the_one_that_the_reader_wants_where_the_best_was() {
        let (kept, others) = folded(&["zh", "de"], &[2, 10, 0, 6, 5, 4, 11, 8, 9]);
        assert_eq!(kept, [5, 10, 8, 4, 11, 9]);
        assert_eq!(others, [(5, vec![named("en", 2), named("de", 0)]), (8, vec![named("en", 6)])]);
        let mut chunks = ranked(&[2, 10, 5]);
        in_languages(&["zh"]).fold(&DOCUMENT_OF, &mut chunks);
        assert_eq!(chunks.iter().map(|c| c.score).collect::<Vec<_>>(), [10.0, 9.0], "scores still fall");
    }

    #[test]
    fn a_language_that_no_passage_found_is_in_changes_nothing() {
        assert_eq!(folded(&["fr"], &[2, 0]), (vec![2], vec![(2, vec![named("de", 0)])]));
        assert_eq!(folded(&["zh"], &[6, 7]), (vec![6, 7], vec![]));
        assert_eq!(folded(&["zh"], &[]), (vec![], vec![]));
    }

    proptest! {
        #[test]
        fn every_page_keeps_one_language_and_its_first_place(
            chunks in Just((0..12).collect::<Vec<u32>>()).prop_shuffle(),
            wanted in prop::sample::subsequence(vec!["zh", "de", "en"], 0..3),
        ) {
            let languages = in_languages(&wanted);
            let of = |c: u32| languages.translations.of(DOCUMENT_OF[c as usize]).copied();
            let (kept, _) = folded(&wanted, &chunks);
            for original in 0..2 {
                let left: Vec<u32> = kept
                    .iter()
                    .filter_map(|c| of(*c))
                    .filter(|d| d.original == original)
                    .map(|d| d.language)
                    .collect();
                prop_assert_eq!(&left, &[left[0]; 2]);
            }
            // The pages come in the order of their best chunks.
            let order = |all: &[u32]| {
                let mut pages = Vec::new();
                for page in all.iter().map(|c| of(*c).map_or(9, |d| d.original)) {
                    if !pages.contains(&page) {
                        pages.push(page)
                    }
                }
                pages
            };
            prop_assert_eq!(order(&kept), order(&chunks));
        }
    }
}
