//! How AsciiDoc's lines begin: what each kind of element is known by.

use super::super::lines::Line;
use super::About;

/// The content of a delimited block.
#[derive(Clone, Copy)]
pub(super) enum Mark {
    Code,
    Text,
    Quote,
    Table,
    Hidden,
    /// A table of values parted by the sign that the mark begins with.
    Values(char),
}

pub(super) fn delimiter(text: &str) -> Option<Mark> {
    let all = |c: char| text.len() >= 4 && text.chars().all(|x| x == c);
    Some(match text.chars().next()? {
        '-' if text == "--" => Mark::Text,
        '-' if all('-') => Mark::Code,
        '.' if all('.') => Mark::Code,
        '`' if text.starts_with("```") && !text.get(3..)?.contains('`') => Mark::Code,
        '=' if all('=') => Mark::Text,
        '*' if all('*') => Mark::Text,
        '_' if all('_') => Mark::Quote,
        '+' | '/' if all('+') || all('/') => Mark::Hidden,
        '|' | '!' if text.get(1..)?.len() >= 3 && text.get(1..)?.bytes().all(|b| b == b'=') => Mark::Table,
        sign @ (',' | ':') if text.get(1..) == Some("===") => Mark::Values(sign),
        _ => return None,
    })
}

/// The level and text of a title.
pub(super) fn title<'s>(line: &Line<'s>) -> Option<(u8, &'s str)> {
    let mark = line.text.chars().next().filter(|c| matches!(c, '=' | '#') && line.indent == 0)?;
    let text = line.text.trim_start_matches(mark);
    let level = line.text.len() - text.len();
    (level <= 6 && text.starts_with([' ', '\t'])).then(|| (level as u8, text.trim_start()))
}

/// `:name: value`.
pub(super) fn attribute<'s>(line: &Line<'s>) -> Option<(&'s str, &'s str)> {
    let (name, value) = line.text.strip_prefix(':')?.split_once(':').filter(|_| line.indent == 0)?;
    let named = !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'!'));
    (named && (value.is_empty() || value.starts_with(' '))).then(|| (name, value.trim()))
}

pub(super) fn is_comment(line: &Line<'_>) -> bool {
    line.text.starts_with("//") && !line.text.starts_with("///")
}

/// `[[id]]` or `[#id]` on a line of its own.
pub(super) fn anchor(text: &str) -> Option<&str> {
    let double = text.strip_prefix("[[").and_then(|t| t.strip_suffix("]]"));
    let single = || {
        text.strip_prefix("[#")
            .and_then(|t| t.strip_suffix(']'))
            .and_then(|t| t.split([',', '.', '%']).next())
    };
    double.or_else(single).filter(|id| !id.is_empty() && !id.contains(['[', ']']))
}

/// `source,rust`, `quote, Somebody`, `cols="1,2"`, `id=here`.
pub(super) fn style<'s>(inner: &'s str, about: &mut About<'s>) {
    let first = inner.split(',').next().unwrap_or("").trim();
    if !first.contains('=') {
        let (style, id) = first.split_once('#').map_or((first, None), |(s, id)| (s, Some(id)));
        about.style = style.split(['.', '%']).next().unwrap_or(style);
        about.id = id.and_then(|id| id.split(['.', '%']).next()).or(about.id);
    }
    if let Some(id) = inner.split(',').find_map(|part| part.trim().strip_prefix("id=")) {
        about.id = Some(id.trim_matches('"'));
    }
    about.attributes = inner;
}

/// Macros that take a line: `Some(None)` for those that show nothing, `Some(Some(text))` for a picture with a
/// description.
pub(super) fn block_macro(text: &str) -> Option<Option<&str>> {
    let (name, rest) = text.split_once("::").filter(|(n, _)| n.len() < 20)?;
    let inner = rest.split_once('[').filter(|_| rest.ends_with(']')).map(|(_, t)| &t[..t.len() - 1])?;
    match name {
        "include" | "ifdef" | "ifndef" | "endif" | "ifeval" | "toc" | "video" | "audio" => Some(None),
        "image" => {
            let described =
                inner.split(',').next().map(str::trim).filter(|t| !t.is_empty() && !t.contains('='));
            Some(described.map(|t| t.trim_matches('"')))
        }
        // Of macros of a site's own nothing is known.
        _ if name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') && !rest.contains(' ') => Some(None),
        _ => None,
    }
}

/// Returns the bytes of a term in a list of definitions, without and with its mark.
pub(super) fn term(text: &str) -> Option<(usize, usize)> {
    let marks = ["::::", ":::", "::", ";;"];
    let found = marks.iter().filter_map(|mark| {
        let end = text.find(mark)?;
        let behind = end + mark.len();
        let after = text.get(behind..)?;
        ((after.is_empty() || after.starts_with(' ')) && end > 0 && end < 200).then_some((end, behind))
    });
    found.min()
}

/// Returns the bytes of a list item's marker.
pub(super) fn list_marker(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let behind = |n: usize| text.get(n..).is_some_and(|r| r.starts_with([' ', '\t'])).then_some(n);
    match first {
        '*' | '.' | '-' => {
            let run = text.len() - text.trim_start_matches(first).len();
            behind(run).filter(|_| run <= 6 && (first != '-' || run == 1))
        }
        '•' => behind(first.len_utf8()),
        '<' => {
            let end = text.find('>').filter(|&n| {
                n < 5
                    && (text.get(1..n) == Some(".")
                        || text.get(1..n).is_some_and(|t| t.bytes().all(|b| b.is_ascii_digit())))
            })?;
            behind(end + 1)
        }
        '0'..='9' => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            text.get(digits..)?.strip_prefix('.').and_then(|_| behind(digits + 1)).filter(|_| digits < 6)
        }
        'a'..='z' | 'A'..='Z' => {
            text.get(1..)?.strip_prefix('.').and_then(|_| behind(2)).filter(|_| first.is_ascii_lowercase())
        }
        _ => None,
    }
}

/// Without the box of a list of things to do.
pub(super) fn strip_checkbox(line: Line<'_>) -> Line<'_> {
    if ["[x] ", "[*] ", "[ ] "].iter().any(|b| line.text.starts_with(b)) { line.behind(3) } else { line }
}

/// Returns true if running text ends before a line that is not blank.
pub(super) fn ends_paragraph(line: &Line<'_>) -> bool {
    delimiter(line.text).is_some()
        || line.indent == 0
            && line.text.starts_with('[')
            && line.text.ends_with(']')
            && !line.text.contains("](")
        || is_comment(line)
}
