//! AsciiDoc to blocks, as Asciidoctor publishes it.
//!
//! Nothing in a file is an error: what is not understood is read as text. Other files are not brought in, and
//! of conditions both sides are read.

mod inline;
mod marks;
mod table;
/// Spellings of the attribute that takes the ids from sections without ids of their own.
const NO_IDS: [&str; 2] = ["!sectids", "sectids!"];

/// A text without references to characters such as `&amp;` and `&#167;`.
fn without_references(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(rest.get(..at).unwrap_or(""));
        rest = rest.get(at + 1..).unwrap_or("");
        let name = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'#').take(10).count();
        match rest.get(name..).and_then(|r| r.strip_prefix(';')).filter(|_| name > 1) {
            Some(behind) => rest = behind,
            None => out.push('&'),
        }
    }
    out + rest
}
#[cfg(test)]
mod tests;

use super::allowance::Allowance;
use super::block::{BlockKind, CharIndex, Draft};
use super::includes::{self, Includer};
use super::lines::{Line, split_lines};
use super::list_numbers::{Lists, Numerals};
use super::marked::{self, BlockReader, Page};
use super::{Format, FoundFile, Outcome, ReadDocument, ReadMethod, Reading, address, stopwatch};
use inline::read_inline;
use marks::{
    Mark, anchor, attribute, block_macro, delimiter, ends_paragraph, is_comment, list_marker, strip_checkbox,
    style, term, title,
};
use std::collections::HashMap;
use std::ops::Range;

pub(super) const FORMAT: Format = Format::new("adoc", &["adoc", "asciidoc"], ReadMethod::Text(read_page));

fn read_page(
    source: &str,
    found: &FoundFile,
    reading: &Reading<'_>,
    includer: &Includer<'_>,
    _: &mut Outcome,
) -> ReadDocument {
    let page = read_asciidoc(&includes::asciidoc(source, &found.path, includer), &reading.site.attributes);
    marked::finish_page(page, "adoc", found, reading)
}

/// Maximum number of bytes of the prefix and of the separator that a file sets for the ids of its titles.
const LONGEST_IN_IDS: usize = 32;

/// Blocks inside blocks that are read as such; deeper ones are text.
const DEEPEST: usize = 16;

/// Reads a file whose site sets these attributes.
pub(crate) fn read_asciidoc<'s>(source: &'s str, attributes: &'s [(String, String)]) -> Page {
    let index = CharIndex::new(source);
    let lines = split_lines(source);
    let attributes = attributes.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut reader = Reader {
        source,
        index: &index,
        attributes,
        allowance: Allowance::of_names(source),
        page: Page::default(),
        ids: HashMap::new(),
        lists: Lists::default(),
        marks: Vec::new(),
        number: String::new(),
    };
    let body = reader.header(&lines);
    reader.body(lines.get(body..).unwrap_or(&[]), BlockKind::Paragraph, 0);
    reader.page
}

/// The lines above a block that describe it.
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
    allowance: Allowance,
    page: Page,
    /// Ids given to titles, and how often.
    ids: HashMap<String, usize>,
    lists: Lists,
    /// Mark of the items of each list that is open.
    marks: Vec<&'s str>,
    /// The number of the item that begins.
    number: String,
}

