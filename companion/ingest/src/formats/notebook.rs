//! Jupyter notebooks as the Markdown that their cells hold.

use super::front_matter::{Fields, field};
use super::includes::Includer;
use super::markdown::read_page as read_markdown;
use super::markdown_fence::fence_around;
use super::{Format, FoundFile, Outcome, ReadDocument, ReadMethod, Reading};
use serde::Deserialize;
use std::borrow::Cow;
use std::fmt::Write;

/// The parts of a notebook that are read: of format 4, and of format 3, which has its cells in worksheets.
/// Outputs are left out.
#[derive(Deserialize)]
struct Notebook<'s> {
    #[serde(borrow, default)]
    cells: Vec<Cell<'s>>,
    #[serde(borrow, default)]
    worksheets: Vec<Worksheet<'s>>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Worksheet<'s> {
    #[serde(borrow, default)]
    cells: Vec<Cell<'s>>,
}

#[derive(Deserialize, Default)]
struct Metadata {
    #[serde(default)]
    title: Option<serde_json::Value>,
    #[serde(default)]
    authors: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Cell<'s> {
    #[serde(borrow, default)]
    cell_type: Cow<'s, str>,
    #[serde(borrow, default, alias = "input")]
    source: Source<'s>,
    /// The level of a heading of format 3.
    #[serde(default)]
    level: Option<u8>,
}

/// A cell's text, whole or by lines.
#[derive(Deserialize)]
#[serde(untagged)]
enum Source<'s> {
    Whole(#[serde(borrow)] Cow<'s, str>),
    Lines(#[serde(borrow)] Vec<Cow<'s, str>>),
}

impl Default for Source<'_> {
    fn default() -> Self {
        Source::Lines(Vec::new())
    }
}

/// Returns the content of a notebook in Markdown, its code as code, and its title and authors from its
/// metadata.
pub(crate) fn markdown(source: &str) -> Result<(String, Vec<(String, String)>), String> {
    let notebook: Notebook<'_> = serde_json::from_str(source).map_err(|e| format!("is no notebook: {e}"))?;
    let mut out = String::with_capacity(source.len() / 4);
    for cell in notebook.cells.iter().chain(notebook.worksheets.iter().flat_map(|w| &w.cells)) {
        let text = match &cell.source {
            Source::Whole(text) => Cow::Borrowed(text.as_ref()),
            Source::Lines(lines) => Cow::Owned(lines.concat()),
        };
        let text = text.trim_matches('\n');
        if text.trim().is_empty() {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = match cell.cell_type.as_ref() {
            "markdown" => writeln!(out, "{text}\n"),
            "heading" => {
                writeln!(out, "{} {text}\n", "#".repeat(usize::from(cell.level.unwrap_or(1).clamp(1, 6))))
            }
            "code" => {
                let fence = fence_around(text);
                writeln!(out, "{fence}\n{text}\n{fence}\n")
            }
            _ => Ok(()),
        };
    }
    let mut fields = Fields::default();
    if let Some(title) = notebook.metadata.title.as_ref().and_then(|t| t.as_str()) {
        fields.push("title", title);
    }
    for author in notebook.metadata.authors.iter().filter_map(|a| a.as_array()).flatten() {
        if let Some(name) = author.get("name").and_then(|n| n.as_str()) {
            fields.push("author", name);
        }
    }
    Ok((out, fields.into_vec()))
}

pub(super) const FORMAT: Format = Format::new("ipynb", &["ipynb"], ReadMethod::Text(read_page));

/// Its places are those of the text of its cells, which are one after the other.
fn read_page(
    source: &str,
    found: &FoundFile,
    reading: &Reading<'_>,
    includer: &Includer<'_>,
    _: &mut Outcome,
) -> ReadDocument {
    let (text, mut fields) = markdown(source)?;
    let mut page = read_markdown(&text, found, reading, includer)?;
    if page.front_matter.is_empty()
        && let Some(title) = field(&fields, "title")
    {
        page.title = title.to_owned();
    }
    page.front_matter.append(&mut fields);
    Ok(page)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_and_code_are_kept_and_outputs_are_not() {
        let source = r##"{"nbformat": 4, "metadata": {"title": "Sums", "authors": [{"name": "Ada"}]},
            "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["# Adding\n", "Two *numbers*."]},
            {"cell_type": "code", "source": "1 + 1\n", "outputs": [{"data": {"text/plain": ["2"]}}],
            "execution_count": 1},
            {"cell_type": "code", "source": ["'''\n", "```\n", "'''"], "outputs": []},
            {"cell_type": "raw", "source": "\\newpage"},
            {"cell_type": "code", "source": []}]}"##;
        let (text, fields) = markdown(source).unwrap();
        assert_eq!(text, "# Adding\nTwo *numbers*.\n\n```\n1 + 1\n```\n\n````\n'''\n```\n'''\n````\n\n");
        assert_eq!(
            fields,
            [("title".to_owned(), "Sums".to_owned()), ("author".to_owned(), "Ada".to_owned())]
        );
    }

    #[test]
    fn notebooks_of_format_three_are_read() {
        let source = r#"{"nbformat": 3, "worksheets": [{"cells": [
            {"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": ["x"],
            "outputs": []}]}]}"#;
        assert_eq!(markdown(source).unwrap().0, "## Old\n\n```\nx\n```\n\n");
    }

    #[test]
    fn what_is_no_notebook_is_refused() {
        for bad in ["", "7", "{\"cells\": 1}", "{\"cells\": [{\"source\": 1}]}"] {
            assert!(markdown(bad).unwrap_err().starts_with("is no notebook: "), "{bad}");
        }
        assert_eq!(markdown("{}").unwrap().0, "");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(source in "[{}\\[\\]\":,a-z0-9\\\\]{0,80}") {
            let _ = markdown(&source);
        }
    }
}
