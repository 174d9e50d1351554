//! The executor: runs a checked plan over the knowledge graph, and over passages if that has no result.
//!
//! Steps follow Graph-RFT (arXiv 2510.20691: link the head, rank its relations, follow the best, search
//! elsewhere on a miss) and LPKG (arXiv 2406.14282: set operations over the answers of sub-questions),
//! without their faults: an empty operand stays empty, identity is that of nodes, not of strings, and every
//! limit that cuts something is reported.
//!
//! No language model is needed. Independent steps run together; dropping the future stops everything.

mod lexicon;
mod passages;
mod search;
mod sets;
mod values;

pub use passages::{FoundPassages, Passage, Passages, PassagesError};
pub use sets::{Evidence, Item, Member, ORIGINS_KEPT, Origin, Set};

use super::check::{self, Checked};
use super::trace::{EDGES_SHOWN, EdgeTrace, InputTrace, MEMBERS_SHOWN, MemberTrace, StepTrace, Trace};
use super::{Operation, Plan, PlanError, Statement, rft};
use crate::compact::{Map, sort_unique};
use crate::kg::{KnowledgeGraph, Linker, TripleId};
use crate::llm::ChatModel;
use futures::StreamExt;
use futures::future::{FutureExt, LocalBoxFuture};
use futures::stream::FuturesUnordered;
use lexicon::Lexicon;
pub use lexicon::{Lexicon as Phrases, Ranked, Target};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Function that returns the cosine of two phrases.
pub type Similarity<'a> = &'a dyn Fn(&str, &str) -> f32;

/// Resources of an execution in addition to the graph. All are optional.
#[derive(Clone, Copy, Default)]
pub struct Resources<'a> {
    /// Finds passages of the bundle if the graph has no result, and for steps that search passages.
    pub passages: Option<&'a dyn Passages>,
    /// Finds passages on the web if the bundle has no result.
    pub web: Option<&'a dyn Passages>,
    /// Reads passages. Without it, answers are extracted from them.
    pub model: Option<&'a dyn ChatModel>,
    /// Compares phrases, for relations whose words differ from the plan's.
    pub similarity: Option<Similarity<'a>>,
    /// Returns milliseconds since some moment. Without it, times are 0 and there is no time limit.
    pub clock: Option<&'a dyn Fn() -> f64>,
    /// Returns true to stop.
    pub cancelled: Option<&'a dyn Fn() -> bool>,
    /// Called with each step when it is done.
    pub on_step: Option<&'a dyn Fn(&StepTrace)>,
}

/// Limits of an execution. The trace reports what exceeds one and is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Maximum number of heads of a step, best first.
    pub heads: usize,
    /// Maximum number of members of a result.
    pub members: usize,
    /// Maximum number of sub-questions to passages in a step.
    pub questions: usize,
    /// Maximum number of passages of a sub-question.
    pub passages: usize,
    /// Maximum number of steps.
    pub steps: usize,
    /// Maximum number of searches for passages and calls of the model.
    pub fetches: usize,
    /// Maximum time in milliseconds by the clock.
    pub milliseconds: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            heads: 16_384,
            members: 65_536,
            questions: 5,
            passages: 5,
            steps: 64,
            fetches: 32,
            milliseconds: 60_000.0,
        }
    }
}

/// Reason why a plan was not executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExecuteError {
    /// The plan does not pass its static checks.
    #[error("the plan cannot be executed: \
        {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Plan(Vec<PlanError>),
    /// The caller asked to stop.
    #[error("stopped")]
    Cancelled,
}

/// Result of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Execution {
    /// Set of each statement, in the order of the plan.
    pub sets: Vec<Rc<Set>>,
    /// Index of the statement whose set is the answer.
    pub answer: usize,
    /// Statements that each statement refers to.
    pub inputs: Vec<Vec<usize>>,
    /// Passages that were read, as [`Evidence::Passage`] counts them.
    pub passages: Vec<Passage>,
    /// Trace of the execution.
    pub trace: Trace,
}

