//! `pocketgraph verify`.

use super::open::{bundle, wait};
use miette::{Result, miette};
use std::path::PathBuf;

/// Arguments of `pocketgraph verify`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle's folder
    bundle: PathBuf,
}

pub fn run(args: &Args) -> Result<()> {
    let engine = bundle(&args.bundle)?;
    let verdict = wait(crate::verify::verify(engine.corpus().bundle()))?;
    for fault in &verdict.faults {
        eprintln!("fault: {fault}");
    }
    if verdict.faults.is_empty() {
        println!("{}: {} files, {} bytes, all hashes and all decoders agree", args.bundle.display(), verdict.files, verdict.bytes);
        Ok(())
    } else {
        Err(miette!(help = "build it again", "{} has {} faults", args.bundle.display(), verdict.faults.len()))
    }
}
