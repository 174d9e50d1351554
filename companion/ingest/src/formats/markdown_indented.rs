//! What MkDocs indents below the line that opens a box or a tab, moved to the left, where it is Markdown
//! again and not code; and what stands in elements of HTML whose content is Markdown, set apart from their
//! tags.

use super::markdown_dialects::marker;
use super::markdown_fence::Fence;
use super::markdown_in_html::MarkdownInHtml;
use std::borrow::Cow;
use std::ops::Range;

/// Columns that the content of a box is indented by.
const STEP: usize = 4;

/// Boxes inside boxes that are heeded.
const DEEPEST: usize = 8;

/// Maps a made text to its source: pairs (byte here, byte there), both ascending. From each pair on both run
/// in step, up to the next pair. A replacement maps to the beginning of the text that it replaces.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    steps: Vec<(usize, usize)>,
}

impl Moved {
    /// The byte of the source that a byte of the text was.
    pub fn source_of(&self, at: usize) -> usize {
        let i = self.steps.partition_point(|&(here, _)| here <= at);
        let Some(&(here, there)) = i.checked_sub(1).and_then(|i| self.steps.get(i)) else { return at };
        let next = self.steps.get(i).map_or(usize::MAX, |&(_, there)| there);
        (there + (at - here)).min(next.saturating_sub(1)).max(there)
    }

    /// Bytes of the text, cut where what follows comes from another place.
    pub fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let first = self.steps.partition_point(|&(here, _)| here <= range.start);
        let cuts = self.steps.get(first..).unwrap_or(&[]).iter().map(|&(here, _)| here).take_while({
            let end = range.end;
            move |&here| here < end
        });
        let mut start = range.start;
        cuts.chain([range.end]).map(move |end| std::mem::replace(&mut start, end)..end)
    }

    /// Says that what is written at byte `here` stands at byte `there` of the source.
    pub fn step(&mut self, here: usize, there: usize) {
        let in_step = self
            .steps
            .last()
            .is_some_and(|&(h, t)| here.checked_sub(h).is_some_and(|ahead| t + ahead == there));
        if !in_step {
            self.steps.push((here, there));
        }
    }

    /// Forgets what was written from byte `here` on.
    pub fn truncate(&mut self, here: usize) {
        while self.steps.pop_if(|&mut (h, _)| h >= here).is_some() {}
    }

    /// The bytes of the source that these bytes of the text were, with what was left out between them.
    pub fn range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.source_of(range.start);
        start..range.end.checked_sub(1).map_or(start, |last| self.source_of(last) + 1).max(start)
    }
}

/// `source` with the content of its boxes moved to the left, blank lines around tags between which Markdown
/// stands, and where all of it came from.
pub(crate) fn moved_left(source: &str) -> (Cow<'_, str>, Moved) {
    if !["!!! ", "???", "=== \"", "===!", "===+", " markdown"].iter().any(|mark| source.contains(mark)) {
        return (Cow::Borrowed(source), Moved::default());
    }
    let mut out = String::with_capacity(source.len());
    let mut moved = Moved::default();
    // The columns from which on lines belong to each open box, and to each open item of a list.
    let (mut boxes, mut items): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut at = 0;
    let mut fence = Fence::default();
    let mut elements = MarkdownInHtml::default();
    for line in source.split_inclusive('\n') {
        let indent = line.bytes().take_while(|&b| b == b' ').count();
        let blank = line.trim().is_empty();
        if !blank && boxes.last().is_some_and(|&from| indent < from) {
            boxes.retain(|&from| indent >= from);
            // What was fenced in a box ends with it.
            fence = Fence::default();
        }
        let cut = indent.min(STEP * boxes.len());
        moved.step(out.len(), at + cut);
        let shown = line.get(cut..).unwrap_or("");
        let coded = fence.takes(shown.trim());
        let mut from = 0;
        for part in if coded { Vec::new() } else { elements.breaks(shown) } {
            out.push_str(shown.get(from..part).unwrap_or(""));
            from = part;
            out.push('\n');
            if shown.get(part..).is_some_and(|rest| !rest.trim().is_empty()) {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent - cut));
            }
            moved.step(out.len(), at + cut + part);
        }
        out.push_str(shown.get(from..).unwrap_or(""));
        at += line.len();
        if coded || blank {
            continue;
        }
        items.retain(|&from| indent >= from);
        let left = boxes.last().copied().unwrap_or(0).max(items.last().copied().unwrap_or(0));
        // Further to the right it is code that shows a box.
        if indent - left.min(indent) >= STEP {
            continue;
        }
        if boxes.len() < DEEPEST && marker(shown).is_some_and(|m| m.indented) {
            boxes.push(left + STEP);
        } else if let Some(width) = item(shown.trim_start()) {
            items.push(indent + width);
        }
    }
    (Cow::Owned(out), moved)
}

