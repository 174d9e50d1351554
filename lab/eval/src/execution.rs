//! Measures plans, of the sets and of planners, by their answers over the graph, compared as sets.

use super::gold::{self, Gold, QuestionSet};
use super::part::Part;
use pocketgraph::kg::{KnowledgeGraph, Linker};
use pocketgraph::plan::execute::{ExecuteError, Execution, Executor, Limits, Resources};
use pocketgraph::plan::{Head, Measure, Operation, Plan, Relation};
use pocketgraph::planner::RulesPlanner;
use pocketgraph_measure::quantile;
use pocketgraph_measure::records::DataError;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Instant;

const LISTED: usize = 2000;
/// Maximum number of wrong and of missing answers shown of a miss.
const SHOWN: usize = 5;

/// Reasons for which plans cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum PlansError {
    /// The questions cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A plan does not pass its checks.
    #[error("the plan of {id}: {reason}")]
    Plan {
        /// The question.
        id: String,
        /// Description of the fault.
        reason: ExecuteError,
    },
    /// An execution waited, which plans over a graph alone never do.
    #[error("the plan of {0} waited for passages")]
    Waited(String),
    /// The graph cannot be built.
    #[error("{0}")]
    Graph(String),
}

/// Author of the plans.
#[derive(Clone, Copy)]
pub enum Writer<'a> {
    /// The set itself.
    Gold,
    /// The rules, with the confidence below which they give no plan.
    Rules(f32),
    /// Another planner, such as a language model; its error says why there is no plan.
    Other(&'a dyn Fn(&str) -> Result<Plan, String>),
}

/// A question whose answers are not exactly the gold answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Miss {
    /// Its id.
    pub id: String,
    /// Its text, or its structure.
    pub question: String,
    /// The plan on one line, or the reason for its absence.
    pub plan: String,
    /// The gold plan on one line, or the reason for its absence.
    pub gold: String,
    /// Number of answers of the plan, and of gold answers.
    pub sizes: (usize, usize),
    /// Some answers that are not gold.
    pub wrong: Vec<String>,
    /// Some gold answers that were not found.
    pub lacking: Vec<String>,
    /// Missing or cut parts that the execution reports.
    pub stated: Vec<String>,
}

/// Figures of one group of questions.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PlanRow {
    /// The group: hops, the structure's name, the type of question. A question may belong to several.
    pub group: String,
    /// Number of questions.
    pub questions: usize,
    /// Number of questions with a plan.
    pub planned: usize,
    /// Number of questions whose first answer is a gold answer.
    pub hits_1: usize,
    /// Number of questions whose answer set is exactly the gold set.
    pub exact: usize,
    /// Mean precision of the answer sets; 0 for an empty one, unless that is right.
    pub precision: f64,
    /// Mean recall of the answer sets.
    pub recall: f64,
    /// Mean F1 of the answer sets.
    pub f1: f64,
    /// Number of questions with a gold plan.
    pub gold_plans: usize,
    /// Number of plans that follow and measure the relations of the gold plan, each as often.
    pub same_path: usize,
    /// Mean milliseconds of planning; 0 for gold plans.
    pub plan_ms: f64,
    /// Median milliseconds of an execution.
    pub p50_ms: f64,
    /// 95th percentile of the same.
    pub p95_ms: f64,
    /// Maximum of the same.
    pub max_ms: f64,
}

/// Result of [`evaluate_plans`].
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PlansReport {
    /// Groups, by name; questions that the graph is known not to answer fully have groups of their own.
    pub rows: Vec<PlanRow>,
    /// Misses in groups that should have none.
    pub misses: Vec<Miss>,
}

#[derive(Default)]
struct Group {
    row: PlanRow,
    times: Vec<f64>,
}

