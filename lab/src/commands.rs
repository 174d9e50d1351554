//! The command line of `pocketgraph-lab`.

use crate::train::device::Devices;
use crate::{eval, interface, train};
use clap::{Parser, Subcommand};
use miette::Result;

/// Trains planners and encoders, and measures PocketGraph with labelled sets.
#[derive(Debug, Parser)]
#[command(name = "pocketgraph-lab", version, about)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure retrieval, answers and plans against labelled questions
    Eval(Box<eval::Args>),
    /// Train a planner and encoders of your own, and make what they learn from
    Train(Box<train::Args>),
    /// Write what JavaScript, its types and the handbook have of the options and notices
    Interface(interface::Args),
}

/// Runs a command; networks can be computed on the processor and on these devices.
pub fn run_command(cli: Cli, devices: Devices<'_>) -> Result<()> {
    match cli.command {
        Command::Eval(args) => eval::run_eval(&args),
        Command::Train(args) => train::run_train(&args, devices),
        Command::Interface(args) => interface::run_interface(&args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// Commands for our own work, which `README.md` names.
    const OURS: &[&str] = &["interface", "candidates", "weights", "kinds", "linking", "walks", "minilm"];

    fn options(command: &clap::Command, out: &mut Vec<String>) {
        out.extend(command.get_arguments().filter_map(|a| a.get_long()).map(|long| format!("--{long}")));
        command.get_subcommands().filter(|c| !OURS.contains(&c.get_name())).for_each(|c| options(c, out));
    }

    #[test]
    fn the_handbook_names_every_option() {
        let pages = [
            include_str!("../../docs/command-line.md"),
            include_str!("../../docs/lab.md"),
            include_str!("../README.md"),
        ];
        let mut all = Vec::new();
        options(&Cli::command(), &mut all);
        all.retain(|option| !pages.iter().any(|page| page.contains(option.as_str())));
        assert!(
            all.iter().all(|option| option == "--help" || option == "--version"),
            "docs/lab.md does not say what these do: {all:?}"
        );
    }
}
