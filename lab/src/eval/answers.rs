//! `pocketgraph eval answers`.

use super::interrupt;
use super::prices::PriceArgs;
use crate::sets::SETS;
use futures::future::FutureExt;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::agent::{AgentOptions, NAMES};
use pocketgraph::llm::{ChatModel, Recorder};
use pocketgraph_build::prepare::Needs;
use pocketgraph_cli::ask::agent_options;
use pocketgraph_cli::cache::CacheArgs;
use pocketgraph_cli::endpoint::Endpoint;
use pocketgraph_cli::import::Tables;
use pocketgraph_cli::models::EmbedderArgs;
use pocketgraph_cli::open::{run_future, with_model};
use pocketgraph_cli::progress::Bars;
use pocketgraph_cli::prompts::PromptArgs;
use pocketgraph_cli::protocol_options::{check_protocols, measured_with};
use pocketgraph_eval::{
    ASK, AnswerSetup, AnswersReport, KeptReplies, QuerySide, SetBuild, System, evaluate_answers, graph_for,
    list_ways, make_set, open_set, protocol_of, read_answered, read_passages, wants_model,
};
use pocketgraph_llm_client::record::{RecordFile, read_replay};
use pocketgraph_measure::records::AnswersAre;
use pocketgraph_measure::{Estimate, QUOTE};
use pocketgraph_models::embed_bulk::QueryLayers;
use pocketgraph_models::embeddings::CachedEmbedder;
use pocketgraph_native::progress::Progress;
use std::path::PathBuf;

