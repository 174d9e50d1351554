//! The knowledge graph and its questions, of the commands that plan answers to them.

use crate::sets::SETS;
use miette::{IntoDiagnostic, Result};
use pocketgraph::kg::Linker;
use pocketgraph_cli::import::Tables;
use pocketgraph_eval::{Gold, Part, graph_for, read_gold};
use std::path::PathBuf;

/// A knowledge graph, and questions about it.
#[derive(Debug, clap::Args)]
pub struct GraphArgs {
    /// The knowledge graph's triples: TSV, CSV, `|`, JSON Lines or RDF, also gzipped
    #[arg(long = "kg", num_args = 1..)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// JSON Lines of questions with their answers, and perhaps plans, as `train data` writes them or a set
    /// has them; several files one after the other
    #[arg(long, required = true, num_args = 1..)]
    pub questions: Vec<PathBuf>,
    /// Number of questions to take from the beginning of each file
    #[arg(long, value_name = "N")]
    pub first: Option<usize>,
    /// Only a part of the questions, chosen by themselves: 1/2 is the first of two, not-1/10 all but
    /// the first of ten
    #[arg(long, value_name = "K/N")]
    pub part: Option<Part>,
}

impl GraphArgs {
    /// Reads the graph. Fails if a file cannot be read.
    pub fn read(&self) -> Result<Linker> {
        let (files, options) = self.tables.files(&self.files)?;
        Ok(Linker::new(&graph_for(&self.questions, SETS, &files, &options).into_diagnostic()?))
    }

    /// Reads the questions that the graph answers. Fails if a file cannot be read.
    pub fn read_questions(&self) -> Result<Vec<Gold>> {
        let asked = |g: &Gold| g.answerable && self.part.is_none_or(|part| part.holds(&g.question));
        let mut questions = Vec::new();
        for path in &self.questions {
            let read = read_gold(path, SETS).into_diagnostic()?.into_iter().filter(asked);
            questions.extend(read.take(self.first.unwrap_or(usize::MAX)));
        }
        Ok(questions)
    }
}
