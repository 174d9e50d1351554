//! Eleventy: a folder for each page, ids of headings by plug-ins alone.

use super::{
    Config, Dialect, Generator, HeadingIds, Page, Rules, Site, Slugs, UrlStyle, field, find_value,
    resolve_dots, split_date, split_path, without_ending, without_index,
};

pub(super) const GENERATOR: Generator = Generator {
    name: "eleventy",
    label: "Eleventy",
    configurations: ".eleventy.js eleventy.config.js eleventy.config.mjs eleventy.config.cjs \
        eleventy.config.ts",
    published: "_site",
    publishes: |format| matches!(format, "md" | "html" | "mdx"),
    configure,
    ..super::UNKNOWN
};

fn configure(config: &Config) -> Site {
    let ids = if config.text.contains("IdAttributePlugin") {
        HeadingIds::Eleventy
    } else if config.text.contains("anchor") {
        HeadingIds::GitHub
    } else {
        HeadingIds::None
    };
    let input = config.after("dir").and_then(|dir| find_value(dir, "input")).unwrap_or("");
    Site {
        style: UrlStyle::Directory,
        dialect: Dialect::with_ids(ids),
        content: config.content_folder(input),
        rules: Box::new(Eleventy),
        ..Site::default()
    }
}

struct Eleventy;

impl Rules for Eleventy {
    fn no_page(&self, _site: &Site, path: &str) -> Option<&'static str> {
        path.split('/')
            .any(|part| matches!(part, "_includes" | "_data" | "_layouts" | "_site" | "node_modules"))
            .then_some(super::NOT_PUBLISHED)
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        if let Some(permalink) = page.field("permalink").and_then(|p| fill_template(p, page)) {
            let local = resolve_dots(&permalink)?
                + if permalink.ends_with('/') && permalink.len() > 1 { "/" } else { "" };
            return Some(without_index(&local).to_owned());
        }
        let (folder, name) = split_path(without_ending(page.path));
        let own = split_path(folder.trim_end_matches('/')).1;
        if !own.is_empty() && name == own {
            return Some(folder.to_owned());
        }
        Some(site.of_page(&format!("{folder}{name}"), &["index"]))
    }

    fn unread(&self, _path: &str, fields: &[(String, String)]) -> Option<&'static str> {
        let is_kept = field(fields, "permalink").is_none_or(|v| !v.eq_ignore_ascii_case("false"));
        (!is_kept).then_some("not published: permalink is false")
    }

    fn has_templates(&self) -> bool {
        true
    }
}

/// An address with what its expressions say of the page: `{{ page.fileSlug }}`, `{{ page.filePathStem }}`,
/// `{{ title | slugify }}`. `None` where it has others.
fn fill_template(template: &str, page: &Page<'_>) -> Option<String> {
    if template.contains("{%") {
        return None;
    }
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once("{{") {
        let (expression, after) = behind.split_once("}}")?;
        out.push_str(before);
        out.push_str(&evaluate(expression.trim(), page)?);
        rest = after;
    }
    Some(out + rest)
}

/// Returns the value of an expression in an address.
fn evaluate(expression: &str, page: &Page<'_>) -> Option<String> {
    let (name, filter) =
        expression.split_once('|').map_or((expression, ""), |(name, filter)| (name.trim(), filter.trim()));
    let (folder, file) = split_path(without_ending(page.path));
    let bare = split_date(file).map_or(file, |(_, rest)| rest);
    let value = match name {
        "page.fileSlug" if bare == "index" => {
            let own = split_path(folder.trim_end_matches('/')).1;
            split_date(own).map_or(own, |(_, rest)| rest).to_owned()
        }
        "page.fileSlug" => bare.to_owned(),
        "page.filePathStem" => format!("/{folder}{bare}"),
        field => page.field(field)?.to_owned(),
    };
    match filter {
        "" => Some(value),
        "slugify" => Slugs::new(HeadingIds::Eleventy).of_heading(&value),
        _ => None,
    }
}
