//! Common parts of the text surfaces' readers: the place of a plan in a model's reply, positions, quoted text, call arguments.
//!
//! Every reader looks at each character a bounded number of times and calls no function from within itself, so that neither
//! length nor nesting of a hostile text matters.

use super::check::{Limits, excerpt};
use super::{Fault, Plan, PlanError, Position};

/// A plan that was read, and where each of its statements stands in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The plan, not yet [checked](super::check::check).
    pub plan: Plan,
    /// The place of each statement.
    pub positions: Vec<Position>,
}

/// Refuses a text that is longer than any plan with the prose around it.
pub(super) fn size(text: &str, limits: &Limits) -> Result<(), PlanError> {
    if text.len() <= limits.source {
        return Ok(());
    }
    let fault = Fault::TooLarge { what: "the text", found: text.len(), limit: limits.source };
    Err(PlanError::new(Position { line: 1, column: 1 }, fault, "a short plan", "Write the plan alone, one step a line."))
}

/// Refuses a plan of more statements than allowed, before there are more.
pub(super) fn room(statements: usize, limits: &Limits, at: Position) -> Result<(), PlanError> {
    if statements < limits.statements {
        return Ok(());
    }
    let fault = Fault::TooLarge { what: "the number of statements", found: statements + 1, limit: limits.statements };
    Err(PlanError::new(at, fault, format!("at most {} statements", limits.statements), "Ask a simpler question, or merge steps."))
}

/// The place of a byte.
pub(super) fn position(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Position { line: count(before.matches('\n').count() + 1), column: count(before[start..].chars().count() + 1) }
}

/// A statement's beginning: its name, and where its right-hand side begins. Numbering, bullets and a type after a colon are allowed
/// before the equals sign. `None` if the line does not begin like a statement.
pub(super) fn beginning(line: &str) -> Option<(&str, usize)> {
    let start = line.len() - unnumbered(line).len();
    let rest = &line[start..];
    let end = identifier(rest);
    let name = rest.get(..end).filter(|name| !name.is_empty())?;
    let mut after = rest[end..].trim_start();
    if let Some(annotation) = after.strip_prefix(':')
        && !annotation.starts_with('=')
    {
        let annotation = annotation.trim_start();
        after = annotation[identifier(annotation)..].trim_start();
    }
    let after = after.strip_prefix(":=").or_else(|| after.strip_prefix('=').filter(|a| !a.starts_with('=')))?;
    Some((name, line.len() - after.trim_start().len()))
}

/// The length of the name at the beginning of a text.
pub(super) fn identifier(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count()
}

/// A line without indentation, bullet and number.
pub(super) fn unnumbered(line: &str) -> &str {
    let mut rest = line.trim_start();
    for bullet in ["- ", "* ", "• ", "+ ", "> "] {
        rest = rest.strip_prefix(bullet).map_or(rest, str::trim_start);
    }
    if rest.get(..5).is_some_and(|w| w.eq_ignore_ascii_case("step ")) {
        rest = &rest[5..];
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    match rest[digits..].strip_prefix(['.', ')', ':']) {
        Some(after) if digits > 0 => after.trim_start(),
        _ => rest,
    }
}

/// Whether a line is a call at the right of a name: then it is surely the next statement, even if the one before is not closed.
pub(super) fn is_statement(line: &str) -> bool {
    beginning(line).is_some_and(|(_, at)| {
        let value = &line[at..];
        let end = identifier(value);
        end > 0 && value[end..].trim_start().starts_with('(')
    })
}

/// A canonical name: `Ans_1`, `ans1` and `ANS1` are all `Ans1`, every other name stays as it is.
pub fn canonical_name(name: &str) -> String {
    let folded = super::ast::fold_name(name);
    match folded.strip_prefix("ans") {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => format!("Ans{digits}"),
        _ => name.to_owned(),
    }
}

/// Whether a text is surely a reference, even if nothing of the name is defined: `Ans1`, `ans_2`.
pub(super) fn is_answer_name(text: &str) -> bool {
    super::template::is_name(text)
        && canonical_name(text).strip_prefix("Ans").is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
}

/// One argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Argument {
    /// The canonical key, if it has one.
    pub key: Option<&'static str>,
    /// The symbol between key and value: `=`, or a comparison.
    pub symbol: &'static str,
    /// The value.
    pub value: Word,
    /// Start of the value.
    pub offset: usize,
}

