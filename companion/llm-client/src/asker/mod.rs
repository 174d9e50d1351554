//! Asking a language model many things in one build: for keywords, for triples, for summaries.
//!
//! With a cache every reply is kept by the hash of what was asked before the next is asked for, so that a build that was interrupted pays for nothing twice,
//! and a build of changed documents only for what changed. A reply that broke off is asked for again; a model that refuses, or falls silent, ends the build,
//! but what is under way comes to its end and is kept.

mod batch;
mod reply_cache;
mod lenient_json;
pub mod testing;

pub use batch::announced;
pub use lenient_json::find;
pub use reply_cache::{MemoryCache, NoCache, ReplyCache};

use futures::StreamExt;
use pocketgraph_cache::Key;
use pocketgraph_llm::{ChatModel, ChatRequest, Finish, LlmError, after_thinking, complete, is_unclosed_thought};
use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::future::Future;
use std::time::Duration;
use tokio::runtime::Runtime;

/// A language model that a build asks.
pub struct BuildModel {
    /// The model.
    pub chat: Box<dyn ChatModel>,
    /// Settings of its requests.
    pub asking: Asking,
    /// Cache of its replies.
    pub cache: Box<dyn ReplyCache>,
}

impl std::fmt::Debug for BuildModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BuildModel").field("asking", &self.asking).finish_non_exhaustive()
    }
}

/// Settings of requests to a model.
#[derive(Debug, Clone)]
pub struct Asking {
    /// The model's name, as the manifest tells it.
    pub model: String,
    /// Identity of this model's replies in the cache: its address and name.
    pub identity: String,
    /// Requests under way at once, at most.
    pub concurrency: usize,
    /// Number of retries of a reply that broke off; the client itself repeats refused connections, 429 and 5xx.
    pub again: u32,
    /// The first pause before asking again; each later one is twice as long.
    pub pause: Duration,
}

impl Asking {
    /// Four requests at once, three more attempts.
    pub fn new(model: &str) -> Self {
        Asking { model: model.to_owned(), identity: model.to_owned(), concurrency: 4, again: 3, pause: Duration::from_millis(500) }
    }
}

/// Why asking ended early. What was answered until then is kept, where there is a cache.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The model gave up.
    #[error("{}", stopped(*.answered, *.kept, .reason))]
    Model {
        /// Replies of this run.
        answered: usize,
        /// True if they are there for the next run.
        kept: bool,
        /// Why.
        reason: LlmError,
    },
    /// A reply could not be kept; going on would pay for it again.
    #[error("a reply cannot be kept: {0}")]
    Cache(String),
    /// The system gives no timers or sockets.
    #[error("no request can be sent: {0}")]
    Runtime(String),
}

/// Describes why a run stopped, what became of its replies, and what to do.
fn stopped(answered: usize, kept: bool, reason: &LlmError) -> String {
    match (answered, kept) {
        (0, false) => format!("the language model gave no reply: {reason}"),
        // What an earlier run or step was told is kept all the same.
        (0, true) => format!("the language model gave no reply: {reason}; the same command goes on from here"),
        (n, true) => format!("the language model stopped after {n} replies, which are kept: {reason}; the same command goes on from here"),
        (n, false) => format!(
            "the language model stopped after {n} replies, which are lost, since no cache keeps them: {reason}; with a cache (--cache DIR) a build goes on \
             where it stopped"
        ),
    }
}

/// Counts of requests to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Replies that were asked for and paid.
    pub asked: usize,
    /// Replies that were there from before.
    pub kept: usize,
    /// Replies, of this run or kept, with nothing usable in them.
    pub unusable: usize,
    /// Requests without a whole reply; a later build asks again.
    pub failed: usize,
    /// Number of these that the endpoint refused because of their content or length.
    pub refused: usize,
    /// Tokens read and written, where the endpoint counts them.
    pub tokens: (u64, u64),
}

/// Formats the counts in one line.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (read, written) = self.tokens;
        write!(f, "{} replies asked for, {} kept from before; {read} tokens read, {written} written", self.asked, self.kept)
    }
}

/// After so many requests in a row without a reply, the endpoint is not going to answer.
const FAILURES_IN_A_ROW: usize = 5;

/// Room for the thoughts of a model that thinks, beside the tokens of its reply.
const THINKING_TOKENS: u32 = 4_096;

/// Asks one model, and counts what that comes to.
pub struct Asker<'a> {
    model: &'a dyn ChatModel,
    cache: &'a dyn ReplyCache,
    asking: &'a Asking,
    stopped: RefCell<Option<AskError>>,
    last: RefCell<Option<LlmError>>,
    tally: Cell<Tally>,
    in_a_row: Cell<usize>,
    /// The model was found to think: its replies are given room for that besides.
    thinks: Cell<bool>,
}

impl<'a> Asker<'a> {
    /// An asker that has asked nothing yet.
    pub fn new(model: &'a dyn ChatModel, cache: &'a dyn ReplyCache, asking: &'a Asking) -> Self {
        let (stopped, last, tally, in_a_row, thinks) = Default::default();
        Asker { model, cache, asking, stopped, last, tally, in_a_row, thinks }
    }

    fn count(&self, change: impl FnOnce(&mut Tally)) {
        let mut tally = self.tally.get();
        change(&mut tally);
        self.tally.set(tally);
    }

