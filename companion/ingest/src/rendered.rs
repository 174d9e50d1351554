//! A folder that a generator wrote: what in it is the page of a reader, and what stands beside the pages.

use super::address::without_index;
use super::formats::FoundFile;
use super::generators::{Generator, INDEX, find_writers};
use super::walk::page_stem;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A folder as a rendered site.
#[derive(Debug, Default)]
pub(super) struct Rendered {
    /// Set if it is one.
    pub is: bool,
    /// The generators that may have written it, by its files.
    writers: Vec<&'static Generator>,
    /// Files that its `sitemap.xml` lists, each with its last change or empty; `None` without one.
    listed: Option<BTreeMap<String, String>>,
    /// The paths of all pages of HTML.
    pages: BTreeSet<String>,
}

impl Rendered {
    /// Looks at the files of a folder.
    pub fn of(root: &Path, found: &[FoundFile]) -> Rendered {
        let pages: BTreeSet<String> =
            found.iter().filter(|f| f.format.name == "html").map(|f| f.path.clone()).collect();
        let mut rendered = Rendered { pages, ..Rendered::default() };
        let sources = found
            .iter()
            .filter(|f| !matches!(f.format.name, "html" | "text" | "jsonl") && !rendered.is_copy(&f.path))
            .count();
        // A site whose pages all lie in folders has a map of them at its root.
        let rooted = rendered.pages.contains("index.html") || root.join("sitemap.xml").exists();
        rendered.is = rooted && rendered.pages.len() > sources;
        rendered.writers = find_writers(root);
        if rendered.is {
            rendered.listed = sitemap(root, &rendered.pages);
        }
        rendered
    }

    /// Returns true if a file is the source of a page of HTML beside it.
    fn is_copy(&self, path: &str) -> bool {
        if path.split('/').any(|part| part == "_sources") {
            return !self.pages.is_empty();
        }
        let stem = page_stem(path);
        if stem == path || self.pages.contains(path) {
            return false;
        }
        let stem = stem.strip_suffix(".html").or_else(|| stem.strip_suffix(".rst")).unwrap_or(stem);
        let beside = [format!("{stem}.html"), format!("{stem}.htm"), format!("{stem}/index.html")];
        beside.iter().any(|page| self.pages.contains(page))
    }

    /// Returns the reason why a file is no page for readers, if it is none.
    pub fn no_page(&self, path: &str) -> Option<&'static str> {
        if self.is_copy(path) {
            return Some("the source of a page that lies beside it");
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let lower = name.to_ascii_lowercase();
        if matches!(lower.as_str(), "404.html" | "404.htm" | "500.html")
            || self.is && lower == "index.html" && folder.rsplit('/').next() == Some("404")
        {
            return Some("the page that is shown for missing ones");
        }
        let assets = ["assets", "css", "fonts", "js", "static"];
        if self.is && lower.ends_with(".txt") && folder.split('/').any(|part| assets.contains(&part)) {
            return Some("a text of what the site's pages are drawn with");
        }
        if self.listed.as_ref().is_some_and(|listed| self.pages.contains(path) && !listed.contains_key(path))
        {
            return Some("not in the site's sitemap.xml");
        }
        if self.is && path.eq_ignore_ascii_case("search.html") {
            return Some(INDEX);
        }
        self.writers.iter().find_map(|generator| (generator.no_output_page)(path))
    }

    /// Returns the time at which a page was changed last, as the site's `sitemap.xml` has it.
    pub fn changed(&self, path: &str) -> Option<&str> {
        self.listed.as_ref()?.get(path).map(String::as_str).filter(|time| !time.is_empty())
    }

