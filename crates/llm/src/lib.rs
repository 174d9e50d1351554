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
pub use prompts::{PromptError, Prompts, Text, fill_placeholders};
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

/// Reason why a model stopped.
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
    /// It requests the call of a tool.
    ToolCalls,
    /// Another reason of the endpoint.
    Other,
}

/// Step of a streamed reply.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Delta {
    /// Text to append to the answer; may be empty.
    pub text: String,
    /// Thinking that some models send separately; may be empty, never part of the answer.
    pub reasoning: String,
    /// Pieces of calls of the tools that the request offered.
    pub tool_calls: Vec<ToolCallPiece>,
    /// Reason why the model stopped; set once.
    pub finish: Option<Finish>,
    /// Stop sequence that ended the text, if the server names it. It is not part of `text`.
    pub stop_sequence: Option<String>,
    /// Number of tokens, if the endpoint counts them; usually on the last delta.
    pub usage: Option<Usage>,
}

/// Streamed reply. It ends after its first error. Dropping it aborts the request.
pub type ChatStream<'a> = LocalBoxStream<'a, Result<Delta, LlmError>>;

/// An answer of a model that is asked for.
pub type OpenedStream<'a> = LocalBoxFuture<'a, Result<ChatStream<'a>, LlmError>>;

/// Continues a conversation. Object-safe and without `Send`: the browser has one thread.
pub trait ChatModel {
    /// Starts a reply. The future resolves when it has begun; the stream then gives the text as it arrives.
    ///
    /// # Errors
    /// Any [`LlmError`]. Failures before the first text were retried; later ones are the stream's last item.
    fn chat<'a>(&'a self, request: ChatRequest) -> OpenedStream<'a>;
}

/// Shared model.
impl<M: ChatModel + ?Sized> ChatModel for Rc<M> {
    fn chat<'a>(&'a self, request: ChatRequest) -> OpenedStream<'a> {
        (**self).chat(request)
    }
}

/// Collected reply.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Completion {
    /// The text, up to `error` if there is one.
    pub text: String,
    /// Thinking that was sent separately.
    pub reasoning: String,
    /// Tools to be called.
    pub tool_calls: ToolCalls,
    /// Reason why the model stopped, if the endpoint gave one.
    pub finish: Option<Finish>,
    /// Stop sequence that ended the text, if the server names it.
    pub stop_sequence: Option<String>,
    /// Number of tokens, if the endpoint counted them.
    pub usage: Option<Usage>,
    /// Error that cut the reply short; `None` if it is complete.
    pub error: Option<LlmError>,
}

impl Completion {
    /// Adds the next delta.
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

/// Runs a request to its end. An error loses no text: the completion has both.
pub async fn complete_request(model: &dyn ChatModel, request: ChatRequest) -> Completion {
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
