//! What happens to a Markdown source before it is parsed: template tags are masked in place, and long files
//! are cut into parts.

use super::markdown_dialects::{attributes, closes_shortcode, code_shortcode, documented, marker};
use super::markdown_fence::{Fence, run};
use super::markdown_indented::moved_left;
use std::borrow::Cow;
use std::ops::Range;

/// Stands for each byte of a masked tag; dropped from all text.
pub(crate) const MASK: char = '\u{1}';

/// A tag longer than this is text.
const LONGEST_TAG: usize = 8192;

/// A parser sees this much of a file at once, which bounds its memory: a file past it is cut at a blank line.
const PART: usize = 1 << 20;

const TAGS: [(&str, &str); 6] =
    [("{{<", ">}}"), ("{{%", "%}}"), ("{{#", "}}"), ("{%", "%}"), ("<%", "%>"), ("{{", "}}")];

/// Masks the lines by which publishers mark boxes and tabs, lists of attributes behind links, and template
/// tags (`{{ }}`, Hugo's `{{< >}}` and `{{% %}}`, mdBook's `{{# }}`, Liquid's `{% %}`, `<% %>`) outside code,
/// mdBook's include lines everywhere, and in MDX imports, exports and comments. Every byte keeps its place,
/// so that offsets stay true.
pub(crate) fn mask_source(source: &str, mdx: bool) -> Cow<'_, str> {
    let mut tags = TagFinder { source, closers: [0; 7], next_raw_end: 0 };
    let mut out: Option<Vec<u8>> = None;
    let mut fence = Fence::default();
    let mut statement = false;
    let mut opened = false;
    let mut options = false;
    let mut shortcode: Option<&str> = None;
    let mut terminal = false;
    let mut masked_to = 0;
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim_matches(|c: char| c.is_whitespace() || c == '>');
        if trimmed.is_empty() {
            statement = false;
        }
        if start < masked_to {
            continue;
        }
        // Code in a shortcode is code in a fence.
        if let Some(name) = shortcode {
            if closes_shortcode(trimmed, name) {
                shortcode = None;
                fence_for(&mut out, source, start..start + line.trim_end().len());
            }
            continue;
        }
        let inside = fence.is_open();
        if !inside
            && let Some(name) =
                code_shortcode(trimmed).filter(|name| holds_code(source.get(at..).unwrap_or(""), name))
        {
            shortcode = Some(name);
            fence_for(&mut out, source, start..start + line.trim_end().len());
            continue;
        }
        if fence.takes(trimmed) {
            let included = trimmed.starts_with("{{#") && line.trim_end().ends_with("}}")
                || trimmed.starts_with("{!") && trimmed.ends_with("!}")
                || trimmed.starts_with("--8<--");
            if inside && (included || is_for_highlighting(trimmed)) {
                blank_range(&mut out, source, start..start + line.trim_end().len(), MASK as u8);
            } else if inside && let Some(at) = highlighting(line) {
                blank_range(&mut out, source, start + at..start + line.trim_end().len(), MASK as u8);
            } else if inside && terminal {
                tags_in(line).for_each(|tag| {
                    blank_range(&mut out, source, start + tag.start..start + tag.end, MASK as u8)
                });
            }
            continue;
        }
        // Termynal plays what stands in such an element as a terminal, colours and all.
        terminal = (terminal || line.contains("class=\"termy\"")) && !line.contains("</div");
        // Options below the name of what mkdocstrings describes.
        if options && (trimmed.is_empty() || line.starts_with("    ")) {
            blank_range(&mut out, source, start..start + line.trim_end().len(), b' ');
            continue;
        }
        options = trimmed.strip_prefix(":::").is_some_and(|rest| documented(rest).is_some());
        // Settings below the line that opens a block of PyMdown.
        if opened
            && line.starts_with("    ")
            && trimmed.split_once(": ").is_some_and(|(k, _)| k.bytes().all(|b| b.is_ascii_lowercase()))
        {
            blank_range(&mut out, source, start..start + line.trim_end().len(), b' ');
            continue;
        }
        opened = trimmed.starts_with("///");
        if mdx && (statement || line.starts_with("import ") || line.starts_with("export ")) {
            statement = true;
            blank_range(&mut out, source, start..start + line.trim_end().len(), b' ');
            continue;
        }
        if let Some(found) = marker(line) {
            let end = start + line.trim_end().len();
            let title = found.title.map(|t| start + t.start..start + t.end);
            // As with tags: blanks where the line is nothing else, so that paragraphs end there.
            let fill = if title.is_some() || found.indented { MASK as u8 } else { b' ' };
            // What it is indented by says to which item of a list it belongs.
            let first = start + line.len() - line.trim_start_matches([' ', '\t']).len();
            blank_range(&mut out, source, first..title.as_ref().map_or(end, |t| t.start), fill);
            if let Some(title) = title {
                blank_range(&mut out, source, title.end..end, fill);
            }
            continue;
        }
        if let Some(mark) = alert(line) {
            blank_range(&mut out, source, start + mark.start..start + mark.end, MASK as u8);
        }
        masked_to = mask_line(source, start..at, mdx, &mut tags, &mut out).max(masked_to);
    }
    show_shortcodes(&mut out, source);
    match out.map(String::from_utf8) {
        Some(Ok(masked)) => Cow::Owned(masked),
        _ => Cow::Borrowed(source),
    }
}

