//! What each element of HTML means for the text of a page.

/// What an element means for the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
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
    /// SVG and MathML, whose elements follow other rules; never text.
    Foreign,
    /// Text about the site, not of the page.
    Chrome,
    /// Such text outside the main content only: inside, it holds the page's own heading.
    Header,
    Title,
    Head,
}

/// The role of an element, by its lower-case name.
pub(super) fn role_of(name: &str) -> Role {
    use Role::*;
    match name {
        "a" => Anchor,
        "main" => Main,
        "article" => Article,
        "p" => Paragraph,
        "li" | "dt" | "dd" => Item,
        "h1" => Heading(1),
        "h2" => Heading(2),
        "h3" => Heading(3),
        "h4" => Heading(4),
        "h5" => Heading(5),
        "h6" => Heading(6),
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
        "script" | "style" | "noscript" | "template" | "iframe" | "object" | "canvas" | "audio" | "video" | "select" | "button"
        | "textarea" | "datalist" | "dialog" | "noembed" | "noframes" => Hidden,
        "svg" | "math" => Foreign,
        "address" | "body" | "center" | "details" | "dir" | "div" | "dl" | "fieldset" | "figcaption" | "figure" | "form" | "hgroup"
        | "hr" | "html" | "legend" | "menu" | "ol" | "section" | "summary" | "tbody" | "tfoot" | "thead" | "ul" => Block,
        _ => Inline,
    }
}

/// Elements that never have an end tag.
const VOID: &[&str] = &[
    "area", "base", "basefont", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link", "meta", "param", "source", "track",
    "wbr",
];

/// Whether an element has no content and no end tag.
pub(super) fn is_void(name: &str) -> bool {
    VOID.iter().any(|v| v.eq_ignore_ascii_case(name))
}
