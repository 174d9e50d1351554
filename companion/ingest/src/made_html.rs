//! HTML that readers of other formats write, to be read as pages are: elements and escaped text, nothing of which comes from the file as markup.

use std::fmt::Write;

/// A page being written.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// An empty page with a title, all of whose text is content.
    pub fn titled(title: &str) -> Html {
        let mut html = Html::default();
        html.raw("<title>");
        html.text(title);
        html.raw("</title><main>");
        html
    }

    /// Appends markup of our own.
    pub fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// Appends text.
    pub fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '&' => self.0.push_str("&amp;"),
                c => self.0.push(c),
            }
        }
    }

    /// Appends an element that holds nothing but text; nothing where there is none.
    pub fn element(&mut self, name: &str, text: &str) {
        if !text.trim().is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(self.0, "<{name}>");
            self.text(text);
            let _ = writeln!(self.0, "</{name}>");
        }
    }

    /// Appends what a piece of CommonMark says. HTML in it is read as HTML of any page is.
    pub fn markdown(&mut self, text: &str) {
        let options = pulldown_cmark::Options::ENABLE_TABLES;
        pulldown_cmark::html::push_html(&mut self.0, pulldown_cmark::Parser::new_ext(text, options));
    }

    /// Appends a table; rows may be of any length.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        if rows.is_empty() {
            return;
        }
        self.raw("<table><thead><tr>");
        head.iter().for_each(|cell| self.cell("th", cell));
        self.raw("</tr></thead><tbody>");
        for row in rows {
            self.raw("<tr>");
            row.iter().for_each(|cell| self.cell("td", cell));
            self.raw("</tr>");
        }
        self.raw("</tbody></table>\n");
    }

    fn cell(&mut self, name: &str, text: &str) {
        let _ = write!(self.0, "<{name}>");
        self.text(text);
        let _ = write!(self.0, "</{name}>");
    }

    /// How long it is.
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// The whole page.
    pub fn finish(self) -> String {
        self.0
    }
}
