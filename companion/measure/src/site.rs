//! Measures a bundle by its author's questions: expected pages, pages found instead, and answers.

use super::answer_metrics::{contains_accepted, exact_match, extract_answer, token_f1};
use super::labelled::{Labelled, Places, ResolvedPage};
use super::metrics::{Estimate, Intervals, Judged, Measures, mean, measure_ranking, pages_of, quantile};
use pocketgraph::agent::{AgentOptions, AskWith, ask_with_protocol};
use pocketgraph::answer::Answer;
use pocketgraph::bundle::{Chunk, Document, format_place};
use pocketgraph::engine::{Engine, EngineError};
use pocketgraph::retrieve;
use pocketgraph::text::one_line;
use serde::Serialize;
use std::collections::HashMap;
use std::time::Instant;

/// Number of chunks ranked for each question: further pages count as not found.
const CHUNKS: usize = 50;
/// Number of pages among which a page counts as found.
const WITHIN: usize = 5;
/// Number of pages found instead that are reported.
const REPORTED: usize = 3;
/// Number of characters of a found passage that are reported.
const BEGINNING: usize = 160;
/// Id of a page that the bundle lacks, which no retriever can find.
const NOWHERE: u32 = u32::MAX;

/// Answers by quotation, without a model.
pub const QUOTE: &str = "quote";

/// Caveat for every Contain-EM.
pub const CAVEAT: &str = "Contain-EM asks only whether the wanted answer stands somewhere in what was said, \
letter by letter: it rewards long \
answers, and \"no\" stands in \"known\". Compare it only between answers of like length.";

/// Reasons for which a site cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// No such retriever.
    #[error("there is no retriever {0:?}; there are {names}", names = retrieve::NAMES.join(", "))]
    Retriever(String),
    /// A page's name that means several.
    #[error("line {line}: {page:?} may be {}: name it by a longer path", candidates.join(" or "))]
    Ambiguous {
        /// Line of the question.
        line: usize,
        /// The name.
        page: String,
        /// Paths that it may mean.
        candidates: Vec<String>,
    },
}

/// An expected page that the bundle lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnknownPage {
    /// Line of the question.
    pub line: usize,
    /// Name of the page in the question.
    pub page: String,
    /// Path of the document with the most similar name.
    pub nearest: Option<String>,
}

/// A page at a place of a ranking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundPage {
    /// Title and headings.
    pub place: String,
    /// Address of the passage.
    pub url: String,
    /// Beginning of its passage.
    pub beginning: String,
}

/// A question with an expected page outside the first five.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SiteMiss {
    /// Line of the question.
    pub line: usize,
    /// The question.
    pub question: String,
    /// Missing expected pages, each with its rank if it is ranked lower.
    pub missing: Vec<(String, Option<usize>)>,
    /// The first pages.
    pub instead: Vec<FoundPage>,
}

/// Figures of one retriever.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteRow {
    /// The retriever.
    pub retriever: String,
    /// Means over the questions that name a page.
    pub mean: Measures,
    /// Their 95 % bootstrap intervals.
    pub intervals: Intervals,
    /// Share of the questions with a section and a found page whose best passage is in it; `None` without
    /// any.
    pub section: Option<f64>,
    /// Median milliseconds of a query.
    pub query_p50_ms: f64,
    /// The misses, in the order of the questions.
    pub misses: Vec<SiteMiss>,
}

/// An answer without the expected text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SiteAnswer {
    /// Line of the question.
    pub line: usize,
    /// The question.
    pub question: String,
    /// Expected answers.
    pub wanted: Vec<String>,
    /// Given answer; empty if it was that the documents do not say.
    pub answer: String,
}

/// Figures of answers without a language model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteAnswers {
    /// Protocol: `quote` or `plan`.
    pub protocol: String,
    /// Number of questions with an expected answer.
    pub questions: usize,
    /// Exact match.
    pub em: Estimate,
    /// Overlap of tokens.
    pub f1: Estimate,
    /// Containment.
    pub contain_em: Estimate,
    /// Answers that do not contain the expected one.
    pub misses: Vec<SiteAnswer>,
}

/// Figures of a bundle.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteReport {
    /// Number of documents of the bundle.
    pub documents: usize,
    /// Number of its chunks.
    pub chunks: usize,
    /// Number of questions in the file.
    pub questions: usize,
    /// Number of questions that name a page.
    pub with_pages: usize,
    /// Expected pages that the bundle lacks; they count as not found.
    pub unknown: Vec<UnknownPage>,
    /// One row for each retriever; empty if no question names a page.
    pub rows: Vec<SiteRow>,
    /// Answers; `None` if no question has an expected one.
    pub answers: Option<SiteAnswers>,
}

