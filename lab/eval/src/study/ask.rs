//! Asks the questions of a study, each in every way before the next, so that interrupted runs are comparable.

use super::file::{Study, StudyError};
use super::indexes::OpenSet;
use super::journal::{Journal, key};
use crate::answering::{AnswerSetup, System, answer_question, list_ways, wants_model};
use crate::data::Question;
use crate::one_answer::Answered;
use futures::future::{Either, FutureExt, LocalBoxFuture, select};
use pocketgraph::agent::AgentOptions;
use pocketgraph::llm::{ChatModel, ChatRequest, OpenedStream};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Number of failures of the model in a row after which the run ends.
const FAILURES: usize = 5;

/// One answer of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyAnswer {
    /// The set.
    pub set: String,
    /// The protocol.
    pub protocol: String,
    /// The retriever.
    pub retriever: String,
    /// The seed.
    pub seed: u64,
    /// The answer.
    pub answered: Answered,
}

/// Settings for asking.
pub struct Asker<'a> {
    /// The study.
    pub study: &'a Study,
    /// Options of its protocols.
    pub options: &'a AgentOptions,
    /// The model, if there is one.
    pub chat: Option<&'a dyn ChatModel>,
    /// Identity of the model.
    pub identity: &'a str,
    /// Folder of the study's results.
    pub folder: &'a Path,
    /// Gets the number of answers.
    pub done: &'a dyn Fn(usize),
}

/// Result of asking.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StudyProgress {
    /// Every answer: from earlier runs, from this one, and the model's failures, which are not stored.
    pub asked: Vec<StudyAnswer>,
    /// Number of answers from earlier runs.
    pub before: usize,
    /// Reason for an early end.
    pub stopped: Option<String>,
}

/// A model that adds a seed to each request without one.
struct Seeded<'a> {
    model: &'a dyn ChatModel,
    seed: u64,
}

impl ChatModel for Seeded<'_> {
    fn chat<'a>(&'a self, mut request: ChatRequest) -> OpenedStream<'a> {
        request.seed.get_or_insert(self.seed);
        self.model.chat(request)
    }
}

struct Task<'a> {
    set: &'a OpenSet,
    question: &'a Question,
    seed: u64,
    system: &'a System,
    /// Index of the system's retriever among the set's bundles.
    at: usize,
}

/// Gives every missing answer of a study; it ends when `stop` resolves. An answer at which the model failed
/// counts but is not stored: the next run repeats it.
///
/// # Errors
/// [`StudyError`] if a bundle cannot be searched, or an answer cannot be stored.
pub async fn ask_all(
    with: &Asker<'_>,
    sets: &[OpenSet],
    mut stop: LocalBoxFuture<'_, ()>,
) -> Result<StudyProgress, StudyError> {
    let mut kept: Journal<StudyAnswer> = Journal::open(&with.folder.join("answers.jsonl"))?;
    let systems = list_ways(&with.study.protocols, &with.study.retrievers);
    let (mut out, mut failures) = (StudyProgress::default(), 0);
    for task in list_tasks(with.study, &systems, sets) {
        let key = task_key(with, &task);
        if let Some(asked) = kept.get(&key) {
            out.asked.push(asked.clone());
            out.before += 1;
            (with.done)(out.asked.len());
            continue;
        }
        // Work that never waits would otherwise leave no room for a signal.
        tokio::task::yield_now().await;
        let work = give_answer(with, &task).boxed_local();
        let answered = match select(&mut stop, work).await {
            Either::Right((answered, _)) => answered?,
            Either::Left(_) => {
                out.stopped = Some("it was interrupted".to_owned());
                break;
            }
        };
        let failure = answered.failure.clone();
        let System { protocol, retriever } = task.system.clone();
        let asked =
            StudyAnswer { set: task.set.name.clone(), protocol, retriever, seed: task.seed, answered };
        if failure.is_none() {
            kept.put(&key, asked.clone())?;
        }
        out.asked.push(asked);
        (with.done)(out.asked.len());
        failures = match &failure {
            Some(_) => failures + 1,
            None if wants_model(&task.system.protocol) => 0,
            None => failures,
        };
        if let (FAILURES.., Some(why)) = (failures, failure) {
            out.stopped = Some(format!("the language model failed {failures} times in a row: {why}"));
            break;
        }
    }
    Ok(out)
}

async fn give_answer(with: &Asker<'_>, task: &Task<'_>) -> Result<Answered, StudyError> {
    let seeded = with.chat.map(|model| Seeded { model, seed: task.seed });
    let setup = AnswerSetup {
        systems: &[],
        options: with.options,
        chat: None,
        before: seeded.as_ref().map(|s| s as &dyn ChatModel),
        prices: None,
        baseline: None,
    };
    let Some((_, bundle, _)) = task.set.bundles.get(task.at) else {
        return Err(StudyError::NoIndex {
            set: task.set.name.clone(),
            retriever: task.system.retriever.clone(),
        });
    };
    Ok(answer_question(&bundle.engine, task.question, task.system, &setup).await?)
}

fn list_tasks<'a>(study: &'a Study, systems: &'a [System], sets: &'a [OpenSet]) -> Vec<Task<'a>> {
    let mut out = Vec::new();
    for set in sets {
        for question in &set.questions {
            for &seed in &study.seeds {
                for system in systems.iter().filter(|s| study.seeds_of(&s.protocol).contains(&seed)) {
                    let at = study.retrievers.iter().position(|r| *r == system.retriever).unwrap_or_default();
                    out.push(Task { set, question, seed, system, at });
                }
            }
        }
    }
    out
}

/// Returns the key of everything that an answer depends on.
fn task_key(with: &Asker<'_>, task: &Task<'_>) -> String {
    let index = task.set.bundles.get(task.at).map_or("", |(_, _, key)| key.as_str());
    let model = if wants_model(&task.system.protocol) { with.identity } else { "" };
    let question = format!("{:?}", task.question);
    let options = format!("{:?}", with.options);
    let parts: [&[u8]; 8] = [
        index.as_bytes(),
        model.as_bytes(),
        task.set.name.as_bytes(),
        task.system.protocol.as_bytes(),
        task.system.retriever.as_bytes(),
        question.as_bytes(),
        options.as_bytes(),
        &task.seed.to_le_bytes(),
    ];
    key(&parts)
}
