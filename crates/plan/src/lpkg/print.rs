//! Writes plans in LPKG's code form, such that [`parse`](super::parse) reads the same plan back.

use super::super::check::{Limits, check};
use super::super::read::{canonical_name, write_quoted};
use super::super::{Fault, Operation, Plan, PlanError, Position, Shape, Statement};
use super::is_reserved;

/// Writes a plan as code, with the question type if the form has a name for it.
///
/// # Errors
/// [`Fault::Inexpressible`] for operations that the form lacks (`SearchKG`, `All`, negation, count, filter,
/// superlative, a comparison by a measure), for a search whose name is not `Ans` and a number, and for
/// reserved names. The line of the error is the statement's number.
pub fn print(plan: &Plan) -> Result<String, PlanError> {
    let mut out = String::new();
    let shape =
        check(plan, &[], &Limits::default()).ok().and_then(|checked| Shape::of(plan, &checked).lpkg_name());
    if let Some(shape) = shape {
        out.push_str(&format!("### Question Type: {shape}\n"));
    }
    if let Some(question) = &plan.question {
        out.push_str(&format!("Original_Question: str = {}\n", write_quoted(question)));
    }
    for (index, statement) in plan.statements.iter().enumerate() {
        let at = Position { line: u32::try_from(index + 1).unwrap_or(u32::MAX), column: 1 };
        out.push_str(&print_lines(plan, index, statement).map_err(|what| {
            PlanError::new(
                at,
                Fault::Inexpressible(what),
                "searches, intersections, unions, comparisons by a question",
                "Use plan lines or JSON.",
            )
        })?);
    }
    out.push_str(&format!("Final_Answer: str = Finish_The_Plan(Answer = {})\n", spell_name(&plan.answer)));
    Ok(out)
}

fn print_lines(plan: &Plan, index: usize, statement: &Statement) -> Result<String, String> {
    if !super::super::template::is_name(&statement.name) {
        return Err("a name that is no name".to_owned());
    }
    if is_reserved(&statement.name) {
        return Err(format!("a set named {}", statement.name));
    }
    let mut out = String::new();
    let number = digits_of(&statement.name);
    let thought = number.clone().unwrap_or_else(|| (index + 1).to_string());
    if let Some(words) = &statement.thought {
        out.push_str(&format!("Thought{thought}: str = {}\n", write_quoted(words)));
    }
    let call = match &statement.operation {
        Operation::Search { query } => {
            let n = number.ok_or_else(|| format!("a search named {}", statement.name))?;
            let with =
                if statement.thought.is_some() { format!(", thought = Thought{n}") } else { String::new() };
            out.push_str(&format!(
                "Sub_Question_{n}: str = f{}\n",
                write_quoted(&query.map_references(spell_name).to_string())
            ));
            out.push_str(&format!("Info_{n}: str = Search(query = Sub_Question_{n}{with})\n"));
            format!("Get_Answer(query = Sub_Question_{n}, info = Info_{n})")
        }
        Operation::Intersect { of } => format!("Intersection({})", print_arguments(of)),
        Operation::Union { of } => format!("Union({})", print_arguments(of)),
        Operation::Compare(compare) if compare.how.is_none() && compare.by.is_none() => {
            let question = match &compare.question {
                None => return Err("a comparison without a question".to_owned()),
                question if *question == plan.question => "Original_Question".to_owned(),
                Some(question) => write_quoted(question),
            };
            let searches = compare.of.iter().filter_map(|name| match plan.statement(name)?.operation {
                Operation::Search { .. } => {
                    super::print::digits_of(name).map(|n| format!("Sub_Question_{n}"))
                }
                _ => None,
            });
            let subquestions: Vec<String> = searches.collect();
            let answers: Vec<String> = compare.of.iter().map(|name| spell_name(name)).collect();
            let (subquestions, answers) = (subquestions.join(", "), answers.join(", "));
            format!(
                "Compare(Original_Query = {question}, Subquestions = [{subquestions}], Answers = [{answers}])"
            )
        }
        Operation::Compare(_) => return Err("a comparison by a measure".to_owned()),
        other => return Err(format!("the operation {}", other.name())),
    };
    out.push_str(&format!("{}: str = {call}\n", spell_name(&statement.name)));
    Ok(out)
}

fn print_arguments(of: &[String]) -> String {
    let arguments: Vec<String> =
        of.iter().enumerate().map(|(i, name)| format!("Answer{} = {}", i + 1, spell_name(name))).collect();
    arguments.join(", ")
}

/// Returns the digits of a name such as `Ans12`.
fn digits_of(name: &str) -> Option<String> {
    let canonical = canonical_name(name);
    canonical
        .strip_prefix("Ans")
        .filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        .map(str::to_owned)
}

/// Returns a name in the form's spelling: `Ans_1` for `Ans1`.
fn spell_name(name: &str) -> String {
    digits_of(name).map_or_else(|| name.to_owned(), |n| format!("Ans_{n}"))
}
