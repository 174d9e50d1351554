//! The plan lines of Graph-RFT (arXiv 2510.20691): `Ans1=SearchKG(t=film | h=Clint Eastwood, r=directed by)`.
//!
//! The paper's four functions, `SearchKG`, `Intersect`, `Union` and `Negation`, and in the same style those that it lacks. The reader
//! forgives what does not change the meaning: letter case, spaces, quotes, numbering, code fences, prose around the lines,
//! `Ans_1` for `Ans1`, missing bars. It refuses what might: unknown functions, arguments it cannot place, text after a call.

mod call;
mod print;
mod unfold;

use super::ast::fold_name;
use super::check::{Limits, excerpt};
use super::read::{
    Parsed, arguments, beginning, canonical_name, escaped, identifier, is_answer_name, is_statement, position, room, size, syntax,
};
use super::{Fault, Plan, PlanError, Position, Statement, same_name};
use call::{Call, function};
pub use print::print;

/// Reads plan lines, from between `<plan>` tags if there are any, else from the whole text. A call without a name gets one, and a call inside another a line.
///
/// # Errors
/// The first fault, with its place: a text that is too long, a line that is a statement but cannot be read, no statement at all.
pub fn parse(text: &str, limits: &Limits) -> Result<Parsed, PlanError> {
    size(text, limits)?;
    let (start, end) = region(text);
    let Some(unfolded) = unfold::unfolded(text, start, end, limits)? else { return lines(text, (start, end), limits) };
    let whole = (0, unfolded.text.len());
    match lines(&unfolded.text, whole, limits) {
        Ok(parsed) => Ok(Parsed { positions: parsed.positions.iter().map(|at| unfolded.origin(*at)).collect(), ..parsed }),
        Err(error) => Err(PlanError { at: unfolded.origin(error.at), ..error }),
    }
}

/// Reads lines of which each has a name and a call.
fn lines(text: &str, (start, end): (usize, usize), limits: &Limits) -> Result<Parsed, PlanError> {
    let mut reader = Reader {
        text: &text[..end],
        limits,
        names: names(&text[start..end], limits),
        thought: None,
        plan: Plan::default(),
        positions: Vec::new(),
    };
    let mut at = start;
    while at < end {
        at = reader.line(at)?;
    }
    let Reader { mut plan, positions, .. } = reader;
    let Some(last) = plan.statements.last() else {
        let expected = "a line such as Ans1=SearchKG(t=film | h=Clint Eastwood, r=directed by)";
        return Err(PlanError::new(position(text, start), Fault::NoPlan, expected, "Write one step a line, between <plan> and </plan>."));
    };
    if plan.answer.is_empty() {
        plan.answer = last.name.clone();
    }
    Ok(Parsed { plan, positions })
}

/// Returns the range of the plan: after the last `<plan>` with something like a statement in it, up to its end tag.
fn region(text: &str) -> (usize, usize) {
    // ASCII lower-casing keeps every offset.
    let lower = text.to_ascii_lowercase();
    let mut end = text.len();
    while let Some(open) = lower[..end].rfind("<plan>") {
        let start = open + "<plan>".len();
        let close = lower[start..end].find("</plan>").map_or(end, |at| start + at);
        if text[start..close].contains('(') {
            return (start, close);
        }
        end = open;
    }
    (0, text.len())
}

/// The names that the text defines, so that a head can be told from a mention wherever it is defined.
fn names(text: &str, limits: &Limits) -> Vec<String> {
    let lines = text.lines().filter(|line| is_statement(line));
    lines.take(limits.statements + 1).filter_map(|line| beginning(line)).map(|(name, _)| canonical_name(name)).collect()
}

struct Reader<'a> {
    text: &'a str,
    limits: &'a Limits,
    names: Vec<String>,
    thought: Option<String>,
    plan: Plan,
    positions: Vec<Position>,
}

