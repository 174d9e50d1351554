//! The tables of a study: Markdown for people, CSV for programs.

use super::break_even::{BreakEven, Even};
use super::file::StudyError;
use super::indexes::IndexRow;
use super::ranks::RankRow;
use super::report::{StudyReport, StudyRow};
use crate::kinds::KindRow;
use std::fmt::Write;

/// Where there is nothing to tell.
const NONE: &str = "–";

/// The tables as Markdown.
pub fn markdown(report: &StudyReport) -> String {
    let mut out = String::new();
    for set in &report.sets {
        let _ = writeln!(out, "## {}\n", set.set);
        let _ = writeln!(out, "{} of {} questions were asked in every way and with every seed.\n", set.complete, set.questions);
        if set.complete > 0 {
            table(&mut out, &ROW, set.rows.iter().map(row));
        }
        if !set.kinds.is_empty() {
            table(&mut out, &KIND, set.kinds.iter().map(kind));
        }
    }
    if !report.ranks.is_empty() {
        out.push_str("## Average ranks\n\n1 is the best; over sets, and of retrievers over sets and protocols.\n\n");
        table(&mut out, &RANK, report.ranks.iter().map(rank));
        table(&mut out, &RANK, report.retriever_ranks.iter().map(rank));
    }
    out.push_str("## Indexes\n\nEach is built alone, from nothing; of a million tokens are those of the corpus.\n\n");
    table(&mut out, &INDEX, report.indexes.iter().zip(&report.index_costs).map(|(row, cost)| index(row, *cost)));
    if !report.break_even.is_empty() {
        out.push_str("## Break-even\n\nThe questions at which what an index costs more to build than the baseline's is saved by cheaper questions.\n\n");
        table(&mut out, &EVEN, report.break_even.iter().map(even));
    }
    let _ = writeln!(out, "{}", report.caveat);
    if let Some(why) = &report.stopped {
        let _ = writeln!(out, "\nThe study is not at its end: {why}.");
    }
    out
}

/// The tables as CSV: name of the file, and its text.
///
/// # Errors
/// [`StudyError::Table`], which does not happen in memory.
pub fn csv_tables(report: &StudyReport) -> Result<Vec<(&'static str, String)>, StudyError> {
    let failed = |e: csv::Error| StudyError::Table(e.to_string());
    let written = |head: &[&str], rows: Vec<Vec<String>>| {
        let mut out = csv::Writer::from_writer(Vec::new());
        out.write_record(head).map_err(failed)?;
        rows.into_iter().try_for_each(|row| out.write_record(row)).map_err(failed)?;
        let bytes = out.into_inner().map_err(|e| StudyError::Table(e.to_string()))?;
        Ok::<_, StudyError>(String::from_utf8_lossy(&bytes).into_owned())
    };
    let rows = report.sets.iter().filter(|set| set.complete > 0).flat_map(|set| &set.rows).map(bare_row).collect();
    let indexes = report.indexes.iter().zip(&report.index_costs).map(|(row, cost)| bare_index(row, *cost)).collect();
    Ok(vec![("answers.csv", written(&BARE_ROW, rows)?), ("indexes.csv", written(&BARE_INDEX, indexes)?)])
}

