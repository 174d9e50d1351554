//! Records the exchanges with a model, and replays them without one.
//!
//! A [`Recorder`] wraps a model and reports a line of JSON for every exchange: the request, and the reply
//! piece by piece as it came. A [`Replay`] answers from such lines. Neither uses files or keys: keys never
//! pass through a [`ChatModel`].

use super::error::COMPLETE_REPLY;
use super::request::request_body;
use super::{
    ChatModel, ChatRequest, ChatStream, Delta, Finish, LlmError, OpenedStream, ToolCall, ToolCallPiece, Usage,
};
use crate::json::{Value, parse};
use futures::future::FutureExt;
use futures::stream::{self, Stream, StreamExt};
use std::cell::RefCell;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Forwards everything to a model, and reports each exchange when it is over.
pub struct Recorder<'a> {
    model: &'a dyn ChatModel,
    sink: &'a dyn Fn(&str),
}

impl<'a> Recorder<'a> {
    /// Records exchanges with `model`. `sink` gets a line of JSON (no line break) for each one as it ends.
    pub fn new(model: &'a dyn ChatModel, sink: &'a dyn Fn(&str)) -> Recorder<'a> {
        Recorder { model, sink }
    }
}

impl ChatModel for Recorder<'_> {
    fn chat<'a>(&'a self, request: ChatRequest) -> OpenedStream<'a> {
        async move {
            let mut exchange =
                Exchange { request: request_body("", &request), reply: Vec::new(), end: End::Dropped };
            match self.model.chat(request).await {
                Ok(inner) => Ok(Recorded { inner, exchange, sink: self.sink }.boxed_local()),
                Err(error) => {
                    exchange.end = End::Error(error.clone());
                    (self.sink)(&exchange.to_line());
                    Err(error)
                }
            }
        }
        .boxed_local()
    }
}

/// Reply that is recorded as it passes, and reported when it ends or is dropped.
struct Recorded<'a> {
    inner: ChatStream<'a>,
    exchange: Exchange,
    sink: &'a dyn Fn(&str),
}

impl Stream for Recorded<'_> {
    type Item = Result<Delta, LlmError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.inner.poll_next_unpin(cx);
        match &next {
            Poll::Ready(Some(Ok(delta))) => self.exchange.reply.push(delta.clone()),
            Poll::Ready(Some(Err(error))) => self.exchange.end = End::Error(error.clone()),
            Poll::Ready(None) if self.exchange.end == End::Dropped => self.exchange.end = End::Done,
            _ => {}
        }
        next
    }
}

impl Drop for Recorded<'_> {
    fn drop(&mut self) {
        (self.sink)(&self.exchange.to_line());
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    Done,
    /// The caller dropped the reply.
    Dropped,
    Error(LlmError),
}

#[derive(Debug, Clone, PartialEq)]
struct Exchange {
    request: Value,
    reply: Vec<Delta>,
    end: End,
}

/// Reason why a recording cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the recording {what}")]
pub struct RecordingError {
    /// Number of the line, from 1.
    pub line: usize,
    /// Fault of the line.
    pub what: String,
}

/// Model that replays recorded replies piece by piece as they came. A request gets the first unused exchange
/// with the same request; a request without one fails.
#[derive(Debug)]
pub struct Replay {
    exchanges: RefCell<Vec<Option<(String, Exchange)>>>,
}

impl Replay {
    /// Reads a recording; skips blank lines.
    ///
    /// # Errors
    /// [`RecordingError`] with the first line that is not an exchange.
    pub fn read(text: &str) -> Result<Replay, RecordingError> {
        let mut exchanges = Vec::new();
        for (at, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let failed = |what: &str| RecordingError { line: at + 1, what: what.to_owned() };
            let value = parse(line).map_err(|e| failed(&format!("is no JSON: {e}")))?;
            let exchange =
                Exchange::from_value(&value).ok_or_else(|| failed("is no exchange with a model"))?;
            exchanges.push(Some((exchange.request.to_string(), exchange)));
        }
        Ok(Replay { exchanges: RefCell::new(exchanges) })
    }

    /// Number of unused exchanges.
    pub fn left(&self) -> usize {
        self.exchanges.borrow().iter().flatten().count()
    }
}

impl ChatModel for Replay {
    fn chat<'a>(&'a self, request: ChatRequest) -> OpenedStream<'a> {
        let request = request_body("", &request).to_string();
        let mut exchanges = self.exchanges.borrow_mut();
        let found = exchanges
            .iter_mut()
            .find(|e| e.as_ref().is_some_and(|(r, _)| *r == request))
            .and_then(Option::take);
        async move {
            let Some((_, exchange)) = found else {
                return Err(LlmError::Malformed("the recording holds no such request".to_owned()));
            };
            let last = match exchange.end {
                End::Done => None,
                End::Error(error) if exchange.reply.is_empty() => return Err(error),
                End::Error(error) => Some(Err(error)),
                End::Dropped => Some(Err(LlmError::Stream("the recording ends here".to_owned()))),
            };
            Ok(stream::iter(exchange.reply.into_iter().map(Ok).chain(last)).boxed_local())
        }
        .boxed_local()
    }
}

impl Exchange {
    fn to_line(&self) -> String {
        let end = match &self.end {
            End::Done => "done".into(),
            End::Dropped => "dropped".into(),
            End::Error(error) => error_to_value(error),
        };
        let reply: Vec<Value> = self.reply.iter().map(delta_to_value).collect();
        Value::object([("request", self.request.clone()), ("reply", reply.into()), ("end", end)]).to_string()
    }

