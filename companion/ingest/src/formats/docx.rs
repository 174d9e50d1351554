//! DOCX: the text of a word processor's document as its readers see it, with headings, lists, tables, notes
//! and what stands in boxes. What was deleted or moved away, hidden text, instructions of fields and tables
//! of contents are not read.

use super::archive::Archive;
use super::docx_styles::{Numberings, Style, is_on, outline, styles};
use super::made_html::Html;
use super::story::{Kind, Story};
use super::xml::{self, Visitor, attribute, count};
use super::{Format, ReadMethod};
use pocketgraph_native::html::escape_html;
use quick_xml::events::BytesStart;
use std::collections::HashMap;

/// Boxes inside boxes.
const DEEPEST: usize = 64;

pub(super) const FORMAT: Format = Format::new(
    "docx",
    &["docx", "docm"],
    ReadMethod::Archive(|bytes, limit| Ok((write_html(bytes, limit)?, None))),
);

/// Writes the document as HTML.
fn write_html(bytes: Vec<u8>, limit: u64) -> Result<String, String> {
    let mut out = Html::of_file(bytes.len());
    let mut archive = Archive::open(bytes, limit)?;
    let text = archive.text("word/document.xml")?.ok_or("no DOCX: it has no word/document.xml")?;
    let fonts = archive.text("word/fontTable.xml")?.unwrap_or_default();
    let styles = archive.text("word/styles.xml")?.map(|t| styles(&t, &fonts)).unwrap_or_default();
    let numberings = archive.text("word/numbering.xml")?.map(|t| Numberings::read(&t)).unwrap_or_default();
    let mut notes = HashMap::new();
    for (file, kind) in [("word/footnotes.xml", "footnote"), ("word/endnotes.xml", "endnote")] {
        if let Some(text) = archive.text(file)? {
            notes.extend(read_notes(&text, kind)?);
        }
    }
    out.title(
        &archive.text("docProps/core.xml")?.and_then(|t| xml::text_of(&t, "title")).unwrap_or_default(),
    );
    let mut reader = Reader { story: Story::new(out), styles, numberings, notes, ..Reader::default() };
    xml::walk_xml(&text, &mut reader)?;
    reader.end_paragraph();
    reader.story.finish().finish()
}

/// The notes of a kind by their ids, which begin with the kind.
fn read_notes(text: &str, kind: &'static str) -> Result<HashMap<String, String>, String> {
    let mut notes =
        Notes { kind, id: None, run: Run::default(), hidden: 0, shown: false, all: HashMap::new() };
    xml::walk_xml(text, &mut notes)?;
    Ok(notes.all)
}

struct Notes {
    kind: &'static str,
    id: Option<String>,
    run: Run,
    hidden: usize,
    shown: bool,
    all: HashMap<String, String>,
}

impl Visitor for Notes {
    fn start(&mut self, name: &str, e: &BytesStart<'_>) {
        self.hidden += usize::from(is_hidden(name));
        self.shown = name == "t";
        match name {
            // Lines between notes and text are notes of a type.
            _ if name == self.kind => {
                self.id = attribute(e, "id").filter(|_| attribute(e, "type").is_none_or(|t| t == "normal"))
            }
            "r" => self.run = Run::default(),
            "p" => {
                if let Some(note) =
                    self.id.as_ref().and_then(|id| self.all.get_mut(&format!("{}{id}", self.kind)))
                {
                    note.push(' ');
                }
            }
            _ => self.run.property(name, e),
        }
    }

    fn end(&mut self, name: &str) {
        self.shown = false;
        self.hidden = self.hidden.saturating_sub(usize::from(is_hidden(name)));
    }

    fn text(&mut self, text: &str) {
        if let Some(id) = self.id.as_ref().filter(|_| self.shown && self.hidden == 0 && !self.run.hidden) {
            self.run.write(text, self.all.entry(format!("{}{id}", self.kind)).or_default());
        }
    }
}

/// Returns true if readers never see an element's content: deleted or moved text, the look before a change,
/// and the replacement of a drawing for older programs.
fn is_hidden(name: &str) -> bool {
    matches!(name, "del" | "moveFrom" | "Fallback") || name.ends_with("PrChange")
}

/// The look of the letters that follow.
#[derive(Default, Clone)]
struct Run {
    hidden: bool,
    raised: Option<&'static str>,
}

impl Run {
    fn property(&mut self, name: &str, e: &BytesStart<'_>) {
        let value = || attribute(e, "val").unwrap_or_default();
        match name {
            "vanish" => self.hidden = is_on(&value()),
            "vertAlign" => {
                self.raised = match value().as_str() {
                    "superscript" => Some("sup"),
                    "subscript" => Some("sub"),
                    _ => None,
                }
            }
            _ => {}
        }
    }