/// Returns the bytes from a list item's mark to its text: 2 in "- text", 4 in "1.  text". `None` for a line
/// that begins no item.
fn item(line: &str) -> Option<usize> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match line.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..10).contains(&digits) => digits + 1,
        _ => return None,
    };
    let spaces = line.bytes().skip(mark).take_while(|&b| b == b' ').count();
    // More than that is code in an item.
    (spaces > 0).then_some(mark + if spaces > STEP { 1 } else { spaces })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_in_boxes_and_tabs_moves_to_the_left() {
        let source = "!!! note\n    One.\n\n    - two\n\n    !!! tip\n        Three.\n\n=== \"A\"\n\n    \
            ```sh\n    run\n      it\n    ```\n\nAfter.\n\n    code\n";
        let (text, moved) = moved_left(source);
        assert_eq!(
            text,
            "!!! note\nOne.\n\n- two\n\n!!! tip\nThree.\n\n=== \"A\"\n\n```sh\nrun\n  \
             it\n```\n\nAfter.\n\n    code\n"
        );
        for word in ["One", "two", "Three", "run", "  it", "After", "code"] {
            let at = text.find(word).unwrap_or(0);
            assert_eq!(source.get(moved.range(at..at + word.len())), Some(word));
        }
    }

    #[test]
    fn what_is_in_boxes_of_a_lists_items_moves_to_the_left_and_stays_in_them() {
        let source = "1.  One:\n\n    !!! tip\n\n        Read *this*.\n\n        - a\n\n            ??? \
            note\n                Deep.\n\n2.  Two:\n\n    === \"A\"\n\n        ```sh\n        \
            run\n        ```\n\n- three\n\n    !!! note\n        Four.\n\nAfter.\n\n    !!! \
            code\n        x\n";
        let (text, moved) = moved_left(source);
        assert_eq!(
            text,
            "1.  One:\n\n    !!! tip\n\n    Read *this*.\n\n    - a\n\n        ??? note\n        \
             Deep.\n\n2.  Two:\n\n    === \"A\"\n\n    ```sh\n    run\n    ```\n\n- three\n\n    !!! \
             note\n    Four.\n\nAfter.\n\n    !!! code\n        x\n"
        );
        for word in ["Read", "Deep", "run", "Four", "After"] {
            let at = text.find(word).unwrap_or(0);
            assert_eq!(source.get(moved.range(at..at + word.len())), Some(word));
        }
    }

    #[test]
    fn markdown_in_an_element_is_set_apart_from_its_tags() {
        let source = "- a\n  <div markdown=\"1\">*One*</div>\n\n<div \
            markdown>\n**Two**\n</div>\nThree\n\n```html\n<div markdown>\n*x*\n```\n";
        let (text, moved) = moved_left(source);
        assert_eq!(
            text,
            "- a\n  <div markdown=\"1\">\n\n  *One*\n\n  </div>\n\n\n<div \
             markdown>\n\n**Two**\n</div>\n\nThree\n\n```html\n<div markdown>\n*x*\n```\n"
        );
        for word in ["a\n", "*One*", "</div>", "**Two**", "Three", "*x*"] {
            let at = text.find(word).unwrap_or(0);
            assert_eq!(source.get(moved.range(at..at + word.len())), Some(word));
        }
    }

    #[test]
    fn code_that_shows_a_box_and_text_without_one_stay() {
        for source in [
            "```\n!!! note\n    x\n```\n",
            "text\n\n    code\n",
            "Really???\n\n    code\n",
            "!!! This is no box\n    x\n",
        ] {
            assert_eq!(moved_left(source).0, source);
        }
    }

    proptest! {
        #[test]
        fn every_byte_that_is_shown_is_one_of_the_source(source in "((    ){0,3}(!!! a|\\?\\?\\? b|=== \
            \"c\"|```|é x|- y|)\n){0,12}") {
            let (text, moved) = moved_left(&source);
            for (i, c) in text.char_indices() {
                prop_assert_eq!(source.get(moved.range(i..i + c.len_utf8())), text.get(i..i + c.len_utf8()));
            }
        }
    }
}
