//! Sub-questions in words for the steps of a plan over a graph, from the labels of its relations and types:
//! the step that leads from Heat to its directors asks "What is the director of Heat?".

use super::super::{Compare, Head, Operation, Part, Plan, Relation, SearchKg, Statement, Template};
use crate::compact::Map;
use crate::text::lexicon::{Language, SPOKEN};

/// Returns a thought about a sub-question: what the plan does with its answers.
pub fn explain_step(plan: &Plan, name: &str) -> String {
    let user = plan.statements.iter().find(|s| s.operation.references().contains(&name));
    match user.map(|s| &s.operation) {
        None => "The answers to this are the answers to the question.",
        Some(Operation::Intersect { .. }) => {
            "An answer must be among those to this and among those to another sub-question."
        }
        Some(Operation::Union { .. }) => {
            "An answer is among those to this or among those to another sub-question."
        }
        Some(Operation::Negation { main, .. }) if main == name => "An answer must be among those to this.",
        Some(Operation::Negation { .. }) => "An answer must not be among those to this.",
        Some(Operation::Compare(_)) => "The comparison needs the answers to this.",
        Some(_) => "This comes first, since a later sub-question is about its answers.",
    }
    .to_owned()
}

/// Returns a plan with sub-questions for steps, named as LPKG names them; `None` where the form has no such
/// operation.
pub fn write_sub_questions(plan: &Plan, question: &str) -> Option<Plan> {
    let (mut renamed, mut statements): (Map<&str, String>, Vec<Statement>) = (Map::new(), Vec::new());
    let (mut answers, mut intersections, mut unions) = (0, 0, 0);
    let count = |n: &mut usize, stem: &str| {
        *n += 1;
        format!("{stem}{n}")
    };
    for statement in &plan.statements {
        let known = |names: &[String]| {
            names.iter().map(|n| renamed.get(n.as_str()).cloned()).collect::<Option<Vec<String>>>()
        };
        let name = match &statement.operation {
            Operation::SearchKg(step) => {
                let query = ask_step(step, &|name| renamed.get(name).cloned())?;
                let name = count(&mut answers, "Ans");
                let thought = Some(explain_step(plan, &statement.name));
                statements.push(Statement {
                    name: name.clone(),
                    thought,
                    operation: Operation::Search { query },
                });
                name
            }
            Operation::Intersect { of } => {
                let of = known(of)?;
                two_at_a_time(
                    &of,
                    &mut statements,
                    &mut || count(&mut intersections, "Inter_Results"),
                    &|of| Operation::Intersect { of },
                )?
            }
            Operation::Union { of } => {
                let of = known(of)?;
                two_at_a_time(&of, &mut statements, &mut || count(&mut unions, "Union_Results"), &|of| {
                    Operation::Union { of }
                })?
            }
            Operation::Compare(compare) if compare.by.is_none() => {
                let operation = Operation::Compare(Compare {
                    of: known(&compare.of)?,
                    how: None,
                    by: None,
                    question: Some(question.to_owned()),
                });
                let name = count(&mut answers, "Ans");
                statements.push(Statement { name: name.clone(), thought: None, operation });
                name
            }
            _ => return None,
        };
        renamed.insert(&statement.name, name);
    }
    let answer = renamed.get(plan.answer.as_str())?.clone();
    Some(Plan { question: Some(question.to_owned()), statements, answer })
}

/// Combines sets by pairs; gives the last name.
fn two_at_a_time(
    of: &[String],
    statements: &mut Vec<Statement>,
    name: &mut dyn FnMut() -> String,
    operation: &dyn Fn(Vec<String>) -> Operation,
) -> Option<String> {
    let (first, others) = of.split_first()?;
    let mut combined = first.clone();
    for next in others {
        let name = name();
        statements.push(Statement {
            name: name.clone(),
            thought: None,
            operation: operation(vec![combined, next.clone()]),
        });
        combined = name;
    }
    Some(combined)
}

/// Returns the question that a step answers: "Which film is directed by Mann?". `renamed` spells earlier
/// names.
pub fn ask_step(step: &SearchKg, renamed: &dyn Fn(&str) -> Option<String>) -> Option<Template> {
    let head = match &step.head {
        Head::Reference(name) => Part::Reference(renamed(name)?),
        Head::Mention(words) | Head::Entity(words) => Part::Text(words.clone()),
    };
    let (relation, inverse) = match &step.relation {
        Relation::Exact { name, inverse } => (name, *inverse),
        Relation::Phrase(words) => (words, false),
    };
    let target = step.target.as_deref();
    let which = target.map_or_else(|| "What".to_owned(), |target| format!("Which {target}"));
    // "Directed by", "located in": the label is what something is.
    let is_state = relation.rsplit_once(' ').is_some_and(|(_, last)| SPOKEN.prepositions().contains(last));
    let (before, after) = match (inverse, is_state) {
        (false, true) => (format!("{which} is "), format!(" {relation}?")),
        (true, true) => (format!("{which} is {relation} "), "?".to_owned()),
        (false, false) => (format!("{which} is the {relation} of "), "?".to_owned()),
        (true, false) => (format!("Which {} has ", target.unwrap_or("one")), format!(" as its {relation}?")),
    };
    Some(Template::new([Part::Text(before), head, Part::Text(after)]))
}
