//! What is asked of a model, and the JSON that carries it.

use super::tools::ToolCall;
use crate::json::Value;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Instructions.
    System,
    /// The person, or a program on their behalf.
    User,
    /// The model.
    Assistant,
    /// A tool that the model had called.
    Tool,
}

impl Role {
    /// The name on the wire.
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
    /// Who speaks.
    pub role: Role,
    /// What they say.
    pub content: String,
    /// The tools that the model calls with it; empty but for some of its own turns.
    pub tool_calls: Vec<ToolCall>,
    /// The call that it answers, for what a tool says.
    pub tool_call_id: Option<String>,
}

impl Message {
    /// A message of words alone.
    pub fn new(role: Role, content: impl Into<String>) -> Message {
        Message { role, content: content.into(), tool_calls: Vec::new(), tool_call_id: None }
    }

    /// A system message.
    pub fn system(content: impl Into<String>) -> Message {
        Message::new(Role::System, content)
    }

    /// A user message.
    pub fn user(content: impl Into<String>) -> Message {
        Message::new(Role::User, content)
    }

    /// An assistant message.
    pub fn assistant(content: impl Into<String>) -> Message {
        Message::new(Role::Assistant, content)
    }

    /// An assistant message that calls tools.
    pub fn calls(content: impl Into<String>, tool_calls: Vec<ToolCall>) -> Message {
        Message { tool_calls, ..Message::new(Role::Assistant, content) }
    }

    /// What a tool answers to the call of that id.
    pub fn tool(id: &str, content: impl Into<String>) -> Message {
        Message { tool_call_id: Some(id.to_owned()), ..Message::new(Role::Tool, content) }
    }
}

/// A request for one reply. Fields left at `None` are left to the endpoint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatRequest {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The most tokens to write.
    pub max_tokens: Option<u32>,
    /// Sampling temperature; 0 is greedy.
    pub temperature: Option<f32>,
    /// Nucleus sampling.
    pub top_p: Option<f32>,
    /// Texts at which the model stops. Endpoints leave them out of the reply.
    pub stop: Vec<String>,
    /// A seed, for endpoints that honour it.
    pub seed: Option<u64>,
    /// Further members of the request's body, as they are (`response_format`, `tools`, `continue_final_message`, …). They win over ours.
    pub extra: Vec<(String, Value)>,
}

/// A key. It is shown by neither `Debug` nor `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a key, without white space around it.
    pub fn new(key: &str) -> Secret {
        Secret(key.trim().to_owned())
    }

    /// The key itself: for the Authorization header, and for cutting it out of messages.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The request's body.
pub(super) fn body(model: &str, request: &ChatRequest) -> Value {
    let messages = request.messages.iter().map(message).collect::<Vec<_>>();
    let mut members: Vec<(String, Value)> = vec![("model".to_owned(), model.into()), ("messages".to_owned(), messages.into())];
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

/// Changes a body that the endpoint refused because of one optional member: newer models want `max_completion_tokens`, some take no
/// temperature, some servers know no `stream_options`. `message` is the endpoint's complaint. False when there is nothing to change.
/// `stop` is never dropped: a protocol that relies on it would silently break.
pub(super) fn adapt(body: &mut Value, message: &str) -> bool {
    let Value::Object(members) = body else { return false };
    if message.contains("max_completion_tokens")
        && let Some(member) = members.iter_mut().find(|(n, _)| n == "max_tokens")
    {
        member.0 = "max_completion_tokens".to_owned();
        return true;
    }
    for optional in ["stream_options", "temperature", "top_p", "seed"] {
        let before = members.len();
        if message.contains(optional) {
            members.retain(|(n, _)| n != optional);
            if members.len() < before {
                return true;
            }
        }
    }
    false
}

/// A message as endpoints want it, with the calls that it makes or answers.
pub(super) fn message(message: &Message) -> Value {
    let mut members = vec![("role".to_owned(), message.role.name().into()), ("content".to_owned(), message.content.as_str().into())];
    if !message.tool_calls.is_empty() {
        let call = |c: &ToolCall| {
            let function = Value::object([("name", c.name.as_str().into()), ("arguments", c.arguments.as_str().into())]);
            Value::object([("id", c.id.as_str().into()), ("type", "function".into()), ("function", function)])
        };
        members.push(("tool_calls".to_owned(), message.tool_calls.iter().map(call).collect::<Vec<_>>().into()));
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
        let request = ChatRequest { messages: vec![Message::user("a\"b")], temperature: Some(0.1), ..ChatRequest::default() };
        assert_eq!(
            body("m", &request).to_string(),
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
        let body = body("m", &request);
        assert_eq!(body.get("max_tokens").and_then(Value::as_u64), Some(7));
        assert_eq!(body.get("stop").and_then(|s| s.at(0)).and_then(Value::as_str), Some("</search>"));
    }

    #[test]
    fn a_refused_option_is_renamed_or_dropped_once() {
        let request = ChatRequest { max_tokens: Some(5), temperature: Some(0.0), stop: vec!["x".to_owned()], ..ChatRequest::default() };
        let mut body = body("m", &request);
        assert!(adapt(&mut body, "use 'max_completion_tokens' instead of max_tokens"));
        assert_eq!(body.get("max_completion_tokens").and_then(Value::as_u64), Some(5));
        assert!(!adapt(&mut body, "max_completion_tokens is too large"));
        assert!(adapt(&mut body, "temperature is not supported"));
        assert!(!adapt(&mut body, "temperature is not supported"));
        assert!(!adapt(&mut body, "stop is not supported"));
        assert!(body.get("stop").is_some());
    }

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(format!("{:?}", Secret::new(" sk-1 ")), "Secret(…)");
        assert_eq!(Secret::new(" sk-1 ").expose(), "sk-1");
    }
}
