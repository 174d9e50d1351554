//! Measuring plan execution: gold plans of public sets, run over their graphs, answers compared as sets.

use super::data::DataError;
use super::gold::{self, Gold};
use pocketgraph::kg::{KnowledgeGraph, Linker};
use pocketgraph::plan::execute::{ExecuteError, Execution, Executor, Limits, Resources};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

/// Misses of one group that are listed in full.
const LISTED: usize = 1000;
/// Answers of a miss that are shown, of those too many and of those lacking.
const SHOWN: usize = 5;

/// Why plans cannot be measured.
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
        /// What is wrong.
        reason: ExecuteError,
    },
    /// An execution waited for something: gold plans never do.
    #[error("the plan of {0} waited for passages")]
    Waited(String),
}

/// A question whose answers are not exactly the gold answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Miss {
    /// Its id.
    pub id: String,
    /// Its text, or its structure.
    pub question: String,
    /// How many answers the plan found and how many are gold.
    pub sizes: (usize, usize),
    /// Some answers that are not gold.
    pub wrong: Vec<String>,
    /// Some gold answers that were not found.
    pub lacking: Vec<String>,
    /// What the execution says is missing or cut off.
    pub said: Vec<String>,
}

/// The figures of one group of questions.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PlanRow {
    /// The group: hops, or the structure's name.
    pub group: String,
    /// Questions.
    pub questions: usize,
    /// Whose answer set is exactly the gold set.
    pub exact: usize,
    /// Mean F1 of the answer sets.
    pub f1: f64,
    /// Milliseconds of an execution: the median.
    pub p50_ms: f64,
    /// Milliseconds of an execution: 95 % are faster.
    pub p95_ms: f64,
    /// The slowest.
    pub max_ms: f64,
}

/// What [`evaluate_plans`] found.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PlansReport {
    /// The groups, by name; questions that the graph is known not to answer wholly have groups of their own.
    pub rows: Vec<PlanRow>,
    /// The misses of groups that should have none.
    pub misses: Vec<Miss>,
}

#[derive(Default)]
struct Group {
    exact: usize,
    f1: f64,
    times: Vec<f64>,
}

/// Executes the gold plans of the question files (MetaQA, BetaE's NELL) over a graph.
///
/// # Errors
/// [`PlansError`] for files that are neither, and for plans that do not pass their checks.
pub fn evaluate_plans(linker: &Linker, questions: &[std::path::PathBuf]) -> Result<PlansReport, PlansError> {
    let executor = Executor::new(Some(linker));
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    let mut misses = Vec::new();
    for path in questions {
        for gold in gold::read(path)? {
            let begun = Instant::now();
            let execution = execute(&executor, &gold)?;
            let time = begun.elapsed().as_secs_f64() * 1e3;
            let found = answers(linker.graph(), &execution, &gold);
            let shared = found.intersection(&gold.answers).count() as f64;
            let group = groups.entry(gold.group.clone()).or_default();
            group.times.push(time);
            group.f1 += if shared == 0.0 && !(found.is_empty() && gold.answers.is_empty()) {
                0.0
            } else {
                2.0 * shared.max(f64::MIN_POSITIVE) / (found.len() + gold.answers.len()).max(1) as f64
            };
            if found == gold.answers {
                group.exact += 1;
            } else if gold.answerable && misses.len() < LISTED {
                misses.push(miss(&gold, &found, &execution));
            }
        }
    }
    let rows = groups.into_iter().map(|(name, g)| row(name, g)).collect();
    Ok(PlansReport { rows, misses })
}

fn execute(executor: &Executor<'_>, gold: &Gold) -> Result<Execution, PlansError> {
    let work = executor.execute(&gold.plan, Resources::default(), Limits::default());
    match futures::FutureExt::now_or_never(work) {
        None => Err(PlansError::Waited(gold.id.clone())),
        Some(Err(reason)) => Err(PlansError::Plan { id: gold.id.clone(), reason }),
        Some(Ok(execution)) => Ok(execution),
    }
}

/// The answers as the set names them, without the one that its convention leaves out.
fn answers(graph: &KnowledgeGraph, execution: &Execution, gold: &Gold) -> BTreeSet<String> {
    let label = |item: &pocketgraph::plan::execute::Item| match (item.node(), gold.by_id) {
        (Some(node), true) => graph.id(node).to_owned(),
        _ => item.label(Some(graph)),
    };
    let all = execution.answer().members.iter().map(|m| label(&m.item));
    all.filter(|a| Some(a) != gold.without.as_ref()).collect()
}

fn miss(gold: &Gold, found: &BTreeSet<String>, execution: &Execution) -> Miss {
    let some = |set: std::collections::btree_set::Difference<'_, String>| set.take(SHOWN).cloned().collect();
    let mut said = execution.trace.missing();
    said.extend(execution.trace.steps.iter().flat_map(|s| s.truncated.clone()));
    Miss {
        id: gold.id.clone(),
        question: gold.question.clone(),
        sizes: (found.len(), gold.answers.len()),
        wrong: some(found.difference(&gold.answers)),
        lacking: some(gold.answers.difference(found)),
        said,
    }
}

