//! AsciiDoc to blocks, as Asciidoctor publishes it.
//!
//! Nothing in a file is an error: what is not understood is read as text. Other files are not brought in, and of conditions both sides are read.

mod inline;
mod table;
#[cfg(test)]
mod tests;

use super::Link;
use super::address;
use super::block::{Block, BlockKind, CharIndex, Draft};
use super::lines::{Line, lines};
use inline::inline;
use std::collections::HashMap;
use std::ops::Range;

/// Blocks inside blocks that are read as such; deeper ones are text.
const DEEPEST: usize = 16;

/// What a file says.
pub(super) struct Page {
    pub blocks: Vec<Block>,
    pub links: Vec<Link>,
    /// Author and attributes of its header.
    pub fields: Vec<(String, String)>,
}

/// Reads a file.
pub(super) fn read(source: &str) -> Page {
    let index = CharIndex::new(source);
    let lines = lines(source, 0);
    let mut reader = Reader {
        source,
        index: &index,
        attributes: HashMap::new(),
        blocks: Vec::new(),
        links: Vec::new(),
        fields: Vec::new(),
        ids: HashMap::new(),
    };
    let body = reader.header(&lines);
    reader.body(lines.get(body..).unwrap_or(&[]), BlockKind::Paragraph, 0);
    Page { blocks: reader.blocks, links: reader.links, fields: reader.fields }
}

/// What stands above a block and is about it.
#[derive(Default)]
struct About<'s> {
    id: Option<&'s str>,
    style: &'s str,
    attributes: &'s str,
}

struct Reader<'i, 's> {
    source: &'s str,
    index: &'i CharIndex<'s>,
    attributes: HashMap<&'s str, &'s str>,
    blocks: Vec<Block>,
    links: Vec<Link>,
    fields: Vec<(String, String)>,
    /// Ids given to titles, and how often.
    ids: HashMap<String, usize>,
}

