//! The code form of LPKG (arXiv 2406.14282): sub-questions, searches and set operations, one assignment a line.
//!
//! ```text
//! Original_Question: str = "Who directed films with both A and B?"
//! Sub_Question_1: str = f"Which films was A in?"
//! Info_1: str = Search(query = Sub_Question_1)
//! Ans_1: str = Get_Answer(query = Sub_Question_1, info = Info_1)
//! …
//! Inter_Results1: str = Intersection(Answer1 = Ans_1, Answer2 = Ans_2)
//! Final_Answer: str = Finish_The_Plan(Answer = Inter_Results1)
//! ```
//!
//! A sub-question and its search and answer lines are one statement of the plan, named after the answer. As in the paper's
//! executor only the sub-question's line counts; the other two may be missing, but if they are there they must agree with it.

mod print;

use super::ast::fold_name;
use super::check::{Limits, excerpt};
use super::read::{Argument, Keys, Parsed, Word, arguments, beginning, canonical_name, escaped, identifier, position, room, size, syntax};
use super::{Compare, Fault, Operation, Plan, PlanError, Position, Statement, Template, same_name};
pub use print::print;

/// Reads the code form, wherever in the text it stands.
///
/// # Errors
/// The first fault, with its place: a text that is too long, a line of the form that cannot be read, an unknown function, lines that
/// contradict each other, no statement at all.
pub fn parse(text: &str, limits: &Limits) -> Result<Parsed, PlanError> {
    size(text, limits)?;
    let mut reader = Reader { text, limits, names: Vec::new(), thought: None, answer: None, plan: Plan::default(), positions: Vec::new() };
    let mut at = 0;
    while at < text.len() {
        at = reader.line(at)?;
    }
    let Reader { mut plan, positions, answer, .. } = reader;
    let Some(last) = plan.statements.last() else {
        let expected = "a line such as Sub_Question_1: str = f\"Who directed Up?\"";
        return Err(PlanError::new(Position { line: 1, column: 1 }, Fault::NoPlan, expected, "Write one assignment a line."));
    };
    plan.answer = answer.unwrap_or_else(|| last.name.clone());
    Ok(Parsed { plan, positions })
}

struct Reader<'a> {
    text: &'a str,
    limits: &'a Limits,
    names: Vec<String>,
    thought: Option<String>,
    answer: Option<String>,
    plan: Plan,
    positions: Vec<Position>,
}

/// Role of a name.
enum Role {
    Question,
    Thought,
    SubQuestion(String),
    Info(String),
    Final,
    Set,
}

/// The role of a name, letter case and underscores aside; numbers stay as they are written.
fn role(name: &str) -> Role {
    let folded = fold_name(name);
    let number =
        |stem: &str| folded.strip_prefix(stem).filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())).map(str::to_owned);
    if let Some(number) = number("subquestion") {
        return Role::SubQuestion(number);
    }
    if let Some(number) = number("info") {
        return Role::Info(number);
    }
    match folded.as_str() {
        "originalquestion" => Role::Question,
        "finalanswer" => Role::Final,
        "thought" => Role::Thought,
        _ if number("thought").is_some() => Role::Thought,
        _ => Role::Set,
    }
}

const SEARCH: Keys = &[("query", "query"), ("thought", "thought"), ("info", "info")];
const SETS: Keys = &[("answer#", "answer"), ("ans#", "answer")];
const COMPARE: Keys = &[
    ("original_query", "question"),
    ("original_question", "question"),
    ("question", "question"),
    ("query", "question"),
    ("subquestions", "subquestions"),
    ("sub_questions", "subquestions"),
    ("answers", "answers"),
    ("answer#", "answers"),
];

