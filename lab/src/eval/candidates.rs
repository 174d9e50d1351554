//! Lists the plans that each planner proposes for questions, with the features of their certainty and whether
//! they are right, for `tuning/plans.py`.

use crate::sets::SETS;
use futures::executor::block_on;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::kg::Linker;
use pocketgraph::planner::{Candidate, Candidates, ChosenFrom, FEATURES, RulesPlanner, propose_plans};
use pocketgraph_cli::import::Tables;
use pocketgraph_cli::open::{open_engine, run_future};
use pocketgraph_eval::{Part, execute_plan, graph_for, read_gold};
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_models::native_planners::{Meanings, NativePlanners};
use pocketgraph_models::planner_model::{NativePlanner, PlannerSource};
use serde::Serialize;
use std::path::PathBuf;

/// Maximum number of answers written of one plan.
const WRITTEN: usize = 20;

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The knowledge graph's triples: TSV, CSV, `|`, JSON Lines or RDF, also gzipped
    #[arg(long = "kg", num_args = 1.., conflicts_with = "bundle")]
    files: Vec<PathBuf>,
    /// A bundle whose knowledge graph is asked
    #[arg(long)]
    bundle: Option<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// JSON Lines of questions with their answers, in any form of `eval plans`
    #[arg(long, required = true, num_args = 1..)]
    questions: Vec<PathBuf>,
    /// The trained planner's weights, as `train planner` wrote them [default: the program's own]
    #[arg(long, value_name = "FILE")]
    planner_model: Option<String>,
    /// Number of questions to take from the beginning of each file
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// Only a part of the questions, chosen by themselves
    #[arg(long, value_name = "K/N")]
    part: Option<Part>,
}

/// The plans of one question.
#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    question: &'a str,
    /// The lists as they are with all planners, and without the trained one, without meanings, and without
    /// both.
    lists: Vec<Vec<Proposed>>,
}

/// One plan of a list.
#[derive(Serialize, Clone)]
struct Proposed {
    from: &'static str,
    features: [f32; FEATURES],
    certainty: f32,
    right: bool,
    found: Vec<String>,
}

/// Prints a line of JSON for each question. Fails if files cannot be read, or a plan does not pass its
/// checks.
pub fn run_candidates(args: &Args) -> Result<()> {
    let linker = match &args.bundle {
        Some(folder) => {
            let engine = open_engine(folder)?;
            run_future(engine.knowledge())?
                .into_diagnostic()?
                .ok_or_else(|| miette!("the bundle has no knowledge graph"))?
        }
        None => {
            let (files, options) = args.tables.files(&args.files)?;
            std::rc::Rc::new(Linker::new(
                &graph_for(&args.questions, SETS, &files, &options).into_diagnostic()?,
            ))
        }
    };
    let embedder = NativeEmbedder::new()?;
    let meanings = Meanings::new(&embedder)?;
    let trained = NativePlanner::open(&PlannerSource::of(args.planner_model.as_deref()))?;
    let others =
        NativePlanners { trained: trained.as_ref().map(|t| (t, t.over(&linker))), meanings: Some(&meanings) };
    let rules = RulesPlanner::new(&linker).least_confidence(0.0);
    for path in &args.questions {
        let counted = read_gold(path, SETS).into_diagnostic()?.into_iter();
        let counted = counted.filter(|g| g.answerable && args.part.is_none_or(|p| p.holds(&g.question)));
        for gold in counted.take(args.first.unwrap_or(usize::MAX)) {
            let all = block_on(propose_plans(&rules, &others, &linker, &gold.question));
            let judge = |c: &Candidate| {
                execute_plan(&linker, &c.plan, &gold).map(|judged| (c.plan.clone(), judged)).into_diagnostic()
            };
            // Shorter lists hold no other plans.
            let judged = all.list().iter().map(judge).collect::<Result<Vec<_>>>()?;
            let proposed = |list: &Candidates| {
                let one = |c: &Candidate| {
                    let (_, (answers, right)) = judged.iter().find(|(plan, _)| *plan == c.plan)?;
                    let from = match c.from() {
                        ChosenFrom::Rules => "rules",
                        ChosenFrom::Trained => "trained",
                        ChosenFrom::Meaning => "meaning",
                    };
                    let found = answers.iter().take(WRITTEN).cloned().collect();
                    Some(Proposed {
                        from,
                        features: list.features(c),
                        certainty: list.certainty(c),
                        right: *right,
                        found,
                    })
                };
                list.list().iter().filter_map(one).collect::<Vec<_>>()
            };
            let lists = [(false, false), (true, false), (false, true), (true, true)];
            let lists = lists
                .into_iter()
                .map(|(trained, meaning)| proposed(&all.without(trained, meaning)))
                .collect();
            let row = Row { id: &gold.id, question: &gold.question, lists };
            println!("{}", serde_json::to_string(&row).into_diagnostic()?);
        }
    }
    Ok(())
}
