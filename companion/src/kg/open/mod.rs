//! Triples from documents with a language model: open information extraction in two questions a chunk, as HippoRAG asks them (Gutiérrez et al.,
//! arXiv 2405.14831 and 2502.14802): what does the passage name, and what does it say of these?
//!
//! Every reply is kept by the hash of what was asked before the next is asked for, so that a build that was interrupted pays for nothing twice,
//! and a build of changed documents only for their changed chunks.

mod cache;
mod loose;
mod prompts;
mod reply;
mod state;

pub use cache::{MemoryCache, ReplyCache};
pub use prompts::Passage;
pub use reply::{Named, Stated};
pub use state::StatedTriples;
pub(super) use state::add;

use crate::cache::Key;
use futures::StreamExt;
use pocketgraph::llm::{ChatModel, ChatRequest, LlmError, complete};
use std::cell::{Cell, RefCell};
use std::time::Duration;

/// What a model said of one chunk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extracted {
    /// What the chunk names.
    pub entities: Vec<Named>,
    /// What it states.
    pub triples: Vec<Stated>,
}

/// How a model is asked.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The model's name, as the manifest tells it.
    pub model: String,
    /// What tells this model's replies from another's in the cache: its address and name.
    pub identity: String,
    /// Requests under way at once, at most.
    pub concurrency: usize,
    /// How often a reply that broke off is asked for again; refused connections, 429 and 5xx the client itself repeats.
    pub again: u32,
    /// The first pause before asking again; each later one is twice as long.
    pub pause: Duration,
}

impl OpenOptions {
    /// Four requests at once, three more attempts.
    pub fn new(model: &str) -> Self {
        OpenOptions { model: model.to_owned(), identity: model.to_owned(), concurrency: 4, again: 3, pause: Duration::from_millis(500) }
    }
}

/// What asking came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extraction {
    /// One for each chunk, in their order.
    pub chunks: Vec<Extracted>,
    /// Replies that were asked for and paid.
    pub asked: usize,
    /// Replies that were there from before.
    pub kept: usize,
    /// Chunks for which the model gave no whole reply; a later build asks again.
    pub failed: usize,
    /// Tokens read and written, where the endpoint counts them.
    pub tokens: (u64, u64),
}

/// Why asking ended early. What was answered until then is kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The model gave up.
    #[error("the language model stopped after {answered} replies, which are kept: {reason}; the same command goes on from here")]
    Model {
        /// Replies of this run.
        answered: usize,
        /// Why.
        reason: LlmError,
    },
    /// A reply could not be kept; going on would pay for it again.
    #[error("a reply cannot be kept: {0}")]
    Cache(String),
}

/// After so many chunks in a row without a reply, the endpoint is not going to answer.
const FAILURES_IN_A_ROW: usize = 5;

