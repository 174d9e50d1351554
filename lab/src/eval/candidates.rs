//! Lists the plans that each planner proposes for questions, with the features of their certainty and whether
//! they are right, for `tuning/plans.py`.

use crate::graph_args::GraphArgs;
use futures::executor::block_on;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::planner::{Candidate, Candidates, ChosenFrom, FEATURES, RulesPlanner, propose_plans};
use pocketgraph_cli::open::{open_engine, run_future};
use pocketgraph_eval::execute_plan;
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
    #[command(flatten)]
    graph: GraphArgs,
    /// A bundle whose knowledge graph is asked
    #[arg(long, conflicts_with = "files")]
    bundle: Option<PathBuf>,
    /// The trained planner's weights, as `train planner` wrote them [default: the program's own]
    #[arg(long, value_name = "FILE")]
    planner_model: Option<String>,
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
        None => std::rc::Rc::new(args.graph.read()?),
    };
    let embedder = NativeEmbedder::new()?;
    let meanings = Meanings::new(&embedder)?;
    let trained = NativePlanner::open(&PlannerSource::of(args.planner_model.as_deref()))?;
    let others =
        NativePlanners { trained: trained.as_ref().map(|t| (t, t.over(&linker))), meanings: Some(&meanings) };
    let rules = RulesPlanner::new(&linker).least_confidence(0.0);
    for gold in args.graph.read_questions()? {
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
        let lists =
            lists.into_iter().map(|(trained, meaning)| proposed(&all.without(trained, meaning))).collect();
        let row = Row { id: &gold.id, question: &gold.question, lists };
        println!("{}", serde_json::to_string(&row).into_diagnostic()?);
    }
    Ok(())
}
