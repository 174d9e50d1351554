//! What can be quoted from a passage: blocks in their context.
//!
//! A block is a paragraph (of a long one, sentences in a row) with the code, the list or the table that it introduces; a term with its definition; a
//! question's reply; an item with the line above its list; a table's row with its header. From where it begins it goes on through what stands under the
//! same heading as far as the budget lasts.

use super::empty_talk::{announces, leans_back};
use super::parts::{Group, Part, groups, parts};
use super::units::{one_line, width, within};
use crate::bundle::{Form, Layout};
use crate::text::sentences;
use std::ops::Range;

/// A quotation holds text of about so great a [`width`] beside its code; what its first sentence introduces comes with it all the same.
pub(super) const MOST_WIDTH: usize = 420;
/// Lines of code of a quotation; rows and items that are introduced.
const MOST_LINES: usize = 8;
/// Blocks of one passage, at most.
const MOST_BLOCKS: usize = 40;

/// A piece of a quotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotedPiece {
    /// What it is.
    pub form: Form,
    /// Its bytes in the passage's text.
    pub span: Range<usize>,
    /// The language of code, the number of an item.
    pub note: String,
}

/// A block that could be quoted, and what is quoted of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// What it is about: the piece at which it begins and what that introduces.
    pub core: Range<usize>,
    /// What it stands under within the passage: a question, a term, a label; empty if nothing.
    pub head: Range<usize>,
    /// The line above its list, the header of its table; empty if none.
    pub lead: Range<usize>,
    /// What is shown, in order.
    pub shown: Vec<QuotedPiece>,
    /// The form of the piece at which it begins.
    pub form: Form,
    /// Whether that piece introduces another.
    pub introduces: bool,
    /// Whether the group goes on behind what is shown.
    pub more: bool,
    /// Whether it is the first of its passage.
    pub first: bool,
}

/// The blocks of a passage, in order.
pub(super) fn blocks(text: &str, layout: Option<&Layout>) -> Vec<Block> {
    let mut out = Vec::new();
    for group in groups(text, parts(text, layout)) {
        let pieces = pieces(text, &group);
        let mut lead = 0..0;
        for (i, piece) in pieces.iter().enumerate() {
            if out.len() >= MOST_BLOCKS {
                return out;
            }
            let raw = &text[piece.span.clone()];
            if matches!(piece.form, Form::Text | Form::Quote) {
                lead = if announces(raw) { piece.span.clone() } else { 0..0 };
            }
            // Code that a sentence stands before is quoted with it, a row never without its header, a list of steps from its first one.
            let before = i.checked_sub(1).and_then(|b| pieces.get(b)).map(|p| p.form);
            let begins = match piece.form {
                Form::Code => before.is_none_or(|f| f == Form::Code),
                Form::Table => true,
                Form::Item => before != Some(Form::Item) || piece.note.is_empty(),
                _ => true,
            };
            if begins {
                let block = block(text, &group, &pieces, i, if piece.form == Form::Item { lead.clone() } else { 0..0 }, out.is_empty());
                out.push(block);
            }
        }
    }
    out
}

/// The members of a group, paragraphs that are too long cut into sentences and tables into rows.
fn pieces(text: &str, group: &Group) -> Vec<Part> {
    let mut out = Vec::new();
    for part in &group.members {
        let raw = &text[part.span.clone()];
        let whole = 0..raw.len();
        let ranges = match part.form {
            Form::Table => lines(raw),
            Form::Code => vec![whole],
            _ if width(raw) <= MOST_WIDTH && !announces(raw) => vec![whole],
            _ => sentences(raw),
        };
        for r in ranges {
            out.push(Part { form: part.form, span: part.span.start + r.start..part.span.start + r.end, note: part.note.clone() });
        }
    }
    out
}

