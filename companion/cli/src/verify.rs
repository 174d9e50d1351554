//! `pocketgraph verify`.

use super::open::{open_engine, run_future};
use miette::{Result, miette};
use pocketgraph_build::assemble::{HeldFolder, LISTING, list_files};
use std::path::{Path, PathBuf};

/// Arguments of `pocketgraph verify`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the bundle
    bundle: PathBuf,
}

pub fn run_verify(args: &Args) -> Result<()> {
    let engine = open_engine(&args.bundle)?;
    let mut verdict = run_future(pocketgraph_build::verify::verify_bundle(engine.corpus().bundle()))?;
    verdict.faults.extend(false_list(&args.bundle));
    for fault in &verdict.faults {
        eprintln!("fault: {}", pocketgraph_native::terminal::line(fault));
    }
    if verdict.faults.is_empty() {
        println!(
            "{}: {} files, {} bytes; hashes match, sections decode",
            args.bundle.display(),
            verdict.files,
            verdict.bytes
        );
        Ok(())
    } else {
        Err(miette!(help = "build it again", "{} has {} faults", args.bundle.display(), verdict.faults.len()))
    }
}

/// Compares the list of files with the folder: otherwise copies for use offline would be incomplete.
fn false_list(folder: &Path) -> Option<String> {
    let list = std::fs::read_to_string(folder.join(LISTING)).ok()?;
    let there = list_files(&HeldFolder::open(&folder.canonicalize().ok()?).ok()?).ok()?;
    (list != there).then(|| format!("{LISTING} does not list the bundle's files as they are"))
}
