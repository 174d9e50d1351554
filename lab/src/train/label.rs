//! `pocketgraph train label`.

use crate::graph_args::GraphArgs;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph_cli::progress::Bars;
use pocketgraph_cluster::Random;
use pocketgraph_eval::AnsweredQuestion;
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
    #[command(flatten)]
    graph: GraphArgs,
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
    let linker = args.graph.read()?;
    let Some(model) = load_planner(&PlannerSource::of(args.planner_model.as_deref()))? else {
        return Err(miette!(
            help = "name its weights with --planner-model",
            "this program was built without a trained planner"
        ));
    };
    let embedder = NativeEmbedder::new()?;
    let (frames, judge) = (Frames::new(&embedder)?, Judge::new(&linker));
    let questions: Vec<_> = args.graph.read_questions()?.into_iter().map(AnsweredQuestion).collect();
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
