//! Runs ways of answering on questions with known answers, with a language model or without.

use super::cost::{LlmCost, Prices};
use super::data::Question;
use super::kinds::{KindRow, by_kind};
use super::one_answer::{Answered, evidence_recall};
use super::reply_cache::KeptReplies;
use super::shown_passages::ShownPassages;
use futures::future::{Either, LocalBoxFuture, select};
use pocketgraph::agent::options::NO_PROTOCOL;
use pocketgraph::agent::{AgentOptions, AskWith, ProtocolAnswer, ask_with_protocol, needs_model};
use pocketgraph::answer::{Answer, AnswerBy, AskOptions};
use pocketgraph::engine::{Engine, EngineError};
use pocketgraph::llm::{ChatModel, ChatRequest, OpenedStream};
use pocketgraph_measure::{
    CAVEAT, Estimate, QUOTE, contains_accepted, exact_match, extract_answer, quantile, set_measures,
    split_answers, token_f1,
};
use serde::Serialize;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::Instant;

/// One search and one answer of the model, as `pocketgraph ask` with an endpoint and no protocol.
pub const ASK: &str = "ask";
/// Number of failures of the model in a row after which the run ends.
const FAILURES: usize = 5;

/// Returns true if a way of answering needs a language model.
pub fn wants_model(protocol: &str) -> bool {
    protocol == ASK || (protocol != QUOTE && needs_model(protocol))
}

/// Returns the protocol of a way of answering, for reading options; [`ASK`] has none.
pub fn protocol_of(way: &str) -> &str {
    if way == ASK { NO_PROTOCOL } else { way }
}

/// A way of answering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    /// [`QUOTE`], [`ASK`] or a protocol.
    pub protocol: String,
    /// Retriever of the passages.
    pub retriever: String,
}

impl System {
    /// Returns its name in tables.
    pub fn name(&self) -> String {
        format!("{}/{}", self.protocol, self.retriever)
    }
}

/// Returns every protocol with every retriever.
pub fn list_ways(protocols: &[String], retrievers: &[String]) -> Vec<System> {
    let with = |protocol: &String| {
        let protocol = protocol.clone();
        retrievers
            .iter()
            .map(move |retriever| System { protocol: protocol.clone(), retriever: retriever.clone() })
    };
    protocols.iter().flat_map(with).collect()
}

/// Settings for answering.
pub struct AnswerSetup<'a> {
    /// The ways of answering, each measured on every question.
    pub systems: &'a [System],
    /// Options of the protocols; each system's retriever replaces theirs.
    pub options: &'a AgentOptions,
    /// The model, if there is one.
    pub chat: Option<&'a KeptReplies<'a>>,
    /// Wrapper of the model for [`AskWith`], such as a recorder; `None` for `chat` itself.
    pub before: Option<&'a dyn ChatModel>,
    /// Prices of tokens.
    pub prices: Option<Prices>,
    /// The system with which the others are compared.
    pub baseline: Option<&'a str>,
}

/// The figures of one way of answering.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerRow {
    /// Its name.
    pub system: String,
    /// Number of questions that it answered.
    pub questions: usize,
    /// Number of these with an answer other than that the documents do not say.
    pub answered: usize,
    /// Number of answers by their author.
    pub by: BTreeMap<&'static str, usize>,
    /// Exact match.
    pub em: Estimate,
    /// Overlap of tokens.
    pub f1: Estimate,
    /// Containment; see [`CAVEAT`].
    pub contain_em: Estimate,
    /// Containment in all that a reader sees, with the quotation below a model's answer.
    pub shown_contain_em: Estimate,
    /// Precision of answer sets.
    pub set_precision: Estimate,
    /// Recall of answer sets.
    pub set_recall: Estimate,
    /// F1 of answer sets.
    pub set_f1: Estimate,
    /// Share of first answers that are wanted.
    pub hits_1: Estimate,
    /// Evidence recall of the questions whose pages the set names; `None` if it names none.
    pub evidence_recall: Option<Estimate>,
    /// Mean number of the model's replies for a question.
    pub turns: f64,
    /// Mean number of calls and searches of the model for a question.
    pub calls: f64,
    /// Mean number of words of an answer.
    pub words: f64,
    /// Number of questions at which the model failed; the documents answered them.
    pub failed: usize,
    /// Tokens and their cost.
    pub llm: LlmCost,
    /// True if these counts are partly estimated, because the endpoint did not count.
    pub estimated: bool,
    /// Median milliseconds of an answer. Cached replies take no time.
    pub p50_ms: f64,
    /// 95th percentile of the same.
    pub p95_ms: f64,
    /// Every answer, in the order of the questions.
    pub each: Vec<Answered>,
}

