//! A model for tests of what asks one.

use futures::future::{FutureExt, LocalBoxFuture};
use futures::stream::{self, StreamExt};
use pocketgraph_llm::{ChatModel, ChatRequest, ChatStream, Delta, Finish, LlmError, Usage};
use std::cell::RefCell;
use std::collections::VecDeque;

/// One reply of a [`Scripted`] model: the items of its stream.
pub type Items = Vec<Result<Delta, LlmError>>;

/// A model that gives prepared replies in turn, the last one for ever.
pub struct Scripted {
    replies: RefCell<VecDeque<Items>>,
    /// Requests so far.
    pub requests: RefCell<Vec<ChatRequest>>,
}

/// A reply of these words in pieces, ended by a stop, with its tokens counted.
pub fn scripted_reply(text: &str) -> Items {
    let mut items: Items =
        pieces(text).into_iter().map(|text| Ok(Delta { text, ..Delta::default() })).collect();
    let usage = Some(Usage { prompt_tokens: 10, completion_tokens: 5 });
    items.push(Ok(Delta { finish: Some(Finish::Stop), usage, ..Delta::default() }));
    items
}

fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(7).map(|c| c.iter().collect()).collect()
}

impl Scripted {
    /// A model that says these texts.
    pub fn new(replies: &[&str]) -> Scripted {
        Scripted::of(replies.iter().map(|r| scripted_reply(r)).collect())
    }

    /// A model with these streams of items.
    pub fn of(replies: Vec<Items>) -> Scripted {
        Scripted { replies: RefCell::new(replies.into()), requests: RefCell::default() }
    }
}

impl ChatModel for Scripted {
    fn chat<'a>(&'a self, request: ChatRequest) -> LocalBoxFuture<'a, Result<ChatStream<'a>, LlmError>> {
        self.requests.borrow_mut().push(request);
        let mut replies = self.replies.borrow_mut();
        let reply = if replies.len() > 1 { replies.pop_front() } else { replies.front().cloned() }
            .unwrap_or_default();
        async move { Ok(stream::iter(reply).boxed_local()) }.boxed_local()
    }
}
