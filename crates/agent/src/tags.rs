//! Reading what a model wrote: tags in any case, the first complete call, the last boxed answer, labelled
//! lines.
//!
//! Only a model's own text is read here, never text of the environment: a document cannot use these tags.

use std::ops::Range;

/// Returns the first place of `needle` (ASCII) in `text` at or after `from`, in any case.
pub fn find(text: &str, needle: &str, from: usize) -> Option<usize> {
    places(text, needle, from).next()
}

/// Returns the last place of `needle` (ASCII) in `text`, in any case.
pub fn rfind(text: &str, needle: &str) -> Option<usize> {
    places(text, needle, 0).next_back()
}

/// Every place of `needle` at or after `from`; none of an empty one.
fn places(text: &str, needle: &str, from: usize) -> impl DoubleEndedIterator<Item = usize> {
    let (text, needle) = (text.as_bytes(), needle.as_bytes());
    let end = if needle.is_empty() { from } else { (text.len() + 1).saturating_sub(needle.len()) };
    (from..end).filter(move |&at| text[at..at + needle.len()].eq_ignore_ascii_case(needle))
}

/// A complete tag in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagged<'t> {
    /// The tag's name, as it was asked for.
    pub name: &'static str,
    /// Text inside, without white space around it.
    pub inside: &'t str,
    /// The whole, tags included.
    pub at: Range<usize>,
}

/// A tag found in a text: which of the names, whether it closes, and where it stands.
struct Tag {
    name: usize,
    closes: bool,
    at: Range<usize>,
}

