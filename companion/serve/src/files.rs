//! Serves static files: maps paths to bytes, with caching, one range, and compression.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header};
use axum::response::Response;
use futures::stream;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt};

use super::names::{self, FileType};
use super::packed::{Packed, Version};
use super::respond;

/// Number of bytes read at a time, so that a large section is not in memory as a whole.
const BLOCK: u64 = 64 * 1024;

/// Maximum size of a file that is compressed, since the result is in memory.
const LARGEST_COMPRESSED: u64 = 16 << 20;

/// Minimum size of a file that is compressed; below it a gzip header costs more than it saves.
const SMALLEST_COMPRESSED: u64 = 256;

/// Answers a GET or HEAD with the file that its path names below `root` (a canonical path).
pub(super) async fn answer_request(root: &Path, packed: &Packed, request: &Parts) -> Response {
    match find_file(root, request.uri.path()).await {
        FoundFile::File(path) => {
            match send_file(&path, packed, request.method == Method::HEAD, &request.headers).await {
                Ok(response) => response,
                Err(_) => respond::plain(StatusCode::INTERNAL_SERVER_ERROR, "the file cannot be read"),
            }
        }
        FoundFile::FolderWithoutSlash => {
            // A path that was found starts with exactly one slash, so this cannot point at another site.
            let mut target = format!("{}/", request.uri.path());
            if let Some(query) = request.uri.query() {
                target.push('?');
                target.push_str(query);
            }
            let headers = [(header::LOCATION, target), (header::CACHE_CONTROL, "no-cache".to_owned())];
            respond::with_headers(StatusCode::MOVED_PERMANENTLY, &headers, Body::empty())
        }
        FoundFile::Nothing => respond::plain(StatusCode::NOT_FOUND, "not found"),
    }
}

enum FoundFile {
    File(PathBuf),
    /// A folder with an index, requested without the slash that its relative links need.
    FolderWithoutSlash,
    Nothing,
}

/// Finds the file of a request's path. Symbolic links count by their target, which must be inside the root.
async fn find_file(root: &Path, request_path: &str) -> FoundFile {
    let Some((relative, slash)) = names::relative_path(request_path) else { return FoundFile::Nothing };
    let wanted = root.join(relative);
    let is_folder = tokio::fs::metadata(&wanted).await.is_ok_and(|m| m.is_dir());
    if slash && !is_folder {
        return FoundFile::Nothing;
    }
    let file = if is_folder { wanted.join("index.html") } else { wanted };
    let Ok(real) = tokio::fs::canonicalize(&file).await else { return FoundFile::Nothing };
    let visible = real.strip_prefix(root).is_ok_and(|below| {
        below
            .components()
            .all(|c| c.as_os_str().to_str().is_some_and(|n| !n.starts_with('.') || n == ".well-known"))
    });
    if !visible || !tokio::fs::metadata(&real).await.is_ok_and(|m| m.is_file()) {
        return FoundFile::Nothing;
    }
    if is_folder && !slash { FoundFile::FolderWithoutSlash } else { FoundFile::File(real) }
}

async fn send_file(path: &Path, kept: &Packed, head_only: bool, asked: &HeaderMap) -> io::Result<Response> {
    let mut file = File::open(path).await?;
    let metadata = file.metadata().await?;
    let length = metadata.len();
    let changed = metadata.modified()?.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    let kind = names::file_type(path);
    let tag = format!("\"{length:x}-{changed:x}\"");
    // A strong tag identifies exact bytes; the compressed form has the weak tag.
    let weak_tag = format!("W/{tag}");

    let mut headers = vec![(header::CACHE_CONTROL, cache_control(path).to_owned())];
    if kind.compressible {
        headers.push((header::VARY, "accept-encoding".to_owned()));
    }
    let range_asked =
        asked.get(header::RANGE).and_then(|v| v.to_str().ok()).filter(|_| if_range_holds(asked, &tag));
    let mut packed = None;
    if range_asked.is_none()
        && worth_compressing(kind, length)
        && accepts_gzip(asked)
        && !names_current(asked, &tag)
    {
        let version = Version { path: path.to_owned(), length, changed };
        packed = kept.of(version, file.try_clone().await?.into_std().await).await?;
    }
    headers.push((header::ETAG, if packed.is_some() { weak_tag } else { tag.clone() }));
    if names_current(asked, &tag) {
        return Ok(respond::with_headers(StatusCode::NOT_MODIFIED, &headers, Body::empty()));
    }
    headers.push((header::CONTENT_TYPE, kind.mime.to_owned()));
    headers.push((header::ACCEPT_RANGES, "bytes".to_owned()));

    if let Some(packed) = packed {
        headers.push((header::CONTENT_ENCODING, "gzip".to_owned()));
        headers.push((header::CONTENT_LENGTH, packed.len().to_string()));
        let body = if head_only { Body::empty() } else { Body::from(packed) };
        return Ok(respond::with_headers(StatusCode::OK, &headers, body));
    }

    let (status, part) = match range_asked.map_or(AskedRange::Ignored, |text| parse_range(text, length)) {
        AskedRange::Ignored => (StatusCode::OK, 0..length),
        AskedRange::Part(part) => {
            let last = part.end.saturating_sub(1);
            headers.push((header::CONTENT_RANGE, format!("bytes {}-{last}/{length}", part.start)));
            (StatusCode::PARTIAL_CONTENT, part)
        }
        AskedRange::Outside => {
            let headers: [(HeaderName, String); 1] = [(header::CONTENT_RANGE, format!("bytes */{length}"))];
            return Ok(respond::with_headers(StatusCode::RANGE_NOT_SATISFIABLE, &headers, Body::empty()));
        }
    };
    let size = part.end - part.start;
    headers.push((header::CONTENT_LENGTH, size.to_string()));
    let body = if head_only {
        Body::empty()
    } else {
        file.seek(io::SeekFrom::Start(part.start)).await?;
        stream_blocks(file, size)
    };
    Ok(respond::with_headers(status, &headers, body))
}

