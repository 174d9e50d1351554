//! Pairs to tune any language model into a planner: an instruction with demonstrations, a question, and its
//! plan as code with sub-questions, as in LPKG (arXiv 2406.14282, equations 3 and 4) or as plan lines.
//!
//! The sub-questions are said by a grammar from the labels that an example lists: the step that leads from Heat to its
//! directors asks "What is the director of Heat?". Before each, a thought says what its answers are for. Demonstrations
//! are drawn from the same graph's examples, each of another pattern.

use super::near_duplicates::fnv;
use pocketgraph::plan::check::Limits;
use pocketgraph::plan::{Compare, Head, Operation, Part, Plan, Relation, SearchKg, Statement, Template, json_form, lpkg, rft};
use pocketgraph::text::lexicon::{Language, SPOKEN};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// LPKG's nine patterns.
pub const LPKG: [&str; 9] = ["1p", "2p", "3p", "2i", "3i", "2u", "ip", "pi", "compare"];

const CODE: &str = "Turn the question into a plan: code of one assignment a line. A sub-question asks for one fact about one thing; where it needs earlier \
answers it names them in braces. Sets of answers are combined by Intersection and Union, two at a time; Compare settles comparisons; Finish_The_Plan names \
the answer.";
const LINES: &str = "Turn the question into a plan: one step a line, Name=Function(...), over SearchKG, Intersect, Union, Negation, Compare, Count, Max and Min. \
The last line is the answer.";

/// An example whose plan has been written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The pattern.
    pub pattern: String,
    /// The question.
    pub question: String,
    /// The plan.
    pub plan: String,
    /// True if it is code, rather than plan lines.
    pub is_code: bool,
}

/// Options of a file of pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairOptions {
    /// Number of each pattern; absent patterns are left out.
    pub of: BTreeMap<String, usize>,
    /// Demonstrations in each instruction.
    pub demonstrations: usize,
    /// As messages of a chat, rather than instruction, input and output.
    pub chat: bool,
    /// Fixes the draws.
    pub seed: u64,
}

/// An example's plan written out; `None` where it is no example of `train data`, or neither form can say its plan.
pub fn written(example: &Value) -> Option<Written> {
    let text = |key: &str| example.get(key)?.as_str().map(str::to_owned);
    let (pattern, question) = (text("pattern")?, text("question")?);
    let plan = json_form::parse(&example.get("plan")?.to_string(), &Limits::default()).ok()?.plan;
    let labels = serde_json::from_value(example["labels"].clone()).unwrap_or_default();
    let named = in_words(&plan, &names_in(example, &question), &labels);
    let code = in_code(&named, &question).and_then(|plan| lpkg::print(&plan).ok());
    let is_code = code.is_some();
    let plan = code.or_else(|| rft::print(&Plan { question: None, ..named }).ok())?;
    Some(Written { pattern, question, plan: plan.trim_end().to_owned(), is_code })
}

/// The words of a question for each entity that it names.
fn names_in(example: &Value, question: &str) -> BTreeMap<String, String> {
    let letters: Vec<char> = question.chars().collect();
    let span = |span: &Value| {
        let place = |key: &str| span.get(key)?.as_u64().and_then(|n| usize::try_from(n).ok());
        let words: String = letters.get(place("start")?..place("end")?)?.iter().collect();
        (span.get("kind")? == "entity").then_some((span.get("name")?.as_str()?.to_owned(), words))
    };
    example.get("spans").and_then(Value::as_array).into_iter().flatten().filter_map(span).collect()
}

/// A plan whose heads are words of the question and whose relations and types are their labels.
fn in_words(plan: &Plan, names: &BTreeMap<String, String>, labels: &BTreeMap<String, String>) -> Plan {
    let label = |name: &String| labels.get(name).cloned().unwrap_or_else(|| name.replace(['_', '.', '/'], " "));
    let mut plan = plan.clone();
    for statement in &mut plan.statements {
        let Operation::SearchKg(step) = &mut statement.operation else { continue };
        if let Head::Entity(id) = &step.head {
            step.head = Head::Mention(names.get(id).cloned().unwrap_or_else(|| id.clone()));
        }
        if let Relation::Exact { name, .. } = &mut step.relation {
            *name = label(name);
        }
        step.target = step.target.as_ref().map(label);
    }
    plan
}

/// Returns a thought about a sub-question: what the plan does with its answers.
fn explain_step(plan: &Plan, name: &str) -> String {
    let user = plan.statements.iter().find(|s| s.operation.references().contains(&name));
    match user.map(|s| &s.operation) {
        None => "The answers to this are the answers to the question.",
        Some(Operation::Intersect { .. }) => "An answer must be among those to this and among those to another sub-question.",
        Some(Operation::Union { .. }) => "An answer is among those to this or among those to another sub-question.",
        Some(Operation::Compare(_)) => "The comparison needs the answers to this.",
        Some(_) => "This comes first, since a later sub-question is about its answers.",
    }
    .to_owned()
}

