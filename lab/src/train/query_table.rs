//! `pocketgraph train query-table`.

use super::device::{DeviceArgs, Devices};
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph_cache::Cache;
use pocketgraph_cli::progress::Bars;
use pocketgraph_models::embed_bulk::{MAX_TOKENS, NativeEmbedder};
use pocketgraph_models::embeddings::CachedEmbedder;
use pocketgraph_native::progress::Progress;
use pocketgraph_train::encoder::{Teacher, cut_tokens, read_targets_file};
use pocketgraph_train::query_table::{
    DistillationTargets, Options, distillation_targets, embed_single_tokens, fit_table, untrained,
};
use pocketgraph_train::texts::{self, Draw};
use std::path::PathBuf;

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// JSON Lines, TSV, Markdown or text files, also gzipped, and folders of them
    #[arg(required_unless_present = "targets")]
    files: Vec<PathBuf>,
    /// Train on the texts and vectors that `train encoder --targets FILE` wrote, instead of files
    #[arg(long, alias = "lessons", value_name = "FILE", conflicts_with_all = ["files", "without", "texts",
        "cache", "device"])]
    targets: Option<PathBuf>,
    /// Leave out every text that stands in these files: what the table will be measured with
    #[arg(long, value_name = "FILE", num_args = 1..)]
    without: Vec<PathBuf>,
    /// Maximum number of texts, besides the single words of the vocabulary
    #[arg(long, value_name = "N", default_value_t = 220_000)]
    texts: usize,
    /// Epochs: passes over the texts
    #[arg(long, default_value_t = Options::default().epochs)]
    epochs: usize,
    /// Random seed: which texts are taken, and in which order
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Keep the texts' vectors in this folder: an interrupted or repeated run need not compute them again
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceArgs,
    /// File for the table
    #[arg(short, long, default_value = "models/query-table.safetensors")]
    out: PathBuf,
}

/// Fits a token table.
pub fn run_query_table(args: &Args, devices: Devices<'_>) -> Result<()> {
    let model = NativeEmbedder::new()?;
    let bars = Bars::new(false);
    let mut lessons = match &args.targets {
        Some(path) => match read_targets_file(path, None, model.dim())? {
            Some([lessons, _]) => lessons,
            None => {
                return Err(miette!(
                    help = "`train encoder --targets FILE` makes one",
                    "there is no file {}",
                    path.display()
                ));
            }
        },
        None => read_lessons(args, &model, &bars, devices)?,
    };
    println!("{:>7} texts to learn from", lessons.tokens.len());
    bars.stage("embedding tokens", None);
    let alone = embed_single_tokens(&model);
    bars.finish();
    lessons.add_words(&model, &alone);
    let mut table = untrained(&alone, &lessons.tokens);
    let options = Options { epochs: args.epochs, seed: args.seed, ..Options::default() };
    fit_table(&mut table, &lessons, &options, &mut |fit| {
        println!(
            "epoch {}: cosine {:.4} of texts learnt, {:.4} of texts held out",
            fit.epoch, fit.learnt, fit.held_out
        );
    });
    let bytes = table.write(&args.out)?;
    println!(
        "{}: {} rows of {} components, {bytes} bytes",
        args.out.display(),
        table.rows.len() / table.dim,
        table.dim
    );
    Ok(())
}

/// Texts out of files, with the model's vectors.
fn read_lessons(
    args: &Args,
    model: &NativeEmbedder,
    bars: &Bars,
    devices: Devices<'_>,
) -> Result<DistillationTargets> {
    bars.stage("reading texts", None);
    let found = texts::collect_texts(
        &args.files,
        &args.without,
        Draw { most: args.texts, held_out: 0, rounds: 1, seed: args.seed },
    )?;
    let texts = found.texts;
    bars.finish();
    for (file, n) in &found.files {
        println!("{n:>7} texts of {}", file.display());
    }
    let cache = args.cache.as_deref().map(Cache::open).transpose().into_diagnostic()?;
    bars.stage("embedding texts", Some(texts.len() as u64));
    let vectors = if args.device.is_cpu() {
        CachedEmbedder::new(model, cache.as_deref()).embed_all(&texts, &|n| bars.at(n as u64))
    } else {
        let mut teacher = Teacher::Network(args.device.network(&Teacher::layout(), devices)?);
        let found =
            teacher.vectors(model, &cut_tokens(model, &texts, MAX_TOKENS - 2), &|n| bars.at(n as u64));
        (0..found.rows()).map(|i| found.row_f32(i)).collect()
    };
    bars.finish();
    Ok(distillation_targets(model, &texts, &vectors))
}
