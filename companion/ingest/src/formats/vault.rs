//! Notes of vaults to Markdown: what Obsidian, Logseq and Foam write in ways of their own.
//!
//! Links between notes become links of Markdown; comments, the ids of blocks and the marks of highlights go;
//! embedded files are not shown, embedded notes are named. Tags are collected. Code stays as it is.

use super::markdown_fence::{Fence, run};
use super::markdown_indented::Moved;
use super::slug::{HeadingIds, Slugs};
use super::{Block, BlockKind, Link};
use std::collections::HashSet;
use std::ops::Range;

/// Links and tags longer than this are text.
const LONGEST: usize = 500;
/// Tags of one note at most.
const MOST_TAGS: usize = 64;

pub(crate) struct Note {
    pub text: String,
    pub origin: Moved,
    /// The tags in its text, each once.
    pub tags: Vec<String>,
}

/// Reads the text of a note; `ids` is how its publisher names headings.
pub(crate) fn convert_note(source: &str, ids: HeadingIds) -> Note {
    let mut reader = Reader {
        source,
        ids,
        out: Note { text: String::new(), origin: Moved::default(), tags: Vec::new() },
        last_comment: source.rfind("%%"),
    };
    reader.read();
    reader.out
}

struct Reader<'s> {
    source: &'s str,
    ids: HeadingIds,
    out: Note,
    /// Place of the last mark of a comment.
    last_comment: Option<usize>,
}

impl<'s> Reader<'s> {
    fn read(&mut self) {
        let mut fence = Fence::default();
        let mut at = 0;
        while let Some(line) = self.source.get(at..).and_then(|rest| rest.split_inclusive('\n').next()) {
            let inside = fence.is_open();
            if fence.takes(line.trim_matches(|c: char| c.is_whitespace() || c == '>')) || inside {
                self.copy(at..at + line.len());
                at += line.len();
            } else if is_bookkeeping(line) {
                self.write("\n", at);
                at += line.len();
            } else {
                at = self.line(at, at + line.len());
            }
        }
    }

