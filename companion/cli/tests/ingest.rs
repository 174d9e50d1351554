//! Folders of documents, good and hostile, read and split.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pocketgraph::bundle::Chunk;
use pocketgraph_ingest::chunk::split_document;
use pocketgraph_ingest::{
    Block, BlockKind, Corpus, IngestError, IngestOptions, Link, SourceDocument, UrlStyle, ingest,
};
use proptest::prelude::*;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::Instant;
use tempfile::TempDir;

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn read(root: &Path) -> Corpus {
    ingest(root, &IngestOptions::default(), &|_| {}).unwrap()
}

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let file = dir.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
    dir
}

fn one(path: &str, bytes: &[u8]) -> SourceDocument {
    let corpus = read(folder(&[(path, bytes)]).path());
    assert_eq!(corpus.skipped, []);
    corpus.documents.into_iter().next().unwrap()
}

fn fixtures() -> Corpus {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/site"))
}

fn document<'a>(corpus: &'a Corpus, path: &str) -> &'a SourceDocument {
    corpus.documents.iter().find(|d| d.path == path).unwrap_or_else(|| panic!("no {path}"))
}

fn texts(doc: &SourceDocument) -> Vec<(BlockKind, &str)> {
    doc.blocks.iter().map(|b| (b.kind, b.text.as_str())).collect()
}

fn heading_ids(doc: &SourceDocument) -> Vec<&str> {
    let headings = doc.blocks.iter().filter(|b| matches!(b.kind, Heading(_)));
    headings.map(|b| b.fragment.as_deref().unwrap()).collect()
}

fn skipped_reason<'a>(corpus: &'a Corpus, path: &str) -> &'a str {
    &corpus.skipped.iter().find(|s| s.path == path).unwrap_or_else(|| panic!("{path} was not skipped")).reason
}

fn slice(source: &str, start: u32, end: u32) -> String {
    source.chars().skip(start as usize).take((end - start) as usize).collect()
}

use BlockKind::{Code, Heading, ListItem, Paragraph, Quote, Table};

#[test]
fn documents_come_sorted_by_path_with_titles_and_urls() {
    let corpus = fixtures();
    let got: Vec<_> =
        corpus.documents.iter().map(|d| (d.path.as_str(), d.title.as_str(), d.url.as_str())).collect();
    assert_eq!(
        got,
        [
            ("README.md", "The orchard", ""),
            ("guide/pruning.md", "Pruning: when and how", "guide/pruning.html"),
            ("guide/season.md", "Seasons", "calendar/"),
            ("notes.txt", "notes", "notes.txt"),
            ("pages/storing.html", "Storing fruit", "pages/storing.html"),
            ("q1", "Grafting", "guide/graft.html"),
            ("ready.jsonl:3", "ready.jsonl:3", ""),
        ]
    );
    assert_eq!(corpus.skipped.len(), 1);
    assert!(corpus.skipped[0].reason.starts_with("line 2: not JSON"), "{}", corpus.skipped[0].reason);
    assert_eq!(corpus.files, 6);
}

#[test]
fn markdown_becomes_plain_blocks_with_the_ids_of_its_headings() {
    let corpus = fixtures();
    let doc = document(&corpus, "guide/pruning.md");
    assert_eq!(
        texts(doc),
        [
            (Heading(1), "Pruning"),
            (Paragraph, "Prune in late winter, before buds swell. Apple & pear trees want an open centre."),
            (Heading(2), "Tools"),
            (ListItem, "A saw"),
            (ListItem, "Loppers, with long handles"),
            (ListItem, "and oil"),
            (Paragraph, "Cut like this:"),
            (Code, "cut --angle 45 \\\n    branch"),
            (Heading(2), "When"),
            (Table, "Tree | Month\nApple | February\nPlum | July"),
            (Quote, "Never prune plums in winter."),
            (Heading(2), "When"),
            (Paragraph, "Twice a heading, twice an id."),
            (Paragraph, "More"),
            (Paragraph, "Wound paint does not help."),
            (Paragraph, "A footnote."),
        ]
    );
    assert_eq!(heading_ids(doc), ["pruning", "what-you-need", "when", "when-1"]);
    let fields: Vec<_> = doc.front_matter.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(
        fields,
        [("title", "Pruning: when and how"), ("tags", "trees"), ("tags", "winter"), ("date", "2024-02-03")]
    );
    assert_eq!(
        document(&corpus, "README.md").links,
        [Link { target: "guide/pruning.md".into(), text: "pruning".into(), block: 1 }]
    );
    assert!(document(&corpus, "README.md").blocks[1].text.ends_with("and a row of pear trees."));
}

#[test]
fn html_keeps_the_main_content_and_leaves_the_site_around_it() {
    let corpus = fixtures();
    let doc = document(&corpus, "pages/storing.html");
    assert_eq!(
        texts(doc),
        [
            (Heading(1), "Storing fruit"),
            (Paragraph, "Keep apples cool & dark, at 4 °C. See pruning."),
            (Heading(2), "Racks"),
            (ListItem, "Slatted"),
            (ListItem, "Wooden"),
            (Code, "rack --slats 12\n  --wood ash"),
            (Paragraph, "Weeks"),
            (Table, "Fruit | Weeks\nApple | 20"),
            (Heading(2), "Cellars"),
            (Paragraph, "A cellar is best.\nSecond best: a shed."),
        ]
    );
    assert_eq!(heading_ids(doc), ["storing", "racks", "cellar"]);
    assert_eq!(
        doc.links,
        [Link { target: "../guide/pruning.html".into(), text: "pruning".into(), block: 1 }]
    );
    assert!(doc.front_matter.contains(&("description".into(), "Keeping fruit.".into())));
}

