//! Requests to a model, and their JSON.

use super::tools::ToolCall;
use crate::json::Value;

/// Role of a message's author.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Instructions.
    System,
    /// The person, or a program for them.
    User,
    /// The model.
    Assistant,
    /// A tool that the model called.
    Tool,
}

impl Role {
    /// Returns the name in requests.
    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Role of the author.
    pub role: Role,
    /// Text of the message.
    pub content: String,
    /// Tools that the model calls with it; empty except for some of its own turns.
    pub tool_calls: Vec<ToolCall>,
    /// Id of the call that a tool's message answers.
    pub tool_call_id: Option<String>,
}

impl Message {
    /// Makes a message of text alone.
    pub fn new(role: Role, content: impl Into<String>) -> Message {
        Message { role, content: content.into(), tool_calls: Vec::new(), tool_call_id: None }
    }

    /// Makes a system message.
    pub fn system(content: impl Into<String>) -> Message {
        Message::new(Role::System, content)
    }

    /// Makes a user message.
    pub fn user(content: impl Into<String>) -> Message {
        Message::new(Role::User, content)
    }

    /// Makes an assistant message.
    pub fn assistant(content: impl Into<String>) -> Message {
        Message::new(Role::Assistant, content)
    }

    /// Makes an assistant message that calls tools.
    pub fn calls(content: impl Into<String>, tool_calls: Vec<ToolCall>) -> Message {
        Message { tool_calls, ..Message::new(Role::Assistant, content) }
    }

    /// Makes the message of a tool for the call with that id.
    pub fn tool(id: &str, content: impl Into<String>) -> Message {
        Message { tool_call_id: Some(id.to_owned()), ..Message::new(Role::Tool, content) }
    }
}

/// Request for one reply. The endpoint decides about fields that are `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatRequest {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// Maximum number of tokens to write.
    pub max_tokens: Option<u32>,
    /// Sampling temperature; 0 is greedy.
    pub temperature: Option<f32>,
    /// Probability mass of nucleus sampling.
    pub top_p: Option<f32>,
    /// Texts at which the model stops. Endpoints leave them out of the reply.
    pub stop: Vec<String>,
    /// True if the caller ends the reply at `stop` itself, so an endpoint may refuse stop sequences.
    pub stop_is_optional: bool,
    /// Maximum milliseconds until the reply's end, with retries; `None` for the client's own limits.
    pub within_ms: Option<u32>,
    /// Seed, for endpoints that use it.
    pub seed: Option<u64>,
    /// Further members of the body (`response_format`, `tools`, `continue_final_message`, …), before ours.
    pub extra: Vec<(String, Value)>,
}

impl ChatRequest {
    /// Makes the request for a task on some material, with greedy sampling and at most `max_tokens` tokens of
    /// reply.
    pub fn of_task(task: &str, material: String, max_tokens: u32) -> ChatRequest {
        ChatRequest {
            messages: vec![Message::system(task), Message::user(material)],
            max_tokens: Some(max_tokens),
            temperature: Some(0.0),
            ..ChatRequest::default()
        }
    }
}

/// Key that neither `Debug` nor `Display` shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a key, without white space around it.
    pub fn new(key: &str) -> Secret {
        Secret(key.trim().to_owned())
    }

    /// Returns the key itself, for the Authorization header and for its removal from messages.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

pub(super) fn request_body(model: &str, request: &ChatRequest) -> Value {
    let messages = request.messages.iter().map(message_value).collect::<Vec<_>>();
    let mut members: Vec<(String, Value)> =
        vec![("model".to_owned(), model.into()), ("messages".to_owned(), messages.into())];
    let mut put = |name: &str, value: Option<Value>| members.extend(value.map(|v| (name.to_owned(), v)));
    put("max_tokens", request.max_tokens.map(Value::from));
    put("temperature", request.temperature.map(Value::from));
    put("top_p", request.top_p.map(Value::from));
    put("seed", request.seed.map(Value::from));
    let stop: Vec<Value> = request.stop.iter().map(|s| s.as_str().into()).collect();
    put("stop", (!stop.is_empty()).then(|| stop.into()));
    put("stream", Some(true.into()));
    put("stream_options", Some(Value::object([("include_usage", true.into())])));
    for (name, value) in &request.extra {
        members.retain(|(n, _)| n != name);
        members.push((name.clone(), value.clone()));
    }
    Value::Object(members)
}

