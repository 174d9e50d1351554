//! OpenDocument: texts, spreadsheets and presentations. What was deleted, hidden text and remarks are not
//! read; notes are read where they are referred to.

use super::archive::Archive;
use super::data_table;
use super::made_html::Html;
use super::story::{Kind, Marker, Story};
use super::xml::{self, Visitor, attribute, count};
use super::{Format, MadeHtml, ReadMethod};
use pocketgraph_native::html::escape_html;
use quick_xml::events::BytesStart;
use std::collections::{HashMap, HashSet};

/// Maximum number of times that a repeated cell or row is read.
const MOST_REPEATED: usize = 64;

/// Cells of a file's sheets, repeated ones counted as often as they are read.
const MOST_CELLS: usize = 1 << 20;

/// Paragraphs in notes and boxes of paragraphs, and lists in lists.
const DEEPEST: usize = 32;

pub(super) const FORMAT: Format = Format::new("odf", &["odt", "ods", "odp"], ReadMethod::Archive(write_html));

/// Writes the document as HTML.
fn write_html(bytes: Vec<u8>, limit: u64) -> MadeHtml {
    let mut out = Html::of_file(bytes.len());
    let mut archive = Archive::open(bytes, limit)?;
    if archive.text("META-INF/manifest.xml")?.is_some_and(|m| m.contains("encryption-data")) {
        return Err("encrypted: it asks for a password".to_owned());
    }
    let text = archive.text("content.xml")?.ok_or("no OpenDocument file: it has no content.xml")?;
    let mut styles = Styles::default();
    for text in archive.text("styles.xml")?.iter().chain([&text]) {
        styles.read(text);
    }
    out.title(&archive.text("meta.xml")?.and_then(|t| xml::text_of(&t, "title")).unwrap_or_default());
    let mut reader = Reader { styles, story: Story::new(out), cell: 1, row: 1, ..Reader::default() };
    xml::walk_xml(&text, &mut reader)?;
    Ok((reader.story.finish().finish()?, reader.unread))
}

/// The styles of letters and lists.
#[derive(Default)]
struct Styles {
    raised: HashMap<String, &'static str>,
    hidden: HashSet<String>,
    /// Types of numbers by list style and level; a level that is not there has bullets.
    numbers: HashMap<(String, usize), (char, u32)>,
}

impl Styles {
    fn read(&mut self, text: &str) {
        let mut name = String::new();
        xml::elements(text, |element, e| match element {
            "style" | "list-style" => name = attribute(e, "name").unwrap_or_default(),
            "text-properties" => {
                let position = attribute(e, "text-position").unwrap_or_default();
                if position.starts_with("super") {
                    self.raised.insert(name.clone(), "sup");
                } else if position.starts_with("sub") {
                    self.raised.insert(name.clone(), "sub");
                }
                if attribute(e, "display").is_some_and(|d| d == "none") {
                    self.hidden.insert(name.clone());
                }
            }
            "list-level-style-number" => {
                let kind = attribute(e, "num-format")
                    .and_then(|f| f.chars().next())
                    .filter(|c| "1aAiI".contains(*c));
                let start = count(e, "start-value").and_then(|n| u32::try_from(n).ok()).unwrap_or(1);
                let level = count(e, "level").unwrap_or(1);
                self.numbers.extend(kind.map(|kind| ((name.clone(), level), (kind, start))));
            }
            _ => {}
        });
    }
}

struct List {
    style: String,
    last: Option<u32>,
    /// The number that its next item says it has.
    given: Option<u32>,
}

/// A paragraph that is open, or one around a note or a box.
#[derive(Default)]
struct Paragraph {
    level: Option<u8>,
    html: String,
    /// Tags of the spans that are open.
    spans: Vec<&'static str>,
    hidden: bool,
}

