//! The documents as language models that visit a site are given them, by the convention of llmstxt.org.
//!
//! `llms.txt` is a list of the pages with a line on each, by folder. Beside each page is its text as
//! Markdown, at the page's address with `.md` after it;
//! `llms-full.txt` has the text of all.

use crate::site_files::{self, SiteFilesError, place_below};
use pocketgraph_ingest::{Block, BlockKind, SourceDocument};
use pocketgraph_native::single_line::one_line;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Characters of a page's description in the list.
const DESCRIBED: usize = 160;

/// Writes them into the folder `out` of the site at `base`. Returns those whose names are too long for files.
///
/// # Errors
/// As [`site_files::write_files`].
pub fn write_llms(
    documents: &[SourceDocument],
    base: &str,
    out: &Path,
) -> Result<Vec<String>, SiteFilesError> {
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    for d in documents {
        if let Some(place) = markdown_address(d, base).and_then(|address| place_below(base, &address)) {
            // Parts of one page are documents of one address.
            put_document(files.entry(place).or_default(), d);
        }
    }
    // The page's source, where the site has it there.
    documents.iter().for_each(|d| drop(files.remove(Path::new(&d.path))));
    files.extend([
        ("llms.txt".into(), list_pages(documents, base)),
        ("llms-full.txt".into(), join_documents(documents)),
    ]);
    site_files::write_files("--llms", out, files)
}

/// Returns the address of the Markdown beside a page of the site: the page's own with `.md` after it, and
/// `index.html.md` in a folder.
fn markdown_address(d: &SourceDocument, base: &str) -> Option<String> {
    let folder = d.url.is_empty() || d.url.ends_with('/');
    let address = format!("{}{}", d.url, if folder { "index.html.md" } else { ".md" });
    place_below(base, &address).map(|_| address)
}

/// The list: the title of the site's first page, then every page with the address of its Markdown and its
/// first sentence, by the folder it lies in.
pub fn list_pages(documents: &[SourceDocument], base: &str) -> String {
    let home =
        documents.iter().min_by_key(|d| (d.path.matches('/').count(), !is_index(&d.path), d.path.clone()));
    let mut out = format!("# {}\n", home.map_or("Documentation".to_owned(), |d| on_a_line(&d.title)));
    if let Some(described_as) = home.and_then(describe_document) {
        out.push_str(&format!("\n> {described_as}\n"));
    }
    let mut folders: BTreeMap<&str, Vec<&SourceDocument>> = BTreeMap::new();
    for d in documents.iter().filter(|d| !d.url.is_empty() || !d.ready) {
        folders.entry(d.path.split_once('/').unwrap_or_default().0).or_default().push(d);
    }
    for (folder, all) in folders {
        out.push_str(&format!(
            "\n## {}\n\n",
            if folder.is_empty() { "Pages".to_owned() } else { on_a_line(folder) }
        ));
        for d in all {
            let summary = describe_document(d).map(|s| format!(": {s}")).unwrap_or_default();
            let markdown = markdown_address(d, base).unwrap_or_else(|| d.url.clone());
            out.push_str(&format!(
                "- [{}](<{}>){summary}\n",
                escape_text(&on_a_line(&d.title)),
                escape_address(&markdown)
            ));
        }
    }
    out
}

/// The text of all documents, each under its title and address.
pub fn join_documents(documents: &[SourceDocument]) -> String {
    let mut out = String::new();
    documents.iter().for_each(|d| put_document(&mut out, d));
    out
}

/// Appends a document: title, address and blocks.
fn put_document(out: &mut String, d: &SourceDocument) {
    out.push_str(&format!("# {}\n\nSource: {}\n\n", on_a_line(&d.title), escape_address(&d.url)));
    let mut blocks = d.blocks.iter().peekable();
    // It repeats the title.
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
        write_block(out, block);
    }
    if listed {
        out.push('\n');
    }
}

