//! Marks inside paragraphs: emphasis, macros, links, attributes.

use super::super::Link;
use super::super::allowance::Allowance;
use super::super::block::Draft;
use super::super::superscripts::Script;
use pocketgraph_text::table;
use std::collections::HashMap;
use std::ops::Range;

/// Reads the text at `range` of `source` into `draft`; `block` is the number of the block that it will be.
pub(super) fn read_inline<'s>(
    source: &'s str,
    range: Range<usize>,
    (attributes, allowance): (&HashMap<&'s str, &'s str>, &Allowance),
    draft: &mut Draft,
    links: &mut Vec<Link>,
    block: usize,
) {
    let Some(text) = source.get(range.clone()) else { return };
    let mut reader =
        Inline { text, base: range.start, attributes, allowance, draft, links, block, unclosed: Vec::new() };
    reader.read(0..text.len(), 0);
}

/// Emphasis inside emphasis that is read as such.
const DEEPEST: usize = 6;

/// Names and addresses are no longer than this.
const LONGEST: usize = 1000;

/// Characters with which marks can begin.
const MARKS: [char; 14] = ['*', '_', '`', '#', '+', '<', '{', '\\', ':', '[', '"', '\'', '^', '~'];

/// Macros whose text is shown, and which have nothing else.
const SHOWN: [&str; 8] = ["kbd", "btn", "menu", "footnote", "stem", "latexmath", "asciimath", "indexterm2"];

struct Inline<'a, 's> {
    text: &'s str,
    /// Byte of the source at which `text` starts.
    base: usize,
    attributes: &'a HashMap<&'s str, &'s str>,
    /// Limit of the text that attributes may still add to the file.
    allowance: &'a Allowance,
    draft: &'a mut Draft,
    links: &'a mut Vec<Link>,
    block: usize,
    /// Closing marks that do not come any more before the end of what is read: looked for once.
    unclosed: Vec<&'static str>,
}