impl Execution {
    /// Returns the answer.
    pub fn answer(&self) -> &Set {
        &self.sets[self.answer]
    }

    /// Returns true if nothing is known to be missing: no budget ran out, no limit cut, no step has a gap.
    pub fn is_complete(&self) -> bool {
        let whole = |s: &StepTrace| s.truncated.is_empty() && s.missing.is_empty();
        self.trace.exhausted.is_none() && self.trace.steps.iter().all(whole)
    }

    /// Returns the triples and passages on all ways to these members of the answer, ascending; for all
    /// members if none are named. A computed value, such as a count, rests on all members it was made of.
    pub fn support(&self, items: &[Item]) -> Vec<Evidence> {
        let all: Vec<Item>;
        let items = if items.is_empty() {
            all = self.answer().members.iter().map(|m| m.item.clone()).collect();
            &all
        } else {
            items
        };
        let mut found = Vec::new();
        let mut seen: Map<(usize, Item), ()> = Map::new();
        let mut open: Vec<(usize, Item)> = items.iter().map(|i| (self.answer, i.clone())).collect();
        while let Some((step, item)) = open.pop() {
            if seen.get(&(step, item.clone())).is_some() {
                continue;
            }
            seen.insert((step, item.clone()), ());
            let inputs = self.inputs.get(step).map_or(&[][..], Vec::as_slice);
            let member = self.sets.get(step).and_then(|s| s.get(&item));
            for origin in member.iter().flat_map(|m| &m.origins) {
                found.push(origin.evidence);
                let head = origin.head.iter().flat_map(|h| inputs.iter().map(move |&i| (i, h.clone())));
                open.extend(head);
            }
            let handed_on = |i: &usize| self.sets.get(*i).is_some_and(|s| s.get(&item).is_some());
            if member.is_some_and(|m| m.origins.is_empty()) && !inputs.iter().any(handed_on) {
                let members = |&i: &usize| {
                    self.sets
                        .get(i)
                        .into_iter()
                        .flat_map(move |s| s.members.iter().map(move |m| (i, m.item.clone())))
                };
                open.extend(inputs.iter().flat_map(members));
            }
            // Set operations pass members on unchanged; a step along a relation has them as heads.
            open.extend(inputs.iter().map(|&i| (i, item.clone())));
        }
        sort_unique(&mut found);
        found
    }

    /// Returns the statements that lead to a thing that the plan itself names, in the order of its steps: the
    /// answer is how it is reached. `None` if the answer is what was found, or no statement leads there.
    pub fn way(&self) -> Option<Vec<TripleId>> {
        let is = |at: usize, name: &str| self.trace.steps.get(at).is_some_and(|s| s.operation == name);
        if !is(self.answer, "intersect") || !self.inputs.get(self.answer)?.iter().any(|&i| is(i, "entity")) {
            return None;
        }
        let mut all = self.support(&[]);
        all.sort_by_key(|evidence| {
            let shows =
                |set: &Rc<Set>| set.members.iter().flat_map(|m| &m.origins).any(|o| o.evidence == *evidence);
            self.sets.iter().position(shows)
        });
        let triple = |e| if let Evidence::Triple(id) = e { Some(id) } else { None };
        let way: Vec<TripleId> = all.into_iter().filter_map(triple).collect();
        (!way.is_empty()).then_some(way)
    }
}

/// Runs plans over one graph. It prepares the words of the graph's relations and types once.
pub struct Executor<'a> {
    linker: Option<&'a Linker>,
    lexicon: Option<Lexicon>,
}

