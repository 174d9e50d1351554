//! VitePress: Markdown with Vue in it.

use super::super::UrlStyle;
use super::super::globs::Globs;
use super::super::slug::HeadingIds;
use super::super::walk::Format;
use super::config::Config;
use super::{Generator, Page, Site};

pub(super) struct VitePress;

impl Generator for VitePress {
    fn name(&self) -> &'static str {
        "vitepress"
    }

    fn label(&self) -> &'static str {
        "VitePress"
    }

    fn configurations(&self) -> &'static [&'static str] {
        &[
            ".vitepress/config.ts",
            ".vitepress/config.js",
            ".vitepress/config.mts",
            ".vitepress/config.mjs",
            ".vitepress/config/index.ts",
            ".vitepress/config/index.js",
            ".vitepress/config/index.mts",
        ]
    }

    fn configure(&self, config: &Config, site: &mut Site) {
        site.ids = HeadingIds::VitePress;
        site.interpolates = true;
        site.style = if config.is_true("cleanUrls") { UrlStyle::Clean } else { UrlStyle::Html };
        site.excluded = Globs::tolerant(&config.list("srcExclude"));
        site.content_in(config.value("srcDir").unwrap_or(""));
        site.languages = config.value("lang").map(str::to_owned).into_iter().collect();
    }

    fn no_page(&self, _site: &Site, path: &str, format: Format) -> Option<&'static str> {
        let copied = path.split('/').any(|part| part == "public");
        (format != Format::Markdown || copied).then_some(super::NOT_PUBLISHED)
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        Some(site.of_path(page.path, &["index"]))
    }
}
