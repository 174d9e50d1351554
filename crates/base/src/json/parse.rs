//! The JSON reader: strict RFC 8259, bounded depth, errors with a byte offset.

use super::{Value, number};

/// Maximum nesting depth, so that hostile text cannot exhaust the stack.
const MAX_DEPTH: usize = 128;

/// Reason why a text is not JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not valid JSON at byte {offset}: {what}")]
pub struct ParseError {
    /// Byte offset into the text.
    pub offset: usize,
    /// Fault at that position.
    pub what: &'static str,
}

/// Parses one JSON value that fills the whole text.
///
/// # Errors
/// [`ParseError`] with the byte offset of the first text that is not JSON or nested more than 128 deep.
pub fn parse(text: &str) -> Result<Value, ParseError> {
    let mut p = Parser { bytes: text.as_bytes(), text, at: 0 };
    p.skip_space();
    let value = p.parse_value(0)?;
    p.skip_space();
    if p.at < p.bytes.len() {
        return Err(p.error_here("text after the value"));
    }
    Ok(value)
}

struct Parser<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn error_here(&self, what: &'static str) -> ParseError {
        ParseError { offset: self.at, what }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn parse_literal(&mut self, word: &str, value: Value) -> Result<Value, ParseError> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.error_here("expected a value"))
        }
    }

    fn parse_value(&mut self, depth: usize) -> Result<Value, ParseError> {
        if depth > MAX_DEPTH {
            return Err(self.error_here("nested too deeply"));
        }
        match self.peek() {
            None => Err(self.error_here("the text ends where a value was expected")),
            Some(b'n') => self.parse_literal("null", Value::Null),
            Some(b't') => self.parse_literal("true", Value::Bool(true)),
            Some(b'f') => self.parse_literal("false", Value::Bool(false)),
            Some(b'"') => self.parse_string().map(Value::String),
            Some(b'[') => self.parse_array(depth),
            Some(b'{') => self.parse_object(depth),
            Some(b'-' | b'0'..=b'9') => self.parse_number(),
            Some(_) => Err(self.error_here("expected a value")),
        }
    }

    fn parse_array(&mut self, depth: usize) -> Result<Value, ParseError> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            self.skip_space();
            items.push(self.parse_value(depth + 1)?);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::Array(items));
                }
                _ => return Err(self.error_here("expected , or ]")),
            }
        }
    }

    fn parse_object(&mut self, depth: usize) -> Result<Value, ParseError> {
        self.at += 1;
        let mut members = Vec::new();
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.error_here("expected a member's name"));
            }
            let key = self.parse_string()?;
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.error_here("expected :"));
            }
            self.at += 1;
            self.skip_space();
            members.push((key, self.parse_value(depth + 1)?));
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Object(members));
                }
                _ => return Err(self.error_here("expected , or }")),
            }
        }
    }

    fn skip_digits(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.error_here("expected a digit")) } else { Ok(()) }
    }

    fn parse_number(&mut self) -> Result<Value, ParseError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.skip_digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.skip_digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.skip_digits()?;
        }
        match number::read_number(&self.text[start..self.at]) {
            Some(n) if n.is_finite() => Ok(Value::Number(n)),
            _ => Err(ParseError { offset: start, what: "number out of range" }),
        }
    }

    fn parse_hex4(&mut self) -> Result<u32, ParseError> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = match self.peek() {
                Some(c @ b'0'..=b'9') => c - b'0',
                Some(c @ b'a'..=b'f') => c - b'a' + 10,
                Some(c @ b'A'..=b'F') => c - b'A' + 10,
                _ => return Err(self.error_here("expected four hexadecimal digits")),
            };
            code = code * 16 + u32::from(digit);
            self.at += 1;
        }
        Ok(code)
    }

    fn parse_string(&mut self) -> Result<String, ParseError> {
        self.at += 1;
        let mut out = String::new();
        let mut run = self.at;
        loop {
            match self.peek() {
                None => return Err(self.error_here("the text ends inside a string")),
                Some(b'"') => {
                    out.push_str(&self.text[run..self.at]);
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    out.push_str(&self.text[run..self.at]);
                    self.at += 1;
                    self.parse_escape(&mut out)?;
                    run = self.at;
                }
                Some(0..=0x1f) => return Err(self.error_here("control character in a string")),
                Some(_) => self.at += 1,
            }
        }
    }

    fn parse_escape(&mut self, out: &mut String) -> Result<(), ParseError> {
        let c = self.peek().ok_or_else(|| self.error_here("the text ends inside an escape"))?;
        self.at += 1;
        match c {
            b'"' => out.push('"'),
            b'\\' => out.push('\\'),
            b'/' => out.push('/'),
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'u' => {
                let mut code = self.parse_hex4()?;
                if (0xd800..0xdc00).contains(&code) && self.bytes[self.at..].starts_with(b"\\u") {
                    let mark = self.at;
                    self.at += 2;
                    let low = self.parse_hex4()?;
                    if (0xdc00..0xe000).contains(&low) {
                        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                    } else {
                        self.at = mark;
                    }
                }
                // A lone surrogate is not a character; servers that cut a pair in two send them.
                out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
            }
            _ => return Err(self.error_here("unknown escape")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i32>().prop_map(|n| Value::Number(f64::from(n) / 8.0)),
            ".*".prop_map(Value::String),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::vec((".*", inner), 0..4).prop_map(Value::Object),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_equal(value in any_value()) {
            prop_assert_eq!(parse(&value.to_string()), Ok(value));
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in ".{0,64}") {
            let _ = parse(&text);
        }

        #[test]
        fn near_json_does_not_make_the_reader_panic(text in r#"[\[\]{},:"\\u0-9eE.+\-truefalsn ]{0,64}"#) {
            let _ = parse(&text);
        }
    }

    #[test]
    fn surrogate_pairs_are_joined_and_lone_ones_replaced() {
        assert_eq!(parse(r#""\ud83d\ude00 \ud83d x""#), Ok(Value::from("\u{1f600} \u{fffd} x")));
    }

    #[test]
    fn hostile_nesting_is_refused_not_followed() {
        assert_eq!(parse(&"[".repeat(100_000)).map_err(|e| e.what), Err("nested too deeply"));
    }

    #[test]
    fn errors_say_where() {
        assert_eq!(parse("{\"a\": tru}"), Err(ParseError { offset: 6, what: "expected a value" }));
        assert!(
            parse("[1,]").is_err() && parse("01").is_err() && parse("1 2").is_err() && parse("").is_err()
        );
    }
}
