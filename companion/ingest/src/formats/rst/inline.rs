//! Marks inside paragraphs: emphasis, literals, references, roles.

use super::super::Link;
use super::super::allowance::Allowance;
use super::super::block::Draft;
use super::super::lines::append_flow;
use super::super::superscripts::Script;
use pocketgraph_native::single_line::one_line;
use std::collections::HashMap;
use std::ops::Range;

/// Names that a text defines for use elsewhere in it.
pub(super) struct Names<'s> {
    /// Limit of the text that they may still add.
    pub allowance: Allowance,
    /// Targets of references by a name, in lower case.
    pub targets: HashMap<String, &'s str>,
    /// Titles of the sections that labels name, in this file and in others.
    pub titles: &'s HashMap<String, String>,
    /// Replacements of `|name|`.
    pub substitutions: HashMap<&'s str, &'s str>,
}

impl<'s> Names<'s> {
    /// Returns the target of a reference by a name.
    fn target(&self, name: &str) -> Option<&'s str> {
        self.targets.get(&fold_name(name)).copied().filter(|t| self.allowance.take(t.len()))
    }
}

/// Marks that part a reference, a role or emphasis from what stands before it.
const BEFORE: &str = "-:/'\"<([{‘“«";
/// And from what stands after it.
const AFTER: &str = "-.,:;!?\\/'\")]}>’”»";

/// Reads the text at `range` of `source` into `draft`; `block` is the number of the block that it will be.
pub(super) fn read_inline<'s>(
    source: &'s str,
    range: Range<usize>,
    names: &Names<'s>,
    draft: &mut Draft,
    links: &mut Vec<Link>,
    block: usize,
) {
    let Some(text) = source.get(range.clone()) else { return };
    let mut reader = Inline { text, base: range.start, names, draft, links, block, unclosed: Vec::new() };
    reader.read();
}

struct Inline<'a, 's> {
    text: &'s str,
    /// Byte of the source at which `text` starts.
    base: usize,
    names: &'a Names<'s>,
    draft: &'a mut Draft,
    links: &'a mut Vec<Link>,
    block: usize,
    /// Closing marks that do not come any more: looked for once.
    unclosed: Vec<&'static str>,
}

