//! The command line of `pocketgraph-lab`.

use crate::sets::SETS;
use crate::{candidates, interface, kinds, linking, minilm, patterns, walks, weights};
use clap::{Parser, Subcommand};
use miette::Result;
use pocketgraph_cli::eval::{answers, plans};
use pocketgraph_cli::train_label;

/// Measures PocketGraph with sets that planners are examined with, and makes the models that it is released with.
#[derive(Debug, Parser)]
#[command(name = "pocketgraph-lab", version, about)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure plans, answers and linking with MetaQA, BetaE, GeoQuery, 2WikiMultiHopQA, CLQA-Wiki and ComplexWebQuestions
    #[command(subcommand)]
    Eval(Box<Eval>),
    /// Make the models that the program carries, and examples out of exam sets
    #[command(subcommand)]
    Train(Train),
    /// Write what JavaScript, its types and the handbook have of the options and notices
    Interface(interface::Args),
}

#[derive(Debug, Subcommand)]
enum Eval {
    /// Answer sets of plans, executed over a knowledge graph; as `pocketgraph eval plans`, which reads the open form alone. GeoQuery's facts are read as its authors mean
    /// them; without --kg the graph is made of the questions' evidence triples (2WikiMultiHopQA)
    Plans(Box<plans::Args>),
    /// Answers as `pocketgraph eval answers` measures them, also over the graph of the questions' evidence triples
    Answers(Box<Answers>),
    /// What each planner proposes for questions over a knowledge graph, and whether it is right, as JSON Lines for `tuning/plans.py`
    Candidates(Box<candidates::Args>),
    /// What the rules plan with other weights, and how much of it is right, for `tuning/rules.py`
    Weights(Box<weights::Args>),
    /// What kinds are inferred with other values of what decides, for `tuning/kinds.py`
    Kinds(kinds::Args),
    /// How often the pattern of a question is told from its words
    Patterns(patterns::Args),
    /// How often the marked entity of a question is linked first
    Linking(linking::Args),
    /// Time of plans made from random walks over a knowledge graph
    Walks(walks::Args),
}

#[derive(Debug, clap::Args)]
struct Answers {
    #[command(flatten)]
    args: answers::Args,
    /// Without --kg, carry the graph of the questions' evidence triples (2WikiMultiHopQA)
    #[arg(long)]
    evidence_graph: bool,
}

#[derive(Debug, Subcommand)]
enum Train {
    /// As `pocketgraph train label`, of the questions of any set
    Label(Box<train_label::Args>),
    /// Quantise all-MiniLM-L6-v2 from the original's weights: to int8, or its layers to four bits
    Minilm(minilm::Args),
}

/// Runs a command.
///
/// # Errors
/// A report of what went wrong.
pub fn run(cli: Cli) -> Result<()> {
    match cli.command {
        Command::Eval(eval) => match *eval {
            Eval::Plans(args) => plans::run(&args, SETS),
            Eval::Answers(all) => answers::run(&all.args, if all.evidence_graph { SETS } else { &[] }),
            Eval::Candidates(args) => candidates::run(&args),
            Eval::Weights(args) => weights::run(&args),
            Eval::Kinds(args) => kinds::run(&args),
            Eval::Patterns(args) => patterns::run(&args),
            Eval::Linking(args) => linking::run(&args),
            Eval::Walks(args) => walks::run(&args),
        },
        Command::Train(Train::Label(args)) => train_label::run(&args, SETS),
        Command::Train(Train::Minilm(args)) => minilm::run(&args),
        Command::Interface(args) => interface::run(&args),
    }
}
