//! Rankings in which documents count for more or less, as the bundle says.

use super::{Corpus, Query, Ranked, Retriever};
use crate::bundle::{BundleError, WeightGroup};
use crate::compact::sort_by;
use futures::future::{FutureExt, LocalBoxFuture};

/// So many times as many chunks are ranked as are wanted where weights may move some of them down.
const MORE: usize = 3;

/// What a retriever ranks, its scores multiplied by the weights of the bundle; as it is where the bundle has none.
///
/// # Errors
/// Those of [`Retriever::retrieve`].
pub fn weighed<'a>(
    retriever: &'a dyn Retriever,
    corpus: &'a Corpus,
    query: &'a Query,
    k: Option<usize>,
) -> LocalBoxFuture<'a, Result<Ranked, BundleError>> {
    async move {
        let asked = |g: &&WeightGroup| !g.unless.iter().any(|term| query.lexical.terms.contains(term));
        let weights = corpus.weights().await;
        let groups: Vec<&WeightGroup> = weights.iter().filter(asked).collect();
        if groups.is_empty() {
            return retriever.retrieve(corpus, query, k).await;
        }
        let k = k.or_else(|| retriever.default_k());
        let mut ranked = retriever.retrieve(corpus, query, k.map(|k| k.saturating_mul(MORE))).await?;
        for chunk in &mut ranked.chunks {
            if let Some(group) = groups.iter().find(|g| g.holds(chunk.chunk)) {
                let weight = group.percent as f32 / 100.0;
                // What is below zero rises as it nears it.
                chunk.score = if chunk.score < 0.0 { chunk.score / weight } else { chunk.score * weight };
            }
        }
        sort_by(&mut ranked.chunks, |a, b| b.score.total_cmp(&a.score));
        ranked.chunks.truncate(k.unwrap_or(usize::MAX));
        Ok(ranked)
    }
    .boxed_local()
}
