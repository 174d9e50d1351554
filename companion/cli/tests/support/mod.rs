//! What tests of plans and protocols share: the program, and a model.

use futures::future::{FutureExt, LocalBoxFuture};
use futures::stream::{self, StreamExt};
use pocketgraph::llm::{ChatModel, ChatRequest, ChatStream, Delta, Finish, LlmError};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::process::{Command, Output};

/// Runs the program, without the environment's endpoint.
pub fn program(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pocketgraph"));
    // Tests leave the user's cache alone.
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.env_remove("POCKETGRAPH_BASE_URL").env_remove("POCKETGRAPH_MODEL").env("NO_PROXY", "127.0.0.1");
    command.args(args).output().expect("the program starts")
}

/// A model that says what it is told to, in turn.
pub struct Scripted(RefCell<VecDeque<&'static str>>);

/// A model with these replies; behind them it fails.
pub fn scripted(replies: &[&'static str]) -> Scripted {
    Scripted(RefCell::new(replies.iter().copied().collect()))
}

impl ChatModel for Scripted {
    fn chat<'a>(&'a self, _: ChatRequest) -> LocalBoxFuture<'a, Result<ChatStream<'a>, LlmError>> {
        let text = self.0.borrow_mut().pop_front();
        async move {
            let text = text
                .ok_or_else(|| LlmError::Http { status: Some(404), message: "no such model".to_owned() })?;
            let delta = Delta { text: text.to_owned(), finish: Some(Finish::Stop), ..Delta::default() };
            Ok(stream::iter([Ok(delta)]).boxed_local())
        }
        .boxed_local()
    }
}
