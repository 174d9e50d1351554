//! `pocketgraph train planner`.

use super::device::{DeviceArgs, Devices, handle_interrupt};
use super::values::{name, parse_bits, parse_layers, write_file};
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph::kg::Linker;
use pocketgraph::planner::model::PlannerModel;
use pocketgraph_cli::import::Tables;
use pocketgraph_eval::Part;
use pocketgraph_knowledge::everyday;
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_train::network::{Layout, Network, Rates, Schedule, Sizes, StopReason};
use pocketgraph_train::planner::{
    About, Checkpoint, Evaluation, Frames, Judge, Options, PlannerTrainer, SIZES, SetMeasured,
    TrainingExample, TrainingSet, drop_edges, measure_model, round_planner, write_card, write_curves,
};
use pocketgraph_train::rounding::Bits;
use std::path::{Path, PathBuf};

/// Arguments of `pocketgraph train planner`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Examples, as `train data` makes them
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Test examples: measured at the end, never trained on
    #[arg(long, num_args = 1..)]
    test: Vec<PathBuf>,
    /// Further examples (of `train label`, or questions with nothing but the name of their pattern), repeated
    /// until they are --tune-share of all
    #[arg(long, num_args = 1..)]
    tune: Vec<PathBuf>,
    /// Only a part of those, chosen by the questions themselves: 1/2 is the first of two, not-1/10 all but
    /// the first of ten
    #[arg(long, value_name = "K/N")]
    tune_part: Option<Part>,
    /// Percent of the examples that are those of --tune
    #[arg(long, value_name = "PERCENT", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=90))]
    tune_share: u32,
    /// The graph that examples were made from: held-out ones are then also measured by executing their plans
    #[arg(long, num_args = 1..)]
    kg: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// The same, where examples were made from the made-up world of this seed
    #[arg(long, value_name = "SEED", conflicts_with = "kg")]
    world: Option<u64>,
    #[command(flatten)]
    device: DeviceArgs,
    /// File for the model; its card goes to the same name with .md, its curves to that with .html
    #[arg(short, long, default_value = "models/planner.bin")]
    out: PathBuf,
    /// Epochs: passes over the examples
    #[arg(long, default_value_t = Schedule::default().epochs)]
    epochs: usize,
    /// Maximum minutes of training
    #[arg(long)]
    minutes: Option<f64>,
    /// Batch size, in questions
    #[arg(long, alias = "batch", default_value_t = Schedule::default().batch)]
    batch_size: usize,
    /// Learning rate of AdamW for the heads; the encoder's layers have a lower one
    #[arg(long, alias = "lr", default_value_t = Rates::default().rate)]
    learning_rate: f32,
    /// Examples of the data that are held out: the checkpoint that does best on them is kept
    #[arg(long, value_name = "N", default_value_t = 1000)]
    held_out: usize,
    /// Held-out examples whose plans are executed over the graph at each evaluation
    #[arg(long, alias = "looked-up", value_name = "N", default_value_t = 150)]
    executed: usize,
    /// Edge dropout: percent of the graph's edges that are missing where confidence is calibrated
    #[arg(long, alias = "dropped", value_name = "PERCENT", default_value_t = 5.0)]
    edge_dropout: f64,
    /// Examples between two evaluations on the held-out set
    #[arg(long, value_name = "N", default_value_t = Schedule::default().check_every)]
    check_every: usize,
    /// Early stopping: evaluations without improvement after which training ends
    #[arg(long, value_name = "N", default_value_t = Options::default().patience)]
    patience: usize,
    /// Bits per weight of the encoder's layers, as they are written
    #[arg(long, default_value = "8", value_parser = parse_bits)]
    bits: Bits,
    /// Write checkpoints to this folder, and resume the run that it holds
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// Minutes between checkpoints
    #[arg(long, value_name = "N", default_value_t = Schedule::default().save_minutes)]
    save_minutes: f64,
    /// Initial weights: the best of the run in this folder, or this model
    #[arg(long, value_name = "DIR|FILE")]
    from: Option<PathBuf>,
    /// Layers of the encoder: the first ones of MiniLM
    #[arg(long, value_name = "N", default_value_t = SIZES.layers, value_parser = parse_layers)]
    layers: usize,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Trains.
