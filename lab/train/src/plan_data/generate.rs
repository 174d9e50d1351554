//! Examples by the million: each worker has its own graph and makes blocks of examples, which are written in
//! order.

use super::ground::Grounder;
use super::near_duplicates::{Near, fnv};
use super::pattern::{PATTERNS, Pattern};
use super::uncued_types::without_uncued_types;
use super::wording::{Noise, Role, Wording};
use pocketgraph::kg::{Direction, KnowledgeGraph, Linker, NodeId, TypeId};
use pocketgraph::plan::execute::{Executor, Limits, Resources};
use pocketgraph::plan::{Operation, Plan, Relation, json_form};
use pocketgraph::planner::LogicalForm;
use pocketgraph_cluster::Random;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::sync::mpsc::sync_channel;

/// Examples that one worker makes at a time.
const BLOCK: usize = 512;
/// Attempts at one example: most patterns come to a dead end now and then.
const TRIES: u64 = 200;
/// Maximum number of answers written out; the count has their total.
const ANSWERS: usize = 50;

/// Options for making examples.
#[derive(Debug, Clone, PartialEq)]
pub struct DataOptions {
    /// Number of examples, equally over all patterns.
    pub examples: usize,
    /// Percentage of relations that are kept for testing.
    pub held_relations: u32,
    /// Percentage of entities that are kept for testing.
    pub held_entities: u32,
    /// Noise in the wording of questions.
    pub noise: Noise,
    /// The seed of every choice.
    pub seed: u64,
    /// Threads.
    pub jobs: usize,
}

/// For what an example may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Split {
    /// Names no entity and follows no relation that is kept for testing.
    Train,
    /// Names or follows one.
    Test,
}

/// Report of what was made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataReport {
    /// Examples of each pattern, for training and for testing.
    pub patterns: BTreeMap<&'static str, (usize, usize)>,
    /// Attempts that gave no example in all their tries.
    pub given_up: usize,
    /// Left out because an earlier example has the same words.
    pub repeated: usize,
    /// Left out because a test's question is nearly the same.
    pub near: usize,
    /// Relations of the graph and those kept for testing.
    pub relations: (usize, usize),
    /// Entities of the graph and those kept for testing.
    pub entities: (usize, usize),
    /// Words of all questions.
    pub words: usize,
    /// Questions that a language model was to say anew, and those that it did.
    pub rephrased: (usize, usize),
}

/// Reasons for which no examples are made.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The graph has nothing to ask about.
    #[error("the graph has no triples between entities: there is nothing to ask about")]
    Empty,
    /// The graph could not be read again by a worker.
    #[error("the graph cannot be read: {0}")]
    Graph(String),
    /// The examples could not be written.
    #[error("the examples cannot be written")]
    Write(#[from] std::io::Error),
}

struct Example {
    pattern: Pattern,
    split: Split,
    question: String,
    record: Value,
}

