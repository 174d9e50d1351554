//! Writes plans as Graph-RFT lines, such that [`parse`](super::parse) reads the same plan back.

use super::super::read::{canonical_name, is_answer_name, write_quoted};
use super::super::{
    Condition, Fault, Head, Literal, Measure, Operand, Operation, Plan, PlanError, Position, Relation, Test,
    same_name,
};
use super::call::is_wild;

/// Writes a plan as lines, without tags around them. Names are canonical: `Ans_1` becomes `Ans1`.
///
/// # Errors
/// [`Fault::Inexpressible`] for a value whose unit is no plain word, [`Fault::Name`] for an invalid name. The
/// line of the error is the statement's number.
pub fn print(plan: &Plan) -> Result<String, PlanError> {
    let mut out = String::new();
    if let Some(question) = &plan.question {
        out.push_str(&format!("# Question: {}\n", print_comment(question)));
    }
    for (index, statement) in plan.statements.iter().enumerate() {
        let at = Position { line: u32::try_from(index + 1).unwrap_or(u32::MAX), column: 1 };
        if let Some(thought) = &statement.thought {
            out.push_str(&format!("# {}\n", print_comment(thought)));
        }
        let printer = Printer { plan, at };
        out.push_str(&format!(
            "{}={}\n",
            printer.print_name(&statement.name)?,
            printer.print_operation(&statement.operation)?
        ));
    }
    let last = plan.statements.last().map_or("", |s| s.name.as_str());
    if !same_name(last, &plan.answer) {
        let at = Position { line: u32::try_from(plan.statements.len()).unwrap_or(u32::MAX), column: 1 };
        out.push_str(&format!("Answer={}\n", Printer { plan, at }.print_name(&plan.answer)?));
    }
    Ok(out)
}

struct Printer<'a> {
    plan: &'a Plan,
    at: Position,
}

