//! The `lexical` retriever: BM25 alone. It needs no model and the fewest bytes.

use super::{Corpus, DEFAULT_K, Query, Ranked, RankedChunk, Reached, Retrieval, Retriever, Stage};
use crate::lexical;
use futures::future::FutureExt;

/// BM25 alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lexical;

impl Retriever for Lexical {
    fn name(&self) -> &'static str {
        "lexical"
    }

    fn uses_vector(&self) -> bool {
        false
    }

    fn retrieve<'a>(&'a self, corpus: &'a Corpus, query: &'a Query, k: Option<usize>) -> Retrieval<'a> {
        async move {
            let found = lexical::search(
                corpus.bundle(),
                &query.lexical,
                k.unwrap_or(DEFAULT_K),
                query.kept.as_deref(),
            )
            .await?;
            let chunks = found.hits.iter().map(|h| RankedChunk {
                chunk: h.index,
                score: h.score,
                lexical: Some(h.score),
                dense: None,
                reached: vec![Reached::Query],
            });
            Ok(Ranked {
                stage: Stage::Lexical,
                chunks: chunks.collect(),
                document_frequency: found.document_frequency,
                missing: found.missing,
                ..Ranked::default()
            })
        }
        .boxed_local()
    }
}
