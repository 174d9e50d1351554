//! Makes a build's requests to a language model: for keywords, triples, summaries.
//!
//! With a cache every reply is stored by the hash of its request before the next one, so that an interrupted
//! build pays for nothing twice, and a build of changed documents only for changes. A reply that breaks off
//! is requested again. A model that refuses or does not answer ends the build, after open requests.

mod batch;
mod reply_cache;
mod lenient_json;

pub use batch::ask_announced;
pub use lenient_json::find_value;
pub use reply_cache::{MemoryCache, NoCache, ReplyCache};

use futures::StreamExt;
use pocketgraph_cache::Key;
use pocketgraph_llm::{
    ChatModel, ChatRequest, Finish, LlmError, after_thinking, complete_request, is_unclosed_thought,
};
use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::future::Future;
use std::time::Duration;
use tokio::runtime::Runtime;

/// A language model for a build.
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
    /// The model's name, for the manifest.
    pub model: String,
    /// Identity of this model's replies in the cache: its address and name.
    pub identity: String,
    /// Maximum number of concurrent requests.
    pub concurrency: usize,
    /// Number of retries of a reply that broke off; the client itself repeats refused connections, 429, 5xx.
    pub again: u32,
    /// First pause before a retry; each later one is twice as long.
    pub pause: Duration,
}

impl Asking {
    /// Returns settings for four concurrent requests and three retries.
    pub fn new(model: &str) -> Self {
        Asking {
            model: model.to_owned(),
            identity: model.to_owned(),
            concurrency: 4,
            again: 3,
            pause: Duration::from_millis(500),
        }
    }
}

/// Reasons for an early end. The cache, if there is one, keeps the replies until then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The model gave up.
    #[error("{}", describe_stop(*.answered, *.kept, .reason))]
    Model {
        /// Number of replies of this run.
        answered: usize,
        /// True if the next run will find them.
        kept: bool,
        /// Error of the model.
        reason: LlmError,
    },
    /// A reply could not be stored; continuing would pay for it again.
    #[error("a reply cannot be kept: {0}")]
    Cache(String),
    /// The system provides no timers or sockets.
    #[error("no request can be sent: {0}")]
    Runtime(String),
}

/// Describes why a run stopped, what became of its replies, and what to do.
fn describe_stop(answered: usize, kept: bool, reason: &LlmError) -> String {
    match (answered, kept) {
        (0, false) => format!("the language model gave no reply: {reason}"),
        // Replies of an earlier run or step are stored in any case.
        (0, true) => {
            format!("the language model gave no reply: {reason}; the same command goes on from here")
        }
        (n, true) => format!(
            "the language model stopped after {n} replies, which are kept: {reason}; the same \
             command goes on from here"
        ),
        (n, false) => format!(
            "the language model stopped after {n} replies, which are lost, since no cache keeps them: \
             {reason}; with a cache (--cache DIR) a build goes on \
             where it stopped"
        ),
    }
}

/// Counts of requests to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Number of replies that were requested and paid for.
    pub asked: usize,
    /// Number of replies from earlier runs.
    pub kept: usize,
    /// Number of replies, new or from the cache, without usable content.
    pub unusable: usize,
    /// Number of requests without a whole reply; a later build repeats them.
    pub failed: usize,
    /// Number of these that the endpoint refused because of their content or length.
    pub refused: usize,
    /// Tokens read and written, if the endpoint counts them.
    pub tokens: (u64, u64),
}

/// Formats the counts in one line.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (read, written) = self.tokens;
        write!(
            f,
            "{} replies asked for, {} kept from before; {read} tokens read, {written} written",
            self.asked, self.kept
        )
    }
}

/// Number of requests in a row without a reply after which the endpoint counts as dead.
const FAILURES_IN_A_ROW: usize = 5;

/// Additional tokens for the thoughts of a model that thinks.
const THINKING_TOKENS: u32 = 4_096;

/// Makes requests to one model, and counts them.
pub struct Asker<'a> {
    model: &'a dyn ChatModel,
    cache: &'a dyn ReplyCache,
    asking: &'a Asking,
    stopped: RefCell<Option<AskError>>,
    last: RefCell<Option<LlmError>>,
    tally: Cell<Tally>,
    in_a_row: Cell<usize>,
    /// True once the model was found to think: its replies then get additional tokens.
    thinks: Cell<bool>,
}

