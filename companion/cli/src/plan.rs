//! `pocketgraph plan`.

use super::ask::{agent_options, with_json};
use super::endpoint::{Endpoint, Planning};
use super::import::Tables;
use super::open::{open_engine, run_future, with_model};
use super::prompts::PromptArgs;
use super::protocol_options::check_protocols;
use super::trace;
use clap::builder::PossibleValuesParser;
use miette::{IntoDiagnostic, LabeledSpan, NamedSource, Report, Result, WrapErr, miette};
use pocketgraph::agent::{
    AgentOptions, AnswerGraph, AskWith, PlannedBy, PlannedQuestion, PlannerChoice, PlanningAids,
    ProtocolAnswer, WebPassages, WebSearch, answer_plan, plan_over,
};
use pocketgraph::engine::Engine;
use pocketgraph::kg::Linker;
use pocketgraph::plan::check::{Limits as PlanLimits, check};
use pocketgraph::plan::execute::{Execution, Executor, Limits, Passages, Resources};
use pocketgraph::plan::{Plan, PlanError, Position, Surface};
use pocketgraph::planner::OtherPlanners;
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_models::native_planners::{Meanings, NativePlanners};
use pocketgraph_models::planner_model::{NativePlanner, PlannerSource};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

/// Maximum length of a text that is shown around an error in it.
const SHOWN: usize = 64 << 10;

/// Arguments of `pocketgraph plan`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "pocketgraph plan <BUNDLE> <QUESTION> [OPTIONS]\n       pocketgraph plan --kg <FILE> \
                      <QUESTION> [OPTIONS]\n       \
                      pocketgraph plan <BUNDLE> --plan <FILE> [OPTIONS]",
    after_help = "Examples:\n  \
                  pocketgraph plan site/bundle \"who directed Heat?\"              the plan, and how sure \
                  the planner is\n  \
                  pocketgraph plan --kg films.tsv \"who directed Heat?\" --execute the plan over a graph in \
                  a file, carried out\n  \
                  pocketgraph plan site/bundle --plan my.plan                    a plan that you wrote, \
                  carried out\n  \
                  pocketgraph plan site/bundle \"who directed Heat?\" --form json  the plan as JSON"
)]
pub struct Args {
    /// Folder of the bundle; with --kg, the question
    #[arg(value_name = "BUNDLE")]
    first: Option<String>,
    /// Question to plan; leave it out with --plan
    #[arg(value_name = "QUESTION")]
    second: Option<String>,
    /// Read the knowledge graph from this file instead of a bundle: TSV, CSV, `|`, JSON Lines or RDF, also
    /// gzipped; repeatable
    #[arg(long, value_name = "FILE")]
    kg: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// Form of the printed plan: plan lines (rft), code (lpkg) or JSON (json)
    #[arg(long, default_value = "rft", value_parser = PossibleValuesParser::new(Surface::NAMES))]
    form: String,
    /// Carry out the plan, and show every step
    #[arg(long)]
    execute: bool,
    /// Carry out the plan in this file, in any form; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    #[command(flatten)]
    endpoint: Endpoint,
    #[command(flatten)]
    planning: Planning,
    /// Further options, as JSON: '{"searches": 5, "timeLimitMs": 60000}'
    #[arg(long, value_name = "JSON", value_parser = agent_options)]
    options: Option<serde_json::Map<String, serde_json::Value>>,
    #[command(flatten)]
    prompts: PromptArgs,
    /// Print plan, candidates, trace and answer as JSON
    #[arg(long)]
    json: bool,
}

pub fn run_plan(args: &Args) -> Result<()> {
    let given = args.plan.as_deref().map(read_plan).transpose()?;
    let (engine, linker, question) = open_graph(args)?;
    let question = question.or_else(|| given.as_ref().and_then(|p| p.question.clone()));
    let chat = args.endpoint.open()?;
    let web = args.planning.web()?;
    let web = web.as_ref().map(|web| web as &dyn WebSearch);
    let begun = Instant::now();
    let clock = || begun.elapsed().as_secs_f64() * 1e3;
    let with = AskWith { chat: chat.as_deref(), clock: &clock, graph: None, web, tools: None };
    let options = read_options(args)?;
    // Over a graph in a file, the program's own planners take the place of a bundle's.
    let alone = engine.is_none() && given.is_none() && options.planner != PlannerChoice::Rules;
    let trained = if alone { NativePlanner::open(&PlannerSource::Own)? } else { None };
    let embedder = if alone && trained.is_none() { Some(NativeEmbedder::new()?) } else { None };
    let meanings =
        trained.as_ref().map(NativePlanner::embedder).or(embedder.as_ref()).map(Meanings::new).transpose()?;
    let own = NativePlanners {
        trained: trained.as_ref().map(|t| (t, t.over(&linker))),
        meanings: meanings.as_ref(),
    };
    // One runtime for everything: connections live no longer than theirs.
    run_future(async {
        let planned = match (&given, &question) {
            (Some(plan), _) => PlannedQuestion {
                plan: Some(plan.clone()),
                text: String::new(),
                by: Some(PlannedBy::Caller),
                confidence: 1.0,
                why_not: None,
                mentions: Vec::new(),
            },
            (None, Some(question)) => {
                let encoder = engine.as_ref().and_then(Engine::encoder);
                let of_bundle = engine
                    .as_ref()
                    .map(|e| PlanningAids { bundle: e.corpus().bundle(), encoder: encoder.as_deref() });
                let others: &dyn OtherPlanners =
                    of_bundle.as_ref().map_or(&own as &dyn OtherPlanners, |aids| aids);
                plan_over(&linker, question, others, &options, &with).await.into_diagnostic()?
            }
            (None, None) => {
                return Err(miette!(
                    help = "give a question, or a plan with --plan FILE",
                    "there is nothing to plan"
                ));
            }
        };
        let done = match &planned.plan {
            Some(plan) if args.execute || given.is_some() => {
                Some(execute_plan(engine.as_ref(), &linker, plan, &question, &options, &with).await?)
            }
            _ => None,
        };
        if args.json {
            as_json(args, question.as_deref(), &planned, done.as_ref())
        } else {
            as_text(args, &planned, done.as_ref())
        }
    })?
}

