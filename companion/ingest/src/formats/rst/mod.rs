//! reStructuredText to blocks: the marks of docutils and the directives of Sphinx, as documentation uses
//! them.
//!
//! Nothing in a file is an error: what is not understood is read as text, and directives that bring in other
//! files or generate text give none.

mod directive;
mod inline;
mod table;
#[cfg(test)]
mod tests;

use super::allowance::Allowance;
use super::block::{BlockKind, CharIndex, Draft};
use super::includes::{self, Includer};
use super::lines::{Line, join_indented, rule, split_lines, take_indented, trim_blank};
use super::marked::{self, BlockReader, Page};
use super::slug::{HeadingIds, Slugs};
use super::{Format, FoundFile, Outcome, ReadDocument, ReadMethod, Reading, address, stopwatch};
use inline::{Names, fold_name, read_inline};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

pub(crate) const FORMAT: Format = Format::new("rst", &["rst"], ReadMethod::Text(read_page));

pub(super) fn read_page(
    source: &str,
    found: &FoundFile,
    reading: &Reading<'_>,
    includer: &Includer<'_>,
    _: &mut Outcome,
) -> ReadDocument {
    let page = read_rst(&includes::rst(source, includer), reading.labels);
    marked::finish_page(page, "rst", found, reading)
}

/// Maximum depth of elements; deeper content is one text. Directives and footnotes can begin inside each
/// other on a single line, so depth costs a hostile file nothing.
const DEEPEST: usize = 40;

/// Returns true if a text file is reStructuredText: it begins with a title, and has directives or lies beside
/// the configuration of Sphinx.
pub(crate) fn looks_like(source: &str, file: &Path) -> bool {
    let directive = |l: &str| {
        l.trim_start().strip_prefix(".. ").is_some_and(|r| {
            r.split_once("::").is_some_and(|(name, _)| !name.is_empty() && !name.contains(' '))
        })
    };
    let mut lines =
        source.lines().filter(|l| !l.trim().is_empty() && !l.starts_with("..")).map(str::trim_end);
    let is_rule = |l: &str| {
        l.len() > 2
            && l.starts_with(|c: char| c.is_ascii_punctuation())
            && l.bytes().all(|b| Some(b) == l.bytes().next())
    };
    let first = lines.next().unwrap_or("");
    let title = if is_rule(first) { lines.next().unwrap_or("") } else { first };
    let under = lines.next().unwrap_or("");
    let titled = is_rule(under)
        && under.len() >= title.chars().count().min(4)
        && !title.starts_with(char::is_whitespace);
    titled
        && (source.lines().any(directive)
            || file.parent().is_some_and(|folder| folder.join("conf.py").is_file()))
}

/// Reads the titles of the sections that labels name, in all files of at most so many bytes: references show
/// them.
pub(crate) fn read_labels(pages: &[FoundFile], most_bytes: u64) -> HashMap<String, String> {
    /// Longer files are not looked through for labels.
    const LONGEST: u64 = 4 << 20;
    const MOST_LABELS: usize = 100_000;
    let is_marked = |f: &&FoundFile| f.format.name == FORMAT.name && f.bytes <= most_bytes.min(LONGEST);
    let read = |f: &FoundFile| {
        std::fs::read(&f.file).map(|bytes| labels(&String::from_utf8_lossy(&bytes))).unwrap_or_default()
    };
    let found: Vec<Vec<(String, String)>> = pages.par_iter().filter(is_marked).map(read).collect();
    found.into_iter().flatten().take(MOST_LABELS).collect()
}

/// The labels of a file that stand above titles, folded, with the titles.
fn labels(source: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut before = "";
    for line in split_lines(source).iter().filter(|l| !l.is_blank()) {
        if let Some(label) = line.text.strip_prefix(".. _").and_then(|t| t.strip_suffix(':')) {
            open.push(fold_name(label.trim_matches('`')));
        } else if rule(line).is_some() && !before.is_empty() {
            let title = before.replace(['`', '*'], "");
            out.extend(open.drain(..).map(|label| (label, title.clone())));
        } else if rule(line).is_none() {
            // Of other things than titles nothing is shown.
            if !before.is_empty() {
                open.clear();
            }
            before = line.text;
            continue;
        }
        before = "";
    }
    out
}

