//! Measuring planners: do their plans find the gold answers, and do they have the gold shape.

use pocketgraph::kg::{Direction, KgBuilder, KgError, KnowledgeGraph, NodeId, Provenance};
use pocketgraph::plan::{Head, Operation, Plan, Relation};
use pocketgraph::planner::RulesPlanner;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Why a planner cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum PlanEvalError {
    /// A file cannot be read.
    #[error("cannot read {path}: {reason}")]
    Read {
        /// The file.
        path: std::path::PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// A line is not what it should be.
    #[error("{path}, line {line}: {what}")]
    Line {
        /// The file.
        path: std::path::PathBuf,
        /// Its line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// The graph cannot be built.
    #[error(transparent)]
    Graph(#[from] KgError),
}

/// What a vocabulary file says of a relation.
#[derive(Debug, Clone, Default)]
struct Ends {
    head: Option<String>,
    tail: Option<String>,
}

fn read(path: &Path) -> Result<String, PlanEvalError> {
    std::fs::read_to_string(path).map_err(|reason| PlanEvalError::Read { path: path.to_owned(), reason })
}

/// A graph of lines `head|relation|tail`, with the types and, if asked for, the relations' synonyms of a vocabulary file: tab-separated kind
/// (`relation` or `type`), name, label, type of heads, type of tails, synonyms between commas.
///
/// # Errors
/// [`PlanEvalError`] for files that cannot be read and lines of other forms.
pub fn piped_graph(triples: &Path, vocabulary: &Path, synonyms: bool) -> Result<KnowledgeGraph, PlanEvalError> {
    let mut builder = KgBuilder::default();
    let mut ends: BTreeMap<String, Ends> = BTreeMap::new();
    for (number, line) in read(vocabulary)?.lines().enumerate().filter(|(_, l)| !l.is_empty() && !l.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [kind, name, label, head, tail, aliases] = cells[..] else {
            return Err(PlanEvalError::Line { path: vocabulary.to_owned(), line: number + 1, what: "six columns are needed".to_owned() });
        };
        let aliases = aliases.split(',').map(str::trim).filter(|a| !a.is_empty());
        if kind == "type" {
            let of = builder.entity_type(name)?;
            builder.type_label(of, label)?;
            for alias in aliases {
                builder.type_label(of, alias)?;
            }
            continue;
        }
        let relation = builder.relation(name)?;
        builder.relation_label(relation, label)?;
        for alias in aliases.filter(|_| synonyms) {
            builder.relation_alias(relation, alias)?;
        }
        let named = |t: &str| (!t.is_empty()).then(|| t.to_owned());
        ends.insert(name.to_owned(), Ends { head: named(head), tail: named(tail) });
    }
    let file = triples.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    for (number, line) in read(triples)?.lines().enumerate() {
        let cells: Vec<&str> = line.split('|').collect();
        let [head, relation, tail] = cells[..] else {
            return Err(PlanEvalError::Line { path: triples.to_owned(), line: number + 1, what: "three columns are needed".to_owned() });
        };
        let (h, t) = (builder.entity(head)?, builder.entity(tail)?);
        let of = ends.get(relation).cloned().unwrap_or_default();
        for (node, named) in [(h, of.head), (t, of.tail)] {
            if let Some(named) = named {
                let of = builder.entity_type(&named)?;
                builder.entity_has_type(node, of)?;
            }
        }
        let relation = builder.relation(relation)?;
        let line = u32::try_from(number + 1).unwrap_or(0);
        builder.triple(h, relation, t, Provenance::Line { file: &file, line })?;
    }
    Ok(builder.finish()?)
}

/// A question with its answers and its gold path.
#[derive(Debug, Clone)]
pub struct PlanQuestion {
    /// The question.
    pub text: String,
    /// The labels of the answers.
    pub answers: BTreeSet<String>,
    /// The gold path, `movie_to_director_to_movie`, or pattern, where the set has one.
    pub gold: String,
}

/// The questions of a file of JSON Lines, only those marked `closed` where lines are marked.
///
/// # Errors
/// [`PlanEvalError`] for a file that cannot be read and lines of other forms.
pub fn plan_questions(path: &Path) -> Result<Vec<PlanQuestion>, PlanEvalError> {
    let mut questions = Vec::new();
    for (number, line) in read(path)?.lines().enumerate() {
        let wrong = |what: &str| PlanEvalError::Line { path: path.to_owned(), line: number + 1, what: what.to_owned() };
        let value: Value = serde_json::from_str(line).map_err(|e| wrong(&e.to_string()))?;
        if value.get("closed") == Some(&Value::Bool(false)) {
            continue;
        }
        let text = value.get("question").and_then(Value::as_str).ok_or_else(|| wrong("no question"))?.to_owned();
        let answers = value.get("answers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let answers = answers.iter().filter_map(|a| a.as_str().map(str::to_owned)).collect();
        let gold = ["plan", "type"].iter().find_map(|key| value.get(*key)?.as_str()).unwrap_or_default().to_owned();
        questions.push(PlanQuestion { text, answers, gold });
    }
    Ok(questions)
}

/// How the answers of plans agree with the gold answers.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct AnswerFigures {
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
    /// Milliseconds a question, mean.
    pub milliseconds: f64,
}

/// Measures the rules planner on questions whose answers are labels of the graph. `miss` hears of each question whose answer set is not
/// the gold set.
pub fn measure_rules(planner: &RulesPlanner<'_>, graph: &KnowledgeGraph, questions: &[PlanQuestion], miss: &mut dyn FnMut(&PlanQuestion, Option<&Plan>, f32)) -> AnswerFigures {
    let mut figures = AnswerFigures { questions: questions.len(), ..AnswerFigures::default() };
    let start = std::time::Instant::now();
    for question in questions {
        let planned = planner.planned(&question.text);
        let (plan, answer, confidence): (Option<&Plan>, Vec<NodeId>, f32) = match &planned {
            Ok(found) => (Some(&found.plan), found.answer.clone(), found.confidence),
            Err(_) => (None, Vec::new(), 0.0),
        };
        figures.planned += usize::from(plan.is_some());
        let found: BTreeSet<&str> = answer.iter().map(|&node| graph.label(node)).collect();
        let right = found.iter().filter(|a| question.answers.contains(**a)).count() as f64;
        let first = answer.first().is_some_and(|&node| question.answers.contains(graph.label(node)));
        let exact = right as usize == question.answers.len() && found.len() == question.answers.len();
        figures.hits_1 += f64::from(u8::from(first));
        figures.exact += f64::from(u8::from(exact));
        if right > 0.0 {
            figures.f1 += 2.0 * right / (found.len() + question.answers.len()) as f64;
        }
        if !exact {
            miss(question, plan, confidence);
        }
    }
    let n = questions.len().max(1) as f64;
    figures.milliseconds = start.elapsed().as_secs_f64() * 1e3 / n;
    figures.hits_1 /= n;
    figures.f1 /= n;
    figures.exact /= n;
    figures
}

/// A plan of exact steps on one line, for a report: `Heat directed_by ^directed_by`.
pub fn path_of(plan: &Plan) -> String {
    let mut out = String::new();
    for statement in &plan.statements {
        let Operation::SearchKg(step) = &statement.operation else { continue };
        if let Head::Entity(name) | Head::Mention(name) = &step.head {
            out.push_str(&format!("[{name}]"));
        }
        if let Relation::Exact { name, inverse } = &step.relation {
            out.push_str(if *inverse { " ^" } else { " " });
            out.push_str(name);
        }
    }
    out
}

/// The degree of a node, for reports.
pub fn degree(graph: &KnowledgeGraph, node: NodeId) -> usize {
    graph.degree(node, Direction::Forward) + graph.degree(node, Direction::Backward)
}
