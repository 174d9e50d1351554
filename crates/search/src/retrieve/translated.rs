//! Passages of a page that there is in several languages: one language of it is shown, the others are named beside it.

use super::{Corpus, RankedChunk, Translation};
use crate::bundle::{BundleError, Translated, Translations};
use futures::future::{FutureExt, LocalBoxFuture};
use std::rc::Rc;

/// What there is in several languages, and which of these a reader wants.
pub(super) struct InLanguages {
    translations: Rc<Translations>,
    /// Tags, the most wanted first.
    wanted: Vec<String>,
}

/// A page of which there are chunks in the list.
struct Page {
    original: u32,
    /// The language that is shown.
    language: u32,
    /// Where its best chunk stands, in whatever language, and the score of that.
    place: usize,
    score: f32,
    /// The best chunk of each language that is not shown.
    others: Vec<(u32, u32)>,
}

impl InLanguages {
    /// What the bundle has; `None` where it has nothing in several languages. A reader wants the language of the question, where its function words tell it, then `reader`.
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
            let wanted = crate::answer::language_of(question, &tables).into_iter().chain(reader).map(str::to_owned).collect();
            Ok(Some(InLanguages { translations, wanted }))
        }
        .boxed_local()
    }

    /// Leaves of each page the chunks in one language: the one that is wanted most, else that of its best chunk. The best of them stands where the page's best chunk in
    /// any language stood, with its score. Returned are those that stay in another's place, each with the best chunk of every language that went. `document_of` has the
    /// document of each chunk.
    pub fn fold(&self, document_of: &[u32], chunks: &mut Vec<RankedChunk>) -> Vec<(u32, Vec<Translation>)> {
        let of = |chunk: &RankedChunk| document_of.get(chunk.chunk as usize).and_then(|d| self.translations.of(*d)).copied();
        let rank = |d: &Translated| self.wanted.iter().position(|tag| tag == self.translations.language(d.language)).unwrap_or(usize::MAX);
        let mut shown: Vec<Translated> = Vec::new();
        for d in chunks.iter().filter_map(of) {
            match shown.iter_mut().find(|s| s.original == d.original) {
                Some(best) if rank(&d) < rank(best) => *best = d,
                Some(_) => {}
                None => shown.push(d),
            }
        }
        let mut pages: Vec<Page> = Vec::new();
        let mut kept: Vec<Option<RankedChunk>> = Vec::new();
        for mut chunk in std::mem::take(chunks) {
            let Some((d, best)) = of(&chunk).and_then(|d| Some((d, shown.iter().find(|s| s.original == d.original)?))) else {
                kept.push(Some(chunk));
                continue;
            };
            let at = pages.iter().position(|p| p.original == d.original).unwrap_or_else(|| {
                pages.push(Page {
                    original: d.original,
                    language: best.language,
                    place: kept.len(),
                    score: chunk.score,
                    others: Vec::new(),
                });
                kept.push(None);
                pages.len() - 1
            });
            let page = &mut pages[at];
            if d.language == page.language {
                match kept.get_mut(page.place) {
                    Some(place) if place.is_none() => {
                        chunk.score = page.score;
                        *place = Some(chunk);
                    }
                    _ => kept.push(Some(chunk)),
                }
            } else if page.others.iter().all(|(language, _)| *language != d.language) {
                page.others.push((d.language, chunk.chunk));
            }
        }
        let named = |(language, chunk): (u32, u32)| Translation { language: self.translations.language(language).to_owned(), chunk };
        let folded = pages.into_iter().filter(|p| !p.others.is_empty()).filter_map(|p| {
            let chunk = kept.get(p.place)?.as_ref()?.chunk;
            Some((chunk, p.others.into_iter().map(named).collect()))
        });
        let folded = folded.collect();
        *chunks = kept.into_iter().flatten().collect();
        folded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A page in three languages (documents 0 to 2, chunks 0 to 5), one in two (3 and 4, chunks 6 to 9) and one in one (5, chunks 10 and 11), two chunks a document.
    fn in_languages(wanted: &[&str]) -> InLanguages {
        let of = |document, original, language| Translated { document, original, language };
        let documents = vec![of(0, 0, 0), of(1, 0, 1), of(2, 0, 2), of(3, 1, 1), of(4, 1, 0)];
        let languages = ["de", "en", "zh"].map(str::to_owned).to_vec();
        InLanguages {
            translations: Rc::new(Translations { languages, documents }),
            wanted: wanted.iter().map(|w| (*w).to_owned()).collect(),
        }
    }

    const DOCUMENT_OF: [u32; 12] = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5];

    fn ranked(chunks: &[u32]) -> Vec<RankedChunk> {
        let chunk =
            |(at, &chunk): (usize, &u32)| RankedChunk { chunk, score: 10.0 - at as f32, lexical: None, dense: None, reached: Vec::new() };
        chunks.iter().enumerate().map(chunk).collect()
    }

    fn folded(wanted: &[&str], chunks: &[u32]) -> (Vec<u32>, Vec<(u32, Vec<(String, u32)>)>) {
        let mut chunks = ranked(chunks);
        let others = in_languages(wanted).fold(&DOCUMENT_OF, &mut chunks);
        let others = others.into_iter().map(|(c, all)| (c, all.into_iter().map(|t| (t.language, t.chunk)).collect())).collect();
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
    fn or_in_the_one_that_the_reader_wants_where_the_best_stood() {
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
        fn every_page_keeps_one_language_and_its_first_place(chunks in Just((0..12).collect::<Vec<u32>>()).prop_shuffle(), wanted in prop::sample::subsequence(vec!["zh", "de", "en"], 0..3)) {
            let languages = in_languages(&wanted);
            let of = |c: u32| languages.translations.of(DOCUMENT_OF[c as usize]).copied();
            let (kept, _) = folded(&wanted, &chunks);
            for original in 0..2 {
                let left: Vec<u32> = kept.iter().filter_map(|c| of(*c)).filter(|d| d.original == original).map(|d| d.language).collect();
                prop_assert_eq!(&left, &[left[0]; 2]);
            }
            // The pages come in the order of their best chunks.
            let order = |all: &[u32]| {
                let mut pages = Vec::new();
                for page in all.iter().map(|c| of(*c).map_or(9, |d| d.original)) {
                    if !pages.contains(&page) { pages.push(page) }
                }
                pages
            };
            prop_assert_eq!(order(&kept), order(&chunks));
        }
    }
}
