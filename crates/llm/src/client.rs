//! Client for OpenAI-compatible chat endpoints.

use super::backoff::{Retry, retry_after_ms};
use super::decode::{ChatDecoder, error_message};
use super::error::{COMPLETE_REPLY, is_too_long, make_presentable};
use super::request::{Refused, request_body};
use super::{
    ByteStream, ChatModel, ChatRequest, Delta, Endpoint, HttpRequest, HttpResponse, LlmError, OpenedStream,
    Secret, Transport, TransportError,
};
use crate::json::{self, Value};
use futures::future::{FutureExt, LocalBoxFuture};
use futures::stream::{self, StreamExt};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::{Future, pending, poll_fn};
use std::task::Poll;

/// Time limits, in milliseconds; `None` waits for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Milliseconds from a request to the first text of its reply. Slow machines take long to read a prompt.
    pub first_ms: Option<u32>,
    /// Milliseconds between two pieces of a reply.
    pub stall_ms: Option<u32>,
    /// Milliseconds from the call to the reply's end, with retries.
    pub overall_ms: Option<u32>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts { first_ms: Some(120_000), stall_ms: Some(60_000), overall_ms: Some(600_000) }
    }
}

/// Address and settings of a model.
#[derive(Clone, PartialEq, Eq)]
pub struct ChatConfig {
    /// Address of the endpoint, as [`Endpoint::new`] takes it.
    pub base_url: String,
    /// Name of the model.
    pub model: String,
    /// Key, if the endpoint needs one: sent as `Authorization: Bearer`, never shown.
    pub api_key: Option<Secret>,
    /// Further headers.
    pub headers: Vec<(String, String)>,
    /// Time limits.
    pub timeouts: Timeouts,
    /// Retries of failed requests.
    pub retry: Retry,
    /// Maximum number of bytes of a line of a reply, and of its whole text.
    pub max_reply_bytes: usize,
}

impl ChatConfig {
    /// Returns the defaults for an address and a model.
    pub fn new(base_url: &str, model: &str) -> ChatConfig {
        ChatConfig {
            base_url: base_url.to_owned(),
            model: model.to_owned(),
            api_key: None,
            headers: Vec::new(),
            timeouts: Timeouts::default(),
            retry: Retry::default(),
            max_reply_bytes: 2 << 20,
        }
    }
}

impl std::fmt::Debug for ChatConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Neither header values nor the URL: people put keys in both.
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("ChatConfig")
            .field("model", &self.model)
            .field("api_key", &self.api_key)
            .field("headers", &names)
            .field("timeouts", &self.timeouts)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}

/// Model at an OpenAI-compatible endpoint.
///
/// Failures before the first text are retried: connections, 429, 5xx, and replies that break off at once. A
/// later failure ends the stream with the error, because readers have seen the text. Dropping the future or
/// the stream closes the connection.
pub struct OpenAiChat<T> {
    transport: T,
    endpoint: Endpoint,
    config: ChatConfig,
    headers: Vec<(String, String)>,
    requests: Cell<u64>,
    refused: RefCell<Refused>,
}

impl<T> std::fmt::Debug for OpenAiChat<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAiChat").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Milliseconds to wait for the count of tokens after the model's reason to stop.
const AFTER_FINISH_MS: u32 = 2_000;
/// Milliseconds to wait if that piece also has text: some servers give a reason with every piece.
const AFTER_FINISH_WITH_TEXT_MS: u32 = 15_000;
/// Maximum number of bytes read of an error page.
const ERROR_BODY_BYTES: usize = 64 << 10;
/// Maximum number of refused options that are dropped from one request.
const ADAPTATIONS: u32 = 4;

type Timer = LocalBoxFuture<'static, ()>;