/// A value as it was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Word {
    /// As it stands, without the space around it.
    Bare(String),
    /// In quotes: exactly this text, whatever it looks like.
    Quoted(String),
    /// `<name>`, or `^<name>` for the inverse: a name of the graph.
    Exact(String, bool),
}

/// The keys of a call: how they may be written (a number sign at the end stands for any number), and what they are.
pub(super) type Keys = &'static [(&'static str, &'static str)];

/// Reads call arguments from behind the opening parenthesis at `offset`. Gives the arguments and the offset behind the closing
/// parenthesis. A comma ends a keyed value only before another key, so that a head may hold commas.
pub(super) fn arguments(text: &str, offset: usize, keys: Keys, limits: &Limits) -> Result<(Vec<Argument>, usize), PlanError> {
    let mut at = offset;
    let mut found = Vec::new();
    loop {
        at = blank(text, at)?;
        if text[at..].starts_with(')') {
            return Ok((found, at + 1));
        }
        if found.len() >= limits.operands {
            let fault = Fault::TooLarge { what: "the number of arguments", found: found.len() + 1, limit: limits.operands };
            return Err(PlanError::new(position(text, at), fault, "fewer arguments", "Combine sets in several steps."));
        }
        let key = key(&text[at..], keys);
        let (key, symbol) = match key {
            Some((name, symbol, length)) => {
                at = blank(text, at + length)?;
                (Some(name), symbol)
            }
            None => (None, "="),
        };
        let (value, end) = word(text, at, key.is_some().then_some(keys))?;
        found.push(Argument { key, symbol, value, offset: at });
        at = blank(text, end)?;
        if text[at..].starts_with([',', '|']) {
            at += 1;
        }
    }
}

/// A key and the symbol after it, and the length of both.
fn key(text: &str, keys: Keys) -> Option<(&'static str, &'static str, usize)> {
    let end = identifier(text);
    let written = &text[..end];
    let unnumbered = written.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
    let matches = |key: &str| match key.strip_suffix('#') {
        Some(stem) => stem.eq_ignore_ascii_case(unnumbered),
        None => key.eq_ignore_ascii_case(written),
    };
    let (_, name) = keys.iter().find(|(key, _)| matches(key))?;
    let rest = text[end..].trim_start();
    let symbols = super::Comparison::SYMBOLS.iter().map(|(symbol, _)| *symbol);
    let symbol = symbols.chain([":"]).find(|symbol| rest.starts_with(symbol))?;
    let length = text.len() - rest.len() + symbol.len();
    Some((name, if symbol == ":" { "=" } else { symbol }, length))
}

/// Past spaces, and past a line's end unless the next line is a statement of its own or there is none.
fn blank(text: &str, mut at: usize) -> Result<usize, PlanError> {
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        match text[at..].strip_prefix('\n') {
            Some(next) if !ends_call(next) => at += 1,
            None if at < text.len() => return Ok(at),
            _ => return Err(unclosed(text, at)),
        }
    }
}

/// Whether what follows a line's end cannot be more of a call: an empty line, a fence, a tag, a statement, nothing.
pub(super) fn ends_call(next: &str) -> bool {
    let line = next.lines().next().unwrap_or_default();
    let trimmed = line.trim();
    trimmed.is_empty() || trimmed.starts_with("```") || trimmed.starts_with("</") || is_statement(line)
}

fn unclosed(text: &str, at: usize) -> PlanError {
    let hint = "Close the call, and put quotes around text that holds a parenthesis.";
    PlanError::new(position(text, at), Fault::Syntax("the line ends inside a call".to_owned()), "a closing parenthesis", hint)
}