impl<'s> Reader<'_, 's> {
    /// Reads the title, the author and the attributes at the top; how many lines they take.
    fn header(&mut self, lines: &[Line<'s>]) -> usize {
        let mut at =
            lines.iter().position(|l| !l.is_blank() && !is_comment(l) && attribute(l).is_none()).unwrap_or(0);
        for line in lines.get(..at).unwrap_or(&[]) {
            self.set(line);
        }
        let Some(first) = lines.get(at).filter(|l| matches!(title(l), Some((1, _)))) else { return at };
        self.heading(first, &About::default());
        at += 1;
        let mut named = false;
        while let Some(line) = lines.get(at).filter(|l| !l.is_blank()) {
            if attribute(line).is_some() {
                self.set(line);
            } else if !is_comment(line) && !named {
                named = true;
                // Names, each with an address behind it.
                for author in line
                    .text
                    .split(';')
                    .map(|a| a.split('<').next().unwrap_or(a).trim())
                    .filter(|a| !a.is_empty())
                {
                    self.page.fields.push("author", author);
                }
            }
            at += 1;
        }
        at
    }

    fn set(&mut self, line: &Line<'s>) {
        let Some((name, value)) = attribute(line) else { return };
        self.attributes.insert(name, value);
        if name == "sectids" {
            NO_IDS.iter().for_each(|unset| {
                self.attributes.remove(unset);
            });
        }
        if matches!(name, "author" | "authors" | "keywords" | "description" | "revdate" | "date")
            && !value.is_empty()
        {
            let name = if name == "revdate" { "date" } else { name };
            self.page.fields.push(name, value);
        }
    }

    /// Reads lines of one block's content; `kind` is what running text in it is.
    fn body(&mut self, lines: &[Line<'s>], kind: BlockKind, depth: usize) {
        let mut about = About::default();
        let (mut at, mut attached) = (0, false);
        while let Some(line) = lines.get(at).filter(|_| !stopwatch::is_over()) {
            if line.is_blank() || is_comment(line) {
                at += 1;
            } else if line.text == "+" {
                attached = true;
                at += 1;
            } else if attribute(line).is_some() {
                self.set(line);
                at += 1;
            } else if let Some(id) = anchor(line.text) {
                about.id = Some(id);
                at += 1;
            } else if let Some(inner) =
                line.text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).filter(|_| line.indent == 0)
            {
                style(inner, &mut about);
                at += 1;
            } else {
                if !attached && list_marker(line.text).is_none() && term(line.text).is_none() {
                    self.end_lists();
                }
                attached = false;
                at += self.element(lines.get(at..).unwrap_or(&[]), &about, kind, depth).max(1);
                about = About::default();
            }
        }
    }

    /// Reads the element that begins at the first of `lines`, and returns the number of its lines.
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
        if let Some(titled) =
            line.text.strip_prefix('.').filter(|t| !t.starts_with(['.', ' ', '\t']) && !t.is_empty())
        {
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
            self.number = self.numbered(line.text.get(..marker).unwrap_or(""), about);
            return self.item(line.behind(marker), lines, kind);
        }
        if line.indent > 0 && about.style.is_empty() && kind == BlockKind::Paragraph {
            let length = lines.iter().position(Line::is_blank).unwrap_or(lines.len());
            self.code(lines.get(..length).unwrap_or(&[]));
            return length;
        }
        let length = 1 + lines
            .iter()
            .skip(1)
            .position(|l| l.is_blank() || ends_paragraph(l))
            .unwrap_or(lines.len() - 1);
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

    fn end_lists(&mut self) {
        self.marks.iter().for_each(|_| self.lists.end());
        self.marks.clear();
    }

    /// The number of an item by its mark; none of one with a bullet.
    fn numbered(&mut self, mark: &'s str, about: &About<'s>) -> String {
        let explicit = mark.trim_matches(['.', '<', '>']);
        // Items that say their number have marks of their own.
        let kind = match mark.chars().next() {
            Some('*' | '-' | '•' | '.') => mark,
            Some('<') => "<",
            _ => "1",
        };
        match self.marks.iter().position(|&m| m == kind) {
            Some(level) => {
                while self.marks.len() > level + 1 {
                    self.marks.pop();
                    self.lists.end();
                }
            }
            None => {
                let level = mark.bytes().take_while(|&b| b == b'.').count();
                let usual = match level {
                    2 => Numerals::LowerLetters,
                    3 => Numerals::LowerRoman,
                    4 => Numerals::UpperLetters,
                    5 => Numerals::UpperRoman,
                    0 if explicit.starts_with(char::is_alphabetic) => Numerals::LowerLetters,
                    _ => Numerals::Decimal,
                };
                let named = about
                    .attributes
                    .split(',')
                    .find_map(|a| Numerals::named(a.split(['%', '.']).next().unwrap_or(a)));
                let start = about
                    .attributes
                    .split(',')
                    .find_map(|a| a.trim().strip_prefix("start=")?.trim_matches('"').parse().ok());
                if mark.starts_with(['*', '-', '•']) {
                    self.lists.begin_bullets();
                } else {
                    self.lists.begin(named.unwrap_or(usual), start.unwrap_or(1), 1);
                }
                self.marks.push(kind);
            }
        }
        self.lists.item(explicit.parse().ok())
    }

    /// An item of a list, whose text begins with `first` and goes on below; how many lines it takes.
    fn item(&mut self, first: Line<'s>, lines: &[Line<'s>], kind: BlockKind) -> usize {
        let kind = if kind == BlockKind::Quote { kind } else { BlockKind::ListItem };
        let mut skipped = 1;
        // What is said of a term may begin below it.
        if first.is_blank() {
            skipped += lines.iter().skip(1).take_while(|l| l.is_blank()).count();
        }
        let ends = |l: &Line<'s>| {
            l.is_blank()
                || ends_paragraph(l)
                || list_marker(l.text).is_some()
                || term(l.text).is_some()
                || l.text == "+"
        };
        let below = lines.get(skipped..).unwrap_or(&[]);
        let more = below.iter().position(ends).unwrap_or(below.len());
        if first.is_blank() && more == 0 {
            return 1;
        }
        let mut text = vec![strip_checkbox(first)];
        text.extend_from_slice(below.get(..more).unwrap_or(&[]));
        self.running(&text, kind);
        skipped + more
    }

    fn delimited(
        &mut self,
        mark: Mark,
        lines: &[Line<'s>],
        about: &About<'s>,
        kind: BlockKind,
        depth: usize,
    ) {
        match mark {
            Mark::Code => self.code(lines),
            Mark::Hidden => {}
            Mark::Table | Mark::Values(_) => {
                let sign = if let Mark::Values(sign) = mark {
                    Some(sign)
                } else {
                    table::separator(about.attributes)
                };
                let (rows, heads) = match sign {
                    Some(sign) => table::values(lines, sign, about.attributes),
                    None => table::rows(lines, about.attributes),
                };
                self.table(&rows, heads);
            }
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
            None if NO_IDS.iter().any(|unset| self.attributes.contains_key(unset)) => None,
            None => self.id(&draft.text),
        };
        self.finish(draft);
    }

    /// The id that Asciidoctor gives to a section.
    fn id(&mut self, title: &str) -> Option<String> {
        // Each title's id has them, the separator once a word.
        let short = |name, usual| {
            self.attributes.get(name).copied().filter(|v| v.len() <= LONGEST_IN_IDS).unwrap_or(usual)
        };
        let (prefix, separator) = (short("idprefix", "_"), short("idseparator", "_"));
        let mut id = String::new();
        let mut parted = false;
        // A dash takes the spaces around it along, and references to characters are none.
        let title = without_references(&title.replace(" -- ", ""));
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

    /// Lines of running text, one after the other in the source or not.
    fn running(&mut self, lines: &[Line<'s>], kind: BlockKind) {
        let mut draft = Draft::new(kind);
        let together = lines.windows(2).all(
            |w| matches!(w, [a, b] if self.source.get(a.end()..b.start).is_some_and(|t| t.trim().is_empty())),
        );
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
}

impl BlockReader for Reader<'_, '_> {
    fn inline(&mut self, range: Range<usize>, draft: &mut Draft) {
        read_inline(
            self.source,
            range,
            (&self.attributes, &self.allowance),
            draft,
            &mut self.page.links,
            self.page.blocks.len(),
        );
    }

    fn finish(&mut self, mut draft: Draft) {
        if draft.kind == BlockKind::ListItem {
            draft.note = std::mem::take(&mut self.number);
        }
        self.page.blocks.extend(draft.finish(self.index));
    }
}
