//! `pocketgraph ask`.

use super::open::{wait, with_model};
use crate::chat::NativeTransport;
use clap::builder::PossibleValuesParser;
use miette::{IntoDiagnostic, Result};
use pocketgraph::answer::{Answer, AnswerBy, AskEvent, AskOptions, CitationStatus};
use pocketgraph::llm::{ChatConfig, ChatModel, OpenAiChat, Secret};
use pocketgraph::retrieve::NAMES;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

/// Where the key comes from: never from an argument, which others on the machine could read.
const KEY: &str = "POCKETGRAPH_API_KEY";

/// Arguments of `pocketgraph ask`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "With --base-url and --model, an OpenAI-compatible endpoint writes the answer; its key, if it wants one, comes from the \
environment variable POCKETGRAPH_API_KEY. Without, the answer is quoted from the documents."
)]
pub struct Args {
    /// The bundle's folder
    bundle: PathBuf,
    /// The question
    question: String,
    /// How many passages to answer from
    #[arg(short, default_value_t = 10)]
    k: u32,
    /// How to look for them
    #[arg(long, default_value = NAMES[0], value_parser = PossibleValuesParser::new(NAMES))]
    retriever: String,
    /// Address of an OpenAI-compatible endpoint, such as http://localhost:11434/v1
    #[arg(long, requires = "model", env = "POCKETGRAPH_BASE_URL")]
    base_url: Option<String>,
    /// The model's name there
    #[arg(long, env = "POCKETGRAPH_MODEL")]
    model: Option<String>,
    /// The language to answer in [default: the question's]
    #[arg(long)]
    language: Option<String>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let engine = with_model(&args.bundle)?;
    let chat: Option<OpenAiChat<NativeTransport>> = match (&args.base_url, &args.model) {
        (Some(url), Some(model)) => {
            let mut config = ChatConfig::new(url, model);
            config.api_key = std::env::var(KEY).ok().filter(|k| !k.is_empty()).map(|k| Secret::new(&k));
            Some(OpenAiChat::new(NativeTransport::new().into_diagnostic()?, config).into_diagnostic()?)
        }
        _ => None,
    };
    let options =
        AskOptions { k: args.k, retriever: Some(args.retriever.clone()), language: args.language.clone(), ..AskOptions::default() };
    let mut streamed = false;
    let mut hear = |event: AskEvent| {
        if let (AskEvent::Token { text }, false) = (&event, args.json) {
            streamed = true;
            print!("{text}");
            let _ = std::io::stdout().flush();
        }
    };
    let work = engine.ask(&args.question, &options, chat.as_ref().map(|c| c as &dyn ChatModel), &mut hear);
    let answer = wait(work)?.into_diagnostic()?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&answer).into_diagnostic()?);
        return Ok(());
    }
    if streamed {
        println!();
    }
    // What was streamed is the answer, unless the model failed half-way and the documents answered instead.
    if !streamed || answer.by == AnswerBy::Extraction {
        println!("{}", answer.text);
    }
    citations(&answer);
    for warning in &answer.warnings {
        eprintln!("warning: {warning}");
    }
    Ok(())
}

fn citations(answer: &Answer) {
    let mut told = BTreeSet::new();
    for c in &answer.citations {
        if !told.insert(c.number) {
            continue;
        }
        if told.len() == 1 {
            println!();
        }
        let reference = answer.references.iter().find(|r| r.number == c.number);
        let heads = reference.map_or(String::new(), |r| {
            std::iter::once(&r.title).chain(&r.heading_path).map(String::as_str).collect::<Vec<_>>().join(" > ")
        });
        let doubt = match c.status {
            CitationStatus::Verified => "",
            CitationStatus::Unsupported => "  (the passage does not bear the sentence out by its words)",
            CitationStatus::Dangling => "  (there is no such passage)",
        };
        println!("[{}] {heads} {}{doubt}", c.number, c.url);
    }
}
