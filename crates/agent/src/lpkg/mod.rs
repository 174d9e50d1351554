//! LPKG (arXiv 2406.14282): the model writes a plan as code, the plan is executed here, and the model answers
//! only the atomic sub-questions.
//!
//! The planner is shown demonstrations from the graph, where there is one.
//!
//! Its code is read by [`crate::plan::lpkg`] and checked; one that cannot be used is sent back once with what
//! is wrong. Each sub-question is asked once for every member of the sets that it refers to; its answers are
//! a set `[A#B]`, or `[None]`. Sets are intersected and united here; a comparison is one more request. The
//! set of `Finish_The_Plan` is the answer.
//!
//! Where we differ from the authors' executor: an empty operand makes an intersection empty rather than
//! letting the other one pass; members are compared without regard to case, punctuation and articles; a
//! comparison sees the sub-questions with their answers filled in; the fan-out is bounded, and what was left
//! out is told. As theirs, a plan that fails is replaced by passages for the question itself.

pub(super) mod prompts;
mod sets;

use super::neutralise::Marks;
use super::options::Limits;
use super::protocol::{Conversation, Protocol};
use super::retrieval::ShownPassage;
use super::run::{Ask, Run};
use super::types::{AgentEvent, Cap};
use crate::answer::{Notice, NoticeCode};
use crate::compact::Map;
use crate::llm::{ChatRequest, LlmError, Message, after_thinking};
use crate::plan::check::{Limits as PlanLimits, check};
use crate::plan::{Operation, Part, Plan, Template, lpkg};
use futures::future::FutureExt;
use sets::{Member, Set};

/// Plan as code, then execute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lpkg;

/// A sub-question is asked for at most so many combinations of members.
const FAN_OUT: usize = 5;
/// Demonstrations that are drawn from the graph, at most.
const DEMONSTRATIONS: usize = 4;
/// Replies that vote on one sub-question, at most.
const VOTES: u32 = 9;
/// Votes differ only if sampling lets them.
const VOTING_TEMPERATURE: f32 = 0.7;

impl Protocol for Lpkg {
    fn name(&self) -> &'static str {
        "lpkg"
    }

    fn limits(&self) -> Limits {
        Limits { turns: 40, searches: 20, k: 5, tokens_out: 1_024, temperature: 0.1 }
    }

    fn marks(&self) -> Marks {
        Marks { labels: &["title", "text", "question"], ..Marks::default() }
    }

    // A page would load the graph and code for nothing but demonstrations.
    fn uses_graph(&self) -> bool {
        cfg!(not(target_arch = "wasm32"))
    }

    fn converse<'a>(&'a self, run: &'a mut Run<'_>) -> Conversation<'a> {
        async move {
            let mut known = Vec::new();
            let why = match request_plan(run).await? {
                None => Failure::Plan,
                Some(plan) => match execute_plan(run, &plan, &mut known).await? {
                    Ok(answer) => return Ok(answer.render(run.options.grounded)),
                    Err(failure) => failure,
                },
            };
            run.warn(why.notice());
            fall_back(run, &known, why).await
        }
        .boxed_local()
    }
}

/// Reason why a plan did not lead to an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Failure {
    /// There is no plan that can be executed.
    Plan,
    /// A step found nothing.
    Empty(String),
    /// A budget was spent.
    Cap(Cap),
}

impl Failure {
    fn notice(&self) -> Notice {
        match self {
            Failure::Plan => Notice::new(NoticeCode::ModelPlanUnusable),
            Failure::Empty(step) => Notice::about(NoticeCode::ModelPlanEmpty, step.as_str()),
            Failure::Cap(_) => Notice::new(NoticeCode::ModelPlanStopped),
        }
    }
}

