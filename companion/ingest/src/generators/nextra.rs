//! Nextra, on Next.js: MDX in `pages` or `content`, or files `page.mdx` in `app`.

use super::{Config, Dialect, Generator, HeadingIds, Page, Rules, Site, UrlStyle, without_ending};

pub(super) const GENERATOR: Generator = Generator {
    name: "nextra",
    label: "Nextra",
    configurations: "next.config.js next.config.mjs next.config.ts next.config.cjs",
    published: "public",
    accepts: |config| config.text.contains("nextra"),
    publishes: |format| matches!(format, "md" | "mdx"),
    configure,
    ..super::UNKNOWN
};

fn configure(config: &Config) -> Site {
    let style = if config.is_true("trailingSlash") { UrlStyle::Directory } else { UrlStyle::Clean };
    let is_there = |folder: &&str| {
        config.place.starts_with(&format!("{folder}/")) || config.project.join(folder).is_dir()
    };
    let folder = ["pages", "content", "src/pages", "src/content", "app", "src/app"]
        .into_iter()
        .find(is_there)
        .unwrap_or("");
    let content = config.content_folder(folder);
    let in_app = ["app/", "src/app/"].iter().any(|app| config.place.starts_with(app) || content == *app);
    Site {
        style,
        folders_clean: style == UrlStyle::Clean,
        dialect: Dialect { is_mdx: true, ids: HeadingIds::Docusaurus, ..Dialect::default() },
        content,
        languages: config.list("locales"),
        rules: Box::new(Nextra { in_app }),
        ..Site::default()
    }
}

struct Nextra {
    /// Set if only files called `page` are pages.
    in_app: bool,
}

impl Rules for Nextra {
    fn no_page(&self, _site: &Site, path: &str) -> Option<&'static str> {
        if super::has_underscore(path) {
            return Some(super::PART);
        }
        (self.in_app && without_ending(path).rsplit('/').next() != Some("page")).then_some(super::ELSEWHERE)
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        // Folders in brackets group pages, and are in no address.
        let shown: Vec<&str> = without_ending(page.path).split('/').filter(|p| !p.starts_with('(')).collect();
        Some(site.of_page(&shown.join("/"), &["index", "page"]))
    }
}
