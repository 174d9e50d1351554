//! The plan lines of Graph-RFT (arXiv 2510.20691): `Ans1=SearchKG(t=film | h=Clint Eastwood, r=directed by)`.
//!
//! It has the paper's four functions, `SearchKG`, `Intersect`, `Union` and `Negation`, and further ones in
//! the same style. The reader allows variations without a change of meaning: case, spaces, quotes,
//! numbering, code fences, prose around the lines, `Ans_1` for `Ans1`, missing bars. It refuses others:
//! unknown functions, arguments that it cannot place, text after a call.

mod call;
mod print;
mod unfold;

use super::ast::fold_name;
use super::check::{Limits, check_room, excerpt};
use super::read::{
    Parsed, canonical_name, check_size, end_of_line, identifier_length, is_answer_name, is_statement,
    position_of, read_arguments, read_escaped, split_statement, syntax_error,
};
use super::{Fault, Plan, PlanError, Position, Statement, same_name};
use call::{Call, function_of};
pub use print::print;

/// Reads plan lines, from between `<plan>` tags if there are any, else from the whole text. A call without a
/// name gets one, and a call inside another gets a line.
///
/// # Errors
/// The first fault, with its place: a text that is too long, an unreadable statement, no statement at all.
pub fn parse(text: &str, limits: &Limits) -> Result<Parsed, PlanError> {
    check_size(text, limits)?;
    let (start, end) = find_plan(text);
    let Some(unfolded) = unfold::unfold_calls(text, start, end, limits)? else {
        return read_lines(text, (start, end), limits);
    };
    let whole = (0, unfolded.text.len());
    match read_lines(&unfolded.text, whole, limits) {
        Ok(parsed) => Ok(Parsed {
            positions: parsed.positions.iter().map(|at| unfolded.origin_of(*at)).collect(),
            ..parsed
        }),
        Err(error) => Err(PlanError { at: unfolded.origin_of(error.at), ..error }),
    }
}

/// Reads lines with a name and a call each.
fn read_lines(text: &str, (start, end): (usize, usize), limits: &Limits) -> Result<Parsed, PlanError> {
    let mut reader = Reader {
        text: &text[..end],
        limits,
        names: find_names(&text[start..end], limits),
        thought: None,
        plan: Plan::default(),
        positions: Vec::new(),
    };
    let mut at = start;
    while at < end {
        at = reader.read_line(at)?;
    }
    let Reader { mut plan, positions, .. } = reader;
    let Some(last) = plan.statements.last() else {
        let expected = "a line such as Ans1=SearchKG(t=film | h=Clint Eastwood, r=directed by)";
        return Err(PlanError::new(
            position_of(text, start),
            Fault::NoPlan,
            expected,
            "Write one step a line, between <plan> and </plan>.",
        ));
    };
    if plan.answer.is_empty() {
        plan.answer = last.name.clone();
    }
    Ok(Parsed { plan, positions })
}

/// Returns the range of the plan: after the last `<plan>` with a parenthesis in it, up to its end tag.
fn find_plan(text: &str) -> (usize, usize) {
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

/// Returns the names that the text defines anywhere, which distinguish a head from a mention.
fn find_names(text: &str, limits: &Limits) -> Vec<String> {
    let lines = text.lines().map(|line| &line[unfold::find_call(line).unwrap_or(0)..]);
    let lines = lines.filter(|line| is_statement(line)).take(limits.statements + 1);
    lines.filter_map(split_statement).map(|(name, _)| canonical_name(name)).collect()
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
    /// Reads the line at `at`; returns the offset of the next line.
    fn read_line(&mut self, at: usize) -> Result<usize, PlanError> {
        let line_end = end_of_line(self.text, at);
        let line = &self.text[at..line_end];
        let next = line_end + 1;
        if let Some(comment) = line.trim().strip_prefix('#') {
            self.take_comment(comment.trim_start_matches('#').trim());
            return Ok(next);
        }
        let Some((name, value)) = split_statement(line) else {
            let bare = line.trim_start();
            let end = identifier_length(bare);
            if bare[end..].trim_start().starts_with('(') && function_of(&bare[..end]).is_some() {
                let hint = format!("Write Ans{} = {}(…).", self.plan.statements.len() + 1, &bare[..end]);
                return Err(syntax_error(
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
        let end = value + identifier_length(&self.text[value..line_end]);
        let written = &self.text[value..end];
        let after = self.text[end..line_end].trim_start();
        if after.starts_with('(') {
            check_room(self.plan.statements.len(), self.limits, position_of(self.text, at))?;
            let open = end + (self.text[end..line_end].len() - after.len()) + 1;
            return self.read_statement(name, at, written, value, open);
        }
        let answers = ["answer", "finalanswer", "final", "ans"];
        if answers.contains(&fold_name(name).as_str())
            && after.trim_end_matches(['.', ';']).trim().is_empty()
            && end > value
        {
            self.plan.answer = self.resolve_reference(written);
            return Ok(next);
        }
        // "x = 5 follows" is prose, but the name of a step without a call is a step that is lost.
        if is_answer_name(name) {
            let expected = "a function: SearchKG, Intersect, Union, Negation, Compare, Count, Filter, Max, Min, All \
                or Search";
            return Err(syntax_error(
                self.text,
                value,
                "a name without a call",
                expected,
                "Give every step one function.",
            ));
        }
        Ok(next)
    }

    fn take_comment(&mut self, comment: &str) {
        let (question, words) = match comment.get(..9).filter(|word| word.eq_ignore_ascii_case("question:")) {
            Some(_) => (true, comment[9..].trim()),
            None => (false, comment),
        };
        let words = match read_escaped(words, '"')
            .filter(|(_, length)| words.starts_with('"') && *length == words.len())
        {
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

    fn read_statement(
        &mut self,
        name: &str,
        start: usize,
        written: &str,
        value: usize,
        open: usize,
    ) -> Result<usize, PlanError> {
        let Some(function) = function_of(written) else {
            let expected =
                "SearchKG, Intersect, Union, Negation, Compare, Count, Filter, Max, Min, All or Search";
            let hint = "Use only these functions; nothing else can be executed.";
            return Err(PlanError::new(
                position_of(self.text, value),
                Fault::UnknownFunction(excerpt(written)),
                expected,
                hint,
            ));
        };
        let (arguments, end) = read_arguments(self.text, open, function.keys(), self.limits)?;
        let call = Call { reader: self, arguments: &arguments, open };
        let operation = call.read_operation(function)?;
        let indent = self.text[start..].len() - self.text[start..].trim_start().len();
        self.positions.push(position_of(self.text, start + indent));
        self.plan.statements.push(Statement {
            name: canonical_name(name),
            thought: self.thought.take(),
            operation,
        });
        self.skip_trailing(end)
    }

    /// Skips the rest of a call's line: a comment, a full stop and prose, a semicolon before a statement.
    fn skip_trailing(&self, end: usize) -> Result<usize, PlanError> {
        let line_end = end_of_line(self.text, end);
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
        Err(syntax_error(self.text, here, &format!("{rest:?} after a call"), "the end of the line", hint))
    }

    /// Returns a name as its defining statement spells it.
    fn resolve_reference(&self, written: &str) -> String {
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