    /// Asks the model and reads its reply with `read`; `None` if there is no reply, or none that `read` can use.
    pub async fn ask<T>(&self, request: ChatRequest, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let key = Key::of_reply(&self.asking.identity, &request);
        if let Some(reply) = self.cache.get(&key) {
            let found = read(&reply);
            self.count(|t| t.kept += 1);
            if found.is_none() {
                self.count(|t| t.unusable += 1);
            }
            return found;
        }
        let mut attempt = 0;
        loop {
            // A run that has stopped asks nothing more, but what is under way comes to its end and is kept.
            if self.stopped.borrow().is_some() {
                return None;
            }
            let mut request = request.clone();
            if self.thinks.get() {
                request.max_tokens = request.max_tokens.map(|reply| reply.saturating_add(THINKING_TOKENS));
            }
            let reply = complete(self.model, request).await;
            if let Some(usage) = reply.usage {
                self.count(|t| t.tokens.0 += u64::from(usage.prompt_tokens));
                self.count(|t| t.tokens.1 += u64::from(usage.completion_tokens));
            }
            // A thought that used up the tokens of a short reply leaves nothing behind; models that think do so at every request.
            let unanswered = after_thinking(&reply.text).trim().is_empty() || is_unclosed_thought(&reply.text);
            if reply.error.is_none() && reply.finish == Some(Finish::Length) && unanswered && !self.thinks.replace(true) {
                continue;
            }
            let Some(error) = reply.error else {
                self.in_a_row.set(0);
                self.count(|t| t.asked += 1);
                let found = read(&reply.text);
                if found.is_none() {
                    self.count(|t| t.unusable += 1);
                }
                // What is of no use is kept too: the same question would be paid a second time for the same reply.
                if let Err(e) = self.cache.put(&key, &reply.text) {
                    self.stop(AskError::Cache(e.to_string()));
                }
                return found;
            };
            let broke_off = matches!(error, LlmError::Stream(_)) && attempt < self.asking.again;
            if broke_off {
                tokio::time::sleep(self.asking.pause * 2u32.saturating_pow(attempt)).await;
                attempt += 1;
                continue;
            }
            self.failed(error);
            return None;
        }
    }

    /// Notes a request without a reply, and stops where no other will have one.
    fn failed(&self, error: LlmError) {
        // 400, 413 and 422 may be about this one request: a content filter, or a passage that is too long.
        let of_this_one = matches!(error, LlmError::Http { status: Some(400 | 413 | 422), .. } | LlmError::Context { .. });
        self.count(|t| (t.failed, t.refused) = (t.failed + 1, t.refused + usize::from(of_this_one)));
        self.in_a_row.set(self.in_a_row.get() + 1);
        let hopeless = matches!(error, LlmError::Refused { .. } | LlmError::Endpoint(_) | LlmError::Aborted | LlmError::RateLimit { .. });
        let unreachable = match error {
            LlmError::Http { status: None, .. } => true,
            LlmError::Http { status: Some(s), .. } => (400..500).contains(&s) && !of_this_one,
            _ => false,
        };
        if hopeless || unreachable || self.in_a_row.get() >= FAILURES_IN_A_ROW {
            self.stop(self.model_stopped(error.clone()));
        }
        self.last.replace(Some(error));
    }

    fn stop(&self, error: AskError) {
        self.stopped.borrow_mut().get_or_insert(error);
    }

    /// Asks several questions at once and returns the results in their order. Calls `done` with the number of finished ones.
    ///
    /// # Errors
    /// [`AskError`] when the model refuses or falls silent, or a reply cannot be kept; requests that are under way are awaited first.
    pub async fn all<T>(
        &self,
        questions: impl IntoIterator<Item = impl Future<Output = T>>,
        done: &dyn Fn(usize),
    ) -> Result<Vec<T>, AskError> {
        let mut under_way = futures::stream::iter(questions).buffered(self.asking.concurrency.max(1));
        let mut out = Vec::new();
        while let Some(answer) = under_way.next().await {
            out.push(answer);
            done(out.len());
        }
        match self.stopped.borrow().clone() {
            // Replies that were under way when the model refused are kept too, and counted.
            Some(AskError::Model { reason, .. }) => Err(self.model_stopped(reason)),
            Some(error) => Err(error),
            None => Ok(out),
        }
    }

    /// Returns the counts so far.
    pub fn tally(&self) -> Tally {
        self.tally.get()
    }

    /// The last failure, where there was one: for what cannot do without any of its replies.
    pub fn failure(&self) -> Option<AskError> {
        let reason = self.last.borrow().clone()?;
        Some(self.model_stopped(reason))
    }

    fn model_stopped(&self, reason: LlmError) -> AskError {
        AskError::Model { answered: self.tally.get().asked, kept: self.cache.outlives(), reason }
    }
}

thread_local! {
    /// One runtime for all that a thread asks, never taken down: a client's open connections belong to the runtime that opened them.
    static RUNTIME: OnceCell<&'static Runtime> = const { OnceCell::new() };
}

/// Runs what asks, outside of any runtime.
///
/// # Errors
/// [`AskError::Runtime`] when the system gives no timers or sockets, and those of `work`.
pub fn run<T>(work: impl Future<Output = Result<T, AskError>>) -> Result<T, AskError> {
    let runtime = match RUNTIME.with(|r| r.get().copied()) {
        Some(runtime) => runtime,
        None => {
            let made = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let made: &'static Runtime = Box::leak(Box::new(made.map_err(|e| AskError::Runtime(e.to_string()))?));
            RUNTIME.with(|r| *r.get_or_init(|| made))
        }
    };
    runtime.block_on(work)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
