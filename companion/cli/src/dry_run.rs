//! `pocketgraph build --dry-run`: what would be read, and where it is published.

use super::skipped::skipped_by_reason;
use miette::{IntoDiagnostic, Result};
use pocketgraph_ingest::{BlockKind, Corpus, IngestOptions, SourceDocument, ingest};
use std::fmt::Write;
use std::path::Path;

/// Reads the documents and prints a line for each: file, address, language, sections, title.
pub(super) fn print_documents(folder: &Path, options: &IngestOptions) -> Result<()> {
    let corpus = ingest(folder, options, &|_| {}).into_diagnostic()?;
    print!("{}", list_documents(&corpus));
    Ok(())
}

fn list_documents(corpus: &Corpus) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    for note in &corpus.notes {
        let _ = writeln!(out, "{note}");
    }
    for warning in &corpus.warnings {
        let _ = writeln!(out, "warning: {warning}");
    }
    let _ = writeln!(out, "file\taddress\tlanguage\tsections\ttitle");
    for document in &corpus.documents {
        let address = if document.url.is_empty() { "./" } else { &document.url };
        let sections = count_sections(document);
        let doc_language = document.document().language;
        let language = if doc_language.is_empty() { "-" } else { &doc_language };
        let _ = writeln!(out, "{}\t{address}\t{language}\t{sections}\t{}", document.path, document.title);
    }
    for line in skipped_by_reason(&corpus.skipped) {
        let _ = writeln!(out, "{line}");
    }
    let _ = writeln!(
        out,
        "{} documents of {} files, {} skipped",
        corpus.documents.len(),
        corpus.files,
        corpus.skipped.len()
    );
    out
}

/// Headings, and what stands before the first.
fn count_sections(document: &SourceDocument) -> usize {
    let heading = |kind: BlockKind| matches!(kind, BlockKind::Heading(_));
    let before = document.blocks.first().is_some_and(|b| !heading(b.kind));
    document.blocks.iter().filter(|b| heading(b.kind)).count() + usize::from(before)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_document_is_listed_with_its_address_and_what_is_skipped_by_reason() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("mkdocs.yml"), "site_name: x\n").unwrap();
        std::fs::create_dir(dir.path().join("docs")).unwrap();
        std::fs::write(dir.path().join("docs/a.md"), "Before.\n\n# A page\n\nText.\n").unwrap();
        std::fs::write(dir.path().join("docs/b.md"), "---\ndraft: true\n---\nText.\n").unwrap();
        let text =
            list_documents(&ingest(&dir.path().join("docs"), &IngestOptions::default(), &|_| {}).unwrap());
        assert!(
            text.contains("a.md\ta/\t-\t2\tA page\n")
                && text.contains("MkDocs")
                && text.contains("skipped b.md: marked as a draft"),
            "{text}"
        );
    }
}
