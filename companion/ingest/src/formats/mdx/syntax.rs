//! The pieces of MDX: statements, expressions, tags.

use std::cell::Cell;

/// Statements, expressions and tags longer than this are text.
const LONGEST: usize = 64 << 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Property {
    pub name: String,
    /// Its value, where it is a text.
    pub text: Option<String>,
    /// Its value as an expression; empty where it has none.
    pub source: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub name: String,
    pub properties: Vec<Property>,
    /// `</name>`.
    pub closing: bool,
    /// `<name />`, or an element that has no end tag.
    pub closed: bool,
    pub length: usize,
}

/// Returns true if a line begins an import or an export.
pub(super) fn is_statement(line: &str) -> bool {
    if let Some(rest) = line.strip_prefix("import ") {
        let rest = rest.trim_start();
        return rest.starts_with(['{', '"', '\'', '*'])
            || rest.contains(" from ")
            || rest.trim_end().ends_with(',')
            || rest.trim_end() == "type";
    }
    line.strip_prefix("export ").is_some_and(|rest| {
        [
            "const ",
            "let ",
            "var ",
            "function ",
            "default ",
            "class ",
            "async ",
            "{",
            "* ",
            "type ",
            "interface ",
        ]
        .iter()
        .any(|k| rest.starts_with(k))
    })
}

/// Returns the byte at which a statement ends: the end of a line at which all brackets are closed.
pub(super) fn statement_end(text: &str) -> usize {
    let mut at = 0;
    let mut depth = 0i32;
    let mut scan = Scan::default();
    for line in text.split_inclusive('\n') {
        for c in line.chars() {
            depth += scan.takes(c);
        }
        at += line.len();
        scan.line_ends();
        // A blank line ends one that is not closed, too, where it is no program.
        if depth <= 0 && !scan.in_template() && !line.trim_end().ends_with([',', '=', '(', '{'])
            || at > LONGEST
        {
            break;
        }
    }
    at
}

/// Returns where an expression ends that begins with a brace. Looking for an end that is not there takes from
/// `patience`; without any left, braces are characters like others.
pub(super) fn expression_end(text: &str, patience: &Cell<usize>) -> Option<usize> {
    let longest = LONGEST.min(patience.get());
    let mut depth = 0i32;
    let mut scan = Scan::default();
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < longest) {
        depth += scan.takes(c);
        if c == '\n' {
            scan.line_ends();
        }
        if depth == 0 && c == '}' && !scan.in_text() {
            return Some(at + 1);
        }
    }
    patience.set(patience.get() - longest.min(text.len()));
    None
}

/// Returns where `mark` comes in a text, with as much patience as for an expression.
pub(super) fn find_end(text: &str, mark: &str, patience: &Cell<usize>) -> Option<usize> {
    let text = text.get(..text.floor_char_boundary(patience.get()))?;
    let found = text.find(mark);
    patience.set(patience.get() - if found.is_none() { text.len() } else { 0 });
    found
}

/// Goes through a program's text and tells brackets from those in texts and comments.
#[derive(Default)]
struct Scan {
    quote: Option<char>,
    escaped: bool,
    before: char,
    comment: bool,
}

impl Scan {
    /// By how much a character opens or closes brackets.
    fn takes(&mut self, c: char) -> i32 {
        let before = std::mem::replace(&mut self.before, c);
        if self.comment {
            if before == '*' && c == '/' {
                self.comment = false;
                self.before = ' ';
            }
            return 0;
        }
        if let Some(quote) = self.quote {
            if std::mem::take(&mut self.escaped) {
            } else if c == '\\' {
                self.escaped = true;
            } else if c == quote {
                self.quote = None;
            }
            return 0;
        }
        match c {
            '*' if before == '/' => {
                self.comment = true;
                self.before = ' ';
                0
            }
            // An apostrophe inside a word quotes nothing.
            '\'' if before.is_alphanumeric() => 0,
            '"' | '\'' | '`' => {
                self.quote = Some(c);
                0
            }
            '{' | '(' | '[' => 1,
            '}' | ')' | ']' => -1,
            _ => 0,
        }
    }

    fn line_ends(&mut self) {
        if matches!(self.quote, Some('"' | '\'')) {
            self.quote = None;
        }
        self.escaped = false;
    }

    fn in_template(&self) -> bool {
        self.quote == Some('`') || self.comment
    }

    fn in_text(&self) -> bool {
        self.quote.is_some() || self.comment
    }
}

