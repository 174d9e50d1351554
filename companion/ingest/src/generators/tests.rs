//! Generators against small projects of our own: which files are pages, and where they are published.
#![allow(clippy::unwrap_used)]

use super::super::{Corpus, IngestOptions, UrlStyle, ingest};
use super::*;
use std::fs;

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join(".git")).unwrap();
    for (name, text) in files {
        let file = dir.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    dir
}

fn read(dir: &tempfile::TempDir, folder: &str) -> Corpus {
    ingest(&dir.path().join(folder), &IngestOptions::default(), &|_| {}).unwrap()
}

/// Each page's path and address.
fn addresses(corpus: &Corpus) -> Vec<(&str, &str)> {
    corpus.documents.iter().map(|d| (d.path.as_str(), d.url.as_str())).collect()
}

fn ids(corpus: &Corpus) -> Vec<&str> {
    corpus.documents.iter().flat_map(|d| d.blocks.iter().filter_map(|b| b.fragment.as_deref())).collect()
}

const PAGE: &str = "# T\n\nText.\n";

#[test]
fn docusaurus_publishes_without_endings_numbers_and_parts() {
    let dir = project(&[
        ("docusaurus.config.js", "module.exports = { baseUrl: '/' };"),
        ("docs/guide/01-start.md", PAGE),
        ("docs/guide/guide.md", PAGE),
        ("docs/guide/index.mdx", PAGE),
        ("docs/9-0.md", PAGE),
        ("docs/a/native-faq.md", "---\nslug: /native/faq\n---\nText.\n"),
        ("docs/a/x.md", "---\nslug: y\n---\nText.\n"),
        ("docs/a/z.md", "---\nid: other\n---\nText.\n"),
        ("docs/_part.md", PAGE),
        ("docs/notes.txt", PAGE),
        ("docs/old.md", "---\nunlisted: true\n---\nText.\n"),
    ]);
    assert_eq!(
        addresses(&read(&dir, "docs")),
        [
            ("9-0.md", "9-0"),
            ("a/native-faq.md", "native/faq"),
            ("a/x.md", "a/y"),
            ("a/z.md", "a/other"),
            ("guide/01-start.md", "guide/start"),
            ("guide/guide.md", "guide/"),
            ("guide/index.mdx", "guide/"),
        ]
    );
    let whole = project(&[
        ("docusaurus.config.js", "module.exports = {};"),
        ("versions.json", "[\"2.0\", \"1.0\"]"),
        ("docs/a.md", PAGE),
        ("versioned_docs/version-2.0/a.md", PAGE),
        ("versioned_docs/version-1.0/a.md", PAGE),
        ("blog/2024-05-06-hello.md", PAGE),
        ("src/pages/about.md", PAGE),
        ("README.md", PAGE),
    ]);
    let corpus = read(&whole, "");
    assert_eq!(
        addresses(&corpus),
        [
            ("blog/2024-05-06-hello.md", "blog/2024/05/06/hello"),
            ("docs/a.md", "docs/next/a"),
            ("src/pages/about.md", "about"),
            ("versioned_docs/version-1.0/a.md", "docs/1.0/a"),
            ("versioned_docs/version-2.0/a.md", "docs/a"),
        ]
    );
    assert_eq!(corpus.documents[3].version(), Some("1.0"));
}

#[test]
fn vitepress_has_its_own_ids_and_excludes_what_its_configuration_says() {
    let dir = project(&[
        (".vitepress/config.ts", "export default { cleanUrls: true, srcExclude: ['**/README.md'] }"),
        ("config/server.md", "## server.port\n\nA {{ x }} b.\n\n## 431 Header\n\nC.\n"),
        ("config/README.md", PAGE),
        ("config/index.md", PAGE),
        ("public/x.html", "<p>x"),
        ("ex/description.txt", "x"),
    ]);
    let corpus = read(&dir, "");
    assert_eq!(addresses(&corpus), [("config/index.md", "config/"), ("config/server.md", "config/server")]);
    assert_eq!(ids(&corpus)[1..], ["server-port", "_431-header"]);
}

#[test]
fn mkdocs_numbers_repeated_headings_its_own_way() {
    let dir = project(&[
        ("mkdocs.yml", "site_name: x\nexclude_docs: |\n  drafts/\n"),
        ("docs/a.md", "# A\n\n## Docs\n\nx\n\n## Docs\n\ny\n"),
        ("docs/drafts/b.md", PAGE),
    ]);
    let corpus = read(&dir, "docs");
    assert_eq!(addresses(&corpus), [("a.md", "a/")]);
    assert_eq!(ids(&corpus), ["a", "docs", "docs_1"]);
}

