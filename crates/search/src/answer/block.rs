//! What can be quoted from a passage: blocks, each in the section that it is part of.
//!
//! A block is what answers: a paragraph (of a long one, a sentence), an item or a whole list with the line
//! above it, a row of a table with the header, code with the sentence before it, a definition with its term.
//! What is shown is as much of its section as fits.

use super::parts::{Group, Part, asks, ends_in, group_parts, parts};
use super::units::{width, within};
use crate::bundle::{BETWEEN_PIECES, Form, Layout};
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{fold, sentences};
use std::ops::Range;
use std::rc::Rc;

/// A longer paragraph is cut into sentences; more of a list is not read as one block.
const MOST_WIDTH: usize = 420;
/// Lines of code that are shown however wide they are.
const LEAST_LINES: usize = 8;
/// Blocks of one passage, at most.
const MOST_BLOCKS: usize = 40;
/// A longer sentence says something besides where to read on.
const LONGEST_REFERENCE: usize = 90;
/// A longer line without a full stop is a sentence that lacks it, not a label.
const LONGEST_LABEL: usize = 80;

/// A piece of a quotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotedPiece {
    /// Its form.
    pub form: Form,
    /// Its bytes in the passage's text.
    pub span: Range<usize>,
    /// The language of code, the number of an item.
    pub note: String,
    /// True if it is part of the block that answers.
    pub answers: bool,
    /// True if text is left out before it.
    pub follows_gap: bool,
}

/// The part of a section that is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Excerpt {
    /// Its pieces, in order.
    pub pieces: Vec<QuotedPiece>,
    /// True if the section continues after them.
    pub more: bool,
}

/// A block that could answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The section that it is part of; its members are cut as blocks are.
    section: Rc<Group>,
    /// The members that it is made of.
    core: Range<usize>,
    /// The line above its list, the header of its table.
    lead: Option<usize>,
    /// The first member without which it is not understood: a list's first item, or what introduces it.
    start: usize,
}

/// The blocks of a passage, in order.
pub(super) fn blocks(text: &str, layout: Option<&Layout>) -> Vec<Block> {
    let mut out = Vec::new();
    for mut group in group_parts(text, parts(text, layout)) {
        group.members = cut_members(text, &group);
        let section = Rc::new(group);
        for at in 0..section.members.len() {
            if let Some(block) = block(text, &section, at) {
                out.push(block);
            }
            if out.len() >= MOST_BLOCKS {
                return out;
            }
        }
    }
    out
}

/// The members of a group, long paragraphs cut into sentences and tables into rows.
fn cut_members(text: &str, group: &Group) -> Vec<Part> {
    let mut out = Vec::new();
    for part in &group.members {
        let raw = &text[part.span.clone()];
        let ranges = match part.form {
            Form::Table => find_lines(raw),
            Form::Text | Form::Quote if width(raw) > MOST_WIDTH => sentences(raw),
            _ => std::iter::once(0..raw.len()).collect(),
        };
        for range in ranges {
            out.push(Part {
                span: part.span.start + range.start..part.span.start + range.end,
                ..part.clone()
            });
        }
    }
    out
}

/// Lines that are not empty, without the white space at their ends.
fn find_lines(text: &str) -> Vec<Range<usize>> {
    let (mut at, mut out) = (0, Vec::new());
    for line in text.split('\n') {
        let kept = line.trim_end().len();
        if kept > 0 {
            out.push(at..at + kept);
        }
        at += line.len() + 1;
    }
    out
}

