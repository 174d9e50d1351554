//! `pocketgraph-lab train`: one file for each thing that it makes.

mod data;
pub mod device;
mod encoder;
mod label;
pub mod minilm;
mod pairs;
mod planner;
mod query_table;
mod rephrase;
mod trajectories;
mod values;

use clap::Subcommand;
use device::{Devices, clock};
use miette::{IntoDiagnostic, Result, WrapErr};
use pocketgraph_train::network::TrainingEvent;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Arguments of `pocketgraph-lab train`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Make questions with plans and answers from a knowledge graph, to train a planner on
    Data(data::Args),
    /// Make pairs of such questions and plans, to tune a language model into a planner with
    Pairs(pairs::Args),
    /// Make dialogues of the protocol graph-rft that follow such plans, to tune a language model with
    Trajectories(trajectories::Args),
    /// Make such examples of questions with answers: readings by a trained planner that find just these
    Label(label::Args),
    /// Have a language model write questions of the patterns of a few that are labelled: further ones to tune
    /// a planner with
    Rephrase(rephrase::Args),
    /// Train a planner on such questions: a small encoder that says what a question asks for
    Planner(planner::Args),
    /// Distil a smaller encoder for questions from all-MiniLM-L6-v2: a few of its layers that embed short
    /// texts as all do
    Encoder(encoder::Args),
    /// Fit a vector for every token to all-MiniLM-L6-v2's vectors of short texts: what ranks before the model
    /// has arrived
    QueryTable(query_table::Args),
    /// Quantise all-MiniLM-L6-v2 from the original's weights: to int8, or its layers to four bits
    Minilm(minilm::Args),
}

/// Trains, or makes what is trained on.
pub fn run_train(args: &Args, devices: Devices<'_>) -> Result<()> {
    match &args.what {
        What::Data(args) => data::run_data(args),
        What::Pairs(args) => pairs::run_pairs(args),
        What::Trajectories(args) => trajectories::run_trajectories(args),
        What::Label(args) => label::run_label(args),
        What::Rephrase(args) => rephrase::run_rephrase(args),
        What::Planner(args) => planner::run_planner(args, devices),
        What::Encoder(args) => encoder::run_encoder(args, devices),
        What::QueryTable(args) => query_table::run_query_table(args, devices),
        What::Minilm(args) => minilm::run_minilm(args),
    }
}

fn read_lines(path: &Path, most: usize) -> Result<Vec<Value>> {
    let file =
        File::open(path).into_diagnostic().wrap_err_with(|| format!("{} cannot be read", path.display()))?;
    let line =
        |line: std::io::Result<String>| serde_json::from_str(&line.into_diagnostic()?).into_diagnostic();
    BufReader::new(file).lines().take(most).map(line).collect()
}

/// Prints a line of progress; `held_out` says what an evaluation found.
fn print_progress<P>(event: &TrainingEvent<'_, P>, held_out: impl FnOnce(&P) -> String) {
    let TrainingEvent { step, done, loss, speed, left, point } = event;
    let point = point.map_or_else(String::new, |point| format!("; held out: {}", held_out(point)));
    let (percent, left) = (100.0 * done, clock(*left));
    eprintln!("step {step}, {percent:.1} %, loss {loss:.4}, {speed:.0} examples/s, {left} left{point}");
}

/// Returns the program's command, as a shell reads it: with files by their names alone, and without headers
/// for a language model, which may be secret.
fn command_line(arguments: impl Iterator<Item = String>) -> String {
    let mut command = "pocketgraph-lab".to_owned();
    let mut is_header = false;
    for argument in arguments {
        let of_header = std::mem::replace(&mut is_header, argument == "--llm-header");
        if is_header || of_header || argument.starts_with("--llm-header=") {
            continue;
        }
        let is_path = argument.contains('/') && !argument.contains("://");
        let argument = if is_path { argument.rsplit('/').next().unwrap_or_default() } else { &argument };
        let is_plain =
            !argument.is_empty() && argument.chars().all(|c| c.is_alphanumeric() || "-_./=,:+@%".contains(c));
        command += &if is_plain {
            format!(" {argument}")
        } else {
            format!(" '{}'", argument.replace('\'', "'\\''"))
        };
    }
    command
}

#[cfg(test)]
mod tests {
    use super::command_line;

    #[test]
    fn a_command_can_be_repeated_beside_its_files_and_holds_no_header() {
        let typed = [
            "train",
            "data",
            "--kg",
            "a/my graph.tsv",
            "--llm-header",
            "X-Key: s",
            "--llm-header=X: t",
            "--seed",
            "3",
        ];
        assert_eq!(
            command_line(typed.map(str::to_owned).into_iter()),
            "pocketgraph-lab train data --kg 'my graph.tsv' --seed 3"
        );
    }
}