/// The plan with sub-questions for steps, named as LPKG names them; `None` where the form has no such operation.
fn in_code(plan: &Plan, question: &str) -> Option<Plan> {
    let (mut renamed, mut statements): (BTreeMap<&str, String>, Vec<Statement>) = (BTreeMap::new(), Vec::new());
    let (mut answers, mut intersections, mut unions) = (0, 0, 0);
    let count = |n: &mut usize, stem: &str| {
        *n += 1;
        format!("{stem}{n}")
    };
    for statement in &plan.statements {
        let known = |names: &[String]| names.iter().map(|n| renamed.get(n.as_str()).cloned()).collect::<Option<Vec<String>>>();
        let name = match &statement.operation {
            Operation::SearchKg(step) => {
                let query = sub_question(step, &|name| renamed.get(name).cloned())?;
                let name = count(&mut answers, "Ans");
                let thought = Some(explain_step(plan, &statement.name));
                statements.push(Statement { name: name.clone(), thought, operation: Operation::Search { query } });
                name
            }
            Operation::Intersect { of } => {
                let of = known(of)?;
                two_at_a_time(&of, &mut statements, &mut || count(&mut intersections, "Inter_Results"), &|of| Operation::Intersect { of })?
            }
            Operation::Union { of } => {
                let of = known(of)?;
                two_at_a_time(&of, &mut statements, &mut || count(&mut unions, "Union_Results"), &|of| Operation::Union { of })?
            }
            Operation::Compare(compare) if compare.by.is_none() => {
                let operation =
                    Operation::Compare(Compare { of: known(&compare.of)?, how: None, by: None, question: Some(question.to_owned()) });
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
        statements.push(Statement { name: name.clone(), thought: None, operation: operation(vec![combined, next.clone()]) });
        combined = name;
    }
    Some(combined)
}

fn sub_question(step: &SearchKg, renamed: &dyn Fn(&str) -> Option<String>) -> Option<Template> {
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

/// The pairs of these examples, as many of each pattern as are wanted, as far as there are so many; a line each.
pub fn pairs(examples: &[Written], options: &PairOptions) -> Vec<Value> {
    let mut by_pattern: BTreeMap<&str, Vec<&Written>> = BTreeMap::new();
    for example in examples.iter().filter(|e| options.of.contains_key(&e.pattern)) {
        by_pattern.entry(&example.pattern).or_default().push(example);
    }
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = Vec::new();
    for example in examples {
        let Some(most) = options.of.get(&example.pattern) else { continue };
        let n = taken.entry(&example.pattern).or_default();
        if *n < *most {
            *n += 1;
            out.push(build_pair(example, &pick_demonstrations(example, &by_pattern, options), options.chat));
        }
    }
    out
}

/// Other examples of the same form, each of another pattern.
fn pick_demonstrations<'e>(example: &Written, by_pattern: &BTreeMap<&str, Vec<&'e Written>>, options: &PairOptions) -> Vec<&'e Written> {
    let draw = fnv(options.seed.to_le_bytes().into_iter().chain(example.question.bytes()));
    let of_form: Vec<&Vec<&Written>> = by_pattern.values().filter(|all| all.iter().any(|e| e.is_code == example.is_code)).collect();
    let begin = usize::try_from(draw % of_form.len().max(1) as u64).unwrap_or_default();
    let around = of_form.iter().cycle().skip(begin).take(of_form.len());
    let one = |all: &&Vec<&'e Written>| {
        let fit: Vec<&'e Written> =
            all.iter().copied().filter(|e| e.is_code == example.is_code && e.question != example.question).collect();
        fit.get(usize::try_from(draw >> 8).unwrap_or_default().checked_rem(fit.len())?).copied()
    };
    around.filter_map(one).take(options.demonstrations).collect()
}

