//! The report of `eval retrieval`.

use crate::groups::{Group, GroupRow};
use crate::retrieval::{Report, Row};
use pocketgraph_measure::html::{Bar, HtmlPage, difference};
use pocketgraph_measure::{Estimate, Intervals, MEASURES, Measures};

/// Questions of each retriever that are listed.
const LISTED: usize = 100;

/// The report as a page; `about` says what was measured, a line each.
pub fn retrieval_page(report: &Report, about: &[String]) -> String {
    let mut page = HtmlPage::new("Retrieval, measured");
    about.iter().for_each(|line| page.paragraph(line));
    page.paragraph(&format!(
        "{} passages on {} pages, {} questions; {} questions are left out, because nothing that answers them is in the corpus or nobody judged it.",
        report.passages, report.pages, report.questions, report.left_out
    ));
    page.heading("Quality");
    for name in ["recall@5", "nDCG@10", "MRR@10"] {
        page.bars(&format!("{name}, with 95 % bootstrap intervals"), 1.0, &chart(report, name));
    }
    let measures: Vec<&str> = report.rows.first().map(|r| r.mean.named().map(|m| m.0).to_vec()).unwrap_or_default();
    let row = |r: &Row| std::iter::once(r.retriever.clone()).chain(cells(&r.mean, &r.intervals)).collect::<Vec<_>>();
    let heads: Vec<&str> = std::iter::once("retriever").chain(measures).collect();
    page.table("Every measure, with 95 % bootstrap intervals", &heads, &report.rows.iter().map(row).collect::<Vec<_>>());
    for (r, whole) in report.rows.iter().filter_map(|r| r.whole.map(|whole| (r, whole))) {
        page.paragraph(&format!("{} brings {:.1} passages on average; their recall is {}.", r.retriever, whole.passages, whole.recall));
    }
    let kinds: Vec<Vec<String>> = report.groups.iter().flat_map(|g| g.rows.iter().map(|r| of_a_kind(g, r))).collect();
    if !kinds.is_empty() {
        let heads: Vec<&str> = ["kind", "questions", "retriever"].into_iter().chain(heads.iter().skip(1).copied()).collect();
        page.table("By kind of question, with 95 % bootstrap intervals", &heads, &kinds);
    }
    if let Some(baseline) = &report.baseline {
        page.heading(&format!("Against {baseline}, question by question"));
        for i in [2, 5] {
            let bars: Vec<Bar> =
                report.paired.iter().filter_map(|p| p.differences.get(i).map(|d| Bar::of_difference(&p.retriever, d.1))).collect();
            let name = report.paired.first().and_then(|p| p.differences.get(i)).map_or("", |d| d.0);
            page.bars(&format!("{name}: difference, with 95 % bootstrap intervals over questions"), 0.0, &bars);
        }
        let rows: Vec<Vec<String>> = report
            .paired
            .iter()
            .map(|p| std::iter::once(p.retriever.clone()).chain(p.differences.iter().take(MEASURES).map(|d| difference(d.1))).collect())
            .collect();
        page.table("Every difference", &heads, &rows);
    }
    page.heading("Cost");
    let bars = |f: &dyn Fn(&Row) -> f64, unit: &str| -> Vec<Bar> {
        let bar = |r: &Row| Bar { label: r.retriever.clone(), value: f(r), interval: None, value_text: format!("{:.1} {unit}", f(r)) };
        report.rows.iter().map(bar).collect()
    };
    page.bars("Median time of a query, its embedding included", 0.0, &bars(&|r| r.query_p50_ms, "ms"));
    page.bars("Bytes of the sections that a retriever reads", 0.0, &bars(&|r| r.index_bytes as f64 / 1e6, "MB"));
    let cost = |r: &Row| {
        vec![
            r.retriever.clone(),
            format!("{:.1}", r.query_p50_ms),
            format!("{:.1}", r.query_p95_ms),
            format!("{:.2}", r.index_bytes as f64 / 1e6),
            format!("{:.0}", r.context_tokens),
            r.llm.map_or("as its build told".to_owned(), |llm| {
                format!("{}{}", llm.prompt_tokens + llm.completion_tokens, if r.estimated { " (in part estimated)" } else { "" })
            }),
            r.llm.map_or("as its build told".to_owned(), |llm| llm.cost.map_or("no price given".to_owned(), |c| format!("{c:.4}"))),
        ]
    };
    let heads = ["retriever", "query p50, ms", "query p95, ms", "index, MB", "tokens of 5 passages", "tokens of a language model", "cost"];
    page.table("Time, bytes and tokens", &heads, &report.rows.iter().map(cost).collect::<Vec<_>>());
    let stages: Vec<Vec<String>> = report.build_seconds.iter().map(|(name, s)| vec![(*name).to_owned(), format!("{s:.1}")]).collect();
    if stages.is_empty() {
        page.paragraph("The bundle was built before.");
    } else {
        page.table("Building the bundle, for all these retrievers together", &["stage", "seconds"], &stages);
    }
    page.heading("Misses");
    for r in &report.rows {
        let entry = |m: &crate::retrieval::Missed| {
            (m.question.clone(), vec![("missing", m.missing.join(" | ")), ("instead", m.instead.join(" | "))])
        };
        let summary = format!("{}: {} of {} questions miss a page among the first five", r.retriever, r.missed, report.questions);
        page.folded(&summary, &r.misses.iter().take(LISTED).map(entry).collect::<Vec<_>>());
    }
    page.finish()
}

/// Every measure with its interval.
fn cells(mean: &Measures, intervals: &Intervals) -> Vec<String> {
    let intervals_value = mean.named().into_iter().zip(intervals.ends());
    intervals_value.map(|((_, mean), (low, high))| Estimate { mean, low, high }.to_string()).collect()
}

/// A retriever's figures for one kind of question.
fn of_a_kind(group: &Group, row: &GroupRow) -> Vec<String> {
    let about = [group.kind.clone(), group.questions.to_string(), row.retriever.clone()];
    about.into_iter().chain(cells(&row.mean, &row.intervals)).collect()
}

fn chart(report: &Report, name: &str) -> Vec<Bar> {
    let bar = |r: &Row| {
        let at = r.mean.named().iter().position(|m| m.0 == name)?;
        let (low, high) = r.intervals.ends()[at];
        Some(Bar::of(&r.retriever, Estimate { mean: r.mean.named()[at].1, low, high }))
    };
    report.rows.iter().filter_map(bar).collect()
}
