//! Runs retrievers on a labelled set, whose corpus becomes a bundle, through the readers' engine.

use super::cost::LlmCost;
use super::counted_model::Tokens;
use super::data::{Passages, Question};
use super::groups::{Group, group_figures};
use super::index_model::IndexModel;
use super::set_bundle::{EvalError, MadeSet, SetBuild, SetBundle, open_set};
use pocketgraph::engine::EngineError;
use pocketgraph::retrieve::{self, ByModel, FactFilter};
use pocketgraph_build::prepare::{UnknownRetriever, sections_of};
use pocketgraph_measure::{Estimate, Intervals, MEASURES, Measures, measure_ranking, pages_of, quantile};
use pocketgraph_models::embeddings::EmbeddingCounts;
use std::rc::Rc;
use std::time::Instant;

/// Number of pages ranked for each question.
const DEPTH: usize = 10;
/// Number of chunks ranked if a page may have several: they nearly always have ten pages.
const CHUNKS: usize = 50;

/// One retriever's figures.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Row {
    /// The retriever.
    pub retriever: String,
    /// Means over all questions.
    pub mean: Measures,
    /// Their 95 % bootstrap intervals.
    pub intervals: Intervals,
    /// Median time of a query in milliseconds, embedding included.
    pub query_p50_ms: f64,
    /// 95th percentile of the same.
    pub query_p95_ms: f64,
    /// Mean number of tokens of the first five passages, as the embedding model counts them.
    pub context_tokens: f64,
    /// Bytes of the sections that the retriever reads.
    pub index_bytes: u64,
    /// Tokens of a language model for index and questions, and their cost; zero without a model. `None` if a
    /// bundle from before needed a model: its build reported the tokens.
    pub llm: Option<LlmCost>,
    /// True if these counts are partly estimated, because the endpoint did not count.
    pub estimated: bool,
    /// Number of questions at which the model failed; they were ranked without it.
    pub failed: usize,
    /// Number of questions with a gold page missing among the first five.
    pub missed: usize,
    /// Gold pages that are not among the first five.
    pub misses: Vec<Missed>,
    /// All passages of a retriever with a number of its own, such as AutoKG's Algorithm 3.
    pub whole: Option<Whole>,
    /// The measures of each question, in their order.
    #[serde(skip)]
    pub each: Vec<Measures>,
}

/// All passages that a retriever returns.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Whole {
    /// Mean number of passages.
    pub passages: f64,
    /// Share of the gold pages among them.
    pub recall: Estimate,
}

/// A question whose gold pages are not all among the first five.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Missed {
    /// The question.
    pub question: String,
    /// Titles of the gold pages that are missing.
    pub missing: Vec<String>,
    /// Titles of the first five.
    pub instead: Vec<String>,
}

/// Differences of one retriever from another, question by question.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Paired {
    /// The retriever.
    pub retriever: String,
    /// The mean differences to the baseline with their 95 % bootstrap intervals over questions, by measure.
    pub differences: Vec<(&'static str, Estimate)>,
}

impl Report {
    /// Compares every other retriever with `baseline`; empty if that was not measured.
    pub fn against(&self, baseline: &str) -> Vec<Paired> {
        let Some(base) = self.rows.iter().find(|r| r.retriever == baseline) else { return Vec::new() };
        let column = |row: &Row, i: usize| row.each.iter().map(|m| m.named()[i].1).collect::<Vec<_>>();
        let of = |row: &Row, i: usize| {
            (row.mean.named()[i].0, Estimate::of_difference(&column(row, i), &column(base, i)))
        };
        let others = self.rows.iter().filter(|r| r.retriever != baseline);
        others
            .map(|r| Paired {
                retriever: r.retriever.clone(),
                differences: (0..MEASURES).map(|i| of(r, i)).collect(),
            })
            .collect()
    }
}

/// Figures of a set.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Report {
    /// Number of passages.
    pub passages: usize,
    /// Number of their pages; the same if every passage is judged by itself.
    pub pages: usize,
    /// Number of questions measured.
    pub questions: usize,
    /// Number of questions left out, because the corpus has no answer or none is judged.
    pub left_out: usize,
    /// Seconds of each stage of the build; empty if a bundle was reused.
    pub build_seconds: Vec<(&'static str, f64)>,
    /// Number of vectors that the build needed, and of those from the cache.
    pub embedded: EmbeddingCounts,
    /// One row for each retriever.
    pub rows: Vec<Row>,
    /// The same by kind of question, if the set has kinds.
    pub groups: Vec<Group>,
    /// The retriever with which the others are compared, if one was named.
    pub baseline: Option<String>,
    /// Comparisons of the others with it.
    pub paired: Vec<Paired>,
}

