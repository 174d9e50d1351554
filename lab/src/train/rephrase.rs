//! `pocketgraph train rephrase`.

use super::data::add_questions;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph_cli::cache::CacheArgs;
use pocketgraph_cli::endpoint::EndpointArgs;
use pocketgraph_cli::progress::Bars;
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_native::progress::Progress;
use pocketgraph_train::plan_data::{Near, Sample, Wanted, say_of_pattern};
use pocketgraph_train::planner::LabelledQuestion;
use std::path::{Path, PathBuf};

/// Arguments of `pocketgraph train rephrase`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  pocketgraph train rephrase questions.jsonl --llm-url http://localhost:11434/v1 --llm-model qwen3 -o said.jsonl
  pocketgraph train planner --data plans.jsonl --from models/planner.bin --tune questions.jsonl said.jsonl")]
pub struct Args {
    /// JSON Lines of questions with the names of their patterns: `question`, and `shape` or `type`
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Questions of the same meaning to have of each, in other words
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = read_number)]
    rewordings: usize,
    /// Questions of the same pattern to have of each, about other things
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = read_number)]
    siblings: usize,
    /// Files of test questions (JSON Lines with `question`): what is nearly one of these is left out
    #[arg(long, value_name = "FILE", num_args = 1..)]
    without: Vec<PathBuf>,
    #[command(flatten)]
    endpoint: EndpointArgs,
    #[command(flatten)]
    cache: CacheArgs,
    /// File for the questions
    #[arg(short, long, default_value = "said.jsonl")]
    out: PathBuf,
}

/// Reads a number of questions.
fn read_number(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n <= 20).ok_or_else(|| "write a number from 0 to 20".to_owned())
}

/// Has the questions written. Fails if there is no endpoint or it fails, or files cannot be read or written.
pub fn run_rephrase(args: &Args) -> Result<()> {
    let wanted = Wanted { rewordings: args.rewordings, siblings: args.siblings };
    if wanted.rewordings + wanted.siblings == 0 {
        return Err(miette!(
            help = "name a number with --rewordings or --siblings",
            "no questions are asked for"
        ));
    }
    let bars = Bars::new(false);
    let model =
        args.endpoint.patient("train rephrase", args.cache.open(&bars, "replies are not kept").as_ref())?;
    let mut without = Near::default();
    for path in &args.without {
        add_questions(path, &mut without)?;
    }
    let mut samples = Vec::new();
    for path in &args.files {
        samples.extend(read_samples(path)?);
    }
    let tokenizer = NativeEmbedder::new()?;
    let count = |text: &str| tokenizer.tokenizer().count(text);
    let (written, tally) =
        say_of_pattern(&samples, wanted, &without, &model, &bars, &count).into_diagnostic()?;
    let mut out = String::new();
    for w in &written {
        let labelled = LabelledQuestion {
            question: w.question.clone(),
            shape: w.shape.name().to_owned(),
            of: Some(w.of.clone()),
            ..LabelledQuestion::default()
        };
        out.push_str(&serde_json::to_string(&labelled).into_diagnostic()?);
        out.push('\n');
    }
    std::fs::write(&args.out, out)
        .into_diagnostic()
        .wrap_err_with(|| format!("{} cannot be written", args.out.display()))?;
    bars.note(&tally.to_string());
    bars.finish();
    let siblings = written.iter().filter(|w| w.sibling).count();
    println!(
        "{}: {} rewordings and {siblings} siblings of {} questions",
        args.out.display(),
        written.len() - siblings,
        samples.len()
    );
    Ok(())
}

/// The questions of a file, and their patterns.
fn read_samples(path: &Path) -> Result<Vec<Sample>> {
    let text = std::fs::read_to_string(path)
        .into_diagnostic()
        .wrap_err_with(|| format!("{} cannot be read", path.display()))?;
    let sample = |(number, line): (usize, &str)| {
        let lesson =
            LabelledQuestion::read(line).and_then(LabelledQuestion::training_example).ok_or_else(|| {
                miette!(
                    help =
                        "a line is a JSON object with \"question\" and \"shape\", a pattern such as \"2p\"",
                    "{}, line {}: this is no question with a pattern",
                    path.display(),
                    number + 1
                )
            })?;
        Ok(Sample { question: lesson.question, shape: lesson.labels.shape })
    };
    text.lines().enumerate().filter(|l| !l.1.trim().is_empty()).map(sample).collect()
}
