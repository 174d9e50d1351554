//! Pairs to tune any language model into a planner: an instruction with demonstrations, a question, and its
//! plan as code with sub-questions, as in LPKG (arXiv 2406.14282, equations 3 and 4) or as plan lines.
//!
//! The sub-questions are made of the labels that an example lists. Before each, a thought says what its
//! answers are for. Demonstrations are drawn from the same graph's examples, each of another pattern.

use super::near_duplicates::fnv;
use pocketgraph::agent::{AgentOptions, ask_for_plan};
use pocketgraph::plan::check::Limits;
use pocketgraph::plan::{Head, Operation, Plan, Relation, json_form, lpkg, rft};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// LPKG's nine patterns.
pub const LPKG: [&str; 9] = ["1p", "2p", "3p", "2i", "3i", "2u", "ip", "pi", "compare"];

const LINES: &str = "Turn the question into a plan: one step a line, Name=Function(...), over SearchKG, \
Intersect, Union, Negation, Compare, Count, Max and Min. \
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

/// An example's plan written out; `None` where it is no example of `train data`, or neither form can say its
/// plan.
pub fn write_plan(example: &Value) -> Option<Written> {
    let text = |key: &str| example.get(key)?.as_str().map(str::to_owned);
    let (pattern, question) = (text("pattern")?, text("question")?);
    let (_, named) = explain_plan(example, &BTreeMap::new())?;
    let code = lpkg::write_sub_questions(&named, &question).and_then(|plan| lpkg::print(&plan).ok());
    let is_code = code.is_some();
    let plan = code.or_else(|| rft::print(&Plan { question: None, ..named }).ok())?;
    Some(Written { pattern, question, plan: plan.trim_end().to_owned(), is_code })
}

/// Returns an example's plan, and the same in words: its heads as the question names them, the rest by `own`
/// words or labels.
pub(super) fn explain_plan(example: &Value, own: &BTreeMap<String, String>) -> Option<(Plan, Plan)> {
    let plan = json_form::parse(&example.get("plan")?.to_string(), &Limits::default()).ok()?.plan;
    let mut labels: BTreeMap<String, String> =
        serde_json::from_value(example["labels"].clone()).unwrap_or_default();
    labels.extend(own.clone());
    let named = in_words(&plan, &names_in(example, example["question"].as_str()?, "entity"), &labels);
    Some((plan, named))
}

/// Returns the words of a question for each entity or relation that it names.
pub(super) fn names_in(example: &Value, question: &str, kind: &str) -> BTreeMap<String, String> {
    let letters: Vec<char> = question.chars().collect();
    let span = |span: &Value| {
        let place = |key: &str| span.get(key)?.as_u64().and_then(|n| usize::try_from(n).ok());
        let words: String = letters.get(place("start")?..place("end")?)?.iter().collect();
        (span.get("kind")? == kind).then_some((span.get("name")?.as_str()?.to_owned(), words))
    };
    example.get("spans").and_then(Value::as_array).into_iter().flatten().filter_map(span).collect()
}

/// A plan whose heads are words of the question and whose relations and types are their labels.
fn in_words(plan: &Plan, names: &BTreeMap<String, String>, labels: &BTreeMap<String, String>) -> Plan {
    let label =
        |name: &String| labels.get(name).cloned().unwrap_or_else(|| name.replace(['_', '.', '/'], " "));
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

/// The pairs of these examples, as many of each pattern as are wanted, as far as there are so many; a line
/// each.
pub fn make_pairs(examples: &[Written], options: &PairOptions) -> Vec<Value> {
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
fn pick_demonstrations<'e>(
    example: &Written,
    by_pattern: &BTreeMap<&str, Vec<&'e Written>>,
    options: &PairOptions,
) -> Vec<&'e Written> {
    let draw = fnv(options.seed.to_le_bytes().into_iter().chain(example.question.bytes()));
    let of_form: Vec<&Vec<&Written>> =
        by_pattern.values().filter(|all| all.iter().any(|e| e.is_code == example.is_code)).collect();
    let begin = usize::try_from(draw % of_form.len().max(1) as u64).unwrap_or_default();
    let around = of_form.iter().cycle().skip(begin).take(of_form.len());
    let one = |all: &&Vec<&'e Written>| {
        let fit: Vec<&'e Written> = all
            .iter()
            .copied()
            .filter(|e| e.is_code == example.is_code && e.question != example.question)
            .collect();
        fit.get(usize::try_from(draw >> 8).unwrap_or_default().checked_rem(fit.len())?).copied()
    };
    around.filter_map(one).take(options.demonstrations).collect()
}

