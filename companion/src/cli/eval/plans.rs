//! `pocketgraph eval plans`, `patterns`, `linking` and `walks`: measuring what is asked of a knowledge graph.

use crate::cli::endpoint::Endpoint;
use crate::cli::import::Tables;
use crate::cli::prompts::PromptArgs;
use crate::embed_bulk::NativeEmbedder;
use crate::eval::{Part, PlansReport, Writer, evaluate_linking, evaluate_patterns, evaluate_plans, evaluate_walks, graph_for};
use crate::native_planners::{Meanings, NativePlanners};
use crate::planner_model::{NativePlanner, PlannerSource, model};
use crate::train::planner::{Frames, Judge, Lesson, Lessons};
use futures::executor::block_on;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::kg::Linker;
use pocketgraph::plan::Plan;
use pocketgraph::planner::model::PlannerModel;
use pocketgraph::planner::{Evidence, LlmPlanner, OtherPlanners, Proposal, RulesPlanner, account, choose};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Walks {
    #[command(flatten)]
    kg: KgArgs,
    /// How many plans
    #[arg(long, default_value_t = 1000)]
    plans: usize,
    /// Steps of each
    #[arg(long, default_value_t = 3)]
    steps: usize,
    /// Fixes the walks
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct Plans {
    /// The knowledge graph's triples: TSV, CSV, `|`, JSON Lines or RDF, also gzipped. GeoQuery's facts are read as its authors mean them.
    /// Without it, the graph is made of the questions' evidence triples (2WikiMultiHopQA)
    #[arg(long = "kg", num_args = 1..)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// JSON Lines of questions: MetaQA's, BetaE's, GeoQuery's or 2WikiMultiHopQA's, several files one after the other
    #[arg(long, required = true, num_args = 1..)]
    questions: Vec<PathBuf>,
    /// Who writes the plans; `trained` takes --planner-model; `meaning` asks for the relation nearest in meaning; `auto` is all of them together, as `ask`
    /// has them; `llm` needs --base-url and --model. Of questions of `train data`, `pattern` is the trained planner with the pattern given, and `labels` has all words labelled and
    /// only looks them up
    #[arg(long, value_parser = ["gold", "rules", "trained", "auto", "meaning", "pattern", "labels", "llm"], default_value = "gold")]
    planner: String,
    /// The trained planner's weights, as `train planner` wrote them [default: the program's own]
    #[arg(long, value_name = "FILE")]
    planner_model: Option<String>,
    #[command(flatten)]
    endpoint: Endpoint,
    #[command(flatten)]
    prompts: PromptArgs,
    /// Of each file, the first so many questions
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// Only a part of the questions, chosen by themselves: 1/2 is the first of two, not-1/10 all but
    /// the first of ten
    #[arg(long, value_name = "K/N")]
    part: Option<Part>,
    /// Below this confidence `rules`, `trained` and `meaning` have no plan
    #[arg(long, default_value_t = 0.3)]
    least_confidence: f32,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct Patterns {
    /// JSON Lines of questions with their type (CLQA-Wiki) or a SPARQL query (ComplexWebQuestions)
    #[arg(long)]
    questions: PathBuf,
    /// Only a part of the questions, chosen by themselves: 1/2 is the first of two, not-1/10 all but
    /// the first of ten
    #[arg(long, value_name = "K/N")]
    part: Option<Part>,
    /// Let a trained planner tell the patterns instead of the rules
    #[arg(long, value_name = "FILE")]
    planner_model: Option<String>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct Linking {
    #[command(flatten)]
    kg: KgArgs,
    /// JSON Lines of questions with their entity, several files one after the other
    #[arg(long, required = true, num_args = 1..)]
    questions: Vec<PathBuf>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct KgArgs {
    /// The knowledge graph's triples: TSV, CSV, `|`, JSON Lines or RDF, also gzipped
    #[arg(long = "kg", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
}

fn linker(args: &KgArgs) -> Result<Linker> {
    let (graph, report) = args.tables.import(&args.files)?;
    if report.malformed > 0 {
        eprintln!("warning: {} malformed lines, the first: {}", report.malformed, report.problems[0]);
    }
    Ok(Linker::new(&graph))
}

pub fn patterns(args: &Patterns) -> Result<()> {
    let planner = match &args.planner_model {
        Some(file) => NativePlanner::open(&PlannerSource::of(Some(file)))?,
        None => None,
    };
    let tell = |question: &str, names: &[Range<usize>]| planner.as_ref().map_or_else(String::new, |p| p.shape(question, names));
    let report = evaluate_patterns(&args.questions, planner.is_some().then_some(&tell), args.part).into_diagnostic()?;
    if args.json {
        crate::terminal::json(&report).into_diagnostic()?;
        return Ok(());
    }
    let accuracy = report.right as f64 / report.questions.max(1) as f64;
    println!("{} questions, accuracy {accuracy:.4}, macro recall {:.4}", report.questions, report.macro_recall);
    if let Some(right) = report.right_names {
        println!("{} queries left out; as many names found as the query has entities: {right}", report.left_out);
    }
    for (gold, told) in &report.confusion {
        let told: Vec<String> = told.iter().map(|(shape, n)| format!("{shape} {n}")).collect();
        println!("{gold}: {}", told.join(", "));
    }
    println!("\n{} misses: question | gold | told", report.misses.len());
    report.misses.iter().for_each(|(question, gold, told)| println!("{question} | {gold} | {told}"));
    Ok(())
}

pub fn plans(args: &Plans) -> Result<()> {
    let (files, options) = args.tables.files(&args.files)?;
    let linker = Linker::new(&graph_for(&args.questions, &files, &options).into_diagnostic()?);
    let chat = if args.planner == "llm" { args.endpoint.open()? } else { None };
    // One runtime for all questions: the connection to the endpoint lives in it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().into_diagnostic()?;
    let prompts = args.prompts.read()?;
    let ask = |question: &str| match &chat {
        Some(chat) => {
            let planner = LlmPlanner::new(chat.as_ref(), Some(&linker)).prompts(&prompts);
            let drafted = runtime.block_on(planner.drafted(question));
            drafted.map(|d| d.plan).map_err(|e| e.to_string())
        }
        None => Err("there is no model".to_owned()),
    };
    let trained = match args.planner.as_str() {
        "trained" | "auto" => NativePlanner::open(&PlannerSource::of(args.planner_model.as_deref()))?,
        _ => None,
    };
    let rules = RulesPlanner::new(&linker).least_confidence(args.least_confidence);
    let embedder = matches!(args.planner.as_str(), "pattern" | "labels" | "auto" | "meaning").then(NativeEmbedder::new).transpose()?;
    let meant_by = embedder.as_ref().filter(|_| matches!(args.planner.as_str(), "auto" | "meaning"));
    let meanings = meant_by.map(Meanings::new).transpose()?;
    let others = NativePlanners { trained: trained.as_ref().map(|t| (t, t.over(&linker))), meanings: meanings.as_ref() };
    let either = |question: &str| {
        let choice = block_on(choose(&rules, &others, &linker, question, false, None));
        choice.plan.map(|(proposal, _)| proposal.plan).map_err(|e| e.to_string())
    };
    let read = |question: &str| match block_on(others.trained(&linker, question)) {
        Ok(found) if found.confidence >= args.least_confidence => Ok(found.plan),
        Ok(found) => Err(format!("unsure ({:.2})", found.confidence)),
        Err(e) => Err(e.to_string()),
    };
    let alone = |question: &str| {
        let asked = |found: &Proposal| account(&linker, question, &found.plan, Evidence::Meaning).is_ok();
        let found = block_on(others.nearest(&linker, question)).filter(|found| found.confidence >= args.least_confidence && asked(found));
        found.map(|found| found.plan).ok_or_else(|| "no relation is near".to_owned())
    };
    let given = embedder.as_ref().filter(|_| meanings.is_none()).map(|e| Given::new(args, &linker, e)).transpose()?;
    let told = |question: &str| given.as_ref().map_or_else(|| Err(String::new()), |g| g.plan(question));
    let writer = match args.planner.as_str() {
        "pattern" | "labels" => Writer::Other(&told),
        "trained" | "auto" if trained.is_none() => {
            return Err(miette!(help = "name its weights with --planner-model", "this program was built without a trained planner"));
        }
        "trained" => Writer::Other(&read),
        "auto" => Writer::Other(&either),
        "meaning" => Writer::Other(&alone),
        "rules" => Writer::Rules(args.least_confidence),
        "llm" if chat.is_none() => {
            return Err(miette!(help = "name an endpoint with --base-url and --model", "--planner llm needs a language model"));
        }
        "llm" => Writer::Other(&ask),
        _ => Writer::Gold,
    };
    let report = evaluate_plans(&linker, &args.questions, writer, args.part, args.first).into_diagnostic()?;
    if args.json {
        crate::terminal::json(&report).into_diagnostic()?;
        return Ok(());
    }
    println!("planner: {}\n", args.planner);
    print_plans(&report);
    Ok(())
}

/// Questions whose labels are given.
struct Given<'g> {
    judge: Judge<'g>,
    model: PlannerModel,
    embedder: &'g NativeEmbedder,
    frames: Frames<'g>,
    lessons: BTreeMap<String, Lesson>,
    all: bool,
}

impl<'g> Given<'g> {
    fn new(args: &Plans, linker: &'g Linker, embedder: &'g NativeEmbedder) -> Result<Given<'g>> {
        let mut read = Lessons::default();
        args.questions.iter().try_for_each(|path| read.read(path))?;
        let model = model(&PlannerSource::of(args.planner_model.as_deref()))?;
        let model = model.ok_or_else(|| miette!("name the weights of a trained planner with --planner-model"))?;
        let lessons = read.lessons.into_iter().map(|l| (l.question.clone(), l)).collect();
        Ok(Given { judge: Judge::new(linker), model, embedder, frames: Frames::new(embedder)?, lessons, all: args.planner == "labels" })
    }

    fn plan(&self, question: &str) -> Result<Plan, String> {
        let lesson = self.lessons.get(question).ok_or("its labels are in doubt")?;
        let found = self.judge.given(&self.model, self.embedder.words(), &self.frames, lesson, self.all).map_err(|e| e.to_string())?;
        found.map(|g| g.plan).ok_or_else(|| "nothing of it is known".to_owned())
    }
}

fn print_plans(report: &PlansReport) {
    println!(
        "| group | questions | planned | hits@1 | exact | share | precision | recall | F1 | gold plan's relations | planning ms | ms p50/p95/max |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for r in &report.rows {
        let share = |n: usize, of: usize| n as f64 / of.max(1) as f64;
        let (hits, exact, path) = (share(r.hits_1, r.questions), share(r.exact, r.questions), share(r.same_path, r.gold_plans));
        let times = format!("{:.3}/{:.3}/{:.1}", r.p50_ms, r.p95_ms, r.max_ms);
        println!(
            "| {} | {} | {} | {hits:.4} | {} | {exact:.4} | {:.4} | {:.4} | {:.4} | {path:.4} of {} | {:.3} | {times} |",
            r.group, r.questions, r.planned, r.exact, r.precision, r.recall, r.f1, r.gold_plans, r.plan_ms
        );
    }
    println!("\n{} misses among questions that the graph answers", report.misses.len());
    for m in &report.misses {
        let (found, gold) = m.sizes;
        println!("{}: {} ({found} found, {gold} gold; wrong: {}; lacking: {})", m.id, m.question, m.wrong.join(", "), m.lacking.join(", "));
        println!("    plan: {}\n    gold: {}", m.plan, m.gold);
        m.said.iter().for_each(|s| println!("    {s}"));
    }
}

pub fn linking(args: &Linking) -> Result<()> {
    let linker = linker(&args.kg)?;
    let mut rows = Vec::new();
    for path in &args.questions {
        rows.push(evaluate_linking(&linker, path).into_diagnostic()?);
    }
    if args.json {
        crate::terminal::json(&rows).into_diagnostic()?;
        return Ok(());
    }
    println!("| questions | n | linked first | a candidate | in the graph | ms p50/p99 |");
    println!("|---|---|---|---|---|---|");
    for r in &rows {
        let share = |n: usize| n as f64 / r.questions.max(1) as f64;
        println!(
            "| {} | {} | {:.4} | {:.4} | {:.4} | {:.3}/{:.3} |",
            r.file,
            r.questions,
            share(r.first),
            share(r.found),
            share(r.in_graph),
            r.p50_ms,
            r.p99_ms
        );
    }
    Ok(())
}

pub fn walks(args: &Walks) -> Result<()> {
    let linker = linker(&args.kg)?;
    let mut rows = Vec::new();
    for by_label in [false, true] {
        rows.push(evaluate_walks(&linker, args.plans, args.steps, by_label, args.seed).into_diagnostic()?);
    }
    if args.json {
        crate::terminal::json(&rows).into_diagnostic()?;
        return Ok(());
    }
    println!("| relations | plans | steps | walk's end among the answers | answers | ms p50/p95/max |");
    println!("|---|---|---|---|---|---|");
    for r in &rows {
        let share = r.reached as f64 / r.plans.max(1) as f64;
        let how = if r.by_label { "by label, ranked" } else { "exact" };
        let times = format!("{:.3}/{:.3}/{:.1}", r.p50_ms, r.p95_ms, r.max_ms);
        println!("| {how} | {} | {} | {share:.4} | {:.1} | {times} |", r.plans, r.steps, r.mean_size);
    }
    Ok(())
}