/// Reads a file; `titles` are those of the sections that labels name, in all files.
pub(crate) fn read_rst(source: &str, titles: &HashMap<String, String>) -> Page {
    let index = CharIndex::new(source);
    let lines = split_lines(source);
    let numbered_from =
        ["]_", ".. ["].iter().filter_map(|mark| source.find(mark)).min().unwrap_or(source.len());
    let mut reader = Reader {
        source,
        index: &index,
        names: named(source, &lines, titles),
        page: Page::default(),
        styles: Vec::new(),
        slugs: Slugs::new(HeadingIds::Docutils),
        counts: HashMap::new(),
        number: String::new(),
        pending: false,
        numbered_from,
    };
    reader.body(&lines, BlockKind::Paragraph, 0);
    reader.page
}

/// Returns the names that the explicit marks of a text define.
fn named<'s>(source: &str, lines: &[Line<'s>], titles: &'s HashMap<String, String>) -> Names<'s> {
    let mut names = Names {
        allowance: Allowance::of_names(source),
        targets: HashMap::new(),
        titles,
        substitutions: HashMap::new(),
    };
    for line in lines {
        let Some(rest) = line.text.strip_prefix(".. ") else { continue };
        if let Some(target) = rest.trim_start().strip_prefix('_') {
            if let Some((name, to)) = target.split_once(": ") {
                names.targets.insert(fold_name(name.trim_matches('`')), to.trim());
            }
        } else if let Some((name, value)) =
            rest.trim_start().strip_prefix('|').and_then(|r| r.split_once('|'))
            && let Some(value) = value.trim_start().strip_prefix("replace::")
        {
            names.substitutions.insert(name, value.trim());
        }
    }
    names
}

struct Reader<'i, 's> {
    source: &'s str,
    index: &'i CharIndex<'s>,
    names: Names<'s>,
    page: Page,
    /// Marks of titles by level: the character, and true if there is a line above, too.
    styles: Vec<(u8, bool)>,
    /// Gives ids to headings.
    slugs: Slugs,
    /// The last number of the list at each depth that counts by itself.
    counts: HashMap<usize, i64>,
    /// The number of the item that begins, and those of the items around it.
    number: String,
    /// Set if the item that begins has no text yet.
    pending: bool,
    /// From which byte on other things than headings may have got numbers.
    numbered_from: usize,
}

