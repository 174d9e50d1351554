//! Includes of reStructuredText: `include`, `literalinclude` and the files of `csv-table`.

use super::lines::{moved_left, moved_right, range, take_listed};
use super::{Includer, language};
use std::borrow::Cow;
use std::iter::Peekable;
use std::str::SplitInclusive;

/// A page's text with the parts of other files that it shows.
pub(crate) fn expand_includes<'s>(source: &'s str, includer: &Includer<'_>) -> Cow<'s, str> {
    if !source.contains("include:: ") && !source.contains("csv-table::") {
        return Cow::Borrowed(source);
    }
    let mut out = String::with_capacity(source.len());
    let mut lines = source.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        let indent = line.get(..line.len() - text.len()).unwrap_or("");
        if text.starts_with(".. csv-table::") {
            out.push_str(line);
            values(&mut lines, indent, includer, &mut out);
            continue;
        }
        let call = text.strip_prefix(".. ").map(str::trim_start).and_then(|t| t.split_once("include::"));
        let Some((kind @ ("" | "literal"), target)) = call else {
            out.push_str(line);
            continue;
        };
        let mut options: Vec<(&str, &str)> = Vec::new();
        let mut below = String::new();
        while let Some(next) =
            lines.next_if(|l| l.trim().starts_with(':') && l.len() - l.trim_start().len() > indent.len())
        {
            below.push_str(next);
            if let Some((name, value)) = next.trim().strip_prefix(':').and_then(|o| o.split_once(':')) {
                options.push((name, value.trim()));
            }
        }
        let made = includer.within(target, |path, text| {
            let shown = select_lines(text, &options)?;
            Some(if kind == "literal" || options.iter().any(|(n, _)| matches!(*n, "literal" | "code")) {
                code(&shown, path, &options)
            } else {
                expand_includes(&shown, includer).into_owned()
            })
        });
        match made {
            Some(text) => {
                out.push_str(&moved_right(&text, indent));
                if !out.ends_with('\n') {
                    out.push('\n');
                }
            }
            None => {
                out.push_str(line);
                out.push_str(&below);
            }
        }
    }
    Cow::Owned(out)
}

/// Copies the options of a table of values, and puts the file that one of them names below them.
fn values<'s>(
    lines: &mut Peekable<SplitInclusive<'s, char>>,
    indent: &str,
    includer: &Includer<'_>,
    out: &mut String,
) {
    let mut file = None;
    while let Some(next) =
        lines.next_if(|l| l.trim().starts_with(':') && l.len() - l.trim_start().len() > indent.len())
    {
        match next.trim().strip_prefix(":file:") {
            Some(target) => file = Some(target.trim()),
            None => out.push_str(next),
        }
    }
    if let Some(text) = file.and_then(|target| includer.within(target, |_, text| Some(text.to_owned()))) {
        out.push('\n');
        out.push_str(&moved_right(&text, &format!("{indent}   ")));
        out.push('\n');
    }
}

/// Returns the value of an option; none for an empty one.
fn find_option<'o>(options: &[(&str, &'o str)], name: &str) -> Option<&'o str> {
    options.iter().find(|(n, _)| *n == name).map(|(_, v)| *v).filter(|v| !v.is_empty())
}

fn code(text: &str, path: &str, options: &[(&str, &str)]) -> String {
    let language = find_option(options, "language").unwrap_or(language(path));
    let caption = find_option(options, "caption").map(|c| format!("{c}\n\n")).unwrap_or_default();
    let language = if language.is_empty() { "text" } else { language };
    format!("\n{caption}.. code-block:: {language}\n\n{}\n", moved_right(&moved_left(text), "   "))
}

/// The lines that the options name.
pub(super) fn select_lines(text: &str, options: &[(&str, &str)]) -> Option<String> {
    let option = |name: &str| find_option(options, name);
    let mut shown = text.to_owned();
    if let Some(object) = option("pyobject") {
        shown = python(text, object)?;
    }
    if let Some(lines) = option("lines") {
        shown = take_listed(&shown, lines, "-");
    }
    // Counted from 0, the last not shown; from the end where negative.
    if option("start-line").is_some() || option("end-line").is_some() {
        let count = shown.lines().count() as i64;
        let number = |name: &str, or: i64| {
            option(name).and_then(|v| v.parse::<i64>().ok()).map_or(or, |n| if n < 0 { count + n } else { n })
        };
        let (first, last) = (number("start-line", 0).max(0), number("end-line", count).max(0));
        shown = range(&shown, first as usize + 1, last as usize);
    }
    let literal = |name: &str| options.iter().any(|(n, _)| *n == name);
    if literal("start-at") || literal("end-at") || literal("pyobject") || literal("language") {
        // Of code, marks are whole lines.
        let lines: Vec<&str> = shown.lines().collect();
        let at = |mark: &str, from: usize| {
            lines.iter().skip(from).position(|l| l.contains(mark)).map(|i| i + from)
        };
        let first = match (option("start-at"), option("start-after")) {
            (Some(mark), _) => at(mark, 0)?,
            (None, Some(mark)) => at(mark, 0)? + 1,
            _ => 0,
        };
        let last = match (option("end-at"), option("end-before")) {
            (Some(mark), _) => at(mark, first).map_or(lines.len(), |i| i + 1),
            (None, Some(mark)) => at(mark, first).unwrap_or(lines.len()),
            _ => lines.len(),
        };
        return Some(lines.get(first..last)?.iter().flat_map(|l| [*l, "\n"]).collect());
    }
    if let Some(mark) = option("start-after") {
        shown = shown.split_once(mark)?.1.to_owned();
    }
    if let Some(mark) = option("end-before") {
        shown = shown.split_once(mark).map_or(shown.as_str(), |(before, _)| before).to_owned();
    }
    Some(shown)
}

/// A class or function of Python: its first line and what is indented below it.
fn python(text: &str, object: &str) -> Option<String> {
    let name = object.rsplit('.').next()?;
    let opens = |l: &str| {
        let l = l.trim_start();
        let l = l.strip_prefix("async ").unwrap_or(l);
        ["def ", "class "].iter().any(|k| {
            l.strip_prefix(k)
                .and_then(|r| r.strip_prefix(name))
                .is_some_and(|r| r.starts_with(['(', ':', '[']))
        })
    };
    let mut lines = text.lines().skip_while(|l| !opens(l)).peekable();
    let first = lines.next()?;
    let column = first.len() - first.trim_start().len();
    let body = lines.take_while(|l| l.trim().is_empty() || l.len() - l.trim_start().len() > column);
    Some(std::iter::once(first).chain(body).flat_map(|l| [l, "\n"]).collect())
}