/// Writes a fence in place of a line that is nothing but a tag, which is longer.
fn fence_for(out: &mut Option<Vec<u8>>, source: &str, line: Range<usize>) {
    let start = line.start
        + source.get(line.clone()).map_or(0, |l| l.len() - l.trim_start_matches([' ', '\t', '>']).len());
    blank_range(out, source, start..line.end, b' ');
    if let Some(bytes) = out.as_mut().and_then(|o| o.get_mut(start..start + 4)) {
        bytes.fill(b'~');
    }
}

/// Returns true if a shortcode closes within reach, and its lines are not fenced.
fn holds_code(rest: &str, name: &str) -> bool {
    const LONGEST: usize = 64 << 10;
    let near = rest.get(..rest.floor_char_boundary(LONGEST)).unwrap_or(rest);
    let first = near.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("");
    let fenced = first.starts_with("```") || first.starts_with("~~~") || first.starts_with("{{");
    !fenced
        && near
            .lines()
            .any(|l| closes_shortcode(l.trim_matches(|c: char| c.is_whitespace() || c == '>'), name))
}

/// Masks the marks of comments in shortcodes that are shown and not called: `{{</* name */>}}`.
fn show_shortcodes(out: &mut Option<Vec<u8>>, source: &str) {
    for (open, close) in [("{{</*", "*/>}}"), ("{{%/*", "*/%}}")] {
        let mut from = 0;
        while let Some(at) = source.get(from..).and_then(|rest| rest.find(open)).map(|found| from + found) {
            from = at + open.len();
            let line = source.get(from..).and_then(|rest| rest.lines().next()).unwrap_or("");
            if let Some(end) = line.find(close) {
                blank_range(out, source, at + 3..at + 5, MASK as u8);
                blank_range(out, source, from + end..from + end + 2, MASK as u8);
                from += end;
            }
        }
    }
}

/// Returns the mark of an alert that has a title, a fold or a kind of its own: `> [!NOTE] Title`, `>
/// [!faq]-`. Others are the parser's to read.
pub(crate) fn alert(line: &str) -> Option<Range<usize>> {
    let quoted = line.trim_start_matches([' ', '\t']).strip_prefix('>')?;
    let text = quoted.trim_start_matches([' ', '>']);
    let close = text.strip_prefix("[!")?.find(']')? + 3;
    let kind = text.get(2..close - 1)?;
    let behind = text.get(close..)?;
    let title = behind.trim_start_matches(['+', '-']);
    let of_parser =
        ["note", "tip", "important", "warning", "caution"].iter().any(|k| k.eq_ignore_ascii_case(kind));
    let own = !title.trim().is_empty() || title.len() < behind.len() || !of_parser;
    let named = !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
    let start = line.len() - text.len();
    (named && own && !title.starts_with('(')).then(|| start..line.len() - title.len())
}

/// A Markdown source as a reader of the published page has it: without the marks of publishers, what stands
/// in boxes moved to the left.
pub fn without_marks(source: &str, mdx: bool) -> String {
    mask_source(&moved_left(source).0, mdx).replace(MASK, "")
}

