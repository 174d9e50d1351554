//! `pocketgraph eval`.

use super::open::wait;
use super::progress::Bars;
use crate::embed_bulk::NativeEmbedder;
use crate::eval::{evaluate, read_passages, read_questions};
use crate::pipeline::Progress;
use clap::Subcommand;
use miette::{IntoDiagnostic, Result, miette};
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
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let What::Retrieval(args) = &args.what;
    let passages = read_passages(&args.corpus).into_diagnostic()?;
    let (questions, unknown) = read_questions(&args.questions, &passages).into_diagnostic()?;
    if questions.is_empty() {
        return Err(miette!("no question of {} names a passage of {}", args.questions.display(), args.corpus.display()));
    }
    let model = NativeEmbedder::new()?;
    let bars = Bars::new(false);
    bars.stage("embedding passages", Some(passages.len() as u64));
    let report = wait(evaluate(&passages, &questions, &args.retrievers, &model, &|n| bars.at(n as u64)))?.into_diagnostic()?;
    bars.finish();
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report).into_diagnostic()?);
        return Ok(());
    }
    println!("{} passages, {} questions ({unknown} left out: their passages are not in the corpus)", report.passages, report.questions);
    println!("embedded in {:.1} s; vectors, postings, names and mentions {} bytes\n", report.embed_seconds, report.index_bytes);
    println!("| retriever | recall@1 | recall@2 | recall@5 | recall@10 | all-recall@5 | nDCG@10 (95 %) | MRR@10 | query p50/p95 ms |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for r in &report.rows {
        let m = &r.mean;
        println!(
            "| {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} ({:.3} to {:.3}) | {:.3} | {:.1}/{:.1} |",
            r.retriever,
            m.recall_1,
            m.recall_2,
            m.recall_5,
            m.recall_10,
            m.all_recall_5,
            m.ndcg_10,
            r.ndcg_10_interval.0,
            r.ndcg_10_interval.1,
            m.mrr_10,
            r.query_p50_ms,
            r.query_p95_ms
        );
    }
    Ok(())
}
