//! Documents as plain HTML pages, so that the links of hits lead somewhere on a site that has no generator of
//! its own.
//!
//! Pages carry no script and no raw HTML from the documents; their headings have the ids that hits' URLs
//! name.

use crate::site_files::{self, SiteFilesError, place_below};
use pocketgraph_ingest::{Block, BlockKind, Slugs, SourceDocument, format_of, without_marks};
use pocketgraph_native::html::{escape_html, write_escaped};
use pocketgraph_text::table;
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const STYLE: &str = include_str!("pages.css");

/// Writes a page for each document of the folder `source` below `out`, at its URL: of Markdown with its links
/// and emphasis, of other kinds with the text that was read of it. Documents whose URL is absolute or leads
/// out of the site get none, and neither do those that are pages themselves. Returns the pages whose names
/// are too long for files.
///
/// # Errors
/// As [`site_files::write_files`].
pub fn write_pages(
    source: &Path,
    documents: &[SourceDocument],
    out: &Path,
) -> Result<Vec<String>, SiteFilesError> {
    let mut pages: BTreeMap<PathBuf, String> =
        documents.iter().filter_map(|d| render_document(source, d)).collect();
    if pages.is_empty() {
        return Ok(Vec::new());
    }
    pages.insert("pages.css".into(), STYLE.to_owned());
    site_files::write_files("--pages", out, pages)
}

/// The page of a document and its place.
fn render_document(source: &Path, d: &SourceDocument) -> Option<(PathBuf, String)> {
    let (Some(place), Some(format), false) = (place_of(&d.url), format_of(Path::new(&d.path)), d.ready)
    else {
        return None;
    };
    let main = match format {
        "html" => return None,
        "md" | "mdx" => {
            let file = if source.is_dir() { source.join(&d.path) } else { source.to_owned() };
            let text = std::fs::read_to_string(&file).ok()?;
            render_body(&without_marks(&text, format == "mdx"))
        }
        _ => body_of_blocks(&d.blocks),
    };
    // A title that only its front matter or its file has is one for readers, too.
    let titled = d.blocks.iter().any(|b| b.kind == BlockKind::Heading(1));
    let main = if titled { main } else { format!("<h1>{}</h1>\n{main}", escape_html(&d.title)) };
    let up = "../".repeat(place.components().count() - 1);
    let text = render_page(&d.title, &main, &up, &d.document().language);
    Some((place, text))
}

/// Returns the file of a relative URL: `a/b.html`, which hosts show at `a/b` as well, or `a/index.html` for
/// `a/`. `None` for what is no page of this site.
fn place_of(url: &str) -> Option<PathBuf> {
    let mut path = place_below("", url)?;
    if url.is_empty() || url.ends_with('/') {
        path.push("index.html");
    }
    // `v1.2` has no ending, `a.js` has.
    let ending = path
        .extension()
        .and_then(|e| e.to_str())
        .filter(|e| e.chars().all(char::is_alphabetic))
        .map(str::to_owned);
    if ending.is_none() {
        path.as_mut_os_string().push(".html");
    }
    ending.is_none_or(|e| e == "html").then_some(path)
}

/// A whole page around the HTML of its `main` part. A language that is not known is told as none: a reader's
/// screen reader then takes its own.
fn render_page(title: &str, main: &str, up: &str, language: &str) -> String {
    let head = escape_html(title);
    let direction = if table!("right_to_left.tsv").contains(language) { " dir=\"rtl\"" } else { "" };
    format!(
        "<!doctype html>\n<html lang=\"{language}\"{direction}>\n<meta charset=\"utf-8\">\n<meta \
         name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{head}</title>\n<link rel=\"stylesheet\" \
         href=\"{up}pages.css\">\n<main>\n{main}</main>\n</html>\n"
    )
}

/// Blocks of text as HTML.
fn body_of_blocks(blocks: &[Block]) -> String {
    let mut out = String::new();
    let mut listed = false;
    for block in blocks {
        let item = block.kind == BlockKind::ListItem;
        if item != listed {
            out.push_str(if item { "<ul>\n" } else { "</ul>\n" });
            listed = item;
        }
        let (open, close) = match block.kind {
            BlockKind::Heading(level) => {
                out.push_str(&format!("<h{level}"));
                if let Some(id) = &block.fragment {
                    out.push_str(" id=\"");
                    write_escaped(&mut out, id);
                    out.push('"');
                }
                (">".to_owned(), format!("</h{level}>"))
            }
            BlockKind::Paragraph => ("<p>".into(), "</p>".into()),
            BlockKind::ListItem => ("<li>".into(), "</li>".into()),
            BlockKind::Term => ("<p><strong>".into(), "</strong></p>".into()),
            BlockKind::Code => ("<pre><code>".into(), "</code></pre>".into()),
            BlockKind::Quote => ("<blockquote><p>".into(), "</p></blockquote>".into()),
            BlockKind::Table => {
                write_rows(&mut out, &block.text);
                continue;
            }
        };
        out.push_str(&open);
        write_escaped(&mut out, &block.text);
        out.push_str(&close);
        out.push('\n');
    }
    if listed {
        out.push_str("</ul>\n");
    }
    out
}