/// Returns a statement's set before it was filtered, and the sets in the chain of steps to it, the last
/// first.
fn chain_sets(
    plan: &Plan,
    checked: &Checked,
    mut at: usize,
    done: &[Option<(Rc<Set>, StepTrace)>],
) -> Vec<Rc<Set>> {
    let set = |at: usize| done.get(at).and_then(Option::as_ref).map(|(set, _)| Rc::clone(set));
    let mut sets = Vec::from_iter(set(at));
    while let Some(statement) = plan.statements.get(at)
        && let Some(&[before]) = checked.inputs.get(at).map(Vec::as_slice)
    {
        match statement.operation {
            Operation::SearchKg(_) => sets.extend(set(before)),
            Operation::Filter { .. } if sets.len() == 1 => sets = Vec::from_iter(set(before)),
            Operation::Filter { .. } => {}
            _ => break,
        }
        at = before;
    }
    sets
}

/// State of an execution.
struct Run<'a> {
    plan: &'a Plan,
    resources: Resources<'a>,
    limits: Limits,
    started: f64,
    steps: Cell<usize>,
    fetches: Cell<usize>,
    exhausted: RefCell<Option<String>>,
    passages: RefCell<Vec<Passage>>,
}

impl Run<'_> {
    fn now(&self) -> f64 {
        self.resources.clock.map_or(0.0, |clock| clock())
    }

    fn is_cancelled(&self) -> bool {
        self.resources.cancelled.is_some_and(|cancelled| cancelled())
    }

    /// Returns true if there is time left; otherwise notes that there is none.
    fn in_time(&self) -> bool {
        let spent = self.now() - self.started;
        if spent <= self.limits.milliseconds {
            return true;
        }
        self.note_exhausted(format!("the time of {} ms is over", self.limits.milliseconds as u64));
        false
    }

    /// Takes a fetch from the budget; returns false if none is left.
    fn may_fetch(&self) -> bool {
        if self.fetches.get() >= self.limits.fetches {
            self.note_exhausted(format!("all {} fetches are used", self.limits.fetches));
            return false;
        }
        self.fetches.set(self.fetches.get() + 1);
        self.in_time()
    }

    fn may_step(&self) -> bool {
        if self.steps.get() >= self.limits.steps {
            self.note_exhausted(format!("all {} steps are used", self.limits.steps));
            return false;
        }
        self.steps.set(self.steps.get() + 1);
        self.in_time()
    }

    fn note_exhausted(&self, why: String) {
        self.exhausted.borrow_mut().get_or_insert(why);
    }

    /// Returns the place of a passage in the list, which has it once.
    fn add_passage(&self, passage: &Passage) -> u32 {
        let mut all = self.passages.borrow_mut();
        let at = all.iter().position(|p| p == passage).unwrap_or_else(|| {
            all.push(passage.clone());
            all.len() - 1
        });
        at as u32
    }
}

/// Step in progress: its statement, its inputs, and its trace.
struct Step<'a> {
    run: &'a Run<'a>,
    inputs: Vec<Rc<Set>>,
    /// For a comparison, each input before it was filtered, and the sets in the chain of steps to it, the
    /// last first.
    behind: Vec<Vec<Rc<Set>>>,
    trace: StepTrace,
    /// Triples that led to members.
    edges: Vec<TripleId>,
}

impl<'a> Executor<'a> {
    /// Makes an executor over the graph of `linker`; without one, only steps that read passages have results.
    pub fn new(linker: Option<&'a Linker>) -> Self {
        Executor { linker, lexicon: linker.map(|l| Lexicon::new(l.graph())) }
    }

