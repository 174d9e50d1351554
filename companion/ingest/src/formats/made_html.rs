//! HTML that readers of other formats write, to be read as pages are: elements and escaped text, nothing of
//! which comes from the file as markup.

use super::allowance::Allowance;
use super::block::{Block, CharIndex};
use super::{FoundFile, Reading, SourceDocument, address, first_heading, html};
use pocketgraph_native::html::escape_html;

/// Text of a part of a long table: a few rows, which stay in one passage.
const BYTES_OF_A_PART: usize = 1000;

/// A page being written, up to what its file may make.
#[derive(Debug, Default)]
pub(crate) struct Html {
    title: String,
    text: String,
    allowance: Allowance,
}

impl Html {
    /// An empty page, all of whose text is content, of a file of so many bytes.
    pub fn of_file(bytes: usize) -> Html {
        Html { title: String::new(), text: String::new(), allowance: Allowance::of_file(bytes) }
    }

    /// Gives the page a title.
    pub fn title(&mut self, title: &str) {
        self.title = escape_html(title);
    }

    /// Appends markup of our own.
    pub fn raw(&mut self, markup: &str) {
        if self.allowance.take(markup.len()) {
            self.text.push_str(markup);
        }
    }

    /// Appends text.
    pub fn text(&mut self, text: &str) {
        if self.allowance.take(text.len()) {
            self.text.push_str(&escape_html(text));
        }
    }

    /// Appends an element that holds nothing but text; nothing where there is none.
    pub fn element(&mut self, name: &str, text: &str) {
        if !text.trim().is_empty() {
            self.raw(&format!("<{name}>"));
            self.text(text);
            self.raw(&format!("</{name}>\n"));
        }
    }

    /// Appends what a piece of CommonMark says. HTML in it is read as HTML of any page is.
    pub fn markdown(&mut self, text: &str) {
        if self.allowance.take(text.len()) {
            let options = pulldown_cmark::Options::ENABLE_TABLES;
            pulldown_cmark::html::push_html(&mut self.text, pulldown_cmark::Parser::new_ext(text, options));
        }
    }

    /// Appends a table; rows may be of any length, and are made one by one. Nothing where there are none.
    pub fn table<R: IntoIterator<Item: AsRef<str>>>(
        &mut self,
        head: &[&str],
        rows: impl IntoIterator<Item = R>,
    ) {
        let mut rows = rows.into_iter().peekable();
        if rows.peek().is_none() {
            return;
        }
        self.raw("<table>");
        if !head.is_empty() {
            self.raw("<thead><tr>");
            head.iter().for_each(|cell| self.cell("th", cell));
            self.raw("</tr></thead>");
        }
        self.raw("<tbody>");
        for row in rows {
            if self.is_full() {
                break;
            }
            self.raw("<tr>");
            row.into_iter().for_each(|cell| self.cell("td", cell.as_ref()));
            self.raw("</tr>");
        }
        self.raw("</tbody></table>\n");
    }

    /// Appends a long table as several, each with the head, so that a passage of it says what its columns
    /// are.
    pub fn table_in_parts(&mut self, head: &[String], rows: impl IntoIterator<Item = Vec<String>>) {
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let mut part: Vec<Vec<String>> = Vec::new();
        let mut bytes = 0;
        for row in rows {
            let length: usize = row.iter().map(String::len).sum();
            if bytes > 0 && bytes + length > BYTES_OF_A_PART {
                self.table(&head, part.drain(..));
                bytes = 0;
            }
            if self.is_full() {
                return;
            }
            bytes += length;
            part.push(row);
        }
        self.table(&head, part);
    }

    /// Appends a cell; each line of its text is a value of its own.
    fn cell(&mut self, name: &str, text: &str) {
        self.raw(&format!("<{name}>"));
        for (number, line) in text.lines().map(str::trim).filter(|l| !l.is_empty()).enumerate() {
            if number > 0 {
                self.raw("<br>");
            }
            self.text(line);
        }
        self.raw(&format!("</{name}>"));
    }

    /// Counts what is kept in order to be written later; whether it may be.
    pub fn take(&self, bytes: usize) -> bool {
        self.allowance.take(bytes)
    }

    /// Returns true if the file has reached its limit, so that nothing more is written.
    pub fn is_full(&self) -> bool {
        self.allowance.is_spent()
    }

    /// The whole page.
    ///
    /// # Errors
    /// A file that made more than it may, with the reason for the user.
    pub fn finish(self) -> Result<String, String> {
        self.allowance.check()?;
        Ok(format!("<title>{}</title><main>{}", self.title, self.text))
    }
}

/// A page from the HTML that a reader made of its file. Its places are those of that HTML, its address is the
/// file's.
pub(super) fn read_made_page(html: &str, found: &FoundFile, reading: &Reading<'_>) -> SourceDocument {
    let page = html::page(html);
    let index = CharIndex::new(html);
    // Ids in the made page are nobody's.
    let blocks: Vec<Block> = page
        .drafts
        .into_iter()
        .filter_map(|d| d.finish(&index))
        .map(|b| Block { fragment: None, ..b })
        .collect();
    let title = Some(page.title).filter(|t| !t.is_empty()).or_else(|| first_heading(&blocks));
    SourceDocument {
        url: address::published(&found.path, &reading.options.base_url),
        title: title.unwrap_or_default(),
        blocks,
        links: page.links,
        front_matter: page.meta,
        ..SourceDocument::default()
    }
}
