//! Starlight, on Astro: Markdown and MDX in `src/content/docs`.

use super::super::UrlStyle;
use super::super::address::styled;
use super::super::slug::HeadingIds;
use super::super::walk::Format;
use super::config::Config;
use super::paths::{resolved, slug, without_ending};
use super::{Generator, Page, Site};

pub(super) struct Starlight;

impl Generator for Starlight {
    fn name(&self) -> &'static str {
        "starlight"
    }

    fn label(&self) -> &'static str {
        "Astro Starlight"
    }

    fn configurations(&self) -> &'static [&'static str] {
        &["astro.config.mjs", "astro.config.js", "astro.config.ts", "astro.config.mts", "astro.config.cjs"]
    }

    fn accepts(&self, config: &Config) -> bool {
        config.text.contains("starlight") || config.place.starts_with("src/content/")
    }

    fn configure(&self, config: &Config, site: &mut Site) {
        let file = config.value("format") == Some("file");
        site.style = match config.value("trailingSlash") {
            Some("never") => UrlStyle::Clean,
            _ if file => UrlStyle::Html,
            _ => UrlStyle::Directory,
        };
        site.folders_clean = site.style == UrlStyle::Clean;
        site.ids = HeadingIds::Starlight;
        site.content_in("src/content/docs");
        site.languages = config.value("defaultLocale").filter(|l| *l != "root").map(str::to_owned).into_iter().collect();
        site.claimed_address = config.value("site").map(str::to_owned);
    }

    fn no_page(&self, _site: &Site, path: &str, format: Format) -> Option<&'static str> {
        if !matches!(format, Format::Markdown | Format::Mdx) {
            return Some(super::NOT_PUBLISHED);
        }
        if path.split('/').any(|part| part.starts_with('_')) {
            return Some("a part of other pages: its name begins with _");
        }
        (without_ending(path) == "404").then_some("the page that is shown for missing ones")
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        if let Some(given) = page.field("slug").and_then(|s| resolved(s.trim_start_matches('/'))) {
            return Some(if given.is_empty() { given } else { styled(&given, site.style) });
        }
        let slugged: Vec<String> = without_ending(page.path).split('/').map(slug).collect();
        Some(site.of_page(&slugged.join("/"), &["index"]))
    }
}
