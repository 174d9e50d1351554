//! Writes the report of `eval site`.

use super::{Bar, HtmlPage};
use crate::metrics::Estimate;
use crate::site::{CAVEAT, SiteMiss, SiteReport, SiteRow};

/// Returns the report as a page; `about` describes the measurement, one line each.
pub fn site_page(report: &SiteReport, about: &[String]) -> String {
    let mut page = HtmlPage::new("A site's own questions, measured");
    about.iter().for_each(|line| page.paragraph(line));
    page.paragraph(&format!(
        "{} documents, {} chunks; {} questions, of which {} name a page that should be found.",
        report.documents, report.chunks, report.questions, report.with_pages
    ));
    if !report.rows.is_empty() {
        page.heading("Pages");
        for (at, name) in [(0, "recall@1"), (2, "recall@5"), (6, "MRR@10")] {
            let bar = |r: &SiteRow| {
                let (low, high) = r.intervals.ends()[at];
                Bar::of(&r.retriever, Estimate { mean: r.mean.named()[at].1, low, high })
            };
            let bars: Vec<Bar> = report.rows.iter().map(bar).collect();
            page.bars(&format!("{name} of the expected pages, with 95 % bootstrap intervals"), 1.0, &bars);
        }
        let row = |r: &SiteRow| {
            let cells = r.mean.named().map(|(_, value)| format!("{value:.3}"));
            let section = r.section.map_or("none named".to_owned(), |s| format!("{s:.3}"));
            std::iter::once(r.retriever.clone())
                .chain(cells)
                .chain([section, format!("{:.1}", r.query_p50_ms)])
                .collect::<Vec<_>>()
        };
        let measures = report.rows.first().map(|r| r.mean.named().map(|m| m.0).to_vec()).unwrap_or_default();
        let heads: Vec<&str> =
            std::iter::once("retriever").chain(measures).chain(["right section", "query p50, ms"]).collect();
        page.table("Every measure", &heads, &report.rows.iter().map(row).collect::<Vec<_>>());
        page.heading("What was found instead");
        for r in &report.rows {
            let summary = format!(
                "{}: {} of {} questions miss an expected page",
                r.retriever,
                r.misses.len(),
                report.with_pages
            );
            page.folded(&summary, &r.misses.iter().map(miss_entry).collect::<Vec<_>>());
        }
    }
    if !report.unknown.is_empty() {
        let lines = report.unknown.iter().map(|u| {
            let nearest = u.nearest.clone().unwrap_or_else(|| "nothing of a like name".to_owned());
            (format!("line {}: {}", u.line, u.page), vec![("nearest", nearest)])
        });
        page.heading("Pages that the bundle does not have");
        page.folded(
            &format!("{} expected pages; they count as not found", report.unknown.len()),
            &lines.collect::<Vec<_>>(),
        );
    }
    if let Some(answers) = &report.answers {
        page.heading("Answers");
        let bars =
            [("exact match", answers.em), ("F1 of tokens", answers.f1), ("Contain-EM", answers.contain_em)];
        let bars: Vec<Bar> = bars.iter().map(|(name, e)| Bar::of(name, *e)).collect();
        page.bars(
            &format!("{} answers by {}, with 95 % bootstrap intervals", answers.questions, answers.protocol),
            1.0,
            &bars,
        );
        page.paragraph(CAVEAT);
        let entry = |m: &crate::site::SiteAnswer| {
            let text = if m.answer.is_empty() {
                "that the documents do not say".to_owned()
            } else {
                m.answer.clone()
            };
            (
                format!("line {}: {}", m.line, m.question),
                vec![("wanted", m.wanted.join(" / ")), ("said", text)],
            )
        };
        let summary = format!(
            "{} of {} answers do not contain what was expected",
            answers.misses.len(),
            answers.questions
        );
        page.folded(&summary, &answers.misses.iter().map(entry).collect::<Vec<_>>());
    }
    page.finish()
}

fn miss_entry(m: &SiteMiss) -> (String, Vec<(&'static str, String)>) {
    let missing = m.missing.iter().map(|(page, rank)| ("missing", crate::site::describe_miss(page, *rank)));
    let instead = m.instead.iter().map(|f| ("found", format!("{} ({}): {}", f.place, f.url, f.beginning)));
    (format!("line {}: {}", m.line, m.question), missing.chain(instead).collect())
}
