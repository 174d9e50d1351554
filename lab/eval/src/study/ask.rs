//! Asking the questions of a study, each in every way and with every seed before the next, so that what was measured when it was ended compares.

use super::file::{Study, StudyError};
use super::indexes::OpenSet;
use super::journal::{Journal, key};
use crate::answering::{AnswerSetup, System, answer, wants_model};
use crate::data::Question;
use crate::one_answer::Answered;
use futures::future::{Either, FutureExt, LocalBoxFuture, select};
use pocketgraph::agent::AgentOptions;
use pocketgraph::llm::{ChatModel, ChatRequest, ChatStream, LlmError};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// After so many failures of the model in a row there is no point in going on.
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

/// With what is asked.
pub struct Asker<'a> {
    /// The study.
    pub study: &'a Study,
    /// The options of its protocols.
    pub options: &'a AgentOptions,
    /// The model, where there is one.
    pub chat: Option<&'a dyn ChatModel>,
    /// What tells the model from others.
    pub identity: &'a str,
    /// Where the study keeps what it makes.
    pub folder: &'a Path,
    /// Is told how many answers there are.
    pub done: &'a dyn Fn(usize),
}

/// What came of asking.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StudyProgress {
    /// Every answer that there is: kept from before, given now, and, not kept, those at which the model failed.
    pub asked: Vec<StudyAnswer>,
    /// How many were kept from before.
    pub before: usize,
    /// Why it ended before its last question, where it did.
    pub stopped: Option<String>,
}

/// A model that is given a seed with each request that has none.
struct Seeded<'a> {
    model: &'a dyn ChatModel,
    seed: u64,
}

impl ChatModel for Seeded<'_> {
    fn chat<'a>(&'a self, mut request: ChatRequest) -> LocalBoxFuture<'a, Result<ChatStream<'a>, LlmError>> {
        request.seed.get_or_insert(self.seed);
        self.model.chat(request)
    }
}

/// One answer to give.
struct Task<'a> {
    set: &'a OpenSet,
    question: &'a Question,
    seed: u64,
    system: &'a System,
    /// The place of the system's retriever among the set's bundles.
    at: usize,
}

/// Gives every answer of a study that is not kept yet; `stop` ends it when it resolves. An answer at which the model failed counts, but is not kept: the next
/// run asks for it again.
///
/// # Errors
/// [`StudyError`] when a bundle cannot be searched, or an answer not be kept.
pub async fn ask_all(with: &Asker<'_>, sets: &[OpenSet], mut stop: LocalBoxFuture<'_, ()>) -> Result<StudyProgress, StudyError> {
    let mut kept: Journal<StudyAnswer> = Journal::open(&with.folder.join("answers.jsonl"))?;
    let systems = with.study.systems();
    let (mut out, mut failures) = (StudyProgress::default(), 0);
    for task in tasks(with.study, &systems, sets) {
        let key = task_key(with, &task);
        if let Some(asked) = kept.get(&key) {
            out.asked.push(asked.clone());
            out.before += 1;
            (with.done)(out.asked.len());
            continue;
        }
        // Work that waits for nothing would otherwise never let a signal in.
        tokio::task::yield_now().await;
        let work = give(with, &task).boxed_local();
        let answered = match select(&mut stop, work).await {
            Either::Right((answered, _)) => answered?,
            Either::Left(_) => {
                out.stopped = Some("it was interrupted".to_owned());
                break;
            }
        };
        let failure = answered.failure.clone();
        let System { protocol, retriever } = task.system.clone();
        let asked = StudyAnswer { set: task.set.name.clone(), protocol, retriever, seed: task.seed, answered };
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

async fn give(with: &Asker<'_>, task: &Task<'_>) -> Result<Answered, StudyError> {
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
        return Err(StudyError::NoIndex { set: task.set.name.clone(), retriever: task.system.retriever.clone() });
    };
    Ok(answer(&bundle.engine, task.question, task.system, &setup).await?)
}

/// Every answer of a study, in the order in which they are given.
fn tasks<'a>(study: &'a Study, systems: &'a [System], sets: &'a [OpenSet]) -> Vec<Task<'a>> {
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

/// Everything that an answer depends on.
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