    /// The address of a page of HTML: that of its folder for an index, without its ending where its canonical
    /// address has none.
    pub fn address(&self, path: &str, canonical: Option<&str>) -> Option<String> {
        if !self.is {
            return None;
        }
        let local = without_index(path).to_owned();
        let Some(canonical_url) = canonical.and_then(|c| c.split(['?', '#']).next()) else {
            return Some(local);
        };
        let decoded = percent_encoding::percent_decode_str(canonical_url).decode_utf8().ok()?;
        let bare = local.strip_suffix(".html").unwrap_or(local.trim_end_matches('/'));
        let ends = |form: &str| decoded == *form || decoded.ends_with(&format!("/{form}"));
        let forms = [local.clone(), bare.to_owned(), format!("{bare}/")];
        Some(forms.into_iter().find(|f| !bare.is_empty() && ends(f)).unwrap_or(local))
    }
}

/// The pages that `sitemap.xml` lists, by the ends of their addresses, with their last changes. `None` if few
/// of its addresses are pages here: it is another site's then.
fn sitemap(root: &Path, pages: &BTreeSet<String>) -> Option<BTreeMap<String, String>> {
    use std::io::Read;
    /// Longer ones are read up to here, and do not count.
    const LONGEST: u64 = 64 << 20;
    let mut text = String::new();
    std::fs::File::open(root.join("sitemap.xml")).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
    let mut paths: Vec<(String, &str)> = Vec::new();
    for part in text.split("<loc>").skip(1) {
        let address = htmlize::unescape(part.split('<').next()?.trim()).into_owned();
        let path = address
            .split_once("://")
            .map_or(address.as_str(), |(_, rest)| rest.split_once('/').unwrap_or_default().1);
        let changed =
            part.split_once("<lastmod>").map_or("", |(_, rest)| rest.split('<').next().unwrap_or("").trim());
        paths.push((percent_encoding::percent_decode_str(path).decode_utf8().ok()?.into_owned(), changed));
    }
    if paths.is_empty() || text.len() as u64 >= LONGEST {
        return None;
    }
    // The site may lie in a folder of its host: as many folders are dropped as make the most addresses pages.
    let page_of = |path: &str| {
        let bare = path.trim_end_matches('/');
        let join = |name: &str| format!("{bare}{name}").trim_start_matches('/').to_owned();
        [path.to_owned(), join("/index.html"), join(".html")].into_iter().find(|p| pages.contains(p))
    };
    let below = |path: &str, drop: usize| match drop {
        0 => Some(path.to_owned()),
        drop => path.splitn(drop + 1, '/').nth(drop).map(str::to_owned),
    };
    let page = |path: &str, drop: usize| page_of(&below(path, drop)?);
    let listed = |drop| {
        paths.iter().filter_map(|(path, time)| Some((page(path, drop)?, (*time).to_owned()))).collect()
    };
    let best = (0..4).map(listed).max_by_key(BTreeMap::len)?;
    (best.len() * 2 > paths.len() && best.len() * 2 > pages.len()).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pages: &[&str]) -> Rendered {
        Rendered { is: true, pages: pages.iter().map(|p| (*p).to_owned()).collect(), ..Rendered::default() }
    }

    #[test]
    fn sources_beside_their_pages_are_copies() {
        let site = of(&["faq.html", "guide/index.html"]);
        for copy in
            ["faq.md", "faq.asciidoc", "faq.html.md", "_sources/faq.rst.txt", "guide.md", "guide/index.md"]
        {
            assert!(site.no_page(copy).is_some(), "{copy}");
        }
        for own in ["other.md", "notes.txt", "faq.html"] {
            assert!(site.no_page(own).is_none(), "{own}");
        }
    }

    #[test]
    fn canonical_addresses_say_how_addresses_end_and_never_where_they_lead() {
        let site = of(&["index.html"]);
        let address = |path: &str, canonical: Option<&str>| site.address(path, canonical).unwrap_or_default();
        assert_eq!(address("a/b.html", Some("https://x.org/docs/a/b")), "a/b");
        assert_eq!(address("a/b/index.html", Some("https://x.org/docs/a/b")), "a/b");
        assert_eq!(address("a/b/index.html", None), "a/b/");
        assert_eq!(address("a/b.html", Some("https://evil.example/")), "a/b.html");
        assert_eq!(address("1.0/b.html", Some("https://x.org/2.0/b")), "1.0/b.html");
        assert_eq!(address("index.html", Some("https://x.org/")), "");
    }
}