impl<'s> Inline<'_, 's> {
    fn read(&mut self) {
        let (mut at, mut plain) = (0, 0);
        while let Some(found) = self.from(at).find(['*', '`', '_', '|', '\\', '[', ':']) {
            let mark = at + found;
            let next = self.marked(mark, plain);
            match next {
                Some(end) => {
                    plain = end;
                    at = end;
                }
                None => at = mark + 1,
            }
        }
        self.plain(plain..self.text.len());
    }

    fn from(&self, at: usize) -> &'s str {
        self.text.get(at..).unwrap_or("")
    }

    /// Reads what begins with the mark at `at`, after the plain text from `plain` on; where it ends, if it is
    /// marked text.
    fn marked(&mut self, at: usize, plain: usize) -> Option<usize> {
        let rest = self.from(at);
        if rest.starts_with('\\') {
            self.plain(plain..at);
            let next = rest.get(1..).and_then(|r| r.chars().next());
            return Some(match next {
                // An escaped space joins what it stands between.
                Some(c) if c.is_whitespace() => at + 1 + c.len_utf8(),
                Some(c) => {
                    self.plain(at + 1..at + 1 + c.len_utf8());
                    at + 1 + c.len_utf8()
                }
                None => at + 1,
            });
        }
        if rest.starts_with('_') && !rest.starts_with("_`") {
            return self.named_reference(at, plain);
        }
        let before = self.text.get(..at).and_then(|t| t.chars().next_back());
        if before.is_some_and(|c| !c.is_whitespace() && !BEFORE.contains(c)) {
            return None;
        }
        if rest.starts_with(':') {
            let (role, opening) = role(rest)?;
            return self.interpreted(at + opening, plain..at, Some(role));
        }
        if rest.starts_with('[') {
            // A reference to a footnote or a citation.
            let close =
                near(rest, b']').filter(|&c| rest.get(c + 1..).is_some_and(|r| r.starts_with('_')))?;
            if !self.ends_at(at + close + 2) {
                return None;
            }
            self.plain(plain..at);
            return Some(at + close + 2);
        }
        if rest.starts_with("``") {
            let inner = self.closed(at, "``")?;
            self.plain(plain..at);
            self.plain(inner.clone());
            return Some(inner.end + 2);
        }
        if rest.starts_with("_`") {
            let inner = self.closed(at + 1, "`")?;
            self.plain(plain..at);
            self.plain(inner.clone());
            return Some(inner.end + 1);
        }
        if rest.starts_with('`') {
            return self.interpreted(at, plain..at, None);
        }
        for mark in ["**", "*"] {
            if rest.starts_with(mark) {
                let inner = self.closed(at, mark)?;
                self.plain(plain..at);
                self.plain(inner.clone());
                return Some(inner.end + mark.len());
            }
        }
        let inner = self.closed(at, "|")?;
        self.plain(plain..at);
        let name = self.text.get(inner.clone()).unwrap_or("");
        match self.names.substitutions.get(name).filter(|v| self.names.allowance.take(v.len())) {
            Some(value) => self.draft.push(value, self.base + inner.start..self.base + inner.end),
            None => self.plain(inner.clone()),
        }
        Some(inner.end + 1 + self.from(inner.end + 1).bytes().take_while(|&b| b == b'_').count())
    }

    /// Returns the bytes between a mark at `at` and the same mark further on.
    fn closed(&mut self, at: usize, mark: &'static str) -> Option<Range<usize>> {
        let start = at + mark.len();
        if self.unclosed.contains(&mark) || self.from(start).chars().next().is_none_or(char::is_whitespace) {
            return None;
        }
        let mut from = start;
        while let Some(found) = self.from(from).find(mark) {
            let end = from + found;
            let spaced = self.text.get(..end).is_some_and(|t| t.ends_with(char::is_whitespace));
            let ended = self.ends_at(end + mark.len())
                || mark.ends_with(['`', '|']) && self.from(end + mark.len()).starts_with(['_', ':']);
            if end > start && !spaced && ended {
                return Some(start..end);
            }
            from = end + 1;
        }
        self.unclosed.push(mark);
        None
    }

    fn ends_at(&self, at: usize) -> bool {
        self.from(at).chars().next().is_none_or(|c| c.is_whitespace() || AFTER.contains(c))
    }

    /// Writes the name of a menu or a button: arrows between the menus, without the marks of their keys.
    fn label(&mut self, range: Range<usize>) {
        let text = self.text.get(range.clone()).unwrap_or("");
        let mut from = 0;
        while let Some(found) = text.get(from..).and_then(|rest| rest.find(['&', '-'])) {
            let at = from + found;
            let rest = text.get(at..).unwrap_or("");
            let taken = if rest.starts_with("-->") { 3 } else { 1 };
            let kept = if rest.starts_with('-') && taken == 1 { at + 1 } else { at };
            self.plain(range.start + from..range.start + kept);
            if taken == 3 {
                self.draft.push("‣", self.at(range.start + at..range.start + at + 3));
            }
            from = at + taken;
        }
        self.plain(range.start + from..range.end);
    }

    /// Interpreted text and references: `` `text` ``, `` `text <target>`_ ``, with a role before or after.
    fn interpreted(&mut self, at: usize, plain: Range<usize>, role: Option<&str>) -> Option<usize> {
        let inner = self.closed(at, "`")?;
        self.plain(plain);
        let mut end = inner.end + 1;
        let after = self.from(end);
        let reference = role.is_none() && after.starts_with('_');
        let behind = after
            .strip_prefix(':')
            .and_then(|r| near(r, b':').and_then(|n| r.get(..n)))
            .filter(|r| role.is_none() && is_role(r));
        end += match (reference, behind) {
            (true, _) => after.bytes().take(2).take_while(|&b| b == b'_').count(),
            (false, Some(name)) => name.len() + 2,
            (false, None) => 0,
        };
        let role = role.or(behind).map(|r| r.rsplit(':').next().unwrap_or(r));
        let text = self.text.get(inner.clone()).unwrap_or("");
        if !reference && self.shown_by_role(role, inner.clone()) {
            return Some(end);
        }
        // A title, and in angle brackets where it leads.
        let titled = text.strip_suffix('>').and_then(|t| t.rfind('<').map(|open| (open, &t[open + 1..])));
        let (shown, target) = match titled {
            Some((0, target)) => (inner.start + 1..inner.end - 1, Some(target)),
            Some((open, target)) => (inner.start..inner.start + text[..open].trim_end().len(), Some(target)),
            None => (inner.clone(), None),
        };
        let from = self.draft.text.len();
        if let Some(series @ ("pep" | "rfc")) = role {
            self.draft.push(if series == "pep" { "PEP " } else { "RFC " }, self.at(shown.start..shown.start));
        }
        // A label is shown as the title of the section that it names.
        if let (Some("ref" | "numref"), None) = (role, titled)
            && let Some(title) =
                self.names.titles.get(&fold_name(text)).filter(|t| self.names.allowance.take(t.len()))
        {
            self.draft.push(title, self.at(shown));
            return Some(end);
        }
        // Objects are named in full, with a mark where less than that is to be shown.
        let marks =
            self.text.get(shown.clone()).map_or(0, |t| t.len() - t.trim_start_matches(['~', '!']).len());
        self.plain(shown.start + marks..shown.end);
        let target = match role {
            None if reference => {
                let named = target.and_then(|t| t.strip_suffix('_')).or(if target.is_none() {
                    Some(text)
                } else {
                    None
                });
                named.map_or(target, |n| self.names.target(n))
            }
            Some("doc" | "download") => target.or(Some(text)),
            _ => None,
        };
        self.link(target, from);
        Some(end)
    }

    /// Writes text whose role says how it is shown; returns `false` for references.
    fn shown_by_role(&mut self, role: Option<&str>, inner: Range<usize>) -> bool {
        let script = match role.unwrap_or("") {
            "sup" | "superscript" => Script::Above,
            "sub" | "subscript" => Script::Below,
            "menuselection" | "guilabel" => {
                self.label(inner);
                return true;
            }
            "code" | "math" | "kbd" | "samp" | "file" | "command" | "program" | "regexp" => {
                self.plain(inner);
                return true;
            }
            _ => return false,
        };
        let written = script.written(self.text.get(inner.clone()).unwrap_or(""), &self.draft.text);
        self.draft.push_script(&written, self.at(inner));
        true
    }

    /// `name_`, where the text says where that leads.
    fn named_reference(&mut self, at: usize, plain: usize) -> Option<usize> {
        const LONGEST: usize = 128;
        let near = self.text.floor_char_boundary(at.saturating_sub(LONGEST)).max(plain);
        let before = self.text.get(near..at)?;
        let start = before
            .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '.' | '+' | '_')))
            .map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
        let name = before.get(start..).filter(|n| !n.is_empty())?;
        let end = at + self.from(at).bytes().take(2).take_while(|&b| b == b'_').count();
        if !self.ends_at(end) {
            return None;
        }
        let target = self.names.target(name)?;
        self.plain(plain..near + start);
        let from = self.draft.text.len();
        self.plain(near + start..at);
        self.link(Some(target), from);
        Some(end)
    }

    fn link(&mut self, target: Option<&str>, from: usize) {
        if let Some(target) = target.map(str::trim).filter(|t| !t.is_empty()) {
            let text = self.draft.text.get(from..).unwrap_or("").trim().to_owned();
            self.links.push(Link { target: target.to_owned(), text, block: self.block });
        }
    }

    fn at(&self, range: Range<usize>) -> Range<usize> {
        self.base + range.start..self.base + range.end
    }

    /// Text without marks, its lines joined by spaces.
    fn plain(&mut self, range: Range<usize>) {
        if let Some(text) = self.text.get(range.clone()) {
            append_flow(text, self.base + range.start, self.draft);
        }
    }
}

/// A role before interpreted text, and where its text's mark stands: `:py:func:` of `` :py:func:`get` ``.
fn role(text: &str) -> Option<(&str, usize)> {
    let opening = near(text, b'`').filter(|&n| n >= 3)?;
    let role = text.get(..opening)?.strip_prefix(':')?.strip_suffix(':')?;
    is_role(role).then_some((role, opening))
}

/// Returns the index of a byte among the first 64 of a text: names are short, and hostile texts long.
fn near(text: &str, byte: u8) -> Option<usize> {
    text.bytes().take(64).position(|b| b == byte)
}

fn is_role(name: &str) -> bool {
    !name.is_empty()
        && name.len() < 60
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'+' | b':'))
}

/// A name of a reference as it is compared: in lower case, white space as one space.
pub(super) fn fold_name(name: &str) -> String {
    one_line(name).to_lowercase()
}