impl<T: Transport> OpenAiChat<T> {
    /// Checks the settings; sends nothing.
    ///
    /// # Errors
    /// [`LlmError::Endpoint`] for an unusable address, model name, key or header.
    pub fn new(transport: T, config: ChatConfig) -> Result<OpenAiChat<T>, LlmError> {
        let endpoint = Endpoint::new(&config.base_url)?;
        if config.model.trim().is_empty() {
            return Err(LlmError::Endpoint("no model is named".to_owned()));
        }
        let mut headers = vec![
            ("Content-Type".to_owned(), "application/json".to_owned()),
            ("Accept".to_owned(), "text/event-stream, application/json".to_owned()),
        ];
        let key = config.api_key.as_ref().map(Secret::expose).filter(|k| !k.is_empty());
        if let Some(key) = key {
            if !key.bytes().all(|b| b.is_ascii_graphic()) {
                return Err(LlmError::Endpoint("the key holds characters that no key has".to_owned()));
            }
            headers.push(("Authorization".to_owned(), format!("Bearer {key}")));
        }
        for (name, value) in &config.headers {
            let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
            if name.is_empty()
                || !name.bytes().all(token)
                || !value.bytes().all(|b| b == b' ' || b.is_ascii_graphic())
            {
                return Err(LlmError::Endpoint("a header holds characters that no header has".to_owned()));
            }
            headers.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
            headers.push((name.clone(), value.clone()));
        }
        Ok(OpenAiChat {
            transport,
            endpoint,
            config,
            headers,
            requests: Cell::new(0),
            refused: RefCell::default(),
        })
    }

    /// Returns the settings.
    pub fn config(&self) -> &ChatConfig {
        &self.config
    }

    fn start_timer(&self, milliseconds: Option<u32>) -> Timer {
        match milliseconds {
            Some(ms) => self.transport.sleep(ms),
            None => pending().boxed_local(),
        }
    }

    /// Shortens a text of the endpoint and removes our secrets.
    fn clean_message(&self, message: &str) -> String {
        let key = self.config.api_key.as_ref().map(Secret::expose);
        let headers = self.config.headers.iter().map(|(_, v)| v.as_str()).filter(|v| v.len() >= 8);
        make_presentable(message, &key.into_iter().chain(headers).collect::<Vec<_>>())
    }

    fn remove_secrets(&self, error: LlmError) -> LlmError {
        match error {
            LlmError::Stream(m) => LlmError::Stream(self.clean_message(&m)),
            LlmError::Malformed(m) => LlmError::Malformed(self.clean_message(&m)),
            LlmError::RateLimit { retry_after_ms, message } => {
                LlmError::RateLimit { retry_after_ms, message: self.clean_message(&message) }
            }
            other => other,
        }
    }

    /// Sends a request, with retries, up to its first text.
    async fn start_reply(&self, request: &ChatRequest) -> Result<Reply, LlmError> {
        let number = self.requests.get();
        self.requests.set(number.wrapping_add(1));
        let overall_ms = [self.config.timeouts.overall_ms, request.within_ms].into_iter().flatten().min();
        let mut overall = self.start_timer(overall_ms);
        let (mut attempt, mut adapted) = (0, 0);
        loop {
            let mut body = request_body(&self.config.model, request);
            self.refused.borrow().leave_out(&mut body, request.stop_is_optional);
            let (error, wish) = match self.attempt_once(&body, overall_ms, &mut overall).await {
                Ok(mut reply) => {
                    reply.overall = overall;
                    reply.overall_ms = overall_ms;
                    return Ok(reply);
                }
                Err(failure) => failure,
            };
            // LiteLLM answers 500 if a parameter is not supported.
            if let LlmError::Http { status: Some(status @ (400 | 422 | 500)), message } = &error
                && adapted < ADAPTATIONS
                && self.refused.borrow_mut().learn_refusal(&body, request.stop_is_optional, *status, message)
            {
                adapted += 1;
                continue;
            }
            let too_long = wish.is_some_and(|w| w > self.config.retry.longest_wish_ms);
            // A request that timed out is not retried: the endpoint is still at work, and would get slower.
            let hopeless = !error.is_transient() || matches!(error, LlmError::Timeout { .. });
            if hopeless || too_long || attempt >= self.config.retry.times {
                return Err(error);
            }
            let pause = wish.unwrap_or_else(|| self.config.retry.pause_ms(attempt, number));
            let mut never = self.start_timer(None);
            match wait_within(self.transport.sleep(pause), &mut overall, &mut never).await {
                Waited::Done(()) => attempt += 1,
                Waited::Overall | Waited::Step => return Err(too_slow(overall_ms)),
            }
        }
    }

