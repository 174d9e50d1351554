//! The report of `eval answers`.

use crate::answering::{AnswerRow, AnswersReport};
use crate::one_answer::Answered;
use pocketgraph_measure::Estimate;
use pocketgraph_measure::html::{Bar, HtmlPage, difference};

/// Answers of each system that are listed.
const LISTED: usize = 100;

/// The report as a page; `about` says what was measured, a line each.
pub fn answers_page(report: &AnswersReport, about: &[String]) -> String {
    let mut page = HtmlPage::new("Answers, measured");
    about.iter().for_each(|line| page.paragraph(line));
    let answered = report.rows.first().map_or(0, |r| r.questions);
    page.paragraph(&format!("{answered} of {} questions; {} without an answer are left out.", report.questions, report.left_out));
    if let Some(why) = &report.stopped {
        page.paragraph(&format!("The figures are those of the questions before the run ended: {why}."));
    }
    page.heading("Quality");
    let chart = |f: fn(&AnswerRow) -> Estimate| report.rows.iter().map(|r| Bar::of(&r.system, f(r))).collect::<Vec<_>>();
    page.bars("Exact match, with 95 % bootstrap intervals", 1.0, &chart(|r| r.em));
    page.bars("F1 of tokens, with 95 % bootstrap intervals", 1.0, &chart(|r| r.f1));
    page.bars("Contain-EM, with 95 % bootstrap intervals", 1.0, &chart(|r| r.contain_em));
    page.paragraph(report.caveat);
    let row = |r: &AnswerRow| {
        let cells =
            [r.em, r.f1, r.contain_em, r.shown_contain_em, r.set_precision, r.set_recall, r.set_f1, r.hits_1].map(|e| e.to_string());
        std::iter::once(r.system.clone()).chain(cells).chain([r.answered.to_string(), format!("{:.1}", r.words)]).collect::<Vec<_>>()
    };
    let heads = [
        "way",
        "EM",
        "F1",
        "Contain-EM",
        "Contain-EM of all that is shown",
        "set precision",
        "set recall",
        "set F1",
        "hits@1",
        "answered",
        "words of an answer",
    ];
    page.table("Every measure, with 95 % bootstrap intervals", &heads, &report.rows.iter().map(row).collect::<Vec<_>>());
    if let Some(baseline) = &report.baseline {
        page.heading(&format!("Against {baseline}, question by question"));
        let bars: Vec<Bar> = report.paired.iter().map(|p| Bar::of_difference(&p.system, p.f1)).collect();
        page.bars("F1: difference, with 95 % bootstrap intervals over questions", 0.0, &bars);
        let rows: Vec<Vec<String>> =
            report.paired.iter().map(|p| vec![p.system.clone(), difference(p.em), difference(p.f1), difference(p.contain_em)]).collect();
        page.table("Every difference", &["way", "EM", "F1", "Contain-EM"], &rows);
    }
    page.heading("Cost");
    let row = |r: &AnswerRow| {
        let by: Vec<String> = r.by.iter().map(|(who, n)| format!("{who} {n}")).collect();
        vec![
            r.system.clone(),
            by.join(", "),
            format!("{:.2}", r.turns),
            format!("{:.2}", r.calls),
            format!("{}{}", r.llm.prompt_tokens, if r.estimated { " (in part estimated)" } else { "" }),
            r.llm.completion_tokens.to_string(),
            r.llm.cost.map_or("no price given".to_owned(), |c| format!("{c:.4}")),
            r.failed.to_string(),
            format!("{:.0} / {:.0}", r.p50_ms, r.p95_ms),
        ]
    };
    let heads = ["way", "answered by", "turns", "calls", "tokens read", "tokens written", "cost", "failures", "ms p50 / p95"];
    page.table("Turns, calls and tokens", &heads, &report.rows.iter().map(row).collect::<Vec<_>>());
    page.paragraph(&format!(
        "{} replies of the model were asked for, {} were kept from before; those take no time.",
        report.replies_asked, report.replies_kept
    ));
    page.heading("Misses");
    for r in &report.rows {
        let missed: Vec<&Answered> = r.each.iter().filter(|a| a.contain_em < 1.0).collect();
        let entry = |a: &&Answered| {
            let mut lines = vec![("wanted", wanted(a)), ("said", if a.said.is_empty() { "nothing".to_owned() } else { a.said.clone() })];
            lines.extend(a.failure.clone().map(|why| ("failure", why)));
            (a.question.clone(), lines)
        };
        let summary = format!("{}: {} of {} answers do not contain the wanted one", r.system, missed.len(), r.questions);
        page.folded(&summary, &missed.iter().take(LISTED).map(entry).collect::<Vec<_>>());
    }
    page.finish()
}

/// The wanted answers in one line.
fn wanted(a: &Answered) -> String {
    a.wanted.iter().map(|names| names.join(" / ")).collect::<Vec<_>>().join(" | ")
}