impl Printer<'_> {
    fn print_operation(&self, operation: &Operation) -> Result<String, PlanError> {
        Ok(match operation {
            Operation::SearchKg(step) => {
                let target = self.print_target(step.target.as_deref());
                format!(
                    "SearchKG(t={target} | h={}, r={})",
                    self.print_head(&step.head)?,
                    self.print_relation(&step.relation)
                )
            }
            Operation::Search { query } => {
                format!("Search(q={})", self.print_words(&query.map_references(canonical_name).to_string()))
            }
            Operation::All { target, relation } => {
                // Without both, a reader reports the missing type.
                let target = (target.is_some() || relation.is_none())
                    .then(|| format!("t={}", self.print_target(target.as_deref())));
                let relation = relation.as_ref().map(|r| format!("r={}", self.print_relation(r)));
                format!("All({})", target.into_iter().chain(relation).collect::<Vec<_>>().join(", "))
            }
            Operation::Entity { head } => format!("Entity(h={})", self.print_head(head)?),
            Operation::Intersect { of } => format!("Intersect({})", self.print_names(of)?),
            Operation::Union { of } => format!("Union({})", self.print_names(of)?),
            Operation::Negation { main, minus } if minus.is_empty() => {
                format!("Negation({})", self.print_name(main)?)
            }
            Operation::Negation { main, minus } => {
                format!("Negation({}, {})", self.print_name(main)?, self.print_names(minus)?)
            }
            Operation::Count { of } => format!("Count({})", self.print_name(of)?),
            Operation::Compare(compare) => {
                let how = compare.how.map(|how| format!("how={}", how.word()));
                let question =
                    compare.question.as_ref().map(|question| format!("q={}", self.print_words(question)));
                let keyed = self.join_keyed([how, question, self.print_measure(compare.by.as_ref())]);
                format!("Compare({}{keyed})", self.print_names(&compare.of)?)
            }
            Operation::Filter { of, condition: Condition::Type(target) } => {
                format!("Filter({} | t={})", self.print_name(of)?, self.print_words(target))
            }
            Operation::Filter { of, condition: Condition::Value(Test { by, comparison, to }) } => {
                let to = match to {
                    Operand::Reference(name) => self.print_name(name)?,
                    Operand::Literal(literal) => self.print_literal(literal)?,
                };
                let value = Some(format!("v {} {to}", comparison.symbol()));
                format!(
                    "Filter({}{})",
                    self.print_name(of)?,
                    self.join_keyed([self.print_measure(by.as_ref()), value, None])
                )
            }
            Operation::Superlative { of, by, extreme, keep } => {
                let function = if extreme.word() == "min" { "Min" } else { "Max" };
                let keep = (*keep != 1).then(|| format!("n={keep}"));
                format!(
                    "{function}({}{})",
                    self.print_name(of)?,
                    self.join_keyed([self.print_measure(by.as_ref()), keep, None])
                )
            }
        })
    }

    fn print_target(&self, target: Option<&str>) -> String {
        match target {
            None => "*".to_owned(),
            Some(target) if is_wild(target) => write_quoted(target),
            Some(target) => self.print_words(target),
        }
    }

    fn print_head(&self, head: &Head) -> Result<String, PlanError> {
        Ok(match head {
            Head::Mention(text) => self.print_words(text),
            Head::Reference(name) => self.print_name(name)?,
            Head::Entity(name) => print_exact(name, false),
        })
    }

    fn join_keyed(&self, parts: [Option<String>; 3]) -> String {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { String::new() } else { format!(" | {}", parts.join(", ")) }
    }

    fn print_names(&self, names: &[String]) -> Result<String, PlanError> {
        let names: Result<Vec<String>, PlanError> = names.iter().map(|name| self.print_name(name)).collect();
        Ok(names?.join(", "))
    }

    fn print_name(&self, name: &str) -> Result<String, PlanError> {
        if super::super::template::is_name(name) {
            return Ok(canonical_name(name));
        }
        let fault = Fault::Name(super::super::check::excerpt(name));
        Err(PlanError::new(
            self.at,
            fault,
            "letters, digits and underscores, first a letter",
            "Call the first step Ans1.",
        ))
    }

    fn print_measure(&self, measure: Option<&Measure>) -> Option<String> {
        Some(match measure? {
            Measure::ValueOf(relation) => format!("r={}", self.print_relation(relation)),
            Measure::NumberOf(relation) => format!("count={}", self.print_relation(relation)),
        })
    }

    fn print_relation(&self, relation: &Relation) -> String {
        match relation {
            Relation::Phrase(text) => self.print_words(text),
            Relation::Exact { name, inverse } => print_exact(name, *inverse),
        }
    }

    fn print_literal(&self, literal: &Literal) -> Result<String, PlanError> {
        match literal {
            Literal::Text(text) => Ok(write_quoted(text)),
            _ => literal.plain().ok_or_else(|| {
                let fault = Fault::Inexpressible(format!("the value {literal}"));
                PlanError::new(self.at, fault, "a finite number with a plain unit", "Use the JSON form.")
            }),
        }
    }

    /// Returns a text bare if it reads back unchanged, else in quotes.
    fn print_words(&self, text: &str) -> String {
        let plain = |c: char| c.is_alphanumeric() || " .'-!?&/%$*+;".contains(c);
        let first = text.chars().next().is_some_and(|c| c.is_alphanumeric());
        let known = is_answer_name(text) || self.plan.statements.iter().any(|s| same_name(&s.name, text));
        // A comma is safe unless a possible key follows; colons and equals signs are never plain.
        let bare = first && !known && text.trim() == text && text.chars().all(|c| plain(c) || c == ',');
        if bare { text.to_owned() } else { write_quoted(text) }
    }
}

/// Returns a name of the graph in angle brackets.
fn print_exact(name: &str, inverse: bool) -> String {
    let plain = !name.is_empty()
        && !name.starts_with(['"', '^'])
        && !name.chars().any(|c| "<>".contains(c) || c.is_control());
    let name = if plain { name.to_owned() } else { write_quoted(name) };
    format!("{}<{name}>", if inverse { "^" } else { "" })
}

fn print_comment(text: &str) -> String {
    let plain = !text.is_empty()
        && text.trim() == text
        && !text.starts_with(['"', '#'])
        && !text.chars().any(char::is_control)
        && !text.get(..9).is_some_and(|word| word.eq_ignore_ascii_case("question:"));
    if plain { text.to_owned() } else { write_quoted(text) }
}