#[test]
fn a_page_without_text_is_found_by_its_description_and_one_with_text_is_not() {
    let cast = "---\ntitle: Cast\ndescription: Functions that convert – of types.\n---\n";
    let dir = folder(&[
        ("cast.md", cast.as_bytes()),
        ("folded.md", b"---\ntitle: Dates\nsummary: >\n  Two\n  lines\n---\n# Dates\n"),
        ("own.md", b"---\ndescription: Not this.\n---\nText of its own.\n"),
        ("none.md", b"---\ntitle: None\ndescription: \"  \"\n---\n"),
        (
            "ignored.html",
            b"<meta name=description content='About.'><main data-pocketgraph-ignore>Not to be \
            searched.</main>",
        ),
    ]);
    let corpus = read(dir.path());
    let doc = document(&corpus, "cast.md");
    assert_eq!(
        (doc.title.as_str(), texts(doc)),
        ("Cast", vec![(Paragraph, "Functions that convert – of types.")])
    );
    assert_eq!(slice(cast, doc.blocks[0].start, doc.blocks[0].end), doc.blocks[0].text);
    assert_eq!(texts(document(&corpus, "folded.md")), [(Heading(1), "Dates"), (Paragraph, "Two lines")]);
    assert_eq!(texts(document(&corpus, "own.md")), [(Paragraph, "Text of its own.")]);
    for nothing in ["none.md", "ignored.html"] {
        assert_eq!(skipped_reason(&corpus, nothing), "holds no text");
    }
}

#[test]
fn spans_point_at_the_source_that_a_block_came_from() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/site");
    let corpus = fixtures();
    let check = |path: &str, text: &str, want: &str| {
        let source = fs::read_to_string(root.join(path)).unwrap();
        let block = document(&corpus, path).blocks.iter().find(|b| b.text.contains(text)).unwrap();
        let at = block.text.find(text).unwrap();
        let span = block.source_span(at..at + text.len());
        assert_eq!(slice(&source, span.start, span.end), want);
    };
    check("guide/pruning.md", "late winter, before", "late winter*, before");
    check("guide/pruning.md", "pear trees", "pear trees");
    check("guide/pruning.md", "July", "July");
    check("guide/pruning.md", "not help", "not</b> help");
    check("pages/storing.html", "dark, at 4", "dark,\n   at 4");
    check("pages/storing.html", "shed", "shed");
    check("notes.txt", "Second", "Second");
}

