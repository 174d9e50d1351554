//! Rewrites calls without a name, and calls inside calls, as the paper writes them, to plan lines:
//! `Union(SearchKG(…), Ans1)`.
//!
//! `Intersect(Ans1, Ans2)` becomes `Ans3=Intersect(Ans1, Ans2)` if it is the third statement, and a call that
//! yields a set becomes a line before the one that contains it. A call counts only where a set is wanted, so
//! that `h=Max (2002 film)` stays a head.

use super::super::check::{Limits, check_room};
use super::super::read::{
    canonical_name, end_of_line, ends_call, ends_value, identifier_length, is_statement, position_of,
    read_quoted, split_statement, strip_numbering,
};
use super::super::{PlanError, Position, read::is_answer_name, same_name};
use super::call::{Function, function_of};

/// Text in which every call has a line and a name.
pub(super) struct Unfolded {
    /// The text.
    pub text: String,
    origins: Vec<Origin>,
}

#[derive(Clone, Copy)]
enum Origin {
    /// Number of a whole line.
    Line(u32),
    /// Place of a part of a line.
    At(Position),
}

impl Unfolded {
    /// Returns the place in the original text for a place in this one.
    pub fn origin_of(&self, at: Position) -> Position {
        match self.origins.get(at.line as usize - 1) {
            Some(Origin::Line(line)) => Position { line: *line, ..at },
            Some(Origin::At(place)) => *place,
            None => at,
        }
    }
}

struct Open {
    /// Function of the arguments that it begins, if any.
    function: Option<Function>,
    /// Start of the call in the output, if it yields a set.
    inner: Option<usize>,
}

/// Rewrites the plan between `start` and `end` of a text with every call on its own line, if need be.
/// A plan of more statements than allowed is an error.
pub(super) fn unfold_calls(
    text: &str,
    start: usize,
    end: usize,
    limits: &Limits,
) -> Result<Option<Unfolded>, PlanError> {
    let text = &text[..end];
    let mut unfolding = Unfolding {
        text,
        limits,
        names: super::find_names(&text[start..], limits),
        statements: 0,
        inner: 0,
        changed: false,
        counted: (0, 1),
        out: Unfolded { text: String::new(), origins: Vec::new() },
    };
    let mut at = start;
    while at < end {
        at = unfolding.unfold_line(at)?;
    }
    Ok(unfolding.changed.then_some(unfolding.out))
}

struct Unfolding<'a> {
    text: &'a str,
    limits: &'a Limits,
    names: Vec<String>,
    statements: usize,
    /// Number of calls inside others.
    inner: usize,
    changed: bool,
    /// Last offset for which a line was counted, and the number of its line.
    counted: (usize, u32),
    out: Unfolded,
}

