//! Includes of Markdown: mdBook, PyMdown, VitePress, Hugo, and FastAPI's.

use super::super::markdown_fence::Fence;
use super::lines::{moved_left, moved_right, range, region, take_between, take_listed};
use super::rst;
use super::{Includer, body, fence_code, language};
use std::borrow::Cow;

/// Beginnings of the marks.
const MARKS: [&str; 9] =
    ["{{#", "--8<--", "<<<", "@include", "{*", "{{% include", "{{< include", "{include}", "{literalinclude}"];

/// A page's text with the parts of other files that it shows.
pub(crate) fn expand_includes<'s>(source: &'s str, includer: &Includer<'_>) -> Cow<'s, str> {
    if !MARKS.iter().any(|m| source.contains(m)) {
        return Cow::Borrowed(source);
    }
    let mut out = String::with_capacity(source.len());
    let mut fence = Fence::default();
    let mut listed = false;
    let mut changed = false;
    let mut lines = source.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        let inside = fence.is_open();
        if let Some((kind, target)) = directive(trimmed).filter(|_| !inside) {
            let mut options = Vec::new();
            while let Some(next) =
                lines.next().map(str::trim).filter(|l| !l.starts_with("```") && !l.starts_with(":::"))
            {
                options.extend(
                    next.strip_prefix(':')
                        .and_then(|o| o.split_once(':'))
                        .map(|(name, value)| (name, value.trim())),
                );
            }
            changed = true;
            out.push_str(&myst(kind, target, &options, includer).unwrap_or_else(|| "\n".to_owned()));
            continue;
        }
        fence.takes(trimmed.trim_start_matches(['>', ' ']));
        let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or("");
        // PyMdown's list of files between two marks.
        if trimmed == "--8<--" {
            listed = !listed;
            changed = true;
            continue;
        }
        let part =
            if listed { snippet(trimmed, inside, includer) } else { included(trimmed, inside, includer) };
        match part {
            Some(text) => {
                changed = true;
                out.push_str(&moved_right(&text, indent));
                if !out.ends_with('\n') {
                    out.push('\n');
                }
            }
            None if listed => changed = true,
            // One that is shown and not heeded.
            None if trimmed.starts_with(";--8<--") => {
                changed = true;
                out.push_str(&line.replacen(';', "", 1).replacen(
                    "--8<--",
                    "\\-\\-8<\\-\\-",
                    usize::from(!inside),
                ));
            }
            None => out.push_str(line),
        }
    }
    if changed { Cow::Owned(out) } else { Cow::Borrowed(source) }
}

/// A directive of MyST that brings in a file: its kind, and which.
fn directive(line: &str) -> Option<(&str, &str)> {
    let (kind, target) = line.trim_start_matches(['`', ':']).strip_prefix('{')?.split_once('}')?;
    let opened = line.starts_with("```") || line.starts_with(":::");
    (opened && matches!(kind, "include" | "literalinclude")).then(|| (kind, target.trim()))
}

fn myst(kind: &str, target: &str, options: &[(&str, &str)], includer: &Includer<'_>) -> Option<String> {
    includer.within(target, |path, text| {
        let shown = rst::select_lines(text, options)?;
        Some(if kind == "literalinclude" {
            fence_code(&moved_left(&shown), language(path))
        } else {
            format!("\n{}\n", expand_includes(&shown, includer))
        })
    })
}

/// Returns the text that a line includes, if the line is nothing but an include that leads somewhere.
fn included(line: &str, inside: bool, includer: &Includer<'_>) -> Option<String> {
    if let Some(inner) = line.strip_prefix("{{#").and_then(|r| r.strip_suffix("}}")) {
        let (name, target) = inner.split_once(char::is_whitespace)?;
        let known = matches!(name, "include" | "rustdoc_include" | "playground");
        return known.then(|| mdbook(target.split_whitespace().next()?, includer)).flatten();
    }
    if let Some(rest) = line.strip_prefix("--8<--") {
        return snippet(rest.trim().trim_matches(['"', '\'']), inside, includer);
    }
    if let Some(target) = line.strip_prefix("<<<").filter(|_| !inside) {
        return vitepress_code(target.trim(), includer);
    }
    if let Some(inner) = line.strip_prefix("<!--").and_then(|r| r.strip_suffix("-->")).filter(|_| !inside) {
        return vitepress_part(inner.trim().strip_prefix("@include:")?.trim(), includer);
    }
    if let Some(inner) = line.strip_prefix("{*").and_then(|r| r.strip_suffix("*}")).filter(|_| !inside) {
        return variant(inner.trim(), includer);
    }
    let tag = line
        .strip_prefix("{{%")
        .and_then(|r| r.strip_suffix("%}}"))
        .or_else(|| line.strip_prefix("{{<").and_then(|r| r.strip_suffix(">}}")));
    let call = tag.filter(|_| !inside)?.trim().strip_prefix("include")?;
    let target =
        call.trim().trim_start_matches("file=").trim_end_matches('/').trim().trim_matches(['"', '`', '\'']);
    includer.within(target, |_, text| Some(format!("\n{}\n", expand_includes(body(text), includer))))
}

/// `file.rs`, `file.rs:2:10`, `file.rs:name`.
fn mdbook(target: &str, includer: &Includer<'_>) -> Option<String> {
    let (path, part) = split_part(target);
    let mark = |line: &str| line.contains("ANCHOR:") || line.contains("ANCHOR_END:");
    includer.within(path, |path, text| {
        let shown = match part {
            None => text.lines().filter(|l| !mark(l)).flat_map(|l| [l, "\n"]).collect(),
            Some(part) if part.contains(':') || part.parse::<usize>().is_ok() => {
                take_numbered(text, part, ':')
            }
            Some(name) => {
                let named = |line: &str, mark: &str| {
                    line.split_once(mark)
                        .is_some_and(|(_, r)| r.trim().trim_end_matches("-->").trim() == name)
                };
                take_between(text, |l| named(l, "ANCHOR:"), |l| named(l, "ANCHOR_END:"), mark)?
            }
        };
        Some(expand_text(path, shown, includer))
    })
}

