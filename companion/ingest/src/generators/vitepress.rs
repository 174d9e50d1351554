//! VitePress: Markdown with Vue in it.

use super::{Config, Dialect, Generator, Globs, HeadingIds, Page, Rules, Site, UrlStyle};

pub(super) const GENERATOR: Generator = Generator {
    name: "vitepress",
    label: "VitePress",
    configurations: ".vitepress/config.ts .vitepress/config.js .vitepress/config.mts \
        .vitepress/config.mjs .vitepress/config/index.ts .vitepress/config/index.js \
        .vitepress/config/index.mts",
    published: "docs/.vitepress/dist",
    publishes: |format| format == "md",
    configure,
    ..super::UNKNOWN
};

fn configure(config: &Config) -> Site {
    Site {
        style: if config.is_true("cleanUrls") { UrlStyle::Clean } else { UrlStyle::Html },
        dialect: Dialect::with_ids(HeadingIds::VitePress),
        excluded: Globs::tolerant(&config.list("srcExclude")),
        content: config.content_folder(config.value("srcDir").unwrap_or("")),
        languages: config.values("lang"),
        rules: Box::new(VitePress { rewrites: config.pairs("rewrites") }),
        ..Site::default()
    }
}

struct VitePress {
    /// Addresses of pages that are not those of their files: patterns of paths, and what they become.
    rewrites: Vec<(String, String)>,
}

impl Rules for VitePress {
    fn no_page(&self, _site: &Site, path: &str) -> Option<&'static str> {
        path.split('/').any(|part| part == "public").then_some(super::NOT_PUBLISHED)
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        let moved = self.rewrites.iter().find_map(|(from, to)| rewrite_path(page.path, from, to));
        Some(site.of_path(moved.as_deref().unwrap_or(page.path), &["index"]))
    }
}

/// A path by a rule such as `packages/:name/(.*)` to `:name/(.*)`, or `old/:page` to `new/:page`: a name
/// stands for a part of the path, one with `*`, `+` or `(.*)` behind it for all that is left.
fn rewrite_path(path: &str, from: &str, to: &str) -> Option<String> {
    let mut values: Vec<(&str, &str)> = Vec::new();
    let mut left = path;
    for part in from.split('/') {
        if left.is_empty() {
            return None;
        }
        let name = part.trim_end_matches("(.*)").trim_end_matches(['*', '+']);
        if part == "(.*)" || name.starts_with(':') && name != part {
            values.push((part, left));
            left = "";
            continue;
        }
        let (own, rest) = left.split_once('/').unwrap_or((left, ""));
        if name.starts_with(':') && name.len() > 1 {
            values.push((part, own));
        } else if part != own {
            return None;
        }
        left = rest;
    }
    let given = |part: &str| {
        let name = |p: &str| p.trim_end_matches("(.*)").trim_end_matches(['*', '+']).to_owned();
        values
            .iter()
            .find(|(p, _)| name(p) == name(part) && (part.starts_with(':') || *p == part))
            .map(|(_, v)| *v)
    };
    let parts: Vec<&str> = to.split('/').map(|part| given(part).unwrap_or(part)).collect();
    left.is_empty().then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::rewrite_path;

    #[test]
    fn paths_are_rewritten_by_parts() {
        for (path, from, to, shown) in [
            ("a.md", "a.md", "b/c.md", Some("b/c.md")),
            ("old/x.md", "old/:page", "new/:page", Some("new/x.md")),
            ("old/x/y.md", "old/:page", "new/:page", None),
            ("packages/p/src/x/y.md", "packages/:p/src/:rest*", ":p/:rest*", Some("p/x/y.md")),
            ("old/x/y.md", "old/(.*)", "(.*)", Some("x/y.md")),
            ("other/x.md", "old/(.*)", "(.*)", None),
        ] {
            assert_eq!(rewrite_path(path, from, to).as_deref(), shown, "{path} {from}");
        }
    }
}