#[test]
fn gitignore_is_honoured_outside_a_repository_and_hidden_files_and_the_bundle_are_not_read() {
    let dir = folder(&[
        (".gitignore", b"drafts/\n*.tmp.md\n"),
        ("a.md", b"text"),
        ("drafts/b.md", b"text"),
        ("c.tmp.md", b"text"),
        (".hidden/d.md", b"text"),
        ("out/runtime.html", b"text"),
        ("picture.png", b"\x89PNG"),
    ]);
    let options = IngestOptions { exclude: vec![dir.path().join("out")], ..IngestOptions::default() };
    let corpus = ingest(dir.path(), &options, &|_| {}).unwrap();
    assert_eq!(corpus.documents.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(), ["a.md"]);
    assert_eq!(corpus.skipped, []);
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_end() {
    let dir = folder(&[("a/b.md", b"text")]);
    std::os::unix::fs::symlink(dir.path(), dir.path().join("a/loop")).unwrap();
    let corpus = read(dir.path());
    assert_eq!(corpus.documents.len(), 1);
    assert!(skipped_reason(&corpus, "a/loop").contains("symbolic link"));
    let corpus =
        ingest(dir.path(), &IngestOptions { follow_links: true, ..IngestOptions::default() }, &|_| {})
            .unwrap();
    assert_eq!(corpus.documents.len(), 1);
    assert!(skipped_reason(&corpus, "a/loop").contains("symbolic link"));
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_read() {
    let dir = folder(&[
        ("good.md", b"# Good\n\ntext"),
        ("nul.md", b"a\0b"),
        ("latin1.txt", b"caf\xe9"),
        ("empty.md", b""),
        ("blank.html", b"<html><body> </body></html>"),
        ("draft.md", b"---\ndraft: true\n---\nsecret"),
        ("large.txt", b"0123456789 0123456789 0123456789"),
        ("utf16.txt", b"\xff\xfeh\0i\0"),
    ]);
    let corpus =
        ingest(dir.path(), &IngestOptions { max_file_bytes: 31, ..IngestOptions::default() }, &|_| {})
            .unwrap();
    assert_eq!(
        corpus.documents.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(),
        ["draft.md", "good.md", "utf16.txt"][1..]
    );
    assert!(skipped_reason(&corpus, "nul.md").contains("NUL byte at offset 1"));
    assert!(skipped_reason(&corpus, "latin1.txt").contains("not UTF-8: byte 0xe9 at offset 3"));
    assert!(skipped_reason(&corpus, "empty.md").contains("no text"));
    assert!(skipped_reason(&corpus, "large.txt").contains("limit of 31 bytes"));
    assert_eq!(corpus.files, 8);
}

#[test]
fn files_of_every_kind_have_their_title_their_address_and_their_headings() {
    let dir = folder(&[
        ("guide/setup.rst", b"Setting up\n==========\n\nFirst steps\n-----------\n\nSee :doc:`/intro`.\n"),
        ("guide/index.adoc", b"= The guide\n\n== Where to begin\n\nHere.\n"),
        (
            "intro.ipynb",
            br##"{"cells": [{"cell_type": "markdown", "source": ["# Intro\n", "\n", "Hello."]}]}"##,
        ),
        ("broken.ipynb", b"{"),
    ]);
    let corpus = read(dir.path());
    let all: Vec<(&str, &str, Vec<&str>)> = corpus
        .documents
        .iter()
        .map(|d| {
            (
                d.title.as_str(),
                d.url.as_str(),
                d.blocks.iter().filter_map(|b| b.fragment.as_deref()).collect(),
            )
        })
        .collect();
    assert_eq!(
        all,
        [
            ("The guide", "guide/", vec!["_where_to_begin"]),
            ("Setting up", "guide/setup.html", vec!["setting-up", "first-steps"]),
            ("Intro", "intro.html", vec!["intro"])
        ]
    );
    assert_eq!(
        document(&corpus, "guide/setup.rst").links,
        [Link { target: "/intro".into(), text: "/intro".into(), block: 2 }]
    );
    assert!(skipped_reason(&corpus, "broken.ipynb").starts_with("is no notebook: "));
}

#[test]
fn what_publishers_put_in_boxes_and_tabs_is_text_and_code_with_its_place() {
    let source = "# T\n\n:::tip[Mind]\nThe gap.\n:::\n\n!!! note\n    Seals.\n\n    They swim.\n\n=== \
        \"Linux\"\n\n    ```sh\n    apt install\n    ```\n";
    let page = one("a.md", source.as_bytes());
    assert_eq!(
        texts(&page),
        [
            (Heading(1), "T"),
            (Paragraph, "Mind The gap."),
            (Paragraph, "Seals."),
            (Paragraph, "They swim."),
            (Paragraph, "Linux"),
            (Code, "apt install")
        ]
    );
    for block in &page.blocks[2..] {
        assert_eq!(slice(source, block.start, block.end), block.text);
    }
}

#[test]
fn lists_for_programs_among_the_documents_are_named_and_left_out_unless_asked_for() {
    let files = [
        "requirements.txt",
        "sub/dev-requirements.txt",
        "Robots.TXT",
        "CMakeLists.txt",
        "system-requirements.txt",
    ];
    let dir = folder(&files.map(|name| (name, &b"Sphinx==7.2.6"[..])));
    let corpus = read(dir.path());
    assert_eq!(
        corpus.documents.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(),
        ["system-requirements.txt"]
    );
    assert_eq!(corpus.skipped.len(), 4);
    assert_eq!(skipped_reason(&corpus, "sub/dev-requirements.txt"), "a list for programs, not for readers");
    assert_eq!(read(&dir.path().join("requirements.txt")).documents.len(), 1);
}

#[test]
fn an_empty_folder_is_an_empty_corpus_and_a_missing_one_an_error() {
    let dir = folder(&[]);
    assert_eq!(read(dir.path()), Corpus::default());
    let missing = dir.path().join("nowhere");
    let read = ingest(&missing, &IngestOptions::default(), &|_| {});
    assert!(matches!(read, Err(IngestError::Read { path, .. }) if path == missing));
    fs::write(dir.path().join("x.png"), b"PNG").unwrap();
    assert!(matches!(
        ingest(&dir.path().join("x.png"), &IngestOptions::default(), &|_| {}),
        Err(IngestError::UnknownFormat { .. })
    ));
}

#[test]
fn a_single_file_can_be_read_and_progress_reaches_its_end() {
    let dir = folder(&[("a.md", b"# A\n\ntext")]);
    let seen = std::sync::Mutex::new(Vec::new());
    let options = IngestOptions {
        base_url: "https://x.org/docs".into(),
        url_style: UrlStyle::Directory,
        ..IngestOptions::default()
    };
    let corpus = ingest(&dir.path().join("a.md"), &options, &|p| seen.lock().unwrap().push(p)).unwrap();
    assert_eq!(
        (corpus.documents[0].path.as_str(), corpus.documents[0].url.as_str()),
        ("a.md", "https://x.org/docs/a/")
    );
    let last = seen.lock().unwrap()[0];
    assert_eq!((last.files_done, last.files_total, last.bytes_done, last.bytes_total), (1, 1, 9, 9));
}

#[test]
fn one_page_marked_with_pagefind_body_leaves_out_the_pages_without() {
    let dir = folder(&[
        ("marked.html", b"<main>Around <div data-pagefind-body><p>Inside.</p></div></main>".as_slice()),
        ("plain.html", b"<main>Other</main>"),
        ("notes.md", b"Markdown has no such marks."),
    ]);
    let corpus = read(dir.path());
    assert_eq!(
        corpus.documents.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(),
        ["marked.html", "notes.md"]
    );
    assert_eq!(corpus.documents[0].blocks[0].text, "Inside.");
    assert!(skipped_reason(&corpus, "plain.html").contains("data-pagefind-body"));
}

#[test]
fn ignored_elements_end_where_html_ends_them() {
    let doc = one(
        "a.html",
        b"<body><ul><li data-pagefind-ignore>no<li>yes</ul><p data-pocketgraph-ignore>no<p>kept<div \
          hidden>no</div><img alt='a pear'>",
    );
    assert_eq!(texts(&doc), [(ListItem, "yes"), (Paragraph, "kept"), (Paragraph, "a pear")]);
}

#[test]
fn a_page_without_head_and_body_tags_is_read() {
    let doc = one(
        "a.html",
        b"<!doctype html><title>T &amp; U</title><link rel=x><p>One<p>Two <b>bold<h2>Never \
            closed<p>Three</table>&lt;4",
    );
    assert_eq!(doc.title, "T & U");
    assert_eq!(
        texts(&doc),
        [(Paragraph, "One"), (Paragraph, "Two bold"), (Heading(2), "Never closed"), (Paragraph, "Three<4")]
    );
}

#[test]
fn the_header_of_an_article_holds_its_heading() {
    let doc = one(
        "a.html",
        b"<header>Site</header><article><header><h1>Title</h1></header><p>Text</p><aside>Ad</aside></a\
          rticle><div>Comments</div>",
    );
    assert_eq!(texts(&doc), [(Heading(1), "Title"), (Paragraph, "Text")]);
}

#[test]
fn markdown_html_and_links_that_could_do_harm_are_plain_text() {
    let doc = one(
        "a.md",
        b"---\nurl: javascript:alert(1)\n---\n<script>alert(1)</script>\n\nHello <img src=x \
            onerror=alert(1)> <b>you</b>\n",
    );
    assert_eq!(doc.url, "a.html");
    assert_eq!(texts(&doc), [(Paragraph, "Hello you")]);
}

#[test]
fn unclosed_front_matter_and_code_are_text() {
    let doc = one("a.md", b"---\ntitle: x\n\nbody\n\n```\ncode");
    assert_eq!(doc.title, "a");
    assert_eq!(texts(&doc).last().unwrap(), &(Code, "code"));
    assert!(doc.blocks.iter().any(|b| b.text == "body"));
}

// Splitting.

fn block(kind: BlockKind, text: &str) -> Block {
    let mut b = Block::verbatim(kind, text, 0);
    if let Heading(_) = kind {
        b.fragment = Some(text.to_lowercase().replace(' ', "-"));
    }
    b
}

fn doc(blocks: Vec<Block>) -> SourceDocument {
    SourceDocument {
        path: "p.md".into(),
        url: "p.html".into(),
        title: "Title".into(),
        blocks,
        links: Vec::new(),
        front_matter: Vec::new(),
        ..SourceDocument::default()
    }
}

fn summary(chunks: &[Chunk]) -> Vec<(String, &str, &str)> {
    chunks.iter().map(|c| (c.heading_path.join(" > "), c.fragment.as_str(), c.text.as_str())).collect()
}

const LONG: &str = "these are more than eight tokens so that the section stands alone";

#[test]
fn chunks_do_not_cross_headings_and_carry_their_path() {
    let d = doc(vec![
        block(Heading(1), "Title"),
        block(Paragraph, LONG),
        block(Heading(2), "A"),
        block(Heading(3), "B"),
        block(Paragraph, LONG),
        block(ListItem, LONG),
        block(Heading(2), "C"),
        block(Paragraph, LONG),
    ]);
    let both = format!("{LONG}\n\n{LONG}");
    assert_eq!(
        summary(&split_document(3, &d, &words, 200)),
        [("".into(), "", LONG), ("A > B".into(), "b", both.as_str()), ("C".into(), "c", LONG)]
    );
    assert!(split_document(3, &d, &words, 200).iter().all(|c| c.document == 3));
}

#[test]
fn a_section_of_a_few_words_is_found_at_its_own_address_and_one_without_joins_the_next() {
    let d = doc(vec![
        block(Heading(2), "Terms"),
        block(Heading(3), "Graft"),
        block(Paragraph, "A join."),
        block(Heading(3), "Scion"),
        block(Paragraph, LONG),
        block(Heading(2), "Last"),
        block(Paragraph, "Bye."),
    ]);
    let scion = ("Terms > Scion".into(), "scion", LONG);
    assert_eq!(
        summary(&split_document(0, &d, &words, 200)),
        [("Terms > Graft".into(), "graft", "A join."), scion, ("Last".into(), "last", "Bye.")]
    );
    let mut d = d;
    d.blocks.iter_mut().for_each(|b| b.fragment = None);
    assert_eq!(
        summary(&split_document(0, &d, &words, 200)),
        [
            ("Terms".into(), "", format!("Graft\n\nA join.\n\nScion\n\n{LONG}").as_str()),
            ("Last".into(), "", "Bye.")
        ]
    );
}

#[test]
fn a_heading_without_text_is_text_only_if_nothing_is_below_it() {
    let d = doc(vec![
        block(Heading(1), "Title"),
        block(Heading(2), "Leads on"),
        block(Heading(3), "Planned"),
        block(Heading(3), "Also planned"),
    ]);
    assert_eq!(
        summary(&split_document(0, &d, &words, 200)),
        [("Leads on".into(), "planned", "Planned"), ("Leads on".into(), "also-planned", "Also planned")]
    );
    let d = doc(vec![block(Heading(1), "Title")]);
    assert_eq!(summary(&split_document(0, &d, &words, 200)), [("".into(), "", "Title")]);
}

#[test]
fn long_paragraphs_split_at_sentences_and_code_at_line_ends() {
    let d = doc(vec![
        block(Paragraph, "One two three. Four five six. Seven eight."),
        block(Code, "a b c d\n  e f\ng h i"),
    ]);
    let got: Vec<_> = split_document(0, &d, &words, 6).into_iter().map(|c| c.text).collect();
    assert_eq!(got, ["One two three. Four five six.", "Seven eight.\n\na b c d", "  e f\ng h i"]);
}

#[test]
fn what_ends_with_a_colon_goes_with_what_it_announces() {
    let d = doc(vec![
        block(Paragraph, "One two three four five six."),
        block(Paragraph, "Like this:"),
        block(Code, "a b c d e"),
    ]);
    let got: Vec<_> = split_document(0, &d, &words, 9).into_iter().map(|c| c.text).collect();
    assert_eq!(got, ["One two three four five six.", "Like this:\n\na b c d e"]);
}

#[test]
fn a_list_that_fits_is_not_parted_and_begins_with_what_announces_it() {
    let items = ["one two", "three four", "five six"].map(|text| block(ListItem, text));
    let d =
        doc([vec![block(Paragraph, "A b c d e."), block(Paragraph, "Like this:")], items.to_vec()].concat());
    let split = |max| -> Vec<String> {
        split_document(0, &d, &words, max).into_iter().map(|c| c.text.replace("\n\n", "/")).collect()
    };
    assert_eq!(split(9), ["A b c d e.", "Like this:/one two/three four/five six"]);
    assert_eq!(split(5)[1..], ["Like this:/one two", "three four/five six"], "one that does not fit is cut");
}

#[test]
fn a_ready_chunk_is_taken_as_it_is() {
    let corpus = fixtures();
    let chunks = split_document(0, document(&corpus, "q1"), &words, 2);
    assert_eq!(summary(&chunks), [("".into(), "whip", "A whip graft joins two stems.")]);
}

/// Counts like WordPiece: white space and punctuation part words, and a word needs a token for every four
/// letters begun.
fn pieces(text: &str) -> usize {
    let mut tokens = 0;
    for word in text.split_whitespace() {
        let mut run = 0;
        for c in word.chars() {
            if c.is_alphanumeric() {
                tokens += usize::from(run % 4 == 0);
                run += 1;
            } else {
                tokens += 1;
                run = 0;
            }
        }
    }
    tokens
}

fn any_block() -> impl Strategy<Value = Block> {
    let text = prop_oneof![
        4 => "[a-hé.,!? \n:。東]{1,80}",
        1 => "[a-d]{1,300}",
        1 => "[a-c ]{100,400}",
    ];
    prop_oneof![
        5 => (prop_oneof![Just(Paragraph), Just(ListItem), Just(Code), Just(Table), Just(Quote)], text),
        2 => (prop_oneof![Just(Heading(1)), Just(Heading(2)), Just(Heading(3))], "[A-H]{1,9}( \
            [A-H]{1,4}){0,3}"),
    ]
    .prop_map(|(kind, text)| block(kind, &text))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn every_visible_character_is_in_one_chunk_and_no_chunk_exceeds_the_limit(
        blocks in proptest::collection::vec(any_block(), 0..12),
        max in 4usize..60,
    ) {
        let blocks: Vec<Block> = blocks.into_iter().filter(|b| !b.text.trim().is_empty()).collect();
        let body =
            |s: &str| s.chars().filter(|c| !c.is_whitespace() && !c.is_ascii_uppercase()).collect::<String>();
        let want: String = blocks.iter().map(|b| body(&b.text)).collect();
        let headings: Vec<String> =
            blocks.iter().filter(|b| matches!(b.kind, Heading(_))).map(|b| b.text.clone()).collect();
        let d = doc(blocks);
        let chunks = split_document(0, &d, &pieces, max);
        prop_assert_eq!(chunks.iter().map(|c| body(&c.text)).collect::<String>(), want);
        for c in &chunks {
            prop_assert!(pieces(&c.text) <= max, "{} tokens in {:?}", pieces(&c.text), c.text);
            prop_assert!(!c.text.trim().is_empty());
            prop_assert!(c.heading_path.iter().all(|h| headings.contains(h)));
        }
        prop_assert_eq!(split_document(0, &d, &pieces, max), chunks);
    }

    #[test]
    fn any_markdown_gives_blocks_whose_spans_lie_in_the_source(source in "[a-cé#*`>|{}<!\\[\\]()\n \
        &;:~^_=0-1-]{0,200}") {
        check_spans("x.md", &source)?;
        check_spans("x.mdx", &source)?;
    }

    #[test]
    fn any_code_among_expressions_gives_blocks_whose_spans_lie_in_the_source(source in "(`|\\{|\\}|\n\n|a|b|\
        ``| ){0,12}") {
        check_spans("x.md", &source)?;
        check_spans("x.mdx", &source)?;
    }

    #[test]
    fn any_html_gives_blocks_whose_spans_lie_in_the_source(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("<p>"),
                Just("<div>"),
                Just("</div>"),
                Just("<h2 id=x>"),
                Just("</h2>"),
                Just("<table>"),
                Just("<tr>"),
                Just("<td>"),
                Just("</table>"),
                Just("<pre>"),
                Just("</pre>"),
                Just("<li>"),
                Just("<ul>"),
                Just("</ul>"),
                Just("<main>"),
                Just("</main>"),
                Just("<nav>"),
                Just("</nav>"),
                Just("<svg>"),
                Just("</svg>"),
                Just("<a href=#x>"),
                Just("</a>"),
                Just("<br>"),
                Just("#"),
                Just("&amp;"),
                Just("é t"),
                Just(" \n "),
                Just("<img alt='é é'>"),
                Just("<title>"),
                Just("</title>"),
                Just("<head>"),
                Just("<div hidden>"),
                Just("<section id=s>"),
                Just("\r\n"),
                Just("word"),
            ],
            0..30,
        ),
    ) {
        check_spans("x.html", &parts.concat())?;
    }
}

