//! Plan, then execute: the protocol `plan`, which needs no language model.
//!
//! A planner turns the question into a [`Plan`]. It is carried out over the knowledge graph, then over
//! passages and the web if the graph has nothing. The answer is its result, with the statements and passages
//! that show it. Without a graph, a plan or a result, the answer is quoted from the documents, and its
//! warnings say why.
//!
//! With a model, the model may plan, reads the passages of single steps, and words the answer from what was
//! found; the steps themselves are carried out here in any case.

use super::outcome::{AskWith, Carried, ProtocolAnswer, find_referred};
use crate::answer::{
    Answer, AnswerBy, AskEvent, AskOptions, Citable, CitationTarget, Notice, NoticeCode, from_graph_because,
    generate_answer,
};
use crate::engine::knowledge::PassagesOf;
use crate::engine::{Engine, EngineError, to_search_options};
use crate::kg::{Linker, Mention};
use crate::llm::ChatModel;
use crate::plan::check::{self, check};
use crate::plan::execute::{ExecuteError, Execution, Limits, Passages, Resources};
use crate::plan::trace::{CandidateTrace, LinkTrace, StepTrace};
use crate::plan::{Plan, rft};
use crate::planner::{
    LlmPlanner, OtherPlanners, Planner, PlannerError, Proposal, RulesAlone, RulesPlanner, choose_plan,
};
use crate::retrieve::{Hit, SearchResult};
use futures::future::{FutureExt, LocalBoxFuture};
use pocketgraph_agent::{
    AgentEvent, AgentOptions, AnswerGraph, Metered, PLAN as NAME, PlanAnswer, PlannedBy, PlannerChoice,
    PlanningAids, Source, WebPassages, plan_answer,
};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// Passages that the first search brings, and that an answer by extraction may quote from.
const HITS: u32 = 10;
/// Passages of one step.
const PASSAGES: usize = 5;
/// Searches and calls of the model in one execution.
const FETCHES: u32 = 12;
/// Candidates of a mention that are shown.
const CANDIDATES: usize = 5;
const NO_GRAPH: &str = "the bundle holds no knowledge graph, so there was nothing to plan over";
/// Maximum number of sentences about what steps lacked.
const LACKING: usize = 3;

/// A plan that was carried out.
struct Done {
    proposal: Proposal,
    by: PlannedBy,
    text: String,
    execution: Execution,
}

/// Answers a question by a plan, with the errors of [`ask_with_protocol`](super::ask_with_protocol).
pub(super) async fn ask_by_plan(
    engine: &Engine,
    question: &str,
    options: &AgentOptions,
    with: &AskWith<'_>,
    events: &mut dyn FnMut(AgentEvent),
) -> Result<ProtocolAnswer, EngineError> {
    answer_by_plan(engine, question, None, options, with, events).await
}

/// Answers a question by a plan that somebody wrote, as `plan` answers by its own. Without a `question` the
/// plan's own is taken, which the passages for the events and for an answer by extraction are searched with.
///
/// # Errors
/// [`EngineError::Plan`] for a plan that fails its checks; else as
/// [`ask_with_protocol`](super::ask_with_protocol).
pub async fn answer_plan(
    engine: &Engine,
    plan: &Plan,
    question: Option<&str>,
    options: &AgentOptions,
    with: &AskWith<'_>,
    events: &mut dyn FnMut(AgentEvent),
) -> Result<ProtocolAnswer, EngineError> {
    let question = question.or(plan.question.as_deref()).unwrap_or_default().to_owned();
    check(plan, &[], &check::Limits::default())
        .map_err(|errors| EngineError::Plan(ExecuteError::Plan(errors)))?;
    answer_by_plan(engine, &question, Some(plan), options, with, events).await
}