/// Makes examples of the graph `own` and writes them as JSON Lines, for training and for testing. `graph`
/// reads it anew for each worker, since a graph belongs to one thread; `progress` gets the number done.
///
/// # Errors
/// [`DataError`].
pub fn generate_examples(
    own: &KnowledgeGraph,
    graph: &(dyn Fn() -> Result<KnowledgeGraph, String> + Sync),
    options: &DataOptions,
    without: &Near,
    train: &mut dyn Write,
    test: &mut dyn Write,
    progress: &dyn Fn(usize),
) -> Result<DataReport, DataError> {
    if (0..own.entities() as u32).all(|n| own.degree(NodeId(n), Direction::Forward) == 0) {
        return Err(DataError::Empty);
    }
    let held =
        HeldOut { seed: options.seed, relations: options.held_relations, entities: options.held_entities };
    let relations = own.vocabulary().relations();
    let mut report = DataReport {
        relations: (relations.len(), relations.iter().filter(|r| held.relation(&r.name)).count()),
        entities: (
            own.entities(),
            (0..own.entities() as u32).filter(|&n| held.entity(own.id(NodeId(n)))).count(),
        ),
        ..DataReport::default()
    };
    let blocks = options.examples.div_ceil(BLOCK);
    let jobs = options.jobs.clamp(1, blocks.max(1));
    let mut seen: HashSet<u64> = HashSet::new();
    std::thread::scope(|scope| {
        // Worker w makes blocks w, w + jobs, …; reading channels in turn orders them, and short ones bound
        // memory.
        let channels: Vec<_> = (0..jobs)
            .map(|worker| {
                let (sender, receiver) = sync_channel::<Result<Vec<Option<Example>>, String>>(2);
                scope.spawn(move || {
                    let graph = match graph() {
                        Ok(graph) => graph,
                        Err(reason) => return drop(sender.send(Err(reason))),
                    };
                    let linker = Linker::new(&graph);
                    let maker = Maker::new(&linker, options, held);
                    for block in (worker..blocks).step_by(jobs) {
                        let all = block * BLOCK..((block + 1) * BLOCK).min(options.examples);
                        if sender.send(Ok(all.map(|i| maker.example(i)).collect())).is_err() {
                            return;
                        }
                    }
                });
                receiver
            })
            .collect();
        let mut done = 0;
        for block in 0..blocks {
            let Ok(made) = channels[block % jobs].recv() else { break };
            for example in made.map_err(DataError::Graph)? {
                done += 1;
                let Some(example) = example else {
                    report.given_up += 1;
                    continue;
                };
                if !seen.insert(fnv(example.question.bytes())) {
                    report.repeated += 1;
                } else if without.holds(&example.question) {
                    report.near += 1;
                } else {
                    let counts = report.patterns.entry(example.pattern.name()).or_default();
                    report.words += example.question.split_whitespace().count();
                    let out: &mut dyn Write = match example.split {
                        Split::Train => {
                            counts.0 += 1;
                            &mut *train
                        }
                        Split::Test => {
                            counts.1 += 1;
                            &mut *test
                        }
                    };
                    writeln!(out, "{}", example.record)?;
                }
            }
            progress(done);
        }
        Ok::<(), DataError>(())
    })?;
    train.flush()?;
    test.flush()?;
    Ok(report)
}

/// Relations and entities that are kept for testing, by the hash of their names: the same in every run and
/// graph.
#[derive(Debug, Clone, Copy)]
struct HeldOut {
    seed: u64,
    relations: u32,
    entities: u32,
}

impl HeldOut {
    fn share(&self, name: &str, of: u64) -> u64 {
        // The low bits of FNV alone are too regular for a share.
        Random::new(self.seed ^ fnv(name.bytes()), of).bits() % 100
    }

    fn relation(&self, name: &str) -> bool {
        self.share(name, 1) < u64::from(self.relations)
    }

    fn entity(&self, id: &str) -> bool {
        self.share(id, 2) < u64::from(self.entities)
    }
}

