//! What two full stops begin: directives, footnotes, targets and comments.

use super::super::Link;
use super::super::block::{BlockKind, Draft};
use super::super::data_table::is_head;
use super::super::lines::{Line, join_indented, trim_blank};
use super::super::marked::BlockReader;
use super::{Reader, field_name, table};

/// The treatment of a directive.
enum Use {
    /// Its content is read as text, and so is what stands on its line.
    Text,
    /// The text on its line is a title or a signature; its content is read as text.
    Titled,
    /// Its content is read as text; what stands on its line is for the program.
    Content,
    /// Its content is code.
    Code,
    /// A picture: its description and, below it, its caption.
    Picture,
    /// A list of pages.
    Contents,
    ListTable,
    /// Values separated by commas, as a table.
    Values,
    /// Nothing in it is for readers.
    Nothing,
}

fn use_of(name: &str) -> Use {
    match name {
        "note" | "warning" | "tip" | "important" | "caution" | "danger" | "hint" | "attention" | "error"
        | "seealso" | "todo" => Use::Text,
        "versionadded" | "versionchanged" | "deprecated" | "versionremoved" | "centered"
        | "productionlist" => Use::Text,
        "admonition" | "topic" | "sidebar" | "rubric" | "dropdown" | "tab-item" | "tab" | "card"
        | "grid-item-card" | "table" => Use::Titled,
        "code" | "code-block" | "sourcecode" | "parsed-literal" | "doctest" | "testcode" | "prompt"
        | "math" | "ipython" | "console" => Use::Code,
        "image" | "figure" => Use::Picture,
        "toctree" => Use::Contents,
        "list-table" => Use::ListTable,
        "csv-table" => Use::Values,
        "raw" | "include" | "literalinclude" | "contents" | "sectnum" | "index" | "meta" | "highlight"
        | "role" | "default-role" | "title" | "module" | "currentmodule" | "testsetup" | "testcleanup"
        | "graphviz" | "digraph" | "graph" | "mermaid" | "tabularcolumns" | "bibliography" | "footer"
        | "header" | "target-notes" | "unicode" | "date" | "only-index" | "plot" => Use::Nothing,
        // Those that describe objects, in a domain of a language or in that of Python: py:function, c:macro,
        // option.
        "function" | "class" | "method" | "attribute" | "data" | "exception" | "decorator" | "property"
        | "staticmethod" | "classmethod" | "option" | "cmdoption" | "envvar" | "program" | "confval"
        | "setting" | "describe" | "object" | "type" | "macro" | "var" | "struct" | "enum" | "member" => {
            Use::Titled
        }
        _ if name.starts_with("auto") => Use::Content,
        _ if name.contains(':') && !name.ends_with("module") => Use::Titled,
        _ => Use::Content,
    }
}

