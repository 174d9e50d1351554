//! DOCX: the text of a word processor's document, with its headings, lists and tables. Macros, deleted text and instructions of fields are not read.

use super::archive::Archive;
use super::made_html::Html;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;

/// Columns that a cell may cover.
const WIDEST: usize = 64;

/// The document as HTML.
///
/// # Errors
/// Why it cannot be read, for the user.
pub(super) fn html(bytes: Vec<u8>, limit: u64) -> Result<String, String> {
    let mut archive = Archive::open(bytes, limit)?;
    let text = archive.text("word/document.xml")?.ok_or("no DOCX: it has no word/document.xml")?;
    let styles = archive.text("word/styles.xml")?.map(|t| headings(&t)).unwrap_or_default();
    let title = archive.text("docProps/core.xml")?.and_then(|t| title(&t)).unwrap_or_default();
    let mut writer = Writer { out: Html::titled(&title), styles, paragraph: None, tables: Vec::new(), hidden: 0 };
    writer.read(&text)?;
    Ok(writer.out.finish())
}

/// The levels of styles that are headings, by their ids: their names are the same in every language.
fn headings(styles: &str) -> HashMap<String, u8> {
    let mut levels = HashMap::new();
    let mut style = None;
    let mut reader = Reader::from_str(styles);
    while let Ok(event) = reader.read_event() {
        match &event {
            Event::Eof => break,
            Event::Start(e) | Event::Empty(e) => match e.local_name().as_ref() {
                b"style" => style = attribute(e, "styleId"),
                b"name" => {
                    let name = attribute(e, "val").unwrap_or_default().to_ascii_lowercase();
                    let level = match name.strip_prefix("heading ").and_then(|n| n.trim().parse::<u8>().ok()) {
                        Some(level @ 1..=9) => Some(level.min(6)),
                        _ => (name == "title").then_some(1),
                    };
                    if let (Some(id), Some(level)) = (style.clone(), level) {
                        levels.insert(id, level);
                    }
                }
                b"outlineLvl" => {
                    let level = attribute(e, "val").and_then(|v| v.parse::<u8>().ok()).filter(|l| *l < 9);
                    if let (Some(id), Some(level)) = (style.clone(), level) {
                        levels.entry(id).or_insert((level + 1).min(6));
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    levels
}

fn title(properties: &str) -> Option<String> {
    let mut reader = Reader::from_str(properties);
    let mut inside = false;
    loop {
        match reader.read_event().ok()? {
            Event::Start(e) => inside = e.local_name().as_ref() == b"title",
            Event::Text(text) if inside => return Some(text.unescape().ok()?.trim().to_owned()),
            Event::Eof => return None,
            _ => {}
        }
    }
}

/// A paragraph that is being read.
#[derive(Default)]
struct Paragraph {
    level: Option<u8>,
    listed: bool,
    text: String,
}

/// A table that is being read.
#[derive(Default)]
struct Table {
    /// The text of the cell above in each column, for cells that go on.
    above: Vec<String>,
    column: usize,
    span: usize,
    goes_on: bool,
    head: bool,
    cell: String,
    row: Vec<(String, usize)>,
}

struct Writer {
    out: Html,
    styles: HashMap<String, u8>,
    paragraph: Option<Paragraph>,
    tables: Vec<Table>,
    /// Elements open whose text is shown elsewhere or not at all.
    hidden: usize,
}

impl Writer {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let mut reader = Reader::from_str(text);
        let mut shown = false;
        loop {
            match reader.read_event().map_err(|e| format!("damaged: {e}"))? {
                Event::Start(e) => {
                    shown = e.local_name().as_ref() == b"t";
                    self.start(&e);
                }
                Event::Empty(e) => {
                    self.start(&e);
                    self.end(e.local_name().as_ref());
                }
                Event::End(e) => {
                    shown = false;
                    self.end(e.local_name().as_ref());
                }
                Event::Text(text) if shown && self.hidden == 0 => self.text(&text.unescape().unwrap_or_default()),
                Event::Eof => return Ok(()),
                _ => {}
            }
        }
    }

    fn start(&mut self, e: &BytesStart<'_>) {
        let value = || attribute(e, "val").unwrap_or_default();
        match e.local_name().as_ref() {
            // What older programs show in place of a drawing.
            b"Fallback" => self.hidden += 1,
            b"p" => self.paragraph = Some(Paragraph::default()),
            b"pStyle" => {
                let level = self.styles.get(&value()).copied();
                if let Some(p) = &mut self.paragraph {
                    p.level = level;
                }
            }
            b"numPr" => {
                if let Some(p) = &mut self.paragraph {
                    p.listed = true;
                }
            }
            b"tab" => self.text(" "),
            b"br" | b"cr" => self.text("\n"),
            b"noBreakHyphen" => self.text("-"),
            b"tbl" => {
                if self.tables.is_empty() {
                    self.out.raw("<table>");
                }
                self.tables.push(Table::default());
            }
            b"tr" => {
                if let Some(t) = self.tables.last_mut() {
                    t.column = 0;
                    t.head = false;
                }
            }
            b"tblHeader" => {
                if let Some(t) = self.tables.last_mut() {
                    t.head = value() != "0" && value() != "false";
                }
            }
            b"tc" => {
                if let Some(t) = self.tables.last_mut() {
                    (t.span, t.goes_on) = (1, false);
                    t.cell.clear();
                }
            }
            b"gridSpan" => {
                if let Some(t) = self.tables.last_mut() {
                    t.span = value().parse().unwrap_or(1).clamp(1, WIDEST);
                }
            }
            b"vMerge" => {
                let begins = value() == "restart";
                if let Some(t) = self.tables.last_mut() {
                    t.goes_on = !begins;
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &[u8]) {
        match name {
            b"Fallback" => self.hidden = self.hidden.saturating_sub(1),
            b"p" => self.end_paragraph(),
            b"tc" => {
                if let Some(t) = self.tables.last_mut() {
                    let above = t.above.get(t.column).filter(|_| t.goes_on);
                    let cell = above.cloned().unwrap_or_else(|| t.cell.trim().to_owned());
                    t.above.resize(t.above.len().max(t.column + t.span).min(4096), String::new());
                    if let Some(place) = t.above.get_mut(t.column) {
                        place.clone_from(&cell);
                    }
                    t.column += t.span;
                    t.row.push((cell, t.span));
                }
            }
            b"tr" => self.end_row(),
            b"tbl" if self.tables.len() == 1 => {
                self.tables.clear();
                self.out.raw("</table>\n");
            }
            b"tbl" => {
                // A table in a cell is text of that cell.
                self.tables.pop();
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.hidden > 0 {
            return;
        }
        if let Some(p) = &mut self.paragraph {
            p.text.push_str(text);
        }
    }

    fn end_paragraph(&mut self) {
        let Some(p) = self.paragraph.take() else { return };
        if let Some(t) = self.tables.first_mut() {
            if !t.cell.is_empty() {
                t.cell.push(' ');
            }
            t.cell.push_str(p.text.trim());
            return;
        }
        match p.level {
            Some(level) => {
                self.out.element(["h1", "h2", "h3", "h4", "h5", "h6"].get(usize::from(level) - 1).copied().unwrap_or("h6"), &p.text)
            }
            None if p.listed => self.out.element("li", &p.text),
            None => self.out.element("p", &p.text),
        }
    }

    fn end_row(&mut self) {
        if self.tables.len() != 1 {
            return;
        }
        let Some(t) = self.tables.first_mut() else { return };
        let row = std::mem::take(&mut t.row);
        let head = t.head;
        self.out.raw("<tr>");
        for (cell, span) in row {
            let name = if head { "th" } else { "td" };
            self.out.raw(&format!("<{name} colspan=\"{span}\">"));
            self.out.text(&cell);
            self.out.raw(&format!("</{name}>"));
        }
        self.out.raw("</tr>\n");
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.attributes().with_checks(false).flatten().find(|a| a.key.local_name().as_ref() == name.as_bytes())?;
    found.unescape_value().ok().map(|v| v.into_owned())
}