/// The most tokens that extraction can cost: (read, written), replies that are kept already left out. `count` counts a text's tokens; the
/// second question is bounded by the longest list of entities.
pub fn bound(passages: &[Passage<'_>], cache: &dyn ReplyCache, options: &OpenOptions, count: &dyn Fn(&str) -> usize) -> (u64, u64) {
    let tokens = |r: &ChatRequest| r.messages.iter().map(|m| count(&m.content) as u64 + 8).sum::<u64>();
    let (mut read, mut written) = (0, 0);
    for &passage in passages {
        let first = prompts::entities(passage);
        let known = cache.get(&Key::of_reply(&options.identity, &first));
        if known.is_none() {
            read += tokens(&first);
            written += u64::from(prompts::ENTITY_TOKENS);
        }
        let names = known.map(|reply| names_of(&reply));
        if names.as_ref().is_some_and(Vec::is_empty) {
            continue;
        }
        let second = prompts::triples(passage, names.as_deref().unwrap_or(&[]));
        if names.is_none() || cache.get(&Key::of_reply(&options.identity, &second)).is_none() {
            let list = if names.is_none() { u64::from(prompts::ENTITY_TOKENS) } else { 0 };
            read += tokens(&second) + list;
            written += u64::from(prompts::TRIPLE_TOKENS);
        }
    }
    (read, written)
}

fn names_of(reply: &str) -> Vec<String> {
    reply::entities(reply).into_iter().map(|n| n.name).collect()
}

/// Asks a model about every chunk. `progress` hears how many chunks are done.
///
/// # Errors
/// [`OpenError`] when the model refuses or falls silent, or a reply cannot be kept; requests that are under way are awaited first.
pub async fn extract(
    passages: &[Passage<'_>],
    model: &dyn ChatModel,
    cache: &dyn ReplyCache,
    options: &OpenOptions,
    progress: &dyn Fn(usize),
) -> Result<Extraction, OpenError> {
    let run = Run {
        model,
        cache,
        options,
        stopped: RefCell::new(None),
        asked: Cell::new(0),
        kept: Cell::new(0),
        in_a_row: Cell::new(0),
        tokens: Cell::new((0, 0)),
    };
    let mut out = Extraction::default();
    {
        let mut all = futures::stream::iter(passages.iter().map(|&p| run.one(p))).buffered(options.concurrency.max(1));
        while let Some(chunk) = all.next().await {
            out.failed += usize::from(chunk.is_none());
            out.chunks.push(chunk.unwrap_or_default());
            progress(out.chunks.len());
        }
    }
    let answered = run.asked.get();
    match run.stopped.into_inner() {
        // Replies that were under way when the model refused are kept too, and counted.
        Some(OpenError::Model { reason, .. }) => return Err(OpenError::Model { answered, reason }),
        Some(error) => return Err(error),
        None => {}
    }
    (out.asked, out.kept, out.tokens) = (answered, run.kept.get(), run.tokens.get());
    Ok(out)
}

struct Run<'a> {
    model: &'a dyn ChatModel,
    cache: &'a dyn ReplyCache,
    options: &'a OpenOptions,
    stopped: RefCell<Option<OpenError>>,
    asked: Cell<usize>,
    kept: Cell<usize>,
    in_a_row: Cell<usize>,
    tokens: Cell<(u64, u64)>,
}

impl Run<'_> {
    /// Both questions about one chunk; `None` when a reply is lacking.
    async fn one(&self, passage: Passage<'_>) -> Option<Extracted> {
        let entities = reply::entities(&self.ask(prompts::entities(passage)).await?);
        if entities.is_empty() {
            return Some(Extracted::default());
        }
        let names: Vec<String> = entities.iter().map(|n| n.name.clone()).collect();
        let triples = reply::triples(&self.ask(prompts::triples(passage, &names)).await?);
        Some(Extracted { entities, triples })
    }

    async fn ask(&self, request: ChatRequest) -> Option<String> {
        let key = Key::of_reply(&self.options.identity, &request);
        if let Some(reply) = self.cache.get(&key) {
            self.kept.set(self.kept.get() + 1);
            return Some(reply);
        }
        let mut attempt = 0;
        loop {
            // A run that has stopped asks nothing more, but what is under way comes to its end and is kept.
            if self.stopped.borrow().is_some() {
                return None;
            }
            let reply = complete(self.model, request.clone()).await;
            let Some(error) = reply.error else {
                self.in_a_row.set(0);
                self.asked.set(self.asked.get() + 1);
                if let Some(usage) = reply.usage {
                    let (read, written) = self.tokens.get();
                    self.tokens.set((read + u64::from(usage.prompt_tokens), written + u64::from(usage.completion_tokens)));
                }
                if let Err(e) = self.cache.put(&key, &reply.text) {
                    self.stop(OpenError::Cache(e.to_string()));
                }
                return Some(reply.text);
            };
            let broke_off = matches!(error, LlmError::Stream(_)) && attempt < self.options.again;
            if broke_off {
                tokio::time::sleep(self.options.pause * 2u32.saturating_pow(attempt)).await;
                attempt += 1;
                continue;
            }
            self.in_a_row.set(self.in_a_row.get() + 1);
            let hopeless =
                matches!(error, LlmError::Refused { .. } | LlmError::Endpoint(_) | LlmError::Aborted | LlmError::RateLimit { .. });
            let unreachable = matches!(error, LlmError::Http { status: None | Some(400..=499), .. });
            if hopeless || unreachable || self.in_a_row.get() >= FAILURES_IN_A_ROW {
                self.stop(OpenError::Model { answered: self.asked.get(), reason: error });
            }
            return None;
        }
    }

    fn stop(&self, error: OpenError) {
        self.stopped.borrow_mut().get_or_insert(error);
    }
}
