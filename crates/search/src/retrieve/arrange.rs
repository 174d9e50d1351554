//! From what a retriever ranks to the list that is shown: documents count for more or less, as the bundle
//! says, one page does not fill it, nonsense finds nothing.

use super::translated::InLanguages;
use super::{Corpus, Query, RankedChunk, Reached, Retrieval, Retriever};
use crate::bundle::WeightGroup;
use crate::compact::sort_by;
use crate::kept::is_kept;
use futures::future::FutureExt;

/// Factor by which more chunks are ranked than are wanted, because weights or pages may move some of them
/// down.
const MORE: usize = 3;

/// The least cosine of a question and a passage that share no word, for the passage to be shown where the
/// embedder is `minilm`. Hand-set: in `tuning/nonsense.mjs` .99 of made-up words stay below it; of the
/// handbook's dialogues' questions, which share words with it and are shown whatever it is, .95 are above.
const NEAR_ENOUGH: f32 = 0.35;

/// Ranks chunks by a retriever and the bundle's weights, at most `per_page` of a page before those of others.
/// Of a page in several languages one remains, the question's or else `reader`'s. The result is empty if
/// words were searched and no chunk has one of them, is named, was led to or is near in meaning.
///
/// # Errors
/// Those of [`Retriever::retrieve`].
pub fn arrange_chunks<'a>(
    retriever: &'a dyn Retriever,
    corpus: &'a Corpus,
    query: &'a Query,
    k: Option<usize>,
    per_page: Option<usize>,
    reader: Option<&'a str>,
) -> Retrieval<'a> {
    async move {
        let asked = |g: &&WeightGroup| !g.unless.iter().any(|term| query.lexical.terms.contains(term));
        let weights = corpus.weights().await;
        let groups: Vec<&WeightGroup> = weights.iter().filter(asked).collect();
        let k = k.or_else(|| retriever.default_k());
        // What is being typed changes with the next letter, and is to cost as little as it can.
        let per_page = per_page.filter(|_| query.lexical.prefix.is_none());
        // Without the list of translations each language stands for itself.
        let languages = InLanguages::of(corpus, &query.text, reader).await.unwrap_or_default();
        let more = if groups.is_empty() && per_page.is_none() && languages.is_none() { 1 } else { MORE };
        let mut asked = k.map(|k| k.saturating_mul(more));
        let mut ranked = loop {
            let mut ranked = retriever.retrieve(corpus, query, asked).await?;
            let found = ranked.chunks.len();
            ranked.chunks.retain(|c| is_kept(query.kept.as_deref(), c.chunk));
            // A retriever that walks a graph finds what is not searched, too, and then finds more.
            match asked.zip(k) {
                Some((n, k)) if found >= n && ranked.chunks.len() < k => asked = Some(n.saturating_mul(MORE)),
                _ => break ranked,
            }
        };
        // Where the words of the question were looked for.
        let unknown =
            !ranked.document_frequency.is_empty() && ranked.document_frequency.values().all(|&n| n == 0);
        if unknown && corpus.bundle().manifest().embedder.id == "minilm" && ranked.chunks.iter().all(is_far) {
            ranked.chunks.clear();
        }
        for chunk in &mut ranked.chunks {
            if let Some(group) = groups.iter().find(|g| g.holds(chunk.chunk)) {
                let weight = group.percent as f32 / 100.0;
                // What is below zero rises as it nears it.
                chunk.score = if chunk.score < 0.0 { chunk.score / weight } else { chunk.score * weight };
            }
        }
        if !groups.is_empty() {
            sort_by(&mut ranked.chunks, |a, b| b.score.total_cmp(&a.score));
        }
        if let Some(languages) = languages
            && let Ok(pages) = corpus.chunk_documents().await
        {
            ranked.translations = languages.fold(&pages.of, &mut ranked.chunks);
        }
        if let Some(most) = per_page
            && let Ok(pages) = corpus.chunk_documents().await
        {
            spread_pages(&pages.of, &mut ranked.chunks, most);
        }
        keep_nearest(&mut ranked.chunks, k);
        Ok(ranked)
    }
    .boxed_local()
}

/// Keeps the first `k` chunks, and those that keywords bring on top of them.
fn keep_nearest(chunks: &mut Vec<RankedChunk>, k: Option<usize>) {
    let mut left = k.unwrap_or(usize::MAX);
    chunks.retain(|chunk| {
        let nearest = !Reached::by_keyword_alone(&chunk.reached);
        let keep = !nearest || left > 0;
        left = left.saturating_sub(usize::from(nearest));
        keep
    });
}

/// Returns true if nothing shows that a chunk has to do with the question.
fn is_far(chunk: &RankedChunk) -> bool {
    chunk.lexical.is_none_or(|score| score <= 0.0)
        && chunk.dense.is_some_and(|cosine| cosine < NEAR_ENOUGH)
        && chunk.reached.iter().all(|way| *way == Reached::Query)
}

/// Puts what a page has beyond its `most` best chunks behind the others; `page_of` has the page of each
/// chunk.
fn spread_pages(page_of: &[u32], chunks: &mut Vec<RankedChunk>, most: usize) {
    let mut seen = Vec::new();
    let mut over = Vec::new();
    let mut kept = Vec::new();
    for chunk in std::mem::take(chunks) {
        let page = page_of.get(chunk.chunk as usize);
        seen.push(page);
        // Lists are short: counting is quick.
        if page.is_some() && seen.iter().filter(|other| **other == page).count() > most {
            over.push(chunk)
        } else {
            kept.push(chunk)
        }
    }
    kept.append(&mut over);
    *chunks = kept;
}
