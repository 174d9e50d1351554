//! Lines that publishers of Markdown read in ways of their own: where boxes, tabs and tables of contents
//! begin and end.

use std::ops::Range;

/// A line that is not shown as it stands.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    /// The bytes of the line that are shown: a box's or tab's title.
    pub title: Option<Range<usize>>,
    /// True if the line's content is indented below it. The line must then not become a blank one, after
    /// which the content would be code.
    pub indented: bool,
}

/// Returns the marker that a line outside code is: `:::note[Title]` and `::: tip Title` (Docusaurus,
/// VitePress), `::: {.callout-note}` (Quarto), `!!! note "Title"`, `??? note` and `=== "Tab"` (MkDocs),
/// `/// note | Title` (PyMdown), `[[toc]]`, `--8<-- "file"`, `<<< file`, `{* file *}`, `{: .class }`.
pub(crate) fn marker(line: &str) -> Option<Marker> {
    let text = line.trim();
    let mark = text
        .bytes()
        .next()
        .filter(|b| matches!(b, b':' | b'!' | b'?' | b'=' | b'[' | b'-' | b'/' | b'{' | b'<'))?;
    let within = |part: &str| {
        // An empty one may be no part of the line.
        let start =
            (part.as_ptr() as usize).checked_sub(line.as_ptr() as usize).filter(|_| !part.is_empty())?;
        Some(start..start + part.len())
    };
    let run = text.bytes().take_while(|&b| b == mark).count();
    let rest = text.get(run..)?;
    match mark {
        b':' if run == 3 && documented(rest).is_some() => {
            Some(Marker { title: within(documented(rest)?), indented: false })
        }
        b':' if run >= 3 => Some(Marker { title: within(container(rest.trim_start())?), indented: false }),
        b'!' | b'?' if run == 3 => Some(Marker { title: within(admonition(rest)?), indented: true }),
        b'=' if run == 3 => {
            let title = rest.trim_start_matches(['!', '+']).strip_prefix(' ')?.trim();
            Some(Marker { title: within(title.strip_prefix('"')?.strip_suffix('"')?), indented: true })
        }
        b'[' => ["[[toc]]", "[toc]", "[[_toc_]]"]
            .iter()
            .any(|t| text.eq_ignore_ascii_case(t))
            .then_some(Marker { title: None, indented: false }),
        b'-' if text.starts_with("--8<--") => Some(Marker { title: None, indented: false }),
        b'/' if run >= 3 => Some(Marker { title: within(block(rest)?), indented: false }),
        // A part of a file that could not be brought in, and a list of attributes for what stands above.
        b'{' if text.starts_with("{*") && text.ends_with("*}")
            || text.starts_with("{:") && text.ends_with('}')
            || attributes(text) == Some(text.len()) =>
        {
            Some(Marker { title: None, indented: false })
        }
        b'<' if text.starts_with("<<< ") && text.len() > 4 => Some(Marker { title: None, indented: false }),
        _ => None,
    }
}

