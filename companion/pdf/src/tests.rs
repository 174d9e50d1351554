#![allow(clippy::unwrap_used)]
use super::*;
use pocketgraph_ingest::chunk::split_document;
use pocketgraph_ingest::{Corpus, IngestOptions, ingest_bytes};
use proptest::prelude::*;
use std::fmt::Write;

const FONTS: &str = "<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> \
    /F2 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >> \
    /F3 << /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >> >>";

/// A PDF of pages with these instructions; `trailer` goes into its trailer.
fn file(pages: &[String], trailer: &str) -> Vec<u8> {
    let mut objects = vec!["<< /Type /Catalog /Pages 2 0 R >>".to_owned()];
    let kids: String = (0..pages.len()).map(|i| format!("{} 0 R ", 3 + 2 * i)).collect();
    objects.push(format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len()));
    for (i, content) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font {FONTS} \
             /XObject << /X {} 0 R >> >> /Contents {} 0 R >>",
            4 + 2 * i,
            4 + 2 * i
        ));
        // The content is a form, too, that shows itself.
        objects.push(format!(
            "<< /Type /XObject /Subtype /Form /Length {} >>\nstream\n{content}\nendstream",
            content.len()
        ));
    }
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut places = String::new();
    for (i, object) in objects.iter().enumerate() {
        let _ = writeln!(places, "{:010} 00000 n ", out.len());
        out.extend_from_slice(format!("{} 0 obj\n{object}\nendobj\n", i + 1).as_bytes());
    }
    let start = out.len();
    let n = objects.len() + 1;
    out.extend_from_slice(
        format!(
            "xref\n0 {n}\n0000000000 65535 f \n{places}trailer\n<< /Size {n} /Root 1 0 R {trailer} \
             >>\nstartxref\n{start}\n%%EOF\n"
        )
        .as_bytes(),
    );
    out
}

/// Instructions that show a line.
fn line(font: &str, size: u32, x: i32, y: i32, text: &str) -> String {
    format!("BT /{font} {size} Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET\n")
}

/// Instructions that show lines under each other.
fn lines(x: i32, y: i32, texts: &[&str]) -> String {
    texts.iter().enumerate().map(|(i, text)| line("F1", 10, x, y - 12 * i as i32, text)).collect()
}

const LEFT: [&str; 6] = [
    "The left column begins here and is set in",
    "lines that fill it from one side to the other,",
    "as running text does. It speaks of weaving at",
    "length and of looms, and it hyphen-",
    "ates words at the end of its lines. It ends at",
    "the foot of its column, in mid sentence,",
];
const RIGHT: [&str; 6] = [
    "and goes on at the top of the right column.",
    "Whoever reads across both sides reads what",
    "makes no sense at all to anyone, and finds no",
    "answer in it. So the columns are read one by",
    "one, the left one first, as those who wrote it",
    "meant it to be read by those who read it.",
];

fn two_columns() -> String {
    line("F1", 20, 60, 740, "On Weaving") + &lines(60, 700, &LEFT) + &lines(320, 700, &RIGHT)
}

fn corpus(bytes: Vec<u8>) -> Corpus {
    ingest_bytes("guide/manual.pdf", bytes, &IngestOptions::default()).unwrap()
}

#[test]
fn columns_are_read_one_after_the_other() {
    // Both in the order of the file and row by row.
    let rows: String = LEFT
        .iter()
        .zip(RIGHT)
        .enumerate()
        .map(|(i, (l, r))| {
            line("F1", 10, 60, 700 - 12 * i as i32, l) + &line("F1", 10, 320, 700 - 12 * i as i32, r)
        })
        .collect();
    for content in [two_columns(), rows] {
        let text = read_pdf(file(&[content], "")).unwrap();
        let prose: Vec<&str> =
            text.parts.iter().filter(|p| p.kind == Kind::Paragraph).map(|p| p.text.as_str()).collect();
        assert_eq!(prose.len(), 1, "{prose:?}");
        assert!(prose[0].contains("hyphenates words"), "{prose:?}");
        assert!(prose[0].contains("in mid sentence, and goes on at the top"), "{prose:?}");
        assert!(prose[0].ends_with("those who read it."), "{prose:?}");
    }
}

#[test]
fn cells_of_a_table_are_read_row_by_row() {
    let rows = ["port", "host", "level", "colour", "width"];
    let content: String = rows
        .iter()
        .enumerate()
        .map(|(i, name)| {
            line("F1", 10, 60, 700 - 14 * i as i32, name)
                + &line("F1", 10, 300, 700 - 14 * i as i32, "what it is for, in some more words than that")
        })
        .collect();
    let text = read_pdf(file(&[content], "")).unwrap();
    let all: String = text.parts.iter().map(|p| p.text.clone() + "\n").collect();
    assert!(all.contains("port  what it is for"), "{all}");
}

#[test]
fn headings_are_known_by_their_size_and_blocks_by_their_page() {
    let first = line("F1", 24, 60, 740, "Manual")
        + &line("F1", 16, 60, 700, "1 Setting up")
        + &lines(60, 670, &["Turn the crank until the bell rings.", "Then let it go."]);
    let second = line("F1", 16, 60, 740, "2 Taking down")
        + &lines(60, 710, &["Wait for the bell, then lift the lid carefully."]);
    let corpus = corpus(file(&[first, second], ""));
    let document = &corpus.documents[0];
    assert_eq!((document.title.as_str(), document.url.as_str()), ("Manual", "guide/manual.pdf"));
    let chunks = split_document(0, document, &|t| t.split_whitespace().count(), 200);
    let seen: Vec<_> =
        chunks.iter().map(|c| (c.heading_path.join("/"), c.fragment.as_str(), c.text.as_str())).collect();
    assert_eq!(
        seen,
        [
            ("1 Setting up".to_owned(), "page=1", "Turn the crank until the bell rings. Then let it go."),
            ("2 Taking down".to_owned(), "page=2", "Wait for the bell, then lift the lid carefully."),
        ]
    );
}

