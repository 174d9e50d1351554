//! `pocketgraph train trajectories`.

use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph::kg::Linker;
use pocketgraph_cli::ask::agent_options;
use pocketgraph_cli::import::Tables;
use pocketgraph_cli::protocol_options::{check_protocols, measured_with};
use pocketgraph_train::plan_data::Trajectories;
use std::path::PathBuf;
use std::rc::Rc;

/// Arguments of `pocketgraph train trajectories`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Examples of `train data`, JSON Lines
    examples: PathBuf,
    /// The graph that they were made of
    #[arg(long, required = true, num_args = 1..)]
    kg: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// File for the trajectories, JSON Lines
    #[arg(short, long, default_value = "trajectories.jsonl")]
    out: PathBuf,
    /// Options of the protocol graph-rft, as JSON
    #[arg(long, value_name = "JSON", value_parser = agent_options)]
    options: Option<serde_json::Map<String, serde_json::Value>>,
}

/// Writes the trajectories. Fails if a file cannot be read or written.
pub fn run_trajectories(args: &Args) -> Result<()> {
    let given = args.options.iter().flat_map(|given| given.keys().map(String::as_str));
    check_protocols(given, &["graph-rft"]).map_err(|what| miette!("{what}"))?;
    let options = measured_with(None, args.options.as_ref()).map_err(|what| miette!("{what}"))?;
    let (graph, _) = args.tables.with_own_names().import(&args.kg)?;
    let writer = Trajectories::new(Rc::new(Linker::new(&graph)), options);
    let examples = super::read_lines(&args.examples, usize::MAX)?;
    let written: Vec<String> =
        examples.iter().filter_map(|e| writer.write_dialogue(e)).map(|t| format!("{t}\n")).collect();
    let describe = || format!("{} cannot be written", args.out.display());
    std::fs::write(&args.out, written.concat()).into_diagnostic().wrap_err_with(describe)?;
    println!("{}: {} trajectories of {} examples", args.out.display(), written.len(), examples.len());
    Ok(())
}
