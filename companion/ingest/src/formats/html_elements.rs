//! What each element of HTML means for the text of a page.

use super::html_tokens::Attributes;

/// The role of an element in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Changes nothing.
    Inline,
    Anchor,
    /// Starts and ends a block.
    Block,
    Main,
    Article,
    Paragraph,
    Item,
    Heading(u8),
    Quote,
    Code,
    Table,
    Row,
    Cell,
    Caption,
    /// Never text: scripts, styles, templates, controls, pictures.
    Hidden,
    /// SVG, whose elements follow other rules; never text.
    Foreign,
    /// Text about the site, not of the page.
    Chrome,
    /// Such text outside the main content only: inside, it holds the page's own heading.
    Header,
    Title,
    Head,
}

/// The role of an element, by its lower-case name.
pub(crate) fn role_of(name: &str) -> Role {
    use Role::*;
    match name {
        "a" => Anchor,
        "main" => Main,
        "article" => Article,
        "p" => Paragraph,
        "li" | "dt" | "dd" => Item,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Heading(name.as_bytes()[1] - b'0'),
        "blockquote" => Quote,
        "pre" | "xmp" | "listing" => Code,
        "table" => Table,
        "tr" => Row,
        "td" | "th" => Cell,
        "caption" => Caption,
        "nav" | "footer" | "aside" => Chrome,
        "header" => Header,
        "title" => Title,
        "head" => Head,
        "script" | "style" | "noscript" | "template" | "iframe" | "object" | "canvas" | "audio" | "video"
        | "select" | "button" | "textarea" | "datalist" | "dialog" | "noembed" | "noframes" | "rt" | "rp"
        | "rtc" => Hidden,
        "svg" => Foreign,
        "address" | "body" | "center" | "details" | "dir" | "div" | "dl" | "fieldset" | "figcaption"
        | "figure" | "form" | "hgroup" | "hr" | "html" | "legend" | "menu" | "ol" | "section" | "summary"
        | "tbody" | "tfoot" | "thead" | "ul" => Block,
        _ => Inline,
    }
}

/// Returns true if an element of these classes holds the text of a page, by the mark of its generator:
/// Docusaurus, VitePress, MkDocs Material, Docsy.
pub(crate) fn is_content(classes: &str) -> bool {
    classes
        .split_ascii_whitespace()
        .any(|c| matches!(c, "theme-doc-markdown" | "vp-doc" | "md-content__inner" | "td-content"))
}

/// Returns true if an element of these classes is no text of the page, by the marks of generators and themes:
/// links of headings to themselves and of descriptions to their source, text for screen readers only,
/// buttons, numbers of lines, links from page to page.
pub(crate) fn is_for_machines(classes: &str, in_code: bool) -> bool {
    classes.split_ascii_whitespace().any(|c| match c {
        "headerlink" | "viewcode-link" | "viewcode-back" | "copybtn" | "sl-anchor-link" => true,
        "linenos" | "linenodiv" | "lineno" | "line-numbers-wrapper" | "rouge-gutter" | "hljs-ln-numbers" => {
            true
        }
        "theme-doc-footer"
        | "theme-doc-toc-mobile"
        | "theme-doc-breadcrumbs"
        | "theme-doc-version-badge"
        | "theme-edit-this-page" => true,
        "pagination-nav" | "md-content__button" | "md-source-file" | "rst-footer-buttons"
        | "wy-breadcrumbs" | "sphinxsidebar" => true,
        "prev-next-area" | "edit-this-page" | "prev-next-footer" => true,
        "ln" | "lnt" => in_code,
        "pagenum"
        | "pageno"
        | "fn-bracket"
        | "MathJax_Preview"
        | "MathJax"
        | "MathJax_SVG"
        | "MJX_Assistive_MathML" => true,
        _ => false,
    })
}

/// Returns `true` if an element of these classes is for readers who hear the page. In a table it says what a
/// sign means, elsewhere it repeats what is seen.
pub(crate) fn is_for_hearing(classes: &str) -> bool {
    const NAMES: [&str; 6] = [
        "sr-only",
        "visually-hidden",
        "visuallyhidden",
        "screen-reader-text",
        "screen-reader-only",
        "show-for-sr",
    ];
    classes.split_ascii_whitespace().any(|c| NAMES.contains(&c))
}

/// Returns `true` if an element leads to a note or back from it, or marks where a printed page begins.
pub(crate) fn is_mark_of_note_or_page(attributes: &Attributes<'_>, classes: &str) -> bool {
    let kinds = [attributes.get("role"), attributes.get("epub:type")];
    let named = |name: &str| {
        matches!(
            name,
            "doc-noteref"
                | "doc-backlink"
                | "doc-pagebreak"
                | "noteref"
                | "backlink"
                | "referrer"
                | "pagebreak"
        )
    };
    kinds.into_iter().flatten().any(|k| k.split_ascii_whitespace().any(named))
        || classes.split_ascii_whitespace().any(|c| {
            matches!(
                c,
                "footnote-ref"
                    | "footnote-reference"
                    | "footnoteref"
                    | "footnote-backref"
                    | "reversefootnote"
                    | "fn-backref"
            )
        })
        || attributes.get("data-footnote-ref").or_else(|| attributes.get("data-footnote-backref")).is_some()
}

/// Returns `true` if an element is shown when its readers ask for it, such as the panel of a tab.
pub(crate) fn is_panel(name: &str, attributes: &Attributes<'_>, classes: &str) -> bool {
    let part = |c: &str| {
        let kinds = ["pane", "panel", "content", "block", "body"];
        c.starts_with("tab") && !c.starts_with("table") && kinds.iter().any(|kind| c.contains(kind))
    };
    attributes.get("role").is_some_and(|r| matches!(&*r, "tabpanel" | "region"))
        || part(name)
        || classes.split_ascii_whitespace().any(part)
}

/// Returns `true` if an aside belongs to the text beside it: a box or a note, and not a column of the page.
pub(crate) fn is_box(attributes: &Attributes<'_>, classes: &str) -> bool {
    let kinds = [
        "admonition",
        "aside-",
        "callout",
        "caution",
        "danger",
        "footnote",
        "important",
        "note",
        "tip",
        "warning",
    ];
    attributes.get("role").or_else(|| attributes.get("epub:type")).is_some_and(|r| r.contains("note"))
        || classes
            .split_ascii_whitespace()
            .any(|c| kinds.iter().any(|kind| c.contains(kind)) && !c.contains("toc"))
}

/// Elements that never have an end tag.
const VOID: &[&str] = &[
    "area", "base", "basefont", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
    "meta", "param", "source", "track", "wbr",
];

/// Returns true if an element has no content and no end tag.
pub(crate) fn is_void(name: &str) -> bool {
    VOID.iter().any(|v| v.eq_ignore_ascii_case(name))
}
