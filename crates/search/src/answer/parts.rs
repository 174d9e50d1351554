//! The pieces of a passage by form, and the groups that they make: what stands under one heading, question or
//! term.

use super::units::{Form as UnitForm, units};
use crate::bundle::{BETWEEN_PIECES, Form, Layout, Piece};
use crate::text::sentences;
use std::ops::Range;

/// A longer text is no question and no label.
const LONGEST_QUESTION: usize = 200;
/// A piece of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub form: Form,
    pub span: Range<usize>,
    /// The language of code, the number of an item.
    pub note: String,
}

/// The pieces under one head.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Group {
    /// Headings inside the passage, a question that is answered here, a term.
    pub head: Vec<Part>,
    /// True if the head is a question.
    pub asked: bool,
    /// The pieces below it.
    pub members: Vec<Part>,
}

/// The pieces of a passage: as its layout has them where that is known and fits, else one paragraph.
pub(super) fn parts(text: &str, layout: Option<&Layout>) -> Vec<Part> {
    layout.and_then(|layout| laid_out(text, layout)).unwrap_or_else(|| {
        let span = 0..text.trim_end().len();
        if span.is_empty() { Vec::new() } else { vec![Part { form: Form::Text, span, note: String::new() }] }
    })
}

fn laid_out(text: &str, layout: &Layout) -> Option<Vec<Part>> {
    let mut at = 0_usize;
    let mut out = Vec::with_capacity(layout.len());
    for piece in layout {
        if !out.is_empty() {
            at = text.get(at..)?.starts_with(BETWEEN_PIECES).then_some(at + BETWEEN_PIECES.len())?;
        }
        let end = at.checked_add(piece.bytes as usize)?;
        text.get(at..end)?;
        out.push(Part { form: piece.form, span: at..end, note: piece.note.clone() });
        at = end;
    }
    (at == text.len() && !out.is_empty()).then_some(out)
}

/// The layout of a text of which nothing else is known, for those who make bundles of such: paragraphs, those
/// of rows only being tables, those of code only code.
pub fn guessed_layout(text: &str) -> Layout {
    let piece = |raw: &str| {
        let found = units(raw);
        let all = |form: UnitForm| !found.is_empty() && found.iter().all(|u| u.form == form);
        let form = match () {
            () if all(UnitForm::Row) => Form::Table,
            () if all(UnitForm::Code) => Form::Code,
            () => Form::Text,
        };
        Piece { form, bytes: u32::try_from(raw.len()).unwrap_or(u32::MAX), note: String::new() }
    };
    text.split(BETWEEN_PIECES).map(piece).collect()
}

/// The groups of a passage, in order; none is without members unless nothing follows its head.
pub(super) fn group_parts(text: &str, parts: Vec<Part>) -> Vec<Group> {
    let mut out: Vec<Group> = vec![Group::default()];
    for part in parts {
        let raw = &text[part.span.clone()];
        let (head, rest) = match part.form {
            Form::Heading | Form::Term => (Some((part.clone(), asks(raw))), None),
            Form::Text | Form::Item | Form::Quote => split_head(raw, &part),
            Form::Code | Form::Table => (None, Some(part.clone())),
        };
        if let Some((head, asked)) = head {
            if out.last().is_some_and(|g| !g.members.is_empty()) {
                out.push(Group::default());
            }
            if let Some(group) = out.last_mut() {
                group.asked = asked;
                group.head.push(head);
            }
        }
        if let (Some(rest), Some(group)) = (rest, out.last_mut()) {
            group.members.push(rest);
        }
    }
    out
}

/// Splits a text into the question that it begins with, and with it whether it asks, and the rest.
fn split_head(raw: &str, part: &Part) -> (Option<(Part, bool)>, Option<Part>) {
    let whole = raw.trim_end().len();
    let is_question = whole <= LONGEST_QUESTION && asks(&raw[..whole]);
    let first = sentences(raw).into_iter().next().filter(|_| !is_question).unwrap_or(0..whole);
    let at = |range: Range<usize>| Part {
        span: part.span.start + range.start..part.span.start + range.end,
        ..part.clone()
    };
    let asked = asks(&raw[first.clone()]) && first.len() <= LONGEST_QUESTION;
    let behind = if asked { first.end } else { 0 };
    let kept = strip_reply_mark(&raw[behind..]);
    let rest = (!asked || !kept.is_empty()).then(|| at(raw.len() - kept.len()..raw.len()));
    (asked.then(|| (at(first), true)), rest)
}

