//! Extracts keywords by a language model, with the parts of the AutoKG paper's prompts.

mod bound;
mod prompts;
mod reply;

pub use bound::{LlmBound, LlmWork};

use super::refine::{normalise_keyword, stem_keyword};
use super::{ChunkView, ExtractError, Extractor, Request};
use pocketgraph_cache::Cache;
use pocketgraph_llm::{ChatModel, ChatRequest};
use pocketgraph_llm_client::asker::{self, Asker, Asking, NoCache, ReplyCache};
use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;

/// Options for a model beyond the numbers of Algorithm 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmOptions {
    /// Subject of the documents; `None` leaves it to the model.
    pub topic: Option<String>,
    /// Language of the keywords; `None` for that of the documents.
    pub language: Option<String>,
    /// Maximum number of concurrent requests.
    pub at_once: usize,
    /// Identity of the model in the cache of replies: its address and name.
    pub identity: String,
}

/// Usage of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LlmUsage {
    /// Number of replies needed.
    pub replies: usize,
    /// Number of these found in the cache.
    pub reused: usize,
    /// Number of replies without usable content.
    pub unusable: usize,
    /// Number of requests that the endpoint refused for their content; the graph lacks their replies.
    pub refused: usize,
    /// Tokens read, by the endpoint's count, without cached replies.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
}

/// Asks a model for the keywords of each cluster, and to refine the list in three steps. The cache keeps
/// every reply by the hash of its request, so that no build pays twice.
pub struct LlmExtractor<'a> {
    texts: Vec<&'a str>,
    chat: &'a dyn ChatModel,
    cache: Option<Arc<Cache>>,
    options: LlmOptions,
    asking: Asking,
    usage: Cell<LlmUsage>,
    /// l2 of the last request, which limits the refinement too.
    words: usize,
    /// m: number of keywords in one request of the refinement.
    batch: usize,
}

impl<'a> LlmExtractor<'a> {
    /// Creates an extractor over `chunks`; a request of the refinement has `batch` keywords.
    pub fn new(
        chunks: &[ChunkView<'a>],
        chat: &'a dyn ChatModel,
        cache: Option<Arc<Cache>>,
        options: LlmOptions,
        batch: usize,
    ) -> Self {
        let texts = chunks.iter().map(|c| c.text).collect();
        let asking =
            Asking { identity: options.identity.clone(), concurrency: options.at_once, ..Asking::new("") };
        LlmExtractor {
            texts,
            chat,
            cache,
            options,
            asking,
            usage: Cell::default(),
            words: 3,
            batch: batch.max(20),
        }
    }

    /// Returns the usage so far.
    pub fn usage(&self) -> LlmUsage {
        self.usage.get()
    }

    /// Returns the replies to requests, in their order, at most `at_once` concurrently. `read` returns the
    /// usable part of a reply; others are not cached. If a request fails, open ones are awaited: they are
    /// paid for.
    fn ask_all<T>(
        &self,
        requests: Vec<ChatRequest>,
        read: &dyn Fn(usize, &str) -> Option<T>,
    ) -> Result<Vec<Option<T>>, ExtractError> {
        let cache: &dyn ReplyCache = match &self.cache {
            Some(cache) => cache,
            None => &NoCache,
        };
        let asker = Asker::new(self.chat, cache, &self.asking);
        let wanted = requests.len();
        let asked = requests
            .into_iter()
            .enumerate()
            .map(|(i, request)| asker.ask(request, move |text| read(i, text)));
        let replies = asker::run_requests(asker.all(asked, &|_| {}));
        let tally = asker.tally();
        let mut usage = self.usage.get();
        usage.replies += wanted;
        usage.reused += tally.kept;
        usage.unusable += tally.unusable;
        usage.refused += tally.refused;
        usage.prompt_tokens += tally.tokens.0;
        usage.completion_tokens += tally.tokens.1;
        self.usage.set(usage);
        // A missing keyword would change the graph, so every reply must be there.
        match (replies, asker.failure().filter(|_| tally.failed > tally.refused)) {
            (Err(e), _) | (Ok(_), Some(e)) => Err(ExtractError::Failed(e.to_string())),
            (Ok(replies), None) => Ok(replies),
        }
    }

    /// Runs one step of the refinement in batches. `merge` combines a batch with the model's answer; if it
    /// returns `None`, the batch stays unchanged.
    fn run_step(
        &self,
        step: prompts::Step,
        keywords: Vec<String>,
        merge: fn(&[String], Vec<String>) -> Option<Vec<String>>,
    ) -> Result<Vec<String>, ExtractError> {
        let batches: Vec<&[String]> = keywords.chunks(self.batch).collect();
        let requests = batches
            .iter()
            .map(|batch| prompts::ask_refinement(step, batch, self.words, &self.options))
            .collect();
        let read = |i: usize, text: &str| {
            let batch = batches.get(i)?;
            merge(batch, reply::parse_keywords(text, 2 * batch.len(), self.words))
        };
        let merged = self.ask_all(requests, &read)?;
        let mut seen = HashSet::new();
        let kept =
            batches.iter().zip(merged).flat_map(|(batch, merged)| merged.unwrap_or_else(|| batch.to_vec()));
        Ok(kept.filter(|k| seen.insert(stem_keyword(k))).collect())
    }
}

impl Extractor for LlmExtractor<'_> {
    fn extract(&mut self, request: &Request<'_>) -> Result<Vec<String>, ExtractError> {
        Ok(self.extract_all(std::slice::from_ref(request))?.pop().unwrap_or_default())
    }

    fn at_once(&self) -> usize {
        self.options.at_once.max(1)
    }

    fn extract_all(&mut self, requests: &[Request<'_>]) -> Result<Vec<Vec<String>>, ExtractError> {
        self.words = requests.first().map_or(self.words, |r| r.words);
        let prompts = requests
            .iter()
            .map(|r| {
                let shown: Vec<&str> =
                    r.shown.iter().filter_map(|&i| self.texts.get(i as usize).copied()).collect();
                prompts::ask_keywords(&shown, r, &self.options)
            })
            .collect();
        let read = |i: usize, text: &str| {
            let request = requests.get(i)?;
            let avoid: HashSet<String> = request.avoid.iter().map(|a| normalise_keyword(a)).collect();
            let mut found = reply::parse_keywords(text, usize::MAX, request.words);
            // A reply that only repeats known keywords is an answer; one without any keyword is none.
            if found.is_empty() {
                return None;
            }
            found.retain(|k| !avoid.contains(&normalise_keyword(k)));
            found.truncate(request.keywords);
            Some(found)
        };
        Ok(self.ask_all(prompts, &read)?.into_iter().map(Option::unwrap_or_default).collect())
    }

    fn refine(&mut self, keywords: Vec<String>) -> Result<Vec<String>, ExtractError> {
        let usage = self.usage.get();
        let replies = usage.replies + usage.reused;
        if keywords.is_empty() && replies > 0 {
            return Err(ExtractError::NothingUsable { replies });
        }
        let concentrated = self.run_step(prompts::Step::Concentrate, keywords, reply::keep_subset)?;
        let split = self.run_step(prompts::Step::Split, concentrated, reply::replace_by_parts)?;
        self.run_step(prompts::Step::Delete, split, reply::keep_subset)
    }
}

#[cfg(test)]
mod tests;