impl Unfolding<'_> {
    /// Takes the line at `at`, or the call that begins in it; returns the next offset.
    fn unfold_line(&mut self, at: usize) -> Result<usize, PlanError> {
        let line_end = end_of_line(self.text, at);
        let line = &self.text[at..line_end];
        let whole = at == 0 || self.text[..at].ends_with('\n');
        let found = if line.trim_start().starts_with('#') { None } else { call_of(line) };
        let Some((name, offset)) = found else {
            let Some(call) = find_call(line) else { return Ok(self.copy_lines(at, line_end, whole)) };
            self.changed = true;
            let words = strip_numbering(&line[..call]).trim_end();
            if !is_answer_name(words.trim_end_matches([':', '=', ' '])) {
                self.out.text.push_str(&format!("# {words}\n"));
                self.out.origins.push(Origin::At(position_of(self.text, at)));
            }
            return Ok(at + call);
        };
        self.statements += 1;
        let value = at + offset;
        let name = match name {
            Some(name) => canonical_name(name),
            None => {
                check_room(self.statements - 1, self.limits, position_of(self.text, at))?;
                self.changed = true;
                let name = self.free_name(|n| format!("Ans{n}"), self.statements);
                self.names.push(name.clone());
                name
            }
        };
        // The reader reports a call that is not closed.
        let Some((lines, close)) = self.unfold_call(&name, value)? else {
            return Ok(self.copy_lines(at, self.text.len(), whole));
        };
        let is_named = split_statement(line).is_some();
        let rest_end = end_of_line(self.text, close);
        let rest = &self.text[close..rest_end];
        let after = rest.trim_start().trim_start_matches([';', ',', '.']);
        let next = if is_statement(after) { rest_end - after.len() } else { rest_end };
        if lines.len() == 1 && is_named {
            return Ok(self.copy_lines(at, next, whole));
        }
        let place = position_of(self.text, value);
        self.changed = true;
        for line in lines {
            self.out.text.push_str(&line);
            self.out.text.push('\n');
            self.out.origins.push(Origin::At(place));
        }
        self.out.text.pop();
        self.out.text.push_str(&self.text[close..next]);
        self.out.text.push('\n');
        Ok(if next == rest_end { rest_end + 1 } else { next })
    }

    /// Returns the number of the line at `at`, which is after the last offset asked for.
    fn line_of(&mut self, at: usize) -> u32 {
        let between = self.text[self.counted.0..at].bytes().filter(|b| *b == b'\n').count();
        self.counted = (at, self.counted.1 + u32::try_from(between).unwrap_or(u32::MAX));
        self.counted.1
    }

    /// Copies a piece of the text and a line's end; returns the next offset.
    fn copy_lines(&mut self, at: usize, end: usize, whole: bool) -> usize {
        let place =
            if whole { Position { line: self.line_of(at), column: 1 } } else { position_of(self.text, at) };
        for (i, line) in (0..).zip(self.text[at..end].split('\n')) {
            self.out.text.push_str(line);
            self.out.text.push('\n');
            self.out.origins.push(if whole || i > 0 {
                Origin::Line(place.line + i)
            } else {
                Origin::At(place)
            });
        }
        if self.text[end..].starts_with('\n') || end == self.text.len() { end + 1 } else { end }
    }

    /// Returns the lines of the call at `value`, the outermost last, and its end; `None` if it is not closed.
    fn unfold_call(&mut self, name: &str, value: usize) -> Result<Option<(Vec<String>, usize)>, PlanError> {
        let text = self.text;
        let (mut lines, mut out, mut open): (Vec<String>, String, Vec<Open>) =
            (Vec::new(), String::new(), Vec::new());
        // The last character that is no space, and true if the last one belongs to a word.
        let (mut before, mut in_word) = ('(', false);
        let mut at = value;
        while let Some(c) = text[at..].chars().next() {
            let rest = &text[at..];
            if let Some((_, length)) = read_quoted(rest)
                .filter(|(_, n)| matches!(before, '(' | ',' | '|' | '=' | ':') && ends_value(&rest[*n..]))
            {
                out.push_str(&rest[..length]);
                (before, in_word) = ('"', false);
                at += length;
                continue;
            }
            let word = if in_word { 0 } else { identifier_length(rest) };
            if word > 0 && rest[word..].trim_start().starts_with('(') {
                let length = word + (rest[word..].len() - rest[word..].trim_start().len()) + 1;
                let called = function_of(&rest[..word]).filter(|f| represents_a_set(*f, before, open.last()));
                let inner = called.filter(|_| !open.is_empty()).map(|_| out.len());
                if inner.is_some() {
                    check_room(self.inner, self.limits, position_of(text, at))?;
                    self.inner += 1;
                }
                open.push(Open { function: called, inner });
                out.push_str(&rest[..length]);
                (before, in_word) = ('(', false);
                at += length;
                continue;
            }
            match c {
                '(' => open.push(Open { function: None, inner: None }),
                '\n' if ends_call(&rest[1..]) => return Ok(None),
                _ => {}
            }
            out.push(c);
            at += c.len_utf8();
            if c == ')' {
                let Some(closed) = open.pop() else { return Ok(None) };
                if open.is_empty() {
                    lines.push(format!("{name}={out}"));
                    return Ok(Some((lines, at)));
                }
                if let Some(from) = closed.inner {
                    let call = out.split_off(from);
                    let own = self.free_name(|n| format!("{name}{}", letters_of(n)), 1);
                    self.names.push(own.clone());
                    lines.push(format!("{own}={call}"));
                    out.push_str(&own);
                }
            }
            in_word = c.is_alphanumeric() || c == '_';
            if !c.is_whitespace() {
                before = c;
            }
        }
        Ok(None)
    }

    /// Returns the first name that is not taken.
    fn free_name(&self, name: impl Fn(usize) -> String, from: usize) -> String {
        let taken = |name: &String| self.names.iter().any(|known| same_name(known, name));
        (from..).map(name).find(|name| !taken(name)).unwrap_or_default()
    }
}

/// Returns the call of a line: the name before it, if it has one, and its offset.
fn call_of(line: &str) -> Option<(Option<&str>, usize)> {
    let is_call = |text: &str| {
        let end = identifier_length(text);
        text[end..].trim_start().starts_with('(') && function_of(&text[..end]).is_some()
    };
    match split_statement(line) {
        Some((name, value)) => is_call(&line[value..]).then_some((Some(name), value)),
        None => {
            let bare = strip_numbering(line);
            is_call(bare).then_some((None, line.len() - bare.len()))
        }
    }
}

/// Returns the offset of a call after a sentence or a label on its line: `Step 1: Which films?
/// Ans1=All(t=film)`.
pub(super) fn find_call(line: &str) -> Option<usize> {
    let words = if call_of(line).is_some() { "" } else { line.split(['"', '#']).next()? };
    let mut rests = words.match_indices(['?', '.', ':', '!', '=']).map(|(at, _)| line[at + 1..].trim_start());
    rests.find(|rest| call_of(rest).is_some()).map(|rest| line.len() - rest.len())
}

/// Returns true if a call is where a set is wanted: an argument without a key of a set function, or the head
/// of a step. The outermost call is the statement itself.
fn represents_a_set(called: Function, before: char, around: Option<&Open>) -> bool {
    let Some(around) = around else { return true };
    match around.function {
        None | Some(Function::Search | Function::All) => false,
        Some(Function::SearchKg) => called == Function::SearchKg && matches!(before, '=' | ':'),
        Some(_) => matches!(before, '(' | ',' | '|'),
    }
}

/// Returns the letters of a number: a, b, … z, aa, ab, …
fn letters_of(mut n: usize) -> String {
    let mut out = String::new();
    while n > 0 {
        n -= 1;
        out.insert(0, char::from(b'a' + (n % 26) as u8));
        n /= 26;
    }
    out
}
