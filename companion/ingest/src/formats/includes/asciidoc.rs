//! Includes of AsciiDoc: `include::file[lines=…,tag=…]`, with the names that Antora gives to files.

use super::lines::{moved_left, take_listed};
use super::{Includer, language};
use std::borrow::Cow;

/// Tags inside tags.
const DEEPEST_TAGS: usize = 64;

/// Tags that one include may name.
const MOST_TAGS: usize = 64;

/// A page's text with the parts of other files that it shows. `page` is its path, which says its module.
pub(crate) fn expand_includes<'s>(source: &'s str, page: &str, includer: &Includer<'_>) -> Cow<'s, str> {
    if !source.contains("include::") {
        return Cow::Borrowed(source);
    }
    let mut out = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        let call = line
            .trim()
            .strip_prefix("include::")
            .and_then(|r| r.strip_suffix(']'))
            .and_then(|r| r.split_once('['));
        let made = call.and_then(|(target, attributes)| {
            includer.within(&of_antora(target, page), |path, text| {
                let shown = select_lines(text, attributes);
                let shown = match language(path) {
                    "adoc" | "asciidoc" | "asc" => expand_includes(&shown, path, includer).into_owned(),
                    _ => shown,
                };
                Some(offset(shown, attributes))
            })
        });
        match made {
            Some(text) => {
                out.push_str(&text);
                if !out.ends_with('\n') {
                    out.push('\n');
                }
            }
            None => out.push_str(line),
        }
    }
    Cow::Owned(out)
}

/// `partial$x.adoc` is in the partials of the page's module, `other:example$y` in the examples of another.
fn of_antora(target: &str, page: &str) -> String {
    let Some((before, rest)) = target.split_once('$') else { return target.to_owned() };
    let (module, family) = before.rsplit_once(':').map_or((None, before), |(m, f)| (m.rsplit(':').next(), f));
    let family = match family {
        "partial" => "partials",
        "example" => "examples",
        "page" => "pages",
        "attachment" => "attachments",
        _ => return target.to_owned(),
    };
    match (page.split_once("modules/"), module) {
        (Some((above, _)), Some(module)) => format!("/{above}modules/{module}/{family}/{rest}"),
        (Some((above, below)), None) => {
            format!("/{above}modules/{}/{family}/{rest}", below.split('/').next().unwrap_or("ROOT"))
        }
        _ => target.to_owned(),
    }
}

/// An attribute of the call, with or without quotes.
fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let mut from = 0;
    while let Some(found) = attributes.get(from..)?.find(name) {
        let at = from + found;
        from = at + name.len();
        let begins = at == 0 || attributes.get(..at)?.ends_with([',', ' ']);
        if let Some(value) = attributes.get(from..)?.strip_prefix('=').filter(|_| begins) {
            return match value.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next(),
                None => value.split(',').next(),
            };
        }
    }
    None
}

fn select_lines(text: &str, attributes: &str) -> String {
    let mark = |line: &str| {
        line.contains("tag::") && line.contains("[]") || line.contains("end::") && line.contains("[]")
    };
    let named = attribute(attributes, "tags").or_else(|| attribute(attributes, "tag"));
    let tags: Vec<&str> = named.into_iter().flat_map(|t| t.split([';', ','])).take(MOST_TAGS).collect();
    let shown = match attribute(attributes, "lines") {
        Some(lines) => take_listed(
            &text.lines().filter(|l| !mark(l)).flat_map(|l| [l, "\n"]).collect::<String>(),
            &lines.replace("..-1", ".."),
            "..",
        ),
        None if tags.is_empty() => text.lines().filter(|l| !mark(l)).flat_map(|l| [l, "\n"]).collect(),
        None => select_tagged(text, &tags),
    };
    if attribute(attributes, "indent") == Some("0") { moved_left(&shown) } else { shown }
}

/// The lines inside any of the tags; `*` and `**` stand for all, `!name` for all but one.
fn select_tagged(text: &str, tags: &[&str]) -> String {
    let mut open: Vec<&str> = Vec::new();
    // How many of the open ones are wanted, and how many are not.
    let (mut wanted, mut barred) = (0usize, 0usize);
    let is_wanted = |name: &str| usize::from(tags.contains(&name));
    let is_barred = |name: &str| usize::from(tags.iter().any(|t| t.strip_prefix('!') == Some(name)));
    let all = tags.iter().any(|t| matches!(*t, "*" | "**"));
    let outside = tags.contains(&"**");
    let only_not = tags.iter().all(|t| t.starts_with('!'));
    let mut out = String::new();
    for line in text.lines() {
        let named =
            |mark: &str| line.split_once(mark).and_then(|(_, r)| r.split_once("[]")).map(|(name, _)| name);
        if let Some(name) = named("end::") {
            // What ends is near the end of what is open.
            if let Some(at) = open.iter().rev().take(DEEPEST_TAGS).position(|o| *o == name) {
                for closed in open.drain(open.len() - 1 - at..) {
                    (wanted, barred) = (wanted - is_wanted(closed), barred - is_barred(closed));
                }
            }
            continue;
        }
        if let Some(name) = named("tag::") {
            (wanted, barred) = (wanted + is_wanted(name), barred + is_barred(name));
            open.push(name);
            continue;
        }
        if barred == 0 && (wanted > 0 || all && (!open.is_empty() || outside) || only_not) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// With the levels of titles moved by `leveloffset=+1`.
fn offset(text: String, attributes: &str) -> String {
    let Some(by) = attribute(attributes, "leveloffset")
        .and_then(|v| v.trim_start_matches('+').parse::<i32>().ok())
        .filter(|n| *n != 0)
    else {
        return text;
    };
    let moved = |line: &str| {
        let level = line.bytes().take_while(|&b| b == b'=').count();
        let title = (1..=6).contains(&level) && line.get(level..).is_some_and(|r| r.starts_with(' '));
        let to = usize::try_from(level as i32 + by).unwrap_or(1).clamp(1, 6);
        if title {
            format!("{}{}\n", "=".repeat(to), line.get(level..).unwrap_or(""))
        } else {
            format!("{line}\n")
        }
    };
    text.lines().map(moved).collect()
}