fn row(group: String, mut g: Group) -> PlanRow {
    g.times.sort_by(f64::total_cmp);
    let n = g.times.len();
    let at = |q: f64| g.times.get(((n.saturating_sub(1)) as f64 * q).round() as usize).copied().unwrap_or(0.0);
    PlanRow { group, questions: n, exact: g.exact, f1: g.f1 / n.max(1) as f64, p50_ms: at(0.5), p95_ms: at(0.95), max_ms: at(1.0) }
}

/// How well a graph's names are found in questions.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct LinkingRow {
    /// The file of questions.
    pub file: String,
    /// Questions with a marked entity.
    pub questions: usize,
    /// Whose marked entity is the first candidate of the most telling mention.
    pub first: usize,
    /// Whose marked entity is a candidate of some mention.
    pub found: usize,
    /// Whose marked entity is in the graph at all.
    pub in_graph: usize,
    /// Milliseconds of finding and ranking a question's mentions: the median.
    pub p50_ms: f64,
    /// 99 % are faster.
    pub p99_ms: f64,
}

/// Links the questions of a file that marks their entities (MetaQA).
///
/// # Errors
/// [`DataError`] for a file that does not mark entities.
pub fn evaluate_linking(linker: &Linker, path: &Path) -> Result<LinkingRow, DataError> {
    let graph = linker.graph();
    let mut row = LinkingRow { file: path.display().to_string(), ..LinkingRow::default() };
    let mut times = Vec::new();
    for (question, entity) in gold::marked_entities(path)? {
        let begun = Instant::now();
        let topics = linker.topics(&question);
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        let is = |c: &pocketgraph::kg::Candidate| graph.label(c.node) == entity;
        row.questions += 1;
        row.first += usize::from(topics.first().and_then(|m| m.candidates.first()).is_some_and(is));
        row.found += usize::from(topics.iter().any(|m| m.candidates.iter().any(is)));
        row.in_graph += usize::from(!linker.exact(&entity).is_empty());
    }
    times.sort_by(f64::total_cmp);
    let at = |q: f64| times.get((times.len().saturating_sub(1) as f64 * q).round() as usize).copied().unwrap_or(0.0);
    (row.p50_ms, row.p99_ms) = (at(0.5), at(0.99));
    Ok(row)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::kg::{ImportOptions, KgFiles, import};

    fn measured(triples: &str, questions: &str) -> PlansReport {
        let dir = tempfile::tempdir().unwrap();
        let (kb, q) = (dir.path().join("kb.tsv"), dir.path().join("q.jsonl"));
        std::fs::write(&kb, triples).unwrap();
        std::fs::write(&q, questions).unwrap();
        let (graph, _) = import(&KgFiles { triples: vec![kb], ..KgFiles::default() }, &ImportOptions::default()).unwrap();
        evaluate_plans(&Linker::new(&graph), &[q]).unwrap()
    }

    #[test]
    fn a_right_answer_set_is_exact_and_a_wrong_one_is_listed() {
        let report = measured(
            "Heat\tdirected_by\tMann\nAli\tdirected_by\tMann\nHeat\tin_language\tEnglish",
            "{\"id\":\"1\",\"question\":\"q\",\"entity\":\"Heat\",\"answers\":[\"Ali\"],\"plan\":\"movie_to_director_to_movie\",\"closed\":true}\n\
             {\"id\":\"2\",\"question\":\"q\",\"entity\":\"Mann\",\"answers\":[\"Ali\"],\"plan\":\"director_to_movie\",\"closed\":true}\n\
             {\"id\":\"3\",\"question\":\"q\",\"entity\":\"Ali\",\"answers\":[\"English\"],\"plan\":\"movie_to_language\",\"closed\":false}",
        );
        let rows: Vec<_> = report.rows.iter().map(|r| (r.group.as_str(), r.questions, r.exact)).collect();
        assert_eq!(rows, [("1 hop, closed", 1, 0), ("1 hop, open", 1, 0), ("2 hops, closed", 1, 1)]);
        assert_eq!((report.misses.len(), report.misses[0].wrong.as_slice()), (1, &["Heat".to_owned()][..]));
    }

    #[test]
    fn betae_structures_execute_exactly() {
        let triples = "1\t10\t2\n1\t10\t3\n4\t11\t3\n3\t12\t5\n2\t12\t6\n7\t11\t9";
        let cases = [
            ("2i", "[[1,[10]],[4,[11]]]", "[3]"),
            ("2in", "[[1,[10]],[4,[11,-2]]]", "[2]"),
            ("ip", "[[[1,[10]],[4,[11]]],[12]]", "[5]"),
            ("inp", "[[[1,[10]],[4,[11,-2]]],[12]]", "[6]"),
            ("2u-DNF", "[[1,[10]],[7,[11]],[-1]]", "[2,3,9]"),
            ("2u-DM", "[[[1,[10,-2]],[7,[11,-2]]],[-2]]", "[2,3,9]"),
            ("up-DM", "[[[1,[10,-2]],[7,[11,-2]]],[-2,12]]", "[5,6]"),
            ("pni", "[[1,[10,12,-2]],[1,[10]]]", "[2,3]"),
        ];
        let lines: Vec<String> =
            cases.iter().map(|(t, q, a)| format!("{{\"id\":\"{t}-0\",\"type\":\"{t}\",\"query\":{q},\"answers\":{a}}}")).collect();
        let report = measured(triples, &lines.join("\n"));
        assert_eq!(report.misses, []);
        assert_eq!(report.rows.iter().map(|r| r.exact).sum::<usize>(), cases.len());
    }
}