    fn write(&self, text: &str, out: &mut String) {
        match self.raised {
            Some(name) => out.push_str(&format!("<{name}>{}</{name}>", escape_html(text))),
            None => out.push_str(&escape_html(text)),
        }
    }
}

/// A paragraph that is being read.
#[derive(Default)]
struct Paragraph {
    style: Style,
    /// Level and list of the paragraph itself, which replace those of its style. An inner `None` is no
    /// heading.
    level: Option<Option<u8>>,
    numbering: Option<String>,
    list_level: Option<usize>,
    html: String,
    /// The paragraphs of boxes that hang on it.
    boxes: Vec<(Kind, String)>,
}

/// A field whose result is being read, or whose instruction is.
#[derive(Default)]
struct Field {
    instruction: String,
    hides: bool,
}

#[derive(Default)]
struct Reader {
    story: Story,
    styles: HashMap<String, Style>,
    numberings: Numberings,
    notes: HashMap<String, String>,
    paragraph: Option<Paragraph>,
    /// Paragraphs around the boxes that are open, with the look of their letters.
    around: Vec<(Option<Paragraph>, Option<Run>)>,
    /// Boxes in boxes beyond those.
    deeper: usize,
    run: Option<Run>,
    fields: Vec<Field>,
    /// Elements open whose text is shown elsewhere or not at all.
    hidden: usize,
    /// Content controls that are open; whether each shows but what is to be filled in.
    controls: Vec<bool>,
    /// Number of open controls that show only a placeholder.
    unfilled: usize,
    /// Kind of the text in the element that is open.
    inside: Inside,
}

#[derive(PartialEq, Eq, Default)]
enum Inside {
    Text,
    Instruction,
    #[default]
    Other,
}

impl Visitor for Reader {
    fn start(&mut self, name: &str, e: &BytesStart<'_>) {
        self.hidden += usize::from(is_hidden(name));
        self.inside = match name {
            "t" => Inside::Text,
            "instrText" => Inside::Instruction,
            _ => Inside::Other,
        };
        match name {
            "fldChar" => self.field(&attribute(e, "fldCharType").unwrap_or_default()),
            "sdt" => self.controls.push(false),
            "showingPlcHdr" => {
                if let Some(control) = self.controls.last_mut().filter(|c| !**c) {
                    *control = true;
                    self.unfilled += 1;
                }
            }
            "txbxContent" if self.around.len() < DEEPEST => {
                self.around.push((self.paragraph.take(), self.run.take()))
            }
            "txbxContent" => self.deeper += 1,
            "p" => self.paragraph = Some(Paragraph::default()),
            "r" => self.run = Some(Run::default()),
            _ if self.is_hidden() => {}
            "tbl" | "tr" | "tc" | "tblHeader" | "gridSpan" | "vMerge" if self.around.is_empty() => {
                self.start_of_table(name, e)
            }
            _ => self.start_of_text(name, e),
        }
    }

