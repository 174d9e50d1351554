//! From ranked chunks to hits that can be shown: text, place, highlights.

use super::{Corpus, Elsewhere, Hit, Query, Ranked, RankedChunk, SearchResult, Span};
use crate::bundle::{BundleError, Chunk, Document};
use crate::compact::sort_unique;
use crate::lexical::LexicalQuery;
use crate::text::{fold, terms, words};
use futures::future::{FutureExt, LocalBoxFuture};

/// Returns the places of the question's words in `text`: byte spans, ascending, not overlapping.
pub fn highlights(text: &str, query: &LexicalQuery) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    for (term, span) in terms(text) {
        let prefix = || query.prefix.as_deref().is_some_and(|p| fold(&text[span.clone()]).starts_with(p));
        if query.terms.contains(&term) || prefix() {
            let span = Span { start: span.start as u32, end: span.end as u32 };
            if out.last().is_none_or(|l| l.end <= span.start) {
                out.push(span);
            }
        }
    }
    out
}

fn build_hit(ranked: RankedChunk, chunk: Chunk, document: &Document, query: &LexicalQuery) -> Hit {
    Hit {
        chunk: ranked.chunk,
        score: ranked.score,
        lexical: ranked.lexical,
        dense: ranked.dense,
        title: document.title.clone(),
        language: document.language.clone(),
        url: chunk.address_on(&document.url),
        heading_path: chunk.heading_path,
        highlights: highlights(&chunk.text, query),
        text: chunk.text,
        reached: ranked.reached,
        translations: Vec::new(),
        elsewhere: Vec::new(),
    }
}

/// Loads the texts of ranked chunks and makes hits. If a page cannot be loaded, `missing` names it.
///
/// # Errors
/// [`BundleError`] when the documents or the list of chunk pages cannot be loaded.
pub fn present_hits<'a>(
    corpus: &'a Corpus,
    query: &'a Query,
    retriever: &'a str,
    ranked: Ranked,
) -> LocalBoxFuture<'a, Result<SearchResult, BundleError>> {
    async move {
        let ids: Vec<u32> = ranked.chunks.iter().map(|c| c.chunk).collect();
        let (mut passages, lost) = corpus.passages(&ids).await?;
        let mut missing = ranked.missing;
        missing.extend(lost);
        sort_unique(&mut missing);
        let mut translations = ranked.translations;
        let hits = ranked
            .chunks
            .into_iter()
            .filter_map(|r| {
                let (chunk, document) = passages.remove(&r.chunk)?;
                let mut hit = build_hit(r, chunk, &document, &query.lexical);
                if let Some((_, others)) = translations.iter_mut().find(|(chunk, _)| *chunk == hit.chunk) {
                    hit.translations = std::mem::take(others);
                }
                Some(hit)
            })
            .collect();
        Ok(SearchResult {
            question: query.text.clone(),
            retriever: retriever.to_owned(),
            stage: ranked.stage,
            hits,
            keywords: ranked.keywords,
            missing,
        })
    }
    .boxed_local()
}

/// Leaves of hits with the same text under the same heading the best, which names the pages of the others.
/// Under another heading a text says another thing: "On by default."
pub fn leave_once(hits: &mut Vec<Hit>) {
    let mut kept: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits.drain(..) {
        let same = |k: &&mut Hit| k.text == hit.text && k.heading_path.last() == hit.heading_path.last();
        let Some(best) = kept.iter_mut().find(same) else {
            kept.push(hit);
            continue;
        };
        if best.url != hit.url && best.elsewhere.iter().all(|e| e.url != hit.url) {
            best.elsewhere.push(Elsewhere { title: hit.title, url: hit.url });
        }
    }
    *hits = kept;
}

/// Puts the best hit of a page first whose title is the query.
pub fn put_titled_first(hits: &mut [Hit], query: &str) {
    let folded = |text: &str| words(text).iter().map(|w| fold(w.text)).collect::<Vec<_>>();
    let asked = folded(query);
    if let Some(at) = hits.iter().position(|hit| folded(&hit.title) == asked) {
        hits[..=at].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_on_several_pages_is_one_hit_that_names_the_others() {
        let hit = |title: &str, url: &str, heading: &str| {
            let hit = crate::hits::hit(0, title, &[heading], "Run the installer.");
            Hit { url: url.to_owned(), ..hit }
        };
        let mut hits = vec![
            hit("Windows", "a/x", "Install"),
            hit("Linux", "b", "Install"),
            hit("Windows", "x", "Install"),
            hit("Linux", "b", "Install"),
            hit("Windows", "a/x", "Update"),
        ];
        leave_once(&mut hits);
        let urls: Vec<Vec<&str>> = hits
            .iter()
            .map(|h| {
                [&h.url].into_iter().chain(h.elsewhere.iter().map(|e| &e.url)).map(String::as_str).collect()
            })
            .collect();
        assert_eq!(urls, [vec!["a/x", "b", "x"], vec!["a/x"]]);
    }

    #[test]
    fn a_page_whose_title_is_the_query_comes_first() {
        let titled = |title: &str| crate::hits::hit(0, title, &[], "It turns.");
        let mut hits = vec![titled("Lathes"), titled("Band saws"), titled("Band saw")];
        put_titled_first(&mut hits, "band  saw");
        assert_eq!(
            hits.iter().map(|h| h.title.as_str()).collect::<Vec<_>>(),
            ["Band saw", "Lathes", "Band saws"]
        );
        put_titled_first(&mut hits, "saw");
        assert_eq!(hits[0].title, "Band saw");
    }

    #[test]
    fn highlights_mark_other_forms_of_the_questions_words() {
        let q = LexicalQuery::new("running caches", false);
        let text = "It runs; the Cache was run.";
        let marked: Vec<&str> =
            highlights(text, &q).iter().map(|s| &text[s.start as usize..s.end as usize]).collect();
        assert_eq!(marked, ["runs", "Cache", "run"]);
    }
}
