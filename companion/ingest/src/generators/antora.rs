//! Antora: AsciiDoc in the pages of modules.

use super::{Config, Generator, Page, Rules, Site, UrlStyle, find_value};

pub(super) const GENERATOR: Generator = Generator {
    name: "antora",
    label: "Antora",
    configurations: "antora.yml",
    published: "build/site",
    publishes: |format| format == "adoc",
    configure,
    ..super::UNKNOWN
};

fn configure(config: &Config) -> Site {
    let version = find_value(&config.text, "version")
        .filter(|v| !matches!(*v, "~" | "true" | "null"))
        .map(str::to_owned);
    let mut attributes = attributes(&config.text);
    for (name, of) in [
        ("page-component-name", find_value(&config.text, "name")),
        ("page-component-version", version.as_deref()),
    ] {
        attributes.extend(of.map(|v| (name.to_owned(), v.to_owned())));
    }
    let rules = Box::new(Antora { version });
    Site { style: UrlStyle::Html, reads_underscored: true, attributes, rules, ..Site::default() }
}

struct Antora {
    version: Option<String>,
}

impl Rules for Antora {
    fn no_page(&self, site: &Site, path: &str) -> Option<&'static str> {
        if super::has_underscore(path) {
            return Some(super::PART);
        }
        module(&format!("{}{path}", site.place)).is_none().then_some("not in the pages of a module")
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        let whole = format!("{}{}", site.place, page.path);
        let (module, _) = module(&whole)?;
        // Below the address of the folder that is read, which may be one of a module's.
        let published = |path: &str| {
            let (module, rest) = self::module(path)?;
            Some(if module == "ROOT" { rest.to_owned() } else { format!("{module}/{rest}") })
        };
        let local = published(&whole)?;
        let root = match self::module(&format!("{}x", site.place)) {
            Some((_, below)) if module == "ROOT" => below.trim_end_matches('x').to_owned(),
            Some((_, below)) => format!("{module}/{}", below.trim_end_matches('x')),
            None => String::new(),
        };
        Some(site.of_path(local.strip_prefix(&root).unwrap_or(&local), &["index"]))
    }

    fn version(&self, _path: &str) -> Option<String> {
        self.version.clone()
    }
}

/// The module of a page, and its path there.
fn module(path: &str) -> Option<(&str, &str)> {
    let (before, rest) = path.split_once("/pages/")?;
    let (above, name) = before.rsplit_once('/').unwrap_or(("", before));
    (above == "modules" || above.ends_with("/modules")).then_some((name, rest))
}

/// The attributes that the description of a component sets for its pages.
fn attributes(text: &str) -> Vec<(String, String)> {
    let mut lines = text
        .lines()
        .skip_while(|l| l.trim_end() != "asciidoc:")
        .skip(1)
        .skip_while(|l| l.trim() != "attributes:");
    let Some(first) = lines.next() else { return Vec::new() };
    let column = first.len() - first.trim_start().len();
    lines
        .take_while(|l| l.trim().is_empty() || l.len() - l.trim_start().len() > column)
        .filter_map(|l| {
            let (name, value) = l.trim().split_once(':')?;
            let value = value.trim().trim_matches(['"', '\'']).trim_end_matches('@');
            Some((name.trim_matches(['"', '\'']).to_owned(), value.to_owned()))
        })
        .collect()
}
