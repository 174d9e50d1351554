//! Resolves internal links to documents and their headings.

use percent_encoding::percent_decode_str;
use pocketgraph_ingest::{BlockKind, SourceDocument, is_index, join_path, page_stem};
use std::collections::HashMap;

/// Target of a link: a document, and the block of a heading if the link names one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target {
    pub document: usize,
    pub heading: Option<usize>,
}

/// Index of all documents by their addresses.
pub(super) struct Targets {
    by_path: HashMap<String, usize>,
    by_url: HashMap<String, usize>,
    /// Documents by the ends of their paths, for links from a site's root that omit the source folder; `None`
    /// if two documents share an end.
    by_end: HashMap<String, Option<usize>>,
    headings: Vec<HashMap<String, usize>>,
}

/// Maximum number of folders of the kept ends of paths.
const DEEPEST: usize = 8;

/// Reduces a path to what a file and its address share: no extension, index file or outer slashes.
fn stem_of(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or("");
    let path = percent_decode_str(path).decode_utf8_lossy();
    let path = path.trim_matches('/');
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = page_stem(name);
    match (folder, is_index(name)) {
        (_, true) => folder.to_owned(),
        ("", false) => name.to_owned(),
        (folder, false) => format!("{folder}/{name}"),
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').unwrap_or_default().0
}

impl Targets {
    pub fn new(documents: &[SourceDocument]) -> Self {
        let mut all = Targets {
            by_path: HashMap::new(),
            by_url: HashMap::new(),
            by_end: HashMap::new(),
            headings: Vec::with_capacity(documents.len()),
        };
        for (i, d) in documents.iter().enumerate() {
            let mut headings = HashMap::new();
            for (b, block) in
                d.blocks.iter().enumerate().filter(|(_, b)| matches!(b.kind, BlockKind::Heading(_)))
            {
                if let Some(fragment) = &block.fragment {
                    headings
                        .entry(percent_decode_str(fragment).decode_utf8_lossy().into_owned())
                        .or_insert(b);
                }
            }
            all.headings.push(headings);
            if d.ready {
                continue;
            }
            let path = stem_of(&d.path);
            all.by_url.entry(stem_of(&d.url)).or_insert(i);
            let mut end = path.as_str();
            for _ in 0..DEEPEST {
                all.by_end.entry(end.to_owned()).and_modify(|n| *n = None).or_insert(Some(i));
                let Some((_, rest)) = end.split_once('/') else { break };
                end = rest;
            }
            all.by_path.entry(path).or_insert(i);
        }
        all
    }

    /// Returns the target of a document's link; `None` for links to other sites.
    pub fn of(&self, from: usize, document: &SourceDocument, target: &str) -> Option<Target> {
        let target = target.trim();
        let (page, fragment) = target.split_once('#').unwrap_or((target, ""));
        let found = if page.is_empty() { Some(from) } else { self.page(document, page) }?;
        let fragment = percent_decode_str(fragment).decode_utf8_lossy();
        Some(Target {
            document: found,
            heading: self.headings.get(found).and_then(|h| h.get(fragment.as_ref()).copied()),
        })
    }

    fn page(&self, document: &SourceDocument, page: &str) -> Option<usize> {
        if page.contains("://") {
            return self.by_url.get(&stem_of(page)).copied();
        }
        // Other schemes, such as mailto:, and other hosts.
        if page.starts_with("//") || page.split('/').next().is_some_and(|first| first.contains(':')) {
            return None;
        }
        let known = |path: &str| {
            let path = stem_of(path);
            self.by_path.get(&path).or_else(|| self.by_url.get(&path)).copied()
        };
        if let Some(rooted) = page.strip_prefix('/') {
            return known(rooted).or_else(|| self.by_end.get(&stem_of(rooted)).copied().flatten());
        }
        // Generators that give every page its own folder write links relative to that folder.
        let folders =
            [folder_of(&document.path), folder_of(&document.url), document.url.trim_end_matches('/')];
        folders
            .iter()
            .filter(|f| !f.contains("://"))
            .find_map(|folder| join_path(folder, page).and_then(|path| known(&path)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph_ingest::Block;

    fn page(path: &str, url: &str, headings: &[&str]) -> SourceDocument {
        let mut blocks = vec![Block::verbatim(BlockKind::Paragraph, "text", 0)];
        for h in headings {
            let mut b = Block::verbatim(BlockKind::Heading(2), *h, 9);
            b.fragment = Some((*h).to_owned());
            blocks.push(b);
        }
        SourceDocument {
            path: path.into(),
            url: url.into(),
            title: path.into(),
            blocks,
            links: Vec::new(),
            front_matter: Vec::new(),
            ..SourceDocument::default()
        }
    }

    #[test]
    fn links_by_file_by_address_and_from_the_root_lead_to_pages_and_headings() {
        let all = [
            page("src/guide/start.md", "guide/start.html", &["install"]),
            page("src/guide/_index.md", "guide/", &[]),
            page("src/api/call.md", "api/call.html", &["größe"]),
            page("src/old/call.md", "old/call.html", &[]),
        ];
        let t = Targets::new(&all);
        let of = |from: usize, link: &str| t.of(from, &all[from], link).map(|t| (t.document, t.heading));
        assert_eq!(of(2, "../guide/start.md#install"), Some((0, Some(1))));
        assert_eq!(of(2, "../guide/start.html"), Some((0, None)));
        assert_eq!(of(0, "/guide/"), Some((1, None)));
        assert_eq!(of(0, "/api/call/#gr%C3%B6%C3%9Fe"), Some((2, Some(1))));
        assert_eq!(of(0, "#install"), Some((0, Some(1))));
        assert_eq!(of(0, "start.md#absent"), Some((0, None)));
        for out in [
            "/call",
            "https://example.org/guide/start",
            "mailto:a@b",
            "//host/guide/start",
            "../../../../x.md",
            "g",
            "",
        ] {
            assert_eq!(of(2, out).filter(|_| !out.is_empty()), None, "{out}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_link_makes_it_panic(link in ".{0,40}") {
            let all = [page("a/b.md", "a/b.html", &["x"])];
            let _ = Targets::new(&all).of(0, &all[0], &link);
        }
    }
}