/// Masks the tags that start in a line; where the last of them ends.
fn mask_line(
    source: &str,
    line: Range<usize>,
    mdx: bool,
    tags: &mut TagFinder<'_>,
    out: &mut Option<Vec<u8>>,
) -> usize {
    let bytes = source.as_bytes();
    let mut i = line.start;
    let mut code = 0;
    let mut only_tags = true;
    let mut end = line.start;
    while i < line.end.max(end) {
        let Some(&b) = bytes.get(i) else { break };
        if b == b'`' {
            let length = run(source.get(i..).unwrap_or(""), b'`');
            code = if code == length {
                0
            } else if code == 0 {
                length
            } else {
                code
            };
            i += length;
            only_tags = false;
            continue;
        }
        if matches!(b, b'{' | b'<')
            && code == 0
            && let Some(stop) = tags.end_of_tag(i, mdx)
        {
            let end_of_raw = tags.end_of_raw(i..stop, mdx);
            let line_ends = source
                .get(stop..)
                .unwrap_or("")
                .chars()
                .find(|c| !matches!(c, ' ' | '\t' | '\r'))
                .is_none_or(|c| c == '\n');
            let destination = source.get(..i).is_some_and(|s| s.ends_with("(") || s.ends_with("(<"));
            // Alone on its line a tag becomes a blank line; inside a link it becomes an empty target;
            // anywhere else blanks could make an indented code block.
            let fill = if destination || (only_tags && line_ends) { b' ' } else { MASK as u8 };
            blank_range(out, source, i..stop, fill);
            blank_range(out, source, end_of_raw.clone(), MASK as u8);
            i = end_of_raw.end;
            end = end.max(i);
            continue;
        }
        // Behind a link, code or emphasis; a heading's own are read with it.
        if b == b'{'
            && code == 0
            && source
                .get(line.start..i)
                .is_some_and(|before| before.ends_with([')', ']', '`', '*']) && !before.starts_with('#'))
            && let Some(length) = attributes(source.get(i..line.end).unwrap_or(""))
        {
            blank_range(out, source, i..i + length, MASK as u8);
            i += length;
            continue;
        }
        if !b.is_ascii_whitespace() {
            only_tags = false;
        }
        i += 1;
    }
    end
}

/// Finds where tags close. Each closer's next place is remembered, so that many unclosed tags stay linear.
struct TagFinder<'a> {
    source: &'a str,
    closers: [usize; 7],
    next_raw_end: usize,
}

impl TagFinder<'_> {
    fn end_of_tag(&mut self, at: usize, mdx: bool) -> Option<usize> {
        let rest = self.source.get(at..)?;
        let which = TAGS
            .iter()
            .position(|(open, _)| rest.starts_with(open))
            .or((mdx && rest.starts_with("{/*")).then_some(TAGS.len()))?;
        let closer = TAGS.get(which).map_or("*/}", |&(_, c)| c);
        if closer == "}}" && self.source.get(..at).is_some_and(is_tex) {
            return None;
        }
        let next = self.closers.get_mut(which)?;
        if *next < at + 2 {
            *next = self.source.get(at + 2..)?.find(closer).map_or(usize::MAX, |i| at + 2 + i);
        }
        (*next != usize::MAX && *next - at <= LONGEST_TAG).then(|| *next + closer.len())
    }

    /// Returns the tag that ends what Liquid shows as it is, if `tag` begins that; else nothing behind `tag`.
    fn end_of_raw(&mut self, tag: Range<usize>, mdx: bool) -> Range<usize> {
        let from = tag.end;
        let begins =
            self.source.get(tag).is_some_and(|tag| tag.trim_matches(['{', '%', '}', '-', ' ']) == "raw");
        if begins && self.next_raw_end < from {
            let rest = self.source.get(from..).unwrap_or("");
            self.next_raw_end = rest.find("endraw").map_or(usize::MAX, |at| from + at);
        }
        let before = self.source.get(from..self.next_raw_end).filter(|_| begins);
        let close =
            before.and_then(|t| Some(from + t.trim_end_matches(['-', ' ']).strip_suffix("{%")?.len()));
        close.map_or(from..from, |close| close..self.end_of_tag(close, mdx).unwrap_or(close))
    }
}

/// Returns `true` if braces behind a text are those of a formula: `x_{{i}}`, `\\frac{{a}}`.
fn is_tex(before: &str) -> bool {
    let command = before.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    before.ends_with(['_', '^', '}']) || command.len() < before.len() && command.ends_with('\\')
}

/// Lines of code that say which others are marked, and are not shown: of Docusaurus, and of Twoslash.
fn is_for_highlighting(line: &str) -> bool {
    let Some(comment) = ["//", "#", "/*", "<!--", "--", "%"].iter().find_map(|mark| line.strip_prefix(mark))
    else {
        return false;
    };
    let comment = comment.trim().trim_end_matches("*/").trim_end_matches("-->").trim();
    let named = [
        "highlight-next-line",
        "highlight-start",
        "highlight-end",
        "---cut---",
        "---cut-before---",
        "---cut-after---",
        "---cut-start---",
        "---cut-end---",
    ];
    named.contains(&comment)
        || comment.starts_with("^?")
        || line.starts_with("// @") && (comment.starts_with("@errors") || comment.starts_with("@noErrors"))
}