/// A table, the first row of which is its header.
fn write_rows(out: &mut String, text: &str) {
    out.push_str("<table>\n");
    for (i, row) in text.lines().enumerate() {
        let cell = if i == 0 { "th" } else { "td" };
        out.push_str("<tr>");
        for value in row.split(" | ") {
            out.push_str(&format!("<{cell}>"));
            write_escaped(out, value);
            out.push_str(&format!("</{cell}>"));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
}

/// The document's Markdown as HTML: raw HTML left out, headings with ids, links to Markdown files led to
/// their pages, no unsafe links.
fn render_body(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_GFM
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut slugs = Slugs::default();
    let mut heading: Option<(usize, String)> = None;
    let mut metadata = false;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::MetadataBlock(_)) => metadata = true,
            Event::End(TagEnd::MetadataBlock(_)) => metadata = false,
            _ if metadata => {}
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::Start(Tag::Heading { level, id, .. }) => {
                heading = Some((events.len(), String::new()));
                events.push(Event::Start(Tag::Heading { level, id, classes: Vec::new(), attrs: Vec::new() }));
            }
            Event::End(TagEnd::Heading(level)) => {
                if let Some((at, text)) = heading.take()
                    && let Some(Event::Start(Tag::Heading { id, .. })) = events.get_mut(at)
                {
                    *id = match id.take() {
                        Some(given) => slugs.explicit(&given).map(CowStr::from),
                        None => slugs.of_heading(&text).map(CowStr::from),
                    };
                }
                events.push(Event::End(TagEnd::Heading(level)));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                events.push(Event::Start(Tag::Link {
                    link_type,
                    dest_url: link_target(&dest_url, link_type).into(),
                    title,
                    id,
                }));
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                events.push(Event::Start(Tag::Image {
                    link_type,
                    dest_url: link_target(&dest_url, link_type).into(),
                    title,
                    id,
                }));
            }
            event => {
                if let (Some((_, text)), Event::Text(t) | Event::Code(t)) = (&mut heading, &event) {
                    text.push_str(t);
                }
                events.push(event);
            }
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    out
}

/// Returns the target of a link: `guide.html#start` for `guide.md#start`; only http, https, mailto and
/// relative addresses.
fn link_target(link: &str, kind: LinkType) -> String {
    let scheme = link.split_once(':').map(|(s, _)| s).filter(|s| !s.contains(['/', '?', '#']));
    match scheme {
        Some(s)
            if !["http", "https", "mailto"].iter().any(|safe| s.trim().eq_ignore_ascii_case(safe))
                && kind != LinkType::Email =>
        {
            "#".to_owned()
        }
        Some(_) => link.to_owned(),
        None => {
            let (path, fragment) = link.split_at(link.find('#').unwrap_or(link.len()));
            let page = match path.strip_suffix(".md") {
                Some(stem) => {
                    match stem.strip_suffix("README").filter(|rest| rest.is_empty() || rest.ends_with('/')) {
                        Some("") => "./".to_owned(),
                        Some(folder) => folder.to_owned(),
                        None => format!("{stem}.html"),
                    }
                }
                None => path.to_owned(),
            };
            format!("{page}{fragment}")
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_no_script_and_no_raw_html() {
        let main = render_body(
            "# A\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) a <img src=x onerror=alert(1)> b",
        );
        let out = render_page("<b>T</b>", &main, "", "ar");
        assert!(
            !out.contains("<script") && !out.contains("onerror") && !out.contains("javascript:"),
            "{out}"
        );
        assert!(
            out.contains("<html lang=\"ar\" dir=\"rtl\">")
                && out.contains("<title>&lt;b&gt;T&lt;/b&gt;</title>")
                && out.contains("<h1 id=\"a\">A</h1>")
        );
    }

    #[test]
    fn pages_of_other_kinds_show_their_text_and_nothing_of_it_is_html() {
        let kinds = [
            BlockKind::Heading(2),
            BlockKind::ListItem,
            BlockKind::ListItem,
            BlockKind::Code,
            BlockKind::Table,
            BlockKind::Term,
        ];
        let mut blocks: Vec<Block> =
            kinds.iter().map(|&kind| Block::verbatim(kind, "<b>a</b> | \"&\"\nx", 0)).collect();
        if let Some(heading) = blocks.first_mut() {
            heading.fragment = Some("a\"b".into());
        }
        let out = body_of_blocks(&blocks);
        assert!(!out.contains("<b>") && out.contains("<h2 id=\"a&quot;b\">&lt;b&gt;a"), "{out}");
        assert_eq!((out.matches("<ul>").count(), out.matches("<li>").count()), (1, 2));
        assert!(
            out.contains(
                "<tr><th>&lt;b&gt;a&lt;/b&gt;</th><th>&quot;&amp;&quot;</th></tr>\n<tr><td>x</td></tr>"
            ),
            "{out}"
        );
    }

    /// A document whose page is `place`.
    fn document(place: &str) -> SourceDocument {
        let block = Block::verbatim(BlockKind::Paragraph, "text", 0);
        SourceDocument {
            path: format!("{}.txt", place.trim_end_matches(".html")),
            url: place.to_owned(),
            title: "A".to_owned(),
            blocks: vec![block],
            links: Vec::new(),
            front_matter: Vec::new(),
            ..SourceDocument::default()
        }
    }

    #[test]
    fn pages_are_written_over_those_of_an_earlier_build_and_over_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let (out, at) = (dir.path(), |name: &str| dir.path().join(name));
        let documents = [document("a.html"), document("deep/b.html")];
        for _ in 0..2 {
            assert!(write_pages(out, &documents, out).unwrap().is_empty());
            assert!(at("a.html").exists() && at("deep/b.html").exists());
        }
        // Changed by hand, or there before: nothing at all is written.
        for (place, text) in [("a.html", "mine"), ("pages.css", "body {}"), ("c.html", "theirs")] {
            let before = std::fs::read(at(place)).ok();
            std::fs::write(at(place), text).unwrap();
            let error =
                write_pages(out, &[document("a.html"), document("c.html"), document("new.html")], out)
                    .unwrap_err()
                    .to_string();
            assert!(error.contains(place), "{error}");
            assert_eq!(std::fs::read_to_string(at(place)).unwrap(), text);
            assert!(!at("new.html").exists());
            match before {
                Some(bytes) => std::fs::write(at(place), bytes).unwrap(),
                None => std::fs::remove_file(at(place)).unwrap(),
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn pages_are_not_written_through_links() {
        let dir = tempfile::tempdir().unwrap();
        let (out, victim) = (dir.path().join("out"), dir.path().join("victim"));
        std::fs::create_dir_all(&out).unwrap();
        std::fs::create_dir_all(&victim).unwrap();
        std::fs::write(victim.join("a.html"), "precious").unwrap();
        std::os::unix::fs::symlink(&victim, out.join("deep")).unwrap();
        std::os::unix::fs::symlink(victim.join("a.html"), out.join("a.html")).unwrap();
        for place in ["deep/x.html", "a.html"] {
            assert!(
                matches!(write_pages(&out, &[document(place)], &out), Err(SiteFilesError::Occupied { .. })),
                "{place}"
            );
        }
        assert_eq!(std::fs::read_to_string(victim.join("a.html")).unwrap(), "precious");
        assert!(!victim.join("x.html").exists());
    }

    #[test]
    fn a_title_that_no_heading_says_is_shown() {
        let dir = tempfile::tempdir().unwrap();
        assert!(write_pages(dir.path(), &[document("a")], dir.path()).unwrap().is_empty());
        assert!(std::fs::read_to_string(dir.path().join("a.html")).unwrap().contains("<main>\n<h1>A</h1>\n"));
    }

    #[test]
    fn a_page_whose_name_is_too_long_for_a_file_is_named_and_the_others_are_written() {
        let dir = tempfile::tempdir().unwrap();
        let long =
            ["n".repeat(252), "n".repeat(300) + "/b", "deep/".repeat(1000) + "b"].map(|name| name + ".html");
        let documents: Vec<SourceDocument> =
            long.iter().map(String::as_str).chain(["a.html"]).map(document).collect();
        for _ in 0..2 {
            let mut unwritten = write_pages(dir.path(), &documents, dir.path()).unwrap();
            unwritten.sort_by_key(String::len);
            assert_eq!(unwritten, long);
            assert!(dir.path().join("a.html").exists());
        }
        assert!(!std::fs::read_to_string(dir.path().join(".pocketgraph-pages")).unwrap().contains("nnn"));
    }

    #[test]
    fn links_between_documents_lead_to_pages() {
        assert_eq!(link_target("guide.md#start", LinkType::Inline), "guide.html#start");
        assert_eq!(link_target("../README.md", LinkType::Inline), "../");
        assert_eq!(link_target("README.md", LinkType::Inline), "./");
        assert_eq!(link_target("https://example.org/x.md", LinkType::Inline), "https://example.org/x.md");
        assert_eq!(link_target("  JaVaScRiPt:x", LinkType::Inline), "#");
    }

    #[test]
    fn no_url_leads_out_of_the_site() {
        assert_eq!(place_of("a/b.html"), Some(PathBuf::from("a/b.html")));
        assert_eq!(place_of("a/"), Some(PathBuf::from("a/index.html")));
        assert_eq!(place_of("a/v1.2"), Some(PathBuf::from("a/v1.2.html")));
        assert_eq!(place_of(""), Some(PathBuf::from("index.html")));
        for url in ["../x.html", "/x.html", "https://x/y.html", "a/../../b.html", "%2e%2e/x.html", "x.js"] {
            assert_eq!(place_of(url), None, "{url}");
        }
    }

    #[test]
    fn front_matter_is_not_shown() {
        assert!(!render_body("---\ntitle: secret\n---\n\ntext").contains("secret"));
    }
}
