//! `pocketgraph train label`.

use crate::sets::SETS;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph::kg::Linker;
use pocketgraph_cli::import::Tables;
use pocketgraph_cli::progress::Bars;
use pocketgraph_cluster::Random;
use pocketgraph_eval::{Part, graph_for, read_answerable};
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_models::planner_model::{PlannerSource, load_planner};
use pocketgraph_native::progress::Progress;
use pocketgraph_train::planner::{Frames, Judge, LabelledQuestion, labelled};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Arguments of `pocketgraph train label`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The knowledge graph that the questions are about: triples as for `import`
    #[arg(long, num_args = 1..)]
    kg: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// JSON Lines of questions with answers, as `eval plans` reads them
    #[arg(long, required = true, num_args = 1..)]
    questions: Vec<PathBuf>,
    /// Only a part of the questions, chosen by themselves: 1/2 is the first of two, not-1/10 all but
    /// the first of ten
    #[arg(long, value_name = "K/N")]
    part: Option<Part>,
    /// Number of questions to take from the beginning of each file
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// The trained planner that reads them, as `train planner` wrote it [default: the program's own]
    #[arg(long, value_name = "FILE")]
    planner_model: Option<String>,
    /// Readings drawn of a question
    #[arg(long, value_name = "N", default_value_t = 16)]
    draws: usize,
    /// File for the examples
    #[arg(short, long, default_value = "labelled.jsonl")]
    out: PathBuf,
    /// Fixes every draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Labels questions. Fails if files cannot be read or written, or there is no planner.
pub fn run_label(args: &Args) -> Result<()> {
    let (files, options) = args.tables.files(&args.kg)?;
    let linker = Linker::new(&graph_for(&args.questions, SETS, &files, &options).into_diagnostic()?);
    let Some(model) = load_planner(&PlannerSource::of(args.planner_model.as_deref()))? else {
        return Err(miette!(
            help = "name its weights with --planner-model",
            "this program was built without a trained planner"
        ));
    };
    let embedder = NativeEmbedder::new()?;
    let (frames, judge) = (Frames::new(&embedder)?, Judge::new(&linker));
    let mut questions = Vec::new();
    for path in &args.questions {
        let read = read_answerable(path, SETS, args.part).into_diagnostic()?;
        questions.extend(read.into_iter().take(args.first.unwrap_or(usize::MAX)));
    }
    let describe = || format!("{} cannot be written", args.out.display());
    let mut out = BufWriter::new(File::create(&args.out).into_diagnostic().wrap_err_with(describe)?);
    let bars = Bars::new(false);
    bars.stage("reading questions", Some(questions.len() as u64));
    let mut made = 0;
    for (i, asked) in questions.iter().enumerate() {
        let mut random = Random::new(args.seed, i as u64);
        if let Some(labels) = labelled(&judge, &model, &frames, asked, args.draws, &mut random)? {
            let line =
                serde_json::to_string(&LabelledQuestion::of(asked.question(), &labels)).into_diagnostic()?;
            writeln!(out, "{line}").into_diagnostic().wrap_err_with(describe)?;
            made += 1;
        }
        bars.at(i as u64 + 1);
    }
    out.flush().into_diagnostic().wrap_err_with(describe)?;
    bars.finish();
    println!("{}: {made} examples of {} questions", args.out.display(), questions.len());
    Ok(())
}
