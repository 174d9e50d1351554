//! OpenAI's Responses API, below the client: translates requests of chat completions to it and its replies
//! back, so that one client with its retries and errors serves both.
//!
//! The endpoint stores nothing (`store: false`), and every request has the whole conversation. The API has no
//! stop sequences and seeds: the caller ends a reply at its stops. The wasm module does not contain this; in
//! a page `pkg/responses-model.js` does it.

use super::sse::{SseDecoder, SseEvent};
use super::transport::{ByteStream, HttpRequest, HttpResponse, Transport, TransportError};
use crate::json::{Value, parse};
use futures::future::{FutureExt, LocalBoxFuture};
use futures::stream::{StreamExt, unfold};

const CHAT: &str = "/chat/completions";
/// Path of the Responses API.
const RESPONSES: &str = "/responses";
/// Maximum length of a line, and of a reply that is not streamed, in bytes.
const LIMIT: usize = 4 << 20;

/// Returns true if an endpoint's address names this API: its path ends with `/responses`.
pub fn is_responses(base_url: &str) -> bool {
    let path = base_url.trim().split(['#', '?']).next().unwrap_or_default();
    path.trim_end_matches('/').ends_with(RESPONSES)
}

/// Carries requests of chat completions to an endpoint of this API.
#[derive(Debug, Clone)]
pub struct Responses<T>(pub T);