#[derive(Default)]
struct Reader {
    styles: Styles,
    story: Story,
    /// Paragraphs that are open: one inside another stands in a note or a box of it.
    open: Vec<Paragraph>,
    /// Paragraphs of boxes, to be written behind those around them.
    boxes: Vec<(Kind, String)>,
    lists: Vec<List>,
    /// True until the open item has its first paragraph.
    is_first: bool,
    hidden: usize,
    /// Paragraphs and lists that are open inside the deepest that are read.
    deeper: usize,
    /// Text of the note that is open.
    note: Option<String>,
    /// The rows of the sheet that is open, in a spreadsheet.
    sheet: Option<Vec<Vec<String>>>,
    is_spreadsheet: bool,
    /// Numbers of times that the open cell and its row are repeated.
    cell: usize,
    row: usize,
    /// Cells of all sheets so far.
    cells: usize,
    unread: Option<String>,
    slides: usize,
}

/// Returns true if readers never see an element's content.
fn is_hidden(name: &str) -> bool {
    matches!(
        name,
        "tracked-changes"
            | "annotation"
            | "note-citation"
            | "forms"
            | "hidden-text"
            | "table-of-content"
            | "page-number"
    ) || name.ends_with("-index")
}

impl Visitor for Reader {
    fn start(&mut self, name: &str, e: &BytesStart<'_>) {
        self.hidden += usize::from(is_hidden(name));
        if self.hidden > 0 {
            return;
        }
        // What no reader's program would show.
        let nested = if name == "list" { self.lists.len() } else { self.open.len() };
        if matches!(name, "list" | "p" | "h") && (self.deeper > 0 || nested >= DEEPEST) {
            self.deeper += 1;
            return;
        }
        match name {
            "spreadsheet" => self.is_spreadsheet = true,
            "page" => {
                self.slides += 1;
                let named = attribute(e, "name")
                    .filter(|n| !n.starts_with("page"))
                    .unwrap_or_else(|| format!("Slide {}", self.slides));
                self.story.paragraph(&Kind::Heading(2), &escape_html(&named));
            }
            "list" => self.begin_list(e),
            "list-item" => self.begin_item(e),
            "p" | "h" => self.begin_paragraph(name, e),
            "note-body" => self.note = Some(String::new()),
            "table" | "table-row" | "table-cell" | "table-header-rows" => self.start_of_table(name, e),
            _ => self.start_of_text(name, e),
        }
    }

    fn end(&mut self, name: &str) {
        if is_hidden(name) {
            self.hidden = self.hidden.saturating_sub(1);
            return;
        }
        if self.hidden > 0 {
            return;
        }
        if self.deeper > 0 && matches!(name, "list" | "p" | "h") {
            self.deeper -= 1;
            return;
        }
        match name {
            "list" => drop(self.lists.pop()),
            "p" | "h" => self.end_paragraph(),
            "span" => {
                if let Some(p) = self.open.last_mut()
                    && let Some(tag) = p.spans.pop()
                {
                    p.hidden = p.spans.contains(&"hidden");
                    p.html.push_str(&closing(tag));
                }
            }
            "note-body" => {
                if let Some((note, p)) =
                    self.note.take().zip(self.open.last_mut()).filter(|(n, _)| !n.trim().is_empty())
                {
                    p.html.push_str(&format!(" ({})", note.trim()));
                }
            }
            "table" | "table-row" | "table-cell" => self.end_of_table(name),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(p) = self.open.last_mut().filter(|p| self.hidden == 0 && !p.hidden) {
            p.html.push_str(&escape_html(text));
        }
    }
}

fn opening(tag: &str) -> String {
    if matches!(tag, "sup" | "sub") { format!("<{tag}>") } else { String::new() }
}

fn closing(tag: &str) -> String {
    if matches!(tag, "sup" | "sub") { format!("</{tag}>") } else { String::new() }
}

impl Reader {
    fn begin_list(&mut self, e: &BytesStart<'_>) {
        // One inside another is of its style.
        let outer = self.lists.last().map(|l| l.style.clone());
        let style = attribute(e, "style-name").or(outer).unwrap_or_default();
        self.lists.push(List { style, last: None, given: None });
    }

    fn begin_item(&mut self, e: &BytesStart<'_>) {
        self.is_first = true;
        if let Some(list) = self.lists.last_mut() {
            list.given = count(e, "start-value").and_then(|n| u32::try_from(n).ok());
        }
    }