    /// Reads a line outside code; where the next one begins.
    fn line(&mut self, start: usize, end: usize) -> usize {
        let (mut at, mut plain) = (start, start);
        while let Some(found) =
            self.source.get(at..end).and_then(|t| t.find(['`', '%', '!', '[', '=', '^', '#', '(']))
        {
            let mark = at + found;
            let rest = self.source.get(mark..end).unwrap_or("");
            if rest.starts_with('`') {
                at = mark + code_length(rest);
                continue;
            }
            if rest.starts_with("%%") {
                // A comment may end on another line.
                let Some(close) = self.comment_end(mark) else { break };
                self.copy(plain..mark);
                if close > end {
                    self.write("\n\n", mark);
                    return close;
                }
                (at, plain) = (close, close);
                continue;
            }
            match self.marked(rest, mark, plain) {
                Some(length) => (at, plain) = (mark + length, mark + length),
                None => at = mark + rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        self.copy(plain..end);
        end
    }

    fn comment_end(&self, mark: usize) -> Option<usize> {
        self.last_comment.filter(|&last| last >= mark + 2)?;
        self.source.get(mark + 2..)?.find("%%").map(|found| mark + 4 + found)
    }

    /// Reads what begins with a mark at `mark`, behind plain text from `plain` on; returns its length if it
    /// is marked.
    fn marked(&mut self, rest: &'s str, mark: usize, plain: usize) -> Option<usize> {
        let before = self.source.get(..mark).and_then(|t| t.chars().next_back());
        let apart = before.is_none_or(char::is_whitespace);
        let embedded = usize::from(rest.starts_with("![["));
        if embedded > 0 || rest.starts_with("[[") {
            let inner = rest.get(embedded + 2..)?;
            let length = inner
                .get(..inner.floor_char_boundary(LONGEST))?
                .find("]]")
                .filter(|_| !inner.starts_with('['))?;
            self.copy(plain..mark);
            self.link(mark + embedded + 2..mark + embedded + 2 + length, embedded > 0);
            return Some(embedded + length + 4);
        }
        let near = rest.get(..rest.floor_char_boundary(LONGEST))?;
        if let Some((alt, _)) = near.strip_prefix("![").and_then(|r| r.split_once("](")) {
            // The size at which an image is shown is none of its text.
            let name = alt.rsplit_once('|').unwrap_or_default().0;
            let size = alt.get(name.len()..)?.trim_start_matches('|');
            let sized = !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit() || b == b'x');
            sized.then(|| self.copy(plain..mark + 2 + name.len()))?;
            return Some(2 + alt.len());
        }
        if rest.starts_with("==") && run(rest, b'=') == 2 && !rest.get(2..)?.starts_with(char::is_whitespace)
        {
            let length = rest.get(2..)?.find("==").filter(|&l| l > 0)?;
            self.copy(plain..mark);
            self.copy(mark + 2..mark + 2 + length);
            return Some(length + 4);
        }
        if rest.starts_with('^') && apart {
            let id = rest.trim_end();
            let named = id.len() > 1 && id.bytes().skip(1).all(|b| b.is_ascii_alphanumeric() || b == b'-');
            named.then(|| self.copy(plain..mark))?;
            return Some(id.len());
        }
        // A reference to a block by its number, in Logseq.
        if rest.starts_with("((") {
            let length = rest
                .find("))")
                .filter(|&l| l == 38 && rest.get(2..l).is_some_and(|id| id.matches('-').count() == 4))?;
            self.copy(plain..mark);
            return Some(length + 2);
        }
        if rest.starts_with('#') && apart {
            self.tag(rest.get(1..)?);
        }
        None
    }

    fn tag(&mut self, rest: &str) {
        let name = match rest.strip_prefix("[[").and_then(|r| r.split_once("]]")) {
            Some((name, _)) => name,
            None => rest
                .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '/')))
                .next()
                .unwrap_or("")
                .trim_end_matches('/'),
        };
        let named = name.chars().any(char::is_alphabetic) && name.len() < LONGEST;
        if named && self.out.tags.len() < MOST_TAGS && !self.out.tags.iter().any(|t| t == name) {
            self.out.tags.push(name.to_owned());
        }
    }

    /// Writes the link whose target and text stand at `range`.
    fn link(&mut self, range: Range<usize>, embedded: bool) {
        let inner = self.source.get(range.clone()).unwrap_or("");
        let (target, shown) = inner
            .split_once('|')
            .map_or((inner, None), |(t, s)| (t.strip_suffix('\\').unwrap_or(t), Some(s)));
        let (page, heading) =
            target.split_once('#').map_or((target.trim(), ""), |(p, h)| (p.trim(), h.trim()));
        if embedded && is_file(page) {
            // What follows may be a full stop.
            let before = self.out.text.trim_end_matches(' ');
            self.out.text.truncate(if before.ends_with(char::is_alphanumeric) {
                before.len()
            } else {
                self.out.text.len()
            });
            return;
        }
        let heading = heading.rsplit('#').next().unwrap_or("");
        let block = heading.strip_prefix('^');
        self.write("[", range.start);
        match shown.filter(|s| !embedded && !s.trim().is_empty()) {
            Some(shown) => self.copy(range.end - shown.len()..range.end),
            None => {
                let name = page.rsplit('/').next().unwrap_or(page);
                let heading = if block.is_some() { "" } else { heading };
                let parted = if name.is_empty() || heading.is_empty() { "" } else { " > " };
                self.write(&escape_markdown(&format!("{name}{parted}{heading}")), range.start);
            }
        }
        self.write(&format!("]({})", address(page, heading, self.ids)), range.end);
    }

    fn copy(&mut self, range: Range<usize>) {
        if let Some(text) = self.source.get(range.clone()).filter(|t| !t.is_empty()) {
            self.write(text, range.start);
        }
    }

    fn write(&mut self, text: &str, at: usize) {
        self.out.origin.step(self.out.text.len(), at);
        self.out.text.push_str(text);
    }
}

/// Returns the place of a note's heading as a target of Markdown, from the vault's root, where notes are
/// known by the ends of their paths.
fn address(page: &str, heading: &str, ids: HeadingIds) -> String {
    let page = page.replace(['<', '>', '\n'], "");
    let fragment = if heading.starts_with('^') || heading.is_empty() {
        None
    } else {
        Slugs::new(ids).of_heading(heading)
    };
    let root = if page.is_empty() { "" } else { "/" };
    format!("<{root}{page}{}>", fragment.map(|f| format!("#{f}")).unwrap_or_default())
}

/// Text that Markdown shows as it is.
fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Returns the length of the code that a text begins with; that of its mark where it is not closed.
fn code_length(text: &str) -> usize {
    let mark = run(text, b'`');
    let (ticks, rest) = text.split_at(mark);
    rest.find(ticks).map_or(mark, |close| mark + close + mark)
}

