//! HTML inside running text of Markdown, tag by tag: powers and indices, readings of signs, formulas, labels
//! of icons.

use super::super::html::is_ignored;
use super::super::html_elements::{Role, is_for_machines, is_mark_of_note_or_page, is_void, role_of};
use super::super::html_math::Formula;
use super::super::html_tokens::{Attributes, Token, Tokens};
use super::super::superscripts::Script;
use super::{Hidden, Reader};
use std::ops::Range;

/// Elements inside elements of one paragraph that are heeded.
const DEEPEST: usize = 64;

/// Bytes of a power or an index between marks of Markdown.
const LONGEST_SCRIPT: usize = 12;

/// An element that is open in running text, and what is done where it ends.
pub(super) struct Inline {
    name: String,
    effect: Effect,
    /// The block, the byte of its text and the byte of the source at which it begins.
    block: usize,
    at: usize,
    source: usize,
}

enum Effect {
    Script(Script),
    Label(String),
}

/// Returns `true` if an element begins and ends a block.
fn is_block(name: &str) -> bool {
    !matches!(role_of(name), Role::Inline | Role::Anchor | Role::Hidden | Role::Foreign)
}

impl Reader<'_, '_> {
    pub(super) fn inline_html(&mut self, text: &str, range: Range<usize>) {
        for (_, token) in Tokens::new(text) {
            match token {
                Token::Start { name, attributes, closed } => {
                    self.start_inline(name, &attributes, closed, &range)
                }
                Token::End { name } => self.end_inline_html(name, &range),
                Token::Text { .. } => {}
            }
        }
    }

    fn start_inline(&mut self, name: &str, attributes: &Attributes<'_>, closed: bool, range: &Range<usize>) {
        if let Some((formula, _)) = &mut self.formula {
            return formula.start(name, attributes, closed);
        }
        let lower = name.to_ascii_lowercase();
        // The end tag of a reading may be left out.
        if matches!(lower.as_str(), "rb" | "rt" | "rp" | "rtc") {
            self.hidden.take_if(|h| h.inline && matches!(h.name.as_str(), "rt" | "rp"));
        }
        if let Some(h) = &mut self.hidden {
            h.depth += u32::from(!closed && h.name.eq_ignore_ascii_case(name));
            return;
        }
        let classes = attributes.get("class").unwrap_or_default();
        let aside = is_ignored(attributes)
            || is_mark_of_note_or_page(attributes, &classes)
            || is_for_machines(&classes, false);
        if !closed && !is_void(name) && (aside || matches!(lower.as_str(), "rt" | "rp" | "rtc")) {
            self.hidden = Some(Hidden { name: lower, depth: 1, inline: true });
            return;
        }
        match lower.as_str() {
            "br" if self.in_table => self.part_values(),
            "br" => self.separate("\n"),
            "math" if !closed => self.formula = Some((Formula::new(attributes), range.start)),
            "img" => {
                if let Some(alt) = attributes.get("alt") {
                    self.text(&alt, range.clone());
                }
            }
            _ if is_block(&lower) => self.part_blocks(),
            _ => self.open_effect(lower, attributes, closed, range),
        }
    }

    fn open_effect(&mut self, name: String, attributes: &Attributes<'_>, closed: bool, range: &Range<usize>) {
        let pictures = matches!(name.as_str(), "i" | "span" | "svg" | "em" | "b") || name.contains('-');
        let label = || {
            attributes
                .get("aria-label")
                .or_else(|| attributes.get("title"))
                .filter(|l| pictures && !l.trim().is_empty())
        };
        let effect = match Script::of_element(&name) {
            Some(script) => Effect::Script(script),
            None => match label() {
                Some(label) if closed => return self.text(&label, range.clone()),
                Some(label) => Effect::Label(label.into_owned()),
                None => return,
            },
        };
        if !closed && self.inline.len() < DEEPEST {
            let at = self.draft.as_ref().map_or(0, |d| d.text.len());
            self.inline.push(Inline { name, effect, block: self.blocks.len(), at, source: range.end });
        }
    }

    /// Reads a mark around what is set above or below the line, within words: `10^6^`, `H~2~O`.
    pub(super) fn script_mark(&mut self, mark: &str, range: Range<usize>) {
        let open = self.script.take().filter(|(before, ..)| before == mark);
        if let (Some((_, at, source)), Some(draft)) = (open, &mut self.draft)
            && let (Some(before), Some(text)) = (draft.text.get(..at), draft.text.get(at + 1..))
            && (1..=LONGEST_SCRIPT).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-=()".contains(&b))
        {
            let script = if mark == "^" { Script::Above } else { Script::Below };
            let written = script.written(text, before);
            draft.truncate(at);
            return draft.push_script(&written, source..range.start);
        }
        if let Some(draft) =
            self.draft.as_ref().filter(|d| d.text.ends_with(|c: char| c.is_alphanumeric() || c == ')'))
        {
            self.script = Some((mark.to_owned(), draft.text.len(), range.end));
        }
        self.text(mark, range);
    }

    fn end_inline_html(&mut self, name: &str, range: &Range<usize>) {
        if let Some((formula, _)) = &mut self.formula {
            if formula.end(name)
                && let Some((formula, start)) = self.formula.take()
            {
                self.text(formula.source(), start..range.end);
            }
            return;
        }
        if name.eq_ignore_ascii_case("ruby") {
            self.hidden.take_if(|h| h.inline && matches!(h.name.as_str(), "rt" | "rp"));
        }
        if !self.close_hidden(name) && self.hidden.is_none() {
            self.end_inline(name, range.start);
        }
        if is_block(&name.to_ascii_lowercase()) {
            self.part_blocks();
        }
    }

    /// Parts what stands in blocks of HTML inside running text.
    fn part_blocks(&mut self) {
        if self.in_table { self.part_values() } else { self.separate(" ") }
    }

    fn end_inline(&mut self, name: &str, end: usize) {
        let open = self
            .inline
            .pop_if(|o| o.name.eq_ignore_ascii_case(name))
            .filter(|o| o.block == self.blocks.len());
        let Some(open) = open else { return };
        let source = open.source..end.max(open.source);
        let (before, text) =
            self.draft.as_ref().and_then(|d| d.text.split_at_checked(open.at)).unwrap_or_default();
        match open.effect {
            Effect::Label(label) if text.trim().is_empty() => self.text(&label, source),
            Effect::Label(_) => {}
            Effect::Script(script) => {
                let noted = self.links.last().is_some_and(|l| {
                    l.block == open.block && l.target.starts_with('#') && l.text == text.trim()
                });
                let written = if noted { String::new() } else { script.written(text, before) };
                if let Some(draft) = &mut self.draft {
                    draft.truncate(open.at);
                    draft.push_script(&written, source);
                }
            }
        }
    }

    /// Parts the values of a table's cell; a head's cell holds one name.
    fn part_values(&mut self) {
        let head = self.in_head;
        if let Some(draft) = self.draft.as_mut().filter(|_| self.hidden.is_none()) {
            if head { draft.separate(" ") } else { draft.part_values("; ") }
        }
    }
}