/// Measures `retrievers` on a set whose bundle was made by `build`. Each passage is one chunk, embedded up to
/// the model's 256 tokens. `done` gets the number of questions done for all retrievers.
///
/// # Errors
/// [`EvalError`] if a retriever does not exist or the engine fails.
pub async fn evaluate_retrievers(
    passages: &Passages,
    questions: &[Question],
    retrievers: &[String],
    made: MadeSet,
    build: &SetBuild<'_>,
    done: &dyn Fn(usize),
) -> Result<Report, EvalError> {
    let set = open_set(made, passages, build).await?;
    let mut rows = Vec::new();
    for name in retrievers {
        let before = rows.len() * questions.len();
        rows.push(measure_retriever(name, &set, build, passages, questions, &|n| done(before + n)).await?);
    }
    Ok(Report {
        passages: passages.all.len(),
        pages: passages.pages.len(),
        questions: questions.len(),
        left_out: 0,
        build_seconds: set.build_seconds.clone(),
        embedded: set.embedded,
        groups: group_figures(
            questions,
            &rows.iter().map(|r| (r.retriever.as_str(), r.each.as_slice())).collect::<Vec<_>>(),
        ),
        rows,
        baseline: None,
        paired: Vec::new(),
    })
}

async fn measure_retriever(
    name: &str,
    set: &SetBundle,
    build: &SetBuild<'_>,
    passages: &Passages,
    questions: &[Question],
    done: &dyn Fn(usize),
) -> Result<Row, EvalError> {
    let retriever = retrieve::by_name(name).ok_or_else(|| UnknownRetriever::new(name))?;
    let (engine, reader) = (&set.engine, build.reader);
    let manifest = engine.corpus().bundle().manifest();
    let size = |name: &str| manifest.section(name).map_or(0, |s| s.bytes + s.page_bytes);
    let (mut all, mut times, mut misses, mut tokens) = (Vec::new(), Vec::new(), Vec::new(), 0usize);
    let title = |p: u32| passages.pages.get(p as usize).map_or_else(String::new, |p| p.name().to_owned());
    // A retriever with a number of its own is ranked to that number; its first places are the same.
    let own_number = retriever.default_k().is_none();
    let k = (!own_number).then_some(if passages.pages.len() == passages.all.len() { DEPTH } else { CHUNKS });
    let (mut sizes, mut recalls) = (Vec::new(), Vec::new());
    let before = reader.map(IndexModel::question_tokens).unwrap_or_default();
    let mut failed = 0;
    for (i, q) in questions.iter().enumerate() {
        let started = Instant::now();
        let mut query = engine.query(&q.text, false).await?;
        if let (Some(table), Some(vector)) = (build.added, &mut query.vector) {
            table.add_to(vector, &build.model.model().tokenizer().content(&q.text));
        }
        query.fact_filter = reader.map(|r| Rc::new(ByModel(r.begin())) as Rc<dyn FactFilter>);
        let ranked = retriever.retrieve(engine.corpus(), &query, k).await.map_err(EngineError::from)?;
        times.push(started.elapsed().as_secs_f64() * 1000.0);
        // The bundle is local, so only a model's reply can be missing.
        failed += usize::from(reader.is_some() && !ranked.missing.is_empty());
        let ids: Vec<u32> = ranked.chunks.iter().map(|c| c.chunk).collect();
        let (found, _) = engine.corpus().chunks(&ids).await.map_err(EngineError::from)?;
        tokens += ids
            .iter()
            .take(5)
            .filter_map(|id| found.get(id))
            .map(|c| engine.count_tokens(&c.text))
            .sum::<usize>();
        let brought = pages_of(ids.iter().filter_map(|id| found.get(id).map(|c| c.document)));
        sizes.push(ids.len() as f64);
        recalls.push(
            q.gold.iter().filter(|g| g.grade > 0 && brought.contains(&g.page)).count() as f64
                / q.gold.len().max(1) as f64,
        );
        let ranking = &brought[..brought.len().min(DEPTH)];
        let first = &ranking[..ranking.len().min(5)];
        let missing: Vec<String> =
            q.gold.iter().map(|g| g.page).filter(|g| !first.contains(g)).map(title).collect();
        if !missing.is_empty() {
            misses.push(Missed {
                question: q.text.clone(),
                missing,
                instead: first.iter().map(|&p| title(p)).collect(),
            });
        }
        all.push(measure_ranking(ranking, &q.gold));
        done(i + 1);
    }
    let asked = reader.map(|r| r.question_tokens() - before).unwrap_or_default();
    let spent_text = match &set.spent {
        Some(index) => Some(index.of(name)),
        None => (!by_a_model(name, &manifest.options)).then(Vec::new),
    };
    let spent: Option<Vec<Tokens>> = spent_text.map(|index| index.into_iter().chain([asked]).collect());
    Ok(Row {
        retriever: name.to_owned(),
        mean: Measures::mean(&all),
        intervals: Intervals::of(&all),
        query_p50_ms: quantile(&times, 0.5),
        query_p95_ms: quantile(&times, 0.95),
        context_tokens: tokens as f64 / questions.len().max(1) as f64,
        index_bytes: sections_of(name).iter().map(|s| size(s)).sum(),
        estimated: spent.iter().flatten().any(|t| t.estimated > 0),
        llm: spent.map(|all| LlmCost::of(&all, reader.and_then(|r| r.prices))),
        failed,
        missed: misses.len(),
        misses,
        whole: own_number
            .then(|| Whole { passages: Estimate::of(&sizes).mean, recall: Estimate::of(&recalls) }),
        each: all,
    })
}

