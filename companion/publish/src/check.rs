//! Whether the addresses that a bundle names are there in the site that readers see.

use pocketgraph_ingest::ids_of_html;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Result of the check of addresses.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Distinct addresses looked at.
    pub addresses: usize,
    /// Number of these with a fragment.
    pub fragments: usize,
    /// Pages that are not in the site.
    pub no_page: Vec<String>,
    /// Addresses whose page is there, and has no element of that id.
    pub no_id: Vec<String>,
    /// Addresses that lead to other sites than the base.
    pub elsewhere: usize,
}

/// Looks for the page and the id of every address in the rendered site `site`. What stands before paths in
/// addresses is `base`.
pub fn check_site<'a>(site: &Path, base: &str, addresses: impl Iterator<Item = &'a str>) -> Verdict {
    let distinct: BTreeSet<&str> = addresses.collect();
    let mut verdict = Verdict { addresses: distinct.len(), ..Verdict::default() };
    let mut pages: BTreeMap<String, Option<BTreeSet<String>>> = BTreeMap::new();
    let mut missing: BTreeSet<&str> = BTreeSet::new();
    for address in distinct {
        let (page, fragment) = address.split_once('#').unwrap_or((address, ""));
        let Some(path) = page.strip_prefix(base).filter(|p| !p.contains("://")) else {
            verdict.elsewhere += 1;
            continue;
        };
        let ids = pages.entry(path.to_owned()).or_insert_with(|| {
            let file = file_of(site, path)?;
            let bytes = std::fs::read(file).ok()?;
            Some(ids_of_html(&String::from_utf8_lossy(&bytes)))
        });
        verdict.fragments += usize::from(!fragment.is_empty());
        // Viewers go to a page of a PDF by its number.
        let paged = path.ends_with(".pdf")
            && fragment.strip_prefix("page=").is_some_and(|n| n.parse::<u32>().is_ok());
        match ids {
            None => {
                missing.insert(page);
            }
            Some(ids) if !fragment.is_empty() && !paged => {
                let decoded = percent_encoding::percent_decode_str(fragment).decode_utf8_lossy();
                if !ids.contains(decoded.as_ref()) && !ids.contains(fragment) {
                    verdict.no_id.push(address.to_owned());
                }
            }
            Some(_) => {}
        }
    }
    verdict.no_page = missing.into_iter().map(str::to_owned).collect();
    verdict
}

/// The file that a host shows for a path.
fn file_of(site: &Path, path: &str) -> Option<PathBuf> {
    let decoded = percent_encoding::percent_decode_str(path.trim_start_matches('/')).decode_utf8().ok()?;
    if decoded.split('/').any(|part| part == "..") {
        return None;
    }
    let bare = decoded.trim_end_matches('/');
    let plain = site.join(bare);
    let candidates = [plain.clone(), site.join(format!("{bare}.html")), plain.join("index.html")];
    // `a/` is not shown by the file `a`.
    let from = usize::from(decoded.ends_with('/') || bare.is_empty());
    candidates.into_iter().skip(from).find(|f| f.is_file())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_ids_that_are_not_there_are_named() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("a")).unwrap();
        std::fs::write(
            dir.path().join("a/index.html"),
            "<h1 id=top>A</h1><a name=\"old\"></a><h2 id='gr&ouml;&szlig;e'>B</h2>",
        )
        .unwrap();
        std::fs::write(dir.path().join("b.html"), "<script>'<p id=no>'</script><h1 id=\"b\">B</h1>").unwrap();
        let all = [
            "/m/a/",
            "/m/a/#top",
            "/m/a#old",
            "/m/a/#größe",
            "/m/a/#gone",
            "/m/b#b",
            "/m/b.html#no",
            "/m/c.html#x",
            "/m/../x",
            "https://x.org/",
        ];
        let verdict = check_site(dir.path(), "/m/", all.into_iter());
        assert_eq!(verdict.no_page, ["/m/../x", "/m/c.html"]);
        assert_eq!(verdict.no_id, ["/m/a/#gone", "/m/b.html#no"]);
        assert_eq!((verdict.addresses, verdict.fragments, verdict.elsewhere), (10, 7, 1));
    }
}