fn build_pair(example: &Written, shown: &[&Written], chat: bool) -> Value {
    let mut instruction = if example.is_code { CODE } else { LINES }.to_owned();
    for demonstration in shown {
        instruction.push_str(&format!("\n\nQuestion: {}\n{}", demonstration.question, demonstration.plan));
    }
    let form = if example.is_code { "code" } else { "lines" };
    let (input, output) = (format!("Question: {}", example.question), &example.plan);
    match chat {
        true => json!({
            "pattern": example.pattern, "form": form,
            "messages": [
                {"role": "system", "content": instruction}, {"role": "user", "content": input}, {"role": "assistant", "content": output},
            ],
        }),
        false => json!({"pattern": example.pattern, "form": form, "instruction": instruction, "input": input, "output": output}),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{DataOptions, LPKG, Near, Noise, PATTERNS, generate};
    use super::*;
    use pocketgraph_knowledge::everyday;

    fn examples() -> Vec<Value> {
        let world = || everyday::world(1).map_err(|e| e.to_string());
        let options = DataOptions { examples: 170, held_relations: 0, held_entities: 0, noise: Noise::default(), seed: 1, jobs: 1 };
        let (mut train, mut test) = (Vec::new(), Vec::new());
        generate(&world().unwrap(), &world, &options, &Near::default(), &mut train, &mut test, &|_| {}).unwrap();
        String::from_utf8(train).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    }

    #[test]
    fn a_step_becomes_a_sub_question_and_sets_are_combined_by_pairs() {
        let plan = json!({"answer": "Ans5", "statements": [
            {"name": "Ans1", "op": "search_kg", "head": {"entity": "q1"}, "relation": {"exact": {"name": "directed_by", "inverse": true}}, "target": "film"},
            {"name": "Ans2", "op": "search_kg", "head": {"reference": "Ans1"}, "relation": {"exact": {"name": "P161", "inverse": false}}},
            {"name": "Ans3", "op": "search_kg", "head": {"entity": "q2"}, "relation": {"exact": {"name": "spouse", "inverse": false}}},
            {"name": "Ans4", "op": "search_kg", "head": {"entity": "q2"}, "relation": {"exact": {"name": "child", "inverse": false}}},
            {"name": "Ans5", "op": "intersect", "of": ["Ans2", "Ans3", "Ans4"]}]});
        let question = "Who starred for Mann and is family of Voss?";
        let spans =
            json!([{"kind": "entity", "name": "q1", "start": 16, "end": 20}, {"kind": "entity", "name": "q2", "start": 38, "end": 42}]);
        let labels = json!({"P161": "cast member", "film": "movie"});
        let found = written(&json!({"pattern": "3i", "question": question, "plan": plan, "spans": spans, "labels": labels})).unwrap();
        for line in [
            "Thought1: str = \"This comes first, since a later sub-question is about its answers.\"",
            "Sub_Question_1: str = f\"Which movie is directed by Mann?\"",
            "Info_1: str = Search(query = Sub_Question_1, thought = Thought1)",
            "Sub_Question_2: str = f\"What is the cast member of {Ans_1}?\"",
            "Inter_Results1: str = Intersection(Answer1 = Ans_2, Answer2 = Ans_3)",
            "Inter_Results2: str = Intersection(Answer1 = Inter_Results1, Answer2 = Ans_4)",
            "Final_Answer: str = Finish_The_Plan(Answer = Inter_Results2)",
        ] {
            assert!(found.plan.contains(line), "{line}\n{}", found.plan);
        }
    }

    #[test]
    fn every_pattern_is_written_and_read_again_and_lpkgs_are_code() {
        let written: Vec<Written> = examples().iter().map(|e| super::written(e).unwrap()).collect();
        for pattern in PATTERNS {
            let of: Vec<&Written> = written.iter().filter(|w| w.pattern == pattern.name()).collect();
            assert!(!of.is_empty(), "{pattern:?}");
            for w in of {
                assert_eq!(w.plan.starts_with("### Question Type: "), LPKG.contains(&pattern.name()), "{pattern:?} {}", w.plan);
                let read = if w.is_code { lpkg::parse } else { rft::parse };
                assert!(read(&w.plan, &Limits::default()).is_ok(), "{}", w.plan);
            }
        }
    }

    #[test]
    fn pairs_keep_their_distribution_and_show_other_examples() {
        let written: Vec<Written> = examples().iter().filter_map(super::written).collect();
        let of = BTreeMap::from([("2p".to_owned(), 3), ("2i".to_owned(), 2), ("1p".to_owned(), 0)]);
        let options = PairOptions { of, demonstrations: 2, chat: false, seed: 1 };
        let pairs = pairs(&written, &options);
        let count = |p: &str| pairs.iter().filter(|v| v["pattern"] == p).count();
        assert_eq!((count("2p"), count("2i"), pairs.len()), (3, 2, 5));
        for pair in &pairs {
            let (instruction, input) = (pair["instruction"].as_str().unwrap(), pair["input"].as_str().unwrap());
            assert_eq!(instruction.matches("\n\nQuestion: ").count(), 2);
            assert!(!instruction.contains(input), "a question does not show its own answer");
        }
        let chat = super::pairs(&written, &PairOptions { chat: true, ..options });
        assert_eq!(chat[0]["messages"].as_array().unwrap().len(), 3);
    }
}