/// Comparison of one way of answering with the baseline, question by question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerPaired {
    /// Its name.
    pub system: String,
    /// Mean difference of exact match, with its bootstrap interval.
    pub em: Estimate,
    /// Mean difference of the overlap of tokens.
    pub f1: Estimate,
    /// Mean difference of containment.
    pub contain_em: Estimate,
}

/// Figures of a set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswersReport {
    /// Number of questions with an answer in the set.
    pub questions: usize,
    /// Number of questions left out because they have none.
    pub left_out: usize,
    /// Reason for an early end; the figures are then those of the questions before.
    pub stopped: Option<String>,
    /// One row for each way of answering.
    pub rows: Vec<AnswerRow>,
    /// The same by kind of question, if the set has kinds.
    pub kinds: Vec<KindRow>,
    /// The way with which the others are compared.
    pub baseline: Option<String>,
    /// Comparisons of the others with it.
    pub paired: Vec<AnswerPaired>,
    /// Explanation of Contain-EM.
    pub caveat: &'static str,
    /// Number of replies requested from the model.
    pub replies_asked: usize,
    /// Number of replies from an earlier run.
    pub replies_kept: usize,
}

/// Asks every question of every system, question by question, so that the figures of an interrupted run are
/// comparable. The run ends when `stop` resolves; `done` gets the number of answers.
///
/// # Errors
/// [`EngineError`] for an unknown protocol or retriever, or one for which the bundle is not prepared.
pub async fn evaluate_answers(
    engine: &Engine,
    questions: &[Question],
    setup: &AnswerSetup<'_>,
    mut stop: LocalBoxFuture<'_, ()>,
    done: &dyn Fn(usize),
) -> Result<AnswersReport, EngineError> {
    let mut answers: Vec<Vec<Answered>> = setup.systems.iter().map(|_| Vec::new()).collect();
    let (mut count, mut failures, mut stopped) = (0, 0, None);
    'all: for question in questions {
        let mut round = Vec::new();
        for system in setup.systems {
            // Work that never waits would otherwise leave no room for a signal.
            tokio::task::yield_now().await;
            let work = Box::pin(answer_question(engine, question, system, setup));
            // `stop` comes first, so that it is polled even if no work ever waits.
            let answered = match select(&mut stop, work).await {
                Either::Right((answered, _)) => answered?,
                Either::Left(_) => {
                    stopped = Some("it was interrupted".to_owned());
                    break 'all;
                }
            };
            failures = if answered.failure.is_some() {
                failures + 1
            } else if wants_model(&system.protocol) {
                0
            } else {
                failures
            };
            let failure = answered.failure.clone();
            round.push(answered);
            count += 1;
            done(count);
            if let (FAILURES.., Some(why)) = (failures, failure) {
                stopped = Some(format!("the language model failed {failures} times in a row: {why}"));
            }
        }
        // A question counts once every system has answered it.
        answers.iter_mut().zip(round).for_each(|(all, one)| all.push(one));
        if stopped.is_some() {
            break;
        }
    }
    let rows: Vec<AnswerRow> =
        setup.systems.iter().zip(answers).map(|(system, all)| row_of(system, all, setup.prices)).collect();
    let paired = setup.baseline.map(|name| pair_rows(&rows, name)).unwrap_or_default();
    let kinds = by_kind(rows.iter().map(|r| (r.system.as_str(), r.each.as_slice())));
    let (replies_asked, replies_kept) = setup.chat.map_or((0, 0), |c| (c.request_count(), c.reused()));
    Ok(AnswersReport {
        questions: questions.len(),
        left_out: 0,
        stopped,
        rows,
        kinds,
        baseline: setup.baseline.map(str::to_owned),
        paired,
        caveat: CAVEAT,
        replies_asked,
        replies_kept,
    })
}

