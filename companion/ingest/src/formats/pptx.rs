//! PPTX: the slides of a presentation as sections, with their tables and the speaker's notes.

use super::archive::Archive;
use super::made_html::Html;
use super::ooxml::relations;
use super::story::{Kind, Marker, Story};
use super::xml::{self, Visitor, attribute, count};
use super::{Format, ReadMethod};
use pocketgraph_native::html::escape_html;
use quick_xml::events::BytesStart;

const PRESENTATION: &str = "ppt/presentation.xml";

/// Paragraphs, rows and cells of a slide.
const MOST_PARTS: usize = 1 << 20;

pub(super) const FORMAT: Format = Format::new(
    "pptx",
    &["pptx", "pptm"],
    ReadMethod::Archive(|bytes, limit| Ok((write_html(bytes, limit)?, None))),
);

/// Writes the presentation as HTML.
fn write_html(bytes: Vec<u8>, limit: u64) -> Result<String, String> {
    let mut out = Html::of_file(bytes.len());
    let mut archive = Archive::open(bytes, limit)?;
    let text = archive.text(PRESENTATION)?.ok_or("no PPTX: it has no ppt/presentation.xml")?;
    let files = relations(&mut archive, PRESENTATION)?;
    out.title(
        &archive.text("docProps/core.xml")?.and_then(|t| xml::text_of(&t, "title")).unwrap_or_default(),
    );
    let mut slides = Vec::new();
    xml::elements(&text, |name, e| {
        if name == "sldId" {
            // Its other id is a number.
            let mut attributes = e.attributes();
            let ids = attributes
                .with_checks(false)
                .flatten()
                .filter_map(|a| a.unescape_value().ok().map(|v| v.into_owned()));
            slides.extend(ids.filter_map(|id| files.get(&id)).map(|(file, _)| file.clone()).next());
        }
    });
    let mut story = Story::new(out);
    for (number, file) in (1..).zip(slides) {
        let Some(text) = archive.text(&file)? else { continue };
        let mut slide = Slide::default();
        xml::walk_xml(&text, &mut slide)?;
        if slide.hidden {
            continue;
        }
        let notes = relations(&mut archive, &file)?.into_values().find(|(_, kind)| kind == "notesSlide");
        let title = if slide.title.trim().is_empty() {
            format!("Slide {number}")
        } else {
            std::mem::take(&mut slide.title)
        };
        story.paragraph(&Kind::Heading(2), &title);
        slide.write(&mut story);
        if let Some((file, _)) = notes
            && let Some(text) = archive.text(&file)?
        {
            let mut notes = Slide { notes: true, ..Slide::default() };
            xml::walk_xml(&text, &mut notes)?;
            notes.write(&mut story);
        }
    }
    story.finish().finish()
}

/// A part of a slide.
enum Part {
    Paragraph(Kind, String),
    BeginTable,
    BeginRow,
    BeginCell(Option<usize>, Option<usize>),
    EndRow,
    EndTable,
}

/// A shape's part in its slide.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Title,
    /// Its paragraphs are items unless they say otherwise.
    Body,
    /// A number, a date or a picture of the slide.
    Furniture,
    #[default]
    Other,
}

#[derive(Default)]
struct Slide {
    /// True for notes; only their body is read.
    notes: bool,
    hidden: bool,
    title: String,
    parts: Vec<Part>,
    shape: Shape,
    /// The paragraph that is open, and how deep in lists.
    text: String,
    depth: usize,
    marker: Option<Marker>,
    /// Numbers of the items that came before, by depth.
    numbers: [u32; 9],
    in_table: bool,
    is_field: bool,
    covered: bool,
    shown: bool,
}

