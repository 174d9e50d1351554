//! Where a reader opens a document: the URL of a file, and which URLs from outside are safe to print.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// Rule by which a site's URLs follow from its files' paths. HTML and text files keep their names in every
/// style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UrlStyle {
    /// As the site's generator publishes; as [`UrlStyle::Html`] where none is known.
    #[default]
    Auto,
    /// `a/b.md` is published as `a/b.html`, `a/index.md`, `a/README.md` and `a/_index.md` as `a/` (mdBook,
    /// Jekyll, Sphinx).
    Html,
    /// `a/b.md` is published as `a/b/` (Hugo, MkDocs, Astro, Eleventy).
    Directory,
    /// `a/b.md` is published as `a/b`, without an ending (Docusaurus, Nextra, VitePress with `cleanUrls`).
    Clean,
    /// `a/b.md` is published under its own name, as on a code host.
    Source,
}

impl UrlStyle {
    /// Describes the addresses of pages, for people.
    pub(super) fn described(self) -> &'static str {
        match self {
            UrlStyle::Auto | UrlStyle::Html => "as /page.html",
            UrlStyle::Directory => "as /page/",
            UrlStyle::Clean => "as /page",
            UrlStyle::Source => "as the files are named",
        }
    }
}

const FRAGMENT: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'\\');
/// Characters that a path may not hold either. A colon could make the name of a file a scheme.
const PATH: &AsciiSet = &FRAGMENT.add(b'#').add(b'?').add(b'{').add(b'}').add(b'%').add(b':');

/// A path's folders and its file's name, the first with a slash at its end.
pub(super) fn split_path(path: &str) -> (&str, &str) {
    path.rfind('/').map_or(("", path), |slash| path.split_at(slash + 1))
}

/// A path without the ending of its file's name.
pub(super) fn without_ending(path: &str) -> &str {
    let (folder, name) = split_path(path);
    match name.rfind('.') {
        Some(dot) if dot > 0 => path.get(..folder.len() + dot).unwrap_or(path),
        _ => path,
    }
}

/// Returns the path of a folder for that of its `index.html`, and any other as it is.
pub(super) fn without_index(path: &str) -> &str {
    path.strip_suffix("index.html").filter(|f| f.is_empty() || f.ends_with('/')).unwrap_or(path)
}

/// Returns true if a file of this name, without its ending, is its folder's page.
pub fn is_index(stem: &str) -> bool {
    ["index", "readme", "_index"].iter().any(|name| stem.eq_ignore_ascii_case(name))
}

/// The URL of a file from its path (forward slashes) in the source folder; [`published`] is that of a file that
/// publishers copy.
pub(super) fn url_of(path: &str, base_url: &str, style: UrlStyle) -> String {
    let (folder, name) = split_path(path);
    let stem = without_ending(name);
    let local = match style {
        UrlStyle::Source => path.to_owned(),
        _ if is_index(stem) => folder.to_owned(),
        _ => style_address(&format!("{folder}{stem}"), style),
    };
    published(&local, base_url)
}

/// Returns the address of the page `a/b` in a style.
pub(super) fn style_address(page: &str, style: UrlStyle) -> String {
    match style {
        UrlStyle::Auto | UrlStyle::Html => format!("{page}.html"),
        UrlStyle::Directory => format!("{page}/"),
        UrlStyle::Clean | UrlStyle::Source => page.to_owned(),
    }
}

/// The URL of a path that is published below the base.
pub(super) fn published(local: &str, base_url: &str) -> String {
    join(base_url, &utf8_percent_encode(local, PATH).to_string())
}

/// The URL that a document claims for itself, made absolute with the base, or none if it is not one that is
/// safe to follow.
pub(super) fn claimed_url(claim: &str, base_url: &str) -> Option<String> {
    if is_absolute(claim) {
        return is_clean(claim).then(|| claim.to_owned());
    }
    let local = claim.strip_prefix('/').unwrap_or(claim);
    is_safe_relative(local).then(|| join(base_url, local))
}

/// The URL that a front-matter `slug` gives: it takes the place of the file's name.
pub(super) fn apply_slug(path: &str, slug: &str, base_url: &str, style: UrlStyle) -> Option<String> {
    // One with a slash before it is seen from the site's root, as one with folders is.
    let (slug, rooted) = slug.strip_prefix('/').map_or((slug, false), |s| (s, true));
    let slug = slug.trim_end_matches('/');
    if slug.is_empty() || !is_safe_relative(slug) {
        return None;
    }
    let folder = if rooted { "" } else { split_path(path).0 };
    // A slug may hold dots; an extension of our own keeps them from being taken for one.
    Some(url_of(
        &format!("{folder}{slug}.md"),
        base_url,
        if style == UrlStyle::Source { UrlStyle::Html } else { style },
    ))
}

/// An element's id as the fragment of a URL; none if it is empty or longer than any honest id.
pub(super) fn fragment(id: &str) -> Option<String> {
    let id = id.trim();
    (!id.is_empty() && id.len() <= 1024).then(|| utf8_percent_encode_visible(id))
}

