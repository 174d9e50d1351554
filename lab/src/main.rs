//! `pocketgraph-lab`: the command line of the makers.

use clap::Parser;
use pocketgraph_lab::commands::{Cli, run};

fn main() -> miette::Result<()> {
    run(Cli::parse(), &[]).map_err(|error| pocketgraph_native::terminal::SafeError::of(&error).into())
}
