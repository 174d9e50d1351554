//! The `dense` retriever: cosine between the question's vector and the chunks', over the cells nearest to the
//! question.

use super::fusion::query_vector;
use super::scan::survey_chunks;
use super::{Corpus, DEFAULT_K, Query, Ranked, RankedChunk, Reached, Retrieval, Retriever, Stage};
use crate::bundle::BundleError;
use crate::lexical;
use futures::future::{FutureExt, LocalBoxFuture};

/// Cosine alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dense;

/// The question's vector or its stand-in, and where that comes from.
pub struct QuestionVector {
    /// The vector; `None` when nothing speaks for the question.
    pub vector: Option<Vec<f32>>,
    /// Stage of the vector.
    pub stage: Stage,
    /// BM25's best chunks, if they replace the question.
    pub near: Vec<u32>,
    /// Parts that could not be loaded.
    pub missing: Vec<String>,
}

/// The question's vector, or its stand-in.
pub fn question_vector<'a>(
    corpus: &'a Corpus,
    query: &'a Query,
) -> LocalBoxFuture<'a, Result<QuestionVector, BundleError>> {
    async move {
        let hits = match query.vector {
            Some(_) => Vec::new(),
            None => lexical::search(corpus.bundle(), &query.lexical, 100, query.kept.as_deref()).await?.hits,
        };
        let (vector, stage, missing) = query_vector(corpus, query, &hits).await?;
        Ok(QuestionVector { vector, stage, near: hits.iter().map(|h| h.index).collect(), missing })
    }
    .boxed_local()
}

impl Retriever for Dense {
    fn name(&self) -> &'static str {
        "dense"
    }

    fn retrieve<'a>(&'a self, corpus: &'a Corpus, query: &'a Query, k: Option<usize>) -> Retrieval<'a> {
        async move {
            let QuestionVector { vector, stage, near, mut missing } = question_vector(corpus, query).await?;
            let mut chunks = Vec::new();
            if let Some(vector) = vector {
                let found =
                    survey_chunks(corpus, &vector, stage, k.unwrap_or(DEFAULT_K), &near, query.kept.clone())
                        .await?;
                missing.extend(found.missing);
                chunks.extend(found.best.iter().map(|h| RankedChunk {
                    chunk: h.index,
                    score: h.score,
                    lexical: None,
                    dense: Some(h.score),
                    reached: vec![Reached::Query],
                }));
            }
            Ok(Ranked { stage, chunks, missing, ..Ranked::default() })
        }
        .boxed_local()
    }
}
