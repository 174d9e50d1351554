//! MDX to Markdown: what a reader sees of a page with components in it.
//!
//! Imports, exports and expressions go; an expression that is a text stays as that text. A part of another
//! page that is imported is read where it is shown. Components leave what stands in them, and before it what
//! their properties say to readers: titles, labels, descriptions. Nothing is run.

mod syntax;
#[cfg(test)]
mod tests;

use super::front_matter::front_matter;
use super::includes::Includer;
use super::markdown_fence::{Fence, fence_around};
use super::markdown_indented::Moved;
use super::{Format, ReadMethod, markdown, stopwatch};
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;
use syntax::{Property, Tag, expression_end, find_end, is_statement, labels, literal, statement_end, tag};

pub(super) const FORMAT: Format = Format::new("mdx", &["mdx"], ReadMethod::Text(markdown::read_file));

/// Properties whose text readers see.
const SHOWN: [&str; 12] = [
    "title",
    "label",
    "description",
    "summary",
    "caption",
    "heading",
    "header",
    "text",
    "content",
    "question",
    "answer",
    "subtitle",
];

/// Elements of HTML that mean something to the reader of Markdown; others leave what stands in them.
const KEPT: &str = "a img br hr pre code table thead tbody tfoot tr td th caption ul ol li dl dt dd h1 h2 h3 \
                    h4 h5 h6 kbd \
                    sub sup blockquote summary samp var";

/// Elements of which nothing is text.
const DROPPED: [&str; 8] = ["head", "style", "script", "svg", "iframe", "video", "audio", "Head"];

/// Attributes of kept elements that are kept.
const ATTRIBUTES: [&str; 9] = [
    "id",
    "href",
    "src",
    "alt",
    "colspan",
    "rowspan",
    "scope",
    "data-pagefind-ignore",
    "data-pocketgraph-ignore",
];

/// Returns true if a Markdown file is MDX although its name does not show it: it has imports, fences for MDX,
/// or tags with expressions.
pub(crate) fn looks_like(source: &str) -> bool {
    if !source.contains("import ") && !source.contains("mdx-code-block") && !source.contains("={") {
        return false;
    }
    let mut fence = Fence::default();
    source.lines().any(|line| {
        let marks = line.trim();
        let opens = !fence.is_open()
            && marks.starts_with("```")
            && marks.trim_start_matches('`').trim() == "mdx-code-block";
        !fence.takes(marks)
            && line.starts_with("import ")
            && line.contains(" from ")
            && line.trim_end().ends_with(['"', '\'', ';'])
            || opens
            || !fence.is_open() && has_property(marks)
    })
}

/// Returns true if a line begins with a tag that has an expression for a property, which no HTML has.
fn has_property(line: &str) -> bool {
    line.contains("={")
        && tag(line, &Cell::new(line.len()))
            .is_some_and(|tag| tag.properties.iter().any(|p| p.text.is_none() && !p.source.is_empty()))
}

/// A page's text, without its front matter, as Markdown, and where all of it came from.
pub(crate) fn convert_page(source: &str, includer: &Includer<'_>) -> (String, Moved) {
    convert_part(source, includer, &[])
}

fn convert_part(source: &str, includer: &Includer<'_>, given: &[Property]) -> (String, Moved) {
    let mut reader = Reader {
        source,
        at: 0,
        out: String::with_capacity(source.len()),
        origin: Moved::default(),
        imports: HashMap::new(),
        given,
        includer,
        open: Vec::new(),
        fence: Fence::default(),
        pass: 0,
        patience: Cell::new((source.len() + (256 << 10)) * PATIENCE),
    };
    reader.read();
    reader.origin.step(reader.out.len(), source.len());
    (reader.out, reader.origin)
}

/// Elements inside elements.
const DEEPEST: usize = 512;

/// Bytes that are looked at for ends that are not there, for each byte of the source and of 256 kB more.
const PATIENCE: usize = 4;

/// White space before what stands on a line.
const WIDEST: usize = 256;

/// Bytes of code inside a paragraph.
const LONGEST_CODE: usize = 4096;

struct Open {
    name: String,
    column: Option<usize>,
    /// Labels of tabs by their values, and how many tabs there were.
    labels: Vec<(String, String)>,
    children: usize,
}

struct Reader<'a, 's> {
    source: &'s str,
    at: usize,
    out: String,
    /// Maps the written text to its source.
    origin: Moved,
    /// Files that stand for components.
    imports: HashMap<String, String>,
    /// The properties that this part was given.
    given: &'a [Property],
    includer: &'a Includer<'a>,
    open: Vec<Open>,
    fence: Fence,
    /// Fences that are none, still open: their length.
    pass: usize,
    /// Bytes that may still be looked at for ends that are not there.
    patience: Cell<usize>,
}

