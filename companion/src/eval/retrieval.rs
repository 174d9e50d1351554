//! Running retrievers over a labelled set: the corpus becomes a bundle, and the questions go through the engine that readers run.

use super::data::{Passage, Question};
use super::metrics::{Measures, interval, measure};
use crate::assemble::{Contents, QueryModel, WriteError, assemble};
use crate::cluster::cells;
use crate::embed_bulk::NativeEmbedder;
use crate::folder::FolderSource;
use crate::names;
use crate::prepare::{self, Needs, UnknownRetriever, prepare, sections_of};
use crate::train::query_table::TokenTable;
use pocketgraph::bundle::{Chunk, Document, EmbedderInfo, MANIFEST};
use pocketgraph::engine::{Engine, EngineError};
use pocketgraph::retrieve;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

/// Why a measurement failed.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// The bundle could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The disk refused.
    #[error("cannot create a folder for the bundle: {0}")]
    Io(#[from] std::io::Error),
    /// No such retriever.
    #[error(transparent)]
    Retriever(#[from] UnknownRetriever),
    /// The bundle that was to be used again is of another corpus.
    #[error("the bundle has {found} chunks, the corpus {expected} passages: remove the folder to have it built anew")]
    OtherBundle {
        /// Chunks of the bundle.
        found: usize,
        /// Passages of the corpus.
        expected: usize,
    },
}

/// One retriever's figures.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Row {
    /// The retriever.
    pub retriever: String,
    /// Means over all questions.
    pub mean: Measures,
    /// 95 % bootstrap interval of recall@5.
    pub recall_5_interval: (f64, f64),
    /// 95 % bootstrap interval of nDCG@10.
    pub ndcg_10_interval: (f64, f64),
    /// Median time of a query in milliseconds, embedding included.
    pub query_p50_ms: f64,
    /// 95th percentile of the same.
    pub query_p95_ms: f64,
    /// Mean number of tokens of the first five passages, as the embedding model counts them.
    pub context_tokens: f64,
    /// Bytes of the sections that the retriever reads.
    pub index_bytes: u64,
    /// What was not found among the first five.
    pub misses: Vec<Missed>,
    /// The measures of each question, in their order.
    #[serde(skip)]
    pub each: Vec<Measures>,
}

/// A question whose gold passages are not all among the first five.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Missed {
    /// The question.
    pub question: String,
    /// Titles of the gold passages that are missing.
    pub missing: Vec<String>,
    /// Titles of the first five.
    pub instead: Vec<String>,
}

/// How much better one retriever is than another, question by question.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Paired {
    /// The retriever.
    pub retriever: String,
    /// Mean difference of recall@5 to the baseline, and its 95 % bootstrap interval over questions.
    pub recall_5: (f64, (f64, f64)),
    /// The same of nDCG@10.
    pub ndcg_10: (f64, (f64, f64)),
}

impl Report {
    /// Every other retriever against `baseline`; empty when that was not measured.
    pub fn against(&self, baseline: &str) -> Vec<Paired> {
        let Some(base) = self.rows.iter().find(|r| r.retriever == baseline) else { return Vec::new() };
        let difference = |row: &Row, f: fn(&Measures) -> f64| {
            let all: Vec<f64> = row.each.iter().zip(&base.each).map(|(a, b)| f(a) - f(b)).collect();
            (all.iter().sum::<f64>() / all.len().max(1) as f64, interval(&all))
        };
        let others = self.rows.iter().filter(|r| r.retriever != baseline);
        others
            .map(|r| Paired {
                retriever: r.retriever.clone(),
                recall_5: difference(r, |m| m.recall_5),
                ndcg_10: difference(r, |m| m.ndcg_10),
            })
            .collect()
    }
}

/// The figures of a set.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Report {
    /// Passages.
    pub passages: usize,
    /// Questions measured.
    pub questions: usize,
    /// Seconds of each stage of the build; empty where a bundle was used again.
    pub build_seconds: Vec<(&'static str, f64)>,
    /// One row a retriever.
    pub rows: Vec<Row>,
}

/// What speaks for the questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum QuerySide {
    /// The full model.
    #[default]
    Model,
    /// The token table.
    Table,
    /// BM25's best hits.
    Feedback,
}

/// What embeds passages and questions.
#[derive(Clone, Copy)]
pub struct Encoders<'a> {
    /// Embeds the passages.
    pub model: &'a NativeEmbedder,
    /// The token table of the bundle.
    pub table: Option<&'a TokenTable>,
    /// Which of them embeds the questions.
    pub side: QuerySide,
}