/// The options of the command line, and over them those given as JSON.
fn read_options(args: &Args) -> Result<AgentOptions> {
    check_protocols(args.options.iter().flat_map(|given| given.keys().map(String::as_str)), &["plan"])
        .map_err(|what| miette!("{what}"))?;
    let own = AgentOptions {
        planner: args.planning.planner().unwrap_or_default(),
        least_confidence: args.planning.least_confidence(),
        demonstrations: args.planning.demonstrations(),
        ..AgentOptions::default()
    };
    Ok(AgentOptions { prompts: args.prompts.read()?, ..with_json(own, args.options.as_ref())? })
}

/// Opens the bundle or the graph that the arguments name, and returns it with the question.
fn open_graph(args: &Args) -> Result<(Option<Engine>, Rc<Linker>, Option<String>)> {
    if !args.kg.is_empty() {
        if args.second.is_some() {
            return Err(miette!(help = "leave one of them out", "a bundle and --kg cannot be combined"));
        }
        let (graph, report) = args.tables.import(&args.kg)?;
        for problem in report.problems.iter().take(3) {
            eprintln!("warning: {problem}");
        }
        return Ok((None, Rc::new(Linker::new(&graph)), args.first.clone()));
    }
    let Some(folder) = &args.first else {
        return Err(miette!(
            help = "name a bundle, or a file with --kg",
            "there is no knowledge graph to plan over"
        ));
    };
    let folder = Path::new(folder);
    // The model also finds the relation nearest in meaning if no word names one; rules alone do without it.
    let by_rules =
        args.planning.planner() == Some(PlannerChoice::Rules) && !args.execute && args.plan.is_none();
    let engine = if by_rules { open_engine(folder)? } else { with_model(folder)? };
    let linker = run_future(engine.knowledge())?.into_diagnostic()?.ok_or_else(|| {
        let help = "build it with --kg FILE, or give a graph with --kg";
        miette!(help = help, "the bundle {} carries no knowledge graph", folder.display())
    })?;
    Ok((Some(engine), linker, args.second.clone()))
}

