//! Sphinx: reStructuredText, and Markdown by MyST.

use super::super::UrlStyle;
use super::super::globs::Globs;
use super::super::slug::HeadingIds;
use super::super::walk::Format;
use super::config::Config;
use super::{Generator, Page, Site};

pub(super) struct Sphinx;

impl Generator for Sphinx {
    fn name(&self) -> &'static str {
        "sphinx"
    }

    fn label(&self) -> &'static str {
        "Sphinx"
    }

    fn configurations(&self) -> &'static [&'static str] {
        &["conf.py", "source/conf.py"]
    }

    fn accepts(&self, config: &Config) -> bool {
        config.text.contains("sphinx")
            || config.after("html_theme").is_some()
            || config.after("extensions").is_some()
            || config.after("project").is_some()
    }

    fn configure(&self, config: &Config, site: &mut Site) {
        site.style = UrlStyle::Html;
        site.ids = HeadingIds::Docutils;
        let mut excluded = Vec::new();
        for list in ["exclude_patterns", "templates_path", "html_static_path", "html_extra_path"] {
            // Patterns of Sphinx are seen from the folder of its configuration.
            excluded.extend(config.list(list).into_iter().map(|p| format!("/{}", p.trim_start_matches(['/', '.'])).replace("/**/", "**/")));
        }
        excluded.extend(["_build/", "_templates/", "_static/", "_themes/"].map(str::to_owned));
        site.excluded_below(&excluded);
        site.text_is_rst = config.after("source_suffix").is_some_and(|v| v.lines().take(6).any(|l| l.contains(".txt")));
        site.languages = config.value("language").map(str::to_owned).into_iter().filter(|l| l != "None").collect();
        if config.name.starts_with("source/") {
            site.content_in("source");
        }
    }

    fn no_page(&self, site: &Site, _path: &str, format: Format) -> Option<&'static str> {
        let page =
            matches!(format, Format::ReStructuredText | Format::Markdown | Format::Notebook) || site.text_is_rst && format == Format::Text;
        (!page).then_some(super::NOT_PUBLISHED)
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        Some(site.of_path(page.path, &["index"]))
    }
}

impl Site {
    /// Patterns of files that are no pages, seen from the project's folder, where the folder that is read may lie further down.
    pub(super) fn excluded_below(&mut self, patterns: &[String]) {
        let place = format!("/{}", self.place);
        let seen = |p: &String| match p.strip_prefix(&place) {
            Some(below) if place != "/" && !below.is_empty() => Some(format!("/{below}")),
            // A pattern of another folder of the project.
            _ if place != "/" && p.trim_start_matches('/').contains('/') && p.starts_with('/') => None,
            _ => Some(p.clone()),
        };
        self.excluded = Globs::tolerant(&patterns.iter().filter_map(seen).collect::<Vec<_>>());
    }
}
