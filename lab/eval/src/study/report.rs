//! The figures of a study, made of what it has measured so far.

use super::ask::{StudyAnswer, StudyProgress};
use super::break_even::{BreakEven, Even};
use super::file::Study;
use super::indexes::{IndexRow, OpenSet};
use super::ranks::{RankRow, average};
use crate::answering::System;
use crate::cost::Prices;
use crate::kinds::{KindRow, by_kind};
use crate::one_answer::Answered;
use pocketgraph_measure::CAVEAT;
use pocketgraph_measure::{Estimate, mean, quantile};
use serde::Serialize;

/// One way of answering over one set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyRow {
    /// The set.
    pub set: String,
    /// The protocol.
    pub protocol: String,
    /// The retriever.
    pub retriever: String,
    /// Questions that were asked in every way and with every seed.
    pub questions: usize,
    /// Runs over them: seeds.
    pub runs: usize,
    /// Containment; its interval is over questions, each the mean of its runs.
    pub contain_em: Estimate,
    /// Containment in all that a reader is shown, the quotation beneath a model's answer included.
    pub shown_contain_em: Estimate,
    /// Exact match.
    pub em: Estimate,
    /// Overlap of tokens.
    pub f1: Estimate,
    /// Standard deviation of the runs' means of containment; absent for one run.
    pub contain_em_deviation: Option<f64>,
    /// Of exact match.
    pub em_deviation: Option<f64>,
    /// Of the overlap of tokens.
    pub f1_deviation: Option<f64>,
    /// Share of the pages that answer of which a passage was shown in any turn; absent where the set names none.
    pub evidence_recall: Option<Estimate>,
    /// Mean replies of the model a question.
    pub turns: f64,
    /// Mean calls and searches a question.
    pub calls: f64,
    /// Mean tokens read a question.
    pub prompt_tokens: f64,
    /// Mean tokens written a question.
    pub completion_tokens: f64,
    /// True if these are in part an estimate.
    pub estimated: bool,
    /// Price of a question; absent without prices.
    pub cost: Option<f64>,
    /// Mean seconds of an answer.
    pub seconds: f64,
    /// Median milliseconds of an answer.
    pub p50_ms: f64,
    /// 95th percentile.
    pub p95_ms: f64,
    /// Answers that the model wrote, of all.
    pub by_model: usize,
    /// Answers at which the model failed.
    pub failed: usize,
}

/// The figures of one set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetFigures {
    /// The set.
    pub set: String,
    /// Its questions.
    pub questions: usize,
    /// Of these asked in every way and with every seed.
    pub complete: usize,
    /// One row a way of answering.
    pub rows: Vec<StudyRow>,
    /// The same by kind of question, where the set tells kinds.
    pub kinds: Vec<KindRow>,
}

/// The figures of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyReport {
    /// The sets.
    pub sets: Vec<SetFigures>,
    /// Average ranks of the ways of answering over the sets.
    pub ranks: Vec<RankRow>,
    /// Average ranks of the retrievers, each among those of one protocol, over sets and protocols.
    pub retriever_ranks: Vec<RankRow>,
    /// What each index took.
    pub indexes: Vec<IndexRow>,
    /// What the indexes' tokens cost, in their order; absent without prices.
    pub index_costs: Vec<Option<f64>>,
    /// When each index has paid for itself.
    pub break_even: Vec<BreakEven>,
    /// Why it ended before its last question, where it did.
    pub stopped: Option<String>,
    /// How Contain-EM is to be read.
    pub caveat: &'static str,
}

/// One way of answering over the questions of a set that are complete.
struct Cell<'a> {
    system: &'a System,
    /// The answers of each question, one a seed.
    questions: Vec<Vec<&'a Answered>>,
}

impl<'a> Cell<'a> {
    fn all(&self) -> impl Iterator<Item = &'a Answered> + '_ {
        self.questions.iter().flatten().copied()
    }

    /// A figure of each question: the mean of its runs.
    fn column(&self, figure: fn(&Answered) -> f64) -> Vec<f64> {
        self.questions.iter().map(|runs| mean(&runs.iter().map(|a| figure(a)).collect::<Vec<_>>())).collect()
    }

    /// The standard deviation of the runs' means.
    fn deviation(&self, figure: fn(&Answered) -> f64) -> Option<f64> {
        let runs = self.questions.first().map_or(0, Vec::len);
        let of = |run: usize| mean(&self.questions.iter().filter_map(|q| q.get(run)).map(|a| figure(a)).collect::<Vec<_>>());
        let means: Vec<f64> = (0..runs).map(of).collect();
        let middle = mean(&means);
        let squares: f64 = means.iter().map(|m| (m - middle).powi(2)).sum();
        (runs > 1).then(|| (squares / (runs - 1) as f64).sqrt())
    }