/// The block that begins at a member, if one does that says something.
fn block(text: &str, section: &Rc<Group>, at: usize) -> Option<Block> {
    let members = &section.members;
    let run = run_start(members, at);
    let lead_of = |i: usize| i.checked_sub(1).filter(|&before| introduces(text, members, before));
    let (lead, start) = match members[at].form {
        // Code is part of the block of the sentence before it, a header of those of its rows.
        Form::Code if lead_of(at).is_some() => return None,
        Form::Table if at == run && members.get(at + 1).is_some_and(|m| m.form == Form::Table) => {
            return None;
        }
        Form::Table => (Some(run).filter(|&header| header < at), at),
        Form::Item => (lead_of(run), lead_of(first_step(members, run)).unwrap_or(first_step(members, run))),
        _ => (lead_of(at), lead_of(at).unwrap_or(at)),
    };
    let core = at..if introduces(text, members, at) { introduced(text, members, at + 1) } else { at + 1 };
    let block = Block { section: Rc::clone(section), core, lead, start };
    (block.core.len() > 1
        || !matches!(members[at].form, Form::Text | Form::Quote | Form::Item)
        || says_something(block.core_text(text)))
    .then_some(block)
}

/// The first of the members of one form, items or rows, that end at a member.
fn run_start(members: &[Part], at: usize) -> usize {
    let form = members[at].form;
    if !matches!(form, Form::Item | Form::Table) {
        return at;
    }
    members[..at].iter().rposition(|m| m.form != form).map_or(0, |other| other + 1)
}

/// The first step of the procedure that goes on at a member: other things may stand between its steps.
fn first_step(members: &[Part], at: usize) -> usize {
    if number(&members[at]).is_none_or(|n| n <= 1) {
        at
    } else {
        procedure(members, at).map_or(at, |steps| steps.start)
    }
}

/// Returns true if a member introduces the next one: prose before code, a line that announces something, or a
/// label.
fn introduces(text: &str, members: &[Part], at: usize) -> bool {
    let (member, Some(next)) = (&members[at], members.get(at + 1)) else { return false };
    let raw = &text[member.span.clone()];
    match member.form {
        Form::Text | Form::Quote => next.form == Form::Code || announces(raw) || is_label(raw),
        Form::Item => next.form == Form::Code,
        _ => false,
    }
}

/// Returns true if a text ends with a colon.
fn announces(text: &str) -> bool {
    ends_in(text.trim_end(), ":：")
}

/// Returns true if a line is a label: at most [`LONGEST_LABEL`] wide, without a mark at its end that closes a
/// sentence or a clause.
pub(super) fn is_label(raw: &str) -> bool {
    width(raw) <= LONGEST_LABEL && !ends_in(raw.trim_end(), ".!:;,…。！：)\"”।؛،؟۔?？")
}

/// The end of what is introduced at a member: members of its form, no more than fit one block.
fn introduced(text: &str, members: &[Part], at: usize) -> usize {
    let (form, start) = (members[at].form, members[at].span.start);
    let belongs = |m: &&Part| m.form == form && width(&text[start..m.span.end]) <= MOST_WIDTH;
    let several = !matches!(form, Form::Text | Form::Quote);
    at + 1 + if several { members[at + 1..].iter().take_while(belongs).count() } else { 0 }
}

/// Returns true if a sentence of the text does more than ask, announce, or refer to another place.
fn says_something(text: &str) -> bool {
    let refers = |sentence: &str| {
        let (folded, known) = (fold(sentence), SPOKEN.references());
        let is_one = known.words_with("begins").any(|m| folded.starts_with(m))
            || known.words_with("holds").any(|m| folded.contains(m));
        is_one && sentence.len() <= LONGEST_REFERENCE
    };
    sentences(text).into_iter().any(|range| {
        let sentence = text[range].trim();
        !(asks(sentence) || announces(sentence) || refers(sentence))
    })
}

