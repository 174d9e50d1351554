//! `pocketgraph`: the command line.

fn main() -> miette::Result<()> {
    let cli = pocketgraph_companion::cli::parse(std::env::args_os().collect())?;
    pocketgraph_companion::cli::run(cli)
}