impl Reader<'_, '_> {
    fn read(&mut self) {
        while self.at < self.source.len() && !stopwatch::is_over() {
            self.line();
        }
    }

    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or("")
    }

    /// Writes what stands at these bytes of the source.
    fn verbatim(&mut self, range: Range<usize>) {
        self.origin.step(self.out.len(), range.start);
        self.out.push_str(self.source.get(range).unwrap_or(""));
    }

    /// Writes a text that stands somewhere in these bytes of the source, or stands for them.
    fn stated_in(&mut self, text: &str, range: Range<usize>) {
        match self.source.get(range.clone()).and_then(|s| s.find(text)).filter(|_| !text.is_empty()) {
            Some(found) => self.verbatim(range.start + found..range.start + found + text.len()),
            None => {
                self.origin.step(self.out.len(), range.start);
                self.out.push_str(text);
            }
        }
    }

    fn line(&mut self) {
        let rest = self.source.get(self.at..).unwrap_or("");
        let line = rest.split_inclusive('\n').next().unwrap_or("");
        let text = line.trim();
        let column = line.len() - line.trim_start_matches([' ', '\t']).len();
        if !text.is_empty()
            && let Some(open) = self.open.last_mut()
            && open.column.is_none()
            && !text.starts_with("</")
        {
            open.column = Some(column);
        }
        let shift = self.open.iter().rev().take(DEEPEST).find_map(|o| o.column).unwrap_or(0).min(column);
        let shown = line.get(shift..).unwrap_or(line);
        let marks = text.bytes().take_while(|&b| b == b'`').count();
        if !self.fence.is_open() && marks >= 3 {
            let info = text.get(marks..).unwrap_or("").trim();
            if info == "mdx-code-block" || self.pass > 0 && info.is_empty() && marks >= self.pass {
                self.pass = if info.is_empty() { 0 } else { marks };
                self.at += line.len();
                self.out.push('\n');
                return;
            }
        }
        if self.fence.takes(text) {
            self.verbatim(self.at + (line.len() - shown.len())..self.at + line.len());
            self.at += line.len();
            return;
        }
        if column == shift && is_statement(shown) {
            let end = self.at + shift + statement_end(rest.get(shift..).unwrap_or(""));
            self.import(self.source.get(self.at + shift..end).unwrap_or(""));
            self.at = end;
            // What follows is another paragraph.
            if !self.out.ends_with("\n\n") {
                self.out.push('\n');
            }
            return;
        }
        self.at += shift;
        self.running();
    }

    fn import(&mut self, statement: &str) {
        let Some((names, from)) = statement.strip_prefix("import ").and_then(|s| s.rsplit_once(" from "))
        else {
            return;
        };
        let path = from.trim().trim_end_matches(';').trim_matches(['"', '\'']);
        let name = names.split(',').next().unwrap_or("").trim();
        if (path.ends_with(".md") || path.ends_with(".mdx")) && !name.starts_with('{') {
            self.imports.insert(name.to_owned(), path.to_owned());
        }
    }

    /// Reads the rest of a line of running text, and further where an element or an expression goes on.
    fn running(&mut self) {
        let heading = self.rest().starts_with('#');
        while let Some(c) = self.rest().chars().next() {
            match c {
                '\n' => {
                    self.verbatim(self.at..self.at + 1);
                    self.at += 1;
                    return;
                }
                '\\' => {
                    // What is escaped is no mark of MDX; of Markdown it may be.
                    let next = self.rest().chars().nth(1);
                    if !matches!(next, Some('{' | '}')) {
                        self.verbatim(self.at..self.at + 1);
                    }
                    if let Some(next) = next.filter(|n| *n != '\n') {
                        self.verbatim(self.at + 1..self.at + 1 + next.len_utf8());
                        self.at += next.len_utf8();
                    }
                    self.at += 1;
                }
                '`' => self.code(),
                '{' => self.expression(heading),
                '<' if self.element(heading) => {}
                _ => {
                    let end =
                        self.rest().find(['\n', '\\', '`', '{', '<']).filter(|&n| n > 0).unwrap_or_else(
                            || match c {
                                '<' => self
                                    .rest()
                                    .get(1..)
                                    .and_then(|r| r.find(['\n', '\\', '`', '{', '<']))
                                    .map_or(self.rest().len(), |n| n + 1),
                                _ => self.rest().len(),
                            },
                        );
                    self.verbatim(self.at..self.at + end);
                    self.at += end.max(1);
                }
            }
        }
    }

    /// Code inside a paragraph, as it stands.
    fn code(&mut self) {
        let rest = self.source.get(self.at..).unwrap_or("");
        let marks = rest.len() - rest.trim_start_matches('`').len();
        let rest = rest.get(..rest.floor_char_boundary(LONGEST_CODE.max(marks))).unwrap_or(rest);
        let paragraph = rest.find("\n\n").unwrap_or(rest.len());
        let mut from = marks;
        let mut end = marks;
        while let Some(found) = rest.get(from..paragraph).and_then(|r| r.find('`')) {
            let start = from + found;
            let run = rest.get(start..).map_or(0, |r| r.len() - r.trim_start_matches('`').len());
            from = start + run;
            if run == marks {
                end = from;
                break;
            }
        }
        self.verbatim(self.at..self.at + end);
        self.at += end;
    }

    fn expression(&mut self, heading: bool) {
        let rest = self.source.get(self.at..).unwrap_or("");
        let Some(end) = expression_end(rest, &self.patience) else {
            self.verbatim(self.at..self.at + 1);
            self.at += 1;
            return;
        };
        let whole = self.at..self.at + end;
        let inner = rest.get(1..end - 1).unwrap_or("").trim();
        self.at += end;
        if heading
            && let Some(id) = inner
                .strip_prefix('#')
                .or_else(|| inner.strip_prefix("/*")?.strip_suffix("*/")?.trim().strip_prefix('#'))
        {
            self.stated_in(&format!("{{#{id}}}"), whole);
            return;
        }
        match literal(inner) {
            Some(text) if text.contains('\n') => {
                let fence = fence_around(&text);
                self.block("", whole.clone());
                self.out.push_str(&fence);
                self.out.push('\n');
                self.stated_in(text.trim_matches('\n'), whole.clone());
                self.origin.step(self.out.len(), whole.end);
                self.out.push('\n');
                self.out.push_str(&fence);
                self.block("", whole.end..whole.end);
            }
            Some(text) => self.stated_in(&text, whole),
            None => {
                let property = inner.strip_prefix("props.").unwrap_or(inner);
                if let Some(given) =
                    self.given.iter().find(|p| p.name == property).and_then(|p| p.text.clone())
                {
                    self.stated_in(&given, whole);
                } else if inner.contains('<') && !inner.starts_with("/*") {
                    // Elements inside an expression, such as those of a list that is made: their text is not
                    // known to be shown.
                }
            }
        }
    }

    /// Reads a tag; whether there is one.
    fn element(&mut self, heading: bool) -> bool {
        let rest = self.source.get(self.at..).unwrap_or("");
        if let Some(end) = rest.strip_prefix("<!--").and_then(|r| find_end(r, "-->", &self.patience)) {
            self.at += end + 7;
            return true;
        }
        let Some(Tag { name, properties, closing, closed, length }) = tag(rest, &self.patience) else {
            return false;
        };
        let after = self.at + length;
        let whole = self.at..after;
        if closing {
            self.at = after;
            self.close(&name, whole);
            return true;
        }
        if DROPPED.contains(&name.as_str()) {
            let end = format!("</{name}>");
            let skipped = if closed {
                0
            } else {
                rest.get(length..)
                    .and_then(|r| find_end(r, &end, &self.patience))
                    .map_or(0, |n| n + end.len())
            };
            self.at = after + skipped;
            return true;
        }
        self.at = after;
        if let Some(path) = self.imports.get(&name).cloned() {
            self.import_at(&path, &properties, whole);
            if !closed {
                self.enter(name, &properties);
            }
            return true;
        }
        let stays = is_kept(&name)
            || properties.iter().any(|p| {
                matches!(p.name.as_str(), "data-pagefind-ignore" | "data-pocketgraph-ignore")
                    && name.starts_with(char::is_lowercase)
            });
        if stays {
            self.origin.step(self.out.len(), whole.start);
            self.push_component(&name, &properties, closed);
            return true;
        }
        let own_line = self.begins_line() && !heading;
        let markdown = self.properties_markdown(&name, &properties);
        let rest = self.rest();
        let alone = own_line
            && (rest.trim_start_matches([' ', '\t']).starts_with(['\n', '<', '{']) || rest.trim().is_empty());
        match (markdown.is_empty(), own_line) {
            (false, true) => self.block(&markdown, whole),
            (false, false) if !heading => {
                self.origin.step(self.out.len(), whole.start);
                if !self.out.ends_with(char::is_whitespace) {
                    self.out.push(' ');
                }
                self.out.push_str(&markdown.replace('\n', " "));
            }
            (true, true) if alone && name.starts_with(char::is_uppercase) => self.block("", whole),
            (true, true) if is_block(&name) => self.block("", whole),
            _ => {}
        }
        if !closed {
            self.enter(name, &properties);
        }
        true
    }

    /// Returns true if the line has nothing but white space so far. More white space than anybody indents by
    /// also begins a line.
    fn begins_line(&self) -> bool {
        self.out.chars().rev().take(WIDEST).take_while(|c| *c != '\n').all(char::is_whitespace)
    }

    /// Writes a block of its own in place of these bytes of the source.
    fn block(&mut self, text: &str, whole: Range<usize>) {
        let end = self.out.trim_end_matches([' ', '\t']).len();
        self.out.truncate(end);
        self.origin.truncate(end);
        self.origin.step(end, whole.start);
        while !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        if !text.is_empty() {
            self.stated_in(text.trim_end(), whole.clone());
            // Behind all that was said, so that places ascend.
            self.origin.step(self.out.len(), whole.end);
            self.out.push_str("\n\n");
        }
        // What follows on the line begins a paragraph.
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
    }

    fn enter(&mut self, name: String, properties: &[Property]) {
        let of = |wanted: &str| properties.iter().find(|p| p.name == wanted);
        let values = of("values").map(|p| labels(&p.source)).unwrap_or_default();
        let items = of("items").map(|p| syntax::texts(&p.source)).unwrap_or_default();
        let labels = values
            .into_iter()
            .chain(items.into_iter().enumerate().map(|(i, label)| (format!("\0{i}"), label)))
            .collect();
        self.open.push(Open { name, column: None, labels, children: 0 });
    }

    fn close(&mut self, name: &str, whole: Range<usize>) {
        if let Some(up) = self.open.iter().rev().take(DEEPEST).position(|o| o.name == name) {
            self.open.truncate(self.open.len() - 1 - up);
            if name.starts_with(char::is_uppercase) && self.begins_line() || is_block(name) {
                self.block("", whole);
            }
        } else if is_kept(name) {
            self.origin.step(self.out.len(), whole.start);
            let _ = write!(self.out, "</{name}>");
        }
    }

    fn push_component(&mut self, name: &str, properties: &[Property], closed: bool) {
        let _ = write!(self.out, "<{name}");
        for property in properties.iter().filter(|p| ATTRIBUTES.contains(&p.name.as_str())) {
            match &property.text {
                Some(text) => {
                    let _ = write!(
                        self.out,
                        " {}=\"{}\"",
                        property.name,
                        text.replace('"', "&quot;").replace('\n', " ")
                    );
                }
                None if property.source.is_empty() => {
                    let _ = write!(self.out, " {}", property.name);
                }
                None => {}
            }
        }
        self.out.push_str(if closed { " />" } else { ">" });
        if !closed && !is_kept(name) {
            // Its end tag has to be kept, too.
            self.open.retain(|o| o.name != name);
        }
    }

    /// Returns the properties of a component that readers see, as Markdown.
    fn properties_markdown(&mut self, name: &str, properties: &[Property]) -> String {
        let of = |wanted: &str| {
            properties
                .iter()
                .find(|p| p.name == wanted)
                .and_then(|p| p.text.as_deref())
                .map(str::trim)
                .filter(|t| !t.is_empty())
        };
        if name.starts_with(char::is_lowercase) {
            return String::new();
        }
        let tab = matches!(name, "TabItem" | "Tab" | "Tabs.Tab" | "TabPanel");
        if tab {
            let Some(parent) = self.open.last_mut() else {
                return of("label").or(of("value")).unwrap_or("").to_owned();
            };
            let numbered = format!("\0{}", parent.children);
            parent.children += 1;
            let key = of("value").map_or(numbered, str::to_owned);
            let listed = parent.labels.iter().find(|(v, _)| *v == key).map(|(_, label)| label.clone());
            return of("label")
                .map(str::to_owned)
                .or(listed)
                .or_else(|| of("title").or(of("value")).map(str::to_owned))
                .unwrap_or_default();
        }
        let mut parts: Vec<String> = Vec::new();
        let target = of("href").or(of("to")).or(of("link"));
        for shown in SHOWN {
            let Some(text) = of(shown) else { continue };
            let linked = parts.is_empty() && matches!(shown, "title" | "label" | "text");
            match target.filter(|t| linked && !t.contains([' ', ')'])) {
                Some(target) => parts.push(format!("[{text}]({target})")),
                None => parts.push(text.to_owned()),
            }
        }
        parts.join("\n\n")
    }

    fn import_at(&mut self, path: &str, properties: &[Property], whole: Range<usize>) {
        let made = self.includer.within(path, |_, text| {
            let text = text.get(front_matter(text).1..).unwrap_or(text);
            let text = super::includes::markdown(text, self.includer);
            Some(convert_part(&text, self.includer, properties).0)
        });
        match made {
            Some(text) if self.begins_line() => self.block(text.trim(), whole),
            Some(text) => {
                self.origin.step(self.out.len(), whole.start);
                self.out.push_str(text.trim());
            }
            None => {}
        }
    }
}

fn is_kept(name: &str) -> bool {
    KEPT.split_whitespace().any(|kept| kept == name)
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "div"
            | "section"
            | "p"
            | "article"
            | "main"
            | "figure"
            | "figcaption"
            | "center"
            | "details"
            | "aside"
            | "header"
            | "footer"
    )
}
