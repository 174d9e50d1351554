//! Tool calls as endpoints stream them: in pieces, by index, with arguments as growing JSON text.

use crate::json::Value;

/// Maximum number of calls kept of one reply.
const MAX_CALLS: usize = 64;

/// Call of a tool that the model requests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolCall {
    /// The endpoint's name for this call, which the result must repeat.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments: JSON text as the model wrote it, which may be broken.
    pub arguments: String,
}

/// Piece of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolCallPiece {
    /// Number of the call in the reply.
    pub index: u32,
    /// Part of the call in this piece; its texts are to be appended.
    pub call: ToolCall,
}

/// Tool calls, assembled from their pieces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolCalls {
    calls: Vec<(u32, ToolCall)>,
}

impl ToolCalls {
    /// Adds the next piece.
    pub fn push(&mut self, piece: &ToolCallPiece) {
        let room = self.calls.len() < MAX_CALLS;
        // Parallel calls that share an index have different ids; some servers repeat an id with every piece.
        let same = |(index, call): &&mut (u32, ToolCall)| {
            *index == piece.index
                && (call.id == piece.call.id || piece.call.id.is_empty() || call.id.is_empty())
        };
        match self.calls.iter_mut().rfind(same) {
            Some((_, call)) => {
                // Some servers repeat id and name with every piece.
                if call.id.is_empty() {
                    call.id.clone_from(&piece.call.id);
                }
                if call.name.is_empty() {
                    call.name.clone_from(&piece.call.name);
                }
                call.arguments.push_str(&piece.call.arguments);
            }
            None if room => self.calls.push((piece.index, piece.call.clone())),
            None => {}
        }
    }

    /// Iterates over the calls in the order in which they began.
    pub fn iter(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls.iter().map(|(_, call)| call)
    }

    /// Returns true if there are no calls.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }
}

/// Returns the pieces of `tool_calls` in a delta or a message. A call's index defaults to its place.
pub(super) fn read_pieces(part: &Value) -> Vec<ToolCallPiece> {
    let calls = part.get("tool_calls").and_then(Value::as_array).unwrap_or_default();
    let piece = |(place, value): (usize, &Value)| {
        let function = value.get("function").unwrap_or(value);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("").to_owned();
        let arguments = match function.get("arguments") {
            // Ollama's own form.
            Some(object @ Value::Object(_)) => object.to_string(),
            other => text(other),
        };
        let index = value.get("index").and_then(Value::as_u64).unwrap_or(place as u64);
        let call = ToolCall { id: text(value.get("id")), name: text(function.get("name")), arguments };
        ToolCallPiece { index: u32::try_from(index).unwrap_or(u32::MAX), call }
    };
    calls.iter().take(MAX_CALLS).enumerate().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::super::request::message_value;
    use super::*;
    use crate::json::parse;
    use crate::llm::Message;

    fn piece(text: &str) -> Vec<ToolCallPiece> {
        parse(text).map(|v| read_pieces(&v)).unwrap_or_default()
    }

    #[test]
    fn pieces_grow_into_calls_by_index() {
        let mut calls = ToolCalls::default();
        for text in [
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"search","arguments":""}}]}"#,
            r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"search","arguments":"{\"q"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"search","arguments":"{}"}}]}"#,
            r#"{"tool_calls":[{"index":1,"function":{"arguments":"\":1}"}}]}"#,
        ] {
            piece(text).iter().for_each(|p| calls.push(p));
        }
        let got: Vec<_> =
            calls.iter().map(|c| (c.id.as_str(), c.name.as_str(), c.arguments.as_str())).collect();
        assert_eq!(got, [("a", "search", "{}"), ("b", "search", "{\"q\":1}")]);
    }

    #[test]
    fn parallel_calls_of_one_index_are_distinguished_by_their_ids() {
        let mut calls = ToolCalls::default();
        for text in [
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{\"q"}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":"\":1}"}}]}"#,
        ] {
            piece(text).iter().for_each(|p| calls.push(p));
        }
        let got: Vec<_> =
            calls.iter().map(|c| (c.id.as_str(), c.name.as_str(), c.arguments.as_str())).collect();
        assert_eq!(got, [("a", "f", "{}"), ("b", "g", "{\"q\":1}")]);
    }

    #[test]
    fn unstreamed_calls_and_arguments_as_objects_are_read() {
        let read = piece(
            r#"{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}},{"function":{"name":"g"}}]}"#,
        );
        assert_eq!((read[0].index, read[0].call.arguments.as_str()), (0, r#"{"x":1}"#));
        assert_eq!(
            (read[1].index, read[1].call.name.as_str(), read[1].call.arguments.as_str()),
            (1, "g", "")
        );
        assert!(piece(r#"{"tool_calls":7}"#).is_empty());
    }

    #[test]
    fn a_flood_of_calls_is_bounded() {
        let mut calls = ToolCalls::default();
        for index in 0..10_000 {
            calls.push(&ToolCallPiece { index, call: ToolCall::default() });
        }
        assert_eq!(calls.iter().count(), MAX_CALLS);
    }

    #[test]
    fn a_call_and_its_result_are_sent_in_the_usual_form() {
        let call = ToolCall { id: "a".to_owned(), name: "f".to_owned(), arguments: "{}".to_owned() };
        assert_eq!(
            message_value(&Message::calls("", vec![call])).to_string(),
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}"#
        );
        assert_eq!(
            message_value(&Message::tool("a", "none")).to_string(),
            r#"{"role":"tool","content":"none","tool_call_id":"a"}"#
        );
    }
}