impl<'s> Inline<'_, 's> {
    fn read(&mut self, range: Range<usize>, depth: usize) {
        let (mut at, mut plain) = (range.start, range.start);
        while let Some(found) = self.text.get(at..range.end).and_then(|t| t.find(MARKS)) {
            let mark = at + found;
            match self.marked(mark, plain, range.end, depth) {
                Some(end) => {
                    plain = end;
                    at = end;
                }
                None => at = mark + 1,
            }
        }
        self.plain(plain..range.end);
    }

    /// Reads what stands between marks.
    fn inner(&mut self, range: Range<usize>, depth: usize) {
        if depth >= DEEPEST {
            return self.plain(range);
        }
        let outside = std::mem::take(&mut self.unclosed);
        self.read(range, depth + 1);
        self.unclosed = outside;
    }

    /// Reads what begins with the mark at `at`, after the plain text from `plain` on; where it ends, if it is
    /// marked text.
    fn marked(&mut self, at: usize, plain: usize, end: usize, depth: usize) -> Option<usize> {
        let rest = self.text.get(at..end)?;
        let before = self
            .text
            .get(plain..at)
            .and_then(|t| t.chars().next_back())
            .or_else(|| self.text.get(..at).and_then(|t| t.chars().next_back()));
        let inside = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        match rest.chars().next()? {
            '\\' => {
                // What is escaped stands as it is.
                let next = rest.get(1..)?.chars().next().filter(|c| c.is_ascii_punctuation())?;
                self.plain(plain..at);
                self.plain(at + 1..at + 1 + next.len_utf8());
                Some(at + 1 + next.len_utf8())
            }
            '+' if (rest == "+" || rest.starts_with("+\n") || rest.starts_with("+\r\n"))
                && before.is_some_and(char::is_whitespace) =>
            {
                // A line that ends here in the page, too.
                self.plain(plain..at);
                Some(at + 1)
            }
            // What is passed through as it is: HTML, of which the text is shown.
            '+' if rest.starts_with("+++") => {
                let close = 3 + rest.get(3..rest.floor_char_boundary(LONGEST))?.find("+++")?;
                self.plain(plain..at);
                let (mut from, to) = (at + 3, at + close);
                while from < to {
                    let piece = self.text.get(from..to).unwrap_or("");
                    let open = piece.find('<').unwrap_or(piece.len());
                    self.plain(from..from + open);
                    let tag = piece.get(open..).unwrap_or("");
                    from += open + tag.find('>').map_or(tag.len(), |c| c + 1).max(1);
                }
                Some(to + 3)
            }
            '<' if rest.starts_with("<<") => self.reference(at, plain, rest),
            '{' => {
                let close = near(rest, '}')?;
                let name = rest.get(1..close)?;
                if let Some(end) = self.attribute_link(at, plain, close) {
                    return Some(end);
                }
                let own = self.attributes.get(name).copied();
                let value = own
                    .or_else(|| character(name))
                    .filter(|v| own.is_none() || self.allowance.take(v.len()))?;
                self.plain(plain..at);
                self.draft.push(value, self.at(at..at + close + 1));
                Some(at + close + 1)
            }
            ':' => self.address_or_macro(at, plain, rest),
            '[' if rest.starts_with("[[") => {
                let close = rest.get(..rest.floor_char_boundary(LONGEST))?.find("]]")?;
                self.plain(plain..at);
                Some(at + close + 2)
            }
            mark @ ('^' | '~') => {
                let inner = rest.get(1..)?;
                let length = inner.find(mark).filter(|&n| n > 0 && n < 64)?;
                let text = inner.get(..length).filter(|t| !t.contains(char::is_whitespace))?;
                self.plain(plain..at);
                let script = if mark == '^' { Script::Above } else { Script::Below };
                let written = script.written(text, &self.draft.text);
                self.draft.push_script(&written, self.at(at + 1..at + 1 + length));
                Some(at + length + 2)
            }
            // The role of the marked text behind it.
            '[' => {
                let close =
                    near(rest, ']').filter(|&c| rest.get(1..c).is_some_and(|t| t.starts_with(['.', '#'])))?;
                let follows = rest.get(close + 1..).is_some_and(|t| t.starts_with(['#', '*', '_', '`']));
                follows.then(|| self.plain(plain..at))?;
                Some(at + close + 1)
            }
            // Quotation marks, which the page curves.
            quote @ ('"' | '\'') => {
                let inner = match quote {
                    '"' => self.closed(at, "\"`", "`\"", end)?,
                    _ => self.closed(at, "'`", "`'", end)?,
                };
                self.plain(plain..at + 1);
                self.inner(inner.clone(), depth);
                self.plain(inner.end + 1..inner.end + 2);
                Some(inner.end + 2)
            }
            _ => {
                for mark in ["**", "__", "``", "##", "++", "*", "_", "`", "#", "+"] {
                    let twice = mark.len() == 2;
                    if !rest.starts_with(mark) || !twice && inside {
                        continue;
                    }
                    let Some(inner) = self.closed(at, mark, mark, end) else { continue };
                    self.plain(plain..at);
                    let literal = mark.starts_with('+')
                        || mark.starts_with('`')
                            && self.text.get(inner.clone()).is_some_and(|t| t.starts_with('+'));
                    if literal {
                        let pluses = usize::from(
                            mark.starts_with('`')
                                && self
                                    .text
                                    .get(inner.clone())
                                    .is_some_and(|t| t.len() > 1 && t.ends_with('+')),
                        );
                        self.plain(inner.start + pluses..inner.end - pluses);
                    } else {
                        self.inner(inner.clone(), depth);
                    }
                    return Some(inner.end + mark.len());
                }
                None
            }
        }
    }

    /// `{site}/page[text]`: a link whose target begins with an attribute, known or not, is shown as its text.
    fn attribute_link(&mut self, at: usize, plain: usize, close: usize) -> Option<usize> {
        let name = self
            .text
            .get(at + 1..at + close)
            .filter(|n| n.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')))?;
        let value = self.attributes.get(name).copied();
        if value.is_none() && character(name).is_some()
            || value.is_some_and(|v| !v.contains("://") && !v.starts_with(['/', '{', '.']))
        {
            return None;
        }
        let after = self.text.get(at + close + 1..)?;
        let after = after.get(..after.floor_char_boundary(LONGEST))?;
        let length = after
            .find(|c: char| c.is_whitespace() || matches!(c, '[' | '<' | '`' | '*'))
            .unwrap_or(after.len());
        let path = after.get(..length)?;
        let bracket = near(after.get(length..)?.strip_prefix('[')?, ']')?;
        let start = at + close + 1 + length + 1;
        let shown = self.text.get(start..start + bracket)?.split(",role=").next()?.trim_end_matches('^');
        self.plain(plain..at);
        let from = self.draft.text.len();
        if !shown.trim().is_empty() {
            self.inner(start..start + shown.len(), DEEPEST - 1);
        }
        if let Some(value) = value {
            self.link(&format!("{value}{path}"), from);
        }
        Some(start + bracket + 1)
    }

    /// Returns the bytes between an opening mark at `at` and a closing one. Single marks close at the end of
    /// a word.
    fn closed(&mut self, at: usize, open: &str, close: &'static str, end: usize) -> Option<Range<usize>> {
        let start = at + open.len();
        let text = self.text.get(start..end).filter(|t| {
            self.text.get(at..end).is_some_and(|r| r.starts_with(open)) && !t.starts_with(char::is_whitespace)
        })?;
        if self.unclosed.contains(&close) {
            return None;
        }
        let mut from = 0;
        while let Some(found) = text.get(from..).and_then(|t| t.find(close)) {
            let stop = from + found;
            let after = text.get(stop + close.len()..).and_then(|t| t.chars().next());
            let word = close.len() == 1 && after.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let spaced =
                close.len() == 1 && text.get(..stop).is_some_and(|t| t.ends_with(char::is_whitespace));
            if stop > 0 && !word && !spaced {
                return Some(start..start + stop);
            }
            from = stop + 1;
        }
        self.unclosed.push(close);
        None
    }

    /// `<<id>>`, `<<page.adoc#id,text>>`.
    fn reference(&mut self, at: usize, plain: usize, rest: &'s str) -> Option<usize> {
        let close = rest.get(..rest.floor_char_boundary(LONGEST)).and_then(|t| t.find(">>"))?;
        let inner = rest.get(2..close)?;
        let (target, text) = inner.split_once(',').map_or((inner, None), |(t, x)| (t, Some(x)));
        let target = target.trim();
        self.plain(plain..at);
        let from = self.draft.text.len();
        // Without a text it is shown under the title of what it leads to; its id has the words of it.
        match text {
            Some(text) => {
                let start = at + close - text.len();
                self.plain(start + (text.len() - text.trim_start().len())..start + text.trim_end().len());
            }
            None => self.draft.push(&spell_target(target), self.at(at + 2..at + close)),
        }
        let target = if target.contains(['#', '.']) { target.to_owned() } else { format!("#{target}") };
        self.link(&target, from);
        Some(at + close + 2)
    }

    /// `https://…[text]`, `link:…[text]`, `xref:…[text]`, `image:…[text]`, `kbd:[text]`: the mark is the
    /// colon.
    fn address_or_macro(&mut self, at: usize, plain: usize, rest: &'s str) -> Option<usize> {
        let before = self.text.get(plain..at)?;
        let letters = before.bytes().rev().take(12).take_while(|b| b.is_ascii_alphanumeric()).count();
        let name = before.get(before.len() - letters..).filter(|n| !n.is_empty())?;
        // Notes follow their word directly.
        let name = if name.ends_with("footnote") { "footnote" } else { name };
        let start = at - name.len();
        let after = rest.get(1..rest.floor_char_boundary(2 * LONGEST))?;
        let length = after.find(|c: char| c.is_whitespace() || c == '[' || c == '<').unwrap_or(after.len());
        let target = after.get(..length)?;
        let bracket =
            after.get(length..)?.starts_with('[').then(|| near(after.get(length..)?, ']')).flatten();
        let address = matches!(name, "http" | "https" | "ftp" | "irc") && target.starts_with("//");
        // Sites have macros of their own, whose target or text is what they show.
        let own = !target.is_empty() && name.len() > 2 && name.bytes().all(|b| b.is_ascii_lowercase());
        if !(address || bracket.is_some() && (own || SHOWN.contains(&name) || name == "pass")) {
            return None;
        }
        self.plain(plain..start);
        let from = self.draft.text.len();
        // Bare addresses end before the punctuation of their sentence.
        let Some(close) = bracket else {
            let target = target.trim_end_matches(['.', ',', ';', ':', ')', '!', '?', '>']);
            let end = at + 1 + target.len();
            self.plain(start..end);
            let address = self.text.get(start..end)?.to_owned();
            self.link(&address, from);
            return Some(end);
        };
        let opening = at + 1 + length;
        let inner = self.text.get(opening + 1..opening + close)?;
        // Attributes follow the text.
        let shown = if name == "image" || inner.contains('=') {
            inner.split(',').next().unwrap_or("")
        } else {
            inner
        };
        let shown = shown.trim().trim_matches('"').trim_end_matches('^');
        let shown_at = opening + 1 + (shown.as_ptr() as usize - inner.as_ptr() as usize);
        let whole = if address { self.text.get(start..opening)? } else { target };
        match (shown.is_empty() || shown.contains('='), name) {
            (false, "footnote") => {
                self.draft.push(" (", self.at(opening..opening + 1));
                self.plain(shown_at..shown_at + shown.len());
                self.draft.push(")", self.at(opening + close..opening + close + 1));
            }
            (false, _) => self.plain(shown_at..shown_at + shown.len()),
            (true, "image" | "icon") => {}
            (true, "xref") => self.draft.push(&spell_target(target), self.at(at + 1..opening)),
            (true, _) if address => self.plain(start..opening),
            (true, _) => self.plain(at + 1..opening),
        }
        match name {
            "xref" if !target.contains(['#', '.']) => self.link(&format!("#{target}"), from),
            "link" | "xref" | "mailto" => self.link(whole, from),
            _ if address => self.link(whole, from),
            _ => {}
        }
        Some(opening + close + 1)
    }

    fn link(&mut self, target: &str, from: usize) {
        let text = self.draft.text.get(from..).unwrap_or("").trim().to_owned();
        if !target.trim().is_empty() {
            self.links.push(Link { target: target.trim().to_owned(), text, block: self.block });
        }
    }

    fn at(&self, range: Range<usize>) -> Range<usize> {
        self.base + range.start..self.base + range.end
    }

    /// Text without marks, its lines joined by spaces.
    fn plain(&mut self, range: Range<usize>) {
        if let Some(text) = self.text.get(range.clone()) {
            super::super::lines::append_flow(text, self.base + range.start, self.draft);
        }
    }
}

/// The words of an id or a page's name: `_getting_started` is shown as "getting started".
fn spell_target(target: &str) -> String {
    let name = target.rsplit(['#', '/']).find(|t| !t.is_empty()).unwrap_or(target);
    let name = name.strip_suffix(".adoc").unwrap_or(name);
    name.split(['_', '-']).filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Attributes that are always there, for characters that would be marks.
fn character(name: &str) -> Option<&'static str> {
    table!("asciidoc_characters.tsv").row(name).map(|row| row.field(0))
}

/// Returns the byte of a character among the first [`LONGEST`] bytes of a text.
fn near(text: &str, wanted: char) -> Option<usize> {
    text.get(..text.floor_char_boundary(LONGEST)).and_then(|t| t.find(wanted))
}
