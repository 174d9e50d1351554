//! `pocketgraph eval`.

use super::endpoint::Endpoint;
use super::import::Tables;
use super::open::wait;
use super::progress::Bars;
use crate::embed_bulk::NativeEmbedder;
use crate::eval::{
    Encoders, PlansReport, QuerySide, Writer, evaluate, evaluate_linking, evaluate_patterns, evaluate_plans, evaluate_walks, graph_for,
    read_passages, read_questions,
};
use crate::pipeline::Progress;
use clap::Subcommand;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::kg::Linker;
use pocketgraph::planner::LlmPlanner;
use std::path::PathBuf;

/// Arguments of `pocketgraph eval`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Recall, nDCG and MRR of retrievers on a labelled set
    Retrieval(Retrieval),
    /// Answer sets of plans, executed over a knowledge graph
    Plans(Plans),
    /// How often the pattern of a question is told from its words
    Patterns(Patterns),
    /// How often the marked entity of a question is linked first
    Linking(Linking),
    /// Time of plans made from random walks over a knowledge graph
    Walks(Walks),
}

#[derive(Debug, clap::Args)]
struct Walks {
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
struct Plans {
    /// The knowledge graph's triples: TSV, CSV, `|`, JSON Lines or RDF, also gzipped. GeoQuery's facts are read as its authors mean them.
    /// Without it, the graph is made of the questions' evidence triples (2WikiMultiHopQA)
    #[arg(long = "kg", num_args = 1..)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// JSON Lines of questions: MetaQA's, BetaE's, GeoQuery's or 2WikiMultiHopQA's, several files one after the other
    #[arg(long, required = true, num_args = 1..)]
    questions: Vec<PathBuf>,
    /// Who writes the plans; `llm` needs --base-url and --model
    #[arg(long, value_parser = ["gold", "rules", "llm"], default_value = "gold")]
    planner: String,
    #[command(flatten)]
    endpoint: Endpoint,
    /// Of each file, the first so many questions
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// Below this confidence `rules` has no plan
    #[arg(long, default_value_t = 0.3)]
    least_confidence: f32,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Patterns {
    /// JSON Lines of questions with their type (CLQA-Wiki) or a SPARQL query (ComplexWebQuestions)
    #[arg(long)]
    questions: PathBuf,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Linking {
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

#[derive(Debug, clap::Args)]
struct Retrieval {
    /// JSON Lines of passages: text or sentences, title, id
    #[arg(long)]
    corpus: PathBuf,
    /// JSON Lines of questions: question, query or claim; gold, cited_doc_ids or gold_page
    #[arg(long)]
    questions: PathBuf,
    /// Which retrievers to measure
    #[arg(long, value_delimiter = ',', default_value = "lexical,dense,hybrid,auto")]
    retrievers: Vec<String>,
    /// Compare the others with this retriever, question by question
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// List that many questions whose passages are not all among a retriever's first five
    #[arg(long, value_name = "N", default_value_t = 0)]
    misses: usize,
    /// Keep the bundle in this folder, and use it again where it is there
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
    /// What speaks for the questions
    #[arg(long, value_enum, default_value_t = QuerySide::Model)]
    query_side: QuerySide,
    /// Measure with this token table, made by `train query-table`, in place of the program's own; the bundle must be built anew
    #[arg(long, value_name = "FILE")]
    query_table: Option<PathBuf>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<()> {
    match &args.what {
        What::Retrieval(args) => retrieval(args),
        What::Plans(args) => plans(args),
        What::Patterns(args) => patterns(args),
        What::Linking(args) => linking(args),
        What::Walks(args) => walks(args),
    }
}

fn linker(args: &KgArgs) -> Result<Linker> {
    let (graph, report) = args.tables.import(&args.files)?;
    if report.malformed > 0 {
        eprintln!("warning: {} malformed lines, the first: {}", report.malformed, report.problems[0]);
    }
    Ok(Linker::new(&graph))
}

fn patterns(args: &Patterns) -> Result<()> {
    let report = evaluate_patterns(&args.questions).into_diagnostic()?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report).into_diagnostic()?);
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

fn plans(args: &Plans) -> Result<()> {
    let (files, options) = args.tables.files(&args.files)?;
    let linker = Linker::new(&graph_for(&args.questions, &files, &options).into_diagnostic()?);
    let chat = if args.planner == "llm" { args.endpoint.open()? } else { None };
    // One runtime for all questions: the connection to the endpoint lives in it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().into_diagnostic()?;
    let ask = |question: &str| match &chat {
        Some(chat) => {
            let drafted = runtime.block_on(LlmPlanner::new(chat.as_ref(), Some(&linker)).drafted(question));
            drafted.map(|d| d.plan).map_err(|e| e.to_string())
        }
        None => Err("there is no model".to_owned()),
    };
    let writer = match args.planner.as_str() {
        "rules" => Writer::Rules(args.least_confidence),
        "llm" if chat.is_none() => {
            return Err(miette!(help = "name an endpoint with --base-url and --model", "--planner llm needs a language model"));
        }
        "llm" => Writer::Other(&ask),
        _ => Writer::Gold,
    };
    let report = evaluate_plans(&linker, &args.questions, writer, args.first).into_diagnostic()?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report).into_diagnostic()?);
        return Ok(());
    }
    println!("planner: {}\n", args.planner);
    print_plans(&report);
    Ok(())
}

fn print_plans(report: &PlansReport) {
    println!("| group | questions | planned | hits@1 | exact | share | F1 | gold plan's relations | planning ms | ms p50/p95/max |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for r in &report.rows {
        let share = |n: usize, of: usize| n as f64 / of.max(1) as f64;
        let (hits, exact, path) = (share(r.hits_1, r.questions), share(r.exact, r.questions), share(r.same_path, r.gold_plans));
        let times = format!("{:.3}/{:.3}/{:.1}", r.p50_ms, r.p95_ms, r.max_ms);
        println!(
            "| {} | {} | {} | {hits:.4} | {} | {exact:.4} | {:.4} | {path:.4} of {} | {:.3} | {times} |",
            r.group, r.questions, r.planned, r.exact, r.f1, r.gold_plans, r.plan_ms
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

fn linking(args: &Linking) -> Result<()> {
    let linker = linker(&args.kg)?;
    let mut rows = Vec::new();
    for path in &args.questions {
        rows.push(evaluate_linking(&linker, path).into_diagnostic()?);
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&rows).into_diagnostic()?);
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

fn walks(args: &Walks) -> Result<()> {
    let linker = linker(&args.kg)?;
    let mut rows = Vec::new();
    for by_label in [false, true] {
        rows.push(evaluate_walks(&linker, args.plans, args.steps, by_label, args.seed).into_diagnostic()?);
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&rows).into_diagnostic()?);
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

fn retrieval(args: &Retrieval) -> Result<()> {
    let passages = read_passages(&args.corpus).into_diagnostic()?;
    let (questions, unknown) = read_questions(&args.questions, &passages).into_diagnostic()?;
    if questions.is_empty() {
        return Err(miette!("no question of {} names a passage of {}", args.questions.display(), args.corpus.display()));
    }
    let model = NativeEmbedder::new()?;
    let bars = Bars::new(false);
    bars.stage("embedding passages", Some(passages.len() as u64));
    let table = model.query_table(args.query_table.as_deref())?;
    let at = |n| bars.at(n as u64);
    let encoders = Encoders { model: &model, table: table.as_ref(), side: args.query_side };
    let measured = evaluate(&passages, &questions, &args.retrievers, encoders, args.bundle.as_deref(), &at);
    let report = wait(measured)?.into_diagnostic()?;
    bars.finish();
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report).into_diagnostic()?);
        return Ok(());
    }
    println!("{} passages, {} questions ({unknown} left out: their passages are not in the corpus)", report.passages, report.questions);
    let stages: Vec<String> = report.build_seconds.iter().map(|(name, s)| format!("{name} {s:.1} s")).collect();
    println!("built: {}\n", if stages.is_empty() { "before".to_owned() } else { stages.join(", ") });
    println!(
        "| retriever | recall@1 | recall@2 | recall@5 (95 %) | recall@10 | all-recall@5 | nDCG@10 (95 %) | MRR@10 | query p50/p95 ms | index MB | \
         tokens of 5 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for r in &report.rows {
        let m = &r.mean;
        println!(
            "| {} | {:.3} | {:.3} | {:.3} ({:.3} to {:.3}) | {:.3} | {:.3} | {:.3} ({:.3} to {:.3}) | {:.3} | {:.1}/{:.1} | {:.1} | {:.0} |",
            r.retriever,
            m.recall_1,
            m.recall_2,
            m.recall_5,
            r.recall_5_interval.0,
            r.recall_5_interval.1,
            m.recall_10,
            m.all_recall_5,
            m.ndcg_10,
            r.ndcg_10_interval.0,
            r.ndcg_10_interval.1,
            m.mrr_10,
            r.query_p50_ms,
            r.query_p95_ms,
            r.index_bytes as f64 / 1e6,
            r.context_tokens
        );
    }
    if let Some(baseline) = &args.baseline {
        if !report.rows.iter().any(|r| &r.retriever == baseline) {
            return Err(miette!("the baseline {baseline} is not among the retrievers measured"));
        }
        println!("\n| minus {baseline} | recall@5 (95 %) | nDCG@10 (95 %) |\n|---|---|---|");
        for p in report.against(baseline) {
            let told = |(mean, (low, high)): (f64, (f64, f64))| format!("{mean:+.3} ({low:+.3} to {high:+.3})");
            println!("| {} | {} | {} |", p.retriever, told(p.recall_5), told(p.ndcg_10));
        }
    }
    for r in report.rows.iter().filter(|_| args.misses > 0) {
        println!("\n{} of {} questions miss a passage with {}", r.misses.len(), report.questions, r.retriever);
        for m in r.misses.iter().take(args.misses) {
            println!("- {}\n  missing: {}\n  instead: {}", m.question, m.missing.join(" | "), m.instead.join(" | "));
        }
    }
    Ok(())
}
