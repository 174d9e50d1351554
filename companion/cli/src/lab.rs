//! Hands the commands of research to `pocketgraph-lab`, a program of its own, as git does with its
//! subcommands.

use miette::{IntoDiagnostic, Report, Result, WrapErr, miette};
use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::Command;

const NAME: &str = "pocketgraph-lab";

/// Arguments that are passed on as they are.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// The lab's command and its options
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub rest: Vec<OsString>,
}

/// Runs `pocketgraph-lab COMMAND ARGUMENTS`: the one beside this program, or else the first on the path. Ends
/// this program with its status. Fails if it is not installed, with where to get it.
pub fn run_lab(command: &str, arguments: &[OsString]) -> Result<()> {
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(format!("{NAME}{EXE_SUFFIX}")));
    let mut lab =
        Command::new(beside.filter(|path| path.is_file()).map_or_else(|| NAME.into(), OsString::from));
    let error = end_as(lab.arg(command).args(arguments));
    if error.kind() == ErrorKind::NotFound {
        Err(not_installed(command))
    } else {
        Err(error).into_diagnostic().wrap_err(NAME)
    }
}

/// Becomes the command, so that signals reach it alone. Returns only where it cannot be started.
#[cfg(unix)]
fn end_as(command: &mut Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// Waits for the command and ends with its status. Returns only where it cannot be started.
#[cfg(not(unix))]
fn end_as(command: &mut Command) -> std::io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

fn not_installed(command: &str) -> Report {
    let help = "compile it in a checkout of the repository with `cargo build --release -p pocketgraph-lab`, and put \
                target/release/pocketgraph-lab beside this program or on the path";
    miette!(help = help, "pocketgraph {command} needs {NAME}, which is not installed")
}