/// Arguments of `pocketgraph eval answers`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Without an endpoint: `quote` cites sentences of the documents, and `plan` asks the \
bundle's knowledge graph. With --base-url and \
--model also `ask` (one search, one answer) and every protocol of `pocketgraph ask`; the endpoint's key \
comes from the environment variable \
POCKETGRAPH_API_KEY.\n\nThe model's replies are kept in the cache: the same command goes on where it was \
broken off, and pays for nothing twice. \
Ctrl-C prints what was measured so far.")]
pub struct Args {
    /// JSON Lines of passages, also gzipped, of which a bundle is made; left out where --bundle names one
    /// that is there
    #[arg(long, required_unless_present = "bundle")]
    corpus: Option<PathBuf>,
    /// The bundle to ask; with --corpus, the folder to keep the corpus's bundle in
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
    /// JSON Lines of questions with their answers: question, and answers or answer
    #[arg(long)]
    questions: PathBuf,
    /// Meaning of a list of answers: aliases of one answer, or a set of answers that are all wanted
    #[arg(long, value_parser = ["aliases", "set"], default_value = "aliases")]
    answers_are: String,
    /// Protocols, separated by commas: quote, plan, ask, or others
    #[arg(long, value_delimiter = ',', default_value = QUOTE)]
    protocols: Vec<String>,
    /// Retrievers; each is measured with every protocol
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    retrievers: Vec<String>,
    /// Compare the others with this one, question by question: a protocol and a retriever, as in quote/auto
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Number of passages to answer from [default: 10, or the protocol's own number]
    #[arg(short)]
    k: Option<u32>,
    /// Further options of the protocols, as JSON
    #[arg(long, value_name = "JSON", value_parser = agent_options)]
    options: Option<serde_json::Map<String, serde_json::Value>>,
    #[command(flatten)]
    embedder: EmbedderArgs,
    #[command(flatten)]
    prompts: PromptArgs,
    /// With --corpus: triples of a knowledge graph that the bundle shall carry
    #[arg(long = "kg", num_args = 1.., requires = "corpus")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// Without --kg, carry the graph of the questions' evidence triples (2WikiMultiHopQA)
    #[arg(long)]
    evidence_graph: bool,
    #[command(flatten)]
    endpoint: Endpoint,
    #[command(flatten)]
    prices: PriceArgs,
    /// Keep every exchange with the model in this file
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Take the model's replies from a recorded run, without a network
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArgs,
    /// Measure the first so many questions only
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// List that many answers of each way that do not contain the wanted one
    #[arg(long, value_name = "N", default_value_t = 0)]
    misses: usize,
    /// Print figures and answers as JSON
    #[arg(long)]
    json: bool,
}

/// Measures answers. Fails if files cannot be read, or the model cannot be had.
pub fn run_answers(args: &Args) -> Result<()> {
    let systems = list_systems(args)?;
    let how = if args.answers_are == "set" { AnswersAre::Set } else { AnswersAre::Aliases };
    let passages = args.corpus.as_deref().map(read_passages).transpose().into_diagnostic()?;
    let mut questions = read_answered(&args.questions, how, passages.as_ref()).into_diagnostic()?;
    if questions.all.is_empty() {
        let help = "each line wants `answers` or `answer` beside its question";
        return Err(miette!(help = help, "no question of {} has an answer", args.questions.display()));
    }
    questions.all.truncate(args.first.unwrap_or(usize::MAX));
    let chat: Option<Box<dyn ChatModel>> = match &args.replay {
        Some(path) => Some(Box::new(read_replay(path).into_diagnostic()?)),
        None => args.endpoint.open()?,
    };
    if let (Some(system), None) = (systems.iter().find(|s| wants_model(&s.protocol)), &chat) {
        let help = "name an endpoint with --base-url and --model, or a recording with --replay; quote and \
            plan \
            need neither";
        return Err(miette!(help = help, "{} needs a language model", system.protocol));
    }
    let bars = Bars::new(false);
    let cache = args.cache.open(&bars, "replies are not kept, and a run that is broken off begins anew");
    // A recording answers by itself.
    let replies = cache.clone().filter(|_| args.replay.is_none());
    let kept = chat.map(|chat| KeptReplies::new(chat, replies, args.endpoint.identity().unwrap_or_default()));
    let file = args.record.as_deref().map(RecordFile::create).transpose().into_diagnostic()?;
    let sink = |line: &str| file.iter().for_each(|f| f.line(line));
    let recorder = match (&file, &kept) {
        (Some(_), None) => {
            return Err(miette!(
                help = "name an endpoint with --base-url and --model",
                "there is no model to record"
            ));
        }
        (Some(_), Some(kept)) => Some(Recorder::new(kept, &sink)),
        (None, _) => None,
    };
    let options = read_options(args)?;
    let setup = AnswerSetup {
        systems: &systems,
        options: &options,
        chat: kept.as_ref(),
        before: recorder.as_ref().map(|r| r as &dyn ChatModel),
        prices: args.prices.prices(),
        baseline: args.baseline.as_deref(),
    };
    let set = match &passages {
        None => None,
        Some(passages) => {
            let knowledge = read_graph(args)?;
            let model = args.embedder.load()?;
            bars.stage("embedding passages", Some(passages.all.len() as u64));
            let embedded = |n: usize| bars.at(n as u64);
            let needs = Needs::of(&args.retrievers).into_diagnostic()?;
            let build = SetBuild {
                needs,
                knowledge: knowledge.as_ref(),
                model: &CachedEmbedder::new(&model, cache.as_deref()),
                table: None,
                side: QuerySide::Model,
                added: None,
                layers: &model.layers(QueryLayers::default()),
                questions: args.embedder.question_languages(),
                reader: None,
                progress: &embedded,
            };
            let made = make_set(passages, &build, args.bundle.as_deref()).into_diagnostic()?;
            Some(run_future(open_set(made, passages, &build))?.into_diagnostic()?)
        }
    };
    let opened = match (&set, &args.bundle) {
        (None, Some(folder)) => Some(with_model(folder)?),
        _ => None,
    };
    let engine = set
        .as_ref()
        .map(|s| &s.engine)
        .or(opened.as_ref())
        .ok_or_else(|| miette!("name a corpus or a bundle"))?;
    bars.stage("asking", Some((questions.all.len() * systems.len()) as u64));
    let done = |n: usize| bars.at(n as u64);
    let report =
        run_future(evaluate_answers(engine, &questions.all, &setup, interrupt().boxed_local(), &done))?;
    let mut report = report.into_diagnostic()?;
    bars.finish();
    report.left_out = questions.left_out;
    print_report(args, &report)?;
    file.map_or(Ok(()), RecordFile::finish).into_diagnostic()?;
    match &report.stopped {
        None => Ok(()),
        Some(why) => {
            let n = report.rows.first().map_or(0, |r| r.questions);
            let help = if args.cache.no_cache || args.replay.is_some() {
                ""
            } else {
                "the same command goes on from here: replies are kept"
            };
            Err(miette!(help = help, "measured {n} of {} questions: {why}", report.questions))
        }
    }
}

/// Every protocol with every retriever.
fn list_systems(args: &Args) -> Result<Vec<System>> {
    let known = |p: &str| p == QUOTE || p == ASK || NAMES.contains(&p);
    if let Some(unknown) = args.protocols.iter().find(|p| !known(p)) {
        return Err(miette!(
            help = format!("there are quote, ask, {}", NAMES.join(", ")),
            "there is no protocol {unknown}"
        ));
    }
    Needs::of(&args.retrievers).into_diagnostic()?;
    let systems = list_ways(&args.protocols, &args.retrievers);
    if let Some(baseline) = args.baseline.as_ref().filter(|b| !systems.iter().any(|s| s.name() == **b)) {
        let names: Vec<String> = systems.iter().map(System::name).collect();
        return Err(miette!(
            help = format!("there are {}", names.join(", ")),
            "the baseline {baseline} is not measured"
        ));
    }
    Ok(systems)
}

fn read_options(args: &Args) -> Result<AgentOptions> {
    let protocols: Vec<&str> = args.protocols.iter().map(|p| protocol_of(p)).collect();
    check_protocols(args.options.iter().flat_map(|given| given.keys().map(String::as_str)), &protocols)
        .map_err(|what| miette!("{what}"))?;
    let own = measured_with(args.k, args.options.as_ref()).map_err(|what| miette!("{what}"))?;
    Ok(AgentOptions { prompts: args.prompts.read()?, ..own })
}

/// The knowledge graph that the corpus's bundle carries: that of the files, or of the questions' evidence.
fn read_graph(args: &Args) -> Result<Option<pocketgraph::kg::KnowledgeGraph>> {
    if args.files.is_empty() && !args.evidence_graph {
        return Ok(None);
    }
    let sets = if args.evidence_graph { SETS } else { &[] };
    let (files, options) = args.tables.files(&args.files)?;
    graph_for(std::slice::from_ref(&args.questions), sets, &files, &options).into_diagnostic().map(Some)
}

fn print_report(args: &Args, report: &AnswersReport) -> Result<()> {
    if args.json {
        return pocketgraph_native::terminal::print_json(report).into_diagnostic();
    }
    print_rows(report, args.misses);
    Ok(())
}

fn print_rows(report: &AnswersReport, misses: usize) {
    println!("{} questions ({} left out: they have no answer)\n", report.questions, report.left_out);
    println!(
        "| way | questions | EM (95 %) | F1 (95 %) | Contain-EM (95 %) | shown | set P/R/F1 | hits@1 | \
         evidence recall | answered | words | turns | calls | \
         tokens in/out | cost | failures | ms p50/p95 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for r in &report.rows {
        println!(
            "| {} | {} | {} | {} | {} | {:.3} | {:.3}/{:.3}/{:.3} | {:.3} | {} | {} | {:.1} | {:.2} \
             | {:.2} | {}{}/{} | {} | {} | {:.0}/{:.0} |",
            r.system,
            r.questions,
            r.em,
            r.f1,
            r.contain_em,
            r.shown_contain_em.mean,
            r.set_precision.mean,
            r.set_recall.mean,
            r.set_f1.mean,
            r.hits_1.mean,
            r.evidence_recall.map_or("-".to_owned(), |e| format!("{:.3}", e.mean)),
            r.answered,
            r.words,
            r.turns,
            r.calls,
            if r.estimated { "about " } else { "" },
            r.llm.prompt_tokens,
            r.llm.completion_tokens,
            r.llm.cost.map_or("-".to_owned(), |c| format!("{c:.4}")),
            r.failed,
            r.p50_ms,
            r.p95_ms
        );
    }
    println!("\n{}", report.caveat);
    for r in &report.rows {
        let by: Vec<String> = r.by.iter().map(|(who, n)| format!("{who} {n}")).collect();
        println!("{} was answered by: {}", r.system, by.join(", "));
    }
    if report.replies_asked + report.replies_kept > 0 {
        println!(
            "{} replies asked for, {} kept from before; those take no time",
            report.replies_asked, report.replies_kept
        );
    }
    if let Some(baseline) = &report.baseline {
        println!("\n| minus {baseline} | EM (95 %) | F1 (95 %) | Contain-EM (95 %) |\n|---|---|---|---|");
        let format_estimate = |e: Estimate| format!("{:+.3} ({:+.3} to {:+.3})", e.mean, e.low, e.high);
        report.paired.iter().for_each(|p| {
            println!(
                "| {} | {} | {} | {} |",
                p.system,
                format_estimate(p.em),
                format_estimate(p.f1),
                format_estimate(p.contain_em)
            )
        });
    }
    if !report.kinds.is_empty() {
        println!(
            "\n| kind of question | way | questions | EM | F1 | Contain-EM | set P/R | evidence \
             recall |\n|---|---|---|---|---|---|---|---|"
        );
    }
    for r in &report.kinds {
        let recall = r.evidence_recall.map_or("-".to_owned(), |e| format!("{:.3}", e.mean));
        let sets = format!("{:.3}/{:.3}", r.set_precision, r.set_recall);
        let means = format!("{:.3} | {:.3} | {:.3}", r.em.mean, r.f1.mean, r.contain_em.mean);
        println!("| {} | {} | {} | {means} | {sets} | {recall} |", r.kind, r.system, r.answers);
    }
    for r in report.rows.iter().filter(|_| misses > 0) {
        println!("\nof {}:", r.system);
        for a in r.each.iter().filter(|a| a.contain_em < 1.0).take(misses) {
            let wanted: Vec<String> = a.wanted.iter().map(|names| names.join(" / ")).collect();
            println!("- {}\n  wanted: {}\n  said: {}", a.question, wanted.join(" | "), a.stated);
            a.failure.iter().for_each(|why| println!("  failure: {why}"));
        }
    }
}
