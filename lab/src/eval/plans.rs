//! `pocketgraph eval plans`: measuring the plans of questions about a knowledge graph.

use crate::sets::SETS;
use futures::executor::block_on;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::kg::Linker;
use pocketgraph::plan::Plan;
use pocketgraph::planner::model::PlannerModel;
use pocketgraph::planner::{
    Candidates, Evidence, LEAST_CERTAINTY, LlmPlanner, Nearest, OtherPlanners, RulesPlanner, account,
    choose_plan,
};
use pocketgraph_cli::endpoint::Endpoint;
use pocketgraph_cli::import::Tables;
use pocketgraph_cli::prompts::PromptArgs;
use pocketgraph_eval::{Part, PlansReport, Writer, evaluate_plans, graph_for};
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_models::native_planners::{Meanings, NativePlanners};
use pocketgraph_models::planner_model::{NativePlanner, PlannerSource, load_planner};
use pocketgraph_train::planner::{Frames, Judge, TrainingExample, TrainingSet};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Below this a planner that is asked alone has no plan.
const OWN_LEAST: f32 = 0.3;

/// Arguments of `pocketgraph eval plans`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The knowledge graph's triples: TSV, CSV, `|`, JSON Lines or RDF, also gzipped
    #[arg(long = "kg", num_args = 1..)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// JSON Lines of questions with their answers, and perhaps plans, as `train data` writes them; several
    /// files one after the other
    #[arg(long, required = true, num_args = 1..)]
    questions: Vec<PathBuf>,
    /// Planner; `trained` takes --planner-model; `meaning` takes the relation nearest in meaning; `auto`
    /// combines them, as `ask` does; `llm` needs --base-url and --model. For questions of `train data`,
    /// `pattern` is the trained planner with the pattern given, and `labels` has all words labelled and only
    /// looks them up
    #[arg(long, value_parser = ["gold", "rules", "trained", "auto", "meaning", "pattern", "labels", "llm"],
        default_value = "gold")]
    planner: String,
    /// The trained planner's weights, as `train planner` wrote them [default: the program's own]
    #[arg(long, value_name = "FILE")]
    planner_model: Option<String>,
    #[command(flatten)]
    endpoint: Endpoint,
    #[command(flatten)]
    prompts: PromptArgs,
    /// Number of questions to take from the beginning of each file
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// Only a part of the questions, chosen by themselves: 1/2 is the first of two, not-1/10 all but
    /// the first of ten
    #[arg(long, value_name = "K/N")]
    part: Option<Part>,
    /// Below this confidence there is no plan: of `rules` and `trained` their own, of `meaning` and `auto`
    /// the probability of being right [default: 0.3, 0.44]
    #[arg(long)]
    least_confidence: Option<f32>,
    /// Demonstrations drawn from the graph that `llm` is shown, four at most
    #[arg(long, value_name = "N", default_value_t = 0)]
    demonstrations: usize,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// Measures the plans of questions. Fails if files cannot be read, or there is no such planner.
