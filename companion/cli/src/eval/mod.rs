//! `pocketgraph eval`: one file for each group of what it measures.

pub mod answers;
pub mod plans;
mod retrieval;
mod site;
mod study;

use clap::Subcommand;
use miette::{IntoDiagnostic, Result, WrapErr};
use pocketgraph_eval::OPEN;
use std::path::Path;

/// Arguments of `pocketgraph eval`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Recall, nDCG and MRR of retrievers on a labelled set
    Retrieval(retrieval::Args),
    /// Exact match, F1, sets and cost of answers, by any protocol, with a language model and without
    Answers(Box<answers::Args>),
    /// Retrievers by protocols over several sets and seeds, with what indexes cost and when they have paid for themselves
    Study(Box<study::Args>),
    /// A bundle of your own by your own questions: which expected pages are found, and what is found instead
    Site(site::Args),
    /// Answer sets of plans, executed over a knowledge graph
    Plans(plans::Args),
}

/// Measures.
///
/// # Errors
/// When files cannot be read.
pub fn run(args: &Args) -> Result<()> {
    match &args.what {
        What::Retrieval(args) => retrieval::run(args),
        What::Answers(args) => answers::run(args, &[]),
        What::Study(args) => study::run(args),
        What::Site(args) => site::run(args),
        What::Plans(args) => plans::run(args, OPEN),
    }
}

/// Writes a report, where one is wanted.
fn keep_html(path: Option<&Path>, page: impl FnOnce() -> String) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    std::fs::write(path, page()).into_diagnostic().wrap_err_with(|| format!("cannot write the report {}", path.display()))?;
    eprintln!("report: {}", path.display());
    Ok(())
}