/// Returns the next tag of `names` at or after `from`: `<name>`, `< name >`, `</name>`, or `<name x="1">`.
fn next_tag(text: &str, names: &[&'static str], from: usize) -> Option<Tag> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(start) =
        bytes.get(at..).and_then(|rest| rest.iter().position(|&b| b == b'<')).map(|n| at + n)
    {
        let blank = |mut i: usize| {
            while bytes.get(i).is_some_and(|b| *b == b' ') {
                i += 1;
            }
            i
        };
        let mut i = blank(start + 1);
        let closes = bytes.get(i) == Some(&b'/');
        if closes {
            i = blank(i + 1);
        }
        let word = bytes[i..]
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
            .take(64)
            .count();
        let name = names.iter().position(|n| n.as_bytes().eq_ignore_ascii_case(&bytes[i..i + word]));
        if let Some(name) = name {
            // Attributes are rare and short; a bracket far away belongs to something else.
            let close = bytes[i + word..].iter().take(200).position(|b| matches!(b, b'>' | b'<'));
            if let Some(n) = close.filter(|&n| bytes[i + word + n] == b'>') {
                return Some(Tag { name, closes, at: start..i + word + n + 1 });
            }
        }
        at = start + 1;
    }
    None
}

/// The first complete `<name>…</name>` of any of `names`. Of several openings before a closing tag the last
/// counts, so that a tag that was begun twice holds what was meant.
pub fn find_first_tag<'t>(text: &'t str, names: &[&'static str]) -> Option<Tagged<'t>> {
    first_from(text, names, 0)
}

fn first_from<'t>(text: &'t str, names: &[&'static str], from: usize) -> Option<Tagged<'t>> {
    let mut open: Option<Tag> = None;
    let mut at = from;
    while let Some(tag) = next_tag(text, names, at) {
        at = tag.at.end;
        if !tag.closes {
            open = Some(tag);
        } else if let Some(opened) = open.take_if(|o| o.name == tag.name) {
            let inside = text[opened.at.end..tag.at.start].trim();
            return Some(Tagged { name: names[opened.name], inside, at: opened.at.start..tag.at.end });
        }
    }
    None
}

/// Returns the text in the last `<name>`, closed or open to the end of the text, since an answer may be cut.
pub fn last_or_open<'t>(text: &'t str, name: &'static str) -> Option<&'t str> {
    let names = [name];
    let (mut at, mut open, mut last) = (0, None, None);
    while let Some(tag) = next_tag(text, &names, at) {
        at = tag.at.end;
        if !tag.closes {
            open = Some(tag.at.end);
        } else if let Some(start) = open.take() {
            last = Some(text[start..tag.at.start].trim());
        }
    }
    open.map(|start| text[start..].trim()).filter(|inside| !inside.is_empty()).or(last)
}

/// Returns the text inside the last complete `\boxed{…}`, with balanced braces, as it is written.
pub fn find_boxed(text: &str) -> Option<&str> {
    const OPEN: &[u8] = b"\\boxed{";
    let bytes = text.as_bytes();
    // Every open brace, and where the inside of a box begins if it is a box's.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut last: Option<Range<usize>> = None;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if bytes[at..].starts_with(OPEN) => {
                at += OPEN.len();
                open.push(Some(at));
                continue;
            }
            // An escaped brace is a letter.
            b'\\' => at += 1,
            b'{' => open.push(None),
            b'}' => {
                if let Some(Some(start)) = open.pop()
                    && last.as_ref().is_none_or(|l| l.start < start)
                {
                    last = Some(start..at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    last.map(|range| &text[range])
}

/// Returns the offset of the brace that closes a group whose opening brace is before `text`.
fn find_brace(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// A boxed answer as plain text: `\text{…}` is unwrapped, and parentheses around the whole are left out.
pub fn unwrap_boxed(boxed: &str) -> String {
    const TEXT: &str = "\\text{";
    let mut out = String::with_capacity(boxed.len());
    let mut rest = boxed;
    while let Some(at) = rest.find(TEXT) {
        let inside = &rest[at + TEXT.len()..];
        let Some(length) = find_brace(inside) else { break };
        out.push_str(&rest[..at]);
        out.push_str(&inside[..length]);
        rest = &inside[length + 1..];
    }
    out.push_str(rest);
    let trimmed = out.trim();
    match trimmed.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        // "(a) and (b)" is not in parentheses as a whole.
        Some(inside) if !inside.contains(['(', ')']) => inside.trim().to_owned(),
        _ => trimmed.to_owned(),
    }
}

/// Returns the text after the first of these labels at the beginning of a line: `Answer:`, `**Answer:**`, in
/// any case.
pub fn after_label<'t>(text: &'t str, labels: &[&str]) -> Option<&'t str> {
    line_starts(text).find_map(|line| label_end(&text[line..], labels).map(|end| text[line + end..].trim()))
}

/// As [`after_label`], for the last line that one of them begins.
pub fn after_last_label<'t>(text: &'t str, labels: &[&str]) -> Option<&'t str> {
    line_starts(text)
        .filter_map(|line| label_end(&text[line..], labels).map(|end| line + end))
        .last()
        .map(|at| text[at..].trim())
}

/// Returns the rest of the line after the first of these labels that begins a line.
pub fn labelled_line<'t>(text: &'t str, labels: &[&str]) -> Option<&'t str> {
    after_label(text, labels).map(|rest| rest.lines().next().unwrap_or("").trim())
}

fn line_starts(text: &str) -> impl Iterator<Item = usize> + '_ {
    std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1))
}

