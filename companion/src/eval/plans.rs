//! Measuring planners: do their plans find the gold answers, and do they have the gold shape.

use super::data::{DataError, lines};
use pocketgraph::kg::{KnowledgeGraph, Linker, NodeId};
use pocketgraph::plan::execute::{Executor, Limits, Resources};
use pocketgraph::plan::{Head, Operation, Plan, Relation};
use pocketgraph::planner::{RulesPlanner, names, pattern};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Misses of one file that are listed.
const LISTED: usize = 1000;

/// A question with its answers and its gold path or pattern.
#[derive(Debug, Clone)]
struct Question {
    text: String,
    answers: BTreeSet<String>,
    gold: String,
}

/// The questions of a file of JSON Lines, only those marked `closed` where lines are marked.
fn questions(path: &Path) -> Result<Vec<Question>, DataError> {
    let mut found = Vec::new();
    for (line, value) in lines(path)? {
        if value.get("closed") == Some(&Value::Bool(false)) {
            continue;
        }
        let lacking = || DataError::Line { path: path.to_owned(), line, what: "it has no question".to_owned() };
        let text = value.get("question").and_then(Value::as_str).ok_or_else(lacking)?.to_owned();
        let answers = value.get("answers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let answers = answers.iter().filter_map(|a| a.as_str().map(str::to_owned)).collect();
        let gold = ["plan", "type"].iter().find_map(|key| value.get(*key)?.as_str()).unwrap_or_default().to_owned();
        found.push(Question { text, answers, gold });
    }
    Ok(found)
}

/// How the answers of a planner's plans agree with the gold answers, for one file of questions.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct PlannerRow {
    /// The file.
    pub file: String,
    /// Questions.
    pub questions: usize,
    /// Questions for which there was a plan.
    pub planned: usize,
    /// Part of the questions whose first answer is a gold answer.
    pub hits_1: f64,
    /// Mean F1 of the answer sets.
    pub f1: f64,
    /// Part of the questions whose answer set is the gold set.
    pub exact: f64,
    /// Plans whose execution finds what the planner saw while it planned.
    pub agreed: usize,
    /// Milliseconds of planning, mean.
    pub milliseconds: f64,
    /// Questions whose answer set is not the gold set, with the plan's path.
    pub misses: Vec<String>,
}

/// Measures the rules planner on a file of questions whose answers are labels of the graph. Every plan is executed. As in MetaQA the
/// entity that a chain of several steps starts from is no answer.
///
/// # Errors
/// [`DataError`] for a file that cannot be read.
pub fn evaluate_rules(linker: &Linker, path: &Path, least: f32) -> Result<PlannerRow, DataError> {
    let graph = linker.graph();
    let planner = RulesPlanner::new(linker).least_confidence(least);
    let executor = Executor::new(Some(linker));
    let mut row = PlannerRow { file: path.display().to_string(), ..PlannerRow::default() };
    for question in questions(path)? {
        row.questions += 1;
        let begun = std::time::Instant::now();
        let planned = planner.planned(&question.text);
        row.milliseconds += begun.elapsed().as_secs_f64() * 1e3;
        let mut found: Vec<String> = Vec::new();
        if let Ok(planned) = &planned {
            row.planned += 1;
            found = executed(graph, &executor, &planned.plan);
            let seen: BTreeSet<&str> = planned.answer.iter().map(|&node: &NodeId| graph.label(node)).collect();
            row.agreed += usize::from(seen.len() == found.len() && found.iter().all(|label| seen.contains(label.as_str())));
        }
        let right = found.iter().filter(|a| question.answers.contains(*a)).count();
        let exact = right == question.answers.len() && found.len() == right;
        row.hits_1 += f64::from(u8::from(found.first().is_some_and(|a| question.answers.contains(a))));
        row.exact += f64::from(u8::from(exact));
        row.f1 += 2.0 * right as f64 / (found.len() + question.answers.len()).max(1) as f64;
        if !exact && row.misses.len() < LISTED {
            let path = planned.as_ref().map_or_else(ToString::to_string, |p| path_of(&p.plan));
            row.misses.push(format!("{} | {} | {path}", question.text, question.gold));
        }
    }
    let n = row.questions.max(1) as f64;
    for figure in [&mut row.hits_1, &mut row.exact, &mut row.f1, &mut row.milliseconds] {
        *figure /= n;
    }
    Ok(row)
}