pub(super) async fn answer_question(
    engine: &Engine,
    question: &Question,
    system: &System,
    setup: &AnswerSetup<'_>,
) -> Result<Answered, EngineError> {
    let started = Instant::now();
    let shown = RefCell::new(ShownPassages::default());
    let options = AgentOptions { retriever: Some(system.retriever.clone()), ..setup.options.clone() };
    let chat = setup.before.or(setup.chat.map(|c| c as &dyn ChatModel));
    if let Some(kept) = setup.chat {
        kept.begin();
    }
    let defaults = AskOptions::default();
    let ask = AskOptions {
        k: options.k,
        retriever: options.retriever.clone(),
        language: options.language.clone(),
        task: options.task(),
        ..defaults
    };
    let outcome = match (system.protocol.as_str(), chat) {
        (QUOTE, _) => QuestionOutcome::of(
            engine.quote(&question.text, &ask, &mut |event| shown.borrow_mut().quoted(&event)).await?,
            false,
        ),
        (ASK, Some(chat)) => {
            let counting = Requests { chat, made: Cell::new(0) };
            let answer = engine
                .ask(&question.text, &ask, &counting, &mut |event| shown.borrow_mut().record_answer(&event))
                .await?;
            QuestionOutcome { turns: counting.made.get(), ..QuestionOutcome::of(answer, true) }
        }
        (ASK, None) => return Err(EngineError::BadArgument("`ask` needs a language model".to_owned())),
        (protocol, chat) => {
            let clock = || started.elapsed().as_secs_f64() * 1000.0;
            let with = AskWith { chat, clock: &clock, graph: None, web: None, tools: None };
            let mut hear = |event| shown.borrow_mut().ran(&event);
            let reasoned =
                ask_with_protocol(engine, &question.text, protocol, &options, &with, &mut hear).await?;
            QuestionOutcome::by(reasoned, needs_model(protocol))
        }
    };
    let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
    let evidence_recall = shown.into_inner().recall(engine, &question.gold).await?;
    Ok(Answered { evidence_recall, ..measure_answer(question, outcome, milliseconds) })
}

/// Counts requests to a model: a reply that is no answer is requested again, and an answer does not show it.
struct Requests<'a> {
    chat: &'a dyn ChatModel,
    made: Cell<usize>,
}

impl ChatModel for Requests<'_> {
    fn chat<'a>(&'a self, request: ChatRequest) -> OpenedStream<'a> {
        self.made.set(self.made.get() + 1);
        self.chat.chat(request)
    }
}

/// Returns the endpoint's failure, if it failed. A reply that is no answer becomes a quotation, which counts.
fn endpoint_failure(answer: &Answer) -> Option<String> {
    answer.failure.as_ref().filter(|failure| !failure.is_no_answer()).map(|failure| failure.message.clone())
}

/// Outcome of a question for any way of answering.
struct QuestionOutcome {
    text: String,
    /// Quotation below the answer, if there is one.
    quotation: String,
    members: Vec<String>,
    by: AnswerBy,
    turns: usize,
    calls: usize,
    tokens: (u32, u32),
    estimated: bool,
    failure: Option<String>,
}

impl QuestionOutcome {
    fn of(answer: Answer, by_model: bool) -> QuestionOutcome {
        let text = if answer.answered { extract_answer(&answer.text) } else { String::new() };
        let usage = answer.usage.unwrap_or_default();
        QuestionOutcome {
            members: if answer.answered { split_answers(&answer.text) } else { Vec::new() },
            text,
            quotation: answer
                .quotation
                .as_ref()
                .map(|quotation| extract_answer(&quotation.text))
                .unwrap_or_default(),
            by: answer.by,
            turns: usize::from(by_model),
            calls: 0,
            tokens: (usage.prompt_tokens, usage.completion_tokens),
            estimated: by_model && answer.usage.is_none(),
            failure: endpoint_failure(&answer),
        }
    }

    /// Returns the outcome of a protocol. The answer of a plan is what it found, without its sentence.
    fn by(reasoned: ProtocolAnswer, by_model: bool) -> QuestionOutcome {
        let ProtocolAnswer { answer, usage, estimated, turns, carried, .. } = reasoned;
        let calls = turns.iter().map(|t| t.calls.len()).sum();
        let by = answer.by;
        let found = carried.filter(|_| by == AnswerBy::Graph).and_then(|carried| {
            let name = carried.trace.answer;
            carried.trace.steps.into_iter().find(|s| s.name == name).map(|s| s.members)
        });
        // Turns before the first reply have the number 0.
        let replies = turns.iter().filter(|turn| turn.number > 0).count();
        let mut outcome =
            QuestionOutcome { turns: replies, calls, estimated, ..QuestionOutcome::of(answer, by_model) };
        outcome.tokens = (usage.prompt_tokens, usage.completion_tokens);
        if let Some(members) = found.filter(|m| !m.is_empty()) {
            outcome.members = members.into_iter().map(|m| yes_or_no(m.label)).collect();
            outcome.text = outcome.members.join(", ");
        }
        outcome
    }
}

/// Returns truth values as in sets of questions.
fn yes_or_no(label: String) -> String {
    match label.as_str() {
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        _ => label,
    }
}