    /// Sends a request once, up to its first delta. A failure has the endpoint's `Retry-After` (ms).
    async fn attempt_once(
        &self,
        body: &Value,
        overall_ms: Option<u32>,
        overall: &mut Timer,
    ) -> Result<Reply, (LlmError, Option<u32>)> {
        let first_ms = self.config.timeouts.first_ms;
        let mut first = self.start_timer(first_ms);
        let late = || LlmError::Timeout { what: "first text", milliseconds: first_ms.unwrap_or(u32::MAX) };
        let request = HttpRequest {
            url: self.endpoint.url().to_owned(),
            headers: self.headers.clone(),
            body: body.to_string(),
        };
        let response = match wait_within(self.transport.post(request), overall, &mut first).await {
            Waited::Done(Ok(response)) => response,
            Waited::Done(Err(TransportError::Aborted)) => return Err((LlmError::Aborted, None)),
            Waited::Done(Err(TransportError::Connection(message))) => {
                return Err((LlmError::Http { status: None, message: self.clean_message(&message) }, None));
            }
            Waited::Overall => return Err((too_slow(overall_ms), None)),
            Waited::Step => return Err((late(), None)),
        };
        if !(200..300).contains(&response.status) {
            return Err(self.read_refusal(response, overall, &mut first).await);
        }
        let mut reply = Reply::new(response.body, self.config.max_reply_bytes);
        while reply.queue.is_empty() && !reply.ended {
            let Some(body) = reply.body.as_mut() else { break };
            match wait_within(body.next(), overall, &mut first).await {
                Waited::Done(piece) => reply.take_piece(piece),
                Waited::Overall => return Err((too_slow(overall_ms), None)),
                Waited::Step => return Err((late(), None)),
            }
        }
        match reply.error.take() {
            Some(error) if reply.queue.is_empty() => Err((self.remove_secrets(error), None)),
            error => {
                reply.error = error;
                Ok(reply)
            }
        }
    }

    /// Makes the error of a status other than 2xx, with the endpoint's message if it arrives in time.
    async fn read_refusal(
        &self,
        mut response: HttpResponse,
        overall: &mut Timer,
        first: &mut Timer,
    ) -> (LlmError, Option<u32>) {
        let mut bytes = Vec::new();
        while bytes.len() < ERROR_BODY_BYTES {
            match wait_within(response.body.next(), overall, first).await {
                Waited::Done(Some(Ok(piece))) => {
                    bytes.extend_from_slice(&piece[..piece.len().min(ERROR_BODY_BYTES)])
                }
                _ => break,
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let words = json::parse(text.trim()).ok().and_then(|v| error_message(&v));
        let message = match words {
            Some(message) => message,
            // The page of a web server before the endpoint tells a reader nothing.
            None if text.trim_start().starts_with('<') => "it sent a web page in place of a reply".to_owned(),
            None => text.into_owned(),
        };
        let message = self.clean_message(&message);
        let wish = response.header("retry-after").and_then(|v| retry_after_ms(v, response.header("date")));
        let status = response.status;
        let error = match status {
            // An exhausted account is also 429, but waiting does not help.
            401 | 403 => LlmError::Refused { status, message },
            429 if message.contains("insufficient_quota") => LlmError::Refused { status, message },
            429 => LlmError::RateLimit { retry_after_ms: wish, message },
            400 | 413 | 422 | 500 if is_too_long(&message) => LlmError::Context { message },
            300..=399 => LlmError::Http {
                status: Some(status),
                message: "it redirects elsewhere; give that address instead".to_owned(),
            },
            _ => LlmError::Http { status: Some(status), message },
        };
        (error, wish)
    }

    /// Returns the next item of a reply under way.
    async fn next(&self, reply: &mut Reply) -> Option<Result<Delta, LlmError>> {
        loop {
            if let Some(delta) = reply.queue.pop_front() {
                return Some(Ok(delta));
            }
            if let Some(error) = reply.error.take() {
                reply.end_reading();
                return Some(Err(self.remove_secrets(error)));
            }
            let body = reply.body.as_mut()?;
            let finished = reply.decoder.is_finished();
            let stall_ms = self.config.timeouts.stall_ms;
            let most =
                if reply.decoder.finished_with_text() { AFTER_FINISH_WITH_TEXT_MS } else { AFTER_FINISH_MS };
            let stall_ms = if finished { Some(stall_ms.unwrap_or(most).min(most)) } else { stall_ms };
            let mut stall = self.start_timer(stall_ms);
            match wait_within(body.next(), &mut reply.overall, &mut stall).await {
                Waited::Done(piece) => reply.take_piece(piece),
                Waited::Overall | Waited::Step if finished => reply.end_reading(),
                Waited::Overall => reply.fail_with(too_slow(reply.overall_ms)),
                Waited::Step => reply.fail_with(LlmError::Timeout {
                    what: "further text",
                    milliseconds: stall_ms.unwrap_or(u32::MAX),
                }),
            }
        }
    }
}

impl<T: Transport> ChatModel for OpenAiChat<T> {
    fn chat<'a>(&'a self, request: ChatRequest) -> OpenedStream<'a> {
        async move {
            let reply = self.start_reply(&request).await?;
            let deltas = stream::unfold(reply, move |mut reply| async move {
                self.next(&mut reply).await.map(|item| (item, reply))
            });
            Ok(deltas.boxed_local())
        }
        .boxed_local()
    }
}

