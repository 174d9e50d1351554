//! Measures the plans of the rules, the trained planner, or meaning with other weights, to which
//! `tuning/rules.py` fits them.

use crate::graph_args::GraphArgs;
use futures::executor::block_on;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::plan::rft;
use pocketgraph::planner::{RulesPlanner, choose_plan, weights};
use pocketgraph_eval::execute_plan;
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_models::native_planners::{Meanings, NativePlanners};
use pocketgraph_models::planner_model::{NativePlanner, PlannerSource};
use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    graph: GraphArgs,
    /// The trained planner plans, and the weights are those that its drafts are looked up by
    #[arg(long)]
    trained: bool,
    /// Meaning plans, and the weights are its own
    #[arg(long, conflicts_with = "trained")]
    meaning: bool,
}

/// Prints the weights as JSON; then, for each line of changed ones, the numbers of right and wrong plans.
///
/// # Errors
/// When files cannot be read, a line is no trial, or a plan does not pass its checks.
pub fn run_weights(args: &Args) -> Result<()> {
    let linker = args.graph.read()?;
    let questions = args.graph.read_questions()?;
    let trained = if args.trained { NativePlanner::open(&PlannerSource::Own)? } else { None };
    let trained = trained.as_ref().map(|t| (t, t.over(&linker)));
    let embedder = if args.meaning { Some(NativeEmbedder::new()?) } else { None };
    let meanings = embedder.as_ref().map(Meanings::new).transpose()?;
    let others = NativePlanners { trained: None, meanings: meanings.as_ref() };
    let all = weights::NAMES.iter().copied().zip(weights::VALUES.iter().copied());
    let is_meant = |name: &&str| {
        (weights::OF_DRAFTS.contains(name), weights::OF_MEANING.contains(name))
            == (args.trained, args.meaning)
    };
    let names: BTreeMap<&str, f32> = all.filter(|(name, _)| is_meant(name)).collect();
    println!("{}", serde_json::to_string(&names).into_diagnostic()?);
    // Most plans stay what they are.
    let mut judged: HashMap<(usize, String), bool> = HashMap::new();
    for line in std::io::stdin().lock().lines() {
        let trial: BTreeMap<String, f32> =
            serde_json::from_str(&line.into_diagnostic()?).into_diagnostic()?;
        names.iter().for_each(|(name, value)| _ = weights::set_weight(name, *value));
        if let Some((name, _)) = trial.iter().find(|(name, value)| !weights::set_weight(name, **value)) {
            return Err(miette!("there is no weight {name}"));
        }
        // More sure than anything is: of meaning nobody else is asked.
        let rules = if args.meaning {
            RulesPlanner::new(&linker).least_confidence(2.0)
        } else {
            RulesPlanner::new(&linker)
        };
        let (mut right, mut wrong) = (0, 0);
        for (at, gold) in questions.iter().enumerate() {
            let planned = match &trained {
                Some((native, planner)) => native.planned(planner, &gold.question).map(|found| found.plan),
                None if args.meaning => {
                    let choice = block_on(choose_plan(&rules, &others, &linker, &gold.question, false, None));
                    choice.plan.map(|(proposal, _)| proposal.plan)
                }
                None => rules.planned(&gold.question).map(|found| found.plan),
            };
            let Ok(plan) = planned else { continue };
            let key = (at, rft::print(&plan).into_diagnostic()?);
            let is_right = match judged.get(&key) {
                Some(known) => *known,
                None => {
                    let is_right = execute_plan(&linker, &plan, gold).into_diagnostic()?.1;
                    judged.insert(key, is_right);
                    is_right
                }
            };
            if is_right { right += 1 } else { wrong += 1 }
        }
        println!("[{right}, {wrong}, {}]", questions.len());
    }
    Ok(())
}
