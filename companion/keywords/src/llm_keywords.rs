//! Builds the keyword graph with keywords from a language model.

use crate::autokg::{self, AutoKgError, AutoKgOptions, AutoKgReport, Stage, cluster_count};
use crate::extract::{ChunkView, Embed, ExtractError, LlmBound, LlmExtractor, LlmOptions, LlmUsage, LlmWork};
use pocketgraph_cache::Cache;
use pocketgraph_llm::{ChatConfig, Retry};
use pocketgraph_llm_client::chat::{identity, open_model};
use pocketgraph_native::progress::Progress;
use pocketgraph_search::keyword::KeywordGraph;
use std::sync::Arc;

/// Number of times that a failing request is repeated: a build can wait for minutes, a reader cannot.
const RETRIES: u32 = 8;

/// Model that names keywords, and its options.
#[derive(Debug, Clone)]
pub struct LlmKeywords {
    /// Address and settings of the model.
    pub chat: ChatConfig,
    /// Subject of the documents; `None` leaves it to the model.
    pub topic: Option<String>,
    /// Language of the keywords; `None` for that of the documents.
    pub language: Option<String>,
    /// Maximum number of concurrent requests. It affects the result: their clusters do not share keywords.
    pub at_once: usize,
}

impl LlmKeywords {
    /// Returns the options for the manifest: the model, but not its address, which may be private.
    pub fn described(&self) -> Vec<(String, String)> {
        let mut out = vec![
            ("keywords-llm".to_owned(), self.chat.model.clone()),
            ("llm-at-once".to_owned(), self.at_once.to_string()),
        ];
        out.extend(self.topic.iter().map(|t| ("topic".to_owned(), t.clone())));
        out.extend(self.language.iter().map(|l| ("language".to_owned(), l.clone())));
        out
    }

    fn options(&self) -> LlmOptions {
        LlmOptions {
            topic: self.topic.clone(),
            language: self.language.clone(),
            at_once: self.at_once,
            identity: identity(&self.chat),
        }
    }
}

/// Builds the keyword graph. A note before the first request has the maximum cost.
///
/// # Errors
/// [`AutoKgError::Extract`] if the model cannot be reached or fails; the cache keeps earlier replies.
#[allow(clippy::too_many_arguments)]
pub fn keyword_graph(
    llm: &LlmKeywords,
    cache: Option<Arc<Cache>>,
    chunks: &[ChunkView<'_>],
    vectors: &[Vec<f32>],
    embed: &Embed<'_>,
    options: &AutoKgOptions,
    chunk_tokens: usize,
    count: &dyn Fn(&str) -> usize,
    progress: &dyn Progress,
    hear: &dyn Fn(Stage, usize, usize),
) -> Result<((KeywordGraph, AutoKgReport), LlmUsage), AutoKgError> {
    let failed = |e: &dyn std::fmt::Display| AutoKgError::Extract(ExtractError::Failed(e.to_string()));
    let mut config = llm.chat.clone();
    config.retry = Retry { times: config.retry.times.max(RETRIES), ..config.retry };
    let chat = open_model(config).map_err(|e| failed(&e))?;
    let work = LlmWork {
        clusters: 2 * cluster_count(chunks.len(), options.clusters),
        c: options.c,
        l1: options.l1,
        l2: options.l2,
        m: options.m,
        chunk: chunk_tokens,
    };
    progress.note(&format!("keywords by {}: {}", llm.chat.model, LlmBound::of(&work, &llm.options(), count)));
    let mut extractor = LlmExtractor::new(chunks, chat.as_ref(), cache, llm.options(), options.m);
    let built = match autokg::build_with(&mut extractor, chunks.len(), vectors, embed, options, hear) {
        Err(AutoKgError::Extract(why @ ExtractError::NothingUsable { .. })) => {
            progress.note(&format!(
                "{why}; the built-in extractor names the keywords instead (--no-cache asks the model anew)"
            ));
            autokg::build_keyword_graph(chunks, vectors, embed, options, hear)?
        }
        built => built?,
    };
    Ok((built, extractor.usage()))
}
