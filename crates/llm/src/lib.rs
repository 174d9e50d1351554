#![doc = include_str!("../README.md")]

extern crate self as llm;
use pocketgraph_base::json;

mod backoff;
mod client;
mod decode;
mod endpoint;
mod error;
mod prompts;
mod record;
mod request;
pub mod responses;
mod sse;
mod thinking;
mod tools;
mod transport;

pub use backoff::Retry;
pub use client::{ChatConfig, OpenAiChat, Timeouts};
pub use decode::ChatDecoder;
pub use endpoint::Endpoint;
pub use error::{COMPLETE_REPLY, LlmError};
pub use pocketgraph_base::Usage;
pub use prompts::{PromptError, Prompts, Text, fill};
pub use record::{Recorder, RecordingError, Replay};
pub use request::{ChatRequest, Message, Role, Secret};
pub use sse::{SseDecoder, SseError, SseEvent};
pub use thinking::{ThoughtFilter, Visible, after_thinking, is_unclosed_thought};
pub use tools::{ToolCall, ToolCallPiece, ToolCalls};
pub use transport::{ByteStream, HttpRequest, HttpResponse, Transport, TransportError};

use futures::StreamExt;
use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Finish {
    /// The reply was complete, or met a stop sequence.
    Stop,
    /// The output budget was reached: the text is cut.
    Length,
    /// The endpoint's content filter ended it.
    Filtered,
    /// It wants a tool to be called.
    ToolCalls,
    /// Something else that the endpoint names.
    Other,
}

/// One step of a streamed reply.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Delta {
    /// Text to append to the answer; may be empty.
    pub text: String,
    /// Thinking that some models send apart from the answer; may be empty, never part of the answer.
    pub reasoning: String,
    /// Pieces of calls of the tools that the request offered.
    pub tool_calls: Vec<ToolCallPiece>,
    /// Set once, when the model stopped.
    pub finish: Option<Finish>,
    /// The stop sequence that ended the text, where the server names it. It is not part of `text`; who needs it appends it.
    pub stop_sequence: Option<String>,
    /// Set when the endpoint counts tokens, usually on the last delta.
    pub usage: Option<Usage>,
}

/// A streamed reply. It ends after its first error; dropping it aborts the request.
pub type ChatStream<'a> = LocalBoxStream<'a, Result<Delta, LlmError>>;

/// Anything that continues a conversation. Object-safe, and free of `Send`: the browser has one thread.
pub trait ChatModel {
    /// Starts a reply. The future resolves when the reply has begun; the stream then gives the text as it arrives.
    ///
    /// # Errors
    /// Any [`LlmError`]; what fails before the first text has been retried already, what fails later comes as the stream's last item.
    fn chat<'a>(&'a self, request: ChatRequest) -> LocalBoxFuture<'a, Result<ChatStream<'a>, LlmError>>;
}

/// A model that several share.
impl<M: ChatModel + ?Sized> ChatModel for Rc<M> {
    fn chat<'a>(&'a self, request: ChatRequest) -> LocalBoxFuture<'a, Result<ChatStream<'a>, LlmError>> {
        (**self).chat(request)
    }
}

/// A reply, collected.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Completion {
    /// The text, or what came of it before `error`.
    pub text: String,
    /// Thinking sent apart from the answer.
    pub reasoning: String,
    /// The tools it wants called.
    pub tool_calls: ToolCalls,
    /// Reason why the model stopped, if the endpoint gave one.
    pub finish: Option<Finish>,
    /// The stop sequence that ended the text, where the server names it.
    pub stop_sequence: Option<String>,
    /// Tokens, where the endpoint counted them.
    pub usage: Option<Usage>,
    /// Error that cut the reply short; `None` if it is complete.
    pub error: Option<LlmError>,
}

impl Completion {
    /// Takes one more delta.
    pub fn push(&mut self, delta: &Delta) {
        self.text.push_str(&delta.text);
        self.reasoning.push_str(&delta.reasoning);
        delta.tool_calls.iter().for_each(|piece| self.tool_calls.push(piece));
        self.finish = delta.finish.or(self.finish);
        self.usage = delta.usage.or(self.usage);
        if delta.stop_sequence.is_some() {
            self.stop_sequence.clone_from(&delta.stop_sequence);
        }
    }
}

/// Runs a request to its end. An error loses no text: the completion holds both.
pub async fn complete(model: &dyn ChatModel, request: ChatRequest) -> Completion {
    let mut out = Completion::default();
    match model.chat(request).await {
        Err(error) => out.error = Some(error),
        Ok(mut stream) => {
            while let Some(item) = stream.next().await {
                match item {
                    Ok(delta) => out.push(&delta),
                    Err(error) => {
                        out.error = Some(error);
                        break;
                    }
                }
            }
        }
    }
    out
}