fn check_spans(name: &str, source: &str) -> Result<(), TestCaseError> {
    let dir = folder(&[(name, source.as_bytes())]);
    let length = source.chars().count() as u32;
    for d in read(dir.path()).documents {
        for b in &d.blocks {
            prop_assert!(!b.text.trim().is_empty());
            prop_assert!(b.start < b.end && b.end <= length, "{:?} in {}", b, length);
            // Any letter of a block is the letter of the source that its span names.
            for (i, c) in b.text.char_indices().filter(|(_, c)| c.is_alphabetic()) {
                let span = b.source_span(i..i + c.len_utf8());
                let there = slice(source, span.start, span.end);
                prop_assert!(
                    there.contains(c) || source.contains("&") || source.contains("alt="),
                    "{:?} is {:?} in {:?}",
                    c,
                    there,
                    source
                );
            }
        }
        let chunks = split_document(0, &d, &words, 20);
        prop_assert!(chunks.iter().all(|c| c.start < c.end && c.end <= length));
    }
    Ok(())
}

#[test]
fn the_sign_before_an_index_moves_no_letter() {
    for source in ["x~b~ and x^2k^", "x<sub>b</sub> and x<sup>2k</sup>"] {
        check_spans("x.md", source).unwrap();
    }
}

// Hostile input. How its time grows with its size is the target `growth` of `./build.sh fuzz`.