/// Returns true if a retriever uses a language model's output from the build of a bundle with these options.
fn by_a_model(retriever: &str, options: &[(String, String)]) -> bool {
    let asked_for: &[&str] = match retriever.split(':').next().unwrap_or(retriever) {
        "hippo" => &["kg-llm"],
        "hypergraph" => &["relations-llm"],
        "graphrag" => &["relations-llm", "summaries-llm"],
        "raptor" => &["summaries-llm"],
        "autokg" => &["keywords-llm"],
        _ => &[],
    };
    options.iter().any(|(option, _)| asked_for.contains(&option.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Prices;

    #[test]
    fn what_a_model_read_for_the_bundle_is_not_reported_as_free() {
        let built = |option: &str| {
            vec![("seed".to_owned(), "0".to_owned()), (option.to_owned(), "some-model".to_owned())]
        };
        for (retriever, option) in [
            ("hippo", "kg-llm"),
            ("graphrag", "summaries-llm"),
            ("hypergraph", "relations-llm"),
            ("raptor", "summaries-llm"),
        ] {
            assert!(by_a_model(retriever, &built(option)), "{retriever}");
        }
        assert!(
            !by_a_model("raptor", &built("kg-llm"))
                && !by_a_model("auto", &built("kg-llm"))
                && !by_a_model("hippo", &[])
        );
    }

    #[test]
    fn tokens_are_paid_by_the_million_and_none_cost_nothing() {
        let prices = Some(Prices { prompt: 2.0, completion: 10.0 });
        let some = [
            Tokens { prompt: 400_000, completion: 0, estimated: 0 },
            Tokens { prompt: 100_000, completion: 50_000, estimated: 1 },
        ];
        assert_eq!(
            LlmCost::of(&some, prices),
            LlmCost { prompt_tokens: 500_000, completion_tokens: 50_000, cost: Some(1.5) }
        );
        assert_eq!(LlmCost::of(&some, None).cost, None, "what has no price is not free");
        assert_eq!(LlmCost::of(&[], None).cost, Some(0.0));
    }

    #[test]
    fn the_others_are_compared_with_the_baseline_question_by_question() {
        let row = |name: &str, hits: &[f64]| {
            let each: Vec<Measures> =
                hits.iter().map(|h| Measures { recall_5: *h, ..Measures::default() }).collect();
            Row {
                retriever: name.to_owned(),
                mean: Measures::mean(&each),
                intervals: Intervals::of(&each),
                each,
                ..Row::default()
            }
        };
        let report = Report {
            passages: 3,
            pages: 3,
            questions: 4,
            left_out: 0,
            build_seconds: Vec::new(),
            embedded: EmbeddingCounts::default(),
            rows: vec![row("lexical", &[0.0, 0.0, 1.0, 0.5]), row("auto", &[0.5, 0.5, 1.0, 1.0])],
            groups: Vec::new(),
            baseline: None,
            paired: Vec::new(),
        };
        let paired = report.against("lexical");
        assert_eq!(
            (paired.len(), paired[0].retriever.as_str(), paired[0].differences[2].0),
            (1, "auto", "recall@5")
        );
        assert!((paired[0].differences[2].1.mean - 0.375).abs() < 1e-12);
        assert!(report.against("dense").is_empty());
    }
}