/// Returns true if a text ends as a question does.
pub(super) fn asks(text: &str) -> bool {
    text.trim_end_matches(['"', '”', '*', ')']).ends_with(['?', '？', '؟'])
}

/// Returns true if the last character of a text is one of the signs.
pub(super) fn ends_in(text: &str, signs: &str) -> bool {
    text.chars().next_back().is_some_and(|c| signs.contains(c))
}

/// A reply without the mark that says that it is one.
fn strip_reply_mark(text: &str) -> &str {
    let text = text.trim_start();
    ["A: ", "A. ", "Answer: "]
        .into_iter()
        .find_map(|mark| text.strip_prefix(mark))
        .unwrap_or(text)
        .trim_start()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grouped(text: &str) -> Vec<(Vec<&str>, Vec<&str>)> {
        let words = |parts: &[Part]| parts.iter().map(|p| &text[p.span.clone()]).collect::<Vec<_>>();
        group_parts(text, parts(text, Some(&guessed_layout(text))))
            .iter()
            .map(|g| (words(&g.head), words(&g.members)))
            .collect()
    }

    #[test]
    fn a_question_heads_its_reply_however_it_is_written() {
        for text in [
            "Is it open?\n\nAt weekends only.",
            "Q: Is it open?\n\nA: At weekends only.",
            "Q: Is it open? A: At weekends only.",
        ] {
            let found = grouped(text);
            assert_eq!(found.len(), 1, "{text}");
            assert!(found[0].0[0].ends_with("Is it open?"), "{text}");
            assert_eq!(found[0].1, ["At weekends only."], "{text}");
        }
    }

    #[test]
    fn rows_and_code_are_guessed_from_their_lines() {
        let text = "One | two\na | b\n\nlet x = 5;\nlet y = 6;\n\nIt is so; and\nso on.";
        let layout = guessed_layout(text);
        assert_eq!(layout.iter().map(|p| p.form).collect::<Vec<_>>(), [Form::Table, Form::Code, Form::Text]);
        assert_eq!(parts(text, Some(&layout)).len(), 3);
    }

    #[test]
    fn a_layout_that_does_not_fit_is_not_followed() {
        let piece = |bytes| Piece { form: Form::Code, bytes, note: "sh".into() };
        let text = "run it\n\nstop it";
        assert_eq!(parts(text, Some(&vec![piece(6), piece(7)])).iter().filter(|p| p.note == "sh").count(), 2);
        for wrong in [
            vec![piece(6)],
            vec![piece(6), piece(8)],
            vec![piece(5), piece(7)],
            vec![piece(u32::MAX)],
            Vec::new(),
        ] {
            assert!(parts(text, Some(&wrong)).iter().all(|p| p.note.is_empty()), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn parts_are_in_order_and_none_is_empty(
            text in "([a-zé]{1,4}|[?.:] |\\n\\n|- | \\| |A: \
                    |;\\n){0,24}",
            sizes in prop::collection::vec(0u32..9, 0..4),
        ) {
            let layout: Layout = sizes
                .into_iter()
                .map(|bytes| Piece { form: Form::Text, bytes, note: String::new() })
                .collect();
            for parts in [parts(&text, None), parts(&text, Some(&layout))] {
                prop_assert!(parts.windows(2).all(|w| w[0].span.end <= w[1].span.start));
                prop_assert!(parts.iter().all(|p| text.get(p.span.clone()).is_some()));
                let kept: usize =
                    group_parts(&text, parts.clone()).iter().map(|g| g.head.len() + g.members.len()).sum();
                prop_assert!(
                    kept >= parts.iter().filter(|p| !text[p.span.clone()].trim().is_empty()).count()
                        || kept > 0
                        || parts.is_empty()
                );
            }
        }
    }
}