fn read_and_split(name: &str, source: &str) -> Vec<Chunk> {
    let corpus = read(folder(&[(name, source.as_bytes())]).path());
    corpus.documents.iter().flat_map(|d| split_document(0, d, &words, 200)).collect()
}

#[test]
fn html_nested_a_hundred_thousand_deep_is_read() {
    for tag in ["div", "b", "ul><li", "table><tr><td", "nav", "main", "svg", "p", "blockquote"] {
        let source = format!("<p>before</p>{}deep", format!("<{tag}>").repeat(100_000));
        read_and_split("deep.html", &source);
    }
    let closed = format!("{}deep{}<p>after", "<div>".repeat(100_000), "</div>".repeat(100_000));
    assert_eq!(read_and_split("closed.html", &closed)[0].text, "deep\n\nafter");
}

#[test]
fn a_page_of_a_hundred_thousand_headings_is_read() {
    let markdown: String = (0..100_000).map(|_| "## Same\n\n").collect();
    let chunks = read_and_split("headings.md", &markdown);
    assert!(chunks.len() >= 1000);
    let html: String = (0..100_000).map(|i| format!("<h{}>Title</h{}>text", i % 6 + 1, i % 6 + 1)).collect();
    read_and_split("headings.html", &html);
}

#[test]
fn a_page_of_nothing_but_short_sections_makes_passages_in_step_with_its_size() {
    let repeated = |part: &str| part.repeat(200_000 / part.len());
    let deep: String =
        (1..6).map(|level| format!("{} {}\n", "#".repeat(level), "long ".repeat(70))).collect();
    for (name, source) in [
        ("a.md", repeated("# a\n")),
        ("a.md", repeated("a\n===\n")),
        ("a.md", repeated("# a\n## b\nc\n")),
        ("a.md", repeated("# (((((((((\n")),
        ("a.md", deep + &repeated("###### a\n")),
        ("a.html", repeated("<h1>a</h1>")),
        ("a.adoc", repeated("== a\n\n")),
        ("a.rst", repeated("a\n=\n\n")),
    ] {
        let tokens = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        let corpus = read(folder(&[(name, source.as_bytes())]).path());
        let chunks: Vec<Chunk> =
            corpus.documents.iter().flat_map(|d| split_document(0, d, &tokens, 200)).collect();
        let bytes: usize =
            chunks.iter().map(|c| 512 + c.heading_path.iter().map(String::len).sum::<usize>()).sum();
        assert!(
            bytes < 12 * source.len() + (1 << 19),
            "{name} {:?}: {bytes} bytes",
            &source[source.len() - 20..]
        );
        let read: usize = chunks.iter().map(|c| c.text.matches(['a', '(']).count()).sum();
        assert!(read * 3 > source.matches(['a', '(']).count(), "{name}: {read} are read");
    }
    let entry = |i| format!("## Word {i}\n\nWhat it means, in a dozen words or so.\n\n");
    let ordinary: String = (0..1000).map(entry).collect();
    assert_eq!(
        read_and_split("glossary.md", &ordinary).iter().filter(|c| c.fragment.starts_with("word-")).count(),
        1000
    );
}

