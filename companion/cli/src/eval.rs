//! `pocketgraph eval`: measures a bundle by its owner's questions. Everything else that `eval` measures is in
//! the lab.

use super::lab;
use super::open::{run_future, with_model};
use super::progress::Bars;
use clap::Subcommand;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph::agent::NAMES;
use pocketgraph_measure::html::site_page;
use pocketgraph_measure::{CAVEAT, QUOTE, SiteReport, describe_miss, evaluate_site, read_labelled};
use pocketgraph_native::progress::Progress;
use std::ffi::OsString;
use std::path::PathBuf;

/// A measurement of `pocketgraph eval`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// A bundle of your own by your own questions: which expected pages are found, and what is found instead
    Site(Site),
    /// A measurement of the lab
    #[command(external_subcommand)]
    Lab(Vec<OsString>),
}

/// Runs a measurement.
pub fn run_eval(command: &Command) -> Result<()> {
    match command {
        Command::Site(args) => measure_site(args),
        Command::Lab(arguments) => lab::run_lab("eval", arguments),
    }
}

/// Arguments of `pocketgraph eval site`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A file of questions is JSON Lines, or a table with commas between its columns:\n\n  \
question,page,answer\n  how do I install it?,guide/install.md,\n  \"what is the port, by \
default?\",reference/options.md#port,8080\n\nA page is a path or an \
address, with or without its ending; several stand with | between them, in JSON Lines in a list."
)]
pub struct Site {
    /// The bundle's folder
    bundle: PathBuf,
    /// JSON Lines or CSV: question, and page (or url, path), answer, or both
    #[arg(long)]
    questions: PathBuf,
    /// Retrievers to measure; the first also retrieves for the answers
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    retrievers: Vec<String>,
    /// Protocol for the questions that expect an answer: quote or plan, both without a language model
    #[arg(long, value_parser = [QUOTE, NAMES[0]], default_value = QUOTE)]
    protocol: String,
    /// End with an error where the first retriever's recall@5 is below this fraction, for checks that run by
    /// themselves
    #[arg(long, value_name = "FRACTION")]
    least_recall: Option<f64>,
    /// Print figures and misses as JSON
    #[arg(long)]
    json: bool,
    /// Write a report with charts as one HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

fn measure_site(args: &Site) -> Result<()> {
    let questions = read_labelled(&args.questions).map_err(|e| {
        let help = "`pocketgraph eval site --help` shows a file of questions";
        miette!(help = help, "{e}")
    })?;
    let engine = with_model(&args.bundle)?;
    let bars = Bars::new(false);
    bars.stage("asking", Some((questions.len() * args.retrievers.len()) as u64));
    let done = |n: usize| bars.at(n as u64);
    let report = run_future(evaluate_site(&engine, &questions, &args.retrievers, &args.protocol, &done))?
        .into_diagnostic()?;
    bars.finish();
    let about = [format!("Bundle: {}. Questions: {}.", args.bundle.display(), args.questions.display())];
    if let Some(path) = &args.html {
        let written = std::fs::write(path, site_page(&report, &about));
        written.into_diagnostic().wrap_err_with(|| format!("cannot write the report {}", path.display()))?;
        eprintln!("report: {}", path.display());
    }
    if args.json {
        pocketgraph_native::terminal::print_json(&report).into_diagnostic()?;
    } else {
        print_report(&report);
    }
    match (args.least_recall, report.rows.first()) {
        (Some(least), Some(row)) if row.mean.recall_5 < least => {
            Err(miette!("recall@5 of {} is {:.3}, below {least}", row.retriever, row.mean.recall_5))
        }
        _ => Ok(()),
    }
}

fn print_report(report: &SiteReport) {
    println!(
        "{} documents, {} chunks; {} questions, {} of them name a page\n",
        report.documents, report.chunks, report.questions, report.with_pages
    );
    for u in &report.unknown {
        let nearest = u.nearest.as_ref().map(|n| format!("; the nearest is {n}")).unwrap_or_default();
        eprintln!("warning: line {}: the bundle has no page {}{nearest}", u.line, u.page);
    }
    if !report.rows.is_empty() {
        println!(
            "| retriever | recall@1 (95 %) | recall@2 | recall@5 (95 %) | recall@10 | all-recall@5 | \
             nDCG@10 | MRR@10 | right section | p50 ms |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
    }
    for r in &report.rows {
        let ends = r.intervals.ends();
        let values: Vec<String> = r
            .mean
            .named()
            .iter()
            .zip(ends)
            .enumerate()
            .map(|(i, (m, (low, high)))| {
                if matches!(i, 0 | 2) {
                    format!("{:.3} ({low:.3} to {high:.3})", m.1)
                } else {
                    format!("{:.3}", m.1)
                }
            })
            .collect();
        let section = r.section.map_or("-".to_owned(), |s| format!("{s:.3}"));
        println!("| {} | {} | {section} | {:.1} |", r.retriever, values.join(" | "), r.query_p50_ms);
    }
    for r in &report.rows {
        println!(
            "\n{}: {} of {} questions miss an expected page among the first five",
            r.retriever,
            r.misses.len(),
            report.with_pages
        );
        for m in &r.misses {
            println!("- line {}: {}", m.line, m.question);
            m.missing.iter().for_each(|(page, rank)| println!("  missing: {}", describe_miss(page, *rank)));
            if m.instead.is_empty() {
                println!("  found nothing");
            }
            m.instead.iter().for_each(|f| println!("  instead: {} ({}): {}", f.place, f.url, f.beginning));
        }
    }
    if let Some(a) = &report.answers {
        println!(
            "\n{} answers by {}: EM {}, F1 {}, Contain-EM {}",
            a.questions, a.protocol, a.em, a.f1, a.contain_em
        );
        println!("{CAVEAT}");
        for m in &a.misses {
            println!("- line {}: {}\n  wanted: {}", m.line, m.question, m.wanted.join(" / "));
            println!(
                "  said: {}",
                if m.answer.is_empty() { "that the documents do not say" } else { &m.answer }
            );
        }
    }
}
