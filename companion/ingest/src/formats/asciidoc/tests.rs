#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use proptest::prelude::*;

fn shown(source: &str) -> Vec<String> {
    read_asciidoc(source, &[]).shown()
}

#[test]
fn the_header_names_title_author_and_attributes() {
    let page = read_asciidoc(
        "// A note\n= The Book\nAda Lind <ada@x.org>; Bo\nv1.0, 2020-01-02\n:keywords: a, \
         b\n:product: Pocket\n\nAbout {product} and {unknown}.\n",
        &[],
    );
    assert_eq!(page.blocks[0].kind, BlockKind::Heading(1));
    assert_eq!((page.blocks[0].text.as_str(), page.blocks[0].fragment.as_deref()), ("The Book", None));
    assert_eq!(page.blocks[1].text, "About Pocket and {unknown}.");
    let fields: Vec<_> = page.fields.all().iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(fields, [("author", "Ada Lind"), ("author", "Bo"), ("keywords", "a, b")]);
}

#[test]
fn sections_have_levels_and_the_ids_of_asciidoctor() {
    let ids = |source: &str| {
        read_asciidoc(source, &[])
            .blocks
            .iter()
            .map(|b| b.fragment.clone().unwrap_or_default())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        ids("== Getting started-with v1.2!\n\n=== Größe\n\n=== Größe\n"),
        ["_getting_started_with_v1_2", "_größe", "_größe_2"]
    );
    assert_eq!(
        ids(":idprefix:\n:idseparator: -\n\n== Getting started\n\n[#own]\n== Other\n\n[[mine]]\n== \
            Third\n\n== [[here]]Fourth\n"),
        ["getting-started", "own", "mine", "here"]
    );
    assert_eq!(shown("== A\n\n==== B\n\nText.\n"), ["Heading(2): A", "Heading(4): B", "Paragraph: Text."]);
}

#[test]
fn marks_inside_paragraphs_are_left_out_and_links_kept() {
    let source = "Use *bold*, _it_, `code`, **b**old, #marked# and [.big]#more#; snake_case and 2 * 3 * 4 \
        stay. See xref:guide/setup.adoc#run[how to\nrun], \
        <<intro,the start>>, <<_first_steps>>, https://a.org/x[the site], link:b.html[B,window=_blank] and \
        https://c.org. \
        Press kbd:[Ctrl+C]. \"`Quoted`\" image:i.png[An icon] \\*not*, `+{raw}+` +\nend.\n";
    let page = read_asciidoc(source, &[]);
    assert_eq!(
        page.blocks[0].text,
        "Use bold, it, code, bold, marked and more; snake_case and 2 * 3 * 4 stay. See how to run, the \
         start, first steps, the site, B and https://c.org. \
         Press Ctrl+C. \"Quoted\" An icon *not*, {raw} end."
    );
    let links: Vec<_> = page.links.iter().map(|l| (l.target.as_str(), l.text.as_str())).collect();
    assert_eq!(
        links,
        [
            ("guide/setup.adoc#run", "how to run"),
            ("#intro", "the start"),
            ("#_first_steps", "first steps"),
            ("https://a.org/x", "the site"),
            ("b.html", "B"),
            ("https://c.org", "https://c.org")
        ]
    );
}

#[test]
fn characters_by_name_and_macros_of_a_site_s_own_show_what_they_can() {
    let source = "The '`web`' {asterisk}{plus} needs javadoc:org.x.Env[], conf:a.b[format=env] or \
        own:x[text].\n\ninclude-code::My[]\n\nNote: a::b stays, 10:30 too.\n";
    assert_eq!(
        shown(source),
        ["Paragraph: The 'web' *+ needs org.x.Env, a.b or text.", "Paragraph: Note: a::b stays, 10:30 too."]
    );
}

#[test]
fn lists_and_definitions_are_items() {
    let source = "* one\nand more\n** inner\n. first\n. second\n- [x] done\n1. number\n\nCPU:: The \
        processor.\nRAM::\n  Memory\n  of a machine.\n\n* with code\n+\n----\nx = 1\n----\n<1> called\n";
    assert_eq!(
        shown(source),
        [
            "ListItem: one and more",
            "ListItem: inner",
            "ListItem: first",
            "ListItem: second",
            "ListItem: done",
            "ListItem: number",
            "Term: CPU",
            "ListItem: The processor.",
            "Term: RAM",
            "ListItem: Memory of a machine.",
            "ListItem: with code",
            "Code: x = 1",
            "ListItem: called"
        ]
    );
}

