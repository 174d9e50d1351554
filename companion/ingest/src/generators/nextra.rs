//! Nextra, on Next.js: MDX in `pages` or `content`, or files `page.mdx` in `app`.

use super::super::UrlStyle;
use super::super::walk::Format;
use super::config::Config;
use super::paths::without_ending;
use super::{Generator, Page, Site};

pub(super) struct Nextra;

impl Generator for Nextra {
    fn name(&self) -> &'static str {
        "nextra"
    }

    fn label(&self) -> &'static str {
        "Nextra"
    }

    fn configurations(&self) -> &'static [&'static str] {
        &["next.config.js", "next.config.mjs", "next.config.ts", "next.config.cjs"]
    }

    fn accepts(&self, config: &Config) -> bool {
        config.text.contains("nextra")
    }

    fn configure(&self, config: &Config, site: &mut Site) {
        site.mdx = true;
        site.style = if config.is_true("trailingSlash") { UrlStyle::Directory } else { UrlStyle::Clean };
        site.folders_clean = site.style == UrlStyle::Clean;
        for folder in ["pages", "content", "src/pages", "src/content", "app", "src/app"] {
            if site.place.starts_with(&format!("{folder}/")) || config.project.join(folder).is_dir() {
                site.content_in(folder);
                break;
            }
        }
        site.languages = config.list("locales");
    }

    fn no_page(&self, site: &Site, path: &str, format: Format) -> Option<&'static str> {
        if !matches!(format, Format::Markdown | Format::Mdx) {
            return Some(super::NOT_PUBLISHED);
        }
        if path.split('/').any(|part| part.starts_with('_')) {
            return Some("a part of other pages: its name begins with _");
        }
        let app = site.in_content("app/") || site.in_content("src/app/");
        (app && without_ending(path).rsplit('/').next() != Some("page")).then_some(super::ELSEWHERE)
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        // Folders in brackets group pages, and are in no address.
        let shown: Vec<&str> = without_ending(page.path).split('/').filter(|p| !p.starts_with('(')).collect();
        Some(site.of_page(&shown.join("/"), &["index", "page"]))
    }
}