#[test]
fn no_ignore_file_brings_in_what_is_hidden() {
    let files: [(&str, &[u8]); 4] = [
        ("a.md", b"# A\n\nshown"),
        (".ignore", b"!.*\n"),
        (".b.md", b"# B\n\nhidden"),
        (".c/d.md", b"# D\n\nhidden"),
    ];
    let corpus = read(folder(&files).path());
    assert_eq!(corpus.documents.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(), ["a.md"]);
}

#[cfg(unix)]
#[test]
fn no_pipe_in_a_folder_is_waited_for() {
    for (name, others) in [("sub/.gitignore", 1), ("sub/manifest.json", 2), (".ignore", 0)] {
        let folder = folder(&[("a.md", b"# A\n\none"), ("sub/b.md", b"# B\n\ntwo")]);
        assert!(
            std::process::Command::new("mkfifo").arg(folder.path().join(name)).status().unwrap().success()
        );
        let (sender, receiver) = std::sync::mpsc::channel();
        let path = folder.path().to_owned();
        std::thread::spawn(move || {
            sender.send(
                ingest(&path, &IngestOptions::default(), &|_| {}).map_or(0, |corpus| corpus.documents.len()),
            )
        });
        assert_eq!(receiver.recv_timeout(std::time::Duration::from_secs(60)), Ok(others), "{name}");
    }
}