async fn answer_by_plan(
    engine: &Engine,
    question: &str,
    given: Option<&Plan>,
    options: &AgentOptions,
    with: &AskWith<'_>,
    events: &mut dyn FnMut(AgentEvent),
) -> Result<ProtocolAnswer, EngineError> {
    let k = options.k.unwrap_or(HITS).clamp(1, 100);
    let how = AskOptions { k: Some(k), tokens_in: options.prompt_tokens(), ..options.for_plain_answer() };
    let result = engine.search(question, &to_search_options(&how)).await?;
    events(AgentEvent::Hits { result: result.clone() });

    let count = |text: &str| engine.count_tokens(text);
    let meter = with
        .chat
        .map(|chat| Metered::new(chat, with.clock, &count).within(options.milliseconds, options.tokens_out));
    let linker = engine.knowledge().await?;
    engine.pause().await;
    let mut warnings = Vec::new();
    let mut done = None;
    match (&linker, given) {
        (None, _) => warnings.push(Notice::about(NoticeCode::Unplanned, NO_GRAPH)),
        (Some(_), Some(plan)) => {
            let proposal = Proposal { plan: plan.clone(), confidence: 1.0 };
            done = Some(
                execute_plan(engine, options, with, meter.as_ref(), proposal, PlannedBy::Caller, events)
                    .await?,
            );
        }
        (Some(linker), None) => {
            let encoder = engine.encoder();
            let aids = PlanningAids { bundle: engine.corpus().bundle(), encoder: encoder.as_deref() };
            match propose_plan(linker, question, &aids, options, meter.as_ref(), &mut warnings, events)
                .await?
            {
                Err(why) => warnings.push(Notice::about(NoticeCode::Unplanned, why)),
                Ok((proposal, by)) => {
                    done =
                        Some(execute_plan(engine, options, with, meter.as_ref(), proposal, by, events).await?)
                }
            }
        }
    }
    let mut of_plan = None;
    engine.pause().await;
    if let (Some(linker), Some(done)) = (&linker, &done) {
        let load = |chunk: u32| -> LocalBoxFuture<'_, Option<Hit>> {
            async move { engine.passage(chunk).await.ok() }.boxed_local()
        };
        of_plan = plan_answer(linker.graph(), &done.execution, &load).await;
        warnings.extend(execution_notices(&done.execution, of_plan.is_some()));
    }

    // What answers without a model, and where the model fails. What no statement shows, such as that a thing
    // is of a type, is told only where the documents say nothing that can be quoted.
    let mut quoted = match &of_plan {
        Some(found) if found.from_graph && !found.citations.is_empty() => found.answer(),
        _ => engine.quote(question, &how, &mut |_| {}).await?,
    };
    if let (false, Some(found)) = (quoted.answered, &of_plan) {
        quoted = found.answer();
    }
    let mut answer = match &meter {
        None => {
            events(AgentEvent::References { references: quoted.references.clone() });
            quoted
        }
        Some(meter) => {
            let number = meter.begin("answer");
            events(AgentEvent::Turn { number, purpose: "answer".to_owned() });
            word_answer(
                question,
                &how,
                &result,
                done.as_ref(),
                of_plan.as_ref(),
                &quoted,
                meter,
                &count,
                events,
            )
            .await?
        }
    };
    warnings.append(&mut answer.warnings);
    answer.warnings = warnings;
    events(AgentEvent::Done { answer: answer.clone() });

    let carried = linker.zip(done).map(|(linker, done)| Carried {
        graph: AnswerGraph::of(linker.graph(), &done.execution),
        plan: done.proposal.plan,
        text: done.text,
        by: done.by,
        confidence: done.proposal.confidence,
        trace: done.execution.trace,
    });
    let known = of_plan.iter().flat_map(PlanAnswer::passages).cloned().chain(result.hits);
    let passages = find_referred(&answer, known);
    let (usage, estimated) = meter.as_ref().map(Metered::usage).unwrap_or_default();
    let turns = meter.as_ref().map(Metered::turns).unwrap_or_default();
    Ok(ProtocolAnswer {
        answer,
        protocol: NAME.to_owned(),
        forced: None,
        usage,
        estimated,
        turns,
        carried,
        passages,
    })
}

/// Plan of a question, with its planner and mentions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PlannedQuestion {
    /// The plan; `None` if no planner is sure enough.
    pub plan: Option<Plan>,
    /// The plan as plan lines; empty where there is none.
    pub text: String,
    /// Planner that made it.
    pub by: Option<PlannedBy>,
    /// Confidence of the planner, from 0 to 1.
    pub confidence: f32,
    /// Reason why there is no plan, if there is none.
    pub why_not: Option<String>,
    /// Names in the question, with the entities that they may mean.
    pub mentions: Vec<LinkTrace>,
}

/// Plans a question over the bundle's knowledge graph, and carries nothing out. `options` choose the planner.
///
/// # Errors
/// [`EngineError::Bundle`] when the graph cannot be loaded, and [`EngineError::Aborted`] when the caller
/// aborted.
pub async fn plan_question(
    engine: &Engine,
    question: &str,
    options: &AgentOptions,
    with: &AskWith<'_>,
) -> Result<PlannedQuestion, EngineError> {
    let Some(linker) = engine.knowledge().await? else {
        return Ok(PlannedQuestion {
            plan: None,
            text: String::new(),
            by: None,
            confidence: 0.0,
            why_not: Some(NO_GRAPH.to_owned()),
            mentions: Vec::new(),
        });
    };
    let encoder = engine.encoder();
    let aids = PlanningAids { bundle: engine.corpus().bundle(), encoder: encoder.as_deref() };
    plan_over(&linker, question, &aids, options, with).await
}