impl Visitor for Slide {
    fn start(&mut self, name: &str, e: &BytesStart<'_>) {
        self.shown = name == "t";
        match name {
            "sld" => self.hidden = attribute(e, "show").is_some_and(|v| v == "0" || v == "false"),
            "sp" | "graphicFrame" => self.shape = Shape::Other,
            "ph" => {
                self.shape = match attribute(e, "type").as_deref() {
                    Some("title" | "ctrTitle") => Shape::Title,
                    Some("dt" | "ftr" | "sldNum" | "hdr" | "sldImg") => Shape::Furniture,
                    Some("subTitle") => Shape::Other,
                    _ => Shape::Body,
                }
            }
            "cNvPr" => {
                if let Some(described) = attribute(e, "descr").filter(|d| !d.trim().is_empty() && !self.notes)
                {
                    self.push(Part::Paragraph(Kind::Text, escape_html(&described)));
                }
            }
            "p" => (self.text, self.depth, self.marker) = (String::new(), 0, None),
            "pPr" => self.depth = count(e, "lvl").unwrap_or(0).min(8),
            "buNone" => self.marker = Some(Marker::Label(String::new())),
            "buChar" => self.marker = Some(Marker::Bullet),
            "buAutoNum" => self.number(e),
            "fld" => {
                self.is_field =
                    attribute(e, "type").is_some_and(|t| t == "slidenum" || t.starts_with("datetime"))
            }
            "br" => self.text.push_str("<br>"),
            "tbl" => {
                self.in_table = true;
                self.push(Part::BeginTable);
            }
            "tr" => self.push(Part::BeginRow),
            "tc" => {
                let is_on = |name: &str| attribute(e, name).is_some_and(|v| v == "1" || v == "true");
                self.covered = is_on("hMerge") || is_on("vMerge");
                if !self.covered {
                    self.push(Part::BeginCell(count(e, "gridSpan"), count(e, "rowSpan")));
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        self.shown = false;
        match name {
            "p" => self.end_paragraph(),
            "fld" => self.is_field = false,
            "sp" => self.shape = Shape::Other,
            "tc" => self.covered = false,
            "tr" => self.push(Part::EndRow),
            "tbl" => {
                self.in_table = false;
                self.push(Part::EndTable);
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.shown && !self.is_field && !self.covered {
            self.text.push_str(&escape_html(text));
        }
    }
}

impl Slide {
    fn push(&mut self, part: Part) {
        if self.parts.len() < MOST_PARTS {
            self.parts.push(part);
        }
    }

    /// The paragraph is a numbered item.
    fn number(&mut self, e: &BytesStart<'_>) {
        let kind = attribute(e, "type").unwrap_or_default();
        let kind = match () {
            () if kind.starts_with("alphaLc") => 'a',
            () if kind.starts_with("alphaUc") => 'A',
            () if kind.starts_with("romanLc") => 'i',
            () if kind.starts_with("romanUc") => 'I',
            () => '1',
        };
        let start = count(e, "startAt").and_then(|n| u32::try_from(n).ok()).unwrap_or(1);
        let value =
            self.numbers.get(self.depth).copied().filter(|n| *n > 0).map_or(start, |n| n.saturating_add(1));
        self.marker = Some(Marker::Number(value, kind));
    }

    fn end_paragraph(&mut self) {
        let text = std::mem::take(&mut self.text);
        let marker = self.marker.take();
        if text.trim().is_empty() {
            return;
        }
        for (depth, number) in self.numbers.iter_mut().enumerate().skip(self.depth) {
            *number = match &marker {
                Some(Marker::Number(value, _)) if depth == self.depth => *value,
                _ => 0,
            };
        }
        let kind = match marker {
            Some(Marker::Label(_)) => Kind::Text,
            Some(marker) => Kind::Item(self.depth, marker),
            None if self.shape == Shape::Body && !self.notes && !self.in_table => {
                Kind::Item(self.depth, Marker::Bullet)
            }
            None => Kind::Text,
        };
        match self.shape {
            Shape::Title if !self.notes => {
                if !self.title.is_empty() {
                    self.title.push(' ');
                }
                self.title.push_str(&text);
            }
            Shape::Furniture => {}
            Shape::Body | Shape::Other if !self.notes || self.shape == Shape::Body => {
                self.push(Part::Paragraph(kind, text))
            }
            _ => {}
        }
    }

    fn write(self, story: &mut Story) {
        for part in self.parts {
            match part {
                Part::Paragraph(kind, html) => story.paragraph(&kind, &html),
                Part::BeginTable => story.begin_table(),
                Part::BeginRow => story.begin_row(),
                Part::BeginCell(columns, rows) => {
                    story.begin_cell();
                    story.spans(columns, rows);
                }
                Part::EndRow => story.end_row(),
                Part::EndTable => story.end_table(),
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_slide_has_a_title_items_numbers_and_tables_and_no_furniture() {
        let paragraph =
            |properties: &str, text: &str| format!("<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>");
        let shape = |kind: &str, text: &str| {
            format!("<p:sp><p:nvPr><p:ph {kind}/></p:nvPr><p:txBody>{text}</p:txBody></p:sp>")
        };
        let numbered = "<a:pPr><a:buAutoNum type='romanLcPeriod'/></a:pPr>";
        let text = format!(
            "<p:sld>{}{}{}<a:tbl><a:tr><a:tc gridSpan='2'>{}</a:tc><a:tc \
             hMerge='1'>{}</a:tc></a:tr></a:tbl></p:sld>",
            shape("type='title'", &paragraph("", "Fees")),
            shape(
                "idx='1'",
                &(paragraph("", "One") + &paragraph(numbered, "Two") + &paragraph(numbered, "Three"))
            ),
            shape("type='sldNum'", &paragraph("", "7")),
            paragraph("", "Cell"),
            paragraph("", "covered")
        );
        let mut slide = Slide::default();
        xml::walk_xml(&text, &mut slide).unwrap();
        assert_eq!(slide.title, "Fees");
        let mut story = Story::new(Html::of_file(0));
        slide.write(&mut story);
        let made = story.finish().finish().unwrap();
        assert!(made.contains("<ul><li>One</li></ul>"), "{made}");
        assert!(
            made.contains("<li value=\"1\">Two</li><li value=\"2\">Three")
                && made.contains("<ol type=\"i\">"),
            "{made}"
        );
        assert!(
            made.contains("<td colspan=\"2\" rowspan=\"1\">Cell</td>")
                && !made.contains("covered")
                && !made.contains('7'),
            "{made}"
        );
    }
}
