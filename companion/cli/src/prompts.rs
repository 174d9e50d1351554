//! `pocketgraph prompts`, and the option by which other commands take prompts.

use super::prompt_files::{PromptFileError, read_prompts, write_prompts};
use miette::{Report, Result, miette};
use pocketgraph::agent::list_texts;
use pocketgraph::llm::{Prompts, Text};
use std::path::PathBuf;

/// Option for texts that replace ours.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct PromptArgs {
    /// Take the texts for the model from the files of this folder; `pocketgraph prompts DIR` writes ours
    #[arg(long, value_name = "DIR")]
    prompts: Option<PathBuf>,
}

impl PromptArgs {
    /// Reads the prompts of the folder; none if no folder is named.
    ///
    /// # Errors
    /// If the folder cannot be read, or a file names no prompt or has wrong placeholders.
    pub fn read(&self) -> Result<Prompts> {
        self.prompts
            .as_deref()
            .map_or_else(|| Ok(Prompts::default()), |folder| read_prompts(folder).map_err(add_help))
    }
}

fn add_help(error: PromptFileError) -> Report {
    match error {
        PromptFileError::Prompt { .. } => {
            miette!(help = "pocketgraph prompts lists the prompts and their placeholders", "{error}")
        }
        PromptFileError::Occupied(_) => miette!(help = "name another folder", "{error}"),
        error => miette!("{error}"),
    }
}

/// Arguments of `pocketgraph prompts`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
                  pocketgraph prompts                               the prompts, and what their placeholders \
                  are\n  \
                  pocketgraph prompts mine --protocol search-r1     those of one protocol as files, to be \
                  edited\n  \
                  pocketgraph ask site/bundle \"...\" --protocol search-r1 --prompts mine")]
pub struct Args {
    /// Write the prompts into this folder, a file each; without it, list them
    folder: Option<PathBuf>,
    /// Only the texts of this protocol; `ask` is the plain answer, `plan` the planner, `rules` the end of
    /// every task
    #[arg(long, value_name = "NAME")]
    protocol: Option<String>,
}

/// Runs the command.
pub fn run_prompts(args: &Args) -> Result<()> {
    let wanted = |t: &Text| {
        args.protocol.as_deref().is_none_or(|p| t.name.split_once('.').is_some_and(|(of, _)| of == p))
    };
    if !list_texts().into_iter().any(wanted) {
        let mut names: Vec<&str> =
            list_texts().iter().filter_map(|t| t.name.split_once('.')).map(|(of, _)| of).collect();
        names.dedup();
        return Err(miette!(
            help = format!("there are {}", names.join(", ")),
            "no prompt is of {:?}",
            args.protocol.as_deref().unwrap_or_default()
        ));
    }
    let Some(folder) = &args.folder else {
        list_texts().into_iter().filter(|t| wanted(t)).for_each(print_prompt);
        return Ok(());
    };
    let files = write_prompts(folder, wanted).map_err(add_help)?;
    println!("{} prompts in {}", files.len(), folder.display());
    Ok(())
}

fn print_prompt(text: &Text) {
    let listed = |names: &[&str]| names.iter().map(|n| format!("{{{{{n}}}}}")).collect::<Vec<_>>().join(" ");
    let may = if text.may.is_empty() { String::new() } else { format!("  may have {}", listed(text.may)) };
    let needs =
        if text.needs.is_empty() { String::new() } else { format!("  must have {}", listed(text.needs)) };
    println!("{}{needs}{may}", text.name);
}
