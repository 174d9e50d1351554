//! `pocketgraph eval study`.

use super::interrupt;
use futures::future::FutureExt;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::agent::AgentOptions;
use pocketgraph::llm::{ChatModel, Recorder};
use pocketgraph_cli::endpoint::Endpoint;
use pocketgraph_cli::progress::Bars;
use pocketgraph_cli::prompts::PromptArgs;
use pocketgraph_eval::{Asker, Indexing, KeptReplies, Study, ask_all, make_indexes, wants_model};
use pocketgraph_llm_client::asker::{self, Asking};
use pocketgraph_llm_client::record::{RecordFile, read_replay};
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_native::progress::Progress;
use std::path::PathBuf;
use std::rc::Rc;

/// Arguments of `pocketgraph eval study`.
#[derive(Debug, clap::Args)]
#[command(after_help = "The file says what is compared:\n\n  \
retrievers = [\"dense\", \"hippo\", \"linear\"]\n  \
protocols = [\"single-shot\", \"react\"]\n  \
seeds = [1, 2, 3]\n  \
k = 5\n  \
model_reads = false\n\n  \
[options]\n  \
turns = 4\n\n  \
[[sets]]\n  \
name = \"hotpotqa\"\n  \
corpus = \"hotpotqa/corpus.jsonl\"\n  \
questions = \"hotpotqa/questions.jsonl\"\n  \
first = 100\n\n\
Each answer is a line of answers.jsonl, and each index one of indexes.jsonl. After Ctrl-C the same command \
goes on.")]
pub struct Args {
    /// The study: retrievers, protocols, seeds and sets, as TOML; paths in it are from its own folder
    file: PathBuf,
    /// Keep indexes and answers in this folder
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    endpoint: Endpoint,
    #[command(flatten)]
    prompts: PromptArgs,
    /// Add every exchange about a question to this file
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Take the model's replies from a recorded study, without a network; times are then those of the machine
    /// without the model
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

pub fn run_study(args: &Args) -> Result<()> {
    let study = Study::read(&args.file).into_diagnostic()?;
    let chat: Option<Rc<dyn ChatModel>> = match &args.replay {
        Some(path) => Some(Rc::new(read_replay(path).into_diagnostic()?)),
        None => args.endpoint.open()?.map(Rc::from),
    };
    let needing = study
        .protocols
        .iter()
        .find(|p| wants_model(p))
        .map(String::as_str)
        .or(study.model_reads.then_some("model_reads"));
    if let (Some(what), None) = (needing, &chat) {
        let help = "name an endpoint with --base-url and --model, or a recording with --replay; quote and plan \
            need neither";
        return Err(miette!(help = help, "{what} needs a language model"));
    }
    let identity = args.endpoint.identity().unwrap_or_else(|| "a recording".to_owned());
    let asking = Asking { identity: identity.clone(), ..Asking::new(&identity) };
    let (bars, embedder) = (Bars::new(false), NativeEmbedder::new()?);
    let model = chat.clone().map(|chat| (chat, asking));
    let sets =
        make_indexes(&study, &Indexing { embedder: &embedder, model, folder: &args.out, progress: &bars })
            .into_diagnostic()?;
    let file = args.record.as_deref().map(RecordFile::append).transpose().into_diagnostic()?;
    let sink = |line: &str| file.iter().for_each(|f| f.line(line));
    // A recording must hold whole replies, whatever of them the protocol reads.
    let whole = chat
        .clone()
        .filter(|_| file.is_some())
        .map(|chat| KeptReplies::new(Box::new(chat), None, String::new()));
    let recorder = whole.as_ref().map(|whole| Recorder::new(whole, &sink));
    let asked: Option<&dyn ChatModel> = match &recorder {
        Some(recorder) => Some(recorder),
        None => chat.as_ref().map(|chat| chat as &dyn ChatModel),
    };
    let options =
        AgentOptions { prompts: args.prompts.read()?, ..study.options().map_err(|what| miette!("{what}"))? };
    let answers: usize = sets.iter().map(|set| set.answers(&study)).sum();
    bars.stage("asking", Some(answers as u64));
    let done = |n: usize| bars.at(n as u64);
    let with = Asker {
        study: &study,
        options: &options,
        chat: asked,
        identity: &identity,
        folder: &args.out,
        done: &done,
    };
    let work = async { Ok(ask_all(&with, &sets, interrupt().boxed_local()).await) };
    let doing = asker::run_requests(work).into_diagnostic()?.into_diagnostic()?;
    bars.finish();
    file.map_or(Ok(()), RecordFile::finish).into_diagnostic()?;
    let file = args.out.join("answers.jsonl");
    eprintln!("{} answers, {} of them kept from before: {}", doing.asked.len(), doing.before, file.display());
    match &doing.stopped {
        None => Ok(()),
        Some(why) => Err(miette!(
            help = "the same command goes on from here",
            "measured {} of {answers} answers: {why}",
            doing.asked.len()
        )),
    }
}
