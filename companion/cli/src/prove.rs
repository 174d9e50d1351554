//! `pocketgraph prove`.

use super::open::{bundle, wait};
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph_build::proof::prove;
use pocketgraph_native::terminal::line;
use std::path::PathBuf;

/// Arguments of `pocketgraph prove`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The answer, as `ask --json` printed it
    answer: PathBuf,
    /// Folder of the bundle, or its address: https://host/bundle/
    bundle: PathBuf,
}

pub fn run(args: &Args) -> Result<()> {
    let cannot_read = || format!("cannot read the answer {}", args.answer.display());
    let text = std::fs::read(&args.answer).into_diagnostic().wrap_err_with(cannot_read)?;
    let printed = serde_json::from_slice(&text).into_diagnostic().wrap_err_with(cannot_read)?;
    let engine = bundle(&args.bundle)?;
    let verdict = wait(prove(&engine, printed))?.into_diagnostic()?;
    for fault in &verdict.faults {
        eprintln!("fault: {}", line(&fault.to_string()));
    }
    for number in &verdict.elsewhere {
        println!("[{number}] cites nothing in the bundle and was not checked");
    }
    println!("{} citations hold in {}", verdict.proved, args.bundle.display());
    match verdict.faults.is_empty() {
        true => Ok(()),
        false => Err(miette!("the bundle does not support the answer")),
    }
}
