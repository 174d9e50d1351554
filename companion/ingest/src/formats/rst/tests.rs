#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use proptest::prelude::*;

fn read(source: &str) -> Page {
    super::read_rst(source, &HashMap::new())
}

fn shown(source: &str) -> Vec<String> {
    read(source).shown()
}

#[test]
fn titles_have_levels_by_the_order_in_which_their_marks_appear() {
    let source =
        "====\nBook\n====\n\nOne\n---\n\nText.\n\nPart\n~~~~\n\nTwo\n---\n\n-----\n\nEnd.\n\n-----\n";
    assert_eq!(
        shown(source),
        [
            "Heading(1): Book",
            "Heading(2): One",
            "Paragraph: Text.",
            "Heading(3): Part",
            "Heading(2): Two",
            "Paragraph: End."
        ]
    );
    let fragments: Vec<_> = read("API & Use\n=========\n\n2. Größe!\n---------\n\nAPI use\n-------\n")
        .blocks
        .into_iter()
        .map(|b| b.fragment)
        .collect();
    // A second title of one id is numbered, over the page, unless footnotes may have been.
    assert_eq!(fragments, [Some("api-use".into()), Some("grosze".into()), Some("id1".into())]);
    let noted = read("A\n=\n\nText [1]_.\n\nA\n=\n\n.. [1] Note.\n").blocks;
    assert_eq!(
        noted
            .iter()
            .filter(|b| matches!(b.kind, BlockKind::Heading(_)))
            .map(|b| b.fragment.as_deref())
            .collect::<Vec<_>>(),
        [Some("a"), None]
    );
}

#[test]
fn marks_inside_paragraphs_are_left_out_and_links_kept() {
    let source = "Call :py:func:`~requests.get` with ``timeout=5``, *not* **less**; see :doc:`user/quick \
        start\n<user/quick>`,\n:doc:`api`, \
        `the site <https://a.org/>`_, `Home page`_, python_ and the note [1]_. |name| is 3\\ * 4 snake_case \
        `x`.\n\n\
        .. _Home Page: https://home.org/\n.. _python: https://python.org/\n.. |name| replace:: Pocket\n.. \
        [1] A footnote\n   of two lines.\n";
    let page = read(source);
    assert_eq!(
        page.blocks[0].text,
        "Call requests.get with timeout=5, not less; see user/quick start, api, the site, Home page, \
         python and the note . Pocket is 3* 4 snake_case x."
    );
    assert_eq!(page.blocks[1].text, "A footnote of two lines.");
    let links: Vec<_> = page.links.iter().map(|l| (l.target.as_str(), l.text.as_str())).collect();
    assert_eq!(
        links,
        [
            ("user/quick", "user/quick start"),
            ("api", "api"),
            ("https://a.org/", "the site"),
            ("https://home.org/", "Home page"),
            ("https://python.org/", "python")
        ]
    );
}

#[test]
fn lists_definitions_fields_and_line_blocks_are_items() {
    let source = "* one\n  and more\n\n  * inner\n\n1. first\n2. second\n\nA. Einstein was\nborn in \
        Ulm.\n\nterm : kind\n   What it is.\n\n\
        :param x: a number\n   of things\n:returns: nothing\n\n| a line\n| another\n\n   A quotation.\n";
    assert_eq!(
        shown(source),
        [
            "ListItem: one and more",
            "ListItem: inner",
            "ListItem: first",
            "ListItem: second",
            "Paragraph: A. Einstein was born in Ulm.",
            "Term: term",
            "ListItem: What it is.",
            "ListItem: param x: a number of things",
            "ListItem: returns: nothing",
            "Paragraph: a line\nanother",
            "Quote: A quotation."
        ]
    );
}

#[test]
fn code_keeps_its_lines_and_its_own_indentation() {
    let source = "Like this::\n\n    def f(x):\n        return x\n\n    f(1)\n\n.. code-block:: python\n   \
        :linenos:\n\n   import a  # *b*\n\n>>> 1 + 1\n2\n\nAfter. ::\n\n  x\n";
    assert_eq!(
        shown(source),
        [
            "Paragraph: Like this:",
            "Code: def f(x):\n    return x\n\nf(1)",
            "Code: import a  # *b*",
            "Code: >>> 1 + 1\n2",
            "Paragraph: After.",
            "Code: x"
        ]
    );
}

