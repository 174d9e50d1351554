//! Rendered folders: one page once, as its readers see it. Inputs are our own.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use pocketgraph_ingest::{Block, BlockKind, Corpus, IngestOptions, ingest};
use std::fs;

fn read(files: &[(&str, &str)]) -> Corpus {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = dir.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    ingest(dir.path(), &IngestOptions::default(), &|_| {}).unwrap()
}

fn paths(corpus: &Corpus) -> Vec<&str> {
    corpus.documents.iter().map(|d| d.path.as_str()).collect()
}

fn texts(corpus: &Corpus) -> Vec<(BlockKind, &str, Option<&str>)> {
    corpus
        .documents
        .iter()
        .flat_map(|d| &d.blocks)
        .map(|b: &Block| (b.kind, b.text.as_str(), b.fragment.as_deref()))
        .collect()
}

#[test]
fn copies_redirects_errors_and_pages_marked_noindex_are_left_out_with_their_reasons() {
    let corpus = read(&[
        ("faq.html", "<main><h1>FAQ</h1><p>Oil at noon."),
        ("faq.md", "# FAQ\n\nOil at noon."),
        ("_sources/faq.rst.txt", "FAQ\n===\n\nOil ``at`` noon.\n"),
        ("404.html", "<main><h1>Not found</h1><p>No lamp here."),
        (
            "old.html",
            "<meta http-equiv=\"refresh\" content=\"0; URL=faq.html\"><p>Moved to <a href=faq.html>FAQ</a>.",
        ),
        ("all.html", "<meta name=robots content='noindex, nofollow'><p>All pages."),
        ("slow.html", "<meta http-equiv=refresh content=300><p>Weather, every five minutes."),
    ]);
    assert_eq!(paths(&corpus), ["faq.html", "slow.html"]);
    let reason =
        |path: &str| corpus.skipped.iter().find(|s| s.path == path).map_or("", |s| s.reason.as_str());
    assert!(
        reason("old.html").contains("redirect")
            && reason("all.html").contains("noindex")
            && reason("404.html").contains("missing")
    );
    assert!(reason("faq.md").contains("beside") && reason("_sources/faq.rst.txt").contains("beside"));
}

#[test]
fn a_site_all_of_which_says_noindex_is_kept_with_a_warning() {
    let page = "<meta name=robots content=noindex><main><h1>A</h1><p>Text.";
    let corpus = read(&[("index.html", page), ("a/index.html", page)]);
    assert_eq!(corpus.documents.iter().map(|d| d.url.as_str()).collect::<Vec<_>>(), ["a/", ""]);
    assert!(corpus.warnings.iter().any(|w| w.contains("noindex")), "{:?}", corpus.warnings);
}

#[test]
fn the_sitemap_says_what_is_published() {
    let page = "<main><h1>A</h1><p>Text.";
    let map = "<urlset><url><loc>https://x.org/docs/</loc></url><url><loc>https://x.org/docs/a/</loc></url></ur\
        lset>";
    let corpus = read(&[
        ("index.html", page),
        ("a/index.html", page),
        ("draft/index.html", page),
        ("sitemap.xml", map),
    ]);
    assert_eq!(paths(&corpus), ["a/index.html", "index.html"]);
}

#[test]
fn the_sitemap_says_when_a_page_changed_that_does_not_say_so_itself() {
    let dated = "<meta property=article:modified_time content=2024-05-06><main><h1>A</h1><p>Text.";
    let map = "<urlset><url><loc>https://x.org/</loc><lastmod>2023-04-01T08:00:00Z</lastmod></url>\
        <url><loc>https://x.org/a.html</loc><lastmod>2026-01-01</lastmod></url>\
        <url><loc>https://x.org/b.html</loc></url></urlset>";
    let page = "<main><h1>B</h1><p>Text.";
    let corpus = read(&[("index.html", page), ("a.html", dated), ("b.html", page), ("sitemap.xml", map)]);
    let dates = corpus
        .documents
        .iter()
        .map(|d| d.front_matter.iter().map(|(name, value)| (&**name, &**value)).collect());
    let own = vec![("modified", "2024-05-06"), ("date", "2026-01-01")];
    let expected = [own, vec![], vec![("date", "2023-04-01T08:00:00Z")]];
    assert_eq!(dates.collect::<Vec<Vec<_>>>(), expected);
}

#[test]
fn a_site_without_a_page_at_its_root_is_known_by_its_sitemap() {
    let page = |address: &str| {
        format!("<link rel=canonical href='https://x.org/{address}'><main><h1>A</h1><p>Text.")
    };
    let map =
        "<urlset><url><loc>https://x.org/docs</loc></url><url><loc>https://x.org/docs/a</loc></url></urlset>";
    let (docs, a) = (page("docs"), page("docs/a"));
    let corpus = read(&[
        ("docs/index.html", &docs),
        ("docs/a/index.html", &a),
        ("404.html", "x"),
        ("sitemap.xml", map),
    ]);
    assert_eq!(corpus.documents.iter().map(|d| d.url.as_str()).collect::<Vec<_>>(), ["docs/a", "docs"]);
}

