//! Whether readers take time and memory in step with what they read: each element of each format, repeated and nested, at a size and at four times it.

use crate::memory;
use pocketgraph_ingest::chunk::split;
use pocketgraph_ingest::{IngestOptions, ingest_bytes};
use std::time::{Duration, Instant};

/// Four times the size may take so many times as long, and so much memory.
const MOST_TIMES: u32 = 5;

/// What is quicker, or smaller, is not compared: other work on the machine decides it.
const NOISE: Duration = Duration::from_millis(60);
const SMALL: usize = 8 << 20;

/// Bytes of the first input of a fragment, and of the last.
const SIZES: [usize; 2] = [32 << 10, 2 << 20];

/// A format's file, what its files begin with, and its elements; where a stroke parts an element, its halves are nested.
const FORMATS: [(&str, &str, &[&str]); 9] = [
    (
        "a.md",
        "",
        &[
            "# a\n",
            "* a\n",
            "1. a\n",
            "- ¦\n",
            "> ¦",
            "`a",
            "``` \n",
            "**a ",
            "_a_ ",
            "[a](b) ",
            "[a",
            "![",
            "[a]: b\n",
            "<b>¦</b>",
            "<!-- ",
            "| a | b |\n",
            "|a|\n|-|\n",
            "{{ a }} ",
            "{% a ",
            "&amp;",
            "\\",
            "$a",
            "[^1] ",
            "~~a ",
            ":a: ",
            "+++a",
            "a\n=\n",
            "<a href=\"",
            "==a ",
            "[[a]] ",
            "--8<-- \"a\"\n",
            "    a\n",
        ],
    ),
    (
        "a.mdx",
        "",
        &[
            "<A>¦</A>",
            "<A/> ",
            "{a} ",
            "{",
            "`a",
            "import A from 'a'\n",
            "export const a = {\n",
            "<A b={c}>",
            "<!-- ",
            "<Tabs>¦</Tabs>",
            "<A>\n¦\n</A>\n",
            "</A>",
        ],
    ),
    (
        "a.html",
        "",
        &[
            "<p>a",
            "<div>¦</div>",
            "<ul><li>¦</li></ul>",
            "<table><tr><td>¦</td></tr></table>",
            "<td rowspan=9 colspan=9>a",
            "<h2 id=a>a</h2>",
            "<a href=#a>b</a> ",
            "<b>",
            "</b>",
            "<!-- ",
            "<![CDATA[",
            "<script>",
            "<svg>¦</svg>",
            "&lt;",
            "&",
            "<a b=\"",
            "<br>",
            "<pre>¦</pre>",
            "<ruby>a<rt>b</rt></ruby>",
            "<sup>2</sup>",
            "<dl><dt>a<dd>b</dl>",
        ],
    ),
    (
        "a.rst",
        "",
        &[
            "a\n=\n\n",
            "* a\n",
            "#. a\n",
            "`a` ",
            "`a",
            "**a ",
            "|a| ",
            "|a",
            ".. note:: a\n",
            ".. _a: b\n",
            "`a <b>`_ ",
            "a_ ",
            ":ref:`a` ",
            "+-+\n|a|\n+-+\n",
            "== ==\na  b\n== ==\n",
            ".. csv-table:: a\n\n   a,\"b\n",
            ".. |a| replace:: b\n",
            "::\n\n  a\n",
            ":a: b\n",
            "  ¦\n",
            "[1]_ ",
        ],
    ),
    (
        "a.adoc",
        "",
        &[
            "== a\n",
            "* a\n",
            ". a\n",
            "{a}",
            "{a} ",
            "*a ",
            "`a",
            "<<a>> ",
            "<<a",
            "link:a[b] ",
            "image::a[]\n",
            "|===\n|a |b\n|===\n",
            "2.3+|a\n",
            ",===\na,\"b\n,===\n",
            "====\na\n====\n",
            ":a: b\n",
            "[a]\n",
            "a:: b\n",
            "----\n",
            "footnote:[a] ",
            "^a^ ",
            "+\n",
            "include::a[]\n",
            "ifdef::a[]\n",
        ],
    ),
    ("a.1", ".TH a 1\n", &[".SH a\n", ".B a\n", ".TP\na\nb\n", "\\fBa\\fR ", ".nf\na\n", "\\", ".\\\" a\n"]),
    ("a.csv", "a,b\n", &["a,b\n", "\"a", "\"\"", ",", "a,\"b\nc\"\n"]),
    ("a.txt", "", &["a\n", "a\n\n", " ", "\n"]),
    ("openapi.json", "", &[]),
];

