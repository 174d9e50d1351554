//! mdBook: the chapters that `SUMMARY.md` lists.

use super::super::UrlStyle;
use super::super::slug::HeadingIds;
use super::super::walk::Format;
use super::config::Config;
use super::paths::resolved;
use super::{Generator, Page, Site};
use toml::{Table, Value};

pub(super) struct MdBook;

impl Generator for MdBook {
    fn name(&self) -> &'static str {
        "mdbook"
    }

    fn label(&self) -> &'static str {
        "mdBook"
    }

    fn configurations(&self) -> &'static [&'static str] {
        &["book.toml"]
    }

    fn accepts(&self, config: &Config) -> bool {
        let src = format!("{}/", config.value("src").unwrap_or("src").trim_matches(['.', '/']));
        config.place.is_empty() || src == "/" || config.place.starts_with(&src)
    }

    fn configure(&self, config: &Config, site: &mut Site) {
        site.style = UrlStyle::Html;
        site.ids = HeadingIds::MdBook;
        let src = config.value("src").unwrap_or("src").trim_matches(['.', '/']).to_owned();
        site.content_in(&src);
        let summary = config.beside(&if src.is_empty() { "SUMMARY.md".to_owned() } else { format!("{src}/SUMMARY.md") });
        let inside = site.place.strip_prefix(&format!("{src}/")).unwrap_or("").to_owned();
        site.only = summary.map(|text| chapters(&text).filter_map(|c| Some(c.strip_prefix(&inside)?.to_owned())).collect());
        let table: Table = config.text.parse().unwrap_or_default();
        let search = table.get("output").and_then(|o| o.get("html")?.get("search")?.get("chapter")).and_then(Value::as_table);
        let out = |(path, chapter): (&String, &Value)| (chapter.get("enable")?.as_bool() == Some(false)).then(|| path.clone());
        site.unsearched = search.into_iter().flatten().filter_map(out).filter_map(|p| Some(p.strip_prefix(&inside)?.to_owned())).collect();
        site.languages = config.value("language").map(str::to_owned).into_iter().collect();
    }

    fn no_page(&self, _site: &Site, path: &str, format: Format) -> Option<&'static str> {
        (format != Format::Markdown || path == "SUMMARY.md").then_some(super::NOT_PUBLISHED)
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        Some(site.of_path(page.path, &["index", "readme"]))
    }
}

/// The files that a summary links to.
fn chapters(summary: &str) -> impl Iterator<Item = String> + '_ {
    summary.split("](").skip(1).filter_map(|rest| {
        let target = rest.split(')').next()?.trim().trim_start_matches('<').trim_end_matches('>');
        let target = target.split('#').next()?;
        let decoded = percent_encoding::percent_decode_str(target).decode_utf8().ok()?;
        (!target.is_empty() && !target.contains("://")).then(|| resolved(&decoded)).flatten()
    })
}
