//! Elements of HTML whose author says that Markdown stands in them: `<div markdown="1">` of kramdown, `<div
//! markdown>` of Python-Markdown. To other parsers such an element is HTML up to the next blank line; so one
//! is put behind its tags.

use super::html_tokens::{Token, Tokens};

/// Elements of one name inside an element whose content is Markdown, and elements inside elements, that are
/// heeded.
const DEEPEST: usize = 16;

/// The elements of a text whose content is Markdown, as lines go by.
#[derive(Default)]
pub(crate) struct MarkdownInHtml {
    /// Name of each that is open, and how many of its name are open in it, itself among them.
    open: Vec<(String, usize)>,
}

/// Elements that stand in running text, or whose rows and cells are HTML's to read.
const NOT_BLOCKS: [&str; 20] = [
    "a", "abbr", "b", "code", "em", "i", "kbd", "mark", "s", "small", "span", "strong", "sub", "sup",
    "table", "tbody", "td", "th", "thead", "tr",
];

impl MarkdownInHtml {
    /// The bytes of a line, outside code, at which a blank line belongs; the line's end, without its line
    /// break, may be one of them.
    pub fn breaks(&mut self, line: &str) -> Vec<usize> {
        let shown = line.trim_end();
        let indent = shown.len() - shown.trim_start().len();
        if self.open.is_empty()
            && !(shown.get(indent..).is_some_and(|s| s.starts_with('<')) && shown.contains("markdown"))
        {
            return Vec::new();
        }
        let mut out = Vec::new();
        // Nothing but tags so far.
        let mut alone = true;
        for (range, token) in Tokens::new(shown) {
            match token {
                Token::Start { name, attributes, closed } => {
                    let name = name.to_ascii_lowercase();
                    let attribute = attributes
                        .get("markdown")
                        .is_some_and(|v| matches!(&*v, "" | "1" | "block" | "span" | "markdown"));
                    if attribute
                        && alone
                        && !closed
                        && !NOT_BLOCKS.contains(&name.as_str())
                        && self.open.len() < DEEPEST
                    {
                        self.open.push((name, 1));
                        out.push(range.end);
                    } else if let Some((_, depth)) =
                        self.open.last_mut().filter(|(n, _)| !closed && *n == name)
                    {
                        *depth += 1;
                    }
                }
                Token::End { name } => {
                    let last = self.open.last_mut().filter(|(n, _)| n.eq_ignore_ascii_case(name));
                    let ends = last.is_some_and(|(_, depth)| {
                        *depth -= 1;
                        *depth == 0
                    });
                    if ends {
                        self.open.pop();
                        out.push(range.start);
                    }
                    if ends || !self.open.is_empty() && name.eq_ignore_ascii_case("summary") {
                        out.push(range.end);
                    }
                }
                Token::Text { .. } => alone &= shown.get(range).is_some_and(|t| t.trim().is_empty()),
            }
        }
        out.retain(|&at| at > indent);
        out.dedup();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parted(source: &str) -> String {
        let mut elements = MarkdownInHtml::default();
        let mut out = String::new();
        for line in source.split_inclusive('\n') {
            let mut from = 0;
            for at in elements.breaks(line) {
                out.push_str(line.get(from..at).unwrap_or("?"));
                out.push('|');
                from = at;
            }
            out.push_str(line.get(from..).unwrap_or("?"));
        }
        out
    }

    #[test]
    fn tags_of_an_element_whose_content_is_markdown_are_set_apart() {
        for (source, expected) in [
            ("<div markdown=\"1\">\n*x*\n</div>\ny\n", "<div markdown=\"1\">|\n*x*\n</div>|\ny\n"),
            ("<div class='a' markdown='block'>*x*</div>\n", "<div class='a' markdown='block'>|*x*|</div>|\n"),
            (
                "<section markdown>\n<div>\n</div>\n</section>\n",
                "<section markdown>|\n<div>\n</div>\n</section>|\n",
            ),
            (
                "<div markdown=1>\n<div>\n</div>\nx\n</div>\n",
                "<div markdown=1>|\n<div>\n</div>\nx\n</div>|\n",
            ),
            (
                "<details markdown=\"1\"><summary>T</summary>\nx\n</details>",
                "<details markdown=\"1\">|<summary>T</summary>|\nx\n</details>|",
            ),
            ("  <div markdown=\"1\">\n  x\n", "  <div markdown=\"1\">|\n  x\n"),
        ] {
            assert_eq!(parted(source), expected);
        }
    }

    #[test]
    fn other_elements_and_text_about_them_stay() {
        for source in [
            "<div>\n*x*\n</div>\n",
            "<div markdown=\"0\">\n*x*\n</div>\n",
            "`<div markdown=\"1\">` is kramdown's.\n",
            "<span markdown=\"1\">*x*</span>\n",
            "<table markdown=\"1\">\n<tr><td>x</td></tr>\n</table>\n",
            "<div title=\"markdown\">\nx\n</div>\n",
        ] {
            assert_eq!(parted(source), source);
        }
    }
}