#[test]
fn hugo_makes_paths_small_and_hears_what_is_never_rendered() {
    let dir = project(&[
        ("hugo.toml", "baseURL = 'https://example.org/'\n"),
        ("content/en/functions/Where Is.md", PAGE),
        ("content/en/_common/_index.md", "---\ncascade:\n  build:\n    render: never\n---\n"),
        ("content/en/_common/x.md", PAGE),
        ("content/en/post/index.md", PAGE),
        ("content/en/post/part.md", PAGE),
        ("content/en/later.md", "---\ndate: 9999-01-01\n---\nText.\n"),
        ("content/en/s.md", "---\nslug: T\n---\nText.\n"),
    ]);
    assert_eq!(
        addresses(&read(&dir, "content/en")),
        [("functions/Where Is.md", "functions/where-is/"), ("post/index.md", "post/"), ("s.md", "t/")]
    );
}

#[test]
fn the_other_generators_publish_as_they_are_configured() {
    let sphinx = project(&[
        ("conf.py", "project = 'x'\nexclude_patterns = ['old/*']\n"),
        ("a.rst", "A\n=\n\nx\n"),
        ("old/b.rst", "B\n=\n\nx\n"),
        ("_templates/layout.html", "<p>x"),
        ("README.md", PAGE),
    ]);
    assert_eq!(addresses(&read(&sphinx, "")), [("README.md", "README.html"), ("a.rst", "a.html")]);
    let mdbook = project(&[
        ("book.toml", "[book]\n"),
        ("src/SUMMARY.md", "- [A](a.md)\n- [B](b/README.md)\n"),
        ("src/a.md", PAGE),
        ("src/b/README.md", PAGE),
        ("src/c.md", PAGE),
    ]);
    assert_eq!(addresses(&read(&mdbook, "src")), [("a.md", "a.html"), ("b/README.md", "b/")]);
    let starlight = project(&[
        ("astro.config.mjs", "starlight({})"),
        ("src/content/docs/Guides/My Page.md", PAGE),
        ("src/content/docs/b.mdx", "---\npagefind: false\n---\nx"),
    ]);
    assert_eq!(addresses(&read(&starlight, "src/content/docs")), [("Guides/My Page.md", "guides/my-page/")]);
    let jekyll = project(&[
        ("_config.yml", "title: x\n"),
        ("_posts/2024-05-06-hello.md", PAGE),
        ("about.md", PAGE),
        ("_includes/x.md", PAGE),
        ("_posts/9999-01-01-later.md", PAGE),
    ]);
    assert_eq!(
        addresses(&read(&jekyll, "")),
        [("_posts/2024-05-06-hello.md", "2024/05/06/hello.html"), ("about.md", "about.html")]
    );
    let antora = project(&[
        ("antora.yml", "name: c\nversion: '1.0'\nasciidoc:\n  attributes:\n    product: Loom\n"),
        ("modules/ROOT/pages/core/beans.adoc", "= B\n\nThe {product}, see {site}/x[Spring] and {none}.\n"),
        ("modules/ROOT/nav.adoc", "* x\n"),
        ("modules/more/pages/a.adoc", "= A\n\nx\n"),
    ]);
    let corpus = read(&antora, "");
    assert_eq!(
        addresses(&corpus),
        [
            ("modules/ROOT/pages/core/beans.adoc", "core/beans.html"),
            ("modules/more/pages/a.adoc", "more/a.html")
        ]
    );
    assert_eq!(corpus.documents[0].blocks[1].text, "The Loom, see Spring and {none}.");
    assert_eq!(addresses(&read(&antora, "modules/ROOT/pages")), [("core/beans.adoc", "core/beans.html")]);
    let nextra = project(&[
        ("next.config.mjs", "import nextra from 'nextra'"),
        ("content/a/index.mdx", PAGE),
        ("content/_meta.md", PAGE),
    ]);
    assert_eq!(addresses(&read(&nextra, "content")), [("a/index.mdx", "a")]);
    let eleventy = project(&[
        ("eleventy.config.js", "export default {}"),
        ("a/2024-05-06-b.md", PAGE),
        ("c.md", "---\npermalink: false\n---\nx"),
    ]);
    let corpus = read(&eleventy, "");
    assert_eq!(addresses(&corpus), [("a/2024-05-06-b.md", "a/2024-05-06-b/")]);
    assert!(ids(&corpus).is_empty());
}

#[test]
fn eleventy_spells_letters_out_and_counts_from_two() {
    // As version 3.1 of it gave them.
    let page = "# T\n\n## Größe – 東京 café\n\n## What's new?\n\n## A & B &lt; C\n\n## x_y_z\n\n## Notes\n\n## \
        Notes\n\n## Notes-1\n\n## 1.0.0 -- first\n\n## !!!\n\nx\n";
    let dir = project(&[
        ("eleventy.config.js", "import { IdAttributePlugin } from '@11ty/eleventy'"),
        ("index.md", page),
    ]);
    assert_eq!(
        ids(&read(&dir, "")),
        [
            "t",
            "groesse-cafe",
            "whats-new",
            "a-and-b-c",
            "x-y-z",
            "notes",
            "notes-2",
            "notes-1",
            "1-0-0-first"
        ]
    );
}

