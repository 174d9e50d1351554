//! The knowledge graph of a command.

use miette::Result;
use pocketgraph::kg::Linker;
use pocketgraph_cli::import::Tables;
use std::path::PathBuf;

/// Where the graph is.
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
    let (graph, report) = args.tables.import(&args.files)?;
    if report.malformed > 0 {
        eprintln!("warning: {} malformed lines, the first: {}", report.malformed, report.problems[0]);
    }
    Ok(Linker::new(&graph))
}