/// Splits `file.md:part` into the file and its part, if one is named.
fn split_part(target: &str) -> (&str, Option<&str>) {
    target.split_once(':').map_or((target, None), |(path, part)| (path, Some(part)))
}

/// Lines `2:10`, `2:`, `:10`, `2`, with the sign between both numbers.
fn take_numbered(text: &str, part: &str, between: char) -> String {
    let (first, last) = part.split_once(between).unwrap_or((part, part));
    let number = |s: &str, or: usize| s.trim().parse().unwrap_or(or);
    range(text, number(first, 1), number(last, usize::MAX - 1))
}

/// Text of a Markdown file with what it brings in itself; of another as it stands.
fn expand_text(path: &str, text: String, includer: &Includer<'_>) -> String {
    match language(path) {
        "md" | "markdown" | "mdx" => expand_includes(body(&text), includer).into_owned(),
        _ => text,
    }
}

/// `file.md`, `file.md:4:6`, `file.md:name`; a mark before it leaves it out.
fn snippet(target: &str, inside: bool, includer: &Includer<'_>) -> Option<String> {
    if target.starts_with(';') || target.is_empty() {
        return None;
    }
    let (path, part) = split_part(target);
    let mark = |line: &str| line.contains("--8<-- [start:") || line.contains("--8<-- [end:");
    includer.within(path, |path, text| {
        let shown = match part {
            None => text.lines().filter(|l| !mark(l)).flat_map(|l| [l, "\n"]).collect(),
            Some(part) if part.bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b',' | b'-')) => {
                take_listed(text, part, ":")
            }
            Some(name) => {
                let named = |line: &str, which: &str| line.contains(&format!("[{which}:{name}]"));
                take_between(text, |l| named(l, "start"), |l| named(l, "end"), mark)?
            }
        };
        Some(if inside { shown } else { expand_text(path, shown, includer) })
    })
}

/// `@/snippets/x.js#name{2,4-6 js}[title]`: braces say which lines are marked, not which are shown.
fn vitepress_code(target: &str, includer: &Includer<'_>) -> Option<String> {
    let target = target.split(['{', '[']).next()?.trim();
    let (path, name) = target.split_once('#').map_or((target, None), |(p, n)| (p, Some(n.trim())));
    includer.within(path, |path, text| {
        let shown = match name {
            Some(name) => region(text, name)?,
            None => text
                .lines()
                .filter(|l| !l.contains("#region") && !l.contains("#endregion"))
                .flat_map(|l| [l, "\n"])
                .collect(),
        };
        Some(fence_code(&moved_left(&shown), language(path)))
    })
}

/// `./part.md`, `./part.md{3,}`, `./part.md#name`.
fn vitepress_part(target: &str, includer: &Includer<'_>) -> Option<String> {
    let (rest, lines) = match target.strip_suffix('}').and_then(|t| t.rsplit_once('{')) {
        Some((rest, lines)) => (rest, Some(lines)),
        None => (target, None),
    };
    let (path, name) = rest.split_once('#').map_or((rest, None), |(p, n)| (p, Some(n)));
    includer.within(path.trim(), |_, text| {
        let text = body(text);
        let part = match name {
            Some(name) => region(text, name).or_else(|| section(text, name))?,
            None => text.to_owned(),
        };
        let shown = match lines {
            Some(lines) => take_numbered(&part, lines, ','),
            None => part,
        };
        Some(format!("\n{}\n", expand_includes(&shown, includer)))
    })
}

/// The section below the heading with this id, up to the next of its level or above.
fn section(text: &str, id: &str) -> Option<String> {
    let mut slugs = super::super::slug::Slugs::new(super::super::slug::HeadingIds::VitePress);
    let mut level = None;
    let mut out = String::new();
    let mut fence = Fence::default();
    for line in text.lines() {
        let marks = line.bytes().take_while(|&b| b == b'#').count();
        let heading = !fence.takes(line.trim())
            && (1..=6).contains(&marks)
            && line.get(marks..).is_some_and(|r| r.starts_with(' '));
        if heading {
            if level.is_some_and(|l| marks <= l) {
                break;
            }
            let (shown, given) = line
                .get(marks..)?
                .trim()
                .split_once(" {#")
                .map_or((line.get(marks..)?.trim(), None), |(s, g)| (s, Some(g.trim_end_matches('}'))));
            let slug = slugs.of_heading(shown);
            if level.is_none() && (given == Some(id) || given.is_none() && slug.as_deref() == Some(id)) {
                level = Some(marks);
            }
        }
        if level.is_some() {
            out.push_str(line);
            out.push('\n');
        }
    }
    level.map(|_| out)
}

/// `../x.py hl[7] ln[3:9,12]`.
fn variant(inner: &str, includer: &Includer<'_>) -> Option<String> {
    let mut words = inner.split_whitespace();
    let path = words.next()?;
    let lines = inner.split_once("ln[").and_then(|(_, r)| r.split_once(']')).map(|(l, _)| l.to_owned());
    includer.within(path, |path, text| {
        let shown = match lines {
            Some(lines) => take_listed(text, &lines, ":"),
            None => text.to_owned(),
        };
        Some(fence_code(&shown, language(path)))
    })
}
