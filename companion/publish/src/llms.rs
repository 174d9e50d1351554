//! `llms.txt` and `llms-full.txt`: the documents as language models that visit a site are given them, by the convention of llmstxt.org.
//!
//! The first is a list of the pages with a line on each, by folder; the second holds their text as Markdown.

use crate::site_files::{self, SiteFilesError};
use pocketgraph_ingest::{Block, BlockKind, SourceDocument};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Characters of a page's description in the list.
const DESCRIBED: usize = 160;

/// Writes both files into the folder `out`.
///
/// # Errors
/// As [`site_files::write`].
pub fn write(documents: &[SourceDocument], out: &Path) -> Result<(), SiteFilesError> {
    let files: BTreeMap<PathBuf, String> =
        BTreeMap::from([("llms.txt".into(), list(documents)), ("llms-full.txt".into(), full(documents))]);
    site_files::write("--llms", out, &files)
}

/// The list: the title of the site's first page, then every page with its address and its first sentence, by the folder it lies in.
pub fn list(documents: &[SourceDocument]) -> String {
    let home = documents.iter().min_by_key(|d| (d.path.matches('/').count(), !is_index(&d.path), d.path.clone()));
    let mut out = format!("# {}\n", home.map_or("Documentation".to_owned(), |d| on_a_line(&d.title)));
    if let Some(described_as) = home.and_then(described) {
        out.push_str(&format!("\n> {described_as}\n"));
    }
    let mut folders: BTreeMap<&str, Vec<&SourceDocument>> = BTreeMap::new();
    for d in documents.iter().filter(|d| !d.url.is_empty() || !d.ready) {
        folders.entry(d.path.split_once('/').map_or("", |(folder, _)| folder)).or_default().push(d);
    }
    for (folder, all) in folders {
        out.push_str(&format!("\n## {}\n\n", if folder.is_empty() { "Pages".to_owned() } else { on_a_line(folder) }));
        for d in all {
            let summary = described(d).map(|s| format!(": {s}")).unwrap_or_default();
            out.push_str(&format!("- [{}](<{}>){summary}\n", escaped(&on_a_line(&d.title)), address(&d.url)));
        }
    }
    out
}

/// The text of all documents, each under its title and address.
pub fn full(documents: &[SourceDocument]) -> String {
    let mut out = String::new();
    for d in documents {
        out.push_str(&format!("# {}\n\nSource: {}\n\n", on_a_line(&d.title), address(&d.url)));
        let mut blocks = d.blocks.iter().peekable();
        // The title is said already.
        if blocks.peek().is_some_and(|b| matches!(b.kind, BlockKind::Heading(1)) && b.text == d.title) {
            blocks.next();
        }
        let mut listed = false;
        for block in blocks {
            let item = block.kind == BlockKind::ListItem;
            if listed && !item {
                out.push('\n');
            }
            listed = item;
            put(&mut out, block);
        }
        if listed {
            out.push('\n');
        }
    }
    out
}

fn put(out: &mut String, block: &Block) {
    let text = block.text.trim_end();
    match block.kind {
        BlockKind::Heading(level) => out.push_str(&format!("{} {}\n\n", "#".repeat(usize::from(level.clamp(2, 6))), on_a_line(text))),
        BlockKind::Paragraph => out.push_str(&format!("{text}\n\n")),
        BlockKind::ListItem => out.push_str(&format!("- {}\n", text.replace('\n', "\n  "))),
        BlockKind::Term => out.push_str(&format!("**{}**\n\n", on_a_line(text))),
        BlockKind::Code => {
            // A fence longer than any in the code.
            let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
            let fence = "`".repeat(longest.max(2) + 1);
            out.push_str(&format!("{fence}\n{text}\n{fence}\n\n"));
        }
        BlockKind::Quote => out.push_str(&format!("> {}\n\n", text.replace('\n', "\n> "))),
        BlockKind::Table => {
            for (i, row) in text.lines().enumerate() {
                out.push_str(&format!("| {row} |\n"));
                if i == 0 {
                    out.push_str(&format!("|{}\n", " --- |".repeat(row.split(" | ").count())));
                }
            }
            out.push('\n');
        }
    }
}

fn is_index(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    matches!(stem, "index" | "_index" | "readme")
}

/// Returns the description of a page: its front matter's, or its first sentence.
fn described(d: &SourceDocument) -> Option<String> {
    let own = d.front_matter.iter().find(|(name, _)| name == "description").map(|(_, text)| text.clone());
    let first = || d.blocks.iter().find(|b| b.kind == BlockKind::Paragraph).map(|b| first_sentence(&b.text));
    own.or_else(first).map(|text| shortened(&on_a_line(&text))).filter(|text| !text.is_empty())
}

fn first_sentence(text: &str) -> String {
    pocketgraph_text::sentences(text).into_iter().next().map_or_else(String::new, |s| text.get(s).unwrap_or_default().to_owned())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(DESCRIBED) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// A text without ends of lines and control characters, so that it stays in its own line of the list.
fn on_a_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

fn address(url: &str) -> String {
    // The first page of a site has the empty address.
    if url.is_empty() {
        return "./".to_owned();
    }
    on_a_line(url).replace(' ', "%20").replace('<', "%3C").replace('>', "%3E")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph_ingest::{IngestOptions, ingest_bytes};

    fn read(path: &str, text: &str) -> Vec<SourceDocument> {
        ingest_bytes(path, text.as_bytes().to_vec(), &IngestOptions::default()).unwrap().documents
    }

    #[test]
    fn pages_are_listed_by_folder_with_what_they_say_first() {
        let mut all = read("index.md", "# Kettles\n\nKettles boil water. They whistle.\n");
        all.extend(read("guide/care [old].md", "---\ndescription: How to care\n---\n# Care [old]\n\nText.\n"));
        assert_eq!(
            list(&all),
            "# Kettles\n\n> Kettles boil water.\n\n## Pages\n\n- [Kettles](<./>): Kettles boil water.\n\n## guide\n\n- [Care \\[old\\]](<guide/care%20[old].html>): How to care\n"
        );
        assert_eq!(list(&[]), "# Documentation\n");
    }

    #[test]
    fn the_text_reads_back_as_the_same_blocks() {
        let source = "# Kettles\n\nKettles boil water.\n\n## Parts\n\n- lid\n- spout\n\n````\n```\ncode\n```\n````\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n> said\n";
        let before = read("a.md", source);
        let written = full(&before);
        assert!(
            written.starts_with("# Kettles\n\nSource: a.html\n\nKettles boil water.\n\n## Parts\n\n- lid\n- spout\n\n````\n```\ncode"),
            "{written}"
        );
        let after = read("a.md", &written.replace("Source: a.html\n\n", ""));
        let kinds = |all: &[SourceDocument]| all[0].blocks.iter().map(|b| (b.kind, b.text.clone())).collect::<Vec<_>>();
        assert_eq!(kinds(&before), kinds(&after));
    }
}
