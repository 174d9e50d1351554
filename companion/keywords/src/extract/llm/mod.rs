//! The extractor that asks a language model, with the parts that the AutoKG paper gives its prompts.

mod bound;
mod prompts;
mod reply;

pub use bound::{LlmBound, LlmWork};

use super::refine::{normalised, stems};
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
    /// The language of the keywords; none for that of the documents.
    pub language: Option<String>,
    /// Number of requests that are under way at once, at most.
    pub at_once: usize,
    /// Identity of this model's replies in the cache: its address and name.
    pub identity: String,
}

/// Usage of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LlmUsage {
    /// Replies needed.
    pub replies: usize,
    /// Number of these found in the cache.
    pub reused: usize,
    /// Replies with nothing usable in them.
    pub unusable: usize,
    /// Requests that the endpoint refused for what they hold; the graph is made without their replies.
    pub refused: usize,
    /// Tokens read, as the endpoint counted them; the cached replies of earlier builds are not in it.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
}

/// Asks a model for the keywords of each cluster, and to refine the list in three steps. Every reply is kept by the hash of its request, so that an
/// interrupted build never pays for one twice.
pub struct LlmExtractor<'a> {
    texts: Vec<&'a str>,
    chat: &'a dyn ChatModel,
    cache: Option<Arc<Cache>>,
    options: LlmOptions,
    asking: Asking,
    usage: Cell<LlmUsage>,
    /// l2 of the last request, to which refinement keeps.
    words: usize,
    /// m: as many keywords go before the model at once in refinement.
    batch: usize,
}

impl<'a> LlmExtractor<'a> {
    /// An extractor over `chunks`; in refinement `batch` keywords go before the model at a time.
    pub fn new(chunks: &[ChunkView<'a>], chat: &'a dyn ChatModel, cache: Option<Arc<Cache>>, options: LlmOptions, batch: usize) -> Self {
        let texts = chunks.iter().map(|c| c.text).collect();
        let asking = Asking { identity: options.identity.clone(), concurrency: options.at_once, ..Asking::new("") };
        LlmExtractor { texts, chat, cache, options, asking, usage: Cell::default(), words: 3, batch: batch.max(20) }
    }

    /// Returns the usage so far.
    pub fn usage(&self) -> LlmUsage {
        self.usage.get()
    }

    /// The replies to some requests, in their order, at most `at_once` of them under way together. `read` takes of a reply what is usable; none
    /// where nothing is, and then the reply is not kept either. Those that are under way when one fails are waited for: they are paid for.
    fn ask_all<T>(&self, requests: Vec<ChatRequest>, read: &dyn Fn(usize, &str) -> Option<T>) -> Result<Vec<Option<T>>, ExtractError> {
        let cache: &dyn ReplyCache = match &self.cache {
            Some(cache) => cache,
            None => &NoCache,
        };
        let asker = Asker::new(self.chat, cache, &self.asking);
        let wanted = requests.len();
        let asked = requests.into_iter().enumerate().map(|(i, request)| asker.ask(request, move |text| read(i, text)));
        let replies = asker::run(asker.all(asked, &|_| {}));
        let tally = asker.tally();
        let mut usage = self.usage.get();
        usage.replies += wanted;
        usage.reused += tally.kept;
        usage.unusable += tally.unusable;
        usage.refused += tally.refused;
        usage.prompt_tokens += tally.tokens.0;
        usage.completion_tokens += tally.tokens.1;
        self.usage.set(usage);
        // A keyword less would be another graph: every reply is needed that another build could have.
        match (replies, asker.failure().filter(|_| tally.failed > tally.refused)) {
            (Err(e), _) | (Ok(_), Some(e)) => Err(ExtractError::Failed(e.to_string())),
            (Ok(replies), None) => Ok(replies),
        }
    }

    /// One step of the refinement, batch by batch. `merge` makes of a batch and of what the model answered what stays; none where the answer
    /// cannot be meant, and then the batch stays as it was.
    fn step(
        &self,
        step: prompts::Step,
        keywords: Vec<String>,
        merge: fn(&[String], Vec<String>) -> Option<Vec<String>>,
    ) -> Result<Vec<String>, ExtractError> {
        let batches: Vec<&[String]> = keywords.chunks(self.batch).collect();
        let requests = batches.iter().map(|batch| prompts::refinement(step, batch, self.words, &self.options)).collect();
        let read = |i: usize, text: &str| {
            let batch = batches.get(i)?;
            merge(batch, reply::keywords(text, 2 * batch.len(), self.words))
        };
        let merged = self.ask_all(requests, &read)?;
        let mut seen = HashSet::new();
        let kept = batches.iter().zip(merged).flat_map(|(batch, merged)| merged.unwrap_or_else(|| batch.to_vec()));
        Ok(kept.filter(|k| seen.insert(stems(k))).collect())
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
                let shown: Vec<&str> = r.shown.iter().filter_map(|&i| self.texts.get(i as usize).copied()).collect();
                prompts::extraction(&shown, r, &self.options)
            })
            .collect();
        let read = |i: usize, text: &str| {
            let request = requests.get(i)?;
            let avoid: HashSet<String> = request.avoid.iter().map(|a| normalised(a)).collect();
            let mut found = reply::keywords(text, usize::MAX, request.words);
            // A model that only repeats what is known has answered; one whose reply holds no keyword at all has not.
            if found.is_empty() {
                return None;
            }
            found.retain(|k| !avoid.contains(&normalised(k)));
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
        let concentrated = self.step(prompts::Step::Concentrate, keywords, reply::subset)?;
        let split = self.step(prompts::Step::Split, concentrated, reply::parts)?;
        self.step(prompts::Step::Delete, split, reply::subset)
    }
}

#[cfg(test)]
mod tests;
