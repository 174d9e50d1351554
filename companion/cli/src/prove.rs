//! `pocketgraph prove`.

use super::open::{open_engine, run_future};
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph_build::proof::prove_answer;
use pocketgraph_native::terminal::line;
use serde_json::Value;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::PathBuf;

/// Maximum length of an answer in bytes: read, its JSON takes some thirty times as much memory.
const LONGEST: u64 = 8 << 20;

/// Arguments of `pocketgraph prove`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The answer, as `ask --json` printed it
    answer: PathBuf,
    /// Folder of the bundle, or its address: https://host/bundle/
    bundle: PathBuf,
}

pub fn run_prove(args: &Args) -> Result<()> {
    let cannot_read =
        || format!("cannot read {} as an answer of at most {LONGEST} bytes", args.answer.display());
    let file = File::open(&args.answer).into_diagnostic().wrap_err_with(cannot_read)?;
    let printed = read_answer(file).into_diagnostic().wrap_err_with(cannot_read)?;
    let engine = open_engine(&args.bundle)?;
    let verdict = run_future(prove_answer(&engine, printed))?.into_diagnostic()?;
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

fn read_answer(file: impl Read) -> serde_json::Result<Value> {
    serde_json::from_reader(BufReader::new(file.take(LONGEST)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_end_is_read_to_its_limit() {
        let mut spaces = std::io::repeat(b' ').take(2 * LONGEST);
        assert!(read_answer(&mut spaces).is_err());
        assert_eq!(spaces.limit(), LONGEST);
    }
}