impl Block {
    /// Returns the text of its core.
    pub fn core_text<'t>(&self, text: &'t str) -> &'t str {
        self.text_of(text, self.core.clone())
    }

    /// The line above its list, the header of its table.
    pub fn lead_text<'t>(&self, text: &'t str) -> &'t str {
        self.lead.map_or("", |lead| self.text_of(text, lead..lead + 1))
    }

    /// The label that it is under, in its section or as its own first member, and the members that the label
    /// covers, up to the next one.
    pub fn labelled<'t>(&self, text: &'t str) -> Option<(&'t str, Range<usize>)> {
        let members = &self.section.members;
        let is_label =
            |&i: &usize| matches!(members[i].form, Form::Text | Form::Quote) && introduces(text, members, i);
        let start = (0..=self.core.start).rev().find(is_label)?;
        let end = (start + 1..members.len()).find(is_label).unwrap_or(members.len());
        Some((self.text_of(text, start..start + 1), start..end))
    }

    /// Returns the heads above its section within the passage (a question, a term, headings); empty without
    /// any.
    pub fn head_text<'t>(&self, text: &'t str) -> &'t str {
        let head = &self.section.head;
        head.first().zip(head.last()).and_then(|(a, b)| text.get(a.span.start..b.span.end)).unwrap_or("")
    }

    fn text_of<'t>(&self, text: &'t str, members: Range<usize>) -> &'t str {
        text.get(self.span_of(members)).unwrap_or("")
    }

    fn span_of(&self, members: Range<usize>) -> Range<usize> {
        let span = |m: &[Part]| m.first().zip(m.last()).map(|(a, b)| a.span.start..b.span.end);
        self.section.members.get(members).and_then(span).unwrap_or_default()
    }

    /// The place in its passage's text of what it says.
    pub fn core_span(&self) -> Range<usize> {
        self.span_of(self.core.clone())
    }

    /// Returns true if both blocks are part of one section.
    pub fn shares_section(&self, other: &Block) -> bool {
        Rc::ptr_eq(&self.section, &other.section)
    }

    /// Returns true if it is in a list with which its passage begins, unless that begins with a first step.
    pub fn goes_on(&self) -> bool {
        let to_it = &self.section.members[..=self.core.start];
        to_it[0].span.start == 0 && number(&to_it[0]) != Some(1) && to_it.iter().all(|m| m.form == Form::Item)
    }

    /// Returns true if it is the item with which its section ends.
    pub fn ends_list(&self) -> bool {
        self.core.end == self.section.members.len()
            && self.section.members[self.core.start].form == Form::Item
    }

    /// The members that it is made of.
    pub fn members(&self) -> Range<usize> {
        self.core.clone()
    }

    /// The part of its section that is about so wide at most: what belongs together with it and what `adds`
    /// to the question beside it, from its beginning; or else the block with the line above it, and on as far
    /// as there is room.
    pub fn excerpt(&self, text: &str, room: usize, adds: &dyn Fn(usize) -> bool) -> Excerpt {
        let members = &self.section.members;
        let wide = |i: usize| width(&text[members[i].span.clone()]);
        let sum = |range: Range<usize>| range.map(wide).sum::<usize>();
        // A term belongs to what is said of it; a question is known to who asked it.
        let head: &[Part] = if self.section.asked { &[] } else { &self.section.head };
        let room = room.saturating_sub(head.iter().map(|p| width(&text[p.span.clone()])).sum());
        let wanted = self.wanted(text, adds);
        let fits = |&from: &usize| sum(from..self.core.end) <= room;
        let from = [wanted.start, self.start].into_iter().find(fits).unwrap_or(self.core.start);
        // What is wanted is shown from its beginning, with a gap before the block where there is no room for
        // all.
        let mut kept = Vec::new();
        for i in wanted.start..from {
            if sum(wanted.start..i + 1) + sum(from..self.core.end) <= room {
                kept.push(i);
            }
        }
        if let Some(lead) = self.lead.filter(|lead| *lead < from && !kept.contains(lead)) {
            kept.push(lead);
        }
        kept.extend(from..self.core.end);
        let (mut left, mut end) = (room.saturating_sub(kept.iter().map(|&i| wide(i)).sum()), self.core.end);
        while end < wanted.end && wide(end) <= left {
            left -= wide(end);
            kept.push(end);
            end += 1;
        }
        // What announces something is worth nothing without it.
        let labels = |i: usize| members[i].form == Form::Text && is_label(&text[members[i].span.clone()]);
        while end > self.core.end
            && (introduces(text, members, end - 1) || end == members.len() && labels(end - 1))
        {
            kept.pop();
            end -= 1;
        }
        let mut excerpt = Excerpt {
            pieces: head.iter().map(|p| quote_piece(p, p.span.end, false, false)).collect(),
            more: end < wanted.end,
        };
        let mut before = None;
        for &i in &kept {
            let (last, cut) = shown_end(text, &members[i], room);
            let is_row = members[i].form == Form::Table;
            let gap = before.map_or(i > wanted.start || is_later_step(&members[i]), |b| b + 1 < i && !is_row);
            let next = quote_piece(&members[i], last, self.core.contains(&i), gap);
            match excerpt
                .pieces
                .last_mut()
                .filter(|_| !gap && before.is_some_and(|b| is_one_paragraph(text, members, b)))
            {
                Some(paragraph) => {
                    paragraph.span.end = next.span.end;
                    paragraph.answers |= next.answers;
                }
                None => excerpt.pieces.push(next),
            }
            excerpt.more |= cut;
            before = Some(i);
        }
        excerpt
    }

    /// The members that belong together with the block or add something to the question, without a gap.
    fn wanted(&self, text: &str, adds: &dyn Fn(usize) -> bool) -> Range<usize> {
        let members = &self.section.members;
        let procedure = procedure(members, self.core.start);
        let joins = |i: usize| {
            let (a, b) = (members[i].form, members[i + 1].form);
            let in_one = |range: &Range<usize>| range.start <= i && i + 1 < range.end;
            a == b && a == Form::Item
                || introduces(text, members, i)
                || is_one_paragraph(text, members, i)
                || procedure.as_ref().is_some_and(in_one)
        };
        let Range { mut start, mut end } = self.core.clone();
        while start > 0 && (joins(start - 1) || adds(start - 1)) {
            start -= 1;
        }
        while end < members.len() && (joins(end - 1) || adds(end)) {
            end += 1;
        }
        start..end
    }
}

