//! Signs, lists, cells and hidden parts whose meaning must survive, in every format that has them.

use super::{Block, BlockKind, IngestOptions, ingest_bytes};

fn blocks(name: &str, source: &str) -> Vec<Block> {
    let corpus = ingest_bytes(name, source.as_bytes().to_vec(), &IngestOptions::default())
        .unwrap_or_else(|e| panic!("{e}"));
    corpus.documents.into_iter().next().map(|d| d.blocks).unwrap_or_default()
}

fn text(name: &str, source: &str) -> String {
    blocks(name, source).iter().map(|b| b.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn html(body: &str) -> String {
    text("a.html", &format!("<!doctype html><title>T</title><main>{body}</main>"))
}

/// The numbers of the items of lists, with the first word of each.
fn steps(name: &str, source: &str) -> Vec<String> {
    let items = blocks(name, source).into_iter().filter(|b| b.kind == BlockKind::ListItem);
    items
        .map(|b| format!("{} {}", b.note, b.text.split(' ').next().unwrap_or("")).trim().to_owned())
        .collect()
}

#[test]
fn a_chapters_number_and_title_are_one_heading() {
    let group = "<hgroup><p>Part</p><h2>II</h2><p>The <i>tide</i></p></hgroup>";
    assert_eq!(html(&format!("<h1>Mill</h1>{group}<p>It rose.</p>")), "Mill\nPart\nII: The tide\nIt rose.");
}

#[test]
fn the_title_of_a_box_is_apart_from_its_text() {
    assert_eq!(text("a.md", "> [!tip] By *hand*\n> You can row\n> there."), "By hand\nYou can row there.");
}

#[test]
fn a_power_is_one_in_every_format() {
    for (name, source) in [
        ("a.html", "<p>up to 10<sup>7</sup> tides of H<sub>2</sub>O</p>"),
        ("a.md", "up to 10<sup>7</sup> tides of H<sub>2</sub>O"),
        ("a.md", "up to 10^7^ tides of H~2~O"),
        ("a.rst", "up to 10\\ :sup:`7` tides of H\\ :sub:`2`\\ O"),
        ("a.adoc", "up to 10^7^ tides of H~2~O"),
    ] {
        assert_eq!(text(name, source), "up to 10⁷ tides of H₂O", "{name}");
    }
    assert_eq!(text("a.md", "from ~5 to ~9 and x^2 or y^3"), "from ~5 to ~9 and x^2 or y^3");
}

#[test]
fn marks_of_notes_go_and_the_notes_stay() {
    let page = "<p>It bears 90<sup><a href=\"#n1\">1</a></sup> kilos<a class=\"footnote-ref\" href=\"#n2\" \
                role=\"doc-noteref\">2</a>.</p>\
                <aside class=\"footnote\" role=\"doc-footnote\"><p>When dry.</p></aside>";
    assert_eq!(html(page), "It bears 90 kilos.\nWhen dry.");
    assert_eq!(text("a.adoc", "It bears 90 kilosfootnote:[When dry.]."), "It bears 90 kilos (When dry.).");
}

#[test]
fn readings_of_signs_are_not_text() {
    let ruby = "<ruby>港<rp>(</rp><rt>みなと</rt><rp>)</rp></ruby>の<ruby>船<rt>ふね</ruby>です";
    assert_eq!(
        (html(&format!("<p>{ruby}</p>")), text("a.md", ruby)),
        ("港の船です".into(), "港の船です".into())
    );
}

#[test]
fn a_formula_is_shown_once() {
    let tex = "<span class=\"katex\"><span \
               class=\"katex-mathml\"><math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>\
               <annotation encoding=\"application/x-tex\">x^2</annotation></semantics></math></span>\
               <span class=\"katex-html\" aria-hidden=\"true\">x2</span></span>";
    assert_eq!(html(&format!("<p>Here {tex} is it.</p>")), "Here x^2 is it.");
    let plain = "<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><msup><mi>c</mi><mn>2</mn></msup></mfrac\
        ></math>";
    assert_eq!(html(&format!("<p>Or {plain}.</p>")), "Or (a+b)/(c^2).");
    assert_eq!(
        html("<p>By <span class=\"MathJax_Preview\">E</span><script type=\"math/tex\">E=mc^2</script>.</p>"),
        "By E=mc^2."
    );
    assert_eq!(text("a.md", "It is $x_{1}*y*\\{z\\}$."), "It is $x_{1}*y*\\{z\\}$.");
    assert_eq!(text("a.md", "It costs **$5** and **$10**."), "It costs $5 and $10.");
}

#[test]
fn an_icon_is_its_label_and_a_mark_in_a_cell_is_a_word() {
    let rows = "<table><tr><th></th><th>Reads</th></tr><tr><th scope=row>A</th><td><i class=ok \
                aria-label=\"supported\"></i></td></tr>\
                <tr><th scope=row>B</th><td><svg role=img aria-label=\"not \
                supported\"><path/></svg></td></tr>\
                <tr><th scope=row>C</th><td>✗</td></tr>\
                <tr><th scope=row>D</th><td><i aria-hidden=true></i><span \
                class=sr-only>yes</span></td></tr></table>";
    assert_eq!(html(rows), "| Reads\nA | supported\nB | not supported\nC | no\nD | yes");
    assert_eq!(
        text("a.md", "| F | Free |\n|---|---|\n| Moor | :x: |\n| Wash | ✅ |"),
        "F | Free\nMoor | no\nWash | yes"
    );
    assert_eq!(html("<p>Press<img alt=\"Save\">now</p>"), "Press Save now");
}

#[test]
fn items_keep_their_numbers() {
    assert_eq!(
        steps(
            "a.html",
            "<ol start=3><li>c<li value=7>g<ol type=a><li>x</ol></ol><ol \
             reversed><li>two<li>one</ol><ol type=I><li>r</ol>"
        ),
        ["3. c", "7. g", "7.a. x", "2. two", "1. one", "I. r"]
    );
    assert_eq!(
        steps("a.md", "3. c\n4. d\n   1. x\n   2. y\n5. e\n"),
        ["3. c", "4. d", "4.1. x", "4.2. y", "5. e"]
    );
    assert_eq!(
        steps("a.rst", "3. c\n4. d\n\n   a) x\n   b) y\n\n#. e\n"),
        ["3. c", "4. d", "4.a. x", "4.b. y", "5. e"]
    );
    assert_eq!(steps("a.adoc", ". c\n.. x\n.. y\n. d\n"), ["1. c", "1.a. x", "1.b. y", "2. d"]);
}

#[test]
fn a_cell_holds_several_values() {
    let row = "<table><tr><th>Boat</th><th>Ports</th></tr><tr><td>Tern</td><td>Lund<br>Skive</td></tr>\
               <tr><td>Rail</td><td><ul><li>Ulm</li><li>Graz</li></ul></td></tr><tr><td>Coot</td><td><p>Safe.\
               </p><p>Dry.</p></td></tr></table>";
    assert_eq!(html(row), "Boat | Ports\nTern | Lund; Skive\nRail | Ulm; Graz\nCoot | Safe. Dry.");
    let table = "| Boat | Ports |\n|---|---|\n| Tern | Lund<br>Skive |\n| Rail | \
        <ul><li>Ulm</li><li>Graz</li></ul> |";
    assert_eq!(text("a.md", table), "Boat | Ports\nTern | Lund; Skive\nRail | Ulm; Graz");
    let nested = "<table><tr><th>Boat</th><th>Crew</th></tr><tr><td>Tern</td><td><table><tr><td>Ann</td><td>cook</td></tr>\
                  <tr><td>Bo</td><td>mate</td></tr></table></td></tr><tr><td>Rail</td><td>Cy</td></tr></table\
                  >";
    assert_eq!(html(nested), "Boat | Crew\nTern | Ann, cook; Bo, mate\nRail | Cy");
}

#[test]
fn panels_of_tabs_are_read_under_the_names_of_their_tabs() {
    let tabs = "<ul role=tablist><li role=tab id=t1>Ash</li><li role=tab id=t2>Elm</li></ul>\
                <div role=tabpanel aria-labelledby=t2 aria-hidden=true><p>Cut in May.</p></div>\
                <div role=tabpanel aria-labelledby=t1 hidden><p>Cut in June.</p></div><div \
                hidden><p>Never.</p></div>";
    assert_eq!(html(tabs), "Elm:\nCut in May.\nAsh:\nCut in June.");
}

#[test]
fn a_page_is_called_after_its_file_where_no_heading_of_level_1_names_it() {
    let title = |path: &str, source: &str| {
        let corpus = ingest_bytes(path, source.as_bytes().to_vec(), &IngestOptions::default())
            .unwrap_or_else(|e| panic!("{e}"));
        corpus.documents.into_iter().next().map(|d| d.title).unwrap_or_default()
    };
    assert_eq!(title("a/late-or-early.md", "Text.\n\n## Why\n\nx"), "Late or early");
    assert_eq!(title("02-mooring_lines.md", "## Why\n\nx"), "Mooring lines");
    assert_eq!(title("late.md", "## Why\n\nx\n\n# Late boats\n"), "Late boats");
    for path in ["ch04-01.md", "index.md", "page-2.md", "3f9a2c.md"] {
        assert_eq!(title(path, "## Why\n\nx"), "Why", "{path}");
    }
}
