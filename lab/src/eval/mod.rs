//! `pocketgraph-lab eval`: one file for each thing that it measures.

mod answers;
pub mod candidates;
pub mod kinds;
mod plans;
mod prices;
mod retrieval;
mod study;
pub mod weights;

use clap::Subcommand;
use miette::Result;

/// Arguments of `pocketgraph-lab eval`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Recall, nDCG and MRR of retrievers on a labelled set
    Retrieval(Box<retrieval::Args>),
    /// Exact match, F1, sets and cost of answers, by any protocol, with a language model and without
    Answers(Box<answers::Args>),
    /// Retrievers by protocols over several sets and seeds, with what indexes cost, as JSON Lines
    Study(Box<study::Args>),
    /// Answer sets of plans, executed over a knowledge graph: of questions in the open form, MetaQA, BetaE,
    /// GeoQuery and 2WikiMultiHopQA. GeoQuery's facts are read as its authors
    /// mean them; without --kg the graph is made of the questions' evidence triples (2WikiMultiHopQA)
    Plans(Box<plans::Args>),
    /// Print the proposals of each planner for questions over a knowledge graph, and whether they are right,
    /// as JSON Lines for `tuning/plans.py`
    Candidates(Box<candidates::Args>),
    /// Measure the rules with other weights, for `tuning/rules.py`
    Weights(Box<weights::Args>),
    /// Measure inferred types with other thresholds, for `tuning/kinds.py`
    Kinds(Box<kinds::Args>),
}

/// Waits for Ctrl-C; a system without signals is asked to the end.
async fn interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Measures.
pub fn run_eval(args: &Args) -> Result<()> {
    match &args.what {
        What::Retrieval(args) => retrieval::run_retrieval(args),
        What::Answers(args) => answers::run_answers(args),
        What::Study(args) => study::run_study(args),
        What::Plans(args) => plans::run_plans(args),
        What::Candidates(args) => candidates::run_candidates(args),
        What::Weights(args) => weights::run_weights(args),
        What::Kinds(args) => kinds::run_kinds(args),
    }
}