    /// Evidence recall of the questions whose pages the set names, each the mean of its runs.
    fn recall(&self) -> Option<Estimate> {
        let of = |runs: &Vec<&Answered>| runs.iter().map(|a| a.evidence_recall).collect::<Option<Vec<f64>>>().map(|all| mean(&all));
        let values: Vec<f64> = self.questions.iter().filter_map(of).collect();
        (!values.is_empty()).then(|| Estimate::of(&values))
    }

    fn mean(&self, figure: fn(&Answered) -> f64) -> f64 {
        mean(&self.column(figure))
    }
}

/// The figures of a study.
pub fn report(study: &Study, sets: &[OpenSet], doing: &StudyProgress, prices: Option<Prices>) -> StudyReport {
    let systems = study.systems();
    let names: Vec<String> = systems.iter().map(System::name).collect();
    let indexes: Vec<IndexRow> = sets.iter().flat_map(OpenSet::indexes).cloned().collect();
    let mut out = StudyReport {
        sets: Vec::new(),
        ranks: Vec::new(),
        retriever_ranks: Vec::new(),
        index_costs: indexes.iter().map(|row| row.cost(prices)).collect(),
        indexes,
        break_even: Vec::new(),
        stopped: doing.stopped.clone(),
        caveat: CAVEAT,
    };
    let mut comparisons = Vec::new();
    for set in sets {
        let cells = cells(study, set, &systems, &doing.asked);
        let rows: Vec<StudyRow> = cells.iter().map(|cell| row(&set.name, cell, prices)).collect();
        let complete = cells.first().map_or(0, |cell| cell.questions.len());
        let kinds: Vec<(String, Vec<Answered>)> = cells.iter().map(|c| (c.system.name(), c.all().cloned().collect())).collect();
        if complete > 0 {
            comparisons.push(names.iter().cloned().zip(rows.iter().map(measured)).collect());
            let asked = Set { set, cells: &cells, rows: &rows, prices };
            out.break_even.extend(study.protocols.iter().flat_map(|protocol| asked.against(study.baseline(), protocol)));
        }
        out.sets.push(SetFigures {
            set: set.name.clone(),
            questions: set.questions.len(),
            complete,
            rows,
            kinds: by_kind(kinds.iter().map(|(name, each)| (name.as_str(), each.as_slice()))),
        });
    }
    out.ranks = average(&names, &comparisons);
    out.retriever_ranks = average(&study.retrievers, &by_protocol(study, &out.sets));
    out
}

/// The figures that ways are ranked by.
fn measured(row: &StudyRow) -> [f64; 3] {
    [row.contain_em.mean, row.em.mean, row.f1.mean]
}

/// For each set and protocol the retrievers with their figures.
fn by_protocol(study: &Study, sets: &[SetFigures]) -> Vec<Vec<(String, [f64; 3])>> {
    let complete = sets.iter().filter(|set| set.complete > 0);
    let of = |set: &SetFigures, protocol: &String| {
        let rows = set.rows.iter().filter(|row| row.protocol == *protocol);
        rows.map(|row| (row.retriever.clone(), measured(row))).collect()
    };
    complete.flat_map(|set| study.protocols.iter().map(|protocol| of(set, protocol)).collect::<Vec<_>>()).collect()
}

/// The answers of a set by way and question; of questions that were not asked in every way and with every seed, none.
fn cells<'a>(study: &Study, set: &OpenSet, systems: &'a [System], asked: &'a [StudyAnswer]) -> Vec<Cell<'a>> {
    let mut out: Vec<Cell<'a>> = systems.iter().map(|system| Cell { system, questions: Vec::new() }).collect();
    let ours: Vec<&StudyAnswer> = asked.iter().filter(|a| a.set == set.name).collect();
    for question in &set.questions {
        let of_it: Vec<&&StudyAnswer> =
            ours.iter().filter(|a| a.answered.id == question.id && a.answered.question == question.text).collect();
        let runs = |system: &System| {
            let one = |seed: &u64| of_it.iter().find(|a| a.seed == *seed && a.is_of(system)).map(|a| &a.answered);
            study.seeds_of(&system.protocol).iter().map(one).collect::<Option<Vec<_>>>()
        };
        if let Some(all) = systems.iter().map(runs).collect::<Option<Vec<_>>>() {
            out.iter_mut().zip(all).for_each(|(cell, runs)| cell.questions.push(runs));
        }
    }
    out
}

