//! Reading tool calls that a model wrote as JSON in its text.
//!
//! Wanted is a list of objects `{"name": …, "arguments": {…}}`. Written are fences, thoughts, single objects,
//! trailing commas, words before and after, and other names for the members; all of that is read. What is not
//! is told to the model in words that help it.

use crate::json::{Value, parse};
use crate::llm::after_thinking;

/// A call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUse {
    /// The tool's name.
    pub name: String,
    /// Its arguments; an object, empty where the model gave none.
    pub arguments: Value,
    /// Reason why its arguments could not be read, if so.
    pub fault: Option<String>,
}

impl ToolUse {
    /// A call whose arguments are JSON text.
    pub fn new(name: &str, text: &str) -> ToolUse {
        let (arguments, fault) = match read_arguments(text) {
            Ok(arguments) => (arguments, None),
            Err(why) => (Value::Object(Vec::new()), Some(why)),
        };
        ToolUse { name: name.to_owned(), arguments, fault }
    }

    /// The text of the first of these arguments that is there.
    pub fn text(&self, names: &[&str]) -> &str {
        names.iter().find_map(|n| self.arguments.get(n).and_then(Value::as_str)).unwrap_or("").trim()
    }
}

/// Ends a list of calls, for models that were taught so.
pub const STOP: &str = "<|stop|>";
/// Calls of one turn beyond this many are not read.
const MOST: usize = 16;
/// Maximum number of brackets that are tried as the beginning of the JSON.
const STARTS: usize = 8;

/// The calls in a reply.
///
/// # Errors
/// What is wrong, for the model to read.
pub fn parse_calls(text: &str) -> Result<Vec<ToolUse>, String> {
    let text = after_thinking(text).trim();
    let text = text.strip_suffix(STOP).unwrap_or(text);
    // The first bracket may belong to the words around the JSON.
    let starts: Vec<usize> = text.match_indices(['[', '{']).map(|(at, _)| at).take(STARTS).collect();
    let mut first_error = None;
    for start in starts {
        match first_value(&text[start..]).and_then(|value| read_list(&value)) {
            Ok(calls) => return Ok(calls),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| "there is no JSON in it".to_owned()))
}

/// A list of calls, or a single one.
fn read_list(value: &Value) -> Result<Vec<ToolUse>, String> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        object => std::slice::from_ref(object),
    };
    if items.is_empty() {
        return Err("the list of calls is empty".to_owned());
    }
    items.iter().take(MOST).map(read_one).collect()
}

/// One call of the list.
fn read_one(value: &Value) -> Result<ToolUse, String> {
    // Some write the form of native calls: {"function": {"name": …}}.
    let value = value.get("function").filter(|f| f.as_object().is_some()).unwrap_or(value);
    let name =
        ["name", "tool", "function"].iter().find_map(|n| value.get(n).and_then(Value::as_str)).map(str::trim);
    let name = name.filter(|n| !n.is_empty()).ok_or("a call has no \"name\"")?.to_owned();
    let given = ["arguments", "args", "parameters"].iter().find_map(|n| value.get(n));
    let arguments = match given {
        None | Some(Value::Null) => Value::Object(Vec::new()),
        Some(object @ Value::Object(_)) => object.clone(),
        Some(Value::String(text)) => read_arguments(text)?,
        Some(_) => return Err(format!("the arguments of {name} are no object")),
    };
    Ok(ToolUse { name, arguments, fault: None })
}

/// Arguments that come as JSON text.
fn read_arguments(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Vec::new()));
    }
    let value = first_value(text.trim_start())?;
    if value.as_object().is_some() { Ok(value) } else { Err("the arguments are no object".to_owned()) }
}

/// Returns the first JSON value of a text that begins with one. Extra commas and missing closing brackets are
/// forgiven.
fn first_value(text: &str) -> Result<Value, String> {
    let (mut depth, mut inside, mut escaped) = (Vec::new(), false, false);
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if inside {
            match c {
                // Line breaks inside strings are not JSON, but models write them.
                '\n' => clean.push_str("\\n"),
                '\t' => clean.push_str("\\t"),
                '\r' => {}
                c => clean.push(c),
            }
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => inside = false,
                _ => {}
            }
            continue;
        }
        match c {
            '"' => inside = true,
            '[' => depth.push(']'),
            '{' => depth.push('}'),
            ']' | '}' => {
                let end = clean.trim_end().len();
                if clean[..end].ends_with(',') {
                    clean.truncate(end - 1);
                }
                depth.pop();
            }
            _ => {}
        }
        clean.push(c);
        if depth.is_empty() {
            break;
        }
    }
    if !inside {
        clean.extend(depth.into_iter().rev());
    }
    parse(&clean).map_err(|e| e.to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(text: &str) -> Result<Vec<(String, String)>, String> {
        Ok(parse_calls(text)?.into_iter().map(|c| (c.name, c.arguments.to_string())).collect())
    }

    fn one_search() -> Result<Vec<(String, String)>, String> {
        Ok(vec![("search_0".to_owned(), r#"{"query":"x"}"#.to_owned())])
    }

    #[test]
    fn thoughts_fences_and_the_stop_mark_are_passed_over() {
        let text = "<think>[not this]</think>```json \
            [{\"name\":\"search_0\",\"arguments\":{\"query\":\"x\"}}]```<|stop|>";
        assert_eq!(names(text), one_search());
    }

    #[test]
    fn a_single_object_is_a_list_of_one() {
        assert_eq!(names(r#"{"name":"search_0","arguments":{"query":"x"}}"#), one_search());
    }

    #[test]
    fn what_models_get_wrong_is_forgiven_where_the_meaning_is_clear() {
        for text in [
            r#"As said in [1], I call: [{"name":"search_0","arguments":{"query":"x",},},]"#,
            r#"[{"name":"search_0","arguments":{"query":"x"}"#,
            r#"[{"tool":"search_0","args":"{\"query\":\"x\"}"}]"#,
            r#"[{"type":"function","function":{"name":"search_0","arguments":{"query":"x"}}}]"#,
        ] {
            assert_eq!(names(text), one_search(), "{text}");
        }
        assert_eq!(
            names("[{\"name\":\"complete_task\",\"arguments\":{\"answer\":\"a\nb\"}}]")
                .map(|c| c[0].1.clone()),
            Ok(r#"{"answer":"a\nb"}"#.to_owned())
        );
        assert_eq!(names(r#"[{"name":"now"}]"#).map(|c| c[0].1.clone()), Ok("{}".to_owned()));
    }

    #[test]
    fn what_is_no_call_says_why() {
        for (text, why) in [
            ("I think so.", "no JSON"),
            ("[]", "empty"),
            (r#"[{"arguments":{}}]"#, "no \"name\""),
            (r#"[{"name":"f","arguments":[1]}]"#, "arguments of f are no object"),
            (r#"[{"name":"f","arguments":"x"}]"#, "not valid JSON"),
        ] {
            let error = parse_calls(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn floods_are_bounded() {
        let many = format!("[{}]", vec![r#"{"name":"f"}"#; 1_000].join(","));
        assert_eq!(parse_calls(&many).map(|c| c.len()), Ok(MOST));
        for text in ["[".repeat(1 << 20), "{\"a\":".repeat(1 << 17), "\"".repeat(1 << 20)] {
            assert!(parse_calls(&text).is_err());
        }
    }

    proptest! {
        #[test]
        fn no_reply_makes_it_panic(text in "(\\[|\\]|\\{|\\}|\"name\"|\"f\"|:|,|\"arguments\"|\\\\|\n|é|</th\
            ink>){0,24}") {
            let _ = parse_calls(&text);
        }
    }
}