fn table(out: &mut String, head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let _ = writeln!(out, "| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
    rows.for_each(|cells| {
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    });
    out.push('\n');
}

const ROW: [&str; 14] = [
    "protocol",
    "retriever",
    "Contain-EM (95 %)",
    "of all that is shown",
    "EM",
    "F1",
    "± over runs (Contain-EM/EM/F1)",
    "evidence recall",
    "turns",
    "calls",
    "tokens in/out",
    "price of 1,000",
    "ms p50/p95",
    "by the model/failed",
];

fn row(r: &StudyRow) -> Vec<String> {
    let deviation = [r.contain_em_deviation, r.em_deviation, r.f1_deviation].map(|d| figure(d, 3)).join("/");
    vec![
        r.protocol.clone(),
        r.retriever.clone(),
        r.contain_em.to_string(),
        format!("{:.3}", r.shown_contain_em.mean),
        format!("{:.3}", r.em.mean),
        format!("{:.3}", r.f1.mean),
        deviation,
        figure(r.evidence_recall.map(|e| e.mean), 3),
        format!("{:.2}", r.turns),
        format!("{:.2}", r.calls),
        format!("{}{:.0}/{:.0}", about(r.estimated), r.prompt_tokens, r.completion_tokens),
        figure(r.cost.map(|c| c * 1000.0), 3),
        format!("{:.0}/{:.0}", r.p50_ms, r.p95_ms),
        format!("{}/{}", r.by_model, r.failed),
    ]
}

const KIND: [&str; 9] = ["kind of question", "way", "answers", "Contain-EM", "EM", "F1", "set precision", "set recall", "evidence recall"];

fn kind(r: &KindRow) -> Vec<String> {
    vec![
        r.kind.clone(),
        r.system.clone(),
        r.answers.to_string(),
        format!("{:.3}", r.contain_em.mean),
        format!("{:.3}", r.em.mean),
        format!("{:.3}", r.f1.mean),
        format!("{:.3}", r.set_precision),
        format!("{:.3}", r.set_recall),
        figure(r.evidence_recall.map(|e| e.mean), 3),
    ]
}

const RANK: [&str; 5] = ["", "by Contain-EM", "by EM", "by F1", "comparisons"];

fn rank(r: &RankRow) -> Vec<String> {
    vec![r.name.clone(), format!("{:.2}", r.contain_em), format!("{:.2}", r.em), format!("{:.2}", r.f1), r.over.to_string()]
}

const INDEX: [&str; 10] = [
    "set",
    "retriever",
    "passages",
    "corpus tokens",
    "build s",
    "of these embedding passages",
    "index MB",
    "LLM tokens in/out",
    "s of a million tokens",
    "price of a million tokens",
];

fn index(r: &IndexRow, cost: Option<f64>) -> Vec<String> {
    let passages = r.seconds.iter().filter(|(stage, _)| stage == "passages").map(|(_, s)| s).sum::<f64>();
    vec![
        r.set.clone(),
        r.retriever.clone(),
        r.passages.to_string(),
        r.corpus_tokens.to_string(),
        format!("{}{:.1}", if r.in_parts { "more than " } else { "" }, r.build_seconds()),
        format!("{passages:.1}"),
        format!("{:.2}", r.bytes as f64 / 1e6),
        format!("{}{}/{}", about(r.estimated), r.prompt_tokens, r.completion_tokens),
        format!("{:.0}", r.per_million(r.build_seconds())),
        figure(cost.map(|c| r.per_million(c)), 2),
    ]
}

const EVEN: [&str; 7] = [
    "set",
    "protocol",
    "retriever, against",
    "Contain-EM more (95 %)",
    "tokens: more to build, less a question, even at",
    "price: the same",
    "seconds: the same",
];

fn even(r: &BreakEven) -> Vec<String> {
    let describe = |more: f64, less: f64, at: Even, digits: usize| format!("{more:.digits$}, {less:.digits$}, {}", questions(at));
    let price = r.cost_more.zip(r.cost_less).zip(r.cost_even);
    let contain = format!("{:+.3} ({:+.3} to {:+.3})", r.contain_em.mean, r.contain_em.low, r.contain_em.high);
    vec![
        r.set.clone(),
        r.protocol.clone(),
        format!("{}, {}", r.retriever, r.baseline),
        contain,
        describe(r.tokens_more, r.tokens_less, r.tokens_even, 0),
        price.map_or(NONE.to_owned(), |((more, less), at)| describe(more, less, at, 6)),
        describe(r.seconds_more, r.seconds_less, r.seconds_even, 3),
    ]
}

fn questions(at: Even) -> String {
    match at {
        Even::At(n) => n.to_string(),
        Even::Never => "never".to_owned(),
        Even::Same => "no difference".to_owned(),
    }
}

fn figure(value: Option<f64>, digits: usize) -> String {
    value.map_or(NONE.to_owned(), |v| format!("{v:.digits$}"))
}

fn about(estimated: bool) -> &'static str {
    if estimated { "about " } else { "" }
}

const BARE_ROW: [&str; 22] = [
    "set",
    "protocol",
    "retriever",
    "questions",
    "runs",
    "contain_em",
    "contain_em_low",
    "contain_em_high",
    "shown_contain_em",
    "em",
    "f1",
    "contain_em_deviation",
    "em_deviation",
    "f1_deviation",
    "evidence_recall",
    "turns",
    "calls",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "p50_ms",
    "p95_ms",
];

fn bare_row(r: &StudyRow) -> Vec<String> {
    let mut out = vec![r.set.clone(), r.protocol.clone(), r.retriever.clone(), r.questions.to_string(), r.runs.to_string()];
    let recall = r.evidence_recall.map(|e| e.mean);
    let figures = [
        Some(r.contain_em.mean),
        Some(r.contain_em.low),
        Some(r.contain_em.high),
        Some(r.shown_contain_em.mean),
        Some(r.em.mean),
        Some(r.f1.mean),
        r.contain_em_deviation,
        r.em_deviation,
        r.f1_deviation,
        recall,
        Some(r.turns),
        Some(r.calls),
        Some(r.prompt_tokens),
        Some(r.completion_tokens),
        r.cost,
        Some(r.p50_ms),
        Some(r.p95_ms),
    ];
    out.extend(figures.map(|f| f.map(|f| f.to_string()).unwrap_or_default()));
    out
}

const BARE_INDEX: [&str; 9] =
    ["set", "retriever", "passages", "corpus_tokens", "build_seconds", "bytes", "prompt_tokens", "completion_tokens", "cost"];

fn bare_index(r: &IndexRow, cost: Option<f64>) -> Vec<String> {
    vec![
        r.set.clone(),
        r.retriever.clone(),
        r.passages.to_string(),
        r.corpus_tokens.to_string(),
        r.build_seconds().to_string(),
        r.bytes.to_string(),
        r.prompt_tokens.to_string(),
        r.completion_tokens.to_string(),
        cost.map(|c| c.to_string()).unwrap_or_default(),
    ]
}
