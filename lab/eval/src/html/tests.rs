//! A report is one file that asks for nothing, and text of others stays text.
#![allow(clippy::unwrap_used)]

use super::{answers_page, retrieval_page};
use crate::cost::LlmCost;
use crate::retrieval::{Missed, Paired, Report, Row};
use crate::{Answered, AnswersReport, Group, GroupRow};
use pocketgraph::answer::AnswerBy;
use pocketgraph_measure::html::site_page;
use pocketgraph_measure::{Estimate, FoundPage, Intervals, Measures, SiteAnswer, SiteAnswers, SiteMiss, SiteReport, SiteRow, UnknownPage};

const HOSTILE: &str = "</title></style><script>alert('x')</script><img src=x onerror=\"alert(1)\">&lt;\u{202e}\0]]>-->";

fn estimate(mean: f64) -> Estimate {
    Estimate { mean, low: mean - 0.1, high: mean + 0.1 }
}

/// A report of retrieval whose every text is this.
fn retrieval(text: &str) -> String {
    let mean = Measures { recall_5: 0.5, ndcg_10: 0.25, ..Measures::default() };
    let row = Row {
        retriever: text.to_owned(),
        mean,
        intervals: Intervals { low: Measures::default(), high: mean },
        query_p50_ms: 1.5,
        query_p95_ms: 2.5,
        context_tokens: 100.0,
        index_bytes: 3_000_000,
        llm: None,
        estimated: false,
        failed: 0,
        missed: 1,
        misses: vec![Missed { question: text.to_owned(), missing: vec![text.to_owned()], instead: vec![text.to_owned()] }],
        whole: None,
        each: Vec::new(),
    };
    let differences = mean.named().map(|(name, value)| (name, estimate(-value))).to_vec();
    let report = Report {
        passages: 3,
        pages: 3,
        questions: 2,
        left_out: 1,
        build_seconds: vec![("passages", 1.0)],
        embedded: pocketgraph_models::embeddings::EmbeddingCounts::default(),
        groups: vec![Group {
            kind: text.to_owned(),
            questions: 2,
            rows: vec![GroupRow { retriever: text.to_owned(), mean, intervals: row.intervals }],
        }],
        rows: vec![row],
        baseline: Some(text.to_owned()),
        paired: vec![Paired { retriever: text.to_owned(), differences }],
    };
    retrieval_page(&report, &[text.to_owned()])
}

/// A report of answers whose every text is this.
fn answers(text: &str) -> String {
    let answered = Answered {
        id: text.to_owned(),
        kind: text.to_owned(),
        evidence_recall: None,
        question: text.to_owned(),
        wanted: vec![vec![text.to_owned()]],
        said: text.to_owned(),
        by: AnswerBy::Llm,
        em: 0.0,
        f1: 0.5,
        contain_em: 0.0,
        shown_contain_em: 0.0,
        set_precision: 0.0,
        set_recall: 0.0,
        set_f1: 0.0,
        hits_1: 0.0,
        turns: 1,
        calls: 0,
        prompt_tokens: 10,
        completion_tokens: 2,
        estimated: false,
        failure: Some(text.to_owned()),
        milliseconds: 3.0,
    };
    let row = crate::AnswerRow {
        system: text.to_owned(),
        questions: 1,
        answered: 1,
        by: std::iter::once(("model", 1)).collect(),
        em: estimate(0.1),
        f1: estimate(0.5),
        contain_em: estimate(0.2),
        shown_contain_em: estimate(0.2),
        set_precision: estimate(0.3),
        set_recall: estimate(0.4),
        set_f1: estimate(0.5),
        hits_1: estimate(0.6),
        evidence_recall: Some(estimate(0.7)),
        turns: 1.0,
        calls: 0.0,
        words: 4.0,
        failed: 1,
        llm: LlmCost { prompt_tokens: 10, completion_tokens: 2, cost: Some(0.01) },
        estimated: false,
        p50_ms: 3.0,
        p95_ms: 3.0,
        each: vec![answered],
    };
    let paired = vec![crate::AnswerPaired { system: text.to_owned(), em: estimate(-0.1), f1: estimate(0.1), contain_em: estimate(0.0) }];
    let report = AnswersReport {
        questions: 2,
        left_out: 0,
        stopped: Some(text.to_owned()),
        kinds: Vec::new(),
        rows: vec![row],
        baseline: Some(text.to_owned()),
        paired,
        caveat: pocketgraph_measure::CAVEAT,
        replies_asked: 1,
        replies_kept: 0,
    };
    answers_page(&report, &[text.to_owned()])
}

/// A report of a site whose every text is this.
fn site(text: &str) -> String {
    let page = FoundPage { place: text.to_owned(), url: text.to_owned(), beginning: text.to_owned() };
    let miss = SiteMiss { line: 1, question: text.to_owned(), missing: vec![(text.to_owned(), Some(7))], instead: vec![page] };
    let row = SiteRow {
        retriever: text.to_owned(),
        mean: Measures::default(),
        intervals: Intervals::default(),
        section: Some(0.5),
        query_p50_ms: 1.0,
        misses: vec![miss],
    };
    let answer = SiteAnswer { line: 1, question: text.to_owned(), wanted: vec![text.to_owned()], answer: text.to_owned() };
    let report = SiteReport {
        documents: 1,
        chunks: 1,
        questions: 1,
        with_pages: 1,
        unknown: vec![UnknownPage { line: 1, page: text.to_owned(), nearest: Some(text.to_owned()) }],
        rows: vec![row],
        answers: Some(SiteAnswers {
            protocol: text.to_owned(),
            questions: 1,
            em: estimate(0.0),
            f1: estimate(0.0),
            contain_em: estimate(0.0),
            misses: vec![answer],
        }),
    };
    site_page(&report, &[text.to_owned()])
}

const PAGES: [fn(&str) -> String; 3] = [retrieval, answers, site];

/// How often each character stands in a page that could begin or end markup.
fn marks(page: &str) -> [usize; 4] {
    ['<', '>', '"', '\''].map(|c| page.matches(c).count())
}

#[test]
fn hostile_text_adds_no_markup_to_any_report() {
    for page in PAGES {
        let (hostile, plain) = (page(HOSTILE), page("x"));
        assert_eq!(marks(&hostile), marks(&plain));
        assert!(hostile.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;") && hostile.contains("&amp;lt;"));
        assert!(!hostile.contains('\0') && !hostile.contains("<script") && !hostile.contains("<img"));
    }
}

#[test]
fn a_report_asks_for_no_other_file_and_runs_nothing() {
    for page in PAGES {
        let page = page("x").to_lowercase();
        for foreign in ["http://", "https://", "src=", "href", "url(", "@import", "<script", "<link", "<iframe", "javascript:", "onload"] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        assert!(page.contains("default-src 'none'") && page.contains("prefers-color-scheme: dark") && page.contains("width=device-width"));
    }
}

#[test]
fn every_opened_element_is_closed() {
    for page in PAGES {
        let page = page("x");
        for name in ["div", "table", "thead", "tbody", "tr", "th", "td", "figure", "svg", "span", "details", "ol", "li", "dl", "bdi", "p"] {
            let opened = page.matches(&format!("<{name}>")).count() + page.matches(&format!("<{name} ")).count();
            assert_eq!(opened, page.matches(&format!("</{name}>")).count(), "{name}");
        }
    }
}
