//! `pocketgraph merge`.

use super::build::{print_summary, write_bundle};
use super::cache::CacheArgs;
use super::progress::Bars;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph_build::pipeline::{BuildOptions, Input};
use pocketgraph_build::prepare::Needs;
use pocketgraph_keywords::autokg::AutoKgOptions;
use std::path::PathBuf;

/// Arguments of `pocketgraph merge`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Documents, passages, vectors and knowledge graphs are those of the bundles; the keyword \
graph, the word index and the data of retrievers are made anew. \
Texts whose vectors are in the bundles are not embedded again."
)]
pub struct Args {
    /// Folders of two or more bundles, with the same embedder and options
    #[arg(required = true, num_args = 2..)]
    bundles: Vec<PathBuf>,
    /// Folder of the new bundle; an older bundle there is replaced when the new one is complete
    #[arg(short, long)]
    out: PathBuf,
    /// Retrievers to prepare, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "NAMES", default_value = "auto")]
    retrievers: Vec<String>,
    /// Build no keyword graph
    #[arg(long)]
    no_keywords: bool,
    /// Seed of every random choice; the same bundles, options and seed give the same bytes
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Do not write the browser runtime beside the bundle
    #[arg(long)]
    no_runtime: bool,
    /// Layers that embed questions, if the bundles were built with --query-encoder
    #[arg(long, value_name = "FILE")]
    query_encoder: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArgs,
    /// Print only what is wrong
    #[arg(short, long)]
    quiet: bool,
}

pub fn run_merge(args: &Args) -> Result<()> {
    let mut folders: Vec<PathBuf> =
        args.bundles.iter().map(|b| b.canonicalize().unwrap_or_else(|_| b.clone())).collect();
    folders.sort_unstable();
    if let Some(twice) = folders.windows(2).find(|two| two[0] == two[1]) {
        return Err(miette!("{} is named twice", twice[0].display()));
    }
    let bars = Bars::new(args.quiet);
    let options = BuildOptions {
        autokg: (!args.no_keywords).then(|| AutoKgOptions { seed: args.seed, ..AutoKgOptions::default() }),
        needs: Needs::of(&args.retrievers).into_diagnostic()?,
        cache: args.cache.open(&bars, "merging without it"),
        seed: args.seed,
        runtime: !args.no_runtime,
        query_encoder: args.query_encoder.clone(),
        ..BuildOptions::bare(Input::Bundles(args.bundles.clone()), args.out.clone())
    };
    let summary = write_bundle(&options, &bars)?;
    if !args.quiet {
        print_summary(&args.out, &summary);
    }
    Ok(())
}