pub fn run_planner(args: &Args, devices: Devices<'_>) -> Result<()> {
    let embedder = NativeEmbedder::new()?;
    let frames = Frames::new(&embedder)?;
    let layout = Layout::new(Sizes { layers: args.layers, ..SIZES });
    let linker = read_graph(args)?;
    let judge = linker.as_ref().map(Judge::new);
    let thin = linker
        .as_ref()
        .map(|l| drop_edges(l.graph(), args.edge_dropout / 100.0, args.seed))
        .transpose()
        .into_diagnostic()?;
    let thin = thin.as_ref().map(Linker::new);
    let thinned = thin.as_ref().map(Judge::new);
    let (mut lessons, mut counts) = read_examples(&args.data)?;
    let mut held_out = lessons.held_out(args.held_out, args.seed);
    println!("{} examples to learn from, {} held out", lessons.examples.len(), held_out.len());
    if lessons.examples.is_empty() {
        return Err(miette!(
            help = "make some with `pocketgraph train data`",
            "there is nothing to learn from"
        ));
    }
    let looked_up: Vec<TrainingExample> = match &judge {
        Some(judge) => held_out.iter().filter(|l| judge.knows(l)).take(args.executed).cloned().collect(),
        None => Vec::new(),
    };
    counts.extend(tune_planner(args, &mut lessons.examples, &mut held_out)?);
    let mut network = args.device.network(&layout, devices)?;
    let stop = handle_interrupt()?;
    let mut state = begin_run(args, &layout, &embedder)?;
    let options = options_of(args);
    let look = |parameters: &[f32], network: &mut dyn Network| {
        judge.as_ref().map_or(0.0, |j| j.judge(&frames, network, parameters, &looked_up).accuracy())
    };
    let course = PlannerTrainer {
        layout: &layout,
        examples: &lessons.examples,
        held_out: &held_out,
        frames: &frames,
        stop: &stop,
        judge: (!looked_up.is_empty()).then_some(&look),
    };
    let ended = course.fit(network.as_mut(), &mut state, &options, &mut |event| {
        super::print_progress(&event, describe_evaluation)
    })?;
    match ended {
        StopReason::Stopped if args.resume.is_some() => {
            println!("stopped after {} steps; the same command goes on", state.step);
            return Ok(());
        }
        StopReason::Early => println!("the held-out examples stopped getting better"),
        _ => {}
    }
    let mut about = About {
        command: super::command_line(std::env::args().skip(1)),
        data: counts,
        device: network.name(),
        parameters: layout.len,
        seen: state.seen,
        seconds: state.seconds,
        held_out: held_out.len(),
        points: state.points.clone(),
        ..About::default()
    };
    let model = round_planner(&layout, &state.best, embedder.model(), &frames, &lessons.examples, args.bits)?;
    let model = match &thinned {
        Some(thinned) => {
            let known: Vec<TrainingExample> = held_out.iter().filter(|l| thinned.knows(l)).cloned().collect();
            let calibration = thinned.calibrated(&model, &frames, &known)?;
            println!("calibration {:?}, from {} examples", calibration.0, known.len());
            model.with_calibration(calibration).into_diagnostic()?
        }
        None => model,
    };
    let bits = args.bits.count();
    let mut sets = vec![("Held out".to_owned(), held_out)];
    for path in &args.test {
        sets.push((name(path), read_examples(std::slice::from_ref(path))?.0.examples));
    }
    for (name, lessons) in sets {
        let (all, by_pattern) = measure_model(&model, &frames, &lessons)?;
        let judged = match &judge {
            Some(judge) => {
                let known: Vec<TrainingExample> =
                    lessons.iter().filter(|l| judge.knows(l)).take(args.executed).cloned().collect();
                if known.is_empty() { None } else { Some(judge.judge_model(&model, &frames, &known)?) }
            }
            None => None,
        };
        print!("{name}: {} examples, shape {:.4}, ", all.questions, all.shape_accuracy());
        println!("tag F1 {:.4}, all right {:.4}, in {bits} bits", all.tag_f1(), all.exact_match());
        if let Some(j) = &judged {
            println!(
                "  on the graph: {} examples, {:.4} answered exactly, F1 {:.4}",
                j.questions,
                j.accuracy(),
                j.mean_f1()
            );
        }
        about.sets.push(SetMeasured { name, all, by_pattern, judged });
    }
    let bytes = model.encode();
    (about.bits, about.bytes) = (bits, bytes.len());
    write_file(&args.out, &bytes)?;
    write_file(&args.out.with_extension("md"), write_card(&about).as_bytes())?;
    write_file(&args.out.with_extension("html"), write_curves(&about).as_bytes())?;
    println!("{}: {} bytes", args.out.display(), bytes.len());
    Ok(())
}

