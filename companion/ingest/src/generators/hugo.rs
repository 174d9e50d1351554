//! Hugo: Markdown and other formats in `content`, in lower case when published.

use super::{
    Config, Dialect, Generator, Globs, HeadingIds, Page, Rules, Site, UrlStyle, field, split_path,
    style_address, without_ending,
};
use pocketgraph_native::today::today;
use std::collections::BTreeSet;
use toml::{Table, Value};

pub(super) const GENERATOR: Generator = Generator {
    name: "hugo",
    label: "Hugo",
    configurations: "hugo.toml hugo.yaml hugo.yml hugo.json config/_default/hugo.toml \
        config/_default/hugo.yaml config/_default/config.toml config/_default/config.yaml config.toml \
        config.yaml config.yml",
    published: "static",
    accepts,
    publishes: |format| !matches!(format, "text" | "ipynb" | "mdx"),
    lists_pages,
    configure,
    ..super::UNKNOWN
};

fn lists_pages(path: &str, generator: &str, _: &str) -> bool {
    let mut folders = path.rsplit('/').skip(1).take(2);
    generator.to_ascii_lowercase().starts_with("hugo")
        && folders.any(|folder| ["tags", "categories", "page"].contains(&folder))
}

fn accepts(config: &Config) -> bool {
    let own = config.name.contains("hugo.") || config.name.starts_with("config/");
    own || config.text.to_ascii_lowercase().contains("baseurl")
        && (config.place.starts_with("content/") || config.project.join("content").is_dir())
}

fn configure(config: &Config) -> Site {
    let mut default = config.value("defaultContentLanguage").unwrap_or("en").to_owned();
    let table: Table = config.text.parse().unwrap_or_default();
    let named = table.get("languages").and_then(Value::as_table);
    let mut languages: Vec<String> = named.into_iter().flat_map(|l| l.keys().cloned()).collect();
    if languages.is_empty() {
        default = config.value("languageCode").unwrap_or(&default).to_owned();
    }
    languages.retain(|l| *l != default);
    languages.insert(0, default);
    let rules = Hugo {
        keeps_case: config.is_true("disablePathToLower"),
        default_in_folder: config.is_true("defaultContentLanguageInSubdir"),
        never: list_unpublished(&table),
        bundles: BTreeSet::new(),
        today: today(),
    };
    Site {
        style: if config.is_true("uglyURLs") || config.is_true("uglyurls") {
            UrlStyle::Html
        } else {
            UrlStyle::Directory
        },
        dialect: Dialect::with_ids(HeadingIds::Hugo),
        content: config.content_folder("content"),
        excluded: Globs::tolerant(if table.get("ignoreFiles").is_some() {
            &["*~"]
        } else {
            &[] as &[&str]
        }),
        languages,
        claimed_address: config.value("baseURL").or_else(|| config.value("baseurl")).map(str::to_owned),
        reads_underscored: true,
        rules: Box::new(rules),
        ..Site::default()
    }
}

struct Hugo {
    /// Set if upper case stays in addresses.
    keeps_case: bool,
    /// Set if the default language has a folder of its own in addresses.
    default_in_folder: bool,
    /// Folders whose pages are never published.
    never: Vec<String>,
    /// Folders that are one page with its resources.
    bundles: BTreeSet<String>,
    today: String,
}