/// The tags by which words of a terminal are coloured.
fn tags_in(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    const COLOURS: [&str; 6] = ["b", "font", "i", "span", "strong", "u"];
    line.match_indices('<').filter_map(|(at, _)| {
        let tag = line.get(at..)?;
        let end = tag.find('>')? + 1;
        let name = tag.get(1..end - 1)?.trim_start_matches('/').split([' ', '\t']).next()?;
        COLOURS.contains(&name).then_some(at..at + end)
    })
}

/// Returns the byte at which a mark for highlighting begins at the end of a line of code: `// [!code focus]`.
fn highlighting(line: &str) -> Option<usize> {
    let at = line.find("[!code ")?;
    let before = line.get(..at)?.trim_end();
    let mark = ["//", "#", "/*", "<!--", "--"].iter().find(|mark| before.ends_with(**mark))?;
    Some(before.len() - mark.len())
}

fn blank_range(out: &mut Option<Vec<u8>>, source: &str, range: Range<usize>, fill: u8) {
    let out = out.get_or_insert_with(|| source.as_bytes().to_vec());
    if let Some(bytes) = out.get_mut(range) {
        bytes.iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = fill);
    }
}

/// Cuts a long source into parts that are parsed one by one: at a blank line outside code before a line that
/// is not indented, else at any line end, else anywhere. A file up to a megabyte is one part; a link
/// reference does not reach from one part into another.
pub(crate) fn split_parts(source: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    while source.len() - start > PART {
        let end = start + find_cut(source.get(start..).unwrap_or(""));
        out.push(start..end);
        start = end;
    }
    out.push(start..source.len());
    out
}