impl<'s> Reader<'_, 's> {
    /// Reads the title, the author and the attributes at the top; how many lines they take.
    fn header(&mut self, lines: &[Line<'s>]) -> usize {
        let mut at = lines.iter().position(|l| !l.is_blank() && !is_comment(l) && attribute(l).is_none()).unwrap_or(0);
        for line in lines.get(..at).unwrap_or(&[]) {
            self.set(line);
        }
        let Some(first) = lines.get(at).filter(|l| matches!(title(l), Some((1, _)))) else { return at };
        let mut about = About::default();
        if let Some(above) = at.checked_sub(1).and_then(|i| lines.get(i)) {
            about.id = anchor(above.text);
        }
        self.heading(first, &about);
        at += 1;
        let mut named = false;
        while let Some(line) = lines.get(at).filter(|l| !l.is_blank()) {
            if attribute(line).is_some() {
                self.set(line);
            } else if !is_comment(line) && !named {
                named = true;
                // Names, each with an address behind it.
                for author in line.text.split(';').map(|a| a.split('<').next().unwrap_or(a).trim()).filter(|a| !a.is_empty()) {
                    self.fields.push(("author".to_owned(), author.to_owned()));
                }
            }
            at += 1;
        }
        at
    }

    fn set(&mut self, line: &Line<'s>) {
        let Some((name, value)) = attribute(line) else { return };
        self.attributes.insert(name, value);
        if matches!(name, "author" | "authors" | "keywords" | "description" | "revdate" | "date") && !value.is_empty() {
            let name = if name == "revdate" { "date" } else { name };
            self.fields.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Reads lines of one block's content; `kind` is what running text in it is.
    fn body(&mut self, lines: &[Line<'s>], kind: BlockKind, depth: usize) {
        let mut about = About::default();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            if line.is_blank() || is_comment(line) || line.text == "+" {
                at += 1;
            } else if attribute(line).is_some() {
                self.set(line);
                at += 1;
            } else if let Some(id) = anchor(line.text) {
                about.id = Some(id);
                at += 1;
            } else if let Some(inner) = line.text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).filter(|_| line.indent == 0) {
                style(inner, &mut about);
                at += 1;
            } else {
                at += self.element(lines.get(at..).unwrap_or(&[]), &about, kind, depth).max(1);
                about = About::default();
            }
        }
    }

    /// What begins at the first of `lines`; how many lines it takes.
    fn element(&mut self, lines: &[Line<'s>], about: &About<'s>, kind: BlockKind, depth: usize) -> usize {
        let Some(line) = lines.first() else { return 1 };
        if title(line).is_some() && depth == 0 {
            self.heading(line, about);
            return 1;
        }
        if let Some(mark) = delimiter(line.text) {
            // A fence may name a language where it opens.
            let closing = if line.text.starts_with('`') { "```" } else { line.text };
            let inner = lines.iter().skip(1).position(|l| l.text == closing).unwrap_or(lines.len() - 1);
            self.delimited(mark, lines.get(1..=inner).unwrap_or(&[]), about, kind, depth);
            return inner + 2;
        }
        if let Some(rest) = block_macro(line.text) {
            if let Some(described) = rest {
                let start = line.start + (described.as_ptr() as usize - line.text.as_ptr() as usize);
                self.text(start..start + described.len(), kind);
            }
            return 1;
        }
        // The title of a block.
        if let Some(titled) = line.text.strip_prefix('.').filter(|t| !t.starts_with(['.', ' ', '\t']) && !t.is_empty()) {
            self.text(line.end() - titled.len()..line.end(), kind);
            return 1;
        }
        if matches!(line.text, "'''" | "<<<" | "---" | "***") {
            return 1;
        }
        if let Some((term, behind)) = term(line.text) {
            self.text(line.start..line.start + term, BlockKind::Term);
            return self.item(line.behind(behind), lines, kind);
        }
        if let Some(marker) = list_marker(line.text) {
            return self.item(line.behind(marker), lines, kind);
        }
        if line.indent > 0 && about.style.is_empty() && kind == BlockKind::Paragraph {
            let length = lines.iter().position(Line::is_blank).unwrap_or(lines.len());
            self.code(lines.get(..length).unwrap_or(&[]));
            return length;
        }
        let length = 1 + lines.iter().skip(1).position(|l| l.is_blank() || ends_paragraph(l)).unwrap_or(lines.len() - 1);
        let text = lines.get(..length).unwrap_or(&[]);
        match about.style {
            "source" | "listing" | "literal" => self.code(text),
            "quote" | "verse" => self.running(text, BlockKind::Quote),
            "stem" | "latexmath" | "asciimath" => self.code(text),
            "pass" | "comment" => {}
            _ => self.running(text, kind),
        }
        length
    }

    /// An item of a list, whose text begins with `first` and goes on below; how many lines it takes.
    fn item(&mut self, first: Line<'s>, lines: &[Line<'s>], kind: BlockKind) -> usize {
        let kind = if kind == BlockKind::Quote { kind } else { BlockKind::ListItem };
        let mut skipped = 1;
        // What is said of a term may begin below it.
        if first.is_blank() {
            skipped += lines.iter().skip(1).take_while(|l| l.is_blank()).count();
        }
        let ends =
            |l: &Line<'s>| l.is_blank() || ends_paragraph(l) || list_marker(l.text).is_some() || term(l.text).is_some() || l.text == "+";
        let below = lines.get(skipped..).unwrap_or(&[]);
        let more = below.iter().position(ends).unwrap_or(below.len());
        if first.is_blank() && more == 0 {
            return 1;
        }
        let mut text = vec![checked(first)];
        text.extend_from_slice(below.get(..more).unwrap_or(&[]));
        self.running(&text, kind);
        skipped + more
    }

    fn delimited(&mut self, mark: Mark, lines: &[Line<'s>], about: &About<'s>, kind: BlockKind, depth: usize) {
        match mark {
            Mark::Code => self.code(lines),
            Mark::Hidden => {}
            Mark::Table if about.attributes.contains("format=") => self.code(lines),
            Mark::Table => self.table(&table::rows(lines, about.attributes)),
            // What is marked as code may stand in an open block.
            Mark::Text if matches!(about.style, "source" | "listing" | "literal") => self.code(lines),
            Mark::Text | Mark::Quote if depth >= DEEPEST => self.running(lines, kind),
            Mark::Text => self.body(lines, kind, depth + 1),
            Mark::Quote => self.body(lines, BlockKind::Quote, depth + 1),
        }
    }

    fn heading(&mut self, line: &Line<'s>, about: &About<'s>) {
        let Some((level, text)) = title(line) else { return };
        let start = line.end() - text.len();
        let mut draft = Draft::new(BlockKind::Heading(level));
        // An anchor may stand on the line as well.
        let own = text.strip_prefix("[[").and_then(|t| t.split_once("]]"));
        let skipped = own.map_or(0, |(id, _)| id.len() + 4);
        self.inline(start + skipped..line.end(), &mut draft);
        let given = about.id.or(own.map(|(id, _)| id));
        draft.fragment = match given {
            Some(id) => address::fragment(id.split(',').next().unwrap_or(id)),
            // The title of the page has an id only where it is given one.
            None if level == 1 => None,
            None => self.id(&draft.text),
        };
        self.finish(draft);
    }

    /// The id that Asciidoctor gives to a section.
    fn id(&mut self, title: &str) -> Option<String> {
        let prefix = self.attributes.get("idprefix").copied().unwrap_or("_");
        let separator = self.attributes.get("idseparator").copied().unwrap_or("_");
        let mut id = String::new();
        let mut parted = false;
        for c in title.chars().take(256) {
            if c.is_alphanumeric() || c == '_' && separator != "_" {
                if parted && !id.is_empty() {
                    id.push_str(separator);
                }
                parted = false;
                id.extend(c.to_lowercase());
            } else {
                parted |= c.is_whitespace() || matches!(c, '-' | '.' | '_');
            }
        }
        let id = format!("{prefix}{id}");
        let seen = self.ids.entry(id.clone()).or_insert(0);
        *seen += 1;
        let id = if *seen > 1 { format!("{id}{separator}{seen}") } else { id };
        address::fragment(&id)
    }

    fn table(&mut self, rows: &[Vec<Vec<Range<usize>>>]) {
        let mut draft = Draft::new(BlockKind::Table);
        for row in rows {
            draft.new_line();
            for (column, cell) in row.iter().enumerate() {
                if column > 0 {
                    draft.text.push_str(" | ");
                }
                for (i, part) in cell.iter().enumerate() {
                    if i > 0 {
                        draft.separate(" ");
                    }
                    self.inline(part.clone(), &mut draft);
                }
            }
        }
        self.finish(draft);
    }

    /// Text as it stands, without the indentation that all its lines have.
    fn code(&mut self, lines: &[Line<'s>]) {
        let mut draft = Draft::new(BlockKind::Code);
        super::lines::verbatim(lines, &mut draft);
        self.finish(draft);
    }

    /// Lines of running text, one after the other in the source or not.
    fn running(&mut self, lines: &[Line<'s>], kind: BlockKind) {
        let mut draft = Draft::new(kind);
        let together =
            lines.windows(2).all(|w| matches!(w, [a, b] if self.source.get(a.end()..b.start).is_some_and(|t| t.trim().is_empty())));
        match (lines.first(), lines.last()) {
            // Marks may begin on one line and end on another.
            (Some(first), Some(last)) if together => self.inline(first.start..last.end(), &mut draft),
            _ => {
                for line in lines {
                    draft.separate(" ");
                    self.inline(line.range(), &mut draft);
                }
            }
        }
        self.finish(draft);
    }

    fn text(&mut self, range: Range<usize>, kind: BlockKind) {
        let mut draft = Draft::new(kind);
        self.inline(range, &mut draft);
        self.finish(draft);
    }

    fn inline(&mut self, range: Range<usize>, draft: &mut Draft) {
        inline(self.source, range, &self.attributes, draft, &mut self.links, self.blocks.len());
    }

    fn finish(&mut self, draft: Draft) {
        self.blocks.extend(draft.finish(self.index));
    }
}

/// What a delimited block holds.
#[derive(Clone, Copy)]
enum Mark {
    Code,
    Text,
    Quote,
    Table,
    Hidden,
}

fn delimiter(text: &str) -> Option<Mark> {
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
        _ => return None,
    })
}

/// The level and text of a title.
fn title<'s>(line: &Line<'s>) -> Option<(u8, &'s str)> {
    let mark = line.text.chars().next().filter(|c| matches!(c, '=' | '#') && line.indent == 0)?;
    let text = line.text.trim_start_matches(mark);
    let level = line.text.len() - text.len();
    (level <= 6 && text.starts_with([' ', '\t'])).then(|| (level as u8, text.trim_start()))
}

/// `:name: value`.
fn attribute<'s>(line: &Line<'s>) -> Option<(&'s str, &'s str)> {
    let (name, value) = line.text.strip_prefix(':')?.split_once(':').filter(|_| line.indent == 0)?;
    let named = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'!'));
    (named && (value.is_empty() || value.starts_with(' '))).then(|| (name, value.trim()))
}