    fn begin_paragraph(&mut self, name: &str, e: &BytesStart<'_>) {
        let level = (name == "h").then(|| count(e, "outline-level").unwrap_or(1).clamp(1, 6) as u8);
        let hidden = attribute(e, "style-name").is_some_and(|s| self.styles.hidden.contains(&s));
        let spans = if hidden { vec!["hidden"] } else { Vec::new() };
        self.open.push(Paragraph { level, spans, hidden, ..Paragraph::default() });
    }

    fn start_of_text(&mut self, name: &str, e: &BytesStart<'_>) {
        let Some(p) = self.open.last_mut() else { return };
        match name {
            "span" => {
                let style = attribute(e, "style-name").unwrap_or_default();
                let tag = match self.styles.raised.get(&style) {
                    _ if self.styles.hidden.contains(&style) => "hidden",
                    Some(tag) => *tag,
                    None => "",
                };
                p.html.push_str(&opening(tag));
                p.spans.push(tag);
                p.hidden = p.spans.contains(&"hidden");
            }
            "s" | "tab" => p.html.push(' '),
            "line-break" => p.html.push_str("<br>"),
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let Some(mut p) = self.open.pop() else { return };
        while let Some(tag) = p.spans.pop() {
            p.html.push_str(&closing(tag));
        }
        if p.html.trim().is_empty() {
            return;
        }
        if let Some(note) = &mut self.note {
            note.push_str(p.html.trim());
            note.push(' ');
            return;
        }
        if let Some(rows) = self.sheet.as_mut() {
            if let Some(cell) = rows.last_mut().and_then(|row| row.last_mut()) {
                if !cell.is_empty() {
                    cell.push('\n');
                }
                cell.push_str(&htmlize::unescape(p.html.as_str()));
            }
            return;
        }
        let kind = self.kind(&p);
        if !self.open.is_empty() {
            self.boxes.push((kind, p.html));
            return;
        }
        self.story.paragraph(&kind, &p.html);
        for (kind, html) in std::mem::take(&mut self.boxes) {
            self.story.paragraph(&kind, &html);
        }
    }

    fn kind(&mut self, p: &Paragraph) -> Kind {
        if let Some(level) = p.level {
            return Kind::Heading(level);
        }
        let depth = self.lists.len();
        let Some(list) = self.lists.last_mut().filter(|_| std::mem::take(&mut self.is_first)) else {
            return Kind::Text;
        };
        let Some((kind, start)) = self.styles.numbers.get(&(list.style.clone(), depth)) else {
            return Kind::Item(depth - 1, Marker::Bullet);
        };
        let value = list.given.take().or(list.last.map(|n| n.saturating_add(1))).unwrap_or(*start);
        list.last = Some(value);
        Kind::Item(depth - 1, Marker::Number(value, *kind))
    }

    fn start_of_table(&mut self, name: &str, e: &BytesStart<'_>) {
        match (name, self.is_spreadsheet) {
            ("table", true) => {
                let named = attribute(e, "name").unwrap_or_default();
                self.story.paragraph(&Kind::Heading(2), &escape_html(&named));
                self.sheet = Some(Vec::new());
            }
            ("table-row", true) => {
                self.row = count(e, "number-rows-repeated").unwrap_or(1).clamp(1, MOST_REPEATED);
                if let Some(rows) = &mut self.sheet {
                    rows.push(Vec::new());
                }
            }
            ("table-cell", true) => {
                self.cell = count(e, "number-columns-repeated").unwrap_or(1).clamp(1, MOST_REPEATED);
                if let Some(row) = self.sheet.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(String::new());
                }
            }
            ("table", false) => self.story.begin_table(),
            ("table-row", false) => self.story.begin_row(),
            ("table-cell", false) => {
                self.story.begin_cell();
                self.story.spans(count(e, "number-columns-spanned"), count(e, "number-rows-spanned"));
            }
            _ => {}
        }
    }