    fn graph(&self) -> Option<&'a KnowledgeGraph> {
        self.linker.map(Linker::graph)
    }

    /// Executes a plan.
    ///
    /// # Errors
    /// [`ExecuteError::Plan`] if the plan does not pass [`check`](check::check), [`ExecuteError::Cancelled`]
    /// if the caller asks to stop. Gaps of a step are not errors: the trace has them.
    pub fn execute<'e>(
        &'e self,
        plan: &'e Plan,
        resources: Resources<'e>,
        limits: Limits,
    ) -> LocalBoxFuture<'e, Result<Execution, ExecuteError>> {
        async move {
            let checked = check::check(plan, &[], &check::Limits::default()).map_err(ExecuteError::Plan)?;
            let mut run = Run {
                plan,
                resources,
                limits,
                started: 0.0,
                steps: Cell::new(0),
                fetches: Cell::new(0),
                exhausted: RefCell::default(),
                passages: RefCell::default(),
            };
            run.started = run.now();
            let (sets, steps) = self.run_steps(&run, &checked).await?;
            let trace = Trace {
                steps,
                answer: plan.answer.clone(),
                warnings: checked.warnings,
                exhausted: run.exhausted.take(),
                milliseconds: run.now() - run.started,
            };
            Ok(Execution {
                sets,
                answer: checked.answer,
                inputs: checked.inputs,
                passages: run.passages.take(),
                trace,
            })
        }
        .boxed_local()
    }

    /// Starts every step as soon as its inputs exist.
    async fn run_steps(
        &self,
        run: &Run<'_>,
        checked: &Checked,
    ) -> Result<(Vec<Rc<Set>>, Vec<StepTrace>), ExecuteError> {
        let count = run.plan.statements.len();
        let mut done: Vec<Option<(Rc<Set>, StepTrace)>> = vec![None; count];
        let mut started = vec![false; count];
        let mut running: FuturesUnordered<LocalBoxFuture<'_, (usize, Set, StepTrace)>> =
            FuturesUnordered::new();
        loop {
            if run.is_cancelled() {
                return Err(ExecuteError::Cancelled);
            }
            for (index, statement) in run.plan.statements.iter().enumerate() {
                let inputs = || -> Option<Vec<Rc<Set>>> {
                    let input = |&i: &usize| done.get(i)?.as_ref().map(|(set, _)| Rc::clone(set));
                    checked.inputs.get(index)?.iter().map(input).collect()
                };
                if !started[index]
                    && let Some(inputs) = inputs()
                {
                    started[index] = true;
                    let behind = if matches!(statement.operation, Operation::Compare(_)) {
                        let of = checked.inputs.get(index).map_or(&[][..], Vec::as_slice);
                        of.iter().map(|&i| chain_sets(run.plan, checked, i, &done)).collect()
                    } else {
                        Vec::new()
                    };
                    running.push(Box::pin(self.run_step(run, index, statement, inputs, behind)));
                }
            }
            let Some((index, set, trace)) = running.next().await else { break };
            if let Some(report_step) = run.resources.on_step {
                report_step(&trace);
            }
            done[index] = Some((Rc::new(set), trace));
        }
        if run.is_cancelled() {
            return Err(ExecuteError::Cancelled);
        }
        // Checked plans refer backwards only, so every step has run.
        Ok(done.into_iter().flatten().unzip())
    }

    async fn run_step(
        &self,
        run: &Run<'_>,
        index: usize,
        statement: &Statement,
        inputs: Vec<Rc<Set>>,
        behind: Vec<Vec<Rc<Set>>>,
    ) -> (usize, Set, StepTrace) {
        let begun = run.now();
        let names = statement.operation.references();
        let trace = StepTrace {
            name: statement.name.clone(),
            operation: statement.operation.name().to_owned(),
            line: plan_line(statement),
            thought: statement.thought.clone(),
            inputs: names
                .iter()
                .zip(&inputs)
                .map(|(n, s)| InputTrace { name: (*n).to_owned(), size: s.members.len() })
                .collect(),
            ..StepTrace::default()
        };
        let mut step = Step { run, inputs, behind, trace, edges: Vec::new() };
        let mut set = if run.may_step() {
            self.run_operation(&statement.operation, &mut step).await
        } else {
            step.note_missing(format!(
                "not executed: {}",
                run.exhausted.borrow().as_deref().unwrap_or("the budget is used")
            ))
        };
        if set.members.len() > run.limits.members {
            step.trace.truncated.push(format!(
                "the best {} of {} members are kept",
                run.limits.members,
                set.members.len()
            ));
            let best: Vec<Member> = set.ranked().into_iter().take(run.limits.members).cloned().collect();
            set = Set::new(best, set.open);
        }
        let graph = self.graph();
        let mut t = step.trace;
        t.size = set.members.len();
        let member =
            |m: &&Member| MemberTrace { label: m.item.label(graph), node: m.item.node(), score: m.score };
        t.members = set.ranked().iter().take(MEMBERS_SHOWN).map(member).collect();
        sort_unique(&mut step.edges);
        t.edge_count = step.edges.len();
        t.edges = graph.map_or_else(Vec::new, |g| {
            step.edges.iter().take(EDGES_SHOWN).filter_map(|&e| edge_trace(g, e)).collect()
        });
        t.milliseconds = run.now() - begun;
        (index, set, t)
    }

    async fn run_operation(&self, operation: &Operation, step: &mut Step<'_>) -> Set {
        let inputs = step.inputs.clone();
        let all: Vec<&Set> = inputs.iter().map(Rc::as_ref).collect();
        match operation {
            Operation::SearchKg(search) => self.search_kg(search, step).await,
            Operation::Search { query } => self.search_passages(query, step).await,
            Operation::All { target, relation } => self.find_all(target.as_deref(), relation.as_ref(), step),
            Operation::Entity { head } => self.find_named(head, step),
            Operation::Intersect { .. } => {
                step.note_empty("the intersection is empty");
                Set::intersection(&all)
            }
            Operation::Union { .. } => {
                step.note_empty("it adds nothing to the union");
                Set::union(&all)
            }
            Operation::Negation { .. } => {
                let Some((main, minus)) = all.split_first() else { return Set::default() };
                step.note_empty("there is nothing to take away from, or nothing to take away");
                if main.open {
                    step.trace
                        .notes
                        .push("the main set was read in passages: what is left may be too much".to_owned());
                }
                main.without(minus)
            }
            Operation::Compare(compare) => self.compare_sets(compare, step).await,
            Operation::Count { .. } => {
                let Some(set) = all.first() else { return Set::default() };
                if set.open {
                    step.trace.notes.push("the set was read in passages: there may be more".to_owned());
                }
                Set::of_value(Item::number(set.members.len() as f64), set.open)
            }
            Operation::Filter { condition, .. } => self.run_filter(condition, step),
            Operation::Superlative { by, extreme, keep, .. } => {
                self.run_superlative(by.as_ref(), *extreme, *keep, step)
            }
        }
    }
}