/// One value from `at`, and where it ends. `keyed` holds the call's keys if the value has a key.
fn word(text: &str, at: usize, keyed: Option<Keys>) -> Result<(Word, usize), PlanError> {
    let rest = &text[at..];
    if let Some((quoted, length)) = quoted(rest)
        && ends_value(&rest[length..])
    {
        return Ok((Word::Quoted(quoted), at + length));
    }
    if let Some((name, inverse, length)) = exact(rest)
        && ends_value(&rest[length..])
    {
        return Ok((Word::Exact(name, inverse), at + length));
    }
    let mut depth = 0_usize;
    let mut words = String::new();
    for (offset, c) in rest.char_indices() {
        let ends = match c {
            ')' | '|' if depth == 0 => true,
            ',' if depth == 0 => keyed.is_none_or(|keys| key(rest[offset + 1..].trim_start(), keys).is_some()),
            _ => false,
        };
        if ends {
            return Ok((Word::Bare(words.trim().to_owned()), at + offset));
        }
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '\n' if ends_call(&rest[offset + 1..]) => return Err(unclosed(text, at + offset)),
            c if c.is_control() && !c.is_whitespace() => {
                let fault = Fault::Syntax(format!("control character U+{:04X}", u32::from(c)));
                return Err(PlanError::new(
                    position(text, at + offset),
                    fault,
                    "printable text",
                    "Leave it out, or write it as an escape in quotes.",
                ));
            }
            _ => {}
        }
        words.push(if c.is_control() { ' ' } else { c });
    }
    Err(unclosed(text, text.len()))
}

/// Whether nothing more of a value follows.
pub(super) fn ends_value(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.is_empty() || rest.starts_with([',', '|', ')', ']'])
}

/// `<name>`, `^<name>`, `<^name>`; the name may be in quotes. With the length of the whole.
fn exact(text: &str) -> Option<(String, bool, usize)> {
    let (outer, rest) = match text.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let rest = rest.strip_prefix('<')?;
    let (inner, rest) = match rest.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    if outer && inner {
        return None;
    }
    let (name, length) = match escaped(rest, '"').filter(|_| rest.starts_with('"')) {
        Some((name, length)) => (name, length),
        None => {
            let end = rest.find(['>', '<', '\n'])?;
            (rest[..end].to_owned(), end)
        }
    };
    rest[length..].strip_prefix('>').map(|after| (name, outer || inner, text.len() - after.len()))
}

/// No quoted text is longer, in characters, even if all of it is escapes: else each open quote of a hostile text would be followed to
/// its end.
const QUOTED: usize = 32_768;

/// A quoted text at the beginning of `text`, on one line, and its length with the quotes. In double quotes a backslash escapes. In
/// single and curly quotes it does not, and the quote that closes is the first that ends a value, since apostrophes are common.
pub(super) fn quoted(text: &str) -> Option<(String, usize)> {
    let open = text.chars().next()?;
    let close = match open {
        '"' => return escaped(text, '"'),
        '\'' => '\'',
        '`' => '`',
        '“' => '”',
        '‘' => '’',
        _ => return None,
    };
    let inner = &text[open.len_utf8()..];
    for (at, c) in inner.char_indices().take(QUOTED) {
        let end = at + c.len_utf8();
        if c == '\n' {
            return None;
        }
        if c == close && ends_value(&inner[end..]) {
            return Some((inner[..at].to_owned(), open.len_utf8() + end));
        }
    }
    None
}

/// A text between two quotes in which a backslash escapes: `\\ \" \' \n \r \t \u{…}` and Python's `\xHH` and `\uHHHH`.
pub(super) fn escaped(text: &str, quote: char) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut chars = text.char_indices().take(QUOTED).skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' => return None,
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                'x' => out.push(code(chars.by_ref().take(2).map(|(_, c)| c))?),
                'u' => {
                    let mut rest = chars.clone().map(|(_, c)| c);
                    if rest.next() == Some('{') {
                        chars.next();
                        let digits: String = chars.by_ref().map(|(_, c)| c).take_while(|c| *c != '}').take(8).collect();
                        out.push(code(digits.chars())?);
                    } else {
                        out.push(code(chars.by_ref().take(4).map(|(_, c)| c))?);
                    }
                }
                other => out.push(other),
            },
            c if c == quote => return Some((out, at + c.len_utf8())),
            c => out.push(c),
        }
    }
    None
}

fn code(digits: impl Iterator<Item = char>) -> Option<char> {
    let mut value = 0_u32;
    for digit in digits {
        value = value.checked_mul(16)?.checked_add(digit.to_digit(16)?)?;
    }
    char::from_u32(value)
}

/// A text in double quotes that [`quoted`] reads back.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A syntax error about an excerpt of the text.
pub(super) fn syntax(text: &str, offset: usize, what: &str, expected: &str, hint: &str) -> PlanError {
    PlanError::new(position(text, offset), Fault::Syntax(excerpt(what)), expected, hint)
}