#[test]
fn a_long_section_is_found_at_the_page_that_its_passage_begins_on() {
    let page = |n: i32| {
        lines(60, 700, &[&format!("Step {n} of the work is to wait."), "Nothing else has to be done then."])
    };
    let corpus = corpus(file(&(1..=500).map(page).collect::<Vec<_>>(), ""));
    let chunks = split_document(0, &corpus.documents[0], &|t| t.split_whitespace().count(), 20);
    let of = |step: &str| chunks.iter().find(|c| c.text.starts_with(step)).map(|c| c.fragment.as_str());
    assert_eq!(of("Step 499 of"), Some("page=499"));
    assert!(chunks.iter().all(|c| c.fragment.starts_with("page=")));
}

#[test]
fn code_keeps_its_lines_and_what_comes_again_on_every_page_is_left_out() {
    let page = |n: i32| {
        line("F1", 9, 60, 780, "The Loom Manual")
            + &lines(
                60,
                700,
                &[&format!("On page {n} stands a program of two lines that is shown as it is:")],
            )
            + &line("F3", 10, 60, 670, "if warp:")
            + &line("F3", 10, 84, 658, "weave\\(warp\\)")
            + &line("F1", 9, 300, 30, &n.to_string())
    };
    let text = read_pdf(file(&(1..=4).map(page).collect::<Vec<_>>(), "")).unwrap();
    let code: Vec<&str> =
        text.parts.iter().filter(|p| p.kind == Kind::Code).map(|p| p.text.as_str()).collect();
    assert_eq!(code, ["if warp:\n    weave(warp)"; 4]);
    assert!(text.parts.iter().all(|p| !p.text.contains("Loom") && p.text.len() > 2), "{:?}", text.parts);
}

#[test]
fn what_cannot_be_read_is_named() {
    let reason = |bytes: Vec<u8>| corpus(bytes).skipped.first().map(|s| s.reason.clone()).unwrap_or_default();
    let keys = "00".repeat(32);
    let encrypted = file(
        &[two_columns()],
        &format!("/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{keys}> /U <{keys}> >>"),
    );
    assert_eq!(reason(encrypted), "encrypted: it asks for a password");
    assert_eq!(
        reason(file(&["/I Do BI /W 1 /H 1 /BPC 8 /CS /G ID x EI".to_owned()], "")),
        "scanned: its 1 pages are pictures without text"
    );
    assert_eq!(reason(b"%PDF-1.7\nnothing".to_vec()), "no PDF, or one too damaged to be read");
    let whole = file(&[two_columns(), two_columns()], "");
    let cut = corpus(whole[..whole.len() - 400].to_vec());
    assert_eq!(cut.documents.len(), 1, "{:?}", cut.skipped);
    assert!(cut.skipped[0].reason.starts_with("cut off or damaged"), "{:?}", cut.skipped);
}

#[test]
fn forms_in_forms_end() {
    // Each of sixteen shows the same form sixteen times: 16^12 in all.
    let looping = "/X Do ".repeat(16) + &two_columns();
    assert_eq!(
        read_pdf(file(std::slice::from_ref(&looping), "")),
        Err("it asks for more work than a document does".to_owned())
    );
    let text = read_pdf(file(&[two_columns(), looping], "")).unwrap();
    assert_eq!(text.unread.as_deref(), Some("read up to page 1: it asks for more work than a document does"));
    assert!(!text.parts.is_empty());
}

#[test]
fn finding_a_font_or_a_form_counts_for_more_than_other_instructions() {
    // A form that shows itself twice is shown eight thousand times.
    let is_too_much = |part: &str| {
        let text = read_pdf(file(&["/X Do /X Do ".to_owned() + &part.repeat(10)], ""));
        text == Err("it asks for more work than a document does".to_owned())
    };
    assert!(is_too_much("/F1 9 Tf ") && is_too_much("/None Do "));
    assert!(!is_too_much("0 0 Td "));
}

#[test]
fn a_page_of_more_letters_than_a_book_is_not_read() {
    // A form that shows itself is shown thirteen times.
    let shown = |lines: usize| {
        read_pdf(file(
            &["/X Do ".to_owned() + &line("F1", 10, 60, 700, &"letters ".repeat(10)).repeat(lines)],
            "",
        ))
    };
    assert!(shown(100).is_ok());
    assert_eq!(shown(300), Err("it asks for more work than a document does".to_owned()));
}

#[test]
fn titles_that_are_names_of_files_are_none() {
    assert_eq!(read_title(b"Microsoft Word - draft 3.doc"), "");
    assert_eq!(read_title(&[0xfe, 0xff, 0, b'A', 0, b' ', 0x26, 0x3a]), "A \u{263a}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn damaged_files_are_read_or_named(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..24),
        cut in any::<prop::sample::Index>(),
        whole: bool,
    ) {
        let mut bytes = file(&[two_columns(), line("F3", 10, 60, 700, "code")], "");
        for (at, to) in changes {
            let at = at.index(bytes.len());
            bytes[at] = to;
        }
        if !whole {
            bytes.truncate(cut.index(bytes.len()));
        }
        let read = pocketgraph_native::panics::catch_panic(|| read_pdf(bytes));
        prop_assert!(read.is_ok(), "{read:?}");
    }
}
