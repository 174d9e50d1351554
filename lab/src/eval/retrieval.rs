//! `pocketgraph eval retrieval`.

use super::prices::PriceArgs;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph_build::prepare::Needs;
use pocketgraph_cli::cache::CacheArgs;
use pocketgraph_cli::endpoint::EndpointArgs;
use pocketgraph_cli::models::EmbedderArgs;
use pocketgraph_cli::progress::Bars;
use pocketgraph_eval::{
    IndexModel, QuerySide, Report, SetBuild, evaluate_retrievers, make_set, read_passages, read_questions,
};
use pocketgraph_llm_client::asker;
use pocketgraph_measure::Estimate;
use pocketgraph_models::embed_bulk::QueryLayers;
use pocketgraph_models::embeddings::{CachedEmbedder, EmbeddingCounts};
use pocketgraph_native::progress::Progress;
use std::path::PathBuf;

/// Arguments of `pocketgraph eval retrieval`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// JSON Lines of passages, also gzipped: text or sentences, title, and id, idx, path, url or page
    #[arg(long)]
    corpus: PathBuf,
    /// JSON Lines of questions: question, query, claim or text; gold, cited_doc_ids or gold_page
    #[arg(long)]
    questions: PathBuf,
    /// Judgements for questions that name no passages: question, passage and grade in columns, also in TREC's
    /// form
    #[arg(long, value_name = "FILE")]
    qrels: Option<PathBuf>,
    /// Retrievers to measure
    #[arg(long, value_delimiter = ',', default_value = "lexical,dense,hybrid,auto")]
    retrievers: Vec<String>,
    /// Compare the others with this retriever, question by question
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Measure the first so many questions only
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// List that many questions whose passages are not all among a retriever's first five
    #[arg(long, value_name = "N", default_value_t = 0)]
    misses: usize,
    /// Keep the bundle in this folder, and use it again where it is there
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
    /// Form of the questions that ranks
    #[arg(long, value_enum, default_value_t = QuerySide::Model)]
    query_side: QuerySide,
    /// Measure with this token table, made by `train query-table`, in place of the program's own; "none" for
    /// none; the bundle must be built anew
    #[arg(long, value_name = "FILE")]
    query_table: Option<PathBuf>,
    #[command(flatten)]
    embedder: EmbedderArgs,
    /// Layers of the model that embed the questions; the bundle must be built anew
    #[arg(long, value_enum, default_value_t, value_name = "BITS")]
    query_layers: QueryLayers,
    /// Embed the questions with the layers of this file, made by `train encoder`; the bundle must be built
    /// anew
    #[arg(long, value_name = "FILE", conflicts_with = "query_layers")]
    query_encoder: Option<PathBuf>,
    /// Add this token table's vector of a question to that of --query-encoder's layers, as `train encoder
    /// --add-table` trained them; `dense` and `hybrid`
    #[arg(long, value_name = "FILE", requires = "query_encoder")]
    add_table: Option<PathBuf>,
    /// Have a language model do what the retrievers' originals have one do: read for triples (hippo) and
    /// relations (hypergraph, graphrag), write summaries (raptor) and reports (graphrag), choose among facts
    /// (hippo); what that can cost at most is told before each step
    #[arg(long, requires = "llm_url", requires = "llm_model")]
    llm: bool,
    #[command(flatten)]
    endpoint: EndpointArgs,
    #[command(flatten)]
    prices: PriceArgs,
    #[command(flatten)]
    cache: CacheArgs,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

pub fn run_retrieval(args: &Args) -> Result<()> {
    let passages = read_passages(&args.corpus).into_diagnostic()?;
    let mut questions =
        read_questions(&args.questions, args.qrels.as_deref(), &passages).into_diagnostic()?;
    if questions.all.is_empty() {
        return Err(miette!(
            "no question of {} names a passage of {}",
            args.questions.display(),
            args.corpus.display()
        ));
    }
    if let Some(baseline) = args.baseline.as_ref().filter(|b| !args.retrievers.contains(b)) {
        return Err(miette!("the baseline {baseline} is not among the retrievers measured"));
    }
    questions.all.truncate(args.first.unwrap_or(usize::MAX));
    // Before any embedding: a name that is none should cost nothing.
    let needs = Needs::of(&args.retrievers).into_diagnostic()?;
    let model = args.embedder.load()?;
    let bars = Bars::new(false);
    let cache = args.cache.open(&bars, "passages will be embedded again the next time");
    let embedder = CachedEmbedder::new(&model, cache.as_deref());
    let reader = match args.llm {
        true => {
            let (chat, asking) = args.endpoint.patient_chat("--llm")?;
            Some(IndexModel::new(chat, asking, cache.clone(), args.prices.prices(), &bars))
        }
        false => None,
    };
    bars.stage("embedding passages", Some(passages.all.len() as u64));
    let embedded = |n: usize| bars.at(n as u64);
    let table = model.query_table(args.query_table.as_deref())?;
    let layers = model.question_layers(args.query_encoder.as_deref(), args.query_layers)?;
    let added = args.add_table.as_deref().map(|file| model.query_table(Some(file))).transpose()?.flatten();
    let build = SetBuild {
        needs,
        knowledge: None,
        model: &embedder,
        table: table.as_ref(),
        side: args.query_side,
        added: added.as_ref(),
        layers: &layers,
        questions: args.embedder.question_languages(),
        reader: reader.as_ref(),
        progress: &embedded,
    };
    let all = (questions.all.len() * args.retrievers.len()) as u64;
    let done = |n: usize| {
        if n == 1 {
            bars.stage("asking", Some(all));
        }
        bars.at(n as u64);
    };
    let made = make_set(&passages, &build, args.bundle.as_deref()).into_diagnostic()?;
    // On the same runtime as the index: the model's connections belong to it.
    let work = evaluate_retrievers(&passages, &questions.all, &args.retrievers, made, &build, &done);
    let mut report = asker::run_requests(async { Ok(work.await) }).into_diagnostic()?.into_diagnostic()?;
    bars.finish();
    report.left_out = questions.left_out;
    if let Some(baseline) = &args.baseline {
        report.paired = report.against(baseline);
        report.baseline = Some(baseline.clone());
    }
    if args.json {
        return pocketgraph_native::terminal::print_json(&report).into_diagnostic();
    }
    print_report(&report, args.misses);
    Ok(())
}

