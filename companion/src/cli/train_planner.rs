//! `pocketgraph train planner`.

use crate::embed_bulk::NativeEmbedder;
use crate::train::planner::{
    Checkpoint, Course, Cpu, Ended, Frames, Heard, Layout, Lessons, Network, Options, Rates, SIZES, measure_model, rounded,
};
use clap::ValueEnum;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph::planner::model::Calibration;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Arguments of `pocketgraph train planner`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Examples, as `train data` makes them
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Examples to measure with at the end, and never to learn from
    #[arg(long, num_args = 1..)]
    test: Vec<PathBuf>,
    /// What computes
    #[arg(long, value_enum, default_value = "cpu")]
    device: Device,
    /// Where to write the model; its card goes to the same name with .md
    #[arg(short, long, default_value = "models/planner.bin")]
    out: PathBuf,
    /// Passes over the examples
    #[arg(long, default_value_t = Options::default().epochs)]
    epochs: usize,
    /// End after so many minutes of training, if that is sooner
    #[arg(long)]
    minutes: Option<f64>,
    /// Questions a step
    #[arg(long, default_value_t = Options::default().batch)]
    batch: usize,
    /// AdamW's rate for the heads; the layers have less
    #[arg(long, default_value_t = Rates::default().rate)]
    lr: f32,
    /// Examples of the data that are held out, to choose the best weights by
    #[arg(long, value_name = "N", default_value_t = 1000)]
    held_out: usize,
    /// Examples between two looks at those held out
    #[arg(long, value_name = "N", default_value_t = Options::default().check_every)]
    check_every: usize,
    /// Looks without a better result after which the run ends
    #[arg(long, value_name = "N", default_value_t = Options::default().patience)]
    patience: usize,
    /// Keep checkpoints in this folder, and go on with the run that it holds
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// Begin with the best weights of the run in this folder
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// Fixes every random choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Device {
    /// The processor
    Cpu,
}

/// Trains.
///
/// # Errors
/// When files cannot be read or written.
pub fn run(args: &Args) -> Result<()> {
    let embedder = NativeEmbedder::new()?;
    let frames = Frames::new(&embedder)?;
    let layout = Layout::new(SIZES);
    let mut lessons = read(&args.data)?;
    let held_out = lessons.held_out(args.held_out, args.seed);
    println!("{} examples to learn from, {} held out", lessons.lessons.len(), held_out.len());
    if lessons.lessons.is_empty() {
        return Err(miette!(help = "make some with `pocketgraph train data`", "there is nothing to learn from"));
    }
    let start = match &args.from {
        Some(folder) => Checkpoint::load(folder, &layout)?.ok_or_else(|| miette!("{} holds no run", folder.display()))?.best,
        None => layout.from_encoder(embedder.model(), args.seed),
    };
    let mut state = match &args.resume {
        Some(folder) => Checkpoint::load(folder, &layout)?,
        None => None,
    }
    .unwrap_or_else(|| Checkpoint::new(start));
    if state.step > 0 {
        println!("going on after {} steps", state.step);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if told.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("\nending after this step; once more to end at once");
    })
    .into_diagnostic()?;
    let options = Options {
        epochs: args.epochs,
        minutes: args.minutes,
        batch: args.batch,
        rates: Rates { rate: args.lr, ..Rates::default() },
        check_every: args.check_every,
        patience: args.patience,
        seed: args.seed,
        folder: args.resume.clone(),
        ..Options::default()
    };
    let mut network: Box<dyn Network> = match args.device {
        Device::Cpu => Box::new(Cpu::new(layout.clone())),
    };
    let course = Course { layout: &layout, lessons: &lessons.lessons, held_out: &held_out, frames: &frames, stop: &stop, judge: None };
    let ended = course.fit(network.as_mut(), &mut state, &options, &mut |heard| tell(&heard))?;
    match ended {
        Ended::Stopped if args.resume.is_some() => {
            println!("stopped after {} steps; the same command goes on", state.step);
            return Ok(());
        }
        Ended::Early => println!("the held-out examples stopped getting better"),
        _ => {}
    }
    let model = rounded(&layout, &state.best, embedder.model(), &frames, &lessons.lessons, Calibration::default())?;
    let mut sets = vec![("held out".to_owned(), held_out)];
    for path in &args.test {
        sets.push((name(path), read(std::slice::from_ref(path))?.lessons));
    }
    for (name, lessons) in &sets {
        let (all, by_pattern) = measure_model(&model, embedder.words(), &frames, lessons)?;
        println!(
            "{name}: {} examples, shape {:.4}, tag F1 {:.4}, all right {:.4} (int8)",
            all.questions,
            all.shape_accuracy(),
            all.tag_f1(),
            all.exact_match()
        );
        for (pattern, m) in by_pattern {
            println!(
                "  {pattern:<12} {:>6} shape {:.3} tag F1 {:.3} all right {:.3}",
                m.questions,
                m.shape_accuracy(),
                m.tag_f1(),
                m.exact_match()
            );
        }
    }
    let bytes = model.encode();
    std::fs::write(&args.out, &bytes).into_diagnostic().wrap_err_with(|| format!("writing {}", args.out.display()))?;
    println!("{}: {} bytes", args.out.display(), bytes.len());
    Ok(())
}

/// Reads examples, and says what was left out.
fn read(files: &[PathBuf]) -> Result<Lessons> {
    let mut lessons = Lessons::default();
    files.iter().try_for_each(|path| lessons.read(path))?;
    for (doubt, n) in &lessons.left_out {
        eprintln!("{n} examples left out: {doubt}");
    }
    Ok(lessons)
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}

/// A line of progress.
fn tell(heard: &Heard<'_>) {
    let left = heard.left as u64;
    let mut line = format!(
        "step {}, {:.1} %, loss {:.4}, {:.0} examples/s, {}:{:02} left",
        heard.step,
        100.0 * heard.done,
        heard.loss,
        heard.speed,
        left / 60,
        left % 60
    );
    if let Some(p) = heard.point {
        line += &format!(
            "; held out: loss {:.4}, shape {:.4}, wrap {:.4}, tag F1 {:.4}, all right {:.4}",
            p.held_out_loss, p.shape, p.wrap, p.tag_f1, p.exact
        );
        if let Some(executed) = p.executed {
            line += &format!(", answers {executed:.4}");
        }
    }
    eprintln!("{line}");
}