fn row(set: &str, cell: &Cell<'_>, prices: Option<Prices>) -> StudyRow {
    let estimate = |figure: fn(&Answered) -> f64| Estimate::of(&cell.column(figure));
    let times: Vec<f64> = cell.all().map(|a| a.milliseconds).collect();
    let (read, written) = (cell.mean(|a| f64::from(a.prompt_tokens)), cell.mean(|a| f64::from(a.completion_tokens)));
    StudyRow {
        set: set.to_owned(),
        protocol: cell.system.protocol.clone(),
        retriever: cell.system.retriever.clone(),
        questions: cell.questions.len(),
        runs: cell.questions.first().map_or(0, Vec::len),
        contain_em: estimate(|a| a.contain_em),
        shown_contain_em: estimate(|a| a.shown_contain_em),
        em: estimate(|a| a.em),
        f1: estimate(|a| a.f1),
        contain_em_deviation: cell.deviation(|a| a.contain_em),
        em_deviation: cell.deviation(|a| a.em),
        f1_deviation: cell.deviation(|a| a.f1),
        evidence_recall: cell.recall(),
        turns: cell.mean(|a| a.turns as f64),
        calls: cell.mean(|a| a.calls as f64),
        prompt_tokens: read,
        completion_tokens: written,
        estimated: cell.all().any(|a| a.estimated),
        cost: prices.map(|p| p.of(read, written)),
        seconds: cell.mean(|a| a.milliseconds) / 1000.0,
        p50_ms: quantile(&times, 0.5),
        p95_ms: quantile(&times, 0.95),
        by_model: cell.all().filter(|a| a.by == pocketgraph::answer::AnswerBy::Llm).count(),
        failed: cell.all().filter(|a| a.failure.is_some()).count(),
    }
}

/// A set with what was measured on it.
struct Set<'a> {
    set: &'a OpenSet,
    cells: &'a [Cell<'a>],
    rows: &'a [StudyRow],
    prices: Option<Prices>,
}

impl Set<'_> {
    /// Every other retriever against the baseline, under one protocol.
    fn against(&self, baseline: &str, protocol: &str) -> Vec<BreakEven> {
        let place = |retriever: &str| self.rows.iter().position(|r| r.protocol == protocol && r.retriever == retriever);
        let index = |retriever: &str| self.set.indexes().find(|i| i.retriever == retriever);
        let (Some(base), Some(base_index)) = (place(baseline), index(baseline)) else { return Vec::new() };
        let one = |other: &IndexRow| {
            let at = place(&other.retriever).filter(|at| *at != base)?;
            self.pair(protocol, (at, other), (base, base_index))
        };
        self.set.indexes().filter_map(one).collect()
    }

    fn pair(&self, protocol: &str, (at, index): (usize, &IndexRow), (base, base_index): (usize, &IndexRow)) -> Option<BreakEven> {
        let (ours, theirs) = (self.rows.get(at)?, self.rows.get(base)?);
        let contained = |place: usize| self.cells.get(place).map(|cell| cell.column(|a| a.contain_em));
        let tokens = |row: &StudyRow| row.prompt_tokens + row.completion_tokens;
        let tokens_more = index.tokens() as f64 - base_index.tokens() as f64;
        let tokens_less = tokens(theirs) - tokens(ours);
        let cost_more = index.cost(self.prices).zip(base_index.cost(self.prices)).map(|(a, b)| a - b);
        let cost_less = theirs.cost.zip(ours.cost).map(|(a, b)| a - b);
        let seconds_more = index.build_seconds() - base_index.build_seconds();
        // What needs no model takes the time of its search; what needs one takes the model's, which is the endpoint's and not the index's alone.
        let seconds_less = theirs.seconds - ours.seconds;
        Some(BreakEven {
            set: self.set.name.clone(),
            protocol: protocol.to_owned(),
            retriever: index.retriever.clone(),
            baseline: base_index.retriever.clone(),
            contain_em: Estimate::of_difference(&contained(at)?, &contained(base)?),
            tokens_more,
            tokens_less,
            tokens_even: Even::of(tokens_more, tokens_less),
            cost_more,
            cost_less,
            cost_even: cost_more.zip(cost_less).map(|(more, less)| Even::of(more, less)),
            seconds_more,
            seconds_less,
            seconds_even: Even::of(seconds_more, seconds_less),
        })
    }
}