struct Expected<'a> {
    labelled: &'a Labelled,
    /// Document, fragment, and the author's name for it.
    pages: Vec<(u32, Option<String>, &'a str)>,
}

/// Measures a bundle by labelled questions. `protocol` is that of answers (`quote` or `plan`); `done` gets
/// the number of questions done in all passes.
///
/// # Errors
/// [`SiteError`] for an unknown or unprepared retriever, and for an ambiguous name of a page.
pub async fn evaluate_site(
    engine: &Engine,
    questions: &[Labelled],
    retrievers: &[String],
    protocol: &str,
    done: &dyn Fn(usize),
) -> Result<SiteReport, SiteError> {
    let documents = engine.corpus().documents().await.map_err(EngineError::from)?;
    let page_of = pages_by_address(&documents);
    let (expected, unknown) = find_expected(questions, &documents)?;
    let mut rows = Vec::new();
    if !expected.is_empty() {
        for name in retrievers {
            let before = rows.len() * expected.len();
            rows.push(
                measure_row(engine, name, &expected, (&documents, &page_of), &|n| done(before + n)).await?,
            );
        }
    }
    let before = rows.len() * expected.len();
    let retriever = retrievers.first().map(String::as_str);
    let answers = measure_answers(engine, questions, retriever, protocol, &|n| done(before + n)).await?;
    Ok(SiteReport {
        documents: documents.len(),
        chunks: engine.corpus().len(),
        questions: questions.len(),
        with_pages: expected.len(),
        unknown,
        rows,
        answers,
    })
}

/// Returns for each document the first one with its address: ready chunks of one address are one page.
fn pages_by_address(documents: &[Document]) -> Vec<u32> {
    let mut first: HashMap<&str, u32> = HashMap::new();
    (0u32..)
        .zip(documents)
        .map(|(at, d)| if d.url.is_empty() { at } else { *first.entry(&d.url).or_insert(at) })
        .collect()
}

/// Returns the questions that name pages, and the pages that the bundle lacks.
fn find_expected<'a>(
    questions: &'a [Labelled],
    documents: &[Document],
) -> Result<(Vec<Expected<'a>>, Vec<UnknownPage>), SiteError> {
    let places = Places::new(documents);
    let (mut expected, mut unknown) = (Vec::new(), Vec::new());
    for labelled in questions.iter().filter(|q| !q.pages.is_empty()) {
        let mut pages = Vec::new();
        for (missing, page) in (0u32..).zip(&labelled.pages) {
            let line = labelled.line;
            match places.resolve(page) {
                ResolvedPage::Document(at, fragment) => pages.push((at, fragment, page.as_str())),
                ResolvedPage::Unknown(nearest) => {
                    unknown.push(UnknownPage { line, page: page.clone(), nearest });
                    pages.push((NOWHERE - missing, None, page.as_str()));
                }
                ResolvedPage::Several(candidates) => {
                    return Err(SiteError::Ambiguous { line, page: page.clone(), candidates });
                }
            }
        }
        expected.push(Expected { labelled, pages });
    }
    Ok((expected, unknown))
}

