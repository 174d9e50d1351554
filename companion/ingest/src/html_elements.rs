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

/// Whether an element of these classes holds the text of a page, by the mark of its generator: Docusaurus, VitePress, MkDocs Material, Docsy.
pub(super) fn is_content(classes: &str) -> bool {
    classes.split_ascii_whitespace().any(|c| matches!(c, "theme-doc-markdown" | "vp-doc" | "md-content__inner" | "td-content"))
}

/// Whether an element of these classes is no text of the page, by the marks of generators and themes: links of headings to themselves and of what is
/// described to its source, text that is shown to screen readers only, buttons, numbers of lines, links from page to page.
pub(super) fn is_for_machines(classes: &str, in_code: bool) -> bool {
    classes.split_ascii_whitespace().any(|c| match c {
        "headerlink" | "viewcode-link" | "viewcode-back" | "copybtn" | "sl-anchor-link" => true,
        "sr-only" | "visually-hidden" | "visuallyhidden" | "screen-reader-text" | "screen-reader-only" | "show-for-sr" => true,
        "linenos" | "linenodiv" | "lineno" | "line-numbers-wrapper" | "rouge-gutter" | "hljs-ln-numbers" => true,
        "theme-doc-footer" | "theme-doc-toc-mobile" | "theme-doc-breadcrumbs" | "theme-doc-version-badge" | "theme-edit-this-page" => true,
        "pagination-nav" | "md-content__button" | "md-source-file" | "rst-footer-buttons" | "wy-breadcrumbs" | "sphinxsidebar" => true,
        "prev-next-area" | "edit-this-page" | "prev-next-footer" => true,
        "ln" | "lnt" => in_code,
        _ => false,
    })
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