impl<'s> Reader<'_, 's> {
    /// Reads lines of one element's content; `kind` is what running text in it is.
    fn body(&mut self, lines: &[Line<'s>], kind: BlockKind, depth: usize) {
        let lines = trim_blank(lines);
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return };
        if depth > DEEPEST {
            return self.text(first.start..last.end(), kind);
        }
        self.counts.remove(&depth);
        let base = lines.iter().filter(|l| !l.is_blank()).map(|l| l.indent).min().unwrap_or(first.indent);
        let mut at = 0;
        while let Some(&line) = lines.get(at).filter(|_| !stopwatch::is_over()) {
            let rest = lines.get(at..).unwrap_or(&[]);
            at += if line.is_blank() {
                1
            } else if line.indent > base {
                let quoted = take_indented(rest, base);
                self.body(
                    quoted,
                    if kind == BlockKind::Paragraph { BlockKind::Quote } else { kind },
                    depth + 1,
                );
                quoted.len().max(1)
            } else if let Some(taken) = self.title(rest, depth) {
                taken
            } else {
                self.element(rest, base, kind, depth)
            };
        }
    }

    /// A title and its lines, or a line that parts sections; how many lines that takes.
    fn title(&mut self, lines: &[Line<'s>], depth: usize) -> Option<usize> {
        let first = lines.first()?;
        let (title, under, over) = match rule(first) {
            Some((mark, length)) if length >= 2 => {
                let title = lines.get(1).filter(|l| !l.is_blank());
                let under =
                    lines.get(2).filter(|l| rule(l) == Some((mark, length)) && l.indent == first.indent);
                match (title, under) {
                    (Some(title), Some(under)) => (title, under, true),
                    // A rule alone.
                    _ if length >= 4 => return title.is_none().then_some(1),
                    // Shorter ones are text.
                    _ => (first, lines.get(1)?, false),
                }
            }
            _ => (first, lines.get(1)?, false),
        };
        let (mark, length) = rule(under)?;
        let wide = title.text.chars().count();
        if depth > 0
            || title.is_blank()
            || under.indent != first.indent
            || length < wide.min(4)
            || length < 2 && wide > 1
        {
            return None;
        }
        let style = (mark, over);
        let level = self.styles.iter().position(|&s| s == style).unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        let mut draft = Draft::new(BlockKind::Heading(u8::try_from(level + 1).unwrap_or(6).min(6)));
        self.inline(title.range(), &mut draft);
        if title.start > self.numbered_from {
            self.slugs.numbers_are_uncertain();
        }
        draft.fragment = self.slugs.of_heading(&draft.text).and_then(|id| address::fragment(&id));
        self.finish(draft);
        Some(if over { 3 } else { 2 })
    }

    /// Reads the element that begins at the first of `lines`, which are indented by `base` or more, and
    /// returns the number of its lines.
    fn element(&mut self, lines: &[Line<'s>], base: usize, kind: BlockKind, depth: usize) -> usize {
        let Some(&line) = lines.first() else { return 1 };
        let after = lines.get(1..).unwrap_or(&[]);
        let below = |column| 1 + take_indented(after, column).len();
        let lists = if kind == BlockKind::Quote { kind } else { BlockKind::ListItem };
        if line.text == ".." || line.text.starts_with(".. ") || line.text.starts_with("__ ") {
            let length = below(base);
            self.explicit(lines.get(..length).unwrap_or(lines), kind, depth);
            return length;
        }
        if let Some(marker) = list_marker(&line, after.first()) {
            let length = below(base);
            let item = join_indented(line.behind(marker), lines.get(1..length).unwrap_or(&[]));
            let outer = std::mem::take(&mut self.number);
            self.number = self.numbered(line.text.get(..marker).unwrap_or(""), depth, &outer);
            self.pending = true;
            self.body(&item, lists, depth + 1);
            (self.number, self.pending) = (outer, false);
            return length;
        }
        self.counts.remove(&depth);
        if let Some(name) = field_name(line.text) {
            let length = below(base);
            self.field(&line, name, lines.get(1..length).unwrap_or(&[]), lists, depth);
            return length;
        }
        if line.text.starts_with("| ") || line.text == "|" {
            let length = lines
                .iter()
                .position(|l| !(l.text.starts_with("| ") || l.text == "|"))
                .unwrap_or(lines.len());
            self.line_block(lines.get(..length).unwrap_or(&[]), kind);
            return length;
        }
        if table::begins_grid(&line) {
            let length = lines.iter().position(|l| !l.text.starts_with(['+', '|'])).unwrap_or(lines.len());
            let (rows, heads) = table::grid(lines.get(..length).unwrap_or(&[]));
            self.table(&rows, heads);
            return length;
        }
        if table::is_simple_border(&line)
            && let Some(length) = table::simple_length(lines)
        {
            let (rows, heads) = table::read_simple(lines.get(..length).unwrap_or(&[]));
            self.table(&rows, heads);
            return length;
        }
        if line.text.starts_with(">>> ") {
            let length = lines.iter().position(Line::is_blank).unwrap_or(lines.len());
            self.code(lines.get(..length).unwrap_or(&[]));
            return length;
        }
        self.paragraph(lines, base, kind, depth)
    }

    /// The number of an item by its marker, behind that of the item around it; none of one with a bullet.
    fn numbered(&mut self, marker: &str, depth: usize, outer: &str) -> String {
        let name = marker.trim_matches(['(', ')', '.']);
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '#') || name.is_empty() {
            return String::new();
        }
        let count = self.counts.entry(depth).or_insert(0);
        *count = name.parse().unwrap_or(*count + 1);
        let outer = if outer.len() < 24 { outer } else { "" };
        if name == "#" { format!("{outer}{count}.") } else { format!("{outer}{name}.") }
    }

    /// Running text, and what is indented below it: code, or what a list of definitions says of a term.
    fn paragraph(&mut self, lines: &[Line<'s>], base: usize, kind: BlockKind, depth: usize) -> usize {
        let length =
            lines.iter().position(|l| l.is_blank() || l.indent != base).unwrap_or(lines.len()).max(1);
        let text = lines.get(..length).unwrap_or(lines);
        let (Some(first), Some(last)) = (text.first(), text.last()) else { return length };
        let after = lines.get(length..).unwrap_or(&[]);
        let literal = last.text.ends_with("::");
        // Below a single line, without a blank one between.
        if length == 1 && !literal && after.first().is_some_and(|l| !l.is_blank()) {
            let definition = take_indented(after, base);
            let classifier = first.text.find(" : ").unwrap_or(first.text.len());
            self.text(first.start..first.start + classifier, BlockKind::Term);
            self.body(definition, BlockKind::ListItem, depth + 1);
            return length + definition.len();
        }
        if !literal {
            self.text(first.start..last.end(), kind);
            return length;
        }
        // One colon is shown, none behind a space.
        let end = last.end() - if last.text.ends_with(" ::") || last.text == "::" { 2 } else { 1 };
        self.text(first.start..end, kind);
        let blank = after.iter().take_while(|l| l.is_blank()).count();
        let code = take_indented(after.get(blank..).unwrap_or(&[]), base);
        self.code(code);
        length + if code.is_empty() { 0 } else { blank + code.len() }
    }

    /// `:name: text`: of the page itself at its top, else an item of a list.
    fn field(&mut self, line: &Line<'s>, name: &str, below: &[Line<'s>], kind: BlockKind, depth: usize) {
        let first = line.behind(name.len() + 2);
        let only_titles = self.page.blocks.iter().all(|b| matches!(b.kind, BlockKind::Heading(1)));
        if depth == 0 && only_titles {
            let parts =
                [first.text].into_iter().chain(below.iter().map(|l| l.text)).filter(|t| !t.is_empty());
            self.page.fields.push(&name.to_lowercase(), &parts.collect::<Vec<_>>().join(" "));
            return;
        }
        // The text's first paragraph stands behind the name.
        let own = below.iter().position(Line::is_blank).unwrap_or(below.len());
        let paragraph = below.get(..own).unwrap_or(&[]);
        let mut draft = Draft::new(kind);
        self.inline(line.start + 1..line.start + 1 + name.len() + 1, &mut draft);
        draft.separate(" ");
        let start =
            if first.is_blank() { paragraph.first().map_or(first.start, |l| l.start) } else { first.start };
        self.inline(start..paragraph.last().map_or(first.end(), Line::end).max(start), &mut draft);
        self.finish(draft);
        self.body(below.get(own..).unwrap_or(&[]), kind, depth + 1);
    }

    fn line_block(&mut self, lines: &[Line<'s>], kind: BlockKind) {
        let mut draft = Draft::new(kind);
        for line in lines {
            draft.new_line();
            self.inline(line.behind(1).range(), &mut draft);
        }
        self.finish(draft);
    }
}

impl BlockReader for Reader<'_, '_> {
    fn inline(&mut self, range: Range<usize>, draft: &mut Draft) {
        read_inline(self.source, range, &self.names, draft, &mut self.page.links, self.page.blocks.len());
    }

    fn finish(&mut self, mut draft: Draft) {
        if draft.kind == BlockKind::ListItem && std::mem::take(&mut self.pending) {
            draft.note.clone_from(&self.number);
        }
        self.page.blocks.extend(draft.finish(self.index));
    }
}

/// Returns the bytes of a list item's marker: a bullet, a number or a letter.
fn list_marker(line: &Line<'_>, next: Option<&Line<'_>>) -> Option<usize> {
    let text = line.text;
    let first = text.chars().next()?;
    let behind = |n: usize| text.get(n..).is_some_and(|r| r.is_empty() || r.starts_with([' ', '\t']));
    if matches!(first, '*' | '-' | '+' | '•' | '‣' | '⁃') {
        return behind(first.len_utf8()).then_some(first.len_utf8());
    }
    let open = usize::from(first == '(');
    let number = text.get(open..)?;
    let length = number.bytes().take(8).take_while(|&b| b.is_ascii_alphanumeric() || b == b'#').count();
    let name = number.get(..length)?;
    let counts = name == "#"
        || name.len() == 1
        || name.bytes().all(|b| b.is_ascii_digit())
        || name.bytes().all(|b| b"ivxlcdmIVXLCDM".contains(&b));
    let closes = number.get(length..)?.starts_with(if open > 0 { [')', ')'] } else { ['.', ')'] });
    let marker = open + length + 1;
    if name.is_empty() || !counts || !closes || !behind(marker) {
        return None;
    }
    // "I. Newton" at the beginning of a paragraph is no number.
    let digits = name.bytes().all(|b| b.is_ascii_digit() || b == b'#');
    let goes_on = next.is_none_or(|n| {
        n.is_blank()
            || n.indent > line.indent
            || n.text.get(..open + length + 1) != text.get(..open + length + 1)
    });
    let item_below =
        next.is_none_or(|n| n.is_blank() || n.indent > line.indent || list_marker(n, None).is_some());
    (digits && goes_on || item_below).then_some(marker)
}

/// The name of a field: of `:name: text`, and not of a role before its text.
fn field_name(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(':')?;
    let end = rest.bytes().take(200).position(|b| b == b':')?;
    let name = rest.get(..end).filter(|n| !n.is_empty() && !n.starts_with(' ') && !n.contains('`'))?;
    let after = rest.get(end + 1..)?;
    (after.is_empty() || after.starts_with([' ', '\t'])).then_some(name)
}