async fn measure_row(
    engine: &Engine,
    name: &str,
    expected: &[Expected<'_>],
    (documents, page_of): (&[Document], &[u32]),
    done: &dyn Fn(usize),
) -> Result<SiteRow, SiteError> {
    let page = |document: u32| page_of.get(document as usize).copied().unwrap_or(document);
    let retriever = retrieve::by_name(name).ok_or_else(|| SiteError::Retriever(name.to_owned()))?;
    let (mut all, mut times, mut misses, mut sections) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (i, question) in expected.iter().enumerate() {
        let started = Instant::now();
        let query = engine.query(&question.labelled.question, false).await?;
        let ranked =
            retriever.retrieve(engine.corpus(), &query, Some(CHUNKS)).await.map_err(EngineError::from)?;
        times.push(started.elapsed().as_secs_f64() * 1000.0);
        let ids: Vec<u32> = ranked.chunks.iter().map(|c| c.chunk).collect();
        let (loaded, _) = engine.corpus().chunks(&ids).await.map_err(EngineError::from)?;
        let chunks: Vec<&Chunk> = ids.iter().filter_map(|id| loaded.get(id)).collect();
        let ranking = pages_of(chunks.iter().map(|c| page(c.document)));
        let best = |document: u32| chunks.iter().find(|c| page(c.document) == page(document));
        let mut gold: Vec<Judged> =
            question.pages.iter().map(|p| Judged { page: page(p.0), grade: 1 }).collect();
        gold.sort_unstable();
        gold.dedup();
        all.push(measure_ranking(&ranking, &gold));
        let rank = |document: u32| ranking.iter().position(|d| *d == page(document)).map(|at| at + 1);
        let missed = |p: &&(u32, Option<String>, &str)| rank(p.0).is_none_or(|r| r > WITHIN);
        let missing: Vec<(String, Option<usize>)> =
            question.pages.iter().filter(missed).map(|p| (p.2.to_owned(), rank(p.0))).collect();
        let of_section = |p: &(u32, Option<String>, &str)| Some(best(p.0)?.fragment == *p.1.as_ref()?);
        sections.extend(question.pages.iter().filter_map(of_section).map(f64::from));
        if !missing.is_empty() {
            let instead = ranking
                .iter()
                .take(REPORTED)
                .filter_map(|&d| {
                    best(d).and_then(|c| Some(found_page(c, documents.get(c.document as usize)?)))
                })
                .collect();
            let (line, text) = (question.labelled.line, question.labelled.question.clone());
            misses.push(SiteMiss { line, question: text, missing, instead });
        }
        done(i + 1);
    }
    Ok(SiteRow {
        retriever: name.to_owned(),
        mean: Measures::mean(&all),
        intervals: Intervals::of(&all),
        section: (!sections.is_empty()).then(|| mean(&sections)),
        query_p50_ms: quantile(&times, 0.5),
        misses,
    })
}

fn found_page(chunk: &Chunk, document: &Document) -> FoundPage {
    let place = format_place(&document.title, &chunk.heading_path);
    let line = one_line(&chunk.text);
    let beginning =
        line.char_indices().nth(BEGINNING).map_or(line.as_str(), |(end, _)| &line[..end]).to_owned();
    FoundPage { place, url: chunk.address_on(&document.url), beginning }
}

async fn measure_answers(
    engine: &Engine,
    questions: &[Labelled],
    retriever: Option<&str>,
    protocol: &str,
    done: &dyn Fn(usize),
) -> Result<Option<SiteAnswers>, SiteError> {
    let (mut em, mut f1, mut contain, mut misses) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (i, q) in questions.iter().filter(|q| !q.answers.is_empty()).enumerate() {
        let answer = answer_without_model(engine, &q.question, retriever, protocol).await?;
        let answer_text = if answer.answered { extract_answer(&answer.text) } else { String::new() };
        let accepted: Vec<String> = q.answers.iter().flatten().cloned().collect();
        em.push(exact_match(&answer_text, &accepted));
        f1.push(token_f1(&answer_text, &accepted));
        let holds = contains_accepted(&answer_text, &accepted);
        contain.push(holds);
        if holds < 1.0 {
            misses.push(SiteAnswer {
                line: q.line,
                question: q.question.clone(),
                wanted: accepted,
                answer: answer_text,
            });
        }
        done(i + 1);
    }
    Ok((!em.is_empty()).then(|| SiteAnswers {
        protocol: protocol.to_owned(),
        questions: em.len(),
        em: Estimate::of(&em),
        f1: Estimate::of(&f1),
        contain_em: Estimate::of(&contain),
        misses,
    }))
}

/// Answers a question without a language model, by quotation or by a protocol.
///
/// # Errors
/// [`EngineError`] as from the engine.
pub async fn answer_without_model(
    engine: &Engine,
    question: &str,
    retriever: Option<&str>,
    protocol: &str,
) -> Result<Answer, EngineError> {
    let options = AgentOptions { retriever: retriever.map(str::to_owned), ..AgentOptions::default() };
    if protocol == QUOTE {
        return engine.quote(question, &options.for_plain_answer(), &mut |_| {}).await;
    }
    let with = AskWith { chat: None, clock: &|| 0.0, graph: None, web: None, tools: None };
    Ok(ask_with_protocol(engine, question, protocol, &options, &with, &mut |_| {}).await?.answer)
}

/// Describes a missing page.
pub fn describe_miss(page: &str, rank: Option<usize>) -> String {
    match rank {
        Some(rank) => format!("{page} (stands at place {rank})"),
        None => format!("{page} (not among the first {CHUNKS} passages)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_one_address_are_one_page() {
        let of = |url: &str| Document {
            title: String::new(),
            url: url.to_owned(),
            path: String::new(),
            language: String::new(),
        };
        assert_eq!(pages_by_address(&[of("a"), of("b"), of("a"), of(""), of("")]), [0, 1, 0, 3, 4]);
    }
}
