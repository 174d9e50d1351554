//! Small sites of our own, read as sources, against the pages and ids that the generators themselves wrote:
//! `tests/generators`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use percent_encoding::percent_decode_str;
use pocketgraph_ingest::{BlockKind, Corpus, IngestOptions, ingest};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A fixture: the generator, the folder of its pages, pages that it publishes and that are not to be found,
/// and ids of headings that cannot be told.
struct Site {
    name: &'static str,
    folder: &'static str,
    unread: &'static [&'static str],
    unexplained: &'static [&'static str],
}

const SITES: &[Site] = &[
    Site {
        name: "antora",
        folder: "docs",
        unread: &["404.html"],
        unexplained: &["headings.html#inline-anchor"],
    },
    Site {
        name: "docusaurus",
        folder: "",
        unread: &["404.html", "blog/archive/index.html", "blog/index.html", "docs/guide/unlisted/index.html"],
        unexplained: &[],
    },
    // A draft, which Eleventy itself knows nothing of.
    Site { name: "eleventy", folder: "content", unread: &["posts/draft/index.html"], unexplained: &[] },
    // Lists of pages without a text of their own, and the page that sends on from an old address.
    Site {
        name: "hugo",
        folder: "content",
        unread: &["mixed-case/index.html", "old-address/index.html", "posts/index.html"],
        unexplained: &[],
    },
    Site { name: "jekyll", folder: "", unread: &[], unexplained: &[] },
    // The first chapter once more, and the whole book on a page.
    Site {
        name: "mdbook",
        folder: "src",
        unread: &["404.html", "index.html", "print.html", "toc.html"],
        unexplained: &[],
    },
    Site { name: "mkdocs", folder: "docs", unread: &["404.html", "hidden/index.html"], unexplained: &[] },
    Site { name: "nextra", folder: "content", unread: &["404.html"], unexplained: &[] },
    // Other names of places that have one.
    Site {
        name: "sphinx",
        folder: "",
        unread: &["genindex.html", "py-modindex.html", "search.html"],
        unexplained: &["api/functions.html#module-loom", "myst.html#my-target"],
    },
    // Pages that are not translated are published in each language; not searched.
    Site {
        name: "starlight",
        folder: "src/content/docs",
        unread: &[
            "404.html",
            "de/code/index.html",
            "de/elsewhere/page/index.html",
            "de/guides/hidden/index.html",
            "de/guides/index.html",
            "de/guides/marks/index.html",
            "de/guides/my-page-v12/index.html",
            "guides/hidden/index.html",
        ],
        unexplained: &["#_top", "#starlight__on-this-page"],
    },
    // Headings without a letter.
    Site {
        name: "vitepress",
        folder: "",
        unread: &["404.html", "hidden.html"],
        unexplained: &["headings.html#-1"],
    },
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/generators")
}

fn read(site: &Site) -> Corpus {
    ingest(&fixtures().join(site.name).join(site.folder), &IngestOptions::default(), &|_| {}).unwrap()
}

/// The ids of each page, and whether a heading has them.
fn golden(site: &Site) -> BTreeMap<String, BTreeMap<String, bool>> {
    let text = std::fs::read_to_string(fixtures().join("golden").join(format!("{}.tsv", site.name))).unwrap();
    let of_line = |line: &str| {
        let mut parts = line.split('\t');
        let page = parts.next().unwrap().to_owned();
        (page, parts.map(|id| (id.strip_prefix('*').unwrap_or(id).to_owned(), id.starts_with('*'))).collect())
    };
    text.lines().map(of_line).collect()
}

/// The file that a host shows for an address.
fn file_of(address: &str, pages: &BTreeMap<String, BTreeMap<String, bool>>) -> Option<String> {
    let path = percent_decode_str(address).decode_utf8().unwrap().into_owned();
    let bare = path.trim_end_matches('/');
    let index = if bare.is_empty() { "index.html".to_owned() } else { format!("{bare}/index.html") };
    let candidates = if path.ends_with('/') || bare.is_empty() {
        vec![index]
    } else {
        vec![bare.to_owned(), format!("{bare}.html"), index]
    };
    candidates.into_iter().find(|c| pages.contains_key(c))
}

/// Returns the faults of a site that was read: addresses of no page, ids that are not there, ids of headings
/// that nothing names, pages unread.
fn faults(site: &Site) -> Vec<String> {
    let (corpus, pages) = (read(site), golden(site));
    let mut faults = Vec::new();
    let mut read = BTreeSet::new();
    for document in &corpus.documents {
        let Some(file) = file_of(&document.url, &pages) else {
            faults.push(format!("{}: no page {}", document.path, document.url));
            continue;
        };
        let ids = &pages[&file];
        let mut named = BTreeSet::new();
        for fragment in document.blocks.iter().filter_map(|b| b.fragment.as_deref()) {
            let id = percent_decode_str(fragment).decode_utf8().unwrap().into_owned();
            if !ids.contains_key(&id) {
                faults.push(format!("{}: no id {}#{id}", document.path, document.url));
            }
            named.insert(id);
        }
        let unexplained = |id: &String| site.unexplained.iter().any(|u| format!("{file}#{id}").ends_with(u));
        for (id, _) in ids.iter().filter(|&(id, heading)| *heading && !named.contains(id) && !unexplained(id))
        {
            faults.push(format!("{}: {file}#{id} is named by nothing", document.path));
        }
        if !read.insert(file.clone()) {
            faults.push(format!("{}: {file} is read twice", document.path));
        }
    }
    let unread = pages.keys().filter(|p| !read.contains(*p) && !site.unread.contains(&p.as_str()));
    faults.extend(unread.map(|page| format!("{page} is not read")));
    faults
}

#[test]
fn every_page_and_heading_is_found_at_the_address_that_the_generator_gave_it() {
    let faults: Vec<String> = SITES
        .iter()
        .flat_map(|site| faults(site).into_iter().map(|f| format!("{} {f}", site.name)))
        .collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn no_mark_of_a_generator_is_left_in_the_text() {
    let marks = [
        ":::",
        "!!!",
        "???",
        "///",
        "--8<--",
        "{{",
        "{%",
        "<<<",
        "import ",
        "<Tab",
        "<Badge",
        "[!",
        "@include",
        "@/",
        ":ref:",
        ":doc:",
        ".. ",
        "|loom|",
        "{#",
        "{:",
        "{.",
        "{ .",
        "markdown=",
        "++ctrl",
        "export const",
        "<span",
        "</",
        "-->",
        "%}",
        "v-pre",
        "[[toc]]",
        ":kbd:",
        ":material-",
        "(1)!",
        "=== ",
    ];
    // What those that do not know the mark show, too.
    let shown = ["!!!", "Explicit {#my-id}", "--8<-- \"not-included.md\"", "Shown: {{ not.a.variable }}"];
    let mut left = Vec::new();
    for site in SITES {
        for document in read(site).documents {
            for block in document.blocks.iter().filter(|b| b.kind != BlockKind::Code) {
                left.extend(
                    marks
                        .iter()
                        .filter(|m| block.text.contains(**m) && !shown.contains(&block.text.as_str()))
                        .map(|m| format!("{} {}: {m} in {:?}", site.name, document.path, block.text)),
                );
            }
        }
    }
    assert!(left.is_empty(), "{} marks:\n{}", left.len(), left.join("\n"));
}