/// The text of an expression that is nothing else.
pub(super) fn literal(expression: &str) -> Option<String> {
    let quote = expression.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let inner = expression.get(1..)?.strip_suffix(quote)?;
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                other => out.push(other),
            },
            c if c == quote => return None,
            '$' if quote == '`' && chars.as_str().starts_with('{') => return None,
            c => out.push(c),
        }
    }
    Some(out)
}

/// Reads a tag at the beginning of a text, with as much patience as for an expression.
pub(super) fn tag(text: &str, patience: &Cell<usize>) -> Option<Tag> {
    let text = text.get(..text.floor_char_boundary(LONGEST.min(patience.get())))?;
    let mut rest = text;
    let found = tag_before(&mut rest, patience);
    if found.is_none() {
        patience.set(patience.get().saturating_sub(text.len() - rest.len()));
    }
    found
}

/// Reads a tag. Moves `rest` behind it, or to where it turns out to be none.
fn tag_before(rest: &mut &str, patience: &Cell<usize>) -> Option<Tag> {
    let text = *rest;
    let inner = text.strip_prefix('<')?;
    if let Some(fragment) = ["<>", "</>"].into_iter().find(|fragment| text.starts_with(fragment)) {
        let (name, properties, length) = (String::new(), Vec::new(), fragment.len());
        return Some(Tag { name, properties, closing: fragment == "</>", closed: fragment == "<>", length });
    }
    let closing = inner.starts_with('/');
    *rest = inner.strip_prefix('/').unwrap_or(inner);
    let length = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':')))
        .unwrap_or(rest.len());
    let name = rest.get(..length).filter(|n| n.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    *rest = rest.get(length..)?;
    // `<https://…>` is a link.
    if name.ends_with(':') || rest.starts_with(['@', '/']) && !rest.starts_with("/>") {
        return None;
    }
    let mut properties = Vec::new();
    loop {
        *rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("/>") {
            return Some(Tag {
                name: name.to_owned(),
                properties,
                closing,
                closed: true,
                length: text.len() - after.len(),
            });
        }
        if let Some(after) = rest.strip_prefix('>') {
            let closed = super::super::html_elements::is_void(name);
            return Some(Tag {
                name: name.to_owned(),
                properties,
                closing,
                closed,
                length: text.len() - after.len(),
            });
        }
        // `{...rest}` and comments.
        if rest.starts_with('{') {
            *rest = rest.get(expression_end(rest, patience)?..)?;
            continue;
        }
        let length = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '=' | '>' | '/' | '{' | '<' | '"' | '\''))
            .unwrap_or(rest.len());
        let property = rest.get(..length).filter(|p| !p.is_empty())?.to_owned();
        *rest = rest.get(length..)?;
        let Some(value) = rest.trim_start().strip_prefix('=') else {
            properties.push(Property { name: property, text: None, source: String::new() });
            continue;
        };
        let value = value.trim_start();
        let (text, source, after) = match value.chars().next()? {
            quote @ ('"' | '\'') => {
                let (inside, after) = value.get(1..)?.split_once(quote)?;
                (Some(htmlize::unescape(inside).into_owned()), inside.to_owned(), after)
            }
            '{' => {
                let end = expression_end(value, patience)?;
                let inside = value.get(1..end - 1)?.trim();
                (literal(inside), inside.to_owned(), value.get(end..)?)
            }
            _ => {
                let end = value.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(value.len());
                (value.get(..end).map(str::to_owned), String::new(), value.get(end..)?)
            }
        };
        properties.push(Property { name: property, text, source });
        *rest = after;
    }
}

/// The pairs of a list `[{ value: 'a', label: 'A' }, …]`.
pub(super) fn labels(list: &str) -> Vec<(String, String)> {
    let of = |object: &str, key: &str| {
        let at = object.find(&format!("{key}:")).or_else(|| object.find(&format!("{key}\":")))?;
        let value = object.get(at + key.len()..)?.trim_start_matches(['"', '\'', ':', ' ', '\n', '\t']);
        let before = object.get(..object.len() - value.len())?;
        let quote = before.chars().next_back().filter(|c| matches!(c, '"' | '\''))?;
        value.split(quote).next().map(str::to_owned)
    };
    list.split('{').skip(1).filter_map(|object| Some((of(object, "value")?, of(object, "label")?))).collect()
}

pub(super) fn texts(list: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = list;
    while let Some((at, quote)) = rest.char_indices().find(|(_, c)| matches!(c, '"' | '\'')) {
        let Some((text, after)) = rest.get(at + 1..).and_then(|r| r.split_once(quote)) else { break };
        out.push(text.to_owned());
        rest = after;
    }
    out
}