/// Writes a pair: what the protocol `lpkg` asks, or a task of plan lines in its form, and the plan.
fn build_pair(example: &Written, shown: &[&Written], chat: bool) -> Value {
    let shown: Vec<(String, String)> = shown.iter().map(|e| (e.question.clone(), e.plan.clone())).collect();
    let prompt = match example.is_code {
        true => ask_for_plan(&AgentOptions::default(), &example.question, &shown),
        false => {
            let shown: String =
                shown.iter().map(|(question, plan)| format!("Question: {question}\n{plan}\n\n")).collect();
            format!("{LINES}\n\n{shown}Question: {}", example.question)
        }
    };
    let form = if example.is_code { "code" } else { "lines" };
    let (instruction, input) = prompt.rsplit_once("\n\n").unwrap_or(("", &prompt));
    match chat {
        true => json!({
            "pattern": example.pattern, "form": form,
            "messages": [{"role": "user", "content": prompt}, {"role": "assistant", "content": example.plan}],
        }),
        false => json!({
            "pattern": example.pattern, "form": form, "instruction": instruction, "input": input, "output": example.plan,
        }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests {
    use super::super::{DataOptions, LPKG, Near, Noise, PATTERNS, generate_examples};
    use super::*;
    use futures::executor::block_on;
    use futures::future::{FutureExt, ready};
    use pocketgraph::agent::{Environment, Evidence, Looked, Services, by_name, run_protocol};
    use pocketgraph_knowledge::everyday;
    use pocketgraph_testing::model::Scripted;

    struct Nothing;

    impl Environment for Nothing {
        fn search<'a>(&'a self, _: &'a str, _: usize) -> Looked<'a, Evidence> {
            ready(Ok(Vec::new())).boxed_local()
        }
    }

    pub fn examples() -> Vec<Value> {
        let world = || everyday::build_world(1).map_err(|e| e.to_string());
        let options = DataOptions {
            examples: 170,
            held_relations: 0,
            held_entities: 0,
            noise: Noise::default(),
            seed: 1,
            jobs: 1,
        };
        let (mut train, mut test) = (Vec::new(), Vec::new());
        generate_examples(
            &world().unwrap(),
            &world,
            &options,
            &Near::default(),
            &mut train,
            &mut test,
            &|_| {},
        )
        .unwrap();
        String::from_utf8(train).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    }

    #[test]
    fn a_step_becomes_a_sub_question_and_sets_are_combined_by_pairs() {
        let plan = json!({"answer": "Ans5", "statements": [
            {"name": "Ans1", "op": "search_kg", "head": {"entity": "q1"},
                "relation": {"exact": {"name": "directed_by", "inverse": true}}, "target": "film"},
            {"name": "Ans2", "op": "search_kg", "head": {"reference": "Ans1"},
                "relation": {"exact": {"name": "P161", "inverse": false}}},
            {"name": "Ans3", "op": "search_kg", "head": {"entity": "q2"},
                "relation": {"exact": {"name": "spouse", "inverse": false}}},
            {"name": "Ans4", "op": "search_kg", "head": {"entity": "q2"},
                "relation": {"exact": {"name": "child", "inverse": false}}},
            {"name": "Ans5", "op": "intersect", "of": ["Ans2", "Ans3", "Ans4"]}]});
        let question = "Who starred for Mann and is family of Voss?";
        let spans = json!([{"kind": "entity", "name": "q1", "start": 16, "end": 20}, {"kind": "entity",
            "name": "q2", "start": 38, "end": 42}]);
        let labels = json!({"P161": "cast member", "film": "movie"});
        let found = write_plan(
            &json!({"pattern": "3i", "question": question, "plan": plan, "spans": spans, "labels": labels}),
        )
        .unwrap();
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
        let written: Vec<Written> = examples().iter().map(|e| super::write_plan(e).unwrap()).collect();
        for pattern in PATTERNS {
            let of: Vec<&Written> = written.iter().filter(|w| w.pattern == pattern.name()).collect();
            assert!(!of.is_empty(), "{pattern:?}");
            for w in of {
                assert_eq!(
                    w.plan.starts_with("### Question Type: "),
                    LPKG.contains(&pattern.name()),
                    "{pattern:?} {}",
                    w.plan
                );
                let read = if w.is_code { lpkg::parse } else { rft::parse };
                assert!(read(&w.plan, &Limits::default()).is_ok(), "{}", w.plan);
            }
        }
    }

    #[test]
    fn pairs_keep_their_distribution_and_show_other_examples() {
        let written: Vec<Written> = examples().iter().filter_map(super::write_plan).collect();
        let of = BTreeMap::from([("2p".to_owned(), 3), ("2i".to_owned(), 2), ("1p".to_owned(), 0)]);
        let options = PairOptions { of, demonstrations: 2, chat: false, seed: 1 };
        let pairs = make_pairs(&written, &options);
        let count = |p: &str| pairs.iter().filter(|v| v["pattern"] == p).count();
        assert_eq!((count("2p"), count("2i"), pairs.len()), (3, 2, 5));
        for pair in &pairs {
            let (instruction, input) =
                (pair["instruction"].as_str().unwrap(), pair["input"].as_str().unwrap());
            assert_eq!(instruction.matches("\n\nQuestion: ").count(), 2);
            assert!(!instruction.contains(input), "a question does not show its own answer");
        }
        let chat = super::make_pairs(&written, &PairOptions { chat: true, ..options });
        let pair = |key: &str| pairs[0][key].as_str().unwrap();
        let whole = json!([
            {"role": "user", "content": format!("{}\n\n{}", pair("instruction"), pair("input"))},
            {"role": "assistant", "content": pair("output")},
        ]);
        assert_eq!(chat[0]["messages"], whole);
    }

    #[test]
    fn a_model_is_tuned_on_the_words_in_which_it_is_asked() {
        let written: Vec<Written> = examples().iter().filter_map(super::write_plan).collect();
        let of = BTreeMap::from([("2p".to_owned(), 1)]);
        let pair = &make_pairs(&written, &PairOptions { of, demonstrations: 0, chat: true, seed: 1 })[0];
        let question = written.iter().find(|w| w.pattern == "2p").unwrap().question.clone();
        let model = Scripted::new(&["no plan"]);
        let services =
            Services { chat: &model, environment: &Nothing, clock: &|| 0.0, count_tokens: &str::len };
        let (protocol, options) = (by_name("lpkg").unwrap(), AgentOptions::default());
        block_on(run_protocol(protocol.as_ref(), &question, &options, &services, &mut |_| {})).unwrap();
        assert_eq!(model.requests.borrow()[0].messages[0].content, pair["messages"][0]["content"]);
    }
}
