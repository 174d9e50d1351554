//! Docusaurus: MDX in `docs`, `blog` and `src/pages`, older versions in `versioned_docs`, translations in
//! `i18n`.

use super::{
    Config, Dialect, Generator, HeadingIds, Page, Rules, Site, UrlStyle, find_value, is_index, resolve_dots,
    split_date, split_path, style_address, without_ending,
};

/// The folder of a translated plug-in's files.
const TRANSLATED: &str = "docusaurus-plugin-content-";

pub(super) const GENERATOR: Generator = Generator {
    name: "docusaurus",
    label: "Docusaurus",
    configurations: "docusaurus.config.js docusaurus.config.ts docusaurus.config.mjs \
        docusaurus.config.cjs docusaurus.config.mts",
    published: "static",
    publishes: |format| matches!(format, "md" | "mdx"),
    lists_pages: |_, _, classes| {
        classes.split_ascii_whitespace().any(|class| LISTS.split(' ').any(|known| known == class))
    },
    configure,
    ..super::UNKNOWN
};

/// Classes of pages that list others.
const LISTS: &str = "docs-tags-list-page docs-tag-doc-list-page blog-list-page blog-tags-list-page \
    blog-tags-post-list-page blog-archive-page search-page-wrapper";

fn configure(config: &Config) -> Site {
    let mut languages = config.list("locales");
    if let Some(default) = config.value("defaultLocale") {
        languages.retain(|l| l != default);
        languages.insert(0, default.to_owned());
    }
    let released =
        config.beside("versions.json").and_then(|text| serde_json::from_str::<Vec<String>>(&text).ok());
    let docs = config.after("docs").and_then(|docs| {
        find_value(docs.get(..docs.floor_char_boundary(2000)).unwrap_or(docs), "routeBasePath")
    });
    let rules = Docusaurus {
        numbers_stripped: !config.is_false("numberPrefixParser"),
        latest_version: config
            .value("lastVersion")
            .map(str::to_owned)
            .or_else(|| released?.into_iter().next()),
        docs_at: docs.unwrap_or("docs").trim_matches('/').to_owned(),
    };
    Site {
        style: if config.is_true("trailingSlash") { UrlStyle::Directory } else { UrlStyle::Clean },
        folders_clean: config.is_false("trailingSlash"),
        dialect: Dialect { is_mdx: true, ..Dialect::with_ids(HeadingIds::Docusaurus) },
        languages,
        claimed_address: config
            .value("url")
            .map(|url| format!("{}{}", url.trim_end_matches('/'), config.value("baseUrl").unwrap_or("/"))),
        rules: Box::new(rules),
        ..Site::default()
    }
}

struct Docusaurus {
    /// Set if numbers before names of files and folders are left out of addresses.
    numbers_stripped: bool,
    /// The site's own name for its newest version.
    latest_version: Option<String>,
    /// Address of the documents, without slashes at its ends.
    docs_at: String,
}

impl Rules for Docusaurus {
    fn no_page(&self, site: &Site, path: &str) -> Option<&'static str> {
        if super::has_underscore(path) {
            return Some(super::PART);
        }
        let tests =
            |part: &str| part == "__tests__" || part.ends_with(".test.md") || part.ends_with(".test.mdx");
        if path.split('/').any(tests) {
            return Some("a test");
        }
        // Of a folder whose generator was only named nobody knows where it lies in a project.
        (site.configuration.is_some() && site.place.is_empty() && self.locate(site, path).is_none())
            .then_some(super::ELSEWHERE)
    }

    fn address(&self, site: &Site, page: &Page<'_>) -> Option<String> {
        let Some(Located { base, rest, blog }) = self.locate(site, page.path) else {
            return Some(self.address_of_doc(site, page, page.path));
        };
        let local =
            if blog { address_of_post(site, page, rest) } else { self.address_of_doc(site, page, rest) };
        Some(if base.is_empty() || local.is_empty() && site.folders_clean {
            base + &local
        } else {
            format!("{base}/{local}")
        })
    }

    fn version(&self, path: &str) -> Option<String> {
        path.split('/').find_map(|folder| folder.strip_prefix("version-")).map(str::to_owned)
    }
}

/// The plug-in that a file belongs to.
struct Located<'p> {
    /// The address of the plug-in's pages, without a slash at its end.
    base: String,
    rest: &'p str,
    blog: bool,
}

