//! `pocketgraph train encoder`.

use super::device::{DeviceArgs, Devices, handle_interrupt};
use super::values::{name, parse_bits, parse_layers, write_file};
use miette::{Result, miette};
use pocketgraph::embed::encode_layers;
use pocketgraph_cli::progress::Bars;
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_native::progress::Progress;
use pocketgraph_train::encoder::{
    Checkpoint, EncoderTrainer, Teacher, chosen_layers, cosine_of, cut_tokens, rates, read_targets_file,
    round_model, save_targets, sizes, usual,
};
use pocketgraph_train::network::{Layout, Schedule, StopReason};
use pocketgraph_train::query_table::DistillationTargets;
use pocketgraph_train::rounding::Bits;
use pocketgraph_train::texts::{self, Draw};
use std::path::PathBuf;

/// Content tokens that are learnt of a text.
const LONGEST: usize = 62;

/// Arguments of `pocketgraph train encoder`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// JSON Lines, TSV, Markdown or text files, also gzipped, and folders of them
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Leave out every text that stands in these files: what the encoder will be measured with
    #[arg(long, value_name = "FILE", num_args = 1..)]
    without: Vec<PathBuf>,
    /// Layers of the encoder
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = parse_layers)]
    layers: usize,
    #[command(flatten)]
    device: DeviceArgs,
    /// Maximum number of texts; where files have fewer, their sentences are taken too
    #[arg(long, value_name = "N", default_value_t = 220_000)]
    texts: usize,
    /// Texts that are held out: the checkpoint that does best on them is kept
    #[arg(long, value_name = "N", default_value_t = 4000)]
    held_out: usize,
    /// Write the texts and the teacher's vectors of them (the distillation targets) to this file, or read
    /// them from it: several encoders can be trained on it
    #[arg(long, alias = "lessons", value_name = "FILE")]
    targets: Option<PathBuf>,
    /// Add this token table's vector of a text to the encoder's, which then learns what the table lacks; made
    /// by `train query-table`
    #[arg(long, value_name = "FILE")]
    add_table: Option<PathBuf>,
    /// Epochs: passes over the texts
    #[arg(long, default_value_t = usual().epochs)]
    epochs: usize,
    /// Maximum minutes of training
    #[arg(long)]
    minutes: Option<f64>,
    /// Batch size, in texts
    #[arg(long, alias = "batch", default_value_t = usual().batch)]
    batch_size: usize,
    /// Learning rate of AdamW [default: 0.0006 at batch size 128, scaled by the square root of the batch
    /// size]
    #[arg(long, alias = "lr")]
    learning_rate: Option<f32>,
    /// Texts between two evaluations on the held-out set
    #[arg(long, value_name = "N", default_value_t = usual().check_every)]
    check_every: usize,
    /// Bits per weight of the layers, as they are written
    #[arg(long, default_value = "4", value_parser = parse_bits)]
    bits: Bits,
    /// Write checkpoints to this folder, and resume the run that it holds
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// Minutes between checkpoints
    #[arg(long, value_name = "N", default_value_t = usual().save_minutes)]
    save_minutes: f64,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File for the layers
    #[arg(short, long, default_value = "models/query-encoder.layers")]
    out: PathBuf,
}

