//! Decodes the bytes of a reply to deltas: OpenAI's chat-completion chunks, and other servers' variants.

use super::sse::{SseDecoder, SseEvent};
use super::tools;
use super::{Delta, Finish, LlmError, Usage};
use crate::json::{self, Value};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    /// Only white space so far.
    #[default]
    Unknown,
    /// Server-sent events.
    Events,
    /// One JSON value: the server ignored `stream`.
    Json,
}

/// Decodes the body of a reply as its bytes arrive. Deltas and errors do not depend on how the bytes are cut.
///
/// In addition to OpenAI's form it reads `data:` without a space, comments, any line ends, missing fields,
/// empty `choices`, usage in its own chunk, an error object in a 200 reply, thinking as `reasoning_content`
/// or `reasoning`, content as a list of parts, and one JSON object from a server that does not stream.
#[derive(Debug, Clone, Default)]
pub struct ChatDecoder {
    limit: usize,
    kind: Kind,
    sse: SseDecoder,
    json: Vec<u8>,
    received: bool,
    events: bool,
    finished: bool,
    finished_with_text: bool,
    done: bool,
    text_bytes: usize,
}

impl ChatDecoder {
    /// Returns a decoder that refuses a line, an unstreamed body, or a whole text of more than `limit` bytes.
    pub fn new(limit: usize) -> ChatDecoder {
        ChatDecoder { limit, sse: SseDecoder::new(limit), ..ChatDecoder::default() }
    }

    /// Returns true if the reply is over, so that nothing more needs to be read.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Returns true if the model has given its reason to stop: only a count of tokens may follow.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Returns true if the piece with the reason to stop also had text: its server may send more after it.
    pub fn finished_with_text(&self) -> bool {
        self.finished_with_text
    }

    /// Decodes bytes and appends the deltas that they complete to `out`.
    ///
    /// # Errors
    /// [`LlmError`] if the reply reports an error, violates the protocol, or is too long. `out` has the
    /// deltas before it.
    pub fn push(&mut self, mut bytes: &[u8], out: &mut Vec<Delta>) -> Result<(), LlmError> {
        if self.kind == Kind::Unknown {
            // Byte-order mark and white space decide nothing; an event stream cannot begin with a bracket.
            let blank = |b: &u8| b.is_ascii_whitespace() || matches!(b, 0xef | 0xbb | 0xbf);
            if let Some(at) = bytes.iter().position(|b| !blank(b)) {
                self.received = true;
                self.kind = if matches!(bytes[at], b'{' | b'[') { Kind::Json } else { Kind::Events };
                if self.kind == Kind::Json {
                    bytes = &bytes[at..];
                }
            }
        }
        if self.kind == Kind::Json {
            if self.json.len() + bytes.len() > self.limit {
                return Err(self.too_long());
            }
            self.json.extend_from_slice(bytes);
            return Ok(());
        }
        let mut events = Vec::new();
        let pushed = self.sse.push(bytes, &mut events);
        for event in events {
            self.decode_event(&event, false, out)?;
        }
        pushed.map_err(|e| LlmError::Malformed(e.to_string()))
    }

    /// Ends the body.
    ///
    /// # Errors
    /// [`LlmError::Stream`] if it ended before the answer did, and as [`ChatDecoder::push`].
    pub fn finish(&mut self, out: &mut Vec<Delta>) -> Result<(), LlmError> {
        if self.done {
            return Ok(());
        }
        if self.kind == Kind::Json {
            let text = String::from_utf8_lossy(&self.json).into_owned();
            let value = match json::parse(text.trim_end()) {
                Ok(value) => value,
                Err(e) if e.offset >= text.trim_end().len() => return Err(cut_short()),
                Err(e) => return Err(LlmError::Malformed(e.to_string())),
            };
            let value = value.at(0).unwrap_or(&value);
            if value.get("choices").and_then(|c| c.at(0)).is_none() && value.get("error").is_none() {
                return Err(LlmError::Malformed("a JSON reply without choices".to_owned()));
            }
            self.decode_value(value, "", out)?;
            self.done = true;
            return Ok(());
        }
        if let Some(event) = self.sse.finish().map_err(|e| LlmError::Malformed(e.to_string()))? {
            self.decode_event(&event, true, out)?;
        }
        if self.done || self.finished {
            self.done = true;
            Ok(())
        } else if self.received && !self.events {
            Err(LlmError::Malformed("neither an event stream nor JSON".to_owned()))
        } else {
            Err(cut_short())
        }
    }

