//! Interprets names in a request: the file of a path, the type and lifetime of a file name.

use std::path::{Component, Path, PathBuf};

use axum::http::HeaderMap;
use percent_encoding::percent_decode_str;

/// Returns a header that occurs exactly once and is plain text. Several `Host` or `Origin` headers are a
/// trick.
pub(super) fn single_header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() { None } else { first.to_str().ok() }
}

/// Returns true if a browser fetches for another site's page: its script, image, frame or request. Following
/// a link there is the reader's action, and a request without these headers comes from no page.
pub(super) fn is_for_another_site(headers: &HeaderMap) -> bool {
    let is = |name: &str, value: &str| single_header(headers, name) == Some(value);
    let cross = headers.get_all("sec-fetch-site").iter().any(|site| site.as_bytes() == b"cross-site");
    cross && !(is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document"))
}

/// Returns the path below the root, and whether it ended in `/`. `None` for paths that no file has: `..`, an
/// encoded separator, a NUL, an empty part, a hidden name (`.git`, `.env`, but not `.well-known`).
pub(super) fn relative_path(request_path: &str) -> Option<(PathBuf, bool)> {
    let rest = request_path.strip_prefix('/')?;
    let (rest, folder) = match rest.strip_suffix('/') {
        Some(rest) => (rest, true),
        None => (rest, rest.is_empty()),
    };
    let mut path = PathBuf::new();
    if rest.is_empty() {
        // "//" ends here too: its second slash is an empty part.
        return (request_path == "/").then_some((path, true));
    }
    for part in rest.split('/') {
        let decoded = percent_decode_str(part).decode_utf8().ok()?;
        let name: &str = &decoded;
        if name.is_empty()
            || name.contains(['/', '\\', '\0'])
            || (name.starts_with('.') && name != ".well-known")
        {
            return None;
        }
        // The platform may read the name differently (drive letters, reserved prefixes).
        let mut components = Path::new(name).components();
        if !matches!(components.next(), Some(Component::Normal(only)) if only == name)
            || components.next().is_some()
        {
            return None;
        }
        path.push(name);
    }
    Some((path, folder))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileType {
    pub(super) mime: &'static str,
    /// True if compression pays: for text and wasm. Bundle sections are compressed already if it pays.
    pub(super) compressible: bool,
}

/// Returns the type of a file by its extension; unknown ones are plain bytes.
pub(super) fn file_type(path: &Path) -> FileType {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let (mime, compressible) = match ending.as_str() {
        "html" | "htm" => ("text/html; charset=utf-8", true),
        "js" | "mjs" => ("text/javascript; charset=utf-8", true),
        "css" => ("text/css; charset=utf-8", true),
        "json" | "map" => ("application/json", true),
        "webmanifest" => ("application/manifest+json", true),
        "wasm" => ("application/wasm", true),
        "svg" => ("image/svg+xml", true),
        "txt" | "ts" => ("text/plain; charset=utf-8", true),
        "md" => ("text/markdown; charset=utf-8", true),
        "csv" => ("text/csv; charset=utf-8", true),
        "xml" => ("application/xml", true),
        "jsonl" => ("application/x-ndjson", true),
        "png" => ("image/png", false),
        "jpg" | "jpeg" => ("image/jpeg", false),
        "gif" => ("image/gif", false),
        "webp" => ("image/webp", false),
        "avif" => ("image/avif", false),
        "ico" => ("image/x-icon", false),
        "woff" => ("font/woff", false),
        "woff2" => ("font/woff2", false),
        "pdf" => ("application/pdf", false),
        "gz" => ("application/gzip", false),
        _ => ("application/octet-stream", false),
    };
    FileType { mime, compressible }
}

/// Minimum number of hexadecimal digits of a content hash in a file's name.
const SHORTEST_HASH: usize = 16;

/// Returns true if the name has a hash of the content, so that the file never changes: 16 or more hexadecimal
/// digits between dots, dashes or underscores. One must be a letter, or a long date would match. Pages and
/// manifests never match: they name the other files.
pub(super) fn is_content_addressed(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|n| n.to_str()) else { return false };
    if name == "manifest.json" || matches!(file_type(path).mime, "text/html; charset=utf-8") {
        return false;
    }
    name.split(['.', '-', '_']).any(|part| {
        part.len() >= SHORTEST_HASH
            && part.bytes().all(|b| b.is_ascii_hexdigit())
            && part.bytes().any(|b| b.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_path_that_leaves_the_root_or_is_hidden_names_nothing() {
        for path in [
            "",
            "x",
            "//",
            "/a//b",
            "/../x",
            "/a/../b",
            "/%2e%2e/x",
            "/a%2fb",
            "/a%5cb",
            "/a\\..\\b",
            "/.git/config",
            "/%2egit/x",
            "/a%00",
            "/.",
            "/%ff",
        ] {
            assert_eq!(relative_path(path), None, "{path}");
        }
        assert_eq!(relative_path("/"), Some((PathBuf::new(), true)));
        assert_eq!(relative_path("/a/b%20c.txt"), Some((PathBuf::from("a/b c.txt"), false)));
        assert_eq!(relative_path("/a/"), Some((PathBuf::from("a"), true)));
        assert_eq!(relative_path("/.well-known/x"), Some((PathBuf::from(".well-known/x"), false)));
    }

    #[test]
    fn a_hash_in_the_name_makes_a_file_immutable_and_a_date_does_not() {
        for name in
            ["chunks.0123456789abcdef.bin", "v-00112233445566778899aabbccddeeff.bin", "deadbeefdeadbeef"]
        {
            assert!(is_content_addressed(Path::new(name)), "{name}");
        }
        for name in [
            "manifest.json",
            "20261121120000123.png",
            "deadbeef.bin",
            "deadbeefdeadbeef.html",
            "index.html",
            "xdeadbeefdeadbeef.bin",
        ] {
            assert!(!is_content_addressed(Path::new(name)), "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_request_path_names_anything_above_the_root(path in "/[a-z./%2eE5cCfF\\\\]{0,40}") {
            if let Some((relative, _)) = relative_path(&path) {
                prop_assert!(relative.components().all(|c| matches!(c, Component::Normal(_))));
                prop_assert!(relative.is_relative());
            }
        }
    }
}