/// Returns `true` if an embedded file is none of the notes.
fn is_file(page: &str) -> bool {
    page.rsplit_once('.').is_some_and(|(_, e)| {
        (1..=5).contains(&e.len()) && e != "md" && e.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// Lines that Logseq keeps for itself.
fn is_bookkeeping(line: &str) -> bool {
    ["id:: ", "collapsed:: ", "background-color:: "]
        .iter()
        .any(|key| line.trim_start_matches([' ', '\t', '-']).starts_with(key))
}

/// Content of the properties of a note.
#[derive(Default)]
pub(crate) struct Properties {
    /// Fields as the rest of the program knows them: other names as `alias`, facts of the note as
    /// `property:NAME`.
    pub fields: Vec<(String, String)>,
    /// A text with the note's other names, by which it is found.
    pub names: Option<Block>,
    pub links: Vec<Link>,
}

/// Fields that are about how a note is shown or kept.
const UNSTATED: &str = "title tags tag cssclass cssclasses publish draft permalink description lang language \
    date created updated modified id image cover";

/// Reads the properties of a note and the `tags` of its text.
pub(crate) fn properties(
    source: &str,
    title: &str,
    fields: Vec<(String, String)>,
    tags: Vec<String>,
) -> Properties {
    let mut out = Properties::default();
    let mut names: Vec<String> = Vec::new();
    for (key, value) in fields {
        if matches!(key.as_str(), "alias" | "aliases") {
            names.extend(value.split(',').map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()));
            continue;
        }
        let inner = value.trim().strip_prefix("[[").and_then(|v| v.strip_suffix("]]"));
        if let Some((page, shown)) = inner.map(|v| v.split_once('|').unwrap_or((v, v))) {
            let (page, heading) = page.split_once('#').unwrap_or((page, ""));
            let target = address(page.trim(), heading, HeadingIds::GitHub);
            out.links.push(Link {
                target: target.trim_matches(['<', '>']).to_owned(),
                text: shown.to_owned(),
                block: 0,
            });
            out.fields
                .push((format!("property:{key}"), shown.rsplit('/').next().unwrap_or(shown).to_owned()));
        } else if !UNSTATED.split(' ').any(|name| key.eq_ignore_ascii_case(name)) && !key.contains('.') {
            out.fields.push((format!("property:{key}"), value.clone()));
        }
        out.fields.push((key, value));
    }
    // Names that Obsidian keeps of where a note was are paths.
    let mut seen = HashSet::from([title.to_owned()]);
    let last = |name: &String| name.rsplit('/').next().unwrap_or(name).to_owned();
    let shown: Vec<String> = names.iter().map(last).filter(|n| seen.insert(n.clone())).collect();
    if let Some(first) = shown.first() {
        let start =
            source.find(first.as_str()).map_or(0, |at| source.get(..at).unwrap_or("").chars().count());
        let text = format!("Also known as: {}.", shown.join(", "));
        let block = Block::verbatim(BlockKind::Paragraph, text, u32::try_from(start).unwrap_or(0));
        let end = u32::try_from(source.chars().count()).unwrap_or(u32::MAX).min(block.end);
        out.names = Some(Block { end, ..block });
    }
    out.fields.extend(names.into_iter().map(|n| ("alias".to_owned(), n)));
    for tag in tags {
        if !out.fields.iter().any(|(key, value)| key == "tags" && *value == tag) {
            out.fields.push(("tags".to_owned(), tag));
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn shown(source: &str) -> String {
        convert_note(source, HeadingIds::GitHub).text
    }

    #[test]
    fn links_between_notes_are_links_of_markdown() {
        for (source, expected) in [
            ("See [[Mill pond|the pond]].", "See [the pond](</Mill pond>)."),
            ("See [[a/Mill pond#The sluice]].", "See [Mill pond \\> The sluice](</a/Mill pond#the-sluice>)."),
            ("Below: [[#The sluice]]", "Below: [The sluice](<#the-sluice>)"),
            ("[[Mill pond#^lines]]", "[Mill pond](</Mill pond>)"),
            ("| a | [[Mill pond\\|pond]] |", "| a | [pond](</Mill pond>) |"),
            ("![[Mill pond]] ![[map.png|300]]", "[Mill pond](</Mill pond>) "),
            ("Press Zoom ![[zoom.svg#icon]].", "Press Zoom."),
            ("![250](a.png) ![Pond|30x20](b.png) ![Pond](c.png)", "![](a.png) ![Pond](b.png) ![Pond](c.png)"),
        ] {
            assert_eq!(shown(source), expected);
        }
    }

    #[test]
    fn comments_marks_and_ids_go_and_code_stays() {
        assert_eq!(shown("a %%no%%b ==c== d. ^id\n"), "a b c d. \n");
        assert_eq!(shown("a\n%%\nno\n%%\nb\n"), "a\n\n\n\nb\n");
        let code = "`[[a]]` and `%%`\n```\n==x== [[b]] ^id\n```\n50 % and x^2 == y\n";
        assert_eq!(shown(code), code);
        assert_eq!(shown("%% open\ntext"), "%% open\ntext");
    }

    #[test]
    fn other_names_are_shown_without_folders_and_once() {
        let fields = vec![("aliases".to_owned(), "Old/Pond, pond, Mill/Pond, Mill pond".to_owned())];
        let names = properties("", "Mill pond", fields, Vec::new());
        assert_eq!(names.names.unwrap().text, "Also known as: Pond, pond.");
        assert_eq!(names.fields.len(), 4);
    }

    #[test]
    fn tags_are_collected_once_and_numbers_and_headings_are_none() {
        assert_eq!(
            convert_note("# Title\n#water/mill and #water/mill #12 a#b\n", HeadingIds::GitHub).tags,
            ["water/mill"]
        );
    }

    #[test]
    fn places_are_those_of_the_note() {
        let source = "See [[Mill pond|the pond]] there.";
        let note = convert_note(source, HeadingIds::GitHub);
        let at = note.text.find("there").unwrap_or(0);
        assert_eq!(note.origin.source_of(at), source.find("there").unwrap_or(0));
    }
}