#[test]
fn directives_give_their_text_their_signature_or_nothing() {
    let source = ".. note:: Mind\n   the gap.\n\n   Twice.\n\n.. py:function:: get(url)\n   :module: \
        requests\n\n   Sends a request.\n\n   :param url: where\n\n\
        .. include:: other.rst\n\n.. A comment: it\n   goes on.\n\n..\n   This, too.\n\n.. image:: a.png\n   \
        :alt: A map\n\n.. figure:: b.png\n\n   Its caption.\n\n\
        .. toctree::\n   :maxdepth: 2\n\n   user/install\n   Title <api>\n   glob/*\n\n.. deprecated:: 1.2 \
        Use get.\n\n.. raw:: html\n\n   <b>no</b>\n\n.. admonition:: Be careful\n\n   Really.\n";
    let page = read(source);
    assert_eq!(
        shown(source),
        [
            "Paragraph: Mind the gap.",
            "Paragraph: Twice.",
            "Term: get(url)",
            "ListItem: Sends a request.",
            "ListItem: param url: where",
            "Paragraph: A map",
            "Paragraph: Its caption.",
            "Paragraph: 1.2 Use get.",
            "Term: Be careful",
            "ListItem: Really."
        ]
    );
    let links: Vec<_> = page.links.iter().map(|l| (l.target.as_str(), l.text.as_str())).collect();
    assert_eq!(links, [("user/install", ""), ("api", "Title")]);
}

#[test]
fn tables_are_rows_of_cells() {
    let grid = "+------+-----+\n| Größe| B   |\n+======+=====+\n| *a*  | two |\n| more | x   \
        |\n+------+-----+\n| both       |\n+------+-----+\n";
    assert_eq!(shown(grid), ["Table: Größe | B\na more | two x\nboth | both"]);
    let simple = "=====  ======\nName   Value\n=====  ======\na      one\n       more\nb      two\n=====  \
        ======\n\nAfter.\n";
    assert_eq!(shown(simple), ["Table: Name | Value\na | one more\nb | two", "Paragraph: After."]);
    let followed = "== ==\nA  B\n== ==\na  b\n== ==\nAfter.\n";
    assert_eq!(shown(followed), ["Table: A | B\na | b", "Paragraph: After."]);
    let listed = ".. list-table::\n   :header-rows: 1\n\n   * - Name\n     - Value\n   * - a\n     - \
        one\n       \
        more\n";
    assert_eq!(shown(listed), ["Table: Name | Value\na | one more"]);
    let values = ".. csv-table::\n   :header: Name, Value\n\n   a, \"one, two\"\n   b, three\n";
    assert_eq!(shown(values), ["Table: Name | Value\na | one, two\nb | three"]);
    for (values, named) in [("Knot, Use\n   Bowline, rescue", true), ("Reef, 4\n   Bowline, 7", false)] {
        let page = read(&format!(".. csv-table::\n\n   {values}\n"));
        assert_eq!(page.blocks[0].header, named, "{values}");
    }
}

#[test]
fn fields_at_the_top_are_the_page_s_own() {
    let page = read("Title\n=====\n\n:author: Ada\n:date: 2020-01-02\n\nText.\n\n:later: an item\n");
    assert_eq!(
        page.fields.all(),
        [("author".to_owned(), "Ada".to_owned()), ("date".to_owned(), "2020-01-02".to_owned())]
    );
    assert_eq!(page.blocks.last().unwrap().text, "later: an item");
}

#[test]
fn text_knows_where_it_came_from() {
    let source = "Größe\n=====\n\nA **bold** word.\n";
    assert_eq!(read(source).source_of(source, 1, "bold"), Some("bold"));
}