/// Plans a question over any knowledge graph, with the given planners and the rules; see [`plan_question`].
///
/// # Errors
/// [`EngineError::Aborted`] when the caller aborted.
pub async fn plan_over(
    linker: &Linker,
    question: &str,
    others: &dyn OtherPlanners,
    options: &AgentOptions,
    with: &AskWith<'_>,
) -> Result<PlannedQuestion, EngineError> {
    let count = |text: &str| text.len() / 4 + 1;
    let meter = with
        .chat
        .map(|chat| Metered::new(chat, with.clock, &count).within(options.milliseconds, options.tokens_out));
    let mut warnings = Vec::new();
    let proposed =
        propose_plan(linker, question, others, options, meter.as_ref(), &mut warnings, &mut |_| {}).await?;
    let graph = linker.graph();
    // A question of megabytes names nothing that is worth the time.
    let beginning = &question[..question.floor_char_boundary(4096)];
    let mention = |m: &Mention| LinkTrace {
        mention: beginning.get(m.span.clone()).unwrap_or_default().to_owned(),
        candidates: (m.candidates.iter().take(CANDIDATES).enumerate())
            .map(|(i, c)| CandidateTrace {
                node: c.node,
                label: graph.label(c.node).to_owned(),
                score: c.score,
                how: c.how,
                chosen: i == 0,
            })
            .collect(),
    };
    let mentions = linker.mentions(beginning).iter().map(mention).collect();
    Ok(match proposed {
        Ok((Proposal { plan, confidence }, by)) => PlannedQuestion {
            text: write_plan_lines(&plan),
            plan: Some(plan),
            by: Some(by),
            confidence,
            why_not: None,
            mentions,
        },
        Err(why) => {
            let why_not = std::iter::once(why)
                .chain(warnings.into_iter().map(|w| w.message))
                .collect::<Vec<_>>()
                .join(". ");
            PlannedQuestion {
                plan: None,
                text: String::new(),
                by: None,
                confidence: 0.0,
                why_not: Some(why_not),
                mentions,
            }
        }
    })
}

/// A plan, or why there is none. `warnings` hears what stood in the way of a planner that was to be asked.
#[allow(clippy::too_many_arguments)]
async fn propose_plan(
    linker: &Linker,
    question: &str,
    others: &dyn OtherPlanners,
    options: &AgentOptions,
    meter: Option<&Metered<'_>>,
    warnings: &mut Vec<Notice>,
    events: &mut dyn FnMut(AgentEvent),
) -> Result<Result<(Proposal, PlannedBy), String>, EngineError> {
    // Whether a plan is sure enough is told of all plans together.
    let rules = RulesPlanner::new(linker).least_confidence(0.0);
    let model_first = options.planner == PlannerChoice::Llm && meter.is_some();
    let alone = RulesAlone(others);
    let others = if model_first || options.planner == PlannerChoice::Rules { &alone } else { others };
    let asked = meter.filter(|_| options.planner != PlannerChoice::Rules);
    let mut why: Vec<String> = Vec::new();
    for by_model in [model_first, !model_first] {
        if !by_model {
            let trained_first = options.planner == PlannerChoice::Trained;
            let choice =
                choose_plan(&rules, others, linker, question, trained_first, options.least_confidence).await;
            let trouble = |why: String| Notice::about(NoticeCode::PlannerFailed, why);
            warnings.extend(choice.trouble.map(trouble));
            match choice.plan {
                Ok((proposal, from)) => return Ok(Ok((proposal, from.into()))),
                Err(error) => why.push(error.to_string()),
            }
        } else if let Some(meter) = asked {
            let number = meter.begin("plan");
            events(AgentEvent::Turn { number, purpose: "plan".to_owned() });
            let planner = LlmPlanner::new(meter, Some(linker))
                .prompts(&options.prompts)
                .demonstrations(options.demonstrations as usize);
            match planner.plan(question).await {
                Ok(proposal) => return Ok(Ok((proposal, PlannedBy::Llm))),
                Err(PlannerError::Aborted) => return Err(EngineError::Aborted),
                Err(error) => why.push(error.to_string()),
            }
        }
    }
    Ok(Err(why.join("; and ")))
}