impl<T: Transport> Transport for Responses<T> {
    fn post(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>> {
        self.0
            .post(to_responses_request(request))
            .map(|response| response.map(from_responses_response))
            .boxed_local()
    }

    fn get(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>> {
        self.0.get(request)
    }

    fn sleep(&self, milliseconds: u32) -> LocalBoxFuture<'static, ()> {
        self.0.sleep(milliseconds)
    }
}

/// Translates a request of chat completions to this API.
pub fn to_responses_request(request: HttpRequest) -> HttpRequest {
    HttpRequest { url: translate_address(&request.url), body: translate_body(request.body), ..request }
}

/// Translates the body of a request of chat completions. Leaves what is no object for the endpoint to refuse.
pub fn translate_body(of_chat: String) -> String {
    match parse(&of_chat) {
        Ok(Value::Object(members)) => in_its_words(members).to_string(),
        _ => of_chat,
    }
}

/// Returns the API's address for the address of chat completions.
pub fn translate_address(url: &str) -> String {
    let at = url.find('?').unwrap_or(url.len());
    let (path, query) = url.split_at(at);
    format!("{}{RESPONSES}{query}", path.strip_suffix(CHAT).unwrap_or(path))
}

fn in_its_words(members: Vec<(String, Value)>) -> Value {
    let mut out: Vec<(String, Value)> = vec![("store".to_owned(), false.into())];
    for (name, value) in members {
        let (name, value) = match name.as_str() {
            "messages" => (
                "input",
                value.as_array().unwrap_or_default().iter().flat_map(input_items).collect::<Vec<_>>().into(),
            ),
            "max_tokens" | "max_completion_tokens" => ("max_output_tokens", value),
            "tools" => (
                "tools",
                value.as_array().unwrap_or_default().iter().map(unfold_function).collect::<Vec<_>>().into(),
            ),
            "tool_choice" => ("tool_choice", unfold_function(&value)),
            "response_format" => ("text", Value::object([("format", spread_member(&value, "json_schema"))])),
            "reasoning_effort" => ("reasoning", Value::object([("effort", value)])),
            "stop" | "stream_options" | "seed" => continue,
            other => (other, value),
        };
        out.push((name.to_owned(), value));
    }
    Value::Object(out)
}

/// Returns a message as items of the conversation: its text, the calls that it makes, or a tool's answer.
fn input_items(message: &Value) -> Vec<Value> {
    let text =
        |value: &Value, name: &str| Value::from(value.get(name).and_then(Value::as_str).unwrap_or_default());
    if let Some(id) = message.get("tool_call_id").filter(|id| id.as_str().is_some()) {
        return vec![Value::object([
            ("type", "function_call_output".into()),
            ("call_id", id.clone()),
            ("output", text(message, "content")),
        ])];
    }
    let calls = message.get("tool_calls").and_then(Value::as_array).unwrap_or_default();
    let content = message.get("content").filter(|content| !matches!(content, Value::Null));
    let content_text = content.map(|content| match message.get("role").and_then(Value::as_str) {
        Some("assistant") => written_item(content),
        _ => Value::object([("role", text(message, "role")), ("content", content.clone())]),
    });
    let call = |call: &Value| {
        let function = call.get("function").unwrap_or(call);
        let (id, name, arguments) = (text(call, "id"), text(function, "name"), text(function, "arguments"));
        Value::object([
            ("type", "function_call".into()),
            ("call_id", id),
            ("name", name),
            ("arguments", arguments),
        ])
    };
    content_text.into_iter().chain(calls.iter().map(call)).collect()
}

/// Returns the model's earlier text as the API gave it, since some servers accept only its parts.
fn written_item(content: &Value) -> Value {
    let part = Value::object([
        ("type", "output_text".into()),
        ("text", content.clone()),
        ("annotations", Vec::new().into()),
    ]);
    Value::object([("type", "message".into()), ("role", "assistant".into()), ("content", vec![part].into())])
}

/// Returns a tool, or the choice of one, without chat completions' object around a function.
fn unfold_function(tool: &Value) -> Value {
    spread_member(tool, "function")
}

/// Returns an object in which the members of its member `name` replace that member.
fn spread_member(value: &Value, name: &str) -> Value {
    let Some(members) = value.as_object() else { return value.clone() };
    let inner = |(n, v): &(String, Value)| match v.as_object().filter(|_| n == name) {
        Some(inner) => inner.to_vec(),
        None => vec![(n.clone(), v.clone())],
    };
    Value::Object(members.iter().flat_map(inner).collect())
}

/// Translates a response to chat completions: a stream of events, or one object. Errors are the same in both.
pub fn from_responses_response(response: HttpResponse) -> HttpResponse {
    if !(200..300).contains(&response.status) {
        return response;
    }
    let reading = Reading { body: Some(response.body), words: Translator::default() };
    let next = |mut reading: Reading| async move { Some((reading.next().await?, reading)) };
    HttpResponse { body: unfold(reading, next).boxed_local(), ..response }
}

/// Reply that is being read.
struct Reading {
    /// `None` once it is over.
    body: Option<ByteStream>,
    words: Translator,
}

impl Reading {
    /// Returns the next piece, translated to chat completions.
    async fn next(&mut self) -> Option<Result<Vec<u8>, TransportError>> {
        loop {
            let piece = self.body.as_mut()?.next().await;
            let over = !matches!(piece, Some(Ok(_)));
            let out = match piece {
                Some(Ok(bytes)) => self.words.push(&bytes).map_err(TransportError::Connection),
                Some(Err(error)) => Err(error),
                None => Ok(self.words.end()),
            };
            if over || out.is_err() {
                self.body = None;
            }
            match out {
                Ok(text) if text.is_empty() => {}
                out => return Some(out.map(String::into_bytes)),
            }
        }
    }
}

/// Translates the bytes of a reply to chat completions. The result does not depend on how they are cut.
#[derive(Debug, Clone)]
pub struct Translator {
    decoder: SseDecoder,
    /// True if anything but white space has arrived.
    begun: bool,
    /// Bytes of a reply that is not streamed.
    whole: Option<Vec<u8>>,
    /// Keys of the begun calls, and true for each whose arguments came in pieces.
    calls: Vec<(String, bool)>,
}

impl Default for Translator {
    fn default() -> Self {
        Translator { decoder: SseDecoder::new(LIMIT), begun: false, whole: None, calls: Vec::new() }
    }
}

impl Translator {
    /// Takes bytes and returns their translation, which may be empty.
    ///
    /// # Errors
    /// A message if the reply is too long.
    pub fn push(&mut self, bytes: &[u8]) -> Result<String, String> {
        let mut out = String::new();
        self.translate_bytes(bytes, &mut out).map(|()| out)
    }