#[test]
fn deep_and_long_texts_end() {
    let mut deep = String::new();
    for i in 0..2000 {
        deep.push_str(&" ".repeat(i));
        deep.push_str("* x\n\n");
    }
    assert!(!read(&deep).blocks.is_empty());
    // Inside each other on one line, where depth costs nine bytes.
    for unit in [".. note:: ", ".. [1] ", "* ", "1. "] {
        let page = read(&format!("{}the end\n", unit.repeat(40_000)));
        assert!(page.blocks.last().is_some_and(|b| b.text.ends_with("the end")), "{unit}");
    }
    for unit in [
        "*a ",
        "`a ",
        "a_a_",
        "|a ",
        ":a:`",
        "[1 ",
        "\\",
        "== ==\n",
        "+-+\n",
        "a::\n b\n",
        ".. a::\n",
        "(1) a\n",
        "``a` ",
        ":a: b\n",
    ] {
        let page = read(&unit.repeat(40_000));
        assert!(page.blocks.len() < 100_000, "{unit}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read(
        source in "([ \\t]{0,6}([*+=|:.`_\\[\\]\\\\<>a-cé1#-]{0,12}|\\.\\. [a-c]{1,6}:: \
            ?[a-c]{0,3}|[-=+|]{1,9})( \
            [a-zé*`_:|-]{0,8}){0,3}\n){0,30}",
    ) {
        prop_assert!(read(&source).lies_in(&source));
    }
}

#[test]
fn substitutions_and_targets_put_in_no_more_than_the_file_and_a_little() {
    let n = 60_000;
    let long = "x".repeat(n / 2);
    for (source, of_links) in [
        (format!(".. |a| replace:: {long}\n\n{}\n", "|a| ".repeat(n / 8)), false),
        (format!(".. _a: {long}\n\n{}\n", "a_ ".repeat(n / 6)), true),
        (format!(".. _a: {long}\n\n{}\n", "`a`_ ".repeat(n / 10)), true),
    ] {
        let page = read(&source);
        let text: usize = page.blocks.iter().map(|b| b.text.len()).sum();
        let targets: usize = page.links.iter().map(|l| l.target.len()).sum();
        assert!(text.max(targets) <= 2 * source.len() + (64 << 10), "{text} {targets}");
        assert!(text.max(targets) > n / 2 && page.links.is_empty() != of_links);
    }
}

#[test]
fn cells_over_rows_are_in_each_and_two_header_rows_are_one() {
    let source = "+--------+-------------+-------+\n| Pump   | Flow        | Maker |\n+        \
        +------+------+       +\n|        | Min  | Max  |       |\n+========+======+======+=======+\n| \
        Heron  | 12   | 80   | Oake  |\n+--------+------+------+       +\n| Tern   | 15   | 95   \
        |       |\n+--------+------+------+-------+\n";
    let page = read(source);
    assert_eq!(
        page.shown(),
        ["Table: Pump | Flow Min | Flow Max | Maker\nHeron | 12 | 80 | Oake\nTern | 15 | 95 | Oake"]
    );
    assert!(page.blocks[0].header);
}

#[test]
fn a_cell_over_thousands_of_rows_is_repeated_within_bounds() {
    let source = "+-+\n|a|\n+-+".repeat(4000);
    let shown: usize = shown(&source).iter().map(String::len).sum();
    assert!((4000..8 * source.len()).contains(&shown), "{shown} bytes");
}

#[test]
fn a_label_is_shown_as_the_title_that_it_is_above() {
    let titles =
        labels(".. _sluice-gate:\n.. _gate:\n\nThe *sluice* gate\n-----------------\n\n.. _para:\n\nText.\n");
    assert_eq!(
        titles.iter().map(|(l, t)| format!("{l}={t}")).collect::<Vec<_>>(),
        ["sluice-gate=The sluice gate", "gate=The sluice gate"]
    );
    let titles = titles.into_iter().collect();
    assert_eq!(
        super::read_rst("See :ref:`gate` and :ref:`it <gate>`.\n", &titles).shown(),
        ["Paragraph: See The sluice gate and it."]
    );
}