#[test]
fn jekyll_counts_each_text_for_itself_and_publishes_what_has_front_matter() {
    let page = "---\n---\n# T\n\n## Notes\n\n## Notes\n\n## Notes-1\n\n## Given\n{: .a #below }\n\n## \"Smart\" \
        -- quotes\n\nx\n";
    let post = "---\ncategories: [News Desk, loom]\n---\nx\n";
    let files = [
        ("_config.yml", "title: x\n"),
        ("index.md", page),
        ("plain.md", PAGE),
        ("_posts/2024-06-01-a.md", post),
    ];
    let free = project(&files);
    assert_eq!(
        addresses(&read(&free, "")),
        [
            ("_posts/2024-06-01-a.md", "news%20desk/loom/2024/06/01/a.html"),
            ("index.md", ""),
            ("plain.md", "plain.html")
        ]
    );
    let mut bundled = files.to_vec();
    bundled.push(("Gemfile", "gem 'jekyll'"));
    let corpus = read(&project(&bundled), "");
    assert_eq!(corpus.documents.len(), 2, "{:?}", corpus.skipped);
    assert_eq!(ids(&corpus), ["t", "notes", "notes-1", "below", "smart--quotes"]);
}

#[test]
fn a_style_that_disagrees_is_warned_of_and_none_leaves_files_as_they_are() {
    let dir = project(&[("mkdocs.yml", "site_name: x\n"), ("docs/a.md", PAGE)]);
    let with = |generator, url_style| {
        ingest(
            &dir.path().join("docs"),
            &IngestOptions { generator, url_style, ..IngestOptions::default() },
            &|_| {},
        )
        .unwrap()
    };
    let corpus = with(GeneratorChoice::Auto, UrlStyle::Html);
    assert_eq!(addresses(&corpus), [("a.md", "a.html")]);
    assert!(corpus.warnings.iter().any(|w| w.contains("--url-style")), "{:?}", corpus.warnings);
    assert!(
        corpus
            .notes
            .iter()
            .any(|n| n.contains("MkDocs (mkdocs.yml)") || n.contains("MkDocs site (mkdocs.yml)")),
        "{:?}",
        corpus.notes
    );
    assert_eq!(addresses(&with(GeneratorChoice::None, UrlStyle::Auto)), [("a.md", "a.html")]);
    assert_eq!(addresses(&with(GeneratorChoice::Named("hugo"), UrlStyle::Auto)), [("a.md", "a/")]);
    assert_eq!(addresses(&with(GeneratorChoice::Named("docusaurus"), UrlStyle::Auto)), [("a.md", "a")]);
}

#[test]
fn every_generator_is_in_the_handbook_and_has_a_site_that_it_published() {
    // Obsidian publishes its vaults itself, and no registry has Quartz.
    let without_site = ["obsidian"];
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read_text = |path: &str| fs::read_to_string(repository.join(path)).unwrap();
    let (handbook, options) =
        (read_text("docs/how-documents-are-read.md"), read_text("docs/command-line.md"));
    let script = read_text("scripts/generators.sh");
    let mut missing = Vec::new();
    for generator in ALL {
        let name = generator.name;
        let mut check = |is_there: bool, what: &str| {
            if !is_there {
                missing.push(format!("{name}: {what}"));
            }
        };
        check(handbook.contains(generator.label), "its name in docs/how-documents-are-read.md");
        check(options.contains(&format!("`{name}`")), "its name in docs/command-line.md");
        if !without_site.contains(&name) {
            check(script.contains(&format!("publish_{name}()")), "its command in scripts/generators.sh");
            check(repository.join("tests/generators").join(name).is_dir(), "a site in tests/generators");
            let golden = repository.join("tests/generators/golden").join(format!("{name}.tsv"));
            check(golden.is_file(), "the site's pages and ids in tests/generators/golden");
        }
    }
    assert!(missing.is_empty(), "missing: {missing:#?}");
}

#[test]
fn formats_that_generators_publish_are_named_as_in_options() {
    let names: std::collections::BTreeSet<&str> = crate::formats::ALL.iter().map(|f| f.name).collect();
    assert_eq!(names.len(), crate::formats::ALL.len());
    for generator in ALL {
        assert!(names.iter().any(|name| (generator.publishes)(name)), "{} publishes nothing", generator.name);
    }
}

#[test]
fn lists_are_known_by_their_generators_marks() {
    let docusaurus = "docs-wrapper docs-tags-list-page";
    assert!(is_list_of_pages("docs/tags/index.html", "Docusaurus v3.5", docusaurus));
    assert!(is_list_of_pages("tags/oil/index.html", "Hugo 0.140", ""));
    assert!(is_list_of_pages("categories/index.html", "Hugo 0.140", ""));
    assert!(!is_list_of_pages("html/tags/index.html", "", ""));
    assert!(!is_list_of_pages("guide/tags.html", "Hugo 0.140", ""));
}