#[test]
fn delimited_blocks_are_what_their_marks_say() {
    let source = ".A title\n[source,rust]\n----\nfn main() {\n    // *b*\n}\n----\n\n....\nas it \
        is\n....\n\n====\nNOTE: In an example.\n====\n\n____\nA quotation.\n____\n\n\
        ////\nhidden\n////\n\n++++\n<b>no</b>\n++++\n\n[NOTE]\n--\nOpen.\n--\n\n literal\n  \
        text\n\n[source]\none = 1\n\n```ruby\nputs 1\n```\n\ninclude::other.adoc[]\nimage::a.png[A \
        map,300]\n\n'''\n\nEnd.\n";
    assert_eq!(
        shown(source),
        [
            "Paragraph: A title",
            "Code: fn main() {\n    // *b*\n}",
            "Code: as it is",
            "Paragraph: NOTE: In an example.",
            "Quote: A quotation.",
            "Paragraph: Open.",
            "Code: literal\n text",
            "Code: one = 1",
            "Code: puts 1",
            "Paragraph: A map",
            "Paragraph: End."
        ]
    );
}

#[test]
fn tables_are_rows_of_cells() {
    assert_eq!(
        shown("|===\n|Name |Value\n\n|a\n|*one*\n more\n\n|b |two\n|===\n"),
        ["Table: Name | Value\na | one more\nb | two"]
    );
    assert_eq!(
        shown("[cols=\"1,2*a\",options=\"header\"]\n|===\n|x\n2+|y\nh|1 |2 |3\n|===\n"),
        ["Table: x | y | y\n1 | 2 | 3"]
    );
    assert_eq!(
        shown(
            "[%header,cols=3*]\n|===\n|Boat |Basin \
             |Skipper\n|Mistral\n.2+|East\n|Ida\n|Zephyr\n|Ulf\n2*|x |y\n|===\n"
        ),
        ["Table: Boat | Basin | Skipper\nMistral | East | Ida\nZephyr | East | Ulf\nx | x | y"]
    );
    assert_eq!(shown("[%header,format=csv]\n|===\na,\"b, c\"\nd,e\n|===\n"), ["Table: a | b, c\nd | e"]);
    assert_eq!(
        shown(",===\nKnot,Use\nBowline,\"to\nrescue\"\n,===\n"),
        ["Table: Knot | Use\nBowline | to rescue"]
    );
    let is_head = |source: &str| read_asciidoc(source, &[]).blocks[0].header;
    for named in [",===\nKnot,Use\nBowline,rescue\n,===\n", "[format=tsv]\n|===\nKnot\tUse\nReef\t4\n|===\n"]
    {
        assert!(is_head(named), "{named}");
    }
    for values in [
        ",===\nKnot,Use\n,===\n",
        ",===\nReef,4\nBowline,7\n,===\n",
        "[%noheader]\n,===\nReef,joining\nBowline,rescue\n,===\n",
    ] {
        assert!(!is_head(values), "{values}");
    }
    assert_eq!(shown(":===\na:b\n:===\n"), ["Table: a | b"]);
}

#[test]
fn text_knows_where_it_came_from() {
    let source = "= Größe\n\nA *bold* word.\n";
    assert_eq!(read_asciidoc(source, &[]).source_of(source, 1, "bold"), Some("bold"));
}

#[test]
fn deep_and_long_texts_end() {
    let deep: String = (4..2000).map(|n| format!("{}\n", "=".repeat(n))).collect();
    let _ = read_asciidoc(&deep, &[]);
    for unit in [
        "*a ",
        "_a _",
        "`a ",
        "a:a",
        "http://",
        "<<a ",
        "[[a ",
        "[.a",
        "{a",
        "\"`a",
        "|a\n",
        "a::\n",
        "[a]\n",
        "*_`#",
        "----\n-----\n",
        "\\",
    ] {
        let page = read_asciidoc(&unit.repeat(40_000), &[]);
        assert!(page.blocks.len() < 100_000, "{unit}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read(
        source in "([ ]{0,3}(={1,5}|-{2,5}|\\*{1,4}|_{4}|\\|===|[.*:+|#`_\\[\\]<>{}\"a-cé1/-]{0,12}|image::[a-z]\
            \\[[a-z,]{0,3}\\]|[a-z]{1,3}::)( [a-zé*`_:|{}<>\\[\\]+-]{0,8}){0,3}\n){0,30}",
    ) {
        prop_assert!(read_asciidoc(&source, &[]).lies_in(&source));
    }
}

#[test]
fn attributes_put_in_no_more_than_the_file_and_a_little() {
    let n = 60_000;
    let source = format!(":a: {}\n\n{}\n", "x".repeat(n / 2), "{a}".repeat(n / 6));
    let page = super::read_asciidoc(&source, &[]);
    let text: usize = page.blocks.iter().map(|b| b.text.len()).sum();
    assert!(text <= 2 * source.len() + (64 << 10), "{text}");
    assert!(page.blocks.iter().any(|b| b.text.ends_with("{a}")), "what is beyond stands as it is written");
    let ids = super::read_asciidoc(
        &format!(":idprefix: {}\n\n{}", "x".repeat(n / 2), "== a b\n\n".repeat(100)),
        &[],
    );
    assert!(ids.blocks.iter().all(|b| b.fragment.as_ref().is_none_or(|f| f.len() < 100)));
}
