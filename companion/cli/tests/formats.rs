//! Books, word processors' documents and interfaces, good and hostile, made here.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pocketgraph_ingest::{BlockKind, Corpus, IngestOptions, ingest, ingest_bytes};
use proptest::prelude::*;
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn read(name: &str, bytes: Vec<u8>) -> Corpus {
    ingest_bytes(name, bytes, &IngestOptions::default()).unwrap()
}

fn shown(corpus: &Corpus) -> Vec<(BlockKind, &str)> {
    corpus.documents.iter().flat_map(|d| d.blocks.iter().map(|b| (b.kind, b.text.as_str()))).collect()
}

/// Returns the reason why a file was not read.
fn reason(name: &str, bytes: Vec<u8>) -> String {
    let corpus = read(name, bytes);
    assert!(corpus.documents.is_empty(), "{corpus:?}");
    corpus.skipped.into_iter().next().unwrap().reason
}

const CONTAINER: &str = "<container><rootfiles><rootfile full-path='OPS/book.opf'/></rootfiles></container>";
const PACKAGE: &str = "<package><metadata><dc:title>The &amp; Loom</dc:title></metadata><manifest>\
    <item id='n' href='nav.xhtml' properties='nav' media-type='application/xhtml+xml'/><item id='b' \
    href='b%20two.xhtml' media-type='application/xhtml+xml'/>\
    <item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest><spine><itemref \
    idref='n'/><itemref idref='a'/><itemref idref='b'/></spine></package>";

#[test]
fn chapters_of_a_book_are_read_in_the_order_of_its_spine() {
    let book = zipped(&[
        ("META-INF/container.xml", CONTAINER),
        ("OPS/book.opf", PACKAGE),
        ("OPS/b two.xhtml", "<html><body><h1>Two</h1><p>Second.</p></body></html>"),
        (
            "OPS/a.xhtml",
            "<html><head><title>x</title></head><body class='c'><h1>One</h1><p>First.</p></body></html>",
        ),
        ("OPS/nav.xhtml", "<html><body><p>Contents</p></body></html>"),
    ]);
    let corpus = read("guides/loom.epub", book);
    assert_eq!(
        shown(&corpus),
        [
            (BlockKind::Heading(1), "One"),
            (BlockKind::Paragraph, "First."),
            (BlockKind::Heading(1), "Two"),
            (BlockKind::Paragraph, "Second.")
        ]
    );
    assert_eq!(
        (corpus.documents[0].title.as_str(), corpus.documents[0].url.as_str()),
        ("The & Loom", "guides/loom.epub")
    );
}

#[test]
fn a_word_processors_document_has_headings_lists_and_tables_and_none_of_what_was_deleted() {
    let styles =
        "<w:styles><w:style w:styleId='berschrift1'><w:name w:val='heading 1'/></w:style></w:styles>";
    let cell = |properties: &str, text: &str| {
        format!("<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>")
    };
    let text = format!(
        "<w:document><w:body><w:p><w:pPr><w:pStyle w:val='berschrift1'/></w:pPr><w:r><w:t>Install</w:t></w:r></w:p>\
         <w:p><w:r><w:t>Run</w:t><w:tab/><w:t>it \
         &lt;now&gt;.</w:t></w:r><w:del><w:r><w:delText>Gone</w:delText></w:r></w:del></w:p>\
         <w:p><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr><w:r><w:instrText>PAGE</w:instrText><w:t>\
         One</w:t></w:r></w:p>\
         <w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>{}{}</w:tr><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl></w\
         :body></w:document>",
        cell("", "Pump"),
        cell("", "Flow"),
        cell("<w:vMerge w:val='restart'/>", "Heron"),
        cell("", "12"),
        cell("<w:vMerge/>", ""),
        cell("", "80"),
    );
    let made = zipped(&[
        ("word/document.xml", &text),
        ("word/styles.xml", styles),
        ("word/vbaProject.bin", "macros"),
    ]);
    for name in ["a.docx", "a.docm"] {
        let corpus = read(name, made.clone());
        assert_eq!(
            shown(&corpus),
            [
                (BlockKind::Heading(1), "Install"),
                (BlockKind::Paragraph, "Run it <now>."),
                (BlockKind::ListItem, "One"),
                (BlockKind::Table, "Pump | Flow\nHeron | 12\nHeron | 80"),
            ]
        );
        assert!(corpus.documents[0].blocks[3].header);
        assert_eq!(corpus.documents[0].url, name);
    }
}

#[test]
fn what_is_encrypted_damaged_or_another_thing_is_named_and_skipped() {
    assert!(reason("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec()).contains("older format"));
    assert!(reason("a.docx", b"PK\x03\x04".to_vec()).contains("damaged"));
    assert!(reason("a.docx", zipped(&[("x", "y")])).contains("word/document.xml"));
    assert!(reason("a.epub", zipped(&[("x", "y")])).contains("container.xml"));
    assert!(
        reason("a.epub", zipped(&[("META-INF/rights.xml", ""), ("META-INF/container.xml", CONTAINER)]))
            .contains("protected")
    );
    assert!(reason("openapi.json", b"{}".to_vec()).contains("openapi"));
}

#[test]
fn what_grows_when_it_is_unpacked_is_bounded() {
    let large = "a".repeat(80 << 20);
    assert!(reason("a.docx", zipped(&[("word/document.xml", &large)])).contains("larger than"));
}

#[test]
fn interfaces_are_known_by_their_names_and_other_files_of_these_endings_are_not_read() {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("openapi.yaml", "openapi: 3.1.0\ninfo: {title: Pets}\npaths: {/a: {get: {summary: Find}}}\n"),
        (
            "pets.swagger.json",
            "{\"swagger\": \"2.0\", \"info\": {\"title\": \"Old\"}, \"paths\": {\"/a\": {\"get\": \
             {\"operationId\": \"find\"}}}}",
        ),
        ("package.json", "{\"a\": 1}"),
        ("mkdocs.yaml.txt", "Text."),
        ("server.log.1", "line"),
    ] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let corpus = ingest(dir.path(), &IngestOptions::default(), &|_| {}).unwrap();
    let titles: Vec<_> = corpus.documents.iter().map(|d| (d.path.as_str(), d.title.as_str())).collect();
    assert_eq!(
        titles,
        [("mkdocs.yaml.txt", "mkdocs.yaml"), ("openapi.yaml", "Pets"), ("pets.swagger.json", "Old")]
    );
    assert!(corpus.skipped.is_empty(), "{:?}", corpus.skipped);
}

proptest! {
    #[test]
    fn any_bytes_in_an_archive_are_read_or_refused(text in "[<>/a-c'=&; wtpb]{0,80}", name in "word/document\
        .xml|META-INF/container.xml|OPS/book.opf") {
        let files = [(name.as_str(), text.as_str()), ("META-INF/container.xml", CONTAINER)];
        let made = zipped(&files[..if name == "OPS/book.opf" { 2 } else { 1 }]);
        let _ = (read("a.docx", made.clone()), read("a.epub", made.clone()));
        let mut cut = made;
        cut.truncate(cut.len() / 2);
        let _ = (read("a.docx", cut.clone()), read("a.epub", cut));
    }

    #[test]
    fn any_description_of_an_interface_is_read_or_refused(text in "(openapi: 3|paths:|  /a:|    get:|      \
        [a-c$:\\[\\]{}&*\"-]{0,9}|\n){0,20}") {
        let _ = (read("openapi.yaml", text.clone().into_bytes()), read("openapi.json", text.into_bytes()));
    }
}