/// Returns true if a member and the next are sentences of one paragraph.
fn is_one_paragraph(text: &str, members: &[Part], at: usize) -> bool {
    let Some([a, b]) = members.get(at..at + 2) else { return false };
    let between = text.get(a.span.end..b.span.start).unwrap_or(BETWEEN_PIECES);
    a.form == b.form && matches!(a.form, Form::Text | Form::Quote) && !between.contains(BETWEEN_PIECES)
}

fn number(member: &Part) -> Option<u32> {
    member.note.trim_end_matches(['.', ')']).parse().ok().filter(|_| member.form == Form::Item)
}

/// The steps, from the first to the last, of the procedure that a member is in, with what is between them.
fn procedure(members: &[Part], at: usize) -> Option<Range<usize>> {
    let starts = |i: &usize| number(&members[*i]) == Some(1);
    let first = (0..=at).rev().find(starts)?;
    let end = (first + 1..members.len()).find(starts).unwrap_or(members.len());
    let last = (first..end).rev().find(|&i| number(&members[i]).is_some())?;
    (at <= last).then_some(first..last + 1)
}

/// Returns true if a member is a numbered step other than the first.
fn is_later_step(member: &Part) -> bool {
    number(member).is_some_and(|n| n > 1)
}

fn quote_piece(part: &Part, end: usize, answers: bool, follows_gap: bool) -> QuotedPiece {
    QuotedPiece { form: part.form, span: part.span.start..end, note: part.note.clone(), answers, follows_gap }
}

/// Returns the end of a member that is cut to the room, and true if it is cut. Code is cut after a line,
/// prose after a word.
fn shown_end(text: &str, part: &Part, room: usize) -> (usize, bool) {
    let raw = &text[part.span.clone()];
    let most = within(raw, room);
    let kept = if most >= raw.len() {
        raw.len()
    } else if part.form == Form::Code {
        let fits = |&(n, ref line): &(usize, Range<usize>)| {
            line.end <= most || n < LEAST_LINES && line.end <= 2 * most
        };
        find_lines(raw).into_iter().enumerate().take_while(fits).last().map_or(most, |(_, line)| line.end)
    } else {
        raw[..most].rfind(char::is_whitespace).unwrap_or(most)
    };
    let kept = raw.floor_char_boundary(kept.max(1));
    (part.span.start + kept, kept < raw.trim_end().len())
}