impl Rules for Hugo {
    fn no_page(&self, _site: &Site, path: &str) -> Option<&'static str> {
        let (mut folder, name) = split_path(path);
        if is_leaf(name) {
            folder = split_path(folder.trim_end_matches('/')).0;
        }
        let resource = self.bundles.iter().any(|b| folder == b || folder.starts_with(b.as_str()));
        resource.then_some("a resource of the page whose folder it is in")
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        if let Some(url) = page.field("url").filter(|u| !u.contains(':')) {
            return Some(url.trim_start_matches('/').to_owned());
        }
        let (stem, language) = self.translate(site, without_ending(page.path));
        // Of a file's name each space is a hyphen, however many there are.
        let named = |part: &str| sanitise_slug(&part.replace(' ', "-"), self.keeps_case);
        let path = stem.split('/').map(named).collect::<Vec<_>>().join("/");
        let (folder, name) = split_path(&path);
        let index = matches!(name, "index" | "_index");
        let local = match page
            .field("slug")
            .map(|s| sanitise_slug(s, self.keeps_case))
            .filter(|s| !s.is_empty() && !s.contains('/'))
        {
            Some(slug) if index => {
                style_address(&format!("{}{slug}", split_path(folder.trim_end_matches('/')).0), site.style)
            }
            Some(slug) => style_address(&format!("{folder}{slug}"), site.style),
            None if index && name == "index" && site.style == UrlStyle::Html && !folder.is_empty() => {
                style_address(folder.trim_end_matches('/'), site.style)
            }
            None if index => folder.to_owned(),
            None => style_address(&path, site.style),
        };
        Some(language + &local)
    }

    fn unread(&self, path: &str, fields: &[(String, String)]) -> Option<&'static str> {
        let own = ["build.render", "_build.render"]
            .iter()
            .any(|k| field(fields, k).is_some_and(|v| matches!(v, "never" | "link" | "false")));
        let folder = split_path(path).0;
        let always = field(fields, "build.render") == Some("always");
        if own || !always && self.never.iter().any(|n| folder.starts_with(n.as_str())) {
            return Some("never rendered");
        }
        if field(fields, "headless") == Some("true") {
            return Some("never rendered");
        }
        let day = |names: &[&str]| {
            names
                .iter()
                .find_map(|n| field(fields, n))
                .and_then(|v| v.get(..10))
                .filter(|d| d.starts_with(|c: char| c.is_ascii_digit()))
        };
        if day(&["publishDate", "date"]).is_some_and(|d| d > self.today.as_str()) {
            return Some("published later");
        }
        day(&["expiryDate"]).filter(|d| *d <= self.today.as_str()).map(|_| "expired")
    }

    fn teaches(&self, path: &str) -> bool {
        let name = split_path(path).1;
        is_leaf(name) || name.split('.').next() == Some("_index")
    }

    fn learn(&mut self, path: &str, fields: &[(String, String)]) {
        let (folder, name) = split_path(path);
        if is_leaf(name) {
            if !folder.is_empty() {
                self.bundles.insert(folder.to_owned());
            }
            return;
        }
        let aimed = ["cascade.target", "cascade.path", "cascade.kind", "cascade.lang", "cascade.environment"]
            .iter()
            .any(|k| field(fields, k).is_some());
        let never = ["cascade.render", "cascade.build.render", "cascade._build.render"]
            .iter()
            .any(|k| field(fields, k) == Some("never"));
        if !aimed && (never || field(fields, "cascade.draft") == Some("true")) {
            self.never.push(folder.to_owned());
        }
    }

    fn has_templates(&self) -> bool {
        true
    }
}

impl Hugo {
    /// A page's path without the mark of its language, and the folder of its language in addresses.
    fn translate<'p>(&self, site: &Site, stem: &'p str) -> (&'p str, String) {
        let folder = |language: &str| match site.languages.first() {
            Some(default) if default == language && !self.default_in_folder => String::new(),
            _ => format!("{language}/"),
        };
        let known = |name: &str| site.languages.len() > 1 && site.languages.iter().any(|l| l == name);
        if let Some((bare, language)) = stem.rsplit_once('.').filter(|(_, l)| known(l)) {
            return (bare, folder(language));
        }
        // The folder of a language, where the one that is read has those of all.
        match stem.split_once('/') {
            Some((language, rest)) if known(language) && site.place == "content/" => (rest, folder(language)),
            _ => (stem, String::new()),
        }
    }
}

/// Hugo's way with a slug: without signs but a few, white space as one hyphen, in lower case.
fn sanitise_slug(part: &str, keeps_case: bool) -> String {
    let mut out = String::with_capacity(part.len());
    let mut hyphen = false;
    for c in part.chars() {
        if c.is_alphanumeric() || ".\\_#+~@".contains(c) || unicode_normalization::char::is_combining_mark(c)
        {
            if std::mem::take(&mut hyphen) {
                out.push('-');
            }
            if keeps_case { out.push(c) } else { out.extend(c.to_lowercase()) }
        } else if !out.is_empty() && (c == '-' || c.is_whitespace()) {
            if c == '-' {
                out.push('-');
                hyphen = false;
            } else if !out.ends_with('-') {
                hyphen = true;
            }
        } else if c == '-' {
            out.push('-');
        }
    }
    out
}

fn is_leaf(name: &str) -> bool {
    name.split('.').next() == Some("index")
}

/// Folders that the configuration's cascades keep from being published.
fn list_unpublished(table: &Table) -> Vec<String> {
    let entries: Vec<&Value> = match table.get("cascade") {
        Some(Value::Array(all)) => all.iter().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    };
    let path = |entry: &&Value| {
        let build = entry.get("build").or_else(|| entry.get("_build"))?;
        (build.get("render")?.as_str()? == "never").then_some(())?;
        let path = entry.get("target").or_else(|| entry.get("_target"))?.get("path")?.as_str()?;
        let folder = path.trim_matches(['{', '}', '/']).strip_suffix("/**")?;
        (!folder.contains(['*', ',', '?'])).then(|| format!("{folder}/"))
    };
    entries.iter().filter_map(path).collect()
}
