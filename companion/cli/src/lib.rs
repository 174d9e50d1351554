#![doc = include_str!("../README.md")]

// Its macros are those of all modules: nothing is printed past them.
#[macro_use(eprint, eprintln, print, println)]
extern crate pocketgraph_native;

pub mod ask;
mod build;
pub mod cache;
mod caller_tools;
mod check;
mod config;
pub mod endpoint;
mod draw;
mod dry_run;
mod eval;
mod export;
mod filter;
mod gaps;
pub mod import;
mod init;
mod inspect;
mod keywords;
mod lab;
mod licences;
mod many;
mod mcp;
mod merge;
pub mod models;
pub mod open;
mod plan;
pub mod progress;
mod prompt_files;
pub mod prompts;
pub mod protocol_options;
mod prove;
mod search;
mod site;
mod serve;
mod shell;
mod skipped;
mod trace;
mod verify;

use clap::{Parser, Subcommand};
use miette::Result;

/// Turns documents into a bundle of static files that answers questions in a browser.
#[derive(Debug, Parser)]
#[command(name = "pocketgraph", version, about, propagate_version = true, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  pocketgraph build docs -o site/bundle             read the folder docs, write the bundle
  pocketgraph search site/bundle \"how do I start?\"   the best passages
  pocketgraph ask site/bundle \"how do I start?\"      an answer with citations, no LLM needed
  pocketgraph serve site                            look at it in a browser";

#[derive(Debug, Subcommand)]
enum Command {
    /// Write pocketgraph.toml and print the lines for the page
    Init(init::Args),
    /// Build a bundle from a folder of documents
    Build(Box<build::Args>),
    /// Make one bundle of several
    Merge(merge::Args),
    /// Search a bundle
    Search(search::Args),
    /// Answer a question from a bundle
    Ask(Box<ask::Args>),
    /// Plan a question over a knowledge graph, and carry out plans
    Plan(Box<plan::Args>),
    /// Show sizes, counts and keywords of a bundle
    Inspect(inspect::Args),
    /// Check every file of a bundle
    Verify(verify::Args),
    /// Check the quotations and citations of an answer against the published bundle
    Prove(prove::Args),
    /// List what readers asked that the documents do not answer
    Gaps(gaps::Args),
    /// Look for the addresses of a bundle in the published site
    Check(check::Args),
    /// Draw a question's keywords and passages as SVG
    Draw(draw::Args),
    /// Write a bundle's graphs as GraphML, CSV or JSON, for Gephi, networkx and notebooks
    Export(export::Args),
    /// Serve a folder to the browser, for development
    Serve(serve::Args),
    /// Serve a bundle to agents by the Model Context Protocol
    Mcp(mcp::Args),
    /// Download and list models that do not come with the program
    Models(models::Args),
    /// List the texts for language models, or write them out to be edited
    Prompts(prompts::Args),
    /// Train a planner and encoders of your own, with pocketgraph-lab
    Train(lab::Args),
    /// Read a knowledge graph from files and report what is in it
    Import(import::Args),
    /// Measure a bundle by your own questions; with pocketgraph-lab also retrieval, answers and plans on
    /// labelled sets
    #[command(subcommand)]
    Eval(eval::Command),
    /// Print the licences of the program, its models and its crates
    #[command(visible_alias = "licenses")]
    Licences,
    /// Read a PDF from standard input in bounded time and memory, for the program itself
    #[command(hide = true)]
    ReadPdf,
    /// Print a completion script for a shell
    Completions(shell::CompletionsArgs),
    /// Write a man page for each command
    Man(shell::ManArgs),
}

/// Reads the command line, with the options of a build's configuration file put in. Ends the program where
/// clap does: for `--help`, and for what is no command line.
///
/// # Errors
/// A configuration file that cannot be read or names what is no option.
pub fn parse_arguments(arguments: Vec<std::ffi::OsString>) -> Result<Cli> {
    let line = config::add_config_entries(arguments)?;
    let mut cli = Cli::parse_from(line.arguments);
    if let Command::Build(args) = &mut cli.command {
        args.endpoint.url_file = line.url_file;
    }
    Ok(cli)
}

/// Runs the command that the arguments name.
///
/// # Errors
/// A report of what went wrong and what to do.
pub fn run_command(cli: Cli) -> Result<()> {
    match cli.command {
        Command::Init(args) => init::run_init(&args),
        Command::Build(args) => build::run_build(&args),
        Command::Merge(args) => merge::run_merge(&args),
        Command::Search(args) => search::run_search(&args),
        Command::Ask(args) => ask::run_ask(&args),
        Command::Plan(args) => plan::run_plan(&args),
        Command::Inspect(args) => inspect::run_inspect(&args),
        Command::Verify(args) => verify::run_verify(&args),
        Command::Prove(args) => prove::run_prove(&args),
        Command::Gaps(args) => gaps::run_gaps(&args),
        Command::Check(args) => check::run_check(&args),
        Command::Draw(args) => draw::run_draw(&args),
        Command::Export(args) => export::run_export(&args),
        Command::Serve(args) => serve::run_serve(&args),
        Command::Mcp(args) => mcp::run_mcp(&args),
        Command::Models(args) => models::run_models(&args),
        Command::Prompts(args) => prompts::run_prompts(&args),
        Command::Train(args) => lab::run_lab("train", &args.rest),
        Command::Import(args) => import::run_import(&args),
        Command::Eval(command) => eval::run_eval(&command),
        Command::Licences => {
            licences::print_licences();
            Ok(())
        }
        Command::ReadPdf => read_pdf(),
        Command::Completions(args) => {
            shell::print_completions(&args);
            Ok(())
        }
        Command::Man(args) => shell::write_manual(&args),
    }
}

fn read_pdf() -> Result<()> {
    let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
    pocketgraph_pdf::read_for_parent(input, output).map_err(|e| miette::miette!("{e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// Collects every long option of a command and its subcommands.
    fn options(command: &clap::Command, path: &str, out: &mut Vec<(String, String)>) {
        let path = format!("{path} {}", command.get_name());
        out.extend(
            command
                .get_arguments()
                .filter_map(|a| a.get_long())
                .map(|long| (path.clone(), format!("--{long}"))),
        );
        command.get_subcommands().for_each(|c| options(c, &path, out));
    }

    #[test]
    fn the_handbook_names_every_option() {
        let pages = [
            include_str!("../../../docs/command-line.md"),
            include_str!("../../../docs/measuring-your-own-site.md"),
        ];
        let mut all = Vec::new();
        options(&Cli::command(), "", &mut all);
        assert!(all.len() > 30, "{all:?}");
        let missing: Vec<_> = all
            .iter()
            .filter(|(_, o)| {
                !pages.iter().any(|page| page.contains(o.as_str())) && o != "--help" && o != "--version"
            })
            .collect();
        assert!(
            missing.is_empty(),
            "docs/command-line.md and docs/measuring-your-own-site.md do not say what these do: {missing:?}"
        );
    }
}
