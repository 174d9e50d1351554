//! `pocketgraph`: the command line.

use clap::Parser;

fn main() -> miette::Result<()> {
    pocketgraph_companion::cli::run(pocketgraph_companion::cli::Cli::parse())
}