#[test]
fn a_word_of_a_megabyte_is_cut() {
    let word = "x".repeat(1 << 20);
    let by_letter = |s: &str| s.chars().filter(|c| !c.is_whitespace()).count().div_ceil(4);
    for name in ["w.txt", "w.md", "w.html"] {
        let corpus = read(folder(&[(name, word.as_bytes())]).path());
        let chunks = split_document(0, &corpus.documents[0], &by_letter, 200);
        assert_eq!(chunks.iter().map(|c| c.text.as_str()).collect::<String>(), word);
        assert!(chunks.iter().all(|c| by_letter(&c.text) <= 200));
        assert!(chunks.len() < 4000);
    }
    let heading = format!("# {word}\n\ntext");
    let chunks = read_and_split("h.md", &heading);
    assert!(chunks.iter().all(|c| c.heading_path.iter().all(|h| h.len() < 1000)));
}

#[test]
fn markup_repeated_fifty_thousand_times_is_read() {
    let n = 50_000;
    for piece in [
        "> ", "- ", "[", "![", "*a ", "**a_ ", "`a``", "<", "<a ", "<!--", "{{< ", "{{<x>}}", "&", "&#x",
        "|", "a|b\n", "[a](", "[^a]", "<div\n", "~~", "\\", "$", "# #",
    ] {
        read_and_split("repeated.md", &piece.repeat(n));
    }
    for piece in [
        "<a b=c ",
        "<p a=1>",
        "</p>",
        "<!--",
        "<script>",
        "<title>",
        "<style></script>",
        "&amp",
        "&",
        "<a b='",
        "<table><td>",
        "<li>",
        "<b></i>",
        "<td>",
        "<h1>",
        "<p><b>",
    ] {
        read_and_split("repeated.html", &piece.repeat(n));
    }
    let attributes: String = (0..n).map(|i| format!(" a{i}=1")).collect();
    read_and_split("repeated.html", &format!("<p{attributes}>text"));
}

#[test]
fn a_long_text_file_is_read_and_split() {
    let line = "A sentence of plain text that goes on for a while. ";
    // Without a single line end, and with many.
    for end in ["", "\n", "\n\n"] {
        let chunks = read_and_split("long.txt", &format!("{line}{end}").repeat(400_000));
        assert!(chunks.len() > 10_000);
    }
}