/// Tries every element, and returns what grows faster than its input. Elements are tried up to the last size, or until the time is over.
pub fn run(time: Duration) -> (usize, Vec<String>) {
    let (mut inputs, mut findings) = (0, Vec::new());
    let began = Instant::now();
    for (file, top, elements) in FORMATS {
        for element in elements {
            let of = |bytes: usize| format!("{top}{}", repeated(element, bytes)).into_bytes();
            inputs += 1;
            findings.extend(grows(&format!("{file}: {element:?}"), began, time, |bytes| (file, of(bytes))));
        }
    }
    for (name, of) in interfaces() {
        inputs += 1;
        findings.extend(grows(name, began, time, |bytes| ("openapi.json", of(bytes).into_bytes())));
    }
    (inputs, findings)
}

/// So many bytes of an element, one behind the other, or one in the other.
fn repeated(element: &str, bytes: usize) -> String {
    match element.split_once('¦') {
        Some((before, after)) => {
            let times = bytes / (before.len() + after.len()).max(1);
            format!("{}a{}", before.repeat(times), after.repeat(times))
        }
        None => element.repeat(bytes / element.len()),
    }
}

/// A name, and a function from a number of bytes to a document of that size.
type Growing = (&'static str, fn(usize) -> String);

/// Descriptions of interfaces in which one kind of thing is many.
fn interfaces() -> [Growing; 3] {
    fn all(bytes: usize, of: impl Fn(usize) -> String) -> String {
        (0..bytes / of(10_000).len()).map(of).collect::<Vec<_>>().join(",")
    }
    [
        ("openapi: tags", |bytes| {
            format!("{{\"openapi\":\"3.0.0\",\"paths\":{{{}}}}}", all(bytes, |i| format!("\"/{i}\":{{\"get\":{{\"tags\":[\"t{i}\"]}}}}")))
        }),
        ("openapi: fields", |bytes| {
            format!(
                "{{\"openapi\":\"3.0.0\",\"components\":{{\"schemas\":{{\"A\":{{\"properties\":{{{}}}}}}}}}}}",
                all(bytes, |i| format!("\"f{i}\":{{\"type\":\"string\"}}"))
            )
        }),
        ("openapi: schemas that extend the one before", |bytes| {
            let schema = |i: usize| format!("\"S{i}\":{{\"allOf\":[{{\"$ref\":\"#/components/schemas/S{}\"}}]}}", i.saturating_sub(1));
            format!("{{\"openapi\":\"3.0.0\",\"components\":{{\"schemas\":{{{}}}}}}}", all(bytes, schema))
        }),
    ]
}

fn grows(name: &str, began: Instant, time: Duration, of: impl Fn(usize) -> (&'static str, Vec<u8>)) -> Option<String> {
    let mut bytes = SIZES[0];
    let mut before = measured(&of(bytes));
    while bytes < SIZES[1] && began.elapsed() < time {
        bytes *= 4;
        let now = measured(&of(bytes));
        if now.0 > NOISE && now.0 > before.0.max(NOISE / MOST_TIMES) * MOST_TIMES {
            return Some(format!("{name}: {} bytes take {:?}, a quarter of them {:?}", bytes, now.0, before.0));
        }
        if now.1 > SMALL && now.1 > before.1.max(SMALL / MOST_TIMES as usize) * MOST_TIMES as usize {
            return Some(format!("{name}: {} bytes take {} bytes of memory, a quarter of them {}", bytes, now.1, before.1));
        }
        before = now;
    }
    None
}

/// The time and memory that an input takes: the least of three times.
fn measured((file, bytes): &(&str, Vec<u8>)) -> (Duration, usize) {
    let once = || {
        let held = memory::begin();
        let began = Instant::now();
        let corpus = ingest_bytes(file, bytes.clone(), &IngestOptions::default());
        corpus.iter().flat_map(|c| &c.documents).for_each(|d| drop(split(0, d, &|text: &str| text.len() / 4, 256)));
        (began.elapsed(), memory::peak(held))
    };
    let all = [once(), once(), once()];
    (all.iter().map(|m| m.0).min().unwrap_or_default(), all.iter().map(|m| m.1).min().unwrap_or_default())
}