#[test]
fn headings_are_without_what_links_to_them() {
    let corpus = read(&[(
        "a.html",
        "<main><h1 id=k>Kiln</h1><div><h2 id=set>Set</h2><a class=sl href='#set'><span>Section titled \
         “Set”</span></a></div><p>One.</p>\
         <h2 id=open>Open it <a href='#open'>Copy link</a></h2><p>Two.</p><h2 id=shut><a href='#shut'>Shut \
         it</a></h2><p>Three.</p>\
         <h2 id=oil>Oil<a href='a.html#oil'>#</a></h2><p>Four.</p><h2><a href='#pre' id=pre>§</a> \
         Before</h2><p>Five, see <a href='#oil'>Oil</a>.</p></main>",
    )]);
    let headings: Vec<_> = texts(&corpus)
        .into_iter()
        .filter(|t| matches!(t.0, BlockKind::Heading(_)))
        .map(|t| (t.1, t.2.unwrap_or("")))
        .collect();
    assert_eq!(
        headings,
        [
            ("Kiln", "k"),
            ("Set", "set"),
            ("Open it", "open"),
            ("Shut it", "shut"),
            ("Oil", "oil"),
            ("Before", "pre")
        ]
    );
    assert!(texts(&corpus).iter().all(|t| !t.1.contains("Section titled")));
    assert!(texts(&corpus).iter().any(|t| t.1 == "Five, see Oil."));
}

#[test]
fn what_sphinx_describes_is_a_section_of_its_own() {
    let corpus = read(&[(
        "api.html",
        "<div role=main><section id=api><h1>API<a class=headerlink href='#api'>¶</a></h1><p>All.</p><dl \
         class='py class'>\
         <dt class='sig sig-object py' id=lib.W><span>class</span> W<a class='reference internal' \
         href='_modules/lib.html#W'><span class=viewcode-link>[source]</span></a><a class=headerlink \
         href='#lib.W'>¶</a></dt>\
         <dd><p>A widget.</p><dl><dt class='sig sig-object py' id=lib.W.stop>stop() → None<a \
         class=headerlink href='#lib.W.stop'>¶</a></dt><dd><p>Stops.</p></dd></dl></dd></dl></section></div>",
    )]);
    let shown: Vec<_> = texts(&corpus).into_iter().map(|(_, text, id)| (text, id.unwrap_or(""))).collect();
    assert_eq!(
        shown,
        [
            ("API", "api"),
            ("All.", ""),
            ("class W", "lib.W"),
            ("A widget.", ""),
            ("stop() → None", "lib.W.stop"),
            ("Stops.", "")
        ]
    );
}

#[test]
fn cells_are_in_every_row_and_column_that_they_cover_and_headers_are_recognised_by_their_marks() {
    let corpus = read(&[(
        "a.html",
        "<main><table><thead><tr><th rowspan=2>Pump</th><th colspan=2>Flow</th><th \
         rowspan=2>Maker</th></tr><tr><th>Min<th>Max</tr></thead>\
         <tr><td>Heron<td>12<td>80<td rowspan=2>Oake</tr><tr><td>Tern<td>15<td>95</tr><tr><td><td \
         colspan=2>none<td>Rusk</tr></table>\
         <table><tr><th scope=row>Length</th><td>12 m</td></tr><tr><th \
         scope=row>Yard</th><td>Voss</td></tr></table></main>",
    )]);
    let tables: Vec<_> = corpus.documents[0].blocks.iter().map(|b| (b.text.as_str(), b.header)).collect();
    assert_eq!(
        tables,
        [
            (
                "Pump | Flow Min | Flow Max | Maker\nHeron | 12 | 80 | Oake\nTern | 15 | 95 | \
                 Oake\n| none | none | Rusk",
                true
            ),
            ("Length | 12 m\nYard | Voss", false)
        ]
    );
}

#[test]
fn main_content_is_recognised_by_the_generators_mark_and_numbers_of_lines_go() {
    let corpus = read(&[(
        "a.html",
        "<main><p>Version 2</p><div class='theme-doc-markdown markdown'><h1>Run</h1><div><span \
         class=visually-hidden>Danger</span>Mind.</div>\
         <table><tr><td class=linenos><pre>1\n2</pre></td><td><pre>go</pre></td></tr></table></div><footer \
         class=theme-doc-footer>Edit</footer></main>",
    )]);
    let shown: Vec<_> = texts(&corpus).into_iter().map(|t| t.1).collect();
    assert_eq!(shown[..2], ["Run", "Mind."]);
    assert!(
        shown.iter().all(|t| !t.contains("Version") && !t.contains('1') && !t.contains("Edit")),
        "{shown:?}"
    );
}