/// Asks for a plan; once more, with what is wrong, if it cannot be used.
async fn request_plan(run: &mut Run<'_>) -> Result<Option<Plan>, LlmError> {
    let limits = PlanLimits { statements: 16, ..PlanLimits::default() };
    // Pages show the fixed examples alone.
    let graph = if cfg!(target_arch = "wasm32") { None } else { run.services.environment.graph() };
    let shown = graph.map(|graph| graph.demonstrations(&run.question, DEMONSTRATIONS)).unwrap_or_default();
    let shown: Vec<(String, String)> = shown.iter().map(|(q, plan)| (run.safe(q), run.safe(plan))).collect();
    let mut prompt = prompts::ask_for_plan(run.options, &run.question, &shown);
    for _ in 0..2 {
        if run.cap().is_some() {
            break;
        }
        let reply = run.aside("plan", prompt.clone(), true).await?;
        let text = after_thinking(&reply.text).trim();
        let read = lpkg::parse(text, &limits).map_err(|e| vec![e]);
        match read.and_then(|parsed| check(&parsed.plan, &parsed.positions, &limits).map(|_| parsed.plan)) {
            Ok(plan) => {
                run.emit(AgentEvent::Plan {
                    text: text.to_owned(),
                    plan: Some(plan.clone()),
                    by: None,
                    confidence: None,
                    carried: true,
                });
                return Ok(Some(plan));
            }
            Err(errors) => prompt.push_str(&prompts::write_repair_prompt(run, text, &errors)),
        }
    }
    Ok(None)
}

/// Carries out a plan, statement by statement. `known` keeps what was found, for an answer without the plan.
async fn execute_plan(
    run: &mut Run<'_>,
    plan: &Plan,
    known: &mut Vec<String>,
) -> Result<Result<Set, Failure>, LlmError> {
    let mut sets: Map<&str, Set> = Map::new();
    let mut asked: Map<&str, String> = Map::new();
    for statement in &plan.statements {
        if let Some(cap) = run.cap() {
            return Ok(Err(Failure::Cap(cap)));
        }
        let of = |names: &[String]| {
            names.iter().map(|n| sets.get(n.as_str()).cloned().unwrap_or_default()).collect::<Vec<Set>>()
        };
        let (what, set) = match &statement.operation {
            Operation::Search { query } => {
                let (filled, left_out) = combine_members(query, &sets);
                if left_out {
                    run.warn(Notice::first(NoticeCode::CasesLeftOut, statement.name.as_str(), FAN_OUT));
                }
                let mut set = Set::default();
                for question in &filled {
                    set = set.union(&answer_question(run, question).await?);
                }
                let question = filled.join(" / ");
                asked.insert(&statement.name, question.clone());
                (question, set)
            }
            Operation::Intersect { of: names } => {
                (format!("what is in all of {}", names.join(", ")), Set::intersection(&of(names)))
            }
            Operation::Union { of: names } => {
                let united = of(names).iter().fold(Set::default(), |all, set| all.union(set));
                (format!("what is in any of {}", names.join(", ")), united)
            }
            Operation::Compare(compare) => {
                let given: Vec<(String, Set)> = compare
                    .of
                    .iter()
                    .map(|n| {
                        (
                            asked.get(n.as_str()).unwrap_or(n).clone(),
                            sets.get(n.as_str()).cloned().unwrap_or_default(),
                        )
                    })
                    .collect();
                if let Some((question, _)) = given.iter().find(|(_, set)| set.is_empty()) {
                    return Ok(Err(Failure::Empty(question.clone())));
                }
                let question = compare.question.clone().unwrap_or_else(|| run.question.clone());
                let reply = run
                    .aside("compare", prompts::write_comparison_prompt(run, &question, &given), true)
                    .await?;
                let numbers: Vec<u32> = given.iter().flat_map(|(_, set)| set.numbers()).collect();
                let found = sets::parse_answers(after_thinking(&reply.text))
                    .into_iter()
                    .map(|text| Member::new(text, &numbers))
                    .collect();
                ("a comparison".to_owned(), Set::new(found))
            }
            // The code form has no other operations; a plan from elsewhere may.
            _ => return Ok(Err(Failure::Plan)),
        };
        let step = format!("{}: {what} → {}", statement.name, set.render(false));
        run.emit(AgentEvent::Step { text: step.clone(), step: None });
        known.push(step);
        if set.is_empty() {
            return Ok(Err(Failure::Empty(statement.name.clone())));
        }
        sets.insert(&statement.name, set);
    }
    Ok(sets
        .remove(plan.answer.as_str())
        .filter(|set| !set.is_empty())
        .ok_or_else(|| Failure::Empty(plan.answer.clone())))
}