fn write_block(out: &mut String, block: &Block) {
    let text = block.text.trim_end();
    match block.kind {
        BlockKind::Heading(level) => {
            out.push_str(&format!("{} {}\n\n", "#".repeat(usize::from(level.clamp(2, 6))), on_a_line(text)))
        }
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
fn describe_document(d: &SourceDocument) -> Option<String> {
    let own = d.front_matter.iter().find(|(name, _)| name == "description").map(|(_, text)| text.clone());
    let first = || d.blocks.iter().find(|b| b.kind == BlockKind::Paragraph).map(|b| first_sentence(&b.text));
    own.or_else(first).map(|text| shorten_text(&on_a_line(&text))).filter(|text| !text.is_empty())
}

fn first_sentence(text: &str) -> String {
    pocketgraph_text::sentences(text)
        .into_iter()
        .next()
        .map_or_else(String::new, |s| text.get(s).unwrap_or_default().to_owned())
}

fn shorten_text(text: &str) -> String {
    match text.char_indices().nth(DESCRIBED) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// A text without ends of lines and control characters, so that it stays in its own line of the list.
fn on_a_line(text: &str) -> String {
    one_line(&text.replace(char::is_control, " "))
}

fn escape_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

fn escape_address(url: &str) -> String {
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
        all.extend(read(
            "guide/care [old].md",
            "---\ndescription: How to care\n---\n# Care [old]\n\nText.\n",
        ));
        assert_eq!(
            list_pages(&all, ""),
            "# Kettles\n\n> Kettles boil water.\n\n## Pages\n\n- [Kettles](<index.html.md>): Kettles \
             boil water.\n\n## guide\n\n- [Care \\[old\\]](<guide/care%20[old].html.md>): How to \
             care\n"
        );
        assert_eq!(list_pages(&[], ""), "# Documentation\n");
    }

    #[test]
    fn each_page_has_its_markdown_beside_it_and_pages_of_other_sites_have_none() {
        let mut all = read("index.md", "# Kettles\n\nKettles boil water.\n");
        all.extend(read("guide/care [old].md", "# Care\n\nText.\n"));
        all.extend(read("notes.md", "# Notes\n\nRaw.\n"));
        let base = "https://x.example/docs/";
        all.extend(read("away.md", "# Away\n\nText.\n"));
        let urls = ["", "guide/care%20%5Bold%5D/", "notes"].map(|page| format!("{base}{page}"));
        all.iter_mut().zip(urls).for_each(|(d, url)| d.url = url);
        all[3].url = "https://y.example/a".to_owned();
        let out = tempfile::tempdir().unwrap();
        write_llms(&all, base, out.path()).unwrap();
        let text = |name: &str| std::fs::read_to_string(out.path().join(name)).unwrap();
        assert_eq!(
            text("index.html.md"),
            "# Kettles\n\nSource: https://x.example/docs/\n\nKettles boil water.\n\n"
        );
        assert!(text("guide/care [old]/index.html.md").contains("Text."));
        assert!(!out.path().join("notes.md").exists(), "the site has the page's source there");
        let listed = text("llms.txt");
        assert!(
            listed.contains("(<https://x.example/docs/guide/care%20%5Bold%5D/index.html.md>)"),
            "{listed}"
        );
        assert!(listed.contains("(<https://y.example/a>)"), "{listed}");
        for outside in ["/../up.md", "/%2e%2e/up.md", "other/a.md"] {
            assert_eq!(place_below(base, &format!("https://x.example/docs{outside}")), None, "{outside}");
        }
    }

    #[test]
    fn the_text_reads_back_as_the_same_blocks() {
        let source = "# Kettles\n\nKettles boil water.\n\n## Parts\n\n- lid\n- \
            spout\n\n````\n```\ncode\n```\n````\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n> said\n";
        let before = read("a.md", source);
        let written = join_documents(&before);
        assert!(
            written.starts_with(
                "# Kettles\n\nSource: a.html\n\nKettles boil water.\n\n## Parts\n\n- lid\n- \
                 spout\n\n````\n```\ncode"
            ),
            "{written}"
        );
        let after = read("a.md", &written.replace("Source: a.html\n\n", ""));
        let kinds = |all: &[SourceDocument]| {
            all[0].blocks.iter().map(|b| (b.kind, b.text.clone())).collect::<Vec<_>>()
        };
        assert_eq!(kinds(&before), kinds(&after));
    }
}