/// Streams `size` bytes of an open file in blocks. If the file shrinks meanwhile, the connection ends with an
/// error, so that the reader notices.
fn stream_blocks(file: File, size: u64) -> Body {
    Body::from_stream(stream::try_unfold((file, size), |(mut file, left)| async move {
        if left == 0 {
            return Ok(None);
        }
        let mut block = Vec::new();
        let wanted = left.min(BLOCK);
        let read = (&mut file).take(wanted).read_to_end(&mut block).await?;
        if read as u64 != wanted {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        Ok(Some((Bytes::from(block), (file, left - wanted))))
    }))
}

fn cache_control(path: &Path) -> &'static str {
    if names::is_content_addressed(path) { "public, max-age=31536000, immutable" } else { "no-cache" }
}

fn worth_compressing(kind: FileType, length: u64) -> bool {
    kind.compressible && (SMALLEST_COMPRESSED..=LARGEST_COMPRESSED).contains(&length)
}

/// Returns true if `If-None-Match` has the file's current tag. The comparison is weak, for both forms.
fn names_current(asked: &HeaderMap, tag: &str) -> bool {
    asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|v| v.to_str().ok()).any(|list| {
        list.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
    })
}

/// Returns true if a range may be answered: no `If-Range`, or one with exactly this tag.
fn if_range_holds(asked: &HeaderMap, tag: &str) -> bool {
    asked.get(header::IF_RANGE).is_none_or(|value| value.as_bytes() == tag.as_bytes())
}

/// Returns true if `Accept-Encoding` allows gzip (RFC 9110, section 12.5.3), by name or by `*`.
fn accepts_gzip(asked: &HeaderMap) -> bool {
    let mut by_star = false;
    for list in asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|v| v.to_str().ok()) {
        for item in list.split(',') {
            let mut parts = item.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default();
            let weight =
                parts.find_map(|p| p.strip_prefix("q=")).map_or(1.0, |q| q.parse().unwrap_or(0.0_f32));
            if name.eq_ignore_ascii_case("gzip") {
                return weight > 0.0;
            }
            if name == "*" {
                by_star = weight > 0.0;
            }
        }
    }
    by_star
}

#[derive(Debug, PartialEq, Eq)]
enum AskedRange {
    /// No range that is answered in part: malformed, in other units, or several. The whole file is sent.
    Ignored,
    Part(Range<u64>),
    Outside,
}

/// Parses a `Range` header for a file of `length` bytes: `bytes=a-b`, `bytes=a-` or `bytes=-n`.
fn parse_range(text: &str, length: u64) -> AskedRange {
    let Some((first, last)) = text.strip_prefix("bytes=").and_then(|spec| spec.trim().split_once('-')) else {
        return AskedRange::Ignored;
    };
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if !digits(first) || !digits(last) {
        return AskedRange::Ignored;
    }
    match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(start), Ok(end)) if end < start => AskedRange::Ignored,
        (Ok(start), _) if start >= length => AskedRange::Outside,
        (Ok(start), Ok(end)) => AskedRange::Part(start..end.saturating_add(1).min(length)),
        (Ok(start), Err(_)) if last.is_empty() => AskedRange::Part(start..length),
        (Err(_), Ok(count)) if first.is_empty() => {
            if count == 0 || length == 0 {
                AskedRange::Outside
            } else {
                AskedRange::Part(length.saturating_sub(count)..length)
            }
        }
        _ => AskedRange::Ignored,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use axum::http::HeaderValue;
    use proptest::prelude::*;

    #[test]
    fn gzip_is_sent_only_where_it_is_accepted() {
        let accepts = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            accepts_gzip(&headers)
        };
        for text in ["gzip", "br, gzip;q=0.5", "GZIP", "*", "br;q=1, *;q=0.1"] {
            assert!(accepts(text), "{text}");
        }
        for text in ["", "br", "gzip;q=0", "*, gzip;q=0", "gzip;q=0, *", "gzip;q=nonsense", "identity"] {
            assert!(!accepts(text), "{text}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }

    #[test]
    fn ranges_are_read_as_the_standard_says() {
        assert_eq!(parse_range("bytes=0-0", 10), AskedRange::Part(0..1));
        assert_eq!(parse_range("bytes=2-", 10), AskedRange::Part(2..10));
        assert_eq!(parse_range("bytes=-3", 10), AskedRange::Part(7..10));
        assert_eq!(parse_range("bytes=-30", 10), AskedRange::Part(0..10));
        assert_eq!(parse_range("bytes=5-99999999999999999999", 10), AskedRange::Ignored);
        assert_eq!(parse_range("bytes=5-99", 10), AskedRange::Part(5..10));
        assert_eq!(parse_range("bytes=10-", 10), AskedRange::Outside);
        assert_eq!(parse_range("bytes=-0", 10), AskedRange::Outside);
        assert_eq!(parse_range("bytes=0-", 0), AskedRange::Outside);
        for text in
            ["bytes=5-4", "bytes=0-1,3-4", "bytes=-", "bytes=a-b", "items=0-1", "bytes=+1-2", "", "bytes=--1"]
        {
            assert_eq!(parse_range(text, 10), AskedRange::Ignored, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_part_lies_inside_its_file(text in "bytes=[0-9,-]{0,24}", length in 0_u64..1000) {
            if let AskedRange::Part(part) = parse_range(&text, length) {
                prop_assert!(part.start < part.end && part.end <= length);
            }
        }
    }
}