/// Executes a plan, and emits it and its steps as events.
async fn execute_plan(
    engine: &Engine,
    options: &AgentOptions,
    with: &AskWith<'_>,
    meter: Option<&Metered<'_>>,
    proposal: Proposal,
    by: PlannedBy,
    events: &mut dyn FnMut(AgentEvent),
) -> Result<Done, EngineError> {
    let text = write_plan_lines(&proposal.plan);
    let (plan, confidence) = (Some(proposal.plan.clone()), Some(proposal.confidence));
    events(AgentEvent::Plan { text: text.clone(), plan, by: Some(by), confidence, carried: true });
    if let Some(meter) = meter {
        meter.begin("read");
    }
    let events = RefCell::new(events);
    let on_step = |step: &StepTrace| {
        let text = step.to_text();
        (events.borrow_mut())(AgentEvent::Step {
            text: text.trim_end().to_owned(),
            step: Some(step.clone()),
        });
    };
    let web = with.web.map(WebPassages);
    let passages = PassagesOf { engine, filter: &options.filter };
    let resources = Resources {
        passages: Some(&passages),
        web: web.as_ref().map(|web| web as &dyn Passages),
        model: meter.map(|meter| meter as &dyn ChatModel),
        clock: Some(with.clock),
        on_step: Some(&on_step),
        ..Resources::default()
    };
    let fetches = options.searches.unwrap_or(FETCHES).min(1_000) as usize;
    let limits = Limits {
        fetches,
        passages: PASSAGES,
        milliseconds: f64::from(options.milliseconds),
        ..Limits::default()
    };
    let execution = engine.execute(&proposal.plan, resources, limits).await?;
    Ok(Done { proposal, by, text, execution })
}

/// A plan as plan lines, which can express every plan.
pub(super) fn write_plan_lines(plan: &Plan) -> String {
    rft::print(plan).map(|text| text.trim_end().to_owned()).unwrap_or_default()
}

/// Returns the notices about an execution for the reader.
fn execution_notices(execution: &Execution, found: bool) -> Vec<Notice> {
    let trace = &execution.trace;
    let mut out: Vec<Notice> =
        trace.exhausted.iter().map(|why| Notice::about(NoticeCode::PlanStopped, why.to_string())).collect();
    if !found {
        out.push(Notice::new(NoticeCode::PlanEmpty));
        out.extend(
            trace
                .missing()
                .iter()
                .take(LACKING)
                .map(|why| Notice::about(NoticeCode::PlanLacks, why.to_string())),
        );
    }
    let cut = trace.steps.iter().flat_map(|s| s.truncated.iter().map(move |t| format!("{}: {t}", s.name)));
    out.extend(cut.take(LACKING).map(|text| Notice::about(NoticeCode::StepCut, text)));
    out
}

/// Lets the model word the plan's result and the question's passages; if it fails, the answer is quoted.
#[allow(clippy::too_many_arguments)]
async fn word_answer(
    question: &str,
    how: &AskOptions,
    result: &SearchResult,
    done: Option<&Done>,
    of_plan: Option<&PlanAnswer>,
    quoted: &Answer,
    meter: &Metered<'_>,
    count: &dyn Fn(&str) -> usize,
    events: &mut dyn FnMut(AgentEvent),
) -> Result<Answer, EngineError> {
    let sources = collect_sources(result, done, of_plan);
    let mut hear = |event: AskEvent| match event {
        AskEvent::Token { text } => events(AgentEvent::Token { text }),
        AskEvent::Anew => events(AgentEvent::Anew),
        AskEvent::References { references } => events(AgentEvent::References { references }),
        AskEvent::Hits { .. } | AskEvent::Done { .. } => {}
    };
    let answer =
        generate_answer(question, &sources, result, how, meter, count, &|| quoted.clone(), &mut hear).await;
    let mut answer = answer.map_err(|_| EngineError::Aborted)?;
    if answer.by == AnswerBy::Graph
        && let (Some(failure), Some(first)) = (&answer.failure, answer.warnings.first_mut())
    {
        *first = from_graph_because(failure);
    }
    Ok(answer)
}

/// Returns what the model is shown: the plan's result, the statements and passages for it, and the best hits.
fn collect_sources(result: &SearchResult, done: Option<&Done>, of_plan: Option<&PlanAnswer>) -> Vec<Citable> {
    let mut all: Vec<Citable> = Vec::new();
    if let (Some(done), Some(found)) = (done, of_plan) {
        all.extend(found.sources.iter().map(Source::citable));
        // Marks count the answer's sources; here the numbers are others.
        let mut text = String::new();
        for step in &done.execution.trace.steps {
            let members: Vec<&str> = step.members.iter().take(8).map(|m| m.label.as_str()).collect();
            let more = if step.size > members.len() {
                format!(" and {} more", step.size - members.len())
            } else {
                String::new()
            };
            text.push_str(&format!("{} = {}: {}{more}\n", step.name, step.line, members.join("; ")));
        }
        text.push_str(&format!("The answer is {}.", done.execution.trace.answer));
        all.push(Citable::new(
            CitationTarget::Statement { triple: None },
            "Result of a plan over the knowledge graph",
            "",
            text,
        ));
    }
    for hit in &result.hits {
        if !all.iter().any(|source| source.target.chunk() == Some(hit.chunk)) {
            all.push(hit.into());
        }
    }
    all
}
