//! `pocketgraph-lab`: the command line of the makers.

use clap::Parser;
use pocketgraph_lab::commands::{Cli, run_command};

fn main() -> miette::Result<()> {
    run_command(Cli::parse(), &[]).map_err(|error| pocketgraph_native::terminal::SafeError::of(&error).into())
}