/// A sub-question for every combination of members of the sets that it refers to, and whether some were left
/// out.
fn combine_members(query: &Template, sets: &Map<&str, Set>) -> (Vec<String>, bool) {
    let mut filled = vec![(String::new(), Map::<&str, &str>::new())];
    let mut left_out = false;
    for part in query.parts() {
        match part {
            Part::Text(text) => filled.iter_mut().for_each(|(out, _)| out.push_str(text)),
            Part::Reference(name) => {
                let members = sets.get(name.as_str()).map(Set::members).unwrap_or_default();
                let mut next = Vec::new();
                for (out, chosen) in &filled {
                    // A set that is named twice stands for the same member in both places.
                    let fixed = chosen.get(name.as_str()).copied();
                    for text in
                        members.iter().map(|m| m.text.as_str()).filter(|t| fixed.is_none_or(|f| f == *t))
                    {
                        let mut chosen = chosen.clone();
                        chosen.insert(name, text);
                        next.push((format!("{out}{text}"), chosen));
                    }
                    if next.len() > FAN_OUT {
                        break;
                    }
                }
                left_out |= next.len() > FAN_OUT;
                next.truncate(FAN_OUT);
                filled = next;
            }
        }
    }
    (filled.into_iter().map(|(out, _)| out.trim().to_owned()).collect(), left_out)
}

/// The answers to an atomic question, by the vote of as many replies as were asked for.
async fn answer_question(run: &mut Run<'_>, question: &str) -> Result<Set, LlmError> {
    let passages = run.search_afresh(question).await;
    let prompt = prompts::write_answer_prompt(run, question, &passages);
    let votes = run.options.votes.clamp(1, VOTES);
    let mut tally: Vec<(Set, u32)> = Vec::new();
    for vote in 0..votes {
        if vote > 0 && run.cap().is_some() {
            break;
        }
        let mut request =
            ChatRequest { messages: vec![Message::user(prompt.clone())], ..ChatRequest::default() };
        if votes > 1 {
            request.temperature = Some(VOTING_TEMPERATURE);
            request.seed = Some(u64::from(vote));
        }
        let reply = run.generate(Ask { purpose: "answer", request, stops: &[], counts: false }).await?;
        let found = sets::parse_answers(after_thinking(&reply.text))
            .into_iter()
            .map(|text| attribute_member(text, &passages))
            .collect();
        let set = Set::new(found);
        match tally.iter_mut().find(|(known, _)| known.same(&set)) {
            Some((_, n)) => *n += 1,
            None => tally.push((set, 1)),
        }
    }
    // Among equals the first to be said, so that the same replies give the same answer.
    let most = tally.iter().map(|(_, n)| *n).max().unwrap_or(0);
    Ok(tally.into_iter().find(|(_, n)| *n == most).map(|(set, _)| set).unwrap_or_default())
}

/// An answer with the passages that hold its words.
fn attribute_member(text: String, passages: &[ShownPassage]) -> Member {
    let wanted = sets::fold_answer(&text);
    let holds = |p: &&ShownPassage| sets::fold_answer(&format!("{} {}", p.title, p.text)).contains(&wanted);
    let numbers: Vec<u32> = passages.iter().filter(holds).map(|p| p.number).collect();
    Member::new(text, &numbers)
}

/// The answer without the plan, from passages for the question itself and what the plan had found.
async fn fall_back(run: &mut Run<'_>, known: &[String], why: Failure) -> Result<String, LlmError> {
    let question = run.question.clone();
    let passages = run.search_afresh(&question).await;
    let prompt = prompts::write_plain_prompt(run, &passages, known);
    let cap = if let Failure::Cap(cap) = why { Some(cap) } else { run.cap() };
    let reply = run.ask_last("final", prompt, cap).await?;
    Ok(after_thinking(&reply.text).trim().to_owned())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
