//! The knowledge graph of a command.

use miette::{IntoDiagnostic, Result};
use pocketgraph::kg::Linker;
use pocketgraph_cli::import::Tables;
use pocketgraph_eval::graph_for;
use std::path::PathBuf;

/// Arguments that name the graph.
#[derive(Debug, clap::Args)]
pub struct KgArgs {
    /// The knowledge graph's triples: TSV, CSV, `|`, JSON Lines or RDF, also gzipped
    #[arg(long = "kg", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
}

/// The graph with its names.
///
/// # Errors
/// When files cannot be read.
pub fn linker(args: &KgArgs) -> Result<Linker> {
    let (files, options) = args.tables.files(&args.files)?;
    // No questions: nothing but the files makes the graph.
    Ok(Linker::new(&graph_for(&[], &[], &files, &options).into_diagnostic()?))
}