/// Writes and executes the plans of question files, in any form of `sets`, over a graph: of each file the
/// `first` questions of `part`, if given. For a planner only questions that the graph can answer count.
///
/// # Errors
/// [`PlansError`] for files in none of the forms, and for plans that do not pass their checks.
pub fn evaluate_plans(
    linker: &Linker,
    questions: &[PathBuf],
    sets: &[&dyn QuestionSet],
    writer: Writer<'_>,
    part: Option<Part>,
    first: Option<usize>,
) -> Result<PlansReport, PlansError> {
    let executor = Executor::new(Some(linker));
    let rules = match writer {
        Writer::Rules(least) => Some(RulesPlanner::new(linker).least_confidence(least)),
        Writer::Gold | Writer::Other(_) => None,
    };
    let gold_plans = matches!(writer, Writer::Gold);
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    let mut misses = Vec::new();
    for path in questions {
        let counts = |g: &Gold| (g.answerable || gold_plans) && part.is_none_or(|p| p.holds(&g.question));
        let counted = gold::read_gold(path, sets)?.into_iter().filter(counts);
        for gold in counted.take(first.unwrap_or(usize::MAX)) {
            let begun = Instant::now();
            let plan = match (&rules, writer) {
                (Some(rules), _) => rules.planned(&gold.question).map(|p| p.plan).map_err(|e| e.to_string()),
                (None, Writer::Other(plan)) => plan(&gold.question),
                (None, _) => gold.plan.clone(),
            };
            let plan_ms = begun.elapsed().as_secs_f64() * 1e3;
            let begun = Instant::now();
            let execution = plan.as_ref().ok().map(|plan| execute(&executor, plan, &gold.id)).transpose()?;
            let time = begun.elapsed().as_secs_f64() * 1e3;
            let ranked =
                execution.as_ref().map(|e| name_answers(linker.graph(), e, &gold)).unwrap_or_default();
            let found: BTreeSet<String> = ranked.iter().cloned().collect();
            let shared = found.intersection(&gold.answers).count() as f64;
            let exact = found == gold.answers && execution.is_some();
            let share = |times: f64, of: usize| if exact { 1.0 } else { times * shared / of.max(1) as f64 };
            let (precision, recall) = (share(1.0, found.len()), share(1.0, gold.answers.len()));
            let f1 = share(2.0, found.len() + gold.answers.len());
            let first = ranked.first().map_or(exact, |a| gold.answers.contains(a));
            let same = plan
                .as_ref()
                .ok()
                .zip(gold.plan.as_ref().ok())
                .is_some_and(|(a, b)| relations_of(a) == relations_of(b));
            for name in &gold.groups {
                let group = groups.entry(name.clone()).or_default();
                let row = &mut group.row;
                row.questions += 1;
                row.planned += usize::from(plan.is_ok());
                row.hits_1 += usize::from(first);
                row.exact += usize::from(exact);
                row.precision += precision;
                row.recall += recall;
                row.f1 += f1;
                row.gold_plans += usize::from(gold.plan.is_ok());
                row.same_path += usize::from(same);
                row.plan_ms += if gold_plans { 0.0 } else { plan_ms };
                if execution.is_some() {
                    group.times.push(time);
                }
            }
            if !exact && gold.answerable && misses.len() < LISTED {
                misses.push(miss_of(&gold, &plan, &found, execution.as_ref()));
            }
        }
    }
    let rows = groups.into_iter().map(|(name, g)| row_of(name, g)).collect();
    Ok(PlansReport { rows, misses })
}

/// Executes a plan over a graph. Returns its answers by the set's names, and true if they are the gold ones.
///
/// # Errors
/// [`PlansError`] for a plan that does not pass its checks.
pub fn execute_plan(linker: &Linker, plan: &Plan, gold: &Gold) -> Result<(Vec<String>, bool), PlansError> {
    let execution = execute(&Executor::new(Some(linker)), plan, &gold.id)?;
    let ranked = name_answers(linker.graph(), &execution, gold);
    let exact = ranked.iter().cloned().collect::<BTreeSet<String>>() == gold.answers;
    Ok((ranked, exact))
}

fn execute(executor: &Executor<'_>, plan: &Plan, id: &str) -> Result<Execution, PlansError> {
    let work = executor.execute(plan, Resources::default(), Limits::default());
    match futures::FutureExt::now_or_never(work) {
        None => Err(PlansError::Waited(id.to_owned())),
        Some(Err(reason)) => Err(PlansError::Plan { id: id.to_owned(), reason }),
        Some(Ok(execution)) => Ok(execution),
    }
}