/// Returns the pages of a data set as files, if `POCKETGRAPH_DATA` names a folder that has it.
fn pages_of(set: &str) -> Option<TempDir> {
    let Some(data) = std::env::var_os("POCKETGRAPH_DATA").map(|data| Path::new(&data).join(set)) else {
        println!("skipped: POCKETGRAPH_DATA names no folder of data sets");
        return None;
    };
    let lines = fs::read_to_string(data.join("pages.jsonl")).or_else(|_| {
        let mut text = String::new();
        let file = fs::File::open(data.join("pages.jsonl.gz"))?;
        flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).map(|_| text)
    });
    let Ok(lines) = lines else {
        println!("skipped: {} is not there", data.display());
        return None;
    };
    let dir = tempfile::tempdir().unwrap();
    for line in lines.lines() {
        let page: serde_json::Value = serde_json::from_str(line).unwrap();
        let file = dir.path().join(page["path"].as_str().unwrap());
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, page["text"].as_str().unwrap()).unwrap();
    }
    Some(dir)
}

#[test]
fn the_rust_book_is_read_whole_and_within_the_limit() {
    let Some(dir) = pages_of("rust_book") else { return };
    let corpus = read(dir.path());
    assert_eq!(corpus.skipped, []);
    assert_eq!(corpus.documents.len(), 112);
    for d in &corpus.documents {
        let body: usize =
            d.blocks.iter().filter(|b| !matches!(b.kind, Heading(_))).map(|b| words(&b.text)).sum();
        let chunks = split_document(0, d, &words, 200);
        assert!(chunks.iter().all(|c| words(&c.text) <= 200));
        assert!(chunks.iter().map(|c| words(&c.text)).sum::<usize>() >= body, "{}", d.path);
        assert!(!d.blocks.iter().any(|b| b.text.contains("{{#")), "{}", d.path);
    }
    let scope = corpus
        .documents
        .iter()
        .flat_map(|d| split_document(0, d, &words, 200))
        .find(|c| c.text.contains("The Slice Type"));
    assert!(scope.is_some());
}

/// `cargo test -p pocketgraph-cli --release --test ingest -- --ignored --nocapture how_fast`
#[test]
#[ignore = "a measurement"]
fn how_fast_sites_are_read_and_split() {
    for set in ["rust_book", "hugo_docs", "cpp_docs"] {
        let Some(dir) = pages_of(set) else { continue };
        let begun = Instant::now();
        let corpus = read(dir.path());
        let ingested = begun.elapsed();
        let sections: usize =
            corpus.documents.iter().flat_map(|d| &d.blocks).filter(|b| matches!(b.kind, Heading(_))).count();
        let begun = Instant::now();
        let chunks: Vec<Chunk> = corpus
            .documents
            .iter()
            .enumerate()
            .flat_map(|(i, d)| split_document(i as u32, d, &words, 200))
            .collect();
        let splitted = begun.elapsed();
        let total = (ingested + splitted).as_secs_f64();
        let mut sizes: Vec<usize> = chunks.iter().map(|c| words(&c.text)).collect();
        sizes.sort_unstable();
        println!(
            "{set}: {} documents, {} bytes, {sections} sections: read in {ingested:?}, split in \
             {splitted:?}: {:.0} sections/s, {:.1} MB/s",
            corpus.documents.len(),
            corpus.bytes,
            sections as f64 / total,
            corpus.bytes as f64 / 1e6 / total
        );
        let at = |q: usize| sizes[(sizes.len() - 1) * q / 100];
        println!(
            "{} chunks; words a chunk: {} least, {} {} {} quartiles, {} most",
            chunks.len(),
            at(0),
            at(25),
            at(50),
            at(75),
            at(100)
        );
        println!(
            "{} skipped, {} blocks with template tags left",
            corpus.skipped.len(),
            corpus
                .documents
                .iter()
                .flat_map(|d| &d.blocks)
                .filter(|b| b.kind != Code && b.text.contains("{{<"))
                .count()
        );
        for c in chunks.iter().skip(chunks.len() / 2).take(5) {
            println!(
                "---- {} > {:?} #{} {}..{}\n{}",
                corpus.documents[c.document as usize].title,
                c.heading_path,
                c.fragment,
                c.start,
                c.end,
                c.text
            );
        }
    }
}

/// The most memory that this process has held, in megabytes.
#[cfg(target_os = "linux")]
fn peak_memory() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
}

/// Run alone: `cargo test -p pocketgraph-cli --release --test ingest -- --ignored --nocapture two_hundred`
#[cfg(target_os = "linux")]
#[test]
#[ignore = "a measurement of memory, to be run alone"]
fn two_hundred_megabytes_are_read_in_bounded_memory() {
    let sentence = "A sentence of plain text that goes on *for a while*, and then some. ";
    for (name, end) in [("a.txt", ""), ("b.txt", "\n\n"), ("c.md", "\n\n"), ("d.md", ""), ("e.html", "<p>")] {
        let dir = folder(&[(
            name,
            format!("{sentence}{end}").repeat(200_000_000 / (sentence.len() + end.len())).as_bytes(),
        )]);
        let before = peak_memory();
        let begun = Instant::now();
        let corpus = read(dir.path());
        let read = begun.elapsed();
        let chunks = split_document(0, &corpus.documents[0], &words, 200);
        println!(
            "{name}: read in {read:?}, split in {:?}, {} chunks, peak {} MB (before: {before})",
            begun.elapsed() - read,
            chunks.len(),
            peak_memory()
        );
        assert!(peak_memory() < 3000);
    }
}