/// Trains.
pub fn run_encoder(args: &Args, devices: Devices<'_>) -> Result<()> {
    let embedder = NativeEmbedder::new()?;
    let stop = handle_interrupt()?;
    let layout = Layout::new(sizes(args.layers));
    let added = args.add_table.as_deref().map(|file| embedder.query_table(Some(file))).transpose()?.flatten();
    let mut network = args.device.network(&layout, devices)?;
    let [lessons, held_out] = load_targets(args, &embedder, devices)?;
    println!("{} texts to learn from, {} held out", lessons.tokens.len(), held_out.tokens.len());
    let mut state =
        match args.resume.as_deref().map(|folder| Checkpoint::load(folder, &layout)).transpose()?.flatten() {
            Some(run) => {
                println!("going on after {} steps", run.step);
                run
            }
            None => {
                let all = embedder.model().encoder().layers();
                Checkpoint::new(
                    layout.from_layers(chosen_layers(args.layers).into_iter().filter_map(|i| all.get(i))),
                )
            }
        };
    let schedule = Schedule {
        epochs: args.epochs,
        minutes: args.minutes,
        batch: args.batch_size,
        rates: rates(args.batch_size, args.learning_rate),
        check_every: args.check_every,
        seed: args.seed,
        folder: args.resume.clone(),
        save_minutes: args.save_minutes,
        ..usual()
    };
    let course = EncoderTrainer {
        layout: &layout,
        embedder: &embedder,
        targets: &lessons,
        held_out: &held_out,
        added: added.as_ref(),
        stop: &stop,
    };
    if state.step == 0 {
        println!(
            "{} layers, {} numbers: cosine {:.4} before",
            args.layers,
            layout.len,
            course.cosine(network.as_mut(), &state.parameters, args.batch_size)
        );
    }
    let ended = course.fit(network.as_mut(), &mut state, &schedule, &mut |event| {
        super::print_progress(&event, |look| format!("cosine {:.4}", look.cosine))
    })?;
    if ended == StopReason::Stopped && args.resume.is_some() {
        println!("stopped after {} steps; the same command goes on", state.step);
        return Ok(());
    }
    let model = round_model(&layout, &state.best, &embedder, &lessons, args.bits, args.seed)?;
    let cosine = cosine_of(&model, added.as_ref(), &embedder, &held_out);
    let bytes = encode_layers(&model);
    write_file(&args.out, &bytes)?;
    println!("{} texts learnt from in {:.0} s on {}", state.seen, state.seconds, network.name());
    println!(
        "{}: {} bytes, cosine {cosine:.4} in {} bits",
        args.out.display(),
        bytes.len(),
        args.bits.count()
    );
    Ok(())
}

/// The texts with the model's vectors: those to learn from, and those to measure with.
fn load_targets(
    args: &Args,
    embedder: &NativeEmbedder,
    devices: Devices<'_>,
) -> Result<[DistillationTargets; 2]> {
    let named = |files: &[PathBuf]| files.iter().map(|p| name(p)).collect::<Vec<_>>().join(" ");
    let drawn = format!(
        "{} texts and {} held out of {} without {}, seed {}",
        args.texts,
        args.held_out,
        named(&args.files),
        named(&args.without),
        args.seed
    );
    if let Some(path) = &args.targets
        && let Some(kept) = read_targets_file(path, Some(&drawn), embedder.dim())?
    {
        return Ok(kept);
    }
    let bars = Bars::new(false);
    bars.stage("reading texts", None);
    let draw = Draw { most: args.texts, held_out: args.held_out, rounds: 64, seed: args.seed };
    let found = texts::collect_texts(&args.files, &args.without, draw)?;
    bars.finish();
    for (file, n) in &found.files {
        println!("{n:>8} texts of {}", file.display());
    }
    let mut teacher = if args.device.is_cpu() {
        Teacher::Engine
    } else {
        Teacher::Network(args.device.network(&Teacher::layout(), devices)?)
    };
    let parts = [&found.texts, &found.held_out].map(|texts| {
        let mut tokens = cut_tokens(embedder, texts, LONGEST);
        tokens.retain(|t| !t.is_empty());
        bars.stage("embedding texts", Some(tokens.len() as u64));
        let targets = teacher.vectors(embedder, &tokens, &|n| bars.at(n as u64));
        bars.finish();
        DistillationTargets { tokens, targets }
    });
    if parts.iter().any(|p| p.tokens.is_empty()) {
        return Err(miette!(
            help = "name more files, or lower --held-out",
            "there are too few texts to learn from and to measure with"
        ));
    }
    if let Some(path) = &args.targets {
        save_targets(path, &drawn, [&parts[0], &parts[1]])?;
    }
    Ok(parts)
}