/// Returns the answers by the set's names, best first, without the one that its convention omits.
pub(super) fn name_answers(graph: &KnowledgeGraph, execution: &Execution, gold: &Gold) -> Vec<String> {
    let all = execution.answer().ranked().into_iter().map(|m| gold.naming.of(&m.item, graph, &gold.answers));
    all.filter(|a| Some(a) != gold.without.as_ref()).collect()
}

fn miss_of(
    gold: &Gold,
    plan: &Result<Plan, String>,
    found: &BTreeSet<String>,
    execution: Option<&Execution>,
) -> Miss {
    let some = |set: std::collections::btree_set::Difference<'_, String>| set.take(SHOWN).cloned().collect();
    let mut missing_names = execution.map(|e| e.trace.missing()).unwrap_or_default();
    missing_names.extend(execution.iter().flat_map(|e| &e.trace.steps).flat_map(|s| s.truncated.clone()));
    let line =
        |plan: &Result<Plan, String>| plan.as_ref().map_or_else(|why| format!("none: {why}"), one_line);
    Miss {
        id: gold.id.clone(),
        question: gold.question.clone(),
        plan: line(plan),
        gold: line(&gold.plan),
        sizes: (found.len(), gold.answers.len()),
        wrong: some(found.difference(&gold.answers)),
        lacking: some(gold.answers.difference(found)),
        stated: missing_names,
    }
}

fn row_of(group: String, g: Group) -> PlanRow {
    let mut row = g.row;
    let of = row.questions.max(1) as f64;
    row.group = group;
    row.precision /= of;
    row.recall /= of;
    row.f1 /= of;
    row.plan_ms /= of;
    (row.p50_ms, row.p95_ms, row.max_ms) =
        (quantile(&g.times, 0.5), quantile(&g.times, 0.95), quantile(&g.times, 1.0));
    row
}

/// Returns the relations that a plan follows and measures, each with its direction, in order.
pub(super) fn relations_of(plan: &Plan) -> Vec<String> {
    let mut all = Vec::new();
    let mut add = |relation: &Relation| match relation {
        Relation::Exact { name, inverse } => all.push(format!("{}{name}", if *inverse { "^" } else { "" })),
        Relation::Phrase(phrase) => all.push(phrase.clone()),
    };
    for statement in &plan.statements {
        let measure = match &statement.operation {
            Operation::SearchKg(step) => {
                add(&step.relation);
                None
            }
            Operation::Superlative { by, .. } => by.as_ref(),
            Operation::Compare(compare) => compare.by.as_ref(),
            Operation::Filter { condition: pocketgraph::plan::Condition::Value(test), .. } => {
                test.by.as_ref()
            }
            _ => None,
        };
        if let Some(Measure::ValueOf(relation) | Measure::NumberOf(relation)) = measure {
            add(relation);
        }
    }
    all.sort();
    all
}

/// Writes a plan on one line: `[Heat] directed_by -> ^directed_by`.
fn one_line(plan: &Plan) -> String {
    let mut out: Vec<String> = Vec::new();
    for statement in &plan.statements {
        let step =
            Plan { question: None, statements: vec![statement.clone()], answer: statement.name.clone() };
        let start = match &statement.operation {
            Operation::SearchKg(step) => match &step.head {
                Head::Entity(name) | Head::Mention(name) => format!("[{name}]"),
                Head::Reference(name) => name.clone(),
            },
            _ => String::new(),
        };
        let text = match (&statement.operation, pocketgraph::plan::rft::print(&step)) {
            (Operation::SearchKg(_), _) => format!("{start} {}", relations_of(&step).join("")),
            (_, Ok(text)) => text
                .lines()
                .rfind(|l| l.contains('=') && !l.starts_with("Answer"))
                .unwrap_or_default()
                .split_once('=')
                .map_or("", |p| p.1)
                .to_owned(),
            (other, Err(_)) => other.name().to_owned(),
        };
        out.push(format!("{}: {text}", statement.name));
    }
    out.join("; ")
}
