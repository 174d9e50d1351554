//! mdBook: the chapters that `SUMMARY.md` lists.

use super::{Config, Dialect, Generator, HeadingIds, Rules, Site, UrlStyle, resolve_dots};
use std::collections::BTreeSet;
use toml::{Table, Value};

pub(super) const GENERATOR: Generator = Generator {
    name: "mdbook",
    label: "mdBook",
    configurations: "book.toml",
    published: "book",
    accepts,
    publishes: |format| format == "md",
    output_marks: &["toc.html print.html", "book.js", "mark.min.js"],
    no_output_page: |path| {
        matches!(path.to_ascii_lowercase().as_str(), "print.html" | "toc.html")
            .then_some("all pages as one, to be printed")
    },
    configure,
    ..super::UNKNOWN
};

fn accepts(config: &Config) -> bool {
    let src = format!("{}/", config.value("src").unwrap_or("src").trim_matches(['.', '/']));
    config.place.is_empty() || src == "/" || config.place.starts_with(&src)
}

fn configure(config: &Config) -> Site {
    let src = config.value("src").unwrap_or("src").trim_matches(['.', '/']).to_owned();
    let summary =
        config.beside(&if src.is_empty() { "SUMMARY.md".to_owned() } else { format!("{src}/SUMMARY.md") });
    let inside = config.place.strip_prefix(&format!("{src}/")).unwrap_or("").to_owned();
    let table: Table = config.text.parse().unwrap_or_default();
    let search = table
        .get("output")
        .and_then(|o| o.get("html")?.get("search")?.get("chapter"))
        .and_then(Value::as_table);
    let out = |(path, chapter): (&String, &Value)| {
        (chapter.get("enable")?.as_bool() == Some(false)).then(|| path.clone())
    };
    let rules = MdBook {
        chapters: summary
            .map(|text| chapters(&text).filter_map(|c| Some(c.strip_prefix(&inside)?.to_owned())).collect()),
        unsearched: search
            .into_iter()
            .flatten()
            .filter_map(out)
            .filter_map(|p| Some(p.strip_prefix(&inside)?.to_owned()))
            .collect(),
    };
    Site {
        style: UrlStyle::Html,
        dialect: Dialect::with_ids(HeadingIds::MdBook),
        content: config.content_folder(&src),
        languages: config.values("language"),
        rules: Box::new(rules),
        ..Site::default()
    }
}

struct MdBook {
    /// The only pages, where there is a summary.
    chapters: Option<BTreeSet<String>>,
    /// Pages that the configuration leaves out of the search.
    unsearched: BTreeSet<String>,
}

impl Rules for MdBook {
    fn no_page(&self, _site: &Site, path: &str) -> Option<&'static str> {
        if self.chapters.as_ref().is_some_and(|chapters| !chapters.contains(path)) {
            return Some("not in the site's table of contents");
        }
        if self.unsearched.contains(path) {
            return Some("the site's configuration leaves it out of the search");
        }
        (path == "SUMMARY.md").then_some(super::NOT_PUBLISHED)
    }
}

/// The files that a summary links to.
fn chapters(summary: &str) -> impl Iterator<Item = String> + '_ {
    summary.split("](").skip(1).filter_map(|rest| {
        let target = rest.split(')').next()?.trim().trim_start_matches('<').trim_end_matches('>');
        let target = target.split('#').next()?;
        let decoded = percent_encoding::percent_decode_str(target).decode_utf8().ok()?;
        (!target.is_empty() && !target.contains("://")).then(|| resolve_dots(&decoded)).flatten()
    })
}