    /// Ends the reply and returns the rest of its translation.
    pub fn end(&mut self) -> String {
        let mut out = String::new();
        self.translate_rest(&mut out);
        out
    }

    fn translate_bytes(&mut self, bytes: &[u8], out: &mut String) -> Result<(), String> {
        let first = bytes.iter().find(|b| !b.is_ascii_whitespace()).filter(|_| !self.begun);
        self.begun |= first.is_some();
        if first == Some(&b'{') {
            self.whole = Some(Vec::new());
        }
        if let Some(whole) = &mut self.whole {
            whole.extend_from_slice(bytes);
            return if whole.len() > LIMIT {
                Err(format!("it is longer than {LIMIT} bytes"))
            } else {
                Ok(())
            };
        }
        let mut events = Vec::new();
        let pushed = self.decoder.push(bytes, &mut events);
        events.iter().for_each(|event| self.translate_event(event, out));
        pushed.map_err(|e| e.to_string())
    }

    fn translate_rest(&mut self, out: &mut String) {
        if let Some(whole) = self.whole.take() {
            let text = String::from_utf8_lossy(&whole).into_owned();
            match parse(text.trim()) {
                Ok(value) if value.get("output").is_some() => {
                    out.push_str(&translate_unstreamed(&value).to_string())
                }
                _ => out.push_str(&text),
            }
            return;
        }
        if let Ok(Some(event)) = self.decoder.finish() {
            self.translate_event(&event, out);
        }
    }

    fn translate_event(&mut self, event: &SseEvent, out: &mut String) {
        let Ok(value) = parse(event.data.trim()) else {
            // The end of a stream, a ping, or an event that the client calls malformed.
            out.push_str(&format!("event: {}\ndata: {}\n\n", event.event, event.data.replace('\n', " ")));
            return;
        };
        let member = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
        match member("type") {
            "response.output_text.delta" | "response.refusal.delta" => {
                push_chunk(out, "content", member("delta").into())
            }
            "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
                push_chunk(out, "reasoning", member("delta").into())
            }
            "response.output_item.added" => self.translate_item(&value, false, out),
            "response.output_item.done" => self.translate_item(&value, true, out),
            "response.function_call_arguments.delta" => {
                let name = known_by(&value);
                let Some(place) = self.calls.iter().position(|(known, _)| *known == name) else { return };
                self.calls.iter_mut().skip(place).take(1).for_each(|(_, pieces)| *pieces = true);
                let function = Value::object([("arguments", member("delta").into())]);
                push_chunk(
                    out,
                    "tool_calls",
                    vec![Value::object([("index", place.into()), ("function", function)])].into(),
                );
            }
            "response.completed" | "response.incomplete" => {
                let response = value.get("response").unwrap_or(&value);
                let (finish, usage) = (finish_of(response, !self.calls.is_empty()), usage_of(response));
                out.push_str(&format!(
                    "data: {}\n\ndata: [DONE]\n\n",
                    Value::object([
                        ("choices", vec![make_choice("delta", Value::object([]), finish)].into()),
                        ("usage", usage)
                    ])
                ));
            }
            "response.failed" => {
                push_text(out, &Value::object([("error", error_of(value.get("response").unwrap_or(&value)))]))
            }
            "error" => push_text(out, &Value::object([("error", error_of(&value))])),
            _ if value.get("error").is_some_and(|e| !matches!(e, Value::Null)) => push_text(out, &value),
            _ => {}
        }
    }