/// The length of a label with its colon at the beginning of a line, decoration and a number included.
fn label_end(line: &str, labels: &[&str]) -> Option<usize> {
    let decoration = |c: char| matches!(c, ' ' | '\t' | '*' | '#' | '>' | '_' | '-');
    let start = line.len() - line.trim_start_matches(decoration).len();
    let label =
        labels.iter().find(|l| line[start..].get(..l.len()).is_some_and(|s| s.eq_ignore_ascii_case(l)))?;
    let rest = &line[start + label.len()..];
    let tail = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '*' | '_'));
    let after = tail.strip_prefix(':')?.trim_start_matches(['*', '_']);
    Some(line.len() - after.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_complete_tag_is_the_call() {
        let text = "<think>a</think><answer>x</answer><search>y</search>";
        let found = find_first_tag(text, &["search", "answer"]).map(|t| (t.name, t.inside));
        assert_eq!(found, Some(("answer", "x")));
        assert_eq!(find_first_tag("<Search> q </SEARCH>", &["search"]).map(|t| t.inside), Some("q"));
        assert_eq!(find_first_tag("< search >q</search >", &["search"]).map(|t| t.inside), Some("q"));
        assert_eq!(find_first_tag("<search>half", &["search"]), None);
        assert_eq!(find_first_tag("</search><searching>q</searching>", &["search"]), None);
    }

    #[test]
    fn a_tag_begun_twice_holds_what_follows_the_second_beginning() {
        assert_eq!(
            find_first_tag("<search>I shall <search>q</search>", &["search"]).map(|t| t.inside),
            Some("q")
        );
    }

    #[test]
    fn an_answer_cut_before_its_tag_closes_is_still_read() {
        assert_eq!(last_or_open("<answer>one</answer> <answer>two", "answer"), Some("two"));
        assert_eq!(last_or_open("<answer>one</answer><answer>two</answer>", "answer"), Some("two"));
        assert_eq!(last_or_open("<answer>one</answer><answer>", "answer"), Some("one"));
        assert_eq!(last_or_open("none", "answer"), None);
    }

    #[test]
    fn boxes_are_read_with_their_braces_balanced_and_the_last_one_counts() {
        assert_eq!(find_boxed(r"so \boxed{\text{Blue} \frac{1}{2}}"), Some(r"\text{Blue} \frac{1}{2}"));
        assert_eq!(find_boxed(r"\boxed{a} or rather \boxed{b}"), Some("b"));
        assert_eq!(find_boxed(r"\boxed{a} and \boxed{cut"), Some("a"));
        assert_eq!(find_boxed(r"\boxed{a \} b}"), Some(r"a \} b"));
        assert_eq!(find_boxed("none"), None);
        assert_eq!(unwrap_boxed(r"\text{Blue} \frac{1}{2}"), r"Blue \frac{1}{2}");
        assert_eq!(unwrap_boxed(r"(\text{Paris})"), "Paris");
        assert_eq!(unwrap_boxed("(a) and (b)"), "(a) and (b)");
    }

    #[test]
    fn labels_begin_lines_in_any_dress() {
        assert_eq!(after_label("Thought: t\nAnswer: x\ny", &["answer"]), Some("x\ny"));
        assert_eq!(after_label("**Answer:** x", &["answer"]), Some("x"));
        assert_eq!(after_label("## Answer 2: x", &["answer"]), Some("x"));
        assert_eq!(after_label("my answer: x", &["answer"]), None);
        assert_eq!(labelled_line("Follow up: who?\nmore", &["follow up"]), Some("who?"));
        assert_eq!(after_last_label("Answer: a\nAnswer: b", &["answer"]), Some("b"));
    }

    #[test]
    fn megabytes_of_brackets_are_read_in_one_pass() {
        for text in [
            "<search>".repeat(1 << 17),
            "</search>".repeat(1 << 17),
            "<".repeat(1 << 20),
            "\\boxed{".repeat(1 << 17),
        ] {
            assert!(find_first_tag(&text, &["search", "answer"]).is_none());
            assert!(last_or_open(&text, "search").is_none());
            let _ = find_boxed(&text);
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[<>/searchanswer{}\\\\boxed: \\né*#0]{0,80}") {
            let _ = find_first_tag(&text, &["search", "answer"]);
            let _ = (find_first_tag(&text, &["search"]), last_or_open(&text, "answer"));
            let _ = (
                find_boxed(&text).map(unwrap_boxed),
                after_label(&text, &["answer", "search"]),
                after_last_label(&text, &["a"]),
            );
        }

        #[test]
        fn what_is_in_a_tag_comes_out(inside in "[a-zé ]{1,20}", before in "[a-z \\n]{0,10}") {
            let text = format!("{before}<search>{inside}</search> tail");
            prop_assert_eq!(find_first_tag(&text, &["answer", "search"]).map(|t| t.inside), Some(inside.trim()));
        }
    }
}