    fn too_long(&self) -> LlmError {
        LlmError::Stream(format!("it is longer than {} bytes", self.limit))
    }

    /// Decodes an event. No blank line closed the `last`: broken JSON then means a broken connection.
    fn decode_event(&mut self, event: &SseEvent, last: bool, out: &mut Vec<Delta>) -> Result<(), LlmError> {
        self.events = true;
        let data = event.data.trim();
        if self.done || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        match json::parse(data) {
            Ok(value) => self.decode_value(&value, &event.event, out),
            Err(_) if event.event == "error" => Err(LlmError::Stream(data.to_owned())),
            // A named event of another kind, such as a ping.
            Err(_) if !event.event.is_empty() && event.event != "message" => Ok(()),
            Err(_) if last => Err(cut_short()),
            Err(e) => Err(LlmError::Malformed(e.to_string())),
        }
    }

    fn decode_value(&mut self, value: &Value, name: &str, out: &mut Vec<Delta>) -> Result<(), LlmError> {
        if let Some(error) = error_of(value, name) {
            return Err(error);
        }
        let mut delta = Delta { usage: usage_of(value), ..Delta::default() };
        let choices = value.get("choices").and_then(Value::as_array).unwrap_or_default();
        // Takes the first alternative, which a server without numbers means.
        let ours =
            |c: &&Value| c.get("index").is_none_or(|i| matches!(i, Value::Null) || i.as_u64() == Some(0));
        if let Some(choice) = choices.iter().find(ours) {
            let part = [choice.get("delta"), choice.get("message")]
                .into_iter()
                .flatten()
                .find(|p| p.as_object().is_some());
            if let Some(part) = part {
                for name in ["content", "refusal"] {
                    append_text(part.get(name), &mut delta.text);
                }
                let thinking = ["reasoning_content", "reasoning"]
                    .iter()
                    .find_map(|n| part.get(n).filter(|v| v.as_str().is_some()));
                append_text(thinking, &mut delta.reasoning);
                delta.tool_calls = tools::read_pieces(part);
            } else {
                append_text(choice.get("text"), &mut delta.text);
            }
            delta.finish =
                choice.get("finish_reason").and_then(Value::as_str).filter(|r| !r.is_empty()).map(finish_of);
            delta.stop_sequence = choice.get("stop_reason").and_then(Value::as_str).map(str::to_owned);
        }
        if delta.finish.is_some() {
            self.finished = true;
            self.finished_with_text = !delta.text.is_empty();
        } else if !delta.text.is_empty() {
            // The earlier reason was not the end.
            self.finished = false;
        }
        let calls = delta
            .tool_calls
            .iter()
            .map(|p| p.call.id.len() + p.call.name.len() + p.call.arguments.len())
            .sum::<usize>();
        self.text_bytes += delta.text.len() + delta.reasoning.len() + calls;
        if self.text_bytes > self.limit {
            return Err(self.too_long());
        }
        if delta != Delta::default() {
            out.push(delta);
        }
        Ok(())
    }
}

fn cut_short() -> LlmError {
    LlmError::Stream("it ended before the answer did".to_owned())
}

fn finish_of(reason: &str) -> Finish {
    match reason {
        "stop" | "eos" | "end_turn" | "stop_sequence" => Finish::Stop,
        "length" | "max_tokens" => Finish::Length,
        "content_filter" => Finish::Filtered,
        "tool_calls" | "function_call" => Finish::ToolCalls,
        _ => Finish::Other,
    }
}

fn usage_of(value: &Value) -> Option<Usage> {
    let usage = value.get("usage").filter(|u| u.as_object().is_some())?;
    let count =
        |name| u32::try_from(usage.get(name).and_then(Value::as_u64).unwrap_or(0)).unwrap_or(u32::MAX);
    Some(Usage { prompt_tokens: count("prompt_tokens"), completion_tokens: count("completion_tokens") })
}

/// Appends text: a string, or a list of strings and of parts with a `text`.
fn append_text(value: Option<&Value>, out: &mut String) {
    match value {
        Some(Value::String(text)) => out.push_str(text),
        Some(Value::Array(parts)) => {
            for part in parts {
                out.push_str(
                    part.as_str().or_else(|| part.get("text").and_then(Value::as_str)).unwrap_or(""),
                );
            }
        }
        _ => {}
    }
}

