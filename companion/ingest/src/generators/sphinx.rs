//! Sphinx: reStructuredText, and Markdown by MyST.

use super::{Config, Dialect, Generator, Globs, HeadingIds, Page, Rules, Site, UrlStyle};

/// Settings by which a configuration of Sphinx is known.
const SETTINGS: [&str; 3] = ["html_theme", "extensions", "project"];

pub(super) const GENERATOR: Generator = Generator {
    name: "sphinx",
    label: "Sphinx",
    configurations: "conf.py source/conf.py",
    published: "docs/_build/html",
    accepts: |config| {
        config.text.contains("sphinx") || SETTINGS.iter().any(|key| config.after(key).is_some())
    },
    publishes: |format| matches!(format, "rst" | "md" | "ipynb"),
    output_marks: &["searchindex.js", "objects.inv", "_sources", "genindex.html"],
    no_output_page,
    configure,
    ..super::UNKNOWN
};

fn no_output_page(path: &str) -> Option<&'static str> {
    let lower = super::split_path(path).1.to_ascii_lowercase();
    let is_index = lower.starts_with("genindex")
        || lower.ends_with("-modindex.html")
        || matches!(lower.as_str(), "modindex.html" | "search.html");
    let is_made = |part| matches!(part, "_modules" | "_static" | "_images" | "_downloads");
    (is_index || path.split('/').any(is_made)).then_some(super::INDEX)
}

fn configure(config: &Config) -> Site {
    let mut excluded = Vec::new();
    for list in ["exclude_patterns", "templates_path", "html_static_path", "html_extra_path"] {
        // Patterns of Sphinx are seen from the folder of its configuration.
        excluded.extend(
            config
                .list(list)
                .into_iter()
                .map(|p| format!("/{}", p.trim_start_matches(['/', '.'])).replace("/**/", "**/")),
        );
    }
    excluded.extend(["_build/", "_templates/", "_static/", "_themes/"].map(str::to_owned));
    let text_is_rst =
        config.after("source_suffix").is_some_and(|v| v.lines().take(6).any(|l| l.contains(".txt")));
    Site {
        style: UrlStyle::Html,
        dialect: Dialect::with_ids(HeadingIds::Docutils),
        excluded: excluded_below(&config.place, &excluded),
        content: config.content_folder(if config.name.starts_with("source/") { "source" } else { "" }),
        languages: config.values("language").into_iter().filter(|l| l != "None").collect(),
        text_is_rst,
        rules: Box::new(Sphinx),
        ..Site::default()
    }
}

struct Sphinx;

impl Rules for Sphinx {
    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        Some(site.of_path(page.path, &["index"]))
    }
}

/// Returns patterns of files that are no pages, seen from the project's folder, for the folder at `place` in
/// it.
fn excluded_below(place: &str, patterns: &[String]) -> Globs {
    let place = format!("/{place}");
    let seen = |p: &String| match p.strip_prefix(&place) {
        Some(below) if place != "/" && !below.is_empty() => Some(format!("/{below}")),
        // A pattern of another folder of the project.
        _ if place != "/" && p.trim_start_matches('/').contains('/') && p.starts_with('/') => None,
        _ => Some(p.clone()),
    };
    Globs::tolerant(&patterns.iter().filter_map(seen).collect::<Vec<_>>())
}
