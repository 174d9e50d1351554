//! `pocketgraph ask`.

use super::caller_tools::CommandTools;
use super::endpoint::{Endpoint, Planning};
use super::filter::FilterArgs;
use super::many::{by_strength, list_bundles};
use super::open::{parse_retriever, run_future, with_model};
use super::prompts::PromptArgs;
use super::protocol_options::{check_protocols, named_options};
use super::trace;
use clap::builder::PossibleValuesParser;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::agent::options::NO_PROTOCOL;
use pocketgraph::agent::{
    self, AgentEvent, AgentOptions, AskWith, CallerTools, ProtocolAnswer, WebSearch, ask_with_protocol,
    needs_model,
};
use pocketgraph::answer::{Answer, AnswerBy, AskEvent, CitationStatus, CitationTarget, NoticeCode, Support};
use pocketgraph::bundle::format_place;
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph::kg;
use pocketgraph::llm::{ChatModel, Recorder};
use pocketgraph::retrieve::NAMES;
use pocketgraph_build::proof::with_proofs;
use pocketgraph_llm_client::record::{RecordFile, read_replay};
use pocketgraph_native::terminal::line;
use pocketgraph_native::today::today;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Arguments of `pocketgraph ask`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "With --base-url and --model, an OpenAI-compatible endpoint writes the answer; its key, if \
it wants one, comes from the \
environment variable POCKETGRAPH_API_KEY.\n\nWithout them, a plan over the bundle's knowledge graph, if it \
has one, answers and names its \
statements; otherwise the answer is quoted from the documents.\n\nWith --protocol, the model searches while \
it answers; with --protocol plan it plans."
)]
pub struct Args {
    /// Folder of the bundle
    bundle: PathBuf,
    /// Question to answer
    #[arg(allow_hyphen_values = true)]
    question: String,
    /// Ask this bundle too: the answer is quoted from the one whose passages fit best; repeatable
    #[arg(long, value_name = "BUNDLE")]
    also: Vec<PathBuf>,
    /// Maximum number of passages to answer from [default: 10, or the protocol's or autokg's own]
    #[arg(short)]
    k: Option<u32>,
    /// Retriever: auto, hybrid, lexical, dense, autokg, or one that the bundle is prepared for, with
    /// parameters after a colon
    #[arg(long, value_name = "NAME", default_value = NAMES[0], value_parser = parse_retriever)]
    retriever: String,
    #[command(flatten)]
    filter: FilterArgs,
    /// Version of the page that you are on, as in `--reader-version 2.0`, or its address: what holds in it
    /// comes first
    #[arg(long, value_name = "VERSION")]
    reader_version: Option<String>,
    #[command(flatten)]
    endpoint: Endpoint,
    #[command(flatten)]
    planning: Planning,
    /// Language to answer in [default: the question's]
    #[arg(long)]
    language: Option<String>,
    /// How to answer: `plan`, which needs no model, or a protocol by which a model searches [default: with a
    /// model one search and one answer; without one `plan` if the bundle has a knowledge graph]
    #[arg(long, value_parser = PossibleValuesParser::new(agent::NAMES))]
    protocol: Option<String>,
    /// Further options, as JSON: '{"turns": 3, "condense": "sentences"}'
    #[arg(long, value_name = "JSON", value_parser = agent_options)]
    options: Option<serde_json::Map<String, serde_json::Value>>,
    /// With tool-calling: add the tool in this JSON file, with name, description, parameters (JSON Schema)
    /// and command; repeatable
    #[arg(long, value_name = "FILE", requires = "protocol")]
    tool: Vec<PathBuf>,
    #[command(flatten)]
    prompts: PromptArgs,
    /// Seconds after which the model must answer, with the time to read the passages [default: 300]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    time_limit: Option<u32>,
    /// Maximum number of tokens of one reply [default: 1024, or the protocol's own]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
    /// Print the plan and its steps, every turn of the model, and its searches
    #[arg(long)]
    trace: bool,
    /// Keep every exchange with the model in this file
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Answer from a recorded run, without a network
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Print the answer as JSON, with what `pocketgraph prove` checks
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run_ask(args: &Args) -> Result<()> {
    let chat = open_model(args)?;
    let file = args.record.as_deref().map(RecordFile::create).transpose().into_diagnostic()?;
    let sink = |line: &str| file.iter().for_each(|f| f.line(line));
    let recorder = chat.as_deref().map(|chat| Recorder::new(chat, &sink));
    let chat: Option<&dyn ChatModel> = match (&file, &recorder) {
        (Some(_), Some(recorder)) => Some(recorder),
        (Some(_), None) => {
            return Err(miette!(
                help = "name an endpoint with --base-url and --model",
                "there is no model to record"
            ));
        }
        (None, _) => chat.as_deref(),
    };
    if !args.also.is_empty() {
        return ask_several(args, chat.is_some());
    }
    let engine = with_model(&args.bundle)?;
    run_future(engine.check_filter(&args.filter.filter()))?.into_diagnostic()?;
    let carries_graph = kg::is_in(engine.corpus().bundle());
    let protocol = match (args.protocol.as_deref(), chat) {
        // A plan goes through the whole graph: who wants some of the documents alone is answered from these.
        (None, None) if carries_graph && !args.filter.is_given() => Some("plan"),
        (protocol, _) => protocol,
    };
    match (protocol, chat) {
        (None, _) if args.trace || args.planning.is_given() => {
            let help = "name a protocol, such as --protocol plan";
            return Err(miette!(
                help = help,
                "--trace and the options of planning need a --protocol, or a bundle with a knowledge \
                 graph and no model"
            ));
        }
        (None, chat) => ask_plainly(args, &engine, chat)?,
        (Some(protocol), None) if needs_model(protocol) => {
            return Err(miette!(
                help = "name an endpoint with --base-url and --model, or a recording with --replay; \
                    --protocol plan needs neither",
                "a protocol needs a model"
            ));
        }
        (Some(protocol), chat) => by_protocol(args, &engine, protocol, chat)?,
    }
    file.map_or(Ok(()), RecordFile::finish).into_diagnostic()
}

/// Opens the model: a recording, an endpoint, or none.
fn open_model(args: &Args) -> Result<Option<Box<dyn ChatModel>>> {
    if let Some(path) = &args.replay {
        return Ok(Some(Box::new(read_replay(path).into_diagnostic()?)));
    }
    args.endpoint.open_within(args.time_limit.map(|s| s * 1000))
}

/// Quotes from the best-fitting of several bundles that has an answer.
fn ask_several(args: &Args, with_model_given: bool) -> Result<()> {
    if with_model_given || args.protocol.is_some() {
        let help = "merge the bundles into one with: pocketgraph merge A B -o C";
        return Err(miette!(help = help, "a model or a protocol answers from one bundle only"));
    }
    let options = with_options(args)?.for_plain_answer();
    let search = SearchOptions {
        k: options.k,
        retriever: options.retriever.clone(),
        filter: options.filter.clone(),
        reader_language: options.reader_language.clone(),
        ..SearchOptions::default()
    };
    let engines = list_bundles(&args.bundle, &args.also)
        .map(|bundle| with_model(bundle))
        .collect::<Result<Vec<_>>>()?;
    let results = engines
        .iter()
        .map(|engine| run_future(engine.search(&args.question, &search))?.into_diagnostic())
        .collect::<Result<Vec<_>>>()?;
    let order = by_strength(&results);
    for (turn, &at) in order.iter().enumerate() {
        let Some(engine) = engines.get(at) else { continue };
        let answer = run_future(engine.quote(&args.question, &options, &mut |_| {}))?.into_diagnostic()?;
        if answer.citations.is_empty() && turn + 1 < order.len() {
            continue;
        }
        if args.json {
            let mut value = serde_json::to_value(&answer).into_diagnostic()?;
            value["bundle"] = serde_json::json!(at);
            return print_json(engine, value);
        }
        println!("{}", answer.text);
        print_epilogue(&answer);
        return Ok(());
    }
    Ok(())
}

/// Prints an answer as JSON, with what `prove` checks.
fn print_json(engine: &Engine, answer: serde_json::Value) -> Result<()> {
    let proved = run_future(with_proofs(engine, answer))?.into_diagnostic()?;
    pocketgraph_native::terminal::print_json(&proved).into_diagnostic()
}

/// Retrieve once, answer once.
fn ask_plainly(args: &Args, engine: &Engine, chat: Option<&dyn ChatModel>) -> Result<()> {
    let options = with_options(args)?.for_plain_answer();
    let mut streamed = false;
    let mut hear = |event: AskEvent| {
        match (&event, args.json) {
            (AskEvent::Token { text }, false) => {
                streamed = true;
                print!("{text}");
                let _ = std::io::stdout().flush();
            }
            // A file or a pipe gets the answer alone, at its end.
            (AskEvent::Anew, false) if streamed => println!("\n(that was no answer; asking again)"),
            _ => {}
        }
    };
    let answer = match chat {
        Some(chat) => run_future(engine.ask(&args.question, &options, chat, &mut hear))?,
        None => run_future(engine.quote(&args.question, &options, &mut hear))?,
    }
    .into_diagnostic()?;
    if args.json {
        return print_json(engine, serde_json::to_value(&answer).into_diagnostic()?);
    }
    if streamed {
        println!();
    }
    // What was streamed lacks the numbers that the check adds, and is no answer where the model failed
    // half-way.
    if !streamed || answer.by == AnswerBy::Extraction {
        println!("{}", answer.text);
    } else {
        let unsupported = answer.sentences.iter().filter(|s| s.support != Support::Supported);
        for sentence in unsupported.filter_map(|s| answer.text.get(s.at.start as usize..s.at.end as usize)) {
            println!("(no passage supports: {})", line(sentence));
        }
    }
    print_epilogue(&answer);
    Ok(())
}

/// Answers by a plan or a protocol. Turns are printed to standard error if a trace is wanted.
fn by_protocol(args: &Args, engine: &Engine, protocol: &str, chat: Option<&dyn ChatModel>) -> Result<()> {
    let options = with_options(args)?;
    let started = Instant::now();
    // A recorded run is the same however long it takes now.
    let clock = || if args.replay.is_some() { 0.0 } else { started.elapsed().as_secs_f64() * 1000.0 };
    let web = args.planning.web()?;
    let tools = CommandTools::read(&args.tool).into_diagnostic()?;
    let own = (!args.tool.is_empty()).then_some(&tools as &dyn CallerTools);
    let with = AskWith {
        chat,
        clock: &clock,
        graph: None,
        web: web.as_ref().map(|web| web as &dyn WebSearch),
        tools: own,
    };
    let mut hear = |event: AgentEvent| {
        if args.trace && !args.json {
            eprint!("{}", trace::trace_line(&event));
            let _ = std::io::stderr().flush();
        }
    };
    let work = ask_with_protocol(engine, &args.question, protocol, &options, &with, &mut hear);
    let mut reasoned: ProtocolAnswer = run_future(work)?.into_diagnostic()?;
    if args.json {
        if !args.trace {
            reasoned.turns.clear();
            reasoned.carried = None;
        }
        return print_json(engine, serde_json::to_value(&reasoned).into_diagnostic()?);
    }
    println!("{}", reasoned.answer.text);
    if args.protocol.is_none() && !args.trace {
        // Nobody asked for a plan, so that its absence is no warning.
        reasoned.answer.warnings.retain(|w| w.code != NoticeCode::Unplanned);
    }
    print_epilogue(&reasoned.answer);
    Ok(())
}

/// Parses `--options` and refuses unknown members, since a misspelt one would have no effect.
pub fn agent_options(text: &str) -> std::result::Result<serde_json::Map<String, serde_json::Value>, String> {
    let given: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(text).map_err(|e| e.to_string())?;
    named_options(given)
}

/// The options of a protocol: those of the command line, and over them those given as JSON.
fn with_options(args: &Args) -> Result<AgentOptions> {
    let given = args
        .options
        .iter()
        .flat_map(|given| given.keys().map(String::as_str))
        .chain(args.planning.option_names());
    check_protocols(given, &[args.protocol.as_deref().unwrap_or(NO_PROTOCOL)])
        .map_err(|what| miette!("{what}"))?;
    let own = AgentOptions {
        k: args.k,
        retriever: Some(args.retriever.clone()),
        filter: args.filter.filter(),
        reader_language: args.filter.reader_language.clone(),
        reader_version: args.reader_version.clone(),
        language: args.language.clone(),
        planner: args.planning.planner().unwrap_or_default(),
        least_confidence: args.planning.least_confidence(),
        demonstrations: args.planning.demonstrations(),
        tokens_out: args.max_tokens,
        milliseconds: args.time_limit.map_or(AgentOptions::default().milliseconds, |s| s * 1000),
        // A recorded run is asked the same on another day.
        today: (args.record.is_none() && args.replay.is_none()).then(today),
        ..AgentOptions::default()
    };
    Ok(AgentOptions { prompts: args.prompts.read()?, ..with_json(own, args.options.as_ref())? })
}

/// Options, and over them those given as JSON.
pub(super) fn with_json(
    own: AgentOptions,
    given: Option<&serde_json::Map<String, serde_json::Value>>,
) -> Result<AgentOptions> {
    let mut all = serde_json::to_value(own).into_diagnostic()?;
    if let (Some(all), Some(given)) = (all.as_object_mut(), given) {
        all.extend(given.clone());
    }
    serde_json::from_value(all).into_diagnostic()
}

/// Prints the quotation beneath the answer, the citations of both, and the warnings.
pub(super) fn print_epilogue(answer: &Answer) {
    print_citations(answer);
    if let Some(quotation) = &answer.quotation {
        let whose = if quotation.by == AnswerBy::Graph { "the knowledge graph" } else { "the documents" };
        println!("\nIn the words of {whose}:\n{}", quotation.text);
        print_citations(quotation);
    }
    for warning in &answer.warnings {
        eprintln!("warning: {}", line(&warning.message));
    }
}

fn print_citations(answer: &Answer) {
    let mut printed_codes = BTreeSet::new();
    for c in &answer.citations {
        if !printed_codes.insert(c.number) {
            continue;
        }
        if printed_codes.len() == 1 {
            println!();
        }
        let mut heads = format_place(&c.title, &c.heading_path);
        // Neither a statement of the graph nor what a tool said can be opened: they are shown themselves.
        let opens = !matches!(c.target, Some(CitationTarget::Statement { .. } | CitationTarget::Tool));
        if !opens && !c.quote.is_empty() {
            heads = format!("{} ({heads})", c.quote);
        }
        if !c.holds.is_empty() {
            heads = format!("{heads} ({})", c.holds);
        }
        let doubt = match c.status {
            CitationStatus::Verified => "",
            CitationStatus::Unsupported => "  (the passage does not support the sentence)",
            CitationStatus::Contradicted => "  (the passage contradicts the sentence)",
            CitationStatus::Dangling => "  (there is no such passage)",
        };
        let goes_on =
            answer.blocks.iter().any(|b| b.more && answer.citations.get(b.citation as usize) == Some(c));
        println!(
            "[{}] {} {}{doubt}{}",
            c.number,
            line(&heads),
            line(&c.url),
            if goes_on { "  (read on there)" } else { "" }
        );
    }
}