impl Reader<'_> {
    /// Reads what stands in the line at `at`; gives where the next line begins.
    fn line(&mut self, at: usize) -> Result<usize, PlanError> {
        let line_end = self.text[at..].find('\n').map_or(self.text.len(), |n| at + n);
        let line = &self.text[at..line_end];
        let next = line_end + 1;
        if let Some(comment) = line.trim().strip_prefix('#') {
            self.comment(comment.trim_start_matches('#').trim());
            return Ok(next);
        }
        let Some((name, value)) = beginning(line) else {
            let bare = line.trim_start();
            let end = identifier(bare);
            if bare[end..].trim_start().starts_with('(') && function(&bare[..end]).is_some() {
                let hint = format!("Write Ans{} = {}(…).", self.plan.statements.len() + 1, &bare[..end]);
                return Err(syntax(
                    self.text,
                    at + line.len() - bare.len(),
                    "a call without a name",
                    "a name and an equals sign before it",
                    &hint,
                ));
            }
            return Ok(next);
        };
        let value = at + value;
        let end = value + identifier(&self.text[value..line_end]);
        let written = &self.text[value..end];
        let after = self.text[end..line_end].trim_start();
        if after.starts_with('(') {
            room(self.plan.statements.len(), self.limits, position(self.text, at))?;
            let open = end + (self.text[end..line_end].len() - after.len()) + 1;
            return self.statement(name, at, written, value, open);
        }
        let answers = ["answer", "finalanswer", "final", "ans"];
        if answers.contains(&fold_name(name).as_str()) && after.trim_end_matches(['.', ';']).trim().is_empty() && end > value {
            self.plan.answer = self.reference(written);
            return Ok(next);
        }
        // "x = 5 follows" is prose, but the name of a step with anything but a call is a step that was meant and is lost.
        if is_answer_name(name) {
            let expected = "a function: SearchKG, Intersect, Union, Negation, Compare, Count, Filter, Max, Min, All or Search";
            return Err(syntax(self.text, value, "a name without a call", expected, "Give every step one function."));
        }
        Ok(next)
    }

    fn comment(&mut self, comment: &str) {
        let (question, words) = match comment.get(..9).filter(|word| word.eq_ignore_ascii_case("question:")) {
            Some(_) => (true, comment[9..].trim()),
            None => (false, comment),
        };
        let words = match escaped(words, '"').filter(|(_, length)| words.starts_with('"') && *length == words.len()) {
            Some((inner, _)) => inner,
            None => words.chars().filter(|c| !c.is_control()).collect(),
        };
        match (question, &mut self.thought) {
            (true, _) => self.plan.question = Some(words),
            (false, Some(thought)) => {
                thought.push(' ');
                thought.push_str(&words);
            }
            (false, thought) => *thought = Some(words),
        }
    }

    fn statement(&mut self, name: &str, start: usize, written: &str, value: usize, open: usize) -> Result<usize, PlanError> {
        let Some(function) = function(written) else {
            let expected = "SearchKG, Intersect, Union, Negation, Compare, Count, Filter, Max, Min, All or Search";
            let hint = "Use only these functions; nothing else can be executed.";
            return Err(PlanError::new(position(self.text, value), Fault::UnknownFunction(excerpt(written)), expected, hint));
        };
        let (arguments, end) = arguments(self.text, open, function.keys(), self.limits)?;
        let call = Call { reader: self, arguments: &arguments, open };
        let operation = call.operation(function)?;
        let indent = self.text[start..].len() - self.text[start..].trim_start().len();
        self.positions.push(position(self.text, start + indent));
        self.plan.statements.push(Statement { name: canonical_name(name), thought: self.thought.take(), operation });
        self.trailing(end)
    }

    /// Skips what may follow a call: a line's end, a comment, a full stop and prose; or a semicolon and the next statement.
    fn trailing(&self, end: usize) -> Result<usize, PlanError> {
        let line_end = self.text[end..].find('\n').map_or(self.text.len(), |n| end + n);
        let rest = self.text[end..line_end].trim_start();
        let here = line_end - rest.len();
        let after = rest.trim_start_matches([';', ',', '.']);
        if after.len() < rest.len() && is_statement(after) {
            return Ok(line_end - after.len());
        }
        let harmless = ["#", "//", ";", ".", ",", "--", "->", "→", "—", "**", "`", "</"];
        if rest.is_empty() || harmless.iter().any(|prefix| rest.starts_with(prefix)) {
            return Ok(line_end + 1);
        }
        let hint = "Write one call a line; put a text that holds a parenthesis in quotes.";
        Err(syntax(self.text, here, &format!("{rest:?} after a call"), "the end of the line", hint))
    }

    /// A name as the statement that defines it spells it.
    fn reference(&self, written: &str) -> String {
        let name = canonical_name(written.trim().trim_start_matches(['{', '$']).trim_end_matches('}').trim());
        self.names.iter().find(|known| same_name(known, &name)).cloned().unwrap_or(name)
    }

    fn is_reference(&self, written: &str) -> bool {
        let name = written.trim().trim_start_matches(['{', '$']).trim_end_matches('}').trim();
        is_answer_name(name) || self.names.iter().any(|known| same_name(known, name))
    }
}

#[cfg(test)]
mod tests;