impl Docusaurus {
    /// Returns the place of a file in a whole project. In a folder of a project only versions and posts have
    /// one.
    fn locate<'p>(&self, site: &Site, path: &'p str) -> Option<Located<'p>> {
        let joined =
            |parts: &[&str]| parts.iter().filter(|p| !p.is_empty()).copied().collect::<Vec<_>>().join("/");
        let plain = |base: String, rest: &'p str| Some(Located { base, rest, blog: false });
        if !site.place.is_empty() {
            return match site.place.as_str() {
                "blog/" => Some(Located { base: String::new(), rest: path, blog: true }),
                "versioned_docs/" => {
                    let (version, rest) = path.strip_prefix("version-")?.split_once('/')?;
                    plain(self.name_version(version).to_owned(), rest)
                }
                _ => None,
            };
        }
        if let Some(rest) = path.strip_prefix("docs/") {
            let next = self.latest_version.as_deref().is_some_and(|v| v != "current");
            return plain(joined(&[&self.docs_at, if next { "next" } else { "" }]), rest);
        }
        if let Some((version, rest)) =
            path.strip_prefix("versioned_docs/version-").and_then(|r| r.split_once('/'))
        {
            return plain(joined(&[&self.docs_at, self.name_version(version)]), rest);
        }
        if let Some(rest) = path.strip_prefix("blog/") {
            return Some(Located { base: "blog".to_owned(), rest, blog: true });
        }
        if let Some(rest) = path.strip_prefix("src/pages/") {
            return plain(String::new(), rest);
        }
        let (language, rest) = path.strip_prefix("i18n/")?.split_once('/')?;
        let rest = rest.strip_prefix(TRANSLATED)?;
        if let Some(rest) = rest.strip_prefix("blog/") {
            return Some(Located { base: joined(&[language, "blog"]), rest, blog: true });
        }
        if let Some(rest) = rest.strip_prefix("pages/") {
            return plain(language.to_owned(), rest);
        }
        let (version, rest) = rest.strip_prefix("docs/")?.split_once('/')?;
        let next = self.latest_version.as_deref().is_some_and(|v| v != "current");
        let version = match version.strip_prefix("version-") {
            Some(version) => self.name_version(version),
            None if next => "next",
            None => "",
        };
        plain(joined(&[language, &self.docs_at, version]), rest)
    }

    /// The folder of a version in addresses: the newest has none.
    fn name_version<'v>(&self, version: &'v str) -> &'v str {
        if self.latest_version.as_deref() == Some(version) { "" } else { version }
    }

    fn address_of_doc(&self, site: &Site, page: &Page<'_>, path: &str) -> String {
        let (folder, name) = split_path(without_ending(path));
        let bare = |part: &str| {
            if self.numbers_stripped { without_number(part).to_owned() } else { part.to_owned() }
        };
        let folder: String = folder.split('/').filter(|p| !p.is_empty()).map(|p| bare(p) + "/").collect();
        let slug = page.field("slug");
        if let Some(slug) = slug.and_then(|s| {
            resolve_dots(&if s.starts_with('/') { s.to_owned() } else { format!("{folder}{s}") })
        }) {
            return if slug.is_empty() { slug } else { style_address(&slug, site.style) };
        }
        let own = split_path(folder.trim_end_matches('/')).1;
        let index = is_index(name) || !own.is_empty() && bare(name).eq_ignore_ascii_case(own);
        if index {
            return site.of_folder(folder.trim_end_matches('/'));
        }
        let id = page.field("id").filter(|id| !id.contains('/')).map_or_else(|| bare(name), str::to_owned);
        style_address(&format!("{folder}{id}"), site.style)
    }
}

fn address_of_post(site: &Site, page: &Page<'_>, path: &str) -> String {
    if let Some(slug) = page.field("slug").and_then(|s| resolve_dots(s.trim_start_matches('/'))) {
        return style_address(&slug, site.style);
    }
    let stem = without_ending(path);
    let stem = stem.strip_suffix("/index").unwrap_or(stem);
    let (folder, name) = split_path(stem);
    let local = match split_date(name) {
        Some(([year, month, day], rest)) => format!("{folder}{year}/{month}/{day}/{rest}"),
        None => stem.to_owned(),
    };
    style_address(&local, site.style)
}

/// `01-intro` is published as `intro`; versions and dates, such as `7.0` and `2021-11-foo`, are no numbers.
fn without_number(name: &str) -> &str {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let rest = name.get(digits..).unwrap_or("");
    let mark = rest.trim_start_matches(' ');
    let suffix = mark.trim_start_matches(['-', '_', '.']);
    let marks = mark.len() - suffix.len();
    let suffix = suffix.trim_start_matches(' ');
    if digits == 0 || marks == 0 || suffix.is_empty() || suffix.starts_with(['-', '_', '.']) {
        return name;
    }
    // A version or a date: digits, one mark, digits.
    if rest.starts_with(['-', '_', '.']) && marks == 1 && suffix.starts_with(|c: char| c.is_ascii_digit()) {
        name
    } else {
        suffix
    }
}

#[cfg(test)]
mod tests {
    use super::without_number;

    #[test]
    fn numbers_of_order_go_and_versions_and_dates_stay() {
        for (name, shown) in [
            ("01-intro", "intro"),
            ("2. Taking photos", "Taking photos"),
            ("9-0", "9-0"),
            ("7.0-guide", "7.0-guide"),
            ("2021-11-x", "2021-11-x"),
            ("3d", "3d"),
            ("10", "10"),
            ("01 - a", "a"),
        ] {
            assert_eq!(without_number(name), shown);
        }
    }
}