/// Returns the message of an endpoint's error object, in any of the usual shapes.
pub(super) fn error_message(value: &Value) -> Option<String> {
    let value = value.at(0).unwrap_or(value);
    let error = value.get("error").filter(|e| !matches!(e, Value::Null)).unwrap_or(value);
    let named = ["message", "detail", "msg"].iter().find_map(|n| error.get(n).and_then(Value::as_str));
    let code = ["code", "type"].iter().find_map(|n| error.get(n).and_then(Value::as_str));
    match (error.as_str().or(named), code) {
        (Some(message), Some(code)) => Some(format!("{message} ({code})")),
        (Some(message), None) => Some(message.to_owned()),
        (None, code) => code.map(str::to_owned),
    }
}

/// Returns the error that a value in a 200 reply reports.
fn error_of(value: &Value, name: &str) -> Option<LlmError> {
    let member = value.get("error").filter(|e| !matches!(e, Value::Null | Value::Bool(false)));
    let is_error =
        member.is_some() || name == "error" || value.get("object").and_then(Value::as_str) == Some("error");
    if !is_error {
        return None;
    }
    let message = error_message(value).unwrap_or_else(|| "an error without a message".to_owned());
    let status = member.and_then(|e| e.get("code")).or_else(|| value.get("code")).and_then(Value::as_u64);
    if status == Some(429) || message.contains("rate_limit") {
        return Some(LlmError::RateLimit { retry_after_ms: None, message });
    }
    Some(LlmError::Stream(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Completion;
    use proptest::prelude::*;

    fn decode(pieces: &[&[u8]]) -> Completion {
        let mut decoder = ChatDecoder::new(1 << 12);
        let mut all = Completion::default();
        let mut deltas = Vec::new();
        let mut result = Ok(());
        for piece in pieces {
            result = result.and_then(|()| decoder.push(piece, &mut deltas));
        }
        result = result.and_then(|()| decoder.finish(&mut deltas));
        deltas.iter().for_each(|d| all.push(d));
        all.error = result.err();
        all
    }

    fn of(text: &str) -> Completion {
        decode(&[text.as_bytes()])
    }

    const HELLO: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hel\"}}]}\n\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":null}]}\n\n";

    #[test]
    fn calls_of_tools_are_decoded_with_the_text_around_them() {
        let piece = br#"data: {"choices":[{"delta":{"content":"I look.","tool_calls":[{"index":0,"id":"a","function":{"name":"search","arguments":"{}"}}]}}]}

data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}