impl<'s> Reader<'_, 's> {
    /// Reads `lines`, the first of which begins with two full stops.
    pub(super) fn explicit(&mut self, lines: &[Line<'s>], kind: BlockKind, depth: usize) {
        let Some(first) =
            lines.first().map(|l| l.behind(2)).filter(|_| !lines.iter().all(|l| l.text.starts_with("__ ")))
        else {
            return;
        };
        let below = lines.get(1..).unwrap_or(&[]);
        if let Some(rest) = first.text.strip_prefix('[') {
            // A footnote, or a citation.
            if let Some(label) = rest.bytes().take(64).position(|b| b == b']') {
                self.body(&join_indented(first.behind(label + 2), below), kind, depth + 1);
            }
            return;
        }
        if first.text.starts_with(['_', '|']) {
            return;
        }
        let Some((name, arguments)) = directive(&first) else { return };
        let (options, content) = options(below);
        let option = |name: &str| options.iter().find(|(n, _)| *n == name).map(|(_, l)| *l);
        match use_of(name) {
            Use::Nothing => {}
            Use::Content => self.body(content, kind, depth + 1),
            Use::Text => {
                let mut text = join_indented(arguments, content);
                // Text on the directive's line goes on below it, unless a blank line parts them.
                if below.first().is_none_or(Line::is_blank) || !options.is_empty() {
                    text.insert(1, Line { text: "", ..arguments });
                }
                self.body(&text, kind, depth + 1);
            }
            Use::Titled => {
                if !arguments.is_blank() {
                    self.text(arguments.range(), BlockKind::Term);
                }
                self.body(content, if arguments.is_blank() { kind } else { BlockKind::ListItem }, depth + 1);
            }
            Use::Code => {
                // What stands on the line of mathematics is part of it.
                if name == "math" && !arguments.is_blank() {
                    self.code(&[arguments]);
                }
                self.code(content);
                // The argument of a block of code is its language.
                if name != "math"
                    && let Some(block) = self.page.blocks.last_mut().filter(|b| b.kind == BlockKind::Code)
                {
                    block.note = arguments.text.trim().chars().take(24).collect();
                }
            }
            Use::Picture => {
                if let Some(described) = option("alt") {
                    self.text(described.range(), kind);
                }
                self.body(content, kind, depth + 1);
            }
            Use::Contents => self.contents(content),
            Use::ListTable => {
                let heads = option("header-rows").and_then(|l| l.text.parse().ok()).unwrap_or(0);
                self.table(&table::read_list_table(content), heads);
            }
            Use::Values => {
                let header = option("header");
                let heads = option("header-rows").is_some_and(|l| l.text.trim() != "0");
                let sign = option("delim").map_or("", |l| l.text.trim());
                let lines: Vec<Line<'s>> =
                    header.iter().chain(content.iter()).copied().filter(|l| !l.is_blank()).collect();
                self.values(&lines, sign, header.is_some() || heads);
            }
        }
    }

    /// Links to pages, one a line: `page` or `Title <page>`.
    fn contents(&mut self, lines: &[Line<'s>]) {
        for line in lines.iter().filter(|l| !l.is_blank()) {
            let titled = line.text.strip_suffix('>').and_then(|t| t.rsplit_once('<'));
            let (text, target) = titled.map_or(("", line.text), |(text, target)| (text.trim(), target));
            if !target.contains(['*', '?']) && target != "self" {
                self.page.links.push(Link {
                    target: target.to_owned(),
                    text: text.to_owned(),
                    block: self.page.blocks.len(),
                });
            }
        }
    }

    /// A table of values, which the sign `sign` parts. A value between quotes may go on over lines.
    fn values(&mut self, lines: &[Line<'s>], sign: &str, has_header: bool) {
        let sign = match sign {
            "tab" | "\\t" => b'\t',
            "space" => b' ',
            sign => sign.bytes().next().unwrap_or(b','),
        };
        let mut draft = Draft::new(BlockKind::Table);
        draft.header = has_header;
        let mut at = 0;
        while let Some(first) = lines.get(at) {
            let from = at;
            let mut quotes = 0;
            while let Some(line) = lines.get(at).filter(|_| at == from || quotes % 2 == 1) {
                quotes += line.text.matches('"').count();
                at += 1;
            }
            let row = lines.get(from..at).unwrap_or(&[]);
            // Quotes count behind a comma alone for the one, behind a space for the other.
            let text = row.iter().map(|l| l.text).collect::<Vec<_>>().join(" ").replace(", \"", ",\"");
            let mut reader = csv::ReaderBuilder::new();
            let mut reader = reader
                .has_headers(false)
                .flexible(true)
                .delimiter(sign)
                .trim(csv::Trim::All)
                .from_reader(text.as_bytes());
            let cells: Vec<String> = reader
                .records()
                .flatten()
                .flat_map(|r| r.iter().map(str::to_owned).collect::<Vec<_>>())
                .collect();
            draft.header |= from == 0 && at < lines.len() && is_head(&cells);
            draft.new_line();
            draft.push(&cells.join(" | "), first.start..row.last().map_or(first.end(), Line::end));
        }
        self.finish(draft);
    }
}

/// The name of a directive and what stands behind it on its line.
fn directive<'s>(line: &Line<'s>) -> Option<(&'s str, Line<'s>)> {
    let end = line.text.find("::").filter(|&n| (1..64).contains(&n))?;
    let name = line.text.get(..end)?;
    let named =
        name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'+' | b':'));
    let after = line.text.get(end + 2..)?;
    (named && (after.is_empty() || after.starts_with([' ', '\t']))).then(|| (name, line.behind(end + 2)))
}

/// The options below a directive's line, each with its value, and the content after them.
fn options<'a, 's>(lines: &'a [Line<'s>]) -> (Vec<(&'s str, Line<'s>)>, &'a [Line<'s>]) {
    let mut options = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let Some(name) = field_name(line.text) else { break };
        options.push((name, line.behind(name.len() + 2)));
        at += 1;
        // A value that goes on.
        while lines.get(at).is_some_and(|l| !l.is_blank() && l.indent > line.indent) {
            at += 1;
        }
    }
    (options, trim_blank(lines.get(at..).unwrap_or(&[])))
}
