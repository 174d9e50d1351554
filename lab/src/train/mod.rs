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
mod values;

use clap::Subcommand;
use device::Devices;
use miette::Result;

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
///
/// # Errors
/// A report of what went wrong.
pub fn run(args: &Args, devices: Devices<'_>) -> Result<()> {
    match &args.what {
        What::Data(args) => data::run(args),
        What::Pairs(args) => pairs::run(args),
        What::Label(args) => label::run(args),
        What::Rephrase(args) => rephrase::run(args),
        What::Planner(args) => planner::run(args, devices),
        What::Encoder(args) => encoder::run(args, devices),
        What::QueryTable(args) => query_table::run(args, devices),
        What::Minilm(args) => minilm::run(args),
    }
}