"#;
        let all = decode(&[piece]);
        assert_eq!(
            (all.text.as_str(), all.finish, all.error),
            ("I look.", Some(crate::llm::Finish::ToolCalls), None)
        );
        assert_eq!(all.tool_calls.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["search"]);
    }

    #[test]
    fn text_finish_and_a_usage_chunk_of_its_own_are_read() {
        let reply = of(&format!(
            "{HELLO}data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"length\"}}]}}\n\n\
             data: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":9,\"completion_tokens\":2}}}}\n\ndata: \
             [DONE]\n\ndata: {{ignored\n\n"
        ));
        assert_eq!((reply.text.as_str(), reply.finish, reply.error), ("Hello", Some(Finish::Length), None));
        assert_eq!(reply.usage, Some(Usage { prompt_tokens: 9, completion_tokens: 2 }));
    }

    #[test]
    fn deviating_servers_are_understood() {
        assert_eq!(
            of(
                "\u{feff}: ping\r\n\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\ndata:[DONE\
                 ]\r\n\r\n"
            )
            .text,
            "a"
        );
        assert_eq!(of("data: {\"choices\":[{\"text\":\"a\",\"finish_reason\":\"stop\"}]}\n\n").error, None);
        let parts =
            of("data: {\"choices\":[{\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},\"b\"]}}\
                ]}\n\ndata: [DONE]\n\n");
        assert_eq!(parts.text, "ab");
        let thinks =
            of("data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\",\"content\":null}}]}\n\ndat\
                a: [DONE]\n\n");
        assert_eq!((thinks.text.as_str(), thinks.reasoning.as_str()), ("", "hm"));
        let stop = of(
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\",\"stop_reason\":\"</a>\"}]}\n\n",
        );
        assert_eq!(stop.stop_sequence.as_deref(), Some("</a>"));
        assert_eq!(of("event: ping\ndata: hello\n\ndata: {}\n\ndata:\n\ndata: [DONE]").error, None);
        assert_eq!(
            of("data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\n\ndata: [DONE]\n\n")
                .text,
            ""
        );
    }

    #[test]
    fn a_reply_that_is_not_streamed_is_read_whole() {
        let reply =
            of(" \n{\"choices\":[{\"message\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}],\"usa\
                ge\":{\"prompt_tokens\":1}}\n");
        assert_eq!((reply.text.as_str(), reply.finish, reply.error), ("Hello", Some(Finish::Stop), None));
        assert_eq!(of("{\"choices\":[{\"mess").error, Some(cut_short()));
        assert!(matches!(of("{\"ok\":true}").error, Some(LlmError::Malformed(_))));
        assert!(matches!(of("{\"a\"}").error, Some(LlmError::Malformed(_))));
    }

    #[test]
    fn an_end_without_a_reason_is_a_reply_cut_short_and_keeps_its_text() {
        let reply = of(HELLO);
        assert_eq!((reply.text.as_str(), reply.error), ("Hello", Some(cut_short())));
        let mid_word = of(&format!("{HELLO}data: {{\"choices\":[{{\"delta\":{{\"content\":\" wor"));
        assert_eq!((mid_word.text.as_str(), mid_word.error), ("Hello", Some(cut_short())));
        assert_eq!(of("").error, Some(cut_short()));
    }

    #[test]
    fn an_error_inside_a_good_reply_is_an_error_and_keeps_the_text() {
        for (event, code) in [
            ("data: {\"error\":{\"message\":\"out of memory\",\"type\":\"server_error\"}}", "llm-stream"),
            ("data: {\"error\":\"overloaded\"}", "llm-stream"),
            ("event: error\ndata: overloaded", "llm-stream"),
            ("data: {\"object\":\"error\",\"message\":\"no\",\"code\":400}", "llm-stream"),
            ("data: {\"error\":{\"message\":\"slow down\",\"code\":429}}", "llm-rate-limit"),
            ("data: {\"choices\": nonsense}", "llm-malformed"),
        ] {
            let reply = of(&format!("{HELLO}{event}\n\ndata: [DONE]\n\n"));
            assert_eq!(
                (reply.text.as_str(), reply.error.map(|e| e.code())),
                ("Hello", Some(code)),
                "{event}"
            );
        }
        assert_eq!(of("{\"error\":{\"message\":\"no\"}}").error, Some(LlmError::Stream("no".to_owned())));
        assert!(matches!(of("<html>no</html>").error, Some(LlmError::Malformed(_))));
    }

    #[test]
    fn nothing_grows_past_the_limit() {
        let long =
            format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n", "a".repeat(1000))
                .repeat(9);
        let reply = of(&long);
        assert_eq!((reply.text.len(), reply.error.map(|e| e.code())), (4000, Some("llm-stream")));
        assert_eq!(of(&"x".repeat(9000)).error.map(|e| e.code()), Some("llm-malformed"));
        assert_eq!(of(&format!("{{{}", " ".repeat(9000))).error.map(|e| e.code()), Some("llm-stream"));
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_reply(
            events in prop::collection::vec(
                prop_oneof![
                    Just(HELLO.to_owned()),
                    Just(": ping\n\n".to_owned()),
                    Just("data: [DONE]\n\n".to_owned()),
                    Just("{".to_owned()),
                    Just(
                        "data: {\"choices\":[{\"delta\":{\"content\":\"é😀\"}}]}\
                            \r\n\r\n"
                            .to_owned()
                    ),
                    Just(" \n".to_owned()),
                    Just("data: {\"error\":\"x\"}\r\r".to_owned()),
                    Just("data: {\"usage\":{\"prompt_tokens\":1}}\n\n".to_owned()),
                    ".{0,5}",
                ],
                0..10,
            ),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let bytes = events.concat().into_bytes();
            let mut at: Vec<usize> = cuts.iter().map(|c| c.index(bytes.len() + 1)).collect();
            at.extend([0, bytes.len()]);
            at.sort_unstable();
            let pieces: Vec<&[u8]> = at.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
            prop_assert_eq!(decode(&pieces), decode(&[&bytes]));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            decode(&[&bytes]);
        }
    }
}
