//! Measuring how the pattern of questions is told from their words.

use miette::IntoDiagnostic;
use pocketgraph::planner::model::Shape;
use pocketgraph::planner::{names, pattern};
use pocketgraph_eval::Part;
use pocketgraph_measure::records::{DataError, read_lines};
use pocketgraph_models::planner_model::{NativePlanner, PlannerSource};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// JSON Lines of questions with their type (CLQA-Wiki)
    #[arg(long)]
    questions: PathBuf,
    /// Only a part of the questions, chosen by themselves: 1/2 is the first of two, not-1/10 all but
    /// the first of ten
    #[arg(long, value_name = "K/N")]
    part: Option<Part>,
    /// Let a trained planner tell the patterns instead of the rules
    #[arg(long, value_name = "FILE")]
    planner_model: Option<String>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// Questions that are listed because another pattern was told.
const LISTED: usize = 2000;

/// Figures of recognising the pattern of questions by their words.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct PatternReport {
    /// Questions with a gold pattern.
    pub questions: usize,
    /// Whose pattern is the gold pattern.
    pub right: usize,
    /// Mean recall of the gold patterns.
    pub macro_recall: f64,
    /// Questions by gold pattern and told pattern.
    pub confusion: BTreeMap<String, BTreeMap<String, usize>>,
    /// Questions with as many names as their pattern has entities.
    pub right_names: usize,
    /// The questions with another pattern: question, gold pattern, told pattern.
    pub misses: Vec<(String, String, String)>,
}

/// Names the pattern of a question whose names stand at these places.
pub type PatternTeller<'a> = &'a dyn Fn(&str, &[std::ops::Range<usize>]) -> String;

/// Recognises the patterns of questions with a gold `type` (CLQA-Wiki), with names found by quotes and
/// capitals; by rules, or by a `teller`. Of a `part` only its questions count.
///
/// # Errors
/// [`DataError`] for a file that cannot be read.
pub fn evaluate_patterns(
    path: &Path,
    teller: Option<PatternTeller<'_>>,
    part: Option<Part>,
) -> Result<PatternReport, DataError> {
    let mut report = PatternReport::default();
    for (line, v) in read_lines(path)? {
        let bad = |what: &str| DataError::Line { path: path.to_owned(), line, what: what.to_owned() };
        let question = v.get("question").and_then(Value::as_str).ok_or_else(|| bad("it has no question"))?;
        if part.is_some_and(|p| !p.holds(question)) {
            continue;
        }
        let found = names(question);
        let predicted = match teller {
            Some(report_each) => report_each(question, &found),
            None => pattern(question, &found).name(),
        };
        let gold = v.get("type").and_then(Value::as_str).ok_or_else(|| bad("it has no type"))?;
        let wanted = Shape::ALL.into_iter().find(|s| s.name() == gold).map(Shape::entities);
        report.right_names += usize::from(wanted == Some(found.len()));
        report.questions += 1;
        report.right += usize::from(predicted == gold);
        if predicted != gold && report.misses.len() < LISTED {
            report.misses.push((question.to_owned(), gold.to_owned(), predicted.clone()));
        }
        *report.confusion.entry(gold.to_owned()).or_default().entry(predicted).or_default() += 1;
    }
    let recall = |(gold, text_of): (&String, &BTreeMap<String, usize>)| {
        text_of.get(gold).copied().unwrap_or(0) as f64 / text_of.values().sum::<usize>().max(1) as f64
    };
    report.macro_recall =
        report.confusion.iter().map(recall).sum::<f64>() / report.confusion.len().max(1) as f64;
    Ok(report)
}

/// Measures, and prints the figures.
pub fn run_patterns(args: &Args) -> miette::Result<()> {
    let planner = match &args.planner_model {
        Some(file) => NativePlanner::open(&PlannerSource::of(Some(file)))?,
        None => None,
    };
    let report_each = |question: &str, names: &[Range<usize>]| {
        planner.as_ref().map_or_else(String::new, |p| p.shape(question, names))
    };
    let report = evaluate_patterns(&args.questions, planner.is_some().then_some(&report_each), args.part)
        .into_diagnostic()?;
    if args.json {
        return pocketgraph_native::terminal::print_json(&report).into_diagnostic();
    }
    let accuracy = report.right as f64 / report.questions.max(1) as f64;
    println!(
        "{} questions, accuracy {accuracy:.4}, macro recall {:.4}",
        report.questions, report.macro_recall
    );
    println!("as many names found as the pattern has entities: {}", report.right_names);
    for (gold, predicted) in &report.confusion {
        let shapes: Vec<String> = predicted.iter().map(|(shape, n)| format!("{shape} {n}")).collect();
        println!("{gold}: {}", shapes.join(", "));
    }
    println!("\n{} misses: question | gold | told", report.misses.len());
    report
        .misses
        .iter()
        .for_each(|(question, gold, predicted)| println!("{question} | {gold} | {predicted}"));
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn measured(lines: &str) -> PatternReport {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("q.jsonl");
        std::fs::write(&path, lines).unwrap();
        evaluate_patterns(&path, None, None).unwrap()
    }

    #[test]
    fn patterns_are_counted_by_gold_pattern() {
        let report = measured("{\"question\":\"Which is larger, Portugal or Mexico?\",\"type\":\"compare\"}");
        assert_eq!((report.questions, report.right, report.macro_recall), (1, 1, 1.0));
    }
}