/// Reads and checks a plan from a file.
fn read_plan(path: &Path) -> Result<Plan> {
    let mut bytes = Vec::new();
    // More than a plan may have is not read, so that the error is that it is too long.
    let most = PlanLimits::default().source as u64 + 1;
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|f| f.take(most).read_to_end(&mut bytes))
    };
    read.into_diagnostic().wrap_err_with(|| format!("cannot read the plan {}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let limits = PlanLimits::default();
    let parsed = Surface::of(&text).read(&text, &limits).map_err(|e| report_fault(path, &text, &[e]))?;
    check(&parsed.plan, &parsed.positions, &limits).map_err(|errors| report_fault(path, &text, &errors))?;
    Ok(parsed.plan)
}

/// Reports where a plan is wrong and what was expected.
fn report_fault(path: &Path, text: &str, errors: &[PlanError]) -> Report {
    let message = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let labels: Vec<LabeledSpan> =
        errors.iter().map(|e| LabeledSpan::at_offset(find_offset(text, e.at), e.fault.to_string())).collect();
    let help = "docs/plans.md gives the grammar";
    let report =
        miette!(labels = labels, help = help, "the plan {} cannot be carried out\n{message}", path.display());
    if text.len() > SHOWN {
        report
    } else {
        report.with_source_code(NamedSource::new(path.display().to_string(), text.to_owned()))
    }
}

/// Returns the byte offset of a line and column.
fn find_offset(text: &str, at: Position) -> usize {
    let start: usize =
        text.split_inclusive('\n').take(at.line.saturating_sub(1) as usize).map(str::len).sum();
    let line = text.get(start..).unwrap_or_default();
    start + line.char_indices().nth(at.column.saturating_sub(1) as usize).map_or(line.len(), |(i, _)| i)
}

/// Outcome of a plan: over a bundle an answer with citations, over a graph alone its results.
enum Done {
    Answered(Box<ProtocolAnswer>),
    Executed(Box<Execution>, AnswerGraph, Vec<String>),
}

async fn execute_plan(
    engine: Option<&Engine>,
    linker: &Linker,
    plan: &Plan,
    question: &Option<String>,
    options: &AgentOptions,
    with: &AskWith<'_>,
) -> Result<Done> {
    if let Some(engine) = engine {
        let answered = answer_plan(engine, plan, question.as_deref(), options, with, &mut |_| {})
            .await
            .into_diagnostic()?;
        return Ok(Done::Answered(Box::new(answered)));
    }
    let web = with.web.map(WebPassages);
    let resources = Resources {
        web: web.as_ref().map(|w| w as &dyn Passages),
        model: with.chat,
        clock: Some(with.clock),
        ..Resources::default()
    };
    let execution =
        Executor::new(Some(linker)).execute(plan, resources, Limits::default()).await.into_diagnostic()?;
    let labels = execution.answer().ranked().iter().map(|m| m.item.label(Some(linker.graph()))).collect();
    let graph = AnswerGraph::of(linker.graph(), &execution);
    Ok(Done::Executed(Box::new(execution), graph, labels))
}

/// A plan in the form that is asked for; as plan lines, with a warning, where that form has no words for it.
fn in_form(args: &Args, plan: &Plan) -> Result<String> {
    let surface = Surface::by_name(&args.form).unwrap_or(Surface::Lines);
    surface.print(plan).map(|text| text.trim_end().to_owned()).map_err(|e| {
        let help = "--form rft and --form json can express every plan";
        miette!(help = help, "the form {} cannot express this plan: {e}", args.form)
    })
}

fn as_text(args: &Args, planned: &PlannedQuestion, done: Option<&Done>) -> Result<()> {
    for mention in &planned.mentions {
        let all: Vec<String> =
            mention.candidates.iter().map(|c| format!("{} ({:.2})", c.label, c.score)).collect();
        eprintln!("\"{}\" may be {}", mention.mention, all.join(", "));
    }
    let Some(plan) = &planned.plan else {
        let why = planned.why_not.as_deref().unwrap_or("there is none");
        let help = "`pocketgraph ask` answers from the passages. --least-confidence 0 shows uncertain plans, \
            and --plan FILE carries out your own.";
        return Err(miette!(help = help, "no plan: {why}"));
    };
    if args.planning.planner() == Some(PlannerChoice::Trained) && planned.by == Some(PlannedBy::Rules) {
        eprintln!("warning: the rules planned, because the trained planner is missing or not sure");
    }
    if let Some(by) = planned.by {
        eprintln!("plan, by {}", trace::name_planner(by, Some(planned.confidence)));
    }
    println!("{}", in_form(args, plan)?);
    match done {
        None => {}
        Some(Done::Answered(answered)) => {
            if let Some(carried) = &answered.carried {
                println!("\n{}", carried.trace.to_text().trim_end());
            }
            println!("\n{}", answered.answer.text);
            super::ask::print_epilogue(&answered.answer);
        }
        Some(Done::Executed(execution, _, labels)) => {
            println!("\n{}", execution.trace.to_text().trim_end());
            println!("\n{}", if labels.is_empty() { "Nothing found.".to_owned() } else { labels.join("\n") });
        }
    }
    Ok(())
}

fn as_json(
    args: &Args,
    question: Option<&str>,
    planned: &PlannedQuestion,
    done: Option<&Done>,
) -> Result<()> {
    let mut out = serde_json::to_value(planned).into_diagnostic()?;
    let text = planned.plan.as_ref().map(|plan| in_form(args, plan)).transpose()?;
    out["question"] = question.into();
    out["form"] = args.form.as_str().into();
    out["text"] = text.unwrap_or_default().into();
    match done {
        None => {}
        Some(Done::Answered(answered)) => {
            out["answered"] = serde_json::to_value(answered).into_diagnostic()?
        }
        Some(Done::Executed(execution, graph, labels)) => {
            out["executed"] = serde_json::json!({
                "answer": labels,
                "complete": execution.is_complete(),
                "trace": execution.trace,
                "graph": graph,
            });
        }
    }
    pocketgraph_native::terminal::print_json(&out).into_diagnostic()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_text_is_found_by_line_and_column() {
        let text = "é=1\nAns2=x";
        let at = |line, column| find_offset(text, Position { line, column });
        assert_eq!((at(1, 1), at(1, 2), at(2, 1), at(2, 6), at(2, 99), at(9, 1)), (0, 2, 5, 10, 11, 11));
    }
}