/// Ids keep their letters as written (browsers match both forms); only what would end or break an attribute
/// or URL is encoded.
fn utf8_percent_encode_visible(id: &str) -> String {
    let mut out = String::with_capacity(id.len());
    for c in id.chars() {
        if c.is_ascii() {
            out.extend(utf8_percent_encode(c.encode_utf8(&mut [0; 4]), FRAGMENT));
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns true if a URL names its scheme as http or https; nothing else is ever followed from a hit.
pub(super) fn is_absolute(url: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|s| url.get(..s.len()).is_some_and(|p| p.eq_ignore_ascii_case(s)) && url.len() > s.len())
}

/// Returns true if a text can be put before the documents' relative URLs: a web URL, a path, or nothing.
pub fn is_base_url(text: &str) -> bool {
    // A colon could make another scheme.
    is_clean(text) && (is_absolute(text) || !text.contains(':'))
}

fn is_clean(url: &str) -> bool {
    url.len() <= 2048
        && !url
            .chars()
            .any(|c| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '"' | '<' | '>' | '`'))
}

/// Returns true if a path lies below the base when it is published.
pub(super) fn is_below(path: &str) -> bool {
    // A colon could make a scheme.
    let plain = path.len() <= 2048 && !path.contains([':', '\\']) && !path.chars().any(char::is_control);
    plain && !path.starts_with('/') && !path.split('/').any(|s| s == "..")
}

pub(super) fn is_safe_relative(url: &str) -> bool {
    // A colon could make a scheme; placeholders such as `:title` cannot be filled in here.
    is_clean(url) && !url.starts_with('/') && !url.contains(':') && !url.split('/').any(|s| s == "..")
}

fn join(base: &str, local: &str) -> String {
    if base.is_empty() || base.ends_with('/') { format!("{base}{local}") } else { format!("{base}/{local}") }
}

/// Resolves a relative path from a folder; `None` if it leads out of the root.
pub fn join_path(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_html_and_index_files_their_folder() {
        let url = |p| url_of(p, "", UrlStyle::Html);
        assert_eq!(url("a/b.md"), "a/b.html");
        assert_eq!(url("a/index.md"), "a/");
        assert_eq!(url("README.md"), "");
        assert_eq!(url("a/_index.markdown"), "a/");
        assert_eq!(published("my notes/50%.txt", ""), "my%20notes/50%25.txt");
    }

    #[test]
    fn styles_and_a_base_can_be_chosen() {
        assert_eq!(url_of("a/b.md", "https://x.org/docs", UrlStyle::Directory), "https://x.org/docs/a/b/");
        assert_eq!(url_of("a/index.md", "/docs/", UrlStyle::Directory), "/docs/a/");
        assert_eq!(url_of("a/README.md", "", UrlStyle::Source), "a/README.md");
    }

    #[test]
    fn a_colon_in_the_name_of_a_file_makes_no_scheme() {
        let url = |p| url_of(p, "", UrlStyle::Html);
        assert_eq!(url("javascript:alert(1).md"), "javascript%3Aalert(1).html");
        assert_eq!(url("http:/evil.org/x.md"), "http%3A/evil.org/x.html");
    }

    #[test]
    fn a_base_is_a_web_url_a_path_or_nothing() {
        for good in
            ["", "/", "/docs/", "docs", "../docs/", "https://example.org/docs", "HTTP://localhost:8080/"]
        {
            assert!(is_base_url(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)//",
            "JavaScript:x",
            "data:text/html,x",
            "ftp://example.org/",
            "https://",
            "\\\\host\\x",
            "a b",
            "/\u{1}",
        ] {
            assert!(!is_base_url(bad), "{bad}");
        }
    }

    #[test]
    fn a_claimed_url_wins_only_if_it_is_safe() {
        assert_eq!(claimed_url("/about/", "/site/"), Some("/site/about/".into()));
        assert_eq!(claimed_url("https://x.org/a", "/site/"), Some("https://x.org/a".into()));
        for bad in [
            "javascript:alert(1)",
            "JAVASCRIPT:x",
            "data:text/html,x",
            "//evil.org/",
            "../../x",
            "a b",
            "\\\\host\\x",
            "/:year/:title/",
            "a\"b",
            "https://",
        ] {
            assert_eq!(claimed_url(bad, ""), None, "{bad}");
        }
        assert_eq!(apply_slug("posts/2020-x.md", "x", "", UrlStyle::Html), Some("posts/x.html".into()));
        assert_eq!(apply_slug("posts/2020-x.md", "../x", "", UrlStyle::Html), None);
    }

    #[test]
    fn ids_cannot_break_out_of_a_link() {
        assert_eq!(fragment("größe-1"), Some("größe-1".into()));
        assert_eq!(fragment("a\"><b"), Some("a%22%3E%3Cb".into()));
        assert_eq!(fragment(""), None);
    }
}
