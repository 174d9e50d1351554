//! Common parts of the text surfaces' readers: positions, quoted text, call arguments, prose around a plan.
//!
//! Every reader reads each character a bounded number of times and never recurses, so that neither length nor
//! nesting of a hostile text matters.

use super::check::{Limits, excerpt};
use super::{Fault, Plan, PlanError, Position};

/// Plan that was read, and the place of each statement in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The plan, not yet [checked](super::check::check).
    pub plan: Plan,
    /// Place of each statement.
    pub positions: Vec<Position>,
}

/// Refuses a text that is longer than any plan with its prose.
pub(super) fn check_size(text: &str, limits: &Limits) -> Result<(), PlanError> {
    if text.len() <= limits.source {
        return Ok(());
    }
    let fault = Fault::TooLarge { what: "the text", found: text.len(), limit: limits.source };
    Err(PlanError::new(
        Position { line: 1, column: 1 },
        fault,
        "a short plan",
        "Write the plan alone, one step a line.",
    ))
}

/// Returns the place of a byte.
pub(super) fn position_of(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Position {
        line: count(before.matches('\n').count() + 1),
        column: count(before[start..].chars().count() + 1),
    }
}

/// Returns the offset at which the line of a byte ends.
pub(super) fn end_of_line(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |n| offset + n)
}

/// Returns a statement's name, and the offset of its right-hand side. Numbering, bullets and a type after a
/// colon may precede the equals sign. `None` if the line does not begin like a statement.
pub(super) fn split_statement(line: &str) -> Option<(&str, usize)> {
    let start = line.len() - strip_numbering(line).len();
    let rest = &line[start..];
    let end = identifier_length(rest);
    let name = rest.get(..end).filter(|name| !name.is_empty())?;
    let mut after = rest[end..].trim_start();
    if let Some(annotation) = after.strip_prefix(':')
        && !annotation.starts_with('=')
    {
        let annotation = annotation.trim_start();
        after = annotation[identifier_length(annotation)..].trim_start();
    }
    let after =
        after.strip_prefix(":=").or_else(|| after.strip_prefix('=').filter(|a| !a.starts_with('=')))?;
    Some((name, line.len() - after.trim_start().len()))
}

/// Length of the name at the beginning of a text.
pub(super) fn identifier_length(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count()
}

/// Returns a line without indentation, bullet and number.
pub(super) fn strip_numbering(line: &str) -> &str {
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

/// Returns true if a line is a call with a name: the next statement, even if the one before is not closed.
pub(super) fn is_statement(line: &str) -> bool {
    split_statement(line).is_some_and(|(_, at)| {
        let value = &line[at..];
        let end = identifier_length(value);
        end > 0 && value[end..].trim_start().starts_with('(')
    })
}

/// Returns the canonical name: `Ans1` for `Ans_1`, `ANS1` and `sub-problem 1`; other names stay as they are.
pub fn canonical_name(name: &str) -> String {
    let folded = super::ast::fold_name(name).replace(['-', ' '], "");
    match ["ans", "subproblem"].iter().find_map(|stem| folded.strip_prefix(stem)) {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            format!("Ans{digits}")
        }
        _ => name.to_owned(),
    }
}

/// Returns true if a text is a reference even if nothing defines the name: `Ans1`, `ans_2`, `sub-problem3`.
pub(super) fn is_answer_name(text: &str) -> bool {
    let name = canonical_name(text);
    let number = name.strip_prefix("Ans").filter(|_| super::template::is_name(&name));
    number.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Argument {
    /// Canonical key, if it has one.
    pub key: Option<&'static str>,
    /// Symbol between key and value: `=`, or a comparison.
    pub symbol: &'static str,
    /// Value.
    pub value: Word,
    /// Offset of the value.
    pub offset: usize,
}

/// Value as it was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Word {
    /// Plain text, without the space around it.
    Bare(String),
    /// Quoted text, which is exactly this text.
    Quoted(String),
    /// `<name>`, or `^<name>` for the inverse (true): a name of the graph.
    Exact(String, bool),
}

/// Keys of a call: their spellings (a final number sign matches any number), and their canonical names.
pub(super) type Keys = &'static [(&'static str, &'static str)];

/// Reads call arguments from `offset`, after the opening parenthesis. Returns them and the offset after the
/// closing parenthesis. A comma ends a keyed value only before another key, so that a head may have commas.
pub(super) fn read_arguments(
    text: &str,
    offset: usize,
    keys: Keys,
    limits: &Limits,
) -> Result<(Vec<Argument>, usize), PlanError> {
    let mut at = offset;
    let mut found = Vec::new();
    loop {
        at = skip_blank(text, at)?;
        if text[at..].starts_with(')') {
            return Ok((found, at + 1));
        }
        if found.len() >= limits.operands {
            let fault = Fault::TooLarge {
                what: "the number of arguments",
                found: found.len() + 1,
                limit: limits.operands,
            };
            return Err(PlanError::new(
                position_of(text, at),
                fault,
                "fewer arguments",
                "Combine sets in several steps.",
            ));
        }
        let key = read_key(&text[at..], keys);
        let (key, symbol) = match key {
            Some((name, symbol, length)) => {
                at = skip_blank(text, at + length)?;
                (Some(name), symbol)
            }
            None => (None, "="),
        };
        let (value, end) = read_word(text, at, key.is_some().then_some(keys))?;
        found.push(Argument { key, symbol, value, offset: at });
        at = skip_blank(text, end)?;
        if text[at..].starts_with([',', '|']) {
            at += 1;
        }
    }
}

