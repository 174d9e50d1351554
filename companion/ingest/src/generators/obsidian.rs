//! Vaults of notes: Obsidian, and Quartz and Publish, which publish such; Logseq and Foam, which write alike.

use super::super::UrlStyle;
use super::config::Config;
use super::paths::without_ending;
use super::{Generator, Page, Site};

pub(super) struct Obsidian;

impl Generator for Obsidian {
    fn name(&self) -> &'static str {
        "obsidian"
    }

    fn label(&self) -> &'static str {
        "Obsidian"
    }

    fn configurations(&self) -> &'static [&'static str] {
        &[
            "quartz.config.ts",
            "quartz.config.yaml",
            ".obsidian/app.json",
            ".obsidian/core-plugins.json",
            "logseq/config.edn",
            ".vscode/foam.json",
            ".foam/config.json",
        ]
    }

    fn configure(&self, config: &Config, site: &mut Site) {
        site.is_vault = true;
        if config.name.starts_with("quartz") {
            site.style = UrlStyle::Clean;
            site.content_in("content");
            site.claimed_address = config.value("baseUrl").map(str::to_owned);
        }
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        if let Some(permalink) = page.field("permalink") {
            return Some(permalink.trim_start_matches('/').to_owned());
        }
        let path = without_ending(page.path);
        match site.style() {
            // As Quartz names its pages.
            UrlStyle::Clean => {
                let named = path.replace(' ', "-").replace('&', "-and-").replace('%', "-percent").replace(['?', '#'], "");
                Some(site.of_page(&named, &["index"]))
            }
            _ => Some(site.of_path(page.path, &["index", "readme"])),
        }
    }
}
