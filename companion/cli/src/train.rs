//! `pocketgraph train`.

use super::{train_data, train_encoder, train_label, train_pairs, train_planner, train_query_table, train_rephrase};
use clap::Subcommand;
use miette::Result;
use pocketgraph_eval::OPEN;

/// Arguments of `pocketgraph train`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
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
    QueryTable(train_query_table::Args),
}

pub fn run(args: &Args) -> Result<()> {
    match &args.what {
        What::Data(args) => train_data::run(args),
        What::Pairs(args) => train_pairs::run(args),
        What::Label(args) => train_label::run(args, OPEN),
        What::Rephrase(args) => train_rephrase::run(args),
        What::Planner(args) => train_planner::run(args),
        What::Encoder(args) => train_encoder::run(args),
        What::QueryTable(args) => train_query_table::run(args),
    }
}
