//! Measuring linking: is the marked entity of a question found first.

use super::graph_args::{KgArgs, linker};
use crate::sets::metaqa::marked_entities;
use miette::IntoDiagnostic;
use pocketgraph::kg::Linker;
use pocketgraph_measure::records::DataError;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    kg: KgArgs,
    /// JSON Lines of questions with their entity, several files one after the other
    #[arg(long, required = true, num_args = 1..)]
    questions: Vec<PathBuf>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// Figures of finding a graph's names in questions.
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
    for (question, entity) in marked_entities(path)? {
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

/// Measures, and prints the figures.
///
/// # Errors
/// When files cannot be read.
pub fn run(args: &Args) -> miette::Result<()> {
    let linker = linker(&args.kg)?;
    let mut rows = Vec::new();
    for path in &args.questions {
        rows.push(evaluate_linking(&linker, path).into_diagnostic()?);
    }
    if args.json {
        pocketgraph_native::terminal::json(&rows).into_diagnostic()?;
        return Ok(());
    }
    println!("| questions | n | linked first | a candidate | in the graph | ms p50/p99 |");
    println!("|---|---|---|---|---|---|");
    for r in &rows {
        let share = |n: usize| n as f64 / r.questions.max(1) as f64;
        println!(
            "| {} | {} | {:.4} | {:.4} | {:.4} | {:.3}/{:.3} |",
            r.file,
            r.questions,
            share(r.first),
            share(r.found),
            share(r.in_graph),
            r.p50_ms,
            r.p99_ms
        );
    }
    Ok(())
}