    fn end_of_table(&mut self, name: &str) {
        let is_allowed = |cells: usize, bytes: usize| cells < MOST_CELLS && self.story.out.take(bytes);
        match (name, &mut self.sheet) {
            ("table-cell", Some(rows)) => {
                if let Some(row) = rows.last_mut()
                    && let Some(cell) = row.last().cloned()
                {
                    self.cells += self.cell;
                    let is_repeated = is_allowed(self.cells, cell.len() * (self.cell - 1));
                    row.extend(std::iter::repeat_n(cell, if is_repeated { self.cell - 1 } else { 0 }));
                }
            }
            ("table-row", Some(rows)) => {
                // Sheets end with many rows without text.
                if let Some(row) = rows.last().filter(|r| r.iter().any(|c| !c.is_empty())).cloned() {
                    self.cells += row.len() * self.row;
                    let bytes: usize = row.iter().map(String::len).sum();
                    let is_repeated = is_allowed(self.cells, bytes * (self.row - 1));
                    rows.extend(std::iter::repeat_n(row, if is_repeated { self.row - 1 } else { 0 }));
                } else {
                    rows.pop();
                }
            }
            ("table", Some(_)) => {
                let rows = self.sheet.take().unwrap_or_default();
                self.unread =
                    self.unread.take().or(data_table::write_table(&mut self.story.out, rows.into_iter()));
            }
            ("table-row", None) => self.story.end_row(),
            ("table", None) => self.story.end_table(),
            _ => {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn made(text: &str) -> String {
        let mut styles = Styles::default();
        styles.read(text);
        let mut reader =
            Reader { styles, story: Story::new(Html::of_file(0)), cell: 1, row: 1, ..Reader::default() };
        xml::walk_xml(text, &mut reader).unwrap();
        reader.story.finish().finish().unwrap()
    }

    #[test]
    fn headings_numbers_notes_and_powers_are_read_and_what_was_deleted_is_not() {
        let text = "<o><text:tracked-changes><text:p>gone</text:p></text:tracked-changes><style:style \
            style:name='S'><style:text-properties style:text-position='super 58%'/></style:style>\
            <text:list-style style:name='L'><text:list-level-style-number text:level='1' \
            style:num-format='a'/></text:list-style>\
            <text:h text:outline-level='2'>Head</text:h><text:p>10<text:span \
            text:style-name='S'>4</text:span> m<text:note><text:note-citation>1</text:note-citation>\
            <text:note-body><text:p>By hand.</text:p></text:note-body></text:note>.</text:p>\
            <text:list text:style-name='L'><text:list-item \
            text:start-value='3'><text:p>Third</text:p></text:list-item><text:list-item><text:p>Fourth</text:\
            p></text:list-item></text:list></o>";
        let made = made(text);
        assert!(made.contains("<h2>Head</h2>\n<p>10<sup>4</sup> m (By hand.).</p>"), "{made}");
        assert!(
            made.contains("<ol type=\"a\"><li value=\"3\">Third</li><li value=\"4\">Fourth</li></ol>")
                && !made.contains("gone"),
            "{made}"
        );
    }

    #[test]
    fn sheets_are_tables_and_repeated_cells_are_not_without_end() {
        let text = "<o><office:spreadsheet><table:table \
            table:name='Boats'><table:table-row><table:table-cell><text:p>name</text:p></table:table-cell><table:table-cell><text:p>crew</text:p></table:table-cell></table:table-row>\
            <table:table-row table:number-rows-repeated='1000000'><table:table-cell \
            table:number-columns-repeated='2'><text:p>x &amp; \
            y</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></o>";
        let made = made(text);
        assert!(
            made.contains("<h2>Boats</h2>")
                && made.contains("<th>crew</th>")
                && made.contains("<td>x &amp; y</td>"),
            "{made}"
        );
        assert_eq!(made.matches("<tr><td>").count(), MOST_REPEATED);
    }

    #[test]
    fn a_long_cell_that_is_repeated_takes_no_more_memory_than_its_file_may() {
        let long = "w".repeat(100_000);
        let text = format!(
            "<o><office:spreadsheet><table:table><table:table-row table:number-rows-repeated='64'>\
             <table:table-cell table:number-columns-repeated='64'><text:p>{long}</text:p></table:table-cell>\
             </table:table-row>"
        );
        let mut reader = Reader { story: Story::new(Html::of_file(0)), cell: 1, row: 1, ..Reader::default() };
        // The table is left open, so that its rows can be looked at.
        let _ = xml::walk_xml(&text, &mut reader);
        let held: usize = reader.sheet.iter().flatten().flatten().map(String::len).sum();
        assert!((100_000..1_000_000).contains(&held), "{held}");
        assert!(reader.story.finish().finish().is_err());
    }
}