fn measure_answer(question: &Question, outcome: QuestionOutcome, milliseconds: f64) -> Answered {
    let accepted: Vec<String> = question.answers.iter().flatten().cloned().collect();
    // A single wanted answer may have commas itself; then the whole text is the only member.
    let whole = [outcome.text.clone()];
    let members = if exact_match(&outcome.text, &accepted) > 0.0 && question.answers.len() == 1 {
        &whole[..]
    } else {
        &outcome.members
    };
    let sets = set_measures(members, &question.answers);
    Answered {
        id: question.id.clone(),
        kind: question.kind.clone(),
        question: question.text.clone(),
        evidence_recall: None,
        em: exact_match(&outcome.text, &accepted),
        f1: token_f1(&outcome.text, &accepted),
        contain_em: contains_accepted(&outcome.text, &accepted),
        // The texts stay apart, so that nothing is contained across their border.
        shown_contain_em: contains_accepted(&outcome.text, &accepted)
            .max(contains_accepted(&outcome.quotation, &accepted)),
        set_precision: sets.precision,
        set_recall: sets.recall,
        set_f1: sets.f1,
        hits_1: sets.hits_1,
        wanted: question.answers.clone(),
        stated: outcome.text,
        by: outcome.by,
        turns: outcome.turns,
        calls: outcome.calls,
        prompt_tokens: outcome.tokens.0,
        completion_tokens: outcome.tokens.1,
        estimated: outcome.estimated,
        failure: outcome.failure,
        milliseconds,
    }
}

fn row_of(system: &System, each: Vec<Answered>, prices: Option<Prices>) -> AnswerRow {
    let column = |f: fn(&Answered) -> f64| each.iter().map(f).collect::<Vec<_>>();
    let estimate = |f: fn(&Answered) -> f64| Estimate::of(&column(f));
    let mut by: BTreeMap<&'static str, usize> = BTreeMap::new();
    for answered in &each {
        let who = match answered.by {
            AnswerBy::Llm => "model",
            AnswerBy::Graph => "graph",
            AnswerBy::Extraction => "quotation",
        };
        *by.entry(who).or_default() += 1;
    }
    let sum = |f: fn(&Answered) -> u32| each.iter().map(|a| u64::from(f(a))).sum::<u64>();
    let (prompt_tokens, completion_tokens) = (sum(|a| a.prompt_tokens), sum(|a| a.completion_tokens));
    let cost = prices.map(|p| p.of(prompt_tokens as f64, completion_tokens as f64));
    let times = column(|a| a.milliseconds);
    AnswerRow {
        system: system.name(),
        questions: each.len(),
        answered: each.iter().filter(|a| !a.stated.is_empty()).count(),
        by,
        em: estimate(|a| a.em),
        f1: estimate(|a| a.f1),
        contain_em: estimate(|a| a.contain_em),
        shown_contain_em: estimate(|a| a.shown_contain_em),
        set_precision: estimate(|a| a.set_precision),
        set_recall: estimate(|a| a.set_recall),
        set_f1: estimate(|a| a.set_f1),
        hits_1: estimate(|a| a.hits_1),
        evidence_recall: evidence_recall(&each),
        turns: estimate(|a| a.turns as f64).mean,
        calls: estimate(|a| a.calls as f64).mean,
        words: estimate(|a| a.stated.split_whitespace().count() as f64).mean,
        failed: each.iter().filter(|a| a.failure.is_some()).count(),
        llm: LlmCost { prompt_tokens, completion_tokens, cost },
        estimated: each.iter().any(|a| a.estimated),
        p50_ms: quantile(&times, 0.5),
        p95_ms: quantile(&times, 0.95),
        each,
    }
}

fn pair_rows(rows: &[AnswerRow], baseline: &str) -> Vec<AnswerPaired> {
    let Some(base) = rows.iter().find(|r| r.system == baseline) else { return Vec::new() };
    let column = |row: &AnswerRow, f: fn(&Answered) -> f64| row.each.iter().map(f).collect::<Vec<_>>();
    let of =
        |row: &AnswerRow, f: fn(&Answered) -> f64| Estimate::of_difference(&column(row, f), &column(base, f));
    let others = rows.iter().filter(|r| r.system != baseline);
    others
        .map(|r| AnswerPaired {
            system: r.system.clone(),
            em: of(r, |a| a.em),
            f1: of(r, |a| a.f1),
            contain_em: of(r, |a| a.contain_em),
        })
        .collect()
}

#[cfg(test)]
#[path = "answering_tests.rs"]
pub(super) mod tests;