/// Options that an endpoint refused and that are not sent again: newer models want `max_completion_tokens`,
/// some accept no temperature, some servers no `stream_options`, and some chat templates no system role.
#[derive(Debug, Clone, Default)]
pub(super) struct Refused {
    max_tokens: bool,
    system: bool,
    stop: bool,
    dropped: Vec<&'static str>,
}

/// Optional members of a request.
const OPTIONAL: [&str; 4] = ["stream_options", "temperature", "top_p", "seed"];

impl Refused {
    /// Learns from an endpoint's complaint about `body`; returns false if nothing can be changed. Keeps
    /// `stop` unless it is optional, because a protocol that relies on it would silently break.
    pub(super) fn learn_refusal(
        &mut self,
        body: &Value,
        stop_is_optional: bool,
        status: u16,
        message: &str,
    ) -> bool {
        let has = |name: &str| body.get(name).is_some();
        let message = message.to_ascii_lowercase();
        if message.contains("max_completion_tokens") && has("max_tokens") {
            self.max_tokens = true;
            return true;
        }
        if let Some(name) = OPTIONAL.into_iter().find(|name| message.contains(name) && has(name)) {
            self.dropped.push(name);
            return true;
        }
        let system =
            body.get("messages").and_then(|m| m.at(0)).and_then(|m| m.get("role")).and_then(Value::as_str)
                == Some("system");
        if system
            && (message.contains("system") && message.contains("role")
                || message.contains("developer instruction"))
        {
            self.system = true;
            return true;
        }
        if stop_is_optional && message.contains("stop") && has("stop") {
            self.stop = true;
            return true;
        }
        let Value::Object(members) = body else { return false };
        let named = members
            .iter()
            .map(|(name, _)| name.as_str())
            .chain(OPTIONAL)
            .chain(["max_completion_tokens"])
            .any(|name| message.contains(name));
        // A 500 may mean anything.
        !named && status < 500 && self.drop_optional(has)
    }

    /// Drops the optional members after a complaint that names none; then renames `max_tokens`.
    fn drop_optional(&mut self, has: impl Fn(&str) -> bool) -> bool {
        let optional = OPTIONAL.into_iter().filter(|name| has(name));
        let before = self.dropped.len();
        self.dropped.extend(optional);
        if self.dropped.len() > before {
            return true;
        }
        has("max_tokens") && !std::mem::replace(&mut self.max_tokens, true)
    }

    /// Removes from a body what the endpoint refused.
    pub(super) fn leave_out(&self, body: &mut Value, stop_is_optional: bool) {
        let Value::Object(members) = body else { return };
        members.retain(|(n, _)| {
            !(self.dropped.contains(&n.as_str()) || self.stop && stop_is_optional && n == "stop")
        });
        for (name, value) in members {
            if self.max_tokens && name == "max_tokens" {
                *name = "max_completion_tokens".to_owned();
            }
            if self.system && name == "messages" {
                move_system(value);
            }
        }
    }
}

/// Moves the system's text before the user's first one.
fn move_system(messages: &mut Value) {
    let Value::Array(messages) = messages else { return };
    let role = |m: &Value| m.get("role").and_then(Value::as_str).map(str::to_owned);
    let text = |m: &Value| m.get("content").and_then(Value::as_str).unwrap_or("").to_owned();
    if messages.first().and_then(role).as_deref() != Some("system") {
        return;
    }
    let system_text = text(&messages.remove(0));
    match messages.first().and_then(role).as_deref() {
        Some("user") => {
            messages[0] = message_value(&Message::user(format!("{system_text}\n\n{}", text(&messages[0]))))
        }
        _ => messages.insert(0, message_value(&Message::user(system_text))),
    }
}

