//! Starlight, on Astro: Markdown and MDX in `src/content/docs`.

use super::{
    Config, Dialect, Generator, HeadingIds, Page, Rules, Site, UrlStyle, resolve_dots, slug, style_address,
    without_ending,
};

pub(super) const GENERATOR: Generator = Generator {
    name: "starlight",
    label: "Astro Starlight",
    configurations: "astro.config.mjs astro.config.js astro.config.ts astro.config.mts astro.config.cjs",
    published: "public",
    accepts: |config| config.text.contains("starlight") || config.place.starts_with("src/content/"),
    publishes: |format| matches!(format, "md" | "mdx"),
    configure,
    ..super::UNKNOWN
};

fn configure(config: &Config) -> Site {
    let style = match config.value("trailingSlash") {
        Some("never") => UrlStyle::Clean,
        _ if config.value("format") == Some("file") => UrlStyle::Html,
        _ => UrlStyle::Directory,
    };
    Site {
        style,
        folders_clean: style == UrlStyle::Clean,
        dialect: Dialect::with_ids(HeadingIds::Starlight),
        content: config.content_folder("src/content/docs"),
        languages: config
            .value("defaultLocale")
            .filter(|l| *l != "root")
            .map(str::to_owned)
            .into_iter()
            .collect(),
        claimed_address: config.value("site").map(str::to_owned),
        rules: Box::new(Starlight),
        ..Site::default()
    }
}

struct Starlight;

impl Rules for Starlight {
    fn no_page(&self, _site: &Site, path: &str) -> Option<&'static str> {
        if super::has_underscore(path) {
            return Some(super::PART);
        }
        (without_ending(path) == "404").then_some("the page that is shown for missing ones")
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        if let Some(given) = page.field("slug").and_then(|s| resolve_dots(s.trim_start_matches('/'))) {
            return Some(if given.is_empty() { given } else { style_address(&given, site.style) });
        }
        let slugged: Vec<String> = without_ending(page.path).split('/').map(slug).collect();
        Some(site.of_page(&slugged.join("/"), &["index"]))
    }
}