    fn from_value(value: &Value) -> Option<Exchange> {
        let request = value.get("request")?.clone();
        let reply = value.get("reply")?.as_array()?.iter().map(delta_from_value).collect::<Option<_>>()?;
        let end = match value.get("end")? {
            Value::String(s) if s == "done" => End::Done,
            Value::String(s) if s == "dropped" => End::Dropped,
            error => End::Error(error_from_value(error)?),
        };
        request.as_object()?;
        Some(Exchange { request, reply, end })
    }
}

const FINISHES: [(Finish, &str); 5] = [
    (Finish::Stop, "stop"),
    (Finish::Length, "length"),
    (Finish::Filtered, "filtered"),
    (Finish::ToolCalls, "tool-calls"),
    (Finish::Other, "other"),
];

fn delta_to_value(delta: &Delta) -> Value {
    let mut members: Vec<(String, Value)> = Vec::new();
    let mut put = |name: &str, value: Value| members.push((name.to_owned(), value));
    if !delta.text.is_empty() {
        put("text", delta.text.as_str().into());
    }
    if !delta.reasoning.is_empty() {
        put("reasoning", delta.reasoning.as_str().into());
    }
    if !delta.tool_calls.is_empty() {
        let call = |p: &ToolCallPiece| {
            Value::object([
                ("index", p.index.into()),
                ("id", p.call.id.as_str().into()),
                ("name", p.call.name.as_str().into()),
                ("arguments", p.call.arguments.as_str().into()),
            ])
        };
        put("calls", delta.tool_calls.iter().map(call).collect::<Vec<_>>().into());
    }
    if let Some((_, name)) = delta.finish.and_then(|f| FINISHES.iter().find(|(finish, _)| *finish == f)) {
        put("finish", (*name).into());
    }
    if let Some(stop) = &delta.stop_sequence {
        put("stop", stop.as_str().into());
    }
    if let Some(usage) = delta.usage {
        put("usage", vec![usage.prompt_tokens.into(), usage.completion_tokens.into()].into());
    }
    Value::Object(members)
}

fn delta_from_value(value: &Value) -> Option<Delta> {
    value.as_object()?;
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
    let small = |value: Option<&Value>| u32::try_from(value?.as_u64()?).ok();
    let call = |c: &Value| {
        let call = ToolCall { id: text(c, "id"), name: text(c, "name"), arguments: text(c, "arguments") };
        Some(ToolCallPiece { index: small(c.get("index"))?, call })
    };
    let finish = value.get("finish").and_then(Value::as_str);
    Some(Delta {
        text: text(value, "text"),
        reasoning: text(value, "reasoning"),
        tool_calls: value
            .get("calls")
            .and_then(Value::as_array)
            .unwrap_or_default()
            .iter()
            .map(call)
            .collect::<Option<_>>()?,
        finish: finish.and_then(|f| FINISHES.iter().find(|(_, name)| *name == f)).map(|(finish, _)| *finish),
        stop_sequence: value.get("stop").and_then(Value::as_str).map(str::to_owned),
        usage: match value.get("usage") {
            Some(usage) => {
                Some(Usage { prompt_tokens: small(usage.at(0))?, completion_tokens: small(usage.at(1))? })
            }
            None => None,
        },
    })
}

fn error_to_value(error: &LlmError) -> Value {
    let number = |n: Option<u32>| n.map_or(Value::Null, Value::from);
    let (message, number) = match error {
        LlmError::Endpoint(m)
        | LlmError::Stream(m)
        | LlmError::Malformed(m)
        | LlmError::Context { message: m } => (m.as_str(), Value::Null),
        LlmError::Http { status, message } => (message.as_str(), number(status.map(u32::from))),
        LlmError::Refused { status, message } => (message.as_str(), u32::from(*status).into()),
        LlmError::RateLimit { retry_after_ms, message } => (message.as_str(), number(*retry_after_ms)),
        LlmError::Timeout { what, milliseconds } => (*what, (*milliseconds).into()),
        LlmError::Aborted => ("", Value::Null),
    };
    Value::object([("error", error.code().into()), ("message", message.into()), ("number", number)])
}

fn error_from_value(value: &Value) -> Option<LlmError> {
    let message = value.get("message")?.as_str()?.to_owned();
    let number = value.get("number").and_then(Value::as_u64);
    let status = number.and_then(|n| u16::try_from(n).ok());
    let milliseconds = number.and_then(|n| u32::try_from(n).ok());
    let waited = ["first text", "further text", COMPLETE_REPLY];
    Some(match value.get("error")?.as_str()? {
        "llm-endpoint" => LlmError::Endpoint(message),
        "llm-http" => LlmError::Http { status, message },
        "llm-refused" => LlmError::Refused { status: status?, message },
        "llm-rate-limit" => LlmError::RateLimit { retry_after_ms: milliseconds, message },
        "llm-timeout" => LlmError::Timeout {
            what: waited.into_iter().find(|w| *w == message).unwrap_or("reply"),
            milliseconds: milliseconds?,
        },
        "llm-context" => LlmError::Context { message },
        "llm-stream" => LlmError::Stream(message),
        "llm-malformed" => LlmError::Malformed(message),
        "aborted" => LlmError::Aborted,
        _ => return None,
    })
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
