//! The code form of LPKG (arXiv 2406.14282): sub-questions, searches and set operations, one a line.
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
//! A sub-question with its search and answer lines is one statement of the plan, named after the answer. As
//! in the paper's executor only the sub-question's line counts. The other two may be missing, but must agree.

mod print;
mod sub_questions;

use super::ast::fold_name;
use super::check::{Limits, check_room, excerpt};
use super::read::{
    Argument, Keys, Parsed, Word, canonical_name, check_size, end_of_line, identifier_length, position_of,
    read_arguments, read_escaped, split_statement, syntax_error,
};
use super::{Compare, Fault, Operation, Plan, PlanError, Position, Statement, Template, same_name};
pub use print::print;
pub use sub_questions::{ask_step, explain_step, write_sub_questions};

/// Reads the code form, anywhere in the text.
///
/// # Errors
/// The first fault, with its place: a text that is too long, a line of the form that cannot be read, an
/// unknown function, contradictory lines, no statement at all.
pub fn parse(text: &str, limits: &Limits) -> Result<Parsed, PlanError> {
    check_size(text, limits)?;
    let mut reader = Reader {
        text,
        limits,
        names: Vec::new(),
        thought: None,
        answer: None,
        plan: Plan::default(),
        positions: Vec::new(),
    };
    let mut at = 0;
    while at < text.len() {
        at = reader.read_line(at)?;
    }
    let Reader { mut plan, positions, answer, .. } = reader;
    let Some(last) = plan.statements.last() else {
        let expected = "a line such as Sub_Question_1: str = f\"Who directed Up?\"";
        return Err(PlanError::new(
            Position { line: 1, column: 1 },
            Fault::NoPlan,
            expected,
            "Write one assignment a line.",
        ));
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

enum Role {
    Question,
    Thought,
    SubQuestion(String),
    Info(String),
    Final,
    Set,
}

/// Returns the role of a name, without regard to case and underscores. Numbers stay as they are written.
fn role_of(name: &str) -> Role {
    let folded = fold_name(name);
    let number = |stem: &str| {
        folded
            .strip_prefix(stem)
            .filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
            .map(str::to_owned)
    };
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
    /// Reads the line at `at`; returns the offset of the next line.
    fn read_line(&mut self, at: usize) -> Result<usize, PlanError> {
        let line_end = end_of_line(self.text, at);
        let line = &self.text[at..line_end];
        if line.trim_start().starts_with(['#', '`']) {
            return Ok(line_end + 1);
        }
        let (name, value) = match split_statement(line) {
            Some((name, value)) => (name, at + value),
            // A last call without a name still names the answer.
            None if fold_name(line.trim_start()).starts_with("finishtheplan(") => {
                ("Final_Answer", line_end - line.trim_start().len())
            }
            None => return Ok(line_end + 1),
        };
        let role = role_of(name);
        if matches!(role, Role::Question | Role::Thought | Role::SubQuestion(_)) {
            let words = self.read_string(value, line_end)?;
            return self.take_words(role, words, at, value).map(|()| line_end + 1);
        }
        let end = value + identifier_length(&self.text[value..line_end]);
        let after = self.text[end..line_end].trim_start();
        if !after.starts_with('(') {
            if matches!(role, Role::Final) && end > value {
                self.answer = Some(self.resolve_reference(&self.text[value..end]));
            }
            // Prose may have an equals sign; a step has a call.
            return Ok(line_end + 1);
        }
        let open = line_end - after.len() + 1;
        self.read_call(role, name, (at, value, end, open))
    }

    fn take_words(&mut self, role: Role, words: String, at: usize, value: usize) -> Result<(), PlanError> {
        match role {
            Role::Question => self.plan.question = Some(words),
            Role::Thought => self.thought = Some(words),
            Role::SubQuestion(number) => {
                let template = Template::parse(&words).map_err(|e| {
                    syntax_error(
                        self.text,
                        value,
                        &e.to_string(),
                        "a reference such as {Ans_1}",
                        "Double a brace that is no reference.",
                    )
                })?;
                let query = template.map_references(|name| self.resolve_reference(name));
                self.push_statement(&format!("Ans{number}"), at, Operation::Search { query })?;
            }
            Role::Info(_) | Role::Final | Role::Set => {}
        }
        Ok(())
    }

    fn read_call(
        &mut self,
        role: Role,
        name: &str,
        (at, value, end, open): (usize, usize, usize, usize),
    ) -> Result<usize, PlanError> {
        let function = fold_name(&self.text[value..end]);
        let keys = match function.as_str() {
            "search" | "getanswer" => SEARCH,
            "intersection" | "intersect" | "union" | "finishtheplan" => SETS,
            "compare" => COMPARE,
            _ => {
                let fault = Fault::UnknownFunction(excerpt(&self.text[value..end]));
                let expected = "Search, Get_Answer, Intersection, Union, Compare or Finish_The_Plan";
                let hint = "This form has no other functions; write negations, counts and filters as plan lines \
                    or JSON.";
                return Err(PlanError::new(position_of(self.text, value), fault, expected, hint));
            }
        };
        let (arguments, close) = read_arguments(self.text, open, keys, self.limits)?;
        match (function.as_str(), role) {
            ("search", Role::Info(number)) => self.check_agreement(&number, &arguments, open)?,
            ("getanswer", Role::Set) => {
                let number = canonical_name(name).strip_prefix("Ans").unwrap_or_default().to_owned();
                self.check_agreement(&number, &arguments, open)?;
            }
            ("intersection" | "intersect", Role::Set) => {
                let of = self.read_names(&arguments)?;
                self.push_statement(name, at, Operation::Intersect { of })?;
            }
            ("union", Role::Set) => {
                let of = self.read_names(&arguments)?;
                self.push_statement(name, at, Operation::Union { of })?;
            }
            ("compare", Role::Set) => {
                let compare = self.read_compare(&arguments)?;
                self.push_statement(name, at, Operation::Compare(compare))?;
            }
            ("finishtheplan", _) => match self.read_names(&arguments)?.as_slice() {
                [one] => self.answer = Some(one.clone()),
                _ => {
                    return Err(syntax_error(
                        self.text,
                        open,
                        "no answer",
                        "Answer = and one name",
                        "Finish with the set that is the answer.",
                    ));
                }
            },
            _ => {
                let what = format!("{} as the value of {}", &self.text[value..end], excerpt(name));
                let expected =
                    "Info_N for Search, Ans_N for Get_Answer, a name of its own for a set operation";
                return Err(syntax_error(
                    self.text,
                    value,
                    &what,
                    expected,
                    "Keep to the names of the form.",
                ));
            }
        }
        let line_end = end_of_line(self.text, close);
        let rest = self.text[close..line_end].trim();
        if rest.is_empty() || rest.starts_with(['#', ';', '.', ',']) {
            return Ok(line_end + 1);
        }
        Err(syntax_error(
            self.text,
            close,
            &format!("{:?} after a call", excerpt(rest)),
            "the end of the line",
            "Write one call a line.",
        ))
    }

    /// Checks that a search or answer line is about the sub-question of its own number.
    fn check_agreement(&self, number: &str, arguments: &[Argument], open: usize) -> Result<(), PlanError> {
        let query = arguments.iter().find(|a| a.key == Some("query")).or(arguments.first());
        let about = query.map(|argument| text_of(&argument.value)).unwrap_or_default();
        let known = self.names.contains(&format!("Ans{number}"));
        match role_of(about) {
            Role::SubQuestion(other) if other == number && known => Ok(()),
            _ => {
                let what = format!("{:?} as the query of step {number}", excerpt(about));
                let expected = format!("Sub_Question_{number}, defined above");
                Err(syntax_error(
                    self.text,
                    query.map_or(open, |q| q.offset),
                    &what,
                    &expected,
                    "Give each sub-question, search and answer one number.",
                ))
            }
        }
    }

    fn read_compare(&self, arguments: &[Argument]) -> Result<Compare, PlanError> {
        let question = match arguments.iter().find(|a| a.key == Some("question")) {
            Some(argument) => match &argument.value {
                Word::Bare(name) if matches!(role_of(name), Role::Question) => self.plan.question.clone(),
                value => Some(text_of(value).to_owned()),
            },
            None => self.plan.question.clone(),
        };
        let mut of = Vec::new();
        for argument in arguments.iter().filter(|a| a.key == Some("answers")) {
            let list = text_of(&argument.value).trim().trim_start_matches('[').trim_end_matches(']');
            for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                of.push(self.read_name(name, argument.offset)?);
            }
        }
        Ok(Compare { of, how: None, by: None, question })
    }

    fn read_names(&self, arguments: &[Argument]) -> Result<Vec<String>, PlanError> {
        arguments.iter().map(|argument| self.read_name(text_of(&argument.value), argument.offset)).collect()
    }

    fn read_name(&self, written: &str, offset: usize) -> Result<String, PlanError> {
        let name = self.resolve_reference(written);
        if super::template::is_name(&name) {
            return Ok(name);
        }
        let hint = "Give an inner call a line and a name of its own, then use the name.";
        Err(syntax_error(
            self.text,
            offset,
            &format!("{:?} is not a name", excerpt(written)),
            "the name of an earlier set, such as Ans_1",
            hint,
        ))
    }

    /// Returns a name as its defining statement spells it.
    fn resolve_reference(&self, written: &str) -> String {
        let name =
            canonical_name(written.trim().trim_start_matches(['{', '[']).trim_end_matches(['}', ']']).trim());
        self.names.iter().find(|known| same_name(known, &name)).cloned().unwrap_or(name)
    }

    fn push_statement(&mut self, name: &str, at: usize, operation: Operation) -> Result<(), PlanError> {
        let indent = self.text[at..].len() - self.text[at..].trim_start().len();
        let here = position_of(self.text, at + indent);
        check_room(self.plan.statements.len(), self.limits, here)?;
        let name = canonical_name(name);
        self.names.push(name.clone());
        self.positions.push(here);
        self.plan.statements.push(Statement { name, thought: self.thought.take(), operation });
        Ok(())
    }

    /// Reads a string on one line, with or without `f` before it. Keeps inner quotes that were not escaped:
    /// on a line with one string its end is clear.
    fn read_string(&self, at: usize, line_end: usize) -> Result<String, PlanError> {
        let all = self.text[at..line_end].trim_end().trim_end_matches(';').trim_end();
        let rest = all.strip_prefix(['f', 'F']).unwrap_or(all);
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '“'));
        let Some(quote) = quote else {
            return Err(syntax_error(
                self.text,
                at,
                "no string",
                "a text in double quotes",
                "Put the question or thought in quotes, on one line.",
            ));
        };
        if let Some((inner, length)) = read_escaped(rest, quote).filter(|_| quote != '“')
            && (rest[length..].trim().is_empty() || rest[length..].trim_start().starts_with('#'))
        {
            return Ok(inner);
        }
        let close = if quote == '“' { '”' } else { quote };
        match rest[quote.len_utf8()..].rfind(close) {
            Some(end) if rest[quote.len_utf8() + end + close.len_utf8()..].trim().is_empty() => {
                Ok(rest[quote.len_utf8()..quote.len_utf8() + end].trim_matches(quote).to_owned())
            }
            _ => Err(syntax_error(
                self.text,
                at,
                "a string that does not end on its line",
                "a closing quote",
                "Keep each string on one line.",
            )),
        }
    }
}

fn text_of(word: &Word) -> &str {
    match word {
        Word::Bare(text) | Word::Quoted(text) | Word::Exact(text, _) => text,
    }
}

/// Returns true if a name would be read as something other than a set.
fn is_reserved(name: &str) -> bool {
    !matches!(role_of(name), Role::Set)
}

#[cfg(test)]
mod tests;