/// The labels that a plan finds, best first, each once, without those of the entities that it starts from.
fn executed(graph: &KnowledgeGraph, executor: &Executor<'_>, plan: &Plan) -> Vec<String> {
    let work = executor.execute(plan, Resources::default(), Limits::default());
    let Some(Ok(execution)) = futures::FutureExt::now_or_never(work) else { return Vec::new() };
    let starts: BTreeSet<&str> = plan.statements.iter().filter_map(start).collect();
    let several = plan.statements.len() > 1;
    let mut seen = BTreeSet::new();
    let compare = plan.statements.iter().any(|s| matches!(s.operation, Operation::Compare(_)));
    let all = execution.answer().members.iter().map(|m| m.item.label(Some(graph)));
    all.filter(|label| compare || !(several && starts.contains(label.as_str()))).filter(|label| seen.insert(label.clone())).collect()
}

fn start(statement: &pocketgraph::plan::Statement) -> Option<&str> {
    match &statement.operation {
        Operation::SearchKg(step) => match &step.head {
            Head::Entity(name) | Head::Mention(name) => Some(name),
            Head::Reference(_) => None,
        },
        _ => None,
    }
}

/// A plan of exact steps on one line, for a report: `[Heat] directed_by ^directed_by`.
fn path_of(plan: &Plan) -> String {
    let mut out = String::new();
    for statement in &plan.statements {
        if let Some(name) = start(statement) {
            out.push_str(&format!("[{name}]"));
        }
        match &statement.operation {
            Operation::SearchKg(step) => {
                if let Relation::Exact { name, inverse } = &step.relation {
                    out.push_str(&format!(" {}{name}", if *inverse { "^" } else { "" }));
                }
            }
            other => out.push_str(&format!(" {}", other.name())),
        }
    }
    out
}

/// How often the pattern of questions is told from their words.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct PatternReport {
    /// Questions.
    pub questions: usize,
    /// Whose pattern is the gold pattern.
    pub right: usize,
    /// Mean recall of the gold patterns.
    pub macro_recall: f64,
    /// Questions by gold pattern and told pattern.
    pub confusion: BTreeMap<String, BTreeMap<String, usize>>,
}

/// Tells the patterns of a file of questions with a gold `type` (CLQA-Wiki), with names found by quotes and capitals.
///
/// # Errors
/// [`DataError`] for a file that cannot be read.
pub fn evaluate_patterns(path: &Path) -> Result<PatternReport, DataError> {
    let mut report = PatternReport::default();
    for question in questions(path)? {
        let told = pattern(&question.text, &names(&question.text)).name();
        report.questions += 1;
        report.right += usize::from(told == question.gold);
        *report.confusion.entry(question.gold).or_default().entry(told).or_default() += 1;
    }
    let recall = |(gold, told): (&String, &BTreeMap<String, usize>)| {
        told.get(gold).copied().unwrap_or(0) as f64 / told.values().sum::<usize>().max(1) as f64
    };
    report.macro_recall = report.confusion.iter().map(recall).sum::<f64>() / report.confusion.len().max(1) as f64;
    Ok(report)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::kg::{ImportOptions, KgFiles, import};

    #[test]
    fn synonyms_decide_what_is_planned_and_plans_are_executed() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let kb = file("kb.tsv", "Heat\tdirected_by\tMann\nAli\tdirected_by\tMann\nHeat\tstarred\tPacino");
        let types = file("t.tsv", "id\tlabel\taliases\nmovie\tmovie\tfilm");
        let relations = file("r.tsv", "id\tlabel\taliases\tdomain\trange\ndirected_by\tdirected by\thelmed\tmovie\tperson");
        let labels = file("l.tsv", "id\tlabel\tdomain\trange\ndirected_by\tdirected by\tmovie\tperson");
        let linker = |relations: &std::path::PathBuf| {
            let files =
                KgFiles { triples: vec![kb.clone()], relations: vec![relations.clone()], types: vec![types.clone()], ..KgFiles::default() };
            Linker::new(&import(&files, &ImportOptions::default()).unwrap().0)
        };
        let set = file(
            "q.jsonl",
            "{\"question\":\"who helmed Heat\",\"answers\":[\"Mann\"],\"plan\":\"movie_to_director\",\"closed\":true}\n\
             {\"question\":\"which films share directors with Heat\",\"answers\":[\"Ali\"],\"closed\":true}\n\
             {\"question\":\"left out\",\"answers\":[],\"closed\":false}",
        );
        let row = evaluate_rules(&linker(&relations), &set, 0.3).unwrap();
        assert_eq!((row.questions, row.planned, row.exact, row.agreed), (2, 2, 1.0, 2), "{:?}", row.misses);
        assert_eq!(evaluate_rules(&linker(&labels), &set, 0.3).unwrap().planned, 1);
    }

    #[test]
    fn patterns_are_counted_by_gold_pattern() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("q.jsonl");
        std::fs::write(&path, "{\"question\":\"Which is larger, Portugal or Mexico?\",\"type\":\"compare\"}").unwrap();
        let report = evaluate_patterns(&path).unwrap();
        assert_eq!((report.questions, report.right, report.macro_recall), (1, 1, 1.0));
    }
}