/// Reply with a good status.
struct Reply {
    /// `None` once reading is over, which closes the connection.
    body: Option<ByteStream>,
    decoder: ChatDecoder,
    queue: VecDeque<Delta>,
    /// Error to report after the queue.
    error: Option<LlmError>,
    ended: bool,
    overall: Timer,
    overall_ms: Option<u32>,
}

impl Reply {
    fn new(body: ByteStream, limit: usize) -> Reply {
        Reply {
            body: Some(body),
            decoder: ChatDecoder::new(limit),
            queue: VecDeque::new(),
            error: None,
            ended: false,
            overall: pending().boxed_local(),
            overall_ms: None,
        }
    }

    fn end_reading(&mut self) {
        self.ended = true;
        self.body = None;
    }

    fn fail_with(&mut self, error: LlmError) {
        self.error = Some(error);
        self.end_reading();
    }

    /// Takes a piece of the body: bytes, an error, or its end.
    fn take_piece(&mut self, piece: Option<Result<Vec<u8>, TransportError>>) {
        let mut deltas = Vec::new();
        let (result, over) = match piece {
            Some(Ok(bytes)) => (self.decoder.push(&bytes, &mut deltas), false),
            Some(Err(TransportError::Aborted)) => (Err(LlmError::Aborted), true),
            // Some servers break the connection instead of closing it: harmless once the model has stopped.
            Some(Err(TransportError::Connection(_))) if self.decoder.is_finished() => (Ok(()), true),
            Some(Err(TransportError::Connection(message))) => (Err(LlmError::Stream(message)), true),
            None => (self.decoder.finish(&mut deltas), true),
        };
        self.queue.extend(deltas);
        match result {
            Err(error) => self.fail_with(error),
            Ok(()) if over || self.decoder.is_done() => self.end_reading(),
            Ok(()) => {}
        }
    }
}

/// Makes the error of a reply that exceeds its whole time.
fn too_slow(milliseconds: Option<u32>) -> LlmError {
    LlmError::Timeout { what: COMPLETE_REPLY, milliseconds: milliseconds.unwrap_or(u32::MAX) }
}

enum Waited<O> {
    Done(O),
    Overall,
    Step,
}

/// Waits for `work` under two timers. Finished work wins over a timer that has run out.
async fn wait_within<O>(work: impl Future<Output = O>, overall: &mut Timer, step: &mut Timer) -> Waited<O> {
    let mut work = std::pin::pin!(work);
    poll_fn(|cx| {
        if let Poll::Ready(out) = work.as_mut().poll(cx) {
            return Poll::Ready(Waited::Done(out));
        }
        if overall.poll_unpin(cx).is_ready() {
            return Poll::Ready(Waited::Overall);
        }
        step.poll_unpin(cx).map(|()| Waited::Step)
    })
    .await
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