    /// Translates a call that begins or is complete: its arguments, unless they came in pieces.
    fn translate_item(&mut self, event: &Value, whole: bool, out: &mut String) {
        let Some(item) =
            event.get("item").filter(|i| i.get("type").and_then(Value::as_str) == Some("function_call"))
        else {
            return;
        };
        let name = known_by(event);
        let begun = self.calls.iter().position(|(known, _)| *known == name);
        let pieces = begun.and_then(|at| self.calls.get(at)).is_some_and(|(_, pieces)| *pieces);
        let member = |name: &str| Value::from(item.get(name).and_then(Value::as_str).unwrap_or_default());
        if begun.is_some() && (pieces || !whole) {
            return;
        }
        let place = begun.unwrap_or(self.calls.len());
        if begun.is_none() {
            self.calls.push((name, false));
        }
        let arguments = if whole { member("arguments") } else { "".into() };
        let function = Value::object([("name", member("name")), ("arguments", arguments)]);
        let call =
            Value::object([("index", place.into()), ("id", member("call_id")), ("function", function)]);
        push_chunk(out, "tool_calls", vec![call].into());
    }
}

/// Returns the key of an event's item: its position, or its name if the server gives none.
fn known_by(event: &Value) -> String {
    let item = event.get("item");
    let names = [event.get("item_id"), item.and_then(|i| i.get("id")), item.and_then(|i| i.get("call_id"))];
    match event.get("output_index").and_then(Value::as_u64) {
        Some(place) => place.to_string(),
        None => names.into_iter().flatten().find_map(Value::as_str).unwrap_or_default().to_owned(),
    }
}

fn finish_of(response: &Value, calls: bool) -> &'static str {
    let reason = response.get("incomplete_details").and_then(|d| d.get("reason")).and_then(Value::as_str);
    match reason {
        Some("content_filter") => "content_filter",
        Some(_) => "length",
        None if calls => "tool_calls",
        None => "stop",
    }
}

fn usage_of(response: &Value) -> Value {
    let Some(usage) = response.get("usage").filter(|u| u.as_object().is_some()) else { return Value::Null };
    let count = |name: &str| Value::from(usage.get(name).and_then(Value::as_u64).unwrap_or_default());
    Value::object([("prompt_tokens", count("input_tokens")), ("completion_tokens", count("output_tokens"))])
}

/// Returns the failure as an object with a message.
fn error_of(value: &Value) -> Value {
    value.get("error").filter(|e| e.as_object().is_some()).unwrap_or(value).clone()
}

fn make_choice(part: &str, of: Value, finish: &str) -> Value {
    Value::object([("index", 0_u32.into()), (part, of), ("finish_reason", finish.into())])
}

fn push_chunk(out: &mut String, name: &str, value: Value) {
    push_text(
        out,
        &Value::object([(
            "choices",
            vec![Value::object([("delta", Value::object([(name, value)]))])].into(),
        )]),
    );
}

fn push_text(out: &mut String, value: &Value) {
    out.push_str(&format!("data: {value}\n\n"));
}

/// Translates a reply that was not streamed to a chat completion.
fn translate_unstreamed(response: &Value) -> Value {
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    for item in response.get("output").and_then(Value::as_array).unwrap_or_default() {
        let member = |name: &str| Value::from(item.get(name).and_then(Value::as_str).unwrap_or_default());
        let parts = |name: &str| item.get(name).and_then(Value::as_array).unwrap_or_default();
        let words = |part: &Value| {
            ["text", "refusal"]
                .iter()
                .find_map(|n| part.get(n).and_then(Value::as_str))
                .unwrap_or_default()
                .to_owned()
        };
        match item.get("type").and_then(Value::as_str) {
            Some("function_call") => {
                let function = Value::object([("name", member("name")), ("arguments", member("arguments"))]);
                calls.push(Value::object([("id", member("call_id")), ("function", function)]));
            }
            Some("reasoning") => parts("summary")
                .iter()
                .chain(parts("content"))
                .for_each(|part| reasoning.push_str(&words(part))),
            _ => parts("content").iter().for_each(|part| text.push_str(&words(part))),
        }
    }
    let finish = finish_of(response, !calls.is_empty());
    let message = Value::object([
        ("content", text.into()),
        ("reasoning", reasoning.into()),
        ("tool_calls", calls.into()),
    ]);
    Value::object([
        ("choices", vec![make_choice("message", message, finish)].into()),
        ("usage", usage_of(response)),
    ])
}

#[cfg(test)]
#[path = "responses_tests.rs"]
mod tests;
