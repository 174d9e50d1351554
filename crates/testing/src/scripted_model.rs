//! A language model for tests.

use futures::future::{FutureExt, LocalBoxFuture};
use futures::stream::{self, StreamExt};
use pocketgraph_llm::{ChatModel, ChatRequest, ChatStream, Delta, Finish, LlmError, Usage};
use std::cell::RefCell;
use std::rc::Rc;

/// Result of a request: the items of its stream, or an error before the first.
pub type Reply = Result<Vec<Result<Delta, LlmError>>, LlmError>;

/// Reply to a request, given the number of requests before it.
type Script = dyn Fn(usize, &ChatRequest) -> Reply;

/// Replies by a script, and records the requests.
pub struct ScriptedModel {
    reply: Box<Script>,
    asked: RefCell<Vec<ChatRequest>>,
}

impl ScriptedModel {
    /// Creates a model that can be shared.
    pub fn new(reply: impl Fn(usize, &ChatRequest) -> Reply + 'static) -> Rc<ScriptedModel> {
        Rc::new(ScriptedModel { reply: Box::new(reply), asked: RefCell::default() })
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.asked.borrow().clone()
    }
}

impl ChatModel for ScriptedModel {
    fn chat<'a>(&'a self, request: ChatRequest) -> LocalBoxFuture<'a, Result<ChatStream<'a>, LlmError>> {
        let n = self.asked.borrow().len();
        let reply = (self.reply)(n, &request);
        self.asked.borrow_mut().push(request);
        async move { reply.map(|items| stream::iter(items).boxed_local()) }.boxed_local()
    }
}

/// Returns a whole reply.
pub fn whole_reply(text: &str) -> Reply {
    counted(text, None)
}

/// Returns a whole reply whose tokens the endpoint counts.
pub fn counted(text: &str, usage: Option<Usage>) -> Reply {
    Ok(vec![Ok(Delta { text: text.to_owned(), finish: Some(Finish::Stop), usage, ..Delta::default() })])
}