/// Adds what the run is tuned with, a tenth of it to what is held out; says how many examples each file gave.
fn tune_planner(
    args: &Args,
    lessons: &mut Vec<TrainingExample>,
    held_out: &mut Vec<TrainingExample>,
) -> Result<Vec<(String, usize)>> {
    if args.tune.is_empty() {
        return Ok(Vec::new());
    }
    let (mut own, _) = read_examples(&args.tune)?;
    own.examples.retain(|l| args.tune_part.is_none_or(|p| p.holds(l.of.as_ref().unwrap_or(&l.question))));
    if own.examples.is_empty() {
        return Err(miette!(
            help = "look at the files of --tune, and at --tune-part",
            "there is nothing to tune with"
        ));
    }
    let counts = vec![(args.tune.iter().map(|p| name(p)).collect::<Vec<_>>().join(", "), own.examples.len())];
    held_out.append(&mut own.held_out(args.held_out, args.seed));
    let share = f64::from(args.tune_share) / 100.0;
    let wanted = (share / (1.0 - share) * lessons.len() as f64).max(own.examples.len() as f64) as usize;
    println!("{} examples to tune with", own.examples.len());
    lessons.extend(own.examples.iter().cycle().take(wanted).cloned());
    Ok(counts)
}

fn read_graph(args: &Args) -> Result<Option<Linker>> {
    if let Some(seed) = args.world {
        return Ok(Some(Linker::new(&everyday::build_world(seed).into_diagnostic()?)));
    }
    if args.kg.is_empty() {
        return Ok(None);
    }
    let (graph, report) = args.tables.with_own_names().import(&args.kg)?;
    for problem in report.problems.iter().take(3) {
        eprintln!("warning: {problem}");
    }
    Ok(Some(Linker::new(&graph)))
}

/// The run that the arguments go on with, or a new one.
fn begin_run(args: &Args, layout: &Layout, embedder: &NativeEmbedder) -> Result<Checkpoint> {
    if let Some(folder) = &args.resume
        && let Some(run) = Checkpoint::load(folder, layout)?
    {
        println!("going on after {} steps", run.step);
        return Ok(run);
    }
    let start = match &args.from {
        Some(file) if file.is_file() => from_model(file, layout)?,
        Some(folder) => {
            Checkpoint::load(folder, layout)?
                .ok_or_else(|| miette!("{} holds no run", folder.display()))?
                .best
        }
        None => layout.from_encoder(embedder.model(), args.seed),
    };
    Ok(Checkpoint::new(start))
}

/// The numbers of a model that was written earlier.
fn from_model(file: &Path, layout: &Layout) -> Result<Vec<f32>> {
    let bytes = std::fs::read(file)
        .into_diagnostic()
        .wrap_err_with(|| format!("{} cannot be read", file.display()))?;
    let model = PlannerModel::decode(&bytes)
        .into_diagnostic()
        .wrap_err_with(|| format!("{} is no planner", file.display()))?;
    let layers = model.encoder().encoder().layers().len();
    layout.from_planner(&model).ok_or_else(|| {
        miette!(
            help = "name as many with --layers",
            "{} has {layers} layers, and {} were asked for",
            file.display(),
            layout.layers.len()
        )
    })
}

fn options_of(args: &Args) -> Options {
    let schedule = Schedule {
        epochs: args.epochs,
        minutes: args.minutes,
        batch: args.batch_size,
        rates: Rates { rate: args.learning_rate, ..Rates::default() },
        check_every: args.check_every,
        seed: args.seed,
        folder: args.resume.clone(),
        save_minutes: args.save_minutes,
        ..Schedule::default()
    };
    Options { schedule, patience: args.patience }
}

/// Reads examples, and how many each file gave; says what was left out.
fn read_examples(files: &[PathBuf]) -> Result<(TrainingSet, Vec<(String, usize)>)> {
    let (mut lessons, mut counts) = (TrainingSet::default(), Vec::new());
    for path in files {
        let before = lessons.examples.len();
        lessons.read(path)?;
        counts.push((name(path), lessons.examples.len() - before));
    }
    for (doubt, n) in &lessons.left_out {
        eprintln!("{n} examples left out: {doubt}");
    }
    Ok((lessons, counts))
}

fn describe_evaluation(p: &Evaluation) -> String {
    let executed = p.executed.map_or_else(String::new, |executed| format!(", answers {executed:.4}"));
    format!(
        "loss {:.4}, shape {:.4}, aggregation {:.4}, tag F1 {:.4}, all right {:.4}{executed}",
        p.held_out_loss, p.shape, p.aggregation, p.tag_f1, p.exact
    )
}