fn find_cut(rest: &str) -> usize {
    let window = rest.get(..rest.floor_char_boundary(2 * PART)).unwrap_or(rest);
    let mut fence = Fence::default();
    let mut at = 0;
    let mut blank_before = false;
    let mut line_end = 0;
    for line in window.split_inclusive('\n') {
        if at >= PART && blank_before && !fence.is_open() && !line.starts_with([' ', '\t', '\n', '\r']) {
            return at;
        }
        let trimmed = line.trim();
        fence.takes(trimmed);
        blank_before = trimmed.is_empty();
        at += line.len();
        if line.ends_with('\n') {
            line_end = at;
        }
    }
    if line_end > 0 { line_end } else { window.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(source: &str, mdx: bool) -> String {
        mask_source(source, mdx).replace(MASK, "")
    }

    #[test]
    fn template_tags_go_but_code_that_shows_them_stays() {
        assert_eq!(shown("a {{< note >}}b{{< /note >}} c", false), "a b c");
        assert_eq!(shown("{{% tab %}}\nx", false), "           \nx");
        assert_eq!(shown("use `{{< ref >}}` so\n", false), "use `{{< ref >}}` so\n");
        assert_eq!(
            shown("```\n{{< x >}}\n{{#include a.rs}}\n```\n{{< y >}}", false),
            "```\n{{< x >}}\n\n```\n         "
        );
        assert_eq!(shown("[t]({{< ref \"p\" >}})", false), "[t](               )");
        assert_eq!(shown("{% include x %} and {{ variable }} <%= y %>.", false), " and  .");
        assert_eq!(shown("{% raw %}{{ shown }}{% endraw %}\n{{ x }} z", false), "{{ shown }}\n z");
        assert_eq!(shown("$\\frac{{a}}{b}$ and $x_{{i}}$", false), "$\\frac{{a}}{b}$ and $x_{{i}}$");
        assert_eq!(shown("{{< unclosed", false), "{{< unclosed");
    }

    #[test]
    fn marks_of_boxes_and_tabs_go_and_their_titles_and_text_stay() {
        assert_eq!(shown(":::note[Read]\nText.\n:::\n", false), "Read\nText.\n   \n");
        assert_eq!(shown("!!! tip \"T\"\n    Text.\n", false), "T\n    Text.\n");
        // In an item of a list they stay in it.
        assert_eq!(
            shown("1.  a\n\n    !!! tip \"T\"\n\n        Text.\n", false),
            "1.  a\n\n    T\n\n        Text.\n"
        );
        assert_eq!(
            shown("```\n:::note\n```\n[a](b){ .button } c {.d}\n# H {#id}\n", false),
            "```\n:::note\n```\n[a](b) c {.d}\n# H {#id}\n"
        );
    }

    #[test]
    fn what_marks_code_for_highlighting_goes_and_expressions_of_the_page_go_where_it_has_some() {
        assert_eq!(
            shown("> [!NOTE] Read *this*\n> [!tip]- And\n> [!NOTE]\n> [!x](y)\n> [!faq]-\n> a", false).trim(),
            ">  Read *this*\n>  And\n> [!NOTE]\n> [!x](y)\n> \n> a"
        );
        assert_eq!(
            shown("```js\n// highlight-next-line\na() // [!code focus]\n// ---cut-before---\n```\n", false),
            "```js\n\na() \n\n```\n"
        );
        assert_eq!(shown("a {{ b.c }} d `{{ e }}`", false), "a  d `{{ e }}`");
        assert_eq!(
            shown("/// details | More\n    type: tip\n\nText.\n///\n", false)
                .split_whitespace()
                .collect::<Vec<_>>(),
            ["More", "Text."]
        );
    }

    #[test]
    fn colours_of_a_terminal_go_and_its_text_stays() {
        let code = "```console\n$ run\n<span style=\"color: green;\">INFO</span>: <font \
            color=\"#4E9A06\">up</font> at <host>\n```\n";
        assert!(
            shown(&format!("<div class=\"termy\">\n\n{code}\n</div>\n"), false)
                .contains("\nINFO: up at <host>\n")
        );
        assert!(shown(&format!("<div class=\"termy\">\n</div>\n\n{code}"), false).contains("<span style"));
        assert_eq!(shown("```html\n{!../../missing.html!}\nx\n```\n", false), "```html\n\nx\n```\n");
    }

    #[test]
    fn code_in_a_shortcode_is_code_and_a_shortcode_that_is_shown_is_shown() {
        assert_eq!(
            shown("{{< highlight go >}}\na\n{{< /highlight >}}\nb", false)
                .split_whitespace()
                .collect::<Vec<_>>(),
            ["~~~~", "a", "~~~~", "b"]
        );
        assert_eq!(shown("{{< code-tabs >}}\n```\na\n```\n{{< /code-tabs >}}", false).trim(), "```\na\n```");
        assert_eq!(shown("use `{{</* note */>}}`", false), "use `{{< note >}}`");
    }

    #[test]
    fn what_mkdocstrings_describes_is_named_without_its_options() {
        assert_eq!(
            shown("::: a.b.C\n    options:\n        x: y\n\n::: a.d\n\nText", false)
                .split_whitespace()
                .collect::<Vec<_>>(),
            ["a.b.C", "a.d", "Text"]
        );
    }

    #[test]
    fn mdx_imports_and_comments_go() {
        assert_eq!(shown("import X from 'x'\n\n# T {/* note */}\nexport", true).trim_start(), "# T \nexport");
        assert_eq!(shown("import taxes rise", false), "import taxes rise");
    }

    #[test]
    fn a_long_file_is_cut_at_a_blank_line_outside_code() {
        let page = "word ".repeat(1000) + "\n\n```\ncode\n\nmore\n```\n\n";
        let source = page.repeat(500);
        let parts = split_parts(&source);
        assert!(parts.len() >= 2);
        assert!(parts.iter().all(|p| p.len() <= 2 * PART));
        assert!(
            parts
                .iter()
                .skip(1)
                .all(|p| source[p.clone()].starts_with("word") || source[p.clone()].starts_with("```\ncode"))
        );
    }

    #[test]
    fn a_megabyte_without_a_line_end_is_cut_between_characters() {
        let source = "é".repeat(3 << 20);
        let parts = split_parts(&source);
        assert_eq!(parts.iter().map(|p| p.len()).sum::<usize>(), source.len());
        assert!(parts.iter().all(|p| source.get(p.clone()).is_some()));
    }

    proptest! {
        #[test]
        fn masking_moves_nothing(
            source in "[{}<>%#/*`~a é\n(\\-:!?=\".\\[\\]]{0,120\
                    }",
            mdx in any::<bool>(),
        ) {
            let masked = mask_source(&source, mdx);
            prop_assert_eq!(masked.len(), source.len());
            let lines = |s: &str| {
                s.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i).collect::<Vec<_>>()
            };
            prop_assert_eq!(lines(&masked), lines(&source));
        }
    }
}
