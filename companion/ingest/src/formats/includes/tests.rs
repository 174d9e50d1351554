//! Includes against small folders of our own.
#![allow(clippy::unwrap_used)]

use super::*;
use std::fs;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = dir.path().join("docs").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    dir
}

fn shown(dir: &tempfile::TempDir, page: &str, how: impl Fn(&str, &Includer<'_>) -> String) -> String {
    let folder = Folder::new(&dir.path().join("docs"), "docs/", &[]).unwrap();
    let text = fs::read_to_string(dir.path().join("docs").join(page)).unwrap();
    how(&text, &Includer::new(Some(&folder), page, text.len()))
}

fn md(text: &str, includer: &Includer<'_>) -> String {
    markdown(text, includer).into_owned()
}

#[test]
fn each_dialects_includes_bring_in_the_lines_and_regions_that_they_name() {
    let dir = folder(&[
        ("part.md", "---\ntitle: x\n---\none\ntwo\nthree\n"),
        ("code.rs", "a\n// ANCHOR: m\nb\n// ANCHOR_END: m\nc\n"),
        ("code.js", "1\n// #region r\n  2\n// #endregion r\n3\n// --8<-- [start:s]\n4\n// --8<-- [end:s]\n"),
    ]);
    let of = |page: &str| {
        fs::write(dir.path().join("docs/page.md"), page).unwrap();
        shown(&dir, "page.md", md)
    };
    assert_eq!(of("```rust\n{{#include code.rs:m}}\n```\n"), "```rust\nb\n```\n");
    assert_eq!(of("```rust\n{{#include code.rs:1:3}}\n```\n"), "```rust\na\n// ANCHOR: m\nb\n```\n");
    assert_eq!(of("{{#include part.md}}\n"), "one\ntwo\nthree\n");
    assert_eq!(of("    --8<-- \"docs/part.md\"\n"), "    one\n    two\n    three\n");
    assert_eq!(of("```js\n--8<-- \"code.js:s\"\n```\n"), "```js\n4\n```\n");
    assert_eq!(of("--8<--\npart.md\nmissing.md\n--8<--\n"), "one\ntwo\nthree\n");
    assert_eq!(of("<<< @/code.js#r{1 js}\n"), "```js\n2\n```\n");
    assert_eq!(of("<!--@include: ./part.md{2,}-->\n"), "\ntwo\nthree\n\n");
    assert_eq!(of("{* code.rs ln[3:3] hl[1] *}\n"), "```rs\nb\n```\n");
    assert_eq!(of("{{% include \"part.md\" %}}\n"), "\none\ntwo\nthree\n\n");
    for untouched in ["--8<-- \"missing.md\"\n", "`{{#include code.rs}}` so\n", "<<< missing.js\n", "text\n"]
    {
        assert_eq!(of(untouched), untouched);
    }
}

#[cfg(unix)]
#[test]
fn nothing_hidden_ignored_or_outside_is_brought_in_wherever_links_lead() {
    let dir = folder(&[
        (".git/config", "SECRET"),
        ("kept/.env", "SECRET"),
        (".gitignore", "/private/\n*.key\n"),
        ("private/notes.txt", "SECRET"),
        ("kept/a.key", "SECRET"),
        ("kept/.ignore", "drafts.txt\n!open.key\n"),
        ("kept/drafts.txt", "SECRET"),
        ("kept/open.key", "shown"),
        ("kept/part.txt", "shown"),
    ]);
    fs::write(dir.path().join("outside.txt"), "SECRET").unwrap();
    let link =
        |name: &str, to: &str| std::os::unix::fs::symlink(to, dir.path().join("docs").join(name)).unwrap();
    link("config.txt", ".git/config");
    link("env.txt", "kept/.env");
    link("private.txt", "private/notes.txt");
    link("folder", ".git");
    link("out.txt", "../outside.txt");
    link("part.txt", "kept/part.txt");
    let secrets = [
        ".git/config",
        "config.txt",
        "env.txt",
        "private.txt",
        "folder/config",
        "out.txt",
        "../outside.txt",
        "private/notes.txt",
        "kept/a.key",
        "kept/drafts.txt",
    ];
    let pages = |name: &str| {
        let of = |page: &str, text: String, how: &dyn Fn(&str, &Includer<'_>) -> String| {
            fs::write(dir.path().join("docs").join(page), text).unwrap();
            shown(&dir, page, how)
        };
        [
            of("a.md", format!("{{{{#include {name}}}}}\n"), &md),
            of("b.md", format!("--8<-- \"{name}\"\n"), &md),
            of("c.md", format!("<<< {name}\n"), &md),
            of("d.adoc", format!("include::{name}[]\n"), &|text, includer| {
                asciidoc(text, "d.adoc", includer).into_owned()
            }),
            of("e.rst", format!(".. literalinclude:: {name}\n"), &|text, includer| {
                rst(text, includer).into_owned()
            }),
        ]
    };
    for name in secrets {
        assert!(pages(name).iter().all(|text| !text.contains("SECRET")), "{name}: {:?}", pages(name));
    }
    for name in ["part.txt", "kept/part.txt", "kept/open.key"] {
        assert!(pages(name).iter().all(|text| text.contains("shown")), "{name}: {:?}", pages(name));
    }
}

#[test]
fn sections_of_vitepress_are_brought_in_by_their_id() {
    let dir = folder(&[
        ("p.md", "<!--@include: ./q.md#b-c-->\n"),
        ("q.md", "# A\na\n## B.c\nb\n### D\nd\n## E\ne\n"),
    ]);
    assert_eq!(shown(&dir, "p.md", md), "\n## B.c\nb\n### D\nd\n\n");
}

#[test]
fn restructuredtext_and_asciidoc_bring_in_text_and_code() {
    let dir = folder(&[
        (
            "a.rst",
            "X\n\n.. include:: part.txt\n   :start-after: two\n\n.. literalinclude:: /code.py\n   \
             :pyobject: f\n   :language: python\n",
        ),
        ("part.txt", "one\ntwo\nthree\n"),
        ("code.py", "import x\n\ndef f():\n    return 1\n\ny = 2\n"),
        (
            "modules/ROOT/pages/p.adoc",
            "= P\n\ninclude::partial$s.adoc[leveloffset=+1]\n\n----\ninclude::example$c.txt[tag=t]\n-\
             ---\ninclude::missing.adoc[]\n",
        ),
        ("modules/ROOT/partials/s.adoc", "= Shared\n\nSaid.\n"),
        ("modules/ROOT/examples/c.txt", "0\n# tag::t[]\n1\n# end::t[]\n2\n"),
    ]);
    let text = shown(&dir, "a.rst", |t, i| rst(t, i).into_owned());
    assert_eq!(text, "X\n\n\nthree\n\n\n.. code-block:: python\n\n   def f():\n       return 1\n\n\n");
    let text = shown(&dir, "modules/ROOT/pages/p.adoc", |t, i| {
        asciidoc(t, "modules/ROOT/pages/p.adoc", i).into_owned()
    });
    assert_eq!(text, "= P\n\n== Shared\n\nSaid.\n\n----\n1\n----\ninclude::missing.adoc[]\n");
}

#[test]
fn what_includes_itself_ends() {
    let dir =
        folder(&[("a.md", "a\n{{#include b.md}}\n"), ("b.md", "b\n{{#include a.md}}\n{{#include b.md}}\n")]);
    assert_eq!(shown(&dir, "a.md", md), "a\nb\n{{#include a.md}}\n{{#include b.md}}\n");
    // Many that bring in many are bounded.
    let many = "{{#include b.md}}\n".repeat(400);
    let dir = folder(&[("a.md", &many), ("b.md", &many.replace("b.md", "c.md")), ("c.md", "c\n")]);
    assert!(shown(&dir, "a.md", md).matches("c\n").count() <= MOST);
}

#[test]
fn lines_that_are_named_again_and_again_are_shown_once_and_files_only_as_often_as_a_page_may() {
    let big = "word word word\n".repeat(4000);
    let again = "1:,".repeat(20_000);
    let dir = folder(&[
        ("a.md", &format!("--8<-- \"b.inc:{again}1:\"\n")),
        ("b.inc", &big),
        ("c.md", &"--8<-- \"b.inc\"\n".repeat(400)),
    ]);
    assert_eq!(shown(&dir, "a.md", md), big);
    let spent = shown(&dir, "c.md", |t, i| {
        let text = md(t, i);
        assert!(i.check().is_err() && text.len() < 2 << 20, "{}", text.len());
        String::new()
    });
    assert!(spent.is_empty());
}

#[test]
fn files_that_do_not_fit_are_read_no_more_often_than_others() {
    let large = "word ".repeat(LARGEST as usize / 5 + 1);
    let page = |times: usize| format!("{}--8<-- \"small.inc\"\n", "--8<-- \"large.inc\"\n".repeat(times));
    let dir = folder(&[
        ("a.md", &page(MOST - 1)),
        ("b.md", &page(MOST)),
        ("large.inc", &large),
        ("small.inc", "small\n"),
    ]);
    assert!(shown(&dir, "a.md", md).ends_with("small\n"));
    assert!(!shown(&dir, "b.md", md).ends_with("small\n"));
}

#[cfg(unix)]
#[test]
fn nothing_outside_the_folder_is_brought_in() {
    let dir = folder(&[("a/p.md", ""), (".secret", "hush"), (".git/config", "hush")]);
    fs::write(dir.path().join("out.txt"), "hush").unwrap();
    std::os::unix::fs::symlink(dir.path().join("out.txt"), dir.path().join("docs/link.txt")).unwrap();
    std::os::unix::fs::symlink(dir.path(), dir.path().join("docs/up")).unwrap();
    let absolute = dir.path().join("out.txt");
    for target in [
        "../../out.txt",
        "../link.txt",
        "up/out.txt",
        "/up/out.txt",
        "../.secret",
        "/.git/config",
        "@/../out.txt",
        absolute.to_str().unwrap(),
        "docs/../../out.txt",
    ] {
        fs::write(
            dir.path().join("docs/a/p.md"),
            format!("--8<-- \"{target}\"\n{{{{#include {target}}}}}\n<<< {target}\n{{* {target} *}}\n"),
        )
        .unwrap();
        let text = shown(&dir, "a/p.md", md);
        assert!(!text.contains("hush"), "{target}: {text}");
        fs::write(
            dir.path().join("docs/a/p.md"),
            format!(".. include:: {target}\n\n.. literalinclude:: {target}\n\ninclude::{target}[]\n"),
        )
        .unwrap();
        let text = shown(&dir, "a/p.md", |t, i| format!("{}{}", rst(t, i), asciidoc(t, "a/p.md", i)));
        assert!(!text.contains("hush"), "{target}: {text}");
    }
}