impl<'a> Asker<'a> {
    /// Creates an asker without any requests.
    pub fn new(model: &'a dyn ChatModel, cache: &'a dyn ReplyCache, asking: &'a Asking) -> Self {
        let (stopped, last, tally, in_a_row, thinks) = Default::default();
        Asker { model, cache, asking, stopped, last, tally, in_a_row, thinks }
    }

    fn count(&self, change: impl FnOnce(&mut Tally)) {
        let mut tally = self.tally.get();
        change(&mut tally);
        self.tally.set(tally);
    }

    /// Asks the model and reads its reply with `read`; `None` if there is no reply, or none that `read` can
    /// use.
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
            // A stopped run makes no new requests, but open ones finish and are stored.
            if self.stopped.borrow().is_some() {
                return None;
            }
            let mut request = request.clone();
            if self.thinks.get() {
                request.max_tokens = request.max_tokens.map(|reply| reply.saturating_add(THINKING_TOKENS));
            }
            let reply = complete_request(self.model, request).await;
            if let Some(usage) = reply.usage {
                self.count(|t| t.tokens.0 += u64::from(usage.prompt_tokens));
                self.count(|t| t.tokens.1 += u64::from(usage.completion_tokens));
            }
            // A thought that used up the tokens of a short reply leaves no answer; such models always think.
            let unanswered =
                after_thinking(&reply.text).trim().is_empty() || is_unclosed_thought(&reply.text);
            if reply.error.is_none()
                && reply.finish == Some(Finish::Length)
                && unanswered
                && !self.thinks.replace(true)
            {
                continue;
            }
            let Some(error) = reply.error else {
                self.in_a_row.set(0);
                self.count(|t| t.asked += 1);
                let found = read(&reply.text);
                if found.is_none() {
                    self.count(|t| t.unusable += 1);
                }
                // Unusable replies are stored too: the same request would be paid for again.
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

    /// Records a request without a reply, and stops if no other will have one.
    fn failed(&self, error: LlmError) {
        // 400, 413 and 422 may concern a single request: a content filter, or a passage that is too long.
        let of_this_one =
            matches!(error, LlmError::Http { status: Some(400 | 413 | 422), .. } | LlmError::Context { .. });
        self.count(|t| (t.failed, t.refused) = (t.failed + 1, t.refused + usize::from(of_this_one)));
        self.in_a_row.set(self.in_a_row.get() + 1);
        let hopeless = matches!(
            error,
            LlmError::Refused { .. } | LlmError::Endpoint(_) | LlmError::Aborted | LlmError::RateLimit { .. }
        );
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

    /// Makes several requests concurrently and returns the results in order. `done` gets the number finished.
    ///
    /// # Errors
    /// [`AskError`] when the model refuses or does not answer, or a reply cannot be stored; open requests
    /// finish.
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
            // Replies to requests that were open when the model refused are stored and counted too.
            Some(AskError::Model { reason, .. }) => Err(self.model_stopped(reason)),
            Some(error) => Err(error),
            None => Ok(out),
        }
    }

    /// Returns the counts so far.
    pub fn tally(&self) -> Tally {
        self.tally.get()
    }

    /// Returns the last failure, if any: for builds that need every reply.
    pub fn failure(&self) -> Option<AskError> {
        let reason = self.last.borrow().clone()?;
        Some(self.model_stopped(reason))
    }

    fn model_stopped(&self, reason: LlmError) -> AskError {
        AskError::Model { answered: self.tally.get().asked, kept: self.cache.outlives(), reason }
    }
}

thread_local! {
    /// Runtime for all requests of a thread, never ended: a client's connections belong to their runtime.
    static RUNTIME: OnceCell<&'static Runtime> = const { OnceCell::new() };
}

/// Runs requests, outside of any runtime.
///
/// # Errors
/// [`AskError::Runtime`] if the system provides no timers or sockets, and those of `work`.
pub fn run_requests<T>(work: impl Future<Output = Result<T, AskError>>) -> Result<T, AskError> {
    let runtime = match RUNTIME.with(|r| r.get().copied()) {
        Some(runtime) => runtime,
        None => {
            let made = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let made: &'static Runtime =
                Box::leak(Box::new(made.map_err(|e| AskError::Runtime(e.to_string()))?));
            RUNTIME.with(|r| *r.get_or_init(|| made))
        }
    };
    runtime.block_on(work)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
