//! Reads JSON as language models write it: amid prose, in fences, with single quotes or odd commas, or cut
//! off.
//!
//! Nothing is evaluated, and unreadable parts are left out. Depth and attempts are bounded, so that a hostile
//! reply costs time in proportion to its length.

use pocketgraph_base::json::Value;
use pocketgraph_llm::after_thinking;
use pocketgraph_native::single_line::cut_text;

/// Number of bytes of a reply that are read.
const LONGEST: usize = 256 << 10;
const DEEPEST: usize = 16;
/// Maximum number of opening brackets that are tried.
const ATTEMPTS: usize = 24;

/// Returns the first object or list of a reply that `wanted` accepts.
pub fn find_value<T>(reply: &str, wanted: impl Fn(&Value) -> Option<T>) -> Option<T> {
    // A model's thoughts may have drafts.
    let reply = after_thinking(reply);
    let reply = cut_text(reply, LONGEST);
    let mut at = 0;
    for _ in 0..ATTEMPTS {
        let start = at + reply.get(at..)?.find(['{', '['])?;
        let mut reader = Reader { text: reply, at: start };
        if let Some(found) = reader.value(0).as_ref().and_then(&wanted) {
            return Some(found);
        }
        at = start + 1;
    }
    None
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Skips white space and separators.
    fn skip(&mut self, also: &[char]) {
        while self.peek().is_some_and(|c| c.is_whitespace() || also.contains(&c)) {
            self.next();
        }
    }

    /// Reads a value; `None` at a closing bracket, at the end, and for a string that is cut off.
    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip(&[',']);
        match self.peek()? {
            '{' if depth < DEEPEST => self.object(depth),
            '[' if depth < DEEPEST => self.list(depth),
            '{' | '[' | '}' | ']' => None,
            '"' | '\'' | '“' | '‘' => self.string().map(Value::String),
            _ => Some(self.word()),
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.next();
        let mut out = Vec::new();
        loop {
            self.skip(&[',', ';']);
            match self.peek() {
                None | Some('}') => break,
                Some(']') => {
                    self.next();
                    break;
                }
                Some(_) => match self.value(depth + 1) {
                    Some(value) => out.push(value),
                    None => break,
                },
            }
        }
        Some(Value::Array(out))
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.next();
        let mut out = Vec::new();
        loop {
            self.skip(&[',', ';']);
            let key = match self.peek() {
                None | Some(']') => break,
                Some('}') => {
                    self.next();
                    break;
                }
                Some('"' | '\'' | '“' | '‘') => self.string(),
                Some('{' | '[') => None,
                Some(_) => Some(self.bare(&[':', '=', ',', '}', '\n'])),
            };
            let Some(key) = key else { break };
            self.skip(&[':', '=', '>']);
            match self.value(depth + 1) {
                Some(value) => out.push((key.trim().to_owned(), value)),
                None => break,
            }
        }
        Some(Value::Object(out))
    }

    /// Reads a string in any quotes; `None` if its end is cut off.
    fn string(&mut self) -> Option<String> {
        let close = match self.next()? {
            '“' => '”',
            '‘' => '’',
            c => c,
        };
        let mut out = String::new();
        loop {
            match self.next()? {
                '\\' => match self.next()? {
                    'n' | 'r' | 't' => out.push(' '),
                    'u' => out.extend(self.unicode()),
                    c => out.push(c),
                },
                // An apostrophe inside single quotes: a letter follows.
                '\'' if close == '\'' && self.peek().is_some_and(char::is_alphanumeric) => out.push('\''),
                c if c == close => return Some(out),
                c => out.push(c),
            }
        }
    }

    /// Reads the character of `\uXXXX`, surrogates together; `None` if invalid.
    fn unicode(&mut self) -> Option<char> {
        let mut unit = || {
            let digits = self.text.get(self.at..self.at + 4)?;
            let n = u32::from_str_radix(digits, 16).ok()?;
            self.at += 4;
            Some(n)
        };
        let first = unit()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        if !self.text.get(self.at..)?.starts_with("\\u") {
            return None;
        }
        self.at += 2;
        let digits = self.text.get(self.at..self.at + 4)?;
        let second = u32::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        let low = second.checked_sub(0xdc00).filter(|l| *l < 0x400)?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + low)
    }

    fn bare(&mut self, ends: &[char]) -> String {
        let from = self.at;
        while self.peek().is_some_and(|c| !ends.contains(&c)) {
            self.next();
        }
        self.text.get(from..self.at).unwrap_or("").trim().to_owned()
    }

    /// Reads a word without quotes: a number, a constant, or text.
    fn word(&mut self) -> Value {
        let from = self.at;
        let word = self.bare(&[',', ']', '}', '\n']);
        if self.at == from {
            // Always advance.
            self.next();
        }
        match word.as_str() {
            "null" | "None" | "" => Value::Null,
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            _ => Value::String(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lists(reply: &str) -> Vec<Vec<String>> {
        let strings = |v: &Value| {
            v.as_array().map(|a| a.iter().filter_map(|s| s.as_str().map(str::to_owned)).collect::<Vec<_>>())
        };
        find_value(reply, |v| {
            v.get("triples").and_then(Value::as_array).map(|rows| rows.iter().filter_map(strings).collect())
        })
        .unwrap_or_default()
    }

    #[test]
    fn sloppy_replies_are_read() {
        let wanted = vec![vec!["Ada".to_owned(), "wrote to".to_owned(), "Babbage's friend".to_owned()]];
        for reply in [
            r#"{"triples": [["Ada", "wrote to", "Babbage's friend"]]}"#,
            "Here you are:\n```json\n{\"triples\": [[\"Ada\", \"wrote to\", \"Babbage's \
             friend\",],]}\n```\nDone {ok}.",
            "{'triples': [['Ada', 'wrote to', 'Babbage's friend']]}",
            "{triples: [[“Ada”, “wrote to”, “Babbage's friend”]]}",
            "<think>{\"triples\": [[\"no\",\"no\",\"no\"]]}</think>{\"triples\": [[\"Ada\" \"wrote \
             to\" \"Babbage's friend\"]]}",
            "{\"triples\": [[\"Ada\", \"wrote to\", \"Babbage\\u0027s friend\"]",
            "an [aside] first, then {\"triples\": [[\"Ada\", \"wrote to\", \"Babbage's friend\"]]}",
        ] {
            assert_eq!(lists(reply), wanted, "{reply}");
        }
    }

    #[test]
    fn what_is_cut_off_is_left_out() {
        let cut = lists(r#"{"triples": [["a", "r", "b"], ["c", "r", "half of a na"#);
        assert_eq!(cut, [vec!["a".to_owned(), "r".into(), "b".into()], vec!["c".into(), "r".into()]]);
        assert!(
            lists("").is_empty()
                && lists("I cannot do that.").is_empty()
                && lists("{\"triples\": 7}").is_empty()
        );
        assert_eq!(
            find_value(r#"["\ud83d\ude00\ud83d"]"#, |v| v.at(0).and_then(|s| s.as_str().map(str::to_owned))),
            Some("😀".to_owned())
        );
    }

    proptest! {
        #[test]
        fn hostile_replies_end(reply in "[\\[\\]{}\"',:\\\\ua-d0 é“”]{0,200}") {
            let _ = lists(&reply);
        }
    }

    #[test]
    fn deep_nesting_ends() {
        assert!(lists(&"[".repeat(1_000_000)).is_empty());
        assert!(lists(&"{\"a\":".repeat(100_000)).is_empty());
    }
}
