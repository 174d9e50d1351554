//! What readers name to have exactly that: signs, versions, options, compounds, words that are usually left
//! out; and lists that hold what they say.
#![allow(missing_docs, clippy::unwrap_used)]

use futures::executor::block_on;
use pocketgraph::answer::AskOptions;
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph_build::folder::FolderSource;
use pocketgraph_build::pipeline::{BuildOptions, Input, build};
use pocketgraph_native::progress::Silent;
use std::rc::Rc;

const PAGES: [(&str, &str); 9] = [
    ("1.0/kiln.md", "# The kiln\n\nThe kiln heats the clay to 900 degrees."),
    ("2.0/kiln.md", "# The kiln\n\nThe kiln heats the clay to 1,200 degrees."),
    ("bindings/cpp.md", "# Binding for C++\n\nInclude the header. The program frees the mould itself."),
    ("bindings/c.md", "# Binding for C\n\nInclude the header. The program must free the mould."),
    ("bindings/net.md", "# Binding for .NET\n\nAdd the package. Moulds are collected."),
    ("network.md", "# The net\n\nThe net of the studio joins all kilns."),
    (
        "language.md",
        "# Language\n\n## for\n\nRepeats a firing.\n\n## if\n\nFires once, where the clay is \
         dry.\n\n## ??\n\nTakes the second glaze where there is no first.",
    ),
    (
        "options.md",
        "# Options\n\n## kiln.fan\n\nOn or off.\n\n## kiln.door\n\nOpen or shut.\n\n## \
         kiln.lamp\n\nRed or white.\n\n## Command line\n\nPass `--no-cooling` to leave it hot.",
    ),
    (
        "sign-on.md",
        "# Sign-on\n\nA potter has one sign-on for all studios, and the file name of the key is fixed.",
    ),
];

fn engine() -> (tempfile::TempDir, Engine) {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in PAGES {
        let path = dir.path().join("docs").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let bundle = dir.path().join("bundle");
    build(&BuildOptions::bare(Input::Documents(dir.path().join("docs")), bundle.clone()), &Silent).unwrap();
    let engine = block_on(Engine::open(Rc::new(FolderSource::new(bundle)), 1 << 30)).unwrap();
    (dir, engine)
}

fn found_titles(engine: &Engine, question: &str, options: SearchOptions) -> Vec<String> {
    block_on(engine.search(question, &options)).unwrap().hits.into_iter().map(|h| h.url).collect()
}

fn by(retriever: &str) -> SearchOptions {
    SearchOptions { retriever: Some(retriever.into()), ..SearchOptions::default() }
}

#[test]
fn signs_options_operators_and_stop_words_that_are_headings_find_what_has_them() {
    let (_dir, engine) = engine();
    block_on(engine.prepare()).unwrap();
    for (question, url) in [
        ("C++", "bindings/cpp.html"),
        (".NET", "bindings/net.html"),
        ("the net", "network.html"),
        ("--no-cooling", "options.html#command-line"),
        ("??", "language.html"),
        ("for", "language.html#for"),
        ("if", "language.html#if"),
        ("single sign on", "sign-on.html"),
        ("signon", "sign-on.html"),
        ("filename", "sign-on.html"),
    ] {
        for retriever in ["lexical", "auto"] {
            let hits = found_titles(&engine, question, by(retriever));
            let first = hits.first().map(String::as_str);
            // The id of a heading of signs is the generator's affair.
            let same = first == Some(url)
                || question == "??" && first.is_some_and(|f| f.starts_with("language.html"));
            assert!(same, "{question} by {retriever}: {hits:?}");
        }
    }
}

#[test]
fn a_version_in_the_path_is_heard_where_titles_are_the_same() {
    let (_dir, engine) = engine();
    block_on(engine.prepare()).unwrap();
    for version in ["1.0", "2.0"] {
        for retriever in ["lexical", "hybrid", "auto"] {
            let hits = found_titles(&engine, &format!("heat of the kiln {version}"), by(retriever));
            assert_eq!(hits[0], format!("{version}/kiln.html"), "{retriever}: {hits:?}");
        }
    }
    let answer = block_on(engine.quote(
        "To how many degrees does the kiln heat the clay in 2.0?",
        &AskOptions::default(),
        &mut |_| (),
    ))
    .unwrap();
    let quoted: Vec<(bool, &str)> =
        answer.citations.iter().map(|c| (c.quote.contains("1,200"), c.holds.as_str())).collect();
    assert_eq!(quoted, [(true, "Version 2.0"), (false, "Version 1.0")], "{}", answer.text);
}

#[test]
fn a_short_section_is_found_at_its_own_address() {
    let (_dir, engine) = engine();
    assert_eq!(found_titles(&engine, "kiln.lamp", by("lexical"))[0], "options.html#kilnlamp");
}

#[test]
fn nonsense_finds_nothing_but_by_what_shows_the_nearest() {
    let (_dir, engine) = engine();
    block_on(engine.prepare()).unwrap();
    assert!(found_titles(&engine, "qwzx vbnmk plorf", by("auto")).is_empty());
    assert!(found_titles(&engine, "qwzx vbnmk plorf", by("hybrid")).is_empty());
    assert!(!found_titles(&engine, "qwzx vbnmk plorf", by("dense")).is_empty());
    assert!(
        !found_titles(&engine, "pottery oven", by("auto")).is_empty(),
        "meaning alone finds what is meant"
    );
}

#[test]
fn one_page_does_not_fill_the_list_and_nothing_is_lost_for_it() {
    let (_dir, engine) = engine();
    let of_options = |options: SearchOptions| {
        let hits = found_titles(&engine, "kiln options", SearchOptions { k: Some(8), ..options });
        (hits.iter().take(4).filter(|url| url.starts_with("options.html")).count(), hits.len())
    };
    let (all, many) = of_options(SearchOptions { per_page: Some(0), ..SearchOptions::default() });
    let (some, as_many) = of_options(SearchOptions { per_page: Some(2), ..SearchOptions::default() });
    assert!(all > 2 && some == 2, "{all} {some}");
    assert_eq!(many, as_many);
    let (default, _) = of_options(SearchOptions::default());
    assert_eq!(default, 3.min(all));
}