/// Lines that are not empty, without the white space at their ends.
fn lines(text: &str) -> Vec<Range<usize>> {
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

fn block(text: &str, group: &Group, pieces: &[Part], from: usize, lead: Range<usize>, first: bool) -> Block {
    let piece = &pieces[from];
    let head = group.head.first().zip(group.head.last()).map_or(0..0, |(a, b)| a.span.start..b.span.end);
    let opens = introduces(text, pieces, from);
    let core_end = if opens { introduced(text, pieces, from + 1).1 } else { piece.span.end };
    let mut shown: Vec<QuotedPiece> = Vec::new();
    // A term belongs to what is said of it; a question is known to who asked it.
    if !group.asked {
        shown.extend(group.head.iter().map(whole));
    }
    let header = (piece.form == Form::Table).then(|| table_header(pieces, from)).flatten();
    let lead = if let Some(header) = header { header.span.clone() } else { lead };
    if let Some(header) = header {
        shown.push(whole(header));
    } else if !lead.is_empty() && lead.end <= piece.span.start {
        shown.push(QuotedPiece { form: Form::Text, span: lead.clone(), note: String::new() });
    } else if leans_back(&text[piece.span.clone()])
        && let Some(before) = from.checked_sub(1).and_then(|b| pieces.get(b)).filter(|p| matches!(p.form, Form::Text | Form::Quote))
    {
        shown.push(whole(before));
    }
    let mut room =
        Room { bytes: MOST_WIDTH.saturating_sub(shown.iter().map(|s| width(&text[s.span.clone()])).sum::<usize>()), lines: MOST_LINES };
    let mut at = from;
    let mut whole_group = true;
    while let Some(part) = pieces.get(at) {
        // What only announces a list is worth nothing without its beginning.
        let next =
            pieces.get(at + 1).filter(|n| introduces(text, pieces, at) && n.form != Form::Code).map_or(0, |n| width(&text[n.span.clone()]));
        if at > from && !(at == from + 1 && opens) && !room.holds(part, width(&text[part.span.clone()]) + next) {
            whole_group = false;
            break;
        }
        let (end, cut) = cut(text, part, room.lines);
        room.take(part, &text[part.span.start..end]);
        shown.push(QuotedPiece { form: part.form, span: part.span.start..end, note: part.note.clone() });
        at += 1;
        if cut {
            whole_group = false;
            break;
        }
    }
    let core = piece.span.start..core_end;
    Block { core, head, lead, shown, form: piece.form, introduces: opens, more: !whole_group, first }
}

/// What a quotation may still hold: prose by bytes, code by lines.
struct Room {
    bytes: usize,
    lines: usize,
}

impl Room {
    fn holds(&self, part: &Part, wide: usize) -> bool {
        if part.form == Form::Code { self.lines > 0 } else { wide <= self.bytes }
    }

    fn take(&mut self, part: &Part, taken: &str) {
        if part.form == Form::Code {
            self.lines = self.lines.saturating_sub(taken.lines().count());
        } else {
            self.bytes = self.bytes.saturating_sub(width(taken));
        }
    }
}

fn whole(part: &Part) -> QuotedPiece {
    QuotedPiece { form: part.form, span: part.span.clone(), note: part.note.clone() }
}

/// The header of the table that a row is of, unless it is the header itself.
fn table_header(pieces: &[Part], row: usize) -> Option<&Part> {
    let first = pieces[..row].iter().rposition(|p| p.form != Form::Table).map_or(0, |i| i + 1);
    (first < row).then(|| &pieces[first])
}

/// Whether a piece introduces what follows: a text before code, or one that announces a list or a table.
fn introduces(text: &str, pieces: &[Part], at: usize) -> bool {
    let (Some(piece), Some(next)) = (pieces.get(at), pieces.get(at + 1)) else { return false };
    let prose = matches!(piece.form, Form::Text | Form::Quote | Form::Item);
    match next.form {
        Form::Code => prose,
        Form::Item | Form::Table => matches!(piece.form, Form::Text | Form::Quote) && announces(&text[piece.span.clone()]),
        _ => false,
    }
}

/// How far what is introduced at `at` goes: pieces of its form, no more than the budget.
fn introduced(text: &str, pieces: &[Part], at: usize) -> (usize, usize) {
    let form = pieces.get(at).map(|p| p.form);
    let mut end = (at, pieces.get(at).map_or(0, |p| p.span.end));
    let start = pieces.get(at).map_or(0, |p| p.span.start);
    for (i, piece) in pieces.iter().enumerate().skip(at) {
        if Some(piece.form) != form || i >= at + MOST_LINES || (i > at && width(&text[start..piece.span.end]) > MOST_WIDTH) {
            break;
        }
        end = (i, cut(text, piece, MOST_LINES).0);
    }
    end
}

/// Where a piece ends that is cut to the budget, and whether it was cut: code after `most_lines`, prose after a word.
fn cut(text: &str, part: &Part, most_lines: usize) -> (usize, bool) {
    let raw = &text[part.span.clone()];
    let kept = match part.form {
        Form::Code => {
            let mut kept = 0;
            for line in lines(raw).iter().take(most_lines.max(1)).filter(|l| l.start == 0 || l.end <= 2 * MOST_WIDTH) {
                kept = line.end;
            }
            kept
        }
        _ => raw.len(),
    };
    let most = within(raw, 2 * MOST_WIDTH);
    let kept = if kept > most { raw[..most].rfind(char::is_whitespace).unwrap_or(most) } else { kept };
    (part.span.start + kept, kept < raw.trim_end().len())
}

/// The text of a piece as it is shown: code with its lines, all else on one line.
pub(super) fn shown_text(text: &str, shown: &QuotedPiece) -> String {
    let raw = text.get(shown.span.clone()).unwrap_or("");
    if shown.form == Form::Code { raw.trim_end().to_owned() } else { one_line(raw) }
}