fn is_comment(line: &Line<'_>) -> bool {
    line.text.starts_with("//") && !line.text.starts_with("///")
}

/// `[[id]]` or `[#id]` on a line of its own.
fn anchor(text: &str) -> Option<&str> {
    let double = text.strip_prefix("[[").and_then(|t| t.strip_suffix("]]"));
    let single = || text.strip_prefix("[#").and_then(|t| t.strip_suffix(']')).and_then(|t| t.split([',', '.', '%']).next());
    double.or_else(single).filter(|id| !id.is_empty() && !id.contains(['[', ']']))
}

/// `source,rust`, `quote, Somebody`, `cols="1,2"`, `id=here`.
fn style<'s>(inner: &'s str, about: &mut About<'s>) {
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

/// Macros that take a line: `Some(None)` for those that show nothing, `Some(Some(text))` for a picture with a description.
fn block_macro(text: &str) -> Option<Option<&str>> {
    let (name, rest) = text.split_once("::").filter(|(n, _)| n.len() < 20)?;
    let inner = rest.split_once('[').filter(|_| rest.ends_with(']')).map(|(_, t)| &t[..t.len() - 1])?;
    match name {
        "include" | "ifdef" | "ifndef" | "endif" | "ifeval" | "toc" | "video" | "audio" => Some(None),
        "image" => {
            let described = inner.split(',').next().map(str::trim).filter(|t| !t.is_empty() && !t.contains('='));
            Some(described.map(|t| t.trim_matches('"')))
        }
        // Of macros of a site's own nothing is known.
        _ if name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') && !rest.contains(' ') => Some(None),
        _ => None,
    }
}

