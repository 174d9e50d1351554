//! MkDocs, with or without the theme Material, and Zensical, which reads the same sources.

use super::{
    Config, Dialect, Generator, Globs, HeadingIds, Page, PyMdown, Rules, Site, UrlStyle, is_index,
    split_path, without_ending,
};

pub(super) const GENERATOR: Generator = Generator {
    name: "mkdocs",
    label: "MkDocs",
    configurations: "mkdocs.yml mkdocs.yaml zensical.toml",
    published: "site",
    publishes: |format| !matches!(format, "rst" | "adoc" | "text"),
    configure,
    ..super::UNKNOWN
};

fn configure(config: &Config) -> Site {
    let mut excluded = config.list("exclude_docs");
    excluded.extend(config.list("draft_docs"));
    excluded.push("/templates/".to_owned());
    let pymdown = PyMdown {
        emoji: config.text.contains(".emoji"),
        symbols: config.text.contains("smartsymbols"),
        keys: config.text.contains("pymdownx.keys"),
    };
    let ids =
        if config.text.contains("pymdownx.slugs") { HeadingIds::PyMdown } else { HeadingIds::PythonMarkdown };
    Site {
        style: if config.is_false("use_directory_urls") { UrlStyle::Html } else { UrlStyle::Directory },
        dialect: Dialect { pymdown, ..Dialect::with_ids(ids) },
        excluded: Globs::tolerant(&excluded),
        content: config.content_folder(config.value("docs_dir").unwrap_or("docs")),
        // Of the plug-in for translations.
        languages: translations(&config.text),
        claimed_address: config.value("site_url").map(str::to_owned),
        reads_underscored: true,
        rules: Box::new(MkDocs { snippets: config.list("base_path") }),
        ..Site::default()
    }
}

struct MkDocs {
    /// Folders of the project in which parts of pages are looked for.
    snippets: Vec<String>,
}

impl Rules for MkDocs {
    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        let stem = without_ending(page.path);
        // `page.de.md` is published in the folder of its language.
        let translated = stem.rsplit_once('.').and_then(|(bare, language)| {
            let index = site.languages.iter().position(|l| l == language)?;
            Some((bare, if index == 0 { String::new() } else { format!("{language}/") }))
        });
        let (stem, language) = translated.unwrap_or((stem, String::new()));
        // The folder of the default language is the site's own.
        let (first, rest) = stem.split_once('/').unwrap_or(("", stem));
        let stem = if site.languages.first().is_some_and(|l| l == first) { rest } else { stem };
        let index = is_index(split_path(stem).1);
        let local = site.of_page(stem, &["index", "readme"]);
        Some(if local.is_empty() && !index { language } else { language + &local })
    }

    fn part_folders(&self) -> &[String] {
        &self.snippets
    }
}

/// The languages of the plug-in `i18n`, the default first.
fn translations(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut lines = text.lines().skip_while(|l| !l.trim().starts_with("- i18n"));
    let Some(first) = lines.next() else { return out };
    let column = first.len() - first.trim_start().len();
    for line in lines.take_while(|l| l.trim().is_empty() || l.len() - l.trim_start().len() > column) {
        let entry = line.trim().trim_start_matches("- ");
        if let Some(language) = entry.strip_prefix("locale:") {
            out.push(language.trim().trim_matches(['"', '\'']).to_owned());
        } else if entry.trim_end() == "default: true"
            && let Some(default) = out.pop()
        {
            out.insert(0, default);
        }
    }
    out
}
