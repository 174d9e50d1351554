//! Measuring the executor where no questions exist: plans made from random walks over the graph.

use super::graph_args::{KgArgs, linker};
use miette::IntoDiagnostic;
use pocketgraph::kg::{Direction, KnowledgeGraph, Linker, NodeId};
use pocketgraph::plan::execute::{Executor, Item, Limits, Resources};
use pocketgraph::plan::{Head, Operation, Plan, Relation, SearchKg, Statement};
use pocketgraph_cluster::Random;
use pocketgraph_eval::PlansError;
use serde::Serialize;
use std::time::Instant;

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    kg: KgArgs,
    /// Number of plans
    #[arg(long, default_value_t = 1000)]
    plans: usize,
    /// Steps of each
    #[arg(long, default_value_t = 3)]
    steps: usize,
    /// Fixes the walks
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// Result of [`evaluate_walks`].
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct WalksReport {
    /// Plans executed.
    pub plans: usize,
    /// Steps of each.
    pub steps: usize,
    /// True if relations were given by their labels, to be ranked, rather than exactly.
    pub by_label: bool,
    /// Plans whose answer holds the node that the walk ended at.
    pub reached: usize,
    /// Mean size of an answer.
    pub mean_size: f64,
    /// Milliseconds of an execution: the median.
    pub p50_ms: f64,
    /// 95 % are faster.
    pub p95_ms: f64,
    /// The slowest.
    pub max_ms: f64,
}

/// Executes `plans` plans of `steps` steps, each along random edges, in any direction, from a random entity.
///
/// # Errors
/// [`PlansError`] for a plan that does not pass its checks; walks make none.
pub fn evaluate_walks(linker: &Linker, plans: usize, steps: usize, by_label: bool, seed: u64) -> Result<WalksReport, PlansError> {
    let graph = linker.graph();
    let executor = Executor::new(Some(linker));
    let mut random = Random::new(seed, 0);
    let mut report = WalksReport { steps, by_label, ..WalksReport::default() };
    let (mut times, mut sizes, mut tries) = (Vec::new(), 0usize, 0usize);
    while times.len() < plans && tries < plans.saturating_mul(100) {
        tries += 1;
        let Some((plan, end)) = draw_walk(graph, steps, by_label, &mut random) else { continue };
        let begun = Instant::now();
        let work = executor.execute(&plan, Resources::default(), Limits::default());
        let id = || format!("walk {tries}");
        let execution = futures::FutureExt::now_or_never(work)
            .ok_or_else(|| PlansError::Waited(id()))?
            .map_err(|reason| PlansError::Plan { id: id(), reason })?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        sizes += execution.answer().members.len();
        report.reached += usize::from(execution.answer().get(&Item::Node(end)).is_some());
    }
    report.plans = times.len();
    report.mean_size = sizes as f64 / times.len().max(1) as f64;
    times.sort_by(f64::total_cmp);
    let at = |q: f64| times.get((times.len().saturating_sub(1) as f64 * q).round() as usize).copied().unwrap_or(0.0);
    (report.p50_ms, report.p95_ms, report.max_ms) = (at(0.5), at(0.95), at(1.0));
    Ok(report)
}

fn draw_walk(graph: &KnowledgeGraph, steps: usize, by_label: bool, random: &mut Random) -> Option<(Plan, NodeId)> {
    let start = NodeId(random.below(graph.entities()) as u32);
    let mut head = if by_label { Head::Mention(graph.label(start).to_owned()) } else { Head::Entity(graph.id(start).to_owned()) };
    let (mut at, mut statements) = (start, Vec::new());
    for i in 1..=steps {
        let (forward, backward) = (graph.degree(at, Direction::Forward), graph.degree(at, Direction::Backward));
        if forward + backward == 0 {
            return None;
        }
        let n = random.below(forward + backward);
        let (edge, direction) = match n.checked_sub(forward) {
            None => (graph.edges(at, Direction::Forward).nth(n)?, Direction::Forward),
            Some(n) => (graph.edges(at, Direction::Backward).nth(n)?, Direction::Backward),
        };
        let named = graph.vocabulary().relation(edge.relation)?;
        let relation = if by_label {
            Relation::Phrase(named.label.clone())
        } else {
            Relation::Exact { name: named.name.clone(), inverse: direction == Direction::Backward }
        };
        let name = format!("Ans{i}");
        statements.push(Statement {
            name: name.clone(),
            thought: None,
            operation: Operation::SearchKg(SearchKg { target: None, head, relation }),
        });
        head = Head::Reference(name);
        at = edge.other;
    }
    Some((Plan { question: None, answer: format!("Ans{steps}"), statements }, at))
}

/// Measures, and prints the figures.
///
/// # Errors
/// When files cannot be read.
pub fn run(args: &Args) -> miette::Result<()> {
    let linker = linker(&args.kg)?;
    let mut rows = Vec::new();
    for by_label in [false, true] {
        rows.push(evaluate_walks(&linker, args.plans, args.steps, by_label, args.seed).into_diagnostic()?);
    }
    if args.json {
        pocketgraph_native::terminal::json(&rows).into_diagnostic()?;
        return Ok(());
    }
    println!("| relations | plans | steps | walk's end among the answers | answers | ms p50/p95/max |");
    println!("|---|---|---|---|---|---|");
    for r in &rows {
        let share = r.reached as f64 / r.plans.max(1) as f64;
        let how = if r.by_label { "by label, ranked" } else { "exact" };
        let times = format!("{:.3}/{:.3}/{:.1}", r.p50_ms, r.p95_ms, r.max_ms);
        println!("| {how} | {} | {} | {share:.4} | {:.1} | {times} |", r.plans, r.steps, r.mean_size);
    }
    Ok(())
}