/// Returns a key, the symbol after it, and the length of both.
fn read_key(text: &str, keys: Keys) -> Option<(&'static str, &'static str, usize)> {
    let end = identifier_length(text);
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

/// Skips spaces, and a line's end unless the next line is a statement or there is none.
fn skip_blank(text: &str, mut at: usize) -> Result<usize, PlanError> {
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        match text[at..].strip_prefix('\n') {
            Some(next) if !ends_call(next) => at += 1,
            None if at < text.len() => return Ok(at),
            _ => return Err(unclosed_error(text, at)),
        }
    }
}

/// Returns true if no call continues after a line's end: an empty line, a fence, a tag, a statement, nothing.
pub(super) fn ends_call(next: &str) -> bool {
    let line = next.lines().next().unwrap_or_default();
    let trimmed = line.trim();
    trimmed.is_empty() || trimmed.starts_with("```") || trimmed.starts_with("</") || is_statement(line)
}

fn unclosed_error(text: &str, at: usize) -> PlanError {
    let hint = "Close the call, and put quotes around text that holds a parenthesis.";
    PlanError::new(
        position_of(text, at),
        Fault::Syntax("the line ends inside a call".to_owned()),
        "a closing parenthesis",
        hint,
    )
}

/// Reads the value at `at`, and returns its end. `keyed` has the call's keys if the value has a key.
fn read_word(text: &str, at: usize, keyed: Option<Keys>) -> Result<(Word, usize), PlanError> {
    let rest = &text[at..];
    if let Some((quoted, length)) = read_quoted(rest)
        && ends_value(&rest[length..])
    {
        return Ok((Word::Quoted(quoted), at + length));
    }
    if let Some((name, inverse, length)) = read_exact(rest)
        && ends_value(&rest[length..])
    {
        return Ok((Word::Exact(name, inverse), at + length));
    }
    let mut depth = 0_usize;
    let mut words = String::new();
    for (offset, c) in rest.char_indices() {
        let ends = match c {
            ')' | '|' if depth == 0 => true,
            ',' if depth == 0 => {
                keyed.is_none_or(|keys| read_key(rest[offset + 1..].trim_start(), keys).is_some())
            }
            _ => false,
        };
        if ends {
            return Ok((Word::Bare(words.trim().to_owned()), at + offset));
        }
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '\n' if ends_call(&rest[offset + 1..]) => return Err(unclosed_error(text, at + offset)),
            c if c.is_control() && !c.is_whitespace() => {
                let fault = Fault::Syntax(format!("control character U+{:04X}", u32::from(c)));
                return Err(PlanError::new(
                    position_of(text, at + offset),
                    fault,
                    "printable text",
                    "Leave it out, or write it as an escape in quotes.",
                ));
            }
            _ => {}
        }
        words.push(if c.is_control() { ' ' } else { c });
    }
    Err(unclosed_error(text, text.len()))
}

pub(super) fn ends_value(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.is_empty() || rest.starts_with([',', '|', ')', ']'])
}

/// Reads `<name>`, `^<name>` or `<^name>`, with an optionally quoted name, and the length of the whole.
fn read_exact(text: &str) -> Option<(String, bool, usize)> {
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
    let (name, length) = match read_escaped(rest, '"').filter(|_| rest.starts_with('"')) {
        Some((name, length)) => (name, length),
        None => {
            let end = rest.find(['>', '<', '\n'])?;
            (rest[..end].to_owned(), end)
        }
    };
    rest[length..].strip_prefix('>').map(|after| (name, outer || inner, text.len() - after.len()))
}

/// Maximum length of a quoted text in characters, even if all of it is escapes. Otherwise each open quote of
/// a hostile text would be followed to its end.
const QUOTED: usize = 32_768;

/// Reads a quoted text on one line, and returns its length with the quotes. In double quotes a backslash
/// escapes. In single and curly quotes it does not, and the first quote that ends a value closes, since
/// apostrophes are common.
pub(super) fn read_quoted(text: &str) -> Option<(String, usize)> {
    let open = text.chars().next()?;
    let close = match open {
        '"' => return read_escaped(text, '"'),
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

/// Reads a text between two quotes in which a backslash escapes: `\\ \" \'
///  \r \t \u{…}` and Python's `\xHH` and `\uHHHH`.
pub(super) fn read_escaped(text: &str, quote: char) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut chars = text.char_indices().take(QUOTED).skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' => return None,
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                'x' => out.push(parse_code(chars.by_ref().take(2).map(|(_, c)| c))?),
                'u' => {
                    let mut rest = chars.clone().map(|(_, c)| c);
                    if rest.next() == Some('{') {
                        chars.next();
                        let digits: String =
                            chars.by_ref().map(|(_, c)| c).take_while(|c| *c != '}').take(8).collect();
                        out.push(parse_code(digits.chars())?);
                    } else {
                        out.push(parse_code(chars.by_ref().take(4).map(|(_, c)| c))?);
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

fn parse_code(digits: impl Iterator<Item = char>) -> Option<char> {
    let mut value = 0_u32;
    for digit in digits {
        value = value.checked_mul(16)?.checked_add(digit.to_digit(16)?)?;
    }
    char::from_u32(value)
}

/// Returns a text in double quotes that [`read_quoted`] reads back.
pub(super) fn write_quoted(text: &str) -> String {
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

/// Makes a syntax error about an excerpt of the text.
pub(super) fn syntax_error(text: &str, offset: usize, what: &str, expected: &str, hint: &str) -> PlanError {
    PlanError::new(position_of(text, offset), Fault::Syntax(excerpt(what)), expected, hint)
}