/// Returns true if a label is an identifier that stands in for a name: `Q183337`, `/m/07s9rl0`.
fn is_code(label: &str) -> bool {
    let digits = label.strip_prefix(char::is_alphabetic).unwrap_or(label);
    label.starts_with("/m/")
        || (!digits.is_empty()
            && digits.len() + 1 == label.len()
            && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns the labels of the relations and types that a plan names, where they differ from the names.
fn labels_of_plan(graph: &KnowledgeGraph, plan: &Plan) -> BTreeMap<String, String> {
    let vocabulary = graph.vocabulary();
    let mut all = BTreeMap::new();
    for statement in &plan.statements {
        let Operation::SearchKg(step) = &statement.operation else { continue };
        if let Relation::Exact { name, .. } = &step.relation
            && let Some(relation) = vocabulary.relation_named(name).and_then(|r| vocabulary.relation(r))
        {
            all.insert(name.clone(), relation.label.clone());
        }
        let of = step.target.as_deref().and_then(|name| vocabulary.entity_type(vocabulary.type_named(name)?));
        all.extend(of.map(|of| (of.name.clone(), of.label.clone())));
    }
    all.retain(|name, label| name != label);
    all
}

struct Maker<'g> {
    graph: &'g KnowledgeGraph,
    executor: Executor<'g>,
    grounder: Grounder<'g>,
    wording: Wording<'g>,
    seed: u64,
    held: HeldOut,
}

impl<'g> Maker<'g> {
    fn new(linker: &'g Linker, options: &DataOptions, held: HeldOut) -> Self {
        let graph = linker.graph();
        Maker {
            graph,
            executor: Executor::new(Some(linker)),
            grounder: Grounder::new(graph),
            wording: Wording::new(graph, options.noise),
            seed: options.seed,
            held,
        }
    }

    /// The example of a number: the first of its attempts that comes to something.
    fn example(&self, number: usize) -> Option<Example> {
        let pattern = PATTERNS[number % PATTERNS.len()];
        (0..TRIES).find_map(|attempt| {
            let mut random = Random::new(self.seed, (number as u64) << 10 | attempt);
            let asked = self.grounder.ground(pattern, &mut random)?;
            self.phrase_example(number, pattern, &asked, &mut random)
        })
    }

    fn phrase_example(
        &self,
        number: usize,
        pattern: Pattern,
        asked: &LogicalForm,
        random: &mut Random,
    ) -> Option<Example> {
        let (question, spans) = self.wording.question(asked, random).text();
        if spans.iter().any(|(_, _, role)| matches!(role, Role::Entity(n) if is_code(self.graph.label(*n)))) {
            return None;
        }
        let types: Vec<TypeId> =
            spans.iter().filter_map(|s| if let Role::Type(of) = s.2 { Some(of) } else { None }).collect();
        let plan = without_uncued_types(asked, &types).plan(self.graph, &question);
        let work = self.executor.execute(&plan, Resources::default(), Limits::default());
        let execution = futures::FutureExt::now_or_never(work)?.ok()?;
        let members = &execution.answer().members;
        if members.is_empty() || !execution.is_complete() {
            return None;
        }
        let mut answers: Vec<(String, String)> = members
            .iter()
            .map(|m| {
                (
                    m.item.node().map_or_else(String::new, |n| self.graph.id(n).to_owned()),
                    m.item.label(Some(self.graph)),
                )
            })
            .collect();
        answers.sort_unstable();
        let count = answers.len();
        answers.truncate(ANSWERS);
        let named = |role: &Role| match role {
            Role::Plain => None,
            Role::Entity(n) => Some(("entity", self.graph.id(*n).to_owned(), false)),
            Role::Relation(r, d) => Some((
                "relation",
                self.graph.vocabulary().relation(*r)?.name.clone(),
                *d == Direction::Backward,
            )),
            Role::Type(t) => Some(("type", self.graph.vocabulary().entity_type(*t)?.name.clone(), false)),
        };
        let spans: Vec<(usize, usize, (&str, String, bool))> =
            spans.iter().filter_map(|(s, e, role)| Some((*s, *e, named(role)?))).collect();
        let held = spans.iter().any(|(_, _, (kind, name, _))| match *kind {
            "entity" => self.held.entity(name),
            "relation" => self.held.relation(name),
            _ => false,
        });
        let spans: Vec<Value> = spans
            .into_iter()
            .map(|(start, end, (kind, name, inverse))| match inverse {
                true => json!({ "start": start, "end": end, "kind": kind, "name": name, "inverse": true }),
                false => json!({ "start": start, "end": end, "kind": kind, "name": name }),
            })
            .collect();
        let record = json!({
            "id": number,
            "pattern": pattern.name(),
            "question": question,
            "plan": serde_json::from_str::<Value>(&json_form::print(&plan)).ok()?,
            "spans": spans,
            "labels": labels_of_plan(self.graph, &plan),
            "answers": answers.into_iter().map(|(id, label)| if id.is_empty() { json!([label]) } else { json!([label, id]) }).collect::<Vec<_>>(),
            "count": count,
        });
        Some(Example { pattern, split: if held { Split::Test } else { Split::Train }, question, record })
    }
}