    fn end(&mut self, name: &str) {
        self.inside = Inside::Other;
        self.hidden = self.hidden.saturating_sub(usize::from(is_hidden(name)));
        match name {
            "sdt" => {
                self.unfilled -= usize::from(self.controls.pop() == Some(true));
            }
            "p" => self.end_paragraph(),
            "r" => self.run = None,
            "txbxContent" if self.deeper > 0 => self.deeper -= 1,
            "txbxContent" => {
                self.end_paragraph();
                if let Some((paragraph, run)) = self.around.pop() {
                    (self.paragraph, self.run) = (paragraph, run);
                }
            }
            "tr" if self.around.is_empty() => self.story.end_row(),
            "tbl" if self.around.is_empty() => self.story.end_table(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        match self.inside {
            Inside::Instruction => {
                if let Some(field) = self.fields.last_mut() {
                    field.instruction.push_str(text);
                }
            }
            Inside::Text if !self.is_hidden() => {
                if let Some(p) = &mut self.paragraph {
                    self.run.clone().unwrap_or_default().write(text, &mut p.html);
                }
            }
            _ => {}
        }
    }
}

impl Reader {
    fn is_hidden(&self) -> bool {
        self.hidden > 0
            || self.run.as_ref().is_some_and(|r| r.hidden)
            || self.fields.iter().any(|f| f.hides)
            || self.unfilled > 0
    }

    /// A field begins, its instruction ends, or its result does.
    fn field(&mut self, part: &str) {
        match part {
            "begin" if self.fields.len() < 64 => self.fields.push(Field::default()),
            "separate" => {
                if let Some(field) = self.fields.last_mut() {
                    field.hides = field
                        .instruction
                        .split_whitespace()
                        .next()
                        .is_some_and(|name| name.eq_ignore_ascii_case("TOC"));
                }
            }
            "end" => drop(self.fields.pop()),
            _ => {}
        }
    }

    fn start_of_table(&mut self, name: &str, e: &BytesStart<'_>) {
        let value = || attribute(e, "val").unwrap_or_default();
        match name {
            "tbl" => self.story.begin_table(),
            "tr" => self.story.begin_row(),
            "tblHeader" if is_on(&value()) => self.story.is_head(),
            "tc" => self.story.begin_cell(),
            "gridSpan" => self.story.spans(count(e, "val"), None),
            "vMerge" if value() != "restart" => self.story.goes_on(),
            _ => {}
        }
    }

    fn start_of_text(&mut self, name: &str, e: &BytesStart<'_>) {
        let value = || attribute(e, "val").unwrap_or_default();
        let Some(p) = &mut self.paragraph else { return };
        match name {
            "pStyle" => p.style = self.styles.get(&value()).cloned().unwrap_or_default(),
            "outlineLvl" => p.level = Some(outline(&value())),
            "numId" => p.numbering = Some(value()),
            "ilvl" => p.list_level = value().parse().ok(),
            "rStyle" => {
                if let Some(run) = &mut self.run {
                    run.hidden = self.styles.get(&value()).is_some_and(|s| s.hidden);
                }
            }
            "tab" | "ptab" if self.run.is_some() => p.html.push(' '),
            "cr" => p.html.push_str("<br>"),
            "br" => p.html.push_str(if attribute(e, "type").is_some_and(|t| t != "textWrapping") {
                " "
            } else {
                "<br>"
            }),
            "noBreakHyphen" => p.html.push('-'),
            "sym" => p.html.push_str(symbol(&attribute(e, "char").unwrap_or_default())),
            "docPr" => {
                if let Some(described) = attribute(e, "descr").filter(|d| !d.trim().is_empty()) {
                    p.html.push_str(&format!("<img alt=\"{}\">", escape_html(&described)));
                }
            }
            "footnoteReference" | "endnoteReference" => {
                let id = format!(
                    "{}{}",
                    name.trim_end_matches("Reference"),
                    attribute(e, "id").unwrap_or_default()
                );
                // In its place once, however often it is referred to.
                if let Some(note) = self.notes.remove(&id).filter(|n| !n.trim().is_empty()) {
                    p.html.push_str(&format!(" ({})", note.trim()));
                }
            }
            _ => {
                if let Some(run) = &mut self.run {
                    run.property(name, e);
                }
            }
        }
    }

    fn end_paragraph(&mut self) {
        let Some(mut p) = self.paragraph.take() else { return };
        let level = p.level.unwrap_or(p.style.level);
        let numbering = p.numbering.take().or_else(|| p.style.numbering.clone()).filter(|n| n != "0");
        let list_level = p.list_level.or(p.style.list_level).unwrap_or(0);
        if p.html.trim().is_empty() || p.style.contents || p.style.hidden {
            p.html.clear();
        }
        let kind = match (level, numbering) {
            (Some(level), _) => Kind::Heading(level.min(6)),
            (None, None) if p.style.code => Kind::Code,
            (None, Some(numbering)) if !p.html.is_empty() => {
                Kind::Item(list_level, self.numberings.next(&numbering, list_level))
            }
            _ => Kind::Text,
        };
        if let Some(outer) = self.around.first_mut().and_then(|(p, _)| p.as_mut()) {
            if !p.html.is_empty() {
                outer.boxes.push((kind, p.html));
            }
            outer.boxes.append(&mut p.boxes);
            return;
        }
        self.story.paragraph(&kind, &p.html);
        for (kind, html) in p.boxes {
            self.story.paragraph(&kind, &html);
        }
    }
}

/// Returns the character that a sign of the usual symbol fonts shows; empty if it has no meaning.
fn symbol(code: &str) -> &'static str {
    match code.to_ascii_uppercase().trim_start_matches(['0', 'F']) {
        "C" | "50" | "52" => "✓",
        "B" | "4F" | "51" | "53" => "✗",
        _ => "",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Write;

    fn document(parts: &[(&str, &str)]) -> String {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, text) in parts {
            zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        write_html(zip.finish().unwrap().into_inner(), 1 << 20).unwrap()
    }

    fn body(text: &str) -> String {
        document(&[(
            "word/document.xml",
            &format!("<w:document xmlns:w='u'><w:body>{text}</w:body></w:document>"),
        )])
    }

    fn paragraph(text: &str) -> String {
        format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
    }

    #[test]
    fn lines_of_code_are_one_block() {
        let styled = |(style, text): (&str, &str)| {
            format!("<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
        };
        let styles = "<s><style styleId='C'><rFonts ascii='Courier New'/></style></s>";
        let fonts = "<f><font name='Arial'/><font name='Courier New'><pitch val='fixed'/></font></f>";
        let text = [("P", "Run"), ("C", "make"), ("C", "make install"), ("P", "Done.")].map(styled);
        let made = document(&[
            ("word/styles.xml", styles),
            ("word/fontTable.xml", fonts),
            (
                "word/document.xml",
                &format!("<w:document xmlns:w='u'><w:body>{}</w:body></w:document>", text.concat()),
            ),
        ]);
        assert!(made.contains("<p>Run</p>\n<pre>make\nmake install</pre>\n<p>Done.</p>"), "{made}");
    }

    #[test]
    fn a_box_does_not_cut_the_paragraph_around_it() {
        let inner = paragraph("Boxed.");
        let made = body(&format!(
            "<w:p><w:r><w:t>Before</w:t></w:r><w:r><w:txbxContent>{inner}</w:txbxContent></w:r><w:r><\
             w:t> after.</w:t></w:r></w:p>"
        ));
        assert!(made.contains("<p>Before after.</p>\n<p>Boxed.</p>"), "{made}");
    }

    #[test]
    fn what_is_moved_away_deleted_or_hidden_is_not_read_and_what_is_inserted_is() {
        let run = |t: &str| format!("<w:r><w:t>{t}</w:t></w:r>");
        let made = body(&format!(
            "<w:p><w:moveFrom>{}</w:moveFrom><w:del>{}</w:del><w:ins>{}</w:ins><w:moveTo>{}</w:moveTo>\
             <w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:rPr><w:vanish \
             w:val='0'/></w:rPr><w:t>shown</w:t></w:r></w:p>",
            run("moved "),
            run("gone "),
            run("new "),
            run("here ")
        ));
        assert!(made.ends_with("<p>new here shown</p>\n"), "{made}");
    }

    #[test]
    fn notes_are_read_where_they_are_referred_to() {
        let notes = "<w:footnotes><w:footnote w:type='separator' w:id='0'><w:p/></w:footnote><w:footnote \
            w:id='2'><w:p><w:r><w:t>By hand.</w:t></w:r></w:p></w:footnote></w:footnotes>";
        let text = "<w:body><w:p><w:r><w:t>Inspected</w:t></w:r><w:r><w:footnoteReference \
            w:id='2'/></w:r><w:r><w:t>.</w:t></w:r></w:p></w:body>";
        assert!(
            document(&[("word/document.xml", text), ("word/footnotes.xml", notes)])
                .contains("Inspected (By hand.).")
        );
    }

    #[test]
    fn cells_that_are_one_are_written_once_over_their_rows() {
        let cell =
            |merge: &str, text: &str| format!("<w:tc><w:tcPr>{merge}</w:tcPr>{}</w:tc>", paragraph(text));
        let made = body(&format!(
            "<w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>",
            cell("<w:vMerge w:val='restart'/>", "Both"),
            cell("", "one"),
            cell("<w:vMerge/>", ""),
            cell("", "two")
        ));
        assert!(made.contains("rowspan=\"2\">Both</td>") && made.matches("Both").count() == 1, "{made}");
    }

    #[test]
    fn a_small_file_that_makes_much_text_is_refused() {
        let cell = format!("<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>", paragraph(&"word ".repeat(1000)));
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        zip.start_file("word/document.xml", zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(format!("<w:body>{}</w:body>", cell.repeat(1000)).as_bytes()).unwrap();
        assert!(
            write_html(zip.finish().unwrap().into_inner(), 64 << 20).unwrap_err().contains("times its size")
        );
    }

    #[test]
    fn headings_follow_styles_and_outlines_and_contents_are_left_out() {
        let styles = "<w:styles><w:style w:styleId='A'><w:name w:val='heading 2'/></w:style><w:style \
                      w:styleId='B'><w:name w:val='mine'/><w:basedOn w:val='A'/></w:style>\
                      <w:style w:styleId='C'><w:name w:val='toc 1'/></w:style></w:styles>";
        let with = |properties: &str, text: &str| {
            format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
        };
        let text = format!(
            "<w:body>{}{}{}{}</w:body>",
            with("<w:pStyle w:val='B'/>", "Based"),
            with("<w:outlineLvl w:val='0'/>", "Outlined"),
            with("<w:pStyle w:val='C'/>", "Contents 7"),
            with("<w:pPrChange><w:pPr><w:pStyle w:val='A'/></w:pPr></w:pPrChange>", "Text")
        );
        let made = document(&[("word/document.xml", &text), ("word/styles.xml", styles)]);
        assert!(made.ends_with("<h2>Based</h2>\n<h1>Outlined</h1>\n<p>Text</p>\n"), "{made}");
    }
}