fn print_report(report: &Report, misses: usize) {
    println!(
        "{} passages on {} pages, {} questions ({} left out: what answers them is not in the corpus \
         or not judged)",
        report.passages, report.pages, report.questions, report.left_out
    );
    let stages: Vec<String> =
        report.build_seconds.iter().map(|(name, s)| format!("{name} {s:.1} s")).collect();
    let reused = match report.embedded {
        EmbeddingCounts { reused: 0, .. } => String::new(),
        EmbeddingCounts { asked, reused } => format!("; {reused} of {asked} vectors were kept from before"),
    };
    println!("built: {}{reused}\n", if stages.is_empty() { "before".to_owned() } else { stages.join(", ") });
    println!(
        "| retriever | recall@1 | recall@2 | recall@5 (95 %) | recall@10 | all-recall@5 (95 %) | nDCG@10 (95 \
         %) | MRR@10 (95 %) | query p50/p95 ms | \
         index MB | tokens of 5 | LLM tokens | LLM cost |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for r in &report.rows {
        let (values, ends) = (r.mean.named().map(|m| m.1), r.intervals.ends());
        let names: Vec<String> = values
            .iter()
            .zip(ends)
            .enumerate()
            // The shares among the first 1, 2 and 10 go without their intervals, which JSON and the report
            // have.
            .map(|(i, (v, (low, high)))| {
                if matches!(i, 0 | 1 | 3) {
                    format!("{v:.3}")
                } else {
                    format!("{v:.3} ({low:.3} to {high:.3})")
                }
            })
            .collect();
        println!(
            "| {} | {} | {:.1}/{:.1} | {:.1} | {:.0} | {} | {} |",
            r.retriever,
            names.join(" | "),
            r.query_p50_ms,
            r.query_p95_ms,
            r.index_bytes as f64 / 1e6,
            r.context_tokens,
            r.llm.map_or("see its build".to_owned(), |llm| {
                format!(
                    "{}{}",
                    if r.estimated { "about " } else { "" },
                    llm.prompt_tokens + llm.completion_tokens
                )
            }),
            r.llm.map_or("see its build".to_owned(), |llm| llm
                .cost
                .map_or("no price given".to_owned(), |c| format!("{c:.2}")))
        );
    }
    for (r, whole) in report.rows.iter().filter_map(|r| r.whole.map(|whole| (r, whole))) {
        println!(
            "\n{} brings as many passages as its own numbers say: {:.1} on average; their recall is {}.",
            r.retriever, whole.passages, whole.recall
        );
    }
    for r in report.rows.iter().filter(|r| r.failed > 0) {
        println!(
            "\nThe language model failed at {} of {} questions of {}, which were ranked without it.",
            r.failed, report.questions, r.retriever
        );
    }
    if !report.groups.is_empty() {
        println!(
            "\n| kind of question | questions | retriever | recall@1 | recall@2 | recall@5 | \
             recall@10 | all-recall@5 | nDCG@10 | MRR@10 |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
    }
    for group in &report.groups {
        for r in &group.rows {
            let names: Vec<String> = r.mean.named().iter().map(|(_, v)| format!("{v:.3}")).collect();
            println!("| {} | {} | {} | {} |", group.kind, group.questions, r.retriever, names.join(" | "));
        }
    }
    if let Some(baseline) = &report.baseline {
        println!(
            "\n| minus {baseline} | recall@2 (95 %) | recall@5 (95 %) | nDCG@10 (95 %) | MRR@10 (95 \
             %) |\n|---|---|---|---|---|"
        );
        for p in &report.paired {
            let format_estimate = |e: Estimate| format!("{:+.3} ({:+.3} to {:+.3})", e.mean, e.low, e.high);
            let wanted = ["recall@2", "recall@5", "nDCG@10", "MRR@10"];
            let cells: Vec<String> = p
                .differences
                .iter()
                .filter(|d| wanted.contains(&d.0))
                .map(|d| format_estimate(d.1))
                .collect();
            println!("| {} | {} |", p.retriever, cells.join(" | "));
        }
    }
    for r in report.rows.iter().filter(|_| misses > 0) {
        println!("\n{} of {} questions miss a passage with {}", r.missed, report.questions, r.retriever);
        for m in r.misses.iter().take(misses) {
            println!(
                "- {}\n  missing: {}\n  instead: {}",
                m.question,
                m.missing.join(" | "),
                m.instead.join(" | ")
            );
        }
    }
}
