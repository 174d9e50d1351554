//! `pocketgraph eval plans`: measuring the plans of questions about a knowledge graph.

use crate::graph_args::GraphArgs;
use crate::sets::SETS;
use futures::executor::block_on;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::planner::{
    Candidates, Evidence, LEAST_CERTAINTY, LlmPlanner, Nearest, OtherPlanners, RulesPlanner, account,
    choose_plan,
};
use pocketgraph_cli::endpoint::Endpoint;
use pocketgraph_cli::prompts::PromptArgs;
use pocketgraph_eval::{PlansReport, Writer, evaluate_plans};
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_models::native_planners::{Meanings, NativePlanners};
use pocketgraph_models::planner_model::{NativePlanner, PlannerSource};

/// Below this a planner that is asked alone has no plan.
const OWN_LEAST: f32 = 0.3;

/// Arguments of `pocketgraph eval plans`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    graph: GraphArgs,
    /// Planner; `trained` takes --planner-model; `meaning` takes the relation nearest in meaning; `auto`
    /// combines them, as `ask` does; `llm` needs --base-url and --model
    #[arg(long, value_parser = ["gold", "rules", "trained", "auto", "meaning", "llm"],
        default_value = "gold")]
    planner: String,
    /// The trained planner's weights, as `train planner` wrote them [default: the program's own]
    #[arg(long, value_name = "FILE")]
    planner_model: Option<String>,
    #[command(flatten)]
    endpoint: Endpoint,
    #[command(flatten)]
    prompts: PromptArgs,
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
    let linker = args.graph.read()?;
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
    let embedder =
        matches!(args.planner.as_str(), "auto" | "meaning").then(NativeEmbedder::new).transpose()?;
    let meanings = embedder.as_ref().map(Meanings::new).transpose()?;
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
    let writer = match args.planner.as_str() {
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
        evaluate_plans(&linker, &args.graph.questions, SETS, writer, args.graph.part, args.graph.first)
            .into_diagnostic()?;
    if args.json {
        return pocketgraph_native::terminal::print_json(&report).into_diagnostic();
    }
    println!("planner: {}\n", args.planner);
    print_plans(&report);
    Ok(())
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