/// The object of a program whose description mkdocstrings puts here: `::: package.module.Class`. Options are
/// indented below it.
pub(crate) fn documented(rest: &str) -> Option<&str> {
    let name = rest.strip_prefix(' ')?.trim();
    let part = |p: &str| {
        p.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && p.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    (name.contains('.') && name.split('.').all(part)).then_some(name)
}

/// The shortcode that a line opens, where its name says that code stands in it: `{{< highlight go >}}`, `{{%
/// code file="x" %}}`.
pub(crate) fn code_shortcode(line: &str) -> Option<&str> {
    let inner = line
        .strip_prefix("{{<")
        .and_then(|r| r.strip_suffix(">}}"))
        .or_else(|| line.strip_prefix("{{%").and_then(|r| r.strip_suffix("%}}")))?;
    let name = inner.split_whitespace().next()?;
    let is_code = name.contains("code") || name.contains("highlight");
    (is_code && !name.starts_with('/') && !inner.trim_end().ends_with('/')).then_some(name)
}

pub(crate) fn closes_shortcode(line: &str, name: &str) -> bool {
    let inner = line.strip_prefix("{{<").or_else(|| line.strip_prefix("{{%")).unwrap_or("");
    inner
        .trim_start()
        .strip_prefix('/')
        .and_then(|r| r.trim_start().strip_prefix(name))
        .is_some_and(|r| r.trim_start().starts_with(['>', '%']))
}

/// The title behind the colons of a container; empty without one.
fn container(rest: &str) -> Option<&str> {
    if let Some(attributes) = rest.strip_prefix('{') {
        return Some(attributes.split_once('}')?.1.trim());
    }
    let name = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')).count();
    let after = rest.get(name..)?;
    match after.strip_prefix('[').and_then(|t| t.rfind(']').map(|end| (t, end))) {
        Some((titled, end)) if name > 0 => titled.get(..end),
        _ if after.is_empty() => Some(""),
        _ if after.starts_with(['{', ' ', '\t']) && name > 0 => {
            let title = after.trim();
            // Attributes may stand behind it.
            let end = match title.rfind(" {") {
                _ if title.starts_with('{') => 0,
                Some(at) if title.ends_with('}') => at,
                _ => title.len(),
            };
            Some(title.get(..end)?.trim())
        }
        _ => None,
    }
}

/// The title behind the kind of a block of PyMdown; empty without one, and where the line ends a block.
fn block(rest: &str) -> Option<&str> {
    let rest = rest.trim();
    let (kind, title) = rest.split_once('|').map_or((rest, ""), |(kind, title)| (kind.trim(), title.trim()));
    let named = kind.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    (named && (!kind.is_empty() || title.is_empty())).then_some(title)
}

/// The title behind the kind of an admonition; empty without one.
fn admonition(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix('+').unwrap_or(rest).strip_prefix(' ')?.trim();
    let (kinds, title) = rest
        .split_once('"')
        .map_or((rest, ""), |(kinds, title)| (kinds, title.strip_suffix('"').unwrap_or(title)));
    let kinds: Vec<&str> = kinds.split_whitespace().collect();
    let named =
        kinds.iter().all(|k| k.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
    ((1..=3).contains(&kinds.len()) && named).then_some(title)
}

/// Returns the bytes of a list of attributes that begins with a brace: `{ .button }`, `{: #id }`.
pub(crate) fn attributes(text: &str) -> Option<usize> {
    const LONGEST: usize = 120;
    let close = text.bytes().take(LONGEST).position(|b| b == b'}')?;
    let inner = text.get(1..close)?;
    let inner = inner.strip_prefix(':').unwrap_or(inner).trim_start();
    let listed =
        inner.starts_with(['.', '#']) && inner.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic);
    listed.then_some(close + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_title_is_a_part_of_its_line(
            line in "[ ]{0,3}(:{3,4}|!{3}|\\?{3}|={3}|\\[\\[)[+! ]{0,2}[a-c]{0,3}[ \\[{}\\]\"é]{0,4}[a-cé]{0,3}[ \
                    \\[{}\\]\"]{0,4}",
        ) {
            if let Some(Marker { title: Some(title), .. }) = marker(&line) {
                prop_assert!(line.get(title).is_some_and(|t| !t.is_empty()));
            }
            let _ = attributes(&line);
        }
    }

    #[test]
    fn boxes_and_tabs_are_known_by_their_lines_and_keep_their_titles() {
        let title =
            |line: &'static str| marker(line).map(|m| m.title.map_or("", |t| line.get(t).unwrap_or("?")));
        for (line, shown) in [
            (":::", ""),
            ("  ::::", ""),
            (":::note", ""),
            (":::note[Please read]", "Please read"),
            ("::: tip Heading here", "Heading here"),
            (":::warning{title=x}", ""),
            ("::: details Open me {open}", "Open me"),
            ("::: {.callout-note}", ""),
            (":::{note} A title", "A title"),
            ("!!! note \"About seals\"", "About seals"),
            ("!!! warning", ""),
            ("???+ question inline end \"Why?\"", "Why?"),
            ("=== \"Linux\"", "Linux"),
            ("[[TOC]]", ""),
            ("--8<-- \"a.md\"", ""),
            ("/// note | Technical Details", "Technical Details"),
            ("//// tab | Python 3.10+", "Python 3.10+"),
            ("///", ""),
            ("{* ../a.py hl[7] *}", ""),
            ("<<< @/snippets/a.js", ""),
            ("{: .note }", ""),
        ] {
            assert_eq!(title(line), Some(shown), "{line}");
        }
    }

    #[test]
    fn other_lines_are_text() {
        for line in [
            "",
            "text",
            ":::: a-b] c",
            "::: ?",
            "!!! Read this now",
            "!!!",
            "??? what is this supposed to be",
            "=== a",
            "[[other]]",
            "- 8",
            ":: a",
            "==== \"x\"",
            "/// says what it is for",
            "// comment",
            "{x}",
            "<<<",
        ] {
            let found = marker(line);
            assert!(found.is_none() || line.starts_with("::::"), "{line}: {found:?}");
        }
        assert_eq!(
            (attributes("{ .button } x"), attributes("{:#id}"), attributes("{x}"), attributes("{.5}")),
            (Some(11), Some(6), None, None)
        );
    }
}