pub fn run_plans(args: &Args) -> Result<()> {
    let (files, options) = args.tables.files(&args.files)?;
    let linker = Linker::new(&graph_for(&args.questions, SETS, &files, &options).into_diagnostic()?);
    let chat = if args.planner == "llm" { args.endpoint.open()? } else { None };
    // One runtime for all questions: the connection to the endpoint lives in it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().into_diagnostic()?;
    let prompts = args.prompts.read()?;
    let ask = |question: &str| match &chat {
        Some(chat) => {
            let planner = LlmPlanner::new(chat.as_ref(), Some(&linker))
                .prompts(&prompts)
                .demonstrations(args.demonstrations);
            let drafted = runtime.block_on(planner.drafted(question));
            drafted.map(|d| d.plan).map_err(|e| e.to_string())
        }
        None => Err("there is no model".to_owned()),
    };
    let trained = match args.planner.as_str() {
        "trained" | "auto" => NativePlanner::open(&PlannerSource::of(args.planner_model.as_deref()))?,
        _ => None,
    };
    let rules = RulesPlanner::new(&linker).least_confidence(0.0);
    let least = args.least_confidence.unwrap_or(OWN_LEAST);
    let embedder = matches!(args.planner.as_str(), "pattern" | "labels" | "auto" | "meaning")
        .then(NativeEmbedder::new)
        .transpose()?;
    let meant_by = embedder.as_ref().filter(|_| matches!(args.planner.as_str(), "auto" | "meaning"));
    let meanings = meant_by.map(Meanings::new).transpose()?;
    let others = NativePlanners {
        trained: trained.as_ref().map(|t| (t, t.over(&linker))),
        meanings: meanings.as_ref(),
    };
    let either = |question: &str| {
        let choice = block_on(choose_plan(&rules, &others, &linker, question, false, args.least_confidence));
        choice.plan.map(|(proposal, _)| proposal.plan).map_err(|e| e.to_string())
    };
    let read = |question: &str| match block_on(others.trained(&linker, question)) {
        Ok(found) if found.confidence >= least => Ok(found.plan),
        Ok(found) => Err(format!("unsure ({:.2})", found.confidence)),
        Err(e) => Err(e.to_string()),
    };
    let alone = |question: &str| {
        let asked = |found: &Nearest| account(&linker, question, &found.plan, Evidence::Meaning).is_ok();
        let mut proposed = Candidates::new(question);
        block_on(others.nearest(&linker, question))
            .filter(asked)
            .into_iter()
            .for_each(|found| proposed.add_meaning(found));
        let best = proposed
            .best()
            .filter(|(_, certainty)| *certainty >= args.least_confidence.unwrap_or(LEAST_CERTAINTY));
        best.map(|(found, _)| found.plan.clone()).ok_or_else(|| "no relation is near".to_owned())
    };
    let given = embedder
        .as_ref()
        .filter(|_| meanings.is_none())
        .map(|e| GoldLabels::new(args, &linker, e))
        .transpose()?;
    let plan_of_labels =
        |question: &str| given.as_ref().map_or_else(|| Err(String::new()), |g| g.plan(question));
    let writer = match args.planner.as_str() {
        "pattern" | "labels" => Writer::Other(&plan_of_labels),
        "trained" | "auto" if trained.is_none() => {
            return Err(miette!(
                help = "name its weights with --planner-model",
                "this program was built without a trained planner"
            ));
        }
        "trained" => Writer::Other(&read),
        "auto" => Writer::Other(&either),
        "meaning" => Writer::Other(&alone),
        "rules" => Writer::Rules(least),
        "llm" if chat.is_none() => {
            return Err(miette!(
                help = "name an endpoint with --base-url and --model",
                "--planner llm needs a language model"
            ));
        }
        "llm" => Writer::Other(&ask),
        _ => Writer::Gold,
    };
    let report =
        evaluate_plans(&linker, &args.questions, SETS, writer, args.part, args.first).into_diagnostic()?;
    if args.json {
        return pocketgraph_native::terminal::print_json(&report).into_diagnostic();
    }
    println!("planner: {}\n", args.planner);
    print_plans(&report);
    Ok(())
}

/// Questions whose labels are given.
struct GoldLabels<'g> {
    judge: Judge<'g>,
    model: PlannerModel,
    frames: Frames<'g>,
    lessons: BTreeMap<String, TrainingExample>,
    all: bool,
}

impl<'g> GoldLabels<'g> {
    fn new(args: &Args, linker: &'g Linker, embedder: &'g NativeEmbedder) -> Result<GoldLabels<'g>> {
        let mut read = TrainingSet::default();
        args.questions.iter().try_for_each(|path| read.read(path))?;
        let model = load_planner(&PlannerSource::of(args.planner_model.as_deref()))?;
        let model =
            model.ok_or_else(|| miette!("name the weights of a trained planner with --planner-model"))?;
        let lessons = read.examples.into_iter().map(|l| (l.question.clone(), l)).collect();
        Ok(GoldLabels {
            judge: Judge::new(linker),
            model,
            frames: Frames::new(embedder)?,
            lessons,
            all: args.planner == "labels",
        })
    }

    fn plan(&self, question: &str) -> Result<Plan, String> {
        let lesson = self.lessons.get(question).ok_or("its labels are in doubt")?;
        let found = self
            .judge
            .ground_gold_labels(&self.model, &self.frames, lesson, self.all)
            .map_err(|e| e.to_string())?;
        found.map(|g| g.plan).ok_or_else(|| "nothing of it is known".to_owned())
    }
}

fn print_plans(report: &PlansReport) {
    println!(
        "| group | questions | planned | hits@1 | exact | share | precision | recall | F1 | gold \
         plan's relations | planning ms | ms p50/p95/max |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for r in &report.rows {
        let share = |n: usize, of: usize| n as f64 / of.max(1) as f64;
        let (hits, exact, path) =
            (share(r.hits_1, r.questions), share(r.exact, r.questions), share(r.same_path, r.gold_plans));
        let times = format!("{:.3}/{:.3}/{:.1}", r.p50_ms, r.p95_ms, r.max_ms);
        println!(
            "| {} | {} | {} | {hits:.4} | {} | {exact:.4} | {:.4} | {:.4} | {:.4} | {path:.4} of {} \
             | {:.3} | {times} |",
            r.group, r.questions, r.planned, r.exact, r.precision, r.recall, r.f1, r.gold_plans, r.plan_ms
        );
    }
    println!("\n{} misses among questions that the graph answers", report.misses.len());
    for m in &report.misses {
        let (found, gold) = m.sizes;
        println!(
            "{}: {} ({found} found, {gold} gold; wrong: {}; lacking: {})",
            m.id,
            m.question,
            m.wrong.join(", "),
            m.lacking.join(", ")
        );
        println!("    plan: {}\n    gold: {}", m.plan, m.gold);
        m.stated.iter().for_each(|s| println!("    {s}"));
    }
}
