//! EPUB: the chapters of a book in their order, as one page.

use super::archive::Archive;
use super::made_html::Html;
use super::xml::{self, attribute};
use super::{Format, ReadMethod};
use std::collections::HashMap;

/// Chapters of a book at most.
const MOST: usize = 10_000;

pub(super) const FORMAT: Format =
    Format::new("epub", &["epub"], ReadMethod::Archive(|bytes, limit| Ok((write_html(bytes, limit)?, None))));

/// Writes the book as HTML.
fn write_html(bytes: Vec<u8>, limit: u64) -> Result<String, String> {
    let mut out = Html::of_file(bytes.len());
    let mut archive = Archive::open(bytes, limit)?;
    if archive.has("META-INF/rights.xml") {
        return Err("protected against copying".to_owned());
    }
    let container =
        archive.text("META-INF/container.xml")?.ok_or("no EPUB: it has no META-INF/container.xml")?;
    let package_path = rootfile(&container).ok_or("names no package")?;
    let package = package(&archive.text(&package_path)?.ok_or("its package is missing")?);
    let folder = package_path.rsplit_once('/').unwrap_or_default().0;
    out.title(&package.title);
    for href in package.spine.iter().take(MOST).filter_map(|id| package.files.get(id)) {
        if out.is_full() {
            break;
        }
        let decoded = percent_encoding::percent_decode_str(href).decode_utf8_lossy().into_owned();
        let path = if folder.is_empty() { decoded } else { format!("{folder}/{decoded}") };
        // A chapter that is missing is no reason to lose the others.
        let Some(chapter) = archive.text(&path)? else { continue };
        out.raw(&body(&chapter));
        out.raw("\n");
    }
    out.finish()
}

/// Returns the text between the tags of the body.
fn body(chapter: &str) -> String {
    let lower = chapter.to_ascii_lowercase();
    let start = lower.find("<body").and_then(|at| Some(at + lower.get(at..)?.find('>')? + 1)).unwrap_or(0);
    let end = lower.rfind("</body").unwrap_or(chapter.len());
    chapter.get(start..end.max(start)).unwrap_or("").to_owned()
}

fn rootfile(container: &str) -> Option<String> {
    let mut found = None;
    xml::elements(container, |name, element| {
        if name == "rootfile" && found.is_none() {
            found = attribute(element, "full-path");
        }
    });
    found
}

/// The description of a book in its package.
#[derive(Default)]
struct Package {
    title: String,
    /// Files by their names in the package.
    files: HashMap<String, String>,
    spine: Vec<String>,
}

fn package(text: &str) -> Package {
    let mut package =
        Package { title: xml::text_of(text, "title").unwrap_or_default(), ..Package::default() };
    xml::elements(text, |name, element| match name {
        "item" => {
            let kind = attribute(element, "media-type").unwrap_or_default();
            let navigation =
                attribute(element, "properties").is_some_and(|p| p.split_whitespace().any(|w| w == "nav"));
            if let (Some(id), Some(href)) = (attribute(element, "id"), attribute(element, "href"))
                && kind.contains("html")
                && !navigation
            {
                package.files.insert(id, href);
            }
        }
        "itemref" if attribute(element, "linear").as_deref() != Some("no") => {
            package.spine.extend(attribute(element, "idref"))
        }
        _ => {}
    });
    package
}