impl Reader<'_> {
    /// Reads what stands in the line at `at`; gives where the next line begins.
    fn line(&mut self, at: usize) -> Result<usize, PlanError> {
        let line_end = self.text[at..].find('\n').map_or(self.text.len(), |n| at + n);
        let line = &self.text[at..line_end];
        if line.trim_start().starts_with(['#', '`']) {
            return Ok(line_end + 1);
        }
        let (name, value) = match beginning(line) {
            Some((name, value)) => (name, at + value),
            // A last call without a name says all the same which set is the answer.
            None if fold_name(line.trim_start()).starts_with("finishtheplan(") => ("Final_Answer", line_end - line.trim_start().len()),
            None => return Ok(line_end + 1),
        };
        let role = role(name);
        if matches!(role, Role::Question | Role::Thought | Role::SubQuestion(_)) {
            let words = self.string(value, line_end)?;
            return self.words(role, words, at, value).map(|()| line_end + 1);
        }
        let end = value + identifier(&self.text[value..line_end]);
        let after = self.text[end..line_end].trim_start();
        if !after.starts_with('(') {
            if matches!(role, Role::Final) && end > value {
                self.answer = Some(self.reference(&self.text[value..end]));
            }
            // Prose may hold an equals sign; a step that was meant has a call.
            return Ok(line_end + 1);
        }
        let open = line_end - after.len() + 1;
        self.call(role, name, (at, value, end, open))
    }

    fn words(&mut self, role: Role, words: String, at: usize, value: usize) -> Result<(), PlanError> {
        match role {
            Role::Question => self.plan.question = Some(words),
            Role::Thought => self.thought = Some(words),
            Role::SubQuestion(number) => {
                let template = Template::parse(&words).map_err(|e| {
                    syntax(self.text, value, &e.to_string(), "a reference such as {Ans_1}", "Double a brace that is no reference.")
                })?;
                let query = template.map_references(|name| self.reference(name));
                self.push(&format!("Ans{number}"), at, Operation::Search { query })?;
            }
            Role::Info(_) | Role::Final | Role::Set => {}
        }
        Ok(())
    }

    fn call(&mut self, role: Role, name: &str, (at, value, end, open): (usize, usize, usize, usize)) -> Result<usize, PlanError> {
        let function = fold_name(&self.text[value..end]);
        let keys = match function.as_str() {
            "search" | "getanswer" => SEARCH,
            "intersection" | "intersect" | "union" | "finishtheplan" => SETS,
            "compare" => COMPARE,
            _ => {
                let fault = Fault::UnknownFunction(excerpt(&self.text[value..end]));
                let expected = "Search, Get_Answer, Intersection, Union, Compare or Finish_The_Plan";
                let hint = "This form has no other functions; write negations, counts and filters as plan lines or JSON.";
                return Err(PlanError::new(position(self.text, value), fault, expected, hint));
            }
        };
        let (arguments, close) = arguments(self.text, open, keys, self.limits)?;
        match (function.as_str(), role) {
            ("search", Role::Info(number)) => self.agrees(&number, &arguments, open)?,
            ("getanswer", Role::Set) => {
                let number = canonical_name(name).strip_prefix("Ans").unwrap_or_default().to_owned();
                self.agrees(&number, &arguments, open)?;
            }
            ("intersection" | "intersect", Role::Set) => {
                let of = self.names(&arguments)?;
                self.push(name, at, Operation::Intersect { of })?;
            }
            ("union", Role::Set) => {
                let of = self.names(&arguments)?;
                self.push(name, at, Operation::Union { of })?;
            }
            ("compare", Role::Set) => {
                let compare = self.compare(&arguments)?;
                self.push(name, at, Operation::Compare(compare))?;
            }
            ("finishtheplan", _) => match self.names(&arguments)?.as_slice() {
                [one] => self.answer = Some(one.clone()),
                _ => return Err(syntax(self.text, open, "no answer", "Answer = and one name", "Finish with the set that is the answer.")),
            },
            _ => {
                let what = format!("{} as the value of {}", &self.text[value..end], excerpt(name));
                let expected = "Info_N for Search, Ans_N for Get_Answer, a name of its own for a set operation";
                return Err(syntax(self.text, value, &what, expected, "Keep to the names of the form."));
            }
        }
        let line_end = self.text[close..].find('\n').map_or(self.text.len(), |n| close + n);
        let rest = self.text[close..line_end].trim();
        if rest.is_empty() || rest.starts_with(['#', ';', '.', ',']) {
            return Ok(line_end + 1);
        }
        Err(syntax(self.text, close, &format!("{:?} after a call", excerpt(rest)), "the end of the line", "Write one call a line."))
    }

    /// A search or answer line must be about the sub-question of its own number.
    fn agrees(&self, number: &str, arguments: &[Argument], open: usize) -> Result<(), PlanError> {
        let query = arguments.iter().find(|a| a.key == Some("query")).or(arguments.first());
        let about = query.map(|argument| text(&argument.value)).unwrap_or_default();
        let known = self.names.contains(&format!("Ans{number}"));
        match role(about) {
            Role::SubQuestion(other) if other == number && known => Ok(()),
            _ => {
                let what = format!("{:?} as the query of step {number}", excerpt(about));
                let expected = format!("Sub_Question_{number}, defined above");
                Err(syntax(
                    self.text,
                    query.map_or(open, |q| q.offset),
                    &what,
                    &expected,
                    "Give each sub-question, search and answer one number.",
                ))
            }
        }
    }

    fn compare(&self, arguments: &[Argument]) -> Result<Compare, PlanError> {
        let question = match arguments.iter().find(|a| a.key == Some("question")) {
            Some(argument) => match &argument.value {
                Word::Bare(name) if matches!(role(name), Role::Question) => self.plan.question.clone(),
                value => Some(text(value).to_owned()),
            },
            None => self.plan.question.clone(),
        };
        let mut of = Vec::new();
        for argument in arguments.iter().filter(|a| a.key == Some("answers")) {
            let list = text(&argument.value).trim().trim_start_matches('[').trim_end_matches(']');
            for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                of.push(self.name(name, argument.offset)?);
            }
        }
        Ok(Compare { of, how: None, by: None, question })
    }

    fn names(&self, arguments: &[Argument]) -> Result<Vec<String>, PlanError> {
        arguments.iter().map(|argument| self.name(text(&argument.value), argument.offset)).collect()
    }

    fn name(&self, written: &str, offset: usize) -> Result<String, PlanError> {
        let name = self.reference(written);
        if super::template::is_name(&name) {
            return Ok(name);
        }
        let hint = "Give an inner call a line and a name of its own, then use the name.";
        Err(syntax(self.text, offset, &format!("{:?} is not a name", excerpt(written)), "the name of an earlier set, such as Ans_1", hint))
    }

    /// A name as the statement that defines it spells it.
    fn reference(&self, written: &str) -> String {
        let name = canonical_name(written.trim().trim_start_matches(['{', '[']).trim_end_matches(['}', ']']).trim());
        self.names.iter().find(|known| same_name(known, &name)).cloned().unwrap_or(name)
    }

    fn push(&mut self, name: &str, at: usize, operation: Operation) -> Result<(), PlanError> {
        let indent = self.text[at..].len() - self.text[at..].trim_start().len();
        let here = position(self.text, at + indent);
        room(self.plan.statements.len(), self.limits, here)?;
        let name = canonical_name(name);
        self.names.push(name.clone());
        self.positions.push(here);
        self.plan.statements.push(Statement { name, thought: self.thought.take(), operation });
        Ok(())
    }

    /// A string on one line, with or without `f` before it. Inner quotes that were not escaped are kept: on a line that holds nothing
    /// but one string it is clear where the string ends.
    fn string(&self, at: usize, line_end: usize) -> Result<String, PlanError> {
        let all = self.text[at..line_end].trim_end().trim_end_matches(';').trim_end();
        let rest = all.strip_prefix(['f', 'F']).unwrap_or(all);
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '“'));
        let Some(quote) = quote else {
            return Err(syntax(
                self.text,
                at,
                "no string",
                "a text in double quotes",
                "Put the question or thought in quotes, on one line.",
            ));
        };
        if let Some((inner, length)) = escaped(rest, quote).filter(|_| quote != '“')
            && (rest[length..].trim().is_empty() || rest[length..].trim_start().starts_with('#'))
        {
            return Ok(inner);
        }
        let close = if quote == '“' { '”' } else { quote };
        match rest[quote.len_utf8()..].rfind(close) {
            Some(end) if rest[quote.len_utf8() + end + close.len_utf8()..].trim().is_empty() => {
                Ok(rest[quote.len_utf8()..quote.len_utf8() + end].trim_matches(quote).to_owned())
            }
            _ => Err(syntax(self.text, at, "a string that does not end on its line", "a closing quote", "Keep each string on one line.")),
        }
    }
}

fn text(word: &Word) -> &str {
    match word {
        Word::Bare(text) | Word::Quoted(text) | Word::Exact(text, _) => text,
    }
}

/// Whether a name would be read as something else than a set.
fn is_reserved(name: &str) -> bool {
    !matches!(role(name), Role::Set)
}

#[cfg(test)]
mod tests;