/// How many bytes the term of a list of definitions takes, and how many with its mark.
fn term(text: &str) -> Option<(usize, usize)> {
    let marks = ["::::", ":::", "::", ";;"];
    let found = marks.iter().filter_map(|mark| {
        let end = text.find(mark)?;
        let behind = end + mark.len();
        let after = text.get(behind..)?;
        ((after.is_empty() || after.starts_with(' ')) && end > 0 && end < 200).then_some((end, behind))
    });
    found.min()
}

/// How many bytes the marker of a list's item takes.
fn list_marker(text: &str) -> Option<usize> {
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
                n < 5 && (text.get(1..n) == Some(".") || text.get(1..n).is_some_and(|t| t.bytes().all(|b| b.is_ascii_digit())))
            })?;
            behind(end + 1)
        }
        '0'..='9' => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            text.get(digits..)?.strip_prefix('.').and_then(|_| behind(digits + 1)).filter(|_| digits < 6)
        }
        'a'..='z' | 'A'..='Z' => text.get(1..)?.strip_prefix('.').and_then(|_| behind(2)).filter(|_| first.is_ascii_lowercase()),
        _ => None,
    }
}

/// Without the box of a list of things to do.
fn checked(line: Line<'_>) -> Line<'_> {
    if ["[x] ", "[*] ", "[ ] "].iter().any(|b| line.text.starts_with(b)) { line.behind(3) } else { line }
}

/// Whether running text ends before a line that is not blank.
fn ends_paragraph(line: &Line<'_>) -> bool {
    delimiter(line.text).is_some()
        || line.indent == 0 && line.text.starts_with('[') && line.text.ends_with(']') && !line.text.contains("](")
        || is_comment(line)
}