/// Returns a message in JSON, with the calls that it makes or answers.
pub(super) fn message_value(message: &Message) -> Value {
    // Some endpoints refuse an empty text with calls.
    let content = if message.content.is_empty() && !message.tool_calls.is_empty() {
        Value::Null
    } else {
        message.content.as_str().into()
    };
    let mut members = vec![("role".to_owned(), message.role.name().into()), ("content".to_owned(), content)];
    if !message.tool_calls.is_empty() {
        let call = |c: &ToolCall| {
            let function =
                Value::object([("name", c.name.as_str().into()), ("arguments", c.arguments.as_str().into())]);
            Value::object([("id", c.id.as_str().into()), ("type", "function".into()), ("function", function)])
        };
        members
            .push(("tool_calls".to_owned(), message.tool_calls.iter().map(call).collect::<Vec<_>>().into()));
    }
    if let Some(id) = &message.tool_call_id {
        members.push(("tool_call_id".to_owned(), id.as_str().into()));
    }
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_says_what_was_asked_and_nothing_else() {
        let request = ChatRequest {
            messages: vec![Message::user("a\"b")],
            temperature: Some(0.1),
            ..ChatRequest::default()
        };
        assert_eq!(
            request_body("m", &request).to_string(),
            r#"{"model":"m","messages":[{"role":"user","content":"a\"b"}],"temperature":0.1,"stream":true,"stream_options":{"include_usage":true}}"#
        );
    }

    #[test]
    fn extra_members_win() {
        let request = ChatRequest {
            max_tokens: Some(5),
            stop: vec!["</search>".to_owned()],
            extra: vec![("max_tokens".to_owned(), 7_u32.into())],
            ..ChatRequest::default()
        };
        let body = request_body("m", &request);
        assert_eq!(body.get("max_tokens").and_then(Value::as_u64), Some(7));
        assert_eq!(body.get("stop").and_then(|s| s.at(0)).and_then(Value::as_str), Some("</search>"));
    }

    #[test]
    fn what_an_endpoint_refused_is_left_out_and_learnt_once() {
        let request = ChatRequest {
            messages: vec![Message::system("Rules."), Message::user("hi")],
            max_tokens: Some(5),
            temperature: Some(0.0),
            stop: vec!["x".to_owned()],
            ..ChatRequest::default()
        };
        let mut refused = Refused::default();
        let sent = |refused: &Refused, optional| {
            let mut body = request_body("m", &request);
            refused.leave_out(&mut body, optional);
            body
        };
        assert!(refused.learn_refusal(
            &sent(&refused, false),
            false,
            400,
            "use 'max_completion_tokens' instead of max_tokens"
        ));
        assert_eq!(sent(&refused, false).get("max_completion_tokens").and_then(Value::as_u64), Some(5));
        assert!(!refused.learn_refusal(
            &sent(&refused, false),
            false,
            400,
            "max_completion_tokens is too large"
        ));
        assert!(refused.learn_refusal(&sent(&refused, false), false, 400, "temperature is not supported"));
        assert!(!refused.learn_refusal(&sent(&refused, false), false, 400, "temperature is not supported"));
        assert!(!refused.learn_refusal(&sent(&refused, false), false, 400, "stop is not supported"));
        assert!(refused.learn_refusal(&sent(&refused, true), true, 400, "stop is not supported"));
        assert!(sent(&refused, true).get("stop").is_none() && sent(&refused, false).get("stop").is_some());
        assert!(refused.learn_refusal(&sent(&refused, false), false, 400, "System role not supported"));
        let messages = sent(&refused, false).get("messages").cloned().unwrap_or(Value::Null);
        assert_eq!(messages.to_string(), r#"[{"role":"user","content":"Rules.\n\nhi"}]"#);
    }

    #[test]
    fn a_complaint_that_names_no_member_costs_the_optional_ones_and_then_the_name_of_the_limit() {
        let request = ChatRequest { max_tokens: Some(5), temperature: Some(0.0), ..ChatRequest::default() };
        let mut refused = Refused::default();
        let sent = |refused: &Refused| {
            let mut body = request_body("m", &request);
            refused.leave_out(&mut body, false);
            body
        };
        assert!(!refused.learn_refusal(&sent(&refused), false, 500, "oops"));
        assert!(refused.learn_refusal(&sent(&refused), false, 400, "unknown argument"));
        assert!(
            sent(&refused).get("temperature").is_none() && sent(&refused).get("stream_options").is_none()
        );
        assert!(refused.learn_refusal(&sent(&refused), false, 400, "unknown argument"));
        assert_eq!(sent(&refused).get("max_completion_tokens").and_then(Value::as_u64), Some(5));
        assert!(!refused.learn_refusal(&sent(&refused), false, 400, "unknown argument"));
    }

    #[test]
    fn a_message_of_calls_alone_has_no_empty_text() {
        let calls = Message::calls(
            "",
            vec![ToolCall { id: "a".to_owned(), name: "search".to_owned(), arguments: "{}".to_owned() }],
        );
        assert!(matches!(message_value(&calls).get("content"), Some(Value::Null)));
        assert_eq!(message_value(&Message::assistant("")).get("content").and_then(Value::as_str), Some(""));
    }

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(format!("{:?}", Secret::new(" sk-1 ")), "Secret(…)");
        assert_eq!(Secret::new(" sk-1 ").expose(), "sk-1");
    }
}