/// Measures `retrievers` on a set. Each passage is one chunk; what the model cannot hold (256 tokens) is not embedded, but is indexed. The bundle is kept in
/// `keep`, and used again where there is one.
///
/// # Errors
/// [`EvalError`] when a retriever does not exist or the engine fails.
pub async fn evaluate(
    passages: &[Passage],
    questions: &[Question],
    retrievers: &[String],
    encoders: Encoders<'_>,
    keep: Option<&Path>,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Report, EvalError> {
    let needs = Needs::of(retrievers)?;
    let temporary = tempfile::tempdir()?;
    let folder = keep.unwrap_or(temporary.path());
    let mut build_seconds = Vec::new();
    if !folder.join(MANIFEST).exists() {
        std::fs::create_dir_all(folder)?;
        build_seconds = build(passages, needs, encoders, folder, progress)?;
    }
    let engine = Engine::open(Rc::new(FolderSource::new(folder)), 4 << 30).await?;
    if engine.corpus().len() != passages.len() {
        return Err(EvalError::OtherBundle { found: engine.corpus().len(), expected: passages.len() });
    }
    match encoders.side {
        QuerySide::Model => engine.prepare().await?,
        QuerySide::Table => engine.prepare_table().await?,
        QuerySide::Feedback => {}
    }
    let mut rows = Vec::new();
    for name in retrievers {
        rows.push(measured(name, &engine, passages, questions).await?);
    }
    Ok(Report { passages: passages.len(), questions: questions.len(), build_seconds, rows })
}

/// Builds the bundle of a set; the seconds that each stage took.
fn build(
    passages: &[Passage],
    needs: Needs,
    Encoders { model, table, .. }: Encoders<'_>,
    folder: &Path,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<(&'static str, f64)>, EvalError> {
    let documents: Vec<Document> =
        passages.iter().map(|p| Document { title: p.title.clone(), url: p.id.clone(), path: p.id.clone() }).collect();
    let chunks: Vec<Chunk> = passages
        .iter()
        .enumerate()
        .map(|(i, p)| Chunk {
            document: i as u32,
            heading_path: Vec::new(),
            fragment: String::new(),
            text: p.text.clone(),
            start: 0,
            end: p.text.chars().count() as u32,
        })
        .collect();
    let mut seconds = Vec::new();
    let mut since = Instant::now();
    let mut lap = |name: &'static str| {
        seconds.push((name, since.elapsed().as_secs_f64()));
        since = Instant::now();
    };
    let texts: Vec<String> = chunks.iter().zip(passages).map(|(c, p)| c.context(&p.title)).collect();
    let vectors = model.embed_all(&texts, progress);
    lap("passages");
    let cell_of = cells(&vectors, (passages.len() as f64).sqrt().round().max(1.0) as usize, 0);
    let embed = |texts: &[String]| model.embed_all(texts, &|_| {});
    lap("cells");
    let found = names::find(&documents, &chunks, Some(&embed), needs.sentences());
    lap("names and sentences");
    let count = |text: &str| model.tokenizer().count(text);
    let parts = prepare::Corpus { chunks: &chunks, vectors: &vectors, found: &found, embed: &embed, count: &count, seed: 0 };
    let prepared = prepare(needs, &parts);
    lap("retrievers");
    let layers = model.layers();
    let contents = Contents {
        documents: &documents,
        chunks: &chunks,
        vectors: &vectors,
        cells: &cell_of,
        keywords: None,
        names: Some(&found),
        prepared: Some(&prepared),
        knowledge: None,
        labels: None,
        relation_labels: None,
        model: Some(QueryModel { vocabulary: model.vocabulary(), layers: &layers, words: model.words(), table }),
        embedder: EmbedderInfo { id: "minilm".into(), dimension: vectors.first().map_or(0, |v| v.len() as u64), ..EmbedderInfo::default() },
        options: Vec::new(),
        runtime: &[],
    };
    assemble(&contents, folder)?;
    lap("writing");
    Ok(seconds)
}

async fn measured(name: &str, engine: &Engine, passages: &[Passage], questions: &[Question]) -> Result<Row, EvalError> {
    let retriever = retrieve::by_name(name).ok_or_else(|| UnknownRetriever::new(name))?;
    let manifest = engine.corpus().bundle().manifest();
    let size = |name: &str| manifest.section(name).map_or(0, |s| s.bytes + s.page_bytes);
    let (mut all, mut times, mut misses, mut tokens) = (Vec::new(), Vec::new(), Vec::new(), 0usize);
    let title =
        |p: u32| passages.get(p as usize).map_or_else(String::new, |p| if p.title.is_empty() { p.id.clone() } else { p.title.clone() });
    for q in questions {
        let started = Instant::now();
        let query = engine.query(&q.text, false).await?;
        let ranked = retriever.retrieve(engine.corpus(), &query, Some(10)).await.map_err(EngineError::from)?;
        times.push(started.elapsed().as_secs_f64() * 1000.0);
        // A passage is a document of its own here, so its document's number is its place in the corpus.
        let ids: Vec<u32> = ranked.chunks.iter().map(|c| c.chunk).collect();
        let (found, _) = engine.corpus().chunks(&ids).await.map_err(EngineError::from)?;
        let ranking: Vec<u32> = ids.iter().filter_map(|id| found.get(id).map(|c| c.document)).collect();
        tokens += ids.iter().take(5).filter_map(|id| found.get(id)).map(|c| engine.count_tokens(&c.text)).sum::<usize>();
        let first = &ranking[..ranking.len().min(5)];
        let missing: Vec<String> = q.gold.iter().filter(|g| !first.contains(g)).map(|&g| title(g)).collect();
        if !missing.is_empty() {
            misses.push(Missed { question: q.text.clone(), missing, instead: first.iter().map(|&p| title(p)).collect() });
        }
        all.push(measure(&ranking, &q.gold));
    }
    times.sort_by(f64::total_cmp);
    let quantile = |q: f64| times.get(((times.len().max(1) - 1) as f64 * q).round() as usize).copied().unwrap_or(0.0);
    Ok(Row {
        retriever: name.to_owned(),
        mean: Measures::mean(&all),
        recall_5_interval: interval(&all.iter().map(|m| m.recall_5).collect::<Vec<_>>()),
        ndcg_10_interval: interval(&all.iter().map(|m| m.ndcg_10).collect::<Vec<_>>()),
        query_p50_ms: quantile(0.5),
        query_p95_ms: quantile(0.95),
        context_tokens: tokens as f64 / questions.len().max(1) as f64,
        index_bytes: sections_of(name).iter().map(|s| size(s)).sum(),
        misses,
        each: all,
    })
}
