//! `pocketgraph completions` and `pocketgraph man`: what shells and `man` know of the command line.

use super::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use miette::{IntoDiagnostic, Result, WrapErr};
use std::path::PathBuf;

/// Arguments of `pocketgraph completions`.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// Shell to complete for
    #[arg(value_enum)]
    shell: Shell,
}

/// Arguments of `pocketgraph man`.
#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// Folder to write the pages to
    folder: PathBuf,
}

/// Prints the completion script for a shell.
pub fn print_completions(args: &CompletionsArgs) {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "pocketgraph", &mut script);
    print!("{}", String::from_utf8_lossy(&script));
}

/// Writes a page for the program and one for each command.
pub fn write_manual(args: &ManArgs) -> Result<()> {
    std::fs::create_dir_all(&args.folder).into_diagnostic()?;
    clap_mangen::generate_to(Cli::command(), &args.folder)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write the pages to {}", args.folder.display()))?;
    println!("man pages are in {}", args.folder.display());
    Ok(())
}