impl Step<'_> {
    /// Notes a missing part without which there is no result.
    fn note_missing(&mut self, what: impl Into<String>) -> Set {
        self.trace.missing.push(what.into());
        Set::default()
    }

    /// Notes the empty operands and the consequence.
    fn note_empty(&mut self, meaning: &str) {
        let empty: Vec<&str> =
            self.trace.inputs.iter().filter(|i| i.size == 0).map(|i| i.name.as_str()).collect();
        if !empty.is_empty() {
            let verb = if empty.len() == 1 { "is" } else { "are" };
            self.trace.notes.push(format!("{} {verb} empty: {meaning}", empty.join(", ")));
        }
    }

    /// Returns the first operand; empty if there is none.
    fn first_input(&self) -> Rc<Set> {
        self.inputs.first().cloned().unwrap_or_default()
    }
}

fn plan_line(statement: &Statement) -> String {
    let one = Statement { thought: None, ..statement.clone() };
    let plan = Plan { question: None, answer: one.name.clone(), statements: vec![one] };
    match rft::print(&plan) {
        Ok(text) => text.trim_end().split_once('=').map_or_else(String::new, |(_, call)| call.to_owned()),
        Err(_) => statement.operation.name().to_owned(),
    }
}

fn edge_trace(graph: &KnowledgeGraph, id: TripleId) -> Option<EdgeTrace> {
    let t = graph.triple(id)?;
    Some(EdgeTrace {
        triple: id,
        head: t.head,
        head_label: graph.label(t.head).to_owned(),
        relation: graph.vocabulary().relation(t.relation).map_or_else(String::new, |r| r.label.clone()),
        tail: t.tail,
        tail_label: Item::Node(t.tail).label(Some(graph)),
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
